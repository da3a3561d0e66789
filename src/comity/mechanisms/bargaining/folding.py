"""Folding: the undominated sums of a table with one row of vectors per issue.

Here: packing one whole number per party into one, the undominated among packed vectors, the fold
that adds issue after issue and never looks at every outcome, and the way back to the outcomes.
Not here: problems and preferences (frontier.py), solution points (solutions.py).
Sources: SEMANTICS M4; Kung, Luccio and Preparata 1975 for the sweep in two and three dimensions.

If a sum is undominated, so is every part of it: a dominated part could be replaced by what
dominates it. So only undominated parts are kept after each issue.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from operator import ge

from comity.core.errors import Fault, InvalidInput

__all__ = ["AT_MOST", "COMPARED_AT_MOST", "Folded", "Packing", "fold", "undominated"]

AT_MOST = 4_000_000
"""Candidates looked at in one step before giving up."""

COMPARED_AT_MOST = 200_000_000
"""Comparisons of two vectors of four parties or more in one step before giving up."""

Vector = Sequence[int]


class Packing:
    """One whole number from 0 for each party, packed into one number that adds like a vector.

    Attributes:
        shifts: how far each party's number is shifted.
        masks: the largest number of each party.

    Example:
        >>> packing = Packing([9, 9])
        >>> packing.unpack(packing.pack([3, 4]) + packing.pack([1, 2]))
        (4, 6)
    """

    __slots__ = ("masks", "shifts")

    def __init__(self, largest: Sequence[int]) -> None:
        """Make room for numbers up to ``largest``, the first party's in the highest place."""
        widths = [max(1, one.bit_length()) for one in largest]
        after = [*accumulate(reversed(widths), initial=0)]
        self.shifts = tuple(reversed(after[:-1]))
        self.masks = tuple((1 << width) - 1 for width in widths)

    def pack(self, vector: Iterable[int]) -> int:
        """Return the vector as one number."""
        return sum([one << shift for one, shift in zip(vector, self.shifts, strict=True)])

    def unpack(self, key: int) -> tuple[int, ...]:
        """Return the vector of a number."""
        return tuple(
            [key >> shift & mask for shift, mask in zip(self.shifts, self.masks, strict=True)]
        )


def undominated(keys: list[int], packing: Packing) -> list[int]:
    """Return the vectors that no other reaches everywhere and exceeds somewhere.

    Args:
        keys: packed vectors, sorted in place; equals are kept once.
        packing: how they are packed.

    Returns:
        The undominated ones, the first party's best first.

    Raises:
        InvalidInput: when four parties or more have too many of them to compare.

    Example:
        >>> packing = Packing([9, 9])
        >>> found = undominated([packing.pack(one) for one in ([1, 5], [2, 5], [3, 1])], packing)
        >>> [packing.unpack(key) for key in found]
        [(3, 1), (2, 5)]
    """
    keys.sort(reverse=True)
    if len(packing.masks) == 2:
        return _of_two(keys, packing.masks[1])
    if len(packing.masks) == 3:
        return _of_three(keys, packing)
    return _of_many(keys, packing)


def _of_two(keys: Iterable[int], mask: int) -> list[int]:
    best = -1
    kept = []
    for key in keys:
        if key & mask > best:
            best = key & mask
            kept.append(key)
    return kept


def _of_three(keys: Iterable[int], packing: Packing) -> list[int]:
    """Sweep by the first number with a staircase of the other two.

    Up the staircase the second numbers rise and the third ones fall, so of all kept vectors with
    at least some second number, the first on the staircase has the greatest third.
    """
    kept = []
    seconds: list[int] = []
    thirds: list[int] = []
    shift, mask, low = packing.shifts[1], packing.masks[1], packing.masks[2]
    for key in keys:
        second, third = key >> shift & mask, key & low
        at = bisect_left(seconds, second)
        if at < len(seconds) and thirds[at] >= third:
            continue
        kept.append(key)
        end = at + 1 if at < len(seconds) and seconds[at] == second else at
        start = at
        while start and thirds[start - 1] <= third:
            start -= 1
        seconds[start:end] = [second]
        thirds[start:end] = [third]
    return kept


