"""settings.py: what a folder and the environment set once for all commands (C1)."""

from __future__ import annotations

from pathlib import Path

import pytest

from comity.core.errors import InvalidInput
from comity.settings import DEFAULT_LEDGER, DEFAULT_UNDO_HOURS, Settings, load_settings


def write(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text, "utf-8")


def test_without_files_and_environment_the_defaults_hold(tmp_path: Path) -> None:
    assert load_settings(tmp_path, {}) == Settings(db=DEFAULT_LEDGER, seats={}, source="")
    assert DEFAULT_LEDGER == "comity.db"


def test_the_own_file_is_read(tmp_path: Path) -> None:
    write(tmp_path, "comity.toml", 'db = "x.db"\n[seats]\nCC = "rational"\nCX = "person"\n')
    assert load_settings(tmp_path, {}) == Settings(
        db="x.db", seats={"CC": "rational", "CX": "person"}, source="comity.toml"
    )


def test_the_table_of_the_project_file_is_read(tmp_path: Path) -> None:
    write(tmp_path, "pyproject.toml", '[tool.comity.seats]\nGM = "command:cat"\n')
    found = load_settings(tmp_path, {})
    assert (found.db, dict(found.seats)) == (DEFAULT_LEDGER, {"GM": "command:cat"})
    assert found.source == "pyproject.toml [tool.comity]"


def test_the_own_file_stands_in_front_of_the_project_file(tmp_path: Path) -> None:
    write(tmp_path, "comity.toml", "")
    write(tmp_path, "pyproject.toml", '[tool.comity]\ndb = "project.db"\n')
    assert load_settings(tmp_path, {}).db == DEFAULT_LEDGER


@pytest.mark.parametrize(
    "text", ["", "[tool]\n", "[tool.other]\n", "tool = 5\n", "[tool]\ncomity = 5\n"]
)
def test_a_project_file_without_the_table_sets_nothing(text: str, tmp_path: Path) -> None:
    write(tmp_path, "pyproject.toml", text)
    assert load_settings(tmp_path, {}) == Settings()


def test_the_environment_says_where_the_ledger_is_whatever_the_files_say(tmp_path: Path) -> None:
    write(tmp_path, "comity.toml", 'db = "file.db"\n')
    assert load_settings(tmp_path, {"COMITY_DB": "elsewhere.db"}).db == "elsewhere.db"
    assert load_settings(tmp_path, {"COMITY_DB": ""}).db == "file.db"


def test_the_processes_own_environment_is_asked_unless_another_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMITY_DB", "own.db")
    assert load_settings(tmp_path).db == "own.db"
    assert load_settings(tmp_path, {}).db == DEFAULT_LEDGER


def test_an_empty_place_is_no_place(tmp_path: Path) -> None:
    write(tmp_path, "comity.toml", 'db = ""\n')
    assert load_settings(tmp_path, {}).db == DEFAULT_LEDGER


def test_every_fault_of_the_file_is_told_at_once(tmp_path: Path) -> None:
    write(tmp_path, "comity.toml", 'dbb = "x"\ndb = 5\nseats = { CC = 1 }\n')
    with pytest.raises(InvalidInput) as caught:
        load_settings(tmp_path, {})
    said = str(caught.value)
    assert len(caught.value.faults) == 3
    assert all(word in said for word in ("comity.toml", "'dbb'", "db", "CC"))


@pytest.mark.parametrize("data", [b"db = ", b"db = 'caf\xe9'"])
def test_a_file_that_cannot_be_read_is_named(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "comity.toml").write_bytes(data)
    with pytest.raises(InvalidInput, match=r"comity\.toml: cannot be read"):
        load_settings(tmp_path, {})


def test_a_folder_of_that_name_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "comity.toml").mkdir()
    assert load_settings(tmp_path, {}) == Settings()


def test_g8_how_long_a_decision_can_be_taken_back_is_a_setting(tmp_path: Path) -> None:
    assert load_settings(tmp_path, {}).undo_ms == DEFAULT_UNDO_HOURS * 3_600_000 == 86_400_000
    write(tmp_path, "comity.toml", "undo_hours = 0\n")
    assert load_settings(tmp_path, {}).undo_ms == 0
    write(tmp_path, "comity.toml", "undo_hours = 48\n")
    assert load_settings(tmp_path, {}).undo_ms == 172_800_000


@pytest.mark.parametrize("value", ["-1", "1.5", "true", '"24"', "876001"])
def test_hours_that_are_none_are_refused(value: str, tmp_path: Path) -> None:
    write(tmp_path, "comity.toml", f"undo_hours = {value}\n")
    with pytest.raises(InvalidInput, match="undo_hours"):
        load_settings(tmp_path, {})
