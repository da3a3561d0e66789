"""Offer rules: everything that live bargaining is fixed by before anybody is asked.

Here: the problem, the protocol, who acts when, every limit, what ends it, what is shown at last.
Not here: building and checking them (opening.py), what happens (machine.py).
Sources: SEMANTICS M2, M5, B5, B7, G7, G8, G9.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from comity.core.canonical import Json, JsonObject, digest, frozen, plain
from comity.core.exact import Exact
from comity.core.parties import PartyId
from comity.mechanisms.bargaining.outcomes import OwnView, own_view
from comity.mechanisms.bargaining.problem import Problem
from comity.mechanisms.bargaining.problem_json import problem_to_json
from comity.mechanisms.bargaining.turns import speaking_order
from comity.protocols.collect.rules import Gate

__all__ = ["LARGEST_LISTED", "Crossing", "Fallback", "OfferLimits", "OffersRules", "Protocol"]

LARGEST_LISTED = 4_096
"""Up to so many deals a seat's own are looked at one by one."""

Protocol = Literal["alternating", "simultaneous", "mediated"]
Fallback = Literal["none", "best_of_seen"]
Crossing = Literal["lot", "nash"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferLimits:
    """Every limit of live bargaining.

    Attributes:
        rounds: how many rounds there are; in each every seat acts once.
        deadline_ms: how long it goes on, for all alike; time in which no process ran is not
            counted.
        turn_timeout_ms: how long one answer may take; None for no limit but the deadline.
        reasks: how often a move that does not count is asked for again.
        stall: after how many turns without a new offer it ends; None for twice the seats.

    Example:
        >>> OfferLimits().rounds
        20
    """

    rounds: int = 20
    deadline_ms: int = 86_400_000
    turn_timeout_ms: int | None = 600_000
    reasks: int = 2
    stall: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OffersRules:
    """What live bargaining is fixed by.

    Attributes:
        question: what the deal is about.
        problem: the issues and what each deal is worth to each seat.
        seed: the seed of every lot.
        protocol: one after the other (``alternating``), all at once (``simultaneous``), or one
            text by a mediator who sees all preferences (``mediated``).
        first: who acts first; "" when a lot draws it.
        limits: every limit.
        monotonic: whether an offer better for its own seat than its last one is refused.
        unbound: the seats that may go below their own reservation; recorded and thin.
        fallback: what the end without an acceptance comes to: nothing, or the best offer seen
            that all would accept.
        crossing: which of several offers that all accepted at once stands: the one with the
            largest product of gains (``nash``, a lot among equals), or one by lot.
        point: what the mediator names.
        disclose: whether the result shows what deals are worth to whom.
        thin_gap: a no-deal is thin when it is missed by at most this share of the opening
            distance.
        gate: the person behind it.
        work: what all are to read, or "".
        strategies: seat -> the strategy that it plays by, for those that do; the machine only
            looks whether there are any.
        recorded: the problem as JSON.
        views: what was computed of it before, kept only to save time.

    Example:
        >>> from comity.testing.bargains import sample_problem
        >>> p = sample_problem()
        >>> OffersRules(question="q", problem=p, seed="1", first="bob").order
        ('bob', 'ann')
    """

    question: str
    problem: Problem
    seed: str
    protocol: Protocol = "alternating"
    first: PartyId = ""
    limits: OfferLimits = OfferLimits()
    monotonic: bool = False
    unbound: tuple[PartyId, ...] = ()
    fallback: Fallback = "none"
    crossing: Crossing = "nash"
    point: str = "nash"
    disclose: bool = False
    thin_gap: Exact = Fraction(1, 10)
    gate: Gate = field(default_factory=lambda: Gate(on="none"))
    work: str = ""
    strategies: JsonObject = field(default_factory=dict)
    recorded: JsonObject = field(init=False, compare=False, repr=False)
    views: dict[PartyId, OwnView] = field(
        init=False, compare=False, repr=False, default_factory=dict
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "strategies", frozen(self.strategies))
        object.__setattr__(self, "recorded", frozen(problem_to_json(self.problem)))

    @property
    def ids(self) -> tuple[PartyId, ...]:
        """The seats' names, sorted."""
        return self.problem.names

    @property
    def order(self) -> tuple[PartyId, ...]:
        """The seats in the order in which they act, the same in every round."""
        return speaking_order(self.ids, self.first or None, self.seed)[0]

    @property
    def stall(self) -> int:
        """After how many turns without a new offer it ends.

        Who concedes by the clock repeats itself before it moves: with such a seat only what the
        rules set counts.
        """
        seats = len(self.ids)
        return self.limits.stall or seats * (self.limits.rounds if self.strategies else 2)

    def own(self, seat: PartyId) -> JsonObject:
        """Return what one seat thinks of the deals, as recorded; for nobody else's eyes."""
        parties: Any = self.recorded["parties"]
        found: JsonObject = parties[seat]
        return found

    def view(self, seat: PartyId) -> OwnView | None:
        """Return a seat's own table of all deals, where there are few enough."""
        if self.problem.domain.size > LARGEST_LISTED:
            return None
        if seat not in self.views:
            problem = self.problem
            party = problem.party(seat)
            self.views[seat] = own_view(problem.domain, party, problem.constraints)
        return self.views[seat]

    def settings(self) -> dict[str, Json]:
        """Return everything but the problem and what is only passed on."""
        limits, gate = self.limits, self.gate
        return {
            "protocol": self.protocol,
            "rounds": limits.rounds,
            "deadline_ms": limits.deadline_ms,
            "turn_timeout_ms": limits.turn_timeout_ms,
            "reasks": limits.reasks,
            "stall": limits.stall,
            "first": self.first or None,
            "monotonic": self.monotonic,
            "reservation_binds": {name: name not in self.unbound for name in self.ids},
            "fallback": self.fallback,
            "crossing": self.crossing,
            "point": self.point,
            "disclose_at_end": self.disclose,
            "thin_gap": plain(self.thin_gap),
            "gate": {
                "on": gate.on,
                "seat": gate.seat,
                "deadline_ms": gate.deadline_ms,
                "default": gate.default,
            },
        }

    def to_json(self) -> JsonObject:
        """Return the rules as `rules_from_json` (opening.py) takes them."""
        return {
            "question": self.question,
            "problem": self.recorded,
            "seed": self.seed,
            **self.settings(),
            "work": self.work,
            "strategies": self.strategies,
            "order": list(self.ids),
        }

    @property
    def digest(self) -> str:
        """The digest of the rules as recorded."""
        return digest(self.to_json())
