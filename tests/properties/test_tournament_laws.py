"""Tournament laws: what holds for every tournament, whoever plays?

Here: seeds of tasks, independence of every order, resuming at any point, replay of every row,
figures that add up, over drawn plans.
Not here: single cases (unit tests), processes that are killed (tests/faults).
Sources: SEMANTICS G1, G4, M3; complaints 4, 26 and 29 of the research.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.preferences import additive
from comity.mechanisms.bargaining.problem import Problem, problem_of
from comity.simulate.plan import Plan
from comity.simulate.planning import plan_of
from comity.simulate.replay import replay
from comity.simulate.rows import Row, csv_lines, json_lines, row_from_json
from comity.simulate.run import run
from comity.simulate.standings import standings

NAMES = (
    "boulware:0.5", "comity", "conceder:2", "hardliner", "linear", "micro", "nice_tit_for_tat",
    "tit_for_tat",
)  # fmt: skip
WORTH = st.integers(-3, 12)


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Draw a problem of two or three parties over one or two terms."""
    terms = {f"t{at}": [f"o{n}" for n in range(draw(st.integers(2, 4)))]
             for at in range(draw(st.integers(1, 2)))}  # fmt: skip
    domain = domain_of(terms)
    parties = {}
    for name in "abc"[: draw(st.integers(2, 3))]:
        values = {term: {one: draw(WORTH) for one in options} for term, options in terms.items()}
        least = draw(st.none() | st.integers(-2, 8))
        parties[name] = additive(domain, values, reservation=least)
    return problem_of(domain, parties)


@st.composite
def given_plans(draw: st.DrawFn) -> tuple[dict[str, Problem], list[str], dict[str, Any]]:
    """Draw what a plan is made of."""
    drawn = draw(st.lists(problems(), min_size=1, max_size=2, unique_by=repr))
    scenarios = {f"s{at}": one for at, one in enumerate(drawn)}
    strategies = draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=3, unique=True))
    options = {
        "rounds": draw(st.integers(0, 12)),
        "repetitions": draw(st.integers(1, 2)),
        "seed": draw(st.text(max_size=3) | st.just("\udcff")),
        "self_play": draw(st.booleans()),
        "both_roles": draw(st.booleans()),
        "protocol": draw(st.sampled_from(["alternating", "simultaneous"])),
    }
    return scenarios, strategies, options


def planned(told: tuple[Mapping[str, Problem], list[str], dict[str, Any]]) -> Plan:
    return plan_of(told[0], told[1], **told[2])


@given(given_plans())
def test_c29_no_two_tasks_share_an_id_or_a_seed(told: Any) -> None:
    tasks = planned(told).tasks()
    assert len({task.id for task in tasks}) == len({task.seed for task in tasks}) == len(tasks)


@given(given_plans(), st.randoms(use_true_random=False))
def test_g4_no_order_of_scenarios_or_strategies_changes_anything(told: Any, chance: Any) -> None:
    scenarios, strategies, options = told
    names = list(scenarios)
    chance.shuffle(names)
    shuffled = list(strategies)
    chance.shuffle(shuffled)
    one, other = planned(told), plan_of({name: scenarios[name] for name in names}, shuffled,
                                        **options)  # fmt: skip
    assert one.tasks() == other.tasks()
    assert one.digest == other.digest
    assert run(one) == run(other)


@given(given_plans())
def test_every_row_comes_out_the_same_when_it_is_played_alone(told: Any) -> None:
    plan = planned(told)
    rows = run(plan)
    assert {replay(row, plan) for row in rows} == {()}
    assert tuple(row_from_json(json.loads(line)) for line in json_lines(rows)) == rows
    assert len(list(csv_lines(rows))) == len(rows) + 1


@given(given_plans(), st.data())
def test_c26_a_file_cut_at_any_byte_goes_on_to_the_same_file(told: Any, data: Any) -> None:
    plan = planned(told)
    with TemporaryDirectory() as folder:
        path = Path(folder, "rows.jsonl")
        rows = run(plan, out=path)
        whole = path.read_bytes()
        for _ in range(2):
            path.write_bytes(whole[: data.draw(st.integers(0, len(whole)))])
            assert run(plan, out=path) == rows
            assert path.read_bytes() == whole


def utilities(row: Row) -> list[Fraction]:
    return [Fraction(one) for _, one in row.utilities]


@given(given_plans())
def test_b9_nobody_ends_below_what_it_has_without_a_deal_and_nobody_fails(told: Any) -> None:
    plan = planned(told)
    for row in run(plan):
        assert row.kind != "failed"
        assert all(Fraction(one) >= 0 for _, one in row.gains)
        assert all(0 <= Fraction(one) <= 1 for _, one in row.shares)
        entry = plan.entry(row.scenario)
        assert entry is not None
        if row.kind == "agreement":
            assert row.feasible is True
            assert not entry.problem.refused_by(dict(row.deal))
            assert utilities(row) == list(entry.problem.utilities(dict(row.deal)))
            distances = dict(row.distances)
            assert (distances["frontier"] == 0) is row.efficient


@given(given_plans())
def test_the_figures_of_standings_add_up(told: Any) -> None:
    plan = planned(told)
    rows = run(plan)
    found: Any = standings(reversed(rows), plan)
    assert found == standings(rows, plan)
    (case,) = found["cases"]
    ranked = case["standings"]
    assert sum(one["seats"] for one in ranked) == sum(len(row.strategies) for row in rows)
    assert sum(one["agreed"] for one in ranked) == sum(
        len(row.strategies) for row in rows if row.kind == "agreement"
    )
    total = sum((Fraction(one) for row in rows for _, one in row.shares), Fraction(0))
    means = [
        Fraction(one["mean_share_exact"]) * one["seats"]
        for one in ranked
        if one["mean_share_exact"] is not None
    ]
    assert sum(means, Fraction(0)) == total
    for one in ranked:
        better = [
            other for other in ranked
            if other["seats"] and one["seats"]
            and Fraction(other["mean_share_exact"]) > Fraction(one["mean_share_exact"])
        ]  # fmt: skip
        assert one["rank"] == (len(better) + 1 if one["seats"] else None)
