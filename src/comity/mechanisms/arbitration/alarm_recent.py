"""Alarm recent: who wins the last conflicts, and does one agent win every time?

Here: wins and fair shares over the last conflicts of a scope, the row of wins of one agent.
Not here: rows of losses (contests.py), alarms (alarm_watch.py).
Sources: SEMANTICS R5 (dominance over a window of conflicts).
"""

from __future__ import annotations

from collections import deque
from math import log

from comity.core.spans import counted
from comity.mechanisms.arbitration.contests import Contest

__all__ = ["Recent"]

_ROUNDING = 1e-9  # nine thirds added up as floats are a little less than three


class Recent:
    """Who won the last conflicts, and who wins every time.

    Args:
        size: how many conflicts are looked at.

    Attributes:
        total: how many wins they had.
        winner: who won the last contested one alone.
        row: how many it won in a row.
        surprise: minus the logarithm of the chance of that under fair lots.

    Example:
        >>> Recent(20).is_full
        False
    """

    __slots__ = ("_fair", "_kept", "_size", "_wins", "row", "surprise", "total", "winner")

    def __init__(self, size: int) -> None:
        """Start with nothing."""
        self._size = size
        self._kept: deque[Contest] = deque()
        self._wins: dict[str, int] = {}
        self._fair: dict[str, float] = {}
        self.total = 0
        self.winner: str | None = None
        self.row, self.surprise = 0, 0.0

    @property
    def is_full(self) -> bool:
        """Whether there were enough conflicts to tell."""
        return len(self._kept) == self._size

    def above(self, agent: str) -> float:
        """Return how many wins an agent had above its fair share."""
        return self._wins.get(agent, 0) - self._fair.get(agent, 0.0) - _ROUNDING

    def told(self, agent: str) -> str:
        """Return how many of the last wins an agent had, in words."""
        return f"{self._wins.get(agent, 0)} of the last {counted(self.total, 'win')}"

    def due(self, agent: str) -> str:
        """Return how many it should have had, in words."""
        return f"fair lots would give it {self._fair.get(agent, 0.0):.3g}"

    def saw(self, contest: Contest) -> None:
        """Count one conflict, and forget the oldest."""
        if self.is_full:
            self._count(self._kept.popleft(), -1)
        self._kept.append(contest)
        self._count(contest, 1)
        if len(contest.winners) != 1 or len(contest.claims) == 1:
            return
        (winner,) = contest.winners
        if winner != self.winner:
            self.winner, self.row, self.surprise = winner, 1, 0.0
            return
        self.row += 1
        self.surprise -= log(contest.chances.get(winner, 1.0))  # 1: it did not even claim

    def _count(self, contest: Contest, step: int) -> None:
        self.total += step * len(contest.winners)
        wins, fair = self._wins, self._fair
        for agent, chance in contest.chances.items():
            fair[agent] = fair.get(agent, 0.0) + step * chance
        for agent in contest.winners:
            wins[agent] = wins.get(agent, 0) + step
