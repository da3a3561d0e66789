"""K1: verify finds any change, gap and reorder, and the tests say what it cannot find.

Every stored byte is flipped in turn, three ways: with SQL in the file (what SQLite itself refuses,
such as a second row of one key, is counted apart), in the rows as verify is handed them (nothing
is refused there), and in the bytes of the file.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, cast, get_args

import pytest

from comity.core.errors import ComityError, LedgerCorrupt
from comity.ledger.entry import NewEntry
from comity.ledger.open import open_ledger
from comity.ledger.port import Ledger, Table
from comity.ledger.verify import Problem, verify
from comity.testing.ledger_checks import fill_ledger

FULL = os.environ.get("COMITY_FULL") == "1"
TABLES: tuple[Table, ...] = get_args(Table)
ALL_BITS = (1, 2, 4, 8, 16, 32, 64, 128)
STRIDE = 5 if FULL else 251

Rows = dict[Table, list[tuple[Any, ...]]]


class Tamperer:
    """A ledger in a file, and a hand that changes the file behind its back."""

    def __init__(self, path: Path) -> None:
        self.ledger = open_ledger(path)
        fill_ledger(self.ledger)
        self.db = sqlite3.connect(path, isolation_level=None)
        self.db.execute("PRAGMA synchronous = OFF")
        guards = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        for (name,) in self.db.execute(guards).fetchall():
            self.db.execute(f"DROP TRIGGER {name}")
        self.known = set(verify(self.ledger).problems)

    def found(self) -> set[Problem]:
        """What verify finds beyond the guards that were dropped."""
        return set(verify(self.ledger).problems) - self.known

    def run(self, statement: str, *values: object) -> list[Any]:
        return self.db.execute(statement, values).fetchall()

    def rows(self, table: Table) -> list[dict[str, Any]]:
        cursor = self.db.execute(f"SELECT rowid AS at, * FROM {table} ORDER BY rowid")  # noqa: S608
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor]

    def put(self, table: Table, at: int, column: str, value: object) -> None:
        """Store a value in one column of a row; bytes are stored as text, valid or not."""
        mark = "CAST(? AS TEXT)" if isinstance(value, bytes) else "?"
        statement = f"UPDATE {table} SET {column} = {mark} WHERE rowid = ?"  # noqa: S608
        self.run(statement, value, at)


@pytest.fixture
def tamperer(tmp_path: Path) -> Iterator[Tamperer]:
    made = Tamperer(tmp_path / "ledger.db")
    with made.ledger, closing(made.db):
        yield made


def flips(value: object, bits: tuple[int, ...]) -> Iterator[object]:
    """Every byte of a value flipped in turn; text comes as bytes, as it may not be UTF-8."""
    data = (
        value.encode()
        if isinstance(value, str)
        else value.to_bytes(8, "big", signed=True)
        if isinstance(value, int)
        else b""
    )
    for at, byte in enumerate(data):
        for bit in bits:
            flipped = data[:at] + bytes([byte ^ bit]) + data[at + 1 :]
            is_text = isinstance(value, str)
            yield flipped if is_text else int.from_bytes(flipped, "big", signed=True)


def values_of(row: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    return ((column, value) for column, value in row.items() if column != "at")


@pytest.mark.parametrize("table", TABLES)
def test_k1_every_flipped_byte_of_every_column_is_found(tamperer: Tamperer, table: Table) -> None:
    assert len(tamperer.known) == 6, "only the dropped guards are missed"
    assert not tamperer.found()
    tried = refused = 0
    for row in tamperer.rows(table):
        for column, value in values_of(row):
            for flipped in flips(value, ALL_BITS if FULL else (1,)):
                tried += 1
                try:
                    tamperer.put(table, row["at"], column, flipped)
                except sqlite3.IntegrityError:
                    refused += 1
                    continue
                assert tamperer.found(), (row, column, flipped)
                tamperer.put(table, row["at"], column, value)
    assert not tamperer.found()
    assert tried >= {"entries": 2000, "heads": 200, "anchors": 800, "meta": 30}[table]
    assert refused < tried / 50


@pytest.mark.parametrize("table", TABLES)
def test_k1_a_value_of_another_type_is_found(tamperer: Tamperer, table: Table) -> None:
    changed = 0
    row = tamperer.rows(table)[1]
    for column, value in values_of(row):
        for other in (None, 70, 7.5, "70", "x", "", memoryview(b"x"), memoryview(b"\xff")):
            try:
                tamperer.put(table, row["at"], column, other)
            except sqlite3.IntegrityError:
                assert other is None
                continue
            if tamperer.rows(table)[1][column] != value:
                changed += 1
                assert tamperer.found(), (column, other)
            tamperer.put(table, row["at"], column, value)
    assert not tamperer.found()
    assert changed >= 6 * (len(row) - 1)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("which", ["first", "middle", "last"])
def test_k1_a_removed_row_is_found(tamperer: Tamperer, table: Table, which: str) -> None:
    rows = tamperer.rows(table)
    at = {"first": 0, "middle": len(rows) // 2, "last": -1}[which]
    tamperer.run(f"DELETE FROM {table} WHERE rowid = ?", rows[at]["at"])  # noqa: S608
    assert tamperer.found()


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("how", ["DELETE FROM", "DROP TABLE"])
def test_k1_an_emptied_or_dropped_table_is_found(
    tamperer: Tamperer, table: Table, how: str
) -> None:
    tamperer.run(f"{how} {table}")
    assert tamperer.found()


@pytest.mark.parametrize("table", TABLES)
def test_k1_an_added_row_is_found(tamperer: Tamperer, table: Table) -> None:
    new: dict[Table, str] = {
        "entries": "SELECT scope, seq + 1, 0, kind, party, body, NULL, at_ms, hash, hash, v"
        " FROM entries WHERE scope = 'alpha' ORDER BY seq DESC LIMIT 1",
        "heads": "SELECT 'delta', seq, hash, at_ms FROM heads LIMIT 1",
        "anchors": "SELECT n + 1, scope, 2, head, at_ms, hash, hash FROM anchors"
        " ORDER BY n DESC LIMIT 1",
        "meta": "SELECT 'more', 'x'",
    }
    tamperer.run(f"INSERT INTO {table} {new[table]}")
    assert tamperer.found()


@pytest.mark.parametrize("column", ["seq", "kind", "body", "request_id", "at_ms", "prev", "hash"])
def test_k1_values_swapped_between_two_entries_are_found(tamperer: Tamperer, column: str) -> None:
    rows = tamperer.rows("entries")
    one, other = (row for row in rows if row["scope"] == "beta" and row["seq"] > 1)
    swap(tamperer, "entries", column, one, other)
    assert tamperer.found()


@pytest.mark.parametrize("column", ["n", "scope", "seq", "head", "at_ms", "prev", "hash"])
def test_k1_values_swapped_between_two_anchors_are_found(tamperer: Tamperer, column: str) -> None:
    *_, one, other = tamperer.rows("anchors")
    one["at_ms"] = 2
    tamperer.put("anchors", one["at"], "at_ms", 2)
    swap(tamperer, "anchors", column, one, other)
    assert tamperer.found()


@pytest.mark.parametrize("column", ["scope", "seq", "hash", "at_ms"])
def test_k1_values_swapped_between_two_heads_are_found(tamperer: Tamperer, column: str) -> None:
    one, other = tamperer.rows("heads")[:2]
    swap(tamperer, "heads", column, one, other)
    assert tamperer.found()


def swap(
    tamperer: Tamperer, table: Table, column: str, one: dict[str, Any], other: dict[str, Any]
) -> None:
    assert one[column] != other[column]
    aside = 10**6 if isinstance(one[column], int) else "aside"
    tamperer.put(table, one["at"], column, aside)
    tamperer.put(table, other["at"], column, one[column])
    tamperer.put(table, one["at"], column, other[column])


@pytest.mark.parametrize("scope", ["alpha", "beta", "gamma ü"])
def test_k1_a_session_dropped_with_its_head_is_found(tamperer: Tamperer, scope: str) -> None:
    tamperer.run("DELETE FROM entries WHERE scope = ?", scope)
    tamperer.run("DELETE FROM heads WHERE scope = ?", scope)
    assert any(scope in problem.where for problem in tamperer.found())


def cut(tamperer: Tamperer, scope: str, after: int) -> None:
    """Remove a scope's tail and rewrite its head to fit."""
    tamperer.run("DELETE FROM entries WHERE scope = ? AND seq > ?", scope, after)
    tamperer.run(
        "UPDATE heads SET (seq, hash, at_ms) = (SELECT seq, hash, at_ms FROM entries"
        " WHERE scope = ? AND seq = ?) WHERE scope = ?",
        scope,
        after,
        scope,
    )


