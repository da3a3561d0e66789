"""Rules: what a live auction is fixed by (A1, A2, G9)."""

from __future__ import annotations

from typing import Any

import pytest

from comity.protocols.bidding.opening import bidding_rules
from comity.protocols.bidding.rules import BiddingLimits, BiddingRules


def made(**settings: Any) -> BiddingRules:
    return bidding_rules("a slot", ["bob", "ann"], seed="1", **{"reserve": 0, **settings})


def test_a2_an_auction_without_a_kind_is_second_price_and_of_units_vcg() -> None:
    assert made().rule == "second_price"
    assert made(units=2).rule == "multi_unit_vcg"


def test_a_commitment_holds_one_number_also_where_units_are_sold() -> None:
    assert made(units=2).takes_several
    assert not made(units=2, commit=True).takes_several
    assert made(units=2, commit=True).sells_units
    assert not made().sells_units


def test_a_clock_has_its_own_rules_and_sealed_bids_have_none() -> None:
    assert made().clock is None
    clock = made(mode="dutch", reserve=5, start=20, step=5).clock
    assert clock is not None
    assert (clock.kind, clock.reserve, clock.start, clock.step) == ("dutch", 5, 20, 5)
    assert clock.seed == "1"


def test_the_digest_names_one_auction() -> None:
    assert made().digest == made().digest
    assert made().digest != made(reserve=1).digest


@pytest.mark.parametrize("name", ["deadline_ms", "reveal_ms", "level_ms", "reasks"])
@pytest.mark.parametrize("value", [-1, True, "5", 1.5])
def test_g7_limits_that_cannot_be_are_told(name: str, value: Any) -> None:
    limits = BiddingLimits(**{name: value})
    assert [fault.what.split()[0] for fault in limits.faults()] == [name]
    assert BiddingLimits().faults() == []
