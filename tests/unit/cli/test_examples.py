"""Comity examples: what the help of every command names can be had, and then works."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from comity.cli import examples
from comity.cli.root import COMMANDS
from comity.cli.shipped import shipped_files

Comity = Callable[..., Any]
ROOT = Path(__file__).resolve().parents[3]
USAGE = 2


def told() -> list[str]:
    """Return every example of a command's help that names a shipped file."""
    lines = [
        line for home, _ in COMMANDS.values() for line in import_module(home).command.examples
    ]
    return [line for line in lines if " examples/" in line or ":examples/" in line]


def test_they_are_written_as_they_are_shipped(comity: Comity, here: Path) -> None:
    said = comity("examples")
    assert said.code == 0
    assert f"{len(shipped_files())} files written into examples.\n" in said.out
    for name in shipped_files():
        assert (here / "examples" / name).read_bytes() == (ROOT / "examples" / name).read_bytes()
    for line in said.out.partition("Next\n")[2].strip().split("\n"):
        assert comity(*shlex.split(line)[1:]).code in {0, 11}, line


def test_what_is_there_already_stays(comity: Comity, here: Path) -> None:
    comity("examples", "--out", "mine")
    (here / "mine" / "auction.toml").unlink()
    again = comity("examples", "--out", "mine", "--json").json
    assert again["written"] == ["auction.toml"]
    assert len(again["kept"]) == len(shipped_files()) - 1
    assert again["next"][1] == "comity auction mine/auction.toml"
    said = comity("examples", "--out", "mine").out
    assert f"; {len(shipped_files())} were there already" in said


def test_a_file_of_ones_own_is_never_written_over(comity: Comity, here: Path) -> None:
    (here / "examples").mkdir()
    (here / "examples" / "price.toml").write_text("mine", "utf-8")
    (here / "examples" / "vote.toml").mkdir()
    said = comity("examples")
    assert said.code == USAGE
    assert "'examples/price.toml': is there and is not as it was shipped" in said.err
    assert "'examples/vote.toml': cannot be read" in said.err
    kept = sorted(one.name for one in (here / "examples").iterdir())
    assert kept == ["price.toml", "vote.toml"], "nothing is written then"


def test_a_place_where_nothing_can_be_made_is_refused(comity: Comity, here: Path) -> None:
    (here / "file").write_text("x", "utf-8")
    said = comity("examples", "--out", "file/inside")
    assert said.code == USAGE
    assert "choose one with --out" in said.err


def test_they_can_be_listed_and_nothing_is_written(comity: Comity, here: Path) -> None:
    assert comity("examples", "--list").out.split("\n")[:-1] == list(shipped_files())
    assert comity("examples", "--list", "--json").json["files"] == list(shipped_files())
    assert list(here.iterdir()) == []


def test_an_installation_without_them_says_so(
    comity: Comity, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examples, "shipped_root", lambda: None)
    said = comity("examples")
    assert said.code == USAGE
    assert "did not come with this installation" in said.err


@pytest.mark.parametrize("line", told())
def test_every_example_of_the_help_works_once_they_are_there(
    comity: Comity, here: Path, line: str
) -> None:
    program, *words = shlex.split(line)
    assert program == "comity"
    helped = comity(words[0], "--help").out
    assert "(`comity examples` writes the files of examples/ into this folder.)" in helped
    comity("examples")
    assert comity(*words).code not in {1, USAGE}, line


def test_a_shipped_file_that_is_missing_is_told_how_to_get_it(comity: Comity, here: Path) -> None:
    said = comity("auction", "examples/auction.toml")
    assert said.code == USAGE
    assert "run `comity examples`" in said.err
    assert "check the path" in comity("auction", "examples/other.toml").err
