"""Alarm runs: which rules promised what to whom, conflict by conflict?

Here: the conflicts of a scope parted into runs that one policy decided, what each run promises.
Not here: the bounds themselves (bounds.py), what begins and ends an alarm (alarm_watch.py).
Sources: SEMANTICS R3, R5.

A bound holds for the rows of losses that one policy decided. It needs no known beginning: whoever
has more losses from before can win against an agent once before it starts again from nothing. So
a run begins where the rules change, and after what was decided elsewhere. ``stride`` is another
matter: wins elsewhere put an agent behind for long, so it promises nothing after them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from comity.mechanisms.arbitration.alarm_words import Promise, rule_told
from comity.mechanisms.arbitration.contests import Contest, contests, population_bounds
from comity.mechanisms.arbitration.engine import Conflict
from comity.mechanisms.arbitration.policy import Policy

__all__ = ["Run", "one_run", "runs_of"]

_NOTHING = Promise("", "never", None)


class Run(NamedTuple):
    """Conflicts that one policy decided, or that none did.

    Attributes:
        policy: the policy, or None.
        promises: agent -> what it promises to it.
    """

    policy: Policy | None
    promises: Mapping[str, Promise]

    def promise(self, agent: str) -> Promise:
        """Return what is promised to an agent."""
        return self.promises.get(agent, _NOTHING)


def one_run(listed: Sequence[Contest], policy: Policy | None) -> Run:
    """Return contests as one run.

    Args:
        listed: contests of one scope.
        policy: the policy that decided them, or None.

    Example:
        >>> one = Conflict(1, "gpu", (("a", 9), ("b", 5)), winners=("a",))
        >>> one_run(contests([one])["gpu"], Policy(c=2)).promise("b").bound
        3
    """
    if policy is None:
        return Run(None, {})
    told = policy.rule, policy.holds
    bounds = population_bounds(listed, policy)
    named = rule_told(policy)
    return Run(policy, {agent: Promise(*told, bound, named) for agent, bound in bounds.items()})


def runs_of(
    conflicts: Sequence[Conflict],
    policies: Sequence[Policy | None],
    scopes: Mapping[str, Sequence[Contest]],
    policy: Policy | None,
) -> dict[str, list[Run]]:
    """Return scope -> the run of each of its contests.

    Args:
        conflicts: recorded conflicts, in order.
        policies: for each of them the policy that decided it, or None.
        scopes: the contests that they are.
        policy: the policy that says where losses count; others that count elsewhere promise
            nothing here.

    Example:
        >>> rows = [Conflict(n, "r", (("a", 1), ("b", 1)), winners=("a",)) for n in range(1, 4)]
        >>> found = runs_of(rows, [None, Policy(), Policy()], contests(rows), Policy())["r"]
        >>> [one.policy and one.policy.rule for one in found], found[1] is found[2]
        ([None, 'losses', 'losses'], True)
    """
    placed = contests([one._replace(at=at) for at, one in enumerate(conflicts)], policy)
    found = {}
    for scope, listed in scopes.items():
        last = [int(one.at or 0) for one in placed[scope]]  # the last conflict of each contest
        told = [_fitting(policies[at], policy) for at in last]
        handed = [conflicts[at].number < 0 for at in last]
        found[scope] = _runs(listed, told, handed)
    return found


def _fitting(one: Policy | None, policy: Policy | None) -> Policy | None:
    """Return a policy if it counts losses where another does."""
    if one is None or policy is None:
        return None
    return one if (one.scope, one.groups) == (policy.scope, policy.groups) else None


def _runs(
    listed: Sequence[Contest], told: Sequence[Policy | None], handed: Sequence[bool]
) -> list[Run]:
    """Return the run of each contest; what was handed to the oldest interrupts none."""
    parts: list[tuple[Policy | None, list[Contest]]] = []
    for contest, policy, is_handed in zip(listed, told, handed, strict=True):
        if parts and (is_handed or policy == parts[-1][0]):
            parts[-1][1].append(contest)
        else:
            parts.append((policy, [contest]))
    runs: list[Run] = []
    rule, is_strayed = "", False
    for policy, contested in parts:
        if policy is None:
            is_strayed = True
        elif policy.rule != rule:
            rule, is_strayed = policy.rule, is_strayed and not rule
        is_known = policy is not None and not (is_strayed and policy.rule == "stride")
        run = one_run(contested, policy if is_known else None)
        runs += [run] * len(contested)
    return runs
