"""runner/sweep.py: what must be driven is found by the ledger alone (ENGINE 1, 5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from comity.core.step import Input
from comity.ledger.entry import NewEntry
from comity.ledger.open import open_ledger
from comity.ledger.port import Ledger
from comity.protocols.collect.opening import vote_rules
from comity.protocols.consent.rules import consent_rules
from comity.runner.driven import PROCESS, WORKERS, hand_over, taking_up
from comity.runner.handed import DurableRunner
from comity.runner.local import LocalRunner
from comity.runner.sweep import Sweep
from comity.session.record import Opening
from comity.testing.clock import FakeClock

START_MS = 1_700_000_000_000
POSITION = "PRIORITY: x\nRATIONALE: y"


def talk(**agents: str) -> Opening:
    rules = consent_rules("Tea?", dict.fromkeys(agents, "x"), seed="1", order=list(agents))
    return Opening(kind="consent", title="Tea?", rules=rules.to_json(), agents=agents)


def poll() -> Opening:
    rules = vote_rules("Which?", ["ann", "bob"], seed="1", options=["A", "B"])
    agents = {"ann": "person", "bob": "person"}
    return Opening(kind="vote", title="Which?", rules=rules.to_json(), agents=agents)


class Counted:
    """A ledger that counts what is read."""

    def __init__(self, real: Ledger) -> None:
        self.real = real
        self.reads: list[str] = []

    def read(self, scope: str, **options: Any) -> Any:
        self.reads.append(scope)
        return self.real.read(scope, **options)

    def find(self, kind: str, **options: Any) -> Any:
        self.reads.append(kind)
        return self.real.find(kind, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)


@pytest.fixture
def ledger() -> Iterator[Counted]:
    with open_ledger(":memory:") as made:
        yield Counted(made)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(START_MS)


@pytest.fixture
def runner(ledger: Any, clock: FakeClock) -> DurableRunner:
    return DurableRunner(ledger, clock=clock)


def due(sweep: Sweep, ledger: Ledger, clock: FakeClock, *active: str) -> list[str]:
    heads = {one.scope: one for one in ledger.heads()}
    return list(sweep.due(heads, lambda: active, now_ms=clock.now_ms()))


def test_a_new_session_is_found_until_somebody_drives_it(
    ledger: Any, clock: FakeClock, runner: DurableRunner
) -> None:
    sweep = Sweep(ledger)
    runner.start("s", talk(CC="rational", CX="rational"))
    assert due(sweep, ledger, clock) == ["s"]
    assert due(sweep, ledger, clock, "s") == []
    assert due(sweep, ledger, clock) == ["s"]  # whoever had it is gone


def test_sessions_of_processes_and_other_things_in_the_ledger_are_none_of_its_business(
    ledger: Any, clock: FakeClock, runner: DurableRunner
) -> None:
    LocalRunner(ledger, clock=clock).start("own", talk(CC="rational", CX="rational"))
    ledger.append("desk/x", [NewEntry("desk", {})], expected_head="", request_id=None, now_ms=1)
    runner.start("taken", talk(CC="rational", CX="rational"))
    hand_over(ledger, "taken", PROCESS, now_ms=1)
    sweep = Sweep(ledger)
    assert due(sweep, ledger, clock) == []
    hand_over(ledger, "own", WORKERS, now_ms=1)
    assert due(sweep, ledger, clock) == ["own"]


def test_who_is_active_is_not_asked_while_all_that_moved_is_held(
    ledger: Any, clock: FakeClock, runner: DurableRunner
) -> None:
    runner.start("s", talk(CC="rational", CX="rational"))
    heads = {one.scope: one for one in ledger.heads()}

    def active() -> tuple[str, ...]:
        raise AssertionError

    sweep = Sweep(ledger)
    assert list(sweep.due(heads, active, held={"s"}, now_ms=clock.now_ms())) == []
    with pytest.raises(AssertionError):
        list(sweep.due(heads, active, now_ms=clock.now_ms()))


def test_what_rests_is_not_read_again_until_somebody_speaks(
    ledger: Any, clock: FakeClock, runner: DurableRunner
) -> None:
    sweep = Sweep(ledger)
    runner.start("s", talk(CC="rational", CX="person"))
    runner.answer(runner.resume("s"), "CC", POSITION)
    assert due(sweep, ledger, clock) == []
    ledger.reads.clear()
    assert due(sweep, ledger, clock) == []
    assert ledger.reads == []
    runner.answer(runner.resume("s"), "CX", POSITION)
    assert due(sweep, ledger, clock) == ["s"]


def test_a_time_that_comes_is_noticed_without_a_word_from_anybody(
    ledger: Any, clock: FakeClock, runner: DurableRunner
) -> None:
    sweep = Sweep(ledger)
    session = runner.start("s", poll())
    assert due(sweep, ledger, clock) == ["s"]  # it has not heard what time it is
    LocalRunner(ledger, clock=clock).step(session, Input(kind="resumed", now_ms=START_MS))
    assert due(sweep, ledger, clock) == []
    assert session.last.wake_at_ms is not None
    clock.advance(session.last.wake_at_ms - START_MS - 1)
    assert due(sweep, ledger, clock) == []
    clock.advance(1)
    assert due(sweep, ledger, clock) == ["s"]


def test_what_has_ended_is_found_until_it_is_sealed(
    ledger: Any, clock: FakeClock, runner: DurableRunner
) -> None:
    sweep = Sweep(ledger)
    session = runner.start("s", talk(CC="rational", CX="rational"))
    LocalRunner(ledger, clock=clock).step(session, Input(kind="cancel", now_ms=START_MS))
    assert due(sweep, ledger, clock) == ["s"]
    LocalRunner(ledger, clock=clock).run(session, {})
    ledger.reads.clear()
    assert due(sweep, ledger, clock) == []
    assert ledger.reads == ["s"]  # its last entries, and nothing is folded
    clock.advance(10**9)
    assert due(sweep, ledger, clock) == []


def test_what_is_found_is_handed_on_as_it_was_folded(
    ledger: Any, clock: FakeClock, runner: DurableRunner
) -> None:
    handed: list[tuple[str, int]] = []
    sweep = Sweep(ledger, lambda session, entries: handed.append((session.id, len(entries))))
    runner.start("s", talk(CC="rational", CX="rational"))
    runner.start("away", talk(CC="person", CX="person"))
    assert due(sweep, ledger, clock) == ["s"]
    assert handed == [("s", 2)]


def test_what_is_stuck_is_found_again_when_its_pause_is_over_or_somebody_speaks(
    ledger: Any, clock: FakeClock, runner: DurableRunner
) -> None:
    sweep = Sweep(ledger)
    runner.start("s", talk(CC="rational", CX="rational"))
    stuck = taking_up(WORKERS, stuck="no program", times=1)
    ledger.append("s", [stuck], expected_head=None, request_id=None, now_ms=START_MS)
    assert due(sweep, ledger, clock) == []
    clock.advance(30_000)
    assert due(sweep, ledger, clock) == ["s"]
    again = taking_up(WORKERS, stuck="no program", times=2)
    ledger.append("s", [again], expected_head=None, request_id=None, now_ms=clock.now_ms())
    assert due(sweep, ledger, clock) == []
    runner.send(runner.resume("s"), "CC", "well?")
    assert due(sweep, ledger, clock) == ["s"]


def test_a_session_that_cannot_be_read_stops_no_other(
    ledger: Any, clock: FakeClock, runner: DurableRunner
) -> None:
    opened = NewEntry("opened", {"kind": "nonsense", "title": "t", "rules": {}})
    lines = [opened, taking_up(WORKERS)]
    ledger.append("bad", lines, expected_head="", request_id=None, now_ms=1)
    runner.start("s", talk(CC="rational", CX="rational"))
    assert due(Sweep(ledger), ledger, clock) == ["s"]
