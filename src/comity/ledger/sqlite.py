"""SQLite: how is a ledger kept in one file on this machine?

Here: opening, the write-ahead log, locking, migrating after a copy, the words for its errors, and
the still picture verify reads. The only module that imports sqlite3.
Not here: the statements (ledger/tables.py), the schema (ledger/schema.py), paths and file systems
(ledger/place.py).
Sources: ENGINE 7 and 8; https://www.sqlite.org/wal.html, https://www.sqlite.org/lang_transaction.html.

Writers take the lock before they read (BEGIN IMMEDIATE) and wait up to 10 s for it. They wait in
short rounds of our own: SQLite alone looks only ten times a second after a while, and one busy
writer then starves the others. With ``synchronous=FULL`` a commit is on disk before it is
answered, and not before the file was seen in its place, since what is written to one that was
moved away is lost. One connection serves all threads of a process under a lock; a process forked
off must open the ledger anew.

A ledger that cannot be written is read. Where the log's memory cannot be had either (a read-only
file system, a folder of somebody else's), SQLite is told that nobody writes, and after every
answer we look whether that held: when not, the file is opened anew and asked again.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path
from threading import RLock
from typing import Any, TypeVar

from comity.core.errors import Fault, LedgerCorrupt, LedgerError, LedgerReadOnly, LedgerTooNew
from comity.ledger import schema
from comity.ledger.place import MADE_BY, Footing, Stillness, check_place, stillness
from comity.ledger.port import RawTables, Table
from comity.ledger.prepared import prepared
from comity.ledger.tables import (
    RAW_SQL,
    SCHEMA_VERSION_SQL,
    Run,
    TableLedger,
    Turn,
    placed,
    schema_number,
)

__all__ = ["MEMORY", "SqliteDatabase", "open_sqlite"]

MEMORY = ":memory:"
"""The path of a ledger that lives as long as its process: for tests."""

_BUSY_S = 10.0
_POLL_S = 0.02
_PAUSE_S = 0.002
_LOG = [("wal",)]
_COMPLAINTS = 100
_TRIES = 5
_PRAGMAS = (
    "PRAGMA synchronous = FULL",
    "PRAGMA fullfsync = ON",
    "PRAGMA trusted_schema = OFF",
)
_STILL = "ro&immutable=1"
_OBJECTS_SQL = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name"

# Python's sqlite3 raises the second when SQLite's own message quotes damaged text.
_ERRORS = (sqlite3.Error, UnicodeDecodeError)

_Answer = TypeVar("_Answer")
_Objects = dict[tuple[str, str], tuple[str, str | None]]


def open_sqlite(path: str | Path, *, create: bool = True) -> TableLedger:
    """Open the ledger in a SQLite file.

    Args:
        path: the file, or ":memory:".
        create: make it when it is not there.

    Returns:
        The ledger, migrated to the schema of this code.

    Raises:
        InvalidInput: the path cannot be a ledger's.
        LedgerTooNew: a newer version wrote it.
        LedgerError: it cannot be opened, or holds something else.
    """
    database = SqliteDatabase(path, create=create)
    return prepared(database, create=create)


class SqliteDatabase:
    """The tables in one SQLite file (a ``Database`` of ledger/tables.py).

    Args:
        path: the file, or ":memory:".
        create: make it when it is not there.

    Raises:
        InvalidInput: the path cannot be a ledger's.
        LedgerError: it cannot be opened.
    """

    def __init__(self, path: str | Path, *, create: bool) -> None:
        self._path = None if str(path) == MEMORY else Path(path).absolute()
        if self._path is not None:
            check_place(self._path, create=create)
        self._lock = RLock()
        self._pid = os.getpid()
        self._db: sqlite3.Connection | None = None
        self._still: Stillness | None = None
        self._footing: Footing | None = None
        with _in_words(self.name):
            self._db, self._still = _opened(self._path, "rwc" if create else "rw")

    @property
    def name(self) -> str:
        """What to call it in messages."""
        return f"ledger {self._path or 'in memory'}"

    def prepare(self, *, create: bool) -> None:
        """Look what is there, turn the write-ahead log on, bring the schema up to date.

        Args:
            create: make the tables when there are none.

        Raises:
            LedgerTooNew: a newer version wrote it.
            LedgerError: the log does not hold here, or the file is something else.
        """
        with self._held() as db, _in_words(self.name):
            found = self._version(db)
            if found == 0 and not create:
                raise LedgerError(Fault(self.name, "is empty", "a ledger that exists", MADE_BY))
            if self._path is not None and self._still is None:
                _use_log(db, self.name)
            if found != schema.newest():
                self._migrate()
            if self._path is not None:
                self._footing = Footing(self._path)

    @contextmanager
    def reading(self) -> Iterator[Run]:
        """Yield a run for single SELECTs."""
        with self._held():
            yield self._run

    def write(self, scope: str, work: Callable[[Turn], _Answer], *, once: bool) -> _Answer:
        """Do the work under the write lock, which is one for all scopes: always just once."""
        del scope, once
        with self.writing() as run:
            return work(Turn(run, _nothing))

    @contextmanager
    def writing(self) -> Iterator[Run]:
        """Yield a run under the write lock: commit at the end, roll back on any exception."""
        with self._held() as db:
            if db.in_transaction:
                raise LedgerError(
                    Fault(
                        self.name,
                        "is asked to write from inside a transaction",
                        "a rule that only computes what to append",
                        "return the entries instead of appending them",
                    )
                )
            if self._footing is not None:
                self._footing.require("nothing of this call was written")
            try:
                self._run("BEGIN IMMEDIATE", ())
                yield self._run
                self._run("COMMIT", ())
            except BaseException:
                with suppress(sqlite3.Error):
                    db.rollback()
                raise
            if self._footing is not None:
                self._footing.require("this call is not in the file that is there now")

    @contextmanager
    def raw(self) -> Iterator[RawTables]:
        """Yield a still picture of everything stored, read over a connection of its own."""
        with self._held(), _in_words(self.name):
            picture, still = _opened(self._path, "rw")
        with closing(picture):
            with _in_words(self.name):
                if self._path is None:
                    with self._held() as db:
                        db.backup(picture)
                picture.text_factory = _text_or_bytes
                picture.execute("PRAGMA query_only = ON")
                picture.execute("BEGIN")
                _patiently(picture, "SELECT name FROM sqlite_master")
            yield _Picture(picture, self.name, lambda: self._is_still(still))

    def close(self) -> None:
        """Close it; closing twice does nothing, and neither does closing in a forked process."""
        if self._pid != os.getpid():
            return
        with self._lock:
            if self._db is not None:
                self._db.close()
                self._db = None

    @contextmanager
    def _held(self) -> Iterator[sqlite3.Connection]:
        if self._pid != os.getpid():
            raise LedgerError(
                Fault(
                    self.name,
                    "was opened by the process this one was forked from",
                    "one opening for each process",
                    "open the ledger again in this process",
                )
            )
        with self._lock:
            if self._db is None:
                raise LedgerError(Fault(self.name, "is closed", "an open one", "open it again"))
            yield self._db

    def _run(self, statement: str, values: Sequence[str | int | None]) -> list[tuple[Any, ...]]:
        with self._lock:
            db = self._db
            if db is None or self._pid != os.getpid():
                with self._held() as db:  # which says why not
                    pass
            try:
                for _ in range(_TRIES):
                    found = _patiently(db, placed(statement, sqlite3.paramstyle), values)
                    if self._is_still(self._still):
                        return found
                    db.close()
                    db, self._still = _opened(self._path, "rw")
                    self._db = db
            except _ERRORS as error:
                raise _worded(self.name, error) from error
            raise _restless(self.name)

    def _is_still(self, still: Stillness | None) -> bool:
        """Whether nobody wrote to a file that SQLite was told nobody writes to."""
        return still is None or self._path is None or stillness(self._path) == still

    def _version(self, db: sqlite3.Connection) -> int:
        names = {name for (kind, name), _ in _objects(db).items() if kind == "table"}
        if not names:
            return 0
        if "meta" in names and "entries" in names:
            rows = _patiently(db, "SELECT value FROM meta WHERE name = 'format'")
            if rows == [(schema.FORMAT,)]:
                return schema_number(_patiently(db, SCHEMA_VERSION_SQL), self.name)
        raise LedgerError(
            Fault(
                self.name,
                "is a SQLite database and not a ledger",
                "a ledger, or a file that does not exist yet",
                "give another path",
            )
        )

    def _migrate(self) -> None:
        with self.writing() as run, self._held() as db:
            found, newest = self._version(db), schema.newest()
            if found > newest:
                raise LedgerTooNew(
                    Fault(
                        self.name,
                        f"was written with schema {found}, and this version of comity knows"
                        f" schemas up to {newest}",
                        f"a ledger with schema {newest} or older",
                        "update comity, then open the ledger again",
                    )
                )
            if 0 < found < newest and self._path is not None:
                _copy(self._path, self._path.with_name(f"{self._path.name}.before-v{newest}.bak"))
            for migration in schema.MIGRATIONS:
                if migration.number > found:
                    for statement in (*migration.statements, *migration.sqlite):
                        run(statement, ())
            run("UPDATE meta SET value = ? WHERE name = 'schema_version'", (str(newest),))


class _Picture:
    """What verify reads: every table as it is stored, and SQLite's own complaints."""

    def __init__(self, db: sqlite3.Connection, name: str, is_still: Callable[[], bool]) -> None:
        self._db = db
        self._name = name
        self._is_still = is_still

    def complaints(self) -> tuple[str, ...]:
        """Return what SQLite finds damaged, and where the schema is not the one it should be."""
        try:
            checked = self._db.execute(f"PRAGMA integrity_check({_COMPLAINTS})").fetchall()
            found = [f"SQLite: {line!s}" for (line,) in checked if line != "ok"]
            return (*found, *_differences(_objects(self._db), _expected(schema.MIGRATIONS)))
        except _ERRORS as error:
            return (f"SQLite: {error}",)

    def rows(self, table: Table) -> Iterator[tuple[object, ...]]:
        """Yield every row of a table in verify's order."""
        with _in_words(self._name):
            yield from self._db.execute(RAW_SQL[table])
        if not self._is_still():
            raise _restless(self._name)


