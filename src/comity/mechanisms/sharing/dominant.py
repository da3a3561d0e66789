"""Dominant: how are several budgets shared at once, when a task needs some of each?

Here: dominant resource fairness for fixed proportions, exact, with weights.
Not here: one budget (divide.py).
Sources: Ghodsi et al. 2011 (dominant resource fairness); progressive filling: tasks may be
divided, and those whose resources are not used up go on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from comity.core.canonical import digest, plain
from comity.core.errors import raise_if, shown
from comity.core.exact import show_number
from comity.core.parties import PartyId
from comity.core.results import Allocation, Grounds, Item, Submission, result_form
from comity.mechanisms.sharing.checks import Reading, whole_or_ratio

__all__ = ["DominantShares", "share_resources"]

Vector = tuple[Fraction, ...]


@result_form("dominant")
@dataclass(frozen=True, slots=True, kw_only=True)
class DominantShares(Allocation):
    """Several budgets were shared by dominant resource fairness.

    Attributes:
        shares: agent -> how many tasks it can run (of every allocation).
        dominant: agent -> the largest part of one resource that it gets.
        left: resource -> what nobody can use.
        says: the result in one sentence.
    """

    dominant: tuple[Item, ...]
    left: tuple[Item, ...]
    says: str


def share_resources(
    capacity: Mapping[str, object] | Sequence[object],
    demands: Mapping[PartyId, Mapping[str, object] | Sequence[object]],
    *,
    weights: Mapping[PartyId, object] | None = None,
) -> DominantShares:
    """Share several resources so that everybody's largest part of one of them is alike.

    Args:
        capacity: resource -> how much there is, or the amounts in order.
        demands: agent -> what one task of it needs of each resource.
        weights: agent -> weight, 1 when left out.

    Returns:
        Tasks, which may be divided; an agent stops when a resource that it needs is used up.

    Raises:
        InvalidInput: with every fault at once.

    Example:
        >>> found = share_resources({"cpu": 9, "gb": 18}, {"a": {"cpu": 1, "gb": 4}, "b": [3, 1]})
        >>> [(one.name, one.value) for one in found.shares]
        [('a', 3), ('b', 2)]
    """
    reading = Reading()
    resources, whole = _read_capacity(reading, capacity)
    names = reading.agents(demands, "demands", "agent -> needs of a task")
    needs = {name: _vector(reading, demands[name], resources, name) for name in names}
    for name, need in needs.items():
        if len(need) == len(resources) and not any(need):
            reading.fault(name, "needs nothing", "at least one resource", "leave it out")
        for resource, wanted, there in zip(resources, need, whole, strict=False):
            if wanted and not there:
                what = f"needs {resource}, of which there is none"
                reading.fault(name, what, "resources that exist", "raise the capacity")
    read = reading.per_agent(weights, names, "weights", is_above=True)
    raise_if(reading.faults)
    heavy = {name: read.get(name, Fraction(1)) for name in names}
    tasks, left = _filled(whole, needs, heavy)
    dominant = {name: tasks[name] * _largest(needs[name], whole) for name in names}
    given = {"capacity": capacity, "demands": demands, "weights": weights}
    listed = ", ".join(f"{name} {show_number(whole_or_ratio(tasks[name]))}" for name in names)
    return DominantShares(
        shares=tuple(Item(name, whole_or_ratio(tasks[name])) for name in names),
        dominant=tuple(Item(name, whole_or_ratio(dominant[name])) for name in names),
        left=tuple(
            Item(one, whole_or_ratio(rest)) for one, rest in zip(resources, left, strict=True)
        ),
        says=f"Shared {', '.join(resources)} by dominant share: tasks {listed}.",
        grounds=Grounds(
            rule="dominant_resource_fairness",
            ended_by="resources_used_up",
            inputs_digest=digest(given),
            parameters=(("capacity", plain(capacity)), ("weights", plain(weights))),
            submissions=tuple(Submission(name, plain(demands[name])) for name in names),
            scores=tuple(Item(name, whole_or_ratio(dominant[name])) for name in names),
        ),
    )


def _filled(
    capacity: Vector, needs: Mapping[PartyId, Vector], weights: Mapping[PartyId, Fraction]
) -> tuple[dict[PartyId, Fraction], Vector]:
    """Raise everybody's dominant share together until resources run out, one after the other."""
    tasks, left = dict.fromkeys(needs, Fraction()), list(capacity)
    # tasks that raise the weighted dominant share by 1
    rate = {name: weights[name] / _largest(need, capacity) for name, need in needs.items()}
    active = list(needs)
    while active:
        pace = [sum((rate[name] * needs[name][at] for name in active), Fraction())
                for at in range(len(left))]  # fmt: skip
        step = min(rest / used for rest, used in zip(left, pace, strict=True) if used)
        for name in active:
            tasks[name] += step * rate[name]
        left = [rest - step * used for rest, used in zip(left, pace, strict=True)]
        active = [
            name for name in active
            if all(rest or not need for rest, need in zip(left, needs[name], strict=True))
        ]  # fmt: skip
    return tasks, tuple(left)


def _largest(need: Vector, capacity: Vector) -> Fraction:
    """Return the largest part of one resource that a task takes."""
    return max(one / there for one, there in zip(need, capacity, strict=True) if there)


def _read_capacity(reading: Reading, given: object) -> tuple[tuple[str, ...], Vector]:
    if isinstance(given, Mapping):
        resources = tuple(sorted(map(str, given)))
        values = [given.get(one) for one in resources]
    elif isinstance(given, (list, tuple)):
        resources = tuple(f"resource {at}" for at in range(1, len(given) + 1))
        values = list(given)
    else:
        resources, values = (), []
    if not resources:
        what = f"is {shown(given)}"
        reading.fault("capacity", what, "resource -> amount", "name at least one resource")
    pairs = zip(resources, values, strict=True)
    return resources, tuple(reading.at_least_0(value, "capacity", one) for one, value in pairs)


def _vector(reading: Reading, given: object, resources: Sequence[str], whose: str) -> Vector:
    if isinstance(given, Mapping):
        reading.known(given, resources, f"needs of {whose}")
        values = [given.get(one, 0) for one in resources]
    elif isinstance(given, (list, tuple)) and len(given) == len(resources):
        values = list(given)
    else:
        allowed = f"an amount for each of {', '.join(resources)}"
        reading.fault(whose, f"needs {shown(given)}", allowed, "state what one task needs")
        return ()
    pairs = zip(resources, values, strict=True)
    return tuple(reading.at_least_0(value, whose, one) for one, value in pairs)
