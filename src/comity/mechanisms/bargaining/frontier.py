"""Frontier: which deals cannot be improved for one party without loss to another?

Here: the exact Pareto frontier of a problem, of all deals and of those that every party accepts,
with every deal behind each point.
Not here: the arithmetic of the fold (folding.py), which point of the frontier (solutions.py).
Sources: SEMANTICS M4. Additive preferences without constraints are folded issue by issue; others
are looked at deal by deal, up to a stated number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import compress, islice, product
from math import lcm
from typing import Protocol, cast

from comity.core.errors import Fault, InvalidInput
from comity.mechanisms.bargaining.constraints import Constraint, is_allowed
from comity.mechanisms.bargaining.domain import count_text
from comity.mechanisms.bargaining.folding import Folded, Packing, fold, undominated
from comity.mechanisms.bargaining.preferences import Additive
from comity.mechanisms.bargaining.problem import Bargainer, Problem
from comity.mechanisms.bargaining.valuations import Preferences

__all__ = ["DEALS_AT_MOST", "Frontier", "Point", "frontier"]

DEALS_AT_MOST = 1_000_000
"""Deals looked at one by one before giving up; additive problems have no such limit."""


@dataclass(frozen=True, slots=True)
class Point:
    """One point of the frontier.

    Attributes:
        utilities: what it is worth to each party, in the order of their names.
        key: the point as the frontier keeps it.

    Example:
        >>> Point((Fraction(1), Fraction(2)), 0).utilities[1]
        Fraction(2, 1)
    """

    utilities: tuple[Fraction, ...]
    key: int


class Frontier:
    """The undominated points of a problem; equal deals are one point.

    Attributes:
        problem: whose.
        keys: the undominated points among all deals, the first party's best first, packed.
        rational_keys: the undominated points among the deals that every party accepts.
        scales: per party, what makes its utilities whole.
    """

    def __init__(
        self,
        problem: Problem,
        packing: Packing,
        scaled: Sequence[tuple[int, int]],
        found: _Found,
        least: Sequence[int] | None = None,
    ) -> None:
        """Keep what was found; `frontier` builds it.

        Args:
            problem: whose frontier.
            packing: how the points are packed.
            scaled: per party what was added to make every number positive, and the scale.
            found: the points and the way back to the deals.
            least: per party the least packed number of a deal that can be made; by default 0.
        """
        self.problem = problem
        self.keys = found.keys
        self.scales = tuple(scale for _, scale in scaled)
        self._packing = packing
        self._offsets = tuple(offset for offset, _ in scaled)
        self._found = found
        self._least = least or [0] * len(scaled)

    @property
    def size(self) -> int:
        """How many points it has."""
        return len(self.keys)

    @cached_property
    def rational_keys(self) -> Sequence[int]:
        """The undominated points among the deals that every party accepts."""
        if self._found.accepted is not None:
            return self._found.accepted
        limits = [
            (at, _floor(one, self._offsets[at], self.scales[at]))
            for at, one in enumerate(self.problem.parties)
            if one.preferences.reservation is not None
        ]
        shifts, masks = self._packing.shifts, self._packing.masks
        kept: Sequence[int] = self.keys
        for at, floor in limits:
            shift, mask = shifts[at], masks[at]
            kept = [key for key in kept if (key >> shift & mask) >= floor]
        return kept

    @property
    def points(self) -> tuple[Point, ...]:
        """Every undominated point, the first party's best first."""
        return tuple(map(self.point, self.keys))

    @property
    def rational(self) -> tuple[Point, ...]:
        """Every undominated point that all parties accept."""
        return tuple(map(self.point, self.rational_keys))

    def whole(self, key: int) -> list[int]:
        """Return a point's utilities times the parties' scales."""
        vector = self._packing.unpack(key)
        return [one - offset for one, offset in zip(vector, self._offsets, strict=True)]

    def point(self, key: int) -> Point:
        """Return the point that a key stands for."""
        whole = self.whole(key)
        return Point(
            tuple([Fraction(one, scale) for one, scale in zip(whole, self.scales, strict=True)]),
            key,
        )

    def worst(self, at: int) -> Fraction:
        """Return the least that any deal that can be made is worth to a party, by its place."""
        return Fraction(self._least[at] - self._offsets[at], self.scales[at])

    def count(self, point: Point) -> int:
        """Return how many deals have a point's utilities."""
        return self._found.count(point.key)

    def deals(self, point: Point, limit: int | None = None) -> Iterator[dict[str, str]]:
        """Yield the deals behind a point, at most ``limit``; the order among them says nothing."""
        terms = self.problem.domain.terms
        for chosen in islice(self._found.outcomes(point.key), limit):
            yield {
                term.name: term.options[at].name for term, at in zip(terms, chosen, strict=True)
            }