def _use_log(db: sqlite3.Connection, name: str) -> None:
    mode = _patiently(db, "PRAGMA journal_mode")
    if mode != _LOG:
        mode = _patiently(db, "PRAGMA journal_mode = WAL")
    if mode != _LOG:
        raise LedgerError(
            Fault(
                name,
                "cannot have a write-ahead log where it is",
                "a local disk that can map memory",
                "put the ledger on a local disk",
            )
        )


def _nothing() -> None:
    """Hold what the write lock holds already."""


def _restless(name: str) -> LedgerError:
    return LedgerError(
        Fault(
            name,
            "was written while it was read, in a place where this user cannot follow that",
            "a file and folder this user can write, or one that nobody writes",
            "try again, or copy the ledger and its -wal file and read the copy",
        )
    )


def _opened(path: Path | None, mode: str) -> tuple[sqlite3.Connection, Stillness | None]:
    """Return a connection, and the file's state where it is only read while nobody writes."""
    try:
        return _connect(path, mode), None
    except sqlite3.OperationalError as error:
        if path is None or _code(error) not in _UNREADY or not os.access(path, os.R_OK):
            raise
        still = stillness(path)
        if still is None:
            raise LedgerReadOnly(
                Fault(
                    f"ledger {path}",
                    f"has entries in {path.name}-wal that this user cannot read where they are",
                    "a file and folder this user can write",
                    f"copy {path.name} and {path.name}-wal together, and read the copy",
                )
            ) from error
    return _connect(path, _STILL), still


