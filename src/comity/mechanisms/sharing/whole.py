"""Whole: which split into whole minor units is the best one?

Here: the split in whole units that no other such split beats, for every objective; equals in
proportion, spare units by lot.
Not here: the split of money without a smallest unit (filling.py), from which this one starts.
Sources: SEMANTICS D1, G4, G5; Fox 1966 and Ibaraki and Katoh 1988 (handing out unit by unit is
optimal where each unit of an agent is worth no more than the one before); Hochbaum 1994 (the best
whole split is near the best exact one).

Why it is exact: every objective ranks units one by one, and an agent's next unit never ranks
before the one it has. Utilitarian: by weighted gain. Nash: first units for those who have no gain,
then by the weighted logarithm of gain afterwards / gain before. Leximin: by the level before, the
lowest first, and among equals by the level afterwards, the highest first (the limit of minus
M ** -level for a large M). So the best split holds the units that rank first, and it is found
when no unit that is not handed out ranks before one that is.

Rounding by largest remainder finds it too, and faster, under the sum and the unweighted product
where all pieces are whole units wide. At the exact split everybody who stands inside a piece has
one and the same slope, under Nash one and the same p = slope / gain. So under the sum their units
rank alike, and under Nash a unit that fills up the remainder r ranks by
(1 + p (1 - r)) / (1 - p r), which rises with r; all units below rank before it, and all units
beyond after it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from functools import partial
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from comity.mechanisms.sharing.curves import Segments
from comity.mechanisms.sharing.filling import weight_of
from comity.mechanisms.sharing.rounding import Rounded, to_units
from comity.mechanisms.sharing.rules import Agent, Terms

__all__ = ["best_shares", "whole_shares"]

_CONTEXT = Context(prec=110, Emax=10**6, Emin=-(10**6), rounding=ROUND_HALF_EVEN, traps=[])
_PLACES, _SPARE = 60, 20  # decimal places of weighted logarithms that are compared, and not

Rank = tuple[Fraction | int, ...]
Ranked = Callable[[int], Rank]


class _Ladder(NamedTuple):
    """The units of one agent: it has ``least`` of them at once and can use ``most``.

    ``rank(k)`` tells when its k-th unit is handed out: smaller ranks first.
    """

    least: int
    most: int
    rank: Ranked


def best_shares(terms: Terms, exact: Sequence[Fraction]) -> Rounded:
    """Return the best split into whole quanta, by rounding where that is the best.

    Args:
        terms: who shares how much by which objective; minima fit.
        exact: the best split without a smallest unit, agent by agent.

    Example:
        >>> from comity.mechanisms.sharing.reading import read_rules
        >>> from comity.mechanisms.sharing.rules import ShareRules
        >>> claims = {"a": [[9, 1]], "b": [[9, 1]], "c": [[9, 1]]}
        >>> terms = read_rules(ShareRules(budget=7, claims=claims, seed="7"))
        >>> best_shares(terms, [Fraction(7, 3)] * 3).units
        (2, 3, 2)
    """
    if not _rounds_well(terms):
        return whole_shares(terms, exact)
    names = [one.name for one in terms.agents]
    return to_units(dict(zip(names, exact, strict=True)), terms.quantum, terms.seed)


def _rounds_well(terms: Terms) -> bool:
    """Tell whether largest remainders make the best whole split of the best exact one."""
    if terms.objective == "leximin":
        return False
    if terms.objective == "nash" and len({one.weight for one in terms.agents}) > 1:
        return False
    return all(
        isinstance(one.curve, Segments)
        and not any(width % terms.quantum for width, _ in one.curve.parts)
        for one in terms.agents
    )


def whole_shares(terms: Terms, exact: Sequence[Fraction]) -> Rounded:
    """Return the best split into whole quanta, no more than there is and can be used.

    Args:
        terms: who shares how much by which objective; minima fit.
        exact: the best split without a smallest unit, agent by agent.

    Returns:
        Units in the order of the agents. Where several splits are as good, units of equal rank
        go in proportion to how many each agent has of them, and spare ones by lot.

    Example:
        >>> from comity.mechanisms.sharing.reading import read_rules
        >>> from comity.mechanisms.sharing.rules import ShareRules
        >>> claims = {"a": [[10, 10]], "b": [[10, "0.1"]]}
        >>> terms = read_rules(ShareRules(budget=10, claims=claims, objective="leximin"))
        >>> whole_shares(terms, [Fraction(10, 101), Fraction(1000, 101)]).units
        (1, 9)
    """
    ranked = _ranked_by(terms)
    ladders = [_ladder(terms, one, ranked) for one in terms.agents]
    start = [
        max(ladder.least, min(ladder.most, amount // terms.quantum))
        for ladder, amount in zip(ladders, exact, strict=True)
    ]
    wanted = min(int(terms.money / terms.quantum), sum(ladder.most for ladder in ladders))
    units, edge = _Handing(ladders, start).best(wanted)
    if edge is None:
        return Rounded(tuple(units), (), 1)
    return _evenly(terms, ladders, units, edge)


# --- ranks -----------------------------------------------------------------------------------


def _ranked_by(terms: Terms) -> Callable[[Agent, Fraction, Fraction], Ranked]:
    if terms.objective == "leximin":
        return _by_level
    if terms.objective == "utilitarian":
        return _by_gain
    weights = {one.weight for one in terms.agents}
    return _by_ratio if len(weights) == 1 else partial(_by_logarithm, max(weights))


def _ladder(
    terms: Terms, agent: Agent, ranked: Callable[[Agent, Fraction, Fraction], Ranked]
) -> _Ladder:
    weight, quantum = weight_of(agent, terms.objective, terms.measure), terms.quantum
    least = agent.minimum // quantum
    most = -(-agent.most // quantum) if weight else least  # a part of a unit can be used too
    return _Ladder(least, most, ranked(agent, weight, quantum))


def _by_gain(agent: Agent, weight: Fraction, quantum: Fraction) -> Ranked:
    gain = agent.curve.gain
    return lambda k: (weight * (gain((k - 1) * quantum) - gain(k * quantum)),)


def _by_level(agent: Agent, weight: Fraction, quantum: Fraction) -> Ranked:
    gain = agent.curve.gain
    return lambda k: (gain((k - 1) * quantum) / weight, -gain(k * quantum) / weight)


def _by_ratio(agent: Agent, weight: Fraction, quantum: Fraction) -> Ranked:
    gain = agent.curve.gain

    def rank(k: int) -> Rank:
        before = gain((k - 1) * quantum)
        return (0, -gain(k * quantum) / before) if before else (-1, -weight)

    return rank


def _by_logarithm(heaviest: Fraction, agent: Agent, weight: Fraction, quantum: Fraction) -> Ranked:
    ratio, share = _by_ratio(agent, weight, quantum), weight / heaviest / 10**_SPARE

    def rank(k: int) -> Rank:
        stage, value = ratio(k)
        if stage:
            return stage, value
        raised = _CONTEXT.divide(Decimal(-value.numerator), Decimal(value.denominator))
        told = _CONTEXT.scaleb(_CONTEXT.ln(raised), _PLACES + _SPARE)
        return 0, -round(share * int(told))

    return rank


# --- handing out -----------------------------------------------------------------------------


class _Handing:
    """Units on their way from a start to the best split."""

    __slots__ = ("given", "ladders", "open", "units")

    def __init__(self, ladders: Sequence[_Ladder], start: Sequence[int]) -> None:
        """Rank the next unit of each agent, and the last one that it has."""
        self.ladders, self.units = ladders, list(start)
        self.open: list[tuple[Rank, int, int]] = []
        self.given: list[tuple[Rank, int, int]] = []
        for at, (ladder, count) in enumerate(zip(ladders, start, strict=True)):
            if count < ladder.most:
                self.open.append((ladder.rank(count + 1), at, count + 1))
            if count > ladder.least:
                self.given.append((_turned(ladder.rank(count)), at, count))
        heapify(self.open)
        heapify(self.given)

    def best(self, wanted: int) -> tuple[list[int], Rank | None]:
        """Return the best split of so many units, and the rank at which others are as good."""
        for _ in range(wanted - sum(self.units)):
            self._move(self.open, 1)
        for _ in range(sum(self.units) - wanted):
            self._move(self.given, -1)
        while True:
            first, last = self._top(self.open, 1), self._top(self.given, 0)
            if first is None or last is None or first > _turned(last):
                return self.units, None
            if first == _turned(last):
                return self.units, first
            self._move(self.open, 1)
            self._move(self.given, -1)

    def _top(self, heap: list[tuple[Rank, int, int]], step: int) -> Rank | None:
        """Return the first rank that still stands; None when there is none."""
        while heap and self.units[heap[0][1]] + step != heap[0][2]:
            heappop(heap)
        return heap[0][0] if heap else None

    def _move(self, heap: list[tuple[Rank, int, int]], step: int) -> None:
        """Hand the first open unit out, or take the last given one back."""
        self._top(heap, max(step, 0))
        _, at, _ = heappop(heap)
        count = self.units[at] = self.units[at] + step
        ladder = self.ladders[at]
        if count < ladder.most:
            heappush(self.open, (ladder.rank(count + 1), at, count + 1))
        if count > ladder.least:
            heappush(self.given, (_turned(ladder.rank(count)), at, count))


def _turned(rank: Rank) -> Rank:
    return tuple(-one for one in rank)


# --- equals ----------------------------------------------------------------------------------


def _is_before(rank: Ranked, edge: Rank, k: int) -> bool:
    return rank(k) < edge


def _is_within(rank: Ranked, edge: Rank, k: int) -> bool:
    return rank(k) <= edge


def _past(low: int, high: int, is_before: Callable[[int], bool]) -> int:
    """Return the last of ``low + 1 .. high`` that comes before; ``low`` when none does."""
    while low < high:
        middle = (low + high + 1) // 2
        if is_before(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _evenly(terms: Terms, ladders: Sequence[_Ladder], units: list[int], edge: Rank) -> Rounded:
    """Return the units with those of one rank in proportion to how many each agent has."""
    tied: dict[int, int] = {}
    found = list(units)
    for at, (ladder, count) in enumerate(zip(ladders, units, strict=True)):
        low = top = count
        if count > ladder.least and ladder.rank(count) == edge:
            low = _past(ladder.least, count, partial(_is_before, ladder.rank, edge))
        if count < ladder.most and ladder.rank(count + 1) == edge:
            top = _past(count, ladder.most, partial(_is_within, ladder.rank, edge))
        if top > low:
            tied[at], found[at] = top - low, low
    spare, whole = sum(units) - sum(found), sum(tied.values())
    names = {terms.agents[at].name: Fraction(spare * many, whole) for at, many in tied.items()}
    shared = to_units(names, Fraction(1), terms.seed)
    for at, count in zip(tied, shared.units, strict=True):
        found[at] += count
    return Rounded(tuple(found), shared.ties, shared.ways)
