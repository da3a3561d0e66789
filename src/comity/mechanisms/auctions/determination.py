"""Winner determination: who wins which bundles, proven best, ties and all?

Here: the ladder of exact methods (table of all sets, branch and bound, CP-SAT), all equal optima
with a lot among them, the value without each winner, what a losing bid would need.
Not here: the methods themselves, payments and results (combinatorial.py).
Sources: SEMANTICS A2, G4: exact or refused, never a silent heuristic; equal optima are a tie.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from comity.core.errors import Fault, InvalidInput
from comity.mechanisms.auctions import cpsat
from comity.mechanisms.auctions.item_prices import prices, upper_of
from comity.mechanisms.auctions.lots import Lots
from comity.mechanisms.auctions.packing import (
    NODES_AT_MOST,
    Optima,
    Packing,
    SearchGaveUp,
    Upper,
    best,
)
from comity.mechanisms.auctions.subset_table import ITEMS_AT_MOST, table, without_each

__all__ = [
    "CPSAT_LISTED_AT_MOST",
    "METHODS",
    "OPTIMA_LISTED_AT_MOST",
    "Determined",
    "Method",
    "Search",
    "determine",
]

Method = Literal["dynamic_programme", "branch_and_bound", "cp_sat"]
METHODS: tuple[Method, ...] = ("dynamic_programme", "branch_and_bound", "cp_sat")

OPTIMA_LISTED_AT_MOST = 1_000
"""Equal optima up to this number are listed in the tie; more are counted and drawn by number."""

CPSAT_LISTED_AT_MOST = 100
"""CP-SAT finds equal optima one by one: with more than this the auction is refused."""

_ITEMS_SEARCHED = 400
_PART_FOR_LOSERS = 10  # of the states allowed, one in so many for what losing bids need


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """How winners are determined.

    Attributes:
        method: ``auto`` takes the first of the three that can do it; or the name of one.
        nodes: how many states branch and bound may look at before it gives up.

    Example:
        >>> Search().method
        'auto'
    """

    method: Literal["auto"] | Method = "auto"
    nodes: int = NODES_AT_MOST


@dataclass(frozen=True, slots=True, kw_only=True)
class Determined:
    """Winners, and why nobody does better.

    Attributes:
        method: which method proved it.
        value: what the winning bids are worth, over the reserves.
        nodes: states looked at; None where a solver outside counts its own way.
        chosen: the numbers of the winning bids.
        optima: how many choices are worth as much.
        listed: whether the tie lists them all.
        without: winner -> the value of the best choice without it.
        needed: losing bid -> the value it has to exceed to win; where it was not computed, the
            bid is missing.
    """

    method: Method
    value: int
    nodes: int | None
    chosen: tuple[int, ...]
    optima: int
    listed: bool
    without: dict[int, int]
    needed: dict[int, int]


Naming = Callable[[Sequence[int]], str]
"""The numbers of winning bids -> what stands for them in a tie, the same for no other choice."""


def determine(packing: Packing, search: Search, lots: Lots, naming: Naming) -> Determined:
    """Determine the winners.

    Args:
        packing: the problem.
        search: which method, how many states.
        lots: where a draw among equal optima is noted.
        naming: how a choice of bids is written in a tie.

    Returns:
        The winners with the proof.

    Raises:
        InvalidInput: when no method can prove an optimum, or count the equal ones.

    Example:
        >>> from comity.mechanisms.auctions.packing import PackedBid
        >>> bids = (PackedBid(0b11, 6, 0, 0), PackedBid(0b01, 3, 1, 1), PackedBid(0b10, 4, 2, 2))
        >>> determine(Packing(2, 3, bids, 1), Search(), Lots("7", "00"), str).chosen
        (1, 2)
    """
    wanted = search.method
    fits_table = packing.items <= ITEMS_AT_MOST
    if wanted == "dynamic_programme" and not fits_table:
        raise InvalidInput(
            Fault(
                "auction",
                f"has {packing.items} items, too many for the dynamic programme",
                f"at most {ITEMS_AT_MOST} items",
                "use the method auto, branch_and_bound or cp_sat",
            )
        )
    if wanted == "dynamic_programme" or (wanted == "auto" and fits_table):
        return _by_table(packing, search.nodes, lots, naming)
    if wanted in ("auto", "branch_and_bound"):
        found = _by_branching(packing, search.nodes, lots, naming)
        if found is not None:
            return found
    if wanted == "branch_and_bound" or (wanted == "auto" and cpsat.cp_model_or_none() is None):
        raise InvalidInput(_gave_up(packing, search.nodes))
    return _by_solver(packing, lots, naming)


def _gave_up(packing: Packing, nodes: int) -> Fault:
    return Fault(
        "auction",
        f"has {packing.items} items and {len(packing.bids)} bids: the search gave up after "
        f"{nodes} states without a proof",
        f"{ITEMS_AT_MOST} items and any bids, or what the search can prove",
        "install comity[solver], allow more states, or sell fewer items at once",
    )


# --- the ladder --------------------------------------------------------------------------------


def _by_table(packing: Packing, nodes: int, lots: Lots, naming: Naming) -> Determined:
    values = table(packing)
    listed = values if isinstance(values, list) else values.tolist()
    real = packing.real
    value: int = listed[real]

    def upper(free: int) -> int:
        return int(listed[free & real])

    optima = Optima(packing, upper, value, max(nodes, NODES_AT_MOST))
    if optima.gave_up:
        raise InvalidInput(_too_many(packing, "the dynamic programme"))
    chosen, is_listed = _drawn(optima, lots, naming)
    winners = [packing.bids[at].bidder for at in chosen]
    needed = {}
    for at, bid in enumerate(packing.bids):
        if bid.bidder not in winners:
            rest = packing.whole & ~packing.full[at]
            if bid.bidder not in packing.dummies:
                needed[at] = value - upper(rest)
            else:
                known = _beside(packing, chosen, at)
                found = best(packing, upper, rest, without=bid.bidder, known=known, nodes=nodes)
                if not isinstance(found, SearchGaveUp):
                    needed[at] = value - found[0]
    return Determined(
        method="dynamic_programme",
        value=value,
        nodes=1 << packing.items,
        chosen=chosen,
        optima=optima.count,
        listed=is_listed,
        without=without_each(packing, winners) if winners else {},
        needed=needed,
    )


def _by_branching(packing: Packing, nodes: int, lots: Lots, naming: Naming) -> Determined | None:
    if packing.items > _ITEMS_SEARCHED:
        return None
    upper = upper_of(prices(packing))
    found = best(packing, upper, packing.whole, nodes=nodes)
    if isinstance(found, SearchGaveUp):
        return None
    value, seen = found
    optima = Optima(packing, upper, value, nodes)
    if optima.gave_up:
        return None
    absent: dict[int, int] = {}
    chosen, is_listed = _drawn(optima, lots, naming)
    for bid in [packing.bids[at] for at in chosen]:
        bidder, known = bid.bidder, value - bid.value
        one = best(packing, upper, packing.whole, without=bidder, known=known, nodes=nodes)
        if not isinstance(one, SearchGaveUp):
            absent[bidder] = one[0]
        elif cpsat.cp_model_or_none() is not None:
            absent[bidder] = cpsat.solve(packing, without=bidder)
        else:
            raise InvalidInput(_gave_up(packing, nodes))
    return Determined(
        method="branch_and_bound",
        value=value,
        nodes=seen,
        chosen=chosen,
        optima=optima.count,
        listed=is_listed,
        without=absent,
        needed=_needed(packing, upper, chosen, nodes // _PART_FOR_LOSERS),
    )


def _needed(packing: Packing, upper: Upper, chosen: Sequence[int], left: int) -> dict[int, int]:
    """Return what losing bids need, as far as the states left over allow."""
    value = sum(packing.bids[at].value for at in chosen)
    winners = {packing.bids[at].bidder for at in chosen}
    found: dict[int, int] = {}
    for at, bid in enumerate(packing.bids):
        if bid.bidder in winners:
            continue
        rest, known = packing.whole & ~packing.full[at], _beside(packing, chosen, at)
        one = best(packing, upper, rest, without=bid.bidder, known=known, nodes=left)
        if isinstance(one, SearchGaveUp):
            break
        found[at] = value - one[0]
        left -= one[1]
    return found


def _beside(packing: Packing, chosen: Sequence[int], at: int) -> int:
    """Return what the winning bids are worth that leave the items of another bid free."""
    mask = packing.bids[at].mask
    winning = [packing.bids[one] for one in chosen]
    return sum(bid.value for bid in winning if not bid.mask & mask)


def _by_solver(packing: Packing, lots: Lots, naming: Naming) -> Determined:
    value = cpsat.solve(packing)
    all_of_them = cpsat.solve_all(packing, value, CPSAT_LISTED_AT_MOST + 1)
    if len(all_of_them) > CPSAT_LISTED_AT_MOST:
        raise InvalidInput(_too_many(packing, "CP-SAT"))
    by_name = {naming(one): one for one in all_of_them}
    chosen = by_name[lots.pick("allocation", sorted(by_name))]
    winners = [packing.bids[at].bidder for at in chosen]
    return Determined(
        method="cp_sat",
        value=value,
        nodes=None,
        chosen=chosen,
        optima=len(all_of_them),
        listed=True,
        without={one: cpsat.solve(packing, without=one) for one in winners},
        needed={},
    )


def _too_many(packing: Packing, method: str) -> Fault:
    return Fault(
        "auction",
        f"has {packing.items} items and {len(packing.bids)} bids with more equal optima than "
        f"{method} can count: no fair lot among them",
        "equal optima that can be counted",
        "sell fewer items at once, or ask for bids that differ",
    )


def _drawn(optima: Optima, lots: Lots, naming: Naming) -> tuple[tuple[int, ...], bool]:
    """Return the optimum that the lot takes, and whether the tie lists them all."""
    if optima.count == 1:
        return optima.numbered(0), True
    if optima.count <= OPTIMA_LISTED_AT_MOST:
        by_name = {naming(one): one for one in map(optima.numbered, range(optima.count))}
        return by_name[lots.pick("allocation", sorted(by_name))], True
    number = lots.number("allocation", optima.count, lambda at: naming(optima.numbered(at)))
    return optima.numbered(number), False
