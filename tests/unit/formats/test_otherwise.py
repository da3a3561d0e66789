"""formats/otherwise.py, G10: what a file says about what follows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.formats.otherwise import next_of
from comity.formats.scenario import Scenario, scenario_from
from comity.session.chain import ChainRules
from comity.session.registry import machine_of

CONSENT = {
    "kind": "consent",
    "question": "Meetings?",
    "seats": {"CC": {"priority": "Focus"}, "CX": {"priority": "Contact"}},
}
BARGAIN = {
    "kind": "bargain",
    "seller": {"opening": 120, "reservation": 70},
    "buyer": {"opening": 60, "reservation": 100},
}
VOTE = {"kind": "vote", "question": "Ship it?", "voters": ["ann", "bob", "cyd"]}


def read(data: Mapping[str, Any], **more: Any) -> Scenario:
    return scenario_from({**data, **more}, whose="x.toml", folder=Path(), seed="1")


def rules(scenario: Scenario) -> Any:
    return machine_of(scenario.kind).read_rules(scenario.rules)


@pytest.mark.parametrize("data", [CONSENT, BARGAIN, VOTE], ids=lambda data: data["kind"])
def test_g10_every_kind_of_file_may_name_what_follows(data: dict[str, Any]) -> None:
    plain = read(data)
    assert "otherwise" not in plain.rules
    assert not isinstance(rules(plain), ChainRules)
    told = read(data, otherwise=["resolve", "human"], then={"resolve": "status_quo"})
    found = rules(told)
    assert isinstance(found, ChainRules)
    assert found.following.steps == ("resolve", "human")
    assert found.following.resolve == "status_quo"
    assert {**told.rules, "otherwise": None} == {**plain.rules, "otherwise": None}


def test_g10_the_seats_vote_when_nobody_else_is_named() -> None:
    found = rules(read(CONSENT, otherwise=["vote"])).following
    assert (sorted(found.voters), found.question, found.seed) == (["CC", "CX"], "Meetings?", "1")
    again = rules(read(VOTE, otherwise=["vote"], seed=7)).following
    assert (sorted(again.voters), again.seed) == (["ann", "bob", "cyd"], "7")


def test_g10_others_may_vote_with_agents_and_settings_of_their_own() -> None:
    told = read(
        BARGAIN,
        otherwise=["vote"],
        then={
            "question": "Which price?",
            "voters": {"ann": {"agent": "person", "weight": 2}, "bob": {}},
            "rule": "plurality",
            "ties": "lot",
            "ballot": "choice",
            "deadline_s": 9,
            "person": {"seat": "boss"},
        },
    )
    found = rules(told).following
    assert dict(told.agents) == {"ann": "person"}
    assert found.voters == {"ann": {"weight": 2}, "bob": {}}
    assert (found.question, found.limits.deadline_ms, found.gate.seat) == (
        "Which price?",
        9_000,
        "boss",
    )
    assert found.settings == {"rule": "plurality", "kind": "choice", "parameters": {"ties": "lot"}}


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"then": {"resolve": "lot"}}, r"says \[then\] without otherwise"),
        ({"otherwise": []}, r"is \[\]"),
        ({"otherwise": ["coin"]}, "coin"),
        ({"otherwise": ["resolve"], "then": {"resolve": "coin"}}, "is resolved by 'coin'"),
        ({"otherwise": ["vote"], "then": {"voters": []}}, "is empty"),
        ({"otherwise": ["vote"], "then": {"options": ["A"]}}, "unknown key 'then.options'"),
        ({"otherwise": ["vote"], "then": {"rule": "x", "voters": ["a"]}}, "does not exist"),
    ],
)
@pytest.mark.parametrize("data", [CONSENT, BARGAIN, VOTE], ids=lambda data: data["kind"])
def test_g7_what_cannot_follow_is_refused(
    data: dict[str, Any], more: dict[str, Any], told: str
) -> None:
    with pytest.raises(InvalidInput, match=told):
        read(data, **more)


def test_a_bargain_has_no_seats_that_could_vote() -> None:
    with pytest.raises(InvalidInput, match="is empty"):
        read(BARGAIN, otherwise=["vote"])


def test_nothing_said_is_nothing_recorded() -> None:
    found, faults = next_of({}, seats=["a"], question="q", seed="1", whose="x")
    assert (found.rules, found.agents, faults) == ({}, {}, [])
