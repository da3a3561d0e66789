"""cli/verify.py and `comity ledger --head`: what a head covers, and what it does not (K1)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from comity.ledger.entry import NewEntry
from comity.ledger.open import open_ledger
from comity.ledger.sqlite import SqliteDatabase

Comity = Callable[..., Any]


def note(path: Path, count: int) -> None:
    with open_ledger(path) as ledger:
        new = [NewEntry("note", {})] * count
        ledger.append("desk/x", new, expected_head=None, request_id=None, now_ms=1)


@pytest.fixture
def db(here: Path) -> Path:
    path = here / "comity.db"
    note(path, 4)
    return path


@pytest.mark.usefixtures("db")
def test_k1_what_no_anchor_covers_is_told(comity: Comity) -> None:
    told = "The last 3 entries are covered by no anchor: `comity ledger --head` covers all"
    assert told in comity("verify").out
    assert comity("verify", "--json").json["uncovered"] == 3
    comity("ledger", "--head")
    assert "covered by no anchor" not in comity("verify").out
    assert comity("verify", "--json").json["uncovered"] == 0


def test_k1_what_came_after_a_kept_head_is_told(comity: Comity, db: Path) -> None:
    head = comity("ledger", "--head").out.strip()
    note(db, 1)
    said = comity("verify", "--head", head)
    assert said.code == 0
    assert said.out.splitlines()[-1] == (
        "The last entry is newer than the head that was kept: `comity ledger --head` covers all"
        " there is now."
    )


def test_k1_a_desk_whose_tail_was_cut_is_found_by_a_head_that_was_kept(
    comity: Comity, db: Path
) -> None:
    head = comity("ledger", "--head").out.strip()
    with closing(sqlite3.connect(db)) as raw, raw:
        guards = ("entries", "anchors")
        kept = [
            sql
            for one in guards
            for (sql,) in raw.execute(
                "SELECT sql FROM sqlite_master WHERE name = ?", (f"{one}_no_delete",)
            )
        ]
        for one in guards:
            raw.execute(f"DROP TRIGGER {one}_no_delete")
            raw.execute(f"DELETE FROM {one} WHERE seq > 2")  # noqa: S608
        for sql in kept:
            raw.execute(sql)
        raw.execute("UPDATE heads SET (seq, hash) = (SELECT seq, hash FROM entries WHERE seq = 2)")
    assert comity("verify").code == 0
    said = comity("verify", "--head", head)
    assert said.code == 1
    assert "the ledger was rewritten or cut" in said.out
    assert "covers all there is now" not in said.out


def test_k1_where_nothing_can_be_written_the_newest_head_is_told_with_what_it_lacks(
    comity: Comity, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = SqliteDatabase._run

    def refusing(self: SqliteDatabase, statement: str, values: Any) -> Any:
        if statement == "BEGIN IMMEDIATE":
            begin(self, "PRAGMA query_only = ON", ())
            return begin(self, "UPDATE heads SET seq = seq", ())
        return begin(self, statement, values)

    with open_ledger(db) as ledger:
        newest = ledger.head()
    monkeypatch.setattr(SqliteDatabase, "_run", refusing)
    said = comity("ledger", "--head", "--quiet")
    assert (said.code, said.out) == (0, f"{newest}\n")
    assert said.err == (
        "The ledger cannot be written here, so this is the newest head there is: it does not"
        " cover the last 3 entries.\n"
    )
    monkeypatch.undo()
    note(db.with_name("one.db"), 2)
    monkeypatch.setattr(SqliteDatabase, "_run", refusing)
    said = comity("ledger", "--head", "--db", str(db.with_name("one.db")))
    assert said.err.endswith("it does not cover the last entry.\n")
