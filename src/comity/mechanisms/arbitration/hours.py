"""Hours: what does ageing by the clock look like when its faults are mended?

Here: ageing by hours waited: the score, and the waiting afterwards.
Not here: ageing by losses, which needs no clock and has a proved bound (losses.py).
Sources: SEMANTICS R1; the source's own rule, `age_bonus_per_hour`.

Waiting starts when an agent claims and does not win, and ends when it wins or withdraws. Time
passes for whoever lost the conflict before and claims this one too: an absent agent does not age.
One reading of the clock per conflict, in seconds, given by the caller; a reading before the last
one counts as no time at all, so that a clock set back costs nobody more than that interval.
Where all claim every Δ hours this is ageing by losses with c·Δ for c, bound included.
"""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction

from comity.core.exact import Exact, to_fraction
from comity.mechanisms.arbitration.losses import aged
from comity.mechanisms.arbitration.state import Moment, Scope

__all__ = ["NOT_WAITING", "SECONDS", "count_hours", "hours_waited", "score_hours"]

SECONDS = 3600
"""How many seconds an hour has."""

NOT_WAITING = -1
"""The mark of an agent that is not waiting: it is new, has won, or has withdrawn."""


def hours_waited(scope: Scope, agent: str, now: Exact | None) -> Fraction:
    """Return how many hours an agent has waited when a conflict happens.

    Args:
        scope: what is remembered.
        agent: who claims.
        now: the reading of the clock, in seconds.

    Returns:
        Hours, never negative.

    Example:
        >>> from comity.mechanisms.arbitration.state import AgentState, ScopeState
        >>> lost = AgentState(agent="c", mark=0, priority=1, last=1)
        >>> scope = Scope(ScopeState(name="r", conflicts=1, agents=(lost,), mark=0))
        >>> hours_waited(scope, "c", 7200)
        Fraction(2, 1)
    """
    waited = to_fraction(scope.marks.get(agent, NOT_WAITING))
    if waited < 0:
        return Fraction(0)
    if now is None or scope.mark is None or scope.last.get(agent) != scope.conflicts:
        return waited
    return waited + max(Fraction(0), to_fraction(now) - to_fraction(scope.mark)) / SECONDS


def score_hours(scope: Scope, moment: Moment) -> dict[str, int | Fraction]:
    """Return agent -> priority + c × the hours it has waited.

    Args:
        scope: what is remembered.
        moment: the claims, the policy and the reading of the clock.

    Example:
        >>> from comity.mechanisms.arbitration.claims import Claim
        >>> from comity.mechanisms.arbitration.policy import Policy
        >>> from comity.mechanisms.arbitration.state import ScopeState
        >>> moment = Moment([Claim("a", 3)], Policy(rule="hours"), now=0)
        >>> score_hours(Scope(ScopeState(name="r")), moment)
        {'a': Fraction(3, 1)}
    """
    return {
        one.agent: to_fraction(one.priority)
        + aged(moment.policy, hours_waited(scope, one.agent, moment.now))
        for one in moment.claims
    }


def count_hours(scope: Scope, moment: Moment, won: Collection[str], lost: Collection[str]) -> None:
    """Let losers wait on and winners wait no more.

    Args:
        scope: what is remembered; it is changed.
        moment: the reading of the clock.
        won: the winners.
        lost: who claimed and lost.

    Example:
        >>> from comity.mechanisms.arbitration.policy import Policy
        >>> from comity.mechanisms.arbitration.state import ScopeState
        >>> scope = Scope(ScopeState(name="r"))
        >>> count_hours(scope, Moment((), Policy(rule="hours"), now=0), ["a"], ["c"])
        >>> scope.marks, scope.mark
        ({'c': Fraction(0, 1), 'a': -1}, 0)
    """
    for agent in lost:
        scope.marks[agent] = hours_waited(scope, agent, moment.now)
    for agent in won:
        scope.marks[agent] = NOT_WAITING
    scope.mark = moment.now
