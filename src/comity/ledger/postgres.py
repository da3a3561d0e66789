"""PostgreSQL: how is a ledger kept in a database that many machines share?

Here: opening, locking a scope, what became of a commit when the connection was lost, migrating by
command, and the still picture verify reads.
Not here: connecting and the words for errors (ledger/connections.py), the statements
(ledger/tables.py), the schema (ledger/schema.py), URLs (ledger/address.py).
Sources: ENGINE 7 and 8; https://www.postgresql.org/docs/current/explicit-locking.html,
https://www.postgresql.org/docs/current/functions-info.html, "pg_xact_status".

A writer takes the scope's advisory lock before it reads; scopes are written side by side. The
lock's statement asks for the transaction's number too. When the connection is lost while it
commits, the server is asked by that number what became of it: kept, and the answer stands; not
kept, and the call is made again. So nothing is written twice, with or without a request id. A
server that crashed may give out again a number of which nothing was on its disk; so a transaction
counts as kept only when its last entry is where it was written, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, TypeVar

from comity.core.errors import Fault, InvalidInput, LedgerError, LedgerTooNew
from comity.ledger import schema
from comity.ledger.address import address_of
from comity.ledger.connections import Connections, Link, Lost, Patience
from comity.ledger.entry import Row
from comity.ledger.place import MADE_BY
from comity.ledger.port import RawTables, Table
from comity.ledger.postgres_form import FORM, FORM_SQL
from comity.ledger.prepared import prepared
from comity.ledger.tables import (
    RAW_SQL,
    SCHEMA_VERSION_SQL,
    Run,
    TableLedger,
    Turn,
    schema_number,
)

__all__ = ["PostgresDatabase", "migrate_postgres", "open_postgres"]

_Answer = TypeVar("_Answer")

_TABLES_SQL = (
    "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
    " WHERE n.nspname = ? AND c.relkind IN ('r', 'p', 'v', 'm', 'f')"
)
_BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
# A number that was not given out, or is only now, belongs to a transaction lost in a crash.
_FATE_SQL = """SELECT CASE WHEN asked < pg_current_xact_id() THEN pg_xact_status(asked)
    ELSE 'aborted' END FROM (SELECT %s::xid8 AS asked) AS one"""
_HASH_SQL = "SELECT hash FROM entries WHERE scope = ? AND seq = ?"
_AT_ONCE = 2000  # rows of a picture fetched at a time


def open_postgres(where: str, *, create: bool = True) -> TableLedger:
    """Open the ledger in a schema of a PostgreSQL database.

    Args:
        where: the URL; ``?schema=NAME`` names the schema.
        create: make the schema and its tables when there are none.

    Returns:
        The ledger.

    Raises:
        InvalidInput: the URL cannot be read, or names no ledger and none may be made.
        LedgerTooNew: a newer version wrote it.
        LedgerError: it cannot be reached, is of an older schema, or holds something else.
    """
    database = PostgresDatabase(where)
    return prepared(database, create=create)


def migrate_postgres(where: str) -> tuple[int, int]:
    """Bring a ledger in PostgreSQL to the schema of this code.

    Args:
        where: the URL.

    Returns:
        The number of its schema before and now.

    Raises:
        InvalidInput: the URL cannot be read.
        LedgerTooNew: a newer version wrote it.
        LedgerError: it cannot be reached, or holds something else.
    """
    database = PostgresDatabase(where)
    try:
        return database.migrate(), schema.newest()
    finally:
        database.close()


@dataclass(slots=True)
class _Attempt:
    """How far one attempt to write got."""

    xid: str = ""
    last: Row | None = None
    has_begun: bool = False
    is_committing: bool = False

    def noting(self, run: Run) -> Run:
        """Return a run that notes the last entry it wrote."""

        def noted(statement: str, values: Sequence[str | int | None]) -> list[tuple[Any, ...]]:
            if isinstance(values, Row):
                self.last = values
            return run(statement, values)

        return noted


class PostgresDatabase:
    """The tables in one schema of a database (a ``Database`` of ledger/tables.py).

    Args:
        where: the URL.

    Raises:
        InvalidInput: the URL cannot be read.
        LedgerError: it cannot be reached.
    """

    def __init__(self, where: str) -> None:
        self._address = address_of(where)
        self._schema = self._address.schema
        self._locks = _Locks(self._schema)
        self._connections = Connections(self._address, self.name)

    @property
    def name(self) -> str:
        """What to call it in messages."""
        return f"ledger {self._address.shown}"

    def prepare(self, *, create: bool) -> None:
        """Look what is there; make the tables when there are none.

        Args:
            create: whether they may be made.

        Raises:
            InvalidInput: there is none, and none may be made.
            LedgerTooNew: a newer version wrote it.
            LedgerError: an older version wrote it, or it is something else.
        """
        with _told(self.name), self._connections.lent() as link:
            found = _version(link, self.name, self._schema)
        if found == 0 and not create:
            raise InvalidInput(
                Fault(
                    self.name,
                    f"is not there: schema {self._schema!r} has no tables",
                    "a ledger that exists",
                    MADE_BY.replace("path", "URL"),
                )
            )
        if 0 < found < schema.newest():
            raise LedgerError(
                Fault(
                    self.name,
                    f"was written with schema {found}, and this version of comity writes schema"
                    f" {schema.newest()}",
                    "a database that was migrated by command, when nobody with an older version"
                    " uses it",
                    "back the database up, then run comity ledger --migrate",
                )
            )
        if found != schema.newest():
            self.migrate()

    def migrate(self) -> int:
        """Bring the schema up to date, one process at a time.

        Returns:
            The number it had before; 0 for none.

        Raises:
            LedgerTooNew: a newer version wrote it.
            LedgerError: the schema holds something else, or the database refuses.
        """
        with _told(self.name), self._connections.lent() as link:
            try:
                link.execute(_BEGIN)
                self._locks.hold(link, "migration")
                found = _version(link, self.name, self._schema)
                _require_known(found, self.name)
                if found == 0:
                    link.execute(f'CREATE SCHEMA IF NOT EXISTS "{self._schema}"')
                for migration in schema.MIGRATIONS:
                    if migration.number > found:
                        for statement in migration.for_postgres():
                            link.execute(statement)
                if found < schema.newest():
                    to_set = "UPDATE meta SET value = ? WHERE name = 'schema_version'"
                    link.run(to_set, (str(schema.newest()),))
                link.execute("COMMIT")
            finally:
                link.roll_back()
            return found

    @contextmanager
    def reading(self) -> Iterator[Run]:
        """Yield a run for single SELECTs; each is asked again when its connection is lost."""
        yield self._read

    def write(self, scope: str, work: Callable[[Turn], _Answer], *, once: bool) -> _Answer:
        """Do the work under the lock of a scope; commit, or roll back on any exception."""
        if self._connections.mine is not None:
            raise LedgerError(
                Fault(
                    self.name,
                    "is asked to write from inside a transaction",
                    "a rule that only computes what to append",
                    "return the entries instead of appending them",
                )
            )
        patience = Patience(self.name)
        answer: list[_Answer] = []
        while True:
            attempt = _Attempt()
            answer.clear()
            try:
                self._attempt(scope, lambda turn: answer.append(work(turn)), attempt)
            except Lost as lost:
                if attempt.is_committing and self._was_kept(attempt, lost):
                    break
                if attempt.has_begun and once:
                    what = f"lost its connection in the middle of a call ({lost})"
                    then = "make the call again: nothing of it was kept"
                    raise LedgerError(
                        Fault(self.name, what, "a connection that holds", then)
                    ) from lost
                patience.pause(lost)
            else:
                break
        return answer[0]

    @contextmanager
    def raw(self) -> Iterator[RawTables]:
        """Yield a still picture of everything stored."""
        with _told(self.name), ExitStack() as stack:
            yield _Picture(self._standing(stack), self._schema)

    def close(self) -> None:
        """Close it; closing twice does nothing, and neither does closing in a forked process."""
        self._connections.close()

    def _read(self, statement: str, values: Sequence[str | int | None]) -> list[tuple[Any, ...]]:
        mine = self._connections.mine
        if mine is not None:
            return mine.run(statement, values)
        patience = Patience(self.name)
        while True:
            try:
                with self._connections.lent() as link:
                    return link.run(statement, values)
            except Lost as lost:
                patience.pause(lost)

    def _standing(self, stack: ExitStack) -> Link:
        """Return a connection that sees one state of everything, until the stack is closed."""
        patience = Patience(self.name)
        while True:
            try:
                with ExitStack() as trial:
                    link = trial.enter_context(self._connections.lent())
                    trial.callback(link.roll_back)
                    link.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
                    link.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
                    link.execute("SELECT 1")  # from here on everything stands still
                    stack.push(trial.pop_all())
                    return link
            except Lost as lost:
                patience.pause(lost)

    def _attempt(self, scope: str, work: Callable[[Turn], None], attempt: _Attempt) -> None:
        with self._connections.lent() as link, self._connections.writing(link):
            try:
                attempt.xid = self._locks.begin(link, scope)
                attempt.has_begun = True
                work(Turn(attempt.noting(link.run), lambda: self._locks.hold(link, "anchors")))
                attempt.is_committing = True
                link.execute("COMMIT")
            except BaseException:
                link.roll_back()
                raise

    def _was_kept(self, attempt: _Attempt, lost: Lost) -> bool:
        """Ask the server what became of a transaction whose commit was not heard of again."""
        patience = Patience(
            self.name,
            "look after the server, then make the call again under its request id, or read the"
            " scope first: it went away while it committed, and this call may have been kept",
        )
        while True:
            try:
                with self._connections.lent() as link:
                    fate = link.execute(_FATE_SQL, (attempt.xid,))[0][0]
                    if fate != "in progress":
                        return fate != "aborted" and _is_there(link, attempt.last)
                patience.pause(lost)
            except Lost as again:
                patience.pause(again)


def _is_there(link: Link, last: Row | None) -> bool:
    """Whether the last entry of a transaction is where it was written; one without has none."""
    return last is None or link.run(_HASH_SQL, (last.scope, last.seq)) == [(last.hash,)]


@dataclass(frozen=True, slots=True)
class _Locks:
    """The advisory locks of one ledger, each a number; two that share one only wait longer."""

    schema: str

    def begin(self, link: Link, scope: str) -> str:
        """Begin a transaction that holds the lock of a scope; return the transaction's number."""
        lock = f"pg_advisory_xact_lock({self._key(f'scope {scope}')})"
        asked = f"{_BEGIN}; SELECT {lock}, pg_current_xact_id()::text, current_schema()"
        ((_, xid, where),) = link.execute(asked)
        if where != self.schema:
            link.db.close()
            raise Lost(
                f"it was set to schema {where} by somebody else: a pooler must pool by session"
            )
        return str(xid)

    def hold(self, link: Link, what: str) -> None:
        """Hold another lock until the transaction ends."""
        link.execute(f"SELECT pg_advisory_xact_lock({self._key(what)})")

    def _key(self, what: str) -> int:
        told = f"comity\0{self.schema}\0{what}".encode()
        return int.from_bytes(sha256(told).digest()[:8], "big", signed=True)


