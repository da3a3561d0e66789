"""Holding: which leases run at a desk?

Here: the leases by resource, token and holder, the last token and the last reading of the clock.
Not here: the transitions of a lease (mechanisms/arbitration/leases.py), who gets one (desk.py).
Sources: SEMANTICS R7.

Times are milliseconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from comity.core.canonical import JsonObject
from comity.mechanisms.arbitration import Lease, LeaseBook

__all__ = ["Holding"]


class Holding:
    """The leases that run; a step costs as much as its resource has units, however many run.

    Attributes are for reading: ``by_token`` (token -> lease, tokens growing), ``last_token`` (the
    largest ever given out), ``clock`` (the latest reading, or None).

    Example:
        >>> holding = Holding()
        >>> holding.grant("gpu", "a", at_ms=0, until_ms=30, units=1).token
        1
        >>> holding.grant("gpu", "b", at_ms=9, until_ms=39, units=1) is None, holding.holds("a")
        (True, True)
        >>> holding.end(1, at_ms=9), holding.leases, holding.clock
        (True, (), 9)
    """

    __slots__ = ("_by_resource", "_count", "by_token", "clock", "last_token")

    def __init__(self) -> None:
        """Start with no lease."""
        self._by_resource: dict[str, tuple[Lease, ...]] = {}
        self._count: dict[str, int] = {}
        self.by_token: dict[int, Lease] = {}
        self.last_token = 0
        self.clock: int | None = None

    @property
    def leases(self) -> tuple[Lease, ...]:
        """All leases that run, sorted by token."""
        return tuple(self.by_token.values())

    def of(self, resource: str) -> tuple[Lease, ...]:
        """Return the leases on a resource, sorted by token."""
        return self._by_resource.get(resource, ())

    def holds(self, agent: str) -> bool:
        """Tell whether an agent holds anything."""
        return agent in self._count

    def read(self, at_ms: int) -> None:
        """Note a reading of the clock; one before the last counts as the last."""
        self.clock = at_ms if self.clock is None else max(at_ms, self.clock)

    def shift(self, by_ms: int) -> None:
        """Move all times: a lease ends as long from the last reading of the clock as before."""
        moved = [
            replace(one, until=one.until + by_ms, granted_at=one.granted_at + by_ms)
            for one in self.leases
        ]
        self.by_token = {one.token: one for one in moved}
        self._by_resource = {}
        for one in moved:
            self._by_resource[one.resource] = (*self.of(one.resource), one)
        self.clock = None if self.clock is None else self.clock + by_ms

    def grant(
        self, resource: str, agent: str, *, at_ms: int, until_ms: int, units: int
    ) -> Lease | None:
        """Grant a lease under the next token; None when it cannot be granted at this time."""
        step = self._book(resource).grant(
            resource, agent, now=at_ms, seconds=until_ms - at_ms, units=units
        )
        if step.expired or step.book.last_token == self.last_token:
            return None
        self._keep(resource, step.book)
        self._count[agent] = self._count.get(agent, 0) + 1
        return step.lease

    def renew(self, resource: str, token: int, *, at_ms: int, lease_ms: int) -> bool:
        """Let a lease run on from now; False when it does not run."""
        step = self._book(resource).renew(resource, token, now=at_ms, seconds=lease_ms)
        if step.expired or not step.is_done:
            return False
        self._keep(resource, step.book)
        return True

    def end(self, token: int, *, at_ms: int) -> bool:
        """End a lease; False when it does not run."""
        lease = self.by_token.pop(token, None)
        if lease is None:
            return False
        self.read(at_ms)
        kept = tuple(one for one in self.of(lease.resource) if one is not lease)
        if kept:
            self._by_resource[lease.resource] = kept
        else:
            del self._by_resource[lease.resource]
        self._count[lease.holder] -= 1
        if not self._count[lease.holder]:
            del self._count[lease.holder]
        return True

    def to_json(self) -> JsonObject:
        """Return everything as JSON: that of a :class:`LeaseBook`."""
        book = LeaseBook(leases=self.leases, last_token=self.last_token, clock=self.clock)
        return book.to_json()

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Holding:
        """Read what ``to_json`` wrote.

        Args:
            data: the object.
        """
        book = LeaseBook.from_json(data)
        made = cls()
        made.last_token = book.last_token
        made.clock = None if book.clock is None else int(book.clock)
        for one in book.leases:
            made.by_token[one.token] = one
            made._by_resource[one.resource] = (*made.of(one.resource), one)
            made._count[one.holder] = made._count.get(one.holder, 0) + 1
        return made

    def _book(self, resource: str) -> LeaseBook:
        return LeaseBook(leases=self.of(resource), last_token=self.last_token, clock=self.clock)

    def _keep(self, resource: str, book: LeaseBook) -> None:
        self.last_token, self.clock = book.last_token, int(book.clock or 0)
        self._by_resource[resource] = book.leases
        self.by_token.update((one.token, one) for one in book.leases)
