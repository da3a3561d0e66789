"""agents/coding_agent.py: a place of its own for each turn; JSON out of what is printed (C7)."""

from __future__ import annotations

import os
import subprocess
import time
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import pytest

from comity.agents.base import Failure, Reply
from comity.agents.coding_agent import SYSTEM, Place, ask_program, json_in, known, usage_of
from comity.agents.process import Ran
from comity.testing.agent_checks import sample_questions

QUESTION = sample_questions("CC")[0]
REAL_SLEEP = time.sleep


@pytest.fixture(autouse=True)
def processes_end_when_they_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the standard library wait for the real processes here; nothing else may wait."""
    stand_in = SimpleNamespace(sleep=REAL_SLEEP, monotonic=time.monotonic)
    monkeypatch.setattr(subprocess, "time", stand_in)


def test_a_place_is_two_empty_folders_and_the_words(tmp_path: Path) -> None:
    place = Place(tmp_path)
    assert list(place.work.iterdir()) == list(place.home.iterdir()) == []
    assert place.system.read_text("utf-8") == SYSTEM


def test_a_program_runs_in_its_place_and_the_place_is_gone_afterwards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    script = 'pwd; echo "$TMPDIR"; echo "$MARK:$CLAUDECODE:$COMITY_SEAT"; touch left "$TMPDIR/too"'
    read: list[str] = []

    def lines(ran: Ran) -> Reply:
        read.extend(ran.out.splitlines())
        return Reply(text=str(ran.code))

    said = ask_program(
        QUESTION, lambda place: (("sh", "-c", script), {"MARK": "m"}), lines, timeout_s=30.0
    )
    assert said == Reply(text="0")
    work, home, told = read
    assert Path(work).name == "work"
    assert Path(work).parent == Path(home).parent
    assert not Path(work).parent.exists()
    assert told == "m::CC"


def test_where_no_place_can_be_made_the_seat_is_unavailable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    said = ask_program(
        QUESTION, lambda place: (("true",), {}), lambda ran: Reply(text=""), timeout_s=1
    )
    assert said == Failure(kind="unavailable", detail=f"no place for CC: {os.strerror(2)}")


def test_a_failure_to_run_is_the_seats_failure() -> None:
    said = ask_program(
        QUESTION, lambda place: (("no-such-program",), {}), lambda ran: Reply(text=""), timeout_s=1
    )
    assert isinstance(said, Failure)
    assert said.kind == "unavailable"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}', {"a": 1}),
        ('{"a": 1}\n{"b": 2}\n', {"b": 2}),
        ('noise {"a": 1}\n{\n  "b": {\n    "c": 2.50\n  }\n}\n\n', {"b": {"c": Decimal("2.50")}}),
        ('  {"a": 1}', {}),
        ("", {}),
        ("[1]", {}),
        ('{"a": 1} and more', {}),
        ('{"a": "\\n{\\"b\\": 2}"}', {"a": '\n{"b": 2}'}),
        ("{\n" * 10_000, {}),
        ('{"a":' * 100_000, {}),
    ],
)
def test_the_last_object_that_was_printed_is_read(text: str, found: dict[str, object]) -> None:
    assert json_in(text) == found


@pytest.mark.parametrize(
    ("told", "usage"),
    [
        ((1, 2, None), {"input_tokens": 1, "output_tokens": 2, "tokens": 3}),
        ((1, None, None), {"input_tokens": 1}),
        ((True, "2", None), {}),
        ((-1, 2, 3), {"output_tokens": 2, "money": "3"}),
        ((None, 0, Decimal("0.00080")), {"output_tokens": 0, "money": "0.0008"}),
        ((None, None, Decimal("1E+2")), {"money": "100"}),
        ((None, None, Decimal("1E-30")), {"money": "0"}),
        ((None, None, Decimal("NaN")), {}),
        ((None, None, Decimal("1E+400000")), {}),
        ((None, None, Decimal(-1)), {}),
        ((None, None, float("inf")), {}),
    ],
)  # fmt: skip
def test_g5_what_was_used_is_exact_and_what_is_not_told_is_left_out(
    told: tuple[object, object, object], usage: dict[str, object]
) -> None:
    assert usage_of(*told) == usage


def test_what_a_seat_adds_to_the_environment_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_NAME", "ours")
    assert known("SOME_NAME", {}) == "ours"
    assert known("SOME_NAME", {"SOME_NAME": ""}) == ""
    monkeypatch.delenv("SOME_NAME")
    assert known("SOME_NAME", {}) == ""
