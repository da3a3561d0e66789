"""Circles: would this wait close a circle?

Here: who waits for whom at a desk, and the circle that one more wait, or one more lease, closes.
Not here: the search itself (mechanisms/deadlock).
Sources: SEMANTICS L1 (checked at each new wait).

Only resources of one unit count: whoever waits for one of several units waits for no one holder.
"""

from __future__ import annotations

from comity.mechanisms.deadlock import find_cycle
from comity.protocols.claims.books import Books

__all__ = ["circle_of"]


def circle_of(books: Books, agent: str, also: str | None = None) -> tuple[str, ...]:
    """Return the circle in which an agent waits, or nothing.

    Args:
        books: what the desk knows.
        agent: who must be in it.
        also: a resource that it would wait for besides.

    Returns:
        Its members in order, beginning with the agent.

    Example:
        >>> from comity.protocols.claims.rules import DeskRules
        >>> circle_of(Books(DeskRules()), "a", "gpu")
        ()
    """
    if books.rules.capacity != 1:
        return ()
    holders = {one.resource: one.holder for one in books.leases.leases}
    waits: dict[str, set[str]] = {}
    for resource, waiting in books.waiting.items():
        for waiter in waiting:
            if resource in holders:
                waits.setdefault(waiter, set()).add(holders[resource])
    if also in holders:
        waits.setdefault(agent, set()).add(holders[also])
    if agent not in waits:
        return ()
    found = tuple(find_cycle(waits))
    if agent not in found:
        return ()
    at = found.index(agent)
    return found[at:] + found[:at]
