"""Deciders: which policy decided what, where not one policy decided all?

Here: bounds for those between whom the policy decided, what is told of rules that have changed,
the conflicts whose lots gave each the same chance.
Not here: alarms (mechanisms/arbitration), the record of a desk (runner/), the report (report.py).
Sources: SEMANTICS R3, R5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from comity.core.spans import counted
from comity.formats.claims_log import ClaimsLog
from comity.mechanisms.arbitration import Conflict, Policy, ScopeRecord
from comity.mechanisms.arbitration.alarm_words import rule_told
from comity.mechanisms.arbitration.contests import contests, population_bounds

__all__ = ["bounded", "changes_told", "drawn_alike"]


def bounded(
    records: Sequence[ScopeRecord], log: ClaimsLog, policy: Policy | None
) -> tuple[ScopeRecord, ...]:
    """Return records with the bounds of the policy for whoever claimed where it decided.

    Args:
        records: how every scope fared.
        log: the log, with who decided what.
        policy: the policy now, or None.

    Example:
        >>> from comity.mechanisms.arbitration import fairness
        >>> rows = tuple(Conflict(n, "r", (("a", 9), ("b", n)), winners=("a",)) for n in (1, 5))
        >>> log = ClaimsLog(conflicts=rows, policies=(None, Policy(c=2)))
        >>> records = fairness(rows, Policy(c=2))
        >>> [each.agents[1].bound for each in (*records, *bounded(records, log, Policy(c=2)))]
        [5, 3]
    """
    if policy is None or all(one == policy for one in log.policies):
        return tuple(records)
    pairs = zip(log.conflicts, log.policies, strict=True)
    own = contests([one for one, by in pairs if by == policy], policy)
    found = []
    for record in records:
        listed = own.get(record.scope)
        bounds = population_bounds(listed, policy) if listed else {}
        agents = tuple(replace(one, bound=bounds.get(one.agent)) for one in record.agents)
        found.append(replace(record, agents=agents))
    return tuple(found)


def changes_told(log: ClaimsLog, policy: Policy | None) -> list[str]:
    """Return that the rules have changed, and how many conflicts each decided.

    Args:
        log: the log, with who decided what.
        policy: the policy now, or None.

    Example:
        >>> rows = (Conflict(1, "r", (("a", 1),), winners=("a",)),) * 3
        >>> log = ClaimsLog(conflicts=rows, policies=(Policy(c=1), Policy(c=2), Policy(c=2)))
        >>> changes_told(log, Policy(c=2))[0][:68]
        'the rules have changed: 1 conflict by losses with c = 1, 2 conflicts'
    """
    decided: list[Policy] = []
    for one in log.policies:
        if one is not None and one not in decided[-1:]:
            decided.append(one)
    if not decided or decided == [policy]:
        return []
    many = [sum(by == one for by in log.policies) for one in decided]
    listed = ", ".join(
        f"{counted(times, 'conflict')} by {rule_told(one)}"
        for one, times in zip(decided, many, strict=True)
    )
    kept = "the bounds shown are those of the rules now, for what they decided"
    return [f"the rules have changed: {listed}; {kept}"]


def drawn_alike(log: ClaimsLog, policy: Policy | None) -> list[Conflict]:
    """Return the conflicts whose lots gave each the same chance.

    Args:
        log: the log, with who decided what.
        policy: the policy that decided all, where the log does not say.

    Example:
        >>> log = ClaimsLog(conflicts=(Conflict(1, "r", (("a", 1),), winners=("a",)),))
        >>> len(drawn_alike(log, None)), len(drawn_alike(log, Policy(rule="weighted_lottery")))
        (1, 0)
    """
    deciders = log.policies or (policy,) * len(log.conflicts)
    pairs = zip(log.conflicts, deciders, strict=True)
    return [one for one, by in pairs if by is None or by.rule != "weighted_lottery"]
