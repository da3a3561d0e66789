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
    "timeout", "unavailable", "crashed", "empty", "left", "budget", "rate_limited", "auth"
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
        text: its words.
        usage: tokens and money it reports, for budgets.

    Example:
        >>> Reply(text="[CONSENT]").usage
        {}
    """

    text: str
    usage: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why an agent said nothing; never a vote, never a consent.

    Attributes:
        kind: what kind of failure.
        detail: one line for people.

    Example:
        >>> Failure(kind="timeout", detail="no answer in 60 s").kind
        'timeout'
    """

    kind: FailureKind
    detail: str = ""


class Agent(Protocol):
    """Answers asks; may keep nothing between two asks that a restart would lose."""

    @property
    def waits(self) -> bool:
        """Whether a call may take noticeable time, so that calls should run side by side."""

    def reply(self, question: Question) -> Reply | Failure:
        """Answer one question."""
