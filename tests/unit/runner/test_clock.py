"""runner/clock.py: the real clock tells the time, and its waits end when the time has come."""

from __future__ import annotations

import threading
from queue import SimpleQueue
from types import SimpleNamespace

import pytest

from comity.runner.clock import RealClock


class Machine:
    """Stands in for the machine's time: a wait takes as long as it says, and nobody waits."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.now_ns = 5_000_000_000_000
        self.waits: list[float] = []
        stand_in = SimpleNamespace(time_ns=lambda: self.now_ns, sleep=self.wait)
        patch.setattr("comity.runner.clock.time", stand_in)

    def wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now_ns += int(seconds * 1e9)


class Box(SimpleQueue):  # type: ignore[type-arg]
    """A queue whose waits take the machine's time."""

    machine: Machine

    def get(self, block: bool = True, timeout: float | None = None) -> object:
        if self.empty() and timeout is not None:
            self.machine.wait(timeout)
            timeout = 0
        return super().get(block, timeout)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(monkeypatch)


@pytest.fixture
def box(machine: Machine) -> Box:
    made = Box()
    made.machine = machine
    return made


def test_it_tells_milliseconds_since_the_epoch(machine: Machine) -> None:
    assert RealClock().now_ms() == 5_000_000


def test_a_time_that_has_passed_is_not_waited_for(machine: Machine) -> None:
    RealClock().sleep_until(4_000_000)
    RealClock().sleep_until(5_000_000)
    assert machine.waits == []


def test_a_time_to_come_is_waited_for_in_pieces_of_an_hour_at_most(machine: Machine) -> None:
    RealClock().sleep_until(5_000_000 + 2 * 3_600_000 + 500)
    assert machine.waits == [3600, 3600, 0.5]


def test_work_aside_runs_in_a_thread_that_ends_with_the_process() -> None:
    box: SimpleQueue[bool] = SimpleQueue()
    RealClock().aside(lambda: box.put(threading.current_thread().daemon))
    assert RealClock().first_of(box, None) is True


def test_what_has_arrived_comes_first_even_when_the_time_has_passed(box: Box) -> None:
    box.put("a")
    box.put("b")
    assert RealClock().first_of(box, 0) == "a"
    assert RealClock().first_of(box, None) == "b"
    assert box.machine.waits == []


def test_nothing_comes_back_when_the_time_comes_first(box: Box) -> None:
    assert RealClock().first_of(box, 5_000_700) is None
    assert RealClock().first_of(box, 5_000_700) is None
    assert box.machine.waits == [0.7, 0]


def test_a_far_deadline_is_waited_for_in_pieces(box: Box) -> None:
    """A wait longer than the platform can count would be an error."""
    box.machine.wait = lambda seconds: (
        box.put("late")
        if seconds == 1800
        else Machine.wait(  # type: ignore[method-assign]
            box.machine, seconds
        )
    )
    assert RealClock().first_of(box, 5_000_000 + 3_600_000 + 1_800_000) == "late"
    assert box.machine.waits == [3600]


def test_without_a_deadline_it_waits_on(box: Box) -> None:
    def third_time(seconds: float) -> None:
        box.machine.waits.append(seconds)
        if len(box.machine.waits) == 3:
            box.put("at last")

    box.machine.wait = third_time  # type: ignore[method-assign]
    assert RealClock().first_of(box, None) == "at last"
    assert box.machine.waits == [3600, 3600, 3600]
