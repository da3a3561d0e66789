"""Starved: who has not won for how long, and who wins instead?

Here: the agents over whose losses an alarm stands, as things are at the end of the record.
Not here: when an alarm stands (mechanisms/arbitration), claims that a desk turned away
(turned_away.py), the whole report (report.py).
Sources: SEMANTICS R5: the operator must see that one agent has not won for nineteen days.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from comity.core.exact import Exact
from comity.core.spans import counted, row_span
from comity.mechanisms.arbitration import Alarm
from comity.mechanisms.arbitration.contests import Contest

__all__ = ["Starved", "starved", "starving_says"]

_ABOUT_LOSSES = frozenset({"bound_broken", "no_win", "no_promise", "own_limit"})
_MOST_NAMES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Starved:
    """An agent that does not win.

    Attributes:
        scope: where.
        agent: who.
        claims: how many conflicts it claimed in.
        wins: how many it ever won.
        streak: how many it has lost in a row; 0 when it wins now and then, too little.
        since: when it won last, or first claimed where it never won; in seconds since 1970.
        last_at: when it claimed last.
        instead: who won what it lost in this row, or ever, and how often, the most first.
    """

    scope: str
    agent: str
    claims: int
    wins: int
    streak: int
    since: Exact | None
    last_at: Exact | None
    instead: tuple[tuple[str, int], ...]

    @property
    def span(self) -> str:
        """For how long it has not won, in words; "" where times are missing or all the same."""
        if self.since is None or self.last_at is None or self.last_at <= self.since:
            return ""
        return row_span(self.since, self.last_at, has_won=self.wins > 0)

    @property
    def lost(self) -> str:
        """How much it has lost, in words."""
        if not self.streak:
            return f"{counted(self.wins, 'win')} in {counted(self.claims, 'claim')}"
        many = f"{self.streak} {'losses' if self.streak > 1 else 'loss'} in a row"
        return f"{counted(self.claims, 'claim')}, {many}"

    @property
    def winners(self) -> str:
        """Who wins instead, in words; "" when nobody does."""
        of = self.streak or self.claims
        named = [f"{agent} ({many} of {of})" for agent, many in self.instead]
        shown, more = named[:_MOST_NAMES], len(named) - _MOST_NAMES
        shown += [counted(more, "other")] if more > 0 else []
        verb = "wins" if len(shown) == 1 else "win"
        return f"{_joined(shown)} {verb} instead" if shown else ""

    @property
    def says(self) -> str:
        """The agent's case in one sentence."""
        return starving_says([self])


def starved(
    alarms: Iterable[Alarm], scopes: Mapping[str, Sequence[Contest]]
) -> tuple[Starved, ...]:
    """Return who does not win at the end of the record.

    Args:
        alarms: what was raised; only alarms over losses that stand count.
        scopes: scope -> its contests.

    Returns:
        One entry for each scope and agent, the longest row of losses first.

    Example:
        >>> from comity.mechanisms.arbitration import Conflict, alarms
        >>> from comity.mechanisms.arbitration.contests import contests
        >>> rows = [Conflict(n, "r", (("A", 1), ("C", 1)), winners=("A",)) for n in range(1, 20)]
        >>> starved(alarms(rows), contests(rows))[0].says
        'C has never won r (19 claims, 19 losses in a row); A (19 of 19) wins instead'
    """
    rows: dict[tuple[str, str], int] = {}
    for one in alarms:
        if one.stands and one.kind in _ABOUT_LOSSES and one.agent is not None:
            key = one.scope, one.agent
            rows[key] = max(one.row, rows.get(key, 0))
    found = [
        _starved(scope, agent, scopes[scope], is_row=row > 0)
        for (scope, agent), row in rows.items()
    ]
    return tuple(sorted(found, key=lambda one: (-one.streak, one.scope, one.agent)))


def _starved(scope: str, agent: str, listed: Sequence[Contest], *, is_row: bool) -> Starved:
    own = [one for one in listed if agent in one.claims and one.is_decided]
    won = [at for at, one in enumerate(own) if agent in one.winners]
    row = own[won[-1] + 1 :] if won and is_row else own
    instead: dict[str, int] = {}
    for one in row:
        for winner in one.winners - {agent}:
            instead[winner] = instead.get(winner, 0) + 1
    return Starved(
        scope=scope,
        agent=agent,
        claims=len(own),
        wins=len(won),
        streak=len(row) if is_row else 0,
        since=own[won[-1]].at if won else own[0].at,
        last_at=own[-1].at,
        instead=tuple(sorted(instead.items(), key=lambda one: (-one[1], one[0]))),
    )


def starving_says(cases: Sequence[Starved]) -> str:
    """Return who does not win, in one sentence: the worst case, and whoever is just as badly off.

    Args:
        cases: the worst first, at least one.

    Example:
        >>> one = Starved(
        ...     scope="ads",
        ...     agent="C",
        ...     claims=19,
        ...     wins=0,
        ...     streak=19,
        ...     since=0,
        ...     last_at=86_400 * 18,
        ...     instead=(("A", 19),),
        ... )
        >>> starving_says([one])
        'C has not won ads for 19 days (19 claims, 19 losses in a row); A (19 of 19) wins instead'
    """
    first = cases[0]
    alike = [one for one in cases if _case(one) == _case(first)]
    names = [one.agent for one in alike[:_MOST_NAMES]]
    more = len(alike) - _MOST_NAMES
    names += [counted(more, "other")] if more > 0 else []
    verb, each = ("has", "") if len(names) == 1 else ("have", ", each")
    if not first.streak:
        wins = "wins" if len(names) == 1 else "win"
        told = f"{_joined(names)} {wins} too little of {first.scope} ({first.lost}{each})"
    elif first.span:
        told = f"{_joined(names)} {verb} not won {first.scope} for {first.span}"
        told += f" ({first.lost}{each})"
    else:
        never = "not" if first.wins else "never"
        told = f"{_joined(names)} {verb} {never} won {first.scope} ({first.lost}{each})"
    told = f"{told}; {first.winners}" if first.winners else told
    rest = len(cases) - len(alike)
    return f"{told}; {rest} more {'starves' if rest == 1 else 'starve'}" if rest else told


def _case(one: Starved) -> tuple[object, ...]:
    return one.scope, one.claims, one.wins, one.streak, one.span, one.instead


def _joined(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
