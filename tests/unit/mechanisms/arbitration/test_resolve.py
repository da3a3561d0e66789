"""Resolve tests: are plain values enough to decide one conflict after another?

Here: the spelling callers use, the state that goes from result to result, recorded rules.
Not here: each rule (test_rules.py), the reference cases (oracles).
Sources: SEMANTICS R1-R3.
"""

import json
from typing import Any

import pytest

from comity.core.canonical import canonical
from comity.core.errors import InvalidInput
from comity.mechanisms.arbitration import (
    RULE,
    ArbitrationRules,
    Claim,
    Policy,
    resolve,
    resolve_round,
)
from comity.session.registry import at_once

CLAIMS = [("A", 3), ("C", 1)]


def test_r1_the_third_agent_is_not_starved_for_nineteen_days() -> None:
    state: Any = None
    winners = ""
    for day in range(19):
        grant = resolve([("A", 3), ("B", 2), ("C", 1)], state, seed=day)
        winners, state = winners + str(grant.winner), grant.state
    assert winners.count("C") >= 3
    assert "C" in winners[:5]


@pytest.mark.parametrize("state", [None, {}, {"C": 5}])
def test_a_state_may_be_nothing_or_plain_losses(state: Any) -> None:
    given = None if state is None else dict(state)
    grant = resolve(CLAIMS, state, seed="7")
    assert grant.winner == ("C" if state else "A")
    assert state == given, "nothing handed in is changed"
    assert grant.contest.holds == ("never" if state else "always")


def test_r3_a_changed_priority_weakens_the_promise_and_is_noticed() -> None:
    first = resolve([("a", 9), ("b", 5), ("c", 1)], seed="7", policy=Policy(c=2))
    assert [one.bound for one in first.contest.claimants] == [2, 4, 6]
    second = resolve([("a", 9), ("b", 6)], first.state, seed="7", policy=Policy(c=2))
    assert [one.bound for one in second.contest.claimants] == [10, 10]


def test_r2_near_tied_floats_are_both_in_the_draw() -> None:
    claims = [("a", 0.1 + 0.2), ("b", 0.3)]
    found = [resolve(claims, seed=seed) for seed in range(40)]
    assert {one.winner for one in found} == {"a", "b"}
    assert found[0].contest.tolerance > 0
    assert resolve(claims, seed="7", policy=Policy(tolerance=0)).winner == "a"


def test_a_round_of_two_resources_has_two_results_and_one_state() -> None:
    first, second = resolve_round({"tpu": CLAIMS, "gpu": CLAIMS}, seed="7")
    assert (first.contest.resource, second.contest.resource) == ("gpu", "tpu")
    assert first.state == second.state
    assert first.grounds.inputs_digest != second.grounds.inputs_digest
    with pytest.raises(InvalidInput, match="claims nothing"):
        resolve_round({}, seed="7")
    with pytest.raises(InvalidInput, match="round: is 7"):
        resolve_round(7, seed="7")  # type: ignore[arg-type]  # the case


@pytest.mark.parametrize(
    "policy", [Policy(c=2), Policy(rule="hours"), Policy(priorities={"A": 3, "C": 1})]
)
def test_recorded_rules_decide_the_same_again(policy: Policy) -> None:
    rule, read = RULE
    state = resolve(CLAIMS, seed="1", policy=policy, resource="gpu", now=0).state
    rules = ArbitrationRules(
        claims=(Claim("A", 3), Claim("C", 1, at=5)),
        seed="7",
        state=state,
        policy=policy,
        resource="gpu",
        now=60,
    )
    again = read(json.loads(canonical(rules.to_json())))
    assert again == rules
    assert rule(again) == at_once(rule)(rules).outcome
    fresh = read({"claims": [["A", 3]], "seed": "7"})
    assert rule(fresh).winner == "A"
    assert read(ArbitrationRules(claims=(Claim("A", 3),), seed="7").to_json()).state is not None


def test_g7_faults_of_seed_state_and_claims_come_together() -> None:
    wrong: Any = [("a", float("nan")), ("b", True), ("c", 1), ("c", 2)]
    with pytest.raises(InvalidInput) as caught:
        resolve(wrong, 7, seed=None, now=float("inf"))  # type: ignore[arg-type]  # the case
    assert [one.whose for one in caught.value.faults] == [
        "state",
        "seed",
        "conflict",
        "claim of 'a'",
        "claim of 'b'",
        "agent 'c'",
    ]
    with pytest.raises(InvalidInput, match=r"seed: is 1\.5"):
        resolve(CLAIMS, seed=1.5)  # type: ignore[arg-type]  # the case
    with pytest.raises(InvalidInput, match="policy: is 'losses'"):
        resolve(CLAIMS, seed="7", policy="losses")  # type: ignore[arg-type]  # the case


def test_g7_unknown_fields_of_recorded_rules_are_refused() -> None:
    with pytest.raises(InvalidInput, match="unknown field 'seeds'"):
        RULE[1]({"claims": [["A", 3]], "seeds": "7"})
