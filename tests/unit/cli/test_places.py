"""Places: files and folders of a command."""

from __future__ import annotations

from pathlib import Path

import pytest

from comity.cli import places
from comity.cli.places import (
    guard_target,
    missing_file,
    read_text,
    spare,
    working_folder,
    write_file,
)
from comity.core.errors import InvalidInput


def test_a_file_is_written_with_its_folders(tmp_path: Path) -> None:
    target = tmp_path / "a" / "b.txt"
    write_file(str(target), "ü")
    assert target.read_text("utf-8") == "ü"


def test_a_guarded_file_leaves_no_trace_and_keeps_what_it_holds(tmp_path: Path) -> None:
    target = tmp_path / "x.svg"
    guard_target(None, "--svg", ledger="")
    guard_target(str(target), "--svg", ledger="")
    guard_target(str(tmp_path / "a" / "b" / "x.svg"), "--svg", ledger="", makes_parent=True)
    assert list(tmp_path.iterdir()) == []
    target.write_text("kept")
    guard_target(str(target), "--svg", ledger="")
    assert target.read_text() == "kept"


@pytest.mark.parametrize(
    ("name", "ledger", "told"),
    [
        ("", "", "the name of a file"),
        (" ", "", "the name of a file"),
        ("a\0b", "", "the name of a file"),
        ("new.db", "new.db", "ledger"),
        ("new.db-wal", "sqlite:///new.db", "ledger"),
        ("new.db-shm", "./new.db", "ledger"),
        ("other.data", "", "ledger"),
        ("other.data-wal", "", "ledger"),
        ("link", "", "ledger"),
        ("in.toml", ":memory:", "uses otherwise"),
        ("sub/../in.toml", "", "uses otherwise"),
        ("gone.txt", "", "uses otherwise"),
    ],
)
def test_a_ledger_and_an_input_are_never_written_over(
    here: Path, name: str, ledger: str, told: str
) -> None:
    sqlite = b"SQLite format 3\x00"
    (here / "other.data").write_bytes(sqlite + b"rest")
    (here / "link").symlink_to("other.data")
    (here / "in.toml").write_text("x")
    (here / "sub").mkdir()
    inputs = [here / "in.toml", here / "gone.txt"]
    for attempt in (spare, guard_target):
        with pytest.raises(InvalidInput, match=told):
            attempt(name, "--svg", ledger=ledger, inputs=inputs)
    spare("free.svg", "--svg", ledger=ledger, inputs=inputs)
    spare("-wal", "--svg", ledger="postgres://x", inputs=inputs)


def test_a_target_stays_in_its_folder_and_has_a_place(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "folder").mkdir()
    (here / "link").symlink_to("..")
    (here / "loop").symlink_to("loop")
    guard_target("folder/x.svg", "--svg", ledger="", below=here)
    guard_target("loop", "--svg", ledger="", below=here)
    for outside in ("../x.svg", "/x.svg", "link/x.svg"):
        with pytest.raises(InvalidInput, match="lies outside"):
            guard_target(outside, "--svg", ledger="", below=here)
    for wrong in ("folder", "missing/x.svg"):
        with pytest.raises(InvalidInput, match="cannot be written"):
            guard_target(wrong, "--svg", ledger="")
    assert not (here / "missing").exists()
    monkeypatch.setattr(places.os, "access", lambda *words: False)
    with pytest.raises(InvalidInput, match="cannot be written"):
        guard_target("missing/x.svg", "--svg", ledger="", makes_parent=True)


def test_a_file_that_cannot_be_looked_into_is_no_ledger(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*words: object) -> None:
        raise PermissionError

    (here / "x").write_text("x")
    monkeypatch.setattr(Path, "open", refuse)
    spare("x", "--svg", ledger="")


def test_a_place_that_refuses_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    inside = str(tmp_path / "file" / "y")
    for attempt in (
        lambda: write_file(inside, "x"),
        lambda: guard_target(inside, "--svg", ledger=""),
    ):
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
