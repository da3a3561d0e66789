"""Desk log: how is a desk kept in the ledger, and caught up, by many at once?

Here: opening a desk or joining it, requests settled under the ledger's lock, one commit for all
requests that queue, the state written once more now and then.
Not here: what a request leads to (protocols/claims), the requests by name (arbiter.py).
Sources: SEMANTICS R1, K1, K3; ENGINE 8; Hagmann 1987 (group commit).

State is the fold of the ledger's entries, kept in memory and caught up under the ledger's lock.
When a commit fails, the memory is thrown away and read anew. Before the requests of a commit what
is due by then happens, on the desk's own time; an entry keeps the time of the machine that wrote
it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from shlex import quote
from threading import Lock
from typing import Any, Generic, TypeVar

from comity.core.canonical import JsonObject, canonical, digest
from comity.core.errors import (
    ClaimNotGranted,
    ComityError,
    Fault,
    InvalidInput,
    LedgerError,
    did_you_mean,
    shown,
)
from comity.ledger import Ledger
from comity.ledger.entry import LONGEST_NAME, Entry, NewEntry, name_flaw
from comity.ledger.port import Appended, Request
from comity.mechanisms.arbitration.claims import principal_fault
from comity.protocols.claims import Desk, DeskRules, Event, desk_rules_to_json, kept_for
from comity.protocols.claims.events import OPENED, STATE
from comity.runner.clock import Clock
from comity.runner.desk_time import DeskTime

__all__ = ["DeskLog", "Done", "desk_name_fault", "desks", "name_of", "scope_of"]

T = TypeVar("T")

Asks = Callable[[Desk, int], tuple[Sequence[Event], T]]
"""Desk, time in milliseconds -> what happened, and the answer."""

_STATE_EVERY = 1000  # entries after which the whole state is written once more, at the soonest


def scope_of(name: str) -> str:
    """Return the ledger scope of a desk.

    Args:
        name: the desk's.

    Example:
        >>> scope_of("claims")
        'desk/claims'
    """
    return f"desk/{name}"


def name_of(scope: str) -> str | None:
    """Return the desk that a scope of the ledger holds, or None.

    Args:
        scope: the scope.

    Example:
        >>> name_of("desk/claims"), name_of("d_1f")
        ('claims', None)
    """
    return scope.removeprefix("desk/") if scope.startswith("desk/") else None


def desk_name_fault(name: object) -> Fault | None:
    """Return the fault of a name that no desk can have, or None.

    Args:
        name: the name.

    Example:
        >>> desk_name_fault("claims") is None, desk_name_fault("x" * 200) is None
        (True, False)
    """
    fault = principal_fault(name, "desk")
    longest = LONGEST_NAME - len(scope_of(""))
    if fault is None and len(str(name)) > longest:
        what = f"has {len(str(name))} characters"
        fault = Fault(f"desk {shown(name)}", what, f"at most {longest}", "shorten it")
    return fault


def desks(ledger: Ledger) -> tuple[str, ...]:
    """Return the names of a ledger's desks, sorted.

    Args:
        ledger: the ledger.
    """
    names = (name_of(head.scope) for head in ledger.heads())
    return tuple(sorted(name for name in names if name is not None))


class Done(Generic[T]):
    """One request on its way into the ledger, and what became of it.

    Attributes:
        answer: what the desk answered; None when the request was settled before.
        entries: what was written for it, now or then.
    """

    __slots__ = (
        "answer",
        "ask",
        "entries",
        "error",
        "is_done",
        "is_next",
        "request_id",
        "turn",
        "words",
    )

    def __init__(self, ask: Asks[T], request_id: str | None, words: str = "") -> None:
        """Keep what is asked."""
        self.ask = ask
        self.request_id = request_id
        self.words = words
        self.answer: T | None = None
        self.entries: tuple[Entry, ...] = ()
        self.error: BaseException | None = None
        self.is_done = self.is_next = False
        self.turn = Lock()
        self.turn.acquire()


class DeskLog:
    """A desk in a ledger.

    Args:
        ledger: where it is kept.
        name: the desk's.
        clock: what time it is.
        seeds: where the seeds of lots come from.

    Attributes are for reading: ``time`` (of the desk, by that clock).

    Example:
        >>> from comity.ledger import open_ledger
        >>> from comity.runner.clock import RealClock
        >>> with open_ledger(":memory:") as ledger:
        ...     log = DeskLog(ledger, "claims", RealClock(), lambda: "7")
        ...     log.open(None, create=True)
        ...     log.ask(lambda desk, now_ms: ([], desk.books.made)).answer
        0
    """

    def __init__(self, ledger: Ledger, name: str, clock: Clock, seeds: Callable[[], str]) -> None:
        """Know nothing yet."""
        self._ledger = ledger
        self._memory = _Memory(ledger, name)
        self._working = Lock()
        self._turns = _Turns(self._settle, self._working)
        self.time = DeskTime(clock, seeds)
        self._made: list[tuple[Done[object] | None, list[NewEntry]]] = []

    def open(self, rules: DeskRules | None, *, create: bool) -> None:
        """Join the desk, or make it.

        Args:
            rules: how it works; None for the rules it has, or the standard ones.
            create: whether it may be made.

        Raises:
            InvalidInput: for other rules than it has, and for a desk that is not there.
        """
        with self._working:
            self._memory.catch_up()
        if self._memory.desk is None and create:
            opening = rules or DeskRules()
            self._turns.take(
                Done(lambda desk, now: (_opened(desk, opening, self.time.name, now), None), "open")
            )
        has = self.see(lambda desk: desk_rules_to_json(desk.books.rules))
        if rules is not None and digest(desk_rules_to_json(rules)) != digest(has):
            allowed = f"no rules, or those it has: {shown(has)}"
            step = "leave them out, or give it new ones with `change`"
            what = "works by other rules than these"
            raise InvalidInput(Fault(f"desk {self._memory.name!r}", what, allowed, step))

    def see(self, look: Callable[[Desk], T]) -> T:
        """Take in what others have written, and look at the desk while nobody changes it.

        Args:
            look: desk -> what is asked for; it changes nothing.

        Returns:
            What it returned.

        Raises:
            InvalidInput: when there is no such desk.
        """
        with self._working:
            self._memory.catch_up()
            return look(self._memory.there())

    def see_now(self, look: Callable[[Desk], T]) -> T:
        """Let happen what is due by now, and look at the desk while nobody changes it.

        Args:
            look: as for :meth:`see`.
        """
        found, is_due = self.see(lambda desk: (look(desk), self.time.is_due(desk)))
        if not is_due:
            return found
        self.ask(lambda _, __: ([], None))
        return self.see(look)

    def ask(self, ask: Asks[T], request_id: str | None = None, words: str = "") -> Done[T]:
        """Put one request to the desk; what it led to is on disk when this returns.

        Args:
            ask: desk, time -> what happened, and the answer; it runs under the ledger's lock.
            request_id: the same for every retry of one request, so that it counts once.
            words: what tells the request from others, where it has an id.

        Returns:
            What became of it.

        Raises:
            ComityError: what ``ask`` raised, or the ledger.
        """
        flaw = None if request_id is None else name_flaw(request_id)
        if flaw is not None:  # here, lest it spoils what others ask in the same commit
            allowed = f"text of 1 to {LONGEST_NAME} characters without control characters"
            raise InvalidInput(Fault("request id", flaw, allowed, "correct it"))
        if self._memory.desk is None:
            self.see(lambda _: None)
        return self._turns.take(Done(ask, request_id, words))

    def _settle(self, jobs: Sequence[Done[object]]) -> None:
        """Settle requests in one commit; each gets its answer or its error."""
        memory = self._memory
        before = memory.seq
        self._made = []
        try:
            now_ms = self.time.read()
            asked = [Request(request_id=None, rule=self._arrive)]
            asked += [
                Request(request_id=job.request_id, rule=lambda job=job: self._happen(job))  # type: ignore[misc]  # mypy cannot type the default
                for job in jobs
            ]
            if memory.wants_state():
                asked.append(Request(request_id=None, rule=self._state))
            settled = self._ledger.settle(
                memory.scope, asked, after=before, catch_up=memory.take_in, now_ms=now_ms
            )
        except Exception as error:
            memory.forget()
            for job in jobs:
                job.error, job.is_done = error, True
            if not isinstance(error, ComityError):
                raise
            return
        except BaseException:  # Ctrl-C: one caller stops, the others are none the wiser
            memory.forget()
            _find(self._made, self._ledger.read(memory.scope, after=before, everything=True))
            raise
        for job, one in zip(jobs, settled[1:], strict=False):
            job.is_done = True
            if isinstance(one, Appended):
                job.entries = one.entries
            else:
                job.error = one
        written = [one for one in settled if isinstance(one, Appended) and not one.repeated]
        memory.note([entry for one in written for entry in one.entries])

    def _arrive(self) -> list[NewEntry]:
        """Let happen what is due, before anything else does."""
        events = self.time.arrive(self._memory.desk)
        entries = [NewEntry(one.kind, one.body) for one in events]
        self._made.append((None, entries))
        return entries

    def _happen(self, job: Done[object]) -> list[NewEntry]:
        desk = self._memory.desk or Desk(DeskRules())
        before = desk.books.changes
        try:
            events = self._asked(job, desk, before)
            entries = [NewEntry(one.kind, one.body) for one in events]
        except ComityError as error:
            if desk.books.changes == before:
                raise
            what = "a request failed after it had changed the desk"  # nothing is written then
            raise AssertionError(what) from error
        self._memory.desk = desk
        self._made.append((job, entries))
        return entries

    def _asked(self, job: Done[object], desk: Desk, before: int) -> Sequence[Event]:
        """Return what a request leads to; one with an id leads to something in any case."""
        events: Sequence[Event] = ()
        job.error = None
        try:
            events, job.answer = job.ask(desk, self.time.at_ms)
        except ClaimNotGranted as refused:
            if job.request_id is None or desk.books.changes != before:
                raise
            job.error = refused
        if job.request_id is None or not job.words:
            return events
        return kept_for(events, job.words, job.answer, job.error)

    def _state(self) -> list[NewEntry]:
        """Return the whole state, unless another has just written it."""
        memory = self._memory
        if not memory.wants_state():
            return []
        return [NewEntry(STATE, memory.there().books.to_json())]  # last: nothing hangs on it


class _Memory:
    """A desk as the entries of its scope have led to it, and how far they have been read."""

    def __init__(self, ledger: Ledger, name: str) -> None:
        self.name, self.scope = name, scope_of(name)
        self.desk: Desk | None = None
        self.seq = self.stated = self.size = 0
        self._ledger = ledger

    def there(self) -> Desk:
        """Return the desk, or raise: there is none."""
        if self.desk is None:
            there = desks(self._ledger)
            allowed = ", ".join(there) or "none is there yet"
            near = did_you_mean(self.name, there)
            step = f"{near}; or open it: comity arbiter --desk {quote(self.name)} --rule losses"
            raise InvalidInput(Fault(f"desk {self.name!r}", "is not there", allowed, step))
        return self.desk

    def wants_state(self) -> bool:
        """Tell whether nobody has written the whole state for long."""
        return self.seq - self.stated >= max(_STATE_EVERY, self.size)

    def forget(self) -> None:
        """Throw everything away; it is read anew when it is next needed."""
        self.desk = None
        self.seq = self.stated = self.size = 0

    def catch_up(self) -> None:
        """Take in what others have written; from the state that was written last, at first."""
        try:
            if self.desk is None:
                self.take_in(self._ledger.find(STATE, scope=self.scope, limit=1))
            self.take_in(self._ledger.read(self.scope, after=self.seq, everything=True))
        except BaseException:
            self.forget()
            raise

    def take_in(self, entries: Sequence[Entry]) -> None:
        """Take in entries that follow those that are known."""
        for one in entries:
            if self.desk is None and one.kind not in {OPENED, STATE}:
                what = f"has no place here: entry {one.seq} of its scope is {shown(one.kind)}"
                allowed = "a scope of the ledger for each desk"
                step = "give the desk another name"
                raise InvalidInput(Fault(f"desk {self.name!r}", what, allowed, step))
            desk = self.desk or Desk(DeskRules())
            try:
                desk.books.apply(one.kind, one.body)
            except InvalidInput as error:
                where = f"desk {self.name!r}, entry {one.seq}"
                raise LedgerError(_at(where, fault) for fault in error.faults) from error
            self.desk = desk
            self.note([one])

    def note(self, entries: Sequence[Entry]) -> None:
        """Note how far the entries are known; what they say is taken in already."""
        for one in entries:
            self.seq = one.seq
            if one.kind == STATE:
                self.stated, self.size = one.seq, _size_of(one.body)


class _Turns:
    """Whoever finds nobody at work settles for all that queue, one after the other.

    Who is done goes on at once; of those who queued meanwhile the first hears that it is next.

    Args:
        settle: settles requests in one commit.
        working: held while it does.
    """

    def __init__(self, settle: Callable[[Sequence[Done[object]]], None], working: Lock) -> None:
        self._settle = settle
        self._working = working
        self._adding = Lock()
        self._is_somebody_at_work = False
        self._queue: list[Done[object]] = []

    def take(self, job: Done[T]) -> Done[T]:
        """Queue a request and return it when it is settled.

        Raises:
            ComityError: what became of it.
        """
        with self._adding:
            self._queue.append(job)  # type: ignore[arg-type]  # the answer goes back to who asked
            must_wait, self._is_somebody_at_work = self._is_somebody_at_work, True
        if must_wait:
            self._wait(job)
        if not job.is_done:
            self._settle_all(job)
        if job.error is not None:
            raise job.error
        return job

    def _wait(self, job: Done[T]) -> None:
        """Wait until a request is done or next; who is interrupted keeps nobody waiting."""
        try:
            job.turn.acquire()
        except BaseException:
            with self._adding:
                is_next = job.is_next
                self._queue = [one for one in self._queue if is_next or one is not job]
            if is_next:
                self._settle_all(job)
            raise

    def _settle_all(self, mine: Done[T]) -> None:
        """Settle for all that queue, then let the first of the next ones do so."""
        with self._working:
            with self._adding:
                jobs, self._queue = self._queue, []
            try:
                self._settle(jobs)
            finally:
                left = [one for one in jobs if not one.is_done and one is not mine]
                with self._adding:  # those left are settled by one of them
                    self._queue = left + self._queue
                    heirs = self._queue[:1]
                    self._is_somebody_at_work = bool(heirs)
                    for one in heirs:
                        one.is_next = True
                for one in (*(job for job in jobs if job.is_done), *heirs):
                    if one is not mine:
                        one.turn.release()


def _opened(desk: Desk, rules: DeskRules, clock: str, now_ms: int) -> list[Event]:
    """Open a desk; the clock that is known first is that of who opens it."""
    body: JsonObject = {"rules": desk_rules_to_json(rules), "clock": clock, "at_ms": now_ms}
    return [desk.books.happen(Event(OPENED, body))]


def _find(
    made: Sequence[tuple[Done[object] | None, list[NewEntry]]], there: Sequence[Entry]
) -> None:
    """Look which requests were written by a commit that was interrupted; they are done.

    Args:
        made: what was to be written for each, in order.
        there: what has been written since.
    """
    texts = [one.text for _, entries in made for one in entries]
    kept = [canonical(one.body) for one in there]
    starts = range(len(kept) - len(texts) + 1) if texts else range(0)
    start = next((at for at in starts if kept[at : at + len(texts)] == texts), None)
    if start is None:
        return
    for job, entries in made:
        if job is not None:
            job.entries, job.is_done = tuple(there[start : start + len(entries)]), True
        start += len(entries)


def _size_of(state: JsonObject) -> int:
    """Return about how many things a state holds: as many entries later it is worth another."""
    books: Any = state
    return len(books["fates"]) + sum(len(one["agents"]) for one in books["state"]["scopes"])


def _at(where: str, fault: Fault) -> Fault:
    return Fault(f"{where}: {fault.whose}", fault.what, fault.allowed, fault.next)
