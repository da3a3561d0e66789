"""Assessment: how good is this deal, and what was left on the table?

Here: whether a deal is efficient, what dominates it, how far it is from each solution point.
Not here: the points themselves (solutions.py), choosing a deal (mediator.py).
Sources: SEMANTICS M4 (distances), G6; complaint 22 of the field (a check on every closed deal).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

from comity.core.errors import raise_if
from comity.core.parties import PartyId
from comity.mechanisms.bargaining.domain import Deal
from comity.mechanisms.bargaining.frontier import Frontier, Point
from comity.mechanisms.bargaining.solutions import Solution, solutions, worths_of

__all__ = ["Assessment", "assess"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """What there is to say about a deal.

    Attributes:
        utilities: what it is worth to each party, in the order of their names.
        refused_by: who does not accept it, sorted.
        is_allowed: whether it keeps the constraints of all.
        is_efficient: whether no deal is better for one party and worse for none.
        better: the points of the frontier that are at least as good for every party.
        squares: name of a solution, or ``"frontier"`` -> the squared distance to its nearest
            point, exact, in a common unit; empty when the parties' units cannot be compared.
    """

    utilities: tuple[Fraction, ...]
    refused_by: tuple[PartyId, ...]
    is_allowed: bool
    is_efficient: bool
    better: tuple[Point, ...]
    squares: tuple[tuple[str, Fraction], ...]

    def distance(self, name: str) -> float | None:
        """Return the distance to a solution or the frontier, rounded; None when there is none.

        Args:
            name: a solution, or ``"frontier"``.
        """
        square = dict(self.squares).get(name)
        return None if square is None else sqrt(square)


def assess(found: Frontier, deal: Deal, solved: dict[str, Solution] | None = None) -> Assessment:
    """Say how good a deal is.

    Args:
        found: the frontier of the problem.
        deal: term -> option, every term settled; numbers may stand for options named so.
        solved: the solution points, when they are known already.

    Returns:
        The assessment; distances are Euclidean, to the nearest of several tied points.

    Raises:
        InvalidInput: for a deal that names what does not exist or leaves a term open.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> from comity.mechanisms.bargaining.frontier import frontier
        >>> from comity.mechanisms.bargaining.preferences import additive
        >>> from comity.mechanisms.bargaining.problem import problem_of
        >>> d = domain_of({"tls": ["old", "new"], "days": [1, 2]})
        >>> ann = additive(d, {"tls": {"new": 3}, "days": {"1": 1}})
        >>> bob = additive(d, {"tls": {"new": 4}, "days": {"2": 2}})
        >>> one = assess(
        ...     frontier(problem_of(d, {"ann": ann, "bob": bob})), {"tls": "old", "days": "2"}
        ... )
        >>> one.is_efficient, one.distance("utilitarian"), len(one.better)
        (False, 5.0, 2)
    """
    problem = found.problem
    deal = {term: str(option) for term, option in deal.items()}
    raise_if(problem.domain.faults(deal, "deal"))
    own = problem.utilities(deal)
    points = found.points
    better = tuple(
        point for point in points if all(a >= b for a, b in zip(point.utilities, own, strict=True))
    )
    is_allowed = problem.allows(deal)
    worths, why = worths_of(problem, "a distance")
    squares: list[tuple[str, Fraction]] = []
    if not why:
        listed: dict[str, Sequence[Point]] = {"frontier": points}
        for name, one in (solutions(found) if solved is None else solved).items():
            listed[name] = one.points
        for name, goals in listed.items():
            if goals:
                squares.append((name, min(_square(own, goal, worths) for goal in goals)))
    return Assessment(
        utilities=own,
        refused_by=problem.refused_by(deal),
        is_allowed=is_allowed,
        is_efficient=is_allowed and all(point.utilities == own for point in better),
        better=tuple(point for point in better if point.utilities != own),
        squares=tuple(squares),
    )


def _square(own: Sequence[Fraction], goal: Point, worths: Sequence[Fraction]) -> Fraction:
    return sum(
        (((a - b) * worth) ** 2 for a, b, worth in zip(goal.utilities, own, worths, strict=True)),
        Fraction(0),
    )
