"""Opening: every fault at once, recorded rules read back the same (G7, K2)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from comity.core.canonical import canonical
from comity.core.errors import InvalidInput
from comity.mechanisms.bargaining.problem import problem_of
from comity.mechanisms.bargaining.valuations import computed
from comity.protocols.collect.rules import Gate
from comity.protocols.offers.opening import offers_rules, rules_from_json
from comity.testing.bargains import sample_offers, sample_problem


def refused(**settings: Any) -> list[str]:
    with pytest.raises(InvalidInput) as caught:
        offers_rules(settings.pop("question", "q"), sample_problem(), seed="1", **settings)
    return [str(one) for one in caught.value.faults]


def test_g7_all_faults_are_told_at_once() -> None:
    found = refused(
        question=" ",
        protokol="x",
        protocol="shouting",
        fallback="hope",
        crossing="coin",
        first="zoe",
        rounds=0,
        deadline_ms=True,
        reasks="2",
        monotonic="yes",
        disclose_at_end=1,
        reservation_binds={"zoe": True, "ann": "no"},
        thin_gap="much",
        gate=Gate(default="A"),
    )
    assert len(found) == 15
    assert "did you mean 'protocol'" in found[0]


@pytest.mark.parametrize(
    ("settings", "part"),
    [
        ({"thin_gap": 2}, "0 to 1"),
        ({"reservation_binds": ["ann"]}, "seat = true or false"),
        ({"turn_timeout_ms": 0}, "1 or more"),
        ({"stall": -1}, "1 or more"),
    ],
)
def test_g7_a_single_fault_says_what_is_allowed(settings: Any, part: str) -> None:
    (fault,) = refused(**settings)
    assert part in fault


def test_open_limits_may_be_none_and_the_others_are_then_the_defaults() -> None:
    rules = sample_offers(turn_timeout_ms=None, stall=None, rounds=None, gate=None, thin_gap=None)
    assert rules.limits.turn_timeout_ms is None
    assert (rules.limits.rounds, rules.stall, rules.gate.on) == (20, 4, "none")


def test_what_deals_are_worth_is_shown_at_the_end_only_by_a_mediator_unless_it_is_said() -> None:
    assert not sample_offers().disclose
    assert sample_offers(protocol="mediated").disclose
    assert sample_offers(disclose_at_end=True).disclose
    assert not sample_offers(protocol="mediated", disclose_at_end=False).disclose


def test_k2_recorded_rules_are_read_back_the_same() -> None:
    rules = sample_offers(
        3,
        protocol="simultaneous",
        rounds=7,
        deadline_ms=5_000,
        turn_timeout_ms=None,
        reasks=0,
        stall=3,
        monotonic=True,
        reservation_binds={"bob": False, "ann": True},
        fallback="best_of_seen",
        crossing="nash",
        disclose_at_end=True,
        thin_gap="1/3",
        gate=Gate(on="thin", seat="lead"),
        work="text",
        strategies={"ann": "linear"},
    )
    assert rules_from_json(json.loads(canonical(rules.to_json()))) == rules


def test_what_a_file_leaves_out_is_the_default() -> None:
    rules = sample_offers()
    names = ("question", "problem", "seed", "first")
    assert rules_from_json({name: rules.to_json()[name] for name in names}) == rules


@pytest.mark.parametrize("name", ["question", "problem", "seed"])
def test_a_damaged_record_is_refused(name: str) -> None:
    data = dict(sample_offers().to_json())
    with pytest.raises(InvalidInput, match="have no problem to read"):
        rules_from_json({**data, "problem": 5})
    del data[name]
    with pytest.raises(InvalidInput, match=f"lack {name}"):
        rules_from_json(data)


def test_preferences_by_a_function_cannot_be_recorded() -> None:
    domain = sample_problem().domain
    problem = problem_of(domain, {name: computed(domain, len) for name in ("ann", "bob")})
    with pytest.raises(InvalidInput, match="cannot be recorded"):
        offers_rules("q", problem, seed="1")
