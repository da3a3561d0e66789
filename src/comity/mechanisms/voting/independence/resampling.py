"""Resampling: how far could a figure have come out otherwise, and would chance alone do it?

Here: a seeded stream of draws that anybody can recompute, resamples of items, permuted errors,
percentile intervals.
Not here: which figures are resampled (with_truth.py, tetrads.py).
Sources: SEMANTICS G3, G4 (SHA-256, never the `random` module); Efron 1979 (bootstrap).

Draw number i below n is floor(w * n / 2^64), where w is word i of the blocks
SHA-256(length of seed ‖ ":" ‖ seed ‖ label ‖ "/" ‖ block number), four words to a block.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import islice
from struct import unpack

__all__ = [
    "Stream",
    "affordable",
    "bits_of",
    "interval",
    "item_patterns",
    "pair_places",
    "resample",
    "subset",
]

FEWEST_RESAMPLES = 60
WORK = 60_000_000


class Stream:
    """Draws under one seed and one label.

    Args:
        seed: the recorded seed.
        label: what is drawn; two streams under one seed need two labels.

    Example:
        >>> Stream("1", "items").below(6, 5) == Stream("1", "items").below(6, 5)
        True
    """

    __slots__ = ("_words",)

    def __init__(self, seed: str, label: str) -> None:
        """Start at the first word."""
        self._words = _words(f"{len(seed)}:{seed}{label}/")

    def below(self, bound: int, draws: int) -> list[int]:
        """Return so many draws from 0 to ``bound`` - 1, each equally likely."""
        return [word * bound >> 64 for word in islice(self._words, draws)]


def _words(head: str) -> Iterator[int]:
    start = sha256(head.encode("utf-8", "surrogatepass"))
    number = 0
    while True:
        block = start.copy()
        block.update(b"%d" % number)
        yield from unpack(">4Q", block.digest())
        number += 1


def resample(stream: Stream, kinds: Sequence[int], many: int) -> list[int]:
    """Draw as many items as there are, with replacement, and count them by kind.

    Args:
        stream: where the draws come from.
        kinds: the kind of each item, from 0.
        many: how many kinds there are.

    Returns:
        How many of the drawn items are of each kind.

    Example:
        >>> sum(resample(Stream("1", "items"), [0, 0, 1], 2))
        3
    """
    found = [0] * many
    for at in stream.below(len(kinds), len(kinds)):
        found[kinds[at]] += 1
    return found


def subset(stream: Stream, places: Sequence[int], size: int) -> int:
    """Draw a subset, each of its size equally likely.

    Args:
        stream: where the draws come from.
        places: the bits that may be set.
        size: how many are set.

    Returns:
        An integer with those bits set.

    Example:
        >>> subset(Stream("1", "errors"), [0, 1, 2], 2).bit_count()
        2
    """
    left = list(places)
    chosen = min(size, len(left) - size)  # draw the smaller side
    mask = 0
    for word in stream.below(1 << 64, chosen):
        at = word * len(left) >> 64
        left[at], left[-1] = left[-1], left[at]
        mask |= 1 << left.pop()
    if chosen == size:
        return mask
    return sum(1 << place for place in left)


def interval(values: Sequence[float], share: float = 0.95) -> tuple[float, float]:
    """Return the percentile interval of resampled figures.

    Args:
        values: at least one figure.
        share: the part that lies within.

    Returns:
        The lower and the upper end, between two figures where none lies exactly there.

    Example:
        >>> interval([float(value) for value in range(101)])
        (2.5, 97.5)
    """
    ordered = sorted(values)
    ends = []
    for part in ((1 - share) / 2, (1 + share) / 2):
        place = part * (len(ordered) - 1)
        at = int(place)
        above = ordered[min(at + 1, len(ordered) - 1)]
        ends.append(round(ordered[at] + (place - at) * (above - ordered[at]), 12))
    return ends[0], ends[1]


def affordable(wanted: int, steps: int) -> int:
    """Return how many resamples are drawn when each takes so many steps.

    Args:
        wanted: how many are wanted.
        steps: the steps one of them takes.

    Returns:
        At most ``wanted``; 0 when fewer than 60 could be drawn. It depends on the log alone, so
        that a report can be recomputed anywhere.

    Example:
        >>> affordable(1000, 500), affordable(1000, 200_000), affordable(1000, 10**7)
        (1000, 300, 0)
    """
    many = min(wanted, WORK // max(steps, 1))
    return many if many >= min(wanted, FEWEST_RESAMPLES) else 0


def bits_of(mask: int) -> list[int]:
    """Return the places of the bits that are set.

    Example:
        >>> bits_of(0b1010)
        [1, 3]
    """
    return [at for at, bit in enumerate(f"{mask:b}"[::-1]) if bit == "1"]


def item_patterns(
    answered: Sequence[int], marked: Sequence[int], known: int
) -> tuple[list[int], list[tuple[str, str]]]:
    """Group the items by who answered them and who is marked on them.

    Args:
        answered: for each voter the items it answered.
        marked: for each voter the items it is marked on.
        known: the items that are looked at.

    Returns:
        The kind of each item, and each kind: one sign per voter for answered, one for marked.

    Example:
        >>> item_patterns([0b111, 0b111], [0b001, 0b011], 0b111)
        ([0, 1, 2], [('11', '11'), ('11', '01'), ('11', '00')])
    """
    width = known.bit_length()
    gave, has = (
        [f"{mask & known:0{width}b}"[::-1] for mask in masks] for masks in (answered, marked)
    )
    found: dict[tuple[str, str], int] = {}
    kinds = []
    for at in bits_of(known):
        pattern = "".join(one[at] for one in gave), "".join(one[at] for one in has)
        kinds.append(found.setdefault(pattern, len(found)))
    return kinds, list(found)


def pair_places(
    patterns: Sequence[tuple[str, str]], i: int, j: int
) -> tuple[list[int], list[int], list[int], list[int]]:
    """Return the kinds both answered, and those with a mark of one, the other, or both.

    Args:
        patterns: the kinds of items, as :func:`item_patterns` returned them.
        i: a voter.
        j: another.

    Returns:
        Four lists of kinds.

    Example:
        >>> pair_places([("11", "11"), ("11", "01"), ("10", "10")], 0, 1)
        ([0, 1], [0], [0, 1], [0])
    """
    shared = [at for at, (gave, _) in enumerate(patterns) if gave[i] == gave[j] == "1"]
    first = [at for at in shared if patterns[at][1][i] == "1"]
    second = [at for at in shared if patterns[at][1][j] == "1"]
    return shared, first, second, [at for at in first if patterns[at][1][j] == "1"]
