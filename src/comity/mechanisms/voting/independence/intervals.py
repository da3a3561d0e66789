"""Intervals: how certain is a correlation, and would chance alone give it?

Here: the bootstrap over items for rho and n_eff, the permutation of each voter's errors within
each true class.
Not here: the draws (resampling.py), the figures themselves (correlation.py).
Sources: SEMANTICS V9; Efron 1979 (bootstrap); permutation within each true class, so that a hard
class alone is not taken for dependence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum, sqrt
from operator import mul

from comity.core.exact import Exact
from comity.mechanisms.voting.independence.correlation import Errors, PairRecord, phi, usable
from comity.mechanisms.voting.independence.resampling import (
    Stream,
    affordable,
    bits_of,
    interval,
    item_patterns,
    pair_places,
    resample,
    subset,
)

__all__ = ["Intervals", "PermutationNull", "bootstrap", "permutation_null"]

MOST_KINDS = 400
BLOCKS = 200
DRAW = 6
"""What one draw costs, in steps of adding one number to a sum."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervals:
    """How far rho and n_eff would vary with other items: 95 % of the resamples lie within.

    Attributes:
        resamples: how many were drawn.
        rho: the lower and the upper end.
        n_eff: the same, raw.
    """

    resamples: int
    rho: tuple[float, float]
    n_eff: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class PermutationNull:
    """What rho would be if the voters' errors met by chance only.

    Attributes:
        permutations: how many were drawn.
        mean: the mean of rho over them.
        deviation: its standard deviation.
        p: how probable a rho at least as large as the observed one is.
    """

    permutations: int
    mean: float
    deviation: float
    p: float


def bootstrap(
    errors: Errors,
    weights: Sequence[Exact],
    counted: Sequence[PairRecord],
    *,
    seed: str,
    wanted: int,
) -> Intervals | None:
    """Return how far rho and n_eff vary when the items are drawn anew.

    Args:
        errors: who erred where.
        weights: the weight of each voter.
        counted: the pairs of the panel; those that count are taken.
        seed: the seed of the draws.
        wanted: how many resamples are wanted.

    Returns:
        The intervals; None when no pair counts, none is wanted, or the log is too large.

    Example:
        >>> from comity.mechanisms.voting.independence.correlation import errors_of, pair_records
        >>> from comity.mechanisms.voting.independence.log import vote_log
        >>> rows = {"a": {"1": "x", "2": "y"}, "b": {"1": "x", "2": "y"}}
        >>> both = errors_of(vote_log(rows, truth={"1": "x", "2": "x"}))
        >>> bootstrap(both, [1, 1], pair_records(both), seed="1", wanted=100).rho
        (1.0, 1.0)
    """
    pairs = _counting(errors, counted)
    kinds, units, each, counts = _units(errors, pairs)
    many = affordable(wanted, each)
    if not pairs or not many:
        return None
    shares = [float(one) for one in weights]
    total, own = sum(shares), sum(one * one for one in shares)
    joint = [2 * shares[i] * shares[j] for i, j in pairs]
    off = total * total - own
    stream = Stream(seed, "bootstrap")
    rhos, sizes = [], []
    for _ in range(many):
        found = [phi(*four) for four in counts(resample(stream, kinds, units))]
        defined = [(one, part) for one, part in zip(found, joint, strict=True) if one is not None]
        if not defined:
            continue
        rho = sum(one for one, _ in defined) / len(defined)
        told = sum(one * part for one, part in defined)
        below = own + told + rho * (off - sum(part for _, part in defined))
        rhos.append(rho)
        sizes.append(total * total / max(below, 1e-9))
    if not rhos:
        return None
    return Intervals(resamples=many, rho=interval(rhos), n_eff=interval(sizes))


_Counts = Callable[[Sequence[int]], Iterator[tuple[int, ...]]]


