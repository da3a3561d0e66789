"""Table: how is a budget shared among a million agents?

Here: curves of straight pieces as two tables of whole numbers; the utilitarian and the Nash split
in whole minor units, exactly the one that :mod:`~comity.mechanisms.sharing.divide` finds.
Not here: the arithmetic on arrays (bulk.py); minima, weights, names and the result that explains
itself (divide.py).
Sources: ARCHITECTURE, "Dependencies" (numpy for large inputs); SEMANTICS D1, G3 (same answers with
and without).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, pairwise
from typing import Any, Literal

from comity.core.arrays import numpy_or_none
from comity.core.errors import Fault, InvalidInput, raise_if, shown
from comity.mechanisms.sharing.bulk import LARGEST, Bulk
from comity.mechanisms.sharing.curves import Segments
from comity.mechanisms.sharing.filling import fill
from comity.mechanisms.sharing.rounding import to_units
from comity.mechanisms.sharing.rules import Agent

__all__ = ["ENOUGH", "TableShares", "share_table"]

ENOUGH = 2_000
"""Agents from which arrays are worth their start."""

_SHOWN = 5
Array = Any


@dataclass(frozen=True, slots=True)
class TableShares:
    """What each row of a table gets.

    Attributes:
        units: whole minor units, row by row: a list, or an array when arrays came in.
        total_gain: the sum of gains.
        leftover: what nobody can use.
        spare_drawn: among how many equal remainders a lot decided; 0 when none was drawn.

    Example:
        >>> share_table(10, [[10], [10]], [[3], [1]], objective="utilitarian").units
        [10, 0]
    """

    units: Any
    total_gain: int
    leftover: int
    spare_drawn: int = 0


def share_table(
    budget: Any,  # noqa: ANN401  # a whole number, checked here
    widths: Sequence[Sequence[int]] | Array,
    slopes: Sequence[Sequence[int]] | Array,
    *,
    objective: Literal["nash", "utilitarian"] = "nash",
    seed: str = "0",
) -> TableShares:
    """Share one budget among the rows of a table.

    Args:
        budget: whole minor units.
        widths: for each agent the widths of its pieces, whole minor units; a piece that it does
            not have is 0 wide.
        slopes: for each piece the gain for one unit, a whole number (take the slopes times one
            common factor), never rising along a row.
        objective: ``nash`` or ``utilitarian``.
        seed: for lots among equal remainders.

    Returns:
        Units that add up to the budget, or to what can be used.

    Raises:
        InvalidInput: with every fault at once.

    Example:
        >>> widths = [[4000, 4000, 4000], [3000, 3000, 6000], [2000, 3000, 7000]]
        >>> slopes = [[20, 11, 4], [30, 15, 5], [25, 12, 3]]
        >>> share_table(12000, widths, slopes).units
        [4000, 3583, 4417]
    """
    faults = []
    if isinstance(budget, bool) or not isinstance(budget, int) or not 0 <= budget < LARGEST:
        what, allowed = f"budget is {shown(budget)}", "whole minor units, 0 or more"
        faults.append(Fault("table", what, allowed, "give the budget in minor units"))
    if objective not in {"nash", "utilitarian"}:
        what = f"objective is {shown(objective)}"
        faults.append(Fault("table", what, "nash or utilitarian", "use share for the others"))
    np = numpy_or_none()
    is_array = np is not None and isinstance(widths, np.ndarray)
    if np is None or (not is_array and len(widths) < ENOUGH):
        return _plainly(budget, (widths, slopes), objective, seed, faults)
    wide, steep = _read(np, widths, "widths", faults), _read(np, slopes, "slopes", faults)
    _check(np, wide, steep, faults)
    shared = Bulk(np, np.where(steep > 0, wide, 0), steep, budget, seed)
    units, drawn = shared.utilitarian() if objective == "utilitarian" else shared.nash()
    if units is None:
        plain = _plainly(budget, (wide.tolist(), steep.tolist()), objective, seed, [])
        return replace(plain, units=np.array(plain.units)) if is_array else plain
    left = budget - int(units.sum())
    return TableShares(units if is_array else units.tolist(), shared.gain(units), left, drawn)


# --- few agents ------------------------------------------------------------------------------


def _plainly(
    budget: int,
    table: tuple[Any, Any],
    objective: Literal["nash", "utilitarian"],
    seed: str,
    faults: list[Fault],
) -> TableShares:
    rows = [_row(at, one, faults) for at, one in enumerate(zip(*map(_rows, table), strict=False))]
    if len(table[0]) != len(table[1]):
        faults.append(_shape_fault())
    raise_if(faults)
    money = Fraction(budget)
    agents = [
        Agent(_name(at), curve, Fraction(), curve.end, Fraction(1))
        for at, curve in enumerate(rows)
    ]
    filled = fill(agents, money, objective)
    exact = {one.name: amount for one, amount in zip(agents, filled.amounts, strict=True)}
    rounded = to_units(exact, Fraction(1), seed)
    gains = [one.curve.gain(Fraction(n)) for one, n in zip(agents, rounded.units, strict=True)]
    tied = len(rounded.ties[0].tied) if rounded.ties else 0
    left = budget - sum(rounded.units)
    return TableShares(list(rounded.units), int(sum(gains)), left, tied)


def _name(at: int) -> str:
    return f"{at:07}"


def _rows(table: Any) -> list[Any]:  # noqa: ANN401  # whatever a caller gives
    return [list(one) if isinstance(one, (list, tuple)) else [one] for one in table]


def _row(at: int, row: tuple[list[Any], list[Any]], faults: list[Fault]) -> Segments:
    widths, slopes = row
    if len(widths) != len(slopes):
        faults.append(_shape_fault())
        return Segments(())
    numbers = [*widths, *slopes]
    if any(isinstance(one, bool) or not isinstance(one, int) or one < 0 for one in numbers):
        faults.append(_number_fault(at, shown(numbers)))
        return Segments(())
    parts = [(Fraction(w), Fraction(s)) for w, s in zip(widths, slopes, strict=True) if w]
    if any(after[1] > before[1] for before, after in pairwise(parts)):
        faults.append(_rising_fault(at))
    return Segments(tuple(parts))


def _shape_fault() -> Fault:
    what = "widths and slopes have different shapes"
    return Fault("table", what, "one slope for each width", "fill missing pieces with 0")


def _number_fault(at: object, what: str) -> Fault:
    allowed = "whole numbers, 0 or more, up to 2^62"
    return Fault(f"row {at}", f"holds {what}", allowed, "take numbers times a common factor")


def _rising_fault(at: object) -> Fault:
    what = "its gain curve is not concave"
    return Fault(f"row {at}", what, "slopes that never rise", "take the least concave curve")


# --- many agents -----------------------------------------------------------------------------


def _read(np: Any, given: Any, field: str, faults: list[Fault]) -> Array:  # noqa: ANN401  # numpy
    if not isinstance(given, np.ndarray) and set(map(type, chain(*_rows(given)))) != {int}:
        faults.append(_table_fault(field, "other things than whole numbers"))
        return np.zeros((1, 1), dtype=np.int64)
    try:
        found = np.asarray(given)
    except ValueError:
        found = np.zeros((0, 0))
    if found.ndim != 2 or not found.size or found.dtype.kind not in "iu":
        kind = f"an array of {found.ndim} dimensions of {found.dtype}"
        faults.append(_table_fault(field, kind))
        return np.zeros((1, 1), dtype=np.int64)
    wrong = (found < 0) | (found >= LARGEST) if found.dtype.kind == "u" else found < 0
    for at in np.flatnonzero(wrong.any(axis=1))[:_SHOWN].tolist():
        faults.append(_number_fault(at, shown(found[at].tolist())))
    return found.astype(np.int64)


def _table_fault(field: str, what: str) -> Fault:
    allowed = "rows of whole numbers, all of one length"
    return Fault(field, f"are {what}", allowed, "take numbers times a common factor")


def _check(np: Any, wide: Array, steep: Array, faults: list[Fault]) -> None:  # noqa: ANN401  # numpy
    if not faults and wide.shape != steep.shape:
        faults.append(_shape_fault())
    raise_if(faults)
    used = wide > 0
    floor = np.where(used, steep, np.iinfo(np.int64).max)
    lowest = np.minimum.accumulate(floor, axis=1)
    rises = (used[:, 1:] & (steep[:, 1:] > lowest[:, :-1])).any(axis=1)
    for at in np.flatnonzero(rises)[:_SHOWN].tolist():
        faults.append(_rising_fault(at))
    largest = (wide.astype(np.float64) * steep).sum(axis=1).max()
    together = wide.astype(np.float64).sum()
    if max(largest, together) >= LARGEST / 2:
        what = "widths add up, or gains, to more than 2^61"
        faults.append(Fault("table", what, "smaller numbers", "use larger minor units"))
    if faults:
        raise InvalidInput(faults)