def test_k1_a_sealed_session_cannot_lose_its_tail(tamperer: Tamperer) -> None:
    cut(tamperer, "alpha", 3)
    assert {problem.where for problem in tamperer.found()} == {"scope 'alpha', entry 5"}


def test_k1_limit_a_tail_behind_the_last_anchor_cut_with_its_head_is_not_found(
    tamperer: Tamperer,
) -> None:
    """What the documentation says verify cannot find is really not found."""
    cut(tamperer, "beta", 2)
    assert not tamperer.found()


def test_k1_a_head_that_was_made_to_be_kept_finds_every_cut_tail(tmp_path: Path) -> None:
    """Also of what is never sealed, far behind its opening: a desk, an open session."""
    with open_ledger(tmp_path / "long.db") as ledger:
        for n in range(61):
            new = [NewEntry("note", {"n": n})]
            ledger.append("desk/claims", new, expected_head=None, request_id=None, now_ms=n)
        opening = ledger.head()
        kept = ledger.anchor()
        assert verify(ledger, head=kept).ok
    for with_anchors in (False, True):
        with closing(sqlite3.connect(tmp_path / "long.db")) as db, db:
            if with_anchors:
                db.execute("DROP TRIGGER anchors_no_delete")
                db.execute("DELETE FROM anchors WHERE n > 1")
            else:
                db.execute("DROP TRIGGER entries_no_delete")
            db.execute("DELETE FROM entries WHERE seq > 11")
            db.execute(
                "UPDATE heads SET (seq, hash, at_ms) ="
                " (SELECT seq, hash, at_ms FROM entries WHERE seq = 11)"
            )
        with open_ledger(tmp_path / "long.db") as ledger:
            told = [str(one) for one in verify(ledger, head=kept).problems]
            assert any("none has the head" in one for one in told) is with_anchors
            assert any("anchor 2 names it" in one for one in told) is not with_anchors
            assert not any("head" in str(one) for one in verify(ledger, head=opening).problems)


