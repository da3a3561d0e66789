"""Price rules: do they show what was handed in, exactly and in full?"""

from __future__ import annotations

from typing import Any

import pytest

from comity.mechanisms.bargaining.reading import read_rules
from comity.mechanisms.bargaining.rules import PriceParty, PriceRules, Terms


def terms(seller_rounds: int = 5, **changes: Any) -> Terms:
    buyer = PriceParty(role="buyer", opening="60.50", reservation=100, deadline=5)
    seller = PriceParty(
        role="seller",
        name="Acme",
        opening=120,
        reservation="70",
        deadline=seller_rounds,
        schedule=[120, "1/3", 80] if changes.pop("has_table", False) else "boulware",
    )
    return read_rules(PriceRules(parties=(seller, buyer), **changes))


def test_g1_a_party_shows_everything_it_handed_in() -> None:
    assert terms().buyer.to_json() == {
        "name": "buyer",
        "role": "buyer",
        "opening": "60.50",
        "reservation": 100,
        "deadline": 5,
        "schedule": "linear",
        "after_deadline": "hold",
        "discount": 1,
    }
    assert terms().seller.to_json()["schedule"] == "polynomial:0.2"


def test_g1_the_rules_show_what_is_set() -> None:
    assert terms().settings() == {
        "convention": "same_round",
        "first": "buyer",
        "blind": False,
        "stall": 1,
        "monotonic": True,
        "thin_gap": "1/10",
    }
    full = terms(tick="0.5", round_limit=9, time_limit_ms=7, readings_ms=[0, 1], thin_gap=0)
    assert (
        full.settings().items()
        >= {
            "tick": "0.5",
            "round_limit": 9,
            "time_limit_ms": 7,
            "readings_ms": (0, 1),
            "thin_gap": 0,
        }.items()
    )


def test_g4_the_buyer_stands_first_whatever_the_order() -> None:
    assert [seat.role for seat in terms().seats] == ["buyer", "seller"]
    parties = terms().to_json()["parties"]
    assert [party["name"] for party in parties] == ["buyer", "Acme"]  # type: ignore[union-attr,index,call-overload]


def test_b6_unequal_deadlines_are_known() -> None:
    assert not terms().unequal_deadlines
    assert terms(seller_rounds=6).unequal_deadlines


def test_g3_rules_and_parties_cannot_be_changed() -> None:
    buyer = PriceParty(role="buyer", opening=60, reservation=100, deadline=5)
    for value, field in ((buyer, "opening"), (PriceRules(parties=(buyer,)), "blind")):
        with pytest.raises(AttributeError):
            setattr(value, field, 1)
