"""Profile: how often does each option stand before each other, at the top, at the bottom?

Here: the ranks of all ballots, column by column, and the exact sums that every ranking rule is
made of; in plain Python, or in numpy where there are many ballots and it is installed.
Not here: reading ballots (ballots.py) and any rule.
Sources: SEMANTICS V3, G5; Tideman 1987 for the pairwise matrix. The columns are bytes so that
one pass of C compares two options on every ballot.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import compress, repeat
from operator import eq, lt
from typing import Any

from comity.core.arrays import numpy_or_none
from comity.core.exact import Exact
from comity.mechanisms.voting.ballots import UNRANKED

__all__ = ["Matrix", "Profile", "Shares", "ballots_of", "profile_of"]

Matrix = tuple[tuple[int, ...], ...]
"""Row by column: how much weight ranks the row's option above the column's."""

Shares = dict[int, Exact]
"""Option -> its share of the ballots' weight; equal ranks share a ballot alike."""

_MANY = 4_000_000  # comparisons from which numpy is worth its start
_LARGEST = 2**62


class Profile:
    """The ranks of every ballot, option by option.

    Attributes:
        columns: per option the rank on each ballot, `UNRANKED` for none.
        masses: the weight of each ballot in whole units, or None when each weighs one unit.
        total: the weight of all ballots.

    Example:
        >>> profile_of([bytes([0, 1]), bytes([0, 1]), bytes([1, 0])], None, 2).pairwise()
        ((0, 2), (1, 0))
    """

    __slots__ = ("_np", "_strict", "columns", "masses", "size", "total")

    def __init__(self, columns: Any, masses: Sequence[int] | None, size: int) -> None:  # noqa: ANN401  # lists of bytes, or an array
        """Keep the columns; `profile_of` builds them."""
        self.columns = columns
        self.size = size
        self.total = size if masses is None else sum(masses)
        self._strict: bool | None = None
        self._np: Any = None if isinstance(columns, list) else numpy_or_none()
        self.masses: Any = masses
        if self._np is not None and masses is not None:
            self.masses = self._np.array(masses, dtype=self._np.int64)

    def pairwise(self, *, no_opinion: bool = False) -> Matrix:
        """Return how much weight ranks each option above each other.

        Args:
            no_opinion: an option that a ballot does not rank is compared with nothing, instead
                of standing below all that it ranks.
        """
        columns = self.columns
        span = range(len(columns))
        table = [[0] * len(columns) for _ in span]
        is_strict = self.is_strict
        for i in span:
            for j in span[i + 1 :]:
                one, other = columns[i], columns[j]
                if self._np is not None:
                    above, below = self._mass(one < other), self._mass(other < one)
                else:
                    above = _above(self.masses, one, other)
                    below = self.total - above if is_strict else _above(self.masses, other, one)
                table[i][j], table[j][i] = above, below
        if no_opinion:
            for i in span:
                for j in span:
                    if i != j:
                        table[i][j] -= self._mass(_only_first(self._np, columns[i], columns[j]))
        return tuple(map(tuple, table))

    def both_unranked(self, i: int, j: int) -> int:
        """Return the weight of the ballots that rank neither of two options.

        Args:
            i: one option.
            j: the other.
        """
        one, other = self.columns[i], self.columns[j]
        if self._np is not None:
            return self._mass((one == UNRANKED) & (other == UNRANKED))
        is_out = [a == b == UNRANKED for a, b in zip(one, other, strict=True)]
        return self._mass(is_out)

    def ranked(self, i: int) -> int:
        """Return the weight of the ballots that rank an option.

        Args:
            i: the option.
        """
        column = self.columns[i]
        if self._np is not None:
            return self._mass(column != UNRANKED)
        return self.total - self._mass([rank == UNRANKED for rank in column])

    def tops(self, active: Sequence[int]) -> tuple[Shares, int]:
        """Return what share of the ballots each option tops, and the weight that ranks none.

        Args:
            active: the options that still stand.

        Returns:
            Shares, equal tops splitting a ballot; the weight of the exhausted ballots.
        """
        return self._ends(active, lowest=True)

    def bottoms(self, active: Sequence[int]) -> tuple[Shares, int]:
        """Return what share of the ballots ranks each option last; unranked ones are last.

        Args:
            active: the options that still stand.

        Returns:
            Shares, equal last places splitting a ballot; the weight of the exhausted ballots,
            which name none of the options and share out nothing.
        """
        return self._ends(active, lowest=False)

    @property
    def is_strict(self) -> bool:
        """Whether it is known that every ballot ranks every option, without equals."""
        if self._strict is None:
            self._strict = self._np is None and _are_strict(self.columns)
        return self._strict

    @property
    def is_short(self) -> bool:
        """Whether a ballot leaves an option unranked."""
        if self._np is not None:
            return bool((self.columns == UNRANKED).any())
        return any(UNRANKED in column for column in self.columns)

    @property
    def has_equal_tops(self) -> bool:
        """Whether a ballot puts several options first."""
        if self._np is not None:
            return int((self.columns == 0).sum(axis=0).max(initial=0)) > 1
        return any(row.count(0) > 1 for row in zip(*self.columns, strict=True))

    def last(self, i: int) -> int:
        """Return the weight of the ballots on which an option is among the last, and not first.

        Args:
            i: the option.
        """
        mine = self.columns[i]
        if self._np is not None:
            best = _swept(self.columns, self._np.minimum)
            worst = _swept(self.columns, self._np.maximum)
            return self._mass((mine == worst) & (mine != best))
        columns = self.columns
        best, worst = map(min, *columns), map(max, *columns)
        return self._mass([a == b != c for a, b, c in zip(mine, worst, best, strict=True)])

    # --- the two ways to count ---------------------------------------------------------------

    def _mass(self, chosen: Any) -> int:  # noqa: ANN401  # a list or an array of truth values
        if self._np is not None:
            if self.masses is None:
                return int(self._np.count_nonzero(chosen))
            return int(self.masses[chosen].sum())
        return sum(chosen) if self.masses is None else sum(compress(self.masses, chosen))

    def _ends(self, active: Sequence[int], *, lowest: bool) -> tuple[Shares, int]:
        columns = [self.columns[at] for at in active]
        if not columns or not self.size:
            return {}, self.total
        if self._np is not None:
            return self._ends_of_arrays(active, columns, lowest=lowest)
        best = bytes(map(min, *columns)) if len(columns) > 1 else columns[0]
        end = best if lowest or len(columns) == 1 else bytes(map(max, *columns))
        if UNRANKED not in best:
            found = _hit(self.masses, columns, end)
            if sum(found) == self.total:
                return dict(zip(active, found, strict=True)), 0
        is_out = [rank == UNRANKED for rank in best] if UNRANKED in best else None
        exhausted = 0 if is_out is None else self._mass(is_out)
        hits = [list(map(eq, column, end)) for column in columns]
        if is_out is not None:
            hits = [list(map(lt, is_out, hit)) for hit in hits]
        found = list(map(self._mass, hits))
        if sum(found) == self.total - exhausted:
            return dict(zip(active, found, strict=True)), exhausted
        sharing = list(map(sum, zip(*hits, strict=True)))
        shares = [Fraction(0)] * len(columns)
        for among in sorted(set(sharing) - {0}):
            here = list(map(eq, sharing, [among] * self.size))
            for at, hit in enumerate(hits):
                is_both = [a and b for a, b in zip(hit, here, strict=True)]
                shares[at] += Fraction(self._mass(is_both), among)
        return dict(zip(active, map(_whole, shares), strict=True)), exhausted

    def _ends_of_arrays(
        self, active: Sequence[int], columns: Sequence[Any], *, lowest: bool
    ) -> tuple[Shares, int]:
        np = self._np
        best = _swept(columns, np.minimum)
        end = best if lowest else _swept(columns, np.maximum)
        is_in = best != UNRANKED
        exhausted = self.total - self._mass(is_in)
        hits = [(column == end) & is_in for column in columns]
        found = list(map(self._mass, hits))
        if sum(found) == self.total - exhausted:
            return dict(zip(active, found, strict=True)), exhausted
        sharing = np.zeros(self.size, dtype=np.uint8)
        for hit in hits:
            sharing += hit
        shares = [Fraction(0)] * len(columns)
        for among in map(int, np.flatnonzero(np.bincount(sharing))):
            here = sharing == among
            for at, hit in enumerate(hits):
                shares[at] += Fraction(self._mass(hit & here), max(among, 1))
        return dict(zip(active, map(_whole, shares), strict=True)), exhausted


