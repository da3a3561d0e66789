"""ledger/sqlite.py: opening, locking, migrating, guards, SQLite's errors in words (ENGINE 7)."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from comity.core.errors import (
    ComityError,
    InvalidInput,
    LedgerCorrupt,
    LedgerError,
    LedgerReadOnly,
    LedgerTooNew,
)
from comity.ledger import schema, sqlite
from comity.ledger.entry import Entry, NewEntry
from comity.ledger.schema import Migration
from comity.ledger.sqlite import SqliteDatabase, open_sqlite
from comity.ledger.tables import TableLedger
from comity.ledger.verify import verify

NOTE = [NewEntry("note", {"text": "hello"})]
SECOND = Migration(
    number=2,
    statements=(
        "CREATE TABLE extra (name TEXT NOT NULL, CONSTRAINT extra_key PRIMARY KEY (name))",
        "ALTER TABLE heads ADD COLUMN note TEXT",
    ),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.db"


def add(ledger: TableLedger, scope: str = "s") -> None:
    ledger.append(scope, NOTE, expected_head=None, request_id=None, now_ms=1)


def filled(path: Path) -> Path:
    with open_sqlite(path) as ledger:
        add(ledger)
    return path


def connection(ledger: TableLedger) -> sqlite3.Connection:
    database = ledger.database
    assert isinstance(database, SqliteDatabase)
    assert database._db is not None
    return database._db


def said(error: pytest.ExceptionInfo[ComityError]) -> str:
    (fault,) = error.value.faults
    return fault.what


# --- opening ---------------------------------------------------------------------------------


def test_a_commit_is_on_disk_before_it_is_answered(path: Path) -> None:
    with open_sqlite(path) as ledger:
        db = connection(ledger)
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert db.execute("PRAGMA synchronous").fetchone() == (2,)
        assert db.execute("PRAGMA fullfsync").fetchone() == (1,)
        assert db.execute("PRAGMA trusted_schema").fetchone() == (0,)


def test_a_ledger_is_there_when_it_is_opened_again(path: Path) -> None:
    filled(path)
    with open_sqlite(path, create=False) as ledger:
        assert len(ledger.read("s")) == 1
        assert ledger.schema_version() == 1
    assert [file.name for file in path.parent.iterdir()] == ["ledger.db"]


@pytest.mark.parametrize(
    "content", [b"this is not a database, and it is long enough", b"x" * 9000]
)
@pytest.mark.parametrize("create", [True, False])
def test_a_file_of_another_kind_is_refused_and_left_alone(
    path: Path, content: bytes, create: bool
) -> None:
    path.write_bytes(content)
    with pytest.raises(LedgerError, match="is not a SQLite database"):
        open_sqlite(path, create=create)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE songs (name TEXT)",
        "CREATE TABLE meta (name TEXT, value TEXT)",
        "CREATE TABLE entries (id INTEGER)",
    ],
)
def test_the_database_of_another_program_is_refused_and_left_alone(
    path: Path, statement: str
) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute(statement)
    content = path.read_bytes()
    with pytest.raises(LedgerError, match="a SQLite database and not a ledger"):
        open_sqlite(path)
    assert path.read_bytes() == content
    assert [file.name for file in path.parent.iterdir()] == ["ledger.db"]


def test_tables_of_the_same_names_do_not_make_a_ledger(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE meta (name TEXT, value TEXT)")
        db.execute("CREATE TABLE entries (id INTEGER)")
    with pytest.raises(LedgerError, match="a SQLite database and not a ledger"):
        open_sqlite(path)


def test_an_empty_file_becomes_a_ledger_only_when_one_may_be_made(path: Path) -> None:
    path.touch()
    with pytest.raises(LedgerError, match="is empty"):
        open_sqlite(path, create=False)
    filled(path)
    assert path.stat().st_size > 0


def test_a_folder_and_a_missing_file_are_the_caller_s_fault(path: Path) -> None:
    with pytest.raises(InvalidInput):
        open_sqlite(path.parent)
    with pytest.raises(InvalidInput):
        open_sqlite(path, create=False)
    with pytest.raises(InvalidInput):
        open_sqlite(path / "ledger.db")
    assert not path.exists()


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="proc: there is no /proc here")
def test_a_place_that_cannot_be_written_is_refused_in_words() -> None:
    with pytest.raises(LedgerError) as caught:
        open_sqlite("/proc/comity.db")
    assert said(caught).startswith("cannot be opened")


def test_a_place_without_a_write_ahead_log_is_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def patiently(db: sqlite3.Connection, statement: str) -> list[tuple[Any, ...]]:
        done = db.execute(statement).fetchall()
        return [("delete",)] if "journal_mode" in statement else done

    monkeypatch.setattr(sqlite, "_patiently", patiently)
    with pytest.raises(LedgerError, match="write-ahead log"):
        open_sqlite(path)


class Unlocking:
    """A connection that is busy a few times, and a clock that is only looked at."""

    def __init__(self, error: sqlite3.OperationalError, times: int) -> None:
        self.error = error
        self.times = times
        self.slept = 0.0

    def execute(self, statement: str, values: object) -> Unlocking:
        self.times -= 1
        if self.times >= 0:
            raise self.error
        return self

    def fetchall(self) -> list[tuple[str]]:
        return [("wal",)]

    def monotonic(self) -> float:
        return self.slept

    def sleep(self, seconds: float) -> None:
        self.slept += seconds


@pytest.fixture
def busy(path: Path) -> sqlite3.OperationalError:
    filled(path)
    with (
        closing(sqlite3.connect(path, isolation_level=None)) as holder,
        closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as other,
    ):
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(sqlite3.OperationalError) as caught:
            other.execute("BEGIN IMMEDIATE")
    return caught.value


def test_a_statement_waits_for_other_processes_up_to_10_s(
    busy: sqlite3.OperationalError, monkeypatch: pytest.MonkeyPatch
) -> None:
    for times in (0, 3):
        db: Any = Unlocking(busy, times)
        monkeypatch.setattr(sqlite, "time", db)
        assert sqlite._patiently(db, "PRAGMA journal_mode = WAL") == [("wal",)]
        assert db.slept == pytest.approx(times * 0.002)
    db = Unlocking(busy, 10**6)
    monkeypatch.setattr(sqlite, "time", db)
    with pytest.raises(sqlite3.OperationalError):
        sqlite._patiently(db, "PRAGMA journal_mode = WAL")
    assert 10 <= db.slept < 10.1
    other: Any = Unlocking(sqlite3.OperationalError("disk I/O error"), 1)
    with pytest.raises(sqlite3.OperationalError):
        sqlite._patiently(other, "PRAGMA journal_mode = WAL")
    assert other.slept == 0


# --- locking ---------------------------------------------------------------------------------


def test_a_lock_that_is_never_let_go_is_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "_BUSY_S", 0)
    with open_sqlite(path) as ledger, closing(sqlite3.connect(path)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerError, match="was locked by another process"):
            add(ledger)
        assert ledger.read("s") == (), "reading goes on"
        holder.rollback()
        add(ledger)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, ZeroDivisionError])
def test_whatever_ends_a_rule_lets_the_lock_go(path: Path, error: type[BaseException]) -> None:
    def rule(rows: tuple[Entry, ...]) -> list[NewEntry]:
        raise error

    with open_sqlite(path) as ledger, open_sqlite(path) as other:
        with pytest.raises(error):
            ledger.transact("s", rule, request_id="r", now_ms=1)
        add(other)
        add(ledger)
        assert len(other.read("s")) == 2


def test_a_failed_insert_takes_everything_of_its_call_back(path: Path) -> None:
    with open_sqlite(path) as ledger:
        add(ledger)
        db = connection(ledger)
        db.execute(
            "CREATE TEMP TRIGGER no_two BEFORE INSERT ON main.entries WHEN NEW.seq = 3 "
            "BEGIN SELECT RAISE(ABORT, 'no'); END"
        )
        with pytest.raises(LedgerError, match="was refused by SQLite"):
            ledger.append("s", NOTE * 2, expected_head=None, request_id=None, now_ms=1)
        assert len(ledger.read("s")) == 1
        assert verify(ledger).ok


def test_a_forked_process_must_open_the_ledger_anew(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_sqlite(path) as ledger:
        here = os.getpid()
        with monkeypatch.context() as patch:
            patch.setattr(os, "getpid", lambda: here + 1)
            with pytest.raises(LedgerError, match="forked"):
                add(ledger)
            with pytest.raises(LedgerError, match="forked"):
                ledger.read("s")
            assert not verify(ledger).ok
            ledger.close()
        add(ledger)  # the child's close did not close the parent's


# --- SQLite's errors in words ----------------------------------------------------------------


def test_a_full_disk_is_told_and_nothing_is_written(path: Path) -> None:
    with open_sqlite(path) as ledger:
        db = connection(ledger)
        (pages,) = db.execute("PRAGMA page_count").fetchone()
        db.execute(f"PRAGMA max_page_count = {pages}")
        big = [NewEntry("note", {"text": "x" * 100_000})]
        with pytest.raises(LedgerError, match="no room left"):
            ledger.append("s", big, expected_head=None, request_id=None, now_ms=1)
        assert ledger.read("s") == ()
        assert verify(ledger).ok


def test_what_has_no_words_of_its_own_is_told_with_sqlite_s(path: Path) -> None:
    with open_sqlite(path) as ledger:
        connection(ledger).close()
        with pytest.raises(
            LedgerError, match=r"was refused by SQLite \(Cannot operate on a closed"
        ):
            ledger.read("s")


def test_a_ledger_that_may_only_be_read_is_told(path: Path) -> None:
    with open_sqlite(path) as ledger:
        connection(ledger).execute("PRAGMA query_only = ON")
        with pytest.raises(LedgerError, match="cannot be written"):
            add(ledger)


def test_text_that_is_not_utf_8_is_damage_in_words(path: Path) -> None:
    with open_sqlite(path) as ledger:
        add(ledger)
        db = connection(ledger)
        db.execute("DROP TRIGGER entries_no_update")
        db.execute("UPDATE entries SET body = CAST(x'ff' AS TEXT)")
        with pytest.raises(LedgerCorrupt, match="is damaged"):
            ledger.read("s")
        assert "body is b'\\xff', not text" in str(verify(ledger))


def test_damage_below_the_tables_is_a_problem_for_verify(path: Path) -> None:
    filled(path)
    data = bytearray(path.read_bytes())
    with open_sqlite(path) as ledger:
        (root,) = (
            connection(ledger)
            .execute("SELECT rootpage FROM sqlite_master WHERE name = 'entries'")
            .fetchone()
        )
    start = (root - 1) * 4096
    data[start : start + 8] = b"\xff" * 8
    path.write_bytes(data)
    with open_sqlite(path) as ledger:
        report = verify(ledger)
        assert any(str(one).startswith("store: SQLite: ") for one in report.problems)
        assert any(str(one).startswith("table entries: is damaged") for one in report.problems)
        with pytest.raises(LedgerCorrupt, match="is damaged"):
            ledger.read("s")


def test_a_store_whose_check_fails_says_so(path: Path) -> None:
    class Failing:
        def execute(self, statement: str) -> object:
            raise sqlite3.DatabaseError("malformed")

    failing: Any = Failing()
    assert sqlite._Picture(failing, "ledger", lambda: True).complaints() == ("SQLite: malformed",)


def test_a_file_that_was_removed_is_a_problem_for_verify_and_not_made_again(path: Path) -> None:
    with open_sqlite(path) as ledger:
        path.unlink()
        report = verify(ledger)
        assert not report.ok
        assert "cannot be opened" in str(report)
    assert not path.exists()


# --- guards and foreign things ---------------------------------------------------------------


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET body = '{}'",
        "UPDATE entries SET seq = 5",
        "DELETE FROM entries",
        "INSERT OR REPLACE INTO entries SELECT * FROM entries WHERE seq = 1",
        "REPLACE INTO entries SELECT scope, 9, 0, 'x', NULL, '', 'r', 1, '', '', 1 FROM entries",
        "REPLACE INTO anchors SELECT * FROM anchors",
        "REPLACE INTO anchors SELECT 9, scope, seq, head, at_ms, prev, hash FROM anchors",
        "UPDATE anchors SET n = 9",
        "DELETE FROM anchors",
    ],
)
def test_k1_the_file_itself_refuses_changes(path: Path, statement: str) -> None:
    with open_sqlite(path) as ledger:
        ledger.append("s", NOTE, expected_head=None, request_id="r", now_ms=1)
    with closing(sqlite3.connect(path)) as db, pytest.raises(sqlite3.IntegrityError) as caught:
        db.execute(statement)
    assert "append-only" in str(caught.value)
    with open_sqlite(path) as ledger:
        assert verify(ledger).ok


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("CREATE TABLE songs (name TEXT)", "table 'songs' is no part of a ledger"),
        ("CREATE VIEW v AS SELECT 1", "view 'v' is no part of a ledger"),
        ("DROP INDEX entries_public_kind", "index 'entries_public_kind' is missing"),
        ("DROP TRIGGER anchors_no_delete", "trigger 'anchors_no_delete' is missing"),
        ("ALTER TABLE entries ADD COLUMN more TEXT", "table 'entries' was redefined"),
    ],
)
def test_k1_verify_lists_what_is_no_part_of_a_ledger(
    path: Path, statement: str, problem: str
) -> None:
    filled(path)
    with closing(sqlite3.connect(path)) as db:
        db.execute(statement)
    with open_sqlite(path) as ledger:
        assert [str(one) for one in verify(ledger).problems] == [f"store: {problem}"]


def test_what_analyze_writes_is_no_problem(path: Path) -> None:
    filled(path)
    with closing(sqlite3.connect(path)) as db:
        db.execute("ANALYZE")
        assert db.execute("SELECT count(*) FROM sqlite_stat1").fetchone()[0] > 0
    with open_sqlite(path) as ledger:
        assert verify(ledger).ok


@pytest.mark.parametrize("where", ["file", "memory"])
def test_verify_looks_at_one_moment_while_others_write(path: Path, where: str) -> None:
    with open_sqlite(path if where == "file" else ":memory:") as ledger:
        add(ledger)
        with ledger.raw() as tables:
            add(ledger)
            add(ledger, "t")
            assert len(list(tables.rows("entries"))) == 1
            assert len(list(tables.rows("anchors"))) == 1
            assert tables.complaints() == ()
        assert verify(ledger).entries == 3


def test_find_uses_its_index(path: Path) -> None:
    with open_sqlite(path) as ledger:
        seen: list[str] = []
        db = connection(ledger)
        db.set_trace_callback(seen.append)
        ledger.find("note", limit=3)
        ledger.find("note", limit=3, newest_first=False)
        db.set_trace_callback(None)
        for statement in seen:
            plan = str(db.execute(f"EXPLAIN QUERY PLAN {statement}").fetchall())
            assert "entries_public_kind (kind=?)" in plan
            assert "TEMP B-TREE" not in plan
        assert len(seen) == 2


# --- migrating -------------------------------------------------------------------------------


@pytest.fixture
def newer(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, SECOND))
        yield patch


@pytest.mark.parametrize("left_over", [True, False])
def test_an_older_ledger_is_migrated_after_it_was_copied(
    path: Path, newer: pytest.MonkeyPatch, left_over: bool
) -> None:
    with newer.context() as older:
        older.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:1])
        filled(path)
    copy = path.with_name("ledger.db.before-v2.bak")
    if left_over:
        copy.with_name(f"{copy.name}.part").write_text("by a crash", encoding="utf-8")
    with open_sqlite(path) as ledger:
        assert ledger.schema_version() == 2
        assert len(ledger.read("s")) == 1
        add(ledger)
        assert verify(ledger).ok
    with open_sqlite(path) as ledger:
        assert len(ledger.read("s")) == 2
    assert sorted(file.name for file in path.parent.iterdir()) == ["ledger.db", copy.name]
    newer.undo()
    with open_sqlite(copy, create=False) as ledger:
        assert ledger.schema_version() == 1
        assert len(ledger.read("s")) == 1
        assert verify(ledger).ok


def test_a_ledger_that_cannot_be_copied_is_not_migrated(
    path: Path, newer: pytest.MonkeyPatch
) -> None:
    with newer.context() as older:
        older.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:1])
        filled(path)
    path.with_name("ledger.db.before-v2.bak.part").mkdir()
    with pytest.raises(LedgerError, match="cannot be copied"):
        open_sqlite(path)
    newer.undo()
    with open_sqlite(path) as ledger:
        assert ledger.schema_version() == 1
        assert verify(ledger).ok


def test_a_new_ledger_is_made_with_all_migrations_and_no_copy(
    path: Path, newer: pytest.MonkeyPatch
) -> None:
    for where in (path, ":memory:"):
        with open_sqlite(where) as ledger:
            add(ledger)
            assert ledger.schema_version() == 2
            assert verify(ledger).ok
    assert [file.name for file in path.parent.iterdir()] == ["ledger.db"]


def test_a_migration_that_fails_leaves_the_ledger_as_it_was(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(path)
    broken = Migration(
        number=2, statements=("CREATE TABLE half (a TEXT)", "CREATE TABLE nonsense")
    )
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, broken))
        with pytest.raises(LedgerError):
            open_sqlite(path)
    with open_sqlite(path) as ledger:
        assert ledger.schema_version() == 1
        assert verify(ledger).ok


def test_a_newer_ledger_is_refused_with_a_sentence_and_left_alone(
    path: Path, newer: pytest.MonkeyPatch
) -> None:
    filled(path)
    newer.undo()
    content = path.read_bytes()
    with pytest.raises(LedgerTooNew) as caught:
        open_sqlite(path)
    assert said(caught) == (
        "was written with schema 2, and this version of comity knows schemas up to 1"
    )
    assert caught.value.faults[0].next == "update comity, then open the ledger again"
    assert path.read_bytes() == content


def test_an_unreadable_schema_number_is_refused(path: Path) -> None:
    filled(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("UPDATE meta SET value = 'one' WHERE name = 'schema_version'")
    with pytest.raises(LedgerCorrupt, match="schema version reads 'one'"):
        open_sqlite(path)


def test_nothing_stays_open_when_opening_fails(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Any] = []

    def connect(*args: Any, **options: Any) -> sqlite3.Connection:
        made: sqlite3.Connection = real(*args, **options)
        opened.append(made)
        return made

    real: Any = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", connect)
    path.write_bytes(b"not a database " * 100)
    with pytest.raises(LedgerError):
        open_sqlite(path)
    path.unlink()
    with closing(real(path)) as db:
        db.execute("CREATE TABLE songs (name TEXT)")
    with pytest.raises(LedgerError):
        open_sqlite(path)
    monkeypatch.setattr(sqlite, "_PRAGMAS", ("PRAGMA nonsense(",))
    with pytest.raises(LedgerError):
        open_sqlite(path)
    assert len(opened) == 3
    for db in opened:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            db.execute("SELECT 1")


# --- a file that is taken away ---------------------------------------------------------------


def emptied(path: Path) -> None:
    for part in ("", "-wal"):
        with Path(f"{path}{part}").open("r+b") as file:
            file.truncate(0)


def swapped(path: Path) -> None:
    path.rename(path.with_name("old.db"))
    filled(path)


TAKEN = {
    "was removed": Path.unlink,
    "was replaced by another": swapped,
    "was cut from": emptied,
    "its file ledger.db-wal was removed": lambda path: Path(f"{path}-wal").unlink(),
}


@pytest.mark.skipif(os.name != "posix", reason="files: this system keeps open files in place")
@pytest.mark.parametrize("told", TAKEN)
def test_k3_nothing_is_acknowledged_in_a_file_that_was_taken_away(path: Path, told: str) -> None:
    with open_sqlite(path) as ledger:
        add(ledger)
        TAKEN[told](path)
        for _ in range(2):
            with pytest.raises(LedgerError, match=told) as caught:
                add(ledger)
            assert said(caught).endswith("nothing of this call was written")
        (fault,) = caught.value.faults
        assert "put it back" in fault.next


@pytest.mark.skipif(os.name != "posix", reason="files: this system keeps open files in place")
def test_k3_a_file_that_is_taken_away_while_it_is_committed_is_told(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = SqliteDatabase._run

    def commits(self: SqliteDatabase, statement: str, values: Any) -> Any:
        found = run(self, statement, values)
        if statement == "COMMIT":
            path.rename(path.with_name("aside.db"))
        return found

    with open_sqlite(path) as ledger:
        add(ledger)
        monkeypatch.setattr(SqliteDatabase, "_run", commits)
        with pytest.raises(LedgerError, match="this call is not in the file that is there now"):
            add(ledger)
        monkeypatch.undo()
        path.with_name("aside.db").rename(path)
        add(ledger)
        assert len(ledger.read("s")) == 3


# --- a file that nobody can write ------------------------------------------------------------


def unready(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse the log's memory to who would write, as a folder of somebody else's does."""
    connect = sqlite._connect

    def refused(path: Path | None, mode: str) -> sqlite3.Connection:
        if path is not None and "immutable" not in mode:
            error = sqlite3.OperationalError("unable to open database file")
            error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
            raise error
        return connect(path, mode)

    monkeypatch.setattr(sqlite, "_connect", refused)


