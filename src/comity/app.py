"""Use cases: what every door can ask for.

Here: opening and running decisions, resuming, reading, replaying and verifying them; what a person
says to a case that waits.
Not here: arguments and output (cli/), rules (mechanisms/, protocols/), storage (ledger/).
Sources: ARCHITECTURE floor 8; SEMANTICS K1-K4, C6.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from comity.agents.base import Agent
from comity.agents.limits import Limits, guards_of, read_budget
from comity.agents.lineup import Prompt, agents_of, transcript_order
from comity.agents.seating import (
    AUTO,
    KINDS_OF_SEAT,
    OWN,
    auto_spec,
    person_seats,
    seat_names,
)
from comity.core.canonical import Json, JsonObject
from comity.core.errors import Fault, InvalidInput, raise_if
from comity.core.parties import PartyId
from comity.core.results import Outcome, Waiting, result_from_json
from comity.core.step import Input
from comity.formats.scenario import Scenario
from comity.ledger import Ledger, migrate_ledger, open_ledger, without_password
from comity.ledger.entry import Entry
from comity.ledger.export import csv_lines, json_lines
from comity.ledger.verify import Report, verify
from comity.protocols.consent.document import consensus_document, footer
from comity.protocols.consent.results import ConsentAgreement, ConsentNoDeal
from comity.runner.clock import Clock, RealClock
from comity.runner.document import document_path, write_document
from comity.runner.driven import DRIVEN
from comity.runner.local import Event, LocalRunner, Session, standing_seals
from comity.runner.opening import elsewhere, opening_of
from comity.session.fold import Replay, replay, waiting_of
from comity.session.record import HEARD, OPENED, PRIVATE, Opening, seal_of
from comity.session.registry import machine_of

if TYPE_CHECKING:
    from comity.runner.crew import Workers
    from comity.watch.cases import Deed, Inbox, Standing
    from comity.watch.deciding import Deciding, Word

__all__ = [
    "AUTO",
    "KINDS_OF_SEAT",
    "App",
    "Decided",
    "Event",
    "Limits",
    "Listed",
    "Records",
    "auto_spec",
    "migrate",
    "new_seed",
    "read_budget",
    "seat_names",
    "transcript_order",
    "without_password",
    "write_document",
]

LEAST_BEGINNING = 4
"""The fewest characters that may stand for an id: an empty variable of a script names nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """A session that ended.

    Attributes:
        session: its id.
        opening: how it was opened.
        outcome: how it ended.
        document: the consensus document, or "".
        written: where the document was written, or "".
        footer: the last lines for a consent session, or "".
        calls: how many messages were recorded.
    """

    session: str
    opening: Opening
    outcome: Outcome
    document: str = ""
    written: str = ""
    footer: str = ""
    calls: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A session in the list.

    Attributes:
        session: its id.
        kind: its kind.
        title: what it is about.
        at_ms: when it was opened.
        result: the kind of its result, or ``"open"``.
        says: its result in one sentence, or "".
        ended_by: what ended it: ``person`` when somebody decided it by hand; "" while it is open.
    """

    session: str
    kind: str
    title: str
    at_ms: int
    result: str
    says: str
    ended_by: str = ""

    def to_json(self) -> JsonObject:
        """Return all fields."""
        return {one.name: getattr(self, one.name) for one in fields(self)}


def migrate(db: str) -> tuple[int, int]:
    """Bring a ledger to the schema of this version: what PostgreSQL waits for (ENGINE 7).

    Args:
        db: the ledger's path or URL.

    Returns:
        The number of its schema before and now.
    """
    return migrate_ledger(db)


def new_seed() -> str:
    """Return 128 random bits in hex, drawn after the inputs are closed (SEMANTICS G4)."""
    return secrets.token_hex(16)


class Records:
    """What can be read from one ledger.

    Args:
        db: the ledger's path or URL.
        listen: called with every event of a running session.
        clock: what time it is.
        create: whether the ledger may be made.
        limits: what calls of programs and models are held to; recorded with what is opened.
    """

    def __init__(
        self,
        db: str,
        *,
        listen: Callable[[Event], None] | None = None,
        clock: Clock | None = None,
        create: bool = True,
        limits: Limits | None = None,
    ) -> None:
        """Keep the place; the ledger is opened when it is first needed."""
        self._db = db
        self._create = create
        self._listen = listen
        self._clock = clock or RealClock()
        self._limits = limits or Limits()

    @cached_property
    def ledger(self) -> Ledger:
        """The ledger; opened when first needed, so that a faulty scenario makes no file."""
        return open_ledger(self._db, create=self._create)

    def close(self) -> None:
        """Close the ledger if it was opened."""
        if "ledger" in self.__dict__:
            self.ledger.close()

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Close the ledger."""
        self.close()

    def full_id(self, given: str) -> str:
        """Return the id of the one session that ``given`` names, in full or by its beginning.

        Raises:
            InvalidInput: when no session or more than one begins like this.
        """
        known = [head.scope for head in self.ledger.heads()]
        is_long_enough = len(given) >= LEAST_BEGINNING
        begin_so = [one for one in known if is_long_enough and one.startswith(given)]
        found = [given] if given in known else begin_so
        if len(found) == 1:
            return found[0]
        what = "names no session" if not found else f"names {len(found)} sessions"
        raise InvalidInput(
            Fault(
                f"session {given!r}",
                f"{what} of this ledger",
                f"an id, or its first {LEAST_BEGINNING} or more characters",
                "look at `comity ledger`",
            )
        )

    def sessions(self, *, limit: int | None = None) -> tuple[Listed, ...]:
        """Return the sessions, newest first."""
        seals = standing_seals(self.ledger)
        return tuple(
            _listed(one, seals.get(one.scope)) for one in self.ledger.find(OPENED, limit=limit)
        )

    def entries(self, session_id: str) -> tuple[Entry, ...]:
        """Return the public entries of a session."""
        return self.ledger.read(self.full_id(session_id))

    def outcome(self, session_id: str) -> Outcome | None:
        """Return the sealed outcome of a session, or None while it is open."""
        entries = self.entries(session_id)
        seal = seal_of((one.kind, one.body) for one in entries)
        if seal is None:
            return None
        machine_of(Opening.read(entries[0].body).kind)  # its results register themselves
        return result_from_json(seal["outcome"])

    def messages(self, session_id: str) -> tuple[Json, ...]:
        """Return the recorded inputs of a session, in order."""
        return tuple(one.body for one in self.entries(session_id) if one.kind in HEARD)

    def replay(self, session_id: str) -> Replay:
        """Recompute a session from its recorded inputs (SEMANTICS K2)."""
        return replay((one.kind, one.body) for one in self.entries(session_id))

    def verify(self, *, head: str | None = None) -> Report:
        """Check every stored byte of the ledger (SEMANTICS K1).

        Args:
            head: the hash of an anchor that was kept elsewhere.
        """
        return verify(self.ledger, head=head)

    def export(self, form: str, session_id: str | None = None) -> Iterator[str]:
        """Yield the public entries of one session, or of all and then of all desks.

        Args:
            form: ``"json"`` (one entry a line) or ``"csv"``.
            session_id: the session or the scope of a desk, or None for all, oldest session first.

        Yields:
            Lines with their line feed.
        """
        if session_id is None:
            opened = self.ledger.find(OPENED, newest_first=False)
            heads = (head.scope for head in self.ledger.heads())
            scopes = list(dict.fromkeys((*(one.scope for one in opened), *heads)))
        else:
            scopes = [self.full_id(session_id)]
        entries = (one for scope in scopes for one in self.ledger.read(scope))
        yield from csv_lines(entries) if form == "csv" else json_lines(entries)


