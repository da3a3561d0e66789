"""Rules of a desk: every fault at once, and the same rules back from JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.arbitration import Policy
from comity.protocols.claims import DeskRules, desk_rules_from_json, desk_rules_to_json


def faults_of(call: Any, *given: Any, **named: Any) -> list[str]:
    with pytest.raises(InvalidInput) as caught:
        call(*given, **named)
    return [f"{one.whose} {one.what}" for one in caught.value.faults]


def test_r7_the_standard_rules_are_one_unit_a_minute_and_no_gathering() -> None:
    rules = DeskRules()
    assert (rules.capacity, rules.lease_ms, rules.claim_ms, rules.gather_ms, rules.circles) == (
        1,
        60_000,
        60_000,
        0,
        "refuse",
    )


def test_g7_all_faults_of_rules_come_at_once() -> None:
    found = faults_of(
        DeskRules,
        policy="losses",
        capacity=0,
        lease_ms=True,
        claim_ms=1.5,
        gather_ms=-1,
        circles="refuze",
    )
    assert found == [
        "policy is 'losses'",
        "desk capacity is 0",
        "desk lease_ms is True",
        "desk claim_ms is 1.5",
        "desk gather_ms is -1",
        "desk circles is 'refuze'",
    ]


@pytest.mark.parametrize("longest", [365 * 86_400_000])
def test_r7_the_longest_lease_is_a_year(longest: int) -> None:
    assert DeskRules(lease_ms=longest).lease_ms == longest
    assert faults_of(DeskRules, lease_ms=longest + 1) == [f"desk lease_ms is {longest + 1}"]


def test_l2_an_older_claimant_can_take_one_unit_only() -> None:
    assert faults_of(DeskRules, capacity=2, circles="wound_wait") == [
        "desk has 2 units under wound_wait"
    ]
    assert DeskRules(circles="wound_wait").circles == "wound_wait"


def test_k1_rules_come_back_from_json() -> None:
    policy = Policy(c="1/3", priorities={"a": 1}, scope="global")
    rules = DeskRules(policy=policy, capacity=3, lease_ms=5, claim_ms=6, gather_ms=7)
    assert desk_rules_from_json(json.loads(json.dumps(desk_rules_to_json(rules)))) == rules
    assert desk_rules_from_json({}) == DeskRules()


def test_g7_json_with_several_faults_tells_all_of_them() -> None:
    data: Any = {"capacty": 2, 7: 1, "policy": {"rule": "loses"}, "lease_ms": None}
    assert faults_of(desk_rules_from_json, data) == [
        "desk has 'capacty'",
        "desk has 7",
        "rule 'loses' does not exist",
        "desk lease_ms is None",
    ]


def test_r3_who_can_starve_is_told_when_a_desk_is_built() -> None:
    assert DeskRules(policy=Policy(c=2)).warnings == ()
    assert any("can starve" in one for one in DeskRules(policy=Policy(c=0)).warnings)
    (told,) = DeskRules(policy=Policy(c=2), circles="wound_wait").warnings
    assert "rule and priorities are not looked at, no bound holds" in told
    assert "can starve" in told
