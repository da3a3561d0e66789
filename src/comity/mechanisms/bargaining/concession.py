"""Concession: what does one party offer, round after round?

Here: a party's path of standing offers as it unfolds, on integers over one denominator; rounding
to ticks; the refusal of offers that are no numbers, go backwards or pass the reservation.
Not here: the shares of the schedules (schedules.py), where two paths meet (conventions.py).
Sources: SEMANTICS B3 and B7.

Prices are counted in a unit so small that every offer of a timed schedule is a whole number of
them. A callable, or a mirror of factors, may leave that grid; its offers are then fractions of
the same unit. At and after its deadline a party offers its reservation itself, without
arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Literal

from comity.core.errors import InvalidInput
from comity.core.exact import Exact, read_exact, to_fraction
from comity.core.parties import PartyId
from comity.mechanisms.bargaining.guards import Role, retreats
from comity.mechanisms.bargaining.prices import Prices
from comity.mechanisms.bargaining.rules import Seat, Terms
from comity.mechanisms.bargaining.shares import share_scale, share_steps

__all__ = ["Concession", "RejectedOffer", "Steps", "extend", "paths"]

Steps = int | Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectedOffer:
    """An offer that was refused when it was made; the maker's standing offer went on standing.

    Attributes:
        party: whose offer it was.
        round: when it was made.
        offer: the offer as text.
        reason: ``"not_a_number"``, ``"retreat"`` (better for its maker than its last) or
            ``"past_reservation"``.

    Example:
        >>> RejectedOffer(party="seller", round=3, offer="125", reason="retreat").round
        3
    """

    party: PartyId
    round: int
    offer: str
    reason: Literal["not_a_number", "retreat", "past_reservation"]


class Concession:
    """One party's standing offers, from round 0 as far as they have been worked out."""

    __slots__ = (
        "_opening",
        "_step",
        "_table",
        "deadline",
        "monotonic",
        "offers",
        "rejected",
        "reservation",
        "role",
        "seat",
        "tick",
        "unit",
    )

    def __init__(self, seat: Seat, unit: int, terms: Terms) -> None:
        """Start before round 0.

        Args:
            seat: the party.
            unit: how many steps make 1; opening, reservation and tick are whole numbers of them.
            terms: the rules, for the tick and whether offers may go backwards.
        """
        self.seat = seat
        self.role: Role = seat.role
        self.unit = unit
        self.deadline = seat.deadline
        self.monotonic = terms.monotonic
        self.tick = 0 if terms.tick is None else _steps(terms.tick, unit)
        self.reservation = _steps(seat.reservation, unit)
        self._opening = _steps(seat.opening, unit)
        self._step = 0
        if seat.schedule.is_timed and seat.deadline:
            distance = self.reservation - self._opening
            self._step = distance // share_scale(seat.schedule, seat.deadline)
        is_table = seat.schedule.kind == "table"
        self._table = [_steps(one, unit) for one in seat.schedule.parameters] if is_table else []
        self.offers: list[Steps] = []
        self.rejected: list[RejectedOffer] = []

    def quiet_from(self) -> int:
        """Return the round from which a party with a timed schedule stands still.

        Other schedules may do anything at any time, so that theirs is round 0.
        """
        if not self.seat.schedule.is_timed or self._opening == self.reservation:
            return 0
        return self.deadline or 0

    def may_move(self, t: int) -> bool:
        """Tell whether the party is known to move again after round ``t``.

        A mirror or a callable without a deadline is not: whether it moves depends on the other.
        """
        if self.deadline is not None:
            return t < self.deadline and self.offers[t] != self.reservation
        return any(offer != self.offers[t] for offer in self._table[t + 1 :])

    def run_to(self, stop: int) -> None:
        """Work out the offers of a timed schedule up to round ``stop - 1``."""
        offers, start = self.offers, len(self.offers)
        end = stop if self.deadline is None else min(stop, self.deadline)
        if start < end:
            if self._step:
                shares = share_steps(self.seat.schedule, self.deadline or 0, start, end)
                made = [self._opening + self._step * share for share in shares]
            else:
                made = [self._opening] * (end - start)
            offers.extend(map(self._on_tick, made) if self.tick else made)
        if len(offers) < stop:
            offers.extend([self.reservation] * (stop - len(offers)))

    def answer(self, other: Concession, seen: int) -> None:
        """Work out the next offer, knowing the other's first ``seen`` offers."""
        t = len(self.offers)
        if self.seat.schedule.is_timed:
            self.run_to(t + 1)
        elif self.deadline is not None and t >= self.deadline:
            self.offers.append(self.reservation)
        elif t == 0:
            self.offers.append(self._on_tick(self._opening))
        else:
            self.offers.append(self._judged(self._wanted(t, other, seen)))

    def standing_since(self, t: int) -> int:
        """Return the round in which the offer that stands in round ``t`` was made."""
        refused = {one.round for one in self.rejected}
        while t in refused:
            t -= 1
        return t

    def _wanted(self, t: int, other: Concession, seen: int) -> Steps | str:
        schedule = self.seat.schedule
        mine = self.offers[-1]
        if schedule.kind == "table":
            return self._table[min(t, len(self._table) - 1)]
        if schedule.function is not None:
            theirs = other.offers[:seen]
            value = schedule.function(
                t, self.deadline, self._shown(self.offers), self._shown(theirs)
            )
            return _read_offer(value, self.unit)
        before, now = other.offers[seen - 2 : seen] if seen > 1 else (mine, mine)
        if schedule.name == "absolute":
            return self._within(mine + before - now)
        return self._within(
            _whole(Fraction(mine) * before / now) if min(before, now) > 0 else mine
        )

    def _shown(self, offers: list[Steps]) -> Prices:
        return Prices(offers, self.unit, self.seat.reservation)

    def _judged(self, wanted: Steps | str) -> Steps:
        """Return the offer that stands after ``wanted`` was made."""
        standing = self.offers[-1]
        if isinstance(wanted, str):
            return self._refuse(wanted, "not_a_number")
        if self._within(wanted) != wanted:
            return self._refuse(wanted, "past_reservation")
        offer = self._on_tick(wanted) if self.tick else wanted
        if self.monotonic and retreats(self.role, standing, offer):
            return self._refuse(wanted, "retreat")
        return offer

    def _refuse(
        self,
        wanted: Steps | str,
        reason: Literal["not_a_number", "retreat", "past_reservation"],
    ) -> Steps:
        shown = wanted if isinstance(wanted, str) else str(Fraction(wanted) / self.unit)
        self.rejected.append(
            RejectedOffer(party=self.seat.name, round=len(self.offers), offer=shown, reason=reason)
        )
        return self.offers[-1]

    def _within(self, offer: Steps) -> Steps:
        """Return the offer, or the reservation when the offer is past it."""
        within = min if self.role == "buyer" else max
        return within(offer, self.reservation)

    def _on_tick(self, offer: Steps) -> Steps:
        """Round against the maker: a buyer's offer up, a seller's down."""
        if not self.tick:
            return offer
        tick = self.tick
        up = self.role == "buyer"
        return self._within(-(-offer // tick) * tick if up else offer // tick * tick)


def _read_offer(value: object, unit: int) -> Steps | str:
    try:
        return _whole(to_fraction(read_exact(value, "callable", "offer")) * unit)
    except InvalidInput:
        return repr(value)


def _steps(value: Exact, unit: int) -> int:
    numerator, denominator = value.as_integer_ratio()
    return numerator * (unit // denominator)


def _whole(value: Fraction) -> Steps:
    return value.numerator if value.denominator == 1 else value


def paths(terms: Terms) -> tuple[Concession, Concession]:
    """Return both parties' paths, not yet begun, counted in one unit.

    Args:
        terms: the rules as read.

    Returns:
        The buyer's and the seller's.

    Example:
        >>> from comity.mechanisms.bargaining import PriceParty, PriceRules
        >>> from comity.mechanisms.bargaining.reading import read_rules
        >>> buyer = PriceParty(role="buyer", opening=60, reservation="100.5", deadline=5)
        >>> seller = PriceParty(role="seller", opening=120, reservation=70, deadline=5)
        >>> [path.unit for path in paths(read_rules(PriceRules(parties=(buyer, seller))))]
        [10, 10]
    """
    numbers: list[Exact] = [] if terms.tick is None else [terms.tick]
    scale = 1
    for seat in terms.seats:
        numbers += (seat.opening, seat.reservation)
        if seat.schedule.kind == "table":
            numbers += seat.schedule.parameters
        elif seat.schedule.is_timed and seat.deadline:
            scale = lcm(scale, share_scale(seat.schedule, seat.deadline))
    unit = scale * lcm(*(number.as_integer_ratio()[1] for number in numbers))
    return Concession(terms.buyer, unit, terms), Concession(terms.seller, unit, terms)


def extend(terms: Terms, buyer: Concession, seller: Concession, stop: int) -> None:
    """Work out both paths up to round ``stop - 1``.

    When they alternate, whoever answers knows the other's offer of the same round; otherwise
    both know the rounds before only.

    Args:
        terms: the rules as read.
        buyer: the buyer's path.
        seller: the seller's path.
        stop: the round after the last one wanted.

    Example:
        >>> from comity.mechanisms.bargaining import PriceParty, PriceRules
        >>> from comity.mechanisms.bargaining.reading import read_rules
        >>> one = PriceParty(role="buyer", opening=60, reservation=100, deadline=5)
        >>> two = PriceParty(role="seller", opening=120, reservation=70, deadline=5)
        >>> terms = read_rules(PriceRules(parties=(one, two)))
        >>> buyer, seller = paths(terms)
        >>> extend(terms, buyer, seller, 3)
        >>> [offer // seller.unit for offer in seller.offers]
        [120, 110, 100]
    """
    if buyer.seat.schedule.is_timed and seller.seat.schedule.is_timed:
        buyer.run_to(stop)
        seller.run_to(stop)
        return
    opener, second = (seller, buyer) if terms.first == "seller" else (buyer, seller)
    for t in range(len(opener.offers), stop):
        opener.answer(second, t)
        second.answer(opener, t + 1 if terms.convention == "alternating" else t)
