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
from itertools import pairwise

from comity.core.exact import Exact, to_fraction
from comity.mechanisms.arbitration.bounds import fixed_bound
from comity.mechanisms.arbitration.claims import Claim
from comity.mechanisms.arbitration.engine import Conflict
from comity.mechanisms.arbitration.hours import SECONDS
from comity.mechanisms.arbitration.policy import Policy, Population
from comity.mechanisms.arbitration.state import Scope, ScopeState, scope_name

__all__ = [
    "Contest",
    "Window",
    "bounds_of",
    "contests",
    "population_bounds",
    "population_of",
    "step_of",
]


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
        attended: how many of these it lost without missing a conflict between them.
        longest: the most it has lost in a row.
        missed: how many wins fair lots would have given it since its last one.
        chance: how probable fair lots make its streak.
        first: the contest it claimed in first, or 0.
        last: the contest it claimed in last, or 0.
        win_number: the contest it won last, or None.
        win_at: when that was, or None.
        since: when it won last; when it first claimed where it never won; or None.
        last_at: when it claimed last, or None.
    """

    __slots__ = ("_expected", "_many", "_share", "attended", "chance", "claims", "first", "last",
                 "last_at", "longest", "missed", "since", "streak", "win_at", "win_number",
                 "wins")  # fmt: skip

    def __init__(self) -> None:
        """Start with nothing."""
        self.claims = self.wins = self.streak = self.attended = self.longest = 0
        self.first = self.last = self._many = 0
        self.missed, self.chance = 0.0, 1.0
        self.win_number: int | None = None
        self.win_at: Exact | None = None
        self.since: Exact | None = None
        self.last_at: Exact | None = None
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
        if expiry is not None and contest.number - 1 - self.last > expiry:
            self._start_again()
        if not self.claims:
            self.first, self.since = contest.number, contest.at
        elif contest.number - 1 != self.last:
            self.attended = 0
        self.last, self.last_at = contest.number, contest.at
        self.claims += 1
        share = contest.fair[agent]
        if share is not self._share:  # equal shares follow each other: one sum for all of them
            self._expected, self._share, self._many = self.expected, share, 0
        self._many += 1
        if agent in contest.winners:
            self.wins += 1
            self.win_number, self.win_at, self.since = contest.number, contest.at, contest.at
            self._start_again()
            return
        self.streak += 1
        self.attended += 1
        self.longest = max(self.longest, self.streak)
        chance = contest.chances[agent]
        self.missed += chance
        self.chance *= 1 - chance

    def _start_again(self) -> None:
        self.streak, self.attended, self.missed, self.chance = 0, 0, 0.0, 1.0


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
        is_round = where.scope != "resource" or one.number > 0  # 0: it has no number
        if is_round and rounds and rounds[-1][0].number == one.number:
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
    if first.number < 0:  # handed to whoever waited longest: a win, and nobody's loss
        claims = {agent: claims[agent] for agent in first.winners}
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


def population_of(claims: Iterable[Mapping[str, Exact]], policy: Policy) -> Population:
    """Return everybody who ever claimed, as bounds look at it.

    Args:
        claims: agent -> priority, conflict by conflict.
        policy: the policy.

    Example:
        >>> population_of([{"a": 9}, {"a": 9, "b": 5}], Policy()).priorities
        {'a': 9, 'b': 5}
    """
    scope = Scope(ScopeState(name="scope"))
    known = scope.seen.items()
    for every in claims:
        if not every.items() <= known:
            for agent, priority in every.items():
                scope.meet(Claim(agent, priority), 0)
    return scope.population(policy)


def population_bounds(listed: Sequence[Contest], policy: Policy | None) -> dict[str, int | None]:
    """Return agent -> its bound, from everybody who ever claimed.

    Args:
        listed: the contests of one scope.
        policy: the policy; without it nobody has a bound.

    Returns:
        The bounds. Ageing by hours has one where all claim in every contest, equally far apart.

    Example:
        >>> one = Conflict(1, "gpu", (("a", 9), ("b", 5)), winners=("a",))
        >>> population_bounds(contests([one])["gpu"], Policy(c=2))
        {'a': 1, 'b': 3}
    """
    known = population_of((one.claims for one in listed), policy or Policy())
    if policy is None:
        return dict.fromkeys(known.priorities)
    step = None
    if policy.rule == "hours" and all(one.is_decided for one in listed):
        least = min(len(one.claims) for one in listed)
        step = step_of([one.at for one in listed]) if least == len(known.priorities) else None
    return bounds_of(known, policy, step)


def bounds_of(
    known: Population, policy: Policy, step: Fraction | None = None
) -> dict[str, int | None]:
    """Return agent -> its bound, for whoever was seen to claim.

    Args:
        known: who claimed.
        policy: the policy.
        step: how many seconds conflicts lie apart in which all claim; None where that is not so.

    Returns:
        The bounds; nobody has one under ``stride`` where a weight changed or is not above 0, and
        under ``hours`` without the step.

    Example:
        >>> bounds_of(Population(priorities={"a": 1, "b": 0}), Policy(rule="stride"))
        {'a': None, 'b': None}
    """
    agents = known.priorities
    if policy.rule == "stride":
        weights = {**agents, **dict(policy.weights)}
        is_changed = known.changed and len(dict(policy.weights)) < len(weights)
        if is_changed or any(one <= 0 for one in weights.values()):
            return dict.fromkeys(agents)
    if policy.rule != "hours":
        return policy.bounds(known)
    if step is None or known.changed or policy.cap is not None or not policy.c:
        return dict.fromkeys(agents)
    high = known.spread[1]
    return {  # those of ageing by losses with c·Δ for c
        agent: fixed_bound(
            difference=to_fraction(high) - to_fraction(priority),
            c=to_fraction(policy.c) * step / SECONDS,
            agents=known.agents,
            units=policy.units,
            tolerance=policy.tolerance or 0,
        )
        for agent, priority in agents.items()
    }


def step_of(times: Sequence[Exact | None]) -> Fraction | None:
    """Return how far apart times lie; None where that is not always as far.

    Args:
        times: in order, in seconds; None where one is missing.

    Example:
        >>> step_of([0, 60, 120]), step_of([0, 60, 60]), step_of([0])
        (Fraction(60, 1), None, None)
    """
    found: Fraction | None = None
    for one, later in pairwise(times):
        if one is None or later is None:
            return None
        gap = to_fraction(later) - to_fraction(one)
        if gap <= 0 or found not in (None, gap):
            return None
        found = gap
    return found
