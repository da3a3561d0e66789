"""Fairness: who wins, who loses how long, and is that what was promised?

Here: per agent and scope wins against the fair share of the contests it could win, streaks against
their bound, Jain, Gini, dominance.
Not here: the win table (win_table.py), alarms (alarms.py), whether lots are fair (tie_tests.py).
Sources: SEMANTICS R5; Jain, Chiu and Hawe 1984; Gini 1912; Wilson 1927.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

from comity.core.exact import Exact, to_fraction
from comity.core.show import table
from comity.core.spans import counted
from comity.mechanisms.arbitration.choosing import tidy
from comity.mechanisms.arbitration.contests import (
    Contest,
    Window,
    contests,
    population_bounds,
)
from comity.mechanisms.arbitration.engine import Conflict
from comity.mechanisms.arbitration.policy import Policy

__all__ = ["AgentRecord", "ScopeRecord", "fairness", "gini", "jain"]

_Z = 1.959963984540054  # 95 % of a normal distribution lie within so many deviations


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRecord:
    """How one agent fared in one scope.

    Attributes:
        agent: its name.
        claims: in how many conflicts it claimed.
        wins: how many it won.
        share: wins / claims.
        fair: the share a fair lot in the same conflicts would have given it.
        interval: where its true share lies, 95 %.
        longest_streak: the most conflicts it claimed and lost in a row.
        current_streak: the same, now.
        bound: the most it can lose in a row under the policy; None without a promise.
        conflicts_since_win: conflicts of the scope since it last won; None when it never did.
        seconds_since_win: the same in seconds, where times are recorded.
        chance: how probable a fair lot makes its current streak.
    """

    agent: str
    claims: int
    wins: int
    share: Exact
    fair: Exact
    interval: tuple[float, float]
    longest_streak: int
    current_streak: int
    bound: int | None
    conflicts_since_win: int | None
    seconds_since_win: Exact | None
    chance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeRecord:
    """How one scope fared.

    Attributes:
        scope: its name.
        conflicts: how many were decided.
        undecided: how many still wait for a person or sold nothing.
        agents: a record per agent, sorted by name.
        jain: (Σx)²/(n·Σx²) of the wins; None when nobody won.
        gini: 0 for equal wins; None when nobody won.
        dominant: who has most above its fair share of all wins.
        dominance: by how much.
        holds: for whom the bounds hold: ``always``, ``standing`` or ``never``.
    """

    scope: str
    conflicts: int
    undecided: int
    agents: tuple[AgentRecord, ...]
    jain: Exact | None
    gini: Exact | None
    dominant: str | None
    dominance: Exact
    holds: str

    def __str__(self) -> str:
        """Return the record as a table."""
        rows = [
            (
                one.agent,
                one.claims,
                one.wins,
                f"{float(one.share):.1%}",
                f"{float(one.fair):.1%}",
                one.longest_streak,
                one.current_streak,
                "-" if one.bound is None else one.bound,
            )
            for one in self.agents
        ]
        header = ("agent", "claims", "wins", "share", "fair", "longest", "now", "bound")
        return f"{self.scope}: {counted(self.conflicts, 'conflict')}\n{table(rows, header)}"


def fairness(
    conflicts: Iterable[Conflict],
    policy: Policy | None = None,
    scopes: Mapping[str, Sequence[Contest]] | None = None,
) -> tuple[ScopeRecord, ...]:
    """Return how every scope and agent fared.

    Args:
        conflicts: recorded conflicts, in order.
        policy: the policy they were decided under; without it no bound is known.
        scopes: the contests that the conflicts are, where they have been read already.

    Returns:
        One record per scope, sorted by name.

    Example:
        >>> rows = [Conflict(n, "gpu", (("A", 3), ("C", 1)), winners=("A",)) for n in range(1, 20)]
        >>> record = fairness(rows)[0]
        >>> [(one.agent, one.wins, one.longest_streak) for one in record.agents], record.jain
        ([('A', 19, 0), ('C', 0, 19)], Fraction(1, 2))
    """
    read = contests(conflicts, policy) if scopes is None else scopes
    return tuple(_scope_record(scope, listed, policy) for scope, listed in read.items())


def _scope_record(scope: str, listed: Sequence[Contest], policy: Policy | None) -> ScopeRecord:
    decided = [one for one in listed if one.is_decided]
    windows: dict[str, Window] = {}
    for contest in listed:
        for agent in contest.claims:
            window = windows.setdefault(agent, Window())
            if contest.is_decided:
                window.saw(contest, agent, policy)
    bounds = population_bounds(listed, policy)
    last = listed[-1]
    agents = tuple(
        _agent_record(name, windows[name], bounds[name], last) for name in sorted(windows)
    )
    total = sum(one.wins for one in agents)
    gaps = {
        name: Fraction(one.wins) - one.expected for name, one in sorted(windows.items()) if total
    }
    dominant = max(gaps, key=lambda name: gaps[name], default=None)
    return ScopeRecord(
        scope=scope,
        conflicts=len(decided),
        undecided=len(listed) - len(decided),
        agents=agents,
        jain=jain([one.wins for one in agents]),
        gini=gini([one.wins for one in agents]),
        dominant=dominant,
        dominance=0 if dominant is None else tidy(gaps[dominant] / total),
        holds="never" if policy is None else policy.holds,
    )


def _agent_record(agent: str, window: Window, bound: int | None, last: Contest) -> AgentRecord:
    claims = window.claims
    since: Exact | None = None
    if window.win_at is not None and last.at is not None:
        since = tidy(to_fraction(last.at) - to_fraction(window.win_at))
    return AgentRecord(
        agent=agent,
        claims=claims,
        wins=window.wins,
        share=tidy(Fraction(window.wins, claims)) if claims else 0,
        fair=tidy(window.expected / claims) if claims else 0,
        interval=_wilson(window.wins, claims),
        longest_streak=window.longest,
        current_streak=window.streak,
        bound=bound,
        conflicts_since_win=None if window.win_number is None else last.number - window.win_number,
        seconds_since_win=since,
        chance=window.chance,
    )


def _wilson(wins: int, claims: int) -> tuple[float, float]:
    if not claims:
        return 0.0, 1.0
    share, square = wins / claims, _Z * _Z
    middle = share + square / (2 * claims)
    spread = _Z * sqrt(share * (1 - share) / claims + square / (4 * claims * claims))
    below = 1 + square / claims
    return max(0.0, (middle - spread) / below), min(1.0, (middle + spread) / below)


def jain(amounts: Sequence[Exact]) -> Exact | None:
    """Return Jain's index: 1 for equal amounts, 1/n when one has everything.

    Args:
        amounts: wins, money, gains; 0 or more.

    Returns:
        The exact index; None when all are 0.

    Example:
        >>> jain([19, 19, 0]), jain([0, 0])
        (Fraction(2, 3), None)
    """
    exact = [to_fraction(one) for one in amounts]
    squares = sum(one * one for one in exact)
    return tidy(Fraction(sum(exact)) ** 2 / (len(exact) * squares)) if squares else None


def gini(amounts: Sequence[Exact]) -> Exact | None:
    """Return the Gini coefficient: 0 for equal amounts, (n − 1)/n when one has everything.

    Args:
        amounts: wins, money, gains; 0 or more.

    Returns:
        The exact coefficient; None when all are 0.

    Example:
        >>> gini([1, 1, 1]), gini([3, 0, 0])
        (0, Fraction(2, 3))
    """
    exact = sorted(to_fraction(one) for one in amounts)
    total = sum(exact)
    if not total:
        return None
    ranked = sum((2 * at - len(exact) - 1) * one for at, one in enumerate(exact, 1))
    return tidy(Fraction(ranked) / (len(exact) * total))
