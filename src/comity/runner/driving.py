"""Driving: how does a worker take a session up, and until when does it hold it?

Here: taking a session up, asking the seats that a worker can ask, recording what they say, and
leaving it when it has ended, when it waits for somebody else, when another took it over, and when
the worker is to stop.
Not here: which session is driven when and where (sweep.py, durable.py), one step (local.py).
Sources: ENGINE 1, 6; ARCHITECTURE contract 2; docs/decisions/0011.

A session is driven again from its record, never from a memory of the worker's: no call whose
reply is recorded is made again. One in flight when a worker dies is made once more under the same
request id. A worker that was believed dead finds that another has taken the session up, by an
append that is refused, and lets go of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import Semaphore
from typing import Literal

from comity.agents.base import Agent
from comity.core.errors import (
    ComityError,
    Fault,
    LedgerError,
    SequenceConflict,
    raise_if,
)
from comity.core.parties import PartyId
from comity.core.step import Input
from comity.ledger.entry import Entry, NewEntry
from comity.ledger.port import Head, Ledger
from comity.runner.clock import Clock
from comity.runner.driven import (
    DRIVEN,
    WORKERS,
    is_away,
    last_driven,
    need_of,
    taking_up,
)
from comity.runner.handed import DurableRunner
from comity.runner.local import (
    Event,
    Session,
    dispatched,
    gone_on,
    lacks_time,
    storable,
    taken_up,
)
from comity.session.record import INPUT, Opening

__all__ = ["Driver", "Left", "Seats"]

Seats = Callable[[Opening, Sequence[Entry]], Mapping[PartyId, Agent]]
"""Opening, all entries of a session -> the agents that a worker can ask."""

Left = Literal["ended", "rests", "lost", "drained", "stuck"]
"""Why a session was left."""

_NEWS = Input(kind="timer", now_ms=0)
"""Stands among the replies for: look into the ledger."""

_PATIENCE_MS = 2_000
_TRIES = 20
_MOST_EXPECTED = 1_000
_AT_ONCE = 32
"""How many sessions are worked on at once; the others wait for replies, or for their turn.

