"""Tables: how does a ledger live in SQL, whichever database holds it?

Here: every statement, portable, and the ledger over any database that can lock and run them.
Not here: connections, locks and the errors of one database (ledger/sqlite.py,
ledger/postgres.py), the tables' form (ledger/schema.py).
Sources: ENGINE 7 and 8; SEMANTICS K1 and K3.

The order of things in a write is always the same: take the scope's lock, look the request id up,
look at the head, run the rule, write entries, head and anchors together, commit, answer. What
adds an anchor takes the turn of all anchors besides, after the scope's lock and never before it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from threading import Lock
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

from comity.core.canonical import canonical
from comity.core.errors import (
    ComityError,
    Fault,
    LedgerCorrupt,
    LedgerError,
    SequenceConflict,
    raise_if,
    shown,
)
from comity.ledger.anchor import anchor_of, wants_anchor
from comity.ledger.entry import (
    GENESIS,
    LATEST_MS,
    LONGEST_NAME,
    Entry,
    NewEntry,
    name_flaw,
    restore,
    row_of,
    seal,
)
from comity.ledger.port import Appended, Head, RawTables, Request, Rule, Settled, Table

__all__ = [
    "RAW_SQL",
    "SCHEMA_VERSION_SQL",
    "Database",
    "Run",
    "TableLedger",
    "Turn",
    "placed",
    "schema_number",
]

Run = Callable[[str, Sequence[str | int | None]], list[tuple[Any, ...]]]
"""Runs one statement, written with ``?``, and returns its rows. One that writes may be put off
until the next that reads, or the commit."""

_ENTRY = "SELECT scope, seq, idx, kind, party, body, request_id, at_ms, prev, hash, v FROM entries"
_PUBLIC = f"{_ENTRY} WHERE scope = ? AND seq > ? AND party IS NULL ORDER BY seq"
_PARTY = f"{_ENTRY} WHERE scope = ? AND seq > ? AND (party IS NULL OR party = ?) ORDER BY seq"
_ALL = f"{_ENTRY} WHERE scope = ? AND seq > ? ORDER BY seq"
_REQUEST = f"{_ENTRY} WHERE scope = ? AND request_id = ? ORDER BY idx"
_OF_KIND = f"{_ENTRY} WHERE kind = ? AND party IS NULL"
_IN_SCOPE = " AND scope = ?"
_NEWEST = " ORDER BY at_ms DESC, scope DESC, seq DESC LIMIT ?"
_OLDEST = " ORDER BY at_ms, scope, seq LIMIT ?"
_ADD_ENTRY = (
    "INSERT INTO entries"
    " (scope, seq, idx, kind, party, body, request_id, at_ms, prev, hash, v)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)

_HEADS = "SELECT scope, seq, hash, at_ms FROM heads"
_HEAD = """SELECT h.scope, h.seq, h.hash, h.at_ms, e.seq, e.hash
    FROM (SELECT 1 AS one) AS always LEFT JOIN heads h ON h.scope = ? LEFT JOIN
    (SELECT seq, hash FROM entries WHERE scope = ? ORDER BY seq DESC LIMIT 1) AS e ON 1 = 1"""
_ADD_HEAD = "INSERT INTO heads (seq, hash, at_ms, scope) VALUES (?, ?, ?, ?)"
_SET_HEAD = "UPDATE heads SET seq = ?, hash = ?, at_ms = ? WHERE scope = ?"

_LAST_ANCHOR = "SELECT n, hash FROM anchors ORDER BY n DESC LIMIT 1"
_UNANCHORED = """SELECT h.scope, h.seq, h.hash, h.at_ms, e.hash,
    (SELECT MAX(a.seq) FROM anchors a WHERE a.scope = h.scope)
    FROM heads h LEFT JOIN entries e ON e.scope = h.scope AND e.seq = h.seq
    WHERE NOT EXISTS (SELECT 1 FROM anchors a WHERE a.scope = h.scope AND a.seq = h.seq)
    ORDER BY h.scope"""
_ADD_ANCHOR = (
    "INSERT INTO anchors (n, scope, seq, head, at_ms, prev, hash) VALUES (?, ?, ?, ?, ?, ?, ?)"
)

SCHEMA_VERSION_SQL = "SELECT value FROM meta WHERE name = 'schema_version'"
"""Asks for the number of the schema, as text."""

RAW_SQL: dict[Table, str] = {
    "entries": f"{_ENTRY} ORDER BY scope, seq",
    "heads": "SELECT scope, seq, hash, at_ms FROM heads ORDER BY scope",
    "anchors": "SELECT n, scope, seq, head, at_ms, prev, hash FROM anchors ORDER BY n",
    "meta": "SELECT name, value FROM meta ORDER BY name",
}
"""Asks for everything a table holds, in the order verify reads it."""

_Answer = TypeVar("_Answer")

_NO_LIMIT = 2**53
_NO_SCOPE = ""  # no scope is called so: its lock is that of anchoring all of them
_REMEMBERED = 16  # scopes whose entries stay in memory between two transactions


@dataclass(frozen=True, slots=True)
class Turn:
    """What a write may do while it holds the lock of its scope.

    Attributes:
        run: runs one statement of the transaction.
        hold_anchors: returns once nobody else can add an anchor before this turn ends.
    """

    run: Run
    hold_anchors: Callable[[], None]


class Database(Protocol):
    """A place that can hold the tables."""

    @property
    def name(self) -> str:
        """What to call it in messages."""
        ...

    def reading(self) -> AbstractContextManager[Run]:
        """Return a run for single SELECTs."""
        ...

    def write(self, scope: str, work: Callable[[Turn], _Answer], *, once: bool) -> _Answer:
        """Do the work under the lock of a scope; commit, or roll back on any exception.

        Args:
            scope: whose entries are written.
            work: reads, decides and writes.
            once: whether ``work`` may be called at most once. Else a database that lost its
                connection may call it again, when nothing of the first call was kept.

        Returns:
            What ``work`` returned, once it is kept.
        """
        ...

    def raw(self) -> AbstractContextManager[RawTables]:
        """Return a still picture of everything stored."""
        ...

    def close(self) -> None:
        """Close it; closing twice does nothing."""
        ...


def placed(statement: str, paramstyle: str) -> str:
    """Return a statement with the placeholders a driver wants.

    Args:
        statement: written with ``?``; none of ours has a ``?`` or ``%`` of its own.
        paramstyle: the driver's, as PEP 249 names it: "qmark" or "format".

    Returns:
        The statement for that driver.

    Example:
        >>> placed("SELECT 1 WHERE 1 = ?", "format")
        'SELECT 1 WHERE 1 = %s'
    """
    return statement if paramstyle == "qmark" else statement.replace("?", "%s")


def schema_number(rows: Sequence[Sequence[object]], name: str) -> int:
    """Return the number of the schema from what ``SCHEMA_VERSION_SQL`` answered.

    Args:
        rows: the answer.
        name: the database, for the message.

    Returns:
        1 or more.

    Raises:
        LedgerCorrupt: there is no such number.
    """
    text = rows[0][0] if rows else None
    if isinstance(text, str) and text.isascii() and text.isdigit() and text[0] != "0":
        return int(text)
    raise LedgerCorrupt(
        Fault(
            name,
            f"its schema version reads {shown(text)}",
            "a whole number from 1",
            "restore a copy of the ledger",
        )
    )


class TableLedger:
    """A ledger over any database that holds the tables; see the port for every method.

    Attributes:
        database: where the tables are, migrated and ready.
    """

    def __init__(self, database: Database) -> None:
        self.database = database
        self._seen: dict[str, tuple[Entry, ...]] = {}
        self._remembering = Lock()

    def __repr__(self) -> str:
        return f"<{self.database.name}>"

    def append(
        self,
        scope: str,
        entries: Sequence[NewEntry],
        *,
        expected_head: str | None,
        request_id: str | None,
        now_ms: int,
    ) -> Appended:
        """Append entries to a scope, all or none; see the port."""
        raise_if(
            [
                *_write_faults(scope, request_id, now_ms),
                *_expected_faults(expected_head),
                *_entry_faults(entries),
                *_none_fault("entries", entries),
            ]
        )

        def work(turn: Turn) -> Appended:
            known = _written_under(turn.run, scope, request_id)
            head = _head(turn.run, scope)
            if known:
                _require_same(known, entries)
                return Appended(entries=known, repeated=True, head=head.hash)
            if expected_head is not None and expected_head != head.hash:
                raise _conflict(head, expected_head)
            return _write(turn, head, entries, request_id, now_ms)

        return self.database.write(scope, work, once=False)

    def transact(self, scope: str, fn: Rule, *, request_id: str | None, now_ms: int) -> Appended:
        """Lock, look up, apply a pure rule, append, commit; see the port."""
        raise_if(_write_faults(scope, request_id, now_ms))

        def work(turn: Turn) -> Appended:
            known = _written_under(turn.run, scope, request_id)
            head = _head(turn.run, scope)
            if known:
                return Appended(entries=known, repeated=True, head=head.hash)
            wanted = fn(self._locked_rows(turn.run, scope))
            raise_if(_entry_faults(wanted))
            return _write(turn, head, wanted, request_id, now_ms)

        return self.database.write(scope, work, once=False)

    def settle(
        self,
        scope: str,
        requests: Sequence[Request],
        *,
        after: int,
        catch_up: Callable[[tuple[Entry, ...]], None],
        now_ms: int,
    ) -> tuple[Settled, ...]:
        """Lock once, hand over what is new, apply each rule in turn, commit once; see the port."""
        faults = [*_write_faults(scope, None, now_ms), *_count_faults("after", after)]
        for one in requests:
            faults += _write_faults(scope, one.request_id, now_ms)
        raise_if(dict.fromkeys([*faults, *_none_fault("requests", requests)]))

        def work(turn: Turn) -> tuple[Settled, ...]:
            head = _head(turn.run, scope)
            if head.seq > after:
                catch_up(_restored(turn.run(_ALL, (scope, after))))
            elif head.seq < after:
                raise _corrupt(scope, f"it holds {head.seq} entries where {after} were known")
            settled: list[Settled] = []
            for one in requests:
                done = _settle(turn, head, one, now_ms)
                settled.append(done)
                if isinstance(done, Appended) and done.entries and not done.repeated:
                    seq = done.entries[-1].seq
                    head = Head(scope=scope, seq=seq, hash=done.head, at_ms=now_ms)
            return tuple(settled)

        return self.database.write(scope, work, once=True)

    def read(
        self,
        scope: str,
        *,
        after: int = 0,
        party: str | None = None,
        everything: bool = False,
    ) -> tuple[Entry, ...]:
        """Return a scope's entries in order; see the port."""
        faults = [*_name_faults("scope", scope), *_count_faults("after", after)]
        if party is not None:
            faults += _name_faults("party", party)
            if everything:
                faults.append(_fault("party", "is given with everything=True", "one of the two"))
        raise_if(faults)
        with self.database.reading() as run:
            if everything:
                return _restored(run(_ALL, (scope, after)))
            if party is None:
                return _restored(run(_PUBLIC, (scope, after)))
            return _restored(run(_PARTY, (scope, after, party)))

    def heads(self) -> tuple[Head, ...]:
        """Return the head of every scope, sorted by scope."""
        with self.database.reading() as run:
            found = run(_HEADS, ())
        return tuple(sorted(map(_as_head, found), key=lambda head: head.scope))

    def find(
        self,
        kind: str,
        *,
        scope: str | None = None,
        limit: int | None = None,
        newest_first: bool = True,
    ) -> tuple[Entry, ...]:
        """Return the public entries of a kind over one scope or all; see the port."""
        raise_if(
            [
                *_name_faults("kind", kind),
                *([] if scope is None else _name_faults("scope", scope)),
                *([] if limit is None else _count_faults("limit", limit)),
            ]
        )
        where = _OF_KIND if scope is None else _OF_KIND + _IN_SCOPE
        order = _NEWEST if newest_first else _OLDEST
        asked = (kind,) if scope is None else (kind, scope)
        with self.database.reading() as run:
            return _restored(run(where + order, (*asked, _NO_LIMIT if limit is None else limit)))

    def head(self) -> str:
        """Return the hash of the newest anchor, "" when there is none."""
        with self.database.reading() as run:
            found = run(_LAST_ANCHOR, ())
        return str(found[0][1]) if found else ""

    def anchor(self) -> str:
        """Anchor every scope where it stands, return the newest anchor's hash; see the port."""

        def work(turn: Turn) -> None:
            turn.hold_anchors()
            behind = list(map(_standing, turn.run(_UNANCHORED, ())))
            if behind:
                _add_anchors(turn, behind)

        with self.database.reading() as run:
            is_behind = bool(run(_UNANCHORED, ()))
        if is_behind:
            self.database.write(_NO_SCOPE, work, once=False)
        return self.head()

    def schema_version(self) -> int:
        """Return the number of the schema as stored."""
        with self.database.reading() as run:
            return schema_number(run(SCHEMA_VERSION_SQL, ()), self.database.name)

    def raw(self) -> AbstractContextManager[RawTables]:
        """Return a still picture of everything stored, for verify."""
        return self.database.raw()

    def close(self) -> None:
        """Close it; closing twice does nothing."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _locked_rows(self, run: Run, scope: str) -> tuple[Entry, ...]:
        """Return all entries of a scope, reading only those that came since the last time."""
        with self._remembering:
            seen = self._seen.pop(scope, ())
        later = _restored(run(_ALL, (scope, len(seen) - 1)))
        if seen and later[:1] != seen[-1:]:
            seen, later = (), _restored(run(_ALL, (scope, 0)))
        rows = seen[:-1] + later
        with self._remembering:  # scopes of their own may be written at once
            self._seen[scope] = rows
            if len(self._seen) > _REMEMBERED:
                del self._seen[next(iter(self._seen))]
        return rows


def _restored(rows: Sequence[Sequence[object]]) -> tuple[Entry, ...]:
    return tuple(map(restore, rows))


def _as_head(values: Sequence[Any]) -> Head:
    scope, seq, hash_, at_ms = values
    if (type(scope), type(seq), type(hash_), type(at_ms)) == (str, int, str, int):
        return Head(scope=scope, seq=seq, hash=hash_, at_ms=at_ms)
    raise _corrupt(scope, "its head is not what was written")


def _head(run: Run, scope: str) -> Head:
    """Return where a scope stands, after comparing its head with its last entry."""
    ((*fields, seq, hash_),) = run(_HEAD, (scope, scope))
    is_there = fields[0] is not None
    head = _as_head(fields) if is_there else Head(scope=scope, seq=0, hash="", at_ms=0)
    if (head.seq, head.hash) != (seq or 0, hash_ or ""):
        raise _corrupt(scope, "its head and its last entry differ")
    return head


def _written_under(run: Run, scope: str, request_id: str | None) -> tuple[Entry, ...]:
    return () if request_id is None else _restored(run(_REQUEST, (scope, request_id)))


def _settle(turn: Turn, head: Head, one: Request, now_ms: int) -> Settled:
    """Answer one request of several, on top of what those before it wrote."""
    known = _written_under(turn.run, head.scope, one.request_id)
    if known:
        return Appended(entries=known, repeated=True, head=head.hash)
    try:
        wanted = one.rule()
    except ComityError as error:
        return error
    raise_if(_entry_faults(wanted))
    return _write(turn, head, wanted, one.request_id, now_ms)


def _write(
    turn: Turn, head: Head, wanted: Sequence[NewEntry], request_id: str | None, now_ms: int
) -> Appended:
    written: list[Entry] = []
    prev = head.hash or GENESIS
    for idx, new in enumerate(wanted):
        entry = seal(
            new,
            scope=head.scope,
            seq=head.seq + idx + 1,
            request_id=request_id,
            at_ms=now_ms,
            prev=prev,
        )
        row = row_of(entry, text=new.text, idx=0 if request_id is None else idx)
        turn.run(_ADD_ENTRY, row)
        if wants_anchor(entry.seq, entry.kind):
            _add_anchors(turn, [entry])
        written.append(entry)
        prev = entry.hash
    if not written:
        return Appended(entries=(), repeated=False, head=head.hash)
    statement = _SET_HEAD if head.seq else _ADD_HEAD
    turn.run(statement, (written[-1].seq, prev, now_ms, head.scope))
    return Appended(entries=tuple(written), repeated=False, head=prev)


def _standing(values: Sequence[Any]) -> Head:
    """Return where a scope stands, after comparing it with its last entry and anchor."""
    *fields, last, anchored = values
    head = _as_head(fields)
    if last != head.hash:
        raise _corrupt(head.scope, "its head and its last entry differ")
    if anchored is not None and anchored > head.seq:
        raise _corrupt(
            head.scope, f"its head names entry {head.seq}, and an anchor entry {anchored}"
        )
    return head


def _add_anchors(turn: Turn, entries: Sequence[Entry | Head]) -> None:
    turn.hold_anchors()
    last = turn.run(_LAST_ANCHOR, ())
    n, prev = last[0] if last else (0, GENESIS)
    if type(n) is not int or type(prev) is not str:
        raise _corrupt(entries[0].scope, "the newest anchor is not what was written")
    for entry in entries:
        n += 1
        made = anchor_of(entry, n=n, prev=prev)
        prev = made.hash
        turn.run(_ADD_ANCHOR, (n, made.scope, made.seq, made.head, made.at_ms, made.prev, prev))


def _require_same(known: Sequence[Entry], entries: Sequence[NewEntry]) -> None:
    then = [(entry.kind, entry.party, canonical(entry.body)) for entry in known]
    now = [(new.kind, new.party, new.text) for new in entries]
    if then != now:
        raise LedgerError(
            Fault(
                f"request {shown(known[0].request_id)} in scope {shown(known[0].scope)}",
                "was already used to append something else",
                "the same entries again, or a request id that is new in this scope",
                "give this request an id of its own",
            )
        )


def _conflict(head: Head, expected: str) -> SequenceConflict:
    def called(value: str) -> str:
        return f"…{value[-8:]}" if value else "none"

    return SequenceConflict(
        Fault(
            f"append to scope {shown(head.scope)}",
            f"expects {called(expected)} as the last entry, and it is {called(head.hash)}"
            f" (entry {head.seq})",
            "the hash of the scope's last entry, or None when any will do",
            "read the scope again, decide again, and retry",
        )
    )


def _corrupt(scope: object, what: str) -> LedgerCorrupt:
    return LedgerCorrupt(
        Fault(
            f"ledger, scope {shown(scope)}",
            what,
            "a scope as it was appended",
            "run verify to see everything that changed, and restore a copy",
        )
    )


def _fault(name: str, what: str, allowed: str) -> Fault:
    return Fault("ledger call", f"{name} {what}", allowed, f"correct {name}")


def _none_fault(name: str, values: Sequence[object]) -> list[Fault]:
    return [] if values else [_fault(name, "are none", "one or more")]


def _name_faults(name: str, value: object) -> list[Fault]:
    flaw = name_flaw(value)
    allowed = f"text of 1 to {LONGEST_NAME} characters without control characters"
    return [_fault(name, flaw, allowed)] if flaw else []


def _count_faults(name: str, value: object) -> list[Fault]:
    if type(value) is int and 0 <= value <= LATEST_MS:
        return []
    return [_fault(name, f"is {shown(value)}", f"a whole number from 0 to {LATEST_MS}")]


def _write_faults(scope: object, request_id: object, now_ms: object) -> list[Fault]:
    return [
        *_name_faults("scope", scope),
        *([] if request_id is None else _name_faults("request_id", request_id)),
        *_count_faults("now_ms", now_ms),
    ]


def _expected_faults(value: object) -> list[Fault]:
    if value is None or isinstance(value, str):
        return []
    return [_fault("expected_head", f"is {shown(value)}", 'a hash, "" or None')]


def _entry_faults(entries: object) -> list[Fault]:
    if not isinstance(entries, Sequence):
        what = f"are a {type(entries).__name__}"
        return [_fault("entries", what, "a sequence of NewEntry")]
    return [
        _fault(f"entries[{at}]", f"is a {type(new).__name__}", "a NewEntry")
        for at, new in enumerate(entries)
        if not isinstance(new, NewEntry)
    ]