def test_k1_what_does_not_stand_as_its_anchors_say_is_not_anchored_again(
    tamperer: Tamperer,
) -> None:
    tamperer.ledger.anchor()
    cut(tamperer, "alpha", 3)
    with pytest.raises(LedgerCorrupt, match="names entry 3, and an anchor entry 5"):
        tamperer.ledger.anchor()
    tamperer.run("UPDATE heads SET hash = ? WHERE scope = 'alpha'", "f" * 64)
    with pytest.raises(LedgerCorrupt, match="its head and its last entry differ"):
        tamperer.ledger.anchor()


def test_k1_sessions_dropped_with_the_end_of_the_anchors_are_found_only_by_a_kept_head(
    tamperer: Tamperer,
) -> None:
    new = [NewEntry("opened", {})]
    before = tamperer.ledger.head()
    tamperer.ledger.append("zeta", new, expected_head="", request_id=None, now_ms=9)
    kept = tamperer.ledger.head()
    for table in ("entries", "heads", "anchors"):
        tamperer.run(f"DELETE FROM {table} WHERE scope = 'zeta'")  # noqa: S608
    assert not tamperer.found()
    assert set(verify(tamperer.ledger, head=before).problems) == tamperer.known
    assert set(verify(tamperer.ledger, head=kept).problems) > tamperer.known


def test_k1_a_wholly_rewritten_ledger_is_found_only_by_a_kept_head(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "true.db") as true, open_ledger(tmp_path / "forged.db") as forged:
        fill_ledger(true)
        for scope in ("alpha", "beta", "gamma ü"):
            for entry in true.read(scope, everything=True):
                body = {"choice": "a"} if entry.kind == "ballot" else entry.body
                forged.append(
                    scope,
                    [NewEntry(entry.kind, body, entry.party)],
                    expected_head=None,
                    request_id=None,
                    now_ms=entry.at_ms,
                )
        kept = true.head()
        assert verify(true, head=kept).ok
        assert verify(forged).ok
        report = verify(forged, head=kept)
        assert not report.ok
        assert "rewritten or cut" in str(report)


