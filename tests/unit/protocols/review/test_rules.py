"""Rules: limits, seats, digests (W3-W5)."""

from __future__ import annotations

from typing import Any

import pytest

from comity.protocols.review.presets import preset_rules
from comity.protocols.review.rules import DEFAULT, MITIGATION, NEVER_WAIVED, ReviewLimits


def test_what_holds_unless_somebody_says_otherwise() -> None:
    rules = preset_rules("power-trio", "x", artefact="y", phases=["plan"])
    assert (rules.limits.blocks, rules.limits.max_rounds, rules.limits.reasks) == (3, 5, 1)
    assert rules.never_waived == NEVER_WAIVED == ("security",)
    assert rules.mitigation == MITIGATION
    assert rules.gate.default == DEFAULT == "block"
    assert rules.gate.on == "all"


@pytest.mark.parametrize(
    "limits",
    [{"deadline_ms": 0}, {"reasks": -1}, {"blocks": 0}, {"max_rounds": 0}, {"blocks": True}],
)
def test_limits_that_hold_nothing_are_faults(limits: Any) -> None:
    (name,) = limits
    (fault,) = ReviewLimits(**limits).faults()
    assert fault.what.startswith(name)


def test_w5_the_digest_of_the_briefs_is_that_of_the_criteria() -> None:
    one = preset_rules("power-trio", "x", artefact="y", phases=["plan"])
    other = preset_rules("power-trio", "z", artefact="w", phases=["plan"], mitigation="Soon")
    assert one.briefs_digest == other.briefs_digest
    assert one.digest != other.digest
    assert one.to_json()["order"] == ["Architect", "Critic", "Planner"]
    assert one.reviewer("Critic").id == "Critic"
