"""Clock: the one place that knows what time it is.

Here: the clock port and the real clock.
Not here: fake time (testing/clock.py).
Sources: SEMANTICS G3.
"""

from __future__ import annotations

import time
from typing import Protocol

__all__ = ["Clock", "RealClock"]


class Clock(Protocol):
    """Tells the time in milliseconds since the epoch, and waits."""

    def now_ms(self) -> int:
        """Return the time now."""

    def sleep_until(self, at_ms: int) -> None:
        """Return when the time has come."""


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
        time.sleep(max(0, at_ms - self.now_ms()) / 1000)