class Handed:
    """Rows as verify is handed them: no database refuses anything here."""

    def __init__(self, rows: Rows) -> None:
        self.stored = rows

    @contextmanager
    def raw(self) -> Iterator[Handed]:
        yield self

    def complaints(self) -> tuple[str, ...]:
        return ()

    def rows(self, table: Table) -> Iterator[tuple[Any, ...]]:
        yield from self.stored[table]

    def problems(self) -> tuple[Problem, ...]:
        return verify(cast("Ledger", self)).problems


def handed(ledger: Ledger) -> Handed:
    with ledger.raw() as tables:
        return Handed({table: list(tables.rows(table)) for table in TABLES})


def as_read(value: object) -> object:
    """What the SQLite side hands on for stored text: text, or bytes that are not UTF-8."""
    try:
        return value.decode() if isinstance(value, bytes) else value
    except UnicodeDecodeError:
        return value


@pytest.mark.parametrize("table", TABLES)
def test_k1_every_flipped_byte_is_found_also_where_sqlite_would_refuse_it(table: Table) -> None:
    with open_ledger(":memory:") as ledger:
        fill_ledger(ledger)
        tables = handed(ledger)
    assert tables.problems() == ()
    for at, row in enumerate(tables.stored[table]):
        for column, value in enumerate(row):
            for flipped in flips(value, ALL_BITS if FULL else (128,)):
                changed = (*row[:column], as_read(flipped), *row[column + 1 :])
                tables.stored[table][at] = changed
                assert tables.problems(), changed
        tables.stored[table][at] = row
    assert tables.problems() == ()


@pytest.mark.parametrize("table", TABLES)
def test_k1_every_row_removed_doubled_or_swapped_is_found(table: Table) -> None:
    with open_ledger(":memory:") as ledger:
        fill_ledger(ledger)
        tables = handed(ledger)
    rows = tables.stored[table]
    for at, row in enumerate(rows):
        tables.stored[table] = rows[:at] + rows[at + 1 :]
        assert tables.problems(), ("removed", row)
        tables.stored[table] = [*rows[: at + 1], *rows[at:]]
        assert tables.problems(), ("doubled", row)
        if at > 0 and table in {"entries", "anchors"} and rows[at - 1][0] == row[0]:
            tables.stored[table] = [*rows[: at - 1], row, rows[at - 1], *rows[at + 1 :]]
            assert tables.problems(), ("swapped", row)


def test_k1_a_flipped_byte_of_the_file_is_found_or_changes_nothing(tmp_path: Path) -> None:
    """Damage below SQL is a problem or a refusal in words, never another exception."""
    path = tmp_path / "ledger.db"
    with open_ledger(path) as ledger:
        fill_ledger(ledger)
        original = handed(ledger).stored
    data = path.read_bytes()
    assert not path.with_name("ledger.db-wal").exists()
    refused = found = harmless = 0
    for at in range(0, len(data), STRIDE):
        path.write_bytes(data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :])
        try:
            with open_ledger(path, create=False) as ledger:
                report = verify(ledger)
                if report.ok:
                    assert handed(ledger).stored == original, at
                    harmless += 1
                else:
                    found += 1
                touch(ledger)
        except ComityError:
            refused += 1
    assert found > harmless / 20
    assert min(found, harmless, refused) > 0


def touch(ledger: Ledger) -> None:
    """Use what may be damaged: every refusal is one of ours."""
    for call in (
        lambda: [ledger.read(head.scope, everything=True) for head in ledger.heads()],
        lambda: ledger.find("note"),
        lambda: ledger.append(
            "alpha", [NewEntry("more", {})], expected_head=None, request_id="open-2", now_ms=3
        ),
    ):
        with suppress(ComityError):
            call()


def test_k1_a_file_cut_short_is_found(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with open_ledger(path) as ledger:
        fill_ledger(ledger)
    data = path.read_bytes()
    for pages in range(1, len(data) // 4096):
        path.write_bytes(data[: pages * 4096])
        with suppress(ComityError), open_ledger(path, create=False) as ledger:
            assert not verify(ledger).ok