class _Found(Protocol):
    """Undominated keys and the way back to their deals."""

    keys: Sequence[int]
    accepted: Sequence[int] | None

    def count(self, key: int) -> int:
        """Return how many deals are behind a key."""

    def outcomes(self, key: int) -> Iterator[tuple[int, ...]]:
        """Yield the deals behind a key, as option positions."""


class _ByFold:
    accepted: Sequence[int] | None = None

    def __init__(self, folded: Folded) -> None:
        self.keys: Sequence[int] = folded.keys
        self._folded = folded

    def count(self, key: int) -> int:
        return self._folded.count(key)

    def outcomes(self, key: int) -> Iterator[tuple[int, ...]]:
        return self._folded.outcomes(key)


class _ByDeal:
    """Points of deals that were looked at one by one."""

    def __init__(
        self, packing: Packing, every: Sequence[tuple[int, tuple[int, ...], bool]]
    ) -> None:
        self.keys: Sequence[int] = undominated([key for key, _, _ in every], packing)
        accepted = undominated([key for key, _, is_good in every if is_good], packing)
        self.accepted: Sequence[int] | None = accepted
        good = set(accepted)
        self._behind: dict[int, list[tuple[int, ...]]] = {key: [] for key in good.union(self.keys)}
        refused: dict[int, list[tuple[int, ...]]] = {}
        for key, chosen, is_good in every:
            if key in self._behind:
                # A point that all accept stands for the deals that all accept.
                place = self._behind if is_good or key not in good else refused
                place.setdefault(key, []).append(chosen)

    def count(self, key: int) -> int:
        return len(self._behind[key])

    def outcomes(self, key: int) -> Iterator[tuple[int, ...]]:
        return iter(self._behind[key])


def frontier(problem: Problem) -> Frontier:
    """Return the exact Pareto frontier of a problem.

    Args:
        problem: two or more parties.

    Returns:
        The points, exact; no deal is looked at when preferences are additive and nothing is
        excluded, so that 10^30 deals take milliseconds.

    Raises:
        InvalidInput: when every deal has to be looked at and there are more than
            `DEALS_AT_MOST`, when the frontier itself is too large, or a value is no finite number.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> from comity.mechanisms.bargaining.preferences import additive
        >>> from comity.mechanisms.bargaining.problem import problem_of
        >>> d = domain_of({"pay": [1, 2, 3], "days": [20, 30]})
        >>> ann = additive(d, {"pay": {"2": 5, "3": 9}, "days": {"20": 1, "30": 4}})
        >>> boss = additive(d, {"pay": {"1": 6, "2": 5}, "days": {"20": 3}})
        >>> found = frontier(problem_of(d, {"ann": ann, "boss": boss}))
        >>> [tuple(map(int, one.utilities)) for one in found.points]
        [(13, 0), (10, 3), (9, 5), (6, 8), (1, 9)]
    """
    if problem.is_additive:
        return _folded(problem)
    return _enumerated(problem)


