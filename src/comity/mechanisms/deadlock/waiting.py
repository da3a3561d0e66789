"""Waiting: does this new wait close a circle?

Here: a graph of waits that is checked at each new wait.
Not here: a whole graph at once (detect.py), when anybody waits (runner/).
Sources: SEMANTICS L1; one consistent graph at a time, so that no circle is seen of waits that
never stood together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from comity.core.errors import Fault, raise_if
from comity.mechanisms.deadlock.cycles import shortest_path
from comity.mechanisms.deadlock.rules import graph_digest, node_fault, read_waits

__all__ = ["WaitForGraph"]


class WaitForGraph:
    """Who waits for whom, now.

    Args:
        waits: waiter -> those it waits for, to begin with.
        seed: what lots among equally short circles are drawn from.

    Raises:
        InvalidInput: for names that are not text.

    Example:
        >>> graph = WaitForGraph()
        >>> graph.wait("a", "b"), graph.wait("b", "c"), graph.wait("c", "a")
        ((), (), ('c', 'a', 'b'))
        >>> graph.remove("b"), graph.wait("c", "a")
        (None, ())
    """

    __slots__ = ("_holders", "_seed", "_waiters")

    def __init__(
        self, waits: Mapping[str, str | Iterable[str]] | None = None, *, seed: str = "0"
    ) -> None:
        """Take the waits as they are; circles among them are not looked for."""
        faults: list[Fault] = []
        given = read_waits({} if waits is None else waits, faults)
        raise_if(faults)
        graph_digest(given, {}, "")  # looks at every name
        self._seed = seed
        self._holders: dict[str, dict[str, None]] = {}
        self._waiters: dict[str, dict[str, None]] = {}
        for waiter, holders in given.items():
            for holder in holders:
                self._put(waiter, holder)

    def closes(self, waiter: str, holder: str) -> tuple[str, ...]:
        """Return the shortest circle that a wait would close, the waiter first; or nothing."""
        if waiter == holder:
            return (waiter,)
        if holder not in self._holders or waiter not in self._waiters:
            return ()  # the holder waits for nobody, or nobody waits for the waiter
        path = shortest_path(self._holders, holder, waiter, self._seed)
        return (waiter, *path[:-1]) if path else ()

    def wait(self, waiter: str, holder: str) -> tuple[str, ...]:
        """Let one wait for another, unless that closes a circle.

        Args:
            waiter: who waits.
            holder: for whom.

        Returns:
            Nothing when it waits now; else the circle, and it does not wait.
        """
        raise_if(fault for name in (waiter, holder) if (fault := node_fault(name)))
        circle = self.closes(waiter, holder)
        if not circle:
            self._put(waiter, holder)
        return circle

    def add(self, waiter: str, holder: str) -> tuple[str, ...]:
        """Let one wait for another whatever that closes.

        Args:
            waiter: who waits.
            holder: for whom.

        Returns:
            The circle that this closes, or nothing.
        """
        raise_if(fault for name in (waiter, holder) if (fault := node_fault(name)))
        circle = self.closes(waiter, holder)
        self._put(waiter, holder)
        return circle

    def remove(self, waiter: str, holder: str | None = None) -> None:
        """End the wait of one for another, or all its waits; no fault when there is none."""
        for one in list(self._holders.get(waiter, ())) if holder is None else [holder]:
            self._cut(waiter, one)

    def drop(self, name: str) -> None:
        """Take somebody out who waits for nobody any more and is waited for by nobody."""
        self.remove(name)
        for waiter in list(self._waiters.get(name, ())):
            self._cut(waiter, name)

    def holders(self, waiter: str) -> tuple[str, ...]:
        """Return those it waits for, sorted."""
        return tuple(sorted(self._holders.get(waiter, ())))

    @property
    def waits(self) -> dict[str, tuple[str, ...]]:
        """Waiter -> those it waits for, all sorted; for :func:`find_cycle`."""
        return {name: self.holders(name) for name in sorted(self._holders)}

    def __len__(self) -> int:
        """Return how many waits there are."""
        return sum(map(len, self._holders.values()))

    def _put(self, waiter: str, holder: str) -> None:
        self._holders.setdefault(waiter, {})[holder] = None
        self._waiters.setdefault(holder, {})[waiter] = None

    def _cut(self, waiter: str, holder: str) -> None:
        for table, name, other in (
            (self._holders, waiter, holder),
            (self._waiters, holder, waiter),
        ):
            group = table.get(name, {})
            group.pop(other, None)
            if not group:
                table.pop(name, None)
