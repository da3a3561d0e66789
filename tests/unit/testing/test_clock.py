"""testing/clock.py: time jumps to the next thing that can happen, and nobody waits (G3)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue

import pytest

from comity.runner.clock import Clock
from comity.testing.clock import FakeClock

Box = SimpleQueue[str]


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(1_000)


@pytest.fixture
def box() -> Box:
    return SimpleQueue()


def saying(clock: Clock, box: Box, word: str, *times: int) -> Callable[[], None]:
    """Return work that sleeps until each time, then says a word."""

    def work() -> None:
        for at_ms in times:
            clock.sleep_until(at_ms)
        box.put(word)

    return work


def test_time_stands_still_unless_it_is_moved(clock: FakeClock) -> None:
    assert [clock.now_ms(), clock.now_ms()] == [1_000, 1_000]
    assert clock.advance(0) == 1_000
    assert clock.advance(250) == 1_250


def test_the_callers_own_wait_jumps_and_never_back(clock: FakeClock) -> None:
    clock.sleep_until(5_000)
    assert clock.now_ms() == 5_000
    clock.sleep_until(2_000)
    assert clock.now_ms() == 5_000


def test_what_has_arrived_comes_first_and_takes_no_time(clock: FakeClock, box: Box) -> None:
    box.put("a")
    box.put("b")
    assert clock.first_of(box, 9_000) == "a"
    assert clock.first_of(box, None) == "b"
    assert clock.now_ms() == 1_000


def test_an_empty_wait_ends_at_its_time(clock: FakeClock, box: Box) -> None:
    assert clock.first_of(box, 9_000) is None
    assert clock.now_ms() == 9_000
    assert clock.first_of(box, 3_000) is None
    assert clock.now_ms() == 9_000


def test_waiting_for_nobody_without_an_end_is_an_error_and_no_hang(
    clock: FakeClock, box: Box
) -> None:
    with pytest.raises(AssertionError, match="nobody is left who could answer"):
        clock.first_of(box, None)


def test_sleepers_wake_in_the_order_of_their_times(clock: FakeClock, box: Box) -> None:
    for word, at_ms in (("c", 4_000), ("a", 2_000), ("b", 3_000)):
        clock.aside(saying(clock, box, word, at_ms))
    heard = [(clock.first_of(box, None), clock.now_ms()) for _ in range(3)]
    assert heard == [("a", 2_000), ("b", 3_000), ("c", 4_000)]


def test_sleepers_of_one_time_wake_in_the_order_they_were_started(clock: FakeClock) -> None:
    for _ in range(20):
        box: Box = SimpleQueue()
        for word in "abcdef":
            clock.aside(saying(clock, box, word, clock.now_ms() + 500))
        assert "".join(str(clock.first_of(box, None)) for _ in range(6)) == "abcdef"


def test_the_end_of_a_wait_comes_before_a_later_sleeper_who_is_heard_in_the_next(
    clock: FakeClock, box: Box
) -> None:
    clock.aside(saying(clock, box, "late", 6_000))
    assert (clock.first_of(box, 5_999), clock.now_ms()) == (None, 5_999)
    assert (clock.first_of(box, 6_000), clock.now_ms()) == ("late", 6_000)


def test_a_thread_may_sleep_again_and_a_past_time_is_no_sleep(clock: FakeClock, box: Box) -> None:
    clock.aside(saying(clock, box, "done", 2_000, 1_500, 2_000, 3_000))
    assert (clock.first_of(box, None), clock.now_ms()) == ("done", 3_000)


def test_threads_run_side_by_side(clock: FakeClock, box: Box) -> None:
    both = threading.Barrier(2)

    def work() -> None:
        both.wait()
        box.put("met")

    clock.aside(work)
    clock.aside(work)
    assert [clock.first_of(box, None), clock.first_of(box, None)] == ["met", "met"]


def test_advancing_wakes_everybody_whose_time_has_come(clock: FakeClock, box: Box) -> None:
    asleep = threading.Barrier(3)

    def work(word: str, at_ms: int) -> Callable[[], None]:
        def run() -> None:
            asleep.wait()
            saying(clock, box, word, at_ms)()

        return run

    clock.aside(work("a", 2_000))
    clock.aside(work("b", 9_000))
    asleep.wait()
    assert clock.first_of(box, 1_500) is None
    clock.advance(1_000)
    assert clock.first_of(box, 2_500) == "a"
    assert clock.first_of(box, 8_999) is None


def test_work_that_breaks_does_not_stop_the_clock(
    clock: FakeClock, box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threading, "excepthook", lambda told: None)

    def work() -> None:
        raise ZeroDivisionError

    clock.aside(work)
    assert clock.first_of(box, 2_000) is None
