"""Agents for tests: seats that answer, fail, break, take time, and remember what they were asked.

Here: agents whose behaviour a test can state in one line, and a recorder around any agent whose
list or file of calls is the oracle of what was really asked.
Not here: the agents people use (agents/), the contract they keep (agent_checks.py).
Sources: ARCHITECTURE contract 2; ENGINE 10 (the oracle is an append-only file of calls made).
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, MutableSequence, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from comity.agents.base import Agent, Failure, FailureKind, Question, Reply
from comity.runner.clock import Clock

__all__ = [
    "BrokenAgent",
    "FailingAgent",
    "RecordingAgent",
    "ScriptedAgent",
    "SlowAgent",
    "calls_in",
]

Said = str | Reply | Failure
"""What a test may hand in where an agent says something; text stands for a reply."""


_ENDED = Failure(kind="left", detail="the script has ended")


def _spoken(said: Said) -> Reply | Failure:
    return Reply(text=said) if isinstance(said, str) else said


@dataclass(frozen=True, slots=True)
class ScriptedAgent:
    """A seat that says what the test wrote down, by number or by kind of ask.

    Attributes:
        lines: what it says, in order; or a mapping from the kind of ask to what it says.
        otherwise: what it says when the lines have run out.
        waits: whether it claims to take time.

    Example:
        >>> from comity.core.step import Ask
        >>> ask = Ask(id="a1", party="CC", kind="answer", payload={})
        >>> asked = Question(ask=ask, request_id="s/a1")
        >>> ScriptedAgent({"answer": "[CONSENT]"}).reply(asked).text
        '[CONSENT]'
        >>> ScriptedAgent([], otherwise=Failure(kind="left")).reply(asked).kind
        'left'
    """

    lines: Sequence[Said] | Mapping[str, Said]
    otherwise: Said = _ENDED
    waits: bool = False

    def reply(self, question: Question) -> Reply | Failure:
        """Return the line whose turn it is."""
        if isinstance(self.lines, Mapping):
            return _spoken(self.lines.get(question.ask.kind, self.otherwise))
        told = question.nth < len(self.lines)
        return _spoken(self.lines[question.nth] if told else self.otherwise)


@dataclass(frozen=True, slots=True)
class FailingAgent:
    """A seat that never answers and says why.

    Example:
        >>> from comity.core.step import Ask
        >>> ask = Ask(id="a1", party="CC", kind="turn", payload={})
        >>> FailingAgent("auth").reply(Question(ask=ask, request_id="s/a1")).kind
        'auth'
    """

    kind: FailureKind = "unavailable"
    detail: str = "nobody is there"
    waits: bool = False

    def reply(self, question: Question) -> Reply | Failure:
        """Fail."""
        del question
        return Failure(kind=self.kind, detail=self.detail)


@dataclass(frozen=True, slots=True)
class BrokenAgent:
    """A seat with a bug: it raises, as no agent may.

    Example:
        >>> BrokenAgent(ZeroDivisionError("1/0")).waits
        False
    """

    error: BaseException = field(default_factory=lambda: RuntimeError("this agent is broken"))
    waits: bool = False

    def reply(self, question: Question) -> Reply | Failure:
        """Raise."""
        del question
        raise self.error


@dataclass(frozen=True, slots=True)
class SlowAgent:
    """A seat that takes time on a clock; with a fake one nobody really waits.

    Attributes:
        agent: who answers in the end.
        clock: whose time passes.
        takes_ms: how long each answer takes.

    Example:
        >>> from comity.testing.clock import FakeClock
        >>> SlowAgent(ScriptedAgent(["yes"]), FakeClock(), takes_ms=60_000).waits
        True
    """

    agent: Agent
    clock: Clock
    takes_ms: int
    waits: bool = True

    def reply(self, question: Question) -> Reply | Failure:
        """Let the time pass, then answer."""
        self.clock.sleep_until(self.clock.now_ms() + self.takes_ms)
        return self.agent.reply(question)


@dataclass(frozen=True, slots=True)
class RecordingAgent:
    """A recorder around a seat: every call is noted before the agent is called.

    Attributes:
        agent: who answers.
        calls: a list that gets the request ids, or a file that gets one JSON line per call and
            is on disk before the agent is called, so that it survives a kill.

    Example:
        >>> from comity.core.step import Ask
        >>> ask, calls = Ask(id="a1", party="CC", kind="turn", payload={}), []
        >>> asked = Question(ask=ask, request_id="s/a1")
        >>> RecordingAgent(ScriptedAgent(["yes"]), calls).reply(asked).text
        'yes'
        >>> calls
        ['s/a1']
    """

    agent: Agent
    calls: MutableSequence[str] | Path

    @property
    def waits(self) -> bool:
        """Whether the recorded agent takes time."""
        return self.agent.waits

    def reply(self, question: Question) -> Reply | Failure:
        """Note the call, then pass it on."""
        if isinstance(self.calls, Path):
            _append(self.calls, question)
        else:
            self.calls.append(question.request_id)
        return self.agent.reply(question)


def _append(path: Path, question: Question) -> None:
    ask = question.ask
    line = {"request_id": question.request_id, "party": ask.party, "kind": ask.kind}
    number = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(number, json.dumps(line).encode() + b"\n")
        os.fsync(number)
    finally:
        os.close(number)


def calls_in(path: Path) -> list[str]:
    """Return the request ids in a file that :class:`RecordingAgent` wrote.

    Args:
        path: the file; one that is not there holds no calls.

    Returns:
        The request ids in the order of the calls.

    Example:
        >>> calls_in(Path("no such file"))
        []
    """
    if not path.exists():
        return []
    return [str(json.loads(line)["request_id"]) for line in path.read_text("utf-8").splitlines()]
