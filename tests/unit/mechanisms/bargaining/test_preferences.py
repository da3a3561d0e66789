"""Tests of additive preferences: exact values, reservation, every fault at once (M1, G5, G7)."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from comity.core.canonical import canonical
from comity.core.errors import InvalidInput
from comity.mechanisms.bargaining.domain import Domain, domain_of
from comity.mechanisms.bargaining.preferences import additive


@pytest.fixture
def auth() -> Domain:
    return domain_of({"tls": ["1.2", "1.3"], "days": [30, 60, 90]})


def faults_of(domain: Domain, *args: Any, **named: Any) -> list[str]:
    with pytest.raises(InvalidInput) as error:
        additive(domain, *args, **named)
    return [str(fault) for fault in error.value.faults]


def test_m1_a_deal_is_worth_the_sum_of_its_options_and_what_is_left_out_is_worth_nothing(
    auth: Domain,
) -> None:
    found = additive(auth, {"tls": {"1.3": 0.1}, "days": {"30": "0.2", 60: Fraction(1, 3)}})
    assert found.of({"tls": "1.3", "days": "30"}) == Fraction(3, 10)
    assert found.of({"tls": "1.3", "days": "60"}) == Fraction(13, 30)
    assert found.of({"tls": "1.2", "days": "90"}) == 0
    assert found.table()["days"] == {"30": Fraction(1, 5), "60": Fraction(1, 3), "90": 0}


def test_best_and_worst_are_those_of_all_deals(auth: Domain) -> None:
    found = additive(auth, {"tls": {"1.2": -3, "1.3": 5}, "days": {"30": 1, "90": Decimal("2.5")}})
    worth = [found.of(deal) for deal in auth.deals()]
    assert found.best == max(worth) == Fraction(15, 2)
    assert found.worst == min(worth) == -3


def test_b5_a_deal_is_accepted_at_its_reservation_and_not_below(auth: Domain) -> None:
    values = {"tls": {"1.3": 5}, "days": {"30": 2, "60": 1}}
    found = additive(auth, values, reservation=6)
    assert found.accepts({"tls": "1.3", "days": "60"})
    assert not found.accepts({"tls": "1.3", "days": "90"})
    assert additive(auth, values).accepts({"tls": "1.2", "days": "90"})
    assert not additive(auth, values, reservation=0.001).accepts({"tls": "1.2", "days": "90"})


def test_preferences_survive_json(auth: Domain) -> None:
    found = additive(auth, {"tls": {"1.3": 0.1}}, reservation=Fraction(1, 3), unit="GBP")
    told = json.loads(canonical(found.to_json()))
    again = additive(auth, told["values"], reservation=told["reservation"], unit=told["unit"])
    assert again == found
    none = json.loads(canonical(additive(auth, {}).to_json()))
    assert none["reservation"] is None


FAULTS: list[tuple[dict[Any, Any], dict[str, Any], list[str]]] = [
    ({"tsl": {"1.3": 1}}, {}, ["did you mean 'tls'"]),
    ({"tls": 5}, {}, ["values tls by 5"]),
    ({"tls": {"1.4": 1}}, {}, ["'1.4', which is not on offer"]),
    ({"days": {30: 1, "30": 2}}, {}, ["values days = 30 twice"]),
    ({"tls": {"1.3": float("nan")}}, {}, ["value of tls = 1.3 is nan"]),
    ({"tls": {"1.3": True}}, {}, ["value of tls = 1.3 is True"]),
    ({}, {"reservation": float("inf")}, ["reservation is inf"]),
    ({"x": {}, "tls": {"9": "much"}}, {"reservation": "all"},
     ["the term 'x'", "not on offer", "value of tls = 9", "reservation is 'all'"]),
]  # fmt: skip


@pytest.mark.parametrize(("values", "named", "told"), FAULTS)
def test_g7_preferences_that_cannot_be_used_say_all_that_is_wrong_and_whose_they_are(
    values: dict[Any, Any], named: dict[str, Any], told: list[str], auth: Domain
) -> None:
    found = faults_of(auth, values, whose="seat 'CX'", **named)
    assert len(found) == len(told)
    assert all(part in fault for part, fault in zip(told, found, strict=True))
    assert all(fault.startswith("seat 'CX': ") for fault in found)
