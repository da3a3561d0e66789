"""Opening: every fault at once, and only votes that can be counted (V1, V8, G7)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from comity.core.canonical import canonical
from comity.core.errors import InvalidInput
from comity.protocols.collect.opening import RULE_OF_KIND, rules_from_json, vote_rules
from comity.protocols.collect.rules import Gate, VoteLimits, VoteRules

THREE = ["ann", "bob", "cyd"]
OPTIONS = ["B", "A", "C"]


def made(**settings: Any) -> VoteRules:
    return vote_rules("Which?", THREE, seed="1", **settings)


def faults_of(**settings: Any) -> list[str]:
    with pytest.raises(InvalidInput) as caught:
        made(**settings)
    return [f"{one.whose}: {one.what}" for one in caught.value.faults]


def test_v1_options_and_roster_are_fixed_and_sorted_and_the_rest_has_defaults() -> None:
    rules = made(options=OPTIONS)
    assert (rules.options, rules.ids) == (("A", "B", "C"), ("ann", "bob", "cyd"))
    assert (rules.kind, rules.rule, rules.changes, rules.absent) == (
        "choice",
        "majority",
        "last",
        "abstain",
    )
    assert made().kind == "yes_no"
    for kind, rule in RULE_OF_KIND.items():
        assert made(kind=kind, options=None if kind == "yes_no" else OPTIONS).rule == rule


def test_k2_rules_survive_being_recorded() -> None:
    for settings in (
        {},
        {"options": OPTIONS, "about": {"A": "first"}, "parameters": {"threshold": "at least 2/3"}},
        {"veto_holders": ["bob"], "early": False, "turnout_floor": "1/3", "work": "read me"},
        {"options": OPTIONS, "kind": "ranking", "rule": "schulze", "absent": "extend"},
        {"gate": Gate(on="thin", seat="boss", default="passed"), "limits": VoteLimits(reasks=0)},
    ):
        rules = made(**settings)
        read = rules_from_json(json.loads(canonical(rules.to_json())))
        assert read == rules
        assert read.digest == rules.digest


def test_voters_bring_weights_and_what_they_are_made_of() -> None:
    voters = {"ann": {"weight": "1/2", "model": "m"}, "bob": {}, "cyd": None}
    rules = vote_rules("q", voters, seed="1")
    assert [str(one.weight) for one in rules.voters] == ["1/2", "1", "1"]
    assert rules.voters[0].model == "m"
    assert rules_from_json(json.loads(canonical(rules.to_json()))) == rules


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"option": []}, ["vote: has an unknown entry 'option'"]),
        ({"options": ["A"]}, ["options: are 1"]),
        ({"options": []}, []),
        ({"kind": "choice"}, ["options: are 0"]),
        ({"kind": "plurality"}, ["vote: has the kind 'plurality'", "options: are 0"]),
        ({"options": ["A", "a"]}, ["options: list 'A' and 'a', which only capitals tell apart"]),
        (
            {"options": ["A", "A"]},
            ["options: list 'A' and 'A', which only capitals tell apart"],
        ),
        ({"options": ["A", " B", 3]}, ["options: list ' B'", "options: list 3"]),
        ({"kind": "yes_no", "options": ["A", "B"]}, ["options: are ['A', 'B']"]),
        ({"kind": "yes_no", "options": ["yes", "no"]}, []),
        ({"changes": "any"}, ["vote: has changes 'any'"]),
        ({"absent": "no"}, ["vote: has absent 'no'"]),
        (
            {"options": OPTIONS, "absent": "against"},
            ["vote: has the default option ''"],
        ),
        (
            {"options": OPTIONS, "kind": "score", "absent": "against", "default_option": "A"},
            ["vote: counts the absent against, and scores have no such ballot"],
        ),
        (
            {
                "options": OPTIONS,
                "rule": "borda",
                "kind": "ranking",
                "absent": "against",
                "default_option": "A",
            },
            ["borda: "],
        ),
        ({"limits": VoteLimits(least_voters=4)}, ["limits: needs 4 voters of 3"]),
        (
            {"limits": VoteLimits(deadline_ms=0, reasks=-1, least_voters=True)},
            ["limits: deadline_ms is 0", "limits: reasks is -1", "limits: least_voters is True"],
        ),
        ({"veto_holders": ["dan"]}, ["veto holders: name 'dan', who is no voter"]),
        (
            {"options": OPTIONS, "veto_holders": ["ann"]},
            ["veto holders: stand beside choice ballots"],
        ),
        ({"options": OPTIONS, "about": {"Z": "?"}}, ["about: explains 'Z'"]),
        ({"turnout_floor": 2}, ["vote: has the turnout floor 2"]),
        ({"turnout_floor": "much"}, ["vote: turnout_floor is 'much'"]),
        ({"gate": Gate(default="Z")}, ["gate: has the default 'Z'"]),
        (
            {"gate": Gate(on="some", deadline_ms=0, seat="")},  # type: ignore[arg-type]
            ["gate: is on 'some'", "gate: has no time", "seat '': cannot be used as a name"],
        ),
        ({"gate": Gate(deadline_ms="1")}, ["gate: has no time"]),  # type: ignore[arg-type]
        ({"rule": "plurality"}, ["plurality: cannot count yes_no ballots"]),
        ({"rule": "condorset"}, ["rule 'condorset': does not exist"]),
        ({"parameters": {"treshold": 1}}, ["rule 'majority': has no parameter 'treshold'"]),
        ({"parameters": {"threshold": "most"}}, ["threshold: is 'most'"]),
        ({"parameters": {"base": "all"}}, ["base: is 'all'"]),
        (
            {"rule": "borda", "kind": "choice", "options": OPTIONS},
            ["borda: cannot count choice ballots"],
        ),
        (
            {"options": OPTIONS, "kind": "ranking", "rule": "supermajority"},
            [
                "rule 'supermajority': lacks its parameter 'ratios'",
                "rule 'supermajority': lacks its parameter 'default_option'",
            ],
        ),
        (
            {
                "options": OPTIONS,
                "kind": "ranking",
                "rule": "supermajority",
                "parameters": {"ratios": 3, "default_option": "A"},
            },
            ["rule 'supermajority': cannot be used with these parameters"],
        ),
    ],
)
def test_g7_what_cannot_be_voted_on_is_refused(settings: dict[str, Any], told: list[str]) -> None:
    if not told:
        assert made(**settings).kind == "yes_no"
        return
    found = faults_of(**settings)
    assert len(found) == len(told), found
    for one, start in zip(found, told, strict=True):
        assert one.startswith(start)


@pytest.mark.parametrize(
    ("voters", "told"),
    [
        ("ann", "voters: are 'ann'"),
        (7, "voters: are 7"),
        ([], "roster: is empty"),
        (["ann", "ann"], "listed twice"),
        ({"ann": 3}, "voter 'ann': is 3"),
        ({"ann": {"wieght": 3}}, "unknown entry 'wieght'"),
        ({"ann": {"weight": "x"}}, "weight is 'x'"),
        ({"ann": {"weight": 0}}, "weigh 0"),
    ],
)
def test_g7_rosters_that_cannot_vote_are_refused(voters: Any, told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        vote_rules("q", voters, seed="1")


def test_g7_a_question_and_all_faults_together() -> None:
    with pytest.raises(InvalidInput) as caught:
        vote_rules(" ", ["", "b"], seed="1", options=["A"], limits=VoteLimits(reasks=-1))
    assert len(caught.value.faults) == 4


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"seed": None}, "lack seed"),
        ({"voters": None}, "no voters and limits"),
        ({"voters": ["ann"]}, "no voters and limits"),
        ({"roster_digest": "00"}, "another roster"),
        ({"limits": {"speed": 1}}, "unknown field"),
    ],
)
def test_k2_damaged_records_are_told(change: dict[str, Any], told: str) -> None:
    data = {**made().to_json(), **change}
    if change == {"seed": None}:
        del data["seed"]
    with pytest.raises(InvalidInput, match=told):
        rules_from_json(data)
