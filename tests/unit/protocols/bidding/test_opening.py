"""Opening: every fault at once, and recorded rules that are read again (A1, A2, G5, G6, G7)."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from comity.core.canonical import canonical
from comity.core.errors import InvalidInput
from comity.protocols.bidding.opening import bidding_rules, rules_from_json
from comity.protocols.bidding.rules import BiddingLimits, BiddingRules

ENGLISH = {"mode": "english", "reserve": 10, "end": 50, "step": 10}
DUTCH = {"mode": "dutch", "reserve": 10, "start": 50, "step": 10}


def made(bidders: Any = ("ann", "bob"), **settings: Any) -> BiddingRules:
    told = {"reserve": 0, **settings}
    return bidding_rules(told.pop("item", "a slot"), bidders, seed="1", **told)


def refusal(bidders: Any = ("ann", "bob"), **settings: Any) -> str:
    with pytest.raises(InvalidInput) as refused:
        made(bidders, **settings)
    return str(refused.value)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"item": " "}, "sells nothing"),
        ({"mode": "englsh"}, "did you mean 'english'"),
        ({"changes": "never"}, "has changes 'never'"),
        ({"reserve": -1}, "reserve is -1"),
        ({"reserve": float("nan")}, "reserve is nan"),
        ({"reserve": True}, "reserve is True"),
        ({"reservation": 3}, "unknown entry 'reservation'"),
        ({"rule": "secnd_price"}, "did you mean"),
        ({"rule": "mcafee"}, "which one number per bidder cannot feed"),
        ({"rule": "vickrey", "units": 2}, "sells 2 units by second_price"),
        ({"units": 0}, "units is 0"),
        ({"units": True}, "units is True"),
        ({"commit": "yes"}, "commit is 'yes'"),
        ({"unit": 3}, "unit is 3"),
        ({"work": 3}, "work is 3"),
        ({"min_bidders": 3}, "needs 3 bidders of 2"),
        ({"min_bidders": 2, "units": 2}, "min_bidders with multi_unit_vcg"),
        ({"end": 3}, "'end', which belongs to a clock"),
        ({"limits": BiddingLimits(level_ms=0)}, "level_ms is 0"),
        ({**ENGLISH, "rule": "second_price"}, "'rule', which belongs to sealed bids"),
        ({**ENGLISH, "commit": True}, "'commit', which belongs to sealed bids"),
        ({**ENGLISH, "units": 1.0}, "'units', which belongs to sealed bids"),
        ({**ENGLISH, "start": 11}, "the start at the reserve"),
        ({**ENGLISH, "end": 9}, "below the reserve"),
        ({**ENGLISH, "end": None}, "does not say where it ends"),
        ({**DUTCH, "start": None}, "does not say where it starts"),
        ({**ENGLISH, "levels": 5}, "states step and levels"),
        ({**ENGLISH, "step": None}, "states neither step nor levels"),
        ({**ENGLISH, "step": 0}, "has the step 0"),
        ({**ENGLISH, "step": "x"}, "step is 'x'"),
        ({**ENGLISH, "step": None, "levels": 1}, "has 1 levels"),
        ({**ENGLISH, "end": 10, "step": None, "levels": 3}, "over a distance of 0"),
        ({**ENGLISH, "step": "1/100"}, "has 4001 prices"),
    ],
)
def test_g7_what_does_not_fit_is_told(settings: dict[str, Any], told: str) -> None:
    assert told in refusal(**settings)


@pytest.mark.parametrize(
    ("bidders", "told"),
    [
        ([], "bidders: is empty"),
        (["ann", "ann"], "'ann' is listed twice"),
        (["ann", ""], "cannot be used as a name"),
        ("ann", "is the text 'ann'"),
    ],
)
def test_g7_bidders_are_a_list_of_names(bidders: Any, told: str) -> None:
    assert told in refusal(bidders)


def test_g7_all_faults_come_at_once() -> None:
    said = refusal(["ann", "ann"], reserve=-1, mode="x", rule="y", units=0)
    assert len(said.splitlines()) == 5


def test_every_auction_needs_a_bidder_before_it_needs_two() -> None:
    assert "bidders of 0" not in refusal([], min_bidders=2)


def test_bidders_are_sorted_and_the_unit_is_bare() -> None:
    rules = made(["cyd", "ann"], unit=" GBP ")
    assert (rules.bidders, rules.unit) == (("ann", "cyd"), "GBP")


def test_a_clock_has_as_many_levels_as_said() -> None:
    rules = made(mode="english", reserve="0.50", end=2, levels=4)
    assert (rules.start, rules.end, rules.step) == (Decimal("0.50"), 2, Decimal("0.50"))
    assert made(mode="dutch", reserve=1, start=2, levels=4).step == Fraction(1, 3)
    assert made(mode="english", reserve=7, end=7, step=1).end == 7


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"units": 3, "unit": "GBP", "changes": "first", "work": "read me"},
        {"commit": True, "limits": BiddingLimits(reveal_ms=5, reasks=0)},
        {"min_bidders": 2, "rule": "first price", "reserve": "8.50"},
        {"mode": "dutch", "reserve": 1, "start": 2, "levels": 4},
        {**ENGLISH, "step": "0.05", "reserve": 49},
    ],
)
def test_k2_recorded_rules_are_read_again(settings: dict[str, Any]) -> None:
    rules = made(**settings)
    recorded = json.loads(canonical(rules.to_json()))
    assert rules_from_json(recorded) == rules
    assert rules_from_json(recorded).digest == rules.digest


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"seed": None}, "lack seed"),
        ({"order": "ann"}, "have no bidders and limits to read"),
        ({"limits": 3}, "have no bidders and limits to read"),
        ({"order": [3]}, "lists 3"),
        ({"limits": {"deadline_ms": "x"}}, "limits.deadline_ms"),
    ],
)
def test_k2_a_damaged_record_is_refused(change: dict[str, Any], told: str) -> None:
    data = {**made().to_json(), **change}
    kept = {name: one for name, one in data.items() if one is not None or name == "start"}
    with pytest.raises(InvalidInput, match=told):
        rules_from_json(kept)
