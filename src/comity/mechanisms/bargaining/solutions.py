"""Solutions: which point of the frontier do the parties have a claim to?

Here: Nash, Kalai-Smorodinsky (and the point nearest the diagonal, which some call so),
egalitarian, utilitarian, and the point nearest the ideal; every tie of each, in exact numbers.
Not here: the frontier itself (frontier.py), choosing one among ties (mediator.py), how good a
given deal is (assessment.py).
Sources: SEMANTICS M4, G6; Nash 1950; Kalai and Smorodinsky 1975; Kalai 1977 (egalitarian).

Gains count from the reservation. A party without one counts from 0, or from its worst deal where
that is below 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm, prod, sqrt

from comity.core.errors import Fault, InvalidInput, UnknownName, did_you_mean
from comity.core.exact import to_fraction
from comity.core.units import unit_faults
from comity.mechanisms.bargaining.frontier import Frontier, Point
from comity.mechanisms.bargaining.problem import Problem

__all__ = [
    "ALIASES",
    "POINTS",
    "Solution",
    "disagreement_of",
    "solution",
    "solutions",
    "worths_of",
]

NO_OVERLAP = "no deal is acceptable to every party"

Rows = list[list[int]]


@dataclass(frozen=True, slots=True)
class Solution:
    """The points that are best by one rule.

    Attributes:
        name: the rule.
        points: every best point; none when the rule does not apply.
        value: what they are best by: the product of gains, the least share of the ideal gains,
            the difference of the shares, the least gain, the sum, or the squared distance.
        why: why there is none, or what is odd about them.

    Example:
        >>> Solution("nash", (), None, NO_OVERLAP).points
        ()
    """

    name: str
    points: tuple[Point, ...]
    value: Fraction | None
    why: str = ""

    @property
    def distance(self) -> float | None:
        """The distance to the ideal, rounded to a float; None for the other rules."""
        if self.name != "ideal" or self.value is None:
            return None
        return sqrt(self.value)


def solutions(found: Frontier, *, ideal: Sequence[Fraction] | None = None) -> dict[str, Solution]:
    """Return every solution point of a frontier, among the deals that every party accepts.

    Args:
        found: the frontier.
        ideal: the point that the last one is nearest to; by default each party's best deal.

    Returns:
        Name of the rule -> its points.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> from comity.mechanisms.bargaining.frontier import frontier
        >>> from comity.mechanisms.bargaining.preferences import additive
        >>> from comity.mechanisms.bargaining.problem import problem_of
        >>> d = domain_of({"cut": [0, 1, 2, 3, 4]})
        >>> ann = additive(d, {"cut": {str(n): n for n in range(5)}})
        >>> bob = additive(d, {"cut": {str(n): 4 - n for n in range(5)}}, reservation=1)
        >>> points = solutions(frontier(problem_of(d, {"ann": ann, "bob": bob})))
        >>> [tuple(map(int, one.utilities)) for one in points["nash"].points]
        [(2, 2), (1, 3)]
        >>> len(points["utilitarian"].points)
        4
    """
    return {name: solution(found, name, ideal=ideal) for name in POINTS}


def solution(
    found: Frontier,
    name: str,
    *,
    ideal: Sequence[Fraction] | None = None,
    of_all: bool = False,
) -> Solution:
    """Return the points that are best by one rule.

    Args:
        found: the frontier.
        name: one of `POINTS`, or ``ks``.
        ideal: for ``"ideal"``: one number per party, in the order of their names.
        of_all: for ``"ideal"``: look at all deals, also at those that a party refuses; its
            distance is then what the literature calls opposition.

    Returns:
        All of them; none, with the reason, when nobody could agree, when an ideal gain is 0
        (Kalai-Smorodinsky), or when parties measure in different units and the rule adds or
        compares them.

    Raises:
        UnknownName: for a rule that does not exist.
        InvalidInput: for an ideal of another length.
    """
    name = ALIASES.get(name, name)
    if name not in POINTS:
        allowed = ", ".join(POINTS)
        raise UnknownName(
            Fault(f"point {name!r}", "does not exist", allowed, did_you_mean(name, POINTS))
        )
    keys = found.keys if of_all and name == "ideal" else found.rational_keys
    if not keys:
        return Solution(name, (), None, NO_OVERLAP)
    if name == "ideal":
        return _nearest_ideal(found, keys, ideal)
    return _RULES[name](found, keys)


# --- gains -----------------------------------------------------------------------------------


def disagreement_of(problem: Problem, found: Frontier) -> tuple[Fraction, ...]:
    """Return what each party has when there is no deal, in the order of their names.

    Args:
        problem: the parties.
        found: its frontier.

    Returns:
        The reservation; without one 0, or the worst deal where that is below 0.
    """
    return tuple(
        one.preferences.reservation
        if one.preferences.reservation is not None
        else min(Fraction(0), found.worst(at))
        for at, one in enumerate(problem.parties)
    )


def _gains(found: Frontier, keys: Sequence[int]) -> tuple[Rows, list[int]]:
    """Return each point's gains in whole numbers, and each party's scale."""
    base = disagreement_of(found.problem, found)
    factors = [one.denominator for one in base]
    starts = [one.numerator * scale for one, scale in zip(base, found.scales, strict=True)]
    rows = [
        [
            number * factor - start
            for number, factor, start in zip(found.whole(key), factors, starts, strict=True)
        ]
        for key in keys
    ]
    return rows, [a * b for a, b in zip(factors, found.scales, strict=True)]


def worths_of(problem: Problem, what: str) -> tuple[list[Fraction], str]:
    """Return what one unit of each party is worth in a common unit.

    Args:
        problem: the parties and their rates.
        what: the rule that needs one unit, for the message.

    Returns:
        The factors, and why there are none: parties measure in different units.
    """
    units = {one.name: one.preferences.unit for one in problem.parties}
    if problem.rates is not None:
        return [problem.rates.convert(1, unit, whose=name) for name, unit in units.items()], ""
    faults = unit_faults(units, for_what=what)
    return ([], faults[0].what) if faults else ([Fraction(1)] * len(units), "")


def _common(factors: Sequence[Fraction], scales: Sequence[int]) -> tuple[list[int], int]:
    """Return whole multipliers that bring numbers of several scales to one, and that scale."""
    shares = [factor / scale for factor, scale in zip(factors, scales, strict=True)]
    scale = lcm(*(share.denominator for share in shares))
    return [int(share * scale) for share in shares], scale


def _best(
    found: Frontier, keys: Sequence[int], scores: Sequence[int], name: str, scale: int
) -> Solution:
    best = max(scores)
    points = [found.point(key) for key, score in zip(keys, scores, strict=True) if score == best]
    return Solution(name, tuple(points), Fraction(best, scale))


def _positive(least: Solution) -> Solution:
    """Return a solution of a rule that looks for the least, which was counted below 0."""
    assert least.value is not None
    return Solution(least.name, least.points, -least.value)


# --- the rules -------------------------------------------------------------------------------


def _nash(found: Frontier, keys: Sequence[int]) -> Solution:
    rows, scales = _gains(found, keys)
    solved = _best(found, keys, [prod(row) for row in rows], "nash", prod(scales))
    if solved.value or not any(map(any, rows)):
        return solved
    why = "in every deal somebody gains nothing, so that the product is 0 everywhere"
    return Solution(solved.name, solved.points, solved.value, why)


def _shares(found: Frontier, keys: Sequence[int]) -> tuple[Rows, int]:
    """Return each point's shares of the ideal gains times a common scale; none if one is 0."""
    rows, _ = _gains(found, keys)
    ideal = [max(column) for column in zip(*rows, strict=True)]
    if not all(ideal):
        return [], 0
    scale = lcm(*ideal)
    parts = [scale // one for one in ideal]
    return [[gain * part for gain, part in zip(row, parts, strict=True)] for row in rows], scale


def _no_ideal(name: str) -> Solution:
    return Solution(name, (), None, "a party cannot gain anything, so it has no ideal gain")


def _kalai_smorodinsky(found: Frontier, keys: Sequence[int]) -> Solution:
    rows, scale = _shares(found, keys)
    if not rows:
        return _no_ideal("kalai_smorodinsky")
    return _best(found, keys, [min(row) for row in rows], "kalai_smorodinsky", scale)


def _nearest_diagonal(found: Frontier, keys: Sequence[int]) -> Solution:
    rows, scale = _shares(found, keys)
    if not rows:
        return _no_ideal("nearest_diagonal")
    spread = [min(row) - max(row) for row in rows]
    return _positive(_best(found, keys, spread, "nearest_diagonal", scale))


def _egalitarian(found: Frontier, keys: Sequence[int]) -> Solution:
    worths, why = worths_of(found.problem, "the least gain")
    if why:
        return Solution("egalitarian", (), None, why)
    rows, scales = _gains(found, keys)
    parts, scale = _common(worths, scales)
    least = [min([gain * part for gain, part in zip(row, parts, strict=True)]) for row in rows]
    return _best(found, keys, least, "egalitarian", scale)


def _utilitarian(found: Frontier, keys: Sequence[int]) -> Solution:
    worths, why = worths_of(found.problem, "a sum of utilities")
    if why:
        return Solution("utilitarian", (), None, why)
    parts, scale = _common(worths, found.scales)
    sums = [
        sum([number * part for number, part in zip(found.whole(key), parts, strict=True)])
        for key in keys
    ]
    return _best(found, keys, sums, "utilitarian", scale)


def _nearest_ideal(
    found: Frontier, keys: Sequence[int], ideal: Sequence[Fraction] | None
) -> Solution:
    problem = found.problem
    if ideal is not None and len(ideal) != len(problem.parties):
        allowed = f"{len(problem.parties)} numbers, for {', '.join(problem.names)}"
        raise InvalidInput(Fault("ideal", f"has {len(ideal)} numbers", allowed, "correct it"))
    worths, why = worths_of(problem, "a distance")
    if why:
        return Solution("ideal", (), None, why)
    parts, scale = _common(worths, found.scales)
    rows = [
        [number * part for number, part in zip(found.whole(key), parts, strict=True)]
        for key in keys
    ]
    if ideal is None:
        best = [max(column) for column in zip(*map(found.whole, found.keys), strict=True)]
        goal = [Fraction(one * part) for one, part in zip(best, parts, strict=True)]
    else:
        goal = [to_fraction(one) * worth * scale for one, worth in zip(ideal, worths, strict=True)]
    finer = lcm(*(one.denominator for one in goal))
    whole = [int(one * finer) for one in goal]
    squares = [
        -sum([(one - number * finer) ** 2 for one, number in zip(whole, row, strict=True)])
        for row in rows
    ]
    return _positive(_best(found, keys, squares, "ideal", (scale * finer) ** 2))


_RULES: dict[str, Callable[[Frontier, Sequence[int]], Solution]] = {
    "nash": _nash,
    "kalai_smorodinsky": _kalai_smorodinsky,
    "nearest_diagonal": _nearest_diagonal,
    "egalitarian": _egalitarian,
    "utilitarian": _utilitarian,
}
POINTS = (*_RULES, "ideal")
"""The names of the rules."""

ALIASES = {"ks": "kalai_smorodinsky"}
"""Short name -> rule."""
