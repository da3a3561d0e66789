"""Crew: what can be asked of the workers of a ledger, and of one's own?

Here: beginning a session for them, answering, cancelling and handing over, what every session
waits for and who drives it, being a worker.
Not here: a worker's loop (worker.py), arguments and output (cli/).
Sources: ENGINE 2, 5; docs/decisions/0011.

Only being a worker needs the package behind the queue. All else is an entry in the ledger.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from comity.agents.base import Agent
from comity.agents.limits import guards_of
from comity.agents.lineup import agents_of
from comity.core.canonical import Json, JsonObject
from comity.core.errors import ComityError, Fault, InvalidInput, raise_if
from comity.core.parties import PartyId
from comity.formats.scenario import Scenario
from comity.ledger.entry import Entry
from comity.ledger.port import Ledger
from comity.protocols.consent.document import consensus_document
from comity.protocols.consent.results import ConsentAgreement, ConsentNoDeal
from comity.runner.clock import Clock, RealClock
from comity.runner.document import document_path, write_document
from comity.runner.driven import (
    PROCESS,
    WORKERS,
    Driven,
    Need,
    hand_over,
    is_away,
    last_driven,
    need_of,
)
from comity.runner.driving import Driver
from comity.runner.durable import DbosQueue, leases_of
from comity.runner.group_commit import grouped
from comity.runner.handed import DurableRunner
from comity.runner.local import Event, Session, Status, standing_seals, taken_up
from comity.runner.opening import elsewhere, opening_of
from comity.runner.pooled import PooledClock
from comity.runner.worker import Worker, worker_name
from comity.session.record import HEARD, OPENED, PRIVATE, Opening

__all__ = ["Line", "Workers"]

NO_WORKER = "no worker lives: start `comity worker`"
"""Why a session that workers drive does not go on."""

State = Literal["open", "waiting", "ended", "stuck"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A session, as far as workers and those who wait for it want to know.

    Attributes:
        session: its id.
        kind: its kind.
        title: what it is about.
        state: it is ``open``; it is ``waiting`` for whom no worker can ask, or for a time; it has
            ``ended``; it is ``stuck``: nobody drives it on who could.
        phase: the phase of its machine, or "".
        waits_for: the seats that are asked, sorted.
        since_ms: when something was recorded last.
        driven_by: the worker that drives it, ``workers`` while it waits for one, ``process`` for
            a session that a process drives by itself.
        wake_ms: when time passes for it, or None.
        why: why it is stuck, or "".
        result: the kind of its result, or "".
    """

    session: str
    kind: str
    title: str
    state: State
    phase: str
    waits_for: tuple[PartyId, ...]
    since_ms: int
    driven_by: str
    wake_ms: int | None
    why: str
    result: str

    def to_json(self) -> dict[str, Json]:
        """Return all fields."""
        return {
            "session": self.session,
            "kind": self.kind,
            "title": self.title,
            "state": self.state,
            "phase": self.phase,
            "waits_for": list(self.waits_for),
            "since_ms": self.since_ms,
            "driven_by": self.driven_by,
            "wake_ms": self.wake_ms,
            "why": self.why,
            "result": self.result,
        }


