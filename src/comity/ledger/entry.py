"""Entries: what is one line of the ledger, and does it still say what it said?

Here: the entry, its canonical text and hash, what may be written into it, and every flaw one
stored row can have on its own.
Not here: where rows are kept (ledger/tables.py), anchors (ledger/anchor.py), the links from row
to row (ledger/verify.py).
Sources: SEMANTICS K1; Haber and Stornetta 1991 for the linking of hashes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from math import isfinite
from typing import Any, NamedTuple, cast

from comity.core.canonical import (
    MAX_DEPTH,
    Json,
    JsonObject,
    canonical,
    frozen,
    plain,
    written,
)
from comity.core.errors import Fault, InvalidInput, LedgerCorrupt, raise_if, shown

__all__ = [
    "GENESIS",
    "LATEST_MS",
    "LONGEST_NAME",
    "SEALED",
    "VERSION",
    "Entry",
    "NewEntry",
    "Row",
    "flaws",
    "hash_of",
    "name_flaw",
    "restore",
    "row_of",
    "seal",
]

GENESIS = "0" * 64
"""What the first entry of a scope, and the first anchor, name as their predecessor."""

SEALED = "sealed"
"""The kind of the entry that ends a session; the ledger anchors it."""

VERSION = 1
"""The version of the entry's form; it is hashed with the rest."""

LATEST_MS = 2**53 - 1
"""The largest time in milliseconds: what every JSON reader holds exactly."""

LONGEST_NAME = 200
"""The most characters of a scope, kind, party or request id."""

