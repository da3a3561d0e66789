"""EM: which parameters make the votes most probable?

Here: the fit over numbers in place of names, in plain Python and with numpy: the same steps, and
sums in the same order; several starts, smoothing, the convergence flag.
Not here: names and what the model means (dawid_skene.py).
Sources: SEMANTICS V9; Dawid and Skene 1979; Dempster, Laird and Rubin 1977.

Every start scouts ten steps; the best of them goes on until nothing moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, fsum, isfinite, log
from operator import index
from typing import Any, Protocol

from comity.core.arrays import numpy_or_none
from comity.core.errors import Fault, InvalidInput, raise_if, shown
from comity.mechanisms.voting.independence.resampling import Stream

__all__ = ["FEWEST_VOTERS", "EmRules", "Fit", "dawid_skene_codes"]

FEWEST_VOTERS = 3
NUMPY_FROM = 20_000
SCOUTING = 10
LARGEST_CODE = 10_000_000
LARGEST_TABLE = 30_000_000
_SAME = 1e-9

Columns = Any
"""One column of posteriors per class: lists, or arrays of numpy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmRules:
    """How the model is fitted.

    Attributes:
        smoothing: what is added to every count, so that nothing is impossible.
        starts: how many starts are tried: the votes themselves, then votes of drawn weights.
        seed: the seed of those weights.
        most_iterations: when to give up.
        tolerance: it has converged when no probability moves by more than this.
        one_coin: one accuracy for each voter in place of a confusion matrix.

    Raises:
        InvalidInput: with every fault.

    Example:
        >>> EmRules().starts
        3
    """

    smoothing: float = 0.01
    starts: int = 3
    seed: str = "0"
    most_iterations: int = 500
    tolerance: float = 1e-6
    one_coin: bool = False

    def __post_init__(self) -> None:
        faults = []
        for name, least in (("smoothing", 0.0), ("tolerance", 0.0)):
            value = getattr(self, name)
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not is_number or not isfinite(value) or not value > least:
                faults.append(Fault(name, f"is {shown(value)}", "above 0", f"correct {name}"))
        for name in ("starts", "most_iterations"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                allowed = "a whole number from 1"
                faults.append(Fault(name, f"is {shown(value)}", allowed, f"correct {name}"))
        raise_if(faults)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """A fitted model over numbers in place of names.

    Attributes:
        shares: how common each class is.
        confusion: for each true class, voter by voter, how often each answer is given.
        posteriors: for each item the probability of each class.
        log_likelihood: of the votes under the model.
        iterations: how many steps the best start took.
        is_converged: whether it stopped moving.
        start: which start was the best, from 0.
    """

    shares: tuple[float, ...]
    confusion: tuple[tuple[float, ...], ...]
    posteriors: tuple[tuple[float, ...], ...]
    log_likelihood: float
    iterations: int
    is_converged: bool
    start: int


def dawid_skene_codes(
    items: Sequence[int],
    voters: Sequence[int],
    answers: Sequence[int],
    *,
    rules: EmRules | None = None,
) -> Fit:
    """Fit the model to votes given as numbers from 0, in lists or in arrays of numpy.

    Args:
        items: the item of each vote.
        voters: who gave it.
        answers: which class it names.
        rules: how it is fitted.

    Returns:
        The fitted model.

    Raises:
        InvalidInput: for columns of unequal length or of other than whole numbers from 0, fewer
            than three voters or two classes, and so many classes that no table can hold them.

    Example:
        >>> fit = dawid_skene_codes([0, 0, 0, 1, 1, 1], [0, 1, 2] * 2, [0, 0, 0, 1, 1, 0])
        >>> [round(one) for one in fit.posteriors[0]]
        [1, 0]
    """
    chosen = rules or EmRules()
    numpy = numpy_or_none() if len(items) >= NUMPY_FROM else None
    given = (("items", items), ("voters", voters), ("answers", answers))
    columns = [_whole(name, one, numpy) for name, one in given]
    counts = _counts(columns, numpy)
    votes: _Votes = _Lists(columns, counts) if numpy is None else _Arrays(columns, counts, numpy)
    return _fit(votes, counts[1], counts[2], chosen)


def _whole(name: str, column: Sequence[int], numpy: Any) -> Any:  # noqa: ANN401  # list or array
    try:
        if numpy is None:
            return list(map(index, column))
        found = numpy.asarray(column)
        if found.ndim == 1 and (found.dtype.kind in "iu" or not len(found)):
            return found.astype(numpy.int64)
    except (TypeError, ValueError):
        pass
    raise InvalidInput(Fault(name, "are not whole numbers", "whole numbers", "number them from 0"))


def _counts(columns: Sequence[Any], numpy: Any) -> list[int]:  # noqa: ANN401  # the same
    """Return how many items, voters and classes there are, after looking at every vote."""
    lengths = {len(one) for one in columns}
    if len(lengths) > 1 or lengths == {0}:
        what = f"have lengths {sorted(lengths)}"
        allowed = "one item, voter and answer for each"
        raise InvalidInput(Fault("votes", what, allowed, "give all three"))
    faults = []
    counts = []
    for name, column in zip(("items", "voters", "answers"), columns, strict=True):
        least, most = (column.min(), column.max()) if numpy else (min(column), max(column))
        counts.append(int(most) + 1)
        if least < 0 or most > LARGEST_CODE:
            allowed = f"0 to {LARGEST_CODE}"
            next_step = "number them from 0 without gaps"
            faults.append(Fault(name, f"run from {least} to {most}", allowed, next_step))
    kinds = [len(numpy.unique(one)) if numpy else len(set(one)) for one in columns[1:]]
    for whose, many, fewest in (("voters", kinds[0], FEWEST_VOTERS), ("classes", kinds[1], 2)):
        if many < fewest:
            allowed = f"{fewest} or more: with fewer nothing tells who is right"
            faults.append(Fault(whose, f"are {many}", allowed, "use a larger log"))
    if not faults and max(counts[0], counts[1] * counts[2]) * counts[2] > LARGEST_TABLE:
        what = f"are {counts[2]} for {counts[0]} items and {counts[1]} voters"
        allowed = f"tables of at most {LARGEST_TABLE} numbers"
        faults.append(Fault("classes", what, allowed, "give answers from a short list"))
    raise_if(faults)
    return counts


# --- the fit ---------------------------------------------------------------------------------


class _Votes(Protocol):
    """The votes, and the two steps over all of them."""

    def begin(self, weights: Sequence[float]) -> Columns:
        """Return the shares of the votes for each class, item by item."""
        ...

    def counted(self, posteriors: Columns) -> tuple[list[float], list[list[float]]]:
        """Return the sum of each class, and for each how often each voter says what."""
        ...

    def expected(self, shares: Sequence[float], table: Sequence[Sequence[float]]) -> Any:  # noqa: ANN401  # columns and a number
        """Return the posteriors and the log-likelihood, given logarithms."""
        ...

    def moved(self, one: Columns, other: Columns) -> float:
        """Return the largest change of a probability."""
        ...

    def rows(self, posteriors: Columns) -> tuple[tuple[float, ...], ...]:
        """Return the posteriors item by item."""
        ...


@dataclass(slots=True)
class _State:
    """Where a start has come to."""

    posteriors: Columns
    shares: list[float]
    table: list[list[float]]
    reached: float = 0.0
    objective: float = 0.0
    steps: int = 0
    is_still: bool = False


def _fit(votes: _Votes, voters: int, classes: int, rules: EmRules) -> Fit:
    best, first = None, 0
    for start in range(rules.starts):
        state = _State(votes.begin(_weights(start, voters, rules.seed)), [], [])
        _climb(votes, state, min(SCOUTING, rules.most_iterations), classes, rules)
        if best is None or state.objective > best.objective + _SAME * abs(best.objective):
            best, first = state, start
    assert best is not None
    _climb(votes, best, rules.most_iterations, classes, rules)
    return Fit(
        shares=tuple(best.shares),
        confusion=tuple(tuple(row) for row in best.table),
        posteriors=votes.rows(best.posteriors),
        log_likelihood=best.reached,
        iterations=best.steps,
        is_converged=best.is_still,
        start=first,
    )


def _weights(start: int, voters: int, seed: str) -> list[float]:
    if not start:
        return [1.0] * voters
    drawn = Stream(seed, f"dawid-skene start {start}").below(1 << 32, voters)
    return [0.1 + 0.9 * one / (1 << 32) for one in drawn]


def _climb(votes: _Votes, state: _State, most: int, classes: int, rules: EmRules) -> None:
    while state.steps < most and not state.is_still:
        sums, counts = votes.counted(state.posteriors)
        state.shares, state.table, prior = _smoothed(sums, counts, classes, rules)
        logs = (
            [log(one) for one in state.shares],
            [[log(one) for one in row] for row in state.table],
        )
        found, state.reached = votes.expected(*logs)
        state.is_still = votes.moved(found, state.posteriors) <= rules.tolerance
        state.posteriors, state.objective = found, state.reached + prior
        state.steps += 1


def _smoothed(
    sums: Sequence[float], counts: Sequence[Sequence[float]], classes: int, rules: EmRules
) -> tuple[list[float], list[list[float]], float]:
    extra = rules.smoothing
    whole = fsum(sums) + extra * classes
    shares = [(one + extra) / whole for one in sums]
    voters = range(0, len(counts[0]), classes)
    table = [[0.0] * len(row) for row in counts]
    for at in voters:
        rows = [[one + extra for one in row[at : at + classes]] for row in counts]
        if rules.one_coin:
            right = fsum(rows[c][c] for c in range(classes))
            share = right / fsum(map(fsum, rows))
            rest = (1 - share) / (classes - 1)
            for c in range(classes):
                table[c][at : at + classes] = [rest] * classes
                table[c][at + c] = share
            continue
        for c, row in enumerate(rows):
            total = fsum(row)
            table[c][at : at + classes] = [one / total for one in row]
    prior = extra * fsum(log(one) for row in (shares, *table) for one in row)
    return shares, table, prior


class _Lists:
    """The votes in plain lists."""

    def __init__(self, columns: Sequence[list[int]], counts: Sequence[int]) -> None:
        self._items, self._cells = counts[0], counts[1] * counts[2]
        self._classes = counts[2]
        items, voters, answers = columns
        cells = [voter * counts[2] + answer for voter, answer in zip(voters, answers, strict=True)]
        self._votes = sorted(zip(items, cells, strict=True))

    def begin(self, weights: Sequence[float]) -> Columns:
        columns = [[0.0] * self._items for _ in range(self._classes)]
        for item, cell in self._votes:
            columns[cell % self._classes][item] += weights[cell // self._classes]
        return self._even(columns)

    def _even(self, columns: list[list[float]]) -> list[list[float]]:
        for item in range(self._items):
            total = 0.0
            for column in columns:
                total += column[item]
            for column in columns:
                column[item] = column[item] / total if total else 1 / self._classes
        return columns

    def counted(self, posteriors: Columns) -> tuple[list[float], list[list[float]]]:
        counts = []
        for column in posteriors:
            row = [0.0] * self._cells
            for item, cell in self._votes:
                row[cell] += column[item]
            counts.append(row)
        return [fsum(column) for column in posteriors], counts

    def expected(self, shares: Sequence[float], table: Sequence[Sequence[float]]) -> Any:  # noqa: ANN401  # columns and a number
        columns = []
        for c, row in enumerate(table):
            column = [0.0] * self._items
            for item, cell in self._votes:
                column[item] += row[cell]
            columns.append([one + shares[c] for one in column])
        tops = [max(one) for one in zip(*columns, strict=True)]
        columns = [
            [exp(one - top) for one, top in zip(column, tops, strict=True)] for column in columns
        ]
        totals = [0.0] * self._items
        for column in columns:
            totals = [total + one for total, one in zip(totals, column, strict=True)]
        reached = fsum(tops) + fsum(map(log, totals))
        return [
            [one / total for one, total in zip(column, totals, strict=True)] for column in columns
        ], reached

    def moved(self, one: Columns, other: Columns) -> float:
        steps = (
            abs(a - b)
            for left, right in zip(one, other, strict=True)
            for a, b in zip(left, right, strict=True)
        )
        return float(max(steps))

    def rows(self, posteriors: Columns) -> tuple[tuple[float, ...], ...]:
        return tuple(zip(*posteriors, strict=True))


class _Arrays:
    """The votes in arrays of numpy; every sum runs in the order of the plain lists."""

    def __init__(self, columns: Sequence[Any], counts: Sequence[int], numpy: Any) -> None:  # noqa: ANN401  # arrays and their module
        self._np = numpy
        self._count, self._cells, self._classes = counts[0], counts[1] * counts[2], counts[2]
        items, voters, answers = columns
        keys = numpy.sort(items * self._cells + voters * counts[2] + answers)
        self._items, self._cell = keys // self._cells, keys % self._cells

    def begin(self, weights: Sequence[float]) -> Columns:
        np = self._np
        given = np.asarray(weights)[self._cell // self._classes]
        said = self._cell % self._classes
        columns = [
            np.bincount(
                self._items, weights=np.where(said == c, given, 0.0), minlength=self._count
            )
            for c in range(self._classes)
        ]
        total = sum(columns)
        sure = np.where(total > 0, total, 1.0)
        return [np.where(total > 0, one / sure, 1 / self._classes) for one in columns]

    def counted(self, posteriors: Columns) -> tuple[list[float], list[list[float]]]:
        np = self._np
        counts = [
            np.bincount(self._cell, weights=one[self._items], minlength=self._cells).tolist()
            for one in posteriors
        ]
        return [float(one.sum()) for one in posteriors], counts

    def expected(self, shares: Sequence[float], table: Sequence[Sequence[float]]) -> Any:  # noqa: ANN401  # columns and a number
        np = self._np
        columns = [
            np.bincount(self._items, weights=np.asarray(row)[self._cell], minlength=self._count)
            + shares[c]
            for c, row in enumerate(table)
        ]
        tops = np.maximum.reduce(columns)
        columns = [np.exp(one - tops) for one in columns]
        totals = sum(columns)
        reached = float(tops.sum() + np.log(totals).sum())
        return [one / totals for one in columns], reached

    def moved(self, one: Columns, other: Columns) -> float:
        steps = (self._np.abs(a - b).max() for a, b in zip(one, other, strict=True))
        return float(max(steps))

    def rows(self, posteriors: Columns) -> tuple[tuple[float, ...], ...]:
        return tuple(zip(*(one.tolist() for one in posteriors), strict=True))
