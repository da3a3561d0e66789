"""Auction files: sealed bids as a scenario (A1, A2, G5-G7, G10)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from comity.core.canonical import canonical
from comity.core.errors import InvalidInput, UnknownName
from comity.formats.auction_file import decided, read
from comity.formats.scenario import data_in, scenario_from
from comity.mechanisms.auctions import AUCTIONS, RULE

BIDS = {"a": 42, "b": 37, "c": 51, "d": 29}
ITEMS = [
    {"bidder": "a", "bid": 6, "items": ["A", "B"]},
    {"bidder": "b", "bid": 3, "items": ["A"]},
    {"bidder": "c", "bid": 3, "items": ["B"]},
]
EXAMPLES: dict[str, dict[str, Any]] = {
    "second_price": {"bids": BIDS, "reserve": 0, "min_bidders": 2, "faulty": "refuse"},
    "first_price": {"bids": BIDS, "reserve": "0.50"},
    "uniform_price": {"bids": {"a": [5, 4], "b": 3}, "units": 2, "reserve": 0},
    "multi_unit_vcg": {"bids": {"a": [5, 4], "b": 3}, "units": 2, "reserve": 0, "unit": "GBP"},
    "combinatorial_vcg": {"bids": ITEMS, "items": ["A", "B"], "reserves": {"A": 1},
                          "search": {"method": "branch_and_bound", "nodes": 99}},
    "mcafee": {"buyers": {"b": 9, "c": 8}, "sellers": {"s": 1, "t": 2}},
    "double_vcg": {"buyers": [{"bidder": "b", "bid": 9}], "sellers": {"s": 1}},
}  # fmt: skip


def scenario(**data: Any) -> Any:
    told = {"kind": "auction", **data}
    return scenario_from(told, whose="a.toml", folder=Path(), seed="drawn")


def refusals(**data: Any) -> list[str]:
    with pytest.raises(InvalidInput) as refused:
        scenario(**data)
    return [str(fault) for fault in refused.value.faults]


def toml(text: str) -> Any:
    data = data_in(f'kind = "auction"\n{text}', whose="a.toml", is_json=False)
    return scenario_from(data, whose="a.toml", folder=Path(), seed="drawn")


@pytest.mark.parametrize("rule", AUCTIONS)
def test_a2_every_auction_can_be_stated_in_a_file(rule: str) -> None:
    found = scenario(rule=rule, seed=7, **EXAMPLES[rule])
    assert found.rules["auction"] == rule
    assert found.rules["seed"] == "7"
    result: Any = decided(found)
    assert (result.kind, result.grounds.rule) == ("award", rule)
    run, read_rules = RULE
    assert run(read_rules(found.rules)) == result
    assert canonical(found.rules)


def test_a2_an_auction_without_a_rule_is_second_price_and_c_wins_at_42() -> None:
    found = scenario(bids=BIDS, reserve=0)
    result: Any = decided(found)
    assert (result.winner, result.price, result.surplus) == ("c", 42, 9)
    assert (found.title, found.rules["seed"]) == ("An auction by second price", "drawn")
    assert (found.agents, found.private, found.output) == ({}, {}, "")
    assert scenario(bids=BIDS, reserve=0, question="Who?").title == "Who?"


def test_the_folder_changes_nothing() -> None:
    data = {"kind": "auction", "bids": BIDS, "reserve": 0}
    one = read(data, whose="x", folder=Path("a"), seed="1")
    assert one == read(data, whose="x", folder=Path("b"), seed="1")


@pytest.mark.parametrize("name", ["Second-Price", "vickrey", "VCG", "multi unit vcg"])
def test_a_rule_is_found_however_it_is_written(name: str) -> None:
    bids: Any = ITEMS if name == "VCG" else BIDS
    more = {"units": 1} if "multi" in name else {}
    assert scenario(rule=name, bids=bids, **more, **({} if name == "VCG" else {"reserve": 0}))


def test_a1_the_reserve_is_asked_for_in_words_that_say_how() -> None:
    (said,) = refusals(bids=BIDS)
    assert said.startswith("second-price: lacks a reserve. Allowed: the least price; 0 says that")
    assert said.endswith("Next: write reserve = 0, or add --reserve 0.")


def test_g5_numbers_with_a_point_are_read_digit_by_digit() -> None:
    found = toml('reserve = 0.10\n[bids]\na = 12345678901234567.89\nb = "1/3"\nc = 1e3')
    assert found.rules["reserve"] == "0.10"
    assert found.rules["bids"] == {"a": "12345678901234567.89", "b": "1/3", "c": 1000}


def test_g7_every_fault_of_the_shape_is_told_at_once_with_the_nearest_key() -> None:
    said = "\n".join(refusals(bids={"a": True}, resrve=0, units=0, faulty="ignore"))
    for part in ("did you mean 'reserve'", "bids.a is true", "units is 0", "faulty is 'ignore'"):
        assert part in said


def test_g7_rule_arguments_and_bids_are_told_at_once() -> None:
    said = "\n".join(refusals(rule="fist price", bids={"a": "x", "b": -1, "c c c!": 3}, units=2))
    for part in (
        "auction 'fist price': does not exist",
        "did you mean 'first-price'",
        "does not sell several units (units, --units)",
        "lacks a reserve",
        "bid of 'a': amount is 'x'",
        "bid of 'b': is -1",
    ):
        assert part in said


def test_g7_faults_of_the_bids_alone_come_when_they_are_opened() -> None:
    with pytest.raises(InvalidInput) as refused:
        decided(scenario(bids={"a": "nan", "b": "inf"}, reserve=-1))
    assert len(refused.value.faults) == 3


def test_g6_rates_convert_bids_in_other_units() -> None:
    rows = [{"bidder": "a", "bid": 4}, {"bidder": "b", "bid": 300, "unit": "ms"}]
    found = scenario(bids=rows, reserve=0, rates={"ms": "0.02 GBP"})
    assert found.rules["rates"] == {"unit": "GBP", "worth": {"ms": "1/50"}}
    result: Any = decided(found)
    assert (result.winner, result.price, result.unit) == ("b", 4, "GBP")
    assert "one ms is worth '0.02'" in refusals(bids=rows, reserve=0, rates={"ms": "0.02"})[0]
    assert "rates" not in scenario(bids=BIDS, reserve=0, rates={}).rules


def test_rows_may_name_their_side() -> None:
    rows = [
        {"bidder": "b", "bid": 9, "side": "buyer"},
        {"bidder": "s", "bid": 1, "side": "seller"},
    ]
    result: Any = decided(scenario(rule="double vcg", bids=rows))
    assert result.winners == (("b", "buys 1 unit"), ("s", "sells 1 unit"))
    assert decided(scenario(rule="double vcg", bids=rows[:1])).kind == "no_sale"


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"bids": [{"bidder": "a", "bid": 1, "side": "buyer"}, {"bidder": "b", "bid": 1}]},
         "names sides in some of its bids"),
        ({"bids": [{"bidder": "a", "bid": 1, "side": "buyer"}], "sellers": {"s": 1}},
         "names sides twice"),
        ({"buyers": [{"bidder": "a", "bid": 1, "side": "buyer"}], "sellers": {"s": 1}},
         "names sides twice"),
    ],
)  # fmt: skip
def test_g7_sides_are_named_once(data: Any, told: str) -> None:
    assert told in refusals(rule="mcafee", **data)[0]


def test_g10_what_follows_a_no_sale_is_asked_of_those_who_bid() -> None:
    more = {"otherwise": ["vote"], "then": {"question": "Sell to whom?"}}
    found = scenario(bids=BIDS, reserve=99, **more)
    assert sorted(found.rules["otherwise"]["voters"]) == ["a", "b", "c", "d"]
    with pytest.raises(InvalidInput, match="use `comity run FILE`"):
        decided(found)
    rows = [
        {"bidder": "b", "bid": 9, "side": "buyer"},
        {"bidder": "s", "bid": 1, "side": "seller"},
    ]
    double = scenario(rule="mcafee", bids=rows, **more)
    assert sorted(double.rules["otherwise"]["voters"]) == ["b", "s"]
    told = refusals(bids=BIDS, reserve=0, then={"question": "Who?"})
    assert "says [then] without otherwise" in told[0]


def test_a_file_that_names_no_bids_is_refused_by_its_rule() -> None:
    said = "\n".join(refusals())
    assert "second-price: lacks bids" in said
    with pytest.raises(UnknownName, match="'auction'"):
        scenario_from({"kind": "aucton"}, whose="x", folder=Path(), seed="1")
