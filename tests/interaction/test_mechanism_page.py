"""The page "Which mechanism?": does it say what `comity advise` says?

Here: both tables of the page against the tables in the code, row by row; every command that is
advised, run on its example.
Not here: running what the page shows (tests/test_docs.py).
Sources: the rule that an example nobody runs is a claim nobody made.
"""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import pytest

from comity.cli.main import main
from comity.session.advice import QUESTIONS
from comity.session.advice_table import ROWS, Row
from comity.session.mechanism_facts import MECHANISMS, Mechanism

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "explanation" / "which-mechanism.md").read_text("utf-8")
RUNS = sorted({*(one.run for one in MECHANISMS.values()), *(row.run for row in ROWS if row.run)})
RAN = {0, 10, 11}


def rows_below(title: str) -> list[str]:
    """Return the rows of the first table below a title, without its head."""
    section = PAGE.split(f"\n{title}\n")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")]
    return [line for line in rows if not set(line) <= set("|- ")][1:]


def written(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def cost_row(one: Mechanism) -> str:
    run = one.run.replace("|", "\\|")
    return written(one.name, one.imposes, one.messages, one.rounds, one.fails, f"`{run}`")


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


@pytest.mark.parametrize("run", [run for run in RUNS if "|" not in run])
def test_the_command_that_is_advised_runs_on_its_example(
    run: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COMITY_DB", raising=False)
    assert main(run.split()[1:]) in RAN
    assert capfd.readouterr().out


def test_the_reply_that_is_advised_for_a_review_is_read(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (said, _, words) = MECHANISMS["review"].run.partition(" | comity ")
    typed = said.removeprefix("echo ").strip("'") + "\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(typed.encode())))
    assert main(words.split()) == 0
    assert "vote: APPROVE" in capfd.readouterr().out
