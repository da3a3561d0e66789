"""Ordering: in which order may resources be acquired, so that no circle can form?

Here: a global order out of what agents acquire, the check of one acquisition against it, whether
given sequences can deadlock at all.
Not here: acquiring with timeouts (runner/).
Sources: SEMANTICS L2; Havender 1968 (ordered allocation); Linux's lockdep for the graph of
orders.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from math import prod

from comity.core.errors import Fault, InvalidInput, raise_if, shown
from comity.mechanisms.deadlock.cycles import components, shortest_cycle
from comity.mechanisms.deadlock.rules import node_fault

__all__ = ["MOST_STATES", "LockOrders", "check_orders", "in_order", "violation"]

MOST_STATES = 100_000
"""The most states of all agents together that are looked at."""

Acquires = Mapping[str, Sequence[str]] | Sequence[Sequence[str]]
State = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LockOrders:
    """What the orders of several agents come to together.

    Attributes:
        can_deadlock: whether some course of events deadlocks; None when it was not looked at, as
            there are too many states.
        deadlock_states: how many resources each agent holds when it does, agent by agent in the
            order of their names.
        order: an order of all resources that every agent keeps to; nothing when there is none.
        cycle: resources that are acquired in a circle; nothing when an order exists.
        says: in words.

    Example:
        >>> check_orders({"p": ["x", "y"], "q": ["x", "y"]}).order
        ('x', 'y')
    """

    can_deadlock: bool | None
    deadlock_states: tuple[State, ...]
    order: tuple[str, ...]
    cycle: tuple[str, ...]
    says: str


def check_orders(acquires: Acquires, *, most_states: int = MOST_STATES) -> LockOrders:
    """Tell whether agents that acquire in these orders can deadlock.

    Each agent acquires its resources one after the other, holds all of them and then releases all
    of them. A circle of orders warns; it deadlocks only when the resources acquired before leave
    room for it, which is looked at state by state.

    Args:
        acquires: agent -> the resources in the order in which it acquires them, or such lists.
        most_states: the most states to look at.

    Returns:
        What was found.

    Raises:
        InvalidInput: for names that are not text and resources acquired twice.

    Example:
        >>> check_orders([["x", "y"], ["y", "x"]]).says
        'x -> y -> x: acquired in a circle, and it can deadlock.'
        >>> check_orders([["g", "x", "y"], ["g", "y", "x"]]).says
        'x -> y -> x: acquired in a circle, but no course of events deadlocks.'
    """
    wanted = _read(acquires)
    after: dict[str, set[str]] = {one: set() for each in wanted for one in each}
    for each in wanted:
        for at, one in enumerate(each):
            after[one].update(each[at + 1 :])
    circles = components(after)
    if not circles:
        order = _first_order(after)
        says = f"One order fits all: {', '.join(order) or 'nothing is acquired'}."
        return LockOrders(can_deadlock=False, deadlock_states=(), order=order, cycle=(), says=says)
    cycle = shortest_cycle(after, circles[0], "0").members
    told = " -> ".join((*cycle, cycle[0])) + ": acquired in a circle"
    if prod(len(each) + 2 for each in wanted) > most_states:
        says = f"{told}; there are too many states to look at each."
        return LockOrders(can_deadlock=None, deadlock_states=(), order=(), cycle=cycle, says=says)
    states = tuple(sorted(_stuck(wanted)))
    ending = ", and it can deadlock." if states else ", but no course of events deadlocks."
    return LockOrders(
        can_deadlock=bool(states),
        deadlock_states=states,
        order=(),
        cycle=cycle,
        says=told + ending,
    )


def _read(acquires: Acquires) -> list[tuple[str, ...]]:
    if isinstance(acquires, Mapping):
        listed = [(str(name), acquires[name]) for name in sorted(acquires, key=str)]
    elif isinstance(acquires, (list, tuple)):
        listed = [(f"agent {at}", one) for at, one in enumerate(acquires, 1)]
    else:
        what = f"are {shown(acquires)}"
        raise InvalidInput(Fault("acquires", what, "agent -> resources in order", "list them"))
    faults: list[Fault] = []
    for whose, one in listed:
        if not isinstance(one, (list, tuple)):
            faults.append(Fault(whose, f"acquires {shown(one)}", "a list of resources", "list it"))
            continue
        faults.extend(fault for name in one if (fault := node_fault(name, whose)))
        if len(set(map(str, one))) < len(one):
            what = f"acquires {shown(one)}"
            faults.append(Fault(whose, what, "each resource once", "leave out the second"))
    raise_if(faults)
    return [tuple(one) for _, one in listed]


def _first_order(after: Mapping[str, Collection[str]]) -> tuple[str, ...]:
    """Return an order that fits; of several the first by name."""
    before = dict.fromkeys(after, 0)
    for each in after.values():
        for one in each:
            before[one] += 1
    ready = [name for name, many in before.items() if not many]
    heapify(ready)
    found = []
    while ready:
        one = heappop(ready)
        found.append(one)
        for name in after[one]:
            before[name] -= 1
            if not before[name]:
                heappush(ready, name)
    return tuple(found)


def _stuck(wanted: Sequence[tuple[str, ...]]) -> Iterator[State]:
    """Yield each state that can be reached and from which nobody can go on."""
    start = (0,) * len(wanted)
    seen, left = {start}, [start]
    while left:
        state = left.pop()
        after = list(_moves(wanted, state))
        if not after and any(at <= len(each) for at, each in zip(state, wanted, strict=True)):
            yield tuple(min(at, len(each)) for at, each in zip(state, wanted, strict=True))
        for one in after:
            if one not in seen:
                seen.add(one)
                left.append(one)


def _moves(wanted: Sequence[tuple[str, ...]], state: State) -> Iterator[State]:
    """Yield what one agent's next step leads to; one past the last resource is released."""
    held = {
        name
        for at, each in zip(state, wanted, strict=True)
        if at <= len(each)
        for name in each[:at]
    }
    for who, (at, each) in enumerate(zip(state, wanted, strict=True)):
        if at == len(each) or (at < len(each) and each[at] not in held):
            yield (*state[:who], at + 1, *state[who + 1 :])


