"""Several units: k equal units, one bid per unit wanted; who gets how many, at what price?

Here: one price for all (the highest losing bid) and VCG, with falling marginal bids.
Not here: the cut and the payments in whole numbers (clearing.py), different items
(combinatorial.py), a million bidders without a record of each (bulk.py).
Sources: SEMANTICS A2, A4, G4; Vickrey 1961; Krishna 2010 §12-13.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice, pairwise
from math import lcm
from typing import Literal

from comity.core.canonical import plain
from comity.core.errors import Fault, raise_if, shown
from comity.core.exact import Exact, like, show_number, to_fraction
from comity.core.parties import PartyId, name_fault
from comity.core.results import Item, NoSaleReason
from comity.mechanisms.auctions.assumptions import ASSUMPTIONS
from comity.mechanisms.auctions.bids import (
    Amount,
    Faulty,
    RefusedBid,
    amount_of,
    check_faulty,
    name_text,
    read_reserve,
    set_aside,
    whole_number,
)
from comity.mechanisms.auctions.clearing import Cut, cut, payments
from comity.mechanisms.auctions.inputs import Inputs, by_bidder
from comity.mechanisms.auctions.lots import Lots, Seed, read_seed, seed_json
from comity.mechanisms.auctions.results import (
    AuctionAward,
    AuctionNoSale,
    Externality,
    Flag,
    MinimumBid,
    PriceSetter,
    money,
)

__all__ = ["LISTED_AT_MOST", "UnitBids", "multi_unit_vcg", "settled", "uniform_price"]

LISTED_AT_MOST = 1_000
"""Equal optimal allocations up to this number are listed in the tie."""

UnitBids = Mapping[str, Amount | Sequence[Amount]]
"""Bidder -> its bid for one unit, or its bids for the first, second, ... unit, none rising."""

UnitRule = Literal["uniform_price", "multi_unit_vcg"]


def multi_unit_vcg(
    bids: UnitBids,
    *,
    units: int,
    reserve: Amount,
    unit: str = "",
    seed: Seed = None,
    faulty: Faulty = "raise",
) -> AuctionAward | AuctionNoSale:
    """Sell k equal units; each winner pays what the others lose by its presence.

    Args:
        bids: bidder -> bid, or its marginal bids, none higher than the one before.
        units: how many units are sold.
        reserve: the least price of a unit; ``reserve=0`` says that there is none.
        unit: the unit of every amount.
        seed: what a tie is drawn by; without one, by the digest of the bids.
        faulty: ``"raise"`` or ``"refuse"``, as in `vickrey`.

    Returns:
        The award with each winner's quantity and payment, or the no-sale.

    Raises:
        InvalidInput: with every fault at once, each naming the bidder.

    Example:
        >>> sale = multi_unit_vcg({"a": [10, 6, 2], "b": [8, 5], "c": 7}, units=3, reserve=0)
        >>> sale.quantities, [item.value for item in sale.payments]
        ((('a', 1), ('b', 1), ('c', 1)), [5, 6, 6])
    """
    return _sell("multi_unit_vcg", bids, units, (reserve, unit, seed, faulty))


def uniform_price(
    bids: UnitBids,
    *,
    units: int,
    reserve: Amount,
    unit: str = "",
    seed: Seed = None,
    faulty: Faulty = "raise",
) -> AuctionAward | AuctionNoSale:
    """Sell k equal units at one price, the highest bid that loses.

    Who wants several units may set its own price by its next bid, and so gains by hiding demand.

    Args:
        bids: bidder -> bid, or its marginal bids, none higher than the one before.
        units: how many units are sold.
        reserve: the least price of a unit.
        unit: the unit of every amount.
        seed: what a tie is drawn by.
        faulty: ``"raise"`` or ``"refuse"``, as in `vickrey`.

    Returns:
        The award, flagged ``demand_is_reduced`` where somebody bids for several units.

    Raises:
        InvalidInput: with every fault at once, each naming the bidder.

    Example:
        >>> uniform_price({"a": [10, 9], "b": 4, "c": 3}, units=1, reserve=0).price
        9
    """
    return _sell("uniform_price", bids, units, (reserve, unit, seed, faulty))


# --- reading -----------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class _Sale:
    """Equal units on sale, every input read."""

    rule: UnitRule
    rows: tuple[tuple[PartyId, tuple[Exact, ...]], ...]
    refused: tuple[RefusedBid, ...]
    units: int
    reserve: Exact
    unit: str
    seed: str | tuple[Exact, ...] | None

    @cached_property
    def models(self) -> list[Exact]:
        return [self.reserve, *(one for _, row in self.rows for one in row)]

    @cached_property
    def scale(self) -> int:
        return lcm(*(to_fraction(one).denominator for one in self.models))

    @cached_property
    def whole(self) -> list[list[int]]:
        return [[int(to_fraction(one) * self.scale) for one in row] for _, row in self.rows]

    @property
    def whole_reserve(self) -> int:
        return int(to_fraction(self.reserve) * self.scale)

    def back(self, whole: int) -> Exact:
        return like(Fraction(whole, self.scale), *self._few_models)

    @cached_property
    def _few_models(self) -> list[Exact]:
        """One model of each kind is enough, the one with the most decimals."""
        kinds: dict[type, Exact] = {}
        for one in self.models:
            kept = kinds.get(type(one))
            if kept is None or _places(one) > _places(kept):
                kinds[type(one)] = one
        return list(kinds.values())

    @cached_property
    def inputs(self) -> Inputs:
        return Inputs(
            rule=self.rule,
            submitted=tuple((name, plain(row)) for name, row in self.rows),
            refused=self.refused,
            parameters=(
                ("units", self.units),
                ("reserve", plain(self.reserve)),
                ("unit", self.unit),
                ("seed", seed_json(self.seed)),
            ),
            seed=self.seed,
        )

    @property
    def scores(self) -> tuple[Item, ...]:
        return tuple(Item(name, row[0]) for name, row in self.rows if row)


def _places(value: Exact) -> int:
    return -int(value.as_tuple().exponent) if hasattr(value, "as_tuple") else 0


def _read(
    rule: UnitRule, bids: UnitBids, units: int, options: tuple[Amount, str, Seed, Faulty]
) -> _Sale:
    reserve, unit, seed, faulty = options
    faults: list[Fault] = []
    check_faulty(faulty, unit, faults)
    if not isinstance(bids, Mapping):
        allowed = "a mapping from bidder to one bid or a list of marginal bids"
        faults.append(Fault("bids", f"are {shown(bids)}", allowed, "name each bidder"))
        bids = {}
    found: list[tuple[RefusedBid, Fault]] = []
    rows = [(name, _read_row(name, handed, found)) for name, handed in bids.items()]
    refused = set_aside(found, faulty, faults)
    gone = {one.bidder for one in refused}
    floor = read_reserve(reserve, faults)
    count = whole_number(units, "units", faults)
    drawn = read_seed(seed, faults)
    raise_if(faults)
    return _Sale(
        rule=rule,
        rows=tuple(sorted((name, row) for name, row in rows if name_text(name) not in gone)),
        refused=refused,
        units=count,
        reserve=floor,
        unit=unit,
        seed=drawn,
    )


def _read_row(
    name: str, handed: Amount | Sequence[Amount], found: list[tuple[RefusedBid, Fault]]
) -> tuple[Exact, ...]:
    is_list = isinstance(handed, (list, tuple))
    row: Sequence[Amount] = handed if is_list else [handed]  # type: ignore[assignment, list-item]  # as is_list says
    wrong = name_fault(name, "bidder")
    if wrong is not None:
        found.append((RefusedBid(name_text(name), shown(handed), "name", wrong.what), wrong))
    text = shown(handed) if is_list else ""
    read = [amount_of(one, name, found, text) for one in row]
    amounts = [one for one in read if one is not None]
    for before, after in pairwise(amounts):
        if after > before:
            fault = Fault(
                f"bid of {shown(name)}",
                f"rises from {show_number(before)} to {show_number(after)}",
                "marginal bids that do not rise",
                "sort them, or sell bundles by combinatorial_vcg",
            )
            aside = RefusedBid(name_text(name), shown(handed), "rising_marginals", fault.what)
            found.append((aside, fault))
            break
    return tuple(amounts)


# --- selling -----------------------------------------------------------------------------------


def _sell(
    rule: UnitRule, bids: UnitBids, units: int, options: tuple[Amount, str, Seed, Faulty]
) -> AuctionAward | AuctionNoSale:
    sale = _read(rule, bids, units, options)
    found = cut(sale.whole, sale.units, sale.whole_reserve)
    if found.level is None:
        return _unsold(sale)
    lots = sale.inputs.lots()
    quantities = settled(found, [name for name, _ in sale.rows], lots)
    return _sold(sale, found, quantities, lots)


def settled(found: Cut, names: Sequence[PartyId], lots: Lots) -> list[int]:
    """Give out the contested units: a lot among all optimal allocations.

    Up to `LISTED_AT_MOST` of them are listed and one is drawn. Of more, the contested bids are
    put in the order of their own hashes and the first ones win: of bidders with one contested bid
    each, every choice is still equally likely.

    Args:
        found: the cut.
        names: the bidders, in the order of the cut.
        lots: where the draw is noted.

    Returns:
        Units won, per bidder.

    Example:
        >>> found = cut([[5, 5], [5, 0]], 2, 0)
        >>> settled(found, ["a", "b"], Lots((0,), "00"))
        [1, 1]
    """
    won = list(found.sure)
    if not found.slots:
        return won
    at = [(i, count) for i, count in enumerate(found.contested) if count]
    # so many bidders contest in at least as many ways: no need to begin to list them
    most = LISTED_AT_MOST + 1 if len(at) <= LISTED_AT_MOST else 0
    listed = list(islice(_shares([count for _, count in at], found.slots), most))
    if len(listed) < most:
        by_text = {}
        for shares in listed:
            taken = list(won)
            for (i, _), more in zip(at, shares, strict=True):
                taken[i] += more
            by_text[_text(names, taken)] = taken
        return by_text[lots.pick("units", sorted(by_text))]
    tickets = {f"{names[i]}#{one}": i for i, count in at for one in range(count)}
    for ticket in lots.order("units", list(tickets))[: found.slots]:
        won[tickets[ticket]] += 1
    return won


def _text(names: Sequence[PartyId], quantities: Sequence[int]) -> str:
    pairs = [f"{name} {won}" for name, won in zip(names, quantities, strict=True) if won]
    return ", ".join(pairs)


def _shares(counts: Sequence[int], slots: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to give out slots when each bidder takes at most its count.

    The first bidders are served first; each next way moves one slot from the last bidder that can
    spare one to those behind it.
    """
    taken = [0] * len(counts)
    _fill(taken, counts, 0, slots)
    while True:
        yield tuple(taken)
        behind, room = 0, 0
        for at in reversed(range(len(counts))):
            if taken[at] and room:
                taken[at] -= 1
                _fill(taken, counts, at + 1, behind + 1)
                break
            behind += taken[at]
            room += counts[at] - taken[at]
        else:
            return


