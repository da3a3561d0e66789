"""Desks: which desks does a ledger hold, and what was decided at each last?

Here: every desk of a ledger in a few facts, found without reading its whole record: of a conflict
of many, whose entry holds only what has changed, the claimants it does not name are counted.
Not here: who holds and waits (runner/arbiter.py), who wins and starves (report.py), words
(render/listing.py, render/account.py).
Sources: SEMANTICS K1, K4 (what people ask is one command away).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from comity.core.canonical import JsonObject, plain
from comity.core.errors import Fault, LedgerError
from comity.core.exact import Exact
from comity.ledger.entry import Entry
from comity.ledger.port import Head, Ledger
from comity.mechanisms.arbitration import Conflict
from comity.protocols.claims import conflict_of
from comity.protocols.claims.events import CONFLICT, HANDED
from comity.runner.claims_record import handed_as_conflict
from comity.runner.desk_log import name_of, scope_of

__all__ = ["DeskNoted", "LastConflict", "desk_meant", "desks_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LastConflict:
    """The newest conflict of a desk, or what it last handed to the oldest.

    Attributes:
        at_ms: when it was recorded, in milliseconds since 1970.
        conflict: how it was decided; of one of many it names only some claimants.
        seed: the seed of its lots; None for one that was decided elsewhere or handed over.
        count: how many claimed.
        handed: whether it was handed to who had waited longest (``wound_wait``).
    """

    at_ms: int
    conflict: Conflict
    seed: str | None
    count: int
    handed: bool = False

    @property
    def says(self) -> str:
        """Who won what over whom, in one sentence."""
        one = self.conflict
        losers = [str(row[0]) for row in one.claims if row[0] not in one.winners]
        if not one.winners:
            return f"Nobody won {one.resource}; claimed by {', '.join(losers) or 'nobody'}."
        others = self.count - len(one.winners)
        over = f" over {', '.join(losers)}" if losers else ", the only claimant"
        if self.count > len(one.claims):
            over = f" over {others} others"
        if self.handed:
            over = f"{over}; it had waited longest"
        return f"{', '.join(one.winners)} won {one.resource}{over}."

    def to_json(self) -> JsonObject:
        """Return every field, each claimant with its priority and what its rule had counted."""
        one = self.conflict
        marks: tuple[Exact | None, ...] = one.marks or (None,) * len(one.claims)
        return {
            "says": self.says,
            "at_ms": self.at_ms,
            "number": one.number,
            "resource": one.resource,
            "claims": [
                {"agent": row[0], "priority": plain(row[1]), "counted": plain(mark)}
                for row, mark in zip(one.claims, marks, strict=True)
            ],
            "winners": list(one.winners),
            "drawn_from": [list(stage) for stage in one.stages],
            "count": self.count,
            "seed": self.seed,
            "handed": self.handed,
            "decided_elsewhere": self.seed is None and not self.handed,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskNoted:
    """A desk in a list.

    Attributes:
        desk: its name.
        at_ms: when it last recorded anything, in milliseconds since 1970.
        entries: how many entries it has.
        last: its newest conflict, or None before the first.
    """

    desk: str
    at_ms: int
    entries: int
    last: LastConflict | None

    @property
    def scope(self) -> str:
        """The scope of the ledger that it is kept in."""
        return scope_of(self.desk)

    def to_json(self) -> JsonObject:
        """Return every field."""
        return {
            "desk": self.desk,
            "scope": self.scope,
            "at_ms": self.at_ms,
            "entries": self.entries,
            "last": self.last.to_json() if self.last else None,
        }


def desks_of(ledger: Ledger) -> tuple[DeskNoted, ...]:
    """Return the desks of a ledger, sorted by name.

    Args:
        ledger: the ledger.

    Raises:
        LedgerError: for a newest conflict that is none.

    Example:
        >>> from comity.ledger import open_ledger
        >>> from comity.runner.arbiter import Arbiter
        >>> with open_ledger(":memory:") as ledger:
        ...     _ = Arbiter(ledger).decide([("a", 3), ("b", 1)], "gpu")
        ...     desks_of(ledger)[0].last.says
        'a won gpu over b.'
    """
    found = ((name_of(head.scope), head) for head in ledger.heads())
    return tuple(_noted(ledger, name, head) for name, head in found if name is not None)


def desk_meant(ledger: Ledger, given: str) -> DeskNoted | None:
    """Return the desk that a name, or a scope of the ledger, means; None for neither.

    Args:
        ledger: the ledger.
        given: ``claims`` or ``desk/claims``.

    Example:
        >>> from comity.ledger import open_ledger
        >>> with open_ledger(":memory:") as ledger:
        ...     desk_meant(ledger, "claims") is None
        True
    """
    name = name_of(given) or given
    heads = [head for head in ledger.heads() if head.scope == scope_of(name)]
    return _noted(ledger, name, heads[0]) if heads else None


def _noted(ledger: Ledger, name: str, head: Head) -> DeskNoted:
    kinds = (ledger.find(kind, scope=head.scope, limit=1) for kind in (CONFLICT, HANDED))
    newest = max((one for found in kinds for one in found), key=_place, default=None)
    last = None if newest is None else _last(newest)
    return DeskNoted(desk=name, at_ms=head.at_ms, entries=head.seq, last=last)


def _place(entry: Entry) -> int:
    return entry.seq


def _last(entry: Entry) -> LastConflict:
    body: Mapping[str, Any] = entry.body
    try:
        if entry.kind == HANDED:
            handed = handed_as_conflict(body)
            return LastConflict(
                at_ms=entry.at_ms,
                conflict=handed,
                seed=None,
                count=len(handed.claims),
                handed=True,
            )
        seed, conflict = body["seed"], conflict_of(body)
        return LastConflict(
            at_ms=entry.at_ms,
            conflict=conflict,
            seed=None if seed is None else str(seed),
            count=body.get("count", len(conflict.claims)),
        )
    except (LookupError, TypeError, ValueError) as error:
        where, step = f"entry {entry.seq} of {entry.scope}", "run `comity verify`"
        raise LedgerError(Fault(where, "is no conflict", "a whole record", step)) from error
