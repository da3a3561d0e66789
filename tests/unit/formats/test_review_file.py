"""formats/review_file.py, W3-W5, G7: a review as a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from comity.core.errors import InvalidInput, UnknownName
from comity.formats.review_file import PRESET_NAMES, phases_of
from comity.formats.scenario import Scenario, scenario_from, schema_of
from comity.formats.schema import schema_faults
from comity.protocols.review.opening import rules_from_json
from comity.protocols.review.rules import ReviewRules

DATA: dict[str, Any] = {"kind": "review", "work": "plan.md", "phases": ["plan"]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "plan.md").write_text("Build it.", encoding="utf-8")
    (tmp_path / "tests.md").write_text("Test it.", encoding="utf-8")
    return tmp_path


def read(folder: Path, **more: Any) -> Scenario:
    return scenario_from({**DATA, **more}, whose="x.toml", folder=folder, seed="5")


def rules(scenario: Scenario) -> ReviewRules:
    return rules_from_json(scenario.rules)


def test_a_work_file_and_a_phase_are_enough(folder: Path) -> None:
    found = read(folder)
    assert (found.kind, found.title, found.agents) == ("review", "Review of plan.md", {})
    made = rules(found)
    assert (made.preset, made.name, made.phases[0].artefact) == (
        "power-trio",
        "plan.md",
        "Build it.",
    )
    assert found.rules["order"] == ["Architect", "Critic", "Planner"]
    assert phases_of(PRESET_NAMES[0]) == ("plan", "build-tests", "build-impl", "review")


def test_everything_can_be_said(folder: Path) -> None:
    found = read(
        folder,
        name="Sign-in",
        phases=["plan", "build-tests"],
        artefacts={"build-tests": "tests.md"},
        roles={
            "Architect": {"agent": "person", "block_when": ["it leaks"], "duty": "Holds it?"},
            "Security": {"agent": "person"},
        },
        reviser={"seat": "Builder", "agent": "command:cat"},
        blocks=2,
        max_rounds=4,
        reasks=0,
        deadline_s=60,
        never_waived=["data loss"],
        mitigation="Next month",
        person={"seat": "lead", "deadline_s": 90},
    )
    made = rules(found)
    assert found.agents == {"Architect": "person", "Builder": "command:cat"}
    assert [one.artefact for one in made.phases] == ["Build it.", "Test it."]
    assert made.reviewer("Architect").block_when == ("it leaks",)
    assert made.reviewer("Architect").approve_when
    assert (made.limits.blocks, made.limits.max_rounds, made.limits.reasks) == (2, 4, 0)
    assert (made.limits.deadline_ms, made.gate.deadline_ms, made.gate.seat) == (
        60_000,
        90_000,
        "lead",
    )
    assert (made.never_waived, made.mitigation) == (("data loss",), "Next month")
    assert rules(read(folder, human=False)).gate.on == "none"


def test_w4_roles_and_phases_may_be_of_its_own(folder: Path) -> None:
    phase = {
        "name": "look",
        "voters": ["Ann"],
        "advisors": ["Bob"],
        "about": "All.",
        "questions": True,
    }
    roles = {
        "Ann": {"agent": "person", "approve_when": ["it is good"]},
        "Bob": {"agent": "person", "kind": "advisor"},
    }
    made = rules(read(folder, phases=[phase], roles=roles))
    assert (made.preset, made.phases[0].has_questions) == ("", True)
    assert made.reviewer("Bob").kind == "advisor"
    mixed = rules(read(folder, phases=["plan", phase], roles=roles, reviser={"seat": "Cyd"}))
    assert len(mixed.reviewers) == 5
    named = rules(read(folder, phases=[phase], roles=roles, preset="power-trio"))
    assert named.preset == "power-trio"


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"work": "none.md"}, "cannot be read"),
        ({"phases": ["pln"]}, "did you mean 'plan'"),
        ({"phases": []}, "phases"),
        ({"artefacts": {"build": "plan.md"}}, "names a text for 'build'"),
        ({"phases": ["plan", "review"]}, "has nothing to review"),
        ({"roles": {"Zoe": {}}}, "'Zoe': is in no phase"),
        ({"rolls": {}}, "did you mean 'roles'"),
        ({"preset": "power"}, "power-trio"),
        ({"blocks": 0}, "blocks is 0"),
    ],
)
def test_g7_what_is_wrong_is_told(folder: Path, more: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read(folder, **more)
    assert told in str(caught.value)


def test_g7_all_faults_come_at_once(folder: Path) -> None:
    with pytest.raises(InvalidInput) as caught:
        read(folder, work="none.md", artefacts={"x": "y.md"}, name=" ", roles={"Zoe": {}})
    assert len(caught.value.faults) >= 5
    with pytest.raises(UnknownName):
        phases_of("power")


def test_a_whole_preset_needs_a_text_for_each_phase_or_a_reviser(folder: Path) -> None:
    whole = {key: item for key, item in DATA.items() if key != "phases"}
    with pytest.raises(InvalidInput) as caught:
        scenario_from(whole, whose="x", folder=folder, seed="1")
    assert len(caught.value.faults) == 3
    found = scenario_from(
        {**whole, "reviser": {"seat": "Builder"}}, whose="x", folder=folder, seed="1"
    )
    assert len(rules(found).phases) == 4


@pytest.mark.parametrize(
    "data",
    [
        {**DATA, "roles": {"Architect": {"kind": "voter"}}, "seed": 3},
        {**DATA, "phases": [{"name": "look", "voters": ["Ann"]}], "human": True},
    ],
)
def test_the_schema_takes_what_the_reader_takes(data: Mapping[str, Any]) -> None:
    assert schema_faults(schema_of("review"), data, whose="x") == []
    assert schema_faults(schema_of("review"), {**data, "human": "no"}, whose="x")


def test_w4_a_phase_needs_those_before_it_unless_the_file_says_otherwise(folder: Path) -> None:
    assert rules(read(folder, phases=["build-impl"])).needs == ("plan", "build-tests")
    assert rules(read(folder, phases=["build-impl"], needs=["plan"])).needs == ("plan",)
    own = {"name": "look", "voters": ["Ann"]}
    assert rules(read(folder, phases=[own], roles={"Ann": {}})).needs == ()
