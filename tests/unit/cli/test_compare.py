"""Comity compare: all standard rules side by side, and what that means."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
Comity = Callable[..., Any]


@pytest.fixture
def ballots(here: Path) -> Path:
    """Put the shipped ballots into the folder."""
    shutil.copytree(ROOT / "examples", here / "examples")
    return here / "examples"


def test_v4_the_rules_that_disagree_are_named_in_one_sentence(
    comity: Comity, ballots: Path
) -> None:
    said = comity("compare", "examples/ballots-five.csv")
    assert said.code == 0
    assert said.out.split("\n")[0] == (
        "The rules disagree (B under 9 rules, nobody under plurality), so the rule decides here "
        "as much as the ballots do: agree on it before they are cast."
    )
    assert "borda         B                   3" in said.out


def test_v5_the_json_has_every_rule_and_who_wins_under_which(
    comity: Comity, ballots: Path
) -> None:
    told = comity("compare", "examples/ballots-lunch.csv", "--json").json
    assert (told["v"], told["kind"], told["agree"]) == (1, "comparison", False)
    assert told["winners"]["Pizza"] == ["plurality"]
    assert len(told["winners"]["Salad"]) == 9
    assert len(told["said"]) == 13
    assert told["counts"] == {"ballots": 21, "abstained": 0, "invalid": 0, "absent": 0}


def test_rules_that_agree_say_so(comity: Comity, here: Path) -> None:
    (here / "v.csv").write_text("count,ballot\n3,A>B\n1,B>A\n")
    said = comity("compare", "v.csv")
    assert said.out.startswith(
        "All 10 rules that read these ballots elect A: the outcome does not hang on the rule."
    )


def test_up_to_three_rules_are_named(comity: Comity, here: Path) -> None:
    (here / "v.csv").write_text("voter,score:A,score:B\na,9,0\nb,1,2\nc,1,2\n")
    said = comity("compare", "v.csv")
    assert said.out.startswith("The rules disagree (B under ")
    assert ", A under score), so the rule decides" in said.out


def test_g2_when_no_rule_decides_the_exit_code_is_10(comity: Comity, ballots: Path) -> None:
    said = comity("compare", "examples/ballots-tie.csv")
    assert said.code == 10
    assert said.out.startswith("No decision: none of the 9 rules")


def test_a_question_has_no_rule_of_this_kind(comity: Comity, here: Path) -> None:
    (here / "v.csv").write_text("voter,vote\na,yes\nb,no\n")
    said = comity("compare", "v.csv")
    assert said.code == 10
    assert said.out.startswith("No standard rule reads these ballots")


def test_it_is_drawn_and_never_over_the_ballots(comity: Comity, ballots: Path, here: Path) -> None:
    said = comity("compare", "examples/ballots-lunch.csv", "--svg", "rules.svg")
    assert "drawn: rules.svg" in said.err
    assert "Salad under 9 rules" in (here / "rules.svg").read_text()
    words = ("examples/ballots-lunch.csv", "--svg", "examples/ballots-lunch.csv")
    assert comity("compare", *words).code == 2


def test_g7_the_faults_of_a_file_are_told(comity: Comity, ballots: Path) -> None:
    said = comity("compare", "examples/ballots-fave.csv", "--kind", "x")
    assert said.code == 2
    assert "did you mean 'examples/ballots-five.csv'" in said.err
    plain = comity("compare", "examples/ballots-five.csv", "--kind", "rank", "--format", "csv")
    assert plain.code == 2
