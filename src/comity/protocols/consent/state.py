"""Consent state: what has been said so far, and what a seat is told when it is asked.

Here: the frozen state of a consent negotiation and the payload of its asks.
Not here: how it changes (machine.py, turns.py, checks.py).
Sources: SEMANTICS C1-C9.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from comity.core.canonical import Json, JsonObject
from comity.core.parties import PartyId
from comity.core.step import Ask
from comity.protocols.consent.draft import Draft
from comity.protocols.consent.feasibility import NOT_CHECKED, Feasibility
from comity.protocols.consent.red_lines import crossed
from comity.protocols.consent.results import Objection
from comity.protocols.consent.rules import ConsentRules, Seat

__all__ = [
    "Answer",
    "Check",
    "ConsentState",
    "Proposal",
    "ask",
    "crossings",
    "new_state",
    "payload",
]

Phase = Literal["positions", "negotiation", "check", "ended"]


@dataclass(frozen=True, slots=True)
class Answer:
    """One seat's answer to a consent check.

    Attributes:
        party: the seat.
        answer: consent, objection, or absent (silent or unreadable).
        reason: the reason of an objection or absence.

    Example:
        >>> Answer("CX", "CONSENT").reason
        ''
    """

    party: PartyId
    answer: Literal["CONSENT", "OBJECT", "ABSENT"]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """An open consent check on a frozen version.

    Attributes:
        version: the version that consents bind to.
        caller: who called it, or None when the engine did because all were done.
        answers: the answers so far.
        changes: what the call's own term list changed, one line each; empty without a list.

    Example:
        >>> Check(3, "GM").answers
        ()
    """

    version: int
    caller: PartyId | None
    answers: tuple[Answer, ...] = ()
    changes: tuple[str, ...] = ()

    def answer_of(self, party: PartyId) -> Answer | None:
        """Return a seat's answer so far, or None."""
        return next((one for one in self.answers if one.party == party), None)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposal as it was accepted.

    Attributes:
        id: ``"P1"``, ``"P2"``, ... in order.
        party: who proposed.
        offer: what it gives up, one item a line.
        want: what it needs, one item a line.
        version: the draft it led to.
        counters: the id of the proposal it answers, or "".

    Example:
        >>> Proposal("P1", "CC", ("150 ms",), ("delivery",), 1).counters
        ''
    """

    id: str
    party: PartyId
    offer: tuple[str, ...]
    want: tuple[str, ...]
    version: int
    counters: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentState:
    """Everything a consent negotiation remembers; the fold of its inputs.

    Attributes:
        rules: what it was opened with.
        seats: the seats with their red lines as they stand now.
        phase: where it is.
        turn: accepted messages so far.
        asked: asks made so far, for their ids.
        asks: the asks that stand.
        speaker: index of the seat whose turn is next.
        transcript: every accepted message as JSON, in order.
        versions: every version of the draft, the last one standing.
        check: the open check, or None.
        objected: digests of versions somebody objected to.
        objections: every objection, in order.
        proposals: every proposal, in order.
        said: (party, text digest) of every proposal and discussion.
        done: seats that have nothing further to propose.
        idle: messages in a row that left the draft as it is.
        missed: (seat, version) of every check a seat gave no answer to, as last checked.
        loosened: (seat, red line before, red line now), in order.
        flags: what deserves a second look.
        tokens: tokens reported so far.
        money: money reported so far.
        feasibility: whether the red lines can be kept together, as last checked.
    """

    rules: ConsentRules
    seats: tuple[Seat, ...]
    phase: Phase = "positions"
    turn: int = 0
    asked: int = 0
    asks: tuple[Ask, ...] = ()
    speaker: int = 0
    transcript: tuple[JsonObject, ...] = ()
    versions: tuple[Draft, ...] = (Draft(),)
    check: Check | None = None
    objected: frozenset[str] = frozenset()
    objections: tuple[Objection, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    said: frozenset[tuple[PartyId, str]] = frozenset()
    done: frozenset[PartyId] = frozenset()
    idle: int = 0
    missed: tuple[tuple[PartyId, int], ...] = ()
    loosened: tuple[tuple[PartyId, str, str], ...] = ()
    flags: tuple[str, ...] = ()
    tokens: int = 0
    money: Fraction = Fraction(0)
    feasibility: Feasibility = NOT_CHECKED

    @property
    def draft(self) -> Draft:
        """The version on the table."""
        return self.versions[-1]

    @property
    def ids(self) -> tuple[PartyId, ...]:
        """The seats' names in speaking order."""
        return self.rules.ids

    def seat(self, party: PartyId) -> Seat:
        """Return the seat as it stands now."""
        return self.seats[self.ids.index(party)]

    def with_seat(self, seat: Seat) -> ConsentState:
        """Return the state with one seat replaced."""
        seats = tuple(seat if one.id == seat.id else one for one in self.seats)
        return replace(self, seats=seats)

    def flagged(self, *flags: str) -> ConsentState:
        """Return the state with flags added, each once."""
        new = tuple(flag for flag in dict.fromkeys(flags) if flag not in self.flags)
        return replace(self, flags=self.flags + new) if new else self


