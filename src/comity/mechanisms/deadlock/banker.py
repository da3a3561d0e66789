"""Banker: with several units of each resource, can everybody still finish?

Here: the reduction of a state with requests, the safety of a state with declared maxima, the
judgement of one request.
Not here: single units, for which a circle of waits says it all (detect.py).
Sources: SEMANTICS L1; Dijkstra 1965 (banker's algorithm); Holt 1972 (reduction).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from comity.core.errors import Fault, raise_if, shown
from comity.mechanisms.deadlock.rules import node_fault

__all__ = ["Reduction", "RequestVerdict", "is_safe", "judge_request", "reduce_requests"]

RequestVerdict = Literal["grant", "wait: unsafe", "wait: not available"]
Vector = Sequence[int]
Table = Mapping[str, Vector]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reduction:
    """Who can finish, one after the other.

    Attributes:
        finished: one order in which those who can finish do; whoever can at the same time stands
            by name.
        stuck: those who never can, sorted.

    Example:
        >>> Reduction(finished=("a",), stuck=()).is_deadlocked
        False
    """

    finished: tuple[str, ...]
    stuck: tuple[str, ...]

    @property
    def is_deadlocked(self) -> bool:
        """Whether somebody never can finish."""
        return bool(self.stuck)


def reduce_requests(available: Vector, allocated: Table, requested: Table) -> Reduction:
    """Let everybody finish whose request can be met, until nobody's can.

    Args:
        available: how much of each resource is free.
        allocated: agent -> what it holds.
        requested: agent -> what it waits for.

    Returns:
        Who finishes and who is deadlocked; whoever holds nothing and asks for what is there does
        not stand in anybody's way.

    Raises:
        InvalidInput: with every fault at once.

    Example:
        >>> reduce_requests([0], {"j1": [4], "j2": [4]}, {"j1": [1], "j2": [1]}).stuck
        ('j1', 'j2')
    """
    _check(available, {"allocated": allocated, "requested": requested})
    return _reduced(available, allocated, requested)


def is_safe(available: Vector, allocated: Table, maximum: Table) -> Reduction:
    """Tell whether everybody can finish even if all ask for their maxima.

    Args:
        available: how much of each resource is free.
        allocated: agent -> what it holds.
        maximum: agent -> the most it will ever hold.

    Returns:
        An order in which all can finish, when nobody is stuck: then the state is safe.

    Raises:
        InvalidInput: with every fault at once.

    Example:
        >>> is_safe([2], {"a": [4], "b": [3], "c": [3]}, {"a": [8], "b": [5], "c": [9]}).finished
        ('b', 'a', 'c')
    """
    _check(available, {"allocated": allocated, "maximum": maximum})
    raise_if(_above_faults(allocated, maximum))
    return _reduced(available, allocated, _needs(allocated, maximum))


def judge_request(
    available: Vector, allocated: Table, maximum: Table, agent: str, request: Vector
) -> RequestVerdict:
    """Say whether a request can be granted so that everybody can still finish.

    Args:
        available: how much of each resource is free.
        allocated: agent -> what it holds.
        maximum: agent -> the most it will ever hold.
        agent: who asks.
        request: for how much of each resource.

    Returns:
        ``grant``, ``wait: unsafe`` or ``wait: not available``.

    Raises:
        InvalidInput: with every fault at once; asking beyond one's maximum is one.

    Example:
        >>> held, most = {"a": [4], "b": [3], "c": [3]}, {"a": [8], "b": [5], "c": [9]}
        >>> judge_request([2], held, most, "a", [1]), judge_request([2], held, most, "b", [2])
        ('wait: unsafe', 'grant')
    """
    _check(available, {"allocated": allocated, "maximum": maximum, "request": {agent: request}})
    faults = _above_faults(allocated, maximum)
    if agent not in allocated:
        faults.append(Fault(f"agent {shown(agent)}", "is unknown", ", ".join(sorted(allocated)),
                            "list what it holds"))  # fmt: skip
    raise_if(faults)
    then = {**allocated, agent: [a + r for a, r in zip(allocated[agent], request, strict=True)]}
    raise_if(_above_faults(then, maximum))
    if any(r > free for r, free in zip(request, available, strict=True)):
        return "wait: not available"
    left = [free - r for free, r in zip(available, request, strict=True)]
    stuck = _reduced(left, then, _needs(then, maximum)).stuck
    return "wait: unsafe" if stuck else "grant"


def _reduced(available: Vector, allocated: Table, requested: Table) -> Reduction:
    free, left, finished = list(available), sorted(allocated), list[str]()
    while True:
        able = [
            name for name in left
            if all(wanted <= there for wanted, there in zip(requested[name], free, strict=True))
        ]  # fmt: skip
        if not able:
            return Reduction(finished=tuple(finished), stuck=tuple(left))
        for name in able:
            free = [there + held for there, held in zip(free, allocated[name], strict=True)]
        finished += able
        left = [name for name in left if name not in able]


def _needs(allocated: Table, maximum: Table) -> dict[str, list[int]]:
    return {
        name: [most - held for most, held in zip(maximum[name], allocated[name], strict=True)]
        for name in allocated
    }


def _above_faults(allocated: Table, maximum: Table) -> list[Fault]:
    faults = []
    for name in sorted(allocated):
        pairs = zip(allocated[name], maximum[name], strict=True)
        for at, (held, most) in enumerate(pairs, 1):
            if held > most:
                what = f"would hold {held} of resource {at}, above its maximum {most}"
                mend = "lower the request or raise the maximum"
                faults.append(
                    Fault(f"agent {shown(name)}", what, "amounts up to the maximum", mend)
                )
    return faults


def _check(available: Vector, tables: Mapping[str, Table]) -> None:
    faults = _vector_faults("available", available, None)
    size = len(available) if isinstance(available, (list, tuple)) else None
    for what, table in tables.items():
        if not isinstance(table, Mapping):
            allowed = "agent -> whole numbers"
            faults.append(Fault(what, f"is {shown(table)}", allowed, "list the agents"))
            continue
        for name in sorted(table, key=str):
            fault = node_fault(name, what)
            if fault is not None:
                faults.append(fault)
            faults.extend(_vector_faults(f"{what} of {shown(name)}", table[name], size))
    listed: Sequence[object] = list(tables.values())[:2]
    maps = [set(map(str, one)) for one in listed if isinstance(one, Mapping)]
    if len(maps) == 2 and maps[0] != maps[1]:
        only = ", ".join(sorted(maps[0] ^ maps[1]))
        both = " and ".join(list(tables)[:2])
        faults.append(Fault(both, f"do not both list {only}", "the same agents", "list them"))
    raise_if(faults)


def _vector_faults(whose: str, given: object, size: int | None) -> list[Fault]:
    is_list = isinstance(given, (list, tuple)) and bool(given)
    if not is_list or (size is not None and len(given) != size):  # type: ignore[arg-type]  # a list
        many = "a list of" if size is None else str(size)
        return [Fault(whose, f"is {shown(given)}", f"{many} whole numbers", "one per resource")]
    assert isinstance(given, (list, tuple))
    return [
        Fault(whose, f"holds {shown(one)}", "whole numbers, 0 or more", "correct the amount")
        for one in given
        if isinstance(one, bool) or not isinstance(one, int) or one < 0
    ]
