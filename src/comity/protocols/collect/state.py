"""Vote state: what has been cast so far, and what a voter is told when it is asked.

Here: the frozen state of a live vote, its ballots and their history, its asks.
Not here: how it changes (machine.py), how it ends (closing.py).
Sources: SEMANTICS V8 (history is kept, order is the ledger's), G9; voting is blind: no payload
holds anybody's ballot.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from comity.core.canonical import Json, JsonObject, frozen
from comity.core.parties import PartyId
from comity.core.results import Outcome, Waiting
from comity.core.step import Ask
from comity.protocols.collect.brief import ballot_brief
from comity.protocols.collect.grammar import FORMS
from comity.protocols.collect.rules import VoteRules

__all__ = ["Cast", "Status", "VoteState", "ask", "new_state"]

Phase = Literal["voting", "person", "ended"]
Status = Literal["counted", "invalid", "replaced", "ignored"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """One ballot as it was handed in.

    Attributes:
        voter: who cast it.
        ballot: what it says, in its normal form; None for an abstention or when it is invalid.
        status: ``counted``; ``invalid``, kept in the denominator; ``replaced`` by a later one;
            ``ignored``, as the first one stands.
        reason: why it is invalid, or "".
        at_ms: when it was recorded.

    Example:
        >>> Cast(voter="ann", ballot="A", at_ms=0).status
        'counted'
    """

    voter: PartyId
    ballot: Json
    at_ms: int
    status: Status = "counted"
    reason: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "ballot", frozen(self.ballot))


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteState:
    """Everything a live vote remembers; the fold of its inputs.

    Attributes:
        rules: what it was opened with.
        phase: where it is.
        asked: asks made so far, for their ids.
        asks: the asks that stand.
        closes_ms: when it closes, for all alike; before any time is known it counts from 0.
        is_extended: whether the missing were given their second time.
        cast: every ballot, in order.
        failed: voter -> why it could not answer, in order.
        held: what the vote came to, while a person decides what becomes of it.
        person_until_ms: when the person's default applies.
        why_person: why a person was asked.
        notes: what deserves to be known, in order.

    Example:
        >>> from comity.protocols.collect.opening import vote_rules
        >>> new_state(vote_rules("Ship it?", ["ann", "bob", "cyd"], seed="1")).phase
        'voting'
    """

    rules: VoteRules
    phase: Phase = "voting"
    asked: int = 0
    asks: tuple[Ask, ...] = ()
    closes_ms: int = 0
    is_extended: bool = False
    cast: tuple[Cast, ...] = ()
    failed: tuple[tuple[PartyId, str], ...] = ()
    held: Outcome | None = None
    person_until_ms: int = 0
    why_person: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())

    def standing(self, voter: PartyId) -> Cast | None:
        """Return the ballot of a voter that stands, counted or invalid, or None."""
        own = (one for one in self.cast if one.voter == voter)
        return next((one for one in own if one.status in {"counted", "invalid"}), None)

    @property
    def counted(self) -> tuple[Cast, ...]:
        """The ballots that count, in order."""
        return tuple(one for one in self.cast if one.status == "counted")

    @property
    def missing(self) -> tuple[PartyId, ...]:
        """The voters without any ballot, sorted."""
        heard = {one.voter for one in self.cast if one.status in {"counted", "invalid"}}
        return tuple(name for name in self.rules.ids if name not in heard)

    @property
    def wake_at_ms(self) -> int | None:
        """When the machine wants to hear that time has passed."""
        if self.phase == "ended":
            return None
        return self.closes_ms if self.phase == "voting" else self.person_until_ms

    @property
    def waiting(self) -> Waiting | None:
        """What a person is waited for, while one is; None otherwise."""
        if self.phase != "person" or self.held is None:
            return None
        gate = self.rules.gate
        said = ", ".join(self.rules.choices)
        return Waiting(
            reason="absent" if "absent" in self.why_person else "human",
            whom=(gate.seat,),
            until_ms=self.person_until_ms,
            unblock=(
                f"{gate.seat} answers DECIDE: one of {said}",
                f"or nobody does, and {gate.default!r} applies",
            ),
            grounds=replace(self.held.grounds, thin=self.why_person),
        )


def new_state(rules: VoteRules) -> VoteState:
    """Return the state before anybody was asked.

    Args:
        rules: the rules.

    Example:
        >>> from comity.protocols.collect.opening import vote_rules
        >>> new_state(vote_rules("Ship it?", ["ann", "bob"], seed="1")).notes
        ('2 members tolerate 0 failures, as 1 does: the extra member bought nothing',)
    """
    return VoteState(rules=rules, closes_ms=rules.limits.deadline_ms, notes=rules.warnings)


def ask(state: VoteState, voter: PartyId, *, again: str = "", attempt: int = 1) -> VoteState:
    """Return the state with one more ask standing.

    Args:
        state: the state so far.
        voter: who is asked.
        again: why it is asked again, or "".
        attempt: 1, or more when asked again.

    Returns:
        The state; its last ask is the new one.

    Example:
        >>> from comity.protocols.collect.opening import vote_rules
        >>> state = new_state(vote_rules("Ship it?", ["ann", "bob", "cyd"], seed="1"))
        >>> ask(state, "ann").asks[0].payload["form"]
        'VOTE: yes or VOTE: no'
    """
    new = Ask(
        id=f"a{state.asked + 1}",
        party=voter,
        kind="ballot",
        payload=_payload(state.rules, voter, again),
        deadline_ms=state.closes_ms,
        attempt=attempt,
    )
    return replace(state, asked=state.asked + 1, asks=(*state.asks, new))


def _payload(rules: VoteRules, voter: PartyId, again: str) -> JsonObject:
    form, as_json = FORMS[rules.kind]
    payload: dict[str, Json] = {
        "protocol": "vote",
        "kind": "ballot",
        "seat": voter,
        "question": rules.question,
        "options": list(rules.options),
        "about": rules.about,
        "ballot": rules.kind,
        "form": form,
        "json_form": as_json,
        "rule": rules.rule,
        "parameters": rules.parameters,
        "voters": len(rules.voters),
        "may_veto": voter in rules.veto_holders,
        "deadline_ms": rules.limits.deadline_ms,
        "changes": rules.changes,
        "work": rules.work,
        "again": again,
    }
    return {**payload, "brief": ballot_brief(payload)}
