"""Verify: is everything in the ledger as it was written, and is nothing gone?

Here: one pass over every stored byte that lists what does not hold and never raises for it.
Not here: whether a decision was right (replay, in session/), repairing anything.
Sources: SEMANTICS K1.

What it can find, and what it cannot: any change, gap, reorder or stray row is found. A cut tail
is found by the table of heads, and by an anchor when it reaches back to one; a dropped session by
its opening anchor. Who cuts behind the newest anchor of a scope and corrects its head, or rewrites
the whole file consistently, is found only by a head that was kept elsewhere (``head=``). A head
from ``Ledger.anchor`` covers all there was when it was made; how many entries no anchor covers, or
came after the head that was kept, is counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from comity.core.canonical import Json
from comity.core.errors import Fault, InvalidInput, LedgerError, shown
from comity.ledger.anchor import Anchor, anchor_hash, wants_anchor
from comity.ledger.entry import GENESIS, Row, flaws
from comity.ledger.port import Ledger, RawTables, Table
from comity.ledger.schema import FORMAT, newest

__all__ = ["MOST_PROBLEMS", "Problem", "Report", "verify"]

MOST_PROBLEMS = 1000
"""How many problems a report lists; the rest is counted in a last line."""

_HASH = re.compile("[0-9a-f]{64}")
_ANCHOR_SHAPE = (int, str, int, str, int, str, str)
_HEAD_SHAPE = (str, int, str, int)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that does not hold.

    Attributes:
        where: the place, such as "scope 's1', entry 3" or "anchor 7".
        what: what is wrong there, as a clause.
    """

    where: str
    what: str

    def __str__(self) -> str:
        """Return it as one line."""
        return f"{self.where}: {self.what}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What verify found.

    Attributes:
        ok: True when there is no problem.
        entries: how many entries were read.
        scopes: how many scopes they belong to.
        anchors: how many anchors were read.
        problems: everything that does not hold.
        head: hash of the newest anchor, "" when there is none.
        uncovered: how many entries lie behind the newest anchor of their scope; when a head was
            given and is there, behind the newest one up to that head.
    """

    ok: bool
    entries: int
    scopes: int
    anchors: int
    problems: tuple[Problem, ...]
    head: str
    uncovered: int = 0

    def to_json(self) -> dict[str, Json]:
        """Return every field under its name."""
        return {
            "anchors": self.anchors,
            "entries": self.entries,
            "head": self.head,
            "ok": self.ok,
            "problems": [{"where": one.where, "what": one.what} for one in self.problems],
            "scopes": self.scopes,
            "uncovered": self.uncovered,
        }

    def __str__(self) -> str:
        """Return it as lines for a person."""
        held = "holds" if self.ok else "does not hold"
        counts = f"{self.entries} entries, {self.scopes} scopes, {self.anchors} anchors"
        if self.uncovered:
            counts += f", {self.uncovered} behind them"
        first = f"The ledger {held}: {counts}. Head: {self.head or 'none'}"
        return "\n".join([first, *map(str, self.problems)])


def verify(ledger: Ledger, *, head: str | None = None) -> Report:
    """Check every stored byte of a ledger against the chain.

    Args:
        ledger: the ledger.
        head: what ``Ledger.anchor`` gave and was kept elsewhere; it must still be in the chain.

    Returns:
        The report; damage of any kind is a problem in it, never an exception.

    Raises:
        InvalidInput: ``head`` is not 64 hexadecimal digits.

    Example:
        >>> from comity.ledger.entry import NewEntry
        >>> from comity.ledger.open import open_ledger
        >>> with open_ledger(":memory:") as ledger:
        ...     opened = [NewEntry("opened", {"kind": "vote"})]
        ...     done = ledger.append("s1", opened, expected_head="", request_id=None, now_ms=0)
        ...     report = verify(ledger, head=ledger.anchor())
        >>> report.ok, report.entries, report.anchors
        (True, 1, 1)
    """
    if head is not None and not _HASH.fullmatch(str(head)):
        raise InvalidInput(
            Fault(
                "verify",
                f"head is {shown(head)}",
                "64 hexadecimal digits, as anchor() gives them",
                "give the whole hash",
            )
        )
    audit = _Audit(kept=head)
    try:
        with ledger.raw() as tables:
            _read(audit, tables)
    except LedgerError as error:
        audit.add("ledger", _said(error))
    if head is not None and head not in audit.anchor_hashes:
        audit.add("anchors", f"none has the head {head}: the ledger was rewritten or cut")
    return audit.report()


def _read(audit: _Audit, tables: RawTables) -> None:
    for complaint in tables.complaints():
        audit.add("store", complaint)
    _meta(audit, _rows(audit, tables, "meta"))
    _anchors(audit, _rows(audit, tables, "anchors"))
    _heads(audit, _rows(audit, tables, "heads"))
    chain = None
    for values in _rows(audit, tables, "entries"):
        if chain is None or values[0] != chain.scope:
            _end(audit, chain)
            chain = _Chain(scope=values[0])
            audit.scopes += 1
        audit.entries += 1
        _entry(audit, chain, values)
    _end(audit, chain)
    for scope in audit.heads:
        audit.add(f"scope {shown(scope)}", "has a head and no entries: they were removed")
    for (scope, seq), anchor in audit.open_anchors.items():
        audit.add(f"scope {shown(scope)}, entry {seq}", f"is missing: anchor {anchor.n} names it")


@dataclass(slots=True)
class _Chain:
    """How far one scope was read."""

    scope: object
    seq: int = 0
    hash: object = GENESIS
    at_ms: object = None
    request: str | None = None
    idx: int = 0
    requests: set[str] = field(default_factory=set)


@dataclass(slots=True)
class _Audit:
    """What was read and found so far."""

    kept: str | None = None
    problems: list[Problem] = field(default_factory=list)
    unlisted: int = 0
    entries: int = 0
    scopes: int = 0
    anchors: int = 0
    head: str = ""
    anchor_hashes: set[str] = field(default_factory=set)
    open_anchors: dict[tuple[object, int], Anchor] = field(default_factory=dict)
    heads: dict[object, Sequence[object]] = field(default_factory=dict)
    covered: dict[object, int] = field(default_factory=dict)
    uncovered: int = 0

    def add(self, where: str, what: str) -> None:
        """List a problem, or count it when the list is full."""
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(Problem(where=where, what=what))
        else:
            self.unlisted += 1

    def report(self) -> Report:
        """Return everything as a report."""
        if self.unlisted:
            last = Problem(where="ledger", what=f"{self.unlisted} more problems are not listed")
            self.problems.append(last)
        return Report(
            ok=not self.problems,
            entries=self.entries,
            scopes=self.scopes,
            anchors=self.anchors,
            problems=tuple(self.problems),
            head=self.head,
            uncovered=self.uncovered,
        )


def _rows(audit: _Audit, tables: RawTables, table: Table) -> Iterator[tuple[object, ...]]:
    try:
        yield from tables.rows(table)
    except LedgerError as error:
        audit.add(f"table {table}", _said(error))


def _said(error: LedgerError) -> str:
    return "; ".join(fault.what for fault in error.faults)


def _meta(audit: _Audit, rows: Iterator[tuple[object, ...]]) -> None:
    wanted: dict[object, str] = {"format": FORMAT, "schema_version": str(newest())}
    for name, value in rows:
        expected = wanted.pop(name, None)
        if expected is None:
            audit.add(f"meta {shown(name)}", "is no part of a ledger")
        elif value != expected:
            audit.add(f"meta {shown(name)}", f"is {shown(value)}, not {expected!r}")
    for name in wanted:
        audit.add(f"meta {shown(name)}", "is missing")


def _anchors(audit: _Audit, rows: Iterator[tuple[object, ...]]) -> None:
    before: object = GENESIS
    reached: dict[object, int] = {}
    for n, values in enumerate(rows, 1):
        audit.anchors = n
        where = f"anchor {shown(values[0])}"
        if not _fits(values, _ANCHOR_SHAPE):
            audit.add(where, "holds values of the wrong type")
            before = values[6]
            continue
        anchor = _anchor(values)
        if anchor.n != n:
            audit.add(where, f"stands where anchor {n} should: some are missing or moved")
        elif anchor.prev != before:
            audit.add(where, "does not name the hash of the anchor before it")
        if anchor.hash != anchor_hash(anchor):
            audit.add(where, "its hash is not the hash of what it holds")
        else:
            audit.anchor_hashes.add(anchor.hash)
        if anchor.seq <= reached.get(anchor.scope, 0):
            audit.add(where, f"goes back in scope {shown(anchor.scope)}")
        reached[anchor.scope] = anchor.seq
        if anchor.hash == audit.kept:
            audit.covered = dict(reached)
        audit.open_anchors[anchor.scope, anchor.seq] = anchor
        audit.head = before = anchor.hash
    audit.covered = audit.covered or reached


def _anchor(values: Sequence[Any]) -> Anchor:
    n, scope, seq, head, at_ms, prev, hash_ = values
    return Anchor(n=n, scope=scope, seq=seq, head=head, at_ms=at_ms, prev=prev, hash=hash_)


def _heads(audit: _Audit, rows: Iterator[tuple[object, ...]]) -> None:
    for values in rows:
        if values[0] in audit.heads:
            audit.add(f"scope {shown(values[0])}", "has two heads")
        audit.heads[values[0]] = values


def _entry(audit: _Audit, chain: _Chain, values: tuple[object, ...]) -> None:
    """Check one row and its links, then stand on it."""
    where = f"scope {shown(values[0])}, entry {shown(values[1])}"
    for flaw in flaws(values):
        audit.add(where, flaw)
    row = Row(*cast("Any", values))
    if type(row.seq) is not int:
        chain.seq, chain.hash, chain.at_ms = chain.seq + 1, row.hash, row.at_ms
        return
    if row.seq != chain.seq + 1:
        audit.add(where, f"follows entry {chain.seq}: {_gap(chain.seq, row.seq)}")
    elif row.prev != chain.hash:
        audit.add(where, "does not name the hash of the entry before it")
    _request(audit, chain, row, where)
    _anchored(audit, row, where)
    chain.seq, chain.hash, chain.at_ms = row.seq, row.hash, row.at_ms


def _gap(before: int, seq: int) -> str:
    return "some are missing" if seq > before else "one is there twice"


def _request(audit: _Audit, chain: _Chain, row: Row, where: str) -> None:
    """Check that a request's entries stand together, counted from 0, at one time."""
    if row.request_id is None or row.request_id != chain.request:
        chain.idx = 0
        if row.request_id in chain.requests:
            audit.add(where, f"request {shown(row.request_id)} was used before")
    else:
        chain.idx += 1
        if row.at_ms != chain.at_ms:
            audit.add(where, f"request {shown(row.request_id)} has two times")
    if row.idx != chain.idx:
        audit.add(where, f"idx is {shown(row.idx)}, not {chain.idx}")
    chain.request = row.request_id
    if row.request_id is not None:
        chain.requests.add(row.request_id)


def _anchored(audit: _Audit, row: Row, where: str) -> None:
    anchor = audit.open_anchors.pop((row.scope, row.seq), None)
    if anchor is None:
        if wants_anchor(row.seq, row.kind):
            audit.add(where, "its anchor is missing")
    elif (anchor.head, anchor.at_ms) != (row.hash, row.at_ms):
        audit.add(where, f"is not the entry that anchor {anchor.n} names")


def _end(audit: _Audit, chain: _Chain | None) -> None:
    """Compare where a scope ended with its head."""
    if chain is None:
        return
    where = f"scope {shown(chain.scope)}"
    audit.uncovered += max(0, chain.seq - audit.covered.get(chain.scope, 0))
    head = audit.heads.pop(chain.scope, None)
    if head is None:
        audit.add(where, "has no head")
    elif not _fits(head, _HEAD_SHAPE):
        audit.add(where, "its head holds values of the wrong type")
    elif tuple(head[1:]) != (chain.seq, chain.hash, chain.at_ms):
        audit.add(where, f"its head names entry {shown(head[1])}, and it ends at {chain.seq}")


def _fits(values: Sequence[object], shape: Sequence[type]) -> bool:
    return all(type(value) is wanted for value, wanted in zip(values, shape, strict=True))
