"""Packing: which bids together are worth most, how many choices are as good, and which?

Here: the problem in whole numbers; the exact search under an upper bound, the count of all equal
optima, and the optimum with a given number.
Not here: the bounds (subset_table.py, item_prices.py), which method is used (determination.py).
Sources: SEMANTICS A2, G4; Sandholm 2002 (branching on items).

A bidder with several bids gets a dummy item that all of them need, so that at most one wins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

__all__ = ["Optima", "PackedBid", "Packing", "SearchGaveUp", "Upper", "best"]

Upper = Callable[[int], int]
"""Set of free items, dummies among them -> no choice of bids within it is worth more."""

NODES_AT_MOST = 200_000


class PackedBid(NamedTuple):
    """A bid in whole numbers.

    Attributes:
        mask: its items as bits.
        value: what it adds, above 0.
        bidder: whose it is, by number.
        offer: which offer it was read from.
    """

    mask: int
    value: int
    bidder: int
    offer: int


class SearchGaveUp(NamedTuple):
    """The search looked at as many states as it may and is not done.

    Attributes:
        nodes: how many it looked at.
    """

    nodes: int


@dataclass(frozen=True)
class Packing:
    """Choose bids with no item in common, at most one of each bidder, worth most together.

    Attributes:
        items: how many items there are.
        bidders: how many bidders.
        bids: sorted by bidder and items.
        scale: one unit of money over the reserves is so many times ``fine``.
        fine: one step over the reserves is so many units of value; the rest of a value, less than
            half a step in any choice, is what is sold at its reserve.

    Example:
        >>> bids = (PackedBid(0b11, 6, 0, 0), PackedBid(0b01, 3, 1, 1), PackedBid(0b10, 3, 2, 2))
        >>> Packing(2, 3, bids, 1).whole
        3
    """

    items: int
    bidders: int
    bids: tuple[PackedBid, ...]
    scale: int
    fine: int = 1

    @cached_property
    def real(self) -> int:
        """All items, without dummies."""
        return (1 << self.items) - 1

    @cached_property
    def dummies(self) -> Mapping[int, int]:
        """Bidder with several bids -> its dummy item."""
        counts = [0] * self.bidders
        for bid in self.bids:
            counts[bid.bidder] += 1
        several = [bidder for bidder, count in enumerate(counts) if count > 1]
        return {bidder: 1 << (self.items + at) for at, bidder in enumerate(several)}

    @cached_property
    def whole(self) -> int:
        """All items and all dummies."""
        return self.real | sum(self.dummies.values())

    @cached_property
    def full(self) -> tuple[int, ...]:
        """Bid by bid, its items with its dummy."""
        return tuple(bid.mask | self.dummies.get(bid.bidder, 0) for bid in self.bids)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The items' bits in the order in which they are decided: the most wanted first."""
        wanted = [sum(bid.mask >> at & 1 for bid in self.bids) for at in range(self.items)]
        return tuple(1 << at for at in sorted(range(self.items), key=lambda at: (-wanted[at], at)))

    @cached_property
    def starting(self) -> tuple[tuple[tuple[int, int, int], ...], ...]:
        """Place in the order -> the bids decided there as (full items, value, number)."""
        found: list[list[tuple[int, int, int]]] = [[] for _ in self.order]
        for at, bid in enumerate(self.bids):
            place = next(i for i, bit in enumerate(self.order) if bid.mask & bit)
            found[place].append((self.full[at], bid.value, at))
        return tuple(tuple(one) for one in found)

    def parted(self, value: int) -> tuple[int, int]:
        """Return the steps over the reserves, and the rest, of a value or a difference of two."""
        steps = (value + self.fine // 2) // self.fine
        return steps, value - steps * self.fine

    def of(self, bidder: int) -> list[int]:
        """Return the numbers of a bidder's bids."""
        return [at for at, bid in enumerate(self.bids) if bid.bidder == bidder]


def _place(packing: Packing, place: int, free: int) -> int:
    """Return the next place in the order whose item is free."""
    order = packing.order
    while place < len(order) and not free & order[place]:
        place += 1
    return place


def best(
    packing: Packing,
    upper: Upper,
    free: int,
    *,
    without: int = -1,
    known: int = -1,
    nodes: int = NODES_AT_MOST,
) -> tuple[int, int] | SearchGaveUp:
    """Return what the best choice of bids within some items is worth.

    Args:
        packing: the problem.
        upper: an upper bound that is never too low.
        free: the items that may be used, dummies among them.
        without: a bidder whose bids are left out.
        known: a value that some choice is known to reach.
        nodes: how many states may be looked at.

    Returns:
        The value and the number of states, or that the search gave up.

    Example:
        >>> bids = (PackedBid(0b11, 6, 0, 0), PackedBid(0b01, 3, 1, 1), PackedBid(0b10, 4, 2, 2))
        >>> best(Packing(2, 3, bids, 1), lambda free: 7, 0b11)
        (7, 4)
    """
    out = set(packing.of(without))
    found, seen = known, 0
    reached: dict[int, int] = {}
    stack = [(free, 0, 0, upper(free))]
    while stack:
        left, worth, place, bound = stack.pop()
        if bound <= found or reached.get(left, -1) >= worth:
            continue
        seen += 1
        if seen > nodes:
            return SearchGaveUp(nodes)
        reached[left] = worth
        place = _place(packing, place, left)
        if place == len(packing.order):
            found = max(found, worth)
            continue
        rest = left & ~packing.order[place]
        branches = [(worth + upper(rest), worth, rest)]
        for mask, value, at in packing.starting[place]:
            if mask & left == mask and at not in out:
                rest = left & ~mask
                branches.append((worth + value + upper(rest), worth + value, rest))
        branches.sort()
        stack.extend(
            (rest, more, place + 1, bound) for bound, more, rest in branches if bound > found
        )
    return found, seen


class Optima:
    """All choices of bids that are worth the most, counted without listing them.

    Example:
        >>> bids = (PackedBid(0b11, 6, 0, 0), PackedBid(0b01, 3, 1, 1), PackedBid(0b10, 3, 2, 2))
        >>> found = Optima(Packing(2, 3, bids, 1), lambda free: 6, 6)
        >>> found.count, found.numbered(0), found.numbered(1)
        (2, (0,), (1, 2))
    """

    def __init__(
        self, packing: Packing, upper: Upper, value: int, nodes: int = NODES_AT_MOST
    ) -> None:
        """Count.

        Args:
            packing: the problem.
            upper: an upper bound that is never too low.
            value: what the best choice is worth.
            nodes: how many states may be looked at.
        """
        self._packing = packing
        self._upper = upper
        self._value = value
        self._nodes = nodes
        self._known: dict[tuple[int, int], int] = {}
        self.gave_up = False
        self.count = self._counted()

    def _options(self, free: int, needed: int, place: int) -> Iterator[tuple[int, int, int, int]]:
        """Yield (bid or -1, free items, needed value, place) of every way on that may reach it."""
        packing, upper = self._packing, self._upper
        rest = free & ~packing.order[place]
        if upper(rest) >= needed:
            yield -1, rest, needed, _place(packing, place + 1, rest)
        for mask, value, at in packing.starting[place]:
            rest = free & ~mask
            if mask & free == mask and value <= needed <= value + upper(rest):
                yield at, rest, needed - value, _place(packing, place + 1, rest)

    def _counted(self) -> int:
        """Count by a stack of its own: chains of items may be longer than Python's."""
        start = (self._packing.whole, self._value, _place(self._packing, 0, self._packing.whole))
        known = self._known
        stack = [start]
        while stack:
            free, needed, place = stack[-1]
            if (free, needed) in known:
                stack.pop()
                continue
            if len(known) >= self._nodes:
                self.gave_up = True
                return 0
            if place == len(self._packing.order):
                known[free, needed] = int(needed == 0)
                stack.pop()
                continue
            ways = list(self._options(free, needed, place))
            open_ = [one[1:] for one in ways if (one[1], one[2]) not in known]
            if open_:
                stack.extend(open_)
                continue
            known[free, needed] = sum(known[one[1], one[2]] for one in ways)
            stack.pop()
        return known[start[0], start[1]]

    def numbered(self, number: int) -> tuple[int, ...]:
        """Return the bids of one optimum.

        Args:
            number: which, from 0; in the order of the search, which depends on the bids alone.

        Returns:
            The numbers of the winning bids, sorted.
        """
        free, needed = self._packing.whole, self._value
        place = _place(self._packing, 0, free)
        chosen: list[int] = []
        while place < len(self._packing.order):
            ways = [
                (self._known[one[1], one[2]], one) for one in self._options(free, needed, place)
            ]
            while number >= ways[0][0]:
                number -= ways.pop(0)[0]
            at, free, needed, place = ways[0][1]
            chosen += [at] if at >= 0 else []
        return tuple(sorted(chosen))
