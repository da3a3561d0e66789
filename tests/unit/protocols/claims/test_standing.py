"""Standing: a claim is read exactly, and refused with every fault at once (R2, G5, G7)."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.arbitration import RULES, Arbitration, Claim, Policy
from comity.protocols.claims import DeskRules, Standing, Wanted
from comity.protocols.claims.standing import claim_faults, claim_of, lease_faults, read_wanted

NAN, INFINITE = float("nan"), float("inf")


def read(wanted: Wanted, **policy: Any) -> Standing:
    rules = DeskRules(policy=Policy(**policy), claim_ms=70, lease_ms=80)
    return read_wanted(wanted, rules, Arbitration(rules.policy, seed=""))


def faults(wanted: Wanted, **policy: Any) -> list[str]:
    with pytest.raises(InvalidInput) as caught:
        read(wanted, **policy)
    return [f"{one.whose} {one.what}" for one in caught.value.faults]


@pytest.mark.parametrize(
    ("given", "exact"),
    [
        (3, 3),
        (0.1, Decimal("0.1")),
        (0.1 + 0.2, Decimal("0.30000000000000004")),
        (2.0, 2),
        ("1/3", Fraction(1, 3)),
        (Decimal("0.50"), Decimal("0.50")),
        (-5, -5),
    ],
)
def test_g5_a_priority_is_read_as_it_is_written(given: Any, exact: Any) -> None:
    found = read(Wanted("gpu", "a", given)).priority
    assert (found, type(found)) == (exact, type(exact))


def test_r2_a_priority_left_out_is_the_declared_one_or_0() -> None:
    assert read(Wanted("gpu", "a")).priority == 0
    assert read(Wanted("gpu", "a"), priorities={"a": 7}).priority == 7
    assert faults(Wanted("gpu", "z"), priorities={"a": 7}) == ["agent 'z' is not declared"]


def test_r7_times_left_out_are_those_of_the_rules() -> None:
    one = read(Wanted("gpu", "a"))
    assert (one.until_ms, one.lease_ms) == (70, 80)
    one = read(Wanted("gpu", "a", lease_ms=1, claim_ms=2))
    assert (one.until_ms, one.lease_ms) == (2, 1)


def test_g7_every_fault_of_a_claim_comes_at_once() -> None:
    found = faults(Wanted(" gpu", "a\nb", NAN, True, 0), rule="split", units=2)  # type: ignore[arg-type]
    assert found == [
        "resource ' gpu' cannot be used as a name",
        "agent 'a\\nb' cannot be used as a name",
        "claim of 'a\\nb' priority is nan",
        "claim lease_ms is True",
        "claim claim_ms is 0",
        "rule split gives no leases",
        "policy has 2 winners for each conflict",
    ]


def test_g7_what_only_the_rule_finds_comes_with_the_rest() -> None:
    found = faults(Wanted("gpu", "a", -1, lease_ms=-1), rule="stride")
    assert found == ["claim lease_ms is -1", "claim of 'a' has the weight -1"]
    found = faults(Wanted("tpu", "a", claim_ms=-1), scope="group", groups={"gpu": "big"})
    assert found == ["claim claim_ms is -1", "resource 'tpu' has no group"]


@pytest.mark.parametrize("priority", [NAN, INFINITE, -INFINITE, True, "high", [], "9" * 5000])
def test_g5_what_is_no_exact_number_is_no_priority(priority: Any) -> None:
    assert len(faults(Wanted("gpu", "a", priority))) == 1


@pytest.mark.parametrize("name", ["", " ", "a ", "\t", "a\x00", "a\u200b", "x" * 201, 7, None, []])
def test_r2_names_that_cannot_stand_for_anybody_are_refused(name: Any) -> None:
    assert len(faults(Wanted(name, "a"))) == 1
    assert len(faults(Wanted("gpu", name))) == 1


@pytest.mark.parametrize("name", ["x" * 200, "team/agent-1", "Zoë", "エージェント", "a b"])
def test_r2_printable_names_are_fine(name: str) -> None:
    assert read(Wanted(name, name)).agent == name


@pytest.mark.parametrize(
    ("policy", "told"),
    [
        ({"rule": "split"}, ["rule split gives no leases"]),
        ({"rule": "human"}, ["rule human gives no leases"]),
        ({"rule": "second_price"}, ["rule second_price gives no leases"]),
        ({"units": 2}, ["policy has 2 winners for each conflict"]),
    ],
)
def test_r7_a_policy_without_one_winner_each_time_gives_no_leases(
    policy: dict[str, Any], told: list[str]
) -> None:
    rules = DeskRules(policy=Policy(**policy))
    assert [f"{one.whose} {one.what}" for one in lease_faults(rules)] == told
    assert faults(Wanted("gpu", "a", 1), **policy) == told


GIVE_NONE = {"split", "human", "second_price"}


@pytest.mark.parametrize("rule", sorted(RULES.keys() - GIVE_NONE))
def test_r7_every_other_rule_gives_leases(rule: str) -> None:
    assert read(Wanted("gpu", "a", 1), rule=rule).priority == 1


def test_r4_rules_that_look_at_arrival_see_the_number_of_the_claim() -> None:
    one = Standing(7, "gpu", "a", 3, 0, 9, 9)
    assert claim_of(one, DeskRules()) == ("a", 3)
    assert claim_of(one, DeskRules(policy=Policy(rule="latest"))) == Claim("a", 3, 7)


def test_g7_a_claim_that_stands_is_looked_at_under_other_rules() -> None:
    rules = DeskRules(policy=Policy(rule="stride", priorities={"b": 1}))
    one = Standing(7, "gpu", "a", 0, 0, 9, 9)
    engine = Arbitration(rules.policy, seed="")
    assert [str(fault.what) for fault in claim_faults(one, rules, engine)] == ["is not declared"]


@pytest.mark.parametrize("priority", [3, Decimal("0.50"), Fraction(1, 3)])
def test_k1_a_claim_that_stands_comes_back_from_json(priority: Any) -> None:
    one = Standing(1, "gpu", "a", priority, 5, 60_000, 1_000)
    again = Standing.from_json(json.loads(json.dumps(one.to_json())))
    assert (again, type(again.priority)) == (one, type(priority))
