"""Thin: why a person may want to look twice (G8)."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from comity.mechanisms.voting import Election, majority, rule_named
from comity.protocols.collect.opening import vote_rules
from comity.protocols.collect.rules import VoteRules
from comity.protocols.collect.thin import thin_of

NAMES = ("a", "b", "c", "d")
HANGS = ("margin_of_victory_1",)


def rules_of(weights: Any = (1, 1, 1, 1), kind: str = "choice", **settings: Any) -> VoteRules:
    voters = {name: {"weight": weight} for name, weight in zip(NAMES, weights, strict=True)}
    options = None if kind == "yes_no" else ["A", "B", "C"]
    return vote_rules("q", voters, seed="1", kind=kind, options=options, **settings)


def by_trying(rules: VoteRules, ballots: dict[str, Any], words: tuple[Any, ...]) -> bool:
    """Change each voter's ballot in every way, and see whether the outcome is another one."""
    before = majority(rules.election(ballots), **rules.told)
    return any(
        majority(rules.election({**ballots, name: word}), **rules.told).winner != before.winner
        for name in ballots
        for word in words
    )


@pytest.mark.parametrize("base", ["roster", "present", "expressed"])
@pytest.mark.parametrize("threshold", ["majority", "at least 2/3", "unanimous", "> 1/4"])
@pytest.mark.parametrize("weights", [(1, 1, 1, 1), (3, 1, 1, "1/2")])
@pytest.mark.parametrize(
    ("kind", "words"), [("choice", ("A", "B", "C", None)), ("yes_no", ("yes", "no"))]
)
def test_g8_what_hangs_on_one_voter_is_found_as_by_trying_every_change(
    base: str, threshold: str, weights: Any, kind: str, words: tuple[Any, ...]
) -> None:
    rules = rules_of(weights, kind, parameters={"base": base, "threshold": threshold})
    for cast in (3, 4):
        for said in product((*words, None) if kind == "yes_no" else words, repeat=cast):
            ballots = dict(zip(NAMES, said, strict=False))
            found = majority(rules.election(ballots), **rules.told)
            if found.is_decided:
                hangs = by_trying(rules, ballots, words)
                assert (thin_of(found, rules) == HANGS) is hangs, (ballots, found.winner)


def test_g8_what_decides_nothing_is_not_thin() -> None:
    rules = rules_of()
    assert thin_of(majority(rules.election({"a": "A", "b": "B"})), rules) == ()


def test_g8_turnout_and_disagreeing_rules_are_told() -> None:
    rules = rules_of(turnout_floor="3/4")
    low = majority(rules.election({"a": "A", "b": "A"}), base="expressed")
    assert thin_of(low, rules)[-1] == "turnout"
    full = majority(rules.election(dict.fromkeys(NAMES, "A")))
    assert thin_of(full, rules) == ()
    ranked = rules_of(kind="ranking", rule="majority")
    ballots = {"a": ["A", "B", "C"], "b": ["A", "B", "C"], "c": ["A", "B", "C"]}
    agreed = majority(ranked.election({**ballots, "d": ["A", "C", "B"]}))
    assert thin_of(agreed, ranked) == ()
    split = {"a": ["A", "B", "C"], "b": ["A", "B", "C"], "c": ["A", "B", "C"]}
    other = majority(ranked.election({**split, "d": ["B", "C", "A"]}))
    assert thin_of(other, ranked) == HANGS
    many = [["A", "B", "C"]] * 3 + [["B", "C", "A"]] * 2
    assert "rules_disagree" in thin_of(majority(Election(many)), ranked)


def test_g8_a_shared_first_place_is_nobodys_whole_vote() -> None:
    rules = rules_of(kind="ranking", rule="majority")
    ballots = {"a": ["A"], "b": ["A"], "c": ["A"], "d": [["A", "B"]]}
    assert thin_of(majority(rules.election(ballots)), rules) == ()


def test_one_option_alone_can_still_be_abstained_from() -> None:
    alone = majority(Election({"a": "A", "b": "A", "c": "A"}, options=["A"]))
    assert thin_of(alone, rules_of()) == ()


# --- independent voters (V9) -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_eff", "is_thin"), [(None, False), ("1.4", True), ("1.6", False), ("4", False)]
)
def test_v9_a_lead_counts_in_independent_votes(n_eff: str | None, is_thin: bool) -> None:
    ballots = dict.fromkeys(NAMES, "A")
    rules = rules_of(n_eff=n_eff)
    found = thin_of(majority(rules.election(ballots), **rules.told), rules)
    assert ("effective_margin" in found) is is_thin


@pytest.mark.parametrize("n_eff", ["1", "2", "3.5"])
def test_v9_a_verdict_counts_in_independent_votes(n_eff: str) -> None:
    rules = rules_of(kind="yes_no", n_eff=n_eff)
    ballots = {"a": "yes", "b": "yes", "c": "yes", "d": None}
    passed = majority(rules.election({**ballots, "d": "no"}), **rules.told)
    assert ("effective_margin" in thin_of(passed, rules)) is (float(n_eff) * 2 / 4 < 1.5)
    alone = majority(rules.election(ballots), **rules.told)
    assert ("effective_margin" in thin_of(alone, rules)) is (float(n_eff) < 1.5)


def test_v9_other_rules_are_asked_the_same() -> None:
    rules = rules_of(kind="choice", rule="plurality", n_eff="1.2")
    found = rules_result(rules, dict.fromkeys(NAMES, "A"))
    assert "effective_margin" in thin_of(found, rules)


def rules_result(rules: VoteRules, ballots: dict[str, Any]) -> Any:
    return rule_named(rules.rule)(rules.election(ballots), **rules.told)


def test_v9_votes_that_weigh_nothing_lead_by_nothing() -> None:
    rules = rules_of(n_eff="2")
    assert thin_of(majority({"a": None}), rules) == ()