def _fill(taken: list[int], counts: Sequence[int], start: int, slots: int) -> None:
    for at in range(start, len(counts)):
        taken[at] = min(counts[at], slots)
        slots -= taken[at]


def _sold(sale: _Sale, found: Cut, quantities: list[int], lots: Lots) -> AuctionAward:
    charged = payments(sale.whole, quantities, sale.whole_reserve)
    at = [i for i, won in enumerate(quantities) if won]
    if sale.rule == "uniform_price":
        paid = {i: found.rejected * quantities[i] for i in at}
    else:
        paid = {i: charged[i] for i in at}
    worth = {i: sum(sale.whole[i][: quantities[i]]) for i in at}
    welfare, revenue = sum(worth.values()), sum(paid.values())
    names = [name for name, _ in sale.rows]
    sold = sum(quantities)
    wants_several = any(len(row) > 1 for _, row in sale.rows)
    is_alone = sum(bool(row) and row[0] >= sale.reserve for _, row in sale.rows) == 1
    flags: list[Flag] = ["no_competition"] if is_alone else []
    if sale.rule == "uniform_price" and wants_several:
        flags.append("demand_is_reduced")
    left = sale.units - sold
    return AuctionAward(
        winners=tuple((names[i], _units(quantities[i])) for i in at),
        payments=tuple(Item(names[i], sale.back(paid[i])) for i in at),
        unit=sale.unit,
        reserve=sale.reserve,
        price_set_by=_setters(sale, found, quantities, paid),
        minimum_bids=_minimum_bids(sale, quantities),
        externalities=tuple(
            Externality(
                winner=names[i],
                others_without=sale.back(welfare - worth[i] + charged[i]),
                others_with=sale.back(welfare - worth[i]),
                cost=sale.back(charged[i]),
            )
            for i in at
        ),
        welfare=sale.back(welfare),
        revenue=sale.back(revenue),
        surpluses=tuple(Item(names[i], sale.back(worth[i] - paid[i])) for i in at),
        quantities=tuple((names[i], quantities[i]) for i in at),
        refused=by_bidder((*sale.refused, *_below(sale))),
        flags=tuple(flags),
        assumptions=ASSUMPTIONS[sale.rule],
        notes=(f"{_units(left)} found no bid at the reserve",) if left else (),
        says=(
            f"{_text(names, quantities)}: {_units(sold)} sold for "
            f"{money(sale.back(revenue), sale.unit)}"
            + (
                f", {money(sale.back(found.rejected))} each."
                if sale.rule == "uniform_price"
                else "."
            )
        ),
        grounds=sale.inputs.grounds(
            "bids opened",
            lots=lots,
            thin=("no competition: one bidder reached the reserve",) if is_alone else (),
            scores=sale.scores,
            margin=sale.back(found.level - found.rejected) if found.level is not None else None,
        ),
    )


