"""Alarm lots: do lots give to each what its chance is, and since when do they not?

Here: the lots of recorded conflicts in order, when an alarm over them begins and when it ends.
Not here: the tests of equal chances (tie_tests.py), rows of losses (alarm_watch.py).
Sources: SEMANTICS R5; Pearson 1900; Hoeffding 1963 (the chance that independent draws of any
chances give one agent as far from its due is at most exp(−n·KL(wins/n ‖ due/n)) on each side).

The lots of each series (ties of two, ties of three, weighted lots) are looked at after every 100
and at the end; the j-th look spends 2/(j·(j + 1)) of 1/1,000, so that fair lots raise an alarm in
at most 1 of 500 series, however long. An alarm ends when as many lots as convicted them have come
out as fair ones do.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from typing import NamedTuple

from comity.core.exact import Exact, to_fraction
from comity.mechanisms.arbitration.alarm_rules import LEVELS
from comity.mechanisms.arbitration.alarm_watch import Alarm
from comity.mechanisms.arbitration.engine import Conflict
from comity.mechanisms.arbitration.policy import Policy
from comity.mechanisms.arbitration.tie_tests import chi_square, chi_square_p, multinomial_p

__all__ = ["WEIGHTED", "Series", "lot_alarms", "lots_of"]

WEIGHTED = "weighted lots"
"""The scope of an alarm over lots by weight."""

_EVERY = 100
_LEVEL = 1e-3
_FAIR_AGAIN = 0.05
_FEW, _MOST_CELLS = 5, 10  # as in tie_tests.py: below, or up to so many, an exact test is needed

_Counts = dict[object, tuple[int, float, int]]
"""A place, or an agent -> its wins, its due, the lots it took part in."""


class Series:
    """Lots of one kind, in order.

    Attributes:
        times: when each was drawn, or None.
        marks: after every so many lots how many there were, and who had won how many.
    """

    __slots__ = ("_counts", "_every", "is_weighted", "marks", "times")

    def __init__(self, *, is_weighted: bool = False) -> None:
        """Start with nothing."""
        self.is_weighted = is_weighted
        self.times: list[Exact | None] = []
        self._counts: _Counts = {}
        self.marks: list[tuple[int, _Counts]] = [(0, {})]
        self._every = _EVERY

    def drew(self, cells: Sequence[tuple[object, float]], won: object, at: Exact | None) -> None:
        """Count one lot.

        Args:
            cells: a place, or an agent, and its chance.
            won: which of them won.
            at: when, or None.
        """
        for cell, chance in cells:
            wins, due, many = self._counts.get(cell, (0, 0.0, 0))
            self._counts[cell] = wins + (cell == won), due + chance, many + 1
        self.times.append(at)
        if len(self.times) - self.marks[-1][0] >= max(self._every, len(self._counts)):
            self.mark()

    def mark(self) -> None:
        """Note how things are, unless they have been noted."""
        if len(self.times) > self.marks[-1][0]:
            self.marks.append((len(self.times), dict(self._counts)))

    def since(self, begin: int, end: int) -> _Counts:
        """Return the counts between two marks."""
        before, after = self.marks[begin][1], self.marks[end][1]
        found = {}
        for cell, (wins, due, many) in after.items():
            past = before.get(cell, (0, 0.0, 0))
            found[cell] = wins - past[0], due - past[1], many - past[2]
        return found


class _Found(NamedTuple):
    """An alarm over a series, with the marks between which it was last told."""

    first: int
    since: int
    ended: int | None
    times: int
    told: tuple[int, int]


def lots_of(
    conflicts: Sequence[Conflict],
    policy: Policy | None = None,
    policies: Sequence[Policy | None] = (),
) -> dict[str, Series]:
    """Return what an alarm over lots may be about -> the lots.

    Args:
        conflicts: recorded conflicts, in order.
        policy: the policy that decided them, or None.
        policies: for each of them its own policy, where not one decided all.

    Example:
        >>> rows = [Conflict(1, "r", (), stages=(("a", "b"),), winners=("a",))] * 11
        >>> len(lots_of(rows)["ties of 2"].times)
        11
    """
    found: dict[str, Series] = {}
    for at, conflict in enumerate(conflicts):
        decider = policies[at] if policies else policy
        weights = _weights(conflict, decider)
        for stage, winner in zip(conflict.stages, conflict.winners, strict=False):
            if len(stage) < 2:
                continue
            if weights is None:
                series = found.setdefault(f"ties of {len(stage)}", Series())
                chance = 1 / len(stage)
                cells: list[tuple[object, float]] = [(one, chance) for one in range(len(stage))]
                series.drew(cells, stage.index(winner), conflict.at)
                continue
            series = found.setdefault(WEIGHTED, Series(is_weighted=True))
            parts = [weights.get(name, 0.0) for name in stage]
            total = sum(parts) or 1.0
            chances = [(name, part / total) for name, part in zip(stage, parts, strict=True)]
            series.drew(chances, winner, conflict.at)
    for series in found.values():
        series.mark()
    return found


def _weights(conflict: Conflict, policy: Policy | None) -> dict[str, float] | None:
    """Return agent -> weight where lots were drawn by weight, else None."""
    if policy is None or policy.rule != "weighted_lottery":
        return None
    declared = dict(policy.weights)
    return {
        claim[0]: float(to_fraction(declared.get(claim[0], claim[1]))) for claim in conflict.claims
    }


def lot_alarms(found: dict[str, Series]) -> list[Alarm]:
    """Return an alarm for each series of lots that looks unfair, or did.

    Args:
        found: what :func:`lots_of` returned.

    Example:
        >>> rows = [Conflict(1, "r", (), stages=(("a", "b"),), winners=("a",))] * 11
        >>> print(lot_alarms(lots_of(rows))[0])
        warning: lots look unfair: tied sets of 2 go (11, 0) by place: p = 0.00098.
    """
    return [
        _alarm(scope, series, one)
        for scope, series in found.items()
        if (one := _looked_at(series)) is not None
    ]


def _looked_at(series: Series) -> _Found | None:
    """Look at a series mark by mark."""
    start = looks = 0
    found: _Found | None = None
    for at in range(1, len(series.marks)):
        many = series.marks[at][0]
        if found is not None and found.ended is None:
            needed = series.marks[found.told[1]][0] - series.marks[found.told[0]][0]
            recent = _recent(series, at, max(needed, _EVERY))
            if recent >= found.told[1] and _p(series, recent, at)[0] >= _FAIR_AGAIN:
                found, start = found._replace(ended=many), at
            continue
        looks += 1
        if _p(series, start, at)[0] < 2 * _LEVEL / (looks * (looks + 1)):
            first, times = (many, 0) if found is None else (found.first, found.times)
            found = _Found(first, many, None, times + 1, (start, at))
    return found


def _recent(series: Series, at: int, many: int) -> int:
    """Return the last mark that lies so many lots before another, or -1."""
    least = series.marks[at][0] - many
    return max((one for one in range(at) if series.marks[one][0] <= least), default=-1)


def _p(series: Series, begin: int, end: int) -> tuple[float, object]:
    """Return how probable fair lots make what lies between two marks, and who stands out."""
    counts = series.since(begin, end)
    if series.is_weighted:
        worst = min(counts, key=lambda cell: (_tail(*counts[cell]), str(cell)))
        return min(1.0, 2 * len(counts) * _tail(*counts[worst])), worst
    wins = [one for one, _, _ in counts.values()]
    size, many = len(wins), sum(wins)
    is_few = size <= _MOST_CELLS and many < _FEW * size
    if is_few or (size <= 3 and many < _EVERY):
        return multinomial_p(wins), None
    return chi_square_p(chi_square(wins), size - 1), None


def _tail(wins: int, due: float, many: int) -> float:
    """Return the most that the chance of as many wins, or as few, can be."""
    if not many or not 0 < due < many:
        return 1.0
    lost, undue = many - wins, many - due
    exponent = wins * log(wins / due) if wins else 0.0
    exponent += lost * log(lost / undue) if lost else 0.0
    return exp(-max(0.0, exponent))


def _alarm(scope: str, series: Series, one: _Found) -> Alarm:
    begin, end = one.told if one.ended is not None else (one.told[0], len(series.marks) - 1)
    p, worst = _p(series, begin, end)
    counts = series.since(begin, end)
    if series.is_weighted:
        wins, due, many = counts[worst]
        told = f"{worst} won {wins} of {many} lots by weight, {due:.3g} were its due"
    else:
        places = tuple(won for won, _, _ in counts.values())
        told = f"tied sets of {len(places)} go {places} by place"
    verb = "look" if one.ended is None else "looked"
    return Alarm(
        level=LEVELS["tie_break"],
        kind="tie_break",
        scope=scope,
        agent=None,
        at_conflict=one.first,
        says=f"lots {verb} unfair: {told}: p = {p:.2g}.",
        since_conflict=one.since,
        ended_conflict=one.ended,
        times=one.times,
    )
