"""ledger/postgres.py: opening, locking, migrating, guards and words on PostgreSQL (ENGINE 7)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from threading import Event, Thread
from typing import Any

import pytest

if os.environ.get("CI") == "true":
    import psycopg  # where it is missing, that is a failure
else:
    psycopg = pytest.importorskip("psycopg", reason="postgres: psycopg is not installed")

from comity.core.errors import (
    ComityError,
    InvalidInput,
    LedgerCorrupt,
    LedgerError,
    LedgerTooNew,
)
from comity.ledger import connections, schema
from comity.ledger.entry import Entry, NewEntry
from comity.ledger.open import migrate_ledger
from comity.ledger.postgres import PostgresDatabase, open_postgres
from comity.ledger.postgres_form import FORM
from comity.ledger.schema import Migration
from comity.ledger.tables import TableLedger, Turn
from comity.ledger.verify import verify
from comity.testing.ledger_checks import fill_ledger

NOTE = [NewEntry("note", {"text": "hello"})]
SECOND = Migration(
    number=2,
    statements=(
        "CREATE TABLE extra (name TEXT NOT NULL, CONSTRAINT extra_key PRIMARY KEY (name))",
        "ALTER TABLE heads ADD COLUMN note TEXT",
    ),
)
QUIET = """CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN RETURN NULL; END $$"""


class Place:
    """A place for a ledger, and a hand that works there behind its back."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.database, _, self.schema = url.partition("&schema=")

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.database, autocommit=True) as db:
            db.execute(f"SET search_path TO {self.schema}")
            cursor = db.execute(statement)
            return cursor.fetchall() if cursor.description else []


@pytest.fixture
def place(postgres_place: Callable[[], str]) -> Place:
    return Place(postgres_place())


@pytest.fixture
def ledger(place: Place) -> Iterator[TableLedger]:
    with open_postgres(place.url) as opened:
        yield opened


def add(ledger: TableLedger, scope: str = "s") -> None:
    ledger.append(scope, NOTE, expected_head=None, request_id=None, now_ms=1)


def said(error: pytest.ExceptionInfo[ComityError]) -> str:
    (fault,) = error.value.faults
    return fault.what


# --- opening ---------------------------------------------------------------------------------


def test_a_ledger_is_there_when_it_is_opened_again(place: Place) -> None:
    with open_postgres(place.url) as ledger:
        add(ledger)
    with open_postgres(place.url, create=False) as ledger:
        assert len(ledger.read("s")) == 1
        assert ledger.schema_version() == 1
        assert repr(ledger) == f"<ledger {place.url}>"


def test_ledgers_of_two_schemas_in_one_database_do_not_meet(
    postgres_place: Callable[[], str],
) -> None:
    with open_postgres(postgres_place()) as one, open_postgres(postgres_place()) as other:
        add(one)
        assert other.heads() == ()
        assert other.head() == ""


def test_a_ledger_that_is_not_there_is_made_only_when_it_may_be(place: Place) -> None:
    with pytest.raises(InvalidInput, match="has no tables"):
        open_postgres(place.url, create=False)
    assert (place.schema,) not in place.run("SELECT nspname FROM pg_namespace")
    place.run(f"CREATE SCHEMA {place.schema}")
    open_postgres(place.url).close()


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE songs (name TEXT)",
        "CREATE TABLE meta (name TEXT, value TEXT); CREATE TABLE entries (id INTEGER)",
        "CREATE VIEW entries AS SELECT 1",
    ],
)
def test_tables_of_another_program_are_refused_and_left_alone(
    place: Place, statement: str
) -> None:
    place.run(f"CREATE SCHEMA {place.schema}")
    place.run(statement)
    for create in (True, False):
        with pytest.raises(LedgerError, match="with other tables in it"):
            open_postgres(place.url, create=create)


def test_a_damaged_number_of_the_schema_is_told(place: Place) -> None:
    open_postgres(place.url).close()
    place.run("UPDATE meta SET value = 'x' WHERE name = 'schema_version'")
    with pytest.raises(LedgerCorrupt, match="schema version reads 'x'"):
        open_postgres(place.url)


