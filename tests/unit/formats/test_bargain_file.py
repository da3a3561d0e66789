"""Bargain files: haggling over one price."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.formats.bargain_file import read
from comity.formats.scenario import scenario_from
from comity.mechanisms.bargaining import RULE

SELLER = {"opening": 120, "reservation": 70}
BUYER = {"opening": 60, "reservation": 100}


def scenario(**more: Any) -> Any:
    data = {"kind": "bargain", "seller": SELLER, "buyer": BUYER, **more}
    return scenario_from(data, whose="p.toml", folder=Path(), seed="1")


def outcome(**more: Any) -> Any:
    rule, read_rules = RULE
    return rule(read_rules(scenario(**more).rules))


def refusals(**more: Any) -> list[str]:
    with pytest.raises(InvalidInput) as refused:
        scenario(**more)
    return [str(fault) for fault in refused.value.faults]


def test_b4_the_worked_example_is_a_deal_at_80_in_round_4() -> None:
    assert (outcome().price, outcome().round) == (80, 4)


@pytest.mark.parametrize(
    ("more", "price"),
    [
        ({"convention": "midpoint"}, 86),
        ({"first": "seller"}, 92),
        ({"convention": "alternating", "first": "seller"}, 84),
        ({"rounds": 5, "seller": {**SELLER, "rounds": 10}}, 95),
        ({"rounds": 10}, 85),
        ({"split": [50, 50]}, 85),
        ({"tick": 7, "rounds": 4}, 77),
        ({"schedule": "polynomial:0.2"}, 70),
        ({"buyer": {**BUYER, "schedule": [60, 90]}}, 90),
    ],
)
def test_what_the_file_says_reaches_the_bargaining(more: Any, price: Any) -> None:
    found = outcome(**more)
    assert found.price == price


def test_a_party_may_have_no_deadline() -> None:
    waits = {**SELLER, "rounds": "none", "schedule": "fixed"}
    assert outcome(seller=waits, round_limit=8, blind=True).kind == "no_deal"


def test_names_question_and_numbers_are_kept_exactly() -> None:
    found = scenario(
        question="Licence?",
        seller={"name": "ACME", "opening": 120.5, "reservation": "70.25", "discount": "0.9"},
        buyer={**BUYER, "after_deadline": "leave"},
        thin_gap="1/20",
        monotonic=False,
        stall=3,
    )
    assert found.title == "Licence?"
    seller = next(one for one in found.rules["parties"] if one["role"] == "seller")
    assert (seller["name"], seller["opening"], seller["reservation"]) == ("ACME", "120.5", "70.25")
    assert seller["discount"] == "0.9"
    assert found.rules["stall"] == 3
    assert (found.agents, found.private, found.output) == ({}, {}, "")


def test_without_a_question_the_title_names_the_parties() -> None:
    assert scenario(seller={**SELLER, "name": "ACME"}).title == "A price between ACME and buyer"


def test_the_seed_and_the_folder_change_nothing() -> None:
    data = {"kind": "bargain", "seller": SELLER, "buyer": BUYER}
    one = read(data, whose="x", folder=Path("a"), seed="1")
    assert one == read(data, whose="x", folder=Path("b"), seed="2")


def test_g7_every_fault_of_the_shape_is_told_at_once() -> None:
    said = refusals(seller={"opening": True, "rounds": -1, "opning": 3}, blind="yes")
    assert len(said) == 5
    assert any("did you mean 'opening'" in one for one in said)


def test_g7_every_fault_of_the_parties_is_told_at_once() -> None:
    said = refusals(
        seller={"opening": 60, "reservation": 70}, buyer={"opening": "x", "reservation": 100}
    )
    assert any("seller: opens at 60, below its reservation 70" in one for one in said)
    assert any(one.startswith("buyer: opening is 'x'") for one in said)


@pytest.mark.parametrize(
    "more",
    [
        {"schedule": "linear"},
        {"seller": {**SELLER, "schedule": "linear"}},
        {"buyer": {**BUYER, "rounds": 3}},
        {"rounds": "none"},
        {"rounds": 1},
        {"buyer": {**BUYER, "reservation": 65}},
    ],
)
def test_a_split_that_cannot_be_is_refused(more: Any) -> None:
    assert refusals(split=[50, 50], **more)


def test_a_split_beside_three_schedules_names_each() -> None:
    both = {"schedule": "linear"}
    said = refusals(
        split=[1, 1], schedule="linear", seller={**SELLER, **both}, buyer={**BUYER, **both}
    )
    assert len(said) == 3


def test_prices_in_minor_units_stay_decimal() -> None:
    cents = {"opening": "120.00", "reservation": "70.00"}
    found = outcome(seller=cents, buyer={"opening": "60.00", "reservation": "100.00"})
    assert isinstance(found.price, Decimal)
