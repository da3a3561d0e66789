"""Policy reading: what is wrong with a policy as it was handed in?

Here: reading the amounts and tables of a policy, every fault collected.
Not here: the policy itself and its promises (policy.py).
Sources: SEMANTICS G5, G7.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from comity.core.errors import Fault, InvalidInput, shown
from comity.core.exact import Exact, read_exact
from comity.mechanisms.arbitration.catalogue import facts_of
from comity.mechanisms.arbitration.claims import principal_fault

__all__ = ["read_amount", "read_expertise", "read_groups", "read_rule", "read_table"]


def read_rule(rule: object, faults: list[Fault]) -> str:
    """Return the rule's name in the catalogue.

    Args:
        rule: what the caller gave.
        faults: takes what is wrong.

    Example:
        >>> read_rule("round robin", [])
        'round_robin'
    """
    try:
        return facts_of(rule).name
    except InvalidInput as error:
        faults.extend(error.faults)
        return "losses"


def read_amount(value: object, name: str, faults: list[Fault]) -> Exact | None:
    """Return an exact number from 0, or None where it may be missing.

    Args:
        value: what the caller gave.
        name: the field.
        faults: takes what is wrong.

    Example:
        >>> read_amount("1/3", "c", [])
        Fraction(1, 3)
    """
    if value is None and name in {"tolerance", "cap"}:
        return None
    try:
        found = read_exact(value, "policy", name)
    except InvalidInput as error:
        faults.extend(error.faults)
        return None
    if found < 0:
        faults.append(Fault("policy", f"{name} is {found}", "0 or more", f"correct {name}"))
    return found


def _rows(table: object, width: int, name: str, faults: list[Fault]) -> list[tuple[object, ...]]:
    given = table.items() if isinstance(table, Mapping) else table
    if isinstance(given, Iterable) and not isinstance(given, str):
        rows = list(given)
        if all(isinstance(row, (tuple, list)) and len(row) == width for row in rows):
            return [tuple(row) for row in rows]
    form = "an object" if width == 2 else "a list of (topic, agent, weight)"
    faults.append(Fault("policy", f"{name} is {shown(table)}", form, f"correct {name}"))
    return []


def read_table(table: object, name: str, faults: list[Fault]) -> tuple[tuple[str, Exact], ...]:
    """Return (agent, number) pairs, sorted by agent.

    Args:
        table: a mapping or pairs.
        name: the field.
        faults: takes what is wrong.

    Example:
        >>> read_table({"b": 1, "a": 2}, "priorities", [])
        (('a', 2), ('b', 1))
    """
    found: dict[str, Exact] = {}
    for agent, value in _rows(table, 2, name, faults):
        fault = principal_fault(agent, "agent")
        if fault is None and agent in found:
            fault = Fault(f"agent {agent!r}", f"has two {name}", "one each", "remove one")
        if fault is not None:
            faults.append(fault)
            continue
        try:
            found[str(agent)] = read_exact(value, f"agent {agent!r}", name)
        except InvalidInput as error:
            faults.extend(error.faults)
    return tuple(sorted(found.items()))


def read_groups(table: object, faults: list[Fault]) -> tuple[tuple[str, str], ...]:
    """Return (resource, group) pairs, sorted by resource.

    Args:
        table: a mapping or pairs.
        faults: takes what is wrong.

    Example:
        >>> read_groups({"gpu-1": "gpu"}, [])
        (('gpu-1', 'gpu'),)
    """
    found: dict[str, str] = {}
    for resource, group in _rows(table, 2, "groups", faults):
        bad = principal_fault(resource, "resource") or principal_fault(group, "group")
        if bad is None and resource in found:
            bad = Fault(f"resource {resource!r}", "is in two groups", "one group", "remove one")
        if bad is not None:
            faults.append(bad)
            continue
        found[str(resource)] = str(group)
    return tuple(sorted(found.items()))


def read_expertise(rows: object, faults: list[Fault]) -> tuple[tuple[str, str, Exact], ...]:
    """Return (topic, agent, weight) rows, sorted.

    Args:
        rows: the rows.
        faults: takes what is wrong.

    Example:
        >>> read_expertise([("law", "a", 3)], [])
        (('law', 'a', 3),)
    """
    found: dict[tuple[str, str], Exact] = {}
    for topic, agent, weight in _rows(rows, 3, "expertise", faults):
        key = (str(topic), str(agent))
        bad = principal_fault(topic, "topic") or principal_fault(agent, "agent")
        if bad is None and key in found:
            what = f"has two weights on {topic!r}"
            bad = Fault(f"agent {agent!r}", what, "one each", "remove one")
        if bad is not None:
            faults.append(bad)
            continue
        value = read_amount(weight, f"the weight of {key[1]} on {key[0]}", faults)
        if value is not None:
            found[key] = value
    return tuple((topic, agent, weight) for (topic, agent), weight in sorted(found.items()))
