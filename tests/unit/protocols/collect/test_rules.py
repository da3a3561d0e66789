"""Rules: what a vote is told, what it warns of (V2, V7, V9)."""

from __future__ import annotations

from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.protocols.collect.opening import rules_from_json, vote_rules
from comity.protocols.collect.rules import Gate, Voter, VoteRules


def made(voters: Any = ("ann", "bob", "cyd"), **settings: Any) -> VoteRules:
    return vote_rules("Which?", voters, seed="7", **settings)


def test_g4_a_lot_takes_the_seed_of_the_session() -> None:
    assert made(options=["A", "B"], parameters={"ties": "lot"}).told == {"ties": "lot:7"}
    assert made(options=["A", "B"], parameters={"ties": "lot:5"}).told == {"ties": "lot:5"}


def test_a_yes_no_vote_knows_who_may_veto() -> None:
    assert made().told == {"veto_holders": ()}
    assert made(veto_holders=["bob"]).told == {"veto_holders": ("bob",)}


def test_g8_what_a_person_may_decide() -> None:
    assert made().choices == ("accept", "passed", "rejected")
    assert made(options=["A", "B"]).choices == ("accept", "A", "B")
    with pytest.raises(InvalidInput, match="'accept'"):
        made(options=["accept", "B"])
    assert made(options=["accept", "B"], gate=Gate(on="none")).choices == ("accept", "B")
    assert Gate().faults(("accept",)) == []


def test_v7_opening_an_even_roster_says_so_unasked() -> None:
    assert made(["a", "b", "c", "d"]).warnings == (
        "4 members tolerate 1 failure, as 3 do: the extra member bought nothing",
    )
    assert made({"a": {"weight": 2}, "b": {}}).warnings == ()
    assert made().warnings == ()


def test_v2_unanimity_is_warned_of() -> None:
    assert "hung" in made(parameters={"threshold": "unanimous"}).warnings[0]
    assert made(parameters={"threshold": "at least 2/3"}).warnings == ()


def test_v9_voters_all_alike_are_warned_of_at_opening() -> None:
    same = {"model": "m", "prompt": "p", "evidence": "e"}
    (told,) = made({"a": same, "b": same, "c": same}).warnings
    assert "the same model" in told
    assert made({"a": same, "b": {**same, "model": "n"}, "c": {}}).warnings == ()


def test_who_counts_against_by_being_absent() -> None:
    assert made().against == "no"
    options = ["A", "B"]
    assert made(options=options, default_option="A").against == "A"
    assert made(options=options, kind="approval", default_option="A").against == ["A"]


def test_an_election_of_the_ballots_has_the_roster_and_the_options() -> None:
    rules = made(options=["A", "B"])
    election = rules.election({"ann": "A"})
    assert (election.options, election.absent) == (("A", "B"), ("bob", "cyd"))
    assert election.declared
    assert rules.election({}).size == 0
    assert Voter(id="a").weight == 1


def test_v9_a_vote_with_a_log_says_as_how_many_its_voters_count() -> None:
    rules = vote_rules("q", ["ann", "bob", "cyd", "dan", "eve"], seed="1", n_eff="1.94")
    assert rules.warnings == ("5 voters, counting as 1.9",)
    assert rules_from_json(rules.to_json()) == rules


@pytest.mark.parametrize("n_eff", ["0", "-1", "many", float("nan")])
def test_v9_an_n_eff_is_a_number_above_nothing(n_eff: object) -> None:
    with pytest.raises(InvalidInput, match="n_eff"):
        vote_rules("q", ["ann", "bob", "cyd"], seed="1", n_eff=n_eff)
