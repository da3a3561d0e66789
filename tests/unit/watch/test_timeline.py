"""Timeline: every moment has its period, and its place among the conflicts of it."""

from __future__ import annotations

import pytest

from comity.mechanisms.arbitration import Conflict
from comity.watch.timeline import Place, Timeline, suitable_period

DAY = 86_400


def at(*times: int | None) -> list[Conflict]:
    return [Conflict(n, "r", (("a", 1),), at=time) for n, time in enumerate(times, 1)]


def test_r5_a_moment_lies_after_the_conflicts_before_it() -> None:
    line = Timeline(at(0, 10, 20, 30, DAY), "day")
    assert line.place(0) == Place("1970-01-01", 0.0)
    assert line.place(20) == Place("1970-01-01", 0.5)
    assert line.place(25) == Place("1970-01-01", 0.75)
    assert line.place(DAY) == Place("1970-01-02", 0.0)


def test_clocks_that_go_back_change_nothing() -> None:
    assert Timeline(at(30, 0, 20, 10), "day").place(20) == Place("1970-01-01", 0.5)


def test_what_has_no_time_lies_at_the_beginning() -> None:
    line = Timeline(at(None, 5), None)
    assert line.place(None) == Place("all", 0.0)
    assert line.place(9) == Place("all", 1.0)
    assert Timeline(at(5), "day").place(9 * DAY) == Place("1970-01-10", 0.0)


@pytest.mark.parametrize(
    ("days", "by"),
    [(0, "day"), (30, "day"), (31, "week"), (188, "week"), (189, "month"), (4000, "month")],
)
def test_the_period_suits_the_span(days: int, by: str) -> None:
    assert suitable_period(at(0, days * DAY)) == by


def test_without_every_time_there_are_no_periods() -> None:
    assert suitable_period(at(0, None)) is None
    assert suitable_period([]) is None
