"""Ending: what does the end of the rounds come to for both parties?

Here: turning a meeting of offers into an agreement, and a guard that fired, or a zone found
empty, into a no-deal, each with its grounds and its one sentence.
Not here: the rounds (price.py), the fields of the results (results.py).
Sources: SEMANTICS B2, B5, B6, B7, B10, G1, G2, G8.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from comity.core.canonical import digest
from comity.core.exact import Exact, like, to_fraction
from comity.core.results import FinalOffer, Grounds, NoDealReason, Submission
from comity.mechanisms.bargaining.acceptance import check_settlement
from comity.mechanisms.bargaining.concession import Concession, RejectedOffer
from comity.mechanisms.bargaining.conventions import Hit
from comity.mechanisms.bargaining.guards import Role
from comity.mechanisms.bargaining.prices import Prices, price_of, show_price
from comity.mechanisms.bargaining.results import OfferPath, PriceAgreement, PriceNoDeal
from comity.mechanisms.bargaining.rules import Terms
from comity.mechanisms.bargaining.zopa import Zopa

__all__ = ["Played", "agreement", "money_model", "no_deal", "no_overlap"]


class Played(NamedTuple):
    """A negotiation after its last round.

    Attributes:
        terms: the rules as read.
        zone: the zone between the reservations.
        buyer: the buyer's path.
        seller: the seller's path.
        model: the type that prices go out in, see :func:`money_model`.
    """

    terms: Terms
    zone: Zopa
    buyer: Concession
    seller: Concession
    model: Exact

    def price(self, steps: int | Fraction) -> Exact:
        """Return steps of the common unit as a price."""
        return price_of(steps, self.buyer.unit, self.model)

    def offers(self, t: int, unmade: Role | None) -> tuple[OfferPath, ...]:
        """Return both paths up to round ``t``; ``unmade`` accepted instead of offering."""
        made = []
        for one in (self.buyer, self.seller):
            stop = t if one.role == unmade else t + 1
            prices = Prices(one.offers[:stop], one.unit, self.model)
            made.append(OfferPath(party=one.seat.name, role=one.role, prices=prices))
        return tuple(made)

    def rejected(self, t: int) -> tuple[RejectedOffer, ...]:
        """Return the offers refused up to round ``t``, by round."""
        refused = [*self.buyer.rejected, *self.seller.rejected]
        return tuple(sorted((one for one in refused if one.round <= t), key=_by_round))


def _by_round(one: RejectedOffer) -> tuple[int, str]:
    return one.round, one.party


def money_model(terms: Terms) -> Exact:
    """Return a number of the type that prices go out in: money in, the same type out.

    Args:
        terms: the rules as read.

    Returns:
        The Decimal with the most places when any price or the tick came in as one, else an int.

    Example:
        >>> from comity.mechanisms.bargaining import bargain
        >>> bargain(buyer=(60, "100.00"), seller=(120, 70)).price
        Decimal('80.00')
    """
    buyer, seller = terms.buyer, terms.seller
    prices = (buyer.opening, buyer.reservation, seller.opening, seller.reservation, terms.tick)
    decimals = [price for price in prices if isinstance(price, Decimal)]
    return min(decimals, key=lambda price: price.as_tuple().exponent) if decimals else 0


def agreement(played: Played, hit: Hit) -> PriceAgreement:
    """Return the deal that a meeting of offers makes.

    Args:
        played: the negotiation.
        hit: the round and the comparison that held.

    Returns:
        The agreement, its price checked once more against both reservations.

    Example:
        >>> from comity.mechanisms.bargaining import bargain
        >>> bargain(buyer=(60, 100), seller=(120, 70)).grounds.margin
        12
    """
    terms, zone, buyer, seller, _ = played
    t, meeting = hit
    steps, offer_id, accepted_by = _accepted(played, hit)
    price = played.price(steps)
    check_settlement(price, zone)
    gains = played.price(buyer.reservation - steps), played.price(steps - seller.reservation)
    width = buyer.reservation - seller.reservation
    shares: tuple[Exact | None, Exact | None] = (None, None)
    if width:
        parts = buyer.reservation - steps, steps - seller.reservation
        shares = price_of(parts[0], width, 0), price_of(parts[1], width, 0)
    values, discounted_at, captured = _discounting(played, t, gains)
    overlap = buyer.offers[t + meeting.buyer] - seller.offers[t + meeting.seller]
    return PriceAgreement(
        grounds=_grounds(
            terms,
            ended_by="acceptance" if offer_id else "midpoint",
            margin=played.price(overlap),
        ),
        terms=(("price", price),),
        parties=tuple(sorted((terms.buyer.name, terms.seller.name))),
        price=price,
        round=t,
        accepted_offer=offer_id,
        accepted_by=accepted_by,
        buyer_surplus=gains[0],
        seller_surplus=gains[1],
        buyer_share=shares[0],
        seller_share=shares[1],
        zopa=zone,
        zopa_width=played.price(width),
        share_captured=captured,
        discounted_at=discounted_at,
        buyer_value=values[0],
        seller_value=values[1],
        offers=played.offers(t, meeting.unmade),
        convention=terms.convention,
        first=terms.first,
        unequal_deadlines=terms.unequal_deadlines,
        rejected=played.rejected(t),
        notes=_notes(terms),
        says=_deal_sentence(terms, hit, price, gains, offer_id),
    )


def _accepted(played: Played, hit: Hit) -> tuple[int | Fraction, str | None, str | None]:
    t, meeting = hit
    buyer, seller = played.buyer, played.seller
    if meeting.accepts == "buyer":
        return seller.offers[t], f"S{seller.standing_since(t)}", buyer.seat.name
    if meeting.accepts == "seller":
        return buyer.offers[t], f"B{buyer.standing_since(t)}", seller.seat.name
    return Fraction(seller.offers[t] + buyer.offers[t]) / 2, None, None


def _discounting(
    played: Played, t: int, gains: tuple[Exact, Exact]
) -> tuple[tuple[Exact, Exact], int | None, Exact | None]:
    """Return what both surpluses are worth, at which round, and their part of the zone."""
    buyer, seller = played.terms.seats
    has_width = played.buyer.reservation != played.seller.reservation
    if buyer.discount == 1 == seller.discount:
        return gains, None, 1 if has_width else None
    worth = [
        to_fraction(gain) * to_fraction(seat.discount) ** t
        for gain, seat in zip(gains, (buyer, seller), strict=True)
    ]
    captured = like(sum(worth) / to_fraction(played.zone.width), 0) if has_width else None
    model = played.model
    return (like(worth[0], model), like(worth[1], model)), t, captured


def _deal_sentence(
    terms: Terms, hit: Hit, price: Exact, gains: tuple[Exact, Exact], offer_id: str | None
) -> str:
    buyer, seller = terms.buyer.name, terms.seller.name
    how = "the midpoint of both offers"
    if offer_id:
        takes, gives = (buyer, seller) if hit.meeting.accepts == "buyer" else (seller, buyer)
        how = f"{takes} accepts {gives}'s offer {offer_id}"
    return (
        f"Deal at {show_price(price)} in round {hit.round}: {how}; "
        f"{buyer} gains {show_price(gains[0])}, {seller} gains {show_price(gains[1])}."
    )


def no_deal(played: Played, t: int, reason: NoDealReason) -> PriceNoDeal:
    """Return the no-deal after round ``t``.

    Args:
        played: the negotiation.
        t: the last round.
        reason: what ended it.

    Returns:
        The no-deal with the final offers, the gap and what would unblock it. It never says
        that the zone is empty: nobody has seen both reservations.

    Example:
        >>> from comity.mechanisms.bargaining import bargain
        >>> bargain(buyer=(60, 84), seller=(120, 88), blind=True).unblock
        ('seller goes down by 4', 'buyer goes up by 4', 'both move by 2')
    """
    terms, zone, buyer, seller, _ = played
    asked, bid = seller.offers[t], buyer.offers[t]
    gap = played.price(asked - bid)
    still = _still(played, t)
    shown = show_price(gap)
    stood = (
        f"{terms.seller.name} at {show_price(played.price(asked))}, "
        f"{terms.buyer.name} at {show_price(played.price(bid))}, {shown} apart"
    )
    waited = f"{still} round{'' if still == 1 else 's'} without movement"
    unblock = [
        f"{terms.seller.name} goes down by {shown}",
        f"{terms.buyer.name} goes up by {shown}",
        f"both move by {show_price(to_fraction(gap) / 2)}",
    ]
    if not terms.blind:
        low, high = show_price(zone.low), show_price(zone.high)
        unblock.append(f"a deadline for both: prices from {low} to {high} suit both")
    final = {
        terms.buyer.name: FinalOffer(terms.buyer.name, played.price(bid)),
        terms.seller.name: FinalOffer(terms.seller.name, played.price(asked)),
    }
    return PriceNoDeal(
        grounds=_grounds(terms, ended_by=reason, margin=gap, thin=_thin(terms, gap)),
        reason=reason,
        final_offers=tuple(final[name] for name in sorted(final)),
        gap=gap,
        unblock=tuple(unblock),
        guard=reason,
        rounds=t,
        rounds_without_movement=still,
        offers=played.offers(t, None),
        convention=terms.convention,
        first=terms.first,
        unequal_deadlines=terms.unequal_deadlines,
        rejected=played.rejected(t),
        notes=_notes(terms),
        says=f"No deal ({reason.replace('_', ' ')}): {stood}{', ' + waited if still else ''}.",
    )


def _still(played: Played, t: int) -> int:
    """Return how many rounds before and with ``t`` repeat the offers of the round before them."""
    sellers, buyers = played.seller.offers, played.buyer.offers
    at = t
    while at and sellers[at - 1] == sellers[t] and buyers[at - 1] == buyers[t]:
        at -= 1
    return t - at


def no_overlap(terms: Terms, zone: Zopa) -> PriceNoDeal:
    """Return the no-deal of a mediator who saw both reservations and found no zone.

    Args:
        terms: the rules as read.
        zone: the empty zone.

    Returns:
        The no-deal after 0 rounds, with the gap and what would unblock it.

    Example:
        >>> from comity.mechanisms.bargaining import bargain
        >>> print(bargain(buyer=(50, 65), seller=(120, 70)).says)
        No deal is possible: the most buyer pays is 65, the least seller takes is 70, 5 apart. \
