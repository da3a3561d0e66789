"""Offer state: which offers were made and stand, who accepted them, and who is asked.

Here: the frozen state of live bargaining, its offers, its public transcript, its asks.
Not here: how it changes (turns.py, machine.py), what a seat is told (payload.py), the end.
Sources: SEMANTICS M2, B7, B9, G9; complaint 9 of the research (who holds which offer).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from comity.core.canonical import JsonObject, frozen
from comity.core.parties import PartyId
from comity.core.results import Outcome, Waiting
from comity.core.step import Ask
from comity.core.ties import Tie
from comity.mechanisms.bargaining.guards import PingPong
from comity.protocols.offers.rules import OffersRules

__all__ = ["Offer", "OffersState", "Phase", "new_state"]

Phase = Literal["turns", "offers", "answers", "person", "ended"]
Standing = Literal["hidden", "standing", "superseded", "withdrawn"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One offer.

    Attributes:
        id: ``"ann-3"`` for what ann offered in round 3.
        party: who made it.
        round: the round, from 0.
        deal: every issue with its option, in the order of the domain.
        status: ``hidden`` until all offers of a simultaneous round are in, ``standing``,
            ``superseded`` by a later one, or ``withdrawn``.
        accepted_by: who accepted it, in the order of accepting.

    Example:
        >>> Offer(id="ann-0", party="ann", round=0, deal=(("tls", "1.3"),)).status
        'standing'
    """

    id: str
    party: PartyId
    round: int
    deal: tuple[tuple[str, str], ...]
    status: Standing = "standing"
    accepted_by: tuple[PartyId, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OffersState:
    """Everything live bargaining remembers; the fold of its inputs.

    Attributes:
        rules: what it was opened with.
        phase: ``turns`` when one acts after the other; ``offers`` and ``answers`` when all act at
            once; ``person`` while one decides; ``ended``.
        round: the round, from 0.
        at: whose turn it is, as a place in the order.
        asked: asks made so far, for their ids.
        asks: the asks that stand.
        offers: every offer, in the order made.
        transcript: every public move, in order.
        idle: turns since anybody offered a deal that it had not offered before.
        moved_in: the round of that offer.
        loop: the joint states seen since, to tell going in circles from standing still.
        failed: seat -> why it did not act, in order.
        held_back: what was said to the others in a simultaneous round that is not revealed yet.
        closes_ms: when it ends, for all alike; counts from 0 before any time is known.
        seen_ms: the time of the last input that counted.
        held: what it came to, while a person decides what becomes of it.
        why: why a person was asked.
        person_until_ms: when the person's default applies.
        ties: every tie and how it was broken.
        left_by: who left, or "".
        notes: what deserves to be known, in order.
    """

    rules: OffersRules
    phase: Phase = "turns"
    round: int = 0
    at: int = 0
    asked: int = 0
    asks: tuple[Ask, ...] = ()
    offers: tuple[Offer, ...] = ()
    transcript: tuple[JsonObject, ...] = ()
    idle: int = 0
    moved_in: int = 0
    loop: PingPong = field(default_factory=PingPong)
    failed: tuple[tuple[PartyId, str], ...] = ()
    held_back: tuple[JsonObject, ...] = ()
    closes_ms: int = 0
    seen_ms: int = 0
    held: Outcome | None = None
    why: tuple[str, ...] = ()
    person_until_ms: int = 0
    ties: tuple[Tie, ...] = ()
    left_by: PartyId = ""
    notes: tuple[str, ...] = ()

    @property
    def standing(self) -> tuple[Offer, ...]:
        """The offers that can be accepted now, in the order made."""
        return tuple(one for one in self.offers if one.status == "standing")

    @property
    def revealed(self) -> tuple[Offer, ...]:
        """The offers that everybody may know, in the order made."""
        return tuple(one for one in self.offers if one.status != "hidden")

    def offer(self, name: str) -> Offer | None:
        """Return the revealed offer of this id, or None."""
        return next((one for one in self.revealed if one.id == name), None)

    def last_of(self, party: PartyId) -> Offer | None:
        """Return the last revealed offer of a seat, whatever became of it, or None."""
        return next((one for one in reversed(self.revealed) if one.party == party), None)

    @property
    def turn_of(self) -> tuple[PartyId, ...]:
        """Who is asked for a move now."""
        return tuple(one.party for one in self.asks)

    @property
    def wake_at_ms(self) -> int | None:
        """When the machine wants to hear that time has passed."""
        if self.phase == "ended":
            return None
        if self.phase == "person":
            return self.person_until_ms
        times = (one.deadline_ms for one in self.asks if one.deadline_ms is not None)
        return min([self.closes_ms, *times])

    @property
    def waiting(self) -> Waiting | None:
        """What a person is waited for, while one is; None otherwise."""
        if self.phase != "person" or self.held is None:
            return None
        gate = self.rules.gate
        return Waiting(
            reason="human",
            whom=(gate.seat,),
            until_ms=self.person_until_ms,
            unblock=(
                f"{gate.seat} answers DECIDE: accept or DECIDE: no deal",
                f"or nobody does, and {gate.default!r} applies",
            ),
            grounds=replace(self.held.grounds, thin=self.why),
        )

    def noted(self, *notes: str) -> OffersState:
        """Return the state with notes, each once."""
        new = tuple(note for note in notes if note not in self.notes)
        return replace(self, notes=(*self.notes, *new))

    def with_ask(self, new: Ask) -> OffersState:
        """Return the state with one more ask standing."""
        return replace(self, asked=self.asked + 1, asks=(*self.asks, new))

    def with_entry(self, entry: JsonObject) -> OffersState:
        """Return the state with one more public move."""
        full = frozen({"turn": len(self.transcript) + 1, **entry})
        return replace(self, transcript=(*self.transcript, full))  # type: ignore[arg-type]  # an object stays one


def new_state(rules: OffersRules) -> OffersState:
    """Return the state before anybody was asked.

    Args:
        rules: the rules.

    Example:
        >>> from comity.testing.bargains import sample_offers
        >>> new_state(sample_offers(protocol="simultaneous")).phase
        'offers'
    """
    phase: Phase = "offers" if rules.protocol == "simultaneous" else "turns"
    return OffersState(rules=rules, phase=phase, closes_ms=rules.limits.deadline_ms)
