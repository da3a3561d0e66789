"""Filling: at which level is the money spent, when every agent is filled to the same level?

Here: the exact split of money by level for curves of straight pieces, the same to thirty digits
where smooth curves take part.
Not here: whole minor units (rounding.py), what a level means to a reader (divide.py).
Sources: SEMANTICS D1; Bertsekas and Gallager 1992 §6.5 (max-min fairness); Eisenberg and Gale
1959 (Nash welfare); the KKT conditions of each objective.

All three objectives rise with one level. Utilitarian: the level is 1 / price, and a piece is
filled at once when its slope pays. Nash: gain / (weight x slope), which is where the weighted
relative gain of the next unit of money is 1 / level. Leximin: gain / weight. On a straight piece
the amount is linear in the level, so the level at which the money is spent is a ratio.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from typing import NamedTuple

from comity.mechanisms.sharing.curves import Segments, Smooth, as_decimal
from comity.mechanisms.sharing.rules import Agent, Measure, Objective

__all__ = ["Filled", "exact_sum", "fill", "weight_of"]

_CONTEXT = Context(prec=40, Emax=10**6, Emin=-(10**6), traps=[])
_DIGITS = Fraction(1, 10**15)  # of a quantum: what smooth shares are good to
_HALVINGS = 140
_WIDER = Decimal(4)
_TINY = -2_000  # a power of ten below which an amount is none: no quantum has so many digits


class Filled(NamedTuple):
    """Money split by level.

    Attributes:
        amounts: what each agent gets, in the order given.
        left: what nobody can use.
        is_unique: whether no other split is as good.
    """

    amounts: tuple[Fraction, ...]
    left: Fraction
    is_unique: bool


class _Piece(NamedTuple):
    """A stretch of a curve: filled evenly while the level goes from ``low`` to ``high``."""

    low: Fraction
    high: Fraction
    width: Fraction

    def at(self, level: Fraction) -> Fraction:
        if level >= self.high:
            return self.width
        return self.width * (level - self.low) / (self.high - self.low) if level > self.low else _0


_0 = Fraction()


def exact_sum(values: Iterable[Fraction]) -> Fraction:
    """Return an exact sum; fractions of one denominator are added as whole numbers first.

    Then pairs are added, and pairs of pairs, so that few of the sums are long.

    Example:
        >>> exact_sum([Fraction(1, 3), Fraction(1, 6), Fraction(1, 2)])
        Fraction(1, 1)
    """
    whole: dict[int, int] = {}
    for one in values:
        whole[one.denominator] = whole.get(one.denominator, 0) + one.numerator
    left = [Fraction(above, below) for below, above in whole.items()]
    while len(left) > 1:
        odd = left[-1:] if len(left) % 2 else []
        left = [one + other for one, other in zip(left[::2], left[1::2], strict=False)] + odd
    return left[0] if left else _0


def weight_of(agent: Agent, objective: Objective, measure: Measure) -> Fraction:
    """Return what an agent's gain is divided by, or its slope multiplied; 0 when it cannot gain.

    Example:
        >>> from comity.mechanisms.sharing.claims import read_curve
        >>> ten = Fraction(10)
        >>> one = Agent("a", read_curve([[10, 2]]), Fraction(), ten, Fraction(3))
        >>> weight_of(one, "leximin", "gain"), weight_of(one, "leximin", "share_of_best")
        (Fraction(3, 1), Fraction(60, 1))
    """
    if objective == "leximin" and measure == "share_of_best":
        return agent.weight * agent.best
    return agent.weight if agent.best else _0


def fill(
    agents: Sequence[Agent],
    money: Fraction,
    objective: Objective,
    measure: Measure = "gain",
    quantum: Fraction = Fraction(1),
) -> Filled:
    """Split money so that the objective is as large as it can be.

    Args:
        agents: who shares; what they get at least must not add up to more than the money.
        money: what there is.
        objective: what is made large.
        measure: what leximin makes equal.
        quantum: the smallest amount, to which smooth shares are good to fifteen digits.

    Returns:
        The exact split; of several equally good ones the one that gives pieces of equal slope in
        proportion to their widths.

    Example:
        >>> from comity.mechanisms.sharing.claims import read_curve
        >>> hundred = Fraction(100)
        >>> curves = {"a": [[100, 5]], "b": [[100, 1]]}
        >>> two = [Agent(n, read_curve(c), _0, hundred, Fraction(1)) for n, c in curves.items()]
        >>> [int(one) for one in fill(two, hundred, "nash").amounts]
        [50, 50]
        >>> [int(one) for one in fill(two, hundred, "utilitarian").amounts]
        [100, 0]
    """
    weights = [weight_of(one, objective, measure) for one in agents]
    pieces = [
        _pieces(one, one.curve, weight, objective) if isinstance(one.curve, Segments) else None
        for one, weight in zip(agents, weights, strict=True)
    ]
    straight = [one for one in pieces if one is not None]
    if len(straight) == len(agents):
        return _exactly(agents, straight, money)
    return _closely(_Smoothly(agents, weights, pieces, objective), money, quantum)


def _pieces(
    agent: Agent, curve: Segments, weight: Fraction, objective: Objective
) -> tuple[_Piece, ...]:
    """Return the stretches of a curve between the agent's minimum and maximum."""
    found: list[_Piece] = []
    if not weight:
        return ()
    start, gained = _0, _0
    for width, slope in curve.parts:
        stop, gain = start + width, gained + width * slope
        low, high = max(start, agent.minimum), min(stop, agent.maximum)
        if slope and high > low:
            bottom = gained + (low - start) * slope
            top = gained + (high - start) * slope
            below = weight if objective == "leximin" else weight * slope
            if objective == "utilitarian":
                bottom = top = Fraction(1)
            found.append(_Piece(bottom / below, top / below, high - low))
        start, gained = stop, gain
    return tuple(found)


