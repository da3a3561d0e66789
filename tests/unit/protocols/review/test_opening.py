"""Opening: every fault of a review at once; recorded rules are read back (W3-W5, G7)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from comity.core.canonical import canonical
from comity.core.errors import InvalidInput
from comity.protocols.collect.rules import Gate
from comity.protocols.review.book import Book, Carried
from comity.protocols.review.opening import review_rules, rules_from_json
from comity.protocols.review.presets import POWER_TRIO, preset_rules
from comity.protocols.review.rules import Phase, Reviewer, ReviewLimits

PLAN = Phase(name="plan", voters=("Architect",), artefact="Build it.")
ARCHITECT = Reviewer(id="Architect")


def faults(phases: Any = (PLAN,), reviewers: Any = (ARCHITECT,), **settings: Any) -> list[str]:
    with pytest.raises(InvalidInput) as caught:
        review_rules(settings.pop("name", "PLAN.md"), phases, reviewers, **settings)
    return [f"{one.whose} {one.what}" for one in caught.value.faults]


def test_the_reviewers_are_sorted_and_the_name_is_one_line() -> None:
    rules = review_rules(
        " a\n plan ",
        [Phase(name="plan", voters=("b", "a"), artefact="x")],
        [Reviewer(id="b"), Reviewer(id="a")],
        never_waived=["  Data  loss", "security"],
    )
    assert rules.name == "a plan"
    assert [one.id for one in rules.reviewers] == ["a", "b"]
    assert rules.never_waived == ("Data loss", "security")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"blockz": 3}, "has an unknown entry 'blockz'"),
        ({"name": " "}, "is named ''"),
        ({"name": "x" * 201}, "is named"),
        ({"limits": ReviewLimits(blocks=0)}, "blocks is 0"),
        ({"limits": ReviewLimits(reasks=True)}, "reasks is True"),
        ({"gate": Gate(default="accept")}, "has the default 'accept'"),
        ({"never_waived": "security "}, ""),
        ({"never_waived": [3, " "]}, "lists 3"),
        ({"needs": [3]}, "needs lists 3"),
        ({"carried": Carried(phase="plan", round=-5)}, "says round -5"),
        ({"phases": ()}, "phases are []"),
        ({"phases": (PLAN, PLAN)}, "phases are ['plan', 'plan']"),
        ({"by_call": True, "reviser": "Builder"}, "has 1 phases and a reviser"),
        ({"reviewers": (ARCHITECT, Reviewer(id="Critic"))}, "'Critic' is in no phase"),
        ({"reviewers": (Reviewer(id="Architect", kind="judge"),)}, "has the kind 'judge'"),
        ({"reviser": "architect"}, "'Architect' and 'architect' are one seat"),
        ({"reviser": "human"}, "'human' and 'human' are one seat"),
        ({"reviser": "?"}, "cannot be used as a name"),
    ],
)
def test_g7_what_is_wrong_is_told(given: dict[str, Any], told: str) -> None:
    if not told:
        assert review_rules("x", [PLAN], [ARCHITECT], **given).never_waived == ("security",)
        return
    assert any(told in one for one in faults(**given))


@pytest.mark.parametrize(
    ("phase", "told"),
    [
        (Phase(name="?", voters=("Architect",), artefact="x"), "cannot be used as a name"),
        (Phase(name="plan", voters=(), advisors=("Architect",), artefact="x"), "has no voter"),
        (Phase(name="plan", voters=("Architekt",), artefact="x"), "which is no reviewer"),
        (Phase(name="plan", voters=("Architect", "Architect"), artefact="x"), "somebody twice"),
        (PLAN, ""),
        (Phase(name="plan", voters=("Architect",)), "has nothing to review"),
        (Phase(name="plan", voters=("Architect",), artefact="x" * 200_001), "200001 characters"),
    ],
)
def test_g7_what_is_wrong_with_a_phase_is_told(phase: Phase, told: str) -> None:
    if not told:
        assert review_rules("x", [phase], [ARCHITECT]).phases == (phase,)
        return
    assert any(told in one for one in faults([phase]))


def test_w4_voters_vote_and_advisors_advise() -> None:
    advisor = Reviewer(id="Security", kind="advisor")
    swapped = Phase(name="plan", voters=("Security",), advisors=("Architect",), artefact="x")
    told = faults([swapped], [ARCHITECT, advisor])
    assert any("'Security', an advisor without a vote" in one for one in told)
    assert any("'Architect', a voter, who hands in no findings" in one for one in told)


def test_a_later_phase_needs_a_text_or_a_reviser() -> None:
    later = Phase(name="build", voters=("Architect",))
    assert any("'build' has nothing to review" in one for one in faults([PLAN, later]))
    rules = review_rules("x", [PLAN, later], [ARCHITECT], reviser="Builder")
    assert rules.seats == ("Architect", "Builder")


def test_g7_all_faults_come_at_once() -> None:
    assert len(faults([], [], name="", limits=ReviewLimits(blocks=0), odd=1)) == 4


# --- recorded rules --------------------------------------------------------------------------


def recorded(**settings: Any) -> dict[str, Any]:
    rules = preset_rules(
        POWER_TRIO.name, "PLAN.md", artefact="Build it.", phases=["plan"], **settings
    )
    found: dict[str, Any] = json.loads(canonical(rules.to_json()))
    return found


def test_recorded_rules_are_read_back_equal() -> None:
    carried = Carried(phase="plan", round=2, book=Book(), passed=("x",))
    told = recorded(
        carried=carried,
        reviser="Builder",
        mitigation="Soon",
        request_id="7",
        request_digest="0",
        asked="1",
        needs=["z", "x", "z"],
        never_waived=["x"],
    )
    rules = rules_from_json(told)
    assert (rules.carried, rules.reviser, rules.mitigation) == (carried, "Builder", "Soon")
    assert (rules.needs, rules.request_digest, rules.asked) == (("z", "x"), "0", "1")
    assert json.loads(canonical(rules.to_json())) == told
    assert rules.digest == rules_from_json(told).digest


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"name": None}, "lack name"),
        ({"phases": 3}, "are 3"),
        ({"phases": [3]}, "phases[0]"),
        ({"limits": {"blocks": "x"}}, "limits.blocks"),
        ({"gate": 3}, "gate"),
        ({"asked": 3}, "asked: is 3"),
        ({"by_call": "no"}, "by_call: is 'no'"),
        ({"carried": {"round": -5}}, "says round -5"),
        ({"carried": {"round": []}}, "carried.round"),
        ({"briefs_digest": "0"}, "state other criteria than their digest says"),
    ],
)
def test_a_damaged_record_is_refused(change: dict[str, Any], told: str) -> None:
    data = {**recorded(), **change}
    data = {key: item for key, item in data.items() if item is not None}
    with pytest.raises(InvalidInput) as caught:
        rules_from_json(data)
    assert told in str(caught.value)


def test_w5_criteria_are_recorded_with_their_digest() -> None:
    data = recorded()
    data["reviewers"][0]["block_when"] = ["never"]
    with pytest.raises(InvalidInput, match="other criteria"):
        rules_from_json(data)
