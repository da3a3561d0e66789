"""Combinatorial auction: different items, bids on bundles; who wins what, and pays what?

Here: VCG with XOR bids, exact or refused.
Not here: reading bids (bundles.py), determining winners (determination.py).
Sources: SEMANTICS A2, A4, G4; Clarke 1971; Groves 1973; Cramton, Shoham and Steinberg 2006.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, TypedDict, Unpack

from comity.core.canonical import plain
from comity.core.errors import Fault, did_you_mean, raise_if, shown
from comity.core.exact import Exact, like, show_number, to_fraction
from comity.core.results import Item
from comity.mechanisms.auctions.assumptions import BUNDLES
from comity.mechanisms.auctions.bids import Amount, Faulty, RefusedBid, check_faulty, whole_number
from comity.mechanisms.auctions.bundles import (
    BundleBids,
    BundleOffer,
    Bundles,
    Terms,
    pack,
    read_bundles,
)
from comity.mechanisms.auctions.determination import METHODS, Determined, Search, determine
from comity.mechanisms.auctions.inputs import Inputs, by_bidder
from comity.mechanisms.auctions.lots import Lots, Seed, read_seed, seed_json
from comity.mechanisms.auctions.packing import Packing
from comity.mechanisms.auctions.results import (
    AuctionAward,
    AuctionNoSale,
    Externality,
    Flag,
    MinimumBid,
    PriceSetter,
    Proof,
    money,
)

__all__ = ["CombinatorialOptions", "combinatorial_vcg"]


NO_COMPETITION = ("no competition: one bidder reached the reserves",)


class CombinatorialOptions(TypedDict, total=False):
    """The lesser options of :func:`combinatorial_vcg`.

    Attributes:
        unit: the unit of every amount.
        seed: what a tie is drawn by; without one, by the digest of the bids.
        faulty: ``"raise"`` or ``"refuse"``, as in `vickrey`.
        search: which method, and how many states.
    """

    unit: str
    seed: Seed
    faulty: Faulty
    search: Search


def combinatorial_vcg(
    bids: BundleBids,
    *,
    items: Sequence[str] | None = None,
    reserves: Mapping[str, Amount] | None = None,
    **options: Unpack[CombinatorialOptions],
) -> AuctionAward | AuctionNoSale:
    """Sell different items to bids on bundles; each winner pays what the others lose by it.

    Of the bids of one bidder at most one wins. The best allocation brings most over the reserves;
    of those that bring as much, the one that sells more at its reserves. All that are as good are
    a tie, drawn by lot.

    Args:
        bids: a list of `BundleBid` or (bidder, items, amount), or bidder -> (items, amount)s.
        items: what is on sale; None: whatever is bid on.
        reserves: item -> the least price of it alone; items without one have none.
        **options: see :class:`CombinatorialOptions`.

    Returns:
        The award with each winner's bundle and payment and the proof, or the no-sale.

    Raises:
        InvalidInput: with every fault at once; when no method can prove an optimum.

    Example:
        >>> bids = [("g", "AB", 10), ("x", "A", 6)]
        >>> sale = combinatorial_vcg([(who, list(what), much) for who, what, much in bids])
        >>> sale.winners, sale.payments[0].value, sale.proof.method
        ((('g', 'A, B'),), 6, 'dynamic_programme')
    """
    faults: list[Fault] = []
    known = CombinatorialOptions.__annotations__
    given: dict[str, Any] = dict(options)
    for name in sorted(given.keys() - known.keys()):
        near = did_you_mean(name, known)
        faults.append(
            Fault("combinatorial_vcg", f"has no option {name!r}", ", ".join(known), near)
        )
    faulty, unit = given.get("faulty", "raise"), given.get("unit", "")
    check_faulty(faulty, unit, faults)
    search = _read_search(given.get("search", Search()), faults)
    seed = read_seed(given.get("seed"), faults)
    bundles = read_bundles(bids, Terms(items, reserves, unit, faulty), faults)
    raise_if(faults)
    sale = _Sale(bundles=bundles, unit=bundles.unit, seed=seed, search=search)
    if not sale.packing.bids:
        return _unsold(sale)
    lots = sale.inputs.lots()
    found = determine(sale.packing, search, lots, sale.named)
    return _sold(sale, found, lots)


def _read_search(search: object, faults: list[Fault]) -> Search:
    if not isinstance(search, Search):
        faults.append(Fault("search", f"is {shown(search)}", "a Search", "give Search(method=…)"))
        return Search()
    known = ("auto", *METHODS)
    if search.method not in known:
        near = did_you_mean(str(search.method), known)
        what = f"method is {shown(search.method)}"
        faults.append(Fault("search", what, ", ".join(known), near))
    whole_number(search.nodes, "nodes", faults)
    return search


@dataclass(frozen=True, kw_only=True)
class _Sale:
    """Items on sale, every input read."""

    bundles: Bundles
    unit: str
    seed: str | tuple[Exact, ...] | None
    search: Search

    @cached_property
    def _packed(self) -> tuple[Packing, tuple[RefusedBid, ...]]:
        return pack(self.bundles)

    @property
    def packing(self) -> Packing:
        return self._packed[0]

    @cached_property
    def refused(self) -> tuple[RefusedBid, ...]:
        return by_bidder((*self.bundles.refused, *self._packed[1]))

    def offer(self, at: int) -> BundleOffer:
        """Return the offer that a bid of the packing was read from."""
        return self.bundles.offers[self.packing.bids[at].offer]

    def named(self, chosen: Sequence[int]) -> str:
        offers = [self.offer(at) for at in chosen]
        return "; ".join(f"{one.bidder}: {', '.join(one.items)}" for one in offers)

    @cached_property
    def _models(self) -> list[Exact]:
        return [one.amount for one in self.bundles.offers] + [n for _, n in self.bundles.reserves]

    def back(self, value: Fraction | Exact) -> Exact:
        return like(to_fraction(value), *self._models)

    def net(self, whole: int) -> Fraction:
        return Fraction(self.packing.parted(whole)[0], self.packing.scale)

    @cached_property
    def inputs(self) -> Inputs:
        by_name: dict[str, list[list[object]]] = {}
        for one in self.bundles.offers:
            by_name.setdefault(one.bidder, []).append([list(one.items), one.amount])
        return Inputs(
            rule="combinatorial_vcg",
            submitted=tuple((name, plain(own)) for name, own in by_name.items()),
            refused=self.bundles.refused,
            parameters=(
                ("items", list(self.bundles.items)),
                ("reserves", plain(dict(self.bundles.reserves))),
                ("unit", self.unit),
                ("method", self.search.method),
                ("nodes", self.search.nodes),
                ("seed", seed_json(self.seed)),
            ),
            seed=self.seed,
        )


def _sold(sale: _Sale, found: Determined, lots: Lots) -> AuctionAward:
    worth, pays = {}, {}
    setters, costs = [], []
    for at in found.chosen:
        bid, offer = sale.packing.bids[at], sale.offer(at)
        floor = sale.bundles.reserve_of(offer.items)
        beside = found.value - bid.value
        cost = floor + sale.net(found.without[bid.bidder] - beside)
        worth[offer.bidder], pays[offer.bidder] = to_fraction(offer.amount), cost
        is_floor = cost == floor
        setters.append(
            PriceSetter(
                winner=offer.bidder,
                price=sale.back(cost),
                set_by="reserve" if is_floor else "externality",
            )
        )
        costs.append(
            Externality(
                winner=offer.bidder,
                others_without=sale.back(sale.net(beside) + cost),
                others_with=sale.back(sale.net(beside)),
                cost=sale.back(cost),
            )
        )
    welfare, revenue = sum(worth.values()), sum(pays.values())
    flags, notes = _remarks(sale, found, revenue)
    won = [sale.offer(at) for at in found.chosen]
    at_price = {name: show_number(sale.back(one)) for name, one in pays.items()}
    parts = [f"{o.bidder} wins {', '.join(o.items)} at {at_price[o.bidder]}" for o in won]
    return AuctionAward(
        winners=tuple((one.bidder, ", ".join(one.items)) for one in won),
        payments=tuple(Item(name, sale.back(one)) for name, one in pays.items()),
        unit=sale.unit,
        price_set_by=tuple(setters),
        minimum_bids=_minimum_bids(sale, found),
        externalities=tuple(costs),
        welfare=sale.back(welfare),
        revenue=sale.back(revenue),
        surpluses=tuple(Item(name, sale.back(worth[name] - one)) for name, one in pays.items()),
        refused=sale.refused,
        flags=flags,
        assumptions=BUNDLES,
        proof=Proof(
            method=found.method,
            bound=sale.back(welfare),
            nodes=found.nodes,
            optima=found.optima,
            listed=found.listed,
        ),
        notes=notes,
        says=f"{'; '.join(parts)}; together {money(sale.back(revenue), sale.unit)}.",
        grounds=sale.inputs.grounds(
            "proven best", lots=lots, thin=NO_COMPETITION if "no_competition" in flags else ()
        ),
    )


def _remarks(
    sale: _Sale, found: Determined, revenue: Fraction | int
) -> tuple[tuple[Flag, ...], tuple[str, ...]]:
    """Return the flags and notes of an award."""
    flags: list[Flag] = ["no_competition"] if sale.packing.bidders == 1 else []
    notes = []
    if not found.listed:
        notes.append(f"{found.optima} allocations are worth as much, too many to list")
    missing = len(sale.packing.bids) - len(found.needed) - _of_winners(sale, found)
    if missing:
        notes.append(f"what {missing} losing bids would have needed was not computed")
    losing = [to_fraction(sale.offer(at).amount) for at in found.needed]
    if 2 * revenue < max(losing, default=0):
        flags.append("low_core")
        notes.append("the seller gets less than half of what one losing bid offered")
    return tuple(flags), tuple(notes)


def _of_winners(sale: _Sale, found: Determined) -> int:
    winners = {sale.packing.bids[at].bidder for at in found.chosen}
    return sum(bid.bidder in winners for bid in sale.packing.bids)


def _minimum_bids(sale: _Sale, found: Determined) -> tuple[MinimumBid, ...]:
    minimums = []
    for at, needed in found.needed.items():
        offer = sale.offer(at)
        own = sale.packing.parted(sale.packing.bids[at].value)[1]
        steps, rest = sale.packing.parted(needed)
        at_amount: Literal["wins", "lot", "loses"] = "wins" if own > rest else "loses"
        if own == rest and (steps or own):
            at_amount = "lot"
        minimums.append(
            MinimumBid(
                bidder=offer.bidder,
                amount=sale.back(sale.bundles.reserve_of(offer.items) + sale.net(needed)),
                at_amount=at_amount,
                bundle=offer.items,
            )
        )
    return tuple(sorted(minimums, key=lambda one: (one.bidder, one.bundle)))


def _unsold(sale: _Sale) -> AuctionNoSale:
    offers = sale.bundles.offers
    highest = max((one.amount for one in offers), default=None)
    unblock: tuple[str, ...]
    if highest is None:
        says, unblock = "No sale: nobody bid.", ("a bid that reaches the reserve of its items",)
    else:
        says = "No sale: no bid above 0 reaches the reserve of its items."
        unblock = ("a bid that reaches the reserve of its items", "lower reserves")
    return AuctionNoSale(
        reason="no_bids" if highest is None else "below_reserve",
        highest_bid=highest,
        unblock=unblock,
        unit=sale.unit,
        refused=sale.refused,
        assumptions=BUNDLES,
        says=says,
        grounds=sale.inputs.grounds("no_bids" if highest is None else "below_reserve"),
    )
