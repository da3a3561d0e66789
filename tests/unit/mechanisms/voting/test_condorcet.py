"""Condorcet rules: are duels, circles and even duels told apart, and ties never broken?

Here: the Condorcet winner, Copeland, minimax, defeats and the Smith set by hand (V3, G4, G5).
Not here: random elections against the definitions (oracles), laws (properties).
Sources: SEMANTICS V2, V3, G4, G5.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.core.results import Item
from comity.mechanisms.voting import (
    Election,
    VoteChoice,
    VoteNoDecision,
    VoteNoQuorum,
    condorcet,
    copeland,
    minimax,
)
from comity.mechanisms.voting.condorcet import defeats, matrix_for, smith_set

HALF = Fraction(1, 2)
CYCLE = [list(one) for one in ("ABC", "BCA", "CAB")]
# B beats C 5:2, A beats B 4:3, C beats A 5:2.
LEANING = [list("ABC")] * 2 + [list("BCA")] * 3 + [list("CAB")] * 2
CLEAR = [list("ABC"), list("ACB"), list("BAC")]
SHORT = Election([["A"]] * 3 + [["B", "A"]] * 2 + [["C", "B"]] * 2, options=["A", "B", "C"])
RULES = [condorcet, copeland, minimax]


@pytest.mark.parametrize("rule", RULES)
def test_v3_the_condorcet_winner_wins(rule: Any) -> None:
    found = rule(CLEAR)
    assert isinstance(found, VoteChoice)
    assert found.option == "A"
    assert found.count.ranking[0] == ("A",)
    assert found.grounds.parameters[-1] == ("unranked", "last")


@pytest.mark.parametrize("rule", RULES)
def test_g4_a_circle_of_three_is_a_tie_of_three(rule: Any) -> None:
    found = rule(CYCLE)
    assert isinstance(found, VoteNoDecision)
    assert found.tied == ("A", "B", "C")
    assert rule(CYCLE, ties="status_quo:B").winner == "B"


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("options", [[], ["A"], ["A", "B"]])
def test_v2_zero_ballots_are_no_quorum(rule: Any, options: list[str]) -> None:
    found = rule(Election([None], options=options, kind="ranking"))
    assert isinstance(found, VoteNoQuorum)


@pytest.mark.parametrize("rule", RULES)
def test_v2_one_voter_with_one_option(rule: Any) -> None:
    found = rule([["A"]])
    assert (found.winner, found.margin) == ("A", None)


@pytest.mark.parametrize("rule", RULES)
def test_v1_what_ranks_nothing_is_refused(rule: Any) -> None:
    with pytest.raises(InvalidInput, match="cannot count yes_no ballots"):
        rule(["yes", "no"])


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("unranked", ["zero", None, 0])
def test_g7_an_unknown_meaning_of_unranked_is_refused(rule: Any, unranked: Any) -> None:
    with pytest.raises(InvalidInput, match="unranked is") as caught:
        rule(CLEAR, unranked=unranked)
    assert caught.value.faults[0].allowed == "last, no_opinion"


@pytest.mark.parametrize("rule", RULES)
def test_v3_scores_and_approvals_rank_too(rule: Any) -> None:
    assert rule([{"A": 5, "B": 1}, {"A": 1, "B": 0}]).winner == "A"
    assert rule([{"A"}, {"A", "B"}]).winner == "A"
    assert rule(["A", "A", "B"]).winner == "A"


# --- matrix, defeats, Smith set --------------------------------------------------------------


def test_v3_what_is_left_out_is_last_or_says_nothing() -> None:
    assert matrix_for(SHORT, "r", "last") == ((0, 3, 5), (4, 0, 2), (2, 2, 0))
    assert matrix_for(SHORT, "r", "no_opinion") == ((0, 0, 0), (2, 0, 0), (0, 2, 0))


def test_v3_defeats_are_sorted_by_strength_and_even_duels_are_none() -> None:
    matrix = ((0, 5, 3), (2, 0, 4), (3, 1, 0))
    assert defeats(matrix, "margins", "r") == [(3, 1, 2), (3, 0, 1)]
    assert defeats(matrix, "winning_votes", "r") == [(5, 0, 1), (4, 1, 2)]
    with pytest.raises(InvalidInput, match=r"^r: strength is 'votes'"):
        defeats(matrix, "votes", "r")


@pytest.mark.parametrize(
    ("matrix", "members"),
    [
        ((), []),
        (((0,),), [0]),
        (((0, 1), (1, 0)), [0, 1]),
        (((0, 2, 2), (1, 0, 2), (1, 1, 0)), [0]),
        (((0, 2, 1), (1, 0, 2), (2, 1, 0)), [0, 1, 2]),
        # a circle above one option
        (((0, 2, 1, 2), (1, 0, 2, 2), (2, 1, 0, 2), (1, 1, 1, 0)), [0, 1, 2]),
        # 0 wins most duels, but not the one against 3, which is even
        (((0, 2, 2, 1), (1, 0, 2, 2), (1, 1, 0, 2), (1, 1, 1, 0)), [0, 1, 2, 3]),
    ],
)
def test_v3_the_smith_set_is_the_smallest_that_beats_the_rest(
    matrix: Any, members: list[int]
) -> None:
    assert smith_set(matrix) == members


# --- condorcet -------------------------------------------------------------------------------


def test_v3_a_winner_carries_its_duels_and_its_narrowest_lead() -> None:
    found = condorcet(CLEAR)
    assert (found.tally, found.margin) == ({"A": 2, "B": 1, "C": 0}, 1)
    assert found.count.ranking == (("A",), ("B",), ("C",))


def test_v3_a_circle_and_an_even_duel_are_told_apart() -> None:
    circle = condorcet(CYCLE)
    even = condorcet([["A", "B", "C"], ["B", "A", "C"]])
    assert isinstance(circle, VoteNoDecision)
    assert isinstance(even, VoteNoDecision)
    assert (circle.reason, even.reason) == ("cycle", "tie")
    assert circle.leaders == (Item("A", 1), Item("B", 1), Item("C", 1))
    assert (even.tied, even.count.ranking) == (("A", "B"), (("A", "B"), ("C",)))
    assert circle.grounds.ties[-1].label == "smith set"


def test_v3_the_smith_set_may_hold_an_even_duel_beside_a_circle() -> None:
    # A beats B, B beats C, C and A even: nobody beats A.
    orders = ["A B C", "C A B", "AC B", "B AC", "B AC", "A B C", "C A B"]
    found = condorcet([[list(group) for group in order.split()] for order in orders])
    assert isinstance(found, VoteNoDecision)
    assert (found.reason, found.tied) == ("tie", ("A", "B", "C"))


def test_v3_no_opinion_may_elect_another() -> None:
    # With unranked last B beats A 4:3; among those who rank both it does 2:0, and C never meets A.
    assert condorcet(SHORT, unranked="no_opinion").grounds.parameters == (
        ("unranked", "no_opinion"),
    )
    assert condorcet(SHORT).winner is None
    assert condorcet(SHORT, unranked="no_opinion").winner is None
    kennedy = Election([["A", "B"]] * 2 + [["B"]] * 3)
    assert condorcet(kennedy).winner == "B"
    assert condorcet(kennedy, unranked="no_opinion").winner == "A"


def test_g5_margins_are_in_votes() -> None:
    found = condorcet(Election([["A", "B"], ["B", "A"]], weights=["1/2", "1/3"]))
    assert (found.winner, found.margin) == ("A", Fraction(1, 6))


# --- Copeland --------------------------------------------------------------------------------


def test_v3_an_even_duel_is_half_a_win() -> None:
    found = copeland([["A", "B", "C"], ["B", "A", "C"]])
    assert found.tally == {"A": 3 * HALF, "B": 3 * HALF, "C": 0}
    assert (found.tied, found.count.ranking) == (("A", "B"), (("A", "B"), ("C",)))


def test_v3_copeland_leads_by_duels() -> None:
    found = copeland([["A", "B", "C"], [["A", "B"], "C"]])
    assert (found.winner, found.tally, found.margin) == ("A", {"A": 2, "B": 1, "C": 0}, 1)
    # A beats B, B and C even, A and C even.
    half = copeland([["A", "B", "C"], ["C", "A", "B"]])
    assert (half.winner, half.margin) == ("A", HALF)
    assert half.tally == {"A": 3 * HALF, "B": HALF, "C": 1}


# --- minimax ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("strength", "tally", "winner"),
    [
        ("margins", {"A": 3, "B": 1, "C": 3}, "B"),
        ("winning_votes", {"A": 5, "B": 4, "C": 5}, "B"),
        ("opposition", {"A": 5, "B": 4, "C": 5}, "B"),
    ],
)
def test_v3_the_least_bad_worst_duel(strength: Any, tally: dict[str, int], winner: str) -> None:
    found = minimax(LEANING, strength=strength)
    assert (found.winner, found.tally) == (winner, tally)
    assert found.grounds.parameters == (("strength", strength), ("unranked", "last"))
    assert found.margin == 2 if strength == "margins" else 1
    assert found.count.ranking == (("B",), ("A", "C"))


def test_v3_three_measures_of_a_duel_differ() -> None:
    # A beats B 3:2 with 4 silent: the lead is 1, the winner's votes 3.
    ballots = Election([["A", "B"]] * 3 + [["B", "A"]] * 2 + [[["A", "B"]]] * 4)
    assert minimax(ballots).tally == {"A": -1, "B": 1}
    assert minimax(ballots, strength="winning_votes").tally == {"A": 0, "B": 3}
    assert minimax(ballots, strength="opposition").tally == {"A": 2, "B": 3}


def test_g5_minimax_by_weight() -> None:
    found = minimax(Election([["A", "B"], ["B", "A"]], weights=["1/2", "1/3"]))
    assert found.tally == {"A": Fraction(-1, 6), "B": Fraction(1, 6)}
    assert found.margin == Fraction(1, 3)


def test_g7_an_unknown_strength_is_refused() -> None:
    for ballots in (CLEAR, [["A"]]):
        with pytest.raises(InvalidInput, match="strength is 'ratio'"):
            minimax(ballots, strength="ratio")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="strength is 'ratio'"):
        minimax(Election([], kind="ranking"), strength="ratio")  # type: ignore[arg-type]
