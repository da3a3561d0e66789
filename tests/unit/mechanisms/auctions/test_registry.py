"""Registry: does a recorded auction run again by its name?"""

from __future__ import annotations

import json
from typing import Any

import pytest

from comity.core.errors import InvalidInput, UnknownName
from comity.mechanisms.auctions import RULE
from comity.mechanisms.auctions.registry import (
    AUCTIONS,
    AuctionRules,
    auction_named,
    auction_rules_from_json,
    run_auction,
)
from comity.mechanisms.auctions.results import AuctionAward

RECORDED: dict[str, dict[str, Any]] = {
    "second_price": {"bids": [{"bidder": "a", "amount": "42", "unit": "GBP"}, ["c", 51]],
                     "reserve": 0, "seed": "7"},
    "first_price": {"bids": {"a": 42}, "reserve": 0},
    "uniform_price": {"bids": {"a": [3, 2], "b": 1}, "units": 2, "reserve": 0},
    "multi_unit_vcg": {"bids": {"a": [3, 2], "b": 1}, "units": 2, "reserve": 0},
    "combinatorial_vcg": {
        "bids": [["a", ["A"], 5], {"bidder": "b", "items": ["A", "B"], "amount": 6}],
        "search": {"method": "branch_and_bound"},
    },
    "mcafee": {"buyers": {"b": 9, "c": 8}, "sellers": [["s", 1], ["t", 2]]},
    "double_vcg": {"buyers": {"b": 9}, "sellers": {"s": 1}},
}  # fmt: skip


@pytest.mark.parametrize("name", AUCTIONS)
def test_k2_every_auction_runs_again_from_its_json(name: str) -> None:
    run, read = RULE
    data = json.loads(json.dumps({"auction": name, **RECORDED[name]}))
    first, again = run(read(data)), run(read(data))
    assert isinstance(first, AuctionAward)
    assert first == again
    assert first.grounds.rule == name
    assert hash(read(data).given) == hash(read(data).given)


def test_a2_an_auction_without_a_kind_is_second_price() -> None:
    assert run_auction(auction_rules_from_json({"bids": {"a": 1}, "reserve": 0})).grounds.rule == (
        "second_price"
    )


def test_names_are_found_however_written_or_refused_with_the_nearest() -> None:
    assert auction_named("Multi-unit VCG") == "multi_unit_vcg"
    assert auction_named("vcg") == "combinatorial_vcg"
    assert (auction_named("uniform"), auction_named("double")) == ("uniform_price", "mcafee")
    with pytest.raises(UnknownName, match="did you mean 'vickrey'"):
        auction_named("vickery")


def test_g7_wrong_and_missing_arguments_are_told_at_once() -> None:
    with pytest.raises(InvalidInput) as caught:
        run_auction(AuctionRules(given={"resrve": 0}))
    told = str(caught.value)
    assert "takes no 'resrve'" in told
    assert "did you mean 'reserve'" in told
    assert "lacks 'bids'" in told
    assert "lacks 'reserve'" in told
    with pytest.raises(InvalidInput, match="takes no 'reserve'"):
        run_auction(AuctionRules(auction="vcg", given={"bids": [], "reserve": 0}))


def test_g7_bids_that_are_no_bids_reach_the_reading() -> None:
    with pytest.raises(InvalidInput, match="hold "):
        run_auction(AuctionRules(given={"bids": [{"bidder": "a", "price": 3}], "reserve": 0}))
    with pytest.raises(InvalidInput, match="search"):
        run_auction(AuctionRules(auction="vcg", given={"bids": [], "search": {"depth": 3}}))
