"""Retrying: which failed calls are made once more, and when?

Here: the retries of one question by the kind of failure, each kind with a cap, waiting on a clock
that is handed in; no more calls of a seat that hangs.
Not here: asking a seat again because its words cannot be read (protocols/), the kinds themselves.
Sources: SEMANTICS C5; what the programs do by themselves, as measured: minutes of retries on a
refused key. So their own retries are off, and these stand instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
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


MOST_TIMEOUTS = 2
"""After so many calls in a row without an answer in time, a seat is called no more."""


class Waiting(Protocol):
    """What it needs of a clock; the runner's clock fits."""

    def now_ms(self) -> int:
        """Return the time now."""

    def sleep_until(self, at_ms: int) -> None:
        """Return when the time has come."""


@dataclass(frozen=True, slots=True)
class Retrying:
    """A seat whose failed calls are made again, under the same request id.

    A seat that gave no answer in time twice in a row is not called again: each further question
    fails at once as the last did, so that a seat that hangs costs a session two calls and no more.
    Whoever goes on with the session later, and seats it anew, calls it again.

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
    _late: list[Failure] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def waits(self) -> bool:
        """Whether the agent takes time."""
        return self.agent.waits

    def reply(self, question: Question) -> Reply | Failure:
        """Ask, and ask again while the failure is of a kind that may pass."""
        failed: Counter[FailureKind] = Counter()
        while True:
            if len(self._late) >= MOST_TIMEOUTS:
                what = self._late[-1].detail
                detail = f"{what}, {MOST_TIMEOUTS} times in a row: it is not called again"
                return replace(self._late[-1], detail=detail)
            said = self.agent.reply(question)
            self._note(said)
            if isinstance(said, Reply):
                return said
            failed[said.kind] += 1
            if failed[said.kind] > self.retries.get(said.kind, 0):
                return said
            if failed.total() > MOST_RETRIES or not self._has_waited(said, question):
                return said

    def _note(self, said: Reply | Failure) -> None:
        """Note a call that got no answer in time; any other word ends the row."""
        if isinstance(said, Failure) and said.kind == "timeout":
            self._late.append(said)
        else:
            self._late.clear()

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