# --- straight pieces -------------------------------------------------------------------------


def _exactly(
    agents: Sequence[Agent], pieces: Sequence[tuple[_Piece, ...]], money: Fraction
) -> Filled:
    base = exact_sum(one.minimum for one in agents)
    listed = [one for each in pieces for one in each]
    levels = sorted({level for one in listed for level in (one.low, one.high)})
    if not levels:
        return Filled(tuple(one.minimum for one in agents), money - base, is_unique=True)

    def demand(level: Fraction) -> Fraction:
        return base + exact_sum(one.at(level) for one in listed)

    at = bisect_left(levels, money, key=demand)
    if at == len(levels):
        amounts = tuple(_amount(*one, levels[-1]) for one in zip(agents, pieces, strict=True))
        return Filled(amounts, money - demand(levels[-1]), is_unique=True)
    upper = [_amount(*one, levels[at]) for one in zip(agents, pieces, strict=True)]
    if at:
        lower = [_amount(*one, levels[at - 1]) for one in zip(agents, pieces, strict=True)]
    else:
        lower = [one.minimum for one in agents]
    below, above = exact_sum(lower), exact_sum(upper)
    share = (money - below) / (above - below) if above > below else _0
    amounts = tuple(low + (high - low) * share for low, high in zip(lower, upper, strict=True))
    jumping = sum(any(one.low == one.high == levels[at] for one in each) for each in pieces)
    return Filled(amounts, _0, is_unique=share in (0, 1) or jumping < 2)


def _amount(agent: Agent, pieces: tuple[_Piece, ...], level: Fraction) -> Fraction:
    return agent.minimum + sum((one.at(level) for one in pieces), _0)


# --- smooth curves ---------------------------------------------------------------------------


class _Smoothly(NamedTuple):
    """Agents of whom at least one has a smooth curve."""

    agents: Sequence[Agent]
    weights: Sequence[Fraction]
    pieces: Sequence[tuple[_Piece, ...] | None]
    objective: Objective

    def at(self, level: Decimal) -> list[Fraction]:
        """Return what each agent gets at a level."""
        found = []
        for one, weight, pieces in zip(self.agents, self.weights, self.pieces, strict=True):
            if isinstance(one.curve, Smooth):
                found.append(self._smooth(one, one.curve, as_decimal(weight), level))
            else:
                found.append(_amount(one, pieces or (), Fraction(level)))
        return found

    def _smooth(self, agent: Agent, curve: Smooth, weight: Decimal, level: Decimal) -> Fraction:
        if not weight:
            return agent.minimum
        reached = _CONTEXT.multiply(weight, level)
        if self.objective == "utilitarian":
            amount = curve.where_slope(_CONTEXT.divide(Decimal(1), reached))
        elif self.objective == "nash":
            amount = curve.where_ratio(reached)
        else:
            amount = curve.where_gain(reached)
        if amount >= as_decimal(agent.most):
            return agent.most
        if amount.adjusted() < _TINY:
            return agent.minimum
        return max(agent.minimum, Fraction(amount))


def _closely(smooth: _Smoothly, money: Fraction, quantum: Fraction) -> Filled:
    most = exact_sum(
        one.most if weight else one.minimum
        for one, weight in zip(smooth.agents, smooth.weights, strict=True)
    )
    if money >= most:
        ends = zip(smooth.agents, smooth.weights, strict=True)
        amounts = tuple(one.most if weight else one.minimum for one, weight in ends)
        return Filled(amounts, money - most, is_unique=True)
    least = [one.minimum for one in smooth.agents]
    if exact_sum(least) == money:
        return Filled(tuple(least), _0, is_unique=True)
    low, high = _bracket(smooth, money)
    for _ in range(_HALVINGS):
        middle = _CONTEXT.divide(_CONTEXT.add(low, high), Decimal(2))
        if exact_sum(smooth.at(middle)) < money:
            low = middle
        else:
            high = middle
    lower, upper = smooth.at(low), smooth.at(high)
    below, above = exact_sum(lower), exact_sum(upper)
    share = (money - below) / (above - below) if above > below else _0
    step = quantum * _DIGITS
    amounts = tuple(
        round((one + (other - one) * share) / step) * step
        for one, other in zip(lower, upper, strict=True)
    )
    jumping = sum(other - one > quantum / 1000 for one, other in zip(lower, upper, strict=True))
    return Filled(amounts, _0, is_unique=jumping < 2)


def _bracket(smooth: _Smoothly, money: Fraction) -> tuple[Decimal, Decimal]:
    low = high = Decimal(1)
    while exact_sum(smooth.at(high)) < money:
        high = _CONTEXT.multiply(high, _WIDER)
    while exact_sum(smooth.at(low)) > money:
        low = _CONTEXT.divide(low, _WIDER)
    return low, high
