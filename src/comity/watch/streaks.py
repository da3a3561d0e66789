"""Streaks: from when to when did each agent lose its longest row of claims?

Here: the longest row of claims that an agent made and lost, with its first and last conflict.
Not here: how long it may be (bounds of mechanisms/arbitration), when it alarms (report.py).
Sources: SEMANTICS R5.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from comity.core.exact import Exact
from comity.mechanisms.arbitration import Conflict, Policy
from comity.mechanisms.arbitration.contests import Contest, contests

__all__ = ["Streak", "longest_streaks"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Streak:
    """The longest row of lost claims of one agent.

    Attributes:
        scope: where.
        agent: whose.
        length: how many claims it lost in a row.
        first: the conflict of the scope in which it began.
        last: the conflict of the last lost claim.
        first_at: when it began, or None.
        last_at: when it ended, or None.
        is_over: whether the agent has won since.
    """

    scope: str
    agent: str
    length: int
    first: int
    last: int
    first_at: Exact | None
    last_at: Exact | None
    is_over: bool

    @property
    def is_backwards(self) -> bool:
        """Whether its last claim has an earlier time than its first: clocks lie apart."""
        return (
            self.first_at is not None and self.last_at is not None and self.last_at < self.first_at
        )


class _Row:
    """A row of lost claims that still grows, and the longest so far."""

    __slots__ = ("best", "first", "first_at", "length", "seen")

    def __init__(self) -> None:
        self.length = self.seen = self.first = 0
        self.first_at: Exact | None = None
        self.best: tuple[int, int, int, Exact | None, Exact | None] = (0, 0, 0, None, None)


def longest_streaks(
    conflicts: Iterable[Conflict],
    policy: Policy | None = None,
    scopes: Mapping[str, Sequence[Contest]] | None = None,
) -> tuple[Streak, ...]:
    """Return the longest row of lost claims of every agent that lost one.

    Args:
        conflicts: recorded conflicts, in order; undecided ones do not count.
        policy: the policy; where losses count and when they expire.
        scopes: the contests that the conflicts are, where they have been read already.

    Returns:
        One streak for each scope and agent, the longest first; of equals the one that began first.

    Example:
        >>> rows = [
        ...     Conflict(n, "gpu", (("a", 1), ("b", 1)), winners=("aab"[n - 1],))
        ...     for n in (1, 2, 3)
        ... ]
        >>> [(one.agent, one.length, one.first, one.is_over) for one in longest_streaks(rows)]
        [('b', 2, 1, True), ('a', 1, 3, False)]
    """
    expiry = None if policy is None else policy.expiry
    found: list[Streak] = []
    read = contests(conflicts, policy) if scopes is None else scopes
    for scope, listed in read.items():
        rows: dict[str, _Row] = {}
        for contest in listed:
            for agent in contest.claims if contest.is_decided else ():
                row = rows.setdefault(agent, _Row())
                if expiry is not None and contest.number - 1 - row.seen > expiry:
                    row.length = 0
                row.seen = contest.number
                if agent in contest.winners:
                    row.length = 0
                    continue
                row.length += 1
                if row.length == 1:
                    row.first, row.first_at = contest.number, contest.at
                if row.length > row.best[0]:
                    ends = contest.number, row.first_at, contest.at
                    row.best = (row.length, row.first, *ends)
        for agent, row in rows.items():
            length, first, last, first_at, last_at = row.best
            if length:
                found.append(
                    Streak(
                        scope=scope,
                        agent=agent,
                        length=length,
                        first=first,
                        last=last,
                        first_at=first_at,
                        last_at=last_at,
                        is_over=row.length < length or row.first != first,
                    )
                )
    return tuple(sorted(found, key=lambda one: (-one.length, one.first, one.scope, one.agent)))
