"""Counting: does every rule refuse, end, break ties and flag alike?

Here: reading for a rule, tiers, conclusions, zero ballots, flags (G1, G4, G8, V2, V5).
Not here: the counts of the rules.
Sources: SEMANTICS G1, G2, G4, G8, V2, V5.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.core.results import Item
from comity.mechanisms.voting import Election, VoteChoice, VoteNoDecision, VoteNoQuorum
from comity.mechanisms.voting.counting import (
    Counted,
    conclude,
    no_ballots,
    odd,
    read_election_for,
    tiers,
)
from comity.mechanisms.voting.tie_breaking import break_tie, read_ties

ABC = Election([["A", "B", "C"]] * 2 + [["B", "C", "A"]] * 3)


# --- reading ---------------------------------------------------------------------------------


def test_v1_an_election_passes_and_plain_ballots_become_one() -> None:
    assert read_election_for(ABC, "r", ("ranking",)) is ABC
    assert read_election_for([["A"]], "r", ("ranking",)).kind == "ranking"
    assert read_election_for([["A"]], "r", ("approval",), "approval").kind == "approval"


def test_v1_a_rule_refuses_ballots_it_cannot_count() -> None:
    with pytest.raises(InvalidInput) as caught:
        read_election_for(ABC, "approval", ("approval", "score"))
    (fault,) = caught.value.faults
    assert str(fault) == (
        "approval: cannot count ranking ballots. Allowed: approval, score. "
        "Next: choose another rule."
    )


def test_g4_tiers_are_by_score_alone() -> None:
    assert tiers(ABC, [1, Fraction(3, 2), 1]) == (("B",), ("A", "C"))
    assert tiers(Election([]), []) == ()


# --- conclusions -----------------------------------------------------------------------------


def counted(*best: str, **more: Any) -> Counted:
    return Counted(rule="r", best=best, **more)


def test_g1_a_choice_carries_its_grounds() -> None:
    tie = break_tie(read_ties("lot:1"), ABC, "round 1", ["B", "C"])
    found = conclude(
        ABC,
        counted("B", tally={"A": 2, "B": 3, "C": 0}, margin=1, ranking=(("B",), ("A",), ("C",)),
                parameters=(("equal", "split"),), dropped=(("D", "late"),)),
    )  # fmt: skip
    assert isinstance(found, VoteChoice)
    assert (found.option, found.margin, found.elected) == ("B", 1, ())
    grounds = found.grounds
    assert (grounds.rule, grounds.ended_by, grounds.inputs_digest) == ("r", "count", ABC.digest)
    assert grounds.parameters == (("equal", "split"),)
    assert grounds.scores == (Item("A", 2), Item("B", 3), Item("C", 0))
    assert (grounds.ties, grounds.thin) == ((), ())
    assert found.count.ranking == (("B",), ("A",), ("C",))
    assert found.count.dropped == (("D", "late"),)
    broken = conclude(ABC, counted("B", ties=(tie,)))
    assert (broken.grounds.ties, broken.grounds.thin) == ((tie,), ("tie_rule_used",))


def test_g4_a_tie_stands_and_says_what_would_break_it() -> None:
    found = conclude(ABC, counted("C", "B", tally={"A": 0, "B": 2, "C": 2}))
    assert isinstance(found, VoteNoDecision)
    assert (found.reason, found.tied, found.winner) == ("tie", ("B", "C"), None)
    assert found.leaders == (Item("B", 2), Item("C", 2))
    assert found.unblock == (
        "one more vote that separates B and C",
        "a tie rule: lot, chair, status_quo, secondary or ballot_hash",
    )
    assert found.grounds.thin == ()
    assert found.margin == 0


def test_g4_a_tie_of_three_and_a_person_who_is_asked() -> None:
    found = conclude(ABC, counted("C", "A", "B", reason="cycle", label="smith set"), "human")
    assert isinstance(found, VoteNoDecision)
    assert found.reason == "cycle"
    assert found.leaders == (Item("A", 0), Item("B", 0), Item("C", 0))
    assert found.unblock == (
        "one more vote that separates 3 options",
        "a person's choice among the tied",
    )
    assert found.grounds.ties[-1].label == "smith set"
    assert found.grounds.parameters == (("ties", "human"),)


def test_g4_a_tie_that_a_rule_could_not_break_stands() -> None:
    found = conclude(ABC, counted("A", "B"), "status_quo:C")
    assert isinstance(found, VoteNoDecision)
    assert found.unblock == ("one more vote that separates A and B",)
    assert found.grounds.parameters == (("ties", "status_quo:C"),)


def test_g8_a_broken_tie_is_recorded_and_thin() -> None:
    found = conclude(ABC, counted("B", "A"), "status_quo:A")
    assert isinstance(found, VoteChoice)
    assert (found.option, found.margin, found.tied) == ("A", 0, ())
    assert [(tie.tied, tie.chosen) for tie in found.grounds.ties] == [(("A", "B"), "A")]
    assert found.grounds.thin == ("tie_rule_used",)


@pytest.mark.parametrize("ties", ["lots:1", "lot"])
def test_g7_a_tie_rule_is_checked_even_where_there_is_no_tie(ties: str) -> None:
    with pytest.raises(InvalidInput, match=r"^ties: "):
        conclude(ABC, counted("A"), ties)


def test_v2_zero_ballots_never_have_a_winner() -> None:
    empty = Election([None, "abstain", "X"], options=["A", "B"], invalid="keep")
    found = conclude(empty, counted("A", "B", parameters=(("equal", "split"),)), "lot:1")
    assert isinstance(found, VoteNoQuorum)
    assert (found.needed, found.present, found.winner, found.tied) == (1, 0, None, ())
    assert found.unblock == ("one valid ballot that names an option",)
    assert found.grounds.invalid == ("3",)
    assert found.grounds.parameters == (("equal", "split"),)
    assert no_ballots(empty, counted()).exit_code == 13


def test_v1_only_names_are_listed() -> None:
    plain = conclude(Election(["A", None]), counted("A"))
    named = conclude(Election({"ann": "A", "bob": None}), counted("A"))
    assert (plain.grounds.abstained, named.grounds.abstained) == ((), ("bob",))


# --- flags -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ballots", "winner", "flags"),
    [
        # 3 of 5 put A last, everybody beats it, and B beats everybody.
        (ABC, "A", ("majority_last", "condorcet_loser", "not_condorcet_winner")),
        (ABC, "B", ()),
        # Exactly half is no majority.
        (Election([["A", "B"], ["B", "A"]]), "A", ()),
        # A cycle has no Condorcet winner and no loser.
        (Election([list("ABC"), list("BCA"), list("CAB")]), "A", ()),
        # Below both others, yet last on no majority: last on 2 of 5.
        (Election([list("BAC")] * 2 + [list("CAB")] * 1 + [list("BCA")] * 2), "C",
         ("not_condorcet_winner",)),
        (Election([["A"]]), "A", ()),
        (Election(["yes", "no"]), "yes", ()),
        (Election([{"A": 5, "B": 0}, {"A": 0, "B": 1}, {"A": 0, "B": 1}]), "A",
         ("majority_last", "condorcet_loser", "not_condorcet_winner")),
    ],
)  # fmt: skip
def test_v5_what_is_odd_about_a_winner(
    ballots: Election, winner: str, flags: tuple[str, ...]
) -> None:
    assert odd(ballots, winner) == flags


def test_v5_ballots_that_rank_nothing_below_do_not_put_an_option_last() -> None:
    """A choice names one option; it does not say that all others are worst."""
    assert odd(Election(["A", "A", "B", "C", "D"]), "A") == ()


def test_v5_flags_stand_on_the_result() -> None:
    found = conclude(ABC, counted("A"))
    assert found.count.flags == ("majority_last", "condorcet_loser", "not_condorcet_winner")