When a thousand replies come together, those that are done first ask on at once. Without turns all
would be done together at the end, and the next thousand replies would come together again.
"""


class Driver(DurableRunner):
    """Drives sessions for one worker; safe for many threads, one for each session.

    Args:
        ledger: where everything is recorded.
        name: the worker's name, unique among all that live.
        seats: who is asked for each seat.
        clock: what time it is.
        listen: called with every event, from any thread.
        on_end: called with every session that was driven to its end, before that is told.
        probe: called with the name of every point at which a process may die; for tests.
    """

    def __init__(
        self,
        ledger: Ledger,
        name: str,
        seats: Seats,
        *,
        clock: Clock | None = None,
        listen: Callable[[Event], None] | None = None,
        on_end: Callable[[Session], None] | None = None,
    ) -> None:
        """Keep the ports."""
        super().__init__(ledger, clock=clock, listen=listen)
        self.name = name
        self._seats = seats
        self._on_end = on_end
        self._held: dict[str, Session] = {}
        self._expected: dict[str, tuple[Session, tuple[Entry, ...]]] = {}
        self._is_draining = False
        self._room = Semaphore(_AT_ONCE)

    @property
    def held(self) -> frozenset[str]:
        """The sessions that are driven now."""
        return frozenset(self._held.copy())

    def drain(self) -> None:
        """Let go of every session as soon as no call of it is in flight."""
        self._is_draining = True
        for session in list(self._held.values()):
            session.arrived.put(_NEWS)

    def look(self, heads: Mapping[str, Head]) -> None:
        """Let sessions that somebody else spoke to look into the ledger.

        Args:
            heads: the heads of the ledger, by session.
        """
        for session in list(self._held.values()):
            if _is_behind(session, heads):
                session.arrived.put(_NEWS)
        for session, _ in list(self._expected.values()):
            if _is_behind(session, heads):  # somebody else drives it
                self._expected.pop(session.id, None)

    def expect(self, session: Session, entries: tuple[Entry, ...]) -> None:
        """Keep a session that is on its way to the queue, so that it is not folded again.

        Args:
            session: the session as its record says it stands.
            entries: all its entries, in order.
        """
        if len(self._expected) < _MOST_EXPECTED:
            self._expected[session.id] = session, entries

    def drive(self, session_id: str, *, is_over: bool = False) -> Left:
        """Drive a session until it rests.

        Args:
            session_id: the session.
            is_over: whether it is taken over from a worker that died: time was lost.

        Returns:
            Why it was left.
        """
        try:
            with self._room:
                taken = self._take_up(session_id, is_over=is_over)
                if taken is None:
                    return "rests"
                session, entries = taken
                self._held[session_id] = session
                return self._drive(session, self._seats(session.opening, entries))
        except SequenceConflict:
            return "lost"
        except LedgerError:
            raise
        except Exception as error:  # noqa: BLE001  # a session that cannot go on stops no worker
            return self._give_up(session_id, error)
        finally:
            self._held.pop(session_id, None)

    def _take_up(
        self, session_id: str, *, is_over: bool
    ) -> tuple[Session, tuple[Entry, ...]] | None:
        """Fold the record and say in it who drives; None when there is nothing to drive."""
        for _ in range(_TRIES):
            session, entries = self._folded(session_id)
            last = last_driven(entries)
            need = need_of(session)
            is_due = need.at_ms is not None and need.at_ms <= self._clock.now_ms()
            if last is None or not last.is_for_workers or self._is_draining:
                return None
            if need.what == "ended" or (need.what == "wait" and not is_due):
                return None
            try:
                appended = self._ledger.append(
                    session_id,
                    [taking_up(self.name)],
                    expected_head=session.head,
                    request_id=None,
                    now_ms=self._clock.now_ms(),
                )
            except SequenceConflict:
                continue
            gone_on(session, appended.entries)
            is_late = is_over or last.by == WORKERS or session.inputs == 0
            if is_late and lacks_time(session):
                self.step(session, Input(kind="resumed", now_ms=self._clock.now_ms()))
            return session, entries
        return None

    def _folded(self, session_id: str) -> tuple[Session, tuple[Entry, ...]]:
        """Return a session as its record says it stands, with all its entries."""
        found = self._expected.pop(session_id, None)
        if found is None:
            entries = self._ledger.read(session_id, everything=True)
            return taken_up(session_id, entries), entries
        session, entries = found
        return session, entries + super().catch_up(session)

    def _drive(self, session: Session, agents: Mapping[PartyId, Agent]) -> Left:
        """Ask and record until the session may be left."""
        while session.last.outcome is None:
            left = self._may_leave(session, agents)
            if left is not None:
                return left
            happened = self.receive(session, agents)
            if happened is _NEWS:
                self.catch_up(session)
            else:
                self.step(session, happened)
        if self._on_end is not None and not session.sealed:
            self._on_end(session)
        self._seal(session)
        return "ended"

    def _may_leave(self, session: Session, agents: Mapping[PartyId, Agent]) -> Left | None:
        """Return why a session may be left now, or None."""
        standing = {one.id for one in session.last.asks}
        if session.called & standing:
            return None
        if any(one.party in agents for one in session.last.asks):
            return "drained" if self._is_draining else None
        raise_if(_nobody_for(session))
        wake = session.last.wake_at_ms
        if wake is not None and wake <= self._clock.now_ms() + _PATIENCE_MS:
            return "drained" if self._is_draining else None
        return None if self.catch_up(session) else "rests"

    def receive(self, session: Session, agents: Mapping[PartyId, Agent]) -> Input:
        """Return the next input, or a sign that the ledger has news; see the local runner."""
        asked = {} if self._is_draining else agents
        instant = dispatched(session, asked, self.publish, self._clock, self._probe)
        if instant is not None:
            return instant
        wake = session.last.wake_at_ms
        self._room.release()
        try:
            said = self._clock.first_of(session.arrived, wake)
        finally:
            self._room.acquire()
        if said is None:
            return Input(kind="timer", now_ms=max(wake or 0, self._clock.now_ms()))
        return said

    def catch_up(self, session: Session) -> tuple[Entry, ...]:
        """Bring a session up to date.

        Raises:
            SequenceConflict: when another has taken it up meanwhile.
        """
        newer = super().catch_up(session)
        if any(_takes_up(one) for one in newer):
            raise SequenceConflict(_taken(session.id))
        return newer

    def _give_up(self, session_id: str, error: Exception) -> Left:
        """Record why a session cannot go on; it is tried again later."""
        said = str(error) if isinstance(error, ComityError) else f"{type(error).__name__}: {error}"

        def rule(entries: tuple[Entry, ...]) -> list[NewEntry]:
            before = last_driven(entries[:-1])
            times = before.times if before is not None and before.stuck else 0
            return [taking_up(WORKERS, stuck=storable(said)[:2000], times=times + 1)]

        self._ledger.transact(session_id, rule, request_id=None, now_ms=self._clock.now_ms())
        return "stuck"


def _is_behind(session: Session, heads: Mapping[str, Head]) -> bool:
    """Tell whether the ledger has entries that a session does not know of."""
    head = heads.get(session.id)
    return head is not None and head.seq > session.seq


def _takes_up(entry: Entry) -> bool:
    """Tell whether an entry says that somebody took the session up."""
    return entry.kind == DRIVEN or (entry.kind == INPUT and entry.body.get("kind") == "resumed")


def _taken(session_id: str) -> Fault:
    whose, allowed = f"session {session_id}", "one worker at a time"
    return Fault(whose, "was taken over by another", allowed, "let it go on there")


def _nobody_for(session: Session) -> list[Fault]:
    """Return the seats that are asked and answer neither here nor through the record."""
    whose, allowed = f"session {session.id}", "a seat that a worker can ask, or a person's"
    lost = [one.party for one in session.last.asks if not is_away(session.opening, one.party)]
    if lost:
        return [Fault(whose, f"asks {', '.join(lost)}, who has no agent", allowed, "seat one")]
    if not session.last.asks and session.last.wake_at_ms is None:
        allowed = "an ask, a time or an outcome"
        return [Fault(whose, "asks nobody and waits for nothing", allowed, "report this")]
    return []
