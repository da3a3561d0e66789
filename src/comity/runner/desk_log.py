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
from typing import Any, Generic, TypeVar

from comity.core.canonical import JsonObject, digest
from comity.core.errors import ComityError, Fault, InvalidInput, LedgerError, shown
from comity.ledger import Ledger
from comity.ledger.entry import LONGEST_NAME, Entry, NewEntry, name_flaw
from comity.ledger.port import Appended, Request
from comity.mechanisms.arbitration.claims import principal_fault
from comity.protocols.claims import Desk, DeskRules, Event, desk_rules_to_json
from comity.protocols.claims.events import OPENED, STATE
from comity.runner.clock import Clock

__all__ = ["DeskLog", "Done", "desk_name_fault", "name_of", "scope_of"]

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


class Done(Generic[T]):
    """One request on its way into the ledger, and what became of it.

    Attributes:
        answer: what the desk answered; None when the request was settled before.
        entries: what was written for it, now or then.
    """

    __slots__ = ("answer", "ask", "entries", "error", "is_done", "is_next", "request_id", "turn")

    def __init__(self, ask: Asks[T], request_id: str | None) -> None:
        """Keep what is asked."""
        self.ask = ask
        self.request_id = request_id
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
        self._clock = clock
        self._seeds = seeds
        self._memory = _Memory(ledger, name)
        self._working = Lock()
        self._turns = _Turns(self._settle, self._working)

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
            self._turns.take(Done(lambda desk, _: (desk.change(opening), None), "open"))
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
        found, due_ms = self.see(lambda desk: (look(desk), desk.due_ms()))
        if due_ms is None or due_ms > self._clock.now_ms():
            return found
        self.ask(lambda desk, now_ms: (desk.advance(now_ms=now_ms, seed=self._seeds()), None))
        return self.see(look)

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
        flaw = None if request_id is None else name_flaw(request_id)
        if flaw is not None:  # here, lest it spoils what others ask in the same commit
            allowed = f"text of 1 to {LONGEST_NAME} characters without control characters"
            raise InvalidInput(Fault("request id", flaw, allowed, "correct it"))
        if self._memory.desk is None:
            self.see(lambda _: None)
        return self._turns.take(Done(ask, request_id))

    def _settle(self, jobs: Sequence[Done[object]]) -> None:
        """Settle requests in one commit; each gets its answer or its error."""
        memory = self._memory
        try:
            now_ms = self._clock.now_ms()
            asked = [
                Request(request_id=job.request_id, rule=lambda job=job: self._happen(job, now_ms))  # type: ignore[misc]  # mypy cannot type the default
                for job in jobs
            ]
            asked.append(Request(request_id=None, rule=self._state))
            settled = self._ledger.settle(
                memory.scope, asked, after=memory.seq, catch_up=memory.take_in, now_ms=now_ms
            )
        except BaseException as error:
            memory.forget()
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
        memory.note([entry for one in written for entry in one.entries])

    def _happen(self, job: Done[object], now_ms: int) -> list[NewEntry]:
        desk = self._memory.desk or Desk(DeskRules())
        before = desk.books.changes
        try:
            events, job.answer = job.ask(desk, now_ms)
            entries = [NewEntry(one.kind, one.body) for one in events]
        except ComityError as error:
            if desk.books.changes == before:
                raise
            what = "a request failed after it had changed the desk"  # nothing is written then
            raise AssertionError(what) from error
        self._memory.desk = desk
        return entries

    def _state(self) -> list[NewEntry]:
        """Return the whole state, when nobody has written it for long."""
        memory = self._memory
        if memory.seq - memory.stated < max(_STATE_EVERY, memory.size):
            return []
        return [NewEntry(STATE, memory.there().books.to_json())]


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
            step = "open it, or look at the name"
            raise InvalidInput(Fault(f"desk {self.name!r}", "is not there", "a desk", step))
        return self.desk

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
                with self._adding:
                    heirs = self._queue[:1]
                    self._is_somebody_at_work = bool(heirs)
                    for one in heirs:
                        one.is_next = True
                for one in (*jobs, *heirs):
                    if one is not mine:
                        one.turn.release()


def _size_of(state: JsonObject) -> int:
    """Return about how many things a state holds: as many entries later it is worth another."""
    books: Any = state
    return len(books["fates"]) + sum(len(one["agents"]) for one in books["state"]["scopes"])


def _at(where: str, fault: Fault) -> Fault:
    return Fault(f"{where}: {fault.whose}", fault.what, fault.allowed, fault.next)
