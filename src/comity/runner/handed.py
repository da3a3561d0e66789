"""Handed: how does one begin a session that workers drive, and speak to it?

Here: the eight verbs for a session that any worker may drive: each only records; nobody is asked
here, and no worker need live while something is said.
Not here: driving it (driving.py), noticing that somebody spoke (sweep.py).
Sources: ENGINE 1, 2; ARCHITECTURE contract 2; docs/decisions/0011.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from comity.core.errors import (
    Fault,
    InvalidInput,
    LedgerCorrupt,
    LedgerError,
    LedgerTooNew,
    SequenceConflict,
)
from comity.core.parties import PartyId
from comity.core.step import Input, Step
from comity.ledger.entry import Entry
from comity.runner.driven import WORKERS, taking_up
from comity.runner.local import LocalRunner, Session, gone_on, storable, taken_up
from comity.session.record import input_body

__all__ = ["DurableRunner"]

_PAUSE_MS, _LONGEST_PAUSE_MS = 100, 2_000
_GIVE_UP_MS = 600_000
_MOOT = frozenset({"failure", "reply", "resumed", "timer"})  # once a session has ended


class DurableRunner(LocalRunner):
    """Begins sessions that workers drive, and speaks to them.

    It has the verbs of :class:`LocalRunner` and takes the same arguments; a session may be begun
    by one and go on under the other (``hand_over`` of driven.py moves it). To start one twice with
    the same arguments is to start it once. When somebody else was faster, the record is read again
    and what was said goes behind it; while the ledger is away, it is tried again for ten minutes,
    and counts once.
    """

    _drives = False
    _also = (taking_up(WORKERS),)

    def resume(self, session_id: str) -> Session:
        """Return a session as its record says it stands; nothing is recorded."""
        return taken_up(session_id, self._ledger.read(session_id, everything=True))

    def step(self, session: Session, happened: Input) -> Step[Any]:
        """Record one input behind whatever is recorded by then, and let the machine take it."""
        pause_ms = _PAUSE_MS
        give_up_ms = self._clock.now_ms() + _GIVE_UP_MS
        record = partial(super().step, session, happened)
        while True:
            try:
                return record()
            except SequenceConflict:
                newer = self.catch_up(session)
                is_told = any(one.body == input_body(happened) for one in newer)
                if is_told or (session.last.outcome is not None and happened.kind in _MOOT):
                    return session.last  # recorded after all, or of no interest any more
            except (LedgerCorrupt, LedgerTooNew):
                raise
            except LedgerError:
                if self._clock.now_ms() > give_up_ms:
                    raise
                self.sleep_until(self._clock.now_ms() + pause_ms)
                pause_ms = min(2 * pause_ms, _LONGEST_PAUSE_MS)

    def answer(
        self, session: Session, party: PartyId, text: str, *, ask_id: str | None = None
    ) -> Step[Any]:
        """Record a seat's answer to what it is asked.

        Args:
            session: the session.
            party: whose channel it came through.
            text: the words.
            ask_id: which ask is answered; the one that stands by default.

        Returns:
            The machine's step.

        Raises:
            InvalidInput: when the seat is asked nothing.
        """
        self.catch_up(session)
        asked = [one.id for one in session.last.asks if one.party == party]
        if ask_id is None and not asked:
            others = sorted({one.party for one in session.last.asks})
            raise InvalidInput(
                Fault(
                    f"seat {party!r} of session {session.id}",
                    "is asked nothing",
                    ", ".join(others) or "a session that asks somebody",
                    "look at `comity sessions`",
                )
            )
        return self.step(
            session,
            Input(
                kind="reply",
                now_ms=self._clock.now_ms(),
                party=party,
                ask_id=ask_id or asked[0],
                body={"text": storable(text)},
            ),
        )

    def catch_up(self, session: Session) -> tuple[Entry, ...]:
        """Bring a session up to date with its record.

        Args:
            session: the session; changed in place.

        Returns:
            The entries that were not known.
        """
        newer = self._ledger.read(session.id, after=session.seq, everything=True)
        gone_on(session, newer)
        return newer