def _of_many(keys: Iterable[int], packing: Packing) -> list[int]:
    """Compare each with those kept: who comes later never dominates who came before."""
    kept: list[int] = []
    vectors: list[tuple[int, ...]] = []
    compared = 0
    for key in keys:
        compared += len(vectors)
        if compared > COMPARED_AT_MOST:
            raise InvalidInput(_too_many(compared, COMPARED_AT_MOST))
        vector = packing.unpack(key)
        for other in vectors:
            if all(map(ge, other, vector)):
                break
        else:
            kept.append(key)
            vectors.append(vector)
    return kept


class Folded:
    """The undominated sums and the way back to the outcomes behind them.

    Attributes:
        keys: the packed sums, the first party's best first.
    """

    def __init__(
        self,
        levels: list[list[int]],
        rows: Sequence[Sequence[int]],
        order: list[int],
    ) -> None:
        """Keep every step of a fold.

        Args:
            levels: the undominated sums after each step.
            rows: per issue the packed vector of each option.
            order: which issue each step added.
        """
        self.keys = levels[-1]
        self._levels = levels
        self._rows = rows
        self._order = order

    @cached_property
    def _sets(self) -> list[frozenset[int]]:
        """The sums before each step."""
        return [frozenset((0,)), *map(frozenset, self._levels[:-1])]

    @cached_property
    def _options(self) -> list[list[tuple[int, list[int]]]]:
        """Per step its vectors, each with the options that have it."""
        found = []
        for issue in self._order:
            behind: dict[int, list[int]] = {}
            for option, key in enumerate(self._rows[issue]):
                behind.setdefault(key, []).append(option)
            found.append(list(behind.items()))
        return found

    def count(self, key: int) -> int:
        """Return how many outcomes have this sum."""
        last = len(self._levels) - 1
        wanted: list[set[int]] = [set() for _ in range(last + 2)]
        wanted[last + 1] = {key}
        for step in range(last, -1, -1):
            before = self._sets[step]
            for one in wanted[step + 1]:
                parts = [one - add for add, _ in self._options[step]]
                wanted[step].update(part for part in parts if part in before)
        ways = {0: 1}
        for step in range(last + 1):
            ways = {
                one: sum(
                    ways[one - add] * len(options)
                    for add, options in self._options[step]
                    if one - add in ways
                )
                for one in wanted[step + 1]
            }
        return ways[key]

    def outcomes(self, key: int) -> Iterator[tuple[int, ...]]:
        """Yield every outcome with this sum, as option positions in the order of the issues."""
        steps = len(self._levels)
        stack: list[tuple[int, int, tuple[int, ...]]] = [(steps, key, ())]
        while stack:
            step, left, chosen = stack.pop()
            if step == 0:
                by_issue = sorted(zip(self._order, reversed(chosen), strict=True))
                yield tuple(option for _, option in by_issue)
                continue
            before = self._sets[step - 1]
            for add, options in self._options[step - 1]:
                if left - add in before:
                    stack.extend((step - 1, left - add, (*chosen, one)) for one in options)


def fold(rows: Sequence[Sequence[int]], packing: Packing) -> Folded:
    """Return the undominated sums of one vector from each row.

    Args:
        rows: per issue the packed vector of each option.
        packing: how they are packed, with room for the sums.

    Returns:
        The sums with the way back to the outcomes.

    Raises:
        InvalidInput: when there are too many undominated sums on the way.

    Example:
        >>> packing = Packing([9, 9])
        >>> row = [packing.pack(one) for one in ([2, 0], [0, 2], [0, 1])]
        >>> folded = fold([row, row], packing)
        >>> [(packing.unpack(key), folded.count(key)) for key in folded.keys]
        [((4, 0), 1), ((2, 2), 2), ((0, 4), 1)]
        >>> sorted(folded.outcomes(folded.keys[1]))
        [(0, 1), (1, 0)]
    """
    fronts = []
    for issue, row in enumerate(rows):
        front = undominated(list(row), packing)
        fronts.append((len(front), issue, front))
    levels: list[list[int]] = []
    order = []
    sums = [0]
    for size, issue, front in sorted(fronts):
        if size * len(sums) > AT_MOST:
            raise InvalidInput(_too_many(size * len(sums), AT_MOST))
        order.append(issue)
        if not levels:
            sums = front
        elif size == 1:
            sums = [one + front[0] for one in sums]
        else:
            sums = undominated([one + add for add in front for one in sums], packing)
        levels.append(sums)
    return Folded(levels, rows, order)


def _too_many(candidates: int, most: int) -> Fault:
    return Fault(
        "frontier",
        f"would compare {candidates} sums in one step",
        f"at most {most}",
        "round the values, or leave out an issue",
    )
