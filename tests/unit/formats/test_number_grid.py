"""Number grids: exact numbers between two ends."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.formats.number_grid import MOST_OPTIONS, number_name, spread, stepped


def names(numbers: Any) -> list[str]:
    return [number_name(one) for one in numbers]


def test_numbers_keep_the_places_they_were_given_with() -> None:
    assert names(stepped(Decimal("0.10"), Decimal("0.40"), Decimal("0.1"), whose="x")) == [
        "0.10", "0.20", "0.30", "0.40",
    ]  # fmt: skip
    assert names(spread(10, 20, 3, whose="x")) == ["10", "15", "20"]
    assert names(spread(-1, 0, 3, whose="x")) == ["-1", "-0.5", "0"]


def test_what_no_decimal_holds_is_a_ratio() -> None:
    assert names(spread(0, 1, 4, whose="x")) == ["0", "1/3", "2/3", "1"]
    assert names(stepped(0, 1, Fraction(1, 2), whose="x")) == ["0", "1/2", "1"]


def test_both_ends_are_there_and_one_number_is_a_grid() -> None:
    assert stepped(5, 5, 1, whose="x") == (5,)
    assert spread(5, 5, 21, whose="x") == (5,)


def test_a_grid_may_stop_short_where_a_format_says_so() -> None:
    assert names(stepped(0, 10, 4, whose="x", lands=False)) == ["0", "4", "8"]


def test_thirty_thousand_prices_are_a_grid() -> None:
    assert len(stepped(0, 30_000, 1, whose="x")) == 30_001


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (lambda: stepped(2, 1, 1, whose="price"), "runs from 2 down to 1"),
        (lambda: stepped(1, 2, 0, whose="price"), "has the step 0"),
        (lambda: stepped(1, 2, -1, whose="price"), "has the step -1"),
        (lambda: stepped(0, 10, 4, whose="price"), "does not reach 10 by steps of 4"),
        (lambda: stepped(0, MOST_OPTIONS, 1, whose="price"), "has 100001 options"),
        (lambda: stepped(0, 10**4200, 1, whose="price"), "has far too many options"),
        (lambda: spread(0, 1, 1, whose="price"), "has 1 points"),
        (lambda: spread(0, 1, MOST_OPTIONS + 1, whose="price"), "has 100001 options"),
        (lambda: spread(1, 0, 2, whose="price"), "runs from 1 down to 0"),
    ],
)
def test_a_grid_that_cannot_be_is_refused_with_its_name(made: Any, told: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        made()
    assert told in str(refused.value)
    assert str(refused.value).startswith("price:")
