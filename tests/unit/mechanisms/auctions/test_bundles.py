"""Bundles: are bids on bundles read whole, with every fault named?"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import Fault
from comity.mechanisms.auctions.bundles import BundleBid, Terms, pack, read_bundles


def read(bids: Any, **terms: Any) -> tuple[Any, list[str]]:
    faults: list[Fault] = []
    found = read_bundles(bids, Terms(**terms), faults)
    return found, [str(fault) for fault in faults]


def test_lists_mappings_and_bids_read_alike_in_any_order() -> None:
    wanted = [("a", ("A", "B"), Decimal("8.5")), ("a", ("B",), 4), ("b", ("A",), Fraction(1, 3))]
    for bids in (
        [("b", ["A"], "1/3"), ("a", ["B"], 4), ("a", ("B", "A"), "8.5")],
        {"b": [(["A"], "1/3")], "a": [({"A", "B"}, 8.5), (["B"], 4.0)]},
        [
            BundleBid("a", ["B"], 4),
            BundleBid("b", ["A"], "1/3"),
            BundleBid("a", ["A", "B"], "8.5"),
        ],
    ):
        found, faults = read(bids)
        assert faults == []
        assert [(one.bidder, one.items, one.amount) for one in found.offers] == wanted
        assert found.items == ("A", "B")


@pytest.mark.parametrize(
    ("bid", "told"),
    [
        (("a", ["A"], "NaN"), "amount is 'NaN'"),
        (("a", ["A"], True), "amount is True"),
        (("a", ["A"], -1), "is -1"),
        (("a", [], 1), "names no items"),
        (("a", "AB", 1), "is on 'AB'"),
        (("a", ("A", "A"), 1), "is on ['A', 'A']"),
        (("a", ["A", "A"], 1), "is on ['A', 'A']"),
        (("a", [3], 1), "is on [3]"),
        ((" a", ["A"], 1), "cannot be used as a name"),
        (("a", ["Z"], 1), "is on 'Z'"),
        (BundleBid("a", ["A"], 1, "EUR"), "is in 'EUR'"),
        (3, "hold 3"),
        (("a", 1), "hold ('a', 1)"),
    ],
)
def test_g7_every_fault_of_a_bid_names_it(bid: Any, told: str) -> None:
    _, faults = read([bid, ("z", ["B"], 1)], items=["A", "B"], unit="GBP")
    assert len(faults) == 1
    assert told in faults[0]


def test_g7_the_same_bundle_twice_is_refused() -> None:
    _, faults = read([("a", ["A", "B"], 1), ("a", ["B", "A"], 2)])
    assert "on A, B was handed in 2 times" in faults[0]


def test_a4_faulty_bids_can_be_set_aside_by_name() -> None:
    found, faults = read(
        [("a", ["A"], "x"), ("b", ["A"], 1), ("c", ["A"], 1), ("c", ["A"], 2),
         BundleBid("d", ["A"], 1, "EUR"), (7, ["A"], 1)],
        unit="GBP", faulty="refuse",
    )  # fmt: skip
    assert faults == []
    assert [one.bidder for one in found.offers] == ["b"]
    assert {(one.bidder, one.reason) for one in found.refused} == {
        ("7", "name"), ("a", "not_a_number"), ("c", "duplicate"), ("d", "unit"),
    }  # fmt: skip


def test_g6_mixed_units_are_refused_and_one_is_kept() -> None:
    _, faults = read([BundleBid("a", ["A"], 1, "ms"), BundleBid("b", ["A"], 1, "GBP")])
    assert "would add different units" in faults[0]
    _, faults = read([BundleBid("a", ["A"], 1, ["ms"])])  # type: ignore[arg-type]
    assert "is in ['ms']" in faults[0]
    found, _ = read([BundleBid("a", ["A"], 1, "ms"), ("b", ["A"], 1)])
    assert found.unit == "ms"


@pytest.mark.parametrize("items", [[], "AB", 3, ["A", "A"], [""], [["A"]]])
def test_g7_what_is_on_sale_is_a_list_of_names(items: Any) -> None:
    assert read([("a", ["A"], 1)], items=items)[1]


@pytest.mark.parametrize("bids", ["a", 3, None])
def test_g7_what_holds_no_bids_is_refused(bids: Any) -> None:
    assert "Allowed: a list of (bidder, items, amount)" in read(bids)[1][0]


def test_g7_a_mapping_of_something_else_is_refused() -> None:
    assert len(read({"a": 3, "b": [3], "c": [(["A"], 1)]})[1]) == 2


@pytest.mark.parametrize(
    ("reserves", "told"),
    [
        (3, "are 3"),
        ({"Z": 1}, "name 'Z'"),
        ({"A": -1}, "A is -1"),
        ({"A": "x"}, "reserve of A is 'x'"),
    ],
)
def test_g7_reserves_are_checked(reserves: Any, told: str) -> None:
    assert told in read([("a", ["A"], 1)], reserves=reserves)[1][0]
    assert told in read([], reserves=reserves, items=["A"])[1][0]


def test_a_reserve_without_any_item_names_nothing() -> None:
    assert "Allowed: nothing" in read([], reserves={"A": 1})[1][0]


def test_a1_bids_at_the_reserve_take_part_and_bids_below_do_not() -> None:
    found, _ = read(
        [("a", ["A", "B"], 8), ("b", ["A"], 2), ("c", ["B"], 3), ("d", ["B"], "3.5"),
         ("e", ["C"], 0)],
        reserves={"A": 3, "B": 3, "C": 0}, items=["A", "B", "C"],
    )  # fmt: skip
    packing, out = pack(found)
    assert found.reserves == (("A", 3), ("B", 3))
    over = [(*packing.parted(bid.value), bid.mask) for bid in packing.bids]
    assert over == [(4, 2, 0b011), (0, 1, 0b010), (1, 1, 0b010)]
    assert packing.scale == 2
    assert [(one.bidder, one.reason) for one in out] == [
        ("b", "below_reserve"),
        ("e", "adds_nothing"),
    ]
    assert "below the reserve 3" in out[0].says