def _units(
    errors: Errors, pairs: Sequence[tuple[int, int]]
) -> tuple[Sequence[int], int, int, _Counts]:
    """Return what is drawn: items by kind, or blocks of items when there are too many kinds.

    Returns:
        The kind of each unit, how many kinds there are, the steps of one resample, and what turns
        a resample into the four counts of each pair.
    """
    known = sum(places for _, places in errors.classes)
    kinds, patterns = item_patterns(errors.answered, errors.wrong, known)
    if len(patterns) <= MOST_KINDS:
        places = [pair_places(patterns, i, j) for i, j in pairs]

        def by_kind(drawn: Sequence[int]) -> Iterator[tuple[int, ...]]:
            take = drawn.__getitem__
            return (tuple(sum(map(take, one)) for one in four) for four in places)

        steps = DRAW * len(kinds) + sum(len(one) for four in places for one in four)
        return kinds, len(patterns), steps, by_kind
    blocks = [0] * BLOCKS
    for at, place in enumerate(bits_of(known)):
        blocks[at % BLOCKS] |= 1 << place
    columns = [_columns(errors, i, j, blocks) for i, j in pairs]

    def by_block(drawn: Sequence[int]) -> Iterator[tuple[int, ...]]:
        return (tuple(sum(map(mul, drawn, one)) for one in four) for four in columns)

    return range(BLOCKS), BLOCKS, (DRAW + 4 * len(pairs)) * BLOCKS, by_block


def _columns(errors: Errors, i: int, j: int, blocks: Sequence[int]) -> list[list[int]]:
    """Return the four counts of a pair, block by block."""
    shared = errors.answered[i] & errors.answered[j]
    one, other = errors.wrong[i] & shared, errors.wrong[j] & shared
    return [
        [(mask & block).bit_count() for block in blocks]
        for mask in (shared, one, other, one & other)
    ]


def _counting(errors: Errors, counted: Sequence[PairRecord]) -> list[tuple[int, int]]:
    """Return the places of the pairs that count."""
    names = {(one.first, one.second) for one in usable(counted)}
    return [
        (i, j)
        for i, j in combinations(range(len(errors.voters)), 2)
        if (errors.voters[i], errors.voters[j]) in names
    ]


def permutation_null(
    errors: Errors, rho: float | None, counted: Sequence[PairRecord], *, seed: str, wanted: int
) -> PermutationNull | None:
    """Return what rho would be if the voters' errors met by chance within each true class.

    Args:
        errors: who erred where.
        rho: the observed mean correlation, or None.
        counted: the pairs of the panel; those that count are taken.
        seed: the seed of the draws.
        wanted: how many permutations are wanted.

    Returns:
        What chance gives; None without rho, when none is wanted, or the log is too large.

    Example:
        >>> from comity.mechanisms.voting.independence.correlation import errors_of, pair_records
        >>> from comity.mechanisms.voting.independence.log import vote_log
        >>> rows = {name: {str(at): "xy"[at < 5] for at in range(40)} for name in "ab"}
        >>> both = errors_of(vote_log(rows, truth={str(at): "x" for at in range(40)}))
        >>> permutation_null(both, 1.0, pair_records(both), seed="1", wanted=199).p
        0.005
    """
    pairs = _counting(errors, counted)
    drawn = [
        [(bits_of(gave & places), (wrong & places).bit_count()) for _, places in errors.classes]
        for gave, wrong in zip(errors.answered, errors.wrong, strict=True)
    ]
    moved = sum(min(many, len(places) - many) for voter in drawn for places, many in voter)
    kept = sum(len(places) for voter in drawn for places, _ in voter)
    many = affordable(wanted, 3 * DRAW * moved + kept // 4 + 8 * len(pairs))
    if rho is None or not many:
        return None
    shared = [errors.answered[i] & errors.answered[j] for i, j in pairs]
    stream = Stream(seed, "permutation")
    found = []
    for _ in range(many):
        wrong = [sum(subset(stream, *one) for one in voter) for voter in drawn]
        values = [
            phi(
                both.bit_count(),
                (wrong[i] & both).bit_count(),
                (wrong[j] & both).bit_count(),
                (wrong[i] & wrong[j] & both).bit_count(),
            )
            for (i, j), both in zip(pairs, shared, strict=True)
        ]
        defined = [one for one in values if one is not None]
        found.append(sum(defined) / len(defined) if defined else 0.0)
    mean = fsum(found) / many
    spread = sqrt(fsum((one - mean) ** 2 for one in found) / many)
    above = sum(1 for one in found if one >= rho - 1e-12)
    return PermutationNull(
        permutations=many, mean=mean, deviation=spread, p=(1 + above) / (1 + many)
    )
