"""Structured replies: is the whole reply one JSON object, and does a JSON aside contradict it?

Here: finding and reading JSON objects in a reply, with keys and texts in one form.
Not here: the marking of lines (text.py), what the keys mean (consent/grammar.py,
review/grammar.py).
Sources: SEMANTICS W1 (one source of a vote: a tool call, then JSON, then the text).
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from comity.protocols.text import VALUE_LIMIT, Page, cut, normalise

__all__ = ["json_asides", "json_reply", "json_text"]

_MOST_ASIDES = 8


def _object_of(pairs: list[tuple[str, object]]) -> dict[str, object]:
    # A repeated key keeps all its values, as a tuple: JSON itself never makes one.
    found: dict[str, list[object]] = {}
    for key, value in pairs:
        name = "_".join(normalise(key).casefold().replace("-", " ").split())
        found.setdefault(name, []).append(value)
    return {name: one if not more else (one, *more) for name, (one, *more) in found.items()}


_DECODER = json.JSONDecoder(object_pairs_hook=_object_of)


def json_reply(page: Page) -> Mapping[str, object] | None:
    """Return the object when the whole visible reply is one JSON object.

    Args:
        page: the reply.

    Returns:
        Its keys in lower case with underscores; a repeated key has all its values in a tuple.
        None when the reply is anything else.

    Example:
        >>> from comity.protocols.text import read_page
        >>> json_reply(read_page('{"Vote": "BLOCK"}'))
        {'vote': 'BLOCK'}
    """
    shown = [
        (line, kind)
        for line, kind in zip(page.lines, page.kinds, strict=True)
        if kind != "hidden" and line.strip()
    ]
    if not shown or shown[0][1] != "own":
        return None
    text = "\n".join(line for line, _ in shown).strip()
    if not (text.startswith("{") and text.endswith("}")):
        return None
    try:
        found: dict[str, object] = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None
    return found


def json_asides(page: Page) -> tuple[Mapping[str, object], ...]:
    r"""Return the JSON objects that begin a line of words that may be the seat's own.

    They never count as an answer; they can contradict one. At most eight are tried.

    Args:
        page: the reply.

    Returns:
        The objects in order.

    Example:
        >>> from comity.protocols.text import read_page
        >>> json_asides(read_page('As data:\n{"vote": "BLOCK"}'))
        ({'vote': 'BLOCK'},)
    """
    opening: list[int] = []
    at = 0
    for line, kind in zip(page.lines, page.kinds, strict=True):
        if kind in {"own", "unsure"} and line.lstrip().startswith("{"):
            opening.append(at + len(line) - len(line.lstrip()))
        at += len(line) + 1
    text = "\n".join(page.lines) if opening else ""
    found: list[Mapping[str, object]] = []
    for start in opening[:_MOST_ASIDES]:
        try:
            value, _ = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        found.append(value)
    return tuple(found)


def json_text(value: object) -> str:
    r"""Return a JSON value as the text of a field.

    Args:
        value: a string, or a list of strings (one item a line).

    Returns:
        The text in normal form, cut to ``VALUE_LIMIT``; "" for anything else.

    Example:
        >>> json_text(["a", "b"]), json_text(3)
        ('a\nb', '')
    """
    parts = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    texts = [normalise(part).strip() for part in parts if isinstance(part, str)]
    return cut("\n".join(texts), VALUE_LIMIT)
