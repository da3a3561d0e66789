"""Briefing: what is a seat that reads words told by an ask?

Here: the words of any protocol's ask.
Not here: how each protocol words its asks (protocols/*/brief.py).
Sources: SEMANTICS C7; a payload that brings its own ``brief`` is told by that.
"""

from __future__ import annotations

from comity.core.canonical import JsonObject
from comity.protocols.consent.brief import brief

__all__ = ["briefing"]


def briefing(payload: JsonObject, *, for_person: bool = False) -> str:
    """Return an ask's payload as a text for a program, a model or a person.

    Args:
        payload: the payload.
        for_person: whether a person at a terminal reads it.

    Example:
        >>> briefing({"brief": "Which of A and B?"})
        'Which of A and B?'
    """
    own = payload.get("brief")
    return own if isinstance(own, str) else brief(payload, for_person=for_person)
