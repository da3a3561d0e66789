"""K3, G10, V8: a vote or a chain killed at any point ends the same, and nothing is asked twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from comity.agents.scripted import Scripted
from comity.formats.scenario import Scenario, read_scenario, scenario_from
from comity.ledger.open import open_ledger
from comity.ledger.port import Ledger
from comity.session.record import Opening
from comity.testing.crash import CrashReport, CrashRules, Scene, crash_everywhere

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def scene(scenario: Scenario, said: dict[str, tuple[str, ...]]) -> Scene:
    opening = Opening(kind=scenario.kind, title=scenario.title, rules=scenario.rules)
    return Scene(
        opening=opening, agents=lambda: {name: Scripted(lines) for name, lines in said.items()}
    )


def example() -> Scene:
    words = dict.fromkeys(["ann", "bob", "dan", "eve"], ("VOTE: database",))
    scenario = read_scenario(EXAMPLES / "vote.toml", seed="1")
    return scene(scenario, {**words, "cyd": ("who knows?", "VOTE: cache")})


def chain() -> Scene:
    """No deal, then a vote that ties, then a person who first says nothing of use."""
    data = {
        "kind": "bargain",
        "seller": {"opening": 120, "reservation": 100},
        "buyer": {"opening": 60, "reservation": 90},
        "otherwise": ["vote", "human"],
        "then": {"voters": ["ann", "bob"], "person": {"seat": "boss"}},
    }
    said = {
        "ann": ("VOTE: seller's limit",),
        "bob": ("hm", "VOTE: buyer's limit"),
        "boss": ("let me see", "DECIDE: buyer's limit"),
    }
    return scene(scenario_from(data, whose="chain.toml", folder=Path(), seed="1"), said)


SCENES: dict[str, tuple[Callable[[], Scene], str, int]] = {
    "example": (example, "database", 5),
    "chain": (chain, "buyer's limit", 5),
}


def crash(made: Scene, folder: Path) -> CrashReport:
    def store(name: str) -> Ledger:
        return open_ledger(folder / f"{name}.db")

    return crash_everywhere(made, store, rules=CrashRules(every=1, lives=(9, 11)))


@pytest.mark.parametrize("name", SCENES)
def test_a_vote_crashed_at_any_point_ends_the_same(name: str, tmp_path: Path) -> None:
    made, option, messages = SCENES[name]
    report = crash(made(), tmp_path)
    assert getattr(report.outcome, "option", None) == option
    assert report.messages == messages
    assert report.crashes >= len(report.points)
