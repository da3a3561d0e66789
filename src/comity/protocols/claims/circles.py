"""Circles: would this wait close a circle?

Here: who waits for whom at a desk, and the circle that one wait closes.
Not here: the search itself (mechanisms/deadlock).
Sources: SEMANTICS L1 (checked at each new wait).

Only resources of one unit count: whoever waits for one of several units waits for no one holder.
"""

from __future__ import annotations

from comity.mechanisms.deadlock.cycles import shortest_path
from comity.protocols.claims.books import Books

__all__ = ["circle_of"]


def circle_of(books: Books, agent: str, resource: str) -> tuple[str, ...]:
    """Return the shortest circle that an agent's wait for a resource closes, or nothing.

    Args:
        books: what the desk knows; whether the agent waits already does not matter.
        agent: who waits, or would wait.
        resource: what for.

    Returns:
        Its members in order, beginning with the agent.

    Example:
        >>> from comity.protocols.claims.rules import DeskRules
        >>> circle_of(Books(DeskRules()), "a", "gpu")
        ()
    """
    if books.rules.capacity != 1:
        return ()
    holders = sorted(one.holder for one in books.held(resource))
    waits = _waits_from(books, holders)
    ways = (shortest_path(waits, holder, agent, "0") for holder in holders)
    return min(((agent, *way[:-1]) for way in ways if way), key=len, default=())


def _waits_from(books: Books, agents: list[str]) -> dict[str, set[str]]:
    """Return waiter -> holders for everybody whom these agents wait for, near or far."""
    waits: dict[str, set[str]] = {}
    left = list(agents)
    while left:
        name = left.pop()
        if name not in waits:
            wanted = books.wants.get(name, ())
            waits[name] = {one.holder for resource in wanted for one in books.held(resource)}
            left += waits[name]
    return waits
