"""Split: which concession lands on a wanted division of the surplus?

Here: the schedules of both parties that meet at the price of a wanted split, under every
convention and whoever is first.
Not here: the schedules themselves (schedules.py), the negotiation (price.py).
Sources: SEMANTICS B8. A negotiation lands where the concession rates put it, not where it would
be fair; whoever wants a split has to encode it in the schedules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from comity.core.errors import Fault, InvalidInput, raise_if
from comity.core.exact import Exact, like, read_exact, show_number, to_fraction
from comity.mechanisms.bargaining.guards import Role
from comity.mechanisms.bargaining.reading import read_rules, read_span
from comity.mechanisms.bargaining.rules import PriceParty, PriceRules, Seat, Terms
from comity.mechanisms.bargaining.schedules import Number, Schedule, fixed, through
from comity.mechanisms.bargaining.zopa import Zopa

__all__ = ["SplitSchedules", "schedules_for"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitSchedules:
    """The schedules that land on a wanted split.

    Attributes:
        buyer: the buyer's schedule.
        seller: the seller's schedule.
        price: where both stand in the round below: exactly the price of the split.
        round: the round in which both reach the price.
        split: the wanted shares of the surplus, the buyer's and the seller's, adding up to 1.

    Example:
        >>> found = schedules_for(split=(50, 50), buyer=(60, 100), seller=(120, 70), rounds=5)
        >>> found.price, found.round, str(found.seller)
        (85, 2, 'through:2/5:7/10')
    """

    buyer: Schedule
    seller: Schedule
    price: Exact
    round: int
    split: tuple[Exact, Exact]


def schedules_for(
    *,
    split: Sequence[Number],
    buyer: Sequence[Number],
    seller: Sequence[Number],
    rounds: int = 5,
) -> SplitSchedules:
    """Return the concession schedules that land on a wanted split of the surplus.

    Both parties follow the power curve that is at the wanted price half way through, so that
    they meet there and nowhere else. The deal is exact, not near, under every convention and
    whoever is first. With a tick that the price is no multiple of, it is exact to one tick.

    Args:
        split: the buyer's and the seller's part of the surplus, in any proportion (50, 50).
        buyer: the buyer's opening and reservation.
        seller: the seller's opening and reservation.
        rounds: the deadline of both, 2 or more.

    Returns:
        The two schedules, to be handed to ``bargain``.

    Raises:
        InvalidInput: for faults of the parties or the split, an empty zone, fewer than two
            rounds, and a price that lies beyond a party's opening, where no schedule lands.

    Example:
        >>> from comity.mechanisms.bargaining import bargain
        >>> both = schedules_for(split=(25, 75), buyer=(60, 100), seller=(120, 70), rounds=5)
        >>> deal = bargain(
        ...     buyer=(60, 100),
        ...     seller=(120, 70),
        ...     rounds=5,
        ...     buyer_schedule=both.buyer,
        ...     seller_schedule=both.seller,
        ... )
        >>> deal.price, deal.buyer_share, deal.seller_share
        (Fraction(185, 2), Fraction(1, 4), Fraction(3, 4))
    """
    faults: list[Fault] = []
    buyer_part, seller_part = _read_split(split, faults)
    if type(rounds) is not int or rounds < 2:
        what, allowed = f"rounds is {rounds!r}", "2 or more: round 1 of 1 has nothing in between"
        faults.append(Fault("split", what, allowed, "give both parties more rounds"))
        rounds = 2
    parties = []
    spans: tuple[tuple[Role, object], ...] = (("buyer", buyer), ("seller", seller))
    for role, span in spans:
        opening, reservation = read_span(span, role, faults)
        parties.append(
            PriceParty(role=role, opening=opening, reservation=reservation, deadline=rounds)
        )
    terms = read_rules(PriceRules(parties=parties), faults)
    zone = Zopa(low=terms.seller.reservation, high=terms.buyer.reservation)
    seller_share = to_fraction(seller_part) / (to_fraction(buyer_part) + to_fraction(seller_part))
    price = to_fraction(zone.low) + to_fraction(zone.width) * seller_share
    raise_if(_unreachable(terms, zone, price))
    half = rounds // 2
    prices = [one for seat in terms.seats for one in (seat.opening, seat.reservation)]
    return SplitSchedules(
        buyer=_to(price, terms.buyer, Fraction(half, rounds)),
        seller=_to(price, terms.seller, Fraction(half, rounds)),
        price=like(price, *prices),
        round=half,
        split=(like(1 - seller_share, 0), like(seller_share, 0)),
    )


def _read_split(split: object, faults: list[Fault]) -> tuple[Exact, Exact]:
    allowed = "two numbers, 0 or more, not both 0: the buyer's and the seller's part"
    fault = Fault("split", f"is {split!r}", allowed, "write split=(50, 50)")
    if not isinstance(split, (list, tuple)) or len(split) != 2:
        faults.append(fault)
        return 1, 1
    try:
        parts = read_exact(split[0], "split", "part"), read_exact(split[1], "split", "part")
    except InvalidInput as error:
        faults.extend(error.faults)
        return 1, 1
    if min(parts) < 0 or max(parts) == 0:
        faults.append(fault)
        return 1, 1
    return parts


def _unreachable(terms: Terms, zone: Zopa, price: Fraction) -> list[Fault]:
    if zone.is_empty:
        what = f"has no surplus to divide: the reservations are {show_number(zone.gap)} apart"
        return [Fault("split", what, "a zone of possible agreement", "move a reservation")]
    shown = show_number(price)
    faults = []
    for seat, is_beyond in (
        (terms.buyer, price < terms.buyer.opening),
        (terms.seller, price > terms.seller.opening),
    ):
        if is_beyond:
            what = f"opens at {show_number(seat.opening)}, already past the price {shown}"
            allowed = f"an opening from which {shown} is a concession"
            faults.append(Fault(seat.name, what, allowed, "change the opening or the split"))
    return faults


def _to(price: Fraction, seat: Seat, at: Fraction) -> Schedule:
    """Return the schedule by which a party stands at ``price`` at time ``at``."""
    opening, reservation = to_fraction(seat.opening), to_fraction(seat.reservation)
    if price == opening:
        return fixed()
    return through(at, (price - opening) / (reservation - opening))
