"""Sweep: which sessions must be driven now?

Here: finding them by the ledger alone: new ones, those that somebody spoke to, those whose time
has come, those that nobody drives any more.
Not here: driving them (driving.py), the queue they are put on (durable.py).
Sources: ENGINE 1, 5; docs/decisions/0011.

A session that rests is not in any worker's memory. Whoever speaks to it only records that; the
next sweep sees that its head has moved. So no wake-up can be lost: there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from comity.core.errors import InvalidInput, LedgerCorrupt
from comity.ledger.entry import Entry
from comity.ledger.port import Head, Ledger
from comity.runner.driven import DRIVEN, Driven, last_driven, need_of
from comity.runner.local import Session, taken_up
from comity.session.record import SEALED

__all__ = ["Sweep"]

_NEVER_MS = 2**63


@dataclass(slots=True)
class _Known:
    """What the last look at a session found.

    Attributes:
        seq: how far it was read.
        driven: who took it up last, or None.
        head: its head then, or "" when it must be looked at again.
        look_ms: when to look again while nobody speaks.
    """

    seq: int = 0
    driven: Driven | None = None
    head: str = ""
    look_ms: int = _NEVER_MS


class Sweep:
    """Finds the sessions of one ledger that must be driven; remembers what rests.

    Args:
        ledger: the ledger.
        found: called with a session that must be driven and all its entries, before it is yielded.

    Example:
        >>> from comity.ledger.open import open_ledger
        >>> with open_ledger(":memory:") as ledger:
        ...     list(Sweep(ledger).due({}, tuple, now_ms=0))
        []
    """

    def __init__(
        self,
        ledger: Ledger,
        found: Callable[[Session, tuple[Entry, ...]], None] = lambda *_: None,
    ) -> None:
        """Know nothing yet."""
        self._ledger = ledger
        self._found = found
        self._known: dict[str, _Known] = {}
        self._has_begun = False

    def due(
        self,
        heads: Mapping[str, Head],
        active: Callable[[], Collection[str]],
        *,
        held: Collection[str] = (),
        now_ms: int,
    ) -> Iterator[str]:
        """Yield the sessions that must be driven now.

        Args:
            heads: the head of every scope, by its name.
            active: returns the sessions that are driven, or are on the queue; it is called when
                there is something to look at that is not held.
            held: sessions that are known to be driven.
            now_ms: what time it is.

        Yields:
            Their ids. One that is yielded is looked at again the next time.
        """
        known = self._known
        moved = {
            scope
            for scope, head in heads.items()
            if scope not in known or known[scope].head != head.hash
        }
        timed = {scope for scope, one in known.items() if one.look_ms <= now_ms}
        found = (moved | timed).difference(held)
        if not found:
            return
        found = found.difference(active()).intersection(heads)
        if not self._has_begun:
            self._begin(heads)
        for scope in sorted(found):
            one = known.setdefault(scope, _Known())
            one.look_ms = self._look(heads[scope], one, now_ms)
            is_due = one.look_ms <= now_ms
            one.head = "" if is_due else heads[scope].hash
            if is_due:
                yield scope

    def _begin(self, heads: Mapping[str, Head]) -> None:
        """Learn of all sessions at once whose they are."""
        for scope, head in heads.items():
            self._known[scope] = _Known(head.seq)
        for entry in self._ledger.find(DRIVEN):
            one = self._known.setdefault(entry.scope, _Known())
            found = last_driven((entry,))
            if one.driven is None or entry.seq > one.driven.seq:
                one.driven = found
        self._has_begun = True

    def _look(self, head: Head, known: _Known, now_ms: int) -> int:
        """Return from when on a session must be driven, by what its record has since."""
        if known.driven is None and known.seq >= head.seq:
            return _NEVER_MS
        try:
            after = min(known.seq, head.seq - 1)
            newer = self._ledger.read(head.scope, after=after, everything=True)
            known.driven = last_driven(newer) or known.driven
            known.seq = newer[-1].seq
            if known.driven is None or not known.driven.is_for_workers:
                return _NEVER_MS
            if newer[-1].kind == SEALED:
                return _NEVER_MS
            if known.driven.stuck and newer[-1].seq == known.driven.seq:
                return known.driven.retry_ms
            entries = self._ledger.read(head.scope, everything=True) if after else newer
            session = taken_up(head.scope, entries)
        except (InvalidInput, LedgerCorrupt):
            return _NEVER_MS  # nobody can drive what cannot be read; `comity verify` tells
        need = need_of(session)
        if need.what == "ended":
            return _NEVER_MS
        look_ms = _NEVER_MS if need.at_ms is None else need.at_ms
        if need.what == "drive":
            look_ms = now_ms
        if look_ms <= now_ms:
            self._found(session, entries)
        return look_ms
