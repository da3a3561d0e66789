"""Record: what a session writes down, and reading it back.

Here: the opening, the inputs and the sealed outcome as JSON bodies.
Not here: the ledger's entries around them (ledger/entry.py).
Sources: SEMANTICS K1; ARCHITECTURE contract 2 (inputs, not states, are stored).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from comity.core.canonical import JsonObject
from comity.core.codec import decode, encode
from comity.core.step import Input

__all__ = ["INPUT", "OPENED", "PRIVATE", "SEALED", "Opening", "input_body", "input_from"]

OPENED = "opened"
PRIVATE = "private"
INPUT = "input"
SEALED = "sealed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """The first entry of a session.

    Attributes:
        kind: which machine decides it.
        title: what it is about, one line.
        rules: the rules as recorded.
        agents: seat -> how it is seated ("rational", "script:lines.txt"), for resuming.
        made_by: version of this package.
        folder: the working directory it was opened in, where seats' programs and the document
            are looked for, or "".

    Example:
        >>> Opening(kind="bargain", title="Price", rules={}).agents
        {}
    """

    kind: str
    title: str
    rules: JsonObject
    agents: JsonObject = field(default_factory=dict)
    made_by: str = ""
    folder: str = ""

    def to_json(self) -> JsonObject:
        """Return the body of the entry."""
        body = encode(self)
        assert isinstance(body, Mapping)
        return body

    @staticmethod
    def read(body: JsonObject) -> Opening:
        """Read the body of the entry.

        Raises:
            InvalidInput: when it is no opening.
        """
        return decode(Opening, body, where="opening")


def input_body(happened: Input) -> JsonObject:
    """Return an input as the body of its entry.

    Args:
        happened: the input.

    Returns:
        Its fields.

    Example:
        >>> input_body(Input(kind="timer", now_ms=5))["now_ms"]
        5
    """
    body = encode(happened)
    assert isinstance(body, Mapping)
    return body


def input_from(body: JsonObject) -> Input:
    """Read an input that :func:`input_body` wrote.

    Args:
        body: the body of the entry.

    Returns:
        The input.

    Raises:
        InvalidInput: when it is no input.

    Example:
        >>> input_from(input_body(Input(kind="timer", now_ms=5))).kind
        'timer'
    """
    return decode(Input, body, where="input")
