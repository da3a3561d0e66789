"""Leases: which workers live?

Here: the port: a worker holds its name and tells now and then that it goes on; everybody can see
who does. On one machine by locked files beside the ledger, on PostgreSQL by session locks.
Not here: what becomes of the sessions of one that died (worker.py).
Sources: ENGINE 5; docs/decisions/0011.

A lock ends with its process, at once. A process that is frozen keeps its lock and tells nothing:
after ten seconds it counts as dead too. A false alarm costs calls that are made twice and nothing
else: the ledger refuses whoever was believed dead.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol
from zlib import crc32

from comity.core.errors import Fault, LedgerError

__all__ = ["STALE_S", "FileLeases", "Leases", "SqlLeases"]

STALE_S = 10.0
"""After how many seconds without a word a worker counts as dead."""

_GRACE_S = 5.0
_ENDING = ".worker"


class Leases(Protocol):
    """Who lives, as all workers of one ledger see it."""

    def hold(self, name: str) -> None:
        """Hold a name until the process ends or :meth:`let_go`; it is nobody else's."""

    def beat(self) -> None:
        """Tell that this worker goes on."""

    def living(self) -> frozenset[str] | None:
        """Return the names of those who live; None when that cannot be told just now."""

    def let_go(self) -> None:
        """Let the name go."""


class FileLeases:
    """Leases as locked files in a folder, for workers of one machine.

    Args:
        folder: where the files are; it is made.
        stale_s: after how many seconds without a word a worker counts as dead.
    """

    def __init__(self, folder: Path, *, stale_s: float = STALE_S) -> None:
        """Keep the folder."""
        self._folder = folder
        self._stale_s = stale_s
        self._name = ""
        self._file = -1

    def hold(self, name: str) -> None:
        """Make the file and lock it."""
        fcntl = _fcntl()
        self._folder.mkdir(exist_ok=True)
        path = self._folder / f"{name}{_ENDING}"
        while True:
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            fcntl.flock(file, fcntl.LOCK_EX)
            with suppress(FileNotFoundError):
                if path.stat().st_ino == os.fstat(file).st_ino:
                    break
            os.close(file)  # somebody took it for a dead one's and removed it
        self._name, self._file = name, file
        self.beat()

    def beat(self) -> None:
        """Touch the file."""
        if self._file >= 0:
            os.utime(self._file)

    def living(self) -> frozenset[str] | None:
        """Look at every file; those of the dead are removed."""
        found = set()
        for path in self._folder.glob(f"*{_ENDING}"):
            name = path.name.removesuffix(_ENDING)
            if name == self._name or self._lives(path):
                found.add(name)
        return frozenset(found)

    def let_go(self) -> None:
        """Remove the file and close it."""
        if self._file >= 0:
            (self._folder / f"{self._name}{_ENDING}").unlink(missing_ok=True)
            os.close(self._file)
            self._name, self._file = "", -1

    def _lives(self, path: Path) -> bool:
        fcntl = _fcntl()
        try:
            file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return time.time() - os.fstat(file).st_mtime < self._stale_s
        else:
            path.unlink(missing_ok=True)
            return False
        finally:
            os.close(file)


def _fcntl() -> Any:  # noqa: ANN401  # a module
    try:
        return import_module("fcntl")
    except ImportError as error:
        raise LedgerError(
            Fault(
                "workers",
                "cannot lock files on this system",
                "a system with flock, or a ledger on PostgreSQL",
                "use PostgreSQL",
            )
        ) from error


_CLASS = 0x636F6D69  # sets our locks apart from everybody else's
_PREPARE = (
    "SELECT pg_advisory_lock(%(class)s, 0)",
    'CREATE SCHEMA IF NOT EXISTS "{schema}"',
    "CREATE TABLE IF NOT EXISTS {table} (name TEXT PRIMARY KEY, beat TIMESTAMPTZ NOT NULL)",
    "SELECT pg_advisory_unlock(%(class)s, 0)",
)
_HOLD = (
    "SELECT pg_advisory_lock(%(class)s, %(key)s)",
    """INSERT INTO {table} (name, beat) VALUES (%(name)s, now())
        ON CONFLICT (name) DO UPDATE SET beat = now()""",
    "DELETE FROM {table} WHERE beat < now() - interval '1 day'",
)
_BEAT = "UPDATE {table} SET beat = now() WHERE name = %(name)s"
_NAMES = "SELECT name, beat > now() - make_interval(secs => %(stale)s) FROM {table}"
_LOCKED = (
    "SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND granted"
    " AND classid = %(class)s AND objsubid = 2"
)
_FORGET = "DELETE FROM {table} WHERE name = %(name)s"


class SqlLeases:
    """Leases as session locks of PostgreSQL, for workers of many machines.

    Args:
        connect: opens a connection of its own that commits every statement, as SQLAlchemy's.
        schema: where the table of names is; it is made.
        stale_s: after how many seconds without a word a worker counts as dead.
    """

    def __init__(
        self, connect: Callable[[], Any], *, schema: str, stale_s: float = STALE_S
    ) -> None:
        """Keep how to connect."""
        self._connect = connect
        self._schema = schema
        self._stale_s = stale_s
        self._name = ""
        self._link: Any = None
        self._since = -_GRACE_S  # since when it is connected again

    def hold(self, name: str) -> None:
        """Lock the name on a connection that stays open."""
        self._name = name
        self._open((*_PREPARE, *_HOLD))

    def beat(self) -> None:
        """Write the time beside the name; connect again when the connection was lost."""
        try:
            if self._link is None:
                self.hold(self._name)
                self._since = time.monotonic()
            self._run(_BEAT)
        except Exception:  # noqa: BLE001  # whatever the driver raises: the next beat tries again
            self._drop()

    def living(self) -> frozenset[str] | None:
        """Ask for every name that is locked and fresh; one who holds none may ask too."""
        try:
            if self._link is None and not self._name:
                self._open(_PREPARE)
            rows = self._run(_NAMES).fetchall()
            locked = {key for (key,) in self._run(_LOCKED).fetchall()}
        except Exception:  # noqa: BLE001  # the same
            self._drop()
            return None
        if time.monotonic() - self._since < _GRACE_S:
            return frozenset(name for name, _ in rows)  # all may still be connecting again
        return frozenset(
            name for name, is_fresh in rows if is_fresh and _key(name) % 2**32 in locked
        )

    def let_go(self) -> None:
        """Remove the row and close the connection."""
        with suppress(Exception):
            self._run(_FORGET)
        self._drop()

    def _open(self, statements: Iterable[str]) -> None:
        self._link = self._connect()
        try:
            for statement in statements:
                self._run(statement)
        except BaseException:
            self._drop()
            raise

    def _run(self, statement: str) -> Any:  # noqa: ANN401  # a cursor of the driver
        values = {
            "class": _CLASS,
            "key": _key(self._name),
            "name": self._name,
            "stale": self._stale_s,
        }
        table = f'"{self._schema}".comity_workers'
        return self._link.exec_driver_sql(
            statement.format(schema=self._schema, table=table), values
        )

    def _drop(self) -> None:
        with suppress(Exception):
            self._link.invalidate()
            self._link.close()
        self._link = None


def _key(name: str) -> int:
    """Return a name as a signed number of 32 bits."""
    number = crc32(name.encode())
    return number - 2**32 if number >= 2**31 else number
