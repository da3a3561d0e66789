"""Clearing: k equal units, whose marginal bids win, and what would the others have won?

Here: the cut through all marginal bids, the contested ones at it, VCG payments by rank; for lists
of whole numbers, one row per bidder, and through numpy where rows are many.
Not here: names, results and draws (multiunit.py), reading numbers.
Sources: SEMANTICS A2; Vickrey 1961; Krishna 2010 §12.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import accumulate
from typing import Any

from comity.core.arrays import numpy_or_none

__all__ = ["ARRAYS_FROM", "Cut", "cut", "cut_arrays", "payments", "payments_arrays"]

Rows = Sequence[Sequence[int]]
"""One row per bidder: its marginal bids, falling, in whole numbers."""

ARRAYS_FROM = 2_000
"""From so many bidders on numpy is used, where it is installed and the numbers fit."""

_FITS = 2**62


@dataclass(frozen=True, slots=True)
class Cut:
    """Where the supply ends among all marginal bids that reach the reserve.

    Attributes:
        sure: per bidder, units that it wins in every optimal allocation.
        contested: per bidder, its marginal bids that equal the last winning one and may lose.
        slots: how many of the contested win.
        level: the lowest winning marginal bid; None when nothing is sold.
        rejected: the highest losing marginal bid, at least the reserve.

    Example:
        >>> cut([[10, 6, 2], [8, 5], [7]], 3, 0)
        Cut(sure=(1, 1, 1), contested=(0, 0, 0), slots=0, level=7, rejected=6)
    """

    sure: tuple[int, ...]
    contested: tuple[int, ...]
    slots: int
    level: int | None
    rejected: int


def cut(rows: Rows, units: int, reserve: int) -> Cut:
    """Return where the supply ends.

    Args:
        rows: marginal bids, each row falling.
        units: how many units there are.
        reserve: marginal bids below it do not take part.

    Example:
        >>> cut([[5, 5], [5, 0]], 2, 0)
        Cut(sure=(0, 0), contested=(2, 1), slots=2, level=5, rejected=5)
    """
    flat = [one for row in rows for one in row if one >= reserve]
    top = nlargest(units + 1, flat) if units + 1 < len(flat) // 8 else sorted(flat, reverse=True)
    rejected = top[units] if len(top) > units else reserve
    if not top:
        return Cut((0,) * len(rows), (0,) * len(rows), 0, None, reserve)
    level = top[min(units, len(top)) - 1]
    sure, at_level = [], []
    for row in rows:
        above = sum(one > level for one in row)
        sure.append(above)
        at_level.append(sum(one == level for one in row[above:]))
    slots = units - sum(sure)
    if slots >= sum(at_level):
        won = tuple(one + more for one, more in zip(sure, at_level, strict=True))
        return Cut(won, (0,) * len(rows), 0, level, rejected)
    return Cut(tuple(sure), tuple(at_level), slots, level, rejected)


def payments(rows: Rows, quantities: Sequence[int], reserve: int) -> list[int]:
    """Return what VCG charges: for n units the n highest losing bids of the others.

    Where the others have fewer that reach the reserve, the reserve stands in.

    Args:
        rows: marginal bids, each row falling.
        quantities: units won, per bidder.
        reserve: the reserve per unit.

    Example:
        >>> payments([[10, 6, 2], [8, 5], [7]], [1, 1, 1], 0)
        [5, 6, 6]
    """
    most = max(quantities, default=0)
    longest = max(map(len, rows), default=0)
    lost = [
        [one for one in row[won:] if one >= reserve]
        for row, won in zip(rows, quantities, strict=True)
    ]
    ordered = sorted((one for row in lost for one in row), reverse=True)[: most + longest]
    ordered += [reserve] * (most + longest - len(ordered))
    before = [0, *accumulate(ordered)]
    keys = [-one for one in ordered]
    found = []
    for own, won in zip(lost, quantities, strict=True):
        end, taken, at = won, 0, -1
        for one in own if won else ():
            # equal bids stand together; which of them is whose makes no difference to the sum
            at = max(at + 1, bisect_left(keys, -one))
            if at >= end:
                break
            end, taken = end + 1, taken + one
        found.append(before[end] - taken)
    return found


# --- the same with arrays ----------------------------------------------------------------------


def cut_arrays(table: Any, units: int, reserve: int) -> Any:  # noqa: ANN401  # arrays
    """Return where the supply ends, for an array of marginal bids.

    Args:
        table: bidders x marginal bids, whole numbers, each row falling, -1 where there is none.
        units: how many units there are.
        reserve: at least 0.

    Returns:
        ``sure`` and ``contested`` as arrays, then slots, level and rejected as in `Cut`.

    Example:
        >>> numpy = numpy_or_none()
        >>> found = None if numpy is None else cut_arrays(numpy.array([[5, 5], [5, 0]]), 2, 0)
        >>> found is None or found[2:] == (2, 5, 5)
        True
    """
    numpy = numpy_or_none()
    flat = table[table >= reserve]
    count = int(flat.size)
    if count > units:
        parted = numpy.partition(flat, [count - units - 1, count - units])
        rejected, level = int(parted[count - units - 1]), int(parted[count - units])
    elif count:
        rejected, level = reserve, int(flat.min())
    else:
        zeros = numpy.zeros(len(table), dtype=numpy.int64)
        return zeros, zeros, 0, None, reserve
    sure = (table > level).sum(axis=1)
    at_level = (table == level).sum(axis=1)
    slots = units - int(sure.sum())
    if slots >= int(at_level.sum()):
        return sure + at_level, numpy.zeros_like(sure), 0, level, rejected
    return sure, at_level, slots, level, rejected


def payments_arrays(table: Any, quantities: Any, reserve: int) -> Any:  # noqa: ANN401  # arrays
    """Return what VCG charges each bidder, for an array of marginal bids.

    Args:
        table: as for `cut_arrays`.
        quantities: units won, per bidder, an array.
        reserve: the reserve per unit.

    Returns:
        An array of whole numbers, or None where they might not fit.

    Example:
        >>> numpy = numpy_or_none()
        >>> table = None if numpy is None else numpy.array([[10, 6, 2], [8, 5, -1], [7, -1, -1]])
        >>> table is None or payments_arrays(table, numpy.array([1, 1, 1]), 0).tolist()
        ... # with numpy [5, 6, 6]
        [5, 6, 6]
    """
    numpy = numpy_or_none()
    width = table.shape[1]
    most = int(quantities.max(initial=0))
    highest = max(int(table.max(initial=0)), reserve)
    if highest * (most + width) >= _FITS:
        return None
    winners = numpy.flatnonzero(quantities)
    won = quantities[winners]
    is_lost = (numpy.arange(width) >= quantities[:, None]) & (table >= reserve)
    lost = table[is_lost]
    length = most + width
    if lost.size > length:
        lost = numpy.partition(lost, lost.size - length)[lost.size - length :]
    ordered = numpy.full(length, reserve, dtype=numpy.int64)
    ordered[: lost.size] = numpy.sort(lost)[::-1]
    before = numpy.concatenate([[0], numpy.cumsum(ordered)])
    # the array of each winner's own losing bids, with their places among all losing ones
    end, taken = won.copy(), numpy.zeros(len(winners), dtype=numpy.int64)
    place = numpy.full(len(winners), -1, dtype=numpy.int64)
    own, own_lost = table[winners], is_lost[winners]
    for column in range(width):
        bid, counts = own[:, column], own_lost[:, column]
        first = numpy.searchsorted(-ordered, -bid, side="left")
        here = numpy.where(counts, numpy.maximum(place + 1, first), place)
        inside = counts & (here < end)
        place = numpy.where(counts, here, place)
        end = end + inside
        taken = taken + numpy.where(inside, bid, 0)
    found = numpy.zeros(len(table), dtype=numpy.int64)
    found[winners] = before[end] - taken
    return found
