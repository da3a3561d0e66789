"""Margins: what did the last unit of money bring, and what would the next one bring?

Here: the shadow price of the budget and the next-best use, for each objective.
Not here: the marginal gain of one agent (curves.py).
Sources: SEMANTICS D1; the KKT multiplier of the budget.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from comity.mechanisms.sharing.filling import weight_of
from comity.mechanisms.sharing.rules import Agent, Measure, Objective

__all__ = ["prices_of"]

_CLOSE = Fraction(1, 10**12)  # two levels of smooth curves are one level within this share
Rated = tuple[Fraction, Fraction | None]


def prices_of(
    agents: Sequence[Agent], amounts: Sequence[Fraction], objective: Objective, measure: Measure
) -> tuple[Fraction | None, Fraction | None]:
    """Return what the last unit of money brought the objective, and what the next would.

    Args:
        agents: who shares.
        amounts: the exact split.
        objective: utilitarian counts weighted gain, nash weighted gain relative to what the agent
            has, leximin how far the lowest level rises.
        measure: what leximin makes equal.

    Returns:
        The shadow price and the next-best; None where there is no such unit or it is without
        bound.

    Example:
        >>> from comity.mechanisms.sharing.claims import read_curve
        >>> big = Fraction(100)
        >>> curves = {"a": [[4, 2], [4, 1]], "b": [[3, 3], [9, 1]]}
        >>> two = [
        ...     Agent(n, read_curve(c), Fraction(), big, Fraction(1)) for n, c in curves.items()
        ... ]
        >>> prices_of(two, [Fraction(4), Fraction(3)], "utilitarian", "gain")
        (Fraction(2, 1), Fraction(1, 1))
    """
    last, then = [], []
    for one, amount in zip(agents, amounts, strict=True):
        weight = weight_of(one, objective, measure)
        if weight and amount > one.minimum:
            last.append((one, amount, weight, one.curve.last_gain(amount)))
        if weight and amount < one.most:
            then.append((one, amount, weight, one.curve.next_gain(amount)))
    if objective == "leximin":
        return _raised(last, max), _raised(then, min)
    return _least(last, objective), _most(then, objective)


Side = list[tuple[Agent, Fraction, Fraction, Fraction | None]]


def _rates(side: Side, objective: Objective) -> Iterator[Fraction | None]:
    for one, amount, weight, slope in side:
        gain = one.curve.gain(amount) if objective == "nash" else Fraction(1)
        yield None if slope is None or not gain else weight * slope / gain


def _least(side: Side, objective: Objective) -> Fraction | None:
    return min((rate for rate in _rates(side, objective) if rate is not None), default=None)


def _most(side: Side, objective: Objective) -> Fraction | None:
    rates = list(_rates(side, objective))
    return None if None in rates else max((rate for rate in rates if rate), default=None)


def _raised(side: Side, outer: Callable[..., Fraction]) -> Fraction | None:
    """Return how far the level rises with one unit, spread over those who stand at it."""
    if not side:
        return None
    levels = [one.curve.gain(amount) / weight for one, amount, weight, _ in side]
    level = outer(levels)
    cost = Fraction()
    for (_, _, weight, slope), its in zip(side, levels, strict=True):
        if slope and abs(its - level) <= abs(level) * _CLOSE:
            cost += weight / slope
    return 1 / cost if cost else None
