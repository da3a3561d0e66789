"""STV: who fills several seats, with every fraction exact?"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.core.results import result_from_json
from comity.mechanisms.voting.election import Election
from comity.mechanisms.voting.elimination import irv
from comity.mechanisms.voting.results import VoteChoice, VoteNoDecision, VoteNoQuorum
from comity.mechanisms.voting.stv import stv


def outs(result: Any) -> list[tuple[str, ...]]:
    return [one.out for one in result.count.rounds]


def tallies(result: Any) -> list[dict[str, Any]]:
    return [{item.name: item.value for item in one.tally} for one in result.count.rounds]


# --- the count -------------------------------------------------------------------------------


def test_v3_stv_elects_moves_the_surplus_and_eliminates() -> None:
    election = Election.of_counts(
        [
            (["A", "B"], 20),
            (["A", "C"], 10),
            (["B"], 11),
            (["C"], 8),
            (["D", "C"], 11),
        ]
    )
    result = stv(election, seats=3)
    assert isinstance(result, VoteChoice)
    # 60 votes, 3 seats: the quota is 16. A's surplus is 14 of 30.
    assert tallies(result) == [
        {"A": 30, "B": 11, "C": 8, "D": 11},
        {"B": 11 + 20 * Fraction(14, 30), "C": 8 + 10 * Fraction(14, 30), "D": 11},
        {"C": Fraction(38, 3), "D": 11},
        {"C": Fraction(38, 3)},
    ]
    assert outs(result) == [("A",), ("B",), ("D",), ("C",)]
    assert [one.note for one in result.count.rounds] == [
        "quota reached; A has a surplus of 14",
        "quota reached; B has a surplus of 13/3",
        "",
        "no more stand than seats are free",
    ]
    assert [one.exhausted for one in result.count.rounds] == [
        0,
        0,
        Fraction(13, 3),
        Fraction(13, 3),
    ]
    assert result.elected == ("A", "B", "C")
    assert result.option == "A, B, C"
    assert result.kind == "choice"
    assert result.tally == {
        "A": 30,
        "B": Fraction(61, 3),
        "C": Fraction(38, 3),
        "D": 11,
    }
    assert result.margin == Fraction(38, 3) - 11
    assert result.count.ranking == (("A",), ("B",), ("C",), ("D",))
    assert result.count.flags == ()
    assert dict(result.grounds.parameters) == {
        "seats": 3,
        "quota": "droop",
        "votes_needed": "16",
        "equal": "split",
    }
    assert result_from_json(result.to_json()) == result


def test_v3_the_hare_quota_is_exact() -> None:
    result = stv([["A", "B"]] * 5 + [["C"]] * 2, seats=2, quota="hare")
    assert dict(result.grounds.parameters)["votes_needed"] == "7/2"
    assert tallies(result)[1] == {"B": Fraction(3, 2), "C": 2}
    assert isinstance(result, VoteChoice)
    assert result.elected == ("A", "C")
    assert result.margin == Fraction(1, 2)


def test_v3_all_who_reach_the_quota_are_elected_at_once() -> None:
    # C is the next of both; whichever surplus moved first, C would get the same.
    result = stv([["A", "B", "C"]] * 6 + [["B", "A", "C"]] * 6 + [["C"]] + [["D"]] * 2, seats=3)
    assert isinstance(result, VoteChoice)
    assert outs(result)[0] == ("A", "B")
    assert tallies(result)[1] == {"C": 1 + 4, "D": 2}
    assert result.elected == ("A", "B", "C")
    assert result.count.ranking == (("A", "B"), ("C",), ("D",))
    assert result.margin == 3


def test_v5_the_margin_is_that_of_the_weakest_elected() -> None:
    result = stv([["A"]] * 6 + [["B"]] * 5 + [["C"]] * 2, seats=2)
    assert outs(result) == [("A", "B")]
    assert result.margin == 3


def test_v3_an_exact_quota_leaves_no_surplus() -> None:
    result = stv([["A", "C"]] * 3 + [["B", "C"]] * 2 + [["C"]] * 1 + [["D"]] * 2, seats=2)
    assert result.count.rounds[0].note == "quota reached"
    assert tallies(result)[1] == {"B": 2, "C": 1, "D": 2}


def test_v3_the_last_seats_are_filled_by_those_who_are_left() -> None:
    result = stv([["A"]] * 2 + [["B"]], seats=2)
    assert isinstance(result, VoteChoice)
    assert result.elected == ("A", "B")
    assert result.margin is None
    together = stv(Election([["A"], ["B"], ["B"]], options=list("ABCDE")), seats=2)
    assert outs(together) == [("B",), ("C", "D", "E"), ("A",)]
    assert together.count.rounds[1].note == "nobody has them on top: they leave together"


def test_v6_the_hopeless_leave_together_only_while_nobody_can_be_elected() -> None:
    ballots = [["A"]] * 30 + [["B"]] * 28 + [["C"]] * 12 + [["D", "B"], ["E", "B"]]
    # 72 votes, two seats: the quota is 25; three: 19. A and B are elected in round 1.
    safe = stv(ballots, seats=3)
    assert outs(safe) == [("A", "B"), ("D", "E"), ("C",)]
    assert safe.margin == 10  # C's 12 before the 2 that D and E have together
    # With 14 votes to a quota of 16, C can be elected on the way, so D and E part.
    close = [["A"]] * 20 + [["C"]] * 14 + [["B"]] * 10 + [["D", "C"], ["E", "C"]]
    parted = stv(close, seats=2)
    assert dict(parted.grounds.parameters)["votes_needed"] == "16"
    assert outs(parted) == [("A",), ("D",), ("E",), ("C",)]
    assert "however it is broken, the same are elected" in parted.count.rounds[1].note
    # Two seats free and two who must leave one: both together would leave a seat empty.
    last = stv([["A"]] * 9 + [["B"], ["C"]], seats=2)
    assert last.tied == ("B", "C")


def test_v3_equal_ranks_split_and_surpluses_keep_the_split() -> None:
    # A: 4 + 2/2 = 5 of 9 votes at a quota of 4: each ballot that A holds goes on at 1/5.
    result = stv([["A", "C"]] * 4 + [[["A", "B"], "C"]] * 2 + [["B"], ["C"], ["C"]], seats=2)
    assert tallies(result)[0] == {"A": 5, "B": 2, "C": 2}
    assert tallies(result)[1] == {"B": 2 + Fraction(1, 5), "C": 2 + Fraction(4, 5)}
    assert isinstance(result, VoteChoice)
    assert result.elected == ("A", "C")
    with pytest.raises(InvalidInput, match="meets equal ranks on 2 ballots"):
        stv([[["A", "B"]], ["A"], [["B", "A"]]], seats=1, equal="refuse")


def test_v3_exhausted_ballots_are_never_given_to_anybody() -> None:
    # pyrankvote issue 1: ballots without a next choice went to random candidates.
    ballots = [["A"]] * 9 + [["B"]] * 2 + [["C"]] * 1 + [["D"]] * 2
    result = stv(ballots, seats=2, quota="droop")
    assert [one.exhausted for one in result.count.rounds] == [0, 4, 5, 5]
    for one in tallies(result)[1:]:
        assert all(one[name] == {"B": 2, "C": 1, "D": 2}[name] for name in one)
    assert result.tied == ("B", "D")


def test_v3_ballots_exhausted_before_an_election_stay_whole() -> None:
    ballots = [["A"]] * 6 + [["B"]] * 6 + [["E"]] * 5 + [["C", "A"]] * 3 + [["D"]]
    result = stv(ballots, seats=2)
    assert outs(result)[:3] == [("D",), ("C",), ("A",)]
    # D's ballot, and A's surplus of 1 that has nowhere to go.
    assert [one.exhausted for one in result.count.rounds][:4] == [0, 1, 1, 2]


def test_g5_weights_are_exact() -> None:
    election = Election(
        [["A", "B"], ["B"], ["C"]], weights=["2/3", "1/6", "1/6"], options=["A", "B", "C"]
    )
    result = stv(election, seats=2)
    assert dict(result.grounds.parameters)["votes_needed"] == "1/2"
    assert isinstance(result, VoteChoice)
    assert result.elected == ("A", "B")
    assert result.tally == {"A": Fraction(2, 3), "B": Fraction(1, 3), "C": Fraction(1, 6)}
    assert result.count.rounds[0].note == "quota reached; A has a surplus of 1/6"


# --- ties ------------------------------------------------------------------------------------

ISSUE = [["A1", "A2", "A3", "A4", "A5"]] * 52 + [["B"]] * 8


def test_v6_a_real_tie_does_not_vanish_in_the_fractions() -> None:
    # VoteKit issue 311: in floating point the last surplus is 8.000000000000014, before 8.0.
    result = stv(ISSUE, seats=5)
    assert isinstance(result, VoteNoDecision)
    assert result.tied == ("A5", "B")
    assert [item.value for item in result.leaders] == [8, 8]
    assert result.grounds.ties[-1].label == "contested seat"
    assert result.margin == 0
    assert result.count.rounds[-2].note == (
        "A5, B tie to leave; of 2 branches 1 elects A1, A2, A3, A4, A5; "
        "1 elects A1, A2, A3, A4, B; shown: A1, A2, A3, A4, A5"
    )
    assert result.count.ranking == (("A5", "B"),)


@pytest.mark.parametrize("winner", ["A5", "B"])
def test_g4_a_tie_rule_fills_the_contested_seat(winner: str) -> None:
    result = stv(ISSUE, seats=5, ties=f"status_quo:{winner}")
    assert isinstance(result, VoteChoice)
    assert result.elected == ("A1", "A2", "A3", "A4", winner)
    assert result.margin == 0
    assert result.grounds.thin == ("tie_rule_used",)
    assert result.count.ranking == (tuple(sorted(result.elected)),)


def test_g4_several_contested_seats_are_drawn_one_by_one() -> None:
    ballots = [["A"]] * 4 + [["B"], ["C"], ["D"], ["E"]]
    left_open = stv(ballots, seats=3)
    assert left_open.tied == ("B", "C", "D", "E")
    assert left_open.tally == {"A": 4, "B": 1, "C": 1, "D": 1, "E": 1}
    drawn = stv(ballots, seats=3, ties="lot:7")
    assert isinstance(drawn, VoteChoice)
    labels = [tie.label for tie in drawn.grounds.ties]
    assert labels == ["contested seat", "contested seat 2"]
    assert set(drawn.elected) == {"A", *(tie.chosen for tie in drawn.grounds.ties)}
    half = stv(ballots, seats=3, ties="status_quo:C")
    assert half.tied == ("B", "D", "E")
    assert [(tie.label, tie.chosen) for tie in half.grounds.ties] == [
        ("contested seat", "C"),
        ("contested seat 2", None),
    ]


def test_v6_many_outcomes_are_listed_to_the_twelfth() -> None:
    result = stv([[name] for name in "ABCDEF"], seats=3)
    assert result.tied == tuple("ABCDEF")
    assert "; 8 more outcomes; shown: A, B, C" in result.count.rounds[0].note


def test_v6_options_without_votes_may_fill_seats_and_tie_for_them() -> None:
    result = stv(Election([["A"], ["A"]], options=["A", "B", "C"]), seats=2)
    assert result.tied == ("B", "C")
    whole = stv(Election([["A"], ["A"]], options=["A", "B", "C"]), seats=3)
    assert isinstance(whole, VoteChoice)
    assert whole.elected == ("A", "B", "C")


@pytest.mark.parametrize("quota", ["droop", "hare"])
def test_v2_ballots_without_weight_elect_nobody(quota: Any) -> None:
    election = Election([["A"], ["B"]], weights=[0, 0], options=["A", "B", "C"])
    assert stv(election, seats=2, quota=quota).kind == "no_quorum"


def test_v6_elections_in_another_order_are_other_universes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # When D leaves, B is elected next; when E leaves, C is.
    ballots = [["A"]] * 5 + [["B", "C"]] * 4 + [["C"]] * 4 + [["D", "B"]] * 2 + [["E", "C"]] * 2
    result = stv(ballots, seats=3)
    assert isinstance(result, VoteChoice)
    assert set(result.elected) == {"A", "B", "C"}
    assert "however it is broken, the same are elected" in " ".join(
        one.note for one in result.count.rounds
    )
    monkeypatch.setattr("comity.mechanisms.voting.universes.MOST_UNIVERSES", 2)
    open_tie = stv(ballots, seats=3)
    assert open_tie.tied == ("B", "C", "D", "E")
    assert open_tie.count.rounds[-1].note.endswith("no tie rule chose, so all who stand are tied")
    drawn = stv(ballots, seats=3, ties="lot:1")
    assert isinstance(drawn, VoteChoice)
    assert set(drawn.elected) == {"A", "B", "C"}
    assert drawn.grounds.ties[0].label == "round 2: who leaves"


def test_v3_one_seat_is_irv() -> None:
    ballots = [["A"]] * 4 + [["B", "A"]] * 3 + [["C", "B"]] * 2
    assert stv(ballots, seats=1).winner == irv(ballots).winner == "B"


# --- what is refused -------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [0, -1, True, "2", 1.0, None])
def test_g7_seats_are_a_whole_number(seats: Any) -> None:
    with pytest.raises(InvalidInput, match="seats are"):
        stv([["A"]], seats=seats)


def test_g7_all_faults_at_once() -> None:
    with pytest.raises(InvalidInput) as caught:
        stv([[["A", "B"]]], seats=3, quota="imperiali", equal="refuse")  # type: ignore[arg-type]  # refused
    assert [fault.what for fault in caught.value.faults] == [
        "has 3 seats and 2 options",
        "quota is 'imperiali'",
        "meets equal ranks on 1 ballot",
    ]
    with pytest.raises(InvalidInput, match="has 3 seats and 2 options"):
        stv(Election([], options=["A", "B"]), seats=3)


def test_v2_no_ballots_elect_nobody() -> None:
    assert isinstance(stv([], seats=3), VoteNoQuorum)
    assert isinstance(stv(Election([], options=["A", "B"]), seats=2), VoteNoQuorum)


def near(options: int, ballots: int) -> Election:
    """Return ballots that differ from one common order by some swaps of neighbours."""
    counts = []
    for at in range(ballots):
        order = [f"{one:02}" for one in range(options)]
        state = at * 7919 + 13
        for one in range(options - 1):
            state = (state * 1103515245 + 12345) % 2**31
            if state % 3 == 0:
                order[one : one + 2] = order[one + 1], order[one]
        counts.append((order, 1 + state % 5000))
    return Election.of_counts(counts)


def test_g5_fractions_too_long_to_write_down_are_refused() -> None:
    # Each election in turn about doubles the digits of the fractions.
    assert isinstance(stv(near(16, 60), seats=12), VoteChoice)
    with pytest.raises(InvalidInput, match="surplus fractions too long to write down"):
        stv(near(18, 60), seats=14)
