"""Record: what a file of rows holds after a stop, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.simulate.plan import Plan
from comity.simulate.planning import plan_of
from comity.simulate.record import Record, header_of, rows_in
from comity.simulate.run import run
from comity.testing.bargains import sample_problem


@pytest.fixture
def written(small: Plan, tmp_path: Path) -> Path:
    """Return the whole file of the small plan."""
    path = tmp_path / "rows.jsonl"
    run(small, out=path)
    return path


def faults(call: Any) -> str:
    with pytest.raises(InvalidInput) as caught:
        call()
    return str(caught.value)


def test_the_first_line_names_the_plan_and_rows_are_sorted(small: Plan, written: Path) -> None:
    header, rows = rows_in(written, small)
    assert header == json.loads(json.dumps(header_of(small)))
    assert [row.id for row in rows] == [task.id for task in small.tasks()]
    assert rows_in(written) == (header, rows)


def test_a_file_cut_anywhere_gives_its_whole_rows(small: Plan, written: Path) -> None:
    data = written.read_bytes()
    whole = run(small)
    for cut in range(0, len(data), 97):
        written.write_bytes(data[:cut])
        lines = data[:cut].count(b"\n")
        with Record(written, small) as record:
            assert record.rows == list(whole[: max(0, lines - 1)])
        assert written.read_bytes().count(b"\n") == max(lines, 1)
        assert written.read_bytes().endswith(b"\n")


def test_a_torn_line_is_not_glued_to_the_next(small: Plan, written: Path) -> None:
    data = written.read_bytes()
    written.write_bytes(data[:-10])
    rows = run(small)
    with Record(written, small) as record:
        assert len(record.rows) == 26
        record.add(rows[-1:])
    assert written.read_bytes() == data


@pytest.mark.parametrize("text", ["hello\n", "{}\n", '{"kind":"ledger"}\n', "[]\n", "hello"])
def test_what_is_no_record_is_refused_and_left_alone(
    small: Plan, tmp_path: Path, text: str
) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(text)
    assert "is no file of a tournament" in faults(lambda: Record(path, small))
    assert path.read_text() == text


def test_an_empty_file_is_begun(small: Plan, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.touch()
    run(small, out=path)
    assert len(rows_in(path, small)[1]) == 27


def test_a_file_of_another_plan_is_refused_and_says_in_what_they_differ(
    small: Plan, written: Path
) -> None:
    entries = {one.name: one.problem for one in small.entries}
    other = plan_of(entries, ["linear", "micro", "hardliner"], rounds=12, seed="8", repetitions=2)
    told = faults(lambda: Record(written, other))
    assert "belongs to another plan: they differ in repetitions, seed" in told
    other = plan_of({"tls": sample_problem()}, ["linear", "micro"], rounds=12, seed="7")
    assert "differ in scenarios, cases" in faults(lambda: Record(written, other))


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"made_by": "0.0.1"}, "was made by comity 0.0.1"),
        ({"digest": "x"}, "they differ in its digest"),
        ({"plan": []}, "is no file of a tournament"),
    ],
)
def test_a_first_line_that_does_not_fit_is_refused(
    small: Plan, written: Path, change: dict[str, Any], part: str
) -> None:
    lines = written.read_text().splitlines(keepends=True)
    lines[0] = json.dumps({**json.loads(lines[0]), **change}) + "\n"
    written.write_text("".join(lines))
    assert part in faults(lambda: Record(written, small))


@pytest.mark.parametrize("line", ["{}", "hello", '{"id": 3}', "\xff"])
def test_a_damaged_line_is_named(small: Plan, written: Path, line: str) -> None:
    lines = written.read_text().splitlines(keepends=True)
    lines[3] = line + "\n"
    written.write_bytes("".join(lines).encode("latin-1"))
    assert "is damaged in line 4" in faults(lambda: Record(written, small))


def test_two_rows_of_one_id_must_be_the_same(small: Plan, written: Path) -> None:
    text = written.read_text()
    last = text.splitlines(keepends=True)[-1]
    written.write_text(text + last)
    assert len(rows_in(written, small)[1]) == 27
    written.write_text(text + last.replace('"rounds_used":', '"rounds_used":1'))
    assert "is damaged in line 29" in faults(lambda: rows_in(written, small))


def test_a_row_that_the_plan_does_not_have_is_damage(small: Plan, written: Path) -> None:
    text = written.read_text()
    row = json.loads(text.splitlines()[1])
    written.write_text(text.replace(row["seed"], "0" * 64))
    assert "is damaged in line 2" in faults(lambda: rows_in(written, small))


def test_a_place_that_cannot_be_written_or_read_is_told(small: Plan, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    assert "cannot be written" in faults(lambda: Record(file / "rows.jsonl", small))
    assert "cannot be read" in faults(lambda: rows_in(tmp_path / "none.jsonl"))
    assert "cannot be read" in faults(lambda: Record(tmp_path, small))


def test_a_full_disk_is_told_when_rows_are_added_and_at_the_end(
    small: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = run(small)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with Record(tmp_path / "rows.jsonl", small) as record:
        with monkeypatch.context() as patch:
            patch.setattr(Record, "_write", full)
            assert "No space left" in faults(lambda: record.add(rows))
        with monkeypatch.context() as patch:
            patch.setattr(Path, "replace", full)
            assert "No space left" in faults(lambda: record.finish(rows))
    assert [one.name for one in tmp_path.iterdir()] == ["rows.jsonl"]
