"""Record: what a session writes down, and reading it back.

Here: the opening, the inputs and the sealed outcome as JSON bodies; which seal stands.
Not here: the ledger's entries around them (ledger/entry.py), what an undo does (fold.py).
Sources: SEMANTICS K1, G8; ARCHITECTURE contract 2 (inputs, not states, are stored).

A record is ``opened``, what is ``private`` to seats, every ``input``, then ``sealed``. A person
who takes a decision back adds ``undone`` behind the seal: an input of kind ``undo`` under a name
of its own, so that a list of sessions finds it without reading them. The session is open again,
goes on with inputs and is sealed anew. Nothing is ever taken out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from comity.core.canonical import JsonObject
from comity.core.codec import decode, encode
from comity.core.step import Input

__all__ = [
    "HEARD",
    "INPUT",
    "OPENED",
    "PRIVATE",
    "SEALED",
    "UNDONE",
    "Line",
    "Opening",
    "entry_kind",
    "input_body",
    "input_from",
    "inputs_of",
    "seal_of",
]

OPENED = "opened"
PRIVATE = "private"
INPUT = "input"
SEALED = "sealed"
UNDONE = "undone"

HEARD = (INPUT, UNDONE)
"""The kinds of entries that hold an input."""

Line = tuple[str, JsonObject]
"""One public entry: its kind and its body."""


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
        limits: what the calls of its seats are held to together, for resuming; empty for nothing.

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
    limits: JsonObject = field(default_factory=dict)

    def to_json(self) -> JsonObject:
        """Return the body of the entry; without limits there is no entry for them."""
        body = encode(self)
        assert isinstance(body, Mapping)
        return {name: value for name, value in body.items() if name != "limits" or value}

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


def entry_kind(happened: Input) -> str:
    """Return the kind of the entry that holds an input.

    Args:
        happened: the input.

    Example:
        >>> entry_kind(Input(kind="timer", now_ms=5)), entry_kind(Input(kind="undo", now_ms=5))
        ('input', 'undone')
    """
    return UNDONE if happened.kind == "undo" else INPUT


def inputs_of(lines: Iterable[Line]) -> list[Input]:
    """Return the inputs of a record, in order.

    Args:
        lines: the public entries of one session in order.

    Raises:
        InvalidInput: when one cannot be read.

    Example:
        >>> [one.kind for one in inputs_of([(UNDONE, {"kind": "undo", "now_ms": 1})])]
        ['undo']
    """
    return [input_from(body) for kind, body in lines if kind in HEARD]


def seal_of(lines: Iterable[Line]) -> JsonObject | None:
    """Return the body of the seal that stands.

    Args:
        lines: the public entries of one session in order.

    Returns:
        The first seal since the opening, or since a decision was taken back; None while there is
        none.

    Example:
        >>> seal_of([(SEALED, {"outcome": {}}), (UNDONE, {})]) is None
        True
    """
    found: JsonObject | None = None
    for kind, body in lines:
        if kind == UNDONE:
            found = None
        elif kind == SEALED and found is None:
            found = body
    return found
