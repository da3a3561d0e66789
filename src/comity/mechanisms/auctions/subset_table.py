"""Subset table: what is every set of items worth, when bids on sets compete for them?

Here: the dynamic programme over all sets of up to 16 items, in plain Python and with numpy; the
values without each of some bidders.
Not here: more items (item_prices.py bounds them), who wins (packing.py).
Sources: SEMANTICS A2; Rothkopf, Pekec and Harstad 1998.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from comity.core.arrays import numpy_or_none
from comity.mechanisms.auctions.packing import Packing

__all__ = ["ITEMS_AT_MOST", "table", "without_each"]

ITEMS_AT_MOST = 16
"""So many items at most: 2 to the 16 sets."""

_PLAIN_ITEMS = 6  # up to so many items plain Python is as fast as arrays
_FITS = 2**62


def table(packing: Packing) -> Any:  # noqa: ANN401  # a list, or an array
    """Return the value of every set of items, indexed by its bits.

    Args:
        packing: the problem, with at most 16 items.

    Example:
        >>> from comity.mechanisms.auctions.packing import PackedBid
        >>> bids = (PackedBid(0b11, 6, 0, 0), PackedBid(0b01, 3, 1, 1), PackedBid(0b10, 4, 2, 2))
        >>> list(map(int, table(Packing(2, 3, bids, 1))))
        [0, 3, 4, 7]
    """
    return _with(packing, _empty(packing), range(packing.bidders))


def without_each(packing: Packing, bidders: Sequence[int]) -> dict[int, int]:
    """Return the value of all items without each of some bidders.

    All others are counted once; then the bidders are added half by half, so that each is left out
    of one table only.

    Args:
        packing: the problem, with at most 16 items.
        bidders: whose absence is asked about.

    Returns:
        Bidder -> the value without it.

    Example:
        >>> from comity.mechanisms.auctions.packing import PackedBid
        >>> bids = (PackedBid(0b11, 6, 0, 0), PackedBid(0b01, 3, 1, 1), PackedBid(0b10, 4, 2, 2))
        >>> without_each(Packing(2, 3, bids, 1), [1, 2])
        {1: 6, 2: 6}
    """
    asked = set(bidders)
    others = [one for one in range(packing.bidders) if one not in asked]
    found: dict[int, int] = {}
    stack = [(_with(packing, _empty(packing), others), sorted(asked))]
    while stack:
        values, group = stack.pop()
        if len(group) == 1:
            found[group[0]] = int(values[packing.real])
        if len(group) < 2:
            continue
        middle = len(group) // 2
        stack.append((_with(packing, values.copy(), group[middle:]), group[:middle]))
        stack.append((_with(packing, values, group[:middle]), group[middle:]))
    return dict(sorted(found.items()))


def _empty(packing: Packing) -> Any:  # noqa: ANN401  # a list, or an array
    numpy = numpy_or_none()
    most = sum(bid.value for bid in packing.bids)
    if numpy is None or packing.items <= _PLAIN_ITEMS or most >= _FITS:
        return [0] * (1 << packing.items)
    return numpy.zeros(1 << packing.items, dtype=numpy.int64)


def _with(packing: Packing, values: Any, bidders: Sequence[int]) -> Any:  # noqa: ANN401  # the same
    """Add bidders to a table, in place."""
    own: dict[int, list[tuple[int, int]]] = {bidder: [] for bidder in bidders}
    for bid in packing.bids:
        if bid.bidder in own:
            own[bid.bidder].append((bid.mask, bid.value))
    add = _add_plainly if isinstance(values, list) else _add_arrays
    for bids in own.values():
        add(values, bids, packing)
    return values


def _add_plainly(values: list[int], bids: Sequence[tuple[int, int]], packing: Packing) -> None:
    before = values.copy() if len(bids) > 1 else values
    for mask, value in bids:
        others = packing.real & ~mask
        rest = others
        while True:
            values[rest | mask] = max(values[rest | mask], before[rest] + value)
            if not rest:
                break
            rest = (rest - 1) & others


def _add_arrays(values: Any, bids: Sequence[tuple[int, int]], packing: Packing) -> None:  # noqa: ANN401  # an array
    numpy = numpy_or_none()
    shape = (2,) * packing.items
    cube = values.reshape(shape)
    before = cube.copy() if len(bids) > 1 else cube
    for mask, value in bids:
        # the first axis is the highest bit
        bits = [mask >> at & 1 for at in reversed(range(packing.items))]
        with_it = (
            *(1 if bit else slice(None) for bit in bits),
            ...,
        )  # ...: a view, never a number
        without = (*(0 if bit else slice(None) for bit in bits), ...)
        numpy.maximum(cube[with_it], before[without] + value, out=cube[with_it])
