"""Listing: what is in the ledger, one line each?

Here: sessions, desks and entries as tables, times in words.
Not here: one result (text.py), the whole account of why (account.py).
Sources: SEMANTICS K1, K4.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from comity.core.canonical import Json
from comity.core.errors import one_line
from comity.core.show import table

__all__ = ["desks_text", "entries_text", "sessions_text", "short", "when"]

LONGEST = 72
_BY_HAND = {"person": ", by a person", "default": ", by default"}


def when(at_ms: int) -> str:
    """Return a time in UTC.

    Args:
        at_ms: milliseconds since the epoch.

    Example:
        >>> when(0)
        '1970-01-01 00:00:00Z'
    """
    try:
        return time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime(at_ms // 1000))
    except (OverflowError, ValueError, OSError):
        return f"{at_ms} ms"


def short(text: str, length: int = LONGEST) -> str:
    r"""Return text on one line, cut where it is too long.

    Example:
        >>> short("two\nlines"), short("abcdef", 4)
        ('two\\nlines', 'abc…')
    """
    line = one_line(text)
    return line if len(line) <= length else f"{line[: length - 1]}…"


def sessions_text(sessions: Sequence[Mapping[str, Json]]) -> str:
    """Return sessions as a table, in the order given.

    Args:
        sessions: each with session, kind, title, at_ms, result, says, ended_by.

    Example:
        >>> one = {"session": "d_1", "kind": "bargain", "title": "Price", "at_ms": 0}
        >>> print(sessions_text([{**one, "result": "agreement", "says": "Deal at 80."}]))
        session  opened                kind     result     what
        d_1      1970-01-01 00:00:00Z  bargain  agreement  Price: Deal at 80.
    """
    rows = [
        (
            str(one["session"]),
            when(int(str(one["at_ms"]))),
            str(one["kind"]),
            str(one["result"]) + _BY_HAND.get(str(one.get("ended_by")), ""),
            short(": ".join(part for part in (str(one["title"]), str(one["says"])) if part)),
        )
        for one in sessions
    ]
    return table(rows, ("session", "opened", "kind", "result", "what"))


def desks_text(desks: Sequence[Mapping[str, Json]]) -> str:
    """Return desks as a table, in the order given.

    Args:
        desks: each with desk, at_ms, entries, last.

    Example:
        >>> print(desks_text([{"desk": "claims", "at_ms": 0, "entries": 1, "last": None}]))
        desk    last recorded         entries  last conflict
        claims  1970-01-01 00:00:00Z        1  none yet
    """
    rows = []
    for one in desks:
        last = one["last"]
        said = str(last["says"]) if isinstance(last, Mapping) else "none yet"
        name, at_ms = short(str(one["desk"])), int(str(one["at_ms"]))
        rows.append((name, when(at_ms), str(one["entries"]), short(said)))
    return table(rows, ("desk", "last recorded", "entries", "last conflict"))


def entries_text(entries: Sequence[Mapping[str, Json]]) -> str:
    """Return the entries of one session as a table.

    Args:
        entries: each with seq, at_ms, kind, party, body, hash.

    Returns:
        One line per entry: what it is and the beginning of its hash.
    """
    rows = [
        (
            str(one["seq"]),
            when(int(str(one["at_ms"]))),
            str(one["kind"]),
            short(_gist(one)),
            str(one["hash"])[:12],
        )
        for one in entries
    ]
    return table(rows, ("seq", "at", "kind", "what", "hash"))


def _gist(entry: Mapping[str, Json]) -> str:
    """Return an entry's body in a few words."""
    body = entry.get("body")
    if not isinstance(body, Mapping):
        return ""
    outcome, said = body.get("outcome"), body.get("body")
    if isinstance(outcome, Mapping):
        return str(outcome.get("says") or outcome.get("kind"))
    if "title" in body:
        return str(body["title"])
    if "resource" in body:
        return _at_desk(body)
    words = str(body.get("kind", ""))
    if isinstance(said, Mapping):
        told = said.get("text") or " ".join(str(item) for item in said.values())
        words = f"{words}: {' '.join(str(told).split())}"
    return f"{body['party']} {words}" if body.get("party") else words


def _at_desk(body: Mapping[str, Json]) -> str:
    """Return what happened at a desk in a few words: who, what, how it ended."""
    winners = body.get("winners")
    if isinstance(winners, (list, tuple)):
        return f"{', '.join(map(str, winners)) or 'nobody'} won {body['resource']}"
    parts = (body.get("agent"), body["resource"], body.get("why"))
    return " ".join(str(part) for part in parts if part)
