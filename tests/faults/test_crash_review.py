"""K3, W3, W4: a review killed at any point ends the same, and nobody is asked twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from comity.agents.scripted import Scripted
from comity.ledger.open import open_ledger
from comity.ledger.port import Ledger
from comity.protocols.collect.rules import Gate
from comity.protocols.review.presets import preset_rules
from comity.protocols.review.rules import ReviewLimits
from comity.session.record import Opening
from comity.testing.crash import CrashRules, Scene, crash_everywhere

YES = "VOTE: APPROVE"
NO = "VOTE: BLOCK\nCATEGORY: limits\nREASON: there is no limit\nTO APPROVE: add one"


def version(text: str) -> str:
    return f"BEGIN VERSION\n{text}\nEND VERSION"


def scene(said: dict[str, tuple[str, ...]], never_waived: str) -> Scene:
    """Return a review in which the Architect blocks twice and first says too little."""
    rules = preset_rules(
        "power-trio",
        "PLAN.md",
        artefact="Build it.",
        phases=["plan"],
        reviser="Builder",
        limits=ReviewLimits(blocks=2),
        never_waived=[never_waived],
        gate=Gate(default="block"),
    )
    lines = {
        "Planner": ("hm", YES, YES),
        "Critic": (YES, YES),
        "Architect": (NO, "SUGGESTION: nine", f"{NO}\nSUGGESTION: nine"),
        "Builder": ("no", version("Build two.")),
        **said,
    }
    return Scene(
        opening=Opening(kind="review", title="PLAN.md", rules=rules.to_json()),
        agents=lambda: {name: Scripted(words) for name, words in lines.items()},
    )


SCENES: dict[str, tuple[Callable[[], Scene], int]] = {
    "converted": (lambda: scene({}, "security"), 10),
    "person": (lambda: scene({"human": ("well", "DECIDE: approve")}, "limits"), 12),
}


@pytest.mark.parametrize("name", SCENES)
def test_a_review_crashed_at_any_point_ends_the_same(name: str, tmp_path: Path) -> None:
    made, messages = SCENES[name]

    def store(file: str) -> Ledger:
        return open_ledger(tmp_path / f"{file}.db")

    report = crash_everywhere(made(), store, rules=CrashRules(every=3, lives=(11,)))
    assert getattr(report.outcome, "verdict", None) == "APPROVED"
    assert report.messages == messages
    assert report.crashes * 3 >= len(report.points)
