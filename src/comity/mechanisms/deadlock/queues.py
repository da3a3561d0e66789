"""Queues: who waits for whom, when resources are held and queued for?

Here: hard and soft waits out of holders and queues, for shared and exclusive claims.
Not here: the search in them (detect.py), granting (arbitration).
Sources: SEMANTICS L1; PostgreSQL's lock manager README for the two kinds of edges.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple, get_args

from comity.core.errors import Fault, raise_if, shown
from comity.mechanisms.deadlock.rules import node_fault

__all__ = ["Claimed", "Mode", "QueueWaits", "waits_of"]

Mode = Literal["shared", "exclusive"]

_MODES: tuple[str, ...] = get_args(Mode)


@dataclass(frozen=True, slots=True)
class Claimed:
    """A resource with its holders and its queue.

    Attributes:
        name: its name.
        holders: who holds it, and how.
        queue: who waits for it, the first first, and how each wants it.

    Example:
        >>> Claimed("x", {"h": "shared"}, [("b", "exclusive"), ("a", "shared")]).name
        'x'
    """

    name: str
    holders: Mapping[str, Mode]
    queue: Sequence[tuple[str, Mode]] = ()


class QueueWaits(NamedTuple):
    """Waits by kind, ready for :func:`~comity.mechanisms.deadlock.detect.find_cycle`.

    Attributes:
        hard: waiter -> holders that stand in its way.
        soft: waiter -> those before it in a queue that stand in its way.
    """

    hard: dict[str, frozenset[str]]
    soft: dict[str, frozenset[str]]


def waits_of(resources: Sequence[Claimed]) -> QueueWaits:
    """Return who waits for whom.

    Args:
        resources: each resource with its holders and its queue.

    Returns:
        The waits. Two shared claims do not stand in each other's way; whoever waits hard for
        another does not wait softly for it too.

    Raises:
        InvalidInput: for unknown modes, names that are not text, two holders of which one is
            exclusive, and somebody twice in a queue.

    Example:
        >>> x = Claimed("x", {"h": "shared"}, [("b", "exclusive"), ("a", "shared")])
        >>> y = Claimed("y", {"a": "exclusive"}, [("h", "exclusive")])
        >>> found = waits_of([x, y])
        >>> {name: sorted(one) for name, one in found.hard.items()}, sorted(found.soft["a"])
        ({'b': ['h'], 'h': ['a']}, ['b'])
    """
    raise_if(fault for one in resources for fault in _faults(one))
    hard: dict[str, set[str]] = {}
    soft: dict[str, set[str]] = {}
    for one in resources:
        before: list[tuple[str, Mode]] = []
        for waiter, mode in one.queue:
            for holder, held in one.holders.items():
                if holder != waiter and "exclusive" in (mode, held):
                    hard.setdefault(waiter, set()).add(holder)
            for other, wanted in before:
                if "exclusive" in (mode, wanted):
                    soft.setdefault(waiter, set()).add(other)
            before.append((waiter, mode))
    return QueueWaits(
        {name: frozenset(group) for name, group in sorted(hard.items())},
        {
            name: frozenset(group - hard.get(name, set()))
            for name, group in sorted(soft.items())
            if group - hard.get(name, set())
        },
    )


def _faults(one: Claimed) -> list[Fault]:
    whose = f"resource {shown(one.name)}"
    claims = [*one.holders.items(), *one.queue]
    faults = [fault for name, _ in claims if (fault := node_fault(name, whose))]
    for name, mode in claims:
        if mode not in _MODES:
            what = f"{shown(name)} claims it {shown(mode)}"
            faults.append(Fault(whose, what, " or ".join(_MODES), "correct the claim"))
    if len(one.holders) > 1 and "exclusive" in one.holders.values():
        what = "is held by several and exclusively"
        faults.append(Fault(whose, what, "one exclusive holder, or shared ones", "correct it"))
    for name, again in pairwise(sorted(str(name) for name, _ in one.queue)):
        if name == again:
            what = f"has {shown(name)} twice in its queue"
            faults.append(Fault(whose, what, "each waiter once", "remove one"))
    return faults
