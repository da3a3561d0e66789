"""Tie tests: is the tie-break fair?

Here: chi-square and exact multinomial tests in plain Python, and their use on recorded lots.
Not here: drawing lots (choosing.py), alarms (alarms.py).
Sources: SEMANTICS R5; Pearson 1900; the exact test sums the chances of all outcomes that are no
more probable than the observed one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, erfc, exp, factorial, lgamma, log, prod, sqrt
from typing import Literal

from comity.mechanisms.arbitration.engine import Conflict

__all__ = ["TieTest", "chi_square", "chi_square_p", "multinomial_p", "tie_tests"]

_FEW = 5  # below so many expected in a cell chi-square is too rough
_MOST_CELLS = 10  # above, the exact test takes too long
_CHEAP = 100  # up to three cells it costs nothing below so many ties


@dataclass(frozen=True, slots=True, kw_only=True)
class TieTest:
    """Whether the places in tied sets of one size won equally often.

    Attributes:
        size: how many were tied.
        wins: how often each place of the sorted set won.
        chi2: the statistic.
        p: how probable a result at least as uneven is under fair lots.
        method: ``exact`` or ``chi_square``.

    Example:
        >>> conflicts = [Conflict(1, "r", (), stages=(("a", "b"),), winners=("a",))] * 11
        >>> tie_tests(conflicts)[0].wins, tie_tests(conflicts)[0].p
        ((11, 0), 0.0009765625)
    """

    size: int
    wins: tuple[int, ...]
    chi2: float
    p: float
    method: Literal["exact", "chi_square"]


def tie_tests(conflicts: Iterable[Conflict]) -> tuple[TieTest, ...]:
    """Test the lots of recorded conflicts, one test per size of the tied set.

    Args:
        conflicts: recorded conflicts; sets of one are no ties, weighted draws do not belong here.

    Returns:
        One test per size that occurred, the smallest first.

    Example:
        >>> pair = ("a", "b")
        >>> rows = [Conflict(n, "r", (), stages=(pair,), winners=(pair[n % 2],)) for n in range(8)]
        >>> tie_tests(rows)[0].p
        1.0
    """
    counted: dict[int, list[int]] = {}
    for conflict in conflicts:
        for stage, winner in zip(conflict.stages, conflict.winners, strict=False):
            if len(stage) > 1:
                wins = counted.setdefault(len(stage), [0] * len(stage))
                wins[stage.index(winner)] += 1
    found = []
    for size, wins in sorted(counted.items()):
        many = sum(wins)
        is_few = size <= _MOST_CELLS and many < _FEW * size
        is_small = is_few or (size <= 3 and many < _CHEAP)
        chi2 = chi_square(wins)
        p = multinomial_p(wins) if is_small else chi_square_p(chi2, size - 1)
        method: Literal["exact", "chi_square"] = "exact" if is_small else "chi_square"
        found.append(TieTest(size=size, wins=tuple(wins), chi2=chi2, p=p, method=method))
    return tuple(found)


def chi_square(counts: Sequence[int]) -> float:
    """Return Pearson's statistic against equal chances.

    Args:
        counts: how often each cell occurred.

    Example:
        >>> chi_square([30, 20, 10])
        10.0
    """
    total, cells = sum(counts), len(counts)
    return float(Fraction(cells * sum(one * one for one in counts), total) - total)


def chi_square_p(statistic: float, freedom: int) -> float:
    """Return the chance of a statistic at least as large.

    Args:
        statistic: the value.
        freedom: degrees of freedom, 1 or more.

    Example:
        >>> round(chi_square_p(5.0, 1), 6), round(chi_square_p(10.0, 2), 6)
        (0.025347, 0.006738)
    """
    half = statistic / 2
    if half <= 0:
        return 1.0
    is_odd = freedom % 2
    tail = erfc(sqrt(half)) if is_odd else 0.0
    powers = [at + 0.5 * is_odd for at in range(freedom // 2)]
    terms = (exp(one * log(half) - half - lgamma(one + 1)) for one in powers)
    return min(1.0, tail + sum(terms))


def multinomial_p(counts: Sequence[int]) -> float:
    """Return the exact chance of an outcome no more probable than this one, under equal chances.

    Args:
        counts: how often each cell occurred.

    Example:
        >>> multinomial_p([11, 0]), round(multinomial_p([15, 5]), 7)
        (0.0009765625, 0.0413895)
    """
    total, cells = sum(counts), len(counts)
    ways = factorial(total)
    observed = ways // prod(map(factorial, counts))
    below = 0
    for parts in _partitions(total, cells, total):
        many = ways // prod(map(factorial, parts))
        if many <= observed:
            below += many * _arrangements(parts)
    return float(Fraction(below, cells**total))


def _partitions(total: int, cells: int, most: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to write ``total`` as ``cells`` falling numbers."""
    if cells == 1:
        yield (total,)
        return
    for first in range(min(total, most), -(-total // cells) - 1, -1):
        for rest in _partitions(total - first, cells - 1, first):
            yield (first, *rest)


def _arrangements(parts: Sequence[int]) -> int:
    """Return in how many orders the parts can stand."""
    left, found = len(parts), 1
    for one in set(parts):
        many = parts.count(one)
        found *= comb(left, many)
        left -= many
    return found
