"""Prompt text: one sentence as scenario data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.formats.prompt_text import data_from_prompt
from comity.formats.scenario import scenario_from


def test_c1_the_sources_prompt_becomes_a_scenario() -> None:
    text = (
        "Use negotiation for authentication protocol design.\n"
        "CC advocates Reliability, CX advocates Speed, GM advocates Security.\n"
        "Output: projects/auth/protocol.md max_turns: 12"
    )
    data = data_from_prompt(text, folder=Path())
    assert data == {
        "kind": "consent",
        "question": "authentication protocol design",
        "seats": {
            "CC": {"priority": "Reliability"},
            "CX": {"priority": "Speed"},
            "GM": {"priority": "Security"},
        },
        "output": "projects/auth/protocol.md",
        "max_turns": 12,
    }
    assert scenario_from(data, whose="prompt", folder=Path(), seed="1").output == data["output"]


@pytest.mark.parametrize(
    ("work", "question"),
    [
        ("# How often?\nDetails", "How often?"),
        ("\n\n  plain words  \n", "plain words"),
        ("", "What the work file asks"),
        (None, "What the work file asks"),
        ("x" * 1000, "x" * 300),
    ],
)
def test_c1_a_prompt_may_leave_the_question_to_its_work_file(
    tmp_path: Path, work: Any, question: Any
) -> None:
    if work is not None:
        (tmp_path / "w.md").write_text(work)
    data = data_from_prompt("CC=Focus, CX=Contact. work: w.md", folder=tmp_path)
    assert data["question"] == question
    assert data["work"] == "w.md"


def test_a_work_file_of_bytes_is_told_when_the_scenario_is_read(tmp_path: Path) -> None:
    (tmp_path / "w.md").write_bytes(b"\xff\xfe")
    data = data_from_prompt("CC=Focus, CX=Contact. work: w.md", folder=tmp_path)
    with pytest.raises(InvalidInput, match="not UTF-8"):
        scenario_from(data, whose="prompt", folder=tmp_path, seed="1")


def test_g7_faults_of_the_prompt_come_out_as_they_are() -> None:
    with pytest.raises(InvalidInput, match="it names no seats"):
        data_from_prompt("Meetings?", folder=Path())
