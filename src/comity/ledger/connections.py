"""Connections: how does a process talk to one PostgreSQL database, and for how long does it try?

Here: connecting, a few connections shared by the threads of a process, what counts as lost, how
long a lost one is waited for, PostgreSQL's errors in our words. With ledger/postgres.py the only
module that imports psycopg.
Not here: transactions, migrations and what verify reads (ledger/postgres.py), URLs
(ledger/address.py).
Sources: ENGINE 7; https://www.postgresql.org/docs/current/runtime-config-client.html,
https://www.postgresql.org/docs/current/errcodes-appendix.html.

Who holds a lock and freezes is cut off by the server after 8 s, before those who wait for it give
up after 15 s. A server that is away is waited for up to 20 s by who has been connected before, and
not at all by who never was: a wrong URL is told at once.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import cache
from threading import BoundedSemaphore, Lock, local
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus

from comity.core.errors import Fault, LedgerCorrupt, LedgerError, LedgerReadOnly
from comity.ledger.address import Address
from comity.ledger.tables import placed

__all__ = ["Connections", "Link", "Lost", "Patience"]

_MOST = 8
_AWAY_S = 20.0
_LOCK_S = 15
_FROZEN_S = 8
_PAUSES_S = (0.02, 0.05, 0.1, 0.2, 0.5)
_OLDEST = 130000
_AGAIN = "look after the server, then try again: nothing of this call was kept"
_DEFAULTS: dict[str, str | int] = {
    "application_name": "comity",
    "client_encoding": "UTF8",
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
_RESET = frozenset({"26000"})  # what was prepared on it is gone: somebody cleared it
_SETTINGS_SQL = f"""SELECT
    set_config('search_path', %s, false),
    set_config('lock_timeout', '{_LOCK_S}s', false),
    set_config('statement_timeout', '0', false),
    set_config('idle_in_transaction_session_timeout', '{_FROZEN_S}s', false),
    set_config('client_min_messages', 'warning', false),
    set_config('quote_all_identifiers', 'off', false),
    (SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'transaction_timeout'),
    set_config('synchronous_commit', CASE current_setting('synchronous_commit')
        WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, false),
    current_setting('server_encoding'),
    current_setting('server_version_num')::int,
    current_setting('server_version')"""  # noqa: S608  # only our own numbers are put into it


_CAN_PIPELINE = psycopg.Pipeline.is_supported()
_Statement = tuple[str, tuple[str | int | None, ...] | None]

Lost = psycopg.OperationalError
"""The connection is gone; what it was doing was not heard of again. Nothing else gets out as one:
what the server refuses becomes a LedgerError."""


class Patience:
    """How long a lost connection is waited for.

    Args:
        name: the ledger, for the message.
        then: what to do next when it does not come back.
    """

    def __init__(self, name: str, then: str = _AGAIN) -> None:
        self._name = name
        self._then = then
        self._give_up = time.monotonic() + _AWAY_S
        self._tries = 0

    def pause(self, why: BaseException) -> None:
        """Wait a little.

        Args:
            why: what is waited for.

        Raises:
            LedgerError: it was waited for long enough.
        """
        if time.monotonic() >= self._give_up:
            raise LedgerError(
                Fault(
                    self._name,
                    f"has been away for more than {_AWAY_S:.0f} seconds ({why})",
                    "a server that answers",
                    self._then,
                )
            ) from why
        time.sleep(_PAUSES_S[min(self._tries, len(_PAUSES_S) - 1)])
        self._tries += 1


class Link:
    """One connection, in the schema of the ledger.

    Args:
        db: the connection.
        name: the ledger, for messages.
        address: where it is.
    """

    def __init__(self, db: psycopg.Connection[Any], name: str, address: Address) -> None:
        self.db = db
        self._name = name
        self._address = address
        self._put_off: list[_Statement] = []

    def run(self, statement: str, values: Sequence[str | int | None]) -> list[tuple[Any, ...]]:
        """Run one statement, written with ``?``, and return its rows.

        One that writes is put off, and sent together with the next: the server's answer to it is
        waited for then.

        Args:
            statement: what to run.
            values: for the places, in order.

        Raises:
            Lost: the connection is gone.
            LedgerError: the database refuses.
        """
        if statement.startswith("SELECT"):
            return self.execute(_placed(statement), tuple(values))
        self._put_off.append((_placed(statement), tuple(values)))
        return []

    def execute(
        self, statement: str, values: tuple[str | int | None, ...] | None = None
    ) -> list[tuple[Any, ...]]:
        """Run one statement as it is, after what was put off, and return its rows.

        Where nothing was put off it may be several without values: the last rows are returned.

        Args:
            statement: what to run, with ``%s`` for places when there are values.
            values: for the places, or None.

        Raises:
            Lost: the connection is gone.
            LedgerError: the database refuses.
        """
        statements, self._put_off = [*self._put_off, (statement, values)], []
        with self.in_words():
            return self._sent(statements)

    def _sent(self, statements: Sequence[_Statement]) -> list[tuple[Any, ...]]:
        """Send statements in one go, and return the rows of the last."""
        together = self.db.pipeline() if len(statements) > 1 and _CAN_PIPELINE else nullcontext()
        with together:
            for statement, values in statements:
                cursor = self.db.execute(statement, values)
        while cursor.nextset():
            pass
        return cursor.fetchall() if cursor.description else []

    @contextmanager
    def in_words(self) -> Iterator[None]:
        """Turn psycopg's errors into ours, in full sentences.

        Raises:
            Lost: the connection is gone.
            LedgerError: the database refuses.
        """
        try:
            yield
        except psycopg.Error as error:
            if error.sqlstate in _RESET:
                self.db.close()
            if self.db.closed:
                raise Lost(self._address.masked(_said(error))) from error
            raise _worded(self._name, self._address, error) from error

    def roll_back(self) -> None:
        """End what was begun; when that cannot be, the connection is closed."""
        self._put_off = []
        with suppress(psycopg.Error):
            if self.db.info.transaction_status in {
                TransactionStatus.INTRANS,
                TransactionStatus.INERROR,
            }:
                self.db.execute("ROLLBACK")

    @property
    def is_idle(self) -> bool:
        """Whether it can serve the next caller."""
        return self.db.info.transaction_status == TransactionStatus.IDLE


class Connections:
    """A few connections, lent to the threads of one process.

    Args:
        address: the database and the schema.
        name: the ledger, for messages.

    Raises:
        LedgerError: it cannot be reached, or is not fit to hold a ledger.
    """

    def __init__(self, address: Address, name: str) -> None:
        self._address = address
        self._name = name
        self._pid = os.getpid()
        self._room = BoundedSemaphore(_MOST)
        self._lock = Lock()
        self._is_closed = False
        self._mine = local()
        self._idle: list[Link] = [self._first()]

    @property
    def mine(self) -> Link | None:
        """The connection on which this thread is writing, or None."""
        found: Link | None = getattr(self._mine, "link", None)
        return found

    @contextmanager
    def writing(self, link: Link) -> Iterator[None]:
        """Mark a connection as the one on which this thread is writing.

        Args:
            link: one that was lent.
        """
        self._mine.link = link
        try:
            yield
        finally:
            self._mine.link = None

    @contextmanager
    def lent(self) -> Iterator[Link]:
        """Yield a connection that no other thread uses.

        Raises:
            Lost: the server cannot be reached.
            LedgerError: it is closed, or belongs to another process.
        """
        with self._room:
            link = self._taken()
            try:
                yield link
            finally:
                with self._lock:
                    is_kept = link.is_idle and not self._is_closed
                    if is_kept:
                        self._idle.append(link)
                if not is_kept:
                    link.db.close()

    def close(self) -> None:
        """Close all; closing twice does nothing, and neither does closing in a forked process."""
        if self._pid != os.getpid():
            return
        with self._lock:
            self._is_closed = True
            idle, self._idle = self._idle, []
        for link in idle:
            link.db.close()

    def _taken(self) -> Link:
        if self._pid != os.getpid():
            raise LedgerError(
                Fault(
                    self._name,
                    "was opened by the process this one was forked from",
                    "one opening for each process",
                    "open the ledger again in this process",
                )
            )
        with self._lock:
            if self._is_closed:
                raise LedgerError(Fault(self._name, "is closed", "an open one", "open it again"))
            if self._idle:
                return self._idle.pop()
        try:
            return self._connected()
        except psycopg.Error as error:
            raise Lost(self._address.masked(_said(error))) from error

    def _first(self) -> Link:
        """Connect for the first time: waits only while the server says that it is starting."""
        patience = Patience(self._name)
        while True:
            try:
                return self._connected()
            except psycopg.Error as error:
                said = self._address.masked(_said(error))
                if "starting up" not in said:
                    raise LedgerError(
                        Fault(
                            self._name,
                            f"cannot be reached ({said})",
                            "a PostgreSQL server that answers, a database that exists and a user"
                            " who may use it",
                            "check the URL, and that the server runs",
                        )
                    ) from error
                patience.pause(error)

    def _connected(self) -> Link:
        asked = conninfo_to_dict(self._address.conninfo)
        more = {key: value for key, value in _DEFAULTS.items() if key not in asked}
        db = psycopg.connect(self._address.conninfo, autocommit=True, **more)  # type: ignore[arg-type]  # psycopg types each keyword for itself
        try:
            rows = db.execute(_SETTINGS_SQL, (f'"{self._address.schema}"',)).fetchall()
            _require_fit(self._name, *rows[0][-3:])
        except BaseException:
            db.close()
            raise
        return Link(db, self._name, self._address)


@cache
def _placed(statement: str) -> str:
    return placed(statement, "format")


def _require_fit(name: str, encoding: str, number: int, version: str) -> None:
    what, allowed = "", ""
    if number < _OLDEST:
        what, allowed = f"is on PostgreSQL {version}", "PostgreSQL 13 or newer"
    elif encoding != "UTF8":
        what, allowed = f"is in a database that keeps text as {encoding}", "one that keeps UTF8"
    if what:
        raise LedgerError(Fault(name, what, allowed, "give the URL of another database"))


def _said(error: psycopg.Error) -> str:
    return str(error.diag.message_primary or error)


_WORDS: dict[str, tuple[type[LedgerError], str, str, str]] = {
    "55P03": (
        LedgerError,
        f"was locked by another process for more than {_LOCK_S} seconds",
        "a lock that is let go",
        "find the process that holds it, or try again",
    ),
    "42P01": (
        LedgerCorrupt,
        "has lost a table",
        "the tables of a ledger",
        "run verify to see what can be read, and restore a copy; behind a pooler, pool by session",
    ),
    "42501": (
        LedgerReadOnly,
        "may not be used so by this user",
        "a user who may create and write the tables of the schema",
        "grant the rights, or connect as another user",
    ),
    "25006": (
        LedgerReadOnly,
        "cannot be written: the server is a standby or read only",
        "the primary server",
        "give the URL of the server that can be written",
    ),
    "53100": (
        LedgerError,
        "has no room left: nothing of this call was written",
        "free space on the server's disk",
        "make room and try again",
    ),
}
_WORDS["0A000"] = _WORDS["25006"]  # what a standby says to a transaction that is to write
_OTHER = (
    LedgerError,
    "was refused by PostgreSQL",
    "a ledger that works",
    "read the server's log, and run verify",
)


def _worded(name: str, address: Address, error: psycopg.Error) -> LedgerError:
    kind, what, allowed, then = _WORDS.get(error.sqlstate or "", _OTHER)
    return kind(Fault(name, f"{what} ({address.masked(_said(error))})", allowed, then))
