"""Comity vote and comity decide: a live vote, and the person behind it (V8, G8)."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Comity = Callable[..., Any]
EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


@pytest.fixture
def example(here: Path) -> str:
    shutil.copy(EXAMPLES / "vote.toml", here / "vote.toml")
    shutil.copytree(EXAMPLES / "vote", here / "vote")
    return "vote.toml"


@pytest.fixture
def tie(here: Path) -> str:
    for name, said in (("ann", "A"), ("bob", "B")):
        (here / f"{name}.txt").write_text(f"VOTE: {said}\n", encoding="utf-8")
    (here / "tie.toml").write_text(
        'kind = "vote"\nquestion = "Which?"\noptions = ["A", "B"]\n'
        '[voters]\nann = { agent = "script:ann.txt" }\nbob = { agent = "script:bob.txt" }\n',
        encoding="utf-8",
    )
    return "tie.toml"


def test_the_shipped_example_has_one_answer(comity: Comity, example: str) -> None:
    said = comity("vote", example, "--json")
    assert said.code == 0
    assert (said.json["kind"], said.json["option"]) == ("choice", "database")
    assert comity("run", example, "--json").json["option"] == "database"
    assert comity("replay", "last").out.startswith("same")


def test_g8_a_tie_waits_for_a_person_who_decides(comity: Comity, tie: str) -> None:
    said = comity("vote", tie, "--json")
    assert (said.code, said.json["kind"], said.json["whom"]) == (11, "waiting", ["human"])
    unclear = comity("decide", "last", "C")
    assert unclear.code == 2
    assert "not counted (human)" in unclear.err
    done = comity("decide", "last", "B", "--json")
    assert (done.code, done.json["option"]) == (0, "B")
    again = comity("decide", "last", "A")
    assert again.code == 2
    assert "is decided already" in again.err
    assert comity("replay", "last").code == 0


def test_g8_without_a_person_it_ends_as_the_votes_end(comity: Comity, tie: str) -> None:
    said = comity("vote", tie, "--no-human", "--json")
    assert (said.code, said.json["reason"]) == (10, "tie")


def test_agents_may_be_named_at_the_command_line(comity: Comity, tie: str, here: Path) -> None:
    (here / "other.txt").write_text("VOTE: A\n", encoding="utf-8")
    said = comity("vote", tie, "--agent", "bob=script:other.txt", "--no-human", "--json")
    assert (said.code, said.json["option"]) == (0, "A")
    asked = comity("vote", tie, "--agent", "zoe=script:other.txt")
    assert asked.code == 2
    assert "zoe" in asked.err


def test_work_is_read_and_spared(comity: Comity, tie: str, here: Path) -> None:
    (here / "plan.md").write_text("the plan", encoding="utf-8")
    text = (here / tie).read_text(encoding="utf-8")
    (here / tie).write_text(text.replace("[voters]", 'work = "plan.md"\n[voters]'), "utf-8")
    assert comity("vote", tie, "--no-human").code == 10
    assert comity("vote", tie, "--svg", "plan.md").code == 2


def test_other_files_are_refused_with_their_command(comity: Comity, here: Path) -> None:
    assert comity("vote", "none.toml").code == 2
    shutil.copy(EXAMPLES / "price.toml", here / "price.toml")
    said = comity("vote", "price.toml")
    assert said.code == 2
    assert "comity run price.toml" in said.err
    (here / "list.json").write_text("[]", encoding="utf-8")
    assert comity("vote", "list.json").code == 2


def test_nothing_waits_in_a_ledger_that_is_not_there(comity: Comity) -> None:
    assert comity("decide", "last", "A").code != 0


@pytest.mark.parametrize("name", ["vote", "decide"])
def test_the_help_has_three_examples(comity: Comity, name: str) -> None:
    examples = comity(name, "--help").out.partition("Examples:")[2].partition("Options:")[0]
    assert examples.count(f"comity {name} ") == 3
