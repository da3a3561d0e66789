"""Due: what happens next by itself at a desk?

Here: the times at which leases end, claims lapse and gathered claims are decided, soonest first.
Not here: what still counts (books.py), what happens then (desk.py).
Sources: lazy deletion in a binary heap (Knuth, TAOCP 3, 5.2.3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import heapify, heappop, heappush
from typing import Literal

__all__ = ["Due", "What"]

What = tuple[Literal["lease", "claim", "resource"], int | str]
"""A lease by its token, a claim by its number, a resource by its name."""

When = Callable[[What], int | None]
"""What -> when it is due now, in milliseconds; None when it is not due at all any more."""

_FEW = 64  # times that are kept without counting them


class Due:
    """Times, soonest first; what has changed since it was added is noticed when it is looked at.

    Whoever makes something due earlier adds it anew; what is due later, or no more, needs nothing.

    Args:
        when: when something is due now.

    Example:
        >>> ends = {1: 50, 2: 30}
        >>> due = Due(lambda what: ends.get(what[1]))
        >>> due.add(("lease", 1)), due.add(("lease", 2)), due.next_ms()
        (None, None, 30)
        >>> del ends[2]
        >>> due.next_ms(), due.take(60), due.next_ms()
        (50, [('lease', 1)], None)
    """

    __slots__ = ("_times", "_when")

    def __init__(self, when: When) -> None:
        """Start with nothing."""
        self._when = when
        self._times: list[tuple[int, What]] = []

    def __len__(self) -> int:
        """Return how many times are kept, those that count no more among them."""
        return len(self._times)

    def add(self, what: What) -> None:
        """Note when something is due; what is not due at all is not noted."""
        at_ms = self._when(what)
        if at_ms is not None:
            heappush(self._times, (at_ms, what))

    def next_ms(self) -> int | None:
        """Return when the next of all is due, or None."""
        while self._times:
            at_ms, what = self._times[0]
            now_due = self._when(what)
            if now_due == at_ms:
                return at_ms
            heappop(self._times)
            if now_due is not None and now_due > at_ms:
                heappush(self._times, (now_due, what))
        return None

    def take(self, now_ms: int) -> list[What]:
        """Return what is due by now, each once and sorted; it is not kept any more.

        Args:
            now_ms: the time.
        """
        found: set[What] = set()
        while (at_ms := self.next_ms()) is not None and at_ms <= now_ms:
            found.add(heappop(self._times)[1])
        return sorted(found)

    def thin(self, living: Iterable[What], count: int) -> None:
        """Forget what counts no more, once that is most of what is kept.

        Args:
            living: everything that may be due.
            count: how much that is, about.
        """
        if len(self._times) > _FEW + 4 * count:
            times = ((self._when(what), what) for what in living)
            self._times = [(at_ms, what) for at_ms, what in times if at_ms is not None]
            heapify(self._times)
