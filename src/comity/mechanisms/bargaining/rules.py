"""Price rules: who bargains over the price, and under which rules?

Here: the frozen rules of a price negotiation as a caller states them, and as they are read.
Not here: the reading and the JSON (reading.py), the run (price.py), schedules (schedules.py).
Sources: SEMANTICS B1, B4, B7, B10.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple

from comity.core.canonical import Json, plain
from comity.core.exact import Exact
from comity.core.parties import PartyId
from comity.mechanisms.bargaining.conventions import Convention
from comity.mechanisms.bargaining.guards import Role
from comity.mechanisms.bargaining.schedules import Number, Schedule, ScheduleLike

__all__ = [
    "MOST_ROUNDS",
    "ROUND_LIMIT",
    "AfterDeadline",
    "PriceParty",
    "PriceRules",
    "Seat",
    "Terms",
]

AfterDeadline = Literal["hold", "leave"]

MOST_ROUNDS = 1_000_000
ROUND_LIMIT = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceParty:
    """One party to a price negotiation, as its owner states it.

    Attributes:
        role: ``"buyer"`` wants a low price, ``"seller"`` a high one.
        opening: its first offer.
        reservation: the worst price it still accepts.
        deadline: the round by which it has conceded everything; None for no deadline.
        name: its name; the role when left out.
        schedule: how it concedes, see :mod:`comity.mechanisms.bargaining.schedules`.
        after_deadline: ``"hold"`` keeps offering the reservation, ``"leave"`` ends the session.
        discount: what a surplus is worth one round later, above 0 and at most 1.

    Example:
        >>> PriceParty(role="seller", opening=120, reservation=70, deadline=5).after_deadline
        'hold'
    """

    role: Role
    opening: Number
    reservation: Number
    deadline: int | None
    name: PartyId | None = None
    schedule: ScheduleLike = "linear"
    after_deadline: AfterDeadline = "hold"
    discount: Number = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceRules:
    """Everything that decides a price negotiation.

    Attributes:
        parties: a buyer and a seller; their order carries no meaning.
        convention: ``same_round``, ``next_round``, ``alternating`` or ``midpoint``.
        first: who looks first, or opens when they alternate; the buyer when left out; must be
            left out for the midpoint, which treats both alike.
        blind: True when nobody sees both reservations, so that an empty zone is not noticed.
        stall: rounds without movement after which a session in which nobody will move again
            ends. With 1 it ends at the last deadline at the latest; with more, parties that
            hold go on offering their reservations until the guard trips.
        monotonic: whether an offer that is better for its own maker than its last is refused.
        tick: the step of prices; offers are rounded against their own maker, never past its
            reservation. The midpoint of two offers is not rounded.
        round_limit: the last round that may be played; 10,000 when left out and a party has no
            deadline.
        time_limit_ms: the session ends after the first round whose reading has reached it.
        readings_ms: the clock at each round from round 0, in milliseconds since the start;
            rounds beyond the last reading are not timed.
        thin_gap: a no-deal is thin when its gap is at most this share of the opening distance.

    Example:
        >>> buyer = PriceParty(role="buyer", opening=60, reservation=100, deadline=5)
        >>> seller = PriceParty(role="seller", opening=120, reservation=70, deadline=5)
        >>> PriceRules(parties=(buyer, seller)).convention
        'same_round'
    """

    parties: Sequence[PriceParty]
    convention: Convention = "same_round"
    first: Role | None = None
    blind: bool = False
    stall: int = 1
    monotonic: bool = True
    tick: Number | None = None
    round_limit: int | None = None
    time_limit_ms: int | None = None
    readings_ms: Sequence[int] = ()
    thin_gap: Number = Fraction(1, 10)


class Seat(NamedTuple):
    """A party as read: every value checked, every number exact."""

    name: PartyId
    role: Role
    opening: Exact
    reservation: Exact
    deadline: int | None
    schedule: Schedule
    after_deadline: AfterDeadline
    discount: Exact

    def to_json(self) -> dict[str, Json]:
        """Return what the party handed in, as plain JSON."""
        return {
            "name": self.name,
            "role": self.role,
            "opening": _written(self.opening),
            "reservation": _written(self.reservation),
            "deadline": self.deadline,
            "schedule": self.schedule.to_json(),
            "after_deadline": self.after_deadline,
            "discount": _written(self.discount),
        }


class Terms(NamedTuple):
    """Rules as read: every value checked, the buyer first, defaults filled in."""

    buyer: Seat
    seller: Seat
    convention: Convention
    first: Role | None
    blind: bool
    stall: int
    monotonic: bool
    tick: Exact | None
    round_limit: int | None
    time_limit_ms: int | None
    readings_ms: tuple[int, ...]
    thin_gap: Exact

    @property
    def seats(self) -> tuple[Seat, Seat]:
        """The buyer and the seller."""
        return self.buyer, self.seller

    @property
    def unequal_deadlines(self) -> bool:
        """Whether one party has more time than the other."""
        return self.buyer.deadline != self.seller.deadline

    def to_json(self) -> dict[str, Json]:
        """Return the rules as plain JSON; its digest is that of the result's grounds."""
        return {"parties": [seat.to_json() for seat in self.seats], **self.settings()}

    def settings(self) -> dict[str, Json]:
        """Return everything but the parties that is set, as plain JSON."""
        found: dict[str, Json] = {
            "convention": self.convention,
            "first": self.first,
            "blind": self.blind,
            "stall": self.stall,
            "monotonic": self.monotonic,
            "tick": None if self.tick is None else _written(self.tick),
            "round_limit": self.round_limit,
            "time_limit_ms": self.time_limit_ms,
            "readings_ms": self.readings_ms or None,
            "thin_gap": _written(self.thin_gap),
        }
        return {name: value for name, value in found.items() if value is not None}


def _written(value: Exact) -> Json:
    return value if type(value) is int else plain(value)
