"""Play: what one row says of one negotiation, against the mechanism's own figures."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import Fault, InternalError, InvalidInput
from comity.mechanisms.bargaining.assessment import assess
from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.frontier import frontier
from comity.mechanisms.bargaining.preferences import additive
from comity.mechanisms.bargaining.problem import Problem, problem_of
from comity.mechanisms.bargaining.several import negotiate_issues
from comity.mechanisms.bargaining.solutions import disagreement_of
from comity.simulate.plan import Plan
from comity.simulate.planning import plan_of
from comity.simulate.play import play, scene_of
from comity.simulate.rows import Row
from comity.simulate.run import run


def rows_with_problems(plan: Plan) -> list[tuple[Row, Problem]]:
    entries = {one.name: one.problem for one in plan.entries}
    return [(row, entries[row.scenario]) for row in run(plan)]


def test_a_row_says_what_the_mechanism_says(small: Plan) -> None:
    for row, problem in rows_with_problems(small):
        result: Any = negotiate_issues(
            problem, dict(row.strategies), rounds=row.rounds, seed=row.seed
        )
        assert row.kind == result.kind
        if row.kind == "no_deal":
            assert (row.rounds_used, row.ended_by) == (result.rounds, result.reason)
            continue
        assert dict(row.deal) == result.deal
        assert row.utilities == tuple((one.name, str(one.value)) for one in result.utilities)
        assert (row.rounds_used, row.ended_by) == (result.round + 1, "acceptance")


def test_m4_efficiency_and_distances_are_those_of_assess(small: Plan) -> None:
    agreed = 0
    for row, problem in rows_with_problems(small):
        found = frontier(problem)
        assert row.feasible is bool(found.rational)
        if row.kind != "agreement":
            assert row.efficient is None
            assert row.distances == row.share_distances == ()
            continue
        agreed += 1
        told = assess(found, dict(row.deal))
        assert row.efficient is told.is_efficient
        for name, value in row.distances:
            assert value == pytest.approx(told.distance(name), rel=1e-11)
        assert {name for name, _ in row.distances} == {name for name, _ in told.squares}
    assert agreed > 5


def test_gains_count_from_the_reservation_and_shares_from_the_own_best(small: Plan) -> None:
    for row, problem in rows_with_problems(small):
        base = disagreement_of(problem, frontier(problem))
        for place, party in enumerate(problem.names):
            own = Fraction(dict(row.utilities)[party])
            gain = Fraction(dict(row.gains)[party])
            assert gain == own - base[place] >= 0
            worths = [problem.party(party).preferences.of(one) for one in problem.domain.deals()]
            most = max(worths) - base[place]
            assert Fraction(dict(row.shares)[party]) == (gain / most if most else 0)


def test_without_a_deal_everybody_has_what_it_had(small: Plan) -> None:
    rows = [row for row in run(small) if row.scenario == "hopeless"]
    assert {row.feasible for row in rows} == {False}
    assert {row.kind for row in rows} == {"no_deal"}
    assert {row.utilities for row in rows} == {(("ann", "1"), ("bob", "1"))}


def test_a_party_that_accepts_nothing_has_no_ideal() -> None:
    domain = domain_of({"x": ["a", "b"]})
    parties = {
        "ann": additive(domain, {"x": {"a": 1}}, reservation=5),
        "bob": additive(domain, {"x": {"b": -2, "a": -1}}),
    }
    plan = plan_of({"x": problem_of(domain, parties)}, ["linear"])
    scene = scene_of(plan.entries[0])
    assert scene.ideals == (Fraction(0), Fraction(1))
    assert scene.base == (Fraction(5), Fraction(-2))
    assert play(scene, plan.tasks()[0]).shares == (("ann", "0"), ("bob", "0"))


def test_g6_parties_with_different_units_have_shares_but_no_distances() -> None:
    domain = domain_of({"x": [1, 2, 3]})
    parties = {
        "ann": additive(domain, {"x": {"2": 1, "3": 2}}, unit="EUR"),
        "bob": additive(domain, {"x": {"1": 2, "2": 1}}, unit="days"),
    }
    (row,) = run(plan_of({"x": problem_of(domain, parties)}, ["linear"]))
    assert row.kind == "agreement"
    assert row.distances == ()
    assert [name for name, _ in row.share_distances] == [
        "frontier", "nash", "kalai_smorodinsky",
    ]  # fmt: skip


def test_numbers_beyond_floats_have_no_distances() -> None:
    domain = domain_of({"x": ["a", "b"]})
    parties = {
        "ann": additive(domain, {"x": {"a": 10**400}}),
        "bob": additive(domain, {"x": {"b": 1}}),
    }
    (row,) = run(plan_of({"x": problem_of(domain, parties)}, ["linear"]))
    assert row.distances == ()
    assert row.efficient is True


def test_a_scenario_without_a_frontier_is_played_all_the_same(
    small: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(problem: Problem) -> None:
        raise InvalidInput(Fault("frontier", "is too large", "", ""))

    before = run(small)
    monkeypatch.setattr("comity.simulate.play.frontier", refuses)
    for row, same in zip(run(small), before, strict=True):
        assert (row.kind, row.deal, row.utilities) == (same.kind, same.deal, same.utilities)
        assert row.feasible is row.efficient is None


def test_c4_a_scenario_that_cannot_be_listed_fails_its_rows_only(
    small: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(entry: Any) -> Any:
        if entry.name == "cake":
            raise InvalidInput(Fault("cake", "is too large", "less", "shrink it"))
        return scene_of(entry)

    monkeypatch.setattr("comity.simulate.run.scene_of", refuses)
    failed = [row for row in run(small) if row.kind == "failed"]
    assert {(row.scenario, row.reason, row.failed_by) for row in failed} == {
        ("cake", "cake: is too large", "")
    }
    assert len(failed) == 9


def test_a_fault_of_ours_is_a_row_that_says_so(
    small: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise InternalError(Fault("bargaining", "settled wrongly", "", ""))

    monkeypatch.setattr("comity.simulate.play.negotiate_issues", fails)
    assert {row.reason for row in run(small)} == {"bargaining: settled wrongly"}
