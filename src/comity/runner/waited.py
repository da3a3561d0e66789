"""Waited: how long has somebody waited, whatever the clocks show?

Here: the time that has passed over pauses, which a clock that is set neither stretches nor cuts.
Not here: the clock (clock.py), what is waited for (arbiter.py, acquiring.py).
Sources: SEMANTICS L2 (every acquire has a timeout).
"""

from __future__ import annotations

from comity.runner.clock import Clock

__all__ = ["Waited"]

_MOST_BETWEEN_MS = (
    1_000  # that is believed to pass beside a pause: more than that, the clock is set
)


class Waited:
    """The time that has passed since this was made.

    Args:
        clock: who owns the pauses.

    Example:
        >>> from comity.testing.clock import FakeClock
        >>> waited = Waited(FakeClock())
        >>> waited.pause(300), waited.left_ms(1_000)
        (None, 700)
    """

    def __init__(self, clock: Clock) -> None:
        """Begin now."""
        self._clock = clock
        self._read_ms = clock.now_ms()
        self._passed_ms = 0

    def pause(self, pause_ms: int) -> None:
        """Wait.

        Args:
            pause_ms: how long.
        """
        self._look()
        self._clock.sleep_until(self._clock.now_ms() + pause_ms)
        self._look(pause_ms)

    def left_ms(self, timeout_ms: int) -> int:
        """Return how much of a timeout is left.

        Args:
            timeout_ms: how long it is.
        """
        self._look()
        return timeout_ms - self._passed_ms

    def _look(self, least_ms: int = 0) -> None:
        now_ms = self._clock.now_ms()
        passed_ms = now_ms - self._read_ms - least_ms
        self._passed_ms += least_ms + max(0, min(passed_ms, _MOST_BETWEEN_MS))
        self._read_ms = now_ms
