"""Clock: the one place that knows what time it is.

Here: the clock port (the time, and every wait that it may end) and the real clock.
Not here: fake time (testing/clock.py).
Sources: SEMANTICS G3.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Protocol, TypeVar

__all__ = ["Clock", "RealClock"]

T = TypeVar("T")

_LONGEST_WAIT_MS = 3_600_000
"""The longest single wait: longer ones are taken in pieces, so that a set clock is noticed."""


class Clock(Protocol):
    """Tells the time in milliseconds since the epoch, and owns every wait.

    Waits belong to the clock so that a fake one can stand in for all of them: nothing else in
    the runner may sleep, wait for a queue with a timeout or start a thread.
    """

    def now_ms(self) -> int:
        """Return the time now."""

    def sleep_until(self, at_ms: int) -> None:
        """Return when the time has come."""

    def aside(self, work: Callable[[], None]) -> None:
        """Start work beside the caller; it must not outlive the process."""

    def first_of(self, arrivals: SimpleQueue[T], until_ms: int | None) -> T | None:
        """Return what arrives first, or None when the time comes before anything does.

        What has arrived already comes first, whatever the time.
        """


class RealClock:
    """The machine's clock.

    Example:
        >>> RealClock().now_ms() > 0
        True
    """

    def now_ms(self) -> int:
        """Return the time now."""
        return time.time_ns() // 1_000_000

    def sleep_until(self, at_ms: int) -> None:
        """Sleep until the time has come."""
        while (left := at_ms - self.now_ms()) > 0:
            time.sleep(min(left, _LONGEST_WAIT_MS) / 1000)

    def aside(self, work: Callable[[], None]) -> None:
        """Start work in a thread that ends with the process."""
        Thread(target=work, daemon=True).start()

    def first_of(self, arrivals: SimpleQueue[T], until_ms: int | None) -> T | None:
        """Wait for an arrival, at most until the time has come."""
        while True:
            left = _LONGEST_WAIT_MS if until_ms is None else until_ms - self.now_ms()
            try:
                return arrivals.get(timeout=max(0, min(left, _LONGEST_WAIT_MS)) / 1000)
            except Empty:
                if until_ms is not None and self.now_ms() >= until_ms:
                    return None
