"""Policy tests: does a policy say what it promises, and who can starve?

Here: bounds, warnings, JSON, faults.
Not here: the formulas (test_bounds.py), reading its tables (test_policy_reading.py).
Sources: SEMANTICS R1-R4.
"""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.arbitration import FACTS, CanStarve, Policy, Population

PEOPLE: Any = {"A": 9, "B": 5, "C": 1}


def test_r3_the_default_promises_a_bound_and_warns_of_nothing() -> None:
    policy = Policy(c=2, priorities=PEOPLE)
    assert policy.bounds() == {"A": 2, "B": 4, "C": 6}
    assert policy.holds == "always"
    assert policy.warnings == ()


@pytest.mark.parametrize(
    "policy",
    [Policy(c=0, priorities=PEOPLE), Policy(rule="static-priority", priorities=PEOPLE)],
)
def test_r3_a_policy_without_a_bound_says_who_can_starve(policy: Policy) -> None:
    assert policy.holds == "never"
    assert set(policy.bounds().values()) == {None}
    assert [one.agent for one in policy.warnings] == ["B", "C"]
    assert str(policy.warnings[1]).startswith("agent C can starve: ")


@pytest.mark.parametrize("options", [{"c": 0}, {"cap": 3}, {"rule": "static_priority"}])
def test_r3_without_declared_agents_somebody_can_starve(options: dict[str, Any]) -> None:
    for more in ({}, {"priorities": {"A": 1, "B": 1}} if "cap" not in options else {}):
        (warning,) = Policy(**options, **more).warnings
        assert warning.agent is None
        assert str(warning).startswith("an agent can starve: ")


def test_r3_with_two_units_the_second_does_not_starve() -> None:
    policy = Policy(c=0, units=2, priorities=PEOPLE)
    assert [one.agent for one in policy.warnings] == ["C"]


@pytest.mark.parametrize("rule", sorted(FACTS))
def test_r3_r4_whatever_does_not_always_hold_warns(rule: str) -> None:
    policy = Policy(rule=rule, priorities=PEOPLE)
    assert bool(policy.warnings) == (policy.holds != "always")
    bounds = policy.bounds()
    assert set(bounds) == set(PEOPLE)
    assert (None in bounds.values()) == (policy.holds == "never" or rule == "hours")


def test_r3_a_cap_is_told_only_where_it_can_be_reached() -> None:
    assert Policy(c=2, cap=12, priorities=PEOPLE).bounds() == {"A": 2, "B": 4, "C": 6}
    assert Policy(c=2, cap=11, priorities=PEOPLE).bounds() == {"A": 2, "B": 4, "C": None}
    assert [one.agent for one in Policy(c=2, cap=11, priorities=PEOPLE).warnings] == ["C"]
    assert Policy(c=2, cap=9, priorities=PEOPLE).bounds() == {"A": 2, "B": None, "C": None}
    changed = Population(priorities=PEOPLE, changed=True)
    assert set(Policy(c=2, cap=11).bounds(changed).values()) == {None}


def test_r1_an_expiry_says_what_it_costs() -> None:
    (warning,) = Policy(expiry=9).warnings
    assert warning == CanStarve(
        None, "whoever stays away for more than 9 conflicts starts again at 0"
    )


def test_r3_priorities_per_claim_have_the_weaker_bound() -> None:
    assert Policy(c=2, per_claim=True, priorities=PEOPLE).bounds() == dict.fromkeys("ABC", 10)
    noticed = Population(priorities=PEOPLE, changed=True, low=0, high=10, peak=4)
    assert Policy(c=2).bounds(noticed) == dict.fromkeys("ABC", 3 * 6)


def test_r3_no_bound_is_claimed_for_losses_that_were_handed_in() -> None:
    known = Population(priorities=PEOPLE, handed_in=True)
    assert set(Policy(c=2).bounds(known).values()) == {None}


def test_r3_floats_widen_the_bound_by_their_tolerance() -> None:
    exact = Population(priorities={"a": 4, "b": 0})
    floats = Population(priorities={"a": 4, "b": 0}, floats=True)
    assert Policy(c=Fraction(4, 3)).bounds(exact)["b"] == 4
    just_under = Policy(c=Fraction(4 * 10**9, 3 * 10**9 - 1))
    assert (just_under.bounds(exact)["b"], just_under.bounds(floats)["b"]) == (3, 4)
    assert Policy(tolerance=1).bounds(exact)["b"] == 6


def test_r4_stride_bounds_go_by_weight() -> None:
    policy = Policy(rule="stride", weights={"A": 2, "B": 1})
    assert policy.bounds({"A": 0, "B": 0}) == {"A": 1, "B": 3}
    assert Policy(rule="stride", units=2).bounds(PEOPLE) == dict.fromkeys("ABC")
    assert Policy(rule="stride").bounds() == {}


def test_the_policy_goes_through_json() -> None:
    policy = Policy(
        rule="losses",
        c="1/3",
        scope="group",
        groups={"gpu-1": "gpu"},
        units=2,
        tolerance=Decimal("0.5"),
        expiry=3,
        cap=7,
        per_claim=True,
        priorities=PEOPLE,
        weights={"A": 1},
        expertise=[("law", "A", 2)],
        reserve=1,
    )
    assert Policy.from_json(policy.to_json()) == policy
    assert Policy.from_json({"priorities": {"A": 1}, "rule": "hours"}).priorities == (("A", 1),)
    assert Policy().to_json() == {"rule": "losses"}
    assert Policy(c=2).digest != Policy(c=1).digest
    with pytest.raises(InvalidInput, match="policy: is 7"):
        Policy.from_json(7)


def test_g7_all_faults_of_a_policy_are_named_at_once() -> None:
    wrong: dict[str, Any] = {
        "rule": "looses",
        "c": -1,
        "scope": "room",
        "groups": {"": "x"},
        "units": 0,
        "tolerance": float("nan"),
        "expiry": True,
        "cap": "much",
        "per_claim": 1,
        "priorities": {"a": True},
        "weights": "a",
        "expertise": [("law", "a")],
        "reserve": -1,
    }
    with pytest.raises(InvalidInput) as caught:
        Policy(**wrong)
    assert len(caught.value.faults) == len(wrong)


def test_weights_are_above_0_and_groups_are_listed() -> None:
    with pytest.raises(InvalidInput) as caught:
        Policy(weights={"a": 0}, scope="group")
    assert [one.what for one in caught.value.faults] == [
        "has the weight 0",
        "has the scope group and no groups",
    ]
