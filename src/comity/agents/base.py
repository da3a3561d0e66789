"""Agent port: one question in, one reply or failure out.

Here: what an agent is asked with, what it may answer, the protocol every agent keeps.
Not here: any agent.
Sources: ARCHITECTURE contracts 2 and 3.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Protocol

from comity.core.canonical import JsonObject
from comity.core.step import Ask

__all__ = ["Agent", "Failure", "FailureKind", "Question", "Reply"]

FailureKind = Literal[
    "timeout",  # no answer in time
    "unavailable",  # nobody is there: no program, no server, no package
    "crashed",  # it ended in a way nobody can read
    "empty",  # it answered without a word
    "cut",  # the answer broke off
    "left",  # it has nothing more to say
    "budget",  # the call would cost more than is left
    "rate_limited",  # later, it says
    "quota",  # what was paid for is used up
    "overloaded",  # the other side cannot answer now
    "auth",  # it is not let in
    "bad_request",  # the other side does not take what it was asked
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What an agent is asked with.

    Attributes:
        ask: the ask as the machine made it.
        request_id: the same for every repetition of this call, also after a restart.
        nth: how many replies and failures of this party are recorded already.
    """

    ask: Ask
    request_id: str
    nth: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What an agent said.

    Attributes:
        text: its words; may be empty beside a call.
        usage: tokens and money it reports, for budgets.
        call: what it handed to a tool for votes and answers, if it called one: ``vote`` or
            ``answer``, ``reason``, ... It counts before the words, and may not contradict them.

    Example:
        >>> Reply(text="[CONSENT]").usage
        {}
    """

    text: str
    usage: JsonObject = field(default_factory=dict)
    call: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why an agent said nothing; never a vote, never a consent.

    Attributes:
        kind: what kind of failure.
        detail: one line for people.
        retry_after_ms: how long to wait before asking again, as the other side told; or None.

    Example:
        >>> Failure(kind="timeout", detail="no answer in 60 s").kind
        'timeout'
    """

    kind: FailureKind
    detail: str = ""
    retry_after_ms: int | None = None


class Agent(Protocol):
    """Answers asks; may keep nothing between two asks that a restart would lose."""

    @property
    def waits(self) -> bool:
        """Whether a call may take noticeable time, so that calls should run side by side."""

    def reply(self, question: Question) -> Reply | Failure:
        """Answer one question."""
