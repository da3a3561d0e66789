"""Bundles: which bids on sets of items can win together, in whole numbers?

Here: reading bids on bundles with every fault at once, and the packing problem they make: items
as bits, at most one bid of each bidder, values over the reserves.
Not here: solving it (packing.py and what it builds on), payments and results (combinatorial.py).
Sources: SEMANTICS A2, G5-G7; Cramton, Shoham and Steinberg 2006, ch. 9 (XOR bids).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

from comity.core.errors import Fault, InvalidInput, did_you_mean, shown
from comity.core.exact import Exact, read_exact, show_number, to_fraction
from comity.core.parties import PartyId, name_fault
from comity.core.units import unit_faults
from comity.mechanisms.auctions.bids import (
    Amount,
    Faulty,
    RefusedBid,
    amount_of,
    name_text,
    set_aside,
)
from comity.mechanisms.auctions.packing import PackedBid, Packing

__all__ = ["BundleBid", "BundleBids", "BundleOffer", "Bundles", "Terms", "pack", "read_bundles"]


@dataclass(frozen=True, slots=True)
class BundleBid:
    """One bid on a set of items; of all bids of one bidder at most one wins (XOR).

    Attributes:
        bidder: who bids.
        items: the items, all or none of them.
        amount: how much for all of them together.
        unit: in what; None for the unit of the auction.

    Example:
        >>> BundleBid("a", ("A", "B"), 8).items
        ('A', 'B')
    """

    bidder: PartyId
    items: Sequence[str]
    amount: Amount
    unit: str | None = None


BundleBids = (
    Sequence[BundleBid]
    | Sequence[tuple[str, Sequence[str], Amount]]
    | Mapping[str, Sequence[tuple[Sequence[str], Amount]]]
)
"""A list of bids or of (bidder, items, amount), or bidder -> list of (items, amount)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleOffer:
    """A bid that was read.

    Attributes:
        bidder: who bids.
        items: the items, sorted.
        amount: how much.

    Example:
        >>> BundleOffer(bidder="a", items=("A",), amount=5).amount
        5
    """

    bidder: PartyId
    items: tuple[str, ...]
    amount: Exact


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundles:
    """All bids on bundles that were read.

    Attributes:
        offers: sorted by bidder and items.
        items: every item on sale, sorted.
        reserves: item -> the least price of it alone; only those above 0.
        refused: bids that were set aside.
        unit: the one unit of all amounts, ``""`` when none is named.

    Example:
        >>> Bundles(offers=(), items=("A",)).reserve_of(("A",))
        Fraction(0, 1)
    """

    offers: tuple[BundleOffer, ...]
    items: tuple[str, ...]
    reserves: tuple[tuple[str, Exact], ...] = ()
    refused: tuple[RefusedBid, ...] = ()
    unit: str = ""

    def reserve_of(self, items: Iterable[str]) -> Fraction:
        """Return the least price of a bundle: the sum of its items' reserves."""
        floors = dict(self.reserves)
        return sum((to_fraction(floors[one]) for one in items if one in floors), Fraction(0))


@dataclass(frozen=True, slots=True)
class Terms:
    """On what terms bids on bundles are read.

    Attributes:
        items: what is on sale; None: whatever is bid on.
        reserves: item -> the least price of it alone.
        unit: the auction's unit, ``""`` when it names none.
        faulty: whether a bid that cannot be read is a fault of the call or is set aside.

    Example:
        >>> Terms().faulty
        'raise'
    """

    items: Sequence[str] | None = None
    reserves: Mapping[str, Amount] | None = None
    unit: str = ""
    faulty: Faulty = "raise"