def test_what_cannot_be_written_is_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(path)
    with monkeypatch.context() as patched:
        unready(patched)
        with open_sqlite(path, create=False) as ledger:
            assert len(ledger.read("s")) == 1
            assert ledger.anchor() == ledger.head()
            assert verify(ledger, head=ledger.head()).ok
            with pytest.raises(LedgerReadOnly, match="cannot be written"):
                add(ledger)
    assert sorted(one.name for one in path.parent.iterdir()) == ["ledger.db"]


def test_what_is_only_read_is_read_anew_when_it_was_written(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(path)
    with monkeypatch.context() as patched:
        unready(patched)
        ledger = open_sqlite(path, create=False)
    with ledger, open_sqlite(path) as writer:
        assert len(ledger.read("s")) == 1
        add(writer)
        assert len(ledger.read("s")) == 2
        assert verify(ledger).entries == 2


def test_who_cannot_follow_a_writer_says_so(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(path)
    states = iter(range(100))
    unready(monkeypatch)
    with open_sqlite(path, create=False) as ledger:
        monkeypatch.setattr(sqlite, "stillness", lambda _: (next(states),))
        with pytest.raises(LedgerError, match="was written while it was read"):
            ledger.read("s")
        assert "was written while it was read" in str(verify(ledger))


def test_a_log_that_cannot_be_read_is_not_passed_over(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_sqlite(path) as writer:
        add(writer)
        unready(monkeypatch)
        with pytest.raises(LedgerReadOnly, match="has entries in ledger"):
            open_sqlite(path, create=False)
