"""Comity independence: a log in, as how many its voters count out."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import comity as package
from comity.cli import root
from comity.mechanisms.voting.independence import IndependenceReport, independence

ERRORS = {"A": {1, 2, 3}, "B": {1, 2, 3}, "C": {1, 2, 4}}
LOG = "item,A,B,C,truth\n" + "".join(
    f"{item},{','.join('no' if item in ERRORS[name] else 'yes' for name in ERRORS)},yes\n"
    for item in range(1, 11)
)


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the command and the public name be there, whoever lists them."""
    row = ("comity.cli.independence", "As how many voters a panel counts.")
    monkeypatch.setitem(root.COMMANDS, "independence", row)
    monkeypatch.setattr(package, "independence", independence, raising=False)


@pytest.fixture
def log(here: Path) -> str:
    (here / "votes.csv").write_text(LOG)
    return "votes.csv"


def test_v9_the_hand_example_counts_as_1_3(comity: Callable[..., Any], log: str) -> None:
    said = comity("independence", log)
    assert said.code == 0
    assert said.err == ""
    assert said.out.startswith("3 voters, counting as 1.3.\n\nMean correlation of errors 0.683")
    assert "A and B      3" in said.out.replace("          ", "      ").replace(
        "       3", "      3"
    )
    assert "Warnings\n  ! Few items" in said.out


def test_g1_the_json_is_the_whole_report(comity: Callable[..., Any], log: str) -> None:
    told = comity("independence", log, "--json", "--resamples", "100", "--seed", "7").json
    assert list(told)[:2] == ["v", "kind"]
    assert told["says"][0].startswith("Mean correlation of errors 0.683 (95 %: ")
    report = IndependenceReport.from_json(told)
    assert (report.seed, report.rules.resamples) == ("7", 100)


def test_v9_weights_are_exact(comity: Callable[..., Any], log: str) -> None:
    told = comity(
        "independence", log, "--weights", "A=2, B=1,C=1/1", "--resamples=0", "--json"
    ).json
    assert told["weights"] == [2, 1, 1]
    assert told["with_truth"]["panel"]["n_eff"] == pytest.approx(1.217, abs=5e-4)


def test_every_option_is_handed_on(comity: Callable[..., Any], here: Path) -> None:
    (here / "v.csv").write_text("item,a=b,c,gold\n1,1,2,1\n2,2,2,1\n3,3,1,3\n")
    words = "--truth gold --options 1,2,3,4 --min-shared 2 --measure interval --weights a=b=3"
    told = comity("independence", "v.csv", *words.split(), "--json").json
    assert told["options"] == ["1", "2", "3", "4"]
    assert told["weights"] == [3, 1]
    assert (told["rules"]["min_shared"], told["rules"]["measure"]) == (2, "interval")
    assert told["with_truth"]["items"] == 3


def test_the_panel_is_drawn(comity: Callable[..., Any], log: str, here: Path) -> None:
    said = comity("independence", log, "--svg", "panel.svg")
    assert said.code == 0
    assert said.err == "drawn: panel.svg\n"
    ET.fromstring((here / "panel.svg").read_text())  # noqa: S314  # our own text


def test_a_log_is_never_drawn_over(comity: Callable[..., Any], log: str, here: Path) -> None:
    assert comity("independence", log, "--svg", log).code == 2
    assert (here / log).read_text() == LOG


def test_standard_input_is_read(
    comity: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(LOG.encode())))
    assert comity("independence", "-").out.startswith("3 voters, counting as 1.3.")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"item,A\n")))
    assert "standard input: holds no vote" in comity("independence", "-").err
    monkeypatch.setattr("sys.stdin", None)
    assert "standard input: holds no vote" in comity("independence", "-").err


def test_v9_the_panels_own_majority_is_no_truth(comity: Callable[..., Any], log: str) -> None:
    said = comity("independence", log, "--truth", "majority")
    assert said.code == 2
    assert said.out == ""
    assert "their shared errors disappear" in said.err.replace("\n", " ")


def test_g7_every_word_that_cannot_be_read_is_told_at_once(
    comity: Callable[..., Any], log: str
) -> None:
    said = comity(
        "independence", log, "--weights", "A=x,B,A=2,=3,A=3", "--resamples", "-1",
        "--min-shared", "0",
    )  # fmt: skip
    assert said.code == 2
    for whose in ("--weights", "--resamples", "--min-shared", "'B'", "'=3'", "a second time"):
        assert whose in said.err


def test_faults_of_the_file_come_with_their_lines(comity: Callable[..., Any], here: Path) -> None:
    (here / "bad.csv").write_text("item,voter,answer\n1,a,x\n1,a,y\n,b,x\n")
    said = comity("independence", "bad.csv", "--json")
    assert said.code == 2
    assert "bad.csv line 3" in said.out + said.err
    assert "bad.csv line 4" in said.out + said.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("votse.csv",), "did you mean 'votes.csv'"),
        (("votes.csv", "--truht", "x"), "--truth"),
        (("votes.csv", "--truth", "truht"), "did you mean 'truth'"),
        (("votes.csv", "--measure", "ratio"), "nominal, ordinal, interval"),
        (("votes.csv", "--weights", "D=1"), "name voter 'D'"),
        ((), "lacks LOG"),
    ],
)
def test_a_wrong_word_is_told_with_what_is_near(
    comity: Callable[..., Any], log: str, words: tuple[str, ...], told: str
) -> None:
    said = comity("independence", *words)
    assert said.code == 2
    assert told in said.err


def test_the_help_has_three_examples(comity: Callable[..., Any]) -> None:
    said = comity("independence", "--help")
    assert said.code == 0
    assert said.out.count("comity independence ") == 4
