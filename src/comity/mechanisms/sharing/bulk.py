"""Bulk: the utilitarian and the Nash split of a million rows, in whole units, on arrays.

Here: the arithmetic on arrays.
Not here: what may come in (table.py), the same for few agents (filling.py, rounding.py).
Sources: SEMANTICS D1, G3; Floyd and Rivest 1975 for looking only at what is undecided.

Why it is exact: under Nash an amount is ``start + level - gained / slope``. The level is kept as
a whole number and a rest, and so is each ``gained / slope``; whole numbers are added as such, and
rests are good to about 1e-15. A row whose amount lies closer to a whole unit than 1e-9 gets that
unit either way, because rests just below a whole are the largest and rests just above it the
smallest. Rests that are alike as floats are compared as ratios.
"""

from __future__ import annotations

from fractions import Fraction
from math import fsum
from typing import Any, NamedTuple

from comity.mechanisms.sharing.rounding import LABEL, places_drawn

__all__ = ["LARGEST", "Bulk"]

LARGEST = 2**62
"""Whole numbers of arrays stay below."""

_NEAR = 1e-9
_ALIKE = 1e-13
_TURNS = 20  # at most so many corrections of the level; two are enough
_SAMPLE = 501
Array = Any


class _Level(NamedTuple):
    """The level under Nash: a whole number and a rest."""

    whole: int
    rest: float