class App(Records):
    """The use cases over one ledger; what it takes and what can be read stands at Records."""

    def decide(
        self,
        scenario: Scenario,
        seats: Mapping[PartyId, str],
        *,
        folder: Path,
        prompt: Prompt | None = None,
        allow_outside: bool = False,
        agents: Mapping[PartyId, Agent] | None = None,
    ) -> Decided:
        """Open a scenario, run it to its end and seal it.

        Args:
            scenario: what is to be decided.
            seats: seat -> how it is seated; wins over the scenario's own.
            folder: where relative paths start.
            prompt: asks a person at a terminal.
            allow_outside: whether the document may be written outside ``folder``.
            agents: agents of the caller's own per seat; they are recorded as ``"own"``.

        Returns:
            The decision.

        Raises:
            InvalidInput: with every fault, before anything is recorded.
        """
        own = dict(agents or {})
        opening, private = opening_of(
            scenario,
            {**seats, **dict.fromkeys(own, OWN)},
            folder=folder,
            limits=self._limits.to_json(),
            allow_outside=allow_outside,
        )
        guards = guards_of(opening, self._clock)
        seated = agents_of(opening, private, prompt, without=tuple(own), guards=guards) | own
        runner = LocalRunner(self.ledger, clock=self._clock, listen=self._listen)
        session = runner.start(f"d_{secrets.token_hex(6)}", opening, private)
        return _finish(runner, session, seated, folder, self._clock, allow_outside=allow_outside)

    def resume(
        self,
        session_id: str,
        *,
        folder: Path,
        prompt: Prompt | None = None,
        allow_outside: bool = False,
        agents: Mapping[PartyId, Agent] | None = None,
        decides: str = "",
    ) -> Decided:
        """Take up a session that a process left, and run it to its end.

        Args:
            session_id: the session.
            folder: where the document's path starts.
            prompt: asks a person at a terminal.
            allow_outside: whether the document may be written outside ``folder``.
            agents: agents of the caller's own, for the seats that are recorded as ``"own"``.
            decides: what the person behind the decision says to a case that waits.

        Returns:
            The decision; for a session that had ended already, its recorded outcome; one that
            waits for a person who is not there stays open.
        """
        runner = LocalRunner(self.ledger, clock=self._clock, listen=self._listen)
        name = self.full_id(session_id)
        if self.ledger.find(DRIVEN, scope=name, limit=1):
            self.workers.take(name)
        session = runner.resume(name)
        if not session.sealed:
            raise_if(elsewhere(session.opening, folder))
        seated = {} if session.sealed else self._seated(session, prompt, agents or {})
        if decides and not session.sealed:
            _decide(runner, session, decides, self._clock)
        return _finish(runner, session, seated, folder, self._clock, allow_outside=allow_outside)

    # --- what waits for a person -------------------------------------------------------------

    def cases(self, *, thin_ms: int = 0) -> Inbox:
        """Return what waits for a person and what people decided; nothing is recorded (G8).

        Args:
            thin_ms: how old a thin result may be to be listed; 0 lists none.
        """
        found: Inbox = _watch("cases").inbox_of(
            self.ledger, now_ms=self._clock.now_ms(), thin_ms=thin_ms
        )
        return found

    def story(self, session_id: str) -> tuple[Deed, ...]:
        """Return what people decided in a session and took back, in order."""
        name = self.full_id(session_id)
        found: Standing = _watch("cases").standing_of(
            name, self.ledger.read(name), now_ms=self._clock.now_ms()
        )
        return found.story

    def look(self, session_id: str) -> Outcome | None:
        """Return how a session ended or for whom it waits; a default that is due is applied now.

        Returns:
            The outcome; what is waited for; None while it is under way otherwise.
        """
        session: Session = self._deciding.look(self.full_id(session_id))
        return session.last.outcome or waiting_of(session.last)

    def decide_case(
        self,
        session_id: str,
        option: str,
        *,
        reason: str,
        by: str,
        folder: Path,
        prompt: Prompt | None = None,
    ) -> Decided:
        """Record what a person decides on a case that waits, and run the session to its end.

        Args:
            session_id: the session.
            option: what is decided: the name of an option, or its number in the case's list.
            reason: why.
            by: who decides.
            folder: where the document's path starts.
            prompt: asks a person at a terminal.

        Returns:
            The decision.

        Raises:
            InvalidInput: with every fault; the decision is not recorded then.
        """

        def may_go_on(session: Session) -> None:
            raise_if(elsewhere(session.opening, folder))
            self._seated(session, prompt, {})

        name = self.full_id(session_id)
        word: Word = _watch("deciding").Word(by=by, reason=reason, option=option)
        self._deciding.decide(name, word, may_go_on=may_go_on)
        return self.resume(name, folder=folder, prompt=prompt)

    def undo(
        self, session_id: str, *, by: str, within_ms: int, reason: str = "", option: str = ""
    ) -> Decided:
        """Take back the last decision of a person: the case waits again (docs/decisions/0008).

        Args:
            session_id: the session.
            by: who takes it back.
            within_ms: how long after the decision that is allowed.
            reason: why, or "".
            option: the decision that is meant, or "" for the last one whatever it was.

        Returns:
            The session with what it waits for.

        Raises:
            InvalidInput: with every fault; nothing is recorded then.
        """
        name = self.full_id(session_id)
        word: Word = _watch("deciding").Word(by=by, reason=reason, option=option)
        session: Session = self._deciding.undo(name, word, within_ms=within_ms)
        waiting = waiting_of(session.last)
        assert waiting is not None
        return Decided(
            session=session.id, opening=session.opening, outcome=waiting, calls=session.inputs
        )

    @property
    def workers(self) -> Workers:
        """What can be asked of the workers that share this ledger."""
        made: Workers = import_module("comity.runner.crew").Workers(
            self._db, self.ledger, clock=self._clock, listen=self._listen
        )
        return made

    @property
    def _deciding(self) -> Deciding:
        runner = LocalRunner(self.ledger, clock=self._clock, listen=self._listen)
        made: Deciding = _watch("deciding").Deciding(self.ledger, runner, self._clock)
        return made

    def _seated(
        self, session: Session, prompt: Prompt | None, own: Mapping[PartyId, Agent]
    ) -> dict[PartyId, Agent]:
        """Return the agents of a session that goes on."""
        entries = self.ledger.read(session.id, everything=True)
        private = {str(one.party): one.body for one in entries if one.kind == PRIVATE}
        guards = guards_of(
            session.opening,
            self._clock,
            limits=self._limits,
            usages=_watch("status").usages_in(entries),
        )
        seated = agents_of(session.opening, private, prompt, without=tuple(own), guards=guards)
        return seated | dict(own)


