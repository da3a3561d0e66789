"""Losses: how does an agent that keeps losing come to the front?

Here: ageing by consecutive conflicts claimed and lost: the score, and the count afterwards.
Not here: the bound and its proof (bounds.py), who wins among equals (choosing.py).
Sources: SEMANTICS R1. No clock: a restart, a clock that jumps or an absence changes nothing.
"""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction

from comity.core.exact import to_fraction
from comity.mechanisms.arbitration.bounds import number_of
from comity.mechanisms.arbitration.policy import Policy
from comity.mechanisms.arbitration.state import Moment, Scope

__all__ = ["aged", "count_losses", "score_losses"]


def aged(policy: Policy, waited: int | Fraction) -> int | Fraction:
    """Return what ageing adds: c for every loss (or hour), up to the cap.

    Args:
        policy: the policy.
        waited: losses in a row, or hours.

    Example:
        >>> aged(Policy(c=2, cap=5), 2), aged(Policy(c=2, cap=5), 3)
        (4, Fraction(5, 1))
    """
    bonus = number_of(policy.c) * waited
    return bonus if policy.cap is None else min(bonus, to_fraction(policy.cap))


def score_losses(scope: Scope, moment: Moment) -> dict[str, int | Fraction]:
    """Return agent -> priority + c × its losses in a row.

    Args:
        scope: what is remembered.
        moment: the claims and the policy.

    Example:
        >>> from comity.mechanisms.arbitration.claims import Claim
        >>> from comity.mechanisms.arbitration.state import AgentState, ScopeState
        >>> lost = AgentState(agent="c", mark=2, priority=1, last=2)
        >>> scope = Scope(ScopeState(name="r", conflicts=2, agents=(lost,)))
        >>> score_losses(scope, Moment([Claim("a", 3), Claim("c", 1)], Policy(c=2)))
        {'a': 3, 'c': 5}
    """
    marks, policy = scope.marks, moment.policy
    return {
        one.agent: number_of(one.priority) + aged(policy, number_of(marks.get(one.agent, 0)))
        for one in moment.claims
    }


def count_losses(
    scope: Scope, _moment: Moment, won: Collection[str], lost: Collection[str]
) -> None:
    """Count one more loss for whoever lost; whoever won starts at 0 again.

    Args:
        scope: what is remembered; it is changed.
        _moment: not looked at.
        won: the winners.
        lost: who claimed and lost.

    Example:
        >>> from comity.mechanisms.arbitration.state import ScopeState
        >>> scope = Scope(ScopeState(name="r"))
        >>> count_losses(scope, Moment((), Policy()), ["a"], ["c"])
        >>> scope.marks
        {'c': 1, 'a': 0}
    """
    for agent in lost:
        scope.marks[agent] = scope.marks.get(agent, 0) + 1
    for agent in won:
        scope.marks[agent] = 0
