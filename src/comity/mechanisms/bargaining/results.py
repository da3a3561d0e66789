"""Price results: how a negotiation over one number ended, so that anybody can check it.

Here: the agreement and the no-deal of a price negotiation with both offer paths, and their
round-by-round table.
Not here: the run (price.py), kinds and grounds that all mechanisms share (core/results.py).
Sources: SEMANTICS B6, B7, G1, G2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from comity.core.exact import Exact, like, to_fraction
from comity.core.parties import PartyId
from comity.core.results import Agreement, NoDeal, result_form
from comity.core.show import as_text, table
from comity.mechanisms.bargaining.concession import RejectedOffer
from comity.mechanisms.bargaining.conventions import Convention
from comity.mechanisms.bargaining.guards import Role
from comity.mechanisms.bargaining.prices import Prices, show_price
from comity.mechanisms.bargaining.zopa import Zopa

__all__ = ["OfferPath", "PriceAgreement", "PriceNoDeal", "PriceRow"]

_ROWS_SHOWN = 20  # of each end, when a table is printed


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferPath:
    """What one party offered, round by round.

    Attributes:
        party: the party's name.
        role: its role.
        prices: its standing offer of each round from round 0; behaves as a tuple of numbers.

    Example:
        >>> path = OfferPath(party="seller", role="seller", prices=(120, 110))
        >>> path.prices[1]
        110
    """

    party: PartyId
    role: Role
    prices: Prices | tuple[Exact, ...]


class PriceRow(NamedTuple):
    """One round.

    Attributes:
        t: the round, from 0.
        seller: the seller's standing offer; None when it accepted before making one.
        buyer: the buyer's, likewise.
        gap: seller's minus buyer's offer, negative when they have crossed.
        accepts: who accepts the other's offer in this round, ``"both"`` for the midpoint.
    """

    t: int
    seller: Exact | None
    buyer: Exact | None
    gap: Exact | None
    accepts: str | None


def _rows(offers: tuple[OfferPath, ...], accepts: str | None) -> tuple[PriceRow, ...]:
    by_role = {path.role: path.prices for path in offers}
    sellers, buyers = by_role["seller"], by_role["buyer"]
    count = max(len(sellers), len(buyers))
    rows = []
    for t in range(count):
        seller = sellers[t] if t < len(sellers) else None
        buyer = buyers[t] if t < len(buyers) else None
        gap = None
        if seller is not None and buyer is not None:
            gap = like(to_fraction(seller) - to_fraction(buyer), seller, buyer)
        rows.append(PriceRow(t, seller, buyer, gap, accepts if t == count - 1 else None))
    return tuple(rows)


def _printed(rows: tuple[PriceRow, ...]) -> str:
    shown = [tuple(_cell(value) for value in row) for row in rows]
    left_out = len(shown) - 2 * _ROWS_SHOWN
    if left_out > 1:
        gap_row = (f"... {left_out} rounds ...", "", "", "", "")
        shown[_ROWS_SHOWN:-_ROWS_SHOWN] = [gap_row]
    return table(shown, ("round", "seller", "buyer", "gap", "accepts"))


def _cell(value: Exact | str | None) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else show_price(value)


@result_form("price")
@dataclass(frozen=True, slots=True, kw_only=True)
class PriceAgreement(Agreement):
    """A buyer and a seller agreed on a price.

    Attributes:
        price: the price.
        round: the round in which it was agreed, from 0.
        accepted_offer: the id of the accepted offer: ``"S4"`` is the seller's of round 4,
            ``"B3"`` the buyer's of round 3; None when the price is the midpoint of two offers.
        accepted_by: who accepted it; None for the midpoint.
        buyer_surplus: the buyer's reservation minus the price.
        seller_surplus: the price minus the seller's reservation.
        buyer_share: the buyer's share of both surpluses together; None in a zone of one price.
        seller_share: the seller's, likewise.
        zopa: the zone of possible agreement.
        zopa_width: its width; both surpluses add up to it.
        share_captured: what the discounted surpluses make of the width; 1 without discounting,
            None in a zone of one price.
        discounted_at: the round whose discount applies, None without discounting. The
            reservation is discounted with the price, so a surplus shrinks as a whole.
        buyer_value: the buyer's discounted surplus.
        seller_value: the seller's discounted surplus.
        offers: both full offer paths up to the end, the buyer's first.
        convention: the acceptance convention.
        first: who looked first or opened; None for the midpoint.
        unequal_deadlines: whether the deadlines differ; the shorter pays.
        rejected: offers that were refused when they were made.
        notes: what else a reader should know.
        says: the result in one sentence.

    Example:
        >>> from comity.mechanisms.bargaining import bargain
        >>> print(bargain(buyer=(60, 100), seller=(120, 70), rounds=5).says)
        Deal at 80 in round 4: buyer accepts seller's offer S4; buyer gains 20, seller gains 10.
    """

    price: Exact
    round: int
    accepted_offer: str | None
    accepted_by: PartyId | None
    buyer_surplus: Exact
    seller_surplus: Exact
    buyer_share: Exact | None
    seller_share: Exact | None
    zopa: Zopa
    zopa_width: Exact
    share_captured: Exact | None
    discounted_at: int | None
    buyer_value: Exact
    seller_value: Exact
    offers: tuple[OfferPath, ...]
    convention: Convention
    first: Role | None
    unequal_deadlines: bool
    rejected: tuple[RejectedOffer, ...] = ()
    notes: tuple[str, ...] = ()
    says: str

    def table(self) -> tuple[PriceRow, ...]:
        """Return the rounds: both offers, the gap and who accepts.

        Returns:
            One row for each round from 0 to the round of the deal.
        """
        return _rows(self.offers, self.accepted_by or "both")

    def __str__(self) -> str:
        """Return the sentence, the fields and the round-by-round table."""
        data = {name: value for name, value in self.to_json().items() if name != "offers"}
        return f"{as_text(data)}\n\n{_printed(self.table())}"


@result_form("price")
@dataclass(frozen=True, slots=True, kw_only=True)
class PriceNoDeal(NoDeal):
    """A price negotiation ended without a deal.

    Attributes:
        guard: what ended it, the same word as the grounds' ``ended_by``.
        rounds: the last round played, 0 when none was.
        rounds_without_movement: how many rounds had passed since anybody moved.
        offers: both full offer paths, the buyer's first; empty when nobody offered.
        convention: the acceptance convention.
        first: who looked first or opened; None for the midpoint.
        unequal_deadlines: whether the deadlines differ.
        zopa: the empty zone, only when a mediator saw both reservations and found it empty.
        rejected: offers that were refused when they were made.
        notes: what else a reader should know.
        says: the result in one sentence.

    Example:
        >>> from comity.mechanisms.bargaining import bargain
        >>> print(bargain(buyer=(60, 84), seller=(120, 88), blind=True, stall=6).says)
        No deal (stall): seller at 88, buyer at 84, 4 apart, 6 rounds without movement.
    """

    guard: str
    rounds: int
    rounds_without_movement: int
    offers: tuple[OfferPath, ...] = ()
    convention: Convention
    first: Role | None
    unequal_deadlines: bool
    zopa: Zopa | None = None
    rejected: tuple[RejectedOffer, ...] = ()
    notes: tuple[str, ...] = ()
    says: str

    def table(self) -> tuple[PriceRow, ...]:
        """Return the rounds: both offers and the gap.

        Returns:
            One row for each round played; none when the zone was found empty first.
        """
        return _rows(self.offers, None) if self.offers else ()

    def __str__(self) -> str:
        """Return the sentence, the fields and the round-by-round table."""
        data = {name: value for name, value in self.to_json().items() if name != "offers"}
        text = as_text(data)
        return f"{text}\n\n{_printed(self.table())}" if self.offers else text
