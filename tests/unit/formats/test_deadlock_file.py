"""Deadlock files: who waits for whom as a scenario (L1, L2, G7)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from comity.core.canonical import canonical
from comity.core.errors import InvalidInput
from comity.formats.deadlock_file import decided
from comity.formats.scenario import scenario_from
from comity.mechanisms.deadlock import RULE


def scenario(**data: Any) -> Any:
    told = {"kind": "deadlock", **data}
    return scenario_from(told, whose="d.toml", folder=Path("anywhere"), seed="drawn")


def refusals(**data: Any) -> list[str]:
    with pytest.raises(InvalidInput) as refused:
        scenario(**data)
    return [str(fault) for fault in refused.value.faults]


@pytest.mark.parametrize(
    "waits",
    [
        {"a": "b", "b": ["a"]},
        {"a": ["b", "b"], "b": ["a"]},
        [["a", "b"], ["b", "a"]],
        [["a", "b"], ["b", "a"], ["a", "b"]],
    ],
)
def test_l1_waits_are_told_as_a_table_or_as_pairs(waits: Any) -> None:
    found = scenario(waits=waits)
    assert found.rules == {"waits": {"a": ["b"], "b": ["a"]}, "seed": "drawn"}
    result: Any = decided(found)
    assert (result.members, result.exit_code) == (("a", "b"), 10)
    run, read_rules = RULE
    assert run(read_rules(found.rules)) == result
    assert canonical(found.rules)


def test_l1_places_in_a_queue_are_soft_and_can_be_reordered() -> None:
    result: Any = decided(scenario(waits={"h": "a", "b": "h"}, soft=[["a", "b"]]))
    assert result.victims == ()
    assert "overtake" in result.unblock[0]


@pytest.mark.parametrize(
    ("victim", "chosen"),
    [("youngest", "b"), ("fewest_held", "a"), ("lowest_priority", "b")],
)
def test_l2_who_gives_way_follows_the_named_rule(victim: str, chosen: str) -> None:
    agents = {
        "a": {"started": 1, "held": 1, "priority": 2, "aborts": 0},
        "b": {"started": "2.5", "held": 3, "priority": 1, "aborts": 1},
    }
    told: Any = {"waits": {"a": "b", "b": "a"}, "agents": agents, "victim": victim}
    result: Any = decided(scenario(**told))
    assert result.victims == (chosen,)
    exempt: Any = decided(scenario(**told, exempt_after=1))
    assert exempt.victims == ("a",)


def test_l1_nobody_in_a_circle_is_a_verdict() -> None:
    result = decided(scenario(waits={"a": ["b"]}, question="Still?"))
    assert (result.kind, result.exit_code) == ("verdict", 0)
    assert scenario(waits={}).title == "Who waits for whom?"
    assert scenario(waits={}, question="Still?").title == "Still?"


def test_g7_every_fault_of_the_shape_is_told_at_once() -> None:
    said = "\n".join(refusals(wait={}, victim="oldest", agents={"a": {"start": 1}}))
    for part in ("did you mean 'waits'", "victim is 'oldest'", "did you mean 'started'", "lacks"):
        assert part in said


def test_g7_every_fault_of_the_waits_is_told_at_once() -> None:
    said = "\n".join(
        refusals(waits=[["a"], ["a", "b", "c"]], soft={"": "b"}, agents={"a": {"held": "x"}})
    )
    for part in ("hold ['a']", "hold ['a', 'b', 'c']", "name ''", "held is 'x'"):
        assert part in said


def test_l2_a_measure_that_is_known_of_some_only_is_refused_when_it_is_needed() -> None:
    found = scenario(waits={"a": "b", "b": "a"}, agents={"a": {"started": 1}})
    with pytest.raises(InvalidInput, match="has no started"):
        decided(found)


def test_g5_one_name_spelled_by_other_characters_is_refused() -> None:
    said = refusals(waits={"\u00c5": ["b"], "b": ["A\u030a"]})
    assert len(said) == 1
    assert "in 2 ways: 'A\\u030a', '\\xc5'" in said[0]
    found = scenario(waits={"\u00c5": ["b"], "b": ["\u00c5"], "A": "B"})
    assert decided(found).exit_code == 10