def _above(masses: Sequence[int] | None, one: bytes, other: bytes) -> int:
    """Return the weight of the ballots that rank the first option above the other."""
    if masses is None:
        return sum(map(lt, one, other))
    return sum(compress(masses, map(lt, one, other)))


def _are_strict(columns: Sequence[bytes]) -> bool:
    """Whether every ballot ranks every option, without equals.

    Ranks are dense, so equals make their sum smaller than that of 0, 1, 2 and so on; and an option
    left out makes it larger, as long as there are no more than 22.
    """
    size = len(columns)
    if not 1 < size <= 22:
        return False
    return set(map(sum, zip(*columns, strict=True))) <= {size * (size - 1) // 2}


def _hit(masses: Sequence[int] | None, columns: Sequence[bytes], end: bytes) -> list[int]:
    """Return the weight of the ballots on which each column is at an end."""
    if masses is None:
        return [sum(map(eq, column, end)) for column in columns]
    return [sum(compress(masses, map(eq, column, end))) for column in columns]


def ballots_of(profile: Profile) -> list[tuple[tuple[int, ...], int]] | None:
    """Return each ballot's ranks with its weight.

    Args:
        profile: the ranks.

    Returns:
        The ballots; None where they are kept in arrays.

    Example:
        >>> ballots_of(profile_of([bytes([0, 1])], [2], 2))
        [((0, 1), 2)]
    """
    columns, masses = profile.columns, profile.masses
    if not isinstance(columns, list):
        return None
    weights = repeat(1, profile.size) if masses is None else masses
    return list(zip(zip(*columns, strict=True), weights, strict=True))


def _only_first(np: Any, one: Any, other: Any) -> Any:  # noqa: ANN401  # numpy and columns
    """Return on which ballots the first option is ranked and the other left out."""
    if np is not None:
        return (other == UNRANKED) & (one != UNRANKED)
    return [a != UNRANKED and b == UNRANKED for a, b in zip(one, other, strict=True)]


def _swept(columns: Sequence[Any], how: Any) -> Any:  # noqa: ANN401  # arrays and a function of numpy
    end = columns[0].copy()
    for column in columns[1:]:
        how(end, column, out=end)
    return end


def _whole(value: Fraction) -> Exact:
    return int(value) if value.denominator == 1 else value


def profile_of(rows: Sequence[bytes], masses: Sequence[int] | None, options: int) -> Profile:
    """Build a profile of rows of ranks.

    Args:
        rows: per ballot a rank for every option.
        masses: the weight of each in whole units, or None for one each.
        options: how many options there are.

    Returns:
        The profile; in numpy when there are many cells, it is installed and the sums fit.

    Example:
        >>> profile_of([bytes([0, 0]), bytes([1, 0])], None, 2).tops([0, 1])
        ({0: Fraction(1, 2), 1: Fraction(3, 2)}, 0)
    """
    blob = b"".join(rows)
    size = len(rows)
    if size * options * options >= _MANY and (masses is None or sum(masses) < _LARGEST):
        np = numpy_or_none()
        if np is not None:
            flat = np.frombuffer(blob, dtype=np.uint8).reshape(size, options)
            return Profile(np.ascontiguousarray(flat.T), masses, size)
    return Profile([blob[at::options] for at in range(options)], masses, size)
