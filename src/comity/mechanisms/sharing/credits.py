"""Credits: what do the others lose because an agent is there?

Here: the charges that make an honest claim the best one, in units of gain.
Not here: the sharing (divide.py), auctions.
Sources: SEMANTICS D3; Vickrey 1961, Clarke 1971, Groves 1973 for a divisible good.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from comity.mechanisms.sharing.filling import exact_sum, fill
from comity.mechanisms.sharing.rules import Agent

__all__ = ["charges_of"]


def charges_of(
    agents: Sequence[Agent],
    money: Fraction,
    amounts: Sequence[Fraction],
    quantum: Fraction = Fraction(1),
) -> tuple[Fraction, ...]:
    """Return each agent's charge: what the others would gain without it, less what they gain.

    Args:
        agents: who shares.
        money: what there is.
        amounts: the utilitarian split.
        quantum: the smallest amount, for smooth curves.

    Returns:
        The charges in the order of the agents, each in units of its own gain.

    Example:
        >>> from comity.mechanisms.sharing.claims import read_curve
        >>> ten = Fraction(10)
        >>> curves = {"a": [[10, 3]], "b": [[10, 2]]}
        >>> two = [
        ...     Agent(n, read_curve(c), Fraction(), ten, Fraction(1)) for n, c in curves.items()
        ... ]
        >>> [int(one) for one in charges_of(two, ten, [ten, Fraction(0)])]
        [20, 0]
    """
    gains = _gains(agents, amounts)
    whole = exact_sum(gains)
    found = []
    for at, one in enumerate(agents):
        others = [*agents[:at], *agents[at + 1 :]]
        without = fill(others, money, "utilitarian", quantum=quantum).amounts if others else ()
        lost = exact_sum(_gains(others, without)) - (whole - gains[at])
        found.append(max(lost, Fraction()) / one.weight)
    return tuple(found)


def _gains(agents: Sequence[Agent], amounts: Sequence[Fraction]) -> list[Fraction]:
    pairs = zip(agents, amounts, strict=True)
    return [one.weight * one.curve.gain(amount) for one, amount in pairs]
