"""Auction arguments: what a file lacks and what its auction does not take (A1, A2, G7)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.formats.auction_arguments import auction_faults, without_empty_reserve
from comity.formats.auction_file import decided, read
from comity.mechanisms.auctions.registry import AUCTIONS, arguments_of

PLAIN = {"a": 3, "b": 4}
ROWS = [{"bidder": "a", "bid": 3}, {"bidder": "b", "bid": 4, "items": ["A"]}]
SIDES = [{"bidder": "a", "bid": 3, "side": "buyer"}, {"bidder": "b", "bid": 1, "side": "seller"}]
PYTHON = ("'bids'", "'buyers'", "takes no '", "lacks '", "(bidder, items", "Decimal", "()", "None")


def refused(**data: Any) -> list[str]:
    with pytest.raises(InvalidInput) as error:
        decided(read({"kind": "auction", **data}, whose="x.toml", folder=Path(), seed="1"))
    return [str(one) for one in error.value.faults]


@pytest.mark.parametrize(
    ("data", "parts"),
    [
        ({"bids": PLAIN}, ["second-price: lacks a reserve", "add --reserve 0"]),
        ({"reserve": 0}, ["second-price: lacks bids"]),
        ({"bids": PLAIN, "rule": "uniform-price", "reserve": 0}, ["lacks how many", "--units 3"]),
        ({"bids": PLAIN, "rule": "mcafee"}, ["mcafee: takes bids of buyers and of sellers"]),
        ({"rule": "double-vcg"}, ["double-vcg: lacks buyers", "double-vcg: lacks sellers"]),
        ({"rule": "mcafee", "buyers": PLAIN}, ["mcafee: lacks sellers"]),
        (
            {"rule": "mcafee", "buyers": {"a": 3}, "sellers": {"b": 1}, "reserve": 2},
            ["mcafee: takes no single reserve (reserve, --reserve)"],
        ),
        ({"bids": SIDES, "reserve": 0}, ["these name buyers and sellers", "use --kind mcafee"]),
        ({"bids": PLAIN, "rule": "vcg"}, ["bids of 'a', 'b' name none", "items of each bid"]),
        ({"bids": ROWS, "rule": "vcg"}, ["bids of 'a' name none"]),
        ({"bids": {"a": [3, 2], "b": 1}, "reserve": 0}, ["bidder, and 'a' name several"]),
        (
            {"rule": "mcafee", "buyers": {"a": [3]}, "sellers": {"b": 1}},
            ["one bid of each bidder"],
        ),
        ({"rule": "mcafee", "bids": [*SIDES, *ROWS[:1]]}, ["names sides in some of its bids"]),
        ({"bids": ROWS[1:], "rule": "vcg", "reserve": 3}, ["vcg: takes no single reserve"]),
        ({"bids": PLAIN, "reserve": 0, "units": 2}, ["does not sell several units"]),
        ({"bids": PLAIN, "reserve": 0, "items": ["A"]}, ["does not sell items by name"]),
        ({"bids": PLAIN, "reserve": 0, "reserves": {"A": 1}}, ["takes no reserves by item"]),
        ({"bids": PLAIN, "reserve": 0, "search": {"nodes": 9}}, ["searches nothing"]),
        (
            {"bids": PLAIN, "reserve": 0, "rule": "uniform price", "units": 1, "min_bidders": 2},
            ["uniform-price: takes no min_bidders"],
        ),
    ],
)
def test_g7_each_refusal_has_four_parts_in_the_words_of_the_file(
    data: dict[str, Any], parts: list[str]
) -> None:
    said = refused(**data)
    assert len(said) == max(1, sum(": lacks" in one or ": takes" in one for one in parts))
    for one in parts:
        assert one in "\n".join(said)
    for one in said:
        assert "Allowed: " in one
        assert "Next: " in one
        assert not [word for word in PYTHON if word in one]


def test_g7_many_bids_without_items_are_told_in_one_breath() -> None:
    (said,) = refused(bids={f"b{at:02}": at for at in range(20)}, rule="vcg")
    assert "'b11' and 8 more name none" in said


@pytest.mark.parametrize("name", AUCTIONS)
def test_every_argument_that_an_auction_needs_or_refuses_has_words(name: str) -> None:
    needed, known = arguments_of(name)
    of_files = ("reserve", "reserves", "items", "units", "min_bidders", "search")
    given = dict.fromkeys(set(of_files) - set(known), 1)
    lacking = [key for key in needed if key not in {"bids", "buyers", "sellers"}]
    assert len(auction_faults(name, {**given, "bids": {}, "buyers": {}, "sellers": {}})) == (
        len(given) + len(lacking) + 1
    )
    assert len(auction_faults(name, {})) == len(needed)


@pytest.mark.parametrize("zero", [0, "0", "0.00"])
def test_a1_a_reserve_of_0_says_that_there_is_none_everywhere(zero: Any) -> None:
    rows = [{"bidder": "b", "bid": 4, "items": ["A"]}]
    data = {"kind": "auction", "rule": "vcg", "bids": rows, "reserve": zero}
    assert decided(read(data, whose="x", folder=Path(), seed="1")).kind == "award"
    assert without_empty_reserve("second_price", {"reserve": zero}) == {"reserve": zero}
    assert without_empty_reserve("mcafee", {"reserve": "x"}) == {"reserve": "x"}
    assert without_empty_reserve("mcafee", {}) == {}
