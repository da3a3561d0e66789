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

from comity.core.canonical import JsonObject, plain
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
        InvalidInput: for a damaged state, and for replies of somebody who has no seat.

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
    rules = _rules_of_call(state, artefact)
    seats = (*rules.seats, rules.gate.seat)
    raise_if(
        Fault(f"reply of {shown(name)}", "is of nobody in this phase", ", ".join(seats),
              did_you_mean(str(name), seats))
        for name in replies
        if name not in seats
    )  # fmt: skip
    last = _judged(start(rules), replies)
    outcome = last.outcome
    result = outcome or last.state.waiting
    assert isinstance(result, ReviewOutcome)  # it ended, or a person is asked
    now = result.review.rounds[-1]
    carried = carried_of(result)
    is_over = outcome is not None and result.review.counted
    after = replace(rules, carried=carried) if is_over and carried else rules
    body = plain(after.to_json())
    assert isinstance(body, Mapping)
    return Tallied(
        result=result,
        state=body,
        announcements=result.review.announcements,
        unread=now.unread,
    )


def _rules_of_call(state: JsonObject, artefact: str | None) -> ReviewRules:
    rules = rules_from_json({**state, "by_call": True})
    if artefact is None:
        return rules
    phases = [replace(rules.phases[0], artefact=artefact)]
    settings = {
        name: getattr(rules, name)
        for name in ("preset", "limits", "never_waived", "mitigation", "gate", "by_call",
                     "carried", "request_id")
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
        none = replace(said, kind="failure", body={"reason": "no reply"})
        after = step(last.state, said if given is not None else none)
        if after.asks == last.asks:
            stale = {"reason": ", ".join(one.reason for one in after.rejected)}
            after = step(last.state, replace(none, body=stale))
        last = after
    return last
