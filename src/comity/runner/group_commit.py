"""Group commit: how do a thousand sessions share one disk?

Here: a SQLite ledger whose writers share commits: whoever comes while one is under way is in the
next one.
Not here: the statements and their order (ledger/tables.py), what is appended (driving.py);
PostgreSQL, where writers of different scopes commit side by side.
Sources: ENGINE 7; Hagmann 1987 (group commit).

Each write is still all or nothing and is on disk when it returns. One that is refused writes
nothing and does not touch the others; when one fails after it has written, nothing of the group
is kept and each is done again by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Generic, TypeVar

from comity.core.errors import ComityError
from comity.ledger.port import Ledger, RawTables
from comity.ledger.sqlite import SqliteDatabase
from comity.ledger.tables import Database, Run, TableLedger, Turn

__all__ = ["GroupedDatabase", "grouped"]

T = TypeVar("T")

_MOST = 256  # writes of one commit


def grouped(ledger: Ledger) -> Ledger:
    """Return a ledger whose writers share commits, in place of an open one.

    Args:
        ledger: an open ledger; one that is not in SQLite is returned as it is.

    Example:
        >>> from comity.ledger.entry import NewEntry
        >>> from comity.ledger.open import open_ledger
        >>> with grouped(open_ledger(":memory:")) as ledger:
        ...     new = [NewEntry("opened", {})]
        ...     ledger.append("s", new, expected_head="", request_id=None, now_ms=0).repeated
        False
    """
    if not isinstance(ledger, TableLedger) or not isinstance(ledger.database, SqliteDatabase):
        return ledger
    return TableLedger(GroupedDatabase(ledger.database))


def _locked() -> Lock:
    """Return a lock that is held until the ticket's turn has come, or it is done."""
    made = Lock()
    made.acquire()
    return made


@dataclass(slots=True)
class _Ticket(Generic[T]):
    """One write that waits for its commit."""

    scope: str
    work: Callable[[Turn], T]
    is_once: bool
    done: Lock = field(default_factory=_locked)
    leads: bool = False
    answer: T | None = None
    error: BaseException | None = None


class GroupedDatabase:
    """A database whose writers share commits (a ``Database`` of ledger/tables.py).

    Args:
        real: the database, with one write lock for all scopes.
    """

    def __init__(self, real: Database) -> None:
        """Keep the database."""
        self._real = real
        self._lock = Lock()
        self._waiting: list[_Ticket[Any]] = []
        self._is_led = False

    @property
    def name(self) -> str:
        """What to call it in messages."""
        return self._real.name

    def reading(self) -> AbstractContextManager[Run]:
        """Return a run for single SELECTs."""
        return self._real.reading()

    def raw(self) -> AbstractContextManager[RawTables]:
        """Return a still picture of everything stored."""
        return self._real.raw()

    def close(self) -> None:
        """Close it; closing twice does nothing."""
        self._real.close()

    def write(self, scope: str, work: Callable[[Turn], T], *, once: bool) -> T:
        """Do the work in a commit that others may share; see the protocol."""
        ticket = _Ticket(scope, work, once)
        with self._lock:
            self._waiting.append(ticket)
            ticket.leads = not self._is_led
            self._is_led = True
        if not ticket.leads:
            ticket.done.acquire()
        if ticket.leads:
            self._lead()
        if ticket.error is not None:
            raise ticket.error
        return ticket.answer  # type: ignore[return-value]  # it is there when no error is

    def _lead(self) -> None:
        """Commit what waits, then let the next one lead; who may be called once goes alone."""
        with self._lock:
            alone = [at for at, one in enumerate(self._waiting) if one.is_once]
            count = max(1, min([*alone, _MOST]))
            group, self._waiting = self._waiting[:count], self._waiting[count:]
        try:
            self._commit(group)
        finally:
            with self._lock:
                follower = self._waiting[0] if self._waiting else None
                self._is_led = follower is not None
            if follower is not None:
                follower.leads = True
                follower.done.release()
            for one in group[1:]:
                one.done.release()

    def _commit(self, group: Sequence[_Ticket[Any]]) -> None:
        """Commit a group; each alone when one of it failed after it had written."""
        noted = _Noted()

        def work(turn: Turn) -> None:
            for one in group:
                noted.do(one, turn)

        try:
            self._real.write(group[0].scope, work, once=True)
        except BaseException as error:
            if noted.is_spoilt and len(group) > 1:
                for one in group:
                    self._commit([one])
                return
            for one in group:
                one.answer, one.error = None, error
            if not isinstance(error, Exception):
                raise


class _Noted:
    """What a group's writes have done so far."""

    def __init__(self) -> None:
        self.is_spoilt = False
        self._has_written = False

    def do(self, ticket: _Ticket[Any], turn: Turn) -> None:
        """Do one write inside the group's transaction."""
        self._has_written = False

        def run(statement: str, values: Sequence[str | int | None]) -> list[tuple[Any, ...]]:
            self._has_written = self._has_written or not statement.startswith("SELECT")
            return turn.run(statement, values)

        ticket.answer = ticket.error = None
        try:
            ticket.answer = ticket.work(Turn(run, turn.hold_anchors))
        except ComityError as error:
            ticket.error = error
            if self._has_written:
                self.is_spoilt = True
                raise
        except BaseException:
            self.is_spoilt = True
            raise
