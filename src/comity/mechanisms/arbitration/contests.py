"""Contests: what happened to each agent, conflict by conflict?

Here: recorded conflicts as contests of a scope, running counts of one agent, bounds from everybody
who ever claimed.
Not here: the figures made of them (fairness.py, alarms.py).
Sources: SEMANTICS R5.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from comity.core.exact import Exact
from comity.mechanisms.arbitration.claims import Claim
from comity.mechanisms.arbitration.engine import Conflict
from comity.mechanisms.arbitration.policy import Policy
from comity.mechanisms.arbitration.state import Scope, ScopeState, scope_name

__all__ = ["Contest", "Window", "contests", "population_bounds"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """One conflict of a scope; several resources of a round count as one.

    Attributes:
        number: its place in the scope, from 1.
        claims: agent -> priority.
        fair: agent -> its chance under a fair lot.
        chances: the same as floats.
        winners: who won anything.
        at: when, or None.
        is_decided: whether it was decided.
    """

    number: int
    claims: Mapping[str, Exact]
    fair: Mapping[str, Fraction]
    chances: Mapping[str, float]
    winners: frozenset[str]
    at: Exact | None
    is_decided: bool


class Window:
    """Running counts of one agent.

    Attributes:
        claims: conflicts it claimed in.
        wins: conflicts it won.
        streak: how many it has lost in a row.
        longest: the most it has lost in a row.
        missed: how many wins fair lots would have given it since its last one.
        chance: how probable fair lots make its streak.
        win_number: the contest it won last, or None.
        win_at: when that was, or None.
    """

    __slots__ = ("_expected", "_last_claim", "_many", "_share", "chance", "claims", "longest",
                 "missed", "streak", "win_at", "win_number", "wins")  # fmt: skip

    def __init__(self) -> None:
        """Start with nothing."""
        self.claims = self.wins = self.streak = self.longest = 0
        self.missed, self.chance = 0.0, 1.0
        self.win_number: int | None = None
        self.win_at: Exact | None = None
        self._last_claim = self._many = 0
        self._expected = self._share = Fraction(0)

    @property
    def expected(self) -> Fraction:
        """How many wins fair lots would have given it."""
        return self._expected + self._many * self._share

    def saw(self, contest: Contest, agent: str, policy: Policy | None) -> None:
        """Count one conflict in which the agent claimed.

        Args:
            contest: the conflict.
            agent: its name.
            policy: where losses expire, or None.
        """
        expiry = None if policy is None else policy.expiry
        if expiry is not None and contest.number - 1 - self._last_claim > expiry:
            self._start_again()
        self._last_claim = contest.number
        self.claims += 1
        share = contest.fair[agent]
        if share is not self._share:  # equal shares follow each other: one sum for all of them
            self._expected, self._share, self._many = self.expected, share, 0
        self._many += 1
        if agent in contest.winners:
            self.wins += 1
            self.win_number, self.win_at = contest.number, contest.at
            self._start_again()
            return
        self.streak += 1
        self.longest = max(self.longest, self.streak)
        chance = contest.chances[agent]
        self.missed += chance
        self.chance *= 1 - chance

    def _start_again(self) -> None:
        self.streak, self.missed, self.chance = 0, 0.0, 1.0


def contests(
    conflicts: Iterable[Conflict], policy: Policy | None = None
) -> dict[str, list[Contest]]:
    """Return scope -> its contests in order.

    Args:
        conflicts: recorded conflicts, in order.
        policy: where losses count; per resource when left out.

    Example:
        >>> one = Conflict(1, "gpu", (("a", 1), ("b", 1)), winners=("a",))
        >>> contests([one])["gpu"][0].fair["b"]
        Fraction(1, 2)
    """
    where = Policy() if policy is None else policy
    grouped: dict[str, list[list[Conflict]]] = {}
    for one in conflicts:
        rounds = grouped.setdefault(scope_name(where, one.resource), [])
        is_same = rounds and where.scope != "resource" and rounds[-1][0].number == one.number
        if is_same:
            rounds[-1].append(one)
        else:
            rounds.append([one])
    return {
        scope: [_contest(at, together) for at, together in enumerate(rounds, 1)]
        for scope, rounds in sorted(grouped.items())
    }


@cache
def _share(units: int, claimants: int) -> tuple[Fraction, float]:
    """Return the chance of one claimant under a fair lot, exact and as a float."""
    share = Fraction(min(units, claimants), claimants)
    return share, float(share)


def _contest(number: int, together: Sequence[Conflict]) -> Contest:
    first = together[0]
    claims: dict[str, Exact] = {claim[0]: claim[1] for claim in first.claims}
    share, chance = _share(len(first.winners), len(claims))
    fair, chances = dict.fromkeys(claims, share), dict.fromkeys(claims, chance)
    winners = frozenset(first.winners)
    for one in together[1:]:
        share, _ = _share(len(one.winners), len(one.claims))
        winners |= frozenset(one.winners)
        for claim in one.claims:
            agent = claim[0]
            claims[agent] = claim[1]
            fair[agent] = 1 - (1 - fair.get(agent, Fraction(0))) * (1 - share)
            chances[agent] = float(fair[agent])
    return Contest(
        number=number,
        claims=claims,
        fair=fair,
        chances=chances,
        winners=winners,
        at=together[-1].at,
        is_decided=bool(winners),
    )


def population_bounds(listed: Sequence[Contest], policy: Policy | None) -> dict[str, int | None]:
    """Return agent -> its bound, from everybody who ever claimed.

    Args:
        listed: the contests of one scope.
        policy: the policy; without it nobody has a bound.

    Example:
        >>> one = Conflict(1, "gpu", (("a", 9), ("b", 5)), winners=("a",))
        >>> population_bounds(contests([one])["gpu"], Policy(c=2))
        {'a': 1, 'b': 3}
    """
    scope = Scope(ScopeState(name="scope"))
    for contest in listed:
        for agent, priority in contest.claims.items():
            scope.meet(Claim(agent, priority), 0)
    if policy is None:
        return dict.fromkeys(scope.seen)
    return policy.bounds(scope.population(policy))
