"""Timestamps: who waits and who gives way, so that waits only ever point one way in time?

Here: wound-wait and wait-die, and to whom a resource is handed over under each.
Not here: giving out timestamps, aborting anybody (runner/).
Sources: SEMANTICS L2; Rosenkrantz, Stearns and Lewis 1978. Handing over in the order of arrival
breaks both rules: a younger holder may then stand in the way of an older waiter that nobody
checks again.

A smaller timestamp is older. An agent that gives way keeps its first timestamp, so that it ages.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from comity.core.errors import Fault, did_you_mean, raise_if, shown

__all__ = ["TimestampRule", "Verdict", "hand_over", "judge_wait"]

TimestampRule = Literal["wound_wait", "wait_die"]
Verdict = Literal["wait", "die", "wound holder"]

_RULES: tuple[str, ...] = get_args(TimestampRule)


def judge_wait(rule: TimestampRule, requester: int, holder: int) -> Verdict:
    """Say what happens when one wants what another holds.

    Args:
        rule: ``wound_wait``: an older requester takes it, a younger one waits; ``wait_die``: an
            older requester waits, a younger one gives way.
        requester: the first timestamp of who wants it.
        holder: the first timestamp of who holds it.

    Returns:
        ``wait``, ``die`` (the requester gives way) or ``wound holder`` (the holder does).

    Raises:
        InvalidInput: for unknown rules and timestamps that are not different whole numbers.

    Example:
        >>> judge_wait("wound_wait", 1, 2), judge_wait("wound_wait", 2, 1)
        ('wound holder', 'wait')
        >>> judge_wait("wait_die", 1, 2), judge_wait("wait_die", 2, 1)
        ('wait', 'die')
    """
    raise_if([*_rule_faults(rule), *_faults({"requester": requester, "holder": holder})])
    is_older = requester < holder
    if rule == "wound_wait":
        return "wound holder" if is_older else "wait"
    return "wait" if is_older else "die"


def hand_over(rule: TimestampRule, waiters: Mapping[str, int]) -> str | None:
    """Return the waiter that a released resource goes to.

    Args:
        rule: under ``wound_wait`` the oldest, so that all others wait for somebody older; under
            ``wait_die`` the youngest, so that all others wait for somebody younger.
        waiters: waiter -> its first timestamp.

    Returns:
        The waiter; None when nobody waits.

    Raises:
        InvalidInput: for unknown rules and timestamps that are not different whole numbers.

    Example:
        >>> hand_over("wound_wait", {"a": 3, "b": 1}), hand_over("wait_die", {"a": 3, "b": 1})
        ('b', 'a')
    """
    raise_if([*_rule_faults(rule), *_faults(waiters)])
    if not waiters:
        return None
    pick = min if rule == "wound_wait" else max
    return pick(waiters, key=waiters.__getitem__)


def _rule_faults(rule: object) -> list[Fault]:
    if rule in _RULES:
        return []
    what, near = f"is {shown(rule)}", did_you_mean(str(rule), _RULES)
    return [Fault("timestamp rule", what, " or ".join(_RULES), near)]


def _faults(stamps: Mapping[str, object]) -> list[Fault]:
    faults = []
    seen: dict[int, str] = {}
    for name in sorted(stamps, key=str):
        value = stamps[name]
        if isinstance(value, bool) or not isinstance(value, int):
            what = f"has the timestamp {shown(value)}"
            faults.append(Fault(str(name), what, "a whole number", "number the agents"))
        elif value in seen:
            what = f"has the timestamp {value}, as {seen[value]} has"
            faults.append(Fault(str(name), what, "a timestamp of its own", "number the agents"))
        else:
            seen[value] = str(name)
    return faults
