"""Review replies: what do the replies come to that somebody else has collected?

Here: one call over one phase: replies in, a result and the state for the next call out.
Not here: the machine that judges them (machine.py).
Sources: SEMANTICS W1-W4. The state is JSON, so that an orchestrator can keep it anywhere.

A call counts once all replies are there. One that is missing or cannot be read leaves the state as
it was, and says whom to ask again with what was wrong: the next call gives all replies again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from comity.core.canonical import JsonObject, digest, plain
from comity.core.errors import Fault, did_you_mean, raise_if, shown
from comity.core.parties import PartyId
from comity.core.step import Input, Step
from comity.protocols.review.machine import start, step
from comity.protocols.review.opening import review_rules, rules_from_json
from comity.protocols.review.results import ReviewOutcome, Unread, carried_of
from comity.protocols.review.rules import ReviewRules
from comity.protocols.review.state import ReviewState

__all__ = ["Tallied", "tally_replies"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tallied:
    """What one call came to.

    Attributes:
        result: how the phase stands: a verdict, blocked, or waiting.
        state: what the next call takes.
        announcements: what is to be announced, line by line.
        unread: whom to ask again, and why.
    """

    result: ReviewOutcome
    state: JsonObject
    announcements: tuple[str, ...]
    unread: tuple[Unread, ...]


def tally_replies(
    state: JsonObject, replies: Mapping[PartyId, str | JsonObject], *, artefact: str | None = None
) -> Tallied:
    r"""Judge the replies of one round.

    Args:
        state: the rules of one phase as `ReviewRules.to_json` writes them, or the state that the
            last call returned.
        replies: role -> its reply: words, or ``text`` and ``vote`` of a call. When the call before
            waits for the person, the same replies with the person's ``DECIDE: ...``.
        artefact: the version that they are about, when it is a new one.

    Returns:
        The result and the next state.

    Raises:
        InvalidInput: for a damaged state, for replies of somebody who has no seat or that are
            neither words nor an object, and for a decision about other replies than those that
            the person was asked about.

    Example:
        >>> from comity.protocols.review.presets import preset_rules
        >>> rules = preset_rules("power-trio", "PLAN.md", artefact="Build it.", phases=["plan"])
        >>> no = "VOTE: BLOCK\nREASON: no limit\nTO APPROVE: add one"
        >>> said = {"Planner": "VOTE: APPROVE", "Architect": no, "Critic": "VOTE: APPROVE"}
        >>> state = rules.to_json()
        >>> for _ in range(3):
        ...     tallied = tally_replies(state, said)
        ...     state = tallied.state
        >>> tallied.result.review.rounds[0].with_risk
        ('Architect',)
    """
    raise_if(_faults_of_kinds(state, replies, artefact))
    rules = _rules_of_call(state, artefact)
    raise_if([*_faults_of_seats(rules, replies), *_faults_of_carried(rules)])
    last = _judged(start(rules), replies)
    outcome = last.outcome
    result = outcome or last.state.waiting
    assert isinstance(result, ReviewOutcome)  # it ended, or a person is asked
    now = result.review.rounds[-1]
    carried = carried_of(result)
    after = rules
    if outcome is None:
        after = replace(rules, asked=_question(rules, replies))
    elif result.review.counted and carried is not None:
        after = replace(rules, carried=carried, asked="")
    body = plain(after.to_json())
    assert isinstance(body, Mapping)
    return Tallied(
        result=result,
        state=body,
        announcements=result.review.announcements,
        unread=now.unread,
    )


def _question(rules: ReviewRules, replies: Mapping[PartyId, str | JsonObject]) -> str:
    """Return the digest of what a person is asked about."""
    own = {name: said for name, said in replies.items() if name != rules.gate.seat}
    return digest({"artefact": rules.phases[0].artefact, "replies": own})


def _faults_of_kinds(state: object, replies: object, artefact: object) -> list[Fault]:
    """Return what is no JSON object, no mapping of replies, no text."""
    found = []
    if not isinstance(state, Mapping):
        allowed = "the rules, or the state of the last call"
        found.append(Fault("state", f"is {shown(state)}", allowed, "give the object, not text"))
    if artefact is not None and not isinstance(artefact, str):
        found.append(
            Fault("artefact", f"is {shown(artefact)}", "a text, or None", "read the file first")
        )
    if not isinstance(replies, Mapping):
        allowed, following = "role -> its reply", "name the role of each reply"
        return [*found, Fault("replies", f"are {shown(replies)}", allowed, following)]
    allowed = "words, or an object with text and vote"
    found += [
        Fault(f"reply of {shown(name)}", f"is {shown(said)}", allowed, "leave out who is silent")
        for name, said in replies.items()
        if not isinstance(said, (str, Mapping))
    ]
    return found


def _faults_of_seats(
    rules: ReviewRules, replies: Mapping[PartyId, str | JsonObject]
) -> list[Fault]:
    seats = (*rules.seats, rules.gate.seat)
    found = [
        Fault(f"reply of {shown(name)}", "is of nobody in this phase", ", ".join(seats),
              did_you_mean(str(name), seats))
        for name in replies
        if name not in seats
    ]  # fmt: skip
    if not found and rules.gate.seat in replies and rules.asked != _question(rules, replies):
        what = "decides on other replies than those that it was asked about"
        following = "leave its word out, and give it once it is asked about these"
        found.append(Fault(f"reply of {shown(rules.gate.seat)}", what, _SAME, following))
    return found


_SAME = "the replies and the text of the call before, which waits for a person"


def _faults_of_carried(rules: ReviewRules) -> list[Fault]:
    """Return what one phase, call by call, cannot have come to."""
    carried, phase = rules.carried, rules.phases[0].name
    last = carried.round if carried.phase == phase else 0
    standing = carried.book.open_in(phase)
    known = [(one.agent, one.category, one.round) for one in standing]
    found = [
        Fault(f"block {one.id}", f"stands in round {one.round}", f"{last} at most", _UNCHANGED)
        for one in standing
        if one.round > last
    ]
    if len(set(known)) < len(known):
        what, allowed = "count a concern twice in one round", "each once"
        found.append(Fault("blocks", what, allowed, _UNCHANGED))
    return found


_UNCHANGED = "give back the state that the last call returned"


def _rules_of_call(state: JsonObject, artefact: str | None) -> ReviewRules:
    rules = rules_from_json({**state, "by_call": True})
    if artefact is None:
        return rules
    phases = [replace(rules.phases[0], artefact=artefact)]
    settings = {
        name: getattr(rules, name)
        for name in ("preset", "limits", "never_waived", "mitigation", "gate", "by_call",
                     "carried", "request_id", "request_digest", "needs", "asked")
    }  # fmt: skip
    return review_rules(rules.name, phases, rules.reviewers, **settings)


def _judged(
    last: Step[ReviewState], replies: Mapping[PartyId, str | JsonObject]
) -> Step[ReviewState]:
    """Feed every ask its reply once; who has none, or one about another version, fails."""
    while last.outcome is None and last.asks:
        asked = last.asks[0]
        given = replies.get(asked.party)
        if given is None and asked.kind == "decide":
            break
        body: JsonObject = {"text": given} if isinstance(given, str) else (given or {})
        said = Input(kind="reply", now_ms=0, party=asked.party, ask_id=asked.id, body=body)
        none = replace(said, kind="failure", body={"reason": "left"})
        after = step(last.state, said if given is not None else none)
        if after.asks == last.asks:
            stale = {"reason": ", ".join(one.reason for one in after.rejected)}
            after = step(last.state, replace(none, body=stale))
        last = after
    return last
