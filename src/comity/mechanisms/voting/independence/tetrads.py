"""Tetrads: can dependence be found when nobody knows the truth?

Here: the tetrad differences of every four voters, the score of each pair, its z by resampling,
and the pair that is named when the log can tell it.
Not here: correlation of errors, which needs the truth (correlation.py).
Sources: SEMANTICS V9; Spearman 1904 (tetrads); Parisi et al. 2014 (covariances of independent
voters have rank one); Jaffe et al. 2016 (finding dependent voters without truth).

For votes of +1 and -1 and covariances c, c_ij c_kl = c_ik c_jl = c_il c_jk when errors are
independent given the truth. A pair's score is the mean of |c_ij c_kl - c_il c_kj| over all k, l.
With four voters a pair and the other two have the same scores: five are needed to name it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from math import fsum, sqrt

from comity.mechanisms.voting.independence.log import VoteLog
from comity.mechanisms.voting.independence.resampling import (
    Stream,
    affordable,
    item_patterns,
    pair_places,
    resample,
)

__all__ = ["PairScore", "Quadruple", "Tetrads", "tetrads"]

MOST_SHARE = 0.95
MOST_VOTERS = 12
FEWEST_TO_NAME = 5
SURE = 3.0
_LISTED = 20
_SAME = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Quadruple:
    """The three tetrad differences of four voters.

    Attributes:
        voters: i, j, k, l, sorted.
        differences: c_ij c_kl - c_ik c_jl, c_ij c_kl - c_il c_jk and c_ik c_jl - c_il c_jk: all
            near 0 when the four are independent.
        z: each divided by its standard error; empty when nothing was resampled.
    """

    voters: tuple[str, str, str, str]
    differences: tuple[float, float, float]
    z: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairScore:
    """How much the tetrads of a pair stand out.

    Attributes:
        first: a voter.
        second: another.
        score: the mean size of its tetrad differences.
        z: how many standard errors it lies above the mean of the other pairs; None when nothing
            was resampled or nothing varies.
    """

    first: str
    second: str
    score: float
    z: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tetrads:
    """What the tetrads of a log say.

    Attributes:
        informative: the voters that were looked at.
        uninformative: those left out, because nearly all their answers are the same.
        quadruples: the four voters with the largest differences, largest first.
        pairs: the scores, largest first.
        named: the pair that depends on each other; None when none can be named.
        resamples: how many were drawn.
        says: what follows, in words.
    """

    informative: tuple[str, ...]
    uninformative: tuple[str, ...]
    quadruples: tuple[Quadruple, ...]
    pairs: tuple[PairScore, ...]
    named: tuple[str, str] | None
    resamples: int
    says: str


def tetrads(log: VoteLog, *, seed: str = "0", resamples: int = 1000) -> Tetrads:
    """Look for dependent voters without the truth.

    Args:
        log: the votes; two options.
        seed: the seed of the resamples.
        resamples: how many are drawn.

    Returns:
        What was found; `says` tells why when nothing could be looked at.

    Example:
        >>> from comity.mechanisms.voting.independence.log import vote_log
        >>> rows = {name: {"1": "x", "2": "y"} for name in "abc"}
        >>> tetrads(vote_log(rows)).says
        'Tetrads need four informative voters; this log has 3.'
    """
    if len(log.options) != 2:
        return _nothing(f"Tetrads need two options; this log has {len(log.options)}.")
    gave, said = _sides(log)
    kept = [at for at in range(len(log.voters)) if _is_informative(gave[at], said[at])]
    names = tuple(log.voters[at] for at in kept)
    others = tuple(one for one in log.voters if one not in names)
    if len(kept) < 4:
        told = f"Tetrads need four informative voters; this log has {len(kept)}."
        return _nothing(told, names, others)
    if len(kept) > MOST_VOTERS:
        told = f"Tetrads were not looked at: {len(kept)} voters, at most {MOST_VOTERS}."
        return _nothing(told, names, others)
    frame = _Frame([gave[at] for at in kept], [said[at] for at in kept], len(log.items))
    steps = len(frame.kinds) + len(frame.places) * (2 * len(frame.patterns) + len(kept) ** 2)
    many = affordable(resamples, steps)
    whole = frame.covariances(frame.sizes)
    stream = Stream(seed, "tetrads")
    drawn = [
        frame.covariances(resample(stream, frame.kinds, len(frame.patterns))) for _ in range(many)
    ]
    scored = _pair_scores(names, whole, drawn)
    quadruples = _quadruples(names, whole, drawn)
    named, says = _named(names, scored, quadruples[0])
    return Tetrads(
        informative=names,
        uninformative=others,
        quadruples=quadruples,
        pairs=scored,
        named=named,
        resamples=many,
        says=says,
    )


def _nothing(says: str, kept: tuple[str, ...] = (), others: tuple[str, ...] = ()) -> Tetrads:
    return Tetrads(
        informative=kept,
        uninformative=others,
        quadruples=(),
        pairs=(),
        named=None,
        resamples=0,
        says=says,
    )


def _sides(log: VoteLog) -> tuple[list[int], list[int]]:
    """Return for each voter the items it answered, and those it gave the second option."""
    gave, said = [], []
    for answers in log.valid:
        gave.append(sum(1 << at for at, one in enumerate(answers) if one is not None))
        said.append(sum(1 << at for at, one in enumerate(answers) if one == log.options[1]))
    return gave, said


def _is_informative(gave: int, said: int) -> bool:
    whole, second = gave.bit_count(), said.bit_count()
    return max(second, whole - second) <= MOST_SHARE * whole and whole > 0


_Matrix = list[list[float]]


class _Frame:
    """The items by kind, and where each pair finds its counts."""

    def __init__(self, gave: Sequence[int], said: Sequence[int], items: int) -> None:
        self.kinds, self.patterns = item_patterns(gave, said, (1 << items) - 1)
        self.sizes = [0] * len(self.patterns)
        for kind in self.kinds:
            self.sizes[kind] += 1
        self._count = len(gave)
        self.places = {
            (i, j): pair_places(self.patterns, i, j)
            for i, j in combinations(range(self._count), 2)
        }

    def covariances(self, sizes: Sequence[int]) -> _Matrix:
        """Return the covariances of votes of +1 and -1."""
        take = sizes.__getitem__
        found = [[0.0] * self._count for _ in range(self._count)]
        for (i, j), four in self.places.items():
            shared, one, other, both = (sum(map(take, places)) for places in four)
            below = shared * (shared - 1)
            value = 4 * (shared * both - one * other) / below if below else 0.0
            found[i][j] = found[j][i] = value
        return found


def _three(c: _Matrix, four: tuple[int, int, int, int]) -> tuple[float, float, float]:
    i, j, k, m = four
    one, other, third = c[i][j] * c[k][m], c[i][k] * c[j][m], c[i][m] * c[j][k]
    return one - other, one - third, other - third


def _quadruples(
    names: Sequence[str], whole: _Matrix, drawn: Sequence[_Matrix]
) -> tuple[Quadruple, ...]:
    found = []
    for four in combinations(range(len(names)), 4):
        values = _three(whole, four)
        resampled = [_three(one, four) for one in drawn]
        spreads = [_spread([one[at] for one in resampled]) for at in range(3)] if drawn else []
        z = tuple(
            value / spread if spread > _SAME else 0.0
            for value, spread in zip(values, spreads, strict=bool(drawn))
        )
        i, j, k, m = four
        voters = (names[i], names[j], names[k], names[m])
        found.append(Quadruple(voters=voters, differences=values, z=z))
    found.sort(key=lambda one: (-max(map(abs, one.differences)), one.voters))
    return tuple(found[:_LISTED])


def _spread(values: Sequence[float]) -> float:
    mean = fsum(values) / len(values)
    return sqrt(fsum((one - mean) ** 2 for one in values) / len(values))


def _scores(c: _Matrix) -> dict[tuple[int, int], float]:
    count = len(c)
    found = {}
    for i, j in combinations(range(count), 2):
        rest = [at for at in range(count) if at not in (i, j)]
        sizes = [abs(c[i][j] * c[k][m] - c[i][m] * c[k][j]) for k, m in permutations(rest, 2)]
        found[i, j] = fsum(sizes) / len(sizes)
    return found


def _pair_scores(
    names: Sequence[str], whole: _Matrix, drawn: Sequence[_Matrix]
) -> tuple[PairScore, ...]:
    scores = _scores(whole)
    resampled = [_scores(one) for one in drawn]
    found = []
    for pair, score in scores.items():
        spread = _spread([_above(one, pair) for one in resampled]) if drawn else 0.0
        z = _above(scores, pair) / spread if spread > _SAME else None
        found.append(PairScore(first=names[pair[0]], second=names[pair[1]], score=score, z=z))
    return tuple(sorted(found, key=lambda one: (-one.score, one.first, one.second)))


def _above(scores: dict[tuple[int, int], float], pair: tuple[int, int]) -> float:
    rest = fsum(score for other, score in scores.items() if other != pair)
    return scores[pair] - rest / (len(scores) - 1)


def _named(
    names: Sequence[str], scored: Sequence[PairScore], four: Quadruple
) -> tuple[tuple[str, str] | None, str]:
    top = scored[0]
    is_named = len(names) >= FEWEST_TO_NAME
    z = top.z if is_named else _z_of_pairing(four, top)
    if z is None:
        return None, "Nothing was resampled, so no pair is named."
    if z < SURE:
        return None, f"No pair stands out (largest z {z:.1f}, below {SURE:g})."
    if not is_named:
        rest = [one for one in names if one not in (top.first, top.second)]
        return None, (
            f"Either {top.first} and {top.second} or {' and '.join(rest)} depend on each other "
            f"(z {z:.1f}); with {len(names)} informative voters the votes cannot tell which."
        )
    if abs(scored[1].score - top.score) <= _SAME:
        return None, "Two pairs stand out equally, so none is named."
    return (
        top.first,
        top.second,
    ), f"{top.first} and {top.second} depend on each other (z {z:.1f})."


def _z_of_pairing(four: Quadruple, top: PairScore) -> float | None:
    """Return the smaller z of the two differences that hold the product of a pairing of four."""
    if not four.z:
        return None
    first, *rest = four.voters
    pair = {top.first, top.second} if first in (top.first, top.second) else {first, *rest} - {
        top.first, top.second,
    }  # fmt: skip
    partner = next(at for at, name in enumerate(rest) if name in pair)
    return min(abs(four.z[at]) for at in ((0, 1), (0, 2), (1, 2))[partner])