def _watch(name: str) -> Any:  # noqa: ANN401  # a module
    """Return a module of watch/, which most calls do not need."""
    return import_module(f"comity.watch.{name}")


def _listed(opened: Entry, seal: Entry | None) -> Listed:
    outcome = seal.body.get("outcome") if seal else None
    result = outcome if isinstance(outcome, Mapping) else {}
    grounds = result.get("grounds")
    return Listed(
        session=opened.scope,
        kind=str(opened.body.get("kind")),
        title=str(opened.body.get("title")),
        at_ms=opened.at_ms,
        result=str(result.get("kind", "open")),
        says=str(result.get("says", "")),
        ended_by=str(grounds.get("ended_by", "")) if isinstance(grounds, Mapping) else "",
    )


def _finish(
    runner: LocalRunner,
    session: Session,
    agents: Mapping[PartyId, Agent],
    folder: Path,
    clock: Clock,
    *,
    allow_outside: bool,
) -> Decided:
    outcome = _run(runner, session, agents, clock)
    decided = Decided(
        session=session.id, opening=session.opening, outcome=outcome, calls=session.inputs
    )
    if not isinstance(outcome, (ConsentAgreement, ConsentNoDeal)):
        return decided
    output = str(session.opening.rules.get("output") or "")
    document = consensus_document(outcome, output=output, session=session.id)
    if output:
        write_document(document_path(output, folder, allow_outside=allow_outside), document)
    return replace(
        decided, document=document, written=output, footer=footer(outcome, output=output)
    )


