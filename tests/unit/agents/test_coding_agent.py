"""agents/coding_agent.py: a place of its own for each turn; JSON out of what is printed (C7)."""

from __future__ import annotations

import os
import subprocess
import time
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import pytest

from comity.agents import coding_agent as module
from comity.agents.base import Failure, Reply
from comity.agents.coding_agent import SYSTEM, Place, ask_program, json_in, known, usage_of
from comity.agents.process import Program, Ran
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

    def lines(ran: Ran, place: Place) -> Reply:
        assert place.work.exists()
        read.extend(ran.out.splitlines())
        return Reply(text=str(ran.code))

    said = ask_program(
        QUESTION,
        lambda place: (("sh", "-c", script), {"MARK": "m"}),
        lines,
        own=(),
        timeout_s=30.0,
    )
    assert said == Reply(text="0")
    work, home, told = read
    assert Path(work).name == "work"
    assert Path(work).parent == Path(home).parent
    assert not Path(work).parent.exists()
    assert told == "m::CC"


def environment_of(monkeypatch: pytest.MonkeyPatch, *own: str, **added: str) -> dict[str, str]:
    """Return what a program under our variables and a seat's is given."""
    given: dict[str, str] = {}

    def fake(program: Program, words: str) -> Failure:
        changed = {**os.environ, **program.environment}
        given.update({name: value for name, value in changed.items() if value is not None})
        return Failure(kind="auth", detail="no, not with own-key-1 and its-key-1")

    monkeypatch.setattr(module, "run", fake)
    said = ask_program(
        QUESTION, lambda place: (("x",), dict(added)), lambda ran, _: None, own=own, timeout_s=1
    )  # type: ignore[arg-type, return-value]  # nothing is read
    assert said == Failure(kind="auth", detail="no, not with (a key) and (a key)")
    return given


def test_a_program_gets_its_own_vendors_variables_and_no_other_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    theirs = (
        *("OPENAI_BASE_URL", "CODEX_HOME", "ANTHROPIC_API_KEY", "GOOGLE_CLOUD_PROJECT"),
        *("COMITY_MODEL_KEY", "COMITY_MODEL_KEY_CC", "COMITY_MODEL_KEY_CX", "COMITY_DB"),
        *("GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "PGPASSWORD", "SOME_APIKEY", "my_secret"),
    )
    for name in theirs:
        monkeypatch.setenv(name, "theirs-1234")
    kept = ("GEMINI_MODEL", "HTTPS_PROXY", "MONKEY", "TOKENIZERS_PARALLELISM", "KEYBOARD")
    for name in kept:
        monkeypatch.setenv(name, "kept")
    monkeypatch.setenv("GEMINI_API_KEY", "own-key-1")
    given = environment_of(monkeypatch, "GEMINI_", OTHER_TOKEN="its-key-1")  # noqa: S106  # no key
    assert {*kept, "GEMINI_API_KEY", "OTHER_TOKEN", "COMITY_SEAT", "PATH"} <= set(given)
    assert {name: given[name] for name in theirs if name in given} == {}
    assert "theirs-1234" not in given.values()


def test_where_no_place_can_be_made_the_seat_is_unavailable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    said = ask_program(
        QUESTION,
        lambda place: (("true",), {}),
        lambda ran, place: Reply(text=""),
        own=(),
        timeout_s=1,
    )
    assert said == Failure(kind="unavailable", detail=f"no place for CC: {os.strerror(2)}")


def test_a_failure_to_run_is_the_seats_failure() -> None:
    said = ask_program(
        QUESTION,
        lambda place: (("no-such-program",), {}),
        lambda ran, place: Reply(text=""),
        own=(),
        timeout_s=1,
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
