"""Person seats: a human being answers.

Here: turning an ask into words for a person and their words into a reply.
Not here: the terminal, page or inbox behind the port (cli/, web/).
Sources: SEMANTICS C7, G8.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from comity.agents.base import Failure, Question, Reply
from comity.agents.briefing import briefing

__all__ = ["Person"]


@dataclass(frozen=True, slots=True)
class Person:
    """A seat behind which a person sits.

    Attributes:
        prompt: shows the words and returns the answer; None when the person leaves.

    Example:
        >>> Person(lambda seat, words: "[CONSENT]").waits
        True
    """

    prompt: Callable[[str, str], str | None]
    waits: bool = True

    def reply(self, question: Question) -> Reply | Failure:
        """Ask the person and return what they typed."""
        ask = question.ask
        said = self.prompt(ask.party, briefing(ask.payload, for_person=True))
        if said is None:
            return Failure(kind="left", detail="the person left")
        return Reply(text=said)
