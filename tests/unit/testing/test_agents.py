"""testing/agents.py: what a test says an agent does, it does, and every call is noted first."""

from __future__ import annotations

from pathlib import Path

import pytest

from comity.agents.base import Failure, Question, Reply
from comity.core.step import Ask
from comity.testing.agents import (
    BrokenAgent,
    FailingAgent,
    RecordingAgent,
    ScriptedAgent,
    SlowAgent,
    calls_in,
)
from comity.testing.clock import FakeClock


def asked(kind: str = "turn", nth: int = 0, ask_id: str = "a1") -> Question:
    ask = Ask(id=ask_id, party="CC", kind=kind, payload={})
    return Question(ask=ask, request_id=f"s/{ask_id}", nth=nth)


def test_lines_are_said_by_number_and_then_the_last_word_holds() -> None:
    agent = ScriptedAgent(["one", Reply(text="two", usage={"tokens": 5}), Failure(kind="budget")])
    assert [agent.reply(asked(nth=nth)) for nth in range(4)] == [
        Reply(text="one"),
        Reply(text="two", usage={"tokens": 5}),
        Failure(kind="budget"),
        Failure(kind="left", detail="the script has ended"),
    ]
    assert ScriptedAgent([], otherwise="hm").reply(asked()) == Reply(text="hm")


def test_lines_may_be_said_by_kind_of_ask() -> None:
    agent = ScriptedAgent({"answer": "[CONSENT]"}, otherwise="well")
    assert agent.reply(asked("answer", nth=9)) == Reply(text="[CONSENT]")
    assert agent.reply(asked("turn")) == Reply(text="well")


def test_a_failing_agent_fails_as_it_was_told() -> None:
    assert FailingAgent().reply(asked()) == Failure(kind="unavailable", detail="nobody is there")
    assert FailingAgent("auth", "no key").reply(asked()) == Failure(kind="auth", detail="no key")


def test_a_broken_agent_raises_what_it_was_told() -> None:
    with pytest.raises(RuntimeError, match="broken"):
        BrokenAgent().reply(asked())
    with pytest.raises(KeyboardInterrupt):
        BrokenAgent(KeyboardInterrupt()).reply(asked())


def test_a_slow_agent_takes_the_time_of_its_clock() -> None:
    clock = FakeClock(1_000)
    agent = SlowAgent(ScriptedAgent(["yes"]), clock, takes_ms=60_000)
    assert agent.reply(asked()) == Reply(text="yes")
    assert clock.now_ms() == 61_000
    assert agent.waits


def test_a_call_is_noted_before_the_agent_is_called_even_when_it_breaks() -> None:
    calls: list[str] = []
    with pytest.raises(RuntimeError):
        RecordingAgent(BrokenAgent(), calls).reply(asked())
    assert calls == ["s/a1"]


def test_a_recorder_is_as_patient_as_its_agent() -> None:
    slow = SlowAgent(ScriptedAgent([]), FakeClock(), takes_ms=1)
    assert RecordingAgent(slow, []).waits
    assert not RecordingAgent(ScriptedAgent([]), []).waits


def test_calls_in_a_file_are_appended_by_every_process(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    assert calls_in(path) == []
    for ask_id in ("a1", "a2", "a1"):
        agent = RecordingAgent(ScriptedAgent(["yes"]), path)
        assert agent.reply(asked(ask_id=ask_id)) == Reply(text="yes")
    assert calls_in(path) == ["s/a1", "s/a2", "s/a1"]
    assert path.read_text("utf-8").splitlines()[0] == (
        '{"request_id": "s/a1", "party": "CC", "kind": "turn"}'
    )


def test_a_call_in_a_file_is_there_before_the_agent_is_called(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    with pytest.raises(RuntimeError):
        RecordingAgent(BrokenAgent(), path).reply(asked())
    assert calls_in(path) == ["s/a1"]
