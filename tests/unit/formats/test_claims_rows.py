"""Claims rows: rows one by one, faults counted beyond what is told, values read once."""

from __future__ import annotations

import pytest

from comity.core.errors import InvalidInput
from comity.formats.claims_rows import COLUMNS, MOST_TOLD, Rows

SOUND = ("5", "gpu", "a", "1", "yes", None, None, None, None)


def row(**changed: object) -> list[object]:
    return [changed.get(name, value) for name, value in zip(COLUMNS, SOUND, strict=True)]


def test_a_sound_row_is_kept_with_its_line() -> None:
    rows = Rows("log")
    rows.add(2, row())
    rows.add(3, row(agent="b", won=None))
    assert [(one.agent, one.won, one.line) for one in rows.rows] == [
        ("a", True, 2), ("b", False, 3),
    ]  # fmt: skip
    rows.tell()


def test_g7_a_row_with_a_fault_is_not_kept() -> None:
    rows = Rows("log")
    rows.add(2, row(time="x", resource=" ", agent=None, priority=None, won=3))
    assert (rows.rows, rows.count) == ([], 5)
    with pytest.raises(InvalidInput, match="log line 2: won is 3"):
        rows.tell()


def test_the_same_wrong_time_is_told_on_every_line() -> None:
    rows = Rows("log")
    for line in (2, 3):
        rows.add(line, row(time="x"))
    assert [one.whose for one in rows.faults] == ["log line 2", "log line 3"]


def test_a_time_is_what_it_is_and_not_what_equals_it() -> None:
    rows = Rows("log")
    rows.add(2, row(time=1))
    rows.add(3, row(time=True))
    assert [one.what for one in rows.faults] == ["time is True"]


def test_more_faults_than_are_told_are_counted() -> None:
    rows = Rows("log")
    for line in range(MOST_TOLD + 5):
        rows.add(line, row(won="x"))
    assert (len(rows.faults), rows.hidden, rows.count) == (MOST_TOLD, 5, MOST_TOLD + 5)


def test_many_different_priorities_are_read_as_they_are() -> None:
    rows = Rows("log")
    for line in range(10_100):
        rows.add(line, row(priority=str(line)))
    assert [one.priority for one in rows.rows] == list(range(10_100))


def test_arrival_and_scope_are_read_and_told_when_wrong() -> None:
    rows = Rows("log")
    rows.add(2, row(arrived="7.5", scope="slots"))
    rows.add(3, row(arrived="", scope=None))
    assert (str(rows.rows[0].arrived), rows.rows[1].arrived) == ("7.5", None)
    assert rows.scopes == {"gpu": "slots"}
    rows.add(4, row(arrived="soon"))
    rows.add(5, row(scope="others"))
    rows.add(6, row(resource="tpu", scope=" "))
    assert [one.what for one in rows.faults] == [
        "arrived is 'soon'",
        "puts 'gpu' into the scope 'others', before into 'slots'",
        "scope is ' '",
    ]


def test_unknown_names_are_ignored_and_a_needed_one_is_looked_for_among_them() -> None:
    rows = Rows("log")
    assert rows.check(["time", "resource", "agent", "priority", "wno", "region"], 1, "column")
    assert rows.ignored == {"wno": "won", "region": ""}
    assert not rows.check(["time", "resource", "agent", "prioritty"], 1, "column")
    assert rows.faults[0].next == "rename 'prioritty' to priority"
