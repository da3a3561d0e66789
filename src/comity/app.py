"""Use cases: what every door can ask for.

Here: opening and running decisions, resuming, reading, replaying and verifying them.
Not here: arguments and output (cli/), rules (mechanisms/, protocols/), storage (ledger/).
Sources: ARCHITECTURE floor 8; SEMANTICS K1-K4, C6.
"""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Self

from comity import __version__
from comity.agents.base import Agent
from comity.agents.scripted import order_in
from comity.agents.seating import (
    AUTO,
    OWN,
    SeatPlan,
    auto_spec,
    person_seats,
    plan_seat,
    seat_agent,
    seat_names,
    seat_values,
    with_strategies,
)
from comity.core.canonical import Json, JsonObject
from comity.core.errors import Fault, InvalidInput, raise_if
from comity.core.parties import PartyId
from comity.core.results import Outcome, Waiting, result_from_json
from comity.core.step import Input
from comity.formats.scenario import Scenario
from comity.ledger import Ledger, open_ledger
from comity.ledger.entry import Entry
from comity.ledger.export import csv_lines, json_lines
from comity.ledger.verify import Report, verify
from comity.protocols.consent.document import consensus_document, footer
from comity.protocols.consent.results import ConsentAgreement, ConsentNoDeal
from comity.protocols.consent.rules import rules_from_json
from comity.runner.clock import Clock, RealClock
from comity.runner.local import Event, LocalRunner, Session
from comity.session.fold import Replay, replay
from comity.session.record import INPUT, OPENED, PRIVATE, SEALED, Opening
from comity.session.registry import machine_of

__all__ = [
    "AUTO",
    "App",
    "Decided",
    "Event",
    "Listed",
    "auto_spec",
    "new_seed",
    "seat_names",
    "transcript_order",
    "write_document",
]