def _connect(path: Path | None, mode: str) -> sqlite3.Connection:
    where = MEMORY if path is None else f"{path.as_uri()}?mode={mode}"
    db = sqlite3.connect(
        where, timeout=_POLL_S, isolation_level=None, check_same_thread=False, uri=True
    )
    try:
        for pragma in _PRAGMAS:
            _patiently(db, pragma)
        _patiently(db, "SELECT name FROM sqlite_master")
    except BaseException:
        db.close()
        raise
    return db


def _patiently(
    db: sqlite3.Connection, statement: str, values: Sequence[str | int | None] = ()
) -> list[tuple[Any, ...]]:
    """Run a statement; while another process holds what it needs, try again for up to 10 s."""
    give_up = time.monotonic() + _BUSY_S
    while True:
        try:
            return db.execute(statement, values).fetchall()
        except sqlite3.OperationalError as error:
            if _code(error) != sqlite3.SQLITE_BUSY or time.monotonic() >= give_up:
                raise
            time.sleep(_PAUSE_S)


def _copy(path: Path, target: Path) -> None:
    part = target.with_name(f"{target.name}.part")
    try:
        part.unlink(missing_ok=True)
        with closing(_connect(path, "rw")) as source, closing(_connect(part, "rwc")) as copy:
            source.backup(copy)
        part.replace(target)
    except OSError as error:
        raise LedgerError(
            Fault(
                f"ledger {path}",
                f"cannot be copied to {target.name} before its schema changes: {error.strerror}",
                "a folder this user can write",
                "check the folder, then open the ledger again",
            )
        ) from error


