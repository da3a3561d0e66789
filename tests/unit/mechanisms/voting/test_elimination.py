"""Elimination rules: does the right option leave, and is a tie to leave a tie?"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.core.results import result_from_json
from comity.mechanisms.voting.election import Election
from comity.mechanisms.voting.elimination import coombs, equal_faults, irv, who_leaves
from comity.mechanisms.voting.registry import RULES
from comity.mechanisms.voting.results import VoteChoice, VoteNoDecision, VoteNoQuorum

Rule = Callable[..., Any]
CYCLE = [["A", "B", "C"], ["B", "C", "A"], ["C", "A", "B"]]


def outs(result: Any) -> list[tuple[str, ...]]:
    return [one.out for one in result.count.rounds]


def tallies(result: Any) -> list[dict[str, Any]]:
    return [{item.name: item.value for item in one.tally} for one in result.count.rounds]


# --- IRV -------------------------------------------------------------------------------------


def test_v3_irv_round_by_round() -> None:
    election = Election.of_counts(
        [(["A", "B"], 40), (["B", "A"], 35), (["C", "B"], 15), (["D", "C"], 10)]
    )
    result = irv(election)
    assert isinstance(result, VoteChoice)
    assert result.option == "B"
    assert outs(result) == [("D",), ("C",), ("B",)]
    assert tallies(result) == [
        {"A": 40, "B": 35, "C": 15, "D": 10},
        {"A": 40, "B": 35, "C": 25},
        {"A": 40, "B": 50},
    ]
    assert [one.exhausted for one in result.count.rounds] == [0, 0, 10]
    assert [one.name for one in result.count.rounds] == ["round 1", "round 2", "round 3"]
    assert result.count.rounds[-1].note == "more than half of the first places"
    assert result.tally == {"A": 40, "B": 50, "C": 25, "D": 10}
    assert result.margin == 10
    assert result.count.ranking == (("B",), ("A",), ("C",), ("D",))
    assert result.grounds.ties == ()
    assert result_from_json(result.to_json()) == result


def test_v3_irv_ends_with_a_majority_of_the_ballots_that_still_count() -> None:
    # 7 of 14 is no majority; when D has left and its ballot is exhausted, 7 of 13 is one.
    result = irv([["A"]] * 7 + [["B"]] * 4 + [["C"]] * 2 + [["D"]])
    assert outs(result) == [("D",), ("A",)]
    assert [one.exhausted for one in result.count.rounds] == [0, 1]
    assert result.count.ranking == (("A",), ("B",), ("C",), ("D",))
    first = irv([["A"]] * 4 + [["B"], ["C"], ["D", "B"]])
    assert outs(first) == [("A",)]
    assert first.margin == 3
    assert first.count.ranking == (("A",), ("B", "C", "D"))


def test_v3_half_is_no_majority() -> None:
    result = irv([["A"], ["A"], ["B"], ["C", "B"]])
    assert len(result.count.rounds) > 1
    assert result.tied == ("A", "B")


def test_v3_irv_counts_choices_and_ranks_of_scores() -> None:
    assert irv(["A", "B", "A"]).winner == "A"
    scored = irv([{"A": 9, "B": 1}] * 2 + [{"B": 5, "A": 2}] * 2 + [{"C": 3, "B": 2}])
    assert scored.tally == {"A": 2, "B": 3, "C": 1}
    assert irv([{"A", "B"}, {"A"}]).tally == {"A": Fraction(3, 2), "B": Fraction(1, 2)}
    with pytest.raises(InvalidInput, match="cannot count yes_no"):
        irv(["yes", "no"])


def test_v3_equal_ranks_split_exactly() -> None:
    result = irv([[["A", "B", "C"]], [["A", "B"], "C"], ["C"]])
    assert tallies(result)[0] == {"A": Fraction(5, 6), "B": Fraction(5, 6), "C": Fraction(4, 3)}
    assert irv([[["A", "B"]], [["A", "B"]], ["B"]]).tally == {"A": 1, "B": 2}


@pytest.mark.parametrize("rule", [irv, coombs])
def test_v3_equal_ranks_may_be_refused(rule: Rule) -> None:
    ballots = [[["A", "B"]], [["A", "B"]], ["C", "A", "B"]]
    with pytest.raises(InvalidInput, match="meets equal ranks on 2 ballots"):
        rule(ballots, equal="refuse")
    with pytest.raises(InvalidInput, match=r"on 1 ballot\."):
        rule([["A", ["B", "C"]]], equal="refuse")
    assert rule([["A", "B"], ["A"]], equal="refuse").winner == "A"
    assert dict(rule([["A"]], equal="refuse").grounds.parameters)["equal"] == "refuse"


def test_v3_what_equal_ranks_do_must_be_known() -> None:
    faults = equal_faults(Election(["A"]), "irv", "drop")
    assert [str(one) for one in faults] == [
        "irv: equal is 'drop'. Allowed: split, refuse. Next: choose one."
    ]
    assert equal_faults(Election(["A"]), "irv", "split") == []
    with pytest.raises(InvalidInput, match="are 'nobody'"):
        irv([["A"]], ties="nobody")


def test_v3_who_has_no_first_place_leaves_together() -> None:
    names = [f"option {at}" for at in range(200)]
    election = Election([["option 7"], ["option 9"], ["option 9"], ["option 8"]], options=names)
    result = irv(election)
    assert result.winner == "option 9"
    assert len(result.count.rounds[0].out) == 197
    assert result.count.rounds[0].note == "nobody has them on top: they leave together"
    assert result.grounds.ties == ()


def test_v6_ties_among_the_hopeless_open_no_branches() -> None:
    # Twenty write-ins with a vote or two each have 25 together, fewer than C.
    ballots = [["A"]] * 60 + [["B"]] * 50 + [["C", "B"]] * 26
    ballots += [[f"write-in {at:02}"] for at in range(20)]
    ballots += [[f"write-in {at:02}"] for at in range(5)]
    result = irv(ballots)
    assert result.winner == "B"
    assert len(result.count.rounds[0].out) == 20
    assert result.count.rounds[0].note == (
        "together they have less than any other: they leave together"
    )
    assert outs(result)[1:] == [("C",), ("B",)]
    assert result.margin == 76 - 60
    # With one vote more they could, together, draw level with C: so one leaves by itself.
    more = irv([*ballots, ["write-in 19"]])
    assert len(more.count.rounds[0].out) == 1
    assert more.count.rounds[0].note.endswith(
        "however it is broken, the same are elected: no need to"
    )
    assert len(more.count.rounds[1].out) == 19
    assert who_leaves({0: 5, 1: 1, 2: 3, 3: 3})[0] == [(1,)]
    assert who_leaves({0: 9, 1: 1, 2: 1, 3: 2, 4: 4})[0] == [(1, 2, 3, 4)]
    assert who_leaves({0: 9, 1: 1, 2: 1, 3: 2, 4: 5})[0] == [(1, 2, 3)]
    assert who_leaves({0: 8, 1: 1, 2: 1, 3: 2, 4: 4})[0] == [(1,), (2,)]


def test_g5_weights_are_exact() -> None:
    election = Election([["A"], ["B"], ["C", "B"]], weights=["0.3", "0.2", "0.1"])
    assert irv(election).tied == ("A", "B")
    assert irv(election).margin == 0
    heavier = Election([["A"], ["B"], ["C", "B"]], weights=["1/3", "0.2", "0.1"])
    assert irv(heavier).winner == "A"
    assert irv(heavier).margin == Fraction(2, 15)
    assert irv(heavier).tally == {
        "A": Fraction(1, 3),
        "B": Fraction(1, 5),
        "C": Fraction(1, 10),
    }


def test_g1_one_option_wins_without_a_margin() -> None:
    result = irv([["A"], ["A"]])
    assert (result.winner, result.margin) == ("A", None)
    assert result.count.rounds[0].note == "nobody else is left"


@pytest.mark.parametrize("rule", [irv, coombs])
def test_v2_no_ballots_elect_nobody(rule: Rule) -> None:
    assert isinstance(rule([]), VoteNoQuorum)
    assert isinstance(rule([None, []]), VoteNoQuorum)
    assert isinstance(rule(Election([], options=["A", "B"])), VoteNoQuorum)


@pytest.mark.parametrize("rule", [irv, coombs])
def test_v2_ballots_without_weight_elect_nobody(rule: Rule) -> None:
    names = [f"{at:02}" for at in range(30)]
    election = Election([["01"], ["02"]], options=names, weights=[0, 0])
    assert rule(election).kind == "no_quorum"
    assert rule(election, ties="status_quo:07").winner is None


# --- ties to leave ---------------------------------------------------------------------------


@pytest.mark.parametrize("rule", [irv, coombs])
def test_v6_the_cycle_is_a_tie_of_all_three(rule: Rule) -> None:
    result = rule(CYCLE)
    assert isinstance(result, VoteNoDecision)
    assert result.reason == "tie"
    assert result.tied == ("A", "B", "C")
    assert result.margin == 0
    assert [item.value for item in result.leaders] == [1, 1, 1]
    assert result.count.ranking == (("A", "B", "C"),)


def test_v6_an_equal_last_round_is_a_tie_of_all_who_stand_in_it() -> None:
    # nomnom issue 424: pyrankvote met 11:11:11 and rejected one of the three by an unsaid lot.
    result = irv([["A"]] * 11 + [["B"]] * 11 + [["C"]] * 10 + [["D", "C"]])
    assert result.tied == ("A", "B", "C")
    assert result.tally == {"A": 11, "B": 11, "C": 11, "D": 1}
    assert [item.value for item in result.leaders] == [11, 11, 11]


def test_v6_a_tie_to_leave_that_decides_nothing_is_no_tie() -> None:
    result = irv([["A", "B"]] * 4 + [["B", "A"]] * 3 + [["C", "B"]] * 2 + [["D", "B"]] * 2)
    assert result.winner == "B"
    assert result.tied == ()
    assert result.grounds.thin == ()
    assert result.count.rounds[0].note == (
        "C, D tie to leave; however it is broken, the same are elected: no need to"
    )
    assert result.count.rounds[1].note == ""
    assert result.margin == 3
    assert result.count.ranking == (("B",),)


def test_v6_a_tie_to_leave_that_decides_is_a_tie_of_the_possible_winners() -> None:
    # B or C leaves: B's ballots go to A, C's go to B.
    ballots = [["A"]] * 4 + [["B", "A"]] * 3 + [["C", "B"]] * 3
    result = irv(ballots)
    assert result.tied == ("A", "B")
    assert result.count.rounds[0].note == (
        "B, C tie to leave; of 2 branches 1 elects A; 1 elects B; shown: A"
    )
    assert result.tally == {"A": 4, "B": 3, "C": 3}
    assert outs(result) == [("B",), ("A",)]


def test_v6_later_ties_are_named_and_every_branch_is_counted() -> None:
    result = irv([["A"]] * 3 + [["B"]] * 3 + [["C"]] * 2 + [["D"]] * 2)
    notes = [one.note for one in result.count.rounds]
    assert notes[0] == "C, D tie to leave; of 4 branches 2 elect A; 2 elect B; shown: A"
    assert notes[1] == ""
    assert notes[2] == "A, B tie to leave"
    assert notes[3] == "nobody else is left"
    assert result.tied == ("A", "B")


def test_v6_up_to_the_cap_every_set_of_standing_options_is_followed() -> None:
    names = [f"{at:02}" for at in range(13)]
    result = irv([[name] for name in names[:12]])  # 4,095 sets
    assert result.tied == tuple(names[:12])
    assert "of 479001600 branches" in result.count.rounds[0].note
    given_up = irv([[name] for name in names])  # 8,191
    assert given_up.tied == tuple(names)
    assert "more than 4096 universes" in given_up.count.rounds[0].note


def test_v6_the_margin_is_that_of_the_closest_branch() -> None:
    # C leaves first: A has 8 of 14, 4 before B. D leaves first: A wins by 8 to 6 in the end.
    ballots = [["A"]] * 6 + [["B"]] * 4 + [["C", "A"]] * 2 + [["D", "B"]] * 2
    result = irv(ballots)
    assert result.winner == "A"
    assert result.margin == 2
    assert outs(result) == [("D",), ("C",), ("A",)]
    assert outs(
        irv([[name.translate(str.maketrans("CD", "DC")) for name in one] for one in ballots])
    ) == [("C",), ("D",), ("A",)]


def test_g4_a_tie_rule_chooses_among_the_possible_winners() -> None:
    ballots = [["A"]] * 4 + [["B", "A"]] * 3 + [["C", "B"]] * 3
    result = irv(ballots, ties="status_quo:B")
    assert result.winner == "B"
    assert result.margin == 0
    assert result.grounds.thin == ("tie_rule_used",)
    assert [(tie.label, tie.tied, tie.chosen) for tie in result.grounds.ties] == [
        ("winner", ("A", "B"), "B")
    ]
    assert outs(result) == [("C",), ("B",)]  # the branch that elects B is shown
    assert dict(result.grounds.parameters)["ties"] == "status_quo:B"
    left_open = irv(ballots, ties="status_quo:C")
    assert left_open.tied == ("A", "B")
    assert len(left_open.grounds.ties) == 1
    drawn = {irv(ballots, ties=f"lot:{seed}").winner for seed in range(20)}
    assert drawn == {"A", "B"}


# --- more universes than are followed --------------------------------------------------------


@pytest.fixture
def few_universes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("comity.mechanisms.voting.universes.MOST_UNIVERSES", 2)


TIED = [["A"]] * 4 + [["B", "A"]] * 3 + [["C", "B"]] * 3 + [["D", "A"]]


@pytest.mark.usefixtures("few_universes")
def test_v6_too_many_universes_and_no_rule_leave_all_who_stand_tied() -> None:
    result = irv(TIED)
    assert isinstance(result, VoteNoDecision)
    assert result.tied == ("A", "B", "C")
    assert outs(result) == [("D",), ()]
    assert result.count.rounds[-1].note == (
        "B, C tie to leave; more than 2 universes come of it; "
        "no tie rule chose, so all who stand are tied"
    )
    assert [tie.rule for tie in result.grounds.ties] == ["none"]
    assert "a tie rule" in result.unblock[-1]
    assert result.tally == {"A": 5, "B": 3, "C": 3, "D": 1}


@pytest.mark.usefixtures("few_universes")
@pytest.mark.parametrize("ties", ["lot:7", "ballot_hash"])
def test_v6_beyond_the_cap_a_lot_draws_who_leaves(ties: str) -> None:
    result = irv(TIED, ties=ties)
    assert isinstance(result, VoteChoice)
    first = result.grounds.ties[0]
    assert first.label == "round 2: who leaves"
    assert first.tied == ("B", "C")
    assert result.count.rounds[1].out == (first.chosen,)
    assert result.count.rounds[1].note.endswith(
        "more than 2 universes come of it; the tie rule chose"
    )
    assert result.winner == {"B": "A", "C": "B"}[str(first.chosen)]
    assert result.margin == 0
    assert result.grounds.thin == ("tie_rule_used",)
    assert dict(result.grounds.parameters)["ties"] == ties


@pytest.mark.usefixtures("few_universes")
def test_v6_beyond_the_cap_other_rules_say_who_stays() -> None:
    ballots = [["A"]] * 4 + [["B", "A"]] * 3 + [["C", "B"]] * 3
    result = irv(ballots, ties="status_quo:C")
    assert [(tie.label, tie.chosen) for tie in result.grounds.ties] == [
        ("round 1: who stays, of 2", "C")
    ]
    assert result.winner == "A"
    voters = {f"voter {at}": ballot for at, ballot in enumerate(CYCLE)}
    chaired = irv(voters, ties="chair:voter 0")
    assert [(tie.label, tie.chosen) for tie in chaired.grounds.ties] == [
        ("round 1: who stays, of 3", "A"),
        ("round 1: who stays, of 2", "B"),
    ]
    assert chaired.winner == "A"


@pytest.mark.usefixtures("few_universes")
def test_v6_beyond_the_cap_a_rule_that_cannot_choose_leaves_the_tie() -> None:
    result = irv(CYCLE, ties="status_quo:B")
    assert result.tied == ("A", "B", "C")
    assert [(tie.label, tie.tied, tie.rule, tie.chosen) for tie in result.grounds.ties] == [
        ("round 1: who stays, of 3", ("A", "B", "C"), "status_quo", "B"),
        ("round 1: who stays, of 2", ("A", "C"), "status_quo", None),
        ("winner", ("A", "B", "C"), "none", None),
    ]
    assert dict(result.grounds.parameters)["ties"] == "status_quo:B"
    by_borda = irv(CYCLE, ties="secondary:irv")
    assert dict(by_borda.grounds.parameters)["ties"] == "secondary:irv"
    person = irv(CYCLE, ties="human")
    assert person.tied == ("A", "B", "C")
    assert person.unblock[-1] == "a person's choice among the tied"


# --- Coombs ----------------------------------------------------------------------------------


def test_v3_coombs_removes_the_most_last_places() -> None:
    result = coombs([["A", "B", "C"]] * 4 + [["B", "C", "A"]] * 3 + [["C", "B", "A"]] * 2)
    assert result.winner == "B"
    assert tallies(result) == [{"A": 5, "B": 0, "C": 4}, {"B": 7, "C": 2}]
    assert [one.note for one in result.count.rounds] == [
        "last places",
        "more than half of the first places",
    ]
    assert result.tally == {"B": 7, "C": 2}
    assert result.margin == 5
    assert dict(result.grounds.parameters) == {
        "equal": "split",
        "stop_at_majority": True,
        "unranked": "last",
    }


def test_v3_coombs_with_and_without_majority_can_differ() -> None:
    # A has a majority of first places, and the most last places.
    harder = [["A", "B", "C"]] * 2 + [["A", "C", "B"]] * 2 + [["B", "C", "A"]] * 3
    assert coombs(harder).winner == "A"
    without = coombs(harder, stop_at_majority=False)
    assert without.winner == "B"
    assert outs(without) == [("A",), ("C",), ("B",)]
    assert without.count.rounds[-1].note == "nobody else is left"
    assert without.margin == 3  # C has 5 last places against 2 in the round before


def test_v3_coombs_unranked_options_share_the_last_place() -> None:
    result = coombs([["A"], ["A"], ["B", "A", "C"], ["C", "B", "A"]])
    assert tallies(result)[0] == {"A": 1, "B": 1, "C": 2}
    assert result.count.rounds[0].out == ("C",)


def test_v3_coombs_options_that_nobody_ranks_leave_together() -> None:
    names = [f"option {at:02}" for at in range(60)]
    election = Election([["option 01", "option 02"], ["option 02", "option 03"]], options=names)
    result = coombs(election, stop_at_majority=False)
    assert len(result.count.rounds[0].out) == 57
    assert result.count.rounds[0].note == (
        "last places; no ballot ranks those who leave: they leave together"
    )
    one = coombs(Election([["A", "B"], ["B", "A"], ["B"]], options=["A", "B", "C"]))
    assert one.winner == "B"


@pytest.mark.parametrize("value", ["false", 1, None])
def test_g7_stop_at_majority_is_true_or_false(value: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        coombs([[["A", "B"]]], stop_at_majority=value, equal="refuse")
    assert len(caught.value.faults) == 2


def test_v3_both_rules_are_in_the_table() -> None:
    assert RULES["irv"] is irv
    assert RULES["coombs"] is coombs


def test_g3_arrays_are_counted_through_universes_alike() -> None:
    rankings = [list(one) for one in ("ABC", "ABC", "BCA", "CAB", "BAC", "ABC")]
    orders = [["ABC".index(name) for name in one] for one in rankings] * 2000
    many = Election.from_orders(orders, ["A", "B", "C"])
    few = Election(rankings)
    for rule in (irv, coombs):
        assert rule(many).winner == rule(few).winner
        assert [one.out for one in rule(many).count.rounds] == [
            one.out for one in rule(few).count.rounds
        ]