class Bulk:
    """One budget and a table of curves as arrays.

    Attributes:
        wide: the widths of the pieces, 0 where a piece gains nothing.
        steep: their slopes.
        budget: whole units.

    Example:
        >>> from comity.core.arrays import numpy_or_none
        >>> np = numpy_or_none()
        >>> rows = None if np is None else (np.array([[10], [10]]), np.array([[3], [1]]))
        >>> [5, 5] if rows is None else Bulk(np, *rows, 10, "0").nash()[0].tolist()
        [5, 5]
    """

    __slots__ = ("budget", "np", "seed", "steep", "wide")

    def __init__(self, np: Any, wide: Array, steep: Array, budget: int, seed: str) -> None:  # noqa: ANN401  # numpy
        """Keep the arrays; widths add up to less than :data:`LARGEST`."""
        self.np, self.wide, self.steep, self.budget, self.seed = np, wide, steep, budget, seed

    def gain(self, units: Array) -> int:
        """Return what all rows gain together."""
        np = self.np
        start = np.cumsum(self.wide, axis=1) - self.wide
        gains = (np.clip(units[:, None] - start, 0, self.wide) * self.steep).sum(axis=1)
        many = int(gains.max()) * len(gains) >= LARGEST
        return sum(gains.tolist()) if many else int(gains.sum())

    # --- the sum of gains --------------------------------------------------------------------

    def utilitarian(self) -> tuple[Array, int]:
        """Return the units of each row, and among how many a lot decided."""
        np, wide, steep = self.np, self.wide, self.steep
        if self.budget >= int(wide.sum()):
            return wide.sum(axis=1), 0
        price, before = self._price()
        units = np.where(steep > price, wide, 0).sum(axis=1)
        tied = np.where(steep == price, wide, 0).sum(axis=1)
        money, whole = self.budget - before, int(tied.sum())
        rows = np.flatnonzero(tied)
        own = tied[rows]
        if int(own.max()) * money >= LARGEST:
            own = own.astype(object)
        floors = own * money // whole
        rests = own * money - floors * whole
        units[rows] += floors.astype(np.int64)
        spare = money - int(floors.sum())
        if not spare:
            return units, 0
        edge = np.sort(rests)[len(rests) - spare]
        over = rows[rests > edge]
        units[over] += 1
        return units, self._draw(units, rows[rests == edge], spare - len(over))

    def _price(self) -> tuple[int, int]:
        """Return the slope at which the budget ends, and what steeper pieces take together."""
        np = self.np
        used = self.wide > 0
        slopes, widths = self.steep[used], self.wide[used]
        above = 0
        while True:
            middle = int(_median(np, slopes))
            steeper, same = slopes > middle, slopes == middle
            over, level = int(widths[steeper].sum()), int(widths[same].sum())
            if above + over > self.budget:
                slopes, widths = slopes[steeper], widths[steeper]
            elif above + over + level >= self.budget:
                return middle, above + over
            else:
                flatter = ~(steeper | same)
                slopes, widths = slopes[flatter], widths[flatter]
                above += over + level

    # --- the product of gains ----------------------------------------------------------------

    def nash(self) -> tuple[Array | None, int]:
        """Return the same under Nash; None where numbers are too large for floats to start."""
        np, wide, steep = self.np, self.wide, self.steep
        if self.budget >= int(wide.sum()):
            return wide.sum(axis=1), 0
        slope = np.maximum(steep, 1)
        gained = np.cumsum(wide * steep, axis=1) - wide * steep
        whole = gained // slope
        over = gained - whole * slope
        rest = over / slope
        found = self._level(whole, rest)
        if found is None:
            return None, 0
        level, ended, active = found
        units = np.where(ended, wide, 0).sum(axis=1)
        rows, pieces = np.nonzero(active)
        part = level.rest - rest[rows, pieces]
        near = np.abs(part - np.round(part)) < _NEAR
        down = np.where(near, np.round(part), np.floor(part))
        units[rows] += level.whole - whole[rows, pieces] + down.astype(np.int64)
        spare = self.budget - int(units.sum())
        if not spare:
            return units, 0
        fraction = np.where(near, -1.0, part - down)
        ratios = over[rows, pieces], slope[rows, pieces], (part < 0).astype(np.int64)
        return units, self._give(units, rows, fraction, ratios, spare)

    def _level(self, whole: Array, rest: Array) -> tuple[_Level, Array, Array] | None:
        """Return the level at which the budget ends, the pieces ended and those half filled."""
        wide = self.wide
        about = self._about(whole + rest)
        level = _Level(int(about // 1), about % 1)
        for _ in range(_TURNS):
            distance = level.whole - whole
            part = level.rest - rest
            ended = (wide > 0) & _reached(distance - wide, part >= 0)
            active = (wide > 0) & _reached(distance, part > 0) & ~ended
            many = int(active.sum())
            money = self.budget - int(wide[ended].sum())
            if not many:
                return (level, ended, active) if not money else None
            money += int(whole[active].sum())
            share = (money % many + fsum(rest[active].tolist())) / many
            then = _Level(money // many + int(share // 1), share % 1)
            if then.whole == level.whole and abs(then.rest - level.rest) < _ALIKE:
                return then, ended, active
            level = then
        return None

    def _about(self, low: Array) -> float:
        """Return the level as floats tell it; each turn looks only at pieces not yet decided."""
        np = self.np
        used = self.wide > 0
        low, wide = low[used], self.wide[used].astype(np.float64)
        high = low + wide
        below, above = 0.0, float(high.max())
        full = many = started = 0.0  # widths of ended pieces; pieces filled evenly, their starts
        while True:
            corners = np.concatenate([low[low > below], high[high < above]])
            corners = corners[(corners > below) & (corners < above)]
            if not corners.size:
                break
            middle = float(_median(np, corners))
            filled = np.clip(middle - low, 0, wide).sum() + full + many * middle - started
            if filled < self.budget:
                below = middle
            else:
                above = middle
            even, done = (low <= below) & (high >= above), high <= below
            full += float(wide[done].sum())
            many += float(even.sum())
            started += float(low[even].sum())
            left = ~(even | done | (low >= above))
            low, high, wide = low[left], high[left], wide[left]
        even = (low <= below) & (high >= above)
        many += float(even.sum())
        started += float(low[even].sum())
        return (self.budget - full + started) / many if many else below

    # --- spare units -------------------------------------------------------------------------

    def _give(
        self,
        units: Array,
        rows: Array,
        fraction: Array,
        ratios: tuple[Array, Array, Array],
        spare: int,
    ) -> int:
        """Give spare units to the largest rests; return among how many a lot decided."""
        np = self.np
        edge = np.partition(fraction, len(fraction) - spare)[len(fraction) - spare]
        over = fraction > edge + _ALIKE
        units[rows[over]] += 1
        wanted = spare - int(over.sum())
        close = np.flatnonzero(np.abs(fraction - edge) <= _ALIKE)
        top, bottom, turn = (one[close] for one in ratios)
        common = np.gcd(top, bottom)
        keys = list(
            zip((top // common).tolist(), (bottom // common).tolist(), turn.tolist(), strict=True)
        )
        # of two rests the larger is the one whose ratio, less its turn, is smaller
        value = {key: Fraction(key[0], key[1]) - key[2] for key in set(keys)}
        last = sorted(value[key] for key in keys)[wanted - 1]
        first = [row for row, key in zip(rows[close], keys, strict=True) if value[key] < last]
        tied = [row for row, key in zip(rows[close], keys, strict=True) if value[key] == last]
        units[np.array(first, dtype=np.int64)] += 1
        return self._draw(units, np.array(tied), wanted - len(first))

    def _draw(self, units: Array, tied: Array, wanted: int) -> int:
        """Give those drawn one unit each; return among how many a lot decided."""
        if wanted == len(tied):
            units[tied] += 1
            return 0
        places = places_drawn(self.seed, LABEL, len(tied), wanted)
        units[self.np.sort(tied)[self.np.array(places)]] += 1
        return len(tied)


def _reached(whole: Array, has_rest: Array) -> Array:
    """Tell where a whole number and a rest above -1 and below 1 are together past 0."""
    return (whole > 0) | ((whole == 0) & has_rest)


def _median(np: Any, values: Array) -> Any:  # noqa: ANN401  # numpy, a number
    sample = values[:: len(values) // _SAMPLE + 1]
    return np.partition(sample, len(sample) // 2)[len(sample) // 2]
