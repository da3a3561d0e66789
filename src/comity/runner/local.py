"""Local runner: one session at a time, in this process, on any ledger.

Here: the eight verbs (start, step, receive, send, sleep_until, publish, cancel, status) and the
loop over them; seats that wait run side by side in threads, the others are asked in turn.
Not here: runs over many workers (handed.py, driving.py, durable.py), agents, machines.
Sources: ENGINE 2; ARCHITECTURE contract 2 (record before you ask; a call in flight at a kill may
be repeated, at most once per kill, under the same request id).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from queue import SimpleQueue
from typing import Any, Literal

from comity.agents.base import Agent, Failure, Question, Reply
from comity.core.canonical import Json, JsonObject
from comity.core.errors import (
    Fault,
    InternalError,
    InvalidInput,
    LedgerError,
    SequenceConflict,
    shown,
)
from comity.core.parties import PartyId
from comity.core.results import Outcome
from comity.core.step import Ask, Input, InputKind, Step
from comity.ledger.entry import Entry, NewEntry
from comity.ledger.port import Appended, Ledger
from comity.runner.clock import Clock, RealClock
from comity.session.fold import advance, fold
from comity.session.record import (
    HEARD,
    INPUT,
    OPENED,
    PRIVATE,
    SEALED,
    UNDONE,
    Opening,
    entry_kind,
    input_body,
    input_from,
    inputs_of,
    seal_of,
)
from comity.session.registry import Machine, machine_of

__all__ = [
    "Event",
    "LocalRunner",
    "Session",
    "Status",
    "dispatched",
    "gone_on",
    "lacks_time",
    "standing_seals",
    "storable",
    "taken_up",
]

LONGEST_TEXT = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something listeners may show.

    Attributes:
        kind: ``opened``, ``asked``, ``heard``, ``rejected``, ``noted`` or ``sealed``.
        session: the session's id.
        party: whom it concerns, or None.
        body: details as JSON.
        step: the step after it, for listeners that draw the state.
    """

    kind: Literal["opened", "asked", "heard", "rejected", "noted", "sealed"]
    session: str
    party: PartyId | None = None
    body: JsonObject = field(default_factory=dict)
    step: Step[Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """Where a session stands.

    Attributes:
        session: its id.
        phase: ``"open"`` or ``"ended"``.
        waiting_for: the seats that are asked now, sorted.
        inputs: recorded inputs.
        outcome: how it ended, or None.
    """

    session: str
    phase: Literal["open", "ended"]
    waiting_for: tuple[PartyId, ...]
    inputs: int
    outcome: Outcome | None


@dataclass(slots=True)
class Session:
    """A session as this process holds it; the ledger holds the truth.

    Attributes:
        id: its scope in the ledger.
        opening: how it was opened.
        machine: the machine of its kind.
        last: the last step.
        head: hash of its last entry.
        seq: the place of that entry.
        inputs: recorded inputs.
        heard: recorded replies and failures per party.
        sealed: whether the outcome is recorded.
        undone: how often a person's decision was taken back.
        called: asks that this process has already passed on.
        arrived: replies that wait to be recorded.
    """

    id: str
    opening: Opening
    machine: Machine
    last: Step[Any]
    head: str
    seq: int = 0
    inputs: int = 0
    heard: dict[PartyId, int] = field(default_factory=dict)
    sealed: bool = False
    undone: int = 0
    called: set[str] = field(default_factory=set)
    arrived: SimpleQueue[Input] = field(default_factory=SimpleQueue)


class LocalRunner:
    """Drives sessions on one ledger.

    Args:
        ledger: where everything is recorded.
        clock: what time it is.
        listen: called with every event; must not decide anything.
        probe: called with the name of every point at which a process may die; for tests.
    """

    _drives = True  # whether who starts a session here goes on with it
    _also: tuple[NewEntry, ...] = ()  # what is recorded with the opening

    def __init__(
        self,
        ledger: Ledger,
        *,
        clock: Clock | None = None,
        listen: Callable[[Event], None] | None = None,
        probe: Callable[[str], None] | None = None,
    ) -> None:
        """Keep the ledger and the ports."""
        self._ledger = ledger
        self._clock = clock or RealClock()
        self._listen = listen or _ignore
        self._probe = probe or _ignore

    def start(
        self,
        session_id: str,
        opening: Opening,
        private: Mapping[PartyId, JsonObject] | None = None,
    ) -> Session:
        """Open a session: record the opening and each seat's private entry, then start.

        Args:
            session_id: its scope in the ledger; a new one.
            opening: kind, title, rules, agents.
            private: what only a seat's own agent may read, per seat.

        Returns:
            The session.

        Raises:
            InvalidInput: when the rules cannot be read; nothing is recorded then.
            SequenceConflict: when the id is taken.
        """
        machine = machine_of(opening.kind)
        first = machine.start(machine.read_rules(opening.rules))
        entries = [NewEntry(OPENED, opening.to_json())]
        for party, body in sorted((private or {}).items()):
            entries.append(NewEntry(PRIVATE, body, party=party))
        self._probe("before append opened")
        appended = self._ledger.append(
            session_id,
            [*entries, *self._also],
            expected_head="",
            request_id="open",
            now_ms=self._clock.now_ms(),
        )
        self._probe("after append opened")
        session = Session(session_id, opening, machine, first, "")
        _stands_at(session, appended.entries[-1])
        self.publish(session, Event(kind="opened", session=session_id, step=first))
        if self._drives and lacks_time(session):
            self.step(session, Input(kind="resumed", now_ms=self._clock.now_ms()))
        return session

    def resume(self, session_id: str) -> Session:
        """Take a session up again by folding its record.

        Args:
            session_id: its scope in the ledger.

        Returns:
            The session as it stood at its last recorded input.

        Raises:
            InvalidInput: when there is no such session.
        """
        session = taken_up(session_id, self._ledger.read(session_id, everything=True))
        if lacks_time(session):
            self.step(session, Input(kind="resumed", now_ms=self._clock.now_ms()))
        return session

    def step(self, session: Session, happened: Input) -> Step[Any]:
        """Record one input, then let the machine take it.

        Args:
            session: the session; changed in place.
            happened: the input.

        Returns:
            The machine's step.
        """
        number = session.inputs + 1
        self._probe(f"before append input {number}")
        entry = NewEntry(entry_kind(happened), input_body(happened))
        appended = _append(self._ledger, session, entry, f"input-{number}", happened.now_ms)
        self._probe(f"after append input {number}")
        _stands_at(session, appended.entries[-1])
        _take(session, happened)
        if self._listen is not _ignore:
            for event in _told(session, happened):
                self.publish(session, event)
        return session.last

    def send(self, session: Session, party: PartyId, text: str) -> Step[Any]:
        """Record a message that nobody asked for.

        Args:
            session: the session.
            party: whose channel it came through.
            text: the words.

        Returns:
            The machine's step.
        """
        return self.step(
            session,
            Input(
                kind="message",
                now_ms=self._clock.now_ms(),
                party=party,
                body={"text": storable(text)},
            ),
        )

    def cancel(self, session: Session) -> Step[Any]:
        """End a session; the record says that it was cancelled."""
        last = self.step(session, Input(kind="cancel", now_ms=self._clock.now_ms()))
        self._seal(session)
        return last

    def publish(self, session: Session, event: Event) -> None:
        """Pass an event to the listener."""
        del session
        self._listen(event)

    def sleep_until(self, at_ms: int) -> None:
        """Wait until a time."""
        self._clock.sleep_until(at_ms)

    def status(self, session: Session) -> Status:
        """Return where a session stands."""
        outcome = session.last.outcome
        return Status(
            session=session.id,
            phase="ended" if outcome is not None else "open",
            waiting_for=tuple(sorted({one.party for one in session.last.asks})),
            inputs=session.inputs,
            outcome=outcome,
        )

    def receive(self, session: Session, agents: Mapping[PartyId, Agent]) -> Input:
        """Return the next input: a reply, a failure, or the time the machine waits for.

        New asks are passed to their agents first. Agents that do not wait are asked one after
        the other, each reply recorded before the next ask; agents that wait run side by side.

        Args:
            session: the session.
            agents: who answers for each seat.

        Returns:
            The input, not yet recorded.
        """
        instant = dispatched(session, agents, self.publish, self._clock, self._probe)
        if instant is not None:
            return instant
        wake = session.last.wake_at_ms
        if not session.called:
            if wake is None:
                raise InternalError(
                    Fault(
                        f"session {session.id}",
                        "asks nobody and waits for nothing",
                        "an ask, a time or an outcome",
                        "report this",
                    )
                )
            self.sleep_until(wake)
            return Input(kind="timer", now_ms=max(wake, self._clock.now_ms()))
        said = self._clock.first_of(session.arrived, wake)
        if said is None:
            return Input(kind="timer", now_ms=max(wake or 0, self._clock.now_ms()))
        self._probe(f"after reply {said.ask_id}")
        return said

    def run(self, session: Session, agents: Mapping[PartyId, Agent]) -> Outcome:
        """Run a session to its end and seal the outcome.

        Args:
            session: the session.
            agents: who answers for each seat.

        Returns:
            The outcome.
        """
        while session.last.outcome is None:
            self.step(session, self.receive(session, agents))
        self._seal(session)
        return session.last.outcome

    def _seal(self, session: Session) -> None:
        outcome = session.last.outcome
        if session.sealed or outcome is None:
            return
        self._probe("before append sealed")
        entry = NewEntry(SEALED, {"outcome": outcome.to_json()})
        request_id = f"seal-{session.undone}" if session.undone else "seal"
        appended = _append(self._ledger, session, entry, request_id, self._clock.now_ms())
        self._probe("after append sealed")
        _stands_at(session, appended.entries[-1])
        session.sealed = True
        self.publish(session, Event(kind="sealed", session=session.id, step=session.last))


def dispatched(
    session: Session,
    agents: Mapping[PartyId, Agent],
    publish: Callable[[Session, Event], None],
    clock: Clock,
    probe: Callable[[str], None],
) -> Input | None:
    """Pass new asks to their agents.

    Args:
        session: the session; what it has called is noted in it.
        agents: who answers for each seat.
        publish: told of every ask that is passed on.
        clock: what time it is; calls that wait run beside the caller.
        probe: called with the name of every point at which a process may die.

    Returns:
        What an agent that does not wait said; no more asks are passed on then. Else None.
    """
    session.called &= {one.id for one in session.last.asks}
    for one in session.last.asks:
        agent = agents.get(one.party)
        if agent is None or one.id in session.called:
            continue  # one that nobody here can ask is answered through the record
        nth = session.heard.get(one.party, 0)
        question = Question(ask=one, request_id=f"{session.id}/{one.id}", nth=nth)
        body = {"id": one.id, "kind": one.kind}
        publish(session, Event(kind="asked", session=session.id, party=one.party, body=body))
        probe(f"before ask {one.id}")
        if not agent.waits:
            said = _call(agent, question, clock)
            probe(f"after reply {one.id}")
            return said
        session.called.add(one.id)
        clock.aside(partial(_answer, session, agent, question, clock))
    return None


def taken_up(session_id: str, entries: Sequence[Entry]) -> Session:
    """Return a session as its record says it stands; nothing is recorded.

    Args:
        session_id: its scope in the ledger.
        entries: all its entries, in order.

    Raises:
        InvalidInput: when they do not begin with an opening, or cannot be read.
    """
    if not entries or entries[0].kind != OPENED:
        raise InvalidInput(
            Fault(
                f"session {session_id!r}",
                "is not in this ledger",
                "an id that `comity ledger` lists",
                "check the id and --db",
            )
        )
    opening = Opening.read(entries[0].body)
    machine = machine_of(opening.kind)
    lines = [(one.kind, one.body) for one in entries if one.party is None]
    inputs = inputs_of(lines)
    session = Session(
        session_id,
        opening,
        machine,
        fold(machine, machine.read_rules(opening.rules), inputs),
        entries[-1].hash,
        entries[-1].seq,
    )
    session.inputs = len(inputs)
    session.sealed = seal_of(lines) is not None
    session.undone = sum(kind == UNDONE for kind, _ in lines)
    for happened in inputs:
        _count(session, happened)
    return session


def gone_on(session: Session, newer: Sequence[Entry]) -> None:
    """Take in what others recorded behind what this process knows.

    Args:
        session: the session; changed in place.
        newer: the entries behind its head, in order.
    """
    for one in newer:
        if one.party is None and one.kind in HEARD:
            _take(session, input_from(one.body))
        elif one.party is None and one.kind == SEALED:
            session.sealed = True
        _stands_at(session, one)


def lacks_time(session: Session) -> bool:
    """Tell whether the machine has to hear what time it is when a process takes a session up.

    It has no clock: times that its first step names count from 0, and time is lost between two
    processes.

    Args:
        session: the session as its record says it stands.
    """
    step = session.last
    return step.outcome is None and (session.inputs > 0 or step.wake_at_ms is not None)


def storable(text: str) -> str:
    """Return words as every ledger can hold them: no NUL, no half characters, not endless.

    Args:
        text: the words.
    """
    clean = text.replace("\x00", "\N{REPLACEMENT CHARACTER}")
    clean = clean.encode("utf-8", "replace").decode("utf-8")
    if len(clean) <= LONGEST_TEXT:
        return clean
    half = LONGEST_TEXT // 2
    return f"{clean[:half]}\n[... {len(clean) - LONGEST_TEXT} characters cut ...]\n{clean[-half:]}"


def standing_seals(ledger: Ledger) -> dict[str, Entry]:
    """Return the seal that stands of every session of a ledger that has ended, by its id.

    Args:
        ledger: the ledger.

    Returns:
        The first seal since the opening, or since a decision was taken back.
    """
    undone: dict[str, int] = {}
    for one in ledger.find(UNDONE):
        undone[one.scope] = max(one.seq, undone.get(one.scope, 0))
    found: dict[str, Entry] = {}
    for one in ledger.find(SEALED):
        held = found.get(one.scope)
        if one.seq > undone.get(one.scope, 0) and (held is None or one.seq < held.seq):
            found[one.scope] = one
    return found


def _ignore(_: object) -> None:
    """Nobody listens."""


def _stands_at(session: Session, entry: Entry) -> None:
    session.head, session.seq = entry.hash, entry.seq


def _take(session: Session, happened: Input) -> None:
    """Let the machine take an input that is recorded."""
    session.inputs += 1
    _count(session, happened)
    session.last = advance(session.machine, session.last, happened)
    if happened.kind == "undo":
        session.undone += 1
        session.sealed = False


def _count(session: Session, happened: Input) -> None:
    if happened.party is not None and happened.kind in {"reply", "failure"}:
        session.heard[happened.party] = session.heard.get(happened.party, 0) + 1


def _told(session: Session, happened: Input) -> Iterator[Event]:
    """Yield what listeners may show after an input."""
    event = partial(Event, session=session.id, step=session.last)
    yield event(kind="heard", party=happened.party, body=input_body(happened))
    for one in session.last.rejected:
        yield event(
            kind="rejected", party=one.party, body={"reason": one.reason, "hint": one.hint}
        )
    for note in session.last.notes:
        yield event(kind="noted", body={"note": note})


def _answer(session: Session, agent: Agent, question: Question, clock: Clock) -> None:
    session.arrived.put(_call(agent, question, clock))


def _call(agent: Agent, question: Question, clock: Clock) -> Input:
    ask: Ask = question.ask
    kind: InputKind
    try:
        kind, body = _heard(agent.reply(question))
    except (Exception, SystemExit) as error:  # noqa: BLE001  # a broken seat breaks no session
        said = Failure(kind="crashed", detail=f"{type(error).__name__}: {error}")
        kind, body = _heard(said)
    return Input(kind=kind, now_ms=clock.now_ms(), party=ask.party, ask_id=ask.id, body=body)


def _heard(said: Reply | Failure) -> tuple[Literal["reply", "failure"], JsonObject]:
    """Return what an agent said as it is recorded."""
    if isinstance(said, Failure):
        return "failure", {"reason": str(said.kind), "detail": storable(said.detail)}
    body: dict[str, Json] = {"text": storable(said.text)}
    if said.usage:
        try:
            body["usage"] = NewEntry(INPUT, said.usage).body
        except InvalidInput:  # a reply is not lost for the sake of its bill
            body["usage"] = {"unreadable": storable(shown(said.usage))}
    if said.call:
        with suppress(InvalidInput):  # what cannot be recorded counts for nothing
            body["vote"] = NewEntry(INPUT, said.call).body
    return "reply", body


def _append(
    ledger: Ledger, session: Session, entry: NewEntry, request_id: str, now_ms: int
) -> Appended:
    """Append behind what this process knows; say so when another one was faster."""
    try:
        appended = ledger.append(
            session.id,
            [entry],
            expected_head=session.head,
            request_id=request_id,
            now_ms=now_ms,
        )
    except LedgerError as error:
        entries = ledger.read(session.id, everything=True)
        if entries and entries[-1].hash == session.head:
            raise
        raise SequenceConflict(_overtaken(session)) from error
    if appended.repeated:  # somebody else recorded the very same, or an earlier try did
        raise SequenceConflict(_overtaken(session))
    return appended


def _overtaken(session: Session) -> Fault:
    return Fault(
        f"session {session.id}",
        "is being driven by another process, which went on first",
        "one process at a time",
        f"wait for it; `comity why {session.id}` tells how it ended",
    )