def read_bundles(bids: BundleBids, terms: Terms, faults: list[Fault]) -> Bundles:
    """Read bids on bundles.

    Args:
        bids: as callers hand them in.
        terms: what is on sale, and on what terms.
        faults: where faults of the call are noted.

    Returns:
        The bids, sorted.

    Example:
        >>> read_bundles([("a", ["B", "A"], "8.5")], Terms(), []).offers[0].items
        ('A', 'B')
    """
    known = _read_items(terms.items, faults)
    found: list[tuple[RefusedBid, Fault]] = []
    listed = _listed(bids, faults)
    units = {shown(one.bidder): one.unit for one in listed if isinstance(one.unit, str)}
    found.extend(_unit_faults(listed, terms.unit))
    if not terms.unit:
        faults.extend(unit_faults(units, for_what="comparing bids"))
    offers = [offer for one in listed if (offer := _read_bid(one, known, found)) is not None]
    twice = Counter((one.bidder, one.items) for one in offers)
    for (bidder, bundle), times in sorted(twice.items()):
        if times > 1:
            fault = Fault(
                f"bid of {shown(bidder)}",
                f"on {', '.join(bundle)} was handed in {times} times",
                "one bid per bidder and bundle",
                "keep one",
            )
            aside = RefusedBid(bidder, ", ".join(bundle), "duplicate", fault.what)
            found.append((aside, fault))
    gone = {key for key, times in twice.items() if times > 1}
    strange = {one.bidder for one, _ in found if one.reason == "unit"}
    refused = set_aside(found, terms.faulty, faults)
    kept = [o for o in offers if (o.bidder, o.items) not in gone and o.bidder not in strange]
    on_sale = known if known is not None else {item for one in kept for item in one.items}
    floors = _read_reserves(terms.reserves, on_sale, faults)
    return Bundles(
        offers=tuple(sorted(kept, key=lambda one: (one.bidder, one.items))),
        items=tuple(sorted(on_sale)),
        reserves=floors,
        refused=refused,
        unit=terms.unit or next(iter(units.values()), ""),
    )


def _unit_faults(bids: Sequence[BundleBid], unit: str) -> list[tuple[RefusedBid, Fault]]:
    found = []
    for one in bids:
        is_named = isinstance(one.unit, str)
        if one.unit is not None and (not is_named or (unit and one.unit != unit)):
            whose = shown(one.bidder)
            what = f"is in {shown(one.unit)}, the auction is in {unit!r}"
            allowed = f"amounts in {unit or 'a unit that has a name'}"
            fault = Fault(f"bid of {whose}", what, allowed, "convert it first")
            name = name_text(one.bidder)
            found.append((RefusedBid(name, shown(one.amount), "unit", what), fault))
    return found


def _read_items(items: Sequence[str] | None, faults: list[Fault]) -> set[str] | None:
    if items is None:
        return None
    listed = _list_of(items)
    wrong = [fault for one in listed if (fault := name_fault(one, "item")) is not None]
    repeats = [one for one, times in Counter(map(shown, listed)).items() if times > 1]
    if not listed or repeats:
        what = f"list {', '.join(sorted(repeats))} twice" if repeats else f"are {shown(items)}"
        wrong.append(Fault("items", what, "a list of at least one item, each once", "list them"))
    faults.extend(wrong)
    return None if wrong else {one for one in listed if isinstance(one, str)}


def _list_of(handed: object) -> list[object]:
    return list(handed) if isinstance(handed, (list, tuple, set, frozenset)) else []


def _listed(bids: BundleBids, faults: list[Fault]) -> list[BundleBid]:
    allowed = "a list of (bidder, items, amount), or bidder -> list of (items, amount)"
    listed: list[object] = []
    given: object = bids
    if isinstance(given, Mapping):
        for bidder, own in given.items():
            for one in own if isinstance(own, (list, tuple)) else [own]:
                is_pair = isinstance(one, (list, tuple)) and len(one) == 2
                listed.append((bidder, *one) if is_pair else one)
    elif isinstance(given, (list, tuple)):
        listed = list(given)
    else:
        faults.append(Fault("bids", f"are {shown(bids)}", allowed, "list them"))
    found: list[BundleBid] = []
    for one in listed:
        if isinstance(one, BundleBid):
            found.append(one)
        elif isinstance(one, (list, tuple)) and len(one) == 3:
            found.append(BundleBid(one[0], one[1], one[2]))
        else:
            faults.append(Fault("bids", f"hold {shown(one)}", allowed, "give all three"))
    return found


