"""Positional rules: are points counted exactly, and are ties and short ballots what they are?

Here: plurality, Borda, approval, score and STAR by hand (V3, V4, G4, G5, V2).
Not here: random elections against the definitions (oracles), laws (properties).
Sources: SEMANTICS V2, V3, V4, G4, G5.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.core.results import Item
from comity.mechanisms.voting import (
    Election,
    VoteChoice,
    VoteNoDecision,
    VoteNoQuorum,
    approval,
    borda,
    plurality,
    score,
    star,
)
from comity.mechanisms.voting.positional import lead

HALF = Fraction(1, 2)
SOURCE = [list(one) for one in ("ABC", "ABC", "BCA", "BCA", "CBA")]
POSITIONAL = [
    (plurality, "A"),
    (borda, ["A"]),
    (approval, {"A"}),
    (score, {"A": 1}),
    (star, {"A": 1}),
]


# --- what all share --------------------------------------------------------------------------


@pytest.mark.parametrize(("rule", "ballot"), POSITIONAL)
@pytest.mark.parametrize("ballots", [[], [None, None]])
def test_v2_zero_ballots_are_no_quorum(rule: Any, ballot: object, ballots: list[None]) -> None:
    kind = Election([ballot]).kind
    assert isinstance(rule(Election(ballots, options=["A", "B"], kind=kind)), VoteNoQuorum)
    assert isinstance(rule(Election(ballots, kind=kind)), VoteNoQuorum)


@pytest.mark.parametrize(("rule", "ballot"), POSITIONAL)
def test_v2_one_voter_decides(rule: Any, ballot: object) -> None:
    found = rule([ballot])
    assert isinstance(found, VoteChoice)
    assert (found.option, found.margin) == ("A", None)


@pytest.mark.parametrize(("rule", "ballot"), POSITIONAL)
def test_v2_ballots_without_any_weight_elect_nobody(rule: Any, ballot: object) -> None:
    found = rule(Election([ballot], weights=[0]))
    assert found.winner is None


@pytest.mark.parametrize(
    ("rule", "one", "other"),
    [
        (plurality, "A", "B"),
        (borda, ["A", "B"], ["B", "A"]),
        (approval, {"A"}, {"B"}),
        (score, {"A": 1}, {"B": 1}),
        (star, {"A": 1, "B": 0}, {"B": 1, "A": 0}),
    ],
)
def test_g4_two_voters_who_disagree_tie_in_either_order(rule: Any, one: Any, other: Any) -> None:
    for ballots in ([one, other], [other, one]):
        found = rule(ballots)
        assert isinstance(found, VoteNoDecision)
        assert (found.tied, found.reason, found.margin) == (("A", "B"), "tie", 0)


@pytest.mark.parametrize(
    ("rule", "ballots"),
    [(plurality, [{"A"}]), (borda, ["A"]), (approval, ["A"]), (score, [["A"]]), (star, ["A"])],
)
def test_v1_ballots_of_another_kind_are_refused(rule: Any, ballots: list[Any]) -> None:
    with pytest.raises(InvalidInput):
        rule(ballots)
    with pytest.raises(InvalidInput, match="cannot count"):
        rule(Election(ballots))


def test_margins_need_two() -> None:
    assert (lead([]), lead([3]), lead([1, 5, HALF])) == (None, None, 4)


# --- plurality -------------------------------------------------------------------------------


def test_v4_the_source_example_under_plurality_is_a_tie() -> None:
    found = plurality(SOURCE)
    assert isinstance(found, VoteNoDecision)
    assert (found.tied, found.tally) == (("A", "B"), {"A": 2, "B": 2, "C": 1})


def test_v3_plurality_counts_first_places() -> None:
    found = plurality(Election(["A", "B", "A", None], options=["A", "B", "C"]))
    assert isinstance(found, VoteChoice)
    assert (found.option, found.tally, found.margin) == ("A", {"A": 2, "B": 1, "C": 0}, 1)
    assert found.count.ranking == (("A",), ("B",), ("C",))
    assert found.grounds.parameters == ()


def test_v3_equal_firsts_split_a_ballot() -> None:
    found = plurality([[["A", "B", "C"]], [["B", "C"], "A"]])
    assert found.tally == {"A": Fraction(1, 3), "B": Fraction(5, 6), "C": Fraction(5, 6)}
    assert found.tied == ("B", "C")
    assert found.grounds.parameters == (("equal", "split"),)


@pytest.mark.parametrize("copies", [1, 2, 6])
def test_v3_equal_firsts_are_refused_on_request_however_many(copies: int) -> None:
    """Two halves are a whole again: the sum does not show that ballots were split."""
    with pytest.raises(InvalidInput, match="several first ranks on one ballot"):
        plurality([[["A", "B"]]] * copies + [["C", ["A", "B"]]], equal="refuse")
    found = plurality([["A", ["B", "C"]]] * copies, equal="refuse")
    assert (found.winner, found.tally["A"]) == ("A", copies)


def test_g7_an_unknown_way_with_equal_firsts_is_refused() -> None:
    with pytest.raises(InvalidInput, match="equal"):
        plurality([["A", "B"]], equal="ignore")  # type: ignore[arg-type]


@pytest.mark.parametrize("order", list(permutations([0.1, 0.2, 0.3])))
def test_g5_float_weights_are_read_as_written_and_tie_exactly(order: tuple[float, ...]) -> None:
    found = plurality(Election(["A", "A", "A", "B"], weights=[*order, 0.6]))
    assert found.tied == ("A", "B")
    assert found.tally == {"A": Fraction(3, 5), "B": Fraction(3, 5)}


def test_g5_weights_are_votes() -> None:
    found = plurality(Election(["A", "B", "B"], weights=["3/2", "1/3", Decimal("0.5")]))
    assert (found.winner, found.tally) == ("A", {"A": Fraction(3, 2), "B": Fraction(5, 6)})
    assert found.margin == Fraction(2, 3)
    whole = plurality(Election(["A", "B"], weights=["1/2", 2]))
    assert (whole.tally, whole.margin) == ({"A": HALF, "B": 2}, Fraction(3, 2))


def test_v1_ballots_kept_as_invalid_elect_nobody_and_weigh() -> None:
    found = plurality(Election(["A", "B", "B", "X"], options=["A", "B"], invalid="keep"))
    assert (found.winner, found.grounds.invalid) == ("B", ("4",))
    assert found.count.election.invalid_weight == 1


# --- Borda -----------------------------------------------------------------------------------


def test_v4_the_source_example() -> None:
    found = borda(SOURCE)
    assert isinstance(found, VoteChoice)
    assert (found.option, found.tally, found.margin) == ("B", {"A": 4, "B": 7, "C": 4}, 3)
    assert found.count.ranking == (("B",), ("A", "C"))
    assert found.grounds.parameters == ()


@pytest.mark.parametrize(
    "bad", [["C", "B", "A", "C", "C", "C"], ["X", "Y", "Z"], ["A", "B", "B"], ["A", "B", "D"]]
)
def test_v4_what_the_source_lets_pass_is_no_ballot(bad: list[str]) -> None:
    with pytest.raises(InvalidInput):
        borda(Election([*SOURCE, bad], options=["A", "B", "C"]))
    found = borda(Election([*SOURCE, bad], options=["A", "B", "C"], invalid="keep"))
    assert found.tally == {"A": 4, "B": 7, "C": 4}
    assert found.grounds.invalid == ("6",)


def test_v4_short_ballots_are_refused_until_their_meaning_is_named() -> None:
    short = Election([["A"], ["B", "A"]], options=["A", "B", "C", "D"])
    with pytest.raises(InvalidInput, match="leave options out"):
        borda(short)
    last = borda(short, unranked="last")
    assert last.tally == {"A": 5, "B": 4, "C": Fraction(3, 2), "D": Fraction(3, 2)}
    assert last.grounds.parameters == (("unranked", "last"),)
    zero = borda(short, unranked="zero")
    assert zero.tally == {"A": 5, "B": 3, "C": 0, "D": 0}
    assert zero.grounds.parameters == (("unranked", "zero"),)


def test_v3_equal_ranks_share_their_places() -> None:
    found = borda([["A", ["B", "C"], "D"], [["A", "B", "C", "D"]]])
    assert found.tally == {"A": 3 + 3 * HALF, "B": 3, "C": 3, "D": 3 * HALF}


def test_v4_whole_ballots_are_the_same_under_every_meaning() -> None:
    for unranked in ("last", "zero"):
        assert borda(SOURCE, unranked=unranked).tally == {"A": 4, "B": 7, "C": 4}  # type: ignore[arg-type]


@pytest.mark.parametrize("unranked", ["no_opinion", "average", 0, ""])
def test_g7_an_unknown_meaning_is_refused(unranked: Any) -> None:
    with pytest.raises(InvalidInput, match="unranked is"):
        borda(SOURCE, unranked=unranked)


def test_g5_borda_by_weight() -> None:
    found = borda(Election([["A", "B"], ["B", "A"], [["A", "B"]]], weights=["1/3", "1/2", 1]))
    assert found.tally == {"A": Fraction(5, 6), "B": 1}
    assert found.margin == Fraction(1, 6)


# --- approval --------------------------------------------------------------------------------


def test_v3_approval_counts_approvals_and_an_empty_one_is_a_ballot() -> None:
    found = approval([{"A", "B"}, {"B"}, set()])
    assert (found.winner, found.tally, found.margin) == ("B", {"A": 1, "B": 2}, 1)
    assert found.count.election.size == 3
    nobody = approval(Election([set()], options=["A", "B"], kind="approval"))
    assert nobody.tied == ("A", "B")


def test_v2_approvals_that_name_no_option_at_all_elect_nobody() -> None:
    for ties in ("none", "lot:7"):
        assert approval([set(), set()], ties=ties).winner is None


# --- score -----------------------------------------------------------------------------------


@pytest.mark.parametrize("order", list(permutations([0.1, 0.2, 0.3])))
def test_g5_float_scores_are_read_as_written_and_tie_exactly(order: tuple[float, ...]) -> None:
    one, *others = [{"A": value} for value in order]
    found = score([{**one, "B": 0.6}, *others])
    assert found.tied == ("A", "B")
    assert found.tally == {"A": Fraction(3, 5), "B": Fraction(3, 5)}


def test_v3_the_mean_is_over_those_who_gave_a_score() -> None:
    ballots = [{"A": 4, "B": 9}, {"A": 5}, {"A": 3}]
    assert score(ballots).winner == "A"
    mean = score(ballots, measure="mean")
    assert (mean.winner, mean.tally, mean.margin) == ("B", {"A": 4, "B": 9}, 5)
    assert mean.grounds.parameters == (("measure", "mean"),)
    assert score(ballots).grounds.parameters == (("measure", "sum"),)


def test_g5_scores_by_weight() -> None:
    election = Election([{"A": 3, "B": 1}, {"A": 0, "C": "1/2"}], weights=["1/2", 1])
    assert score(election).tally == {"A": Fraction(3, 2), "B": HALF, "C": HALF}
    assert score(election, measure="mean").tally == {"A": 1, "B": 1, "C": HALF}


def test_v3_an_option_without_a_score_has_none() -> None:
    election = Election([{"A": -2}], options=["A", "B"])
    assert score(election).tally == {"A": -2, "B": 0}
    assert score(election, measure="mean").tally == {"A": -2, "B": 0}


def test_v3_the_mean_of_scores_without_weight() -> None:
    election = Election([{"A": 2}, {"B": 1}], weights=[0, 1])
    assert score(election, measure="mean").tally == {"A": 0, "B": 1}


def test_g7_an_unknown_measure_is_refused() -> None:
    with pytest.raises(InvalidInput, match="measure"):
        score([{"A": 1}], measure="median")  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf"), True, "x"])
@pytest.mark.parametrize("rule", [score, star])
def test_g5_no_score_is_not_a_number(rule: Any, bad: object) -> None:
    with pytest.raises(InvalidInput, match="score of 'A' is"):
        rule([{"A": bad, "B": 1}])


# --- STAR ------------------------------------------------------------------------------------


def test_v3_star_elects_the_preferred_of_the_two_best() -> None:
    found = star([{"A": 5, "B": 4, "C": 0}] * 2 + [{"A": 0, "B": 1, "C": 0}] * 3)
    assert isinstance(found, VoteChoice)
    assert (found.option, found.tally, found.margin) == ("B", {"A": 10, "B": 11, "C": 0}, 1)
    (runoff,) = found.count.rounds
    assert (runoff.name, runoff.tally) == ("runoff", (Item("B", 3), Item("A", 2)))
    reversed_ = star([{"A": 5, "B": 4}] * 3 + [{"A": 0, "B": 4}] * 2)
    # B has 20 points, A 15, and three of five prefer A.
    assert (reversed_.winner, reversed_.tally, reversed_.margin) == ("A", {"A": 15, "B": 20}, 1)


def test_v3_a_score_left_out_is_below_every_score() -> None:
    found = star([{"A": 5, "B": 4}, {"B": -3}, {"B": -3}])
    # A 5, B -2: in the runoff two ballots rank B alone.
    assert found.winner == "B"


def test_v6_a_tie_for_the_runoff_is_followed_every_way() -> None:
    ballots = [{"A": 5, "B": 3, "C": 0}, {"A": 5, "B": 0, "C": 3}, {"B": 4, "C": 4, "A": 0}]
    found = star(ballots)  # A 10, B 7, C 7: A meets B or C, and beats both 2:1
    assert (found.winner, len(found.count.rounds), found.margin) == ("A", 2, 1)
    assert found.grounds.thin == ()


def test_v6_a_runoff_that_depends_on_the_tie_is_a_tie() -> None:
    cycle = [{"A": 2, "B": 1, "C": 0}, {"A": 0, "B": 2, "C": 1}, {"A": 1, "B": 0, "C": 2}]
    found = star(cycle)
    assert isinstance(found, VoteNoDecision)
    assert found.tied == ("A", "B", "C")
    assert len(found.count.rounds) == 3
    assert star(cycle, ties="status_quo:C").winner == "C"


def test_v3_an_even_runoff_is_a_tie() -> None:
    found = star([{"A": 5, "B": 0}, {"A": 0, "B": 1}])
    assert (found.tied, found.margin) == (("A", "B"), 0)


def test_g5_star_by_weight() -> None:
    found = star(Election([{"A": 1, "B": 0}, {"A": 0, "B": 3}], weights=["1/2", "1/3"]))
    assert (found.tally, found.winner) == ({"A": HALF, "B": 1}, "A")
    assert found.count.rounds[0].tally == (Item("B", Fraction(1, 3)), Item("A", HALF))
    assert found.margin == Fraction(1, 6)
