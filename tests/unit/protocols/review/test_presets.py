"""Presets: the source's Plan -> Build -> Review (W4, W5)."""

from __future__ import annotations

import pytest

from comity.core.errors import InvalidInput, UnknownName
from comity.protocols.review.presets import (
    POWER_TRIO,
    PRESETS,
    phases_before,
    preset_named,
    preset_rules,
)


def test_w4_the_power_trio_is_the_one_of_the_source() -> None:
    phases = {one.name: one for one in POWER_TRIO.phases}
    assert list(phases) == ["plan", "build-tests", "build-impl", "review"]
    assert phases["plan"].voters == ("Planner", "Architect", "Critic")
    assert phases["plan"].has_questions
    assert not any(phases[name].has_questions for name in list(phases)[1:])
    assert phases["build-tests"].voters == phases["build-impl"].voters == ("Senior Engineer",)
    assert phases["review"].voters == ("Product Manager",)
    assert phases["review"].advisors == ("Security", "Performance")
    kinds = {one.id: one.kind for one in POWER_TRIO.reviewers}
    assert kinds["Product Manager"] == "verdict"
    assert {kinds["Security"], kinds["Performance"]} == {"advisor"}
    assert sum(kind == "voter" for kind in kinds.values()) == 4


def test_w5_every_role_has_criteria() -> None:
    for one in POWER_TRIO.reviewers:
        assert one.duty.endswith("?")
        assert one.block_when
        assert bool(one.approve_when) is (one.kind != "advisor")


def test_only_the_roles_of_the_phases_are_seated() -> None:
    rules = preset_rules("power-trio", "x", artefact="y", phases=["review"])
    assert rules.seats == ("Performance", "Product Manager", "Security")
    assert rules.preset == "power-trio"
    whole = preset_rules("power-trio", "x", artefact="y", reviser="Builder")
    assert len(whole.phases) == 4
    assert [bool(one.artefact) for one in whole.phases] == [True, False, False, False]


def test_a_text_may_be_given_for_a_later_phase() -> None:
    rules = preset_rules(
        "power-trio",
        "x",
        artefact="y",
        phases=["plan", "build-tests"],
        artefacts={"build-tests": "z"},
    )
    assert [one.artefact for one in rules.phases] == ["y", "z"]


def test_w4_a_phase_needs_those_before_it() -> None:
    assert phases_before(POWER_TRIO, "plan") == ()
    later = ["build-impl", "review"]
    rules = preset_rules("power-trio", "x", artefact="y", phases=later, reviser="Builder")
    assert rules.needs == ("plan", "build-tests")
    assert preset_rules("power-trio", "x", artefact="y", phases=["review"], needs=()).needs == ()
    with pytest.raises(InvalidInput, match="phases"):
        preset_rules("power-trio", "x", artefact="y", phases=[])


def test_what_does_not_exist_is_named_with_what_is_near() -> None:
    assert preset_named("power-trio") is PRESETS["power-trio"]
    with pytest.raises(UnknownName, match="did you mean 'power-trio'"):
        preset_named("power-tri")
    with pytest.raises(InvalidInput) as caught:
        preset_rules("power-trio", "x", artefact="y", phases=["pln"], artefacts={"build": "z"})
    assert [one.what for one in caught.value.faults] == [
        "has no phase 'pln'",
        "has no phase 'build'",
    ]