class Workers:
    """The workers of one ledger, as a door sees them.

    Args:
        db: the ledger's path or URL.
        ledger: the ledger, open.
        clock: what time it is.
        listen: called with every event of what this process drives, from any thread.
    """

    def __init__(
        self,
        db: str,
        ledger: Ledger,
        *,
        clock: Clock,
        listen: Callable[[Event], None] | None = None,
    ) -> None:
        """Keep the ports."""
        self._db = db
        self._ledger = ledger
        self._clock = clock
        self._listen = listen
        self._runner = DurableRunner(ledger, clock=clock, listen=listen)

    def start(
        self,
        scenario: Scenario,
        seats: Mapping[PartyId, str],
        *,
        folder: Path,
        limits: JsonObject | None = None,
    ) -> str:
        """Open a scenario for the workers.

        Args:
            scenario: what is to be decided.
            seats: seat -> how it is seated; wins over the scenario's own. A ``person`` answers
                through :meth:`answer`.
            folder: where relative paths start.
            limits: what the calls of programs and models are held to.

        Returns:
            The session's id; it is recorded, whether a worker lives or not.

        Raises:
            InvalidInput: with every fault, before anything is recorded.
        """
        opening, private = opening_of(scenario, seats, folder=folder, limits=limits or {})
        return self._runner.start(f"d_{secrets.token_hex(6)}", opening, private).id

    def answer(self, session_id: str, seat: PartyId, text: str) -> Status:
        """Record a seat's answer to what it is asked.

        Args:
            session_id: the session.
            seat: whose answer it is.
            text: the words.

        Returns:
            Where the session stands.

        Raises:
            InvalidInput: when the seat is asked nothing.
        """
        session = self._runner.resume(session_id)
        self._runner.answer(session, seat, text)
        return self._runner.status(session)

    def cancel(self, session_id: str) -> Status:
        """End a session; the record says that it was cancelled.

        Args:
            session_id: the session.

        Raises:
            InvalidInput: when it has ended already.
        """
        session = self._opened(session_id)
        self._runner.cancel(session)
        return self._runner.status(session)

    def hand_over(self, session_id: str) -> None:
        """Hand a session that a process has left to the workers.

        Args:
            session_id: the session.

        Raises:
            InvalidInput: when it has ended already.
        """
        self._opened(session_id)
        hand_over(self._ledger, session_id, WORKERS, now_ms=self._clock.now_ms())

    def take(self, session_id: str) -> None:
        """Take a session from the workers, for a process that drives it by itself.

        Args:
            session_id: the session.
        """
        hand_over(self._ledger, session_id, PROCESS, now_ms=self._clock.now_ms())

    def lines(self) -> tuple[Line, ...]:
        """Return every session with what it waits for, newest first; nothing is recorded."""
        living = self._living()
        seals = standing_seals(self._ledger)
        found = []
        for opened in self._ledger.find(OPENED):
            seal = seals.get(opened.scope)
            if seal is not None:
                found.append(_ended(opened, seal))
                continue
            found.append(self._line(opened, living))
        return tuple(found)

    def work(
        self,
        *,
        slots: int,
        folder: Path,
        once: bool = False,
        tell: Callable[[str, str, int], None] = lambda *_: None,
    ) -> str:
        """Be a worker until somebody interrupts it, or once until nothing is left to drive.

        Args:
            slots: how many sessions are driven at once.
            folder: where the programs of seats and documents are looked for.
            once: whether to end when every session has ended or waits.
            tell: told the worker's name and ``begins`` when it is ready, and ``stops`` with the
                number of sessions that it still has to hear out.

        Returns:
            The name that it worked under.

        Raises:
            LedgerError: when the ledger is in memory, or the package is not installed.
        """
        name = worker_name()
        leases = leases_of(self._db)
        clock = PooledClock() if isinstance(self._clock, RealClock) else self._clock

        def seated(opening: Opening, entries: Sequence[Entry]) -> Mapping[PartyId, Agent]:
            return _seated(opening, entries, folder, clock)

        driver = Driver(
            grouped(self._ledger),
            name,
            seated,
            clock=clock,
            listen=self._listen,
            on_end=lambda session: _written(session, folder),
        )
        queue = DbosQueue(self._db, name, slots=slots)
        worker = Worker(self._ledger, driver, queue, leases, clock=clock)
        worker.run(once=once, tell=partial(tell, name))
        return name

    def _opened(self, session_id: str) -> Session:
        """Return a session that has not ended."""
        session = self._runner.resume(session_id)
        if session.last.outcome is not None:
            what, following = "has ended already", f"look at `comity why {session_id}`"
            raise InvalidInput(Fault(f"session {session_id}", what, "an open one", following))
        return session

    def _living(self) -> frozenset[str]:
        try:
            leases = leases_of(self._db)
        except ComityError:
            return frozenset()  # no worker shares a ledger in memory
        try:
            return leases.living() or frozenset()
        finally:
            leases.let_go()

    def _line(self, opened: Entry, living: frozenset[str]) -> Line:
        entries = self._ledger.read(opened.scope, everything=True)
        driven = last_driven(entries)
        try:
            session = taken_up(opened.scope, entries)
        except InvalidInput as error:
            return _line_of(opened, "stuck", since_ms=entries[-1].at_ms, why=str(error))
        need = need_of(session)
        state, why = _state_of(driven, need, living)
        is_idle = need.what == "wait" and driven is not None and driven.is_for_workers
        return _line_of(
            opened,
            state,
            session=session,
            since_ms=entries[-1].at_ms,
            driven_by="" if is_idle else driven.by if driven else PROCESS,
            why=why,
        )


def _state_of(driven: Driven | None, need: Need, living: frozenset[str]) -> tuple[State, str]:
    """Return how a session that has not ended stands, and why it is stuck."""
    if need.what == "wait":
        return "waiting", ""
    if driven is None or not driven.is_for_workers:
        return "open", ""
    if driven.stuck:
        return "stuck", driven.stuck
    if driven.by in living:
        return "open", ""
    return ("open", "") if living else ("stuck", NO_WORKER)


def _line_of(
    opened: Entry,
    state: State,
    *,
    session: Session | None = None,
    since_ms: int,
    driven_by: str = "",
    why: str = "",
) -> Line:
    last = None if session is None else session.last
    return Line(
        session=opened.scope,
        kind=str(opened.body.get("kind")),
        title=str(opened.body.get("title")),
        state=state,
        phase="" if last is None else str(getattr(last.state, "phase", "")),
        waits_for=() if last is None else tuple(sorted({one.party for one in last.asks})),
        since_ms=since_ms,
        driven_by=driven_by,
        wake_ms=None if session is None else need_of(session).at_ms,
        why=why,
        result="",
    )


def _ended(opened: Entry, seal: Entry) -> Line:
    outcome = seal.body.get("outcome")
    return Line(
        session=opened.scope,
        kind=str(opened.body.get("kind")),
        title=str(opened.body.get("title")),
        state="ended",
        phase="",
        waits_for=(),
        since_ms=seal.at_ms,
        driven_by="",
        wake_ms=None,
        why="",
        result=str(outcome.get("kind")) if isinstance(outcome, Mapping) else "",
    )


def _seated(
    opening: Opening, entries: Sequence[Entry], folder: Path, clock: Clock
) -> dict[PartyId, Agent]:
    """Return the agents of a session that this process can ask."""
    raise_if(elsewhere(opening, folder))
    private = {str(one.party): one.body for one in entries if one.kind == PRIVATE}
    away = tuple(str(seat) for seat in opening.agents if is_away(opening, str(seat)))
    guards = guards_of(opening, clock, usages=_usages(entries))
    return agents_of(opening, private, None, without=away, guards=guards)


def _usages(entries: Sequence[Entry]) -> list[object]:
    """Return what the recorded replies say they used."""
    said = [one.body.get("body") for one in entries if one.kind in HEARD]
    return [one.get("usage") for one in said if isinstance(one, Mapping)]


def _written(session: Session, folder: Path) -> None:
    """Write the document of a session that has ended."""
    outcome = session.last.outcome
    output = str(session.opening.rules.get("output") or "")
    if output and isinstance(outcome, (ConsentAgreement, ConsentNoDeal)):
        path = document_path(output, folder, allow_outside=False)
        write_document(path, consensus_document(outcome, output=output, session=session.id))