def _version(link: Link, name: str, schema_name: str) -> int:
    """Return the number of the schema; 0 when there are no tables."""
    names = {str(table) for (table,) in link.run(_TABLES_SQL, (schema_name,))}
    if not names:
        return 0
    if {"meta", "entries"} <= names:
        rows = link.run("SELECT value FROM meta WHERE name = 'format'", ())
        if rows == [(schema.FORMAT,)]:
            return schema_number(link.run(SCHEMA_VERSION_SQL, ()), name)
    raise LedgerError(
        Fault(
            name,
            f"has a schema {schema_name!r} with other tables in it",
            "a ledger, or a schema that is empty or not there yet",
            "name another with ?schema=NAME",
        )
    )


def _require_known(found: int, name: str) -> None:
    newest = schema.newest()
    if found > newest:
        raise LedgerTooNew(
            Fault(
                name,
                f"was written with schema {found}, and this version of comity knows schemas"
                f" up to {newest}",
                f"a ledger with schema {newest} or older",
                "update comity, then open the ledger again",
            )
        )


class _Picture:
    """What verify reads: every table as it is stored, and how its form differs from ours."""

    def __init__(self, link: Link, schema_name: str) -> None:
        self._link = link
        self._schema = schema_name

    def complaints(self) -> tuple[str, ...]:
        """Return where the tables, their keys and guards are not what they should be."""
        found = {
            f"{kind} {name}": form
            for kind, name, form in self._link.execute(FORM_SQL, (self._schema,))
        }
        return tuple(_differences(found))

    def rows(self, table: Table) -> Iterator[tuple[object, ...]]:
        """Yield every row of a table in verify's order."""
        with _told("ledger"), self._link.in_words(), self._link.db.cursor(name=table) as cursor:
            cursor.itersize = _AT_ONCE
            yield from cursor.execute(RAW_SQL[table])


def _differences(found: dict[str, str]) -> Iterator[str]:
    for what in sorted(found.keys() | FORM.keys()):
        if what not in FORM:
            yield f"{what} is no part of a ledger"
        elif what not in found:
            yield f"{what} is missing"
        elif found[what] != FORM[what]:
            yield f"{what} was redefined"


@contextmanager
def _told(name: str) -> Iterator[None]:
    """Turn a lost connection into words where nothing is tried again."""
    try:
        yield
    except Lost as lost:
        raise LedgerError(
            Fault(
                name,
                f"lost its connection ({lost})",
                "a server that answers",
                "look after the server, then try again",
            )
        ) from lost
