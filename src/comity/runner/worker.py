"""Worker: one process that drives the sessions of a ledger together with others.

Here: its loop: telling that it lives, finding what must be driven, taking over what a dead worker
had taken, stopping without losing a call.
Not here: driving one session (driving.py), finding them (sweep.py), the queue (durable.py), who
lives (leases.py).
Sources: ENGINE 4, 5; docs/decisions/0011.

All workers are alike. The one with the first name of those that live does what one must do for
all; when it dies, the next one notices. Two that do it at once put nothing on the queue twice.
"""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Callable, Iterable
from itertools import islice
from queue import SimpleQueue
from secrets import token_hex
from typing import Literal, Protocol

from comity.core.errors import ComityError, LedgerCorrupt, LedgerTooNew
from comity.ledger.port import Head, Ledger
from comity.runner.clock import Clock, RealClock
from comity.runner.driving import Driver
from comity.runner.durable import Taken
from comity.runner.leases import Leases
from comity.runner.sweep import Sweep

__all__ = ["Queue", "Tell", "Worker", "worker_name"]

Tell = Callable[[Literal["begins", "stops"], int], None]
"""Hears what a worker does, and with how many sessions."""

_TICK_MS, _LONGEST_TICK_MS = 500, 3_000
_TIDY_MS = 60_000
_GIVE_UP_MS = 600_000
_TOGETHER = 100  # put on the queue as soon as they are found
_SHARE = 20  # a look at all heads takes at most one part in so many of the time


class Queue(Protocol):
    """The queue of sessions that workers share; see :class:`comity.runner.durable.DbosQueue`."""

    def open(self, drive: Callable[[str, bool], str]) -> None:
        """Begin to take sessions from it."""

    def put(self, sessions: Iterable[str], *, is_over: bool = False) -> None:
        """Put sessions on it unless they are there or are driven."""

    def taken(self) -> tuple[Taken, ...]:
        """Return what is on it, or was taken from it and is not done."""

    def take_back(self, lost: Iterable[Taken]) -> None:
        """Put back what dead workers had taken."""

    def tidy(self, *, now_ms: int) -> None:
        """Forget what is long done."""

    def close(self) -> None:
        """Take nothing more from it, wait for what was taken, and close it."""


def worker_name() -> str:
    """Return a name for a worker that no other has, alive or dead.

    Example:
        >>> worker_name() == worker_name()
        False
    """
    host = re.sub(r"[^A-Za-z0-9-]", "-", socket.gethostname())[:40]
    return f"{host}-{os.getpid()}-{token_hex(3)}"


class Worker:
    """Drives the sessions of a ledger together with others.

    Args:
        ledger: the ledger.
        driver: drives one session; its name is the worker's.
        queue: the queue that it shares.
        leases: who lives.
        clock: what time it is.
    """

    def __init__(
        self,
        ledger: Ledger,
        driver: Driver,
        queue: Queue,
        leases: Leases,
        *,
        clock: Clock | None = None,
    ) -> None:
        """Keep the ports."""
        self.name = driver.name
        self._ledger = ledger
        self._driver = driver
        self._queue = queue
        self._leases = leases
        self._clock = clock or RealClock()
        self._sweep = Sweep(ledger, driver.expect)
        self._signs: SimpleQueue[str] = SimpleQueue()
        self._is_stopping = False
        self._living: frozenset[str] = frozenset()  # when it was last looked at what the dead had

    def stop(self) -> None:
        """Take no more sessions and end when no call is in flight; from any thread or signal."""
        self._is_stopping = True
        self._signs.put("stop")

    def run(self, *, once: bool = False, tell: Tell = lambda *_: None) -> None:
        """Work until :meth:`stop`, or once until nothing is left to drive.

        Args:
            once: whether to end when every session has ended or waits.
            tell: told ``begins`` when the worker is ready, and ``stops`` with the number of
                sessions that it still has to hear out.
        """
        self._leases.hold(self.name)
        try:
            self._queue.open(self._drive)
            try:
                tell("begins", 0)
                self._loop(once=once)
            finally:
                self._driver.drain()
                tell("stops", len(self._driver.held))
                self._close()
        finally:
            self._leases.let_go()

    def _drive(self, session: str, is_over: bool) -> str:  # noqa: FBT001  # called by the queue
        try:
            return self._driver.drive(session, is_over=is_over)
        except ComityError as error:  # the ledger is away: a sweep finds the session again
            return f"failed: {error}"

    def _loop(self, *, once: bool) -> None:
        tidied_ms = worked_ms = self._clock.now_ms()
        while not self._is_stopping:
            began_ms = self._clock.now_ms()
            try:
                is_quiet = self._tick()
                if began_ms - tidied_ms > _TIDY_MS:
                    self._queue.tidy(now_ms=began_ms)
                    tidied_ms = began_ms
                worked_ms = began_ms
            except (LedgerCorrupt, LedgerTooNew):
                raise
            except Exception:  # the database is away: the next look tries again
                if began_ms - worked_ms > _GIVE_UP_MS:
                    raise
                is_quiet = False
            if once and is_quiet:
                return
            took_ms = self._clock.now_ms() - began_ms
            self._wait(min(max(_TICK_MS, _SHARE * took_ms), _LONGEST_TICK_MS))

    def _wait(self, wait_ms: int) -> None:
        """Wait until the next look, or until somebody wants this worker to stop."""
        until_ms = self._clock.now_ms() + wait_ms
        while not self._is_stopping:
            if self._clock.first_of(self._signs, until_ms) is None:
                return

    def _tick(self) -> bool:
        """Look once; return whether nothing is under way anywhere."""
        self._leases.beat()
        heads = {one.scope: one for one in self._ledger.heads()}
        self._driver.look(heads)
        living = self._leases.living()
        if living is None:
            return False
        if self.name != min(living | {self.name}):
            return not self._queue.taken()
        return self._look_after(heads, living)

    def _look_after(self, heads: dict[str, Head], living: frozenset[str]) -> bool:
        """Do what one worker does for all."""
        taken: list[Taken] = []

        def active() -> set[str]:
            taken.extend(self._queue.taken())
            return {one.session for one in taken}

        if living != self._living:
            lost = [one for one in self._queue.taken() if one.by and one.by not in living]
            self._queue.take_back(lost)
            self._living = living
        held = self._driver.held
        now_ms = self._clock.now_ms()
        due = self._sweep.due(heads, active, held=held, now_ms=now_ms)
        is_any_due = False
        while some := tuple(islice(due, _TOGETHER)):
            self._queue.put(some)
            is_any_due = True
        if any(one.by and one.by not in living for one in taken):
            self._living = frozenset()  # one of the dead had taken something since: look again
        return not (held or is_any_due or taken or self._queue.taken())

    def _close(self) -> None:
        """Let every session go when no call of it is in flight; others take them up."""
        closed: SimpleQueue[str] = SimpleQueue()

        def close() -> None:
            try:
                self._queue.close()
            finally:
                closed.put("closed")

        self._clock.aside(close)
        while self._clock.first_of(closed, self._clock.now_ms() + _TICK_MS) is None:
            self._leases.beat()
