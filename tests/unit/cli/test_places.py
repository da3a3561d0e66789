"""Places: files and folders of a command."""

from __future__ import annotations

from pathlib import Path

import pytest

from comity.cli import places
from comity.cli.places import missing_file, read_text, reserve_file, working_folder, write_file
from comity.core.errors import InvalidInput


def test_a_file_is_written_with_its_folders(tmp_path: Path) -> None:
    target = tmp_path / "a" / "b.txt"
    write_file(str(target), "ü")
    assert target.read_text("utf-8") == "ü"


def test_a_reserved_file_keeps_what_it_holds(tmp_path: Path) -> None:
    target = tmp_path / "x.svg"
    reserve_file(None)
    reserve_file(str(target))
    assert target.read_text() == ""
    target.write_text("kept")
    reserve_file(str(target))
    assert target.read_text() == "kept"


def test_a_place_that_refuses_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    inside = str(tmp_path / "file" / "y")
    for attempt in (lambda: write_file(inside, "x"), lambda: reserve_file(inside)):
        with pytest.raises(InvalidInput, match="cannot be written"):
            attempt()


def test_a_file_that_is_read_may_hold_any_bytes(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"a\xffb")
    assert read_text(str(tmp_path / "x")) == "a\N{REPLACEMENT CHARACTER}b"
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_text(str(tmp_path))
    with pytest.raises(InvalidInput, match="does not exist"):
        read_text(str(tmp_path / "y"))


def test_near_names_are_looked_for_in_the_folder_and_beside_it(tmp_path: Path) -> None:
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples" / "price.toml").touch()
    assert "price.toml'" in missing_file(tmp_path / "examples" / "prize.toml").next
    assert "examples/price.toml'" in missing_file(tmp_path / "exmples" / "price.toml").next
    assert missing_file(tmp_path / "exmples" / "other.toml").next == "check the path"
    assert missing_file(tmp_path / "no" / "such" / "file").next == "check the path"


def test_a_folder_that_may_not_be_looked_at_names_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(folder: Path) -> list[str]:
        raise PermissionError(str(folder))

    monkeypatch.setattr(places, "_names", refuse)
    assert missing_file(tmp_path / "x").next == "check the path"


def test_a_working_directory_that_is_gone_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone() -> Path:
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr(places.Path, "cwd", gone)
    with pytest.raises(InvalidInput, match="working directory: cannot be used"):
        working_folder()
