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
        winners: who won anything.
        at: when, or None.
        is_decided: whether it was decided.
    """

    number: int
    claims: Mapping[str, Exact]
    fair: Mapping[str, Fraction]
    winners: frozenset[str]
    at: Exact | None
    is_decided: bool


class Window:
    """Running counts of one agent."""

    __slots__ = ("chance", "claims", "expected", "last_claim", "longest", "missed", "streak",
                 "win_at", "win_number", "wins")  # fmt: skip

    def __init__(self) -> None:
        """Start with nothing."""
        self.claims = self.wins = self.streak = self.longest = self.last_claim = 0
        self.expected = self.missed = Fraction(0)
        self.chance = 1.0
        self.win_number: int | None = None
        self.win_at: Exact | None = None

    def saw(self, contest: Contest, agent: str, policy: Policy | None) -> None:
        """Count one conflict in which the agent claimed."""
        fair = contest.fair[agent]
        expiry = None if policy is None else policy.expiry
        if expiry is not None and contest.number - 1 - self.last_claim > expiry:
            self._start_again()
        self.last_claim = contest.number
        self.claims += 1
        self.expected += fair
        if agent in contest.winners:
            self.wins += 1
            self.win_number, self.win_at = contest.number, contest.at
            self._start_again()
            return
        self.streak += 1
        self.longest = max(self.longest, self.streak)
        self.missed += fair
        self.chance *= float(1 - fair)

    def _start_again(self) -> None:
        self.streak, self.missed, self.chance = 0, Fraction(0), 1.0


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


def _contest(number: int, together: Sequence[Conflict]) -> Contest:
    claims: dict[str, Exact] = {}
    lost: dict[str, Fraction] = {}
    for one in together:
        units = len(one.winners)
        for claim in one.claims:
            agent = claim[0]
            claims[agent] = claim[1]
            chance = Fraction(min(units, len(one.claims)), len(one.claims))
            lost[agent] = lost.get(agent, Fraction(1)) * (1 - chance)
    return Contest(
        number=number,
        claims=claims,
        fair={agent: 1 - one for agent, one in lost.items()},
        winners=frozenset(agent for one in together for agent in one.winners),
        at=together[-1].at,
        is_decided=any(one.winners for one in together),
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
