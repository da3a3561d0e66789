"""Auction audit: does a lie pay, anywhere or here? (A3)"""

from __future__ import annotations

from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.formats.auction_audit import audit_report, other_bids
from comity.mechanisms.auctions import AUCTIONS, first_price, multi_unit_vcg, vickrey

BIDS = {"a": 42, "b": 37, "c": 51, "d": 29}
REGRET = {"first_price": 3, "uniform_price": 3}


@pytest.mark.parametrize("rule", AUCTIONS)
def test_a3_the_largest_regret_of_each_auction_on_the_grid(rule: str) -> None:
    found: Any = audit_report(rule)
    assert (found["form"], found["exhaustive"]) == ("truthfulness", True)
    assert found["regret"] == REGRET.get(rule, 0)
    assert found["verdict"] == ("not_truthful" if rule in REGRET else "truthful")


def test_a3_shading_to_45_changes_nothing_and_to_40_loses_9() -> None:
    found = other_bids(vickrey(BIDS, reserve=0), "c", ["45", "40", "42.00"])
    told = [(one["bid"], one["wins"], one["price"], one["gain"], one["change"]) for one in found]
    assert told == [(45, 1, 42, 9, 0), (40, 0, None, 0, -9), ("42.00", "1/2", 42, "9/2", "-9/2")]


def test_a3_under_first_price_shading_pays() -> None:
    (one,) = other_bids(first_price(BIDS, reserve=0), "c", ["43"])
    assert (one["gain"], one["change"]) == (8, 8)


def test_a3_who_lost_may_ask_too() -> None:
    (one,) = other_bids(vickrey(BIDS, reserve=60), "a", ["60"])
    assert (one["wins"], one["price"], one["gain"]) == (1, 60, -18)


@pytest.mark.parametrize(
    ("bidder", "amounts", "told"),
    [("e", ["1"], "'e' does not bid"), ("c", ["x"], "amount is 'x'"), ("c", ["-1"], "is -1")],
)
def test_g7_what_cannot_be_tried_is_refused(bidder: str, amounts: list[str], told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        other_bids(vickrey(BIDS, reserve=0), bidder, amounts)


def test_other_bids_are_asked_of_sales_of_one_item() -> None:
    with pytest.raises(InvalidInput, match="under multi-unit-vcg"):
        other_bids(multi_unit_vcg(BIDS, units=1, reserve=0), "c", ["1"])
