"""formats/vote_file.py, V1, V8, G7: a live vote as a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.formats.scenario import Scenario, read_scenario, scenario_from, schema_of
from comity.formats.schema import schema_faults
from comity.formats.work_text import WORK_AT_MOST
from comity.protocols.collect.opening import rules_from_json
from comity.protocols.collect.rules import VoteRules

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
DATA = {"kind": "vote", "question": "Ship it?", "voters": ["ann", "bob", "cyd"]}


def read(folder: Path | None = None, **more: Any) -> Scenario:
    return scenario_from({**DATA, **more}, whose="x.toml", folder=folder or Path(), seed="5")


def rules(scenario: Scenario) -> VoteRules:
    return rules_from_json(scenario.rules)


def test_a_list_of_names_is_enough() -> None:
    found = read()
    assert (found.kind, found.title, found.agents) == ("vote", "Ship it?", {})
    assert (rules(found).kind, rules(found).seed) == ("yes_no", "5")
    assert rules(read(seed=9)).seed == "9"
    assert found.rules["order"] == ["ann", "bob", "cyd"]


def test_the_shipped_example_reads_as_it_says() -> None:
    found = read_scenario(EXAMPLES / "vote.toml", seed="1")
    made = rules(found)
    assert made.options == ("cache", "database", "network")
    assert dict(found.agents)["ann"] == "script:vote/ann.txt"
    assert made.limits.deadline_ms == 60_000
    assert made.limits.least_voters == 3
    assert made.voters[0].model == "m1"
    assert made.warnings == ()


def test_voters_may_have_agents_and_weights() -> None:
    found = read(voters={"ann": {"agent": "person", "weight": "1/2"}, "bob": {"weight": 0.1}})
    assert found.agents == {"ann": "person"}
    assert [str(one.weight) for one in rules(found).voters] == ["1/2", "0.1"]


def test_what_is_to_be_read_stands_in_the_rules(tmp_path: Path) -> None:
    (tmp_path / "plan.md").write_text("the plan", encoding="utf-8")
    assert rules(read(tmp_path, work="plan.md")).work == "the plan"
    (tmp_path / "long.md").write_text("x" * (WORK_AT_MOST + 1), encoding="utf-8")
    with pytest.raises(InvalidInput, match="at most"):
        read(tmp_path, work="long.md")
    (tmp_path / "odd.md").write_bytes(b"\xff\xfe")
    for name in ("odd.md", "none.md"):
        with pytest.raises(InvalidInput, match="cannot be read"):
            read(tmp_path, work=name)


def test_g7_all_faults_of_the_file_come_at_once(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput) as caught:
        read(tmp_path, work="none.md", options=["A"], rule="condorset", then={"resolve": "lot"})
    assert len(caught.value.faults) == 4
    with pytest.raises(InvalidInput, match="did you mean 'threshold'"):
        read(treshold=3)


@pytest.mark.parametrize(
    "data",
    [
        {**DATA, "voters": {"ann": {"agent": "person", "model": "m"}}},
        {**DATA, "options": {"A": "x"}, "human": False, "otherwise": ["human"], "then": {}},
    ],
)
def test_the_schema_takes_what_the_reader_takes(data: Mapping[str, Any]) -> None:
    assert schema_faults(schema_of("vote"), data, whose="x") == []
    assert schema_faults(schema_of("vote"), {**data, "human": "no"}, whose="x")
