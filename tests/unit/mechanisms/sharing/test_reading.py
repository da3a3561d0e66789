"""Reading: rules as a whole, every fault at once, JSON both ways (G5-G7, K2)."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.core.units import Rates
from comity.mechanisms.sharing.divide import divide
from comity.mechanisms.sharing.reading import (
    read_rules,
    share_rules_from_json,
    share_rules_to_json,
)
from comity.mechanisms.sharing.rules import ShareRules

CLAIMS: dict[str, Any] = {"a": [[10, 2]], "b": [[10, 1]]}


def rules(**given: Any) -> ShareRules:
    return ShareRules(**{"budget": 10, "claims": CLAIMS} | given)


def told(**given: Any) -> list[str]:
    with pytest.raises(InvalidInput) as caught:
        read_rules(rules(**given))
    return [f"{fault.whose}: {fault.what}" for fault in caught.value.faults]


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"budget": -1}, "rules: budget is -1"),
        ({"budget": True}, "rules: budget is True"),
        ({"budget": float("nan")}, "rules: budget is nan"),
        ({"budget": "10.5", "quantum": 1}, "rules: budget is 10.5, no whole number of 1"),
        ({"quantum": 0}, "rules: quantum is 0"),
        ({"claims": {}}, "claims: are {}"),
        ({"claims": 5}, "claims: are 5"),
        ({"claims": {"": [[1, 1]]}}, "agent '': cannot be used as a name"),
        ({"objective": "max"}, "rules: objective 'max' is unknown"),
        ({"measure": "x"}, "rules: measure 'x' is unknown"),
        ({"concavify": 1}, "rules: concavify is 1"),
        ({"credits": True}, "rules: credits are asked for under 'nash'"),
        ({"seed": 7}, "rules: seed is 7"),
        ({"minimum": -1}, "rules: minimum is -1"),
        ({"minimum": {"a": "1/2"}}, "a: minimum is 0.5, no whole number of 1"),
        ({"minimum": 5, "maximum": {"a": 4}}, "a: its minimum 5 is above its maximum 4"),
        ({"weights": {"a": 0}}, "a: weights is 0"),
        ({"weights": {"x": 1}}, "weights: name 'x', who claims nothing"),
        ({"ratios": {"a": 0}}, "a: ratios is 0"),
        ({"asks": {"a": -1}}, "a: asks is -1"),
        ({"units": {"a": 5}}, "units: are {'a': 5}"),
        ({"units": {"x": "ms"}}, "units: name 'x', who claims nothing"),
        ({"rates": {"unit": 5}}, "rates: are {'unit': 5}"),
        ({"rates": {"unit": "GBP", "x": 1}}, "rates: are {'unit': 'GBP', 'x': 1}"),
        ({"rates": {"unit": "GBP", "worth": {"GBP": 2}}}, "rates: GBP has a rate"),
        ({"arrivals": "ab"}, "arrivals: are 'ab'"),
        ({"arrivals": ["a"]}, "arrivals: are ['a']"),
        ({"arrivals": ["a", 5]}, "arrivals: are ['a', 5]"),
        ({"arrivals": ["a", "a", "b"]}, "arrivals: are ['a', 'a', 'b']"),
        ({"priorities": {"a": None}}, "a: priorities is None"),
    ],
)
def test_a_wrong_rule_is_refused_and_named(given: dict[str, Any], what: str) -> None:
    assert told(**given) == [what]


def test_g7_all_faults_are_told_at_once() -> None:
    found = told(
        budget=-1,
        claims={"a": [[-1, float("nan")]], "b": [[1, 1], [1, 2]], "c": 5},
        minimum={"a": True},
        weights={"b": -1},
        objective="best",
    )
    assert len(found) == 8


def test_g6_a_sum_demands_one_unit_and_nash_does_not() -> None:
    units = {"a": "GBP", "b": "ms"}
    mixed = "units: {} sharing across a (GBP), b (ms) would add different units"
    assert told(objective="utilitarian", units=units) == [mixed.format("utilitarian")]
    assert told(objective="leximin", units=units) == [mixed.format("leximin")]
    assert not read_rules(rules(units=units)).has_one_unit
    share = read_rules(rules(objective="leximin", measure="share_of_best", units=units))
    assert not share.has_one_unit
    assert read_rules(rules(units={"a": "GBP", "b": "GBP"})).has_one_unit
    assert "no unit" in told(objective="utilitarian", units={"a": "GBP"})[0]


def test_g6_rates_convert_to_one_unit() -> None:
    given = {"objective": "utilitarian", "units": {"a": "ms", "b": "GBP"}}
    for rates in (
        Rates("GBP", (("ms", Fraction(1, 50)),)),
        {"unit": "GBP", "worth": {"ms": "0.02"}},
    ):
        terms = read_rules(rules(rates=rates, **given))
        assert terms.has_one_unit
        assert [one.curve.gain(Fraction(10)) for one in terms.agents] == [Fraction(2, 5), 10]
    assert told(rates={"unit": "GBP"}, units={"a": "ms", "b": "GBP"}) == [
        "a: is measured in 'ms', which has no rate to 'GBP'"
    ]
    assert len(told(rates={"unit": "GBP"}, units=5)) == 3


def test_d3_ratios_scale_gains_and_under_nash_the_weight() -> None:
    plain = read_rules(rules(ratios={"a": "1/2"}, objective="utilitarian")).agents[0]
    assert (plain.curve.gain(Fraction(10)), plain.weight) == (10, 1)
    nash = read_rules(rules(ratios={"a": "1/2"}, weights={"a": 3})).agents[0]
    assert (nash.curve.gain(Fraction(10)), nash.weight) == (20, Fraction(3, 2))


def test_the_quantum_is_the_last_place_of_the_budget() -> None:
    assert read_rules(rules(budget=Decimal("10.00"))).quantum == Fraction(1, 100)
    assert read_rules(rules(budget=Decimal("1E+1"))).quantum == 1
    assert read_rules(rules()).quantum == 1
    assert read_rules(rules(maximum=7)).agents[0].maximum == 7
    assert read_rules(rules(arrivals=[["b", "a"]])).arrivals == (("a", "b"),)


def test_k2_rules_lead_to_the_same_result_through_json() -> None:
    for one in (
        rules(),
        rules(budget="10.00", claims={"a": {"power": 0.5, "scale": 2}, "b": {"demand": "13/5"}}),
        rules(minimum=1, maximum={"a": 7}, weights={"a": "1/3"}, arrivals=["b", "a"]),
        rules(
            objective="utilitarian",
            credits=True,
            rates=Rates("GBP"),
            units={"a": "GBP", "b": "GBP"},
        ),
    ):
        written = json.loads(json.dumps(share_rules_to_json(one)))
        again = share_rules_from_json(written)
        assert divide(again) == divide(one)
        assert share_rules_to_json(again) == share_rules_to_json(one)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (5, "are 5"),
        ({"claims": {}}, "lack budget"),
        ({"budget": 1, "claims": {}, "minimun": 1}, "have no field 'minimun'"),
    ],
)
def test_json_that_is_no_rules_is_refused(data: Any, what: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        share_rules_from_json(data)
    assert [fault.what for fault in caught.value.faults] == [what]
