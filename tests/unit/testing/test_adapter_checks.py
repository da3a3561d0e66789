"""testing/adapter_checks.py: every promise that an adapter can break is found by its name."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import pytest

from comity.agents.base import Failure, Question, Reply
from comity.agents.openai_http import ModelSeat, httpx_or_none
from comity.testing import adapter_checks as module
from comity.testing.adapter_checks import check_adapter
from comity.testing.model_server import ModelServer
from comity.testing.model_server.script import STOPS

pytestmark = pytest.mark.skipif(
    httpx_or_none() is None, reason="httpx: not installed; it is the extra 'models'"
)
REAL_SLEEP = time.sleep


@dataclass
class Faulty:
    """A seat over a good one that spoils what it says, or what it is asked."""

    server: ModelServer
    timeout_s: float
    spoil: Callable[[Reply | Failure], Reply | Failure] = lambda said: said
    ask: Callable[[Question], Question] = lambda question: question
    waits: bool = True

    def reply(self, question: Question) -> Reply | Failure:
        url = f"{self.server.url}/v1"
        good = ModelSeat(model="CC", url=url, timeout_s=self.timeout_s)
        return self.spoil(good.reply(self.ask(question)))


SAYS = "it says what the model says and what was used"
SUM = "what each turn used is told and no sum"
BRIEF = "a brief of 300 kilobytes arrives whole"
INPUT = "what others wrote to its standard input stays there"
LEFT = "no answer is a timeout that leaves no process"
STOPPED = {f"an answer that stops early ({stop}) is a failure" for stop in STOPS}
DRIPS = "an answer that never comes to its end is a timeout that leaves no process"
AUTH = "an error 401 is a failure: auth"


def broken(make: Callable[[ModelServer, float], Any], *names: str) -> set[str]:
    """Return which of the named checks, or of all, an adapter fails."""
    found = set()
    for name, check in check_adapter(make, patience_s=10.0, hang_s=0.2):
        if names and name not in names:
            continue
        try:
            check()
        except AssertionError:
            found.add(name)
    return found


def words_for_errors(said: Reply | Failure) -> Reply | Failure:
    return Reply(text=said.detail) if isinstance(said, Failure) else said


def test_an_error_told_as_words_is_found() -> None:
    found = broken(lambda server, timeout_s: Faulty(server, timeout_s, spoil=words_for_errors))
    assert found == {
        "an error 400 is a failure: bad_request",
        AUTH,
        "an error 429 is a failure: rate_limited",
        "an error 500 is a failure: overloaded",
        "a broken answer is a failure: cut",
        "an empty answer is a failure",
        *STOPPED,
        LEFT,
        DRIPS,
    }


def test_w1_half_an_answer_told_as_a_whole_one_is_found() -> None:
    def words(said: Reply | Failure) -> Reply | Failure:
        half = isinstance(said, Failure) and said.kind == "cut"
        return Reply(text="[CONSENT]") if half else said

    found = broken(
        lambda server, timeout_s: Faulty(server, timeout_s, spoil=words), SAYS, AUTH, *STOPPED
    )
    assert found == STOPPED


def test_a_failure_without_a_reason_is_found() -> None:
    def silent(said: Reply | Failure) -> Reply | Failure:
        return replace(said, detail="") if isinstance(said, Failure) else said

    found = broken(lambda server, timeout_s: Faulty(server, timeout_s, spoil=silent), AUTH, SAYS)
    assert found == {AUTH}


def test_a_sum_of_tokens_is_found() -> None:
    def make(server: ModelServer, timeout_s: float) -> Faulty:
        total = [0]

        def summed(said: Reply | Failure) -> Reply | Failure:
            if isinstance(said, Failure):
                return said
            total[0] += int(said.usage["tokens"])  # type: ignore[arg-type]
            return replace(said, usage={**said.usage, "tokens": total[0]})

        return Faulty(server, timeout_s, spoil=summed)

    assert broken(make, SUM, SAYS) == {SUM}


def test_a_brief_that_is_cut_is_found() -> None:
    def short(question: Question) -> Question:
        brief = str(question.ask.payload.get("brief", ""))[:100_000]
        return replace(question, ask=replace(question.ask, payload={"brief": brief}))

    found = broken(lambda server, timeout_s: Faulty(server, timeout_s, ask=short), BRIEF, SAYS)
    assert found == {BRIEF}


def test_a_seat_that_reads_our_standard_input_is_found() -> None:
    def greedy(question: Question) -> Question:
        if str(question.ask.payload.get("brief")) == "Well?" and not os.isatty(0):
            os.set_blocking(0, False)
            try:
                os.read(0, 5)
            except BlockingIOError:
                pass
            finally:
                os.set_blocking(0, True)
        return question

    found = broken(lambda server, timeout_s: Faulty(server, timeout_s, ask=greedy), INPUT, SAYS)
    assert found == {INPUT}


def test_a_program_that_is_left_behind_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SOON_S", 0.3)
    monkeypatch.setattr(
        module, "time", SimpleNamespace(sleep=REAL_SLEEP, monotonic=time.monotonic)
    )
    started: list[subprocess.Popen[bytes]] = []

    def leave(question: Question) -> Question:
        environment = {**os.environ, "COMITY_REQUEST_ID": question.request_id}
        started.append(subprocess.Popen(["sleep", "1000"], env=environment))
        return question

    try:
        found = broken(lambda server, timeout_s: Faulty(server, timeout_s, ask=leave), LEFT, SAYS)
    finally:
        for one in started:
            one.kill()
            one.wait()
    assert found == {LEFT}


def test_a_call_that_is_made_twice_is_found() -> None:
    def twice(server: ModelServer, timeout_s: float) -> Faulty:
        def again(question: Question) -> Question:
            ModelSeat(model="CC", url=f"{server.url}/v1", timeout_s=timeout_s).reply(question)
            return question

        return Faulty(server, timeout_s, ask=again)

    assert broken(twice, SAYS, AUTH) == {SAYS}


def test_no_check_has_the_name_of_another() -> None:
    names = [name for name, _ in check_adapter(lambda server, timeout_s: None)]  # type: ignore[arg-type, return-value]
    assert {SAYS, SUM, BRIEF, INPUT, LEFT, AUTH, DRIPS, *STOPPED} < set(names)
    assert len(names) == len(set(names)) == 15
