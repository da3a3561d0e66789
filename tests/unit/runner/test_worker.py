"""runner/worker.py: one worker among others: finds, takes over, drains (ENGINE 4, 5).

The queue and the leases are stand-ins; the real ones are in tests/faults/test_durable_queue.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import pytest

from comity.agents.base import Agent
from comity.core.errors import Fault, LedgerCorrupt, LedgerError
from comity.ledger.open import open_ledger
from comity.ledger.port import Ledger
from comity.ledger.verify import verify
from comity.protocols.consent.rules import consent_rules
from comity.runner.driven import last_driven
from comity.runner.driving import Driver
from comity.runner.durable import Taken
from comity.runner.handed import DurableRunner
from comity.runner.local import standing_seals
from comity.runner.worker import Worker, worker_name
from comity.session.record import Opening
from comity.testing.agents import ScriptedAgent
from comity.testing.clock import FakeClock

POSITION = "PRIORITY: x\nRATIONALE: y"
SAID = {"position": POSITION, "turn": "[DONE]", "answer": "[CONSENT]"}


def talk() -> Opening:
    rules = consent_rules("Tea?", {"CC": "x", "CX": "y"}, seed="1", order=["CC", "CX"])
    agents = {"CC": "rational", "CX": "rational"}
    return Opening(kind="consent", title="Tea?", rules=rules.to_json(), agents=agents)


class Queue:
    """A queue whose sessions are driven beside the caller, on the clock's threads."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self.drive: Callable[[str, bool], str] = lambda *_: ""
        self.rows: dict[str, Taken] = {}
        self.told: list[tuple[str, bool]] = []
        self.left: list[str] = []
        self.tidied = 0
        self.is_open = False
        self.error: Exception | None = None

    def open(self, drive: Callable[[str, bool], str]) -> None:
        self.drive, self.is_open = drive, True

    def put(self, sessions: Iterable[str], *, is_over: bool = False) -> None:
        for session in sessions:
            if session not in self.rows:
                self._put(session, is_over)

    def _put(self, session: str, is_over: bool) -> None:
        self.rows[session] = Taken(session=session, key=f"{session}#1", by="w1")
        self.told.append((session, is_over))
        self.clock.aside(lambda: self._do(session, is_over))

    def _do(self, session: str, is_over: bool) -> None:
        self.left.append(self.drive(session, is_over))
        self.rows.pop(session, None)

    def taken(self) -> tuple[Taken, ...]:
        if self.error is not None:
            error, self.error = self.error, None
            raise error
        return tuple(self.rows.values())

    def take_back(self, lost: Iterable[Taken]) -> None:
        for one in lost:
            del self.rows[one.session]
            self.put([one.session], is_over=True)

    def tidy(self, *, now_ms: int) -> None:
        self.tidied += 1

    def close(self) -> None:
        self.is_open = False


class Living:
    """Leases that say what a test wants."""

    def __init__(self, *names: str) -> None:
        self.names: frozenset[str] | None = frozenset(names)
        self.held = ""
        self.beats = 0

    def hold(self, name: str) -> None:
        self.held = name

    def beat(self) -> None:
        self.beats += 1

    def living(self) -> frozenset[str] | None:
        return self.names

    def let_go(self) -> None:
        self.held = ""


@pytest.fixture
def ledger() -> Iterator[Ledger]:
    with open_ledger(":memory:") as made:
        yield made
        assert verify(made).ok


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def queue(clock: FakeClock) -> Queue:
    return Queue(clock)


def worker(ledger: Ledger, queue: Queue, leases: Living) -> Worker:
    def seats(*_: Any) -> Mapping[str, Agent]:
        return dict.fromkeys(("CC", "CX"), ScriptedAgent(SAID))

    driver = Driver(ledger, "w1", seats, clock=queue.clock)
    return Worker(ledger, driver, queue, leases, clock=queue.clock)


def begin(ledger: Ledger, *names: str) -> None:
    for name in names:
        DurableRunner(ledger, clock=FakeClock()).start(name, talk())


def test_a_worker_drives_all_there_is_and_ends_when_nothing_is_left(
    ledger: Ledger, queue: Queue
) -> None:
    begin(ledger, "s1", "s2", "s3")
    leases = Living("w1")
    told: list[tuple[str, int]] = []
    worker(ledger, queue, leases).run(once=True, tell=lambda *what: told.append(what))
    assert told == [("begins", 0), ("stops", 0)]
    assert set(standing_seals(ledger)) == {"s1", "s2", "s3"}
    assert queue.left == ["ended"] * 3
    assert (leases.held, queue.is_open) == ("", False)
    assert leases.beats > 0