def violation(order: Sequence[str], held: Collection[str], wanted: str) -> Fault | None:
    """Return what is wrong with acquiring a resource now, or None.

    Args:
        order: the global order.
        held: what the agent holds.
        wanted: what it would acquire.

    Returns:
        None when everything held comes before it in the order.

    Example:
        >>> violation(["x", "y", "z"], ["x"], "y") is None
        True
        >>> violation(["x", "y", "z"], ["z"], "y").what
        "would be acquired while 'z' is held, which comes after it"
    """
    place = {name: at for at, name in enumerate(order)}
    whose = f"resource {shown(wanted)}"
    missing = sorted({one for one in (*held, wanted) if one not in place})
    if missing:
        what = f"the order does not have {', '.join(map(shown, missing))}"
        return Fault(whose, what, ", ".join(order), "add it to the order")
    later = [one for one in held if place[one] >= place[wanted]]
    if not later:
        return None
    last = max(later, key=place.__getitem__)
    what = f"would be acquired while {shown(last)} is held, which comes after it"
    if last == wanted:
        what = "is held already"
    return Fault(whose, what, f"the order {', '.join(order)}", "acquire it first, or release")


def in_order(order: Sequence[str], wanted: Collection[str]) -> tuple[str, ...]:
    """Return wanted resources in the global order.

    Args:
        order: the global order.
        wanted: the resources.

    Returns:
        The same resources in the order in which to acquire them.

    Raises:
        InvalidInput: for resources that the order does not have.

    Example:
        >>> in_order(["x", "y", "z"], {"z", "x"})
        ('x', 'z')
    """
    missing = sorted(set(wanted) - set(order))
    raise_if(
        Fault(f"resource {shown(one)}", "is not in the order", ", ".join(order), "add it")
        for one in missing
    )
    return tuple(one for one in order if one in set(wanted))
