"""Spans: lengths of time as a person reads them (R5)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from comity.core.spans import counted, length_text, row_span

DAY = 86_400


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (0, "0 s"), (Fraction(1, 2), "less than 1 s"), (1, "1 s"), (60, "1 min"),
        (61, "1 min 1 s"), (3_660, "1 h 1 min"), (3_601, "1 h"), (DAY, "1 d"),
        (DAY + 59, "1 d"), (1_209_600, "14 d"), (90_061, "1 d 1 h"),
    ],
)  # fmt: skip
def test_r5_two_units_that_follow_each_other(seconds: int, told: str) -> None:
    assert length_text(seconds) == told


def test_r5_days_without_a_win_count_the_first_one_for_whoever_never_won() -> None:
    assert row_span(0, 18 * DAY, has_won=False) == "19 days"
    assert row_span(0, 18 * DAY + 39, has_won=False) == "19 days"
    assert row_span(0, 18 * DAY, has_won=True) == "18 days"
    assert row_span(0, DAY, has_won=False) == "2 days"
    assert row_span(0, DAY, has_won=True) == "1 d"
    assert row_span(0, DAY - 1, has_won=False) == "23 h 59 min"
    assert row_span(9, 5, has_won=True) == "0 s", "a clock set back is no time at all"


def test_what_is_counted_has_its_plural() -> None:
    assert [counted(many, "claim") for many in (0, 1, 2)] == ["0 claims", "1 claim", "2 claims"]
    assert [counted(many, "loss") for many in (1, 2)] == ["1 loss", "2 losses"]
