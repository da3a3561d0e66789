"""ledger/tables.py: what every SQL ledger does beyond the shared contract (ENGINE 8)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from comity.core.errors import InvalidInput, LedgerCorrupt
from comity.ledger.entry import Entry, NewEntry, restore
from comity.ledger.sqlite import open_sqlite
from comity.ledger.tables import TableLedger
from comity.ledger.verify import verify

NOTE = [NewEntry("note", {})]


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[TableLedger]:
    with open_sqlite(tmp_path / "ledger.db") as opened:
        yield opened


@pytest.fixture
def hand(ledger: TableLedger, tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A hand that changes the file behind the ledger's back."""
    with closing(sqlite3.connect(tmp_path / "ledger.db", isolation_level=None)) as db:
        guards = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        for (name,) in db.execute(guards).fetchall():
            db.execute(f"DROP TRIGGER {name}")
        yield db


def add(ledger: TableLedger, scope: str = "s", count: int = 1) -> None:
    new = [NewEntry("note", {"n": n}) for n in range(count)]
    ledger.append(scope, new, expected_head=None, request_id=None, now_ms=1)


def count_rows(ledger: TableLedger, scope: str = "s") -> int:
    """Return how many entries a rule sees, without writing."""
    seen: list[tuple[Entry, ...]] = []

    def rule(rows: tuple[Entry, ...]) -> Sequence[NewEntry]:
        seen.append(rows)
        return ()

    ledger.transact(scope, rule, request_id=None, now_ms=1)
    (rows,) = seen
    assert rows == ledger.read(scope, everything=True)
    return len(rows)


def test_a_rule_sees_what_others_wrote_since_the_last_time(
    ledger: TableLedger, tmp_path: Path
) -> None:
    add(ledger, count=3)
    assert count_rows(ledger) == 3
    with open_sqlite(tmp_path / "ledger.db") as other:
        add(other, count=2)
        assert count_rows(other) == 5
    assert count_rows(ledger) == 5
    add(ledger)
    assert count_rows(ledger) == 6


def test_entries_are_not_read_again_for_every_rule(
    ledger: TableLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(ledger, count=50)
    assert count_rows(ledger) == 50
    restored: list[object] = []

    def counting(values: Sequence[object]) -> Entry:
        restored.append(values)
        return restore(values)

    monkeypatch.setattr("comity.ledger.tables.restore", counting)
    add(ledger)
    ledger.transact(
        "s", lambda rows: [NewEntry("seen", {"n": len(rows)})], request_id=None, now_ms=1
    )
    assert len(restored) == 2
    monkeypatch.undo()
    assert ledger.read("s")[-1].body == {"n": 51}


def test_what_was_remembered_is_dropped_when_the_scope_is_another_one(
    ledger: TableLedger, hand: sqlite3.Connection
) -> None:
    add(ledger, count=3)
    assert count_rows(ledger) == 3
    for table in ("entries", "heads", "anchors"):
        hand.execute(f"DELETE FROM {table}")  # noqa: S608
    assert count_rows(ledger) == 0
    add(ledger, count=3)
    assert count_rows(ledger) == 3
    for table in ("entries", "heads", "anchors"):
        hand.execute(f"DELETE FROM {table}")  # noqa: S608
    ledger.append("s", [NewEntry("other", {})] * 4, expected_head="", request_id=None, now_ms=2)
    assert count_rows(ledger) == 4


def test_only_a_few_scopes_are_remembered(ledger: TableLedger) -> None:
    for n in range(40):
        add(ledger, f"s{n}")
        assert count_rows(ledger, f"s{n}") == 1
    assert count_rows(ledger, "s39") == 1
    assert len(ledger._seen) == 16
    assert "s39" in ledger._seen
    assert "s0" not in ledger._seen


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE heads SET seq = 1",
        "UPDATE heads SET hash = 'x'",
        "UPDATE heads SET seq = 'x'",
        "UPDATE heads SET at_ms = 'x'",
        "DELETE FROM heads",
        "DELETE FROM entries WHERE seq = 2",
        "DELETE FROM entries",
        "UPDATE entries SET hash = 'x' WHERE seq = 2",
    ],
)
def test_k1_nothing_is_appended_to_a_scope_whose_head_does_not_hold(
    ledger: TableLedger, hand: sqlite3.Connection, change: str
) -> None:
    add(ledger, count=2)
    hand.execute(change)
    with pytest.raises(LedgerCorrupt, match="scope 's'"):
        add(ledger)
    with pytest.raises(LedgerCorrupt, match="scope 's'"):
        ledger.transact("s", lambda _: [NewEntry("x", {})], request_id=None, now_ms=1)
    assert hand.execute("SELECT count(*) FROM entries").fetchone()[0] <= 2
    add(ledger, "another scope is not touched by it")


