"""Bulk: which of a million bidders for equal units win, and what does each pay?

Here: the same cut, lot and payments as multiunit.py for rows of whole numbers, as plain columns.
Not here: names, reasons and everything else that a full result carries (multiunit.py).
Sources: SEMANTICS A2, G4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from comity.core.arrays import numpy_or_none
from comity.core.errors import Fault, raise_if, shown
from comity.mechanisms.auctions.bids import whole_number
from comity.mechanisms.auctions.clearing import (
    ARRAYS_FROM,
    Cut,
    cut,
    cut_arrays,
    payments,
    payments_arrays,
)
from comity.mechanisms.auctions.lots import Lots
from comity.mechanisms.auctions.multiunit import settled

__all__ = ["Cleared", "clear_units"]

_FITS = 2**62


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleared:
    """What a bulk sale comes to, bidder by bidder in the order of the rows.

    Attributes:
        quantities: units won, a list or an array.
        payments: what VCG charges.
        uniform_price: the one price of the uniform rule: the highest losing bid, or the reserve.
        level: the lowest winning marginal bid; None when nothing is sold.
        welfare: the sum of the winning marginal bids.
        contested: how many equal marginal bids stood for the last units; 0 without a tie.

    Example:
        >>> clear_units([[10, 6, 2], [8, 5], [7]], units=3, reserve=0, seed="7").welfare
        25
    """

    quantities: Any
    payments: Any
    uniform_price: int
    level: int | None
    welfare: int
    contested: int


def clear_units(
    rows: Any,  # noqa: ANN401  # rows of numbers, one number each, or an array
    *,
    units: int,
    reserve: int,
    seed: str,
) -> Cleared:
    """Clear a sale of equal units for very many bidders.

    Args:
        rows: per bidder one whole number, or its falling marginal bids; a list, or an array of
            whole numbers in one or two dimensions with -1 where a bidder wants no more.
        units: how many units there are.
        reserve: the least price of a unit, a whole number of at least 0.
        seed: what ties are drawn by.

    Returns:
        The quantities and payments, as lists without numpy and as arrays with it; the numbers are
        the same.

    Raises:
        InvalidInput: for numbers that are not whole, below -1 or rising, by their row.

    Example:
        >>> found = clear_units([9, 7, 8, 3], units=2, reserve=0, seed="7")
        >>> list(map(int, found.quantities)), list(map(int, found.payments)), found.uniform_price
        ([1, 0, 1, 0], [7, 0, 7, 0], 7)
    """
    faults: list[Fault] = []
    count = whole_number(units, "units", faults)
    given: object = reserve
    if not isinstance(given, int) or isinstance(given, bool) or given < 0:
        what = f"reserve is {shown(reserve)}"
        faults.append(Fault("auction", what, "a whole number from 0", "correct the reserve"))
    if not isinstance(seed, str):
        faults.append(Fault("seed", f"is {shown(seed)}", "text", "give text"))
    raise_if(faults)
    table = _as_table(rows)
    if table is not None:
        return _with_arrays(table, count, reserve, seed)
    return _plainly(_as_rows(rows), count, reserve, seed)


def _as_table(rows: Any) -> Any:  # noqa: ANN401  # an array, or None where plain lists serve better
    numpy = numpy_or_none()
    if numpy is None or len(rows) < ARRAYS_FROM:
        return None
    try:
        found = numpy.asarray(rows)
    except ValueError:  # rows of different lengths
        return None
    if found.dtype.kind != "i" or found.ndim not in {1, 2} or not found.size:
        return None
    table = found.astype(numpy.int64, copy=False).reshape(len(found), -1)
    if int(table.max()) >= _FITS // table.size:
        return None
    low = numpy.flatnonzero((table < -1).any(axis=1))
    rising = numpy.flatnonzero((table[:, 1:] > table[:, :-1]).any(axis=1))
    raise_if([_row_fault(int(at), table[at].tolist()) for at in sorted({*low[:5], *rising[:5]})])
    return table


def _as_rows(rows: Any) -> list[list[int]]:  # noqa: ANN401  # rows as callers hand them in
    found, faults = [], []
    for at, one in enumerate(rows):
        handed = one.tolist() if hasattr(one, "tolist") else one
        row = list(handed) if isinstance(handed, (list, tuple)) else [handed]
        is_whole = all(isinstance(n, int) and not isinstance(n, bool) for n in row)
        if not is_whole or min(row, default=0) < -1 or sorted(row, reverse=True) != row:
            faults.append(_row_fault(at, row))
        found.append([n for n in row if is_whole and n >= 0])
    raise_if(faults[:10])
    return found


def _row_fault(at: int, row: Sequence[object]) -> Fault:
    return Fault(
        f"row {at}",
        f"is {shown(row)}",
        "whole numbers from 0 that do not rise, -1 where there is no bid",
        "scale the amounts to whole minor units",
    )


def _plainly(rows: list[list[int]], units: int, reserve: int, seed: str) -> Cleared:
    found = cut(rows, units, reserve)
    quantities = list(found.sure)
    at = [i for i, count in enumerate(found.contested) if count]
    for i, more in zip(at, _drawn(at, found, seed), strict=True):
        quantities[i] += more
    return Cleared(
        quantities=quantities,
        payments=payments(rows, quantities, reserve),
        uniform_price=found.rejected,
        level=found.level,
        welfare=sum(sum(row[:won]) for row, won in zip(rows, quantities, strict=True)),
        contested=sum(found.contested),
    )


def _drawn(at: Sequence[int], found: Cut, seed: str) -> list[int]:
    """Return what each bidder with contested bids gets of the contested units."""
    counts = tuple(found.contested[i] for i in at)
    part = Cut((0,) * len(at), counts, found.slots, found.level, found.rejected)
    return settled(part, [str(i) for i in at], Lots(seed, seed))


def _with_arrays(table: Any, units: int, reserve: int, seed: str) -> Cleared:  # noqa: ANN401  # an array
    numpy = numpy_or_none()
    sure, contested, slots, level, rejected = cut_arrays(table, units, reserve)
    quantities = sure.astype(numpy.int64)
    if slots:
        at = numpy.flatnonzero(contested)
        found = Cut((), tuple(contested.tolist()), slots, level, rejected)
        quantities[at] += _drawn(at.tolist(), found, seed)
    is_won = numpy.arange(table.shape[1]) < quantities[:, None]
    charged = payments_arrays(table, quantities, reserve)
    if charged is None:
        rows = [[n for n in row if n >= 0] for row in table.tolist()]
        charged = payments(rows, quantities.tolist(), reserve)
    return Cleared(
        quantities=quantities,
        payments=charged,
        uniform_price=rejected,
        level=level,
        welfare=int(table[is_won].sum()),
        contested=int(contested.sum()),
    )
