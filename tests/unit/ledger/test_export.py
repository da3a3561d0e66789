"""ledger/export.py: the ledger as JSON lines and CSV (K4)."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from comity.core.canonical import canonical, digest
from comity.ledger.entry import Entry, NewEntry
from comity.ledger.export import CSV_COLUMNS, csv_lines, json_lines
from comity.ledger.open import open_ledger

BODY = {"text": 'say "hi", then\r\nleave \u2028 \x85 ü', "n": [1, 2.5, None, True]}


def entries() -> tuple[Entry, ...]:
    with open_ledger(":memory:") as ledger:
        new = [NewEntry("a, b", BODY, 'C"C'), NewEntry("=1+1", {})]
        ledger.append("s 1", new, expected_head="", request_id="r", now_ms=3)
        last = [NewEntry("note", {})]
        return (
            *ledger.read("s 1", everything=True),
            *ledger.append("s 1", last, expected_head=None, request_id=None, now_ms=4).entries,
        )


def test_k4_json_lines_hold_every_field_and_can_be_checked_alone(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(json_lines(entries()))
    with path.open(encoding="utf-8", newline="\n") as file:
        read = [json.loads(line) for line in file]
    assert read == [entry.to_json() for entry in entries()]
    for fields in read:
        assert fields.pop("hash") == digest(fields)


def test_k4_csv_holds_every_field_in_one_line_each(tmp_path: Path) -> None:
    path = tmp_path / "ledger.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(csv_lines(entries()))
    assert path.read_bytes().count(b"\n") == 4
    with path.open(encoding="utf-8", newline="") as file:
        read = list(csv.DictReader(file))
    assert set(CSV_COLUMNS) == set(entries()[0].to_json())
    for fields, entry in zip(read, entries(), strict=True):
        expected = {
            name: "" if value is None else str(value) for name, value in entry.to_json().items()
        }
        assert fields == {**expected, "body": canonical(entry.body)}


def test_k4_exports_are_made_line_by_line() -> None:
    def endless() -> object:
        while True:
            yield entries()[0]

    lines = csv_lines(endless())  # type: ignore[arg-type]
    assert [next(lines)[:5], next(lines)[:5]] == ["scope", "s 1,1"]
    assert next(json_lines(endless())).startswith('{"at_ms":3')  # type: ignore[arg-type]
