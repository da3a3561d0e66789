"""Alarms: who starves, since when could that be known, and is it over?

Here: alarms over recorded conflicts of all scopes, each with where it began and where it ended.
Not here: sending them (watch/), what begins and ends one (alarm_watch.py), levels and limits
(alarm_rules.py).
Sources: SEMANTICS R5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from comity.mechanisms.arbitration.alarm_lots import lot_alarms, lots_of
from comity.mechanisms.arbitration.alarm_rules import (
    LEVELS,
    AlarmKind,
    AlarmLevel,
    AlarmRules,
    chance_of_no_win,
    claims_without_win,
    single_look,
)
from comity.mechanisms.arbitration.alarm_runs import runs_of
from comity.mechanisms.arbitration.alarm_watch import Alarm, ScopeWatch
from comity.mechanisms.arbitration.contests import Contest, contests
from comity.mechanisms.arbitration.engine import Conflict
from comity.mechanisms.arbitration.policy import Policy

__all__ = [
    "Alarm",
    "AlarmKind",
    "AlarmLevel",
    "AlarmRules",
    "alarms",
    "chance_of_no_win",
    "claims_without_win",
    "single_look",
]

_ORDER: tuple[AlarmLevel, ...] = ("critical", "warning", "info")
_KINDS = tuple(LEVELS)


def alarms(
    conflicts: Sequence[Conflict],
    policy: Policy | None = None,
    rules: AlarmRules | None = None,
    scopes: Mapping[str, Sequence[Contest]] | None = None,
    policies: Sequence[Policy | None] = (),
) -> tuple[Alarm, ...]:
    """Return every alarm that recorded conflicts raise, each once.

    Args:
        conflicts: recorded conflicts, in order.
        policy: the policy they were decided under; without it no bound is known.
        rules: when to raise an alarm.
        scopes: the contests that the conflicts are, where they have been read already.
        policies: for each conflict the policy that decided it, or None, where not ``policy``
            decided all; a bound is that of conflicts which one policy decided.

    Returns:
        Those that stand at the end of the record first, of them the critical ones, then by kind
        (who starves before who wins), longest row, scope, conflict and agent.

    Example:
        >>> rows = [
        ...     Conflict(n, "r", tuple((one, 1) for one in "ABC"), winners=("AB"[n % 2],))
        ...     for n in range(1, 20)
        ... ]
        >>> print(alarms(rows)[0])
        warning: C has never won r (19 claims, 19 losses in a row); fair lots do that once in \
2217 runs.
    """
    rules = AlarmRules() if rules is None else rules
    found: list[Alarm] = []
    read = contests(conflicts, policy) if scopes is None else scopes
    runs = runs_of(conflicts, policies, read, policy) if policies else {}
    for scope, listed in read.items():
        found.extend(ScopeWatch(scope, listed, policy, rules, runs.get(scope)).alarms())
    found.extend(lot_alarms(lots_of(conflicts, policy, policies)))
    return tuple(
        sorted(
            found,
            key=lambda one: (
                not one.stands,
                _ORDER.index(one.level),
                _KINDS.index(one.kind),
                -one.row,
                one.scope,
                one.at_conflict,
                one.agent or "",
            ),
        )
    )
