"""Retrying: which failed calls are made once more, and when?

Here: the retries of one question by the kind of failure, each kind with a cap, waiting on a clock
that is handed in.
Not here: asking a seat again because its words cannot be read (protocols/), the kinds themselves.
Sources: SEMANTICS C5; what the programs do by themselves, as measured: minutes of retries on a
refused key. So their own retries are off, and these stand instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from comity.agents.base import Agent, Failure, FailureKind, Question, Reply

__all__ = ["RETRIES", "Retrying", "Waiting"]

RETRIES: Mapping[FailureKind, int] = {
    "cut": 1,
    "empty": 1,
    "overloaded": 1,
    "rate_limited": 1,
    "timeout": 1,
}
"""How often a question is asked again after a failure of a kind; others end it at once."""

MOST_RETRIES = 2
_WAITS_MS: Mapping[FailureKind, int] = {"overloaded": 2_000, "rate_limited": 10_000}
_LONGEST_WAIT_MS = 120_000


class Waiting(Protocol):
    """What it needs of a clock; the runner's clock fits."""

    def now_ms(self) -> int:
        """Return the time now."""

    def sleep_until(self, at_ms: int) -> None:
        """Return when the time has come."""


@dataclass(frozen=True, slots=True)
class Retrying:
    """A seat whose failed calls are made again, under the same request id.

    Attributes:
        agent: who is called.
        clock: what a wait is taken from; without one, what has to be waited for is not repeated.
        retries: kind -> how often at most; all kinds together at most twice.

    Example:
        >>> from comity.core.step import Ask
        >>> class Flaky:
        ...     waits, said = True, [Reply(text="yes"), Failure(kind="cut")]
        ...
        ...     def reply(self, question):
        ...         return self.said.pop()
        >>> asked = Question(ask=Ask(id="a1", party="CC", kind="turn", payload={}), request_id="r")
        >>> Retrying(Flaky()).reply(asked).text
        'yes'
    """

    agent: Agent
    clock: Waiting | None = None
    retries: Mapping[FailureKind, int] = field(default_factory=lambda: RETRIES)

    @property
    def waits(self) -> bool:
        """Whether the agent takes time."""
        return self.agent.waits

    def reply(self, question: Question) -> Reply | Failure:
        """Ask, and ask again while the failure is of a kind that may pass."""
        failed: Counter[FailureKind] = Counter()
        while True:
            said = self.agent.reply(question)
            if isinstance(said, Reply):
                return said
            failed[said.kind] += 1
            if failed[said.kind] > self.retries.get(said.kind, 0):
                return said
            if failed.total() > MOST_RETRIES or not self._has_waited(said, question):
                return said

    def _has_waited(self, failed: Failure, question: Question) -> bool:
        """Wait as long as it takes; tell whether the question may be asked again."""
        told = failed.retry_after_ms
        wait_ms = _WAITS_MS.get(failed.kind, 0) if told is None else told
        if self.clock is None:
            return wait_ms == 0 or (failed.kind != "rate_limited" and told is None)
        at_ms = self.clock.now_ms() + wait_ms
        deadline = question.ask.deadline_ms
        if wait_ms > _LONGEST_WAIT_MS or (deadline is not None and at_ms >= deadline):
            return False  # nobody waits for this answer any more
        if wait_ms > 0:
            self.clock.sleep_until(at_ms)
        return True