Prompt = Callable[[str, str], str | None]


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
    """

    session: str
    kind: str
    title: str
    at_ms: int
    result: str
    says: str

    def to_json(self) -> JsonObject:
        """Return all fields."""
        return {
            "session": self.session,
            "kind": self.kind,
            "title": self.title,
            "at_ms": self.at_ms,
            "result": self.result,
            "says": self.says,
        }


def new_seed() -> str:
    """Return 128 random bits in hex, drawn after the inputs are closed (SEMANTICS G4)."""
    return secrets.token_hex(16)


class App:
    """The use cases over one ledger.

    Args:
        db: the ledger's path or URL.
        listen: called with every event of a running session.
        clock: what time it is.
        create: whether the ledger may be made.
    """

    def __init__(
        self,
        db: str,
        *,
        listen: Callable[[Event], None] | None = None,
        clock: Clock | None = None,
        create: bool = True,
    ) -> None:
        """Keep the place; the ledger is opened when it is first needed."""
        self._db = db
        self._create = create
        self._listen = listen
        self._clock = clock or RealClock()

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
        if scenario.output:
            document_path(scenario.output, folder, allow_outside=allow_outside)
        own = dict(agents or {})
        plans = _plans(scenario, {**seats, **dict.fromkeys(own, OWN)}, folder)
        private: dict[PartyId, JsonObject] = {}
        for seat, plan in plans.items():
            body = {**scenario.private.get(seat, {}), **plan.private}
            if body:
                private[seat] = body
        opening = Opening(
            kind=scenario.kind,
            title=scenario.title,
            rules=with_strategies(scenario.rules, plans),
            agents={seat: plan.spec for seat, plan in plans.items()},
            made_by=__version__,
            folder=str(folder.resolve()),
        )
        seated = {**_agents(opening, private, prompt, without=tuple(own)), **own}
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
        session = runner.resume(self.full_id(session_id))
        private = {
            str(one.party): one.body
            for one in self.ledger.read(session.id, everything=True)
            if one.kind == PRIVATE
        }
        own = dict(agents or {})
        if not session.sealed:
            raise_if(_elsewhere(session.opening, folder))
        seated = (
            {}
            if session.sealed
            else {
                **_agents(session.opening, private, prompt, without=tuple(own)),
                **own,
            }
        )
        if decides and not session.sealed:
            _decide(runner, session, decides, self._clock)
        return _finish(runner, session, seated, folder, self._clock, allow_outside=allow_outside)

    def full_id(self, given: str) -> str:
        """Return the id of the one session that ``given`` names, in full or by its beginning.

        Raises:
            InvalidInput: when no session or more than one begins like this.
        """
        known = [head.scope for head in self.ledger.heads()]
        found = [given] if given in known else [one for one in known if one.startswith(given)]
        if len(found) == 1:
            return found[0]
        what = "names no session" if not found else f"names {len(found)} sessions"
        raise InvalidInput(
            Fault(
                f"session {given!r}",
                f"{what} of this ledger",
                "an id, or its beginning",
                "look at `comity ledger`",
            )
        )

    def sessions(self, *, limit: int | None = None) -> tuple[Listed, ...]:
        """Return the sessions, newest first."""
        sealed = {one.scope: one.body for one in self.ledger.find(SEALED)}
        return tuple(
            _listed(one, sealed.get(one.scope)) for one in self.ledger.find(OPENED, limit=limit)
        )

    def entries(self, session_id: str) -> tuple[Entry, ...]:
        """Return the public entries of a session."""
        return self.ledger.read(self.full_id(session_id))

    def outcome(self, session_id: str) -> Outcome | None:
        """Return the sealed outcome of a session, or None while it is open."""
        for entry in self.entries(session_id):
            if entry.kind == SEALED:
                opening = Opening.read(self.entries(session_id)[0].body)
                machine_of(opening.kind)  # its results register themselves
                return result_from_json(entry.body["outcome"])
        return None

    def messages(self, session_id: str) -> tuple[Json, ...]:
        """Return the recorded inputs of a session, in order."""
        return tuple(one.body for one in self.entries(session_id) if one.kind == INPUT)

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
        """Yield the public entries of one session or of all, oldest session first.

        Args:
            form: ``"json"`` (one entry a line) or ``"csv"``.
            session_id: the session, or None for all.

        Yields:
            Lines with their line feed.
        """
        if session_id is None:
            opened = self.ledger.find(OPENED, newest_first=False)
            scopes = list(dict.fromkeys(one.scope for one in opened))
        else:
            scopes = [self.full_id(session_id)]
        entries = (one for scope in scopes for one in self.ledger.read(scope))
        yield from csv_lines(entries) if form == "csv" else json_lines(entries)


def _listed(opened: Entry, sealed: JsonObject | None) -> Listed:
    outcome = sealed.get("outcome") if sealed else None
    result = outcome if isinstance(outcome, Mapping) else {}
    return Listed(
        session=opened.scope,
        kind=str(opened.body.get("kind")),
        title=str(opened.body.get("title")),
        at_ms=opened.at_ms,
        result=str(result.get("kind", "open")),
        says=str(result.get("says", "")),
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


def _plans(
    scenario: Scenario, seats: Mapping[PartyId, str], folder: Path
) -> dict[PartyId, SeatPlan]:
    names = seat_names(scenario.kind, scenario.rules)
    persons = person_seats(scenario.rules)
    listed = ", ".join((*names, *persons)) or "none"
    faults = [
        Fault("seats", f"names {seat!r}, which has no seat here", listed, "correct --agent")
        for seat in seats
        if seat not in {*names, *persons}
    ]
    plans: dict[PartyId, SeatPlan] = {}
    specs = {**scenario.agents, **seats}
    empty = [name for name in names if name not in specs]
    if empty:
        flags = " ".join(
            f"--agent {name}=rational|person|script:FILE|command:..." for name in empty
        )
        faults.append(
            Fault(
                "seats",
                f"{', '.join(empty)} still without an agent",
                "an agent in every seat",
                flags,
            )
        )
    for name in (*names, *persons):
        if name in specs:
            try:
                plans[name] = plan_seat(specs[name], name, folder=folder)
            except InvalidInput as error:
                faults.extend(error.faults)
    raise_if(faults)
    return plans


def _elsewhere(opening: Opening, folder: Path) -> tuple[Fault, ...]:
    """Refuse to go on in another folder when programs or the document are looked for there."""
    here = str(folder.resolve())
    uses = any(str(spec).startswith("command:") for spec in opening.agents.values())
    if opening.folder in {"", here} or not (uses or opening.rules.get("output")):
        return ()
    return (
        Fault(
            "session",
            f"was opened in {opening.folder}, where its programs and its document are",
            "the folder it was opened in",
            f"cd {shlex.quote(opening.folder)} and resume it there",
        ),
    )


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


def _agents(
    opening: Opening,
    private: Mapping[PartyId, JsonObject],
    prompt: Prompt | None,
    *,
    without: tuple[PartyId, ...] = (),
) -> dict[PartyId, Agent]:
    rules = rules_from_json(opening.rules) if opening.kind == "consent" else None
    lines = {seat.id: seat.predicates for seat in rules.seats} if rules else {}
    domain, own = seat_values(opening.rules)
    away = () if prompt else person_seats(opening.rules)
    return {
        name: seat_agent(
            name,
            str(spec),
            {**own.get(name, {}), **private.get(name, {})},
            domain=domain if name in own else rules.domain if rules and name in lines else None,
            red_lines=lines.get(name, ()),
            prompt=prompt,
        )
        for name, spec in opening.agents.items()
        if name not in without and not (spec == "person" and name in away)
    }


def transcript_order(seats: Mapping[PartyId, str], *, folder: Path) -> tuple[PartyId, ...] | None:
    """Return the speaking order of the one transcript that every seat is scripted by.

    Args:
        seats: seat -> how it is seated.
        folder: where relative paths start.

    Returns:
        The seats by their first line; None when they are not all scripted by one file, or it is
        no transcript of all of them. A file that cannot be read is told when it is seated.
    """
    specs = set(seats.values())
    spec = specs.pop() if len(specs) == 1 else ""
    if not spec.startswith("script:"):
        return None
    try:
        text = (folder / spec.removeprefix("script:")).read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    return order_in(text, tuple(seats))


def document_path(output: str, folder: Path, *, allow_outside: bool) -> Path:
    """Return where a document goes, refusing places outside the working directory.

    Args:
        output: the path as given.
        folder: the working directory.
        allow_outside: whether a place outside is wanted.

    Returns:
        The path.

    Raises:
        InvalidInput: when it lies outside and that was not asked for, is a folder, or cannot be
            a file.
    """
    try:
        path = (folder / output).resolve()
        path.exists()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InvalidInput(
            Fault(f"output {output!r}", f"is no path: {reason}", "a file", "correct it")
        ) from error
    if not allow_outside and not path.is_relative_to(folder.resolve()):
        raise InvalidInput(
            Fault(
                f"output {output!r}",
                "lies outside the working directory",
                "a path below it",
                "choose one, or add --allow-outside",
            )
        )
    if path.is_dir():
        raise InvalidInput(
            Fault(f"output {output!r}", "is a folder", "a file", "name a file in it")
        )
    if _is_database(path):
        raise InvalidInput(
            Fault(
                f"output {output!r}",
                "is a ledger, or another database",
                "a file that may be replaced",
                "choose another name",
            )
        )
    if any(parent.is_file() for parent in path.parents):
        raise InvalidInput(
            Fault(f"output {output!r}", "lies below a file", "a folder above it", "correct it")
        )
    return path


def _is_database(path: Path) -> bool:
    """Tell whether a path is a database, or belongs to one: nothing may be written over it."""
    for end in ("", "-wal", "-shm", "-journal"):
        named = Path(str(path).removesuffix(end)) if end else path
        if str(path).endswith(end) and named.is_file():
            with named.open("rb") as file:
                if file.read(16) == b"SQLite format 3\x00":
                    return True
    return False


def write_document(path: Path, text: str) -> None:
    """Write a document all at once: readers see the old one or the new one, never a half.

    Args:
        path: where; parent folders are made.
        text: the document.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        beside.write_text(text, "utf-8")
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
