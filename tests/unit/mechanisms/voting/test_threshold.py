"""Thresholds: exact shares, their words, the bases, majorities that explain themselves (V2)."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.core.results import Item
from comity.mechanisms.voting.election import Election
from comity.mechanisms.voting.results import (
    VoteBlocked,
    VoteChoice,
    VoteNoDecision,
    VoteNoQuorum,
    VoteVerdict,
)
from comity.mechanisms.voting.threshold import (
    Base,
    Threshold,
    base_weight,
    first_places,
    majority,
    read_threshold,
)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("majority", "more than 1/2"),
        ("Strict Majority", "more than 1/2"),
        (0.5, "more than 1/2"),
        ("1/2", "more than 1/2"),
        ("more than 1/2", "more than 1/2"),
        ("> 0.6", "more than 3/5"),
        (">0.6", "more than 3/5"),
        (Decimal("0.55"), "more than 11/20"),
        (Fraction(2, 3), "more than 2/3"),
        ("at least 2/3", "at least 2/3"),
        ("at-least 2/3", "at least 2/3"),
        (">= 2/3", "at least 2/3"),
        ("≥ 60%", "at least 3/5"),
        ("60 %", "more than 3/5"),
        ("unanimous", "unanimous"),
        ("at least 1", "unanimous"),
        (0, "more than 0/1"),
        (Threshold(Fraction(3, 4), is_inclusive=True), "at least 3/4"),
    ],
)
def test_v2_a_threshold_is_read_from_words_and_numbers_and_written_back(
    given: object, words: str
) -> None:
    found = read_threshold(given)
    assert str(found) == words
    assert read_threshold(str(found)) == found


@pytest.mark.parametrize(
    "given",
    [
        "most",
        "",
        "more than",
        "2/0",
        1,
        "more than 1",
        "at least 0",
        2,
        "> 1.5",
        -0.5,
        True,
        float("nan"),
        None,
        "unanimos",
        "at least 7/5",
    ],
)
def test_g7_what_is_no_threshold_is_refused(given: object) -> None:
    with pytest.raises(InvalidInput):
        read_threshold(given)


@pytest.mark.parametrize(
    ("n", "needed"), [(1, 1), (2, 2), (3, 2), (4, 3), (5, 3), (100, 51), (101, 51)]
)
def test_v2_a_strict_majority_is_more_than_half_and_two_never_fit(n: int, needed: int) -> None:
    assert read_threshold("majority").needed(n) == needed
    assert 2 * needed > n >= 2 * (needed - 1)


def test_v2_shares_are_exact_where_ceilings_of_floats_are_not() -> None:
    # the ceiling of the float 100 * 0.55 is 56
    assert read_threshold("at least 0.55").needed(100) == 55
    assert read_threshold(">= 0.07").needed(100) == 7
    assert read_threshold("> 0.55").needed(100) == 56
    for n in range(1, 200):
        for share in ("at least 0.55", "at least 0.07", "> 0.07", "at least 2/3"):
            limit = read_threshold(share)
            votes = limit.needed(n)
            assert limit.is_met(votes, n)
            assert not limit.is_met(votes - 1, n)


@pytest.mark.parametrize("weights", list(permutations([0.1, 0.2, 0.3, 0.4])))
def test_g5_no_order_of_arrival_makes_six_tenths_more_than_six_tenths(
    weights: tuple[float, ...],
) -> None:
    ballots = ["B" if one == 0.4 else "A" for one in weights]
    for given in (weights, [str(one) for one in weights]):
        exact = Election(ballots, weights=given)
        result = majority(exact, threshold="> 0.6")
        assert isinstance(result, VoteNoDecision)
        assert result.reason == "no_majority"
        assert result.leaders[0] == Item("A", Fraction(3, 5))
        assert isinstance(majority(exact, threshold="at least 0.6"), VoteChoice)


@pytest.mark.parametrize(
    ("base", "total", "winner"),
    [("roster", 7, None), ("present", 6, None), ("expressed", 5, "A")],
)
def test_v2_the_base_is_explicit(base: Base, total: int, winner: str | None) -> None:
    ballots = {"a": "A", "b": "A", "c": "A", "d": "B", "e": None, "f": "C"}
    roster = Election(ballots, options=["A", "B"], roster=list("abcdefg"), invalid="keep")
    assert base_weight(roster, base) == total
    result = majority(roster, base=base)
    assert result.winner == winner
    assert result.count.rounds[0].tally[1] == Item("of", total)
    assert result.grounds.abstained == ("e",)
    assert result.grounds.invalid == ("f",)
    assert result.grounds.absent == ("g",)


def test_v1_without_a_roster_all_ballots_handed_in_are_the_base() -> None:
    election = Election(["A", "A", "A", "B", None, "x"], options=["A", "B"], invalid="keep")
    assert base_weight(election, "roster") == base_weight(election, "present") == 6
    result = majority(election)  # inspect_ai 4721: the panel does not shrink to those who could
    assert result.reason == "no_majority"  # type: ignore[union-attr]
    assert result.unblock == ("1 vote more for A: 4 are needed (more than 1/2 of the roster)",)  # type: ignore[union-attr]


def test_v2_zero_ballots_are_no_quorum_and_never_a_winner() -> None:
    for ballots in ([], [None, None], {"ann": None}):
        result = majority(ballots)
        assert isinstance(result, VoteNoQuorum)
    nobody = Election({}, options=["A", "B"], roster=["a", "b"])
    assert isinstance(majority(nobody), VoteNoQuorum)
    assert isinstance(majority(Election([], kind="yes_no")), VoteNoQuorum)


def test_g4_a_tie_stands_and_says_what_would_decide_it() -> None:
    result = majority(["A", "B"])
    assert isinstance(result, VoteNoDecision)
    assert (result.reason, result.tied) == ("tie", ("A", "B"))
    assert result.unblock[:2] == (
        "one more vote that separates A and B",
        "1 vote more for one option: 2 are needed (more than 1/2 of the roster)",
    )
    assert "lot" in result.unblock[2]
    three = majority(["A", "B", "C"], ties="lot:1")
    assert three.unblock[0] == "one more vote that separates the 3 tied options"  # type: ignore[union-attr]
    assert len(three.unblock) == 2  # type: ignore[union-attr]


def test_g4_a_tie_rule_gives_one_casting_vote_and_no_more() -> None:
    chosen = majority({"ann": "A", "bob": "B"}, ties="chair:bob")
    assert chosen.winner == "B"
    assert chosen.grounds.thin == ("tie_rule_used",)
    assert majority(["A", "A", "B", "B"], ties="status_quo:A").winner == "A"
    # one casting vote makes 3 of 6, which is no majority
    short = majority(["A", "A", "B", "B", None], ties="lot:1")
    assert isinstance(short, VoteNoDecision)
    assert not any(tie.chosen for tie in short.grounds.ties)
    assert majority(["A", "B"], threshold=">= 1/2", ties="lot:1").winner in {"A", "B"}
    stands = majority(["A", "B"], threshold=">= 1/2")
    assert stands.reason == "tie"  # type: ignore[union-attr]
    assert stands.unblock[0] == "one more vote that separates A and B"  # type: ignore[union-attr]


def test_three_to_two_and_five_to_none_never_look_alike() -> None:
    close, clear = majority(["A"] * 3 + ["B"] * 2), majority(["A"] * 5)
    assert close.winner == clear.winner == "A"
    assert (close.margin, clear.margin) == (1, None)
    assert close.tally != clear.tally
    assert majority(Election(["A"] * 5, options=["A", "B"])).margin == 5


def test_rankings_count_by_their_first_places_and_equal_firsts_share() -> None:
    election = Election([["A", "B"], [["A", "B"]], ["B", "A"]])
    assert first_places(election) == [Fraction(3, 2), Fraction(3, 2)]
    assert majority(election).tied == ("A", "B")
    assert majority([["A", "B"]] * 2 + [["B", "A"]]).winner == "A"


def test_v2_unanimity_warns_that_one_hung_member_can_veto() -> None:
    result = majority(
        Election({"a": "A", "b": "A"}, roster=["a", "b", "c"]), threshold="unanimous"
    )
    assert isinstance(result, VoteNoDecision)
    assert result.count.flags == ("unanimous_can_hang",)
    assert "hung" in result.unblock[1]
    agreed = majority(["A", "A"], threshold="unanimous")
    assert agreed.winner == "A"
    assert "unanimous_can_hang" in agreed.count.flags
    assert "hung" in agreed.count.rounds[0].note
    tied = majority(["A", "B"], threshold="unanimous")
    assert "hung" in tied.unblock[2]  # type: ignore[union-attr]
    yes = majority(["yes", "yes"], threshold="unanimous")
    assert yes.count.flags == ("unanimous_can_hang",)


@pytest.mark.parametrize(
    ("ballots", "verdict", "margin"),
    [
        (["yes", "yes", "no"], "passed", 1),
        (["yes", "no"], "rejected", 0),
        (["no", "no", "yes"], "rejected", 1),
        ([True, True, True, None], "passed", 3),
        ([True, None], "rejected", 1),
    ],
)
def test_v2_a_yes_no_question_gets_a_verdict(
    ballots: list[Any], verdict: str, margin: int
) -> None:
    result = majority(Election(ballots, kind="yes_no"))
    assert isinstance(result, VoteVerdict)
    assert (result.verdict, result.winner, result.margin) == (verdict, verdict, margin)
    assert result.exit_code == 0


def test_a_veto_blocks_and_names_who_could_lift_it() -> None:
    result = majority({"ann": "yes", "bob": "veto", "cyd": "yes"})
    assert isinstance(result, VoteBlocked)
    assert result.by == (("bob", "veto"),)
    assert result.unblock == ("bob withdraws the veto",)
    assert majority(["yes", "veto", "veto"]).by == (("2 unnamed", "veto"),)  # type: ignore[union-attr]


def test_a_no_blocks_only_from_a_veto_holder() -> None:
    ballots = {"ann": "no", "bob": "yes", "cyd": "yes"}
    assert isinstance(majority(ballots, veto_holders=["ann"]), VoteBlocked)
    assert majority(ballots, veto_holders=["bob"]).winner == "passed"
    nobody = majority({**ballots, "ann": "veto"}, veto_holders=())
    assert nobody.winner == "passed"
    assert ("veto_holders", ()) in nobody.grounds.parameters


def test_g7_every_fault_of_the_parameters_comes_at_once() -> None:
    election = Election({"ann": "A"}, roster=["ann"])
    with pytest.raises(InvalidInput) as caught:
        majority(election, base="all", veto_holders=["bob"])  # type: ignore[arg-type]
    assert [one.whose for one in caught.value.faults] == ["base", "veto holders", "veto holders"]
    with pytest.raises(InvalidInput, match="the text 'ann'"):
        majority(["yes"], veto_holders="ann")
    with pytest.raises(InvalidInput, match="name the voters"):
        majority(["yes"], veto_holders=["ann"])
    with pytest.raises(InvalidInput, match="majority: cannot count approval ballots"):
        majority([{"A"}])
    with pytest.raises(InvalidInput, match="ties"):
        majority([], ties="coin")
    assert majority(Election([], kind="yes_no"), veto_holders=["ann"]).kind == "no_quorum"


def test_weights_that_add_up_to_nothing_are_refused() -> None:
    with pytest.raises(InvalidInput, match="add up to 0"):
        majority(Election(["A", "B"], weights=[0, 0]))
    unheard = Election({"a": "A"}, roster=[*["b"], *["c"]], invalid="keep", options=["A"])
    assert majority(unheard).kind == "no_quorum"


def test_a_weight_is_as_many_votes() -> None:
    weighed = majority(Election(["A", "B"], weights=["3/2", 1]))
    assert weighed.winner == "A"
    assert weighed.tally == {"A": Fraction(3, 2), "B": 1}
    lost = majority(Election(["A", "B", "C"], weights=["3/2", 1, 1]))
    assert lost.reason == "no_majority"  # type: ignore[union-attr]
    assert lost.unblock[0].startswith("0.5 votes more for A: 2 are needed")  # type: ignore[union-attr]


@pytest.mark.parametrize(("share", "near"), [(2 / 3, "2/3"), (1 / 7, "1/7")])
def test_g5_a_float_that_only_comes_near_is_refused_with_what_it_means(
    share: float, near: str
) -> None:
    with pytest.raises(InvalidInput, match=near):
        read_threshold(share)
    assert read_threshold(0.66).share == Fraction(66, 100)


def test_everybody_is_said_as_unanimous() -> None:
    with pytest.raises(InvalidInput, match="unanimous"):
        read_threshold(1)
