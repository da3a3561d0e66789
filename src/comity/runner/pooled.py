"""Pooled: how do thousands of calls wait without a new thread for each?

Here: the real clock with threads that stay for the next work.
Not here: what the threads do (local.py), waiting (clock.py).
Sources: ENGINE 2; docs/decisions/0004, 0011.
"""

from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue
from threading import Lock, Thread

from comity.runner.clock import RealClock

__all__ = ["PooledClock"]

_MOST_IDLE = 1_000


class PooledClock(RealClock):
    """The machine's clock; work beside the caller is done by threads that stay.

    Each piece of work has a thread to itself as long as it lasts, however many there are.

    Example:
        >>> clock, box = PooledClock(), SimpleQueue()
        >>> clock.aside(lambda: box.put("done"))
        >>> box.get(timeout=5)
        'done'
    """

    def __init__(self) -> None:
        """Begin without a thread."""
        self._lock = Lock()
        self._idle = 0
        self._waiting: SimpleQueue[Callable[[], None]] = SimpleQueue()

    def aside(self, work: Callable[[], None]) -> None:
        """Give work to a thread that has none, or to a new one; it ends with the process."""
        with self._lock:
            is_taken = self._idle > 0
            self._idle -= is_taken
        if is_taken:
            self._waiting.put(work)
        else:
            Thread(target=self._work, args=(work,), daemon=True).start()

    def _work(self, work: Callable[[], None]) -> None:
        while True:
            work()
            with self._lock:
                if self._idle >= _MOST_IDLE:
                    return
                self._idle += 1
            work = self._waiting.get()
