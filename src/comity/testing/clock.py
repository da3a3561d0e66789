"""Fake clock: what time is it in a test, where nobody may wait?

Here: a clock whose time jumps; its waits end when everything that could still happen before has
happened, so that a test with threads takes no time and no luck.
Not here: the port and the real clock (runner/clock.py).
Sources: SEMANTICS G3; discrete-event simulation (time moves to the next event).
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from queue import SimpleQueue
from threading import Condition, Thread, get_ident
from typing import TypeVar

__all__ = ["FakeClock"]

T = TypeVar("T")


class FakeClock:
    """A clock that jumps.

    The caller's own waits jump at once. Work started with :meth:`aside` runs in real threads;
    when such work waits with :meth:`sleep_until`, it wakes when the time gets there: the time
    moves on only when every thread has ended or sleeps. Threads that block in any other way for
    ever make the caller of :meth:`first_of` wait for ever.

    Args:
        now_ms: the time at first.

    Example:
        >>> clock = FakeClock(1_000)
        >>> clock.sleep_until(61_000)
        >>> clock.now_ms()
        61000
    """

    def __init__(self, now_ms: int = 1_700_000_000_000) -> None:
        """Start at a time."""
        self._now = now_ms
        self._changed = Condition()
        self._threads: dict[int, int] = {}  # thread -> its number, in the order of the starts
        self._started = 0
        self._busy = 0
        self._asleep: list[tuple[int, int]] = []  # (when to wake, number of the thread)

    def now_ms(self) -> int:
        """Return the time now."""
        return self._now

    def advance(self, by_ms: int) -> int:
        """Let time pass; sleepers whose time has come wake up.

        Args:
            by_ms: how much, 0 or more.

        Returns:
            The time now.

        Example:
            >>> FakeClock(1_000).advance(500)
            1500
        """
        with self._changed:
            self._jump(self._now + by_ms)
        return self._now

    def sleep_until(self, at_ms: int) -> None:
        """Return when the time has come: at once for the caller, in due course for a thread."""
        with self._changed:
            number = self._threads.get(get_ident())
            if number is None:
                self._jump(at_ms)
                return
            if at_ms <= self._now:
                return
            ticket = (at_ms, number)
            heappush(self._asleep, ticket)
            self._busy -= 1
            self._changed.notify_all()
            self._changed.wait_for(lambda: ticket not in self._asleep)

    def aside(self, work: Callable[[], None]) -> None:
        """Start work in a thread."""
        with self._changed:
            self._busy += 1
            self._started += 1
            number = self._started
        Thread(target=self._work, args=(work, number), daemon=True).start()

    def _work(self, work: Callable[[], None], number: int) -> None:
        with self._changed:
            self._threads[get_ident()] = number
        try:
            work()
        finally:
            with self._changed:
                del self._threads[get_ident()]
                self._busy -= 1
                self._changed.notify_all()

    def first_of(self, arrivals: SimpleQueue[T], until_ms: int | None) -> T | None:
        """Return what arrives first, or None when the time comes before anything does.

        Args:
            arrivals: where threads put what they have.
            until_ms: when to stop waiting, or None.

        Returns:
            The arrival, or None.

        Raises:
            AssertionError: when nobody is left who could put anything and no time is given: a
                real clock would wait for ever.

        Example:
            >>> clock, box = FakeClock(1_000), SimpleQueue()
            >>> clock.aside(lambda: (clock.sleep_until(5_000), box.put("hello")))
            >>> clock.first_of(box, 4_000), clock.now_ms()
            (None, 4000)
            >>> clock.first_of(box, None), clock.now_ms()
            ('hello', 5000)
        """
        with self._changed:
            while arrivals.empty():
                if self._busy:
                    self._changed.wait()
                elif self._asleep and (until_ms is None or self._asleep[0][0] <= until_ms):
                    self._wake_first()
                elif until_ms is None:
                    raise AssertionError("nobody is left who could answer, and no time is set")
                else:
                    self._now = max(self._now, until_ms)
                    return None
            return arrivals.get()

    def _jump(self, at_ms: int) -> None:
        while self._asleep and self._asleep[0][0] <= at_ms:
            self._wake_first()
        self._now = max(self._now, at_ms)

    def _wake_first(self) -> None:
        at_ms, _ = heappop(self._asleep)
        self._now = max(self._now, at_ms)
        self._busy += 1
        self._changed.notify_all()