def test_engine_5_what_a_dead_worker_had_taken_is_taken_back_as_lost_time(
    ledger: Ledger, queue: Queue
) -> None:
    begin(ledger, "s1", "s2")
    queue.rows = {
        "s1": Taken(session="s1", key="s1#0", by="dead"),
        "s2": Taken(session="s2", key="s2#0", by=""),  # waits for whoever comes
    }
    one = worker(ledger, queue, Living("w1"))
    one._tick()
    assert queue.told[0] == ("s1", True)
    assert "s2" not in dict(queue.told)


def test_only_the_first_of_those_who_live_looks_after_the_others(
    ledger: Ledger, queue: Queue
) -> None:
    begin(ledger, "s1")
    assert worker(ledger, queue, Living("a", "w1"))._tick() is True
    assert queue.told == []
    assert worker(ledger, queue, Living("w1", "x"))._tick() is False
    assert queue.told == [("s1", False)]


def test_a_worker_of_whom_nobody_knows_whether_it_lives_does_nothing_for_others(
    ledger: Ledger, queue: Queue
) -> None:
    begin(ledger, "s1")
    leases = Living()
    leases.names = None
    assert worker(ledger, queue, leases)._tick() is False
    assert queue.told == []


def test_a_database_that_is_away_is_looked_for_again(ledger: Ledger, queue: Queue) -> None:
    begin(ledger, "s1")
    queue.error = LedgerError(Fault("ledger", "is away", "a server", "wait"))
    worker(ledger, queue, Living("w1")).run(once=True)
    assert set(standing_seals(ledger)) == {"s1"}


def test_a_database_that_stays_away_ends_a_worker_after_ten_minutes(
    ledger: Ledger, queue: Queue, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> Any:
        raise OSError("away")

    monkeypatch.setattr(queue, "taken", away)
    begin_ms = clock.now_ms()
    with pytest.raises(OSError, match="away"):
        worker(ledger, queue, Living("w1")).run()
    assert 600_000 < clock.now_ms() - begin_ms < 610_000


def test_a_damaged_ledger_ends_a_worker(ledger: Ledger, queue: Queue) -> None:
    queue.error = LedgerCorrupt(Fault("ledger", "is damaged", "a whole one", "restore it"))
    leases = Living("w1")
    with pytest.raises(LedgerCorrupt):
        worker(ledger, queue, leases).run()
    assert (leases.held, queue.is_open) == ("", False)


def test_a_worker_that_is_told_to_stop_takes_nothing_more(ledger: Ledger, queue: Queue) -> None:
    begin(ledger, "s1")
    leases = Living("w1")
    one = worker(ledger, queue, leases)
    one.stop()
    one.run()
    assert standing_seals(ledger) == {}
    assert (queue.told, queue.is_open, leases.held) == ([], False, "")
    assert one._drive("s1", False) == "rests"


def test_what_is_long_done_is_forgotten_now_and_then(
    ledger: Ledger, queue: Queue, clock: FakeClock
) -> None:
    one = worker(ledger, queue, Living("w1"))

    def stop() -> None:
        clock.sleep_until(clock.now_ms() + 200_000)
        one.stop()

    clock.aside(stop)
    one.run()
    assert 2 <= queue.tidied <= 4


def test_a_ledger_that_stays_away_leaves_a_session_to_the_next_sweep(
    ledger: Ledger, queue: Queue
) -> None:
    begin(ledger, "s1")

    class Away:
        def read(self, *_: Any, **__: Any) -> Any:
            raise LedgerError(Fault("ledger", "is away", "a server", "wait"))

    driver = Driver(Away(), "w1", lambda *_: {}, clock=queue.clock)  # type: ignore[arg-type]
    found = Worker(ledger, driver, queue, Living("w1"), clock=queue.clock)._drive("s1", False)
    assert found.startswith("failed: ")
    taken = last_driven(ledger.read("s1"))
    assert taken is not None
    assert taken.stuck == ""


def test_names_of_workers_fit_everywhere() -> None:
    name = worker_name()
    assert name.replace("-", "").isalnum()
    assert len(name) < 100
