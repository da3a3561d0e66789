"""Telling: what is a claimant told?

Here: the answer that follows from the books, with its sentence.
Not here: the shape of an answer (answers.py).
Sources: SEMANTICS G1, G2 (why not, and what would unblock it).
"""

from __future__ import annotations

from comity.core.exact import show_number
from comity.protocols.claims.answers import Answer
from comity.protocols.claims.books import Books
from comity.protocols.claims.standing import Fate

__all__ = ["answer_of", "refusal_of"]


def answer_of(books: Books, resource: str, agent: str, number: int | None = None) -> Answer:
    """Return what has become of an agent's claim on a resource.

    Args:
        books: what the desk knows.
        resource: what is claimed.
        agent: who claims.
        number: which of its claims; the latest when left out.

    Example:
        >>> from comity.protocols.claims.rules import DeskRules
        >>> answer_of(Books(DeskRules()), "gpu", "a").says
        'a has not claimed gpu.'
    """
    fate = books.fates.get((resource, agent))
    if fate is None:
        says = f"{agent} has not claimed {resource}."
        return _answer(books, resource, agent, Fate(0, "ended"), says)
    if number is not None and number != fate.number:
        says = f"Claim {number} of {agent} on {resource} is over; it has claimed it again."
        return _answer(books, resource, agent, Fate(number, "ended"), says)
    return _answer(books, resource, agent, fate, _says(books, resource, agent, fate))


def refusal_of(books: Books, resource: str, token: int) -> Answer:
    """Return why a token opens nothing.

    Args:
        books: what the desk knows.
        resource: what it was shown for.
        token: the token.

    Example:
        >>> from comity.protocols.claims.rules import DeskRules
        >>> refusal_of(Books(DeskRules()), "gpu", 7).says
        'Token 7 was never given out for gpu; 0 was the last.'
    """
    last = books.leases.last_token
    agent = next((one[1] for one, fate in books.fates.items() if fate.token == token), "")
    if type(token) is int and 0 < token <= last:
        says = f"The lease of token {token} on {resource} does not run any more; claim it again."
    else:
        says = f"Token {token} was never given out for {resource}; {last} was the last."
    return _answer(books, resource, agent, Fate(0, "ended", None), says)


def _says(books: Books, resource: str, agent: str, fate: Fate) -> str:
    if fate.status == "granted":
        return f"{agent} holds {resource} under token {fate.token}."
    if fate.status == "waiting":
        held = ", ".join(sorted(one.holder for one in books.held(resource)))
        why = f"held by {held}" if held else "claims gather"
        lost = show_number(books.engine.scope(resource).marks.get(agent, 0))
        return f"{agent} waits for {resource}: {why}; {lost} counted for it so far."
    if fate.status == "refused":
        ring = " -> ".join((*fate.cycle, fate.cycle[0]))
        return (
            f"{agent} may not wait for {resource}: {ring} would wait in a circle; release first."
        )
    if fate.status == "ended":
        return f"The lease of {agent} on {resource} under token {fate.token} is over."
    return f"The claim of {agent} on {resource} is {fate.status}; claim again to wait on."


def _answer(books: Books, resource: str, agent: str, fate: Fate, says: str) -> Answer:
    waiting = books.waiting.get(resource, {})
    held = books.held(resource)
    until: int | None = None
    if fate.status == "granted":
        until = next(int(one.until) for one in held if one.token == fate.token)
    elif fate.status == "waiting":
        until = waiting[agent].until_ms
    return Answer(
        status=fate.status,
        resource=resource,
        agent=agent,
        number=fate.number,
        token=fate.token,
        until_ms=until,
        conflict=fate.conflict,
        losses=books.engine.scope(resource).marks.get(agent, 0),
        holders=tuple(sorted(one.holder for one in held)),
        rivals=tuple(sorted(one for one in waiting if one != agent)),
        cycle=fate.cycle,
        says=says,
    )
