"""Faults at the command line: what to do next names the ledger that the call named (G7)."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from comity.cli.faults import _OF_LEDGER, with_ledger
from comity.cli.root import COMMANDS

Comity = Callable[..., Any]
DB = "other place.db"
QUOTED = "--db 'other place.db'"


def test_every_command_that_needs_a_ledger_gets_it_once() -> None:
    said = "see `comity why d_1`, `comity decide d_1 --undo` or `comity schema vote`; run `ls`"
    assert with_ledger(said, "") == said
    told = with_ledger(said, DB)
    assert told == (
        f"see `comity why d_1 {QUOTED}`, `comity decide d_1 --undo {QUOTED}` or"
        " `comity schema vote`; run `ls`"
    )
    assert with_ledger(told, DB) == told
    assert with_ledger("see `comity why --help`", DB) == "see `comity why --help`"


def test_the_commands_of_a_ledger_are_commands() -> None:
    assert set(COMMANDS) >= _OF_LEDGER
    for name in _OF_LEDGER:
        assert import_module(COMMANDS[name][0]).command.name == name


@pytest.mark.parametrize(
    "words",
    [
        ("why", "nobody"),
        ("replay", "nobody"),
        ("resume", "nobody"),
        ("ledger", "nobody"),
        ("decide", "last"),
        ("decide", "last", "--option", "A"),
        ("decide", "last", "--option", "nothing", "--reason", "x"),
        ("decide", "last", "--undo", "--reason", "x"),
    ],
)
@pytest.mark.parametrize("form", [("--db", DB), (f"--db={DB}",)])
def test_every_command_told_next_names_the_ledger_of_the_call(
    comity: Comity, price: str, words: tuple[str, ...], form: tuple[str, ...]
) -> None:
    comity("run", price, "--db", DB)
    said = comity(*words, *form)
    assert said.code == 2
    for command in re.findall(r"`(comity [^`]*)`", said.err):
        assert QUOTED in command, said.err
    for one in comity(*words, *form, "--json").json["faults"]:
        assert all(QUOTED in found for found in re.findall(r"`(comity [^`]*)`", one["next"]))


def test_what_is_told_next_works_as_it_stands(comity: Comity, price: str) -> None:
    comity("run", price, "--db", DB)
    told = comity("why", "nobody", "--db", DB).err
    (command,) = re.findall(r"`(comity [^`]*)`", told)
    assert comity(*shlex.split(command)[1:]).code == 0


def test_the_account_and_the_way_to_decide_name_it_too(comity: Comity, here: Path) -> None:
    for name, said in (("ann", "A"), ("bob", "B")):
        (here / f"{name}.txt").write_text(f"VOTE: {said}\n", encoding="utf-8")
    (here / "tie.toml").write_text(
        'kind = "vote"\nquestion = "Which?"\noptions = ["A", "B"]\n[voters]\n'
        'ann = { agent = "script:ann.txt" }\nbob = { agent = "script:bob.txt" }\n'
        '[person]\ndeadline_s = 3600\ndefault = "A"\n',
        encoding="utf-8",
    )
    said = comity("vote", "tie.toml", "--db", DB)
    assert said.code == 11
    (look,) = re.findall(r"`(comity why [^`]*)`", said.err)
    assert look.endswith(QUOTED)
    decide = said.out.strip().split("\n")[-1].strip().removeprefix("- ").replace("CHOICE", "A")
    assert decide.endswith(QUOTED)
    assert comity(*shlex.split(decide)[1:]).code == 0
    plain = comity("vote", "tie.toml")
    assert "--db" not in plain.out + plain.err
    assert "ledger" not in comity("vote", "tie.toml", "--db", DB, "--json").json
