"""Sealed bids: one item, one sealed bid each; who gets it, at what price?

Here: second price (Vickrey) and first price, with a reserve, and what a bidder would have got by
another bid.
Not here: several units (multiunit.py), bundles (combinatorial.py), opening committed bids
(commitment.py).
Sources: SEMANTICS A1, A2, A4; Vickrey 1961.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

from comity.core.canonical import plain
from comity.core.errors import Fault, raise_if, shown
from comity.core.exact import Exact, like, show_number, to_fraction
from comity.core.parties import PartyId
from comity.core.results import Item, NoSaleReason
from comity.mechanisms.auctions.assumptions import FIRST_PRICE_WARNING, ONE_ITEM
from comity.mechanisms.auctions.bids import (
    Amount,
    Bids,
    BidsLike,
    Faulty,
    RefusedBid,
    check_faulty,
    read_bids,
    read_reserve,
    whole_number,
)
from comity.mechanisms.auctions.inputs import Inputs, by_bidder
from comity.mechanisms.auctions.lots import Seed, read_seed, seed_json
from comity.mechanisms.auctions.results import (
    AuctionAward,
    AuctionNoSale,
    Externality,
    MinimumBid,
    PriceSetter,
    money,
)

__all__ = ["Shading", "first_price", "shading", "vickrey"]

SealedRule = Literal["second_price", "first_price"]

NO_COMPETITION = "no competition: one bid reached the reserve"
_MOST_NAMES = 12  # of equal bids that a sentence names


@dataclass(frozen=True, kw_only=True)
class _Sale:
    """One item on sale, every input read."""

    rule: SealedRule
    bids: Bids
    reserve: Exact
    min_bidders: int
    seed: str | tuple[Exact, ...] | None

    @property
    def eligible(self) -> list[tuple[PartyId, Exact]]:
        return [(name, bid) for name, bid in self.bids.offers if bid >= self.reserve]

    @cached_property
    def inputs(self) -> Inputs:
        return Inputs(
            rule=self.rule,
            submitted=tuple((name, plain(bid)) for name, bid in self.bids.offers),
            refused=self.bids.refused,
            parameters=(
                ("reserve", plain(self.reserve)),
                ("min_bidders", self.min_bidders),
                ("unit", self.bids.unit),
                ("seed", seed_json(self.seed)),
            ),
            seed=self.seed,
        )

    @property
    def scores(self) -> tuple[Item, ...]:
        return tuple(Item(name, bid) for name, bid in self.bids.offers)


def vickrey(
    bids: BidsLike,
    *,
    reserve: Amount,
    min_bidders: int = 1,
    unit: str = "",
    seed: Seed = None,
    faulty: Faulty = "raise",
) -> AuctionAward | AuctionNoSale:
    """Sell one item by sealed bids at the second price.

    The highest bid wins. It pays the highest bid of the others that reaches the reserve, or the
    reserve. Whoever wants the item for itself does best with its true value.

    Args:
        bids: bidder -> amount, or a list of bids.
        reserve: below this there is no sale; ``reserve=0`` says that there is none.
        min_bidders: with fewer bids that reach the reserve there is no sale.
        unit: the unit of every amount.
        seed: what a tie is drawn by; without one, by the digest of the bids.
        faulty: ``"raise"`` refuses the whole call for a bid that is no number; ``"refuse"`` sets
            such bids aside by name and goes on with the others.

    Returns:
        The award, or the no-sale with the highest bid and the reserve.

    Raises:
        InvalidInput: with every fault at once, each naming the bidder.

    Example:
        >>> sale = vickrey({"a": 42, "b": 37, "c": 51, "d": 29}, reserve=0)
        >>> sale.winner, sale.price, sale.surplus
        ('c', 42, 9)
        >>> vickrey({"a": 42}, reserve=0).thin
        ('no competition: one bid reached the reserve',)
        >>> vickrey({"a": 42}, reserve=0, min_bidders=2).reason
        'too_few_bidders'
    """
    faults: list[Fault] = []
    return _sell("second_price", bids, (reserve, min_bidders, unit, seed, faulty), faults)


def first_price(
    bids: BidsLike,
    *,
    reserve: Amount,
    min_bidders: int = 1,
    unit: str = "",
    seed: Seed = None,
    faulty: Faulty = "raise",
) -> AuctionAward | AuctionNoSale:
    """Sell one item by sealed bids; the highest bid wins and pays itself.

    Bids are shaded: whoever bids its true value gains nothing by winning, so everybody bids less,
    by a guess about the others. Do not read such bids as values, and do not rank by them what
    should be ranked by value. Second price (`vickrey`) does not have this fault.

    Args:
        bids: bidder -> amount, or a list of bids.
        reserve: below this there is no sale.
        min_bidders: with fewer bids that reach the reserve there is no sale.
        unit: the unit of every amount.
        seed: what a tie is drawn by; without one, by the digest of the bids.
        faulty: as in `vickrey`.

    Returns:
        The award with the flag ``bids_are_shaded``, or the no-sale.

    Raises:
        InvalidInput: with every fault at once, each naming the bidder.

    Example:
        >>> sale = first_price({"a": 42, "c": 51}, reserve=0)
        >>> sale.winner, sale.price, sale.flags
        ('c', 51, ('bids_are_shaded',))
    """
    faults: list[Fault] = []
    return _sell("first_price", bids, (reserve, min_bidders, unit, seed, faulty), faults)


def _sell(
    rule: SealedRule,
    bids: BidsLike,
    options: tuple[Amount, int, str, Seed, Faulty],
    faults: list[Fault],
) -> AuctionAward | AuctionNoSale:
    reserve, min_bidders, unit, seed, faulty = options
    check_faulty(faulty, unit, faults)
    sale = _Sale(
        rule=rule,
        bids=read_bids(bids, unit, faulty, faults),
        reserve=read_reserve(reserve, faults),
        min_bidders=whole_number(min_bidders, "min_bidders", faults),
        seed=read_seed(seed, faults),
    )
    raise_if(faults)
    eligible = sale.eligible
    if not eligible or len(eligible) < sale.min_bidders:
        return _unsold(sale, eligible)
    return _sold(sale, eligible)


def _below(sale: _Sale) -> tuple[RefusedBid, ...]:
    return tuple(
        RefusedBid(
            name,
            show_number(bid),
            "below_reserve",
            f"bids {show_number(bid)}, below the reserve {show_number(sale.reserve)}",
        )
        for name, bid in sale.bids.offers
        if bid < sale.reserve
    )


def _sold(sale: _Sale, eligible: list[tuple[PartyId, Exact]]) -> AuctionAward:
    top = max(bid for _, bid in eligible)
    lots = sale.inputs.lots()
    winner = lots.pick("winner", [name for name, bid in eligible if bid == top])
    models = [bid for _, bid in sale.bids.offers] + [sale.reserve]
    rivals = [(name, bid) for name, bid in eligible if name != winner]
    next_best = max((bid for _, bid in rivals), default=sale.reserve)
    cost = like(to_fraction(next_best), *models)
    price = cost if sale.rule == "second_price" else top
    setters = tuple(name for name, bid in rivals if bid == next_best)
    is_alone = not rivals
    if sale.rule == "first_price":
        setter = PriceSetter(winner=winner, price=price, set_by="own_bid")
    elif is_alone:
        setter = PriceSetter(winner=winner, price=price, set_by="reserve")
    else:
        setter = PriceSetter(winner=winner, price=price, set_by="bid", whose=setters)
    surplus = _minus(top, price, models)
    flags = (("no_competition",) if is_alone else ()) + (
        ("bids_are_shaded",) if sale.rule == "first_price" else ()
    )
    return AuctionAward(
        winners=((winner, "item"),),
        payments=(Item(winner, price),),
        unit=sale.bids.unit,
        reserve=sale.reserve,
        price_set_by=(setter,),
        minimum_bids=tuple(
            MinimumBid(bidder=name, amount=top, at_amount="lot")
            for name, _ in sale.bids.offers
            if name != winner
        ),
        externalities=(Externality(winner=winner, others_without=cost, others_with=0, cost=cost),),
        welfare=top,
        revenue=price,
        surpluses=(Item(winner, surplus),),
        refused=by_bidder((*sale.bids.refused, *_below(sale))),
        flags=flags,  # type: ignore[arg-type]  # literals of the closed list
        assumptions=ONE_ITEM if sale.rule == "second_price" else FIRST_PRICE_WARNING,
        says=_says(setter, top, sale.bids.unit),
        grounds=sale.inputs.grounds(
            "bids opened",
            lots=lots,
            thin=(NO_COMPETITION,) if is_alone else (),
            scores=sale.scores,
            margin=None if is_alone else _minus(top, next_best, models),
        ),
    )


def _minus(one: Exact, other: Exact, models: Sequence[Exact]) -> Exact:
    return like(to_fraction(one) - to_fraction(other), *models)


def _says(setter: PriceSetter, top: Exact, unit: str) -> str:
    head = f"{setter.winner} wins at {money(setter.price, unit)}"
    if setter.set_by == "own_bid":
        return f"{head}, its own bid; under this rule bids are shaded."
    if setter.set_by == "reserve":
        return f"{head} (bid {show_number(top)}); nobody else reached it: the reserve is paid."
    more = len(setter.whose) - _MOST_NAMES
    named = [*setter.whose[:_MOST_NAMES], f"{more} more"] if more > 0 else setter.whose
    listed = f"{'bid' if len(named) == 1 else 'bids'} of {' and '.join(named)}"
    return f"{head} (bid {show_number(top)}); the price was set by the {listed}."


def _unsold(sale: _Sale, eligible: list[tuple[PartyId, Exact]]) -> AuctionNoSale:
    highest = max((bid for _, bid in sale.bids.offers), default=None)
    models = [bid for _, bid in sale.bids.offers] + [sale.reserve]
    unit = sale.bids.unit
    reason: NoSaleReason
    short: Exact | None = None
    if highest is None:
        reason = "no_bids"
        says = "No sale: nobody bid."
        unblock: tuple[str, ...] = (f"a bid of at least {money(sale.reserve, unit)}",)
    elif not eligible:
        reason = "below_reserve"
        short = _minus(sale.reserve, highest, models)
        at = f"{money(highest, unit)} is below the reserve {money(sale.reserve, unit)}"
        says = f"No sale: the highest bid {at}."
        unblock = (
            f"a bid of at least {money(sale.reserve, unit)}",
            f"a reserve of at most {money(highest, unit)}",
        )
    else:
        reason = "too_few_bidders"
        reached = f"{len(eligible)} of the {sale.min_bidders} bidders wanted reached the reserve"
        says = f"No sale: {reached} {money(sale.reserve, unit)}."
        more = sale.min_bidders - len(eligible)
        wanted = f"{more} more {'bid' if more == 1 else 'bids'}"
        unblock = (
            f"{wanted} of at least {money(sale.reserve, unit)}",
            f"min_bidders={len(eligible)}",
        )
    return AuctionNoSale(
        reason=reason,
        highest_bid=highest,
        unblock=unblock,
        unit=unit,
        reserve=sale.reserve,
        short=short,
        minimum_bids=_minimum_without_sale(sale),
        refused=by_bidder((*sale.bids.refused, *_below(sale))),
        flags=("no_competition",) if reason == "too_few_bidders" and len(eligible) == 1 else (),
        assumptions=ONE_ITEM if sale.rule == "second_price" else FIRST_PRICE_WARNING,
        says=says,
        grounds=sale.inputs.grounds(reason, scores=sale.scores),
    )


def _minimum_without_sale(sale: _Sale) -> tuple[MinimumBid, ...]:
    """Return what each bidder below the reserve could have won with, where that was open."""
    others = [amount for _, amount in sale.eligible]
    if len(others) + 1 < sale.min_bidders:
        return ()
    top = max(others, default=sale.reserve)
    return tuple(
        MinimumBid(bidder=name, amount=top, at_amount="lot" if others else "wins")
        for name, bid in sale.bids.offers
        if bid < sale.reserve
    )


# --- what another bid would have done ----------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Shading:
    """What one bidder gets by one bid, all others as they are.

    Attributes:
        bid: the bid.
        wins: the chance that it wins: 1, 0, or one in so many where a lot decides.
        price: what it pays when it wins, or None.
        gain: its value minus the price, times the chance.
        change: how much that is more than by bidding its true value.

    Example:
        >>> Shading(bid=40, wins=Fraction(0), price=None, gain=0, change=-9).change
        -9
    """

    bid: Exact
    wins: Fraction
    price: Exact | None
    gain: Exact
    change: Exact


def shading(
    bids: BidsLike,
    bidder: PartyId,
    amounts: Sequence[Amount],
    *,
    reserve: Amount,
    rule: SealedRule = "second_price",
) -> tuple[Shading, ...]:
    """Return what a bidder would get by other bids, its bid being its true value.

    Args:
        bids: every bid; the bidder's own is taken as its value.
        bidder: whose bid is changed.
        amounts: the bids to try.
        reserve: the reserve.
        rule: ``second_price`` or ``first_price``.

    Returns:
        One line for each amount.

    Raises:
        InvalidInput: for what the auction refuses, and a bidder that is not there.

    Example:
        >>> found = shading({"a": 42, "b": 37, "c": 51, "d": 29}, "c", [45, 40], reserve=0)
        >>> [(one.bid, one.gain, one.change) for one in found]
        [(45, 9, 0), (40, 0, -9)]
    """
    faults: list[Fault] = []
    read = read_bids(bids, "", "raise", faults)
    tried = [read_bids({bidder: one}, "", "raise", faults).offers for one in amounts]
    floor = read_reserve(reserve, faults)
    if rule not in ("second_price", "first_price"):
        known = "second_price or first_price"
        faults.append(Fault("shading", f"rule is {shown(rule)}", known, "name one of them"))
    own = dict(read.offers)
    if not faults and bidder not in own:
        listed = ", ".join(own) or "nobody"
        faults.append(Fault("shading", f"{shown(bidder)} does not bid", listed, "name a bidder"))
    raise_if(faults)
    value = own.pop(bidder)
    others = [one for one in own.values() if one >= floor]
    models = [value, floor, *own.values()]
    honest = _gain(value, value, others, floor, rule)[2]
    lines = []
    for offers in tried:
        bid = offers[0][1]
        chance, price, gain = _gain(bid, value, others, floor, rule)
        lines.append(
            Shading(
                bid=bid,
                wins=chance,
                price=None if price is None else like(price, *models),
                gain=like(gain, *models),
                change=like(gain - honest, *models),
            )
        )
    return tuple(lines)


def _gain(
    bid: Exact, value: Exact, others: Sequence[Exact], floor: Exact, rule: SealedRule
) -> tuple[Fraction, Fraction | None, Fraction]:
    rival = max(others, default=None)
    if bid < floor or (rival is not None and bid < rival):
        return Fraction(0), None, Fraction(0)
    equals = 1 + sum(one == bid for one in others)
    paid = to_fraction(bid if rule == "first_price" else max([floor, *others]))
    chance = Fraction(1, equals)
    return chance, paid, chance * (to_fraction(value) - paid)