@pytest.mark.parametrize("column", ["body", "kind", "party", "at_ms", "prev", "hash", "v"])
def test_k1_an_entry_that_was_changed_is_not_read(
    ledger: TableLedger, hand: sqlite3.Connection, column: str
) -> None:
    add(ledger, count=2)
    hand.execute(f"UPDATE entries SET {column} = '7' WHERE seq = 1")  # noqa: S608
    with pytest.raises(LedgerCorrupt, match="entry 1"):
        ledger.read("s", everything=True)
    assert len(ledger.read("s", after=1)) == 1


def test_k1_a_head_that_was_changed_is_not_read(
    ledger: TableLedger, hand: sqlite3.Connection
) -> None:
    add(ledger)
    hand.execute("UPDATE heads SET at_ms = 'noon'")
    with pytest.raises(LedgerCorrupt, match="its head"):
        ledger.heads()


@pytest.mark.parametrize("change", ["n = 'x'", "hash = CAST('x' AS BLOB)"])
def test_k1_nothing_is_anchored_to_an_anchor_that_was_changed(
    ledger: TableLedger, hand: sqlite3.Connection, change: str
) -> None:
    add(ledger)
    hand.execute(f"UPDATE anchors SET {change}")  # noqa: S608
    with pytest.raises(LedgerCorrupt, match="anchor"):
        add(ledger, "new")
    assert [head.scope for head in ledger.heads()] == ["s"]


@pytest.mark.parametrize(
    "value", ["'x'", "''", "'0'", "'-1'", "'1.0'", "'٣'", "CAST('1' AS BLOB)"]
)
def test_a_schema_number_that_is_none_is_told(
    ledger: TableLedger, hand: sqlite3.Connection, value: str
) -> None:
    assert ledger.schema_version() == 1
    hand.execute(f"UPDATE meta SET value = {value} WHERE name = 'schema_version'")  # noqa: S608
    with pytest.raises(LedgerCorrupt, match="schema version reads"):
        ledger.schema_version()
    assert not verify(ledger).ok


def test_a_missing_schema_number_is_told(ledger: TableLedger, hand: sqlite3.Connection) -> None:
    hand.execute("DELETE FROM meta")
    with pytest.raises(LedgerCorrupt, match="schema version reads None"):
        ledger.schema_version()


@pytest.mark.parametrize("entries", [7, None, {"a": 1}, iter(NOTE), ["text"], "text", [None]])
def test_what_is_not_a_sequence_of_new_entries_is_refused(
    ledger: TableLedger, entries: Any
) -> None:
    with pytest.raises(InvalidInput, match="NewEntry"):
        ledger.append("s", entries, expected_head=None, request_id=None, now_ms=1)
    with pytest.raises(InvalidInput, match="NewEntry"):
        ledger.transact("s", lambda _: entries, request_id=None, now_ms=1)
    assert ledger.heads() == ()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"entries": []}, "entries are none"),
        ({"scope": None}, "scope is None, not text"),
        ({"expected_head": 7}, "expected_head is 7"),
        ({"request_id": 7}, "request_id is 7, not text"),
        ({"now_ms": 1.0}, "now_ms is 1.0"),
        ({"now_ms": True}, "now_ms is True"),
        ({"now_ms": -1}, "now_ms is -1"),
        ({"now_ms": 2**53}, f"now_ms is {2**53}"),
    ],
)
def test_an_unfit_argument_is_named(
    ledger: TableLedger, arguments: dict[str, Any], said: str
) -> None:
    fit: dict[str, Any] = {
        "scope": "s",
        "entries": NOTE,
        "expected_head": None,
        "request_id": None,
        "now_ms": 0,
    }
    ledger.append(**{**fit, "now_ms": 2**53 - 1})
    with pytest.raises(InvalidInput) as caught:
        ledger.append(**{**fit, **arguments})
    (fault,) = caught.value.faults
    assert fault.what == said
    assert len(ledger.read("s")) == 1


def test_a_ledger_is_shown_with_its_place(ledger: TableLedger, tmp_path: Path) -> None:
    assert repr(ledger) == f"<ledger {tmp_path / 'ledger.db'}>"
