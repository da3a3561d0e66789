"""Victims: who of a cycle gives way, and how does nobody give way for ever?

Here: the named rules, their ties, the exemption by age.
Not here: finding the cycle (cycles.py), aborting anybody (runner/).
Sources: SEMANTICS L2, G4; Agrawal, Carey and DeWitt 1987 (victim rules compared).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from comity.core.errors import Fault, raise_if
from comity.core.ties import Tie, lot
from comity.mechanisms.deadlock.rules import Standing, VictimRule

__all__ = ["Victim", "after_abort", "after_success", "choose_victim", "exempt_of"]

_UNKNOWN = Standing()
# The measures that a rule looks at in turn, and whether the largest gives way.
_STEPS: dict[VictimRule, tuple[tuple[str, bool], ...]] = {
    "youngest": (("started", True),),
    "fewest_held": (("held", False), ("started", True)),
    "lowest_priority": (("priority", False), ("started", True)),
    "lot": (),
}
_WORDS = {"started": "youngest", "held": "fewest held", "priority": "lowest priority"}


class Victim(NamedTuple):
    """Who gives way.

    Attributes:
        name: the member.
        rule: the rule, and what broke its ties, in words.
        exempt: members that gave way too often to do it again.
        tie: the lot, where one was drawn.
    """

    name: str
    rule: str
    exempt: tuple[str, ...]
    tie: Tie | None


def choose_victim(
    members: Collection[str],
    agents: Mapping[str, Standing],
    rule: VictimRule = "youngest",
    *,
    exempt_after: int = 3,
    seed: str = "0",
) -> Victim:
    """Choose the member that gives way.

    Args:
        members: who waits in the circle.
        agents: what is known of them.
        rule: the rule.
        exempt_after: how many aborts make exempt; when all are exempt, nobody is.
        seed: what lots are drawn from.

    Returns:
        The victim. A measure that nobody has is skipped.

    Raises:
        InvalidInput: when a measure that the rule needs is known of some members only.

    Example:
        >>> agents = {"a": Standing(started=Fraction(1)), "b": Standing(started=Fraction(2))}
        >>> choose_victim(["a", "b"], agents)[:2]
        ('b', 'youngest')
    """
    if len(set(members)) == 1:
        return Victim(min(members), "it waits for itself", (), None)
    exempt = exempt_of(members, agents, exempt_after)
    left = sorted(set(members) - set(exempt))
    told: list[str] = []
    for measure, is_largest in _STEPS[rule]:
        values = _values(left, agents, measure, rule)
        if values is None:
            continue
        edge = max(values.values()) if is_largest else min(values.values())
        left = [name for name in left if values[name] == edge]
        told.append(_WORDS[measure])
        if len(left) == 1:
            return Victim(left[0], ", then ".join(told), exempt, None)
    told.append("lot")
    if len(left) == 1:
        return Victim(left[0], "the only one not exempt", exempt, None)
    tie = lot(seed, f"victim of {min(members)}", left)
    return Victim(str(tie.chosen), ", then ".join(told), exempt, tie)


def _values(
    names: Sequence[str], agents: Mapping[str, Standing], measure: str, rule: str
) -> dict[str, Fraction] | None:
    found: dict[str, Fraction | None] = {
        name: getattr(agents.get(name, _UNKNOWN), measure) for name in names
    }
    known = {name: value for name, value in found.items() if value is not None}
    if not known:
        return None
    raise_if(
        Fault(
            f"agent {name}",
            f"has no {measure}, which the victim rule {rule} compares",
            f"{measure} for every member of a cycle, or for none",
            f"state {measure}, or use the rule lot",
        )
        for name in found
        if name not in known
    )
    return known


def exempt_of(
    members: Collection[str], agents: Mapping[str, Standing], exempt_after: int
) -> tuple[str, ...]:
    """Return the members that gave way too often, sorted; nobody when that is everybody.

    Example:
        >>> exempt_of("ab", {"a": Standing(aborts=Fraction(3))}, 3)
        ('a',)
    """
    often = {name for name in members if (agents.get(name, _UNKNOWN).aborts or 0) >= exempt_after}
    return tuple(sorted(often)) if len(often) < len(set(members)) else ()


def after_abort(aborts: Mapping[str, int], victim: str) -> dict[str, int]:
    """Return the counts after one gave way.

    Example:
        >>> after_abort({"a": 1}, "a")
        {'a': 2}
    """
    return dict(sorted({**aborts, victim: aborts.get(victim, 0) + 1}.items()))


def after_success(aborts: Mapping[str, int], agent: str) -> dict[str, int]:
    """Return the counts after one went through: its own starts again.

    Example:
        >>> after_success({"a": 2, "b": 1}, "a")
        {'b': 1}
    """
    return {name: many for name, many in sorted(aborts.items()) if name != agent}
