"""Root: which command runs, and what becomes of its errors."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest

from comity.cli import root as module
from comity.cli.options import DoorCommand, DoorGroup
from comity.cli.root import COMMANDS, root
from comity.core.errors import Fault, LedgerCorrupt


def commands() -> list[tuple[str, click.Command]]:
    """Return every command with its path, those inside groups too."""
    found: list[tuple[str, click.Command]] = []
    for name, (home, _) in COMMANDS.items():
        command = import_module(home).command
        found.append((name, command))
        if isinstance(command, click.Group):
            found += [(f"{name} {inner}", one) for inner, one in command.commands.items()]
    return found


@pytest.mark.parametrize(("name", "command"), commands(), ids=[name for name, _ in commands()])
def test_every_command_has_three_examples_that_call_it(name: str, command: click.Command) -> None:
    assert isinstance(command, (DoorCommand, DoorGroup))
    assert len(command.examples) >= 3
    assert all(f"comity {name}" in line for line in command.examples)


@pytest.mark.parametrize(("name", "command"), commands(), ids=[name for name, _ in commands()])
def test_every_help_shows_the_examples_and_the_shared_options(
    comity: Callable[..., Any], name: Any, command: Any
) -> None:
    said = comity(*name.split(), "--help")
    assert said.code == 0
    assert all(line in said.out for line in command.examples)
    assert all(option in said.out for option in ("--db", "--json", "--color", "--no-input"))


def test_the_help_of_all_lists_every_command_without_loading_one(
    comity: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for home, _ in COMMANDS.values():
        monkeypatch.delitem(sys.modules, home, raising=False)
    said = comity("--help")
    assert said.code == 0
    assert all(f"  {name} " in said.out for name in COMMANDS)
    assert not [home for home, _ in COMMANDS.values() if home in sys.modules]


def test_no_words_show_the_help_and_are_a_usage_error(comity: Callable[..., Any]) -> None:
    said = comity()
    assert said.code == 2
    assert said.out == ""
    assert "Commands:" in said.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("bargin",), "did you mean 'bargain'"),
        (("parse", "consnt"), "did you mean 'consent'"),
        (("--jsn", "ledger"), "did you mean '--json'"),
        (("verify", "--hed", "x"), "did you mean '--head'"),
        (("--json",), "lacks the name of a command"),
        (("parse",), "lacks the name of a command"),
        (("parse", "--sea", "x"), "has no option --sea"),
        (("run",), "lacks FILE"),
        (("why", "a", "b"), "unexpected extra argument"),
        (("verify", "--head"), "requires an argument"),
        (("ledger", "--color", "alway"), "did you mean 'always'"),
    ],
)
def test_wrong_words_are_told_in_four_parts_with_exit_code_2(
    comity: Callable[..., Any], words: Any, told: Any
) -> None:
    said = comity(*words)
    assert said.code == 2
    assert told in said.err
    assert all(part in said.err for part in ("error: ", "allowed:", "next:"))


def test_every_unknown_option_is_told_at_once(comity: Callable[..., Any]) -> None:
    said = comity("bargain", "--roundz", "5", "--seler=1:2", "-x", "--json")
    assert said.code == 2
    whats = [fault["what"] for fault in said.json["faults"]]
    assert whats == ["has no option --roundz", "has no option --seler", "has no option -x"]


def test_with_json_an_error_is_an_object_on_stdout_too(comity: Callable[..., Any]) -> None:
    said = comity("why", "--json")
    assert said.code == 2
    told = said.json
    assert (told["v"], told["kind"], told["exit_code"]) == (1, "error", 2)
    assert set(told["faults"][0]) == {"whose", "what", "allowed", "next"}
    assert "does not exist" in said.err


def test_errors_have_colours_only_where_wanted(comity: Callable[..., Any]) -> None:
    assert "\x1b[" not in comity("bargin").err
    assert "\x1b[31m" in comity("--color", "always", "bargin").err
    assert "\x1b[31m" in comity("bargin", "--color=always").err


def stand_in(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """Let the command `verify` end with an error."""

    def fail(door: object) -> int:
        raise error

    failing = SimpleNamespace(command=DoorCommand("verify", callback=fail))
    monkeypatch.setattr(
        module, "import_module", lambda name: failing if "verify" in name else import_module(name)
    )


def test_a_failure_that_is_nobodys_input_has_exit_code_1(
    comity: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(monkeypatch, LedgerCorrupt(Fault("ledger", "is broken", "a whole one", "stop")))
    said = comity("verify", "--json")
    assert said.code == 1
    assert said.json["exit_code"] == 1


def test_a_bug_is_told_with_its_trace(
    comity: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(monkeypatch, KeyError("odd"))
    said = comity("verify")
    assert said.code == 1
    assert "Traceback" in said.err
    assert "KeyError" in said.err
    assert "report it" in said.err


@pytest.mark.parametrize("error", [KeyboardInterrupt(), click.Abort()])
def test_an_interruption_has_exit_code_130(
    comity: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, error: Any
) -> None:
    stand_in(monkeypatch, error)
    said = comity("verify", "-q")
    assert said.code == 130
    assert said.err == "interrupted\n"


def test_a_reader_that_has_gone_is_no_failure(
    comity: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(monkeypatch, BrokenPipeError())
    assert comity("verify").code == 0


def test_an_exit_that_click_asks_for_keeps_its_code(
    comity: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(monkeypatch, click.exceptions.Exit(7))
    assert comity("verify").code == 7


def test_the_shell_is_told_how_to_complete(
    comity: Callable[..., Any], capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_COMITY_COMPLETE", "bash_source")
    with pytest.raises(SystemExit):
        comity()
    assert "_COMITY_COMPLETE=bash_complete" in capfd.readouterr().out


def test_every_command_is_a_module_of_its_own_with_one_name() -> None:
    folder = Path(module.__file__).parent
    assert [home for home, _ in COMMANDS.values()] == [f"comity.cli.{name}" for name in COMMANDS]
    assert all((folder / f"{name}.py").exists() for name in COMMANDS)
    assert root.name == "comity"


def test_a_name_that_is_no_command_has_none() -> None:
    assert root.get_command(click.Context(root), "bargin") is None
