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
from comity.render.price import words

__all__ = ["message_block", "message_line"]

_VERBS = {
    "position": "states its position",
    "discuss": "says",
    "propose": "proposes",
    "counter": "counters",
    "offer": "offers",
    "hold": "holds to",
    "accept": "accepts",
    "withdraw": "withdraws",
    "pass": "passes",
    "leave": "leaves",
    "say": "says",
    "silent": "does not act",
}
_AT_THE_TABLE = {"offer", "hold", "accept", "withdraw", "leave"}
"""Kinds of moves whose words say all that they do."""
_MARKER = re.compile(r"\s*\[[A-Z][A-Z -]*(?: - [^\]\n]*)?\]\s*")
_OBJECTION = re.compile(r"\[OBJECT(?: - [^\]:]*)?:\s*(?P<why>.*)\]", re.DOTALL)
_WHY = re.compile(r"(?im)^\W*RATIONALE\W*:\s*(?P<why>.*)", re.DOTALL)
_LONGEST = 110
_LONGEST_WHY = 300

Message = Mapping[str, Json]


def _what(message: Message) -> str:
    """Return what a message does, in a few words."""
    kind = str(message.get("kind"))
    if kind == "answer":
        return "consents" if message.get("answer") == "CONSENT" else "objects"
    if kind == "check":
        return f"calls a consent check on version {message.get('version')}"
    return _VERBS.get(kind, kind)


def _deal(message: Message) -> list[tuple[str, list[str]]]:
    """Return what a proposal offers and wants, where the protocol recorded it."""
    sides = [("offers", words(message.get("offer"))), ("wants", words(message.get("want")))]
    return [(verb, lines) for verb, lines in sides if lines]


def message_line(message: Message, ink: Ink, before: Message | None = None) -> str:
    """Return a message on one line: turn, seat, what it does, what changed.

    Args:
        message: turn, party, kind, text, and what else the protocol recorded.
        ink: how it may be dressed.
        before: the last message that changed the draft, to tell only what is new.

    Example:
        >>> print(message_line({"turn": 4, "party": "CC", "kind": "check", "version": 1}, Ink()))
          4  CC calls a consent check on version 1
    """
    tail = _gist(message, before or {})
    return f"{_head(message, ink)}: {tail}" if tail else _head(message, ink)


def _head(message: Message, ink: Ink) -> str:
    party = one_line(str(message.get("party")))
    return f"{message.get('turn'):>3}  {ink.bold(ink.name(party))} {_what(message)}"


def _gist(message: Message, before: Message) -> str:
    kind = message.get("kind")
    settled, old = message.get("settled"), before.get("settled")
    if isinstance(settled, Mapping) and isinstance(old, Mapping):
        new = [f"{term} = {option}" for term, option in settled.items() if old.get(term) != option]
        return short(", ".join(new), _LONGEST)
    if kind in {"propose", "counter"}:
        parts = [f"{verb} {', '.join(lines)}" for verb, lines in _deal(message)]
        return short("; ".join(parts), _LONGEST)
    if kind == "answer":
        return short(_objection(message), _LONGEST)
    if kind == "say":
        return short(str(message.get("say")), _LONGEST)
    return short(_body(message), _LONGEST) if kind in {"discuss", *_AT_THE_TABLE} else ""


def _objection(message: Message) -> str:
    """Return why an answer objects; "" for a consent."""
    if message.get("answer") == "CONSENT":
        return ""
    text = str(message.get("text") or "")
    found = _OBJECTION.search(text)
    return " ".join((found["why"] if found else text).split())


def _body(message: Message) -> str:
    """Return the words of a message without a marker at their head."""
    text = str(message.get("text") or "")
    first, _, rest = text.partition("\n")
    return (rest if _MARKER.fullmatch(first) else text).strip()


def message_block(message: Message, ink: Ink) -> str:
    """Return a whole message: a head line, then its words indented.

    Args:
        message: turn, party, kind, text, and what else the protocol recorded.
        ink: how it may be dressed.

    Returns:
        Several lines; a marker at the head is left out, because the first line says the same.
    """
    head = _head(message, ink)
    if message.get("draft") and message.get("kind") != "check":  # its head names the version
        version = f"version {message.get('version')}"
        head += f"  {ink.dim(version)}"
    sides = _deal(message)
    if sides:
        lines = [f"{verb + ':':<8}{'; '.join(items)}" for verb, items in sides]
        found = _WHY.search(str(message.get("text") or ""))
        lines += (
            [f"because {short(' '.join(found['why'].split()), _LONGEST_WHY)}"] if found else []
        )
    elif message.get("kind") == "answer":
        lines = [_objection(message)]
    else:
        lines = _body(message).split("\n")
    if message.get("say"):
        lines.append(f'"{short(str(message["say"]), _LONGEST_WHY)}"')
    return "\n".join([head, *(f"     {one_line(line)}" for line in lines if line.strip())])
