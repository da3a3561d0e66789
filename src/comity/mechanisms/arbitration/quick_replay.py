"""Quick replay: who wins recorded claims under a rule, when there are very many of them?

Here: the winners of plain policies over whole logs, in whole numbers and without a value for every
conflict.
Not here: every other policy, faults, what is remembered (engine.py), tables (whatif.py).
Sources: SEMANTICS R6. Both ways decide alike, lots included; a test holds them together.

A policy is plain when one unit is won, losses count for each resource, and nothing expires, is
capped or tied within a tolerance. Numbers are multiplied by what makes all of them whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from hashlib import sha256
from itertools import accumulate
from math import lcm
from typing import Any, NamedTuple

from comity.core.exact import Exact, to_fraction
from comity.mechanisms.arbitration.choosing import Lots, Seed
from comity.mechanisms.arbitration.claims import principal_fault
from comity.mechanisms.arbitration.engine import Conflict
from comity.mechanisms.arbitration.hours import SECONDS
from comity.mechanisms.arbitration.policy import Policy

__all__ = ["Log", "plain_log", "quick_winners"]

_NOBODY = -1


class _Row(NamedTuple):
    """One conflict: its resource, its agents in order of name, what each says."""

    where: int
    agents: tuple[int, ...]
    ranks: tuple[int, ...]
    bids: tuple[int, ...]
    came: tuple[int, ...] | None
    at: int | None


class Log(NamedTuple):
    """Conflicts made ready: names as places in their order, numbers as whole numbers.

    Attributes:
        resources: what is claimed.
        agents: who claims, sorted by name.
        rows: the conflicts.
        unit: what one stands for in priorities and bids.
        second: what one second stands for.
    """

    resources: tuple[str, ...]
    agents: tuple[str, ...]
    rows: tuple[_Row, ...]
    unit: int
    second: int


class _Numbers:
    """Exact numbers, each looked at once."""

    __slots__ = ("known", "scale")

    def __init__(self) -> None:
        self.known: dict[Exact, Fraction] = {}
        self.scale = 1

    def take(self, value: object) -> bool:
        """Note a number; tell whether it can be used."""
        if type(value) is Decimal:
            if not value.is_finite():
                return False
        elif type(value) is not int and type(value) is not Fraction:
            return False
        if value not in self.known:
            self.known[value] = found = to_fraction(value)
            self.scale = lcm(self.scale, found.denominator)
        return True

    def whole(self) -> dict[Exact, int]:
        """Return number -> the number times the scale."""
        return {value: int(one * self.scale) for value, one in self.known.items()}


def plain_log(conflicts: Sequence[Conflict]) -> Log | None:
    """Return conflicts made ready; None when they need the long way, or its faults.

    Args:
        conflicts: recorded conflicts, in order.

    Example:
        >>> found = plain_log([Conflict(1, "gpu", (("a", 1), ("b", Fraction(1, 2))))])
        >>> found.agents, found.rows[0].ranks, found.unit
        (('a', 'b'), (2, 1), 2)
    """
    ranks, times = _Numbers(), _Numbers()
    names: set[str] = set()
    places: dict[str, int] = {}
    for one in conflicts:
        places.setdefault(one.resource, len(places))
        if not one.claims or not (one.at is None or times.take(one.at)):
            return None
        for claim in one.claims:
            if not isinstance(claim[0], str) or not ranks.take(claim[1]):
                return None
            names.add(claim[0])
            if len(claim) > 2 and not _takes_more(claim, ranks, times):
                return None
    if any(principal_fault(one, "name") is not None for one in (*names, *places)):
        return None
    agents = tuple(sorted(names))
    number = {name: at for at, name in enumerate(agents)}
    whole, clock = ranks.whole(), times.whole()
    rows = []
    for one in conflicts:
        listed = sorted(one.claims, key=_name_of)
        own = tuple([number[claim[0]] for claim in listed])
        if len(set(own)) < len(own):
            return None
        urgent = tuple([whole[claim[1]] for claim in listed])
        bids, came = urgent, None
        if any(len(claim) > 2 for claim in listed):
            bids, came = _more(listed, urgent, whole, clock)
        at = None if one.at is None else clock[one.at]
        rows.append(_Row(places[one.resource], own, urgent, bids, came, at))
    return Log(tuple(places), agents, tuple(rows), ranks.scale, times.scale)


def _name_of(claim: Sequence[Any]) -> str:
    name: str = claim[0]
    return name


def _takes_more(claim: Sequence[Any], ranks: _Numbers, times: _Numbers) -> bool:
    """Note the arrival and the bid of a claim."""
    bid = claim[3] if len(claim) > 3 else None
    return (claim[2] is None or times.take(claim[2])) and (bid is None or ranks.take(bid))


def _more(
    listed: Sequence[Sequence[Any]],
    urgent: tuple[int, ...],
    whole: dict[Exact, int],
    clock: dict[Exact, int],
) -> tuple[tuple[int, ...], tuple[int, ...] | None]:
    """Return bids, and arrivals where all have one."""
    bids = tuple(
        [
            whole[claim[3]] if len(claim) > 3 and claim[3] is not None else one
            for claim, one in zip(listed, urgent, strict=True)
        ]
    )
    if any(len(claim) < 3 or claim[2] is None for claim in listed):
        return bids, None
    return bids, tuple([clock[claim[2]] for claim in listed])


# --- rules -----------------------------------------------------------------------------------


class _Scope:
    """What is remembered of one resource."""

    __slots__ = ("last", "mark", "marks", "number", "turn")

    def __init__(self) -> None:
        self.number = 0
        self.marks: dict[int, int] = {}
        self.last: dict[int, int] = {}
        self.mark = 0
        self.turn = _NOBODY


Scores = Callable[[_Scope, _Row], Sequence[int]]
Marks = Callable[[_Scope, _Row, int, Sequence[int]], None]


def quick_winners(log: Log, policy: Policy, seed: Seed) -> list[tuple[int, ...]] | None:
    """Return the winners of every conflict under a policy.

    Args:
        log: the conflicts.
        policy: the policy.
        seed: the seed of the lots.

    Returns:
        For each conflict the places of its winners in the log's agents; None when the policy, the
        seed or the claims need the long way.

    Example:
        >>> log = plain_log([Conflict(1, "gpu", (("a", 1), ("b", 2)))] * 3)
        >>> quick_winners(log, Policy(rule="static_priority"), "7")
        [(1,), (1,), (1,)]
    """
    if not _is_plain(policy) or not isinstance(seed, (str, int)):
        return None
    if policy.rule == "split":
        return [one.agents for one in log.rows]
    if policy.rule == "weighted_lottery":
        return _weighted(log, seed)
    found = _RULES.get(policy.rule)
    made = None if found is None else found(log, policy)
    return None if made is None else _highest(log, seed, *made)


def _is_plain(policy: Policy) -> bool:
    return policy == Policy(rule=policy.rule, c=policy.c) and policy.rule not in {
        "expertise",
        "human",
    }


def _highest(log: Log, seed: Seed, scores: Scores, marks: Marks | None) -> list[tuple[int, ...]]:
    """Let the highest score win, drawing lots among equals."""
    scopes = [_Scope() for _ in log.resources]
    labels = [f"{one} conflict " for one in log.resources]
    index = Lots(seed).index
    found: list[tuple[int, ...]] = []
    for row in log.rows:
        scope = scopes[row.where]
        scope.number += 1
        told = scores(scope, row)
        best = max(told)
        tied = [agent for agent, score in zip(row.agents, told, strict=True) if score == best]
        winner = tied[0]
        if len(tied) > 1:
            winner = tied[index(f"{labels[row.where]}{scope.number} unit 1", len(tied))]
        if marks is not None:
            marks(scope, row, winner, told)
        found.append((winner,))
    return found


def _weighted(log: Log, seed: Seed) -> list[tuple[int, ...]] | None:
    """Draw by weight: the names lie in order, each as wide as its weight."""
    if any(min(row.ranks) <= 0 for row in log.rows):
        return None
    numbers = [0] * len(log.resources)
    start = sha256(str(seed).encode("utf-8", "surrogatepass"))
    found: list[tuple[int, ...]] = []
    for row in log.rows:
        numbers[row.where] += 1
        winner = row.agents[0]
        if len(row.agents) > 1:
            drawn = start.copy()
            label = f"{log.resources[row.where]} conflict {numbers[row.where]} unit 1"
            drawn.update(label.encode("utf-8", "surrogatepass"))
            point = int.from_bytes(drawn.digest(), "big") * sum(row.ranks) >> 256
            edges = zip(row.agents, accumulate(row.ranks), strict=True)
            winner = next(agent for agent, edge in edges if point < edge)
        found.append((winner,))
    return found


Made = tuple[Scores, Marks | None] | None


def _static(_log: Log, _policy: Policy) -> Made:
    return (lambda _scope, row: row.ranks), None


def _lottery(_log: Log, _policy: Policy) -> Made:
    return (lambda _scope, row: (1,) * len(row.agents)), None


def _second_price(log: Log, _policy: Policy) -> Made:
    if any(min(row.bids) < 0 for row in log.rows):
        return None
    return (lambda _scope, row: row.bids), None


def _arrival(log: Log, policy: Policy) -> Made:
    if any(row.came is None for row in log.rows):
        return None
    sign = -1 if policy.rule == "first_come" else 1
    return (lambda _scope, row: [sign * one for one in row.came or ()]), None


def _losses(log: Log, policy: Policy) -> Made:
    c = to_fraction(policy.c)
    times, step = c.denominator, c.numerator * log.unit

    def scores(scope: _Scope, row: _Row) -> Sequence[int]:
        lost = scope.marks
        return [
            rank * times + step * lost.get(agent, 0)
            for agent, rank in zip(row.agents, row.ranks, strict=True)
        ]

    def marks(scope: _Scope, row: _Row, winner: int, _told: Sequence[int]) -> None:
        lost = scope.marks
        for agent in row.agents:
            lost[agent] = lost.get(agent, 0) + 1
        lost[winner] = 0

    return scores, marks


def _hours(log: Log, policy: Policy) -> Made:
    if any(row.at is None for row in log.rows):
        return None
    c = to_fraction(policy.c) / (SECONDS * log.second)  # for one unit of the clock
    times, step = c.denominator, c.numerator * log.unit

    def waited(scope: _Scope, row: _Row) -> list[int]:
        known, last, before = scope.marks, scope.last, scope.number - 1
        passed = max(0, (row.at or 0) - scope.mark)
        return [
            0
            if (mark := known.get(agent, _NOBODY)) < 0
            else mark + (passed if last[agent] == before else 0)
            for agent in row.agents
        ]

    def scores(scope: _Scope, row: _Row) -> Sequence[int]:
        return [
            rank * times + step * one
            for rank, one in zip(row.ranks, waited(scope, row), strict=True)
        ]

    def marks(scope: _Scope, row: _Row, winner: int, _told: Sequence[int]) -> None:
        scope.marks.update(zip(row.agents, waited(scope, row), strict=True))
        scope.last.update(dict.fromkeys(row.agents, scope.number))
        scope.marks[winner] = _NOBODY
        scope.mark = row.at or 0

    return scores, marks


def _round_robin(_log: Log, _policy: Policy) -> Made:
    def scores(scope: _Scope, row: _Row) -> Sequence[int]:
        turn, many = scope.turn, len(row.agents)
        behind = sum(agent <= turn for agent in row.agents)
        return [(behind - at - 1) % many for at in range(many)]

    def marks(scope: _Scope, _row: _Row, winner: int, _told: Sequence[int]) -> None:
        scope.turn = winner

    return scores, marks


def _oldest_win(_log: Log, _policy: Policy) -> Made:
    def scores(scope: _Scope, row: _Row) -> Sequence[int]:
        return [-scope.marks.get(agent, 0) for agent in row.agents]

    def marks(scope: _Scope, _row: _Row, winner: int, _told: Sequence[int]) -> None:
        scope.marks[winner] = scope.number

    return scores, marks


def _stride(log: Log, _policy: Policy) -> Made:
    ranks = {one for row in log.rows for one in row.ranks}
    if min(ranks) <= 0:
        return None
    whole = lcm(*ranks)
    steps = {one: whole // one for one in ranks}

    def scores(scope: _Scope, row: _Row) -> Sequence[int]:
        now = scope.mark
        return [-max(scope.marks.get(agent, 0), now) for agent in row.agents]

    def marks(scope: _Scope, row: _Row, winner: int, told: Sequence[int]) -> None:
        for agent, score in zip(row.agents, told, strict=True):
            scope.marks[agent] = -score
        scope.mark = scope.marks[winner]
        scope.marks[winner] += steps[row.ranks[row.agents.index(winner)]]

    return scores, marks


_RULES: dict[str, Callable[[Log, Policy], Made]] = {
    "losses": _losses,
    "hours": _hours,
    "static_priority": _static,
    "first_come": _arrival,
    "latest": _arrival,
    "round_robin": _round_robin,
    "least_recently_served": _oldest_win,
    "lottery": _lottery,
    "stride": _stride,
    "second_price": _second_price,
}
