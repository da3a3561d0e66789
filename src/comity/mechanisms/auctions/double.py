"""Double auctions: buyers and sellers of one unit each; who trades, at what price?

Here: McAfee's auction (never a deficit, at most the least gainful trade lost) and VCG (every
gainful trade, and the deficit it takes).
Not here: one seller's sale (sealed.py, multiunit.py).
Sources: SEMANTICS A2, A4, G4; McAfee 1992; Myerson and Satterthwaite 1983.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Literal

from comity.core.canonical import plain
from comity.core.errors import Fault, raise_if, shown
from comity.core.exact import Exact, like, to_fraction
from comity.core.parties import PartyId
from comity.core.results import Item, NoSaleReason
from comity.mechanisms.auctions.assumptions import ASSUMPTIONS
from comity.mechanisms.auctions.bids import Bids, BidsLike, Faulty, check_faulty, read_bids
from comity.mechanisms.auctions.inputs import Inputs, by_bidder
from comity.mechanisms.auctions.lots import Lots, Seed, read_seed, seed_json
from comity.mechanisms.auctions.results import (
    AuctionAward,
    AuctionNoSale,
    Externality,
    Flag,
    MinimumBid,
    PriceSetter,
    SetBy,
    money,
)

__all__ = ["double_vcg", "mcafee"]

DoubleRule = Literal["mcafee", "double_vcg"]

_ASKED = 200  # parties up to which those that do not trade are told what it takes


def mcafee(
    buyers: BidsLike,
    sellers: BidsLike,
    *,
    unit: str = "",
    seed: Seed = None,
    faulty: Faulty = "raise",
) -> AuctionAward | AuctionNoSale:
    """Trade one unit each by McAfee's rule: truth is best, and nobody pays a deficit.

    With k gainful trades, the price is the middle of the first bid and the first cost that do not
    trade, if both sides of every trade accept it. Else the least gainful trade is dropped: the
    others buy at its bid and sell at its cost, and the difference stays with the house.

    Args:
        buyers: buyer -> what the unit is worth to it.
        sellers: seller -> what it costs.
        unit: the unit of every amount.
        seed: what a tie is drawn by; without one, by the digest of the bids.
        faulty: ``"raise"`` or ``"refuse"``, as in `vickrey`.

    Returns:
        The award with both prices, or the no-sale.

    Raises:
        InvalidInput: with every fault at once, each naming the party.

    Example:
        >>> sale = mcafee({"b": 10, "c": 9, "d": 2}, {"s": 1, "t": 8, "u": 9})
        >>> [(one.name, one.value) for one in sale.payments + sale.receipts], sale.balance
        ([('b', 9), ('s', 8)], 1)
    """
    return _trade("mcafee", buyers, sellers, (unit, seed, faulty))


def double_vcg(
    buyers: BidsLike,
    sellers: BidsLike,
    *,
    unit: str = "",
    seed: Seed = None,
    faulty: Faulty = "raise",
) -> AuctionAward | AuctionNoSale:
    """Trade one unit each by VCG: every gainful trade, truth is best, the house pays a deficit.

    Args:
        buyers: buyer -> what the unit is worth to it.
        sellers: seller -> what it costs.
        unit: the unit of every amount.
        seed: what a tie is drawn by.
        faulty: ``"raise"`` or ``"refuse"``, as in `vickrey`.

    Returns:
        The award; a negative ``balance`` is the deficit.

    Raises:
        InvalidInput: with every fault at once, each naming the party.

    Example:
        >>> sale = double_vcg({"b": 10}, {"s": 2})
        >>> sale.payments[0].value, sale.receipts[0].value, sale.balance, sale.flags
        (2, 10, -8, ('deficit',))
    """
    return _trade("double_vcg", buyers, sellers, (unit, seed, faulty))


@dataclass(frozen=True, kw_only=True)
class _Market:
    """A market with every input read."""

    rule: DoubleRule
    buyers: Bids
    sellers: Bids
    unit: str
    seed: str | tuple[Exact, ...] | None

    @cached_property
    def values(self) -> list[Exact]:
        return sorted((one for _, one in self.buyers.offers), reverse=True)

    @cached_property
    def costs(self) -> list[Exact]:
        return sorted(one for _, one in self.sellers.offers)

    @cached_property
    def gainful(self) -> int:
        """How many trades are worth it."""
        pairs = zip(self.values, self.costs, strict=False)
        return sum(value >= cost for value, cost in pairs)

    def back(self, value: Fraction | Exact) -> Exact:
        return like(to_fraction(value), *self.values, *self.costs)

    @cached_property
    def inputs(self) -> Inputs:
        both = [("buys", self.buyers), ("sells", self.sellers)]
        handed = [(name, {how: plain(one)}) for how, side in both for name, one in side.offers]
        return Inputs(
            rule=self.rule,
            submitted=tuple(sorted(handed, key=lambda pair: pair[0])),
            refused=by_bidder((*self.buyers.refused, *self.sellers.refused)),
            parameters=(("unit", self.unit), ("seed", seed_json(self.seed))),
            seed=self.seed,
        )

    @property
    def scores(self) -> tuple[Item, ...]:
        both = sorted((*self.buyers.offers, *self.sellers.offers))
        return tuple(Item(name, one) for name, one in both)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Terms:
    """How many trade, at which prices, and what set them."""

    trades: int
    buyer_pays: Exact
    seller_gets: Exact
    set_by: SetBy
    buyer_setter: Exact | None = None


def _trade(
    rule: DoubleRule, buyers: BidsLike, sellers: BidsLike, options: tuple[str, Seed, Faulty]
) -> AuctionAward | AuctionNoSale:
    unit, seed, faulty = options
    faults: list[Fault] = []
    check_faulty(faulty, unit, faults)
    wanted = read_bids(buyers, unit, faulty, faults)
    offered = read_bids(sellers, unit, faulty, faults)
    drawn = read_seed(seed, faults)
    if wanted.unit != offered.unit and wanted.offers and offered.offers:
        what = f"buyers bid in {wanted.unit!r}, sellers in {offered.unit!r}"
        faults.append(Fault("market", what, "one unit", "convert one side at a stated rate"))
    for name in sorted(dict(wanted.offers).keys() & dict(offered.offers).keys()):
        fault = Fault(
            f"party {shown(name)}", "buys and sells", "one side per party", "take it off one side"
        )
        faults.append(fault)
    raise_if(faults)
    market = _Market(
        rule=rule,
        buyers=wanted,
        sellers=offered,
        unit=wanted.unit or offered.unit,
        seed=drawn,
    )
    terms = _terms(market)
    return _traded(market, terms) if terms.trades else _untraded(market)


def _terms(market: _Market) -> _Terms:
    k, values, costs = market.gainful, market.values, market.costs
    if not k:
        return _Terms(trades=0, buyer_pays=0, seller_gets=0, set_by="bid")
    has_both = k < len(values) and k < len(costs)
    if market.rule == "double_vcg":
        return _Terms(
            trades=k,
            buyer_pays=market.back(max([costs[k - 1], *values[k : k + 1]])),
            seller_gets=market.back(min([values[k - 1], *costs[k : k + 1]])),
            set_by="externality",
        )
    if has_both:
        middle = (to_fraction(values[k]) + to_fraction(costs[k])) / 2
        if costs[k - 1] <= middle <= values[k - 1]:
            price = market.back(middle)
            return _Terms(trades=k, buyer_pays=price, seller_gets=price, set_by="midpoint")
    return _Terms(
        trades=k - 1,
        buyer_pays=market.back(values[k - 1]),
        seller_gets=market.back(costs[k - 1]),
        set_by="bid",
        buyer_setter=values[k - 1],
    )


def _who(
    offers: Sequence[tuple[PartyId, Exact]], last: Exact, count: int, label: str, lots: Lots
) -> list[PartyId]:
    """Return who of one side trades; a lot among those equal to the last that does."""
    is_sale = label == "sellers"
    sure = [name for name, one in offers if (one < last if is_sale else one > last)]
    equal = [name for name, one in offers if one == last]
    return sorted(sure + lots.several(label, equal, count - len(sure)))


def _traded(market: _Market, terms: _Terms) -> AuctionAward:
    lots = market.inputs.lots()
    k = terms.trades
    buying = _who(market.buyers.offers, market.values[k - 1], k, "buyers", lots)
    selling = _who(market.sellers.offers, market.costs[k - 1], k, "sellers", lots)
    value, cost = dict(market.buyers.offers), dict(market.sellers.offers)
    pays, gets = to_fraction(terms.buyer_pays), to_fraction(terms.seller_gets)
    welfare = sum(map(to_fraction, market.values[:k])) - sum(map(to_fraction, market.costs[:k]))
    lost = market.gainful - k
    balance = k * (pays - gets)
    flags: list[Flag] = ["trade_reduced"] if lost else []
    flags += ["deficit"] if balance < 0 else []
    whose = tuple(name for name, one in market.buyers.offers if one == terms.buyer_setter)
    notes = [f"{k} of {market.gainful} gainful trades happen"] if lost else []
    if balance < 0:
        notes.append(f"the house pays {money(market.back(-balance), market.unit)}")
    surpluses = {name: to_fraction(value[name]) - pays for name in buying}
    surpluses |= {name: gets - to_fraction(cost[name]) for name in selling}
    says = (
        f"{k} {'trade' if k == 1 else 'trades'}: buyers pay "
        f"{money(terms.buyer_pays, market.unit)}, sellers get "
        f"{money(terms.seller_gets, market.unit)}"
    )
    return AuctionAward(
        winners=tuple(
            sorted([(n, "buys 1 unit") for n in buying] + [(n, "sells 1 unit") for n in selling])
        ),
        payments=tuple(Item(name, terms.buyer_pays) for name in buying),
        receipts=tuple(Item(name, terms.seller_gets) for name in selling),
        balance=market.back(balance),
        unit=market.unit,
        price_set_by=tuple(
            PriceSetter(winner=n, price=terms.buyer_pays, set_by=terms.set_by, whose=whose)
            for n in buying
        ),
        minimum_bids=_minimum_bids(market, buying, selling),
        externalities=_externalities(market, buying, selling),
        welfare=market.back(welfare),
        revenue=market.back(k * pays),
        surpluses=tuple(Item(name, market.back(one)) for name, one in sorted(surpluses.items())),
        refused=market.inputs.refused,
        flags=tuple(flags),
        assumptions=ASSUMPTIONS[market.rule],
        notes=tuple(notes),
        says=f"{says}." if not notes else f"{says}; {'; '.join(notes)}.",
        grounds=market.inputs.grounds(
            "market cleared",
            lots=lots,
            scores=market.scores,
            margin=market.back(
                to_fraction(market.values[k - 1]) - to_fraction(market.costs[k - 1])
            ),
        ),
    )


def _externalities(
    market: _Market, buying: Sequence[PartyId], selling: Sequence[PartyId]
) -> tuple[Externality, ...]:
    """Return what the presence of each trader takes from the gains of the others.

    A seller's cost is negative where its presence brings gains to others.
    """
    k, values, costs = market.gainful, market.values, market.costs
    best = sum(map(to_fraction, values[:k])) - sum(map(to_fraction, costs[:k]))
    buyer_cost = to_fraction(max([costs[k - 1], *values[k : k + 1]]))
    seller_cost = -to_fraction(min([values[k - 1], *costs[k : k + 1]]))
    found = []
    own = {name: to_fraction(one) for name, one in market.buyers.offers}
    own |= {name: -to_fraction(one) for name, one in market.sellers.offers}
    for name in sorted((*buying, *selling)):
        cost = buyer_cost if name in buying else seller_cost
        beside = best - own[name]
        found.append(
            Externality(
                winner=name,
                others_without=market.back(beside + cost),
                others_with=market.back(beside),
                cost=market.back(cost),
            )
        )
    return tuple(found)


def _minimum_bids(
    market: _Market, buying: Sequence[PartyId], selling: Sequence[PartyId]
) -> tuple[MinimumBid, ...]:
    """Return what it takes to trade, for those that do not.

    Both rules are truthful, so the price that a party would trade at, were its bid beyond all
    others of both sides, is the bid it needs: more than this for a buyer, less for a seller.
    """
    both = len(market.values) + len(market.costs)
    known = [to_fraction(one) for one in (*market.values, *market.costs)]
    beyond = (max(known) + 1, min(known) - 1)
    found = []
    for name, _ in (*market.buyers.offers, *market.sellers.offers) if both <= _ASKED else ():
        if name in buying or name in selling:
            continue
        is_buyer = name in dict(market.buyers.offers)
        terms = _terms(_changed(market, name, beyond[0] if is_buyer else beyond[1]))
        amount = terms.buyer_pays if is_buyer else terms.seller_gets
        at_amount = _at(_changed(market, name, amount), is_buyer=is_buyer, amount=amount)
        found.append(MinimumBid(bidder=name, amount=amount, at_amount=at_amount))
    return tuple(sorted(found, key=lambda one: one.bidder))


def _changed(market: _Market, name: PartyId, amount: Exact) -> _Market:
    """Return the market with another bid of one party."""

    def side(bids: Bids) -> Bids:
        offers = tuple((one, amount if one == name else bid) for one, bid in bids.offers)
        return replace(bids, offers=offers)

    return replace(market, buyers=side(market.buyers), sellers=side(market.sellers))


def _at(market: _Market, *, is_buyer: bool, amount: Exact) -> Literal["wins", "lot"]:
    """Tell what happens to a party that bids exactly the amount."""
    ordered: list[Exact] = market.values if is_buyer else market.costs
    return "lot" if amount in ordered[_terms(market).trades :] else "wins"


def _untraded(market: _Market) -> AuctionNoSale:
    k = market.gainful
    values, costs = market.values, market.costs
    highest = values[0] if values else None
    short: Exact | None = None
    reason: NoSaleReason
    unblock: tuple[str, ...]
    if not values or not costs:
        reason = "no_bids"
        side = "buyer" if not values else "seller"
        says, unblock = f"No trade: there is no {side}.", (f"a {side}",)
    elif k:
        reason = "too_few_bidders"
        says = "No trade: McAfee's rule drops the only gainful one, as no other party prices it."
        unblock = ("another buyer and another seller", "double_vcg, which runs a deficit")
    else:
        reason = "below_reserve"
        short = market.back(to_fraction(costs[0]) - to_fraction(values[0]))
        best, least = money(values[0], market.unit), money(costs[0], market.unit)
        says = f"No trade: the highest bid {best} is below the lowest cost {least}."
        unblock = (f"a bid of at least {least}", f"a cost of at most {best}")
    return AuctionNoSale(
        reason=reason,
        highest_bid=highest,
        unblock=unblock,
        unit=market.unit,
        short=short,
        refused=market.inputs.refused,
        assumptions=ASSUMPTIONS[market.rule],
        says=says,
        grounds=market.inputs.grounds(reason, scores=market.scores),
    )