def new_state(rules: ConsentRules) -> ConsentState:
    """Return the state before anybody was asked; two seats alone are noted (C1).

    Example:
        >>> from comity.protocols.consent.rules import consent_rules
        >>> new_state(consent_rules("q", {"CC": "a", "CX": "b"}, seed="1")).flags
        ('two seats only: either one alone can keep everything as it is',)
    """
    state = ConsentState(rules=rules, seats=rules.seats)
    if len(rules.seats) > 2:
        return state
    return state.flagged("two seats only: either one alone can keep everything as it is")


def crossings(state: ConsentState, draft: Draft) -> tuple[str, ...]:
    """Return the red lines that a draft crosses whatever its open terms become (C4).

    Args:
        state: the state, for the seats as they stand now.
        draft: a version, or what may become one.

    Returns:
        One ``"CX's red line p99_latency_ms < 200"`` per crossed line, in the order of the seats.

    Example:
        >>> from comity.protocols.consent.rules import consent_rules
        >>> state = new_state(consent_rules("q", {"CC": "a", "CX": "b"}, seed="1"))
        >>> crossings(state, state.draft)
        ()
    """
    domain = state.rules.domain
    if domain is None:
        return ()
    return tuple(
        f"{seat.id}'s red line {predicate}"
        for seat in state.seats
        for predicate in seat.predicates
        if crossed(predicate, domain, draft.deal)
    )


def ask(
    state: ConsentState,
    party: PartyId,
    kind: str,
    now_ms: int,
    *,
    again: str = "",
    attempt: int = 1,
) -> ConsentState:
    """Return the state with one more ask standing.

    Args:
        state: the state so far.
        party: who is asked.
        kind: ``"position"``, ``"turn"`` or ``"answer"``.
        now_ms: the time of the input that led here.
        again: why it is asked again, or "".
        attempt: 1, or more when asked again.

    Returns:
        The state; its last ask is the new one.

    Example:
        >>> from comity.protocols.consent.rules import consent_rules
        >>> state = new_state(consent_rules("q", {"CC": "a", "CX": "b"}, seed="1"))
        >>> ask(state, "CC", "turn", 0).asks[0].id
        'a1'
    """
    timeout = state.rules.limits.turn_timeout_ms
    new = Ask(
        id=f"a{state.asked + 1}",
        party=party,
        kind=kind,
        payload=payload(state, party, kind, again),
        deadline_ms=None if timeout is None else now_ms + timeout,
        attempt=attempt,
    )
    return replace(state, asked=state.asked + 1, asks=(*state.asks, new))


def payload(state: ConsentState, party: PartyId, kind: str, again: str = "") -> JsonObject:
    """Return everything a seat needs to answer: whose turn, what stands, what is left.

    Args:
        state: the state.
        party: who is asked.
        kind: what for.
        again: why it is asked again, or "".

    Returns:
        A JSON object; the transcript is public and holds nobody's private values. Positions are
        blind: who is asked for one, again or not, sees what the rules say and nobody's words.

    Example:
        >>> from comity.protocols.consent.rules import consent_rules
        >>> state = new_state(consent_rules("q", {"CC": "a", "CX": "b"}, seed="1"))
        >>> payload(state, "CC", "position")["turns_left"]
        30
    """
    rules = state.rules
    check = state.check
    is_blind = kind == "position"
    return {
        "protocol": "consent",
        "kind": kind,
        "seat": party,
        "question": rules.question,
        "work": rules.work,
        "again": again,
        "turn": state.turn,
        "turns_left": rules.limits.max_turns - state.turn,
        "messages_left_without_change": max(rules.stall - state.idle, 0),
        "seats": [_seat_json(seat) for seat in (rules.seats if is_blind else state.seats)],
        "domain": rules.domain.to_json() if rules.domain else None,
        "draft": state.draft.to_json(),
        "draft_objected": state.draft.digest in state.objected,
        "draft_crosses": list(crossings(state, state.draft)),
        "check": None if check is None else _check_json(check),
        "judge": list(state.seat(party).judged) if kind == "answer" else [],
        "proposals": [
            {
                "id": one.id,
                "by": one.party,
                "offer": one.offer,
                "want": one.want,
                "version": one.version,
                "counters": one.counters,
            }
            for one in state.proposals[-len(state.seats) :]
        ],
        "conflict": [str(one) for one in state.feasibility.conflicts],
        "done": sorted(state.done),
        "seed": rules.seed,
        "transcript": () if is_blind else state.transcript,
    }


def _check_json(check: Check) -> Json:
    return {"version": check.version, "caller": check.caller, "changes": list(check.changes)}


def _seat_json(seat: Seat) -> Json:
    return {
        "id": seat.id,
        "priority": seat.priority,
        "rationale": seat.rationale,
        "red_lines": list(seat.red_lines),
        "willing_to_trade": seat.willing_to_trade,
    }