One of them would have to move its reservation by 5, or both by 2.5.
    """
    buyer, seller = terms.buyer.name, terms.seller.name
    gap = zone.gap
    shown, half = show_price(gap), show_price(to_fraction(gap) / 2)
    return PriceNoDeal(
        grounds=_grounds(terms, ended_by="no_overlap", margin=gap, thin=_thin(terms, gap)),
        reason="no_overlap",
        final_offers=tuple(FinalOffer(name) for name in sorted((buyer, seller))),
        gap=gap,
        unblock=(
            f"{seller} lowers its reservation by {shown}",
            f"{buyer} raises its reservation by {shown}",
            f"both move their reservations by {half}",
        ),
        guard="no_overlap",
        rounds=0,
        rounds_without_movement=0,
        convention=terms.convention,
        first=terms.first,
        unequal_deadlines=terms.unequal_deadlines,
        zopa=zone,
        notes=_notes(terms),
        says=(
            f"No deal is possible: the most {buyer} pays is {show_price(zone.high)}, the least "
            f"{seller} takes is {show_price(zone.low)}, {shown} apart. One of them would have "
            f"to move its reservation by {shown}, or both by {half}."
        ),
    )


# --- grounds ---------------------------------------------------------------------------------


def _grounds(terms: Terms, *, ended_by: str, margin: Exact, thin: tuple[str, ...] = ()) -> Grounds:
    parties = [seat.to_json() for seat in terms.seats]
    settings = terms.settings()
    handed_in = zip(terms.seats, parties, strict=True)
    return Grounds(
        rule="price",
        parameters=tuple(settings.items()),
        submissions=tuple(
            sorted((Submission(seat.name, what) for seat, what in handed_in), key=_by_party)
        ),
        margin=margin,
        thin=thin,
        ended_by=ended_by,
        inputs_digest=digest({"parties": parties, **settings}),
    )


def _by_party(one: Submission) -> str:
    return one.party


def _thin(terms: Terms, gap: Exact) -> tuple[str, ...]:
    distance = abs(to_fraction(terms.seller.opening) - to_fraction(terms.buyer.opening))
    if to_fraction(gap) > to_fraction(terms.thin_gap) * distance:
        return ()
    share, of = show_price(terms.thin_gap), show_price(distance)
    return (f"the gap of {show_price(gap)} is at most {share} of the opening distance of {of}",)


def _notes(terms: Terms) -> tuple[str, ...]:
    notes = []
    if terms.unequal_deadlines:
        notes.append("the deadlines differ: the party with the shorter one pays for it")
    for seat in terms.seats:
        if seat.schedule.kind == "custom" and not seat.schedule.name:
            notes.append(
                f"{seat.name} concedes by a callable without a name: this cannot be replayed "
                "from its JSON"
            )
    return tuple(notes)
