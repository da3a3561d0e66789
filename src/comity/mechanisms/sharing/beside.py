"""Beside: what would simpler rules have done with the same budget?

Here: first come first served, equal split and static priority, the rules to compare with; what
agents get at least holds under each of them.
Not here: rules that look at gains (filling.py).
Sources: SEMANTICS D1, D2; Chiu and Jain 1989 for the water filling of those who come together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from comity.core.parties import PartyId
from comity.mechanisms.sharing.curves import Segments
from comity.mechanisms.sharing.filling import exact_sum, fill
from comity.mechanisms.sharing.rounding import drawn, to_units
from comity.mechanisms.sharing.rules import Agent

__all__ = ["equal_split", "first_come", "in_drawn_order", "static_priority"]

Shares = dict[PartyId, Fraction]
_0, _1 = Fraction(), Fraction(1)


def equal_split(
    total: Fraction,
    most: Mapping[PartyId, Fraction],
    *,
    least: Mapping[PartyId, Fraction] | None = None,
    quantum: Fraction = _1,
    seed: str = "0",
    label: str = "equal split",
) -> Shares:
    """Give all the same, but each its minimum, and what one cannot take to the others.

    Args:
        total: what there is, enough for what all get at least.
        most: name -> the most it takes, whole quanta.
        least: name -> what it gets at least, whole quanta; 0 when left out.
        quantum: the smallest amount.
        seed: for spare units.
        label: what their lots are called.

    Returns:
        Name -> share, sorted by name.

    Example:
        >>> most = {"a": Fraction(2), "b": Fraction(10), "c": Fraction(10)}
        >>> [int(one) for one in equal_split(Fraction(12), most).values()]
        [2, 5, 5]
    """
    names = sorted(most)
    low = least or {}
    agents = [
        Agent(name, Segments(((most[name], _1),)), low.get(name, _0), most[name], _1)
        for name in names
    ]
    exact = fill(agents, total, "leximin").amounts
    units = to_units(dict(zip(names, exact, strict=True)), quantum, seed, label).units
    return {name: count * quantum for name, count in zip(names, units, strict=True)}


def first_come(
    total: Fraction,
    asks: Mapping[PartyId, Fraction],
    arrivals: Sequence[Sequence[PartyId]],
    *,
    least: Mapping[PartyId, Fraction] | None = None,
    quantum: Fraction = _1,
    seed: str = "0",
) -> Shares:
    """Give each what it asks for as long as there is something; minima are kept back first.

    Args:
        total: what there is, enough for what all get at least.
        asks: name -> what it asks for, whole quanta.
        arrivals: who came when; those who came together share equally what is left.
        least: name -> what it gets at least, whole quanta; 0 when left out.
        quantum: the smallest amount.
        seed: for spare units.

    Returns:
        Name -> share, sorted by name.

    Example:
        >>> asks = {"a": Fraction(11400), "b": Fraction(12000), "c": Fraction(12000)}
        >>> found = first_come(Fraction(12000), asks, [["a"], ["b", "c"]])
        >>> [int(one) for one in found.values()]
        [11400, 300, 300]
    """
    low = {name: (least or {}).get(name, _0) for name in asks}
    left, found = total - exact_sum(low.values()), {}
    for at, group in enumerate(arrivals, 1):
        kept = {name: low[name] for name in group}
        free = left + exact_sum(kept.values())
        wanted = {name: max(asks[name], low[name]) for name in group}
        if len(group) == 1:
            got = {group[0]: min(wanted[group[0]], free)}
        else:
            label = f"first come {at}"
            got = equal_split(free, wanted, least=kept, quantum=quantum, seed=seed, label=label)
        found.update(got)
        left = free - exact_sum(got.values())
    return dict(sorted(found.items()))


def static_priority(
    total: Fraction,
    asks: Mapping[PartyId, Fraction],
    priorities: Mapping[PartyId, Fraction],
    *,
    least: Mapping[PartyId, Fraction] | None = None,
    quantum: Fraction = _1,
    seed: str = "0",
) -> Shares:
    """Give the highest priority what it asks for, then the next; equals in a drawn order.

    Args:
        total: what there is, enough for what all get at least.
        asks: name -> what it asks for, whole quanta.
        priorities: name -> priority, 0 when left out.
        least: name -> what it gets at least, whole quanta; 0 when left out.
        quantum: the smallest amount.
        seed: for the order of equals.

    Returns:
        Name -> share, sorted by name.

    Example:
        >>> asks = dict.fromkeys("abc", Fraction(11400))
        >>> found = static_priority(Fraction(12000), asks, {"a": 9, "b": 5, "c": 1})
        >>> [int(one) for one in found.values()]
        [11400, 600, 0]
    """
    groups: dict[Fraction, list[PartyId]] = {}
    for name in sorted(asks):
        groups.setdefault(priorities.get(name, Fraction()), []).append(name)
    order = [
        one
        for priority in sorted(groups, reverse=True)
        for one in in_drawn_order(groups[priority], f"priority {priority}", seed)
    ]
    return first_come(total, asks, order, least=least, quantum=quantum, seed=seed)


def in_drawn_order(
    names: Sequence[PartyId], label: str, seed: str
) -> tuple[tuple[PartyId, ...], ...]:
    """Return the names one after the other in a drawn order.

    Example:
        >>> in_drawn_order(["b", "a", "c"], "arrival", "7")
        (('a',), ('c',), ('b',))
    """
    found, _ = drawn(names, len(names), label, seed)
    return tuple((one,) for one in found)
