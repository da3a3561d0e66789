"""runner/pooled.py: threads stay for the next work (docs/decisions/0011)."""

from __future__ import annotations

from queue import SimpleQueue
from threading import Barrier, get_ident

import pytest

from comity.runner import pooled
from comity.runner.pooled import PooledClock


def test_a_thread_that_has_done_its_work_does_the_next() -> None:
    clock, box = PooledClock(), SimpleQueue[int]()
    seen = set()
    for _ in range(20):
        clock.aside(lambda: box.put(get_ident()))
        seen.add(box.get(timeout=30))
        for _ in range(100_000):
            if clock._idle:
                break
    assert len(seen) == 1


def test_work_that_comes_at_once_is_done_side_by_side() -> None:
    clock, box, all_there = PooledClock(), SimpleQueue[int](), Barrier(10)

    def work() -> None:
        all_there.wait(30)
        box.put(get_ident())

    for _ in range(3):
        for _ in range(10):
            clock.aside(work)
        assert len({box.get(timeout=30) for _ in range(10)}) == 10


def test_no_more_threads_stay_than_are_of_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pooled, "_MOST_IDLE", 0)
    clock, box = PooledClock(), SimpleQueue[int]()
    for _ in range(3):
        clock.aside(lambda: box.put(1))
        assert box.get(timeout=30) == 1
    assert clock._idle == 0


def test_it_tells_the_time() -> None:
    assert PooledClock().now_ms() > 1_600_000_000_000
