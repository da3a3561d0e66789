"""Bids: is everything that cannot be ranked refused, by name and all at once?"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import Fault
from comity.mechanisms.auctions.bids import (
    Bid,
    Bids,
    RefusedBid,
    check_faulty,
    name_text,
    read_bids,
    read_reserve,
    whole_number,
)


def faults_of(bids: Any, unit: str = "") -> list[str]:
    faults: list[Fault] = []
    assert read_bids(bids, unit, "raise", faults).offers == ()
    return [str(fault) for fault in faults]


def test_a1_mappings_pairs_and_bids_read_alike_in_any_order() -> None:
    wanted = (("a", 42), ("b", Decimal("37.50")), ("c", Fraction(1, 3)))
    for bids in (
        {"c": "1/3", "b": "37.50", "a": 42},
        [("b", "37.50"), ("a", 42.0), ("c", Fraction(1, 3))],
        [Bid("c", "1/3"), Bid("a", "42"), Bid("b", Decimal("37.50"))],
    ):
        assert read_bids(bids, "", "raise", []).offers == wanted  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "amount",
    [float("nan"), float("inf"), "NaN", "Infinity", "", "x", True, None, [1], Decimal("NaN"), -1],
)
def test_g5_what_is_no_number_from_0_is_refused_with_the_bidder_named(amount: Any) -> None:
    found = faults_of({"a": amount, "b": 2})
    assert len(found) == 1
    assert found[0].startswith("bid of 'a': ")


def test_g7_all_faults_are_found_at_once() -> None:
    found = faults_of([("a", "x"), ("b", -1), ("c", 1), ("c", 2), (" d", True)])
    assert len(found) == 5
    assert sum("handed in 2 times" in one for one in found) == 1


@pytest.mark.parametrize("bids", ["a", 3, None, [3], [("a", 1, 2)], ["a"]])
def test_g7_what_holds_no_bids_is_refused(bids: Any) -> None:
    assert faults_of(bids)


def test_a1_faulty_bids_can_be_set_aside_by_name_instead() -> None:
    faults: list[Fault] = []
    bids: Any = [("a", "NaN"), ("b", -1), ("c", 5), ("d", 1), ("d", 2), (7, 3), Bid("e", 1, "EUR")]
    found = read_bids(bids, "GBP", "refuse", faults)
    assert faults == []
    assert found.offers == (("c", 5),)
    assert [(one.bidder, one.reason) for one in found.refused] == [
        ("7", "name"),
        ("a", "not_a_number"),
        ("b", "negative"),
        ("d", "duplicate"),
        ("e", "unit"),
    ]


def test_g6_mixed_units_are_refused_and_one_unit_is_kept() -> None:
    assert "would add different units" in faults_of([Bid("a", 1, "ms"), Bid("b", 1, "GBP")])[0]
    assert "is in 'ms'" in faults_of([Bid("a", 1, "ms")], "GBP")[0]
    assert "is in ['ms']" in faults_of([Bid("a", 1, ["ms"])])[0]  # type: ignore[arg-type]
    assert read_bids([Bid("a", 1, "GBP"), Bid("b", 2)], "", "raise", []).unit == "GBP"
    assert read_bids([Bid("a", 1, "GBP")], "GBP", "raise", []).unit == "GBP"


def test_bids_read_before_keep_their_refused_ones() -> None:
    aside = RefusedBid("z", "", "not_revealed", "did not reveal")
    found = read_bids(Bids((("b", 2), ("a", 1)), (aside,), "GBP"), "", "raise", [])
    assert found == Bids((("a", 1), ("b", 2)), (aside,), "GBP")


@pytest.mark.parametrize(("given", "is_right"), [(0, True), ("8.50", True), (-1, False),
                                                 (True, False), ("x", False)])  # fmt: skip
def test_a1_a_reserve_is_a_number_from_0(given: Any, is_right: bool) -> None:
    faults: list[Fault] = []
    read_reserve(given, faults)
    assert (faults == []) is is_right


@pytest.mark.parametrize("given", [0, -1, True, 1.0, "1", None])
def test_counts_are_whole_numbers_from_1(given: Any) -> None:
    faults: list[Fault] = []
    assert whole_number(given, "units", faults) == 1
    assert "units is" in str(faults[0])


def test_how_faulty_bids_are_treated_is_one_of_two() -> None:
    faults: list[Fault] = []
    check_faulty("rais", 3, faults)
    assert [fault.next for fault in faults] == ["did you mean 'raise'", "name the unit"]


def test_a_name_that_is_no_text_is_shown() -> None:
    assert name_text(None) == "None"
