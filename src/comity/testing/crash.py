"""Crash: does a session end the same when its process dies at any point?

Here: a scene (an opening with its agents), a harness that kills it before and after every append,
ask and reply and takes it up again, what must hold afterwards, and a runner that forgets to record
before it asks, to show that the harness notices.
Not here: real processes and real kills (tests/faults), damage to the store (ledger/verify.py).
Sources: ARCHITECTURE contract 2; SEMANTICS K3; ENGINE 6 and 10.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from comity.agents.base import Agent
from comity.agents.seating import plan_seat, seat_agent
from comity.core.canonical import JsonObject, canonical
from comity.core.parties import PartyId
from comity.core.results import Outcome
from comity.core.step import Input, Step
from comity.formats.scenario import Scenario
from comity.ledger.entry import Entry, NewEntry
from comity.ledger.port import Appended, Ledger
from comity.ledger.verify import verify
from comity.runner.local import LocalRunner, Session
from comity.session.fold import advance, replay
from comity.session.record import INPUT, OPENED, SEALED, Opening, input_body, input_from
from comity.session.registry import machine_of
from comity.testing.agents import RecordingAgent
from comity.testing.clock import FakeClock

__all__ = [
    "CrashReport",
    "CrashRules",
    "Crashed",
    "ForgetfulRunner",
    "Scene",
    "agents_of",
    "crash_everywhere",
    "scene_of",
]


class Crashed(BaseException):
    """Stands for the death of a process; nothing but the harness catches it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A session that can be run again and again.

    Attributes:
        opening: how it is opened.
        agents: makes the agents anew, as every process has to.
        private: what only a seat's own agent may read.
        session: its id.
    """

    opening: Opening
    agents: Callable[[], Mapping[PartyId, Agent]]
    private: Mapping[PartyId, JsonObject] = field(default_factory=dict)
    session: str = "s"


@dataclass(frozen=True, slots=True, kw_only=True)
class CrashRules:
    """How much is tried.

    Attributes:
        every: a crash at each point is 1, at each second point 2, ...
        lives: besides one crash each, runs in which every process dies at its N-th point
            (8 is the least that gets anywhere: a restart takes two points, a message four).
        runner: the loop under test.
        clock: makes the clock of a run.
    """

    every: int = 1
    lives: tuple[int, ...] = (8, 11)
    runner: Callable[..., LocalRunner] = LocalRunner
    clock: Callable[[], FakeClock] = FakeClock


@dataclass(frozen=True, slots=True, kw_only=True)
class CrashReport:
    """What the harness saw; that it returned says that every promise held.

    Attributes:
        points: the points of the run without a crash, in order.
        messages: its recorded replies and failures.
        outcome: its outcome.
        crashes: how many crashes were tried.
        repeated: how many calls were made again, over all runs.
    """

    points: tuple[str, ...]
    messages: int
    outcome: Outcome
    crashes: int
    repeated: int


def agents_of(opening: Opening, private: Mapping[PartyId, JsonObject]) -> dict[PartyId, Agent]:
    """Return new agents for every seat of a recorded opening.

    Args:
        opening: the opening.
        private: each seat's private entry.

    Returns:
        Seat -> agent; nobody for kinds that are decided at once.
    """
    rules = machine_of(opening.kind).read_rules(opening.rules)
    return {
        seat.id: seat_agent(
            seat.id,
            str(opening.agents[seat.id]),
            private.get(seat.id, {}),
            domain=rules.domain,
            red_lines=seat.predicates,
        )
        for seat in getattr(rules, "seats", ())
    }


def scene_of(
    scenario: Scenario, *, folder: Path = Path(), session: str = "s", **seats: str
) -> Scene:
    """Return a scenario as a scene.

    Args:
        scenario: a decision as a file states it.
        folder: where the paths of scripts start.
        session: the session's id.
        **seats: seat -> how it is seated; wins over the scenario's own.

    Returns:
        The scene.

    Example:
        >>> from comity.formats.scenario import scenario_from
        >>> seat = {"priority": "Focus", "agent": "rational"}
        >>> data = {
        ...     "kind": "consent",
        ...     "question": "Which day?",
        ...     "terms": {"day": ["Monday", "Friday"]},
        ...     "seats": {"CC": seat, "CX": seat},
        ... }
        >>> scene = scene_of(scenario_from(data, whose="x", folder=Path(), seed="1"))
        >>> sorted(scene.agents())
        ['CC', 'CX']
    """
    plans = {
        seat: plan_seat(spec, seat, folder=folder)
        for seat, spec in {**scenario.agents, **seats}.items()
    }
    private = {
        seat: {**scenario.private.get(seat, {}), **plan.private} for seat, plan in plans.items()
    }
    private = {seat: body for seat, body in private.items() if body}
    opening = Opening(
        kind=scenario.kind,
        title=scenario.title,
        rules=scenario.rules,
        agents={seat: plan.spec for seat, plan in plans.items()},
    )
    return Scene(
        opening=opening,
        agents=lambda: agents_of(opening, private),
        private=private,
        session=session,
    )


def crash_everywhere(
    scene: Scene, store: Callable[[str], Ledger], *, rules: CrashRules | None = None
) -> CrashReport:
    """Run a scene to its end, then once more for every point, with a crash there.

    After each crash a new runner with new agents takes the session up from the same ledger, opened
    again. The agents must not wait: a thread would outlive the crash (kill real processes for
    these).

    Args:
        scene: the session.
        store: opens the ledger of a name; the same name opens the same ledger again.
        rules: how much is tried.

    Returns:
        What was seen.

    Raises:
        AssertionError: at the first promise that does not hold: the outcome differs; a call whose
            reply is recorded was made again; more than the one call in flight was repeated, or
            one that the record does not lead to was made; an acknowledged entry is gone; the
            record does not verify or replay; there are fewer than 3 points per message.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from comity.ledger.open import open_ledger
        >>> from comity.protocols.consent.rules import consent_rules
        >>> from comity.testing.agents import ScriptedAgent
        >>> lines = {"position": "PRIORITY: x", "turn": "[DONE]"}
        >>> rules = consent_rules("q", {"CC": "a", "CX": "b"}, seed="1").to_json()
        >>> scene = Scene(
        ...     opening=Opening(kind="consent", title="q", rules=rules),
        ...     agents=lambda: dict.fromkeys(("CC", "CX"), ScriptedAgent(lines)),
        ... )
        >>> with TemporaryDirectory() as folder:
        ...     report = crash_everywhere(
        ...         scene, lambda name: open_ledger(Path(folder, name)), rules=CrashRules(every=4)
        ...     )
        >>> report.messages, len(report.points), report.crashes > 5
        (4, 20, True)
    """
    return _Harness(scene, store, rules or CrashRules()).run()


# --- the harness -----------------------------------------------------------------------------


class _Witness:
    """A ledger that remembers what it acknowledged."""

    def __init__(self, ledger: Ledger, acknowledged: list[Entry]) -> None:
        self._ledger = ledger
        self._acknowledged = acknowledged

    def append(self, scope: str, entries: Sequence[NewEntry], **options: Any) -> Appended:  # noqa: ANN401  # the port's options
        done = self._ledger.append(scope, entries, **options)
        if not done.repeated:
            self._acknowledged.extend(done.entries)
        return done

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  # the port's members
        return getattr(self._ledger, name)


@dataclass(slots=True)
class _Run:
    """One session from its opening to its end, over as many lives as it takes."""

    name: str
    clock: FakeClock
    calls: list[str] = field(default_factory=list)
    acknowledged: list[Entry] = field(default_factory=list)
    points: list[str] = field(default_factory=list)
    crashes: int = 0
    outcome: Outcome | None = None
    answered: set[str] = field(default_factory=set)
    said: list[JsonObject] = field(default_factory=list)

    @property
    def repeated(self) -> int:
        """How many calls were made again."""
        return len(self.calls) - len(set(self.calls))


@dataclass(slots=True)
class _Harness:
    scene: Scene
    store: Callable[[str], Ledger]
    rules: CrashRules

    def run(self) -> CrashReport:
        """Run without a crash, then with one at each point, then with many."""
        whole = self._run("whole")
        assert whole.outcome is not None
        count = len(whole.points)
        messages = sum(one["kind"] in {"reply", "failure"} for one in whole.said)
        _require(
            count >= 3 * messages, f"{count} points are at least 3 for each of {messages} messages"
        )
        tries = [(f"crash at {at}", at, 0) for at in range(1, count + 1, self.rules.every)]
        tries += [(f"lives of {life}", 0, life) for life in self.rules.lives if life < count]
        crashes = repeated = 0
        for name, at, life in tries:
            run = self._run(name, at=at, life=life)
            self._compare(run, whole)
            crashes += run.crashes
            repeated += run.repeated
        return CrashReport(
            points=tuple(whole.points),
            messages=messages,
            outcome=whole.outcome,
            crashes=crashes,
            repeated=repeated,
        )

    def _run(self, name: str, *, at: int = 0, life: int = 0) -> _Run:
        """Run a session; a process dies at point ``at`` of all, or at its own ``life``th."""
        run = _Run(name, self.rules.clock())
        while run.outcome is None:
            before = len(run.calls)
            with self.store(name) as ledger:
                self._live(run, ledger, at, life)
            with self.store(name) as ledger:
                self._check_record(run, ledger, before)
            _require(run.crashes < 10_000, f"{name}: it gets somewhere")
        return run

    def _live(self, run: _Run, ledger: Ledger, at: int, life: int) -> None:
        """Be one process: until the end, or until it dies."""
        own = 0

        def probe(point: str) -> None:
            nonlocal own
            own += 1
            run.points.append(point)
            if len(run.points) == at or own == life:
                raise Crashed(point)

        witness = cast("Ledger", _Witness(ledger, run.acknowledged))
        runner = self.rules.runner(witness, clock=run.clock, probe=probe)
        agents: dict[PartyId, Agent] = {
            seat: RecordingAgent(agent, run.calls) for seat, agent in self.scene.agents().items()
        }
        _require(not any(one.waits for one in agents.values()), "no agent of a scene waits")
        scene = self.scene
        try:
            if ledger.read(scene.session, everything=True):
                session = runner.resume(scene.session)
            else:
                session = runner.start(scene.session, scene.opening, scene.private)
            run.outcome = runner.run(session, agents)
        except Crashed:
            run.crashes += 1

    def _check_record(self, run: _Run, ledger: Ledger, before: int) -> None:
        """Check what is on record after a life against what was done in it."""
        where = f"{run.name}, {run.points[-1]}"
        entries = ledger.read(self.scene.session, everything=True)
        _require(
            list(entries[: len(run.acknowledged)]) == run.acknowledged,
            f"{where}: every acknowledged entry is there",
        )
        asked, answered = self._folded(entries)
        made = [one.rpartition("/")[2] for one in run.calls]
        now = made[before:]
        unheard = sorted(set(made) - asked)
        _require(not unheard, f"{where}: the record leads to every call made, not to {unheard}")
        again = sorted(set(now) & run.answered)
        _require(not again, f"{where}: no call whose reply is recorded is made again: {again}")
        twice = sorted(one for one, times in Counter(now).items() if times > 1)
        _require(not twice, f"{where}: a call is made once in one life: {twice}")
        flying = sorted(set(made) - answered)
        _require(
            len(flying) <= 1, f"{where}: a reply is recorded before the next ask; open: {flying}"
        )
        run.answered = answered
        if run.outcome is not None:
            self._check_end(run, ledger, entries)

    def _folded(self, entries: Sequence[Entry]) -> tuple[set[str], set[str]]:
        """Return the asks that the record leads to, and those that it answers."""
        if not entries:
            return set(), set()
        opening = Opening.read(entries[0].body)
        machine = machine_of(opening.kind)
        last = machine.start(machine.read_rules(opening.rules))
        asked = {one.id for one in last.asks}
        answered: set[str] = set()
        for entry in entries:
            if entry.kind == INPUT:
                happened = input_from(entry.body)
                last = advance(machine, last, happened)
                asked |= {one.id for one in last.asks}
                answered |= {happened.ask_id} if happened.ask_id else set()
        return asked, answered

    def _check_end(self, run: _Run, ledger: Ledger, entries: Sequence[Entry]) -> None:
        """Check the whole record of a session that has ended."""
        report = verify(ledger)
        _require(report.ok, f"{run.name}: the ledger verifies: {report}")
        public = [one for one in entries if one.party is None]
        kinds = [one.kind for one in public]
        _require(kinds.count(OPENED) == kinds.count(SEALED) == 1, f"{run.name}: one end")
        redone = replay((one.kind, one.body) for one in public)
        _require(redone.same, f"{run.name}: the record replays the same: {redone.differences}")
        inputs = [input_from(one.body) for one in public if one.kind == INPUT]
        run.said = [input_body(replace(one, now_ms=0)) for one in inputs if one.kind != "resumed"]

    def _compare(self, run: _Run, whole: _Run) -> None:
        """Check a run with crashes against the run without."""
        assert run.outcome is not None
        assert whole.outcome is not None
        _require(run.crashes > 0, f"{run.name}: it crashed")
        _require(run.said == whole.said, f"{run.name}: the same was said")
        _require(
            canonical(run.outcome.to_json()) == canonical(whole.outcome.to_json()),
            f"{run.name}: the outcome is the same: {run.outcome} for {whole.outcome}",
        )
        _require(
            sorted(set(run.calls)) == sorted(whole.calls),
            f"{run.name}: the same calls were made, under the same request ids",
        )
        _require(
            run.repeated <= run.crashes,
            f"{run.name}: {run.repeated} calls made again, {run.crashes} crashes",
        )


def _require(holds: object, promise: str) -> None:
    if not holds:
        raise AssertionError(promise)


# --- a loop with a fault ---------------------------------------------------------------------


class ForgetfulRunner(LocalRunner):
    """A loop that asks first and records later: what the harness must notice.

    It keeps each reply in memory until the next one has come, so that a kill loses what was
    answered, and asks go out that the record knows nothing of.

    Example:
        >>> ForgetfulRunner.__mro__[1].__name__
        'LocalRunner'
    """

    _owed: Input | None = None

    def step(self, session: Session, happened: Input) -> Step[Any]:
        """Let the machine take an input, and record the one before it."""
        self._pay(session)
        self._owed = happened
        session.last = advance(session.machine, session.last, happened)
        if happened.party is not None:
            session.heard[happened.party] = session.heard.get(happened.party, 0) + 1
        return session.last

    def run(self, session: Session, agents: Mapping[PartyId, Agent]) -> Outcome:
        """Run to the end, record the last input, seal."""
        while session.last.outcome is None:
            self.step(session, self.receive(session, agents))
        self._pay(session)
        return super().run(session, agents)

    def _pay(self, session: Session) -> None:
        if self._owed is None:
            return
        session.inputs += 1
        self._probe(f"before append input {session.inputs}")
        appended = self._ledger.append(
            session.id,
            [NewEntry(INPUT, input_body(self._owed))],
            expected_head=session.head,
            request_id=f"input-{session.inputs}",
            now_ms=self._owed.now_ms,
        )
        self._probe(f"after append input {session.inputs}")
        session.head = appended.head
        self._owed = None
