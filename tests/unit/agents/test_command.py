"""agents/command.py: a program answers, fails by name, and is gone when its time is up (C7)."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from comity.agents import process as module
from comity.agents.base import Failure, Question, Reply
from comity.agents.command import Command, command
from comity.core.errors import InvalidInput
from comity.core.step import Ask
from comity.protocols.consent.brief import brief
from comity.testing.agent_checks import sample_questions

REAL_SLEEP = time.sleep

QUESTION = sample_questions("CC")[0]


@pytest.fixture(autouse=True)
def processes_end_when_they_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the standard library wait for the real processes here; nothing else may wait."""
    stand_in = SimpleNamespace(sleep=REAL_SLEEP, monotonic=time.monotonic)
    monkeypatch.setattr(subprocess, "time", stand_in)


def processes() -> list[tuple[int, str, int, int]]:
    """Return every process as (number, state, parent, group); a zombie has the state Z."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, parent, group = path.read_text("utf-8").rpartition(")")[2].split()[:3]
            found.append((int(path.parent.name), state, int(parent), int(group)))
    return found


def children() -> set[int]:
    return {number for number, _, parent, _ in processes() if parent == os.getpid()}


@pytest.fixture(autouse=True)
def no_child_and_no_zombie_is_left() -> Iterator[None]:
    before, running = children(), set(module._RUNNING)  # a cancelled ask may still be ending
    yield
    assert children() <= before
    assert running >= module._RUNNING


needs_proc = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="processes: this system shows none in /proc"
)


def shell(script: str, **options: float) -> Command:
    return Command(("sh", "-c", script), **options)


def living(group: int) -> list[int]:
    """Return the processes of a group that still run."""
    return [one for one, state, _, its in processes() if its == group and state not in {"Z", "X"}]


def ends(group: int) -> bool:
    """Tell whether a group of processes that was signalled is gone within moments."""
    latest = time.monotonic() + 10
    while living(group) and time.monotonic() < latest:
        os.sched_yield()
    return not living(group)


def test_the_brief_comes_on_standard_input_and_the_reply_on_standard_output() -> None:
    said = Command(("cat",)).reply(QUESTION)
    assert said == Reply(text=brief(QUESTION.ask.payload).strip())


def test_the_program_is_told_its_seat_what_is_asked_and_under_which_request() -> None:
    said = shell("echo $COMITY_SEAT $COMITY_ASK $COMITY_REQUEST_ID $HOME").reply(QUESTION)
    home = os.environ.get("HOME", "")
    assert said == Reply(text=f"CC position {QUESTION.request_id} {home}".strip())


def test_the_program_inherits_no_key_of_a_model_but_its_seats_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COMITY_MODEL_KEY", "key-of-all")
    monkeypatch.setenv("COMITY_MODEL_KEY_CX", "key-of-CX")
    monkeypatch.setenv("COMITY_MODEL_KEY_CC", "own")
    monkeypatch.setenv("OTHER_API_KEY", "kept")
    script = 'echo "$COMITY_MODEL_KEY,$COMITY_MODEL_KEY_CX,$COMITY_MODEL_KEY_CC,$OTHER_API_KEY"'
    assert shell(script).reply(QUESTION) == Reply(text=",,own,kept")


def test_no_key_comes_back_from_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTHER_API_KEY", "hunter2-Pa55")
    said = shell("echo I read $OTHER_API_KEY").reply(QUESTION)
    assert said == Reply(text="I read (a key)")
    said = shell("echo bad key $OTHER_API_KEY >&2; exit 1").reply(QUESTION)
    assert said == Failure(kind="crashed", detail="exit 1 bad key (a key)")


def test_noise_on_standard_error_is_not_part_of_the_reply() -> None:
    said = shell("echo loading model >&2; echo '[CONSENT]'; echo done >&2").reply(QUESTION)
    assert said == Reply(text="[CONSENT]")


@pytest.mark.parametrize("script", ["true", "echo; echo '  '", "echo all is well >&2"])
def test_exit_0_with_nothing_said_is_a_failure(script: str) -> None:
    assert shell(script).reply(QUESTION) == Failure(kind="empty", detail="exit 0 and nothing said")


@pytest.mark.parametrize(
    ("script", "detail"),
    [
        ("echo half a rep; echo first >&2; echo 'no quota' >&2; exit 3", "exit 3 no quota"),
        ("exit 7", "exit 7"),
        ("kill -KILL $$", "exit -9"),
        ("printf 'bad \\377 byte' >&2; exit 1", "exit 1 bad \N{REPLACEMENT CHARACTER} byte"),
    ],
)
def test_another_exit_is_a_failure_with_the_last_line_of_standard_error(
    script: str, detail: str
) -> None:
    assert shell(script).reply(QUESTION) == Failure(kind="crashed", detail=detail)


def test_bytes_that_are_no_text_do_not_lose_the_reply() -> None:
    said = shell("printf 'caf\\351 [CONSENT]'").reply(QUESTION)
    assert said == Reply(text="caf\N{REPLACEMENT CHARACTER} [CONSENT]")


@pytest.mark.parametrize(
    ("argv", "reason"),
    [
        (("no-such-program-anywhere",), "No such file"),
        (("/",), "Permission denied"),
        (("echo", "a\x00b"), "null byte"),
    ],
)
def test_a_program_that_cannot_be_run_is_unavailable_and_named(
    argv: tuple[str, ...], reason: str
) -> None:
    said = Command(argv).reply(QUESTION)
    assert isinstance(said, Failure)
    assert said.kind == "unavailable"
    assert said.detail.startswith(f"{argv[0]}: ")
    assert reason in said.detail


# --- much to read, much to say ---------------------------------------------------------------


def long_question(size: int) -> Question:
    payload = {**QUESTION.ask.payload, "work": "ä" * size}
    ask = Ask(id="a1", party="CC", kind="position", payload=payload)
    return Question(ask=ask, request_id="s/a1")


def test_a_prompt_of_300_kilobytes_arrives_whole() -> None:
    question = long_question(150_000)
    expected = len(brief(question.ask.payload).encode())
    assert expected > 300_000
    assert shell("wc -c").reply(question) == Reply(text=str(expected))


def test_a_program_that_reads_nothing_of_a_long_prompt_may_still_answer() -> None:
    assert shell("exec 0<&-; echo yes").reply(long_question(150_000)) == Reply(text="yes")


def test_a_program_may_say_much_before_it_reads() -> None:
    script = "head -c 1000000 /dev/zero | tr '\\0' x; cat >/dev/null"
    said = shell(script).reply(long_question(150_000))
    assert said == Reply(text="x" * 1_000_000)


def test_w1_words_of_which_the_end_is_lost_are_no_reply() -> None:
    flood = "head -c 1000000 /dev/zero | tr '\\0' ' '"
    said = shell(f"echo VOTE: APPROVE; {flood}; echo VOTE: BLOCK").reply(QUESTION)
    assert said == Failure(kind="cut", detail="it said more than 1000000 bytes")


def test_words_that_no_byte_stands_for_are_replaced_in_the_prompt() -> None:
    payload = {**QUESTION.ask.payload, "question": "half \ud800 a character"}
    ask = Ask(id="a1", party="CC", kind="position", payload=payload)
    said = Command(("cat",)).reply(Question(ask=ask, request_id="s/a1"))
    assert isinstance(said, Reply)
    assert "half ? a character" in said.text


# --- ending what does not end ----------------------------------------------------------------


@needs_proc
@pytest.mark.parametrize(
    "child",
    [
        "sleep 1000",
        "sleep 1000 >/dev/null 2>&1 <&-",
        "trap '' TERM; sleep 1000 & wait; sleep 1000",
        "trap '' TERM; exec >/dev/null 2>&1 <&-; while :; do sleep 1000; done",
    ],
    ids=["plain", "silent", "deaf", "deaf and silent"],
)
def test_when_its_time_is_up_the_program_is_ended_with_all_its_children(
    child: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_GRACE_S", 0.2)
    told = tmp_path / "group"
    script = f"({child}) & echo $$ > {told}; wait"
    said = shell(script, timeout_s=0.4).reply(QUESTION)
    assert said == Failure(kind="timeout", detail="no answer in 0.4 s")
    assert ends(int(told.read_text("utf-8")))


@needs_proc
def test_the_oracle_of_these_tests_sees_a_group_that_lives() -> None:
    with subprocess.Popen(["sh", "-c", "sleep 1000 & wait"], start_new_session=True) as process:
        latest = time.monotonic() + 10
        while len(living(process.pid)) < 2 and time.monotonic() < latest:
            os.sched_yield()
        assert len(living(process.pid)) == 2
        os.killpg(process.pid, signal.SIGKILL)


def test_what_still_runs_is_ended_when_the_interpreter_ends() -> None:
    with subprocess.Popen(["sleep", "1000"], start_new_session=True) as process:
        module._RUNNING.add(process)
        module._end_all()
        assert process.wait() == -signal.SIGKILL
        module._RUNNING.discard(process)


def test_a_program_that_ends_at_the_polite_signal_may_clean_up(tmp_path: Path) -> None:
    cleaned = tmp_path / "cleaned"
    script = f"trap 'echo bye > {cleaned}; exit' TERM; sleep 1000 & wait"
    assert isinstance(shell(script, timeout_s=0.4).reply(QUESTION), Failure)
    assert cleaned.read_text("utf-8") == "bye\n"


def test_an_interrupt_ends_the_program_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []

    def interrupted(process: subprocess.Popen[bytes], *rest: object) -> object:
        started.append(process)
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "_exchange", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Command(("sleep", "1000")).reply(QUESTION)
    assert started[0].returncode == -signal.SIGTERM


@needs_proc
def test_no_program_outlives_the_process_that_asked_it(tmp_path: Path) -> None:
    told = tmp_path / "group"
    script = f"echo $$ > {told}.new; mv {told}.new {told}; exec sleep 1000"
    code = f"""
import threading, time
from pathlib import Path
from comity.agents.command import command
from comity.testing.agent_checks import sample_questions
seat = command({f"sh -c {shlex.quote(script)}"!r}, seat="CC")
threading.Thread(target=seat.reply, args=(sample_questions()[0],), daemon=True).start()
while not Path({str(told)!r}).exists():
    time.sleep(0.001)
"""
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    group = int(told.read_text("utf-8"))
    try:
        assert ends(group)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)


# --- words to a program ----------------------------------------------------------------------


def test_words_are_split_as_in_a_shell_and_no_shell_is_run() -> None:
    seat = command("python3 -c 'print(1)' \"$HOME\" *.txt", seat="CC", timeout_s=5)
    assert seat.argv == ("python3", "-c", "print(1)", "$HOME", "*.txt")
    assert seat.timeout_s == 5
    assert seat.waits


@pytest.mark.parametrize("words", ["", "   ", "say 'hm", "''\\"])
def test_words_without_a_program_are_refused_in_the_seats_name(words: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        command(words, seat="GM")
    assert "seat 'GM'" in str(caught.value)
    assert "command:PROGRAM ARGUMENTS" in str(caught.value)
