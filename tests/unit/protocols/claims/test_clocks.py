"""Clocks: a desk believes how a clock runs, not what it shows (R7)."""

from __future__ import annotations

import pytest

from comity.protocols.claims.clocks import BOUND_MS, Clocks, clock_fault

DAY_MS = 86_400_000


@pytest.fixture
def clocks() -> Clocks:
    made = Clocks()
    made.note(1_000_000, "here", 0)
    return made


def test_r7_the_first_clock_of_all_is_right() -> None:
    assert Clocks().reading("here", 500, at_stake=True) == (500, 0, True)


def test_r7_a_known_clock_goes_on_however_long_nobody_came(clocks: Clocks) -> None:
    told = clocks.reading("here", 1_000_000 + DAY_MS, at_stake=True)
    assert told == (1_000_000 + DAY_MS, 0, False)


@pytest.mark.parametrize("off_ms", [DAY_MS, BOUND_MS + 1, -BOUND_MS - 1, -DAY_MS])
def test_r7_a_new_clock_that_is_far_off_counts_by_what_passes_on_it(
    clocks: Clocks, off_ms: int
) -> None:
    first = clocks.reading("odd", 1_000_000 + off_ms, at_stake=True)
    assert first == (1_000_000, -off_ms, True)
    clocks.note(first.at_ms, "odd", first.offset_ms)
    assert clocks.reading("odd", 1_000_300 + off_ms, at_stake=True) == (1_000_300, -off_ms, False)
    assert clocks.reading("here", 1_000_400, at_stake=True) == (1_000_400, 0, False)


@pytest.mark.parametrize("off_ms", [BOUND_MS, 1, 0])
def test_r7_a_new_clock_that_is_about_right_is_taken_as_it_is(clocks: Clocks, off_ms: int) -> None:
    told = clocks.reading("other", 1_000_000 + off_ms, at_stake=True)
    assert told == (1_000_000 + off_ms, 0, True)
    told = clocks.reading("other", 1_000_000 - off_ms, at_stake=True)
    assert told == (1_000_000, 0, True), "time never goes back"


def test_r7_where_nobody_holds_or_waits_a_clock_ahead_does_no_harm(clocks: Clocks) -> None:
    told = clocks.reading("other", 1_000_000 + DAY_MS, at_stake=False)
    assert told == (1_000_000 + DAY_MS, 0, True)


def test_r7_a_clock_that_is_set_back_goes_on_from_where_the_desk_is(clocks: Clocks) -> None:
    told = clocks.reading("here", 1_000_000 - DAY_MS, at_stake=True)
    assert told == (1_000_000, DAY_MS, True)
    clocks.note(*_noted("here", told))
    assert clocks.reading("here", 1_000_900 - DAY_MS, at_stake=True).at_ms == 1_000_900


def test_r7_a_clock_that_was_off_and_is_right_again_is_taken_as_it_is(clocks: Clocks) -> None:
    clocks.note(1_000_000, "late", 60_000)
    clocks.read(2_000_000)
    assert clocks.reading("late", 1_999_000, at_stake=True)[1:] == (60_000, False)
    clocks.note(2_000_000, "fast", -DAY_MS)
    assert clocks.reading("fast", 2_000_001, at_stake=True) == (2_000_001, 0, True), "set right"
    assert clocks.reading("late", 2_100_000, at_stake=False) == (2_100_000, 0, True), "at rest"


def test_k1_clocks_survive_being_written_down(clocks: Clocks) -> None:
    clocks.note(1_000_005, "odd", -7)
    again = Clocks.from_json(clocks.to_json())
    assert (again.last, again.offsets) == (1_000_005, {"here": 0, "odd": -7})
    assert Clocks.from_json({}).last is None


def test_g7_a_wrong_clock_is_told_with_what_to_do() -> None:
    ahead, behind = clock_fault("m1", -DAY_MS), clock_fault("m1", DAY_MS)
    assert ahead is not None
    assert behind is not None
    assert (ahead.whose, ahead.what) == ("clock 'm1'", "is 86400 s ahead of this desk")
    assert behind.what == "is 86400 s behind this desk"
    assert "--set-clock" in behind.next
    assert clock_fault("m1", BOUND_MS) is None


def _noted(name: str, told: tuple[int, int, bool]) -> tuple[int, str, int]:
    return told[0], name, told[1]
