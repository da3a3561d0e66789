"""Share files: one budget as a scenario (D1-D3, G5-G7)."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from comity.core.canonical import canonical
from comity.core.errors import InvalidInput
from comity.formats.scenario import data_in, read_scenario, scenario_from
from comity.formats.share_file import decided, read
from comity.mechanisms.sharing import RULE

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "budget.toml"
AGENTS = {
    "a": [[4000, 2], [4000, "1.1"], [4000, "0.4"]],
    "b": [[3000, 3], [3000, "1.5"], [6000, "0.5"]],
    "c": [[2000, "2.5"], [3000, "1.2"], [7000, "0.3"]],
}


def scenario(**more: Any) -> Any:
    data = {"kind": "share", "budget": 12000, "agents": AGENTS, **more}
    return scenario_from(data, whose="s.toml", folder=Path(), seed="drawn")


def outcome(**more: Any) -> Any:
    return decided(scenario(**more))


def refusals(**more: Any) -> list[str]:
    with pytest.raises(InvalidInput) as refused:
        scenario(**more)
    return [str(fault) for fault in refused.value.faults]


def toml(text: str) -> Any:
    data = data_in(f'kind = "share"\n{text}', whose="s.toml", is_json=False)
    return scenario_from(data, whose="s.toml", folder=Path(), seed="drawn")


def test_d2_the_shipped_budget_gains_26500_and_15560_under_static_priority() -> None:
    found: Any = decided(read_scenario(EXAMPLE, seed="1"))
    assert found.allocation == {"north": 4000, "south": 6000, "west": 2000}
    assert found.total_gain == 26500
    beside = {one.rule: one for one in found.beside}
    first = {item.name: item.value for item in beside["first_come"].shares}
    assert first == {"north": 11400, "south": 300, "west": 300}
    static = {item.name: item.value for item in beside["static_priority"].shares}
    assert static == {"north": 11400, "south": 600, "west": 0}
    assert beside["static_priority"].total_gain == 15560
    assert beside["equal_split"].total_gain == 25900


@pytest.mark.parametrize(
    ("more", "allocation"),
    [
        ({}, {"a": 4000, "b": 3583, "c": 4417}),
        ({"objective": "utilitarian"}, {"a": 4000, "b": 6000, "c": 2000}),
        ({"objective": "leximin", "budget": 3000}, {"a": 1216, "b": 811, "c": 973}),
        ({"minimum": 4000}, {"a": 4000, "b": 4000, "c": 4000}),
    ],
)
def test_d1_the_objective_reaches_the_sharing(more: Any, allocation: Any) -> None:
    found = outcome(**more)
    near = [abs(share - allocation[name]) <= 1 for name, share in found.allocation.items()]
    assert all(near)
    assert sum(found.allocation.values()) == more.get("budget", 12000)
    run, read_rules = RULE
    assert run(read_rules(scenario(**more).rules)) == found
    assert canonical(scenario(**more).rules)


def test_d1_what_an_agent_states_beside_its_curve_reaches_the_rules() -> None:
    own = {"segments": [[9, 1]], "minimum": 1, "maximum": 8, "weight": 2, "unit": "GBP",
           "ratio": "0.9", "asks": 5, "priority": 3}  # fmt: skip
    found = scenario(budget=10, agents={"a": own, "b": {"power": "0.5", "scale": 3}})
    assert found.rules == {
        "budget": 10,
        "claims": {"a": {"segments": [[9, 1]]}, "b": {"power": "0.5", "scale": 3}},
        "minimum": {"a": 1},
        "maximum": {"a": 8},
        "weights": {"a": 2},
        "units": {"a": "GBP"},
        "ratios": {"a": "0.9"},
        "asks": {"a": 5},
        "priorities": {"a": 3},
        "seed": "drawn",
    }


def test_d1_a_limit_for_all_holds_for_those_who_state_none() -> None:
    agents = {"a": {"demand": 9, "minimum": 0}, "b": [[9, 1]]}
    assert scenario(budget=9, agents=agents, minimum=2).rules["minimum"] == {"a": 0, "b": 2}
    assert scenario(minimum=2).rules["minimum"] == 2


def test_g5_the_places_of_the_budget_are_its_minor_unit() -> None:
    found: Any = decided(
        toml("budget = 10.00\nagents = {a = [[9, 1]], b = [[9, 1]], c = [[9, 1]]}")
    )
    assert sorted(found.allocation.values()) == [
        Decimal("3.33"),
        Decimal("3.33"),
        Decimal("3.34"),
    ]
    assert toml("budget = 10.00\nquantum = 0.5\nagents = {a = [[9, 1]]}").rules["quantum"] == "0.5"


def test_g6_rates_make_gains_in_two_units_one() -> None:
    agents = {
        "a": {"segments": [[10, 100]], "unit": "ms"},
        "b": {"segments": [[10, 1]], "unit": "GBP"},
    }
    told = {"budget": 10, "agents": agents, "objective": "utilitarian"}
    assert "would add different units" in refusals(**told)[0]
    found = outcome(**told, rates={"ms": "0.02 GBP"})
    assert found.allocation == {"a": 10, "b": 0}
    assert "one ms is worth '0.02'" in refusals(**told, rates={"ms": "0.02"})[0]


def test_d3_minima_that_do_not_fit_are_a_no_decision_with_the_shortfall() -> None:
    found = outcome(minimum=5000)
    assert (found.kind, found.shortfall, found.exit_code) == ("no_decision", 3000, 10)


def test_g7_every_fault_of_the_shape_is_told_at_once() -> None:
    said = "\n".join(refusals(budget=[1], objectve="nash", agents={"a": {"segmets": []}}))
    for part in ("budget is [1]", "did you mean 'objective'", "did you mean 'segments'"):
        assert part in said


def test_g7_every_fault_of_the_claims_is_told_at_once() -> None:
    agents = {
        "a": [[4, 1], [4, 2]],
        "b": {"minimum": "x"},
        "c": {"demand": -1, "maximum": "NaN"},
    }
    said = "\n".join(refusals(budget="much", agents=agents, arrivals=["a"], credits=True))
    for part in (
        "budget is 'much'",
        "a: its gain curve is not concave",
        "b: minimum is 'x'",
        "b: claims {}",
        "c: demand is -1",
        "c: maximum is 'NaN'",
        "arrivals: are ['a']",
        "credits are asked for under 'nash'",
    ):
        assert part in said


def test_the_title_is_the_question_or_names_the_budget() -> None:
    assert scenario(question="Today?").title == "Today?"
    assert scenario().title == "A budget of 12000"
    assert read(
        {"kind": "share", "budget": Decimal("1.50"), "agents": {"a": [[1, 1]]}},
        whose="x",
        folder=Path("anywhere"),
        seed="1",
    ).title == "A budget of 1.50"  # fmt: skip
    assert len(scenario(budget="1" * 60, agents={"a": [[9, 1]]}).title) < 60
