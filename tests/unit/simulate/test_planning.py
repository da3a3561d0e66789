"""Planning: reading a plan with every fault at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.bargaining.constraints import constraints_of
from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.preferences import additive
from comity.mechanisms.bargaining.problem import Bargainer, Problem, problem_of
from comity.mechanisms.bargaining.strategies import read_strategy
from comity.mechanisms.bargaining.valuations import computed, tabled
from comity.simulate.planning import entry_of, every_strategy, plan_of
from comity.testing.bargains import sample_problem

Told = list[tuple[str, str]]


def told(call: Callable[[], object]) -> list[str]:
    with pytest.raises(InvalidInput) as caught:
        call()
    return [f"{fault.whose} {fault.what}" for fault in caught.value.faults]


def test_g7_every_fault_of_a_plan_is_told_at_once() -> None:
    options: dict[str, Any] = {
        "rounds": -1, "repetitions": True, "protocol": "alternatin", "seed": 7, "self_play": 1,
        "sweep": {}, "round": 3,
    }  # fmt: skip
    found = told(lambda: plan_of({" ": sample_problem()}, ["liner"], **options))
    assert [line.split()[0] for line in found] == [
        "plan_of", "scenarios", "strategies", "rounds", "repetitions", "protocol", "seed",
        "self_play", "sweep",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("scenarios", "part"),
    [
        ({}, "scenarios are {}"),
        ([], "scenarios are []"),
        ({"a": 3}, "scenario 'a' is 3"),
        ({3: sample_problem()}, "scenarios have the name 3"),
        ({"a": sample_problem(), "b": sample_problem()}, "scenario 'b' is the same problem as"),
    ],
)
def test_scenarios_that_cannot_be_planned(scenarios: Any, part: str) -> None:
    (line,) = told(lambda: plan_of(scenarios, ["linear"]))
    assert part in line


def test_too_many_deals_and_functions_are_refused() -> None:
    huge = domain_of({f"i{at}": list(range(10)) for at in range(8)})
    problem = problem_of(huge, {"a": additive(huge, {}), "b": additive(huge, {})})
    (line,) = told(lambda: plan_of({"huge": problem}, ["linear"]))
    assert line == "scenario 'huge' has 100000000 deals"
    small = domain_of({"x": ["a", "b"]})
    parties: dict[str, Any] = {"a": computed(small, lambda deal: 1), "b": additive(small, {})}
    own = problem_of(small, parties)
    (line,) = told(lambda: plan_of({"own": own}, ["linear"]))
    assert line.startswith("a values deals by a function")


@pytest.mark.parametrize(
    ("strategies", "part"),
    [
        ([], "strategies are []"),
        ("linear", "strategies are 'linear'"),
        (["linear", "linear"], "list linear twice"),
        (["boulware:0.2", "boulware:0.20"], "list boulware:0.2 twice"),
        (["boulware", "boulware:1/5"], "list boulware:0.2 twice"),
        (["micro:3"], "micro has the parameter"),
    ],
)
def test_strategies_that_cannot_be_planned(strategies: Any, part: str) -> None:
    (line,) = told(lambda: plan_of({"a": sample_problem()}, strategies))
    assert part in line


@pytest.mark.parametrize(
    ("sweep", "part"),
    [
        ({"rounds": [1], "boulware": ["0.1"]}, "sweep is {"),
        ({"rounds": 5}, "sweep is over 5"),
        ({"rounds": []}, "sweep is over []"),
        ({"rounds": [5, 5]}, "of rounds is over [5, 5]"),
        ({"rounds": ["5"]}, "of rounds is over ['5']"),
        ({"rounds": [True]}, "of rounds is over [True]"),
        ({"rounds": [-1]}, "of rounds is over [-1]"),
        ({"linear": ["0.1"]}, "sweep is over 'linear'"),
        ({"conceder": ["3"]}, "sweep is over 'conceder'"),
        ({"boulware": ["0.1", "0.10"]}, "has boulware:0.1 twice"),
        ({"boulware": ["x"]}, "e of boulware"),
    ],
)
def test_sweeps_that_cannot_be_planned(sweep: Any, part: str) -> None:
    problems = {"a": sample_problem()}
    (line,) = told(lambda: plan_of(problems, ["linear", "boulware"], sweep=sweep))
    assert part in line


def test_a_strategy_swept_must_play_once() -> None:
    names = ["boulware:0.1", "boulware:0.3"]
    (line,) = told(lambda: plan_of({"a": sample_problem()}, names, sweep={"boulware": ["0.2"]}))
    assert line == "sweep is over 'boulware', which plays 2 times"


def test_a_sweep_with_wrong_rounds_tells_the_rounds_only() -> None:
    problems: Any = {"a": sample_problem()}
    bad: Any = {"rounds": "x", "sweep": {"boulware": ["0.1"]}}
    assert told(lambda: plan_of(problems, ["boulware"], **bad)) == ["rounds are 'x'"]


def test_a_plan_with_no_negotiation_or_too_many_is_refused() -> None:
    problems = {"a": sample_problem()}
    (line,) = told(lambda: plan_of(problems, ["linear"], self_play=False))
    assert line == "strategies have nobody to meet: one strategy, and no self-play"
    (line,) = told(lambda: plan_of(problems, ["linear", "micro"], repetitions=250_001))
    assert line == "plan has 1,000,004 negotiations"


def test_strategies_may_be_given_as_values_and_all_are_known() -> None:
    plan = plan_of({"a": sample_problem()}, [read_strategy("conceder:2.50"), "tit-for-tat"])
    assert plan.cases[0].strategies == ("conceder:2.5", "tit_for_tat")
    assert {"boulware", "linear", "micro"} <= set(every_strategy())


def with_limits(*, turned: bool) -> Problem:
    """Return a problem with a table, constraints and red lines, declared in one of two orders."""
    terms: dict[str, object] = {"x": ["a", "b"], "y": ["c", "d"]}
    rules = [{"x": "a", "y": "c"}, {"x": "b", "y": "d"}]
    if turned:
        terms = {"y": ["d", "c"], "x": ["b", "a"]}
        rules.reverse()
    domain = domain_of(terms)
    worth = {("a", "c"): 1, ("a", "d"): 2, ("b", "c"): 3, ("b", "d"): 4}
    table: list[tuple[tuple[str, ...], object]] = [
        (tuple(deal[term] for term in domain.names), worth[deal["x"], deal["y"]])
        for deal in domain.deals()
    ]
    lines = [{"x": "a"}, {"y": "d"}]
    ann = Bargainer(
        "ann",
        tabled(domain, table),
        constraints_of(domain, lines[::-1] if turned else lines, whose="ann"),
    )
    bob = Bargainer("bob", additive(domain, {"x": {"a": 1}}))
    parties = [bob, ann] if turned else [ann, bob]
    limits = constraints_of(domain, [rules[0]] if not turned else [rules[1]])
    assert limits
    return problem_of(domain, parties, constraints=constraints_of(domain, rules))


def test_g4_the_digest_of_a_scenario_does_not_hang_on_any_order() -> None:
    assert with_limits(turned=False).domain != with_limits(turned=True).domain
    one = entry_of("a", with_limits(turned=False)).digest
    assert one == entry_of("a", with_limits(turned=True)).digest
    assert one != entry_of("a", sample_problem()).digest