def _units(count: int) -> str:
    return f"{count} {'unit' if count == 1 else 'units'}"


def _setters(
    sale: _Sale, found: Cut, quantities: Sequence[int], paid: Mapping[int, int]
) -> tuple[PriceSetter, ...]:
    if sale.rule == "uniform_price":
        whose = tuple(
            name
            for (name, _), row, won in zip(sale.rows, sale.whole, quantities, strict=True)
            if found.rejected in row[won:]
        )
    setters = []
    for i, amount in paid.items():
        name = sale.rows[i][0]
        if sale.rule == "multi_unit_vcg":
            is_floor = amount == sale.whole_reserve * quantities[i]
            setters.append(
                PriceSetter(
                    winner=name,
                    price=sale.back(amount),
                    set_by="reserve" if is_floor else "externality",
                )
            )
        else:
            setters.append(
                PriceSetter(
                    winner=name,
                    price=sale.back(found.rejected),
                    set_by="bid" if whose else "reserve",
                    whose=whose,
                )
            )
    return tuple(setters)


def _minimum_bids(sale: _Sale, quantities: Sequence[int]) -> tuple[MinimumBid, ...]:
    """Return what each bidder without a unit would have had to bid for one."""
    floor = sale.whole_reserve
    highest = sorted((one for row in sale.whole for one in row if one >= floor), reverse=True)
    is_full = len(highest) >= sale.units
    found = []
    for (name, _), won in zip(sale.rows, quantities, strict=True):
        if not won:
            # its own bids lose, so the last winning one is another's
            amount = sale.back(highest[sale.units - 1] if is_full else floor)
            at_amount: Literal["lot", "wins"] = "lot" if is_full else "wins"
            found.append(MinimumBid(bidder=name, amount=amount, at_amount=at_amount))
    return tuple(found)