def _text_or_bytes(data: bytes) -> str | bytes:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def _objects(db: sqlite3.Connection) -> _Objects:
    return {
        (str(kind), str(name)): (str(table), sql)
        for kind, name, table, sql in _patiently(db, _OBJECTS_SQL)
        if not str(name).startswith("sqlite_")
    }


@cache
def _expected(migrations: tuple[schema.Migration, ...]) -> _Objects:
    with closing(_connect(None, "rw")) as db:
        for migration in migrations:
            for statement in (*migration.statements, *migration.sqlite):
                db.execute(statement)
        return _objects(db)


def _differences(found: _Objects, expected: _Objects) -> Iterator[str]:
    for kind, name in sorted(found.keys() | expected.keys()):
        if (kind, name) not in expected:
            yield f"{kind} {name!r} is no part of a ledger"
        elif (kind, name) not in found:
            yield f"{kind} {name!r} is missing"
        elif found[kind, name] != expected[kind, name]:
            yield f"{kind} {name!r} was redefined"


def _code(error: Exception) -> int:
    """Return SQLite's primary code; text that is not UTF-8 has none and counts as damage."""
    damaged = isinstance(error, UnicodeDecodeError) or "decode to UTF-8" in str(error)
    code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT if damaged else 0)
    return code & 0xFF


_UNREADY = frozenset({sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY})
_WORDS: dict[int, tuple[type[LedgerError], str, str, str]] = {
    sqlite3.SQLITE_NOTADB: (
        LedgerError,
        "is not a SQLite database",
        "a ledger, or a file that does not exist yet",
        "give another path",
    ),
    sqlite3.SQLITE_CORRUPT: (
        LedgerCorrupt,
        "is damaged",
        "a file as SQLite wrote it",
        "run verify to see what can be read, and restore a copy",
    ),
    sqlite3.SQLITE_BUSY: (
        LedgerError,
        f"was locked by another process for more than {_BUSY_S:.0f} seconds",
        "a lock that is let go",
        "find the process that holds it, or try again",
    ),
    sqlite3.SQLITE_CANTOPEN: (
        LedgerError,
        "cannot be opened",
        "a file and folder this user can read and write",
        "check the rights, or give another path",
    ),
    sqlite3.SQLITE_READONLY: (
        LedgerReadOnly,
        "cannot be written",
        "a file and folder this user can write",
        "check the rights, or give another path",
    ),
    sqlite3.SQLITE_FULL: (
        LedgerError,
        "has no room left: nothing of this call was written",
        "free space on its disk",
        "make room and try again",
    ),
}
_OTHER = (
    LedgerError,
    "was refused by SQLite",
    "a ledger that works",
    "check the disk, and run verify",
)


@contextmanager
def _in_words(name: str) -> Iterator[None]:
    """Turn SQLite's errors into ours, in full sentences."""
    try:
        yield
    except _ERRORS as error:
        raise _worded(name, error) from error


def _worded(name: str, error: Exception) -> LedgerError:
    kind, what, allowed, then = _WORDS.get(_code(error), _OTHER)
    return kind(Fault(name, f"{what} ({error})", allowed, then))
