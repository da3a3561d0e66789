"""Messages: how does one message of a negotiation read as it comes?

Here: one accepted message as a line or as a block, why a reply did not count.
Not here: when it is shown (cli/live.py).
Sources: SEMANTICS C2, C9.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from comity.core.canonical import Json
from comity.core.errors import one_line
from comity.render.ink import Ink
from comity.render.listing import short
from comity.render.text import words

__all__ = ["message_block", "message_line"]

_VERBS = {
    "position": "states its position",
    "discuss": "says",
    "propose": "proposes",
    "counter": "counters",
    "check": "calls a consent check",
    "answer": "answers",
}
_MARKER = re.compile(r"\s*\[[A-Z][A-Z -]*(?: - [^\]\n]*)?\]\s*")


def _what(message: Mapping[str, Json]) -> str:
    """Return what a message does, in a few words."""
    kind = str(message.get("kind"))
    if kind == "answer":
        return "consents" if message.get("answer") == "CONSENT" else "objects"
    if kind == "check":
        return f"calls a consent check on version {message.get('version')}"
    return _VERBS.get(kind, kind)


def message_line(message: Mapping[str, Json], ink: Ink) -> str:
    """Return a message on one line: turn, seat, what it does, what changed.

    Args:
        message: turn, party, kind, text, and what else the protocol recorded.
        ink: how it may be dressed.

    Example:
        >>> print(message_line({"turn": 4, "party": "CC", "kind": "check", "version": 1}, Ink()))
          4  CC  calls a consent check on version 1
    """
    party = one_line(str(message.get("party")))
    head = f"{message.get('turn'):>3}  {ink.name(party)}  {_what(message)}"
    tail = _gist(message)
    return f"{head}: {tail}" if tail else head


def _gist(message: Mapping[str, Json]) -> str:
    if message.get("kind") in {"propose", "counter"}:
        parts = [
            f"{verb} {', '.join(lines)}"
            for verb, lines in (
                ("offers", words(message.get("offer"))),
                ("wants", words(message.get("want"))),
            )
            if lines
        ]
        return short("; ".join(parts), 110)
    if message.get("kind") == "answer" and message.get("answer") == "CONSENT":
        return ""
    if message.get("kind") in {"check", "position"}:
        return ""
    return short(" ".join(str(message.get("text")).split()), 110)


def message_block(message: Mapping[str, Json], ink: Ink) -> str:
    """Return a whole message: a head line, then its words indented.

    Args:
        message: turn, party, kind, text, and what else the protocol recorded.
        ink: how it may be dressed.

    Returns:
        Several lines; the first marker is left out, because the head says the same.
    """
    party = one_line(str(message.get("party")))
    version = message.get("version")
    mark = f"  {ink.dim(f'version {version}')}" if message.get("draft") else ""
    head = f"{message.get('turn'):>3}  {ink.bold(ink.name(party))} {_what(message)}{mark}"
    text = str(message.get("text") or "")
    first, _, rest = text.partition("\n")
    body = rest if _MARKER.fullmatch(first) else text
    lines = [f"     {one_line(line)}" for line in body.strip().split("\n") if line.strip()]
    return "\n".join([head, *lines])
