"""Dialect: what does a vendor's format have to tell about one turn?

Here: the shape every dialect fills in, and what all of them share.
Not here: the dialects (anthropic.py, openai.py, gemini.py), which path speaks which (server.py).
Sources: server-sent events, the WHATWG HTML standard 9.2.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from comity.core.canonical import Json, JsonObject
from comity.testing.model_server.script import Turn

__all__ = ["Call", "Dialect", "Event", "halves", "sent", "words_of"]

Event = tuple[str, JsonObject]
"""The name of a server-sent event, "" for none, and its data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of a model, as a dialect answers it.

    Attributes:
        turn: what happens.
        model: the model that was asked for.
        number: which request of this server it is; makes ids.
    """

    turn: Turn
    model: str
    number: int

    @property
    def arguments(self) -> str:
        """Return the arguments of the tool as JSON text."""
        return json.dumps(self.turn.arguments)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How one vendor's format tells a turn.

    Attributes:
        name: such as ``anthropic``.
        answer: the whole answer as one JSON object.
        events: the same answer as a stream; the middle one lies within the text.
        error: the body of an error, from its status and words.
        words: what the last message of the user says, from the body of a request.
        ending: the last bytes of a stream.
    """

    name: str
    answer: Callable[[Call], JsonObject]
    events: Callable[[Call], Sequence[Event]]
    error: Callable[[int, str], JsonObject]
    words: Callable[[JsonObject], str]
    ending: bytes = b""


def halves(text: str) -> tuple[str, str]:
    """Return a text in two pieces, as a stream tells it.

    Example:
        >>> halves("abcde")
        ('ab', 'cde')
    """
    return text[: len(text) // 2], text[len(text) // 2 :]


def sent(event: Event) -> bytes:
    r"""Return a server-sent event as bytes.

    Example:
        >>> sent(("ping", {"n": 1}))
        b'event: ping\ndata: {"n": 1}\n\n'
    """
    name, data = event
    return (f"event: {name}\n" if name else "").encode() + f"data: {json.dumps(data)}\n\n".encode()


def words_of(content: Json) -> str:
    """Return the words in a message's content: a text, or a list of parts with texts.

    Example:
        >>> words_of([{"type": "text", "text": "a"}, {"type": "image"}, {"text": "b"}])
        'a b'
    """
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, Sequence) else ()
    texts = [part.get("text") for part in parts if isinstance(part, Mapping)]
    return " ".join(text for text in texts if isinstance(text, str))
