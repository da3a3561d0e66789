"""testing/agent_checks.py: each check fails on an agent that breaks its promise."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from comity.agents.base import Failure, Question, Reply
from comity.testing.agent_checks import check_agent, sample_questions
from comity.testing.agents import ScriptedAgent

ANSWERS = "it answers or fails at every kind of ask"
HOSTILE = "whatever others wrote it raises nothing"
SAME = "the same question gets the same reply"
RESTART = "a restart loses nothing it needs"
SIDE = "calls side by side do not disturb each other"
WAITS = "it says whether it waits"


@dataclass
class Saying:
    """An agent that says what a function makes of the question and of its own memory."""

    say: Callable[[Question, list[str]], Any]
    waits: Any = False

    def __post_init__(self) -> None:
        self.memory: list[str] = []

    def reply(self, question: Question) -> Any:
        said = self.say(question, self.memory)
        self.memory.append(question.request_id)
        return said


class Changeable(Saying):
    def reply(self, question: Question) -> Any:
        self.waits = not self.waits
        return Reply(text="yes")


class Together(Saying):
    """An agent that keeps the question in a place that two threads share."""

    meeting = threading.Barrier(2, timeout=10)

    def reply(self, question: Question) -> Any:
        self.memory = [question.request_id]
        if threading.current_thread() is not threading.main_thread():
            self.meeting.wait()
        return Reply(text=self.memory[0])


def faults(make: Callable[[], Any]) -> dict[str, str]:
    """Return the checks that fail, with what they say."""
    found = {}
    for name, check in check_agent(make, sample_questions()):
        try:
            check()
        except AssertionError as error:
            found[name] = str(error)
    return found


def test_a_sound_agent_passes_every_check() -> None:
    assert faults(lambda: ScriptedAgent(["a", "b"])) == {}
    assert faults(lambda: Saying(lambda question, memory: Reply(text="yes"), waits=True)) == {}


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (None, "a reply or a failure comes back"),
        ("yes", "a reply or a failure comes back"),
        (Reply(text=None), "the reply is text"),  # type: ignore[arg-type]
        (Failure(kind="tired"), "'tired' is a failure's kind"),  # type: ignore[arg-type]
        (Failure(kind="left", detail=None), "the detail is text"),  # type: ignore[arg-type]
        (Failure(kind="left", detail="a\nb"), "the detail is one line"),
        (Reply(text="a", usage={"tokens": float("inf")}), "the usage can be recorded"),
    ],
)
def test_what_is_no_reply_and_no_failure_is_found(said: Any, why: str) -> None:
    found = faults(lambda: Saying(lambda question, memory: said))
    assert why in found[ANSWERS]
    assert "sample/a1 (position)" in found[ANSWERS]


def test_an_agent_that_does_not_know_whether_it_waits_is_found() -> None:
    assert WAITS in faults(lambda: Saying(lambda question, memory: Reply(text="a"), waits=None))
    assert "stays what it was" in faults(lambda: Changeable(lambda q, m: None))[WAITS]


def test_an_agent_that_raises_at_odd_words_is_found() -> None:
    def say(question: Question, memory: list[str]) -> Reply:
        if "days < 999" in str(question.ask.payload["seats"]):
            raise ValueError("too long")
        return Reply(text="yes")

    found = faults(lambda: Saying(say))
    assert list(found) == [HOSTILE]
    assert "ValueError: too long" in found[HOSTILE]


def test_an_agent_that_counts_its_own_calls_is_found() -> None:
    found = faults(lambda: Saying(lambda question, memory: Reply(text=str(len(memory)))))
    assert {SAME, RESTART} <= set(found)


def test_an_agent_that_remembers_what_a_restart_loses_is_found() -> None:
    def say(question: Question, memory: list[str]) -> Reply:
        return Reply(text="again" if "sample/a1" in memory and question.nth else "first")

    assert RESTART in faults(lambda: Saying(say))


def test_an_agent_that_two_threads_disturb_is_found() -> None:
    found = faults(lambda: Together(lambda question, memory: None, waits=True))
    assert SIDE in found


def test_the_hostile_questions_change_words_and_nothing_else() -> None:
    seen: list[Question] = []

    def say(question: Question, memory: list[str]) -> Reply:
        seen.append(question)
        return Reply(text="yes")

    checks = dict(check_agent(lambda: Saying(say), sample_questions()))
    checks[HOSTILE]()
    assert {one.ask.kind for one in seen} == {"position", "turn", "answer"}
    for question in seen:
        payload: Any = question.ask.payload
        assert payload["seat"] == "CC"
        assert [one["id"] for one in payload["seats"]] == ["CC", "CX", "GM"]
        assert payload["domain"] == sample_questions()[0].ask.payload["domain"]
        assert payload["new field"] == {"of": ("later",)}
        assert {one["party"] for one in payload["transcript"]} <= {"CC", "CX", "GM"}
