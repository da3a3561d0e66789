"""agents/process.py: one program, bounded in output, time and children (C7).

What happens when time is up is shown through the seat that everybody may use: test_command.py.
"""

from __future__ import annotations

import os
import subprocess
import time
import tracemalloc
from pathlib import Path
from types import SimpleNamespace

import pytest

from comity.agents import process as module
from comity.agents.base import Failure
from comity.agents.process import Program, Ran, run

REAL_SLEEP = time.sleep


@pytest.fixture(autouse=True)
def processes_end_when_they_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the standard library wait for the real processes here; nothing else may wait."""
    stand_in = SimpleNamespace(sleep=REAL_SLEEP, monotonic=time.monotonic)
    monkeypatch.setattr(subprocess, "time", stand_in)


def shell(script: str, words: str = "", **options: object) -> Ran | Failure:
    return run(Program(argv=("sh", "-c", script), **options), words)  # type: ignore[arg-type]


def test_both_outputs_and_the_code_come_back() -> None:
    assert shell("cat; echo no >&2; exit 3", "words") == Ran(3, "words", "no\n")


def test_what_is_too_much_is_read_and_dropped_on_both_outputs() -> None:
    flood = "head -c 9000000 /dev/zero | tr '\\0' x; head -c 9000000 /dev/zero | tr '\\0' y >&2"
    tracemalloc.start()
    try:
        assert shell(flood, output_bytes=10) == Ran(0, "x" * 10, "y" * 10, is_cut=True)
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


def test_output_for_ever_ends_on_the_clock() -> None:
    said = shell("yes", timeout_s=0.3)
    assert said == Failure(kind="timeout", detail="no answer in 0.3 s")


def test_the_environment_is_changed_and_what_is_none_is_gone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KEPT", "a")
    monkeypatch.setenv("GONE", "b")
    said = shell(
        'echo "$KEPT,$GONE,$NEW"; pwd', environment={"GONE": None, "NEW": "c"}, folder=tmp_path
    )
    assert said == Ran(0, f"a,,c\n{tmp_path.resolve()}\n", "")


def test_a_folder_that_is_not_there_is_no_place_to_run(tmp_path: Path) -> None:
    said = shell("true", folder=tmp_path / "gone")
    assert isinstance(said, Failure)
    assert said.kind == "unavailable"


@pytest.mark.parametrize(("room", "is_cut"), [(5, False), (4, True), (0, True)])
def test_what_is_lost_of_standard_output_is_told_and_of_standard_error_not(
    room: int, is_cut: bool
) -> None:
    said = shell("printf 12345; printf 1234567 >&2", output_bytes=room)
    assert said == Ran(0, "12345"[:room], "1234567"[:room], is_cut=is_cut)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes: none in /proc here")
@pytest.mark.parametrize("holds", ["", ">/dev/null 2>&1 </dev/null"])
def test_c7_a_child_that_outlives_its_program_holds_up_nobody_and_is_ended(
    holds: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LAST_WORDS_S", 0.05)
    said = shell(f"sleep 1000 {holds} & echo $!; exit 3")
    assert isinstance(said, Ran), "it ended long before its time was up"
    assert (said.code, said.is_cut) == (3, False)
    child = int(said.out)
    latest = time.monotonic() + 10
    while is_alive(child) and time.monotonic() < latest:
        os.sched_yield()
    assert not is_alive(child)


def is_alive(number: int) -> bool:
    try:
        state = Path(f"/proc/{number}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in {"Z", "X"}


def test_the_last_line_is_the_last_that_says_something() -> None:
    assert Ran(1, "", "one\n two \n\n").last_line == "two"
    assert Ran(1, "out", "").last_line == ""
