"""Standings: what rows add up to, worked out by hand, and equals that share a rank."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from comity.mechanisms.bargaining.problem import Problem
from comity.simulate.plan import Plan
from comity.simulate.planning import plan_of
from comity.simulate.rows import Row
from comity.simulate.run import run
from comity.simulate.standings import standings
from comity.testing.bargains import sample_problem


def row(number: int, ann: str, bob: str, **more: Any) -> Row:
    fields: dict[str, Any] = {
        "id": f"{number:032x}", "scenario": "tls", "strategies": (("ann", ann), ("bob", bob)),
        "rounds": 100, "protocol": "alternating", "repetition": 0, "seed": "7",
        "kind": "no_deal", "utilities": (("ann", "3"), ("bob", "2")), "rounds_used": 10,
        "gains": (("ann", "0"), ("bob", "0")), "shares": (("ann", "0"), ("bob", "0")),
        "feasible": True, "ended_by": "round_limit",
    }  # fmt: skip
    return Row(**{**fields, **more})


def deal(number: int, ann: str, bob: str, shares: tuple[str, str], **more: Any) -> Row:
    told = {
        "kind": "agreement", "ended_by": "acceptance", "efficient": True,
        "shares": (("ann", shares[0]), ("bob", shares[1])),
        "utilities": (("ann", "4"), ("bob", "3")), "share_distances": (("nash", 0.5),),
    }  # fmt: skip
    return row(number, ann, bob, **{**told, **more})


@pytest.fixture
def plan() -> Plan:
    return plan_of({"tls": sample_problem()}, ["linear", "micro"])


def test_the_figures_are_those_worked_out_by_hand(plan: Plan) -> None:
    rows = [
        deal(1, "linear", "micro", ("1/3", "1/2"), rounds_used=4),
        deal(2, "micro", "linear", ("1", "0"), efficient=False, share_distances=(("nash", 0.1),)),
        row(3, "linear", "linear"),
        row(4, "micro", "micro", feasible=False),
    ]
    told: Any = standings(rows, plan)
    first, second = told["cases"][0]["standings"]
    assert first["strategy"] == "micro"
    assert second["strategy"] == "linear"
    assert first["mean_share_exact"] == "3/8"
    assert second["mean_share_exact"] == str(Fraction(1, 3) / 4)
    assert (first["seats"], first["agreed"], first["feasible"]) == (4, 2, 2)
    assert (first["agreement_rate"], first["feasible_agreement_rate"]) == (0.5, 1.0)
    assert second["feasible_agreement_rate"] == 0.5
    assert first["mean_utility"] == float(Fraction(3 + 4 + 3 + 2, 4))
    assert (first["efficient_rate"], first["nash_distance"]) == (0.5, 0.3)
    assert first["mean_rounds"] == (4 + 10 + 10 + 10) / 4
    assert (told["negotiations"], told["agreements"], told["infeasible"]) == (4, 2, 1)
    pairs = {(one["strategy"], one["against"]): one for one in told["cases"][0]["pairs"]}
    assert pairs["micro", "linear"]["mean_share"] == 0.75
    assert pairs["linear", "micro"]["mean_share_exact"] == "1/6"
    assert pairs["micro", "micro"]["mean_share"] == 0.0
    assert pairs["micro", "micro"]["seats"] == 2


def test_g4_equals_share_a_rank_and_the_next_one_leaves_room() -> None:
    plan = plan_of({"tls": sample_problem()}, ["linear", "micro", "hardliner"])
    rows = [
        deal(1, "linear", "micro", ("1/3", "1/3")),
        deal(2, "hardliner", "hardliner", ("1/4", "0")),
    ]
    told: Any = standings(rows, plan)
    ranks = [(one["rank"], one["strategy"]) for one in told["cases"][0]["standings"]]
    assert ranks == [(1, "linear"), (1, "micro"), (3, "hardliner")]


def test_shares_that_differ_by_less_than_a_float_still_have_different_ranks() -> None:
    plan = plan_of({"tls": sample_problem()}, ["linear", "micro"])
    more = f"{10**30 + 1}/{3 * 10**30}"
    told: Any = standings([deal(1, "linear", "micro", ("1/3", more))], plan)
    ranks = [(one["rank"], one["strategy"]) for one in told["cases"][0]["standings"]]
    assert ranks == [(1, "micro"), (2, "linear")]
    first, second = told["cases"][0]["standings"]
    assert first["mean_share"] == second["mean_share"]


def test_c4_an_own_failure_counts_as_nothing_gained_and_spoils_nobody(plan: Plan) -> None:
    failure: dict[str, Any] = {"kind": "failed", "ended_by": "failure", "feasible": True}
    rows = [
        deal(1, "linear", "micro", ("1/2", "1/2")),
        row(2, "micro", "linear", failed_by="ann", reason="boom", **failure),
        row(3, "micro", "linear", failed_by="", reason="nobody", utilities=(), **failure),
    ]
    told: Any = standings(rows, plan)
    by_name = {one["strategy"]: one for one in told["cases"][0]["standings"]}
    assert by_name["linear"]["mean_share"] == 0.5
    assert by_name["micro"]["mean_share"] == 0.25
    assert (by_name["micro"]["failed"], by_name["micro"]["spoiled"]) == (1, 1)
    assert (by_name["linear"]["failed"], by_name["linear"]["spoiled"]) == (0, 2)
    assert told["failures"] == [
        {"strategy": "", "reason": "nobody", "count": 1, "first": rows[2].id},
        {"strategy": "micro", "reason": "boom", "count": 1, "first": rows[1].id},
    ]


def test_a_failure_before_there_are_figures_counts_no_seat(plan: Plan) -> None:
    told: Any = standings(
        [row(1, "linear", "micro", kind="failed", failed_by="ann", utilities=())], plan
    )
    for one in told["cases"][0]["standings"]:
        assert (one["rank"], one["mean_share"], one["mean_utility"]) == (None, None, None)
        assert one["seats"] == 0


def test_every_case_of_a_sweep_counts_its_own_rows() -> None:
    names = ["boulware", "linear", "micro"]
    problems: dict[str, Problem] = {"tls": sample_problem()}
    plan = plan_of(problems, names, sweep={"boulware": ["0.1", "0.5"]})
    told: Any = standings(run(plan), plan)
    assert told["negotiations"] == 14
    assert [one["negotiations"] for one in told["cases"]] == [9, 9]
    assert [len(one["standings"]) for one in told["cases"]] == [3, 3]
    plan = plan_of(problems, names, sweep={"rounds": [1, 5]})
    told = standings(run(plan), plan)
    assert [(one["label"], one["negotiations"]) for one in told["cases"]] == [
        ("rounds=1", 9), ("rounds=5", 9),
    ]  # fmt: skip


def test_three_parties_count_against_each_of_the_others() -> None:
    plan = plan_of({"tls": sample_problem(3)}, ["linear", "micro"])
    told: Any = standings(run(plan), plan)
    pairs = {(one["strategy"], one["against"]): one for one in told["cases"][0]["pairs"]}
    assert sum(one["seats"] for one in told["cases"][0]["standings"]) == 8 * 3
    assert pairs["linear", "micro"]["seats"] == 9
    assert pairs["linear", "linear"]["seats"] == 9


def test_a_mean_beyond_floats_is_left_out(plan: Plan) -> None:
    huge = "1" + "0" * 400
    told: Any = standings(
        [deal(1, "linear", "micro", ("1", "1"), utilities=(("ann", huge), ("bob", "1")))], plan
    )
    by_name = {one["strategy"]: one for one in told["cases"][0]["standings"]}
    assert by_name["linear"]["mean_utility"] is None
