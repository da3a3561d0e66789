"""Amounts: which numbers count as a bid (A1, G5, G6)."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from comity.protocols.bidding.amounts import MOST_AMOUNTS, read_amounts
from comity.protocols.bidding.opening import bidding_rules

ONE = bidding_rules("a slot", ["ann", "bob"], seed="1", reserve=0)
GBP = bidding_rules("a slot", ["ann", "bob"], seed="1", reserve=0, unit="GBP/day")
SEVERAL = bidding_rules("slots", ["ann", "bob"], seed="1", reserve=0, unit="GBP", units=3)


@pytest.mark.parametrize(
    ("given", "amount"),
    [
        ("42", 42),
        ("  42.  ", 42),
        ("42!", 42),
        ("42.50", Decimal("42.50")),
        ("1/3", Fraction(1, 3)),
        ("12_000", 12_000),
        ("0", 0),
        (42, 42),
        (42.5, Decimal("42.5")),
        (0.1, Decimal("0.1")),
    ],
)
def test_g5_an_amount_is_read_exactly_as_it_is_written(given: Any, amount: Any) -> None:
    found = read_amounts(given, ONE).amounts
    assert found == (amount,)
    assert str(found[0]) == str(amount)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        (True, "not_a_number"),
        (False, "not_a_number"),
        (float("nan"), "not_a_number"),
        (float("inf"), "not_a_number"),
        ("nan", "not_a_number"),
        ("1e3", "not_a_number"),
        ("12,000", "not_a_number"),
        ("about 40", "not_a_number"),
        ("", "not_a_number"),
        (None, "not_a_number"),
        ([42], "not_a_number"),
        ({"amount": 42}, "not_a_number"),
        ("9" * 5_000, "not_a_number"),
        ("-1", "negative"),
        (-0.5, "negative"),
        ("42 GBP", "unit"),
    ],
)
def test_a1_what_is_no_finite_amount_of_0_or_more_is_refused_with_a_hint(
    given: Any, error: str
) -> None:
    found = read_amounts(given, ONE)
    assert (found.amounts, found.error) == ((), error)
    assert found.hint
    assert len(found.said) <= 80


def test_a_comma_inside_a_number_is_told() -> None:
    assert "without a comma inside" in read_amounts("12,000", ONE).hint


@pytest.mark.parametrize("given", ["42 GBP/day", "42   gbp/DAY", "42 GBP/day."])
def test_g6_the_unit_of_the_auction_may_stand_behind_the_number(given: str) -> None:
    assert read_amounts(given, GBP).amounts == (42,)


def test_g6_another_unit_is_refused() -> None:
    found = read_amounts("42 EUR", GBP)
    assert (found.error, found.amounts) == ("unit", ())
    assert "bids are in GBP/day" in found.hint


@pytest.mark.parametrize(
    ("given", "amounts"),
    [
        ("10, 6, 2", (10, 6, 2)),
        ("10; 6;2", (10, 6, 2)),
        ("10 GBP, 6 GBP", (10, 6)),
        ("10,  6.5.", (10, Decimal("6.5"))),
        ("10, 10", (10, 10)),
        ([10, "6", 2.5], (10, 6, Decimal("2.5"))),
        (7, (7,)),
        (("1/2", "1/3"), (Fraction(1, 2), Fraction(1, 3))),
    ],
)
def test_a2_where_units_are_sold_every_unit_may_be_bid_for(given: Any, amounts: Any) -> None:
    assert read_amounts(given, SEVERAL).amounts == amounts


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ("6, 10", "rising_marginals"),
        ([Decimal("1.5"), Fraction(5, 3)], "rising_marginals"),
        ("12,000", "not_a_number"),
        ("10, x", "not_a_number"),
        ("10, -1", "negative"),
        ("10 GBP, 6 EUR", "unit"),
        ("", "not_a_number"),
        ([], "not_a_number"),
        ([True], "not_a_number"),
        ([1] * (MOST_AMOUNTS + 1), "not_a_number"),
    ],
)
def test_a2_bids_for_units_that_do_not_count_are_refused_whole(given: Any, error: str) -> None:
    found = read_amounts(given, SEVERAL)
    assert (found.amounts, found.error) == ((), error)
