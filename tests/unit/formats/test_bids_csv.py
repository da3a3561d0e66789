"""Bids in CSV: the data of an auction file (A1, A2)."""

from __future__ import annotations

import pytest

from comity.core.errors import InvalidInput
from comity.formats.bids_csv import bids_from_csv


def refusals(text: str) -> list[str]:
    with pytest.raises(InvalidInput) as refused:
        bids_from_csv(text, whose="b.csv")
    return [str(fault) for fault in refused.value.faults]


def test_a_row_is_a_bid_and_its_number_stays_as_it_is_written() -> None:
    assert bids_from_csv("bidder,bid\na,42.50\nb,much\n") == {
        "kind": "auction",
        "bids": [{"bidder": "a", "bid": "42.50"}, {"bidder": "b", "bid": "much"}],
    }


def test_a2_units_items_sides_and_units_of_measure_are_read() -> None:
    text = "bidder,bid,units,items,side,unit\na,4,2,A+B,Buyer,GBP\nb,3,,,seller,\n"
    assert bids_from_csv(text)["bids"] == [
        {"bidder": "a", "bid": "4", "units": 2, "items": ["A", "B"], "side": "buyer",
         "unit": "GBP"},
        {"bidder": "b", "bid": "3", "items": [], "side": "seller"},
    ]  # fmt: skip


@pytest.mark.parametrize("cell", ["A+B", "A;B", "A|B", '"A, B"', "A + B +"])
def test_items_may_be_parted_in_several_ways(cell: str) -> None:
    assert bids_from_csv(f"bidder,bid,items\na,4,{cell}\n")["bids"][0]["items"] == ["A", "B"]


def test_g7_every_fault_is_told_with_its_line() -> None:
    said = refusals("bidder,bid,units,side\na,4,0,buyer\nb,3,many,sells\n,1,1,buyer\n")
    assert [one.split(":")[0] for one in said] == [
        "b.csv line 2", "b.csv line 3", "b.csv line 3", "b.csv line 4",
    ]  # fmt: skip
    assert "did you mean 'seller'" in said[2]


def test_g7_a_column_that_does_not_exist_names_the_nearest() -> None:
    assert "did you mean 'bidder'" in refusals("bider,bid\na,4\n")[0]