@pytest.mark.parametrize("change", ["/nowhere?", "/postgres?port=1&"])
def test_what_cannot_be_reached_is_told_at_once(place: Place, change: str) -> None:
    head, _, tail = place.url.partition("/test_")
    url = f"{head}{change}{tail.partition('?')[2]}&password=secret"
    with pytest.raises(LedgerError, match="cannot be reached") as caught:
        open_postgres(url)
    assert "secret" not in str(caught.value)
    assert "check the URL" in str(caught.value)


@pytest.mark.parametrize(
    ("encoding", "number", "what"),
    [("SQL_ASCII", 180000, "keeps text as SQL_ASCII"), ("UTF8", 120022, "is on PostgreSQL 12.22")],
)
def test_an_unfit_database_is_refused(
    place: Place, monkeypatch: pytest.MonkeyPatch, encoding: str, number: int, what: str
) -> None:
    told = f"SELECT %s::text, '{encoding}', {number}, '12.22'"
    monkeypatch.setattr(connections, "_SETTINGS_SQL", told)
    with pytest.raises(LedgerError, match=what):
        open_postgres(place.url)


def test_a_commit_is_on_disk_before_it_is_answered(place: Place) -> None:
    """A server that is told to answer early is told not to, for these connections."""
    url = f"{place.url}&options=-csynchronous_commit%3Doff"
    with open_postgres(url) as ledger:
        database = ledger.database
        assert isinstance(database, PostgresDatabase)
        with database._connections.lent() as link:
            assert link.execute("SHOW synchronous_commit") == [("on",)]
            assert link.execute("SHOW idle_in_transaction_session_timeout") == [("8s",)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork: this system has none")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_forked_process_is_refused_and_does_no_harm(ledger: TableLedger) -> None:
    add(ledger)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            ledger.read("s")
        except LedgerError as error:
            code = 0 if "was forked from" in str(error) else 2
        ledger.close()
        os._exit(code)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert len(ledger.read("s")) == 1


# --- locking ---------------------------------------------------------------------------------


def holding(ledger: TableLedger, scope: str, let_go: Event) -> Thread:
    """Start a thread that holds the lock of a scope until it is told to let go."""
    held = Event()

    def rule(_: tuple[Entry, ...]) -> list[NewEntry]:
        held.set()
        assert let_go.wait(60)
        return NOTE

    thread = Thread(target=lambda: ledger.transact(scope, rule, request_id=None, now_ms=1))
    thread.start()
    assert held.wait(60)
    return thread


def test_scopes_are_written_side_by_side(ledger: TableLedger) -> None:
    let_go = Event()
    thread = holding(ledger, "slow", let_go)
    add(ledger, "other")
    assert [head.scope for head in ledger.heads()] == ["other"]
    let_go.set()
    thread.join(60)
    assert [head.scope for head in ledger.heads()] == ["other", "slow"]
    assert verify(ledger).ok


def test_a_lock_held_too_long_is_told(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    short = connections._SETTINGS_SQL.replace("'15s'", "'50ms'")
    monkeypatch.setattr(connections, "_SETTINGS_SQL", short)
    let_go = Event()
    with open_postgres(place.url) as ledger, open_postgres(place.url) as other:
        thread = holding(ledger, "s", let_go)
        with pytest.raises(LedgerError, match="was locked by another process"):
            add(other)
        let_go.set()
        thread.join(60)
        assert len(ledger.read("s")) == 1


def test_a_rule_that_reads_the_ledger_uses_its_own_connection(ledger: TableLedger) -> None:
    """Else as many rules at once as there are connections would wait for one more for ever."""
    seen: list[int] = []

    def rule(rows: tuple[Entry, ...]) -> list[NewEntry]:
        seen.append(len(ledger.read("s")))
        return NOTE

    threads = [
        Thread(
            target=lambda n=n: ledger.transact(f"s{n}", rule, request_id=None, now_ms=1)  # type: ignore[misc]
        )
        for n in range(connections._MOST + 2)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join(60)
    assert seen == [0] * len(threads)


def test_connections_are_few_and_used_again(place: Place, ledger: TableLedger) -> None:
    threads = [Thread(target=add, args=(ledger, f"s{n}")) for n in range(20)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(60)
    for _ in range(5):
        add(ledger)
    database = ledger.database
    assert isinstance(database, PostgresDatabase)
    assert 1 <= len(database._connections._idle) <= connections._MOST
    ledger.close()
    assert database._connections._idle == []


@pytest.mark.parametrize(("request_id", "most"), [(None, 3), ("r", 4)])
def test_an_append_waits_for_the_server_four_times_at_most(
    ledger: TableLedger, monkeypatch: pytest.MonkeyPatch, request_id: str | None, most: int
) -> None:
    add(ledger)
    real, sent = connections.Link._sent, []

    def counting(self: connections.Link, statements: Any) -> list[tuple[Any, ...]]:
        sent.append([statement.split()[0] for statement, _ in statements])
        return real(self, statements)

    monkeypatch.setattr(connections.Link, "_sent", counting)
    ledger.append("s", NOTE * 3, expected_head=None, request_id=request_id, now_ms=1)
    assert len(sent) == most
    assert sent[-1] == ["INSERT", "INSERT", "INSERT", "UPDATE", "COMMIT"]


@pytest.mark.parametrize("can", [True, False])
def test_what_is_put_off_is_refused_in_words_and_takes_all_back(
    ledger: TableLedger, monkeypatch: pytest.MonkeyPatch, can: bool
) -> None:
    monkeypatch.setattr(connections, "_CAN_PIPELINE", can)
    add(ledger)
    twice = "INSERT INTO heads (seq, hash, at_ms, scope) VALUES (1, 'x', 1, ?)"

    def work(turn: Turn) -> None:
        turn.run(twice, ("t",))
        turn.run(twice, ("s",))
        turn.run(twice, ("u",))

    with pytest.raises(LedgerError, match=r"was refused by PostgreSQL \(duplicate key"):
        ledger.database.write("s", work, once=True)
    assert [head.scope for head in ledger.heads()] == ["s"]
    add(ledger)
    assert verify(ledger).entries == 2


# --- migrating -------------------------------------------------------------------------------


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, SECOND))


def test_an_older_ledger_is_migrated_by_command_and_not_before(
    place: Place, request: pytest.FixtureRequest
) -> None:
    with open_postgres(place.url) as ledger:
        fill_ledger(ledger)
    assert migrate_ledger(place.url) == (1, 1)
    request.getfixturevalue("two")
    with pytest.raises(LedgerError, match="comity ledger --migrate") as caught:
        open_postgres(place.url)
    assert said(caught).startswith("was written with schema 1, and this version")
    assert migrate_ledger(place.url) == (1, 2)
    with open_postgres(place.url, create=False) as ledger:
        assert ledger.schema_version() == 2
        assert len(ledger.read("alpha", everything=True)) == 5
    assert place.run("SELECT count(*) FROM extra") == [(0,)]


@pytest.mark.usefixtures("two")
def test_a_new_ledger_gets_every_migration(place: Place) -> None:
    assert migrate_ledger(place.url) == (0, 2)
    with open_postgres(place.url) as ledger:
        assert ledger.schema_version() == 2


def test_a_newer_ledger_is_refused_in_one_sentence(place: Place) -> None:
    open_postgres(place.url).close()
    place.run("UPDATE meta SET value = '7' WHERE name = 'schema_version'")
    for call in (open_postgres, migrate_ledger):
        with pytest.raises(LedgerTooNew) as caught:
            call(place.url)
        assert said(caught) == (
            "was written with schema 7, and this version of comity knows schemas up to 1"
        )


def test_a_migration_that_fails_changes_nothing(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_postgres(place.url) as ledger:
        add(ledger)
    bad = Migration(number=2, statements=("CREATE TABLE extra (n BIGINT)", "CREATE NONSENSE"))
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, bad))
        with pytest.raises(LedgerError, match="was refused by PostgreSQL"):
            migrate_ledger(place.url)
    with open_postgres(place.url) as ledger:
        assert verify(ledger).ok


# --- guards and form -------------------------------------------------------------------------


@pytest.mark.parametrize("table", ["entries", "anchors"])
@pytest.mark.parametrize(
    "how", ["UPDATE {} SET scope = 'x'", "DELETE FROM {}", "TRUNCATE {} CASCADE"]
)
def test_what_is_append_only_refuses_to_be_changed(
    place: Place, ledger: TableLedger, table: str, how: str
) -> None:
    add(ledger)
    with pytest.raises(psycopg.Error, match=f"append-only: {table} are never changed"):
        place.run(how.format(table))
    assert verify(ledger).ok


def test_the_form_is_what_the_catalog_says(ledger: TableLedger) -> None:
    with ledger.raw() as tables:
        assert tables.complaints() == ()
    assert len(FORM) == 4 + 24 + 6 + 7 + 1 + 2


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("DROP TRIGGER entries_no_change ON entries", "trigger entries_no_change is missing"),
        ("ALTER TABLE anchors DISABLE TRIGGER ALL", "trigger anchors_no_change was redefined"),
        (QUIET, "function refuse_change was redefined"),
        ("DROP INDEX entries_public_kind", "index entries_public_kind is missing"),
        (
            "ALTER TABLE entries DROP CONSTRAINT entries_request",
            "constraint entries_request is missing",
        ),
        ("ALTER TABLE heads ADD COLUMN x INT", "column heads.x is no part of a ledger"),
        ('ALTER TABLE meta ALTER value TYPE TEXT COLLATE "default"', "meta.value was redefined"),
        ("ALTER TABLE heads SET UNLOGGED", "relation heads was redefined"),
        ("ALTER TABLE heads ENABLE ROW LEVEL SECURITY", "relation heads was redefined"),
        ("CREATE VIEW peek AS SELECT * FROM heads", "relation peek is no part of a ledger"),
        (
            "CREATE RULE quiet AS ON INSERT TO heads DO INSTEAD NOTHING",
            "rule quiet is no part of a ledger",
        ),
        (
            "CREATE TRIGGER more BEFORE INSERT ON heads EXECUTE FUNCTION refuse_change()",
            "trigger more is no part of a ledger",
        ),
        ("ALTER TABLE heads ALTER seq DROP NOT NULL", "column heads.seq was redefined"),
        ("ALTER TABLE heads ALTER seq SET DEFAULT 1", "column heads.seq was redefined"),
    ],
)
def test_k1_what_was_changed_about_the_tables_is_found(
    place: Place, ledger: TableLedger, statement: str, told: str
) -> None:
    add(ledger)
    place.run(statement)
    assert told in str(verify(ledger))