def _folded(problem: Problem) -> Frontier:
    tables, least, scaled, largest = [], [], [], []
    for one in problem.parties:
        rows, scale = cast("Additive", one.preferences).whole()
        low = [min(row) for row in rows]
        tables.append(rows)
        least.append(low)
        scaled.append((-sum(low), scale))
        largest.append(sum(map(max, rows)) - sum(low))
    packing = Packing(largest)
    lows = list(map(packing.pack, zip(*least, strict=True)))
    issues = zip(*tables, strict=True)
    if len(tables) == 2:
        shift = packing.shifts[0]
        packed = [
            [(one << shift) + other - low for one, other in zip(first, second, strict=True)]
            for (first, second), low in zip(issues, lows, strict=True)
        ]
    else:
        packed = [
            [packing.pack(vector) - low for vector in zip(*issue, strict=True)]
            for issue, low in zip(issues, lows, strict=True)
        ]
    return Frontier(problem, packing, scaled, _ByFold(fold(packed, packing)))


def _enumerated(problem: Problem) -> Frontier:
    size = problem.domain.size
    if size > DEALS_AT_MOST:
        raise InvalidInput(
            Fault(
                "frontier",
                f"would have to look at {count_text(size)} deals one by one",
                f"at most {DEALS_AT_MOST:,}, or additive values without constraints",
                "leave out an issue, or state values per option",
            )
        )
    spans = [range(len(term.options)) for term in problem.domain.terms]
    chosen = list(product(*spans))
    is_open = _kept(problem, problem.constraints)
    columns, scaled = [], []
    for one in problem.parties:
        numbers, scale = _numbers(problem, one.preferences)
        least = min(numbers)
        columns.append([number - least for number in numbers])
        scaled.append((-least, scale))
    packing = Packing([max(numbers) for numbers in columns])
    is_good = list(is_open)
    for (offset, scale), numbers, one in zip(scaled, columns, problem.parties, strict=True):
        crosses_none = _kept(problem, one.red_lines)
        floor = 0 if one.preferences.reservation is None else _floor(one, offset, scale)
        is_good = [
            good and kept and number >= floor
            for good, kept, number in zip(is_good, crosses_none, numbers, strict=True)
        ]
    keys = map(packing.pack, zip(*columns, strict=True))
    every = [
        (key, deal, good)
        for key, deal, is_in, good in zip(keys, chosen, is_open, is_good, strict=True)
        if is_in
    ]
    if not every:
        raise InvalidInput(
            Fault("problem", "excludes every deal", "one deal or more", "drop a constraint")
        )
    worst = [min(compress(numbers, is_open)) for numbers in columns]
    return Frontier(problem, packing, scaled, _ByDeal(packing, every), worst)


def _kept(problem: Problem, constraints: Sequence[Constraint]) -> list[bool]:
    """Return which deals keep the constraints, in the order of all deals."""
    if not constraints:
        return [True] * problem.domain.size
    return [is_allowed(deal, constraints) for deal in problem.domain.deals()]


def _numbers(problem: Problem, preferences: Preferences) -> tuple[list[int], int]:
    """Return the whole value of every deal, and what makes it whole."""
    if isinstance(preferences, Additive):
        rows, scale = preferences.whole()
        return list(map(sum, product(*rows))), scale
    values = [
        preferences.of(deal) if problem.allows(deal) else None for deal in problem.domain.deals()
    ]
    known = [value for value in values if value is not None]
    scale = lcm(*{value.denominator for value in known})
    least = min(known, default=Fraction(0))
    whole = [least if value is None else value for value in values]
    return [value.numerator * (scale // value.denominator) for value in whole], scale


def _floor(party: Bargainer, offset: int, scale: int) -> int:
    """Return the least packed number at which a party accepts."""
    reservation = party.preferences.reservation
    assert reservation is not None
    return max(0, -(-(reservation.numerator * scale) // reservation.denominator) + offset)
