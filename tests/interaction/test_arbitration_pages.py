"""The pages on arbitration rules: do they say what the catalogue says?

Here: every rule's section and row against its facts; the rules that promise nothing.
Not here: running what the pages show (tests/test_docs.py).
Sources: SEMANTICS R4 (each says when it fails).
"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from comity.mechanisms.arbitration import FACTS, RULES, Policy, RuleFacts

DOCS = Path(__file__).resolve().parents[2] / "docs"
RULES_PAGE = (DOCS / "reference" / "arbitration-rules.md").read_text("utf-8")
CHOOSING = (DOCS / "how-to" / "choose-an-arbitration-rule.md").read_text("utf-8")
HOLDS = {
    "always": "whoever claims when",
    "standing": "for agents that claim every time",
    "never": "for nobody",
}


def section_of(name: str) -> str:
    """Return a rule's section on one line."""
    return " ".join(RULES_PAGE.split(f"\n### {name}\n")[1].split("\n### ")[0].split())


@pytest.mark.parametrize("facts", FACTS.values(), ids=list(FACTS))
def test_r4_every_rule_has_its_section_with_bound_and_failure(facts: RuleFacts) -> None:
    section = section_of(facts.name)
    starves = "; **an agent can starve**" if facts.holds == "never" else ""
    assert f"- *Idea*: {facts.does}. " in section
    assert f"- *Bound*: {facts.bound}{starves}. " in section
    assert f"- *Holds*: {HOLDS[facts.holds]}. " in section
    assert f"- *Fails when*: {facts.fails}. " in section
    assert "- *Parameters*: " in section
    assert "- *Source*: " in section


def test_r4_the_sections_and_rows_are_those_of_the_rules_in_their_order() -> None:
    sections = [part.split("\n")[0] for part in RULES_PAGE.split("\n### ")[1:]]
    assert sections == list(RULES)
    rows = [line for line in RULES_PAGE.splitlines() if line.startswith("| [")]
    assert rows == [
        f"| [`{one.name}`](#{one.name}) | {one.does} | {one.bound} | {one.holds} |"
        for one in FACTS.values()
    ]


def test_every_setting_of_a_policy_is_on_the_page() -> None:
    settings = {field.name for field in fields(Policy)} - {"rule", "groups", "priorities"}
    assert not [name for name in settings if f"`{name}`" not in RULES_PAGE]


def test_r3_the_rules_that_can_starve_somebody_are_named_when_choosing() -> None:
    (row,) = [line for line in CHOOSING.splitlines() if line.startswith("| somebody never wins |")]
    named = row.replace("`", "").split("|")[2].split(",")
    assert {one.strip() for one in named} == {
        one.name for one in FACTS.values() if one.holds == "never"
    }


def test_every_rule_that_somebody_should_choose_is_recommended_for_something() -> None:
    table = CHOOSING.split("## By what you need")[1].split("\n## ")[0]
    left_out = {name for name in RULES if f"`{name}`" not in table}
    assert left_out == {"static_priority", "first_come", "latest"}
