"""Kemeny: is the ranking with the fewest disagreements found, with every tied winner?

Here: the exact rule by hand, its limit, its ties (V3, V6, G4, G5).
Not here: all permutations of random elections (oracles), laws (properties).
Sources: SEMANTICS V2, V3, V6; Young and Levenglick 1978.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.voting import Election, VoteChoice, VoteNoDecision, VoteNoQuorum, kemeny
from comity.mechanisms.voting.kemeny import MOST_KEMENY_OPTIONS


def test_v3_the_ranking_with_the_fewest_disagreements() -> None:
    found = kemeny([["A", "B", "C"]] * 3 + [["B", "C", "A"]] * 2)
    assert isinstance(found, VoteChoice)
    assert found.tally == {"A": 4, "B": 5, "C": 10}
    assert (found.option, found.margin) == ("A", 1)
    assert found.count.ranking == (("A",), ("B",), ("C",))
    assert found.grounds.parameters == (("unranked", "last"),)


def test_v6_a_circle_is_a_tie_of_all_who_may_be_first() -> None:
    found = kemeny([list(one) for one in ("ABC", "BCA", "CAB")])
    assert isinstance(found, VoteNoDecision)
    assert (found.tied, found.margin) == (("A", "B", "C"), 0)
    assert found.tally == {"A": 4, "B": 4, "C": 4}
    assert found.count.ranking == ()


def test_v6_equal_rankings_with_one_first_are_no_tie() -> None:
    found = kemeny([["A", "B", "C"], ["A", "C", "B"]])
    assert isinstance(found, VoteChoice)
    assert (found.option, found.tally, found.count.ranking) == ("A", {"A": 1, "B": 3, "C": 3}, ())


def test_v2_zero_ballots_one_voter_two_voters() -> None:
    assert isinstance(kemeny(Election([], kind="ranking")), VoteNoQuorum)
    assert isinstance(kemeny(Election([None], options=["A"], kind="ranking")), VoteNoQuorum)
    alone = kemeny([["A"]])
    assert (alone.winner, alone.margin, alone.tally) == ("A", None, {"A": 0})
    assert kemeny([["A", "B"], ["B", "A"]]).tied == ("A", "B")


def test_v3_what_is_left_out_is_last_or_says_nothing() -> None:
    ballots = Election([["A", "B"]] * 2 + [["B"]] * 3)
    assert kemeny(ballots).tally == {"A": 3, "B": 2}
    assert kemeny(ballots, unranked="no_opinion").tally == {"A": 0, "B": 2}
    with pytest.raises(InvalidInput, match="unranked is 'zero'"):
        kemeny(ballots, unranked="zero")  # type: ignore[arg-type]


def test_g5_disagreements_are_in_votes() -> None:
    found = kemeny(Election([["A", "B"], ["B", "A"]], weights=["1/2", "1/3"]))
    assert (found.tally, found.margin) == (
        {"A": Fraction(1, 3), "B": Fraction(1, 2)},
        Fraction(1, 6),
    )


def test_v3_more_options_than_the_exact_rule_can_hold_are_refused() -> None:
    names = [f"o{at:02}" for at in range(MOST_KEMENY_OPTIONS + 1)]
    with pytest.raises(InvalidInput) as caught:
        kemeny([names])
    (fault,) = caught.value.faults
    assert fault.what == f"is asked for {MOST_KEMENY_OPTIONS + 1} options"
    assert fault.allowed.startswith(f"at most {MOST_KEMENY_OPTIONS};")
    assert fault.next == "use schulze or ranked_pairs"


def test_v3_ten_options_are_ordered() -> None:
    names = list("ABCDEFGHIJ")
    found = kemeny([names] * 2 + [names[::-1]])
    assert [place for (place,) in found.count.ranking] == names
    assert found.margin == 1
    with pytest.raises(InvalidInput, match="cannot count yes_no"):
        kemeny(["yes"])
