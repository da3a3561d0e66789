"""Telling: what is a claimant told?

Here: the answer that follows from the books, with its sentence.
Not here: the shape of an answer (answers.py), what a repeated request is told (retelling.py).
Sources: SEMANTICS G1, G2 (why not, and what would unblock it).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from comity.core.exact import Exact, show_number
from comity.mechanisms.arbitration import RULES
from comity.protocols.claims.answers import Answer
from comity.protocols.claims.books import Books
from comity.protocols.claims.events import HANDED, Event
from comity.protocols.claims.standing import Fate

__all__ = ["answer_of", "over_of", "refusal_of"]


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


def over_of(books: Books, over: Event, following: Iterable[Event]) -> Answer:
    """Return that a lease is over, whatever its holder has claimed since, and who was next.

    Args:
        books: what the desk knows.
        over: the event that ended it.
        following: what else its release has led to.

    Example:
        >>> from comity.protocols.claims.rules import DeskRules
        >>> body = {"resource": "gpu", "agent": "a", "number": 3, "token": 2}
        >>> over_of(Books(DeskRules()), Event("ended", body), []).says
        'The lease of a on gpu under token 2 is over.'
    """
    told: Any = over.body
    resource, agent, token = told["resource"], told["agent"], told["token"]
    fate = books.fates.get((resource, agent))
    if fate is None or fate.token != token:
        fate = Fate(told["number"], "ended", token)
    answer = _answer(books, resource, agent, fate, _says(books, resource, agent, fate))
    names = tuple(name for one in following for name in _winners(one, resource))
    if not names:
        return answer
    says = f"{answer.says.rstrip('.')}; {' and '.join(names)} won it next."
    return replace(answer, successors=names, says=says)


def _winners(event: Event, resource: str) -> list[str]:
    """Return who has won a lease on a resource by an event."""
    body: Any = event.body
    if body["resource"] != resource:
        return []
    if event.kind == HANDED:
        return [body["agent"]]
    return [agent for agent, *_ in body.get("leases", ())]


def refusal_of(books: Books, resource: str, token: int) -> Answer:
    """Return why a token opens nothing.

    Args:
        books: what the desk knows.
        resource: what it was shown for.
        token: the token; that of no lease that runs on the resource.

    Example:
        >>> from comity.protocols.claims.rules import DeskRules
        >>> refusal_of(Books(DeskRules()), "gpu", 7).says
        'Token 7 was never given out for gpu; 0 was the last.'
    """
    last = books.leases.last_token
    given = ((*key, fate.number) for key, fate in books.fates.items() if fate.token == token)
    where, agent, number = next(given, (resource, "", 0))
    if where != resource:
        says = f"Token {token} was given out for {where}, not for {resource}."
        return _answer(books, resource, "", Fate(0, "ended"), says)
    if 0 < token <= last:
        says = f"The lease of token {token} on {resource} does not run any more; claim it again."
    else:
        says = f"Token {token} was never given out for {resource}; {last} was the last."
    return _answer(books, resource, agent, Fate(number, "ended"), says)


def _says(books: Books, resource: str, agent: str, fate: Fate) -> str:
    if fate.status == "granted":
        return f"{agent} holds {resource} under token {fate.token}."
    if fate.status == "waiting":
        held = ", ".join(sorted(one.holder for one in books.held(resource)))
        why = f"held by {held}" if held else "claims gather"
        lost = show_number(_counted(books, resource, agent))
        return f"{agent} waits for {resource}: {why}; {lost} counted for it so far."
    if fate.status == "refused":
        ring = " -> ".join((*fate.cycle, fate.cycle[0]))
        return (
            f"{agent} may not wait for {resource}: {ring} would wait in a circle; release first."
        )
    if fate.status == "ended":
        return f"The lease of {agent} on {resource} under token {fate.token} is over."
    return f"The claim of {agent} on {resource} is {fate.status}; claim again to wait on."


def _counted(books: Books, resource: str, agent: str) -> Exact:
    """Return what the rule has counted for an agent: losses, hours, its last win, ..."""
    rule = RULES[books.rules.policy.rule]
    return rule.waited(books.engine.scope(resource), agent, None)


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
        losses=_counted(books, resource, agent),
        picked_up=fate.status == "granted" and fate.token not in books.unseen,
        holders=tuple(sorted(one.holder for one in held)),
        rivals=tuple(sorted(one for one in waiting if one != agent)),
        cycle=fate.cycle,
        says=says,
    )
