"""formats/vote_settings.py, G5, V8: what a file tells a vote."""

from __future__ import annotations

from comity.formats.vote_settings import SETTINGS, gate_of, settings_of
from comity.protocols.collect.rules import Gate, VoteLimits


def test_every_key_of_the_schema_reaches_the_rules() -> None:
    told = settings_of(
        {
            "options": ["A", "B"],
            "ballot": "choice",
            "rule": "majority",
            "threshold": 0.6,
            "base": "present",
            "ties": "lot",
            "parameters": {"strength": "margins", "share": 0.5},
            "deadline_s": 7,
            "reasks": 2,
            "least_voters": 3,
            "changes": "first",
            "absent": "extend",
            "default_option": "A",
            "early": False,
            "veto_holders": ["ann"],
            "turnout_floor": "1/2",
            "human": False,
            "person": {"seat": "boss", "deadline_s": 3, "default": "B"},
        }
    )
    assert told["limits"] == VoteLimits(deadline_ms=7_000, reasks=2, least_voters=3)
    assert told["gate"] == Gate(on="none", seat="boss", deadline_ms=3_000, default="B")
    assert told["parameters"] == {
        "strength": "margins",
        "share": "0.5",
        "threshold": "0.6",
        "base": "present",
        "ties": "lot",
    }
    assert (told["kind"], told["options"], told["early"]) == ("choice", ["A", "B"], False)
    named = {"limits", "gate", "parameters", "kind"}
    assert set(told) - named == {
        "rule", "changes", "absent", "default_option", "early", "veto_holders", "turnout_floor",
        "options",
    }  # fmt: skip
    assert set(SETTINGS) >= {"options", "human", "person", "deadline_s"}


def test_options_may_come_with_their_words() -> None:
    told = settings_of({"options": {"A": "the first", "B": ""}})
    assert (told["options"], told["about"]) == (["A", "B"], {"A": "the first"})
    assert "options" not in settings_of({})
    assert gate_of({}) == Gate()