def _run(
    runner: LocalRunner, session: Session, agents: Mapping[PartyId, Agent], clock: Clock
) -> Outcome:
    """Run a session to its end, or until only a person who is not there can go on (G8)."""
    while session.last.outcome is None:
        waiting = getattr(session.last.state, "waiting", None)
        is_there = any(one.party in agents for one in session.last.asks)
        if not isinstance(waiting, Waiting) or is_there:
            runner.step(session, runner.receive(session, agents))
        elif clock.now_ms() < (session.last.wake_at_ms or 0):
            return waiting
        else:
            runner.step(session, Input(kind="timer", now_ms=clock.now_ms()))
    return runner.run(session, agents)


def _decide(runner: LocalRunner, session: Session, decides: str, clock: Clock) -> None:
    """Pass on what a person says to a case, unless its time has run out."""
    waiting = getattr(session.last.state, "waiting", None)
    now_ms = clock.now_ms()
    if isinstance(waiting, Waiting) and now_ms >= (waiting.until_ms or now_ms + 1):
        runner.step(session, Input(kind="timer", now_ms=now_ms))
        return
    seat = _person_of(session)
    runner.send(session, seat, f"DECIDE: {decides}")
    refused = next((one for one in session.last.rejected if one.party == seat), None)
    if refused is not None and refused.reason == "no_decision":
        what = f"decides {decides!r}"
        raise InvalidInput(Fault(f"session {session.id}", what, refused.hint, "choose one"))


def _person_of(session: Session) -> PartyId:
    """Return the seat of the person whom a session waits for, or would."""
    waiting = getattr(session.last.state, "waiting", None)
    seats = waiting.whom if isinstance(waiting, Waiting) else person_seats(session.opening.rules)
    if not seats:
        allowed, following = "a vote, or a decision with otherwise", "look at `comity ledger`"
        raise InvalidInput(Fault("session", "has no person behind it", allowed, following))
    return seats[0]
