"""Desk log: how is a desk kept in the ledger, and caught up, by many at once?

Here: opening a desk or joining it, requests settled under the ledger's lock, one commit for all
requests that queue, the state written once more now and then.
Not here: what a request leads to (protocols/claims), the requests by name (arbiter.py).
Sources: SEMANTICS R1, K1, K3; ENGINE 8; Hagmann 1987 (group commit).

State is the fold of the ledger's entries, kept in memory and caught up under the ledger's lock.
When a commit fails, the memory is thrown away and read anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Generic, TypeVar

from comity.core.canonical import digest
from comity.core.errors import ComityError, Fault, InvalidInput, LedgerError, shown
from comity.ledger import Ledger
from comity.ledger.entry import Entry, NewEntry
from comity.ledger.port import Appended, Request
from comity.protocols.claims import Desk, DeskRules, Event, desk_rules_to_json
from comity.protocols.claims.events import OPENED, STATE
from comity.runner.clock import Clock

__all__ = ["DeskLog", "Done", "name_of", "scope_of"]

T = TypeVar("T")

Asks = Callable[[Desk, int], tuple[Sequence[Event], T]]
"""Desk, time in milliseconds -> what happened, and the answer."""

_STATE_EVERY = 1000  # entries after which the whole state is written once more


def scope_of(name: str) -> str:
    """Return the ledger scope of a desk.

    Args:
        name: the desk's.

    Example:
        >>> scope_of("claims")
        'desk/claims'
    """
    return f"desk/{name}"


class Done(Generic[T]):
    """One request on its way into the ledger, and what became of it.

    Attributes:
        answer: what the desk answered; None when the request was settled before.
        entries: what was written for it, now or then.
    """

    __slots__ = ("answer", "ask", "entries", "error", "is_done", "request_id", "turn")

    def __init__(self, ask: Asks[T], request_id: str | None) -> None:
        """Keep what is asked."""
        self.ask = ask
        self.request_id = request_id
        self.answer: T | None = None
        self.entries: tuple[Entry, ...] = ()
        self.error: BaseException | None = None
        self.is_done = False
        self.turn = Lock()
        self.turn.acquire()


class DeskLog:
    """A desk in a ledger.

    Args:
        ledger: where it is kept.
        name: the desk's.
        clock: what time it is.

    Example:
        >>> from comity.ledger import open_ledger
        >>> from comity.runner.clock import RealClock
        >>> with open_ledger(":memory:") as ledger:
        ...     log = DeskLog(ledger, "claims", RealClock())
        ...     log.open(None, create=True)
        ...     log.ask(lambda desk, now_ms: ([], desk.books.made)).answer
        0
    """

    def __init__(self, ledger: Ledger, name: str, clock: Clock) -> None:
        """Know nothing yet."""
        self._ledger = ledger
        self._name = name
        self._scope = scope_of(name)
        self._clock = clock
        self._adding, self._settling = Lock(), Lock()
        self._is_settled_by_somebody = False
        self._queue: list[Done[object]] = []
        self._desk: Desk | None = None
        self._seq = self._stated = 0

    @property
    def desk(self) -> Desk:
        """The desk as it was when it was last asked.

        Raises:
            InvalidInput: when there is no such desk.
        """
        if self._desk is None:
            step = "open it, or look at the name"
            raise InvalidInput(Fault(f"desk {self._name!r}", "is not there", "a desk", step))
        return self._desk

    def open(self, rules: DeskRules | None, *, create: bool) -> None:
        """Join the desk, or make it.

        Args:
            rules: how it works; None for the rules it has, or the standard ones.
            create: whether it may be made.

        Raises:
            InvalidInput: for other rules than it has, and for a desk that is not there.
        """
        self.catch_up()
        if self._desk is None and create:
            self.change(rules or DeskRules(), request_id="open")
        has = desk_rules_to_json(self.desk.books.rules)
        if rules is not None and digest(desk_rules_to_json(rules)) != digest(has):
            allowed = f"no rules, or those it has: {shown(has)}"
            step = "leave them out, or give it new ones with `change`"
            what = "works by other rules than these"
            raise InvalidInput(Fault(f"desk {self._name!r}", what, allowed, step))

    def change(self, rules: DeskRules, *, request_id: str | None = None) -> None:
        """Give the desk these rules from now on.

        Args:
            rules: the rules.
            request_id: the same for every retry.
        """
        event = Event(OPENED, {"rules": desk_rules_to_json(rules)})
        self._ask(Done(lambda desk, _: ([desk.books.happen(event)], None), request_id))

    def catch_up(self) -> None:
        """Take in what others have written; nothing is locked and nothing written."""
        with self._settling:
            if self._desk is None:
                self._from_last_state()
            self._take_in(self._ledger.read(self._scope, after=self._seq, everything=True))

    def ask(self, ask: Asks[T], request_id: str | None = None) -> Done[T]:
        """Put one request to the desk; what it led to is on disk when this returns.

        Args:
            ask: desk, time -> what happened, and the answer; it runs under the ledger's lock.
            request_id: the same for every retry of one request, so that it counts once.

        Returns:
            What became of it.

        Raises:
            ComityError: what ``ask`` raised, or the ledger.
        """
        if self._desk is None:
            self.catch_up()
        assert self.desk is not None  # or it has just raised
        return self._ask(Done(ask, request_id))

    def _ask(self, job: Done[T]) -> Done[T]:
        """Queue a request; whoever finds nobody at work settles for all that queue.

        Who is done goes on at once; who has queued meanwhile hears when it is its turn to settle.
        """
        with self._adding:
            self._queue.append(job)  # type: ignore[arg-type]  # the answer goes back to who asked
            must_wait, self._is_settled_by_somebody = self._is_settled_by_somebody, True
        if must_wait:
            job.turn.acquire()
        if not job.is_done:
            self._settle_all(job)
        if job.error is not None:
            raise job.error
        return job

    def _settle_all(self, mine: Done[T]) -> None:
        """Settle for all that queue, then let the first of the next ones do so."""
        with self._settling:
            with self._adding:
                jobs, self._queue = self._queue, []
            try:
                self._settle(jobs)
            finally:
                with self._adding:
                    heirs = self._queue[:1]
                    self._is_settled_by_somebody = bool(heirs)
                for one in (*jobs, *heirs):
                    if one is not mine:
                        one.turn.release()

    def _settle(self, jobs: Sequence[Done[object]]) -> None:
        """Settle requests in one commit; each gets its answer or its error."""
        now_ms = self._clock.now_ms()
        asked = [
            Request(request_id=job.request_id, rule=lambda job=job: self._happen(job, now_ms))  # type: ignore[misc]  # mypy cannot type the default
            for job in jobs
        ]
        if self._seq - self._stated >= _STATE_EVERY:
            asked.append(Request(request_id=None, rule=self._state))
        try:
            settled = self._ledger.settle(
                self._scope, asked, after=self._seq, catch_up=self._take_in, now_ms=now_ms
            )
        except BaseException as error:
            self._desk = None
            self._seq = self._stated = 0
            for job in jobs:
                job.error, job.is_done = error, True
            if not isinstance(error, ComityError):
                raise
            return
        for job, one in zip(jobs, settled, strict=False):
            job.is_done = True
            if isinstance(one, Appended):
                job.entries = one.entries
            else:
                job.error = one
        written = [one for one in settled if isinstance(one, Appended) and not one.repeated]
        self._seq = max([self._seq, *(one.entries[-1].seq for one in written if one.entries)])

    def _happen(self, job: Done[object], now_ms: int) -> list[NewEntry]:
        desk = self._desk or Desk(DeskRules())
        events, job.answer = job.ask(desk, now_ms)
        self._desk = desk
        return [NewEntry(one.kind, one.body) for one in events]

    def _state(self) -> list[NewEntry]:
        self._stated = self._seq
        return [NewEntry(STATE, self.desk.books.to_json())]

    def _from_last_state(self) -> None:
        """Go on from the state that was written last, or from nothing."""
        self._seq = self._stated = 0
        found = self._ledger.find(STATE, scope=self._scope, limit=1)
        if found:
            self._take_in(found)
            self._stated = self._seq

    def _take_in(self, entries: Sequence[Entry]) -> None:
        for one in entries:
            if self._desk is None:
                self._desk = Desk(DeskRules())
            try:
                self._desk.books.apply(one.kind, one.body)
            except InvalidInput as error:
                where = f"desk {self._name!r}, entry {one.seq}"
                raise LedgerError(*(_at(where, fault) for fault in error.faults)) from error
            self._seq = one.seq


def _at(where: str, fault: Fault) -> Fault:
    return Fault(f"{where}: {fault.whose}", fault.what, fault.allowed, fault.next)


def name_of(scope: str) -> str | None:
    """Return the desk that a scope of the ledger holds, or None.

    Args:
        scope: the scope.

    Example:
        >>> name_of("desk/claims"), name_of("d_1f")
        ('claims', None)
    """
    return scope.removeprefix("desk/") if scope.startswith("desk/") else None
