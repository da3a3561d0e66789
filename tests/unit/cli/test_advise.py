"""Comity advise: the same advice from options and from answers at a terminal (G2, G7)."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from comity.cli.advise import command
from comity.cli.door import Door
from comity.session.advice import QUESTIONS, advise

Comity = Callable[..., Any]


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Return a function that runs the command while a person types lines at the terminal."""
    monkeypatch.setattr(Door, "has_person", property(lambda door: door.may_ask))

    def run(lines: str, *words: str) -> Result:
        return CliRunner().invoke(command, list(words), input=lines, standalone_mode=False)

    return run


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("--imposes yes", "assignment"),
        ("--imposes no --stake once --values yes", "auction"),
        ("--stake turns --imposes nobody", "claim"),
        ("--consent all --values no --stake issues --imposes nobody", "negotiate to consent"),
    ],
)
def test_options_lead_to_advice_in_any_order(
    comity: Comity, here: Path, words: str, name: str
) -> None:
    said = comity("advise", *words.split(), "--json")
    assert (said.code, said.json["kind"], said.json["mechanism"]) == (0, "advice", name)
    told = comity("advise", *words.split())
    assert told.code == 0
    assert told.out.startswith(said.json["says"])
    assert f"\nNext\n  {said.json['run']}\n" in told.out
    assert said.json["second"]["title"] in told.out
    assert list(here.iterdir()) == [], "nothing is recorded"


def test_one_side_that_can_impose_is_an_assignment_without_rounds(comity: Comity) -> None:
    said = comity("advise", "--imposes", "yes")
    assert "that is an assignment, and no rounds are needed" in said.out
    assert said.err == ""


def test_g7_every_answer_that_is_wrong_is_told_with_what_was_meant(comity: Comity) -> None:
    said = comity("advise", "--imposes", "noboby", "--stake", "amuont", "--values", "maybe")
    assert said.code == 2
    assert said.out == ""
    for part in ("--imposes: is 'noboby'", "did you mean 'nobody'", "did you mean 'amount'"):
        assert part in said.err
    assert "--values: is 'maybe'" in said.err


def test_g7_without_a_person_what_is_missing_is_told(comity: Comity) -> None:
    said = comity("advise", "--imposes", "nobody", "--stake", "choice", "--json")
    (fault,) = said.json["faults"]
    assert (said.code, fault["whose"]) == (2, "--consent")
    assert "majority" in fault["allowed"]
    assert comity("advise").err.count("is not said") == 4


def test_a_person_is_asked_what_is_not_said_and_only_what_matters(typed: Any) -> None:
    said = typed("nobody\n4\nyes\n")
    assert said.return_value == 0
    assert said.stdout.startswith("Nobody can impose the outcome: an auction. ")
    asked = [one.words for one in QUESTIONS if one.words in said.stderr]
    assert asked == [one.words for one in QUESTIONS[:3]], "consent changes nothing any more"
    assert said.stderr.count("> ") == 3
    assert "  2  side        one of the sides decides" in said.stderr


def test_four_questions_at_the_most(typed: Any) -> None:
    said = typed("no\n2\nno\nall\n", "--json")
    assert '"mechanism": "negotiate to consent"' in said.stdout
    assert said.stderr.count("> ") == 4


def test_one_side_that_can_impose_ends_the_questions(typed: Any) -> None:
    said = typed("2\n")
    assert said.stderr.count("?") == 1
    assert "no rounds are needed" in said.stdout


def test_what_is_said_as_an_option_is_not_asked(typed: Any) -> None:
    said = typed("no\n", "--stake", "work")
    assert said.stdout.startswith("Nobody can impose the outcome: a review.")
    assert said.stderr.count("?") == 1
    assert (
        "The same without questions: comity advise --imposes nobody --stake work\n" in said.stderr
    )
    assert typed("", "--stake", "work", "--imposes", "nobody").stderr == ""


def test_an_answer_that_is_none_is_asked_again_with_what_was_meant(typed: Any) -> None:
    said = typed("supervisr\n\n9\nsupervisor\nturns\n", "--quiet")
    assert said.return_value == 0
    assert said.stdout.startswith("A supervisor can impose the outcome: that is an assignment")
    assert "is 'supervisr'; did you mean 'supervisor'" in said.stderr
    assert "is ''; use one of: nobody, side, supervisor" in said.stderr
    assert "is '9'; use one of" in said.stderr
    assert said.stderr.count(QUESTIONS[0].words) == 1


def test_the_end_of_the_input_leaves_what_is_missing(typed: Any) -> None:
    said = typed("nobody\n")
    assert said.stdout == ""
    assert [fault.whose for fault in said.exception.faults] == ["--stake", "--values", "--consent"]
    assert len(typed("", "--no-input").exception.faults) == 4


def test_a_person_comes_to_the_advice_of_the_options(typed: Any, comity: Comity) -> None:
    for stake in QUESTIONS[1].answers:
        answers = {"imposes": "nobody", "stake": stake.name, "values": "no", "consent": "majority"}
        told = typed("".join(f"{one}\n" for one in answers.values()))
        assert told.stdout.startswith(advise(**answers).says)


def test_it_asks_at_a_terminal_only(comity: Comity, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("nobody\nturns\n"))
    assert comity("advise").code == 2, "piped text is no person"


def test_the_help_has_three_examples_and_names_every_answer(comity: Comity) -> None:
    told = comity("advise", "--help").out
    assert told.partition("Examples:")[2].partition("Options:")[0].count("comity advise ") == 3
    options = [one for one in command.params if isinstance(one, click.Option)]
    for question in QUESTIONS:
        (help_text,) = [
            f"{one.metavar} {one.help}".casefold() for one in options if one.name == question.name
        ]
        assert not [one.name for one in question.answers if one.name not in help_text]