def test_a_lost_table_is_told_in_words(place: Place, ledger: TableLedger) -> None:
    add(ledger)
    place.run("DROP TABLE heads")
    with pytest.raises(LedgerCorrupt, match="has lost a table"):
        ledger.heads()
    with pytest.raises(LedgerCorrupt, match="has lost a table"):
        add(ledger)
    assert not verify(ledger).ok


def test_a_picture_stands_still(ledger: TableLedger) -> None:
    add(ledger)
    with ledger.raw() as tables:
        add(ledger)
        assert len(list(tables.rows("entries"))) == 1
    assert verify(ledger).entries == 2


# --- words -----------------------------------------------------------------------------------


def test_a_user_needs_the_rights_that_the_page_names_and_no_others(
    place: Place, ledger: TableLedger
) -> None:
    add(ledger)
    user = f"reader_{place.schema}_{os.getpid()}"
    place.run(f"CREATE ROLE {user} LOGIN")
    try:
        place.run(f"GRANT USAGE ON SCHEMA {place.schema} TO {user}")
        place.run(f"GRANT SELECT ON ALL TABLES IN SCHEMA {place.schema} TO {user}")
        url = place.url.replace("user=postgres", f"user={user}")
        with open_postgres(url, create=False) as reader:
            assert len(reader.read("s")) == 1
            assert verify(reader).ok
            with pytest.raises(LedgerError, match="may not be used so by this user"):
                add(reader)
            place.run(f"GRANT INSERT ON ALL TABLES IN SCHEMA {place.schema} TO {user}")
            place.run(f"GRANT UPDATE ON heads TO {user}")
            add(reader)
            assert len(reader.read("s")) == 2
    finally:
        place.run(f"DROP OWNED BY {user}")
        place.run(f"DROP ROLE {user}")