def _below(sale: _Sale) -> list[RefusedBid]:
    floor = show_number(sale.reserve)
    found = []
    for name, row in sale.rows:
        low = [one for one in row if one < sale.reserve]
        if low:
            text = ", ".join(map(show_number, low))
            says = f"bids {text}, below the reserve {floor}"
            found.append(RefusedBid(name, text, "below_reserve", says))
    return found


def _unsold(sale: _Sale) -> AuctionNoSale:
    highest = max((one for _, row in sale.rows for one in row), default=None)
    floor = money(sale.reserve, sale.unit)
    reason: NoSaleReason = "no_bids" if highest is None else "below_reserve"
    short: Exact | None = None
    unblock: tuple[str, ...] = (f"a bid of at least {floor}",)
    if highest is None:
        says = "No sale: nobody bid."
    else:
        short = like(to_fraction(sale.reserve) - to_fraction(highest), sale.reserve, highest)
        says = (
            f"No sale: the highest bid {money(highest, sale.unit)} is below the reserve {floor}."
        )
        unblock = (*unblock, f"a reserve of at most {money(highest, sale.unit)}")
    return AuctionNoSale(
        reason=reason,
        highest_bid=highest,
        unblock=unblock,
        unit=sale.unit,
        reserve=sale.reserve,
        short=short,
        minimum_bids=_minimum_bids(sale, [0] * len(sale.rows)),
        refused=by_bidder((*sale.refused, *_below(sale))),
        assumptions=ASSUMPTIONS[sale.rule],
        says=says,
        grounds=sale.inputs.grounds(reason, scores=sale.scores),
    )
