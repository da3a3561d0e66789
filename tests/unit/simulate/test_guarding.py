"""Guarding: a strategy of somebody else's that fails is named with its party (complaint 4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from comity.mechanisms.bargaining.strategies import STRATEGIES
from comity.simulate.guarding import foreign
from comity.simulate.planning import plan_of
from comity.simulate.run import run
from comity.simulate.standings import standings
from comity.testing.bargains import sample_problem

Register = Callable[..., str]


@pytest.mark.parametrize(
    ("breaks", "told"),
    [
        ({"start": ValueError("no room")}, "failed when asked to start: ValueError: no room"),
        ({"offer": KeyError()}, "failed when asked for an offer in round 0: KeyError"),
        ({"offer": 99}, "offers 99 in round 0, which is no deal"),
        ({"offer": True}, "offers True in round 0, which is no deal"),
        ({"offer": -1}, "offers -1 in round 0, which is no deal"),
        ({"hears": OSError("lost")}, "failed when asked to hear"),
        ({"accepts": 1}, "answers 1 when asked about an offer of"),
        ({"waits": "maybe"}, "answers 'maybe' when asked whether it waits"),
    ],
)
def test_c4_what_goes_wrong_is_a_row_with_the_party_and_the_reason(
    broken: Register, breaks: dict[str, Any], told: str
) -> None:
    name = broken(**breaks)
    entry = STRATEGIES[name]
    plan = plan_of({"tls": sample_problem()}, [name, "micro"], self_play=False, repetitions=4)
    failed = [row for row in run(plan) if row.kind == "failed"]
    assert failed
    for row in failed:
        assert row.failed_by == next(party for party, one in row.strategies if one == name)
        assert told in row.reason
        assert row.ended_by == "failure"
        assert not row.deal
        assert dict(row.gains) == {"ann": "0", "bob": "0"}
    assert STRATEGIES[name] is entry


def test_c4_offering_or_accepting_below_the_own_reservation_is_a_failure(
    broken: Register,
) -> None:
    bad = broken(offer=1)  # days 30, tls 1.3: worth 0 to bob
    plan = plan_of({"tls": sample_problem()}, [bad, "hardliner"], self_play=False)
    reasons = {row.failed_by: row.reason for row in run(plan)}
    assert "offers in round 0 what its own party does not accept" in reasons["bob"]
    yes = broken("yes", accepts=True)
    plan = plan_of({"tls": sample_problem()}, [yes, "hardliner"], self_play=False)
    told = [row.reason for row in run(plan) if row.failed_by == "bob"]
    assert len(told) == 1
    assert "accepts in round 0 what its own party does not accept" in told[0]


def test_c4_the_rest_of_the_tournament_goes_on_and_is_counted(broken: Register) -> None:
    name = broken(offer=RuntimeError("boom"))
    plan = plan_of({"tls": sample_problem()}, [name, "linear", "micro"])
    rows = run(plan)
    assert len(rows) == 9
    told: Any = standings(rows, plan)
    assert told["failed"] == sum(row.kind == "failed" for row in rows) > 0
    by_name = {one["strategy"]: one for one in told["cases"][0]["standings"]}
    assert by_name[name]["failed"] > 0
    assert by_name["linear"]["failed"] == by_name["micro"]["failed"] == 0
    assert by_name["linear"]["mean_share"] is not None
    assert {one["strategy"] for one in told["failures"]} == {name}
    assert all("boom" in one["reason"] for one in told["failures"])


def test_only_strategies_of_others_are_wrapped(broken: Register) -> None:
    assert foreign(["linear", "boulware:0.2", "unknown", broken()]) == ("broken",)


def test_a_wrapped_strategy_that_does_well_plays_as_ever(broken: Register) -> None:
    name = broken("fine")
    mine = run(plan_of({"tls": sample_problem()}, [name]))[0]
    ours = run(plan_of({"tls": sample_problem()}, ["micro"]))[0]
    assert mine.kind == ours.kind == "agreement"


def test_a_failure_of_nobody_is_a_row_too(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_of({"tls": sample_problem()}, ["linear"])

    def fails(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("comity.simulate.play.negotiate_issues", fails)
    (row,) = run(plan)
    assert (row.kind, row.failed_by, row.reason) == ("failed", "", "ZeroDivisionError: ")


def test_having_nothing_to_offer_is_no_failure(broken: Register) -> None:
    plan = plan_of({"tls": sample_problem()}, [broken(offer=None), "hardliner"], self_play=False)
    assert {(row.kind, row.ended_by) for row in run(plan)} == {("no_deal", "exhausted")}
