"""Dominant: several resources at once."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.core.results import result_from_json
from comity.mechanisms.sharing.dominant import share_resources
from comity.testing.ledger_checks import Check
from comity.testing.mechanism_checks import call, check_mechanism

CALLS = [
    call({"cpu": 9, "gb": 18}, {"a": {"cpu": 1, "gb": 4}, "b": {"cpu": 3, "gb": 1}}),
    call([10, 20], {"A": [1, 1], "B": [2, 0], "C": [0, 1]}, weights={"A": 2}),
]


@pytest.mark.parametrize("name", [name for name, _ in check_mechanism(share_resources, [])])
def test_it_keeps_the_contract_of_a_mechanism(name: str) -> None:
    checks: dict[str, Check] = dict(check_mechanism(share_resources, CALLS))
    checks[name]()


def test_dominant_shares_are_alike_as_long_as_both_can_go_on() -> None:
    found = share_resources({"cpu": 9, "gb": 18}, {"a": {"cpu": 1, "gb": 4}, "b": [3, 1]})
    assert [(one.name, one.value) for one in found.dominant] == [
        ("a", Fraction(2, 3)),
        ("b", Fraction(2, 3)),
    ]
    assert [(one.name, one.value) for one in found.left] == [("cpu", 0), ("gb", 4)]
    assert found.says == "Shared cpu, gb by dominant share: tasks a 3, b 2."
    assert result_from_json(json.loads(json.dumps(found.to_json()))) == found


def test_weights_and_resources_that_nobody_needs() -> None:
    found = share_resources([12, 5, 0], {"a": [1, 0, 0], "b": [1, 0, 0]}, weights={"a": 2})
    assert [one.value for one in found.shares] == [8, 4]
    assert [one.value for one in found.left] == [0, 5, 0]


@pytest.mark.parametrize(
    ("capacity", "demands", "weights", "faults"),
    [
        ({}, {}, None, 2),
        (5, 5, None, 2),
        ([10], {"a": [0]}, None, 1),
        ([0], {"a": [1]}, None, 1),
        ([10], {"a": [1, 2]}, None, 1),
        ([10], {"a": 5}, None, 1),
        ({"cpu": 10}, {"a": {"gpu": 1}}, None, 2),
        ([10], {"a": [float("nan")]}, {"a": 0}, 3),
        ([True, -1], {"": [1, 1]}, None, 3),
    ],
)
def test_what_cannot_be_shared_is_refused(
    capacity: Any, demands: Any, weights: Any, faults: int
) -> None:
    with pytest.raises(InvalidInput) as caught:
        share_resources(capacity, demands, weights=weights)
    assert len(caught.value.faults) == faults, caught.value.faults