_DEEPEST = MAX_DEPTH - 1  # an entry wraps its body in one more level
_NO_NAME = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_NO_TEXT = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class NewEntry:
    """What somebody wants to append; the ledger adds place, time and hash.

    Args:
        kind: what it is ("message", "claim", "sealed"), 1 to 200 characters.
        body: an object of plain JSON (whatever :func:`comity.core.canonical.plain` takes).
        party: the seat this entry is private to, or None when everyone may read it.

    Raises:
        InvalidInput: with every fault at once: an unfit name, a body that is not an object, text
            with NUL or lone surrogates, more than 199 levels, what JSON cannot hold.

    Example:
        >>> from fractions import Fraction
        >>> NewEntry("offer", {"price": Fraction(171, 2)}).body
        {'price': '171/2'}
    """

    kind: str
    body: JsonObject
    party: str | None = None
    text: str = field(init=False, repr=False, compare=False, default="")

    def __post_init__(self) -> None:
        faults = [_name_fault("kind", self.kind)] if name_flaw(self.kind) else []
        if self.party is not None and name_flaw(self.party):
            faults.append(_name_fault("party", self.party))
        body, text, found = _fit_body(self.body)
        raise_if([*faults, *found])
        object.__setattr__(self, "body", frozen(body))
        object.__setattr__(self, "text", text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of the ledger.

    Attributes:
        scope: the session (or group of claims) whose chain this belongs to.
        seq: its place in the scope, from 1, without gaps.
        kind: what it is.
        party: the seat it is private to, or None.
        body: plain JSON that cannot change (lists are tuples).
        request_id: the request that wrote it, or None.
        at_ms: when, as the writer's clock said; order is by ``seq``, never by this.
        prev: hash of the entry before it in the scope; 64 zeros at ``seq`` 1.
        hash: SHA-256 of the canonical JSON of all the other fields.
        v: version of this form.

    Example:
        >>> new = NewEntry("opened", {"kind": "vote"})
        >>> first = seal(new, scope="s1", seq=1, request_id=None, at_ms=0, prev=GENESIS)
        >>> first.seq, first.hash[:8]
        (1, 'dc63b7eb')
    """

    scope: str
    seq: int
    kind: str
    party: str | None
    body: JsonObject
    request_id: str | None
    at_ms: int
    prev: str
    hash: str
    v: int = VERSION

    def to_json(self) -> dict[str, Json]:
        """Return every field under its name; ``hash`` covers all the others.

        Example:
            >>> from comity.core.canonical import digest
            >>> new = NewEntry("opened", {})
            >>> first = seal(new, scope="s", seq=1, request_id=None, at_ms=0, prev=GENESIS)
            >>> fields = first.to_json()
            >>> fields.pop("hash") == digest(fields)
            True
        """
        return {
            "at_ms": self.at_ms,
            "body": plain(self.body),
            "hash": self.hash,
            "kind": self.kind,
            "party": self.party,
            "prev": self.prev,
            "request_id": self.request_id,
            "scope": self.scope,
            "seq": self.seq,
            "v": self.v,
        }


class Row(NamedTuple):
    """An entry as a table keeps it, in the order of the columns.

    ``body`` is the canonical text; ``idx`` counts the entries of one request from 0.
    """

    scope: str
    seq: int
    idx: int
    kind: str
    party: str | None
    body: str
    request_id: str | None
    at_ms: int
    prev: str
    hash: str
    v: int


_SHAPE: tuple[tuple[type, ...], ...] = (
    (str,),
    (int,),
    (int,),
    (str,),
    (str, type(None)),
    (str,),
    (str, type(None)),
    (int,),
    (str,),
    (str,),
    (int,),
)


def seal(
    new: NewEntry, *, scope: str, seq: int, request_id: str | None, at_ms: int, prev: str
) -> Entry:
    """Return the entry a new one becomes at its place in a chain.

    Args:
        new: what is appended.
        scope: whose chain.
        seq: its place, from 1.
        request_id: the request that writes it, or None.
        at_ms: now, in milliseconds.
        prev: hash of the entry before it.

    Returns:
        The entry with its hash.

    Example:
        >>> new = NewEntry("note", {"text": "hello"})
        >>> one = seal(new, scope="s", seq=2, request_id="r1", at_ms=5, prev="ab" * 32)
        >>> (one.kind, one.prev[:4], len(one.hash))
        ('note', 'abab', 64)
    """
    row = Row(scope, seq, 0, new.kind, new.party, new.text, request_id, at_ms, prev, "", VERSION)
    return _entry(row._replace(hash=hash_of(row)), new.body)


def hash_of(row: Row) -> str:
    """Return the hash a row must have: SHA-256 of its fields as one canonical JSON object.

    Args:
        row: the row; its ``hash`` and ``idx`` are not looked at.

    Returns:
        64 hexadecimal digits.
    """
    rest = written(
        {
            "kind": row.kind,
            "party": row.party,
            "prev": row.prev,
            "request_id": row.request_id,
            "scope": row.scope,
            "seq": row.seq,
            "v": row.v,
        }
    )
    text = f'{{"at_ms":{row.at_ms},"body":{row.body},{rest[1:]}'
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def row_of(entry: Entry, *, text: str, idx: int) -> Row:
    """Return an entry as a table keeps it.

    Args:
        entry: the entry.
        text: the canonical text of its body.
        idx: its place among the entries of its request, from 0.

    Returns:
        The row, in the order of the columns.
    """
    return Row(
        entry.scope,
        entry.seq,
        idx,
        entry.kind,
        entry.party,
        text,
        entry.request_id,
        entry.at_ms,
        entry.prev,
        entry.hash,
        entry.v,
    )


def restore(values: Sequence[object]) -> Entry:
    """Return the entry a stored row holds, after checking its hash.

    Args:
        values: the columns in the order of :class:`Row`.

    Returns:
        The entry.

    Raises:
        LedgerCorrupt: when the row is not what was once written.
    """
    row = _shaped(values)
    if row is not None and row.hash == hash_of(row):
        body = _parsed(row.body)
        if body is not None:
            return _entry(row, body)
    raise LedgerCorrupt(
        Fault(
            f"ledger, scope {shown(values[0])}, entry {shown(values[1])}",
            f"is not what was written: {next(flaws(values))}",
            "entries as they were appended",
            "run verify to see everything that changed, and restore a copy",
        )
    )


def flaws(values: Sequence[object]) -> Iterator[str]:
    """Yield everything that is wrong with one stored row, looked at alone.

    Args:
        values: the columns in the order of :class:`Row`, of whatever types the store gave.

    Yields:
        One clause per flaw; nothing when the row is sound.

    Example:
        >>> list(flaws(["s", 1, 0, "note", None, "{}", None, 5.0, GENESIS, "", 1]))
        ['at_ms is 5.0, not a whole number']
    """
    row = _shaped(values)
    if row is None:
        yield from _misfits(values)
        return
    for name in ("scope", "kind", "party", "request_id"):
        value = getattr(row, name)
        flaw = None if value is None else name_flaw(value)
        if flaw:
            yield f"{name} {flaw}"
    if row.seq < 1:
        yield f"seq is {row.seq}, below 1"
    if not 0 <= row.at_ms <= LATEST_MS:
        yield f"at_ms is {row.at_ms}, outside 0 to {LATEST_MS}"
    if row.v != VERSION:
        yield f"v is {row.v}, an unknown version"
    yield from _body_flaws(row.body)
    if row.hash != hash_of(row):
        yield "its hash is not the hash of what it holds"


def name_flaw(value: object) -> str | None:
    r"""Return what is wrong with a scope, kind, party or request id.

    Args:
        value: the name.

    Returns:
        A clause, or None when it is 1 to 200 characters without control characters (NUL is one)
        and lone surrogates.

    Example:
        >>> name_flaw("session-1") is None
        True
        >>> name_flaw("a\x00b")
        'holds a character no store keeps (U+0000)'
    """
    if not isinstance(value, str):
        return f"is {shown(value)}, not text"
    if not value:
        return "is empty"
    if len(value) > LONGEST_NAME:
        return f"has {len(value)} characters, more than {LONGEST_NAME}"
    found = _NO_NAME.search(value)
    return f"holds a character no store keeps (U+{ord(found[0]):04X})" if found else None


def _name_fault(name: str, value: object) -> Fault:
    return Fault(
        "new entry",
        f"its {name} {name_flaw(value)}",
        f"text of 1 to {LONGEST_NAME} characters without control characters and lone surrogates",
        f"give another {name}",
    )


def _entry(row: Row, body: JsonObject) -> Entry:
    return Entry(
        scope=row.scope,
        seq=row.seq,
        kind=row.kind,
        party=row.party,
        body=body,
        request_id=row.request_id,
        at_ms=row.at_ms,
        prev=row.prev,
        hash=row.hash,
        v=row.v,
    )


def _shaped(values: Sequence[object]) -> Row | None:
    fits = all(type(value) in types for value, types in zip(values, _SHAPE, strict=True))
    return Row(*cast("Any", values)) if fits else None


def _misfits(values: Sequence[object]) -> Iterator[str]:
    for name, value, types in zip(Row._fields, values, _SHAPE, strict=True):
        if type(value) not in types:
            wanted = "a whole number" if types == (int,) else "text"
            yield f"{name} is {shown(value)}, not {wanted}"


def _parsed(text: str) -> JsonObject | None:
    try:
        body = frozen(json.loads(text))
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None


def _body_flaws(text: str) -> Iterator[str]:
    body = _parsed(text)
    if body is None:
        yield "body is not a JSON object"
        return
    found = tuple(_unfit(body))
    for fault in found:
        yield f"{fault.whose} {fault.what}"
    if not found and canonical(body) != text:
        yield "body is not in canonical form"


def _fit_body(body: object) -> tuple[JsonObject, str, tuple[Fault, ...]]:
    """Return a body as plain JSON, its canonical text, and what is wrong with it."""
    try:
        made = plain(body)
        text = written(made)
    except InvalidInput as error:
        return {}, "", error.faults
    if not isinstance(made, dict):
        what = f"is of type {type(made).__name__}"
        return {}, "", (Fault("body", what, "an object of plain JSON", "wrap it in one"),)
    looks_unfit = (
        text.count("[") + text.count("{") > _DEEPEST
        or "\\u0000" in text
        or _NO_TEXT.search(text) is not None
    )
    return made, text, tuple(_unfit(made)) if looks_unfit else ()


def _unfit(body: JsonObject) -> Iterator[Fault]:
    """Yield what no store keeps, without recursion: bad text, deep nesting, no numbers."""
    waiting: list[tuple[str, int, Json]] = [("body", 1, body)]
    while waiting:
        path, depth, value = waiting.pop()
        if not isinstance(value, (dict, list, tuple)):
            yield from _unfit_leaf(path, value)
        elif depth > _DEEPEST:
            yield _too_deep(path)
        else:
            if isinstance(value, dict):
                if any(map(_NO_TEXT.search, value)):
                    yield _bad_text(f"a key of {path}")
                inner = [(f"{path}.{key}", depth + 1, item) for key, item in value.items()]
            else:
                inner = [(f"{path}[{at}]", depth + 1, item) for at, item in enumerate(value)]
            waiting.extend(reversed(inner))


def _unfit_leaf(path: str, value: Json) -> Iterator[Fault]:
    if isinstance(value, str) and _NO_TEXT.search(value):
        yield _bad_text(path)
    elif isinstance(value, float) and not isfinite(value):
        yield Fault(path, f"is {value!r}", "finite numbers", "correct it")


def _bad_text(path: str) -> Fault:
    return Fault(
        path.encode("utf-8", "replace").decode(),
        "holds NUL or a lone surrogate",
        "text that every store can keep",
        "clean the text before it is appended",
    )


def _too_deep(path: str) -> Fault:
    allowed = f"at most {_DEEPEST} levels"
    return Fault(path[:80], "is nested too deeply", allowed, "flatten it or write it as text")
