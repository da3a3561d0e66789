"""Beside: which claims of a desk came to no conflict, and which wins did nobody use?

Here: for each agent how often it was turned away and by whom, how often it left a win unused.
Not here: who lost conflicts (starved.py), the desk and its record (runner/).
Sources: SEMANTICS R5, R7: a claim that runs out while others hold the resource is in no conflict,
so that nobody who looks at conflicts alone can see that its agent starves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

from comity.core.exact import Exact
from comity.core.spans import counted, row_span
from comity.formats.claims_log import BesideClaim
from comity.mechanisms.arbitration import AlarmRules
from comity.mechanisms.arbitration.alarm_rules import early_level
from comity.mechanisms.arbitration.contests import Contest

__all__ = ["BesideRecord", "beside_records"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BesideRecord:
    """What came of the claims of one agent beside conflicts.

    Attributes:
        scope: the resource, or its scope.
        agent: who claimed.
        turned_away: how many of its claims ran out while they waited.
        in_a_row: how many of these since it last won.
        since: when the first of this row ran out, in seconds since 1970, or None.
        last_at: when the last one did, or None.
        holders: who held the resource meanwhile, in this row, and how often, the most first.
        unused: how many of its wins nobody used.
        is_starved: whether the row is too long to be chance, as a row of lost claims would be.
    """

    scope: str
    agent: str
    turned_away: int
    in_a_row: int
    since: Exact | None
    last_at: Exact | None
    holders: tuple[tuple[str, int], ...]
    unused: int
    is_starved: bool

    @property
    def says(self) -> str:
        """The agent's case in one sentence."""
        if not self.in_a_row:
            told = f"{self.agent} was turned away from {self.scope} {_times(self.turned_away)}"
            return f"{told} and left {counted(self.unused, 'win')} unused"
        told = f"{self.agent} was turned away from {self.scope} {_times(self.in_a_row)} in a row"
        if self.since is not None and self.last_at is not None and self.last_at > self.since:
            told += f", for {row_span(self.since, self.last_at, has_won=False)}"
        named = " and ".join(f"{agent} ({many})" for agent, many in self.holders[:3])
        return f"{told}; held by {named}" if named else told


def _times(many: int) -> str:
    return "once" if many == 1 else f"{many} times"


@dataclass(slots=True)
class _Row:
    turned_away: list[BesideClaim] = field(default_factory=list)
    unused: list[Exact] = field(default_factory=list)


def beside_records(
    claims: Iterable[BesideClaim],
    scopes: Mapping[str, Sequence[Contest]],
    rules: AlarmRules,
) -> tuple[BesideRecord, ...]:
    """Return what came of claims beside conflicts, by scope and agent.

    Args:
        claims: claims that were turned away, and wins that nobody used.
        scopes: scope -> its contests, for when an agent last won.
        rules: when a row is too long to be chance.

    Returns:
        One record for each scope and agent, the longest row first.

    Example:
        >>> away = [BesideClaim(n, "gpu", "c", True, ("a",)) for n in range(9)]
        >>> found = beside_records(away, {}, AlarmRules())[0]
        >>> found.is_starved, found.says
        (True, 'c was turned away from gpu 9 times in a row, for 8 s; held by a (9)')
    """
    rows: dict[tuple[str, str], _Row] = {}
    for one in claims:
        row = rows.setdefault((one.resource, one.agent), _Row())
        if one.is_turned_away:
            row.turned_away.append(one)
        else:
            row.unused.append(one.at)
    agents = {agent for _, agent in rows}
    for listed in scopes.values():
        agents.update(agent for one in listed for agent in one.claims)
    level = early_level(rules, agents=max(1, len(agents)))
    found = [
        _record(scope, agent, row, _last_win(scopes.get(scope, ()), agent, row.unused), level)
        for (scope, agent), row in rows.items()
    ]
    return tuple(sorted(found, key=lambda one: (-one.in_a_row, one.scope, one.agent)))


def _last_win(listed: Sequence[Contest], agent: str, unused: Sequence[Exact]) -> Exact | None:
    """Return when an agent last won what it used."""
    times = [one.at for one in listed if agent in one.winners and one.at is not None]
    used = [at for at in times if at not in set(unused)]
    return max(used, default=None)


def _record(
    scope: str, agent: str, row: _Row, last_win: Exact | None, level: float
) -> BesideRecord:
    since = [one for one in row.turned_away if last_win is None or one.at > last_win]
    held: dict[str, int] = {}
    for one in since:
        for name in one.holders:
            held[name] = held.get(name, 0) + 1
    chance = prod(1 - 1 / (1 + max(1, len(one.holders))) for one in since)
    return BesideRecord(
        scope=scope,
        agent=agent,
        turned_away=len(row.turned_away),
        in_a_row=len(since),
        since=min((one.at for one in since), default=None),
        last_at=max((one.at for one in since), default=None),
        holders=tuple(sorted(held.items(), key=lambda one: (-one[1], one[0]))),
        unused=len(row.unused),
        is_starved=bool(since) and chance <= level,
    )