def _read_bid(
    bid: BundleBid, known: set[str] | None, found: list[tuple[RefusedBid, Fault]]
) -> BundleOffer | None:
    whose = f"bid of {shown(bid.bidder)}"
    name = name_text(bid.bidder)
    before = len(found)
    wrong = name_fault(bid.bidder, "bidder")
    if wrong is not None:
        found.append((RefusedBid(name, shown(bid.amount), "name", wrong.what), wrong))
    handed = _list_of(bid.items)
    bundle = [one for one in handed if isinstance(one, str) and name_fault(one, "item") is None]
    if len(bundle) < len(handed) or not bundle or len(set(bundle)) < len(bundle):
        told = list(bid.items) if isinstance(bid.items, tuple) else bid.items
        what = f"is on {shown(told)}" if told != [] else "names no items"
        fault = Fault(whose, what, "a list of at least one item, each once", "list the items")
        found.append((RefusedBid(name, shown(bid.amount), "name", fault.what), fault))
    for item in dict.fromkeys(bundle):
        if known is not None and item not in known:
            listed = ", ".join(sorted(known))
            fault = Fault(whose, f"is on {item!r}", listed, did_you_mean(item, known))
            found.append((RefusedBid(name, shown(bid.amount), "name", fault.what), fault))
    amount = amount_of(bid.amount, name, found)
    if amount is None or len(found) > before:
        return None
    return BundleOffer(bidder=name, items=tuple(sorted(bundle)), amount=amount)


def _read_reserves(
    reserves: Mapping[str, Amount] | None, on_sale: set[str], faults: list[Fault]
) -> tuple[tuple[str, Exact], ...]:
    if reserves is not None and not isinstance(reserves, Mapping):
        allowed = "a mapping from item to its least price"
        faults.append(Fault("reserves", f"are {shown(reserves)}", allowed, "name the items"))
        return ()
    found = []
    for item, handed in (reserves or {}).items():
        if item not in on_sale:
            near = did_you_mean(str(item), on_sale)
            what = f"name {shown(item)}"
            faults.append(Fault("reserves", what, ", ".join(sorted(on_sale)) or "nothing", near))
            continue
        try:
            floor = read_exact(handed, "reserves", f"reserve of {item}")
        except InvalidInput as error:
            faults.extend(error.faults)
            continue
        if floor < 0:
            faults.append(Fault("reserves", f"{item} is {floor}", "0 or more", "correct it"))
        if floor:
            found.append((item, floor))
    return tuple(sorted(found))


def pack(bundles: Bundles) -> tuple[Packing, tuple[RefusedBid, ...]]:
    """Return the packing problem of the bids that reach their reserve.

    A choice of bids is worth what it brings over the reserves. Of choices that bring as much, the
    one that sells more at the reserves is better: so a bid that equals its reserve takes what
    would be left. A bid below the reserve takes no part, and neither does a bid of 0, else every
    allocation would tie with the same one without it.

    Args:
        bundles: the bids read.

    Returns:
        The problem, and the bids that take no part.

    Example:
        >>> found = read_bundles([("a", ["A"], 5), ("b", ["A"], 0)], Terms(), [])
        >>> packing, left_out = pack(found)
        >>> len(packing.bids), left_out[0].reason
        (1, 'adds_nothing')
    """
    floors = [bundles.reserve_of(one.items) for one in bundles.offers]
    net = [
        to_fraction(one.amount) - floor for one, floor in zip(bundles.offers, floors, strict=True)
    ]
    scale = lcm(*(one.denominator for one in net))
    unit = Fraction(
        gcd(*(one.numerator for one in floors)) or 1, lcm(*(one.denominator for one in floors))
    )
    fine = 2 * int(bundles.reserve_of(bundles.items) / unit) + 1
    values = [
        int(more * scale) * fine + int(floor / unit)
        for more, floor in zip(net, floors, strict=True)
    ]
    rows = list(enumerate(zip(bundles.offers, net, values, strict=True)))
    bidders = sorted({one.bidder for _, (one, more, value) in rows if more >= 0 and value})
    number = {name: at for at, name in enumerate(bidders)}
    bit = {item: 1 << at for at, item in enumerate(bundles.items)}
    bids, out = [], []
    for at, (one, more, value) in rows:
        if more >= 0 and value:
            mask = sum(bit[item] for item in one.items)
            bids.append(PackedBid(mask, value, number[one.bidder], at))
            continue
        text = f"{show_number(one.amount)} for {', '.join(one.items)}"
        if more:
            says = f"bids {text}, below the reserve {show_number(floors[at])}"
            out.append(RefusedBid(one.bidder, text, "below_reserve", says))
        else:
            says = f"bids {text}, which adds nothing"
            out.append(RefusedBid(one.bidder, text, "adds_nothing", says))
    packing = Packing(
        items=len(bundles.items), bidders=len(bidders), bids=tuple(bids), scale=scale, fine=fine
    )
    return packing, tuple(out)
