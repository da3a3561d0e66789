"""The page "Which mechanism?": does it say what `comity advise` says?

Here: both tables of the page against the tables in the code, row by row; every command that is
advised, run on its example.
Not here: running what the page shows (tests/test_docs.py).
Sources: the rule that an example nobody runs is a claim nobody made.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from comity.cli.door import Door
from comity.cli.main import main
from comity.cli.terminal import Terminal
from comity.session.advice import QUESTIONS
from comity.session.advice_table import ROWS, Row
from comity.session.mechanism_facts import MECHANISMS, Mechanism

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "explanation" / "which-mechanism.md").read_text("utf-8")
RUNS = sorted(
    {
        *(one.run for one in MECHANISMS.values()),
        *(run for row in ROWS for run in (row.run, row.second_run) if run),
    }
)
RAN = {0, 10, 11}


def rows_below(title: str) -> list[str]:
    """Return the rows of the first table below a title, without its head."""
    section = PAGE.split(f"\n{title}\n")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")]
    return [line for line in rows if not set(line) <= set("|- ")][1:]


def written(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def cost_row(one: Mechanism) -> str:
    return written(one.name, one.imposes, one.messages, one.rounds, one.fails, f"`{one.run}`")


def answer_row(row: Row) -> str:
    said = [
        ", ".join(f"`{name}`" for name in getattr(row, question.name)) or "any"
        for question in QUESTIONS
    ]
    return written(*said, row.use, f"{row.second}, {row.second_why}")


def test_the_table_of_costs_is_the_one_in_the_code() -> None:
    assert rows_below("## What each costs") == [cost_row(one) for one in MECHANISMS.values()]


def test_the_table_of_answers_is_the_one_in_the_code() -> None:
    assert rows_below("## The decision table") == [answer_row(row) for row in ROWS]


def test_every_question_and_answer_is_on_the_page() -> None:
    for question in QUESTIONS:
        assert f"**{question.words}**" in PAGE
        for answer in question.answers:
            assert f"`{answer.name}`: {answer.words}" in PAGE


@pytest.mark.parametrize("run", [run for run in RUNS if "=person" not in run])
def test_the_command_that_is_advised_runs_once_the_examples_are_there(
    run: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COMITY_DB", raising=False)
    if "examples/" in run:
        assert main(["examples", "--quiet"]) == 0
        capfd.readouterr()
    assert main(shlex.split(run)[1:]) in RAN
    assert capfd.readouterr().out


def test_the_review_that_is_advised_needs_a_text_and_people_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COMITY_DB", raising=False)
    monkeypatch.setattr(Door, "has_person", property(lambda door: door.may_ask))
    monkeypatch.setattr(Terminal, "ask", lambda terminal, seat, words: "VOTE: APPROVE")
    run = shlex.split(MECHANISMS["review"].run)
    (tmp_path / run[2]).write_text("# Plan\n", "utf-8")
    assert main(run[1:]) == 0
    assert "approve" in capfd.readouterr().out.casefold()
