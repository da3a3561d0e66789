"""Comity convert: the same ballots in another format, and nothing lost in silence."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from comity.formats.ballots import read_ballots

ROOT = Path(__file__).resolve().parents[3]
Comity = Callable[..., Any]


@pytest.fixture
def ballots(here: Path) -> Path:
    """Put the shipped ballots into the folder."""
    shutil.copytree(ROOT / "examples", here / "examples")
    return here / "examples"


def test_v10_ballots_are_the_same_in_the_other_format(
    comity: Comity, ballots: Path, here: Path
) -> None:
    said = comity("convert", "examples/debian-leader-2003.csv", "d.toi")
    assert (said.code, said.out) == (0, "")
    assert "written: d.toi" in said.err
    before = read_ballots(ballots / "debian-leader-2003.csv")
    assert read_ballots(here / "d.toi").election == before.election
    assert read_ballots(here / "d.toi").names == before.names


def test_without_a_place_the_text_is_the_data(comity: Comity, ballots: Path, here: Path) -> None:
    said = comity("convert", "examples/ballots-five.csv", "--to", "jsonl")
    (here / "five.jsonl").write_text(said.out)
    before = read_ballots(ballots / "ballots-five.csv")
    assert read_ballots(here / "five.jsonl").election == before.election
    told = comity("convert", "examples/ballots-five.csv", "--to", "jsonl", "--json").json
    assert told["text"] == said.out
    assert (told["v"], told["kind"], told["from"], told["to"]) == (1, "conversion", "csv", "jsonl")
    assert (told["ballots"], told["lost"], told["written"]) == (5, [], None)


def test_v10_a_loss_is_refused_with_what_would_be_lost_and_leaves_no_file(
    comity: Comity, ballots: Path, here: Path
) -> None:
    said = comity("convert", "examples/debian-leader-2003.csv", "d.soi")
    assert said.code == 2
    assert "would lose the equal ranks of 96 ballots" in said.err
    assert "--lossy --equal-by candidate_order" in said.err
    assert not (here / "d.soi").exists()
    named = comity("convert", "examples/ballots-five.csv", "five.soc")
    assert "accept the loss: --lossy" in named.err


def test_g4_the_preflib_accident_can_be_made_only_in_so_many_words(
    comity: Comity, ballots: Path
) -> None:
    words = ("--lossy", "--equal-by", "candidate_order")
    said = comity("convert", "examples/debian-leader-2003.csv", "d.soi", *words, "-q")
    assert said.code == 0
    assert "the equal ranks of 96 ballots; broken by the candidates' order" in said.err
    right = comity("tally", "examples/debian-leader-2003.csv", "--rule", "schulze", "--json").json
    wrong = comity("tally", "d.soi", "--rule", "schulze", "--json").json
    assert (right["winner"], right["margin"]) == ("Martin Michlmayr", 4)
    assert (wrong["winner"], wrong["margin"]) == ("Bdale Garbee", 24)
    assert right["pairwise"]["Martin Michlmayr"]["Bdale Garbee"] == 228
    assert right["pairwise"]["Bdale Garbee"]["Martin Michlmayr"] == 224


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("x.so",), "OUT 'x.so': is the format 'so'"),
        ((), "--to: names no format"),
        (("--to", "cvs"), "did you mean 'csv'"),
        (("x.soi", "--equal-by", "candidate_order"), "--equal-by: stands without --lossy"),
        (("examples/debian-leader-2003.csv",), "is a file that this call uses otherwise"),
    ],
)
def test_g7_what_cannot_be_is_told(
    comity: Comity, ballots: Path, words: tuple[str, ...], said: str
) -> None:
    told = comity("convert", "examples/debian-leader-2003.csv", *words)
    assert told.code == 2
    assert said in told.err


def test_g7_the_faults_of_both_files_are_told_at_once(comity: Comity, ballots: Path) -> None:
    told = comity("convert", "examples/ballots-fave.csv", "x.so")
    assert "did you mean 'examples/ballots-five.csv'" in told.err
    assert "OUT 'x.so'" in told.err
