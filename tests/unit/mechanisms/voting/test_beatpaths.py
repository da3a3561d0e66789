"""Beatpaths: are paths of defeats followed, and equal defeats in every order that matters?

Here: Schulze and ranked pairs by hand, orders of equal defeats, the limit on them (V3, V6, G4).
Not here: random elections against the definitions (oracles), laws (properties).
Sources: SEMANTICS V2, V3, V6, G4; the worked example of Schulze 2011, section 3.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.voting import (
    Election,
    VoteChoice,
    VoteNoDecision,
    VoteNoQuorum,
    ranked_pairs,
    schulze,
)
from comity.mechanisms.voting import beatpaths as module
from comity.mechanisms.voting.beatpaths import MOST_ORDERS

RULES = [schulze, ranked_pairs]
CYCLE = [list(one) for one in ("ABC", "BCA", "CAB")]
LEANING = [list("ABC")] * 2 + [list("BCA")] * 3 + [list("CAB")] * 2

# 45 voters, five options: Schulze's own example; E wins, the order is E A C B D.
SCHULZE_2011 = Election.of_counts(
    [
        (list(order), count)
        for order, count in {
            "ACBED": 5, "ADECB": 5, "BEDAC": 8, "CABED": 3, "CAEBD": 7, "CBADE": 2, "DCEBA": 7,
            "EBADC": 8,
        }.items()
    ]
)  # fmt: skip


def duels(leads: dict[str, int]) -> Election:
    """Return an election in which the first letter of each pair beats the second by that lead.

    Two ballots that differ in one pair alone make a lead of two (McGarvey 1953).
    """
    names = sorted({name for pair in leads for name in pair})
    counts: list[tuple[list[str], int]] = []
    for pair, lead in leads.items():
        rest = [name for name in names if name not in pair]
        counts += [([*pair, *rest], lead // 2), ([*reversed(rest), *pair], lead // 2)]
    return Election.of_counts(counts, options=names, kind="ranking")


@pytest.mark.parametrize("rule", RULES)
def test_v3_the_condorcet_winner_wins(rule: Any) -> None:
    found = rule([list("ABC"), list("ACB"), list("BAC")])
    assert isinstance(found, VoteChoice)
    assert (found.option, found.tally) == ("A", {"A": 2, "B": 1, "C": 0})
    assert found.count.ranking == (("A",), ("B",), ("C",))
    assert found.margin == 1
    assert found.grounds.parameters == (("strength", "margins"), ("unranked", "last"))


@pytest.mark.parametrize("rule", RULES)
def test_g4_a_circle_of_equal_defeats_is_a_tie_of_all(rule: Any) -> None:
    for order in permutations(CYCLE):
        found = rule(order)
        assert isinstance(found, VoteNoDecision)
        assert (found.tied, found.reason) == (("A", "B", "C"), "tie")


@pytest.mark.parametrize("rule", RULES)
def test_v3_the_weakest_defeat_of_a_circle_gives_way(rule: Any) -> None:
    found = rule(LEANING)
    assert (found.winner, found.count.ranking) == ("B", (("B",), ("C",), ("A",)))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("options", [[], ["A"], ["A", "B"]])
def test_v2_zero_ballots_are_no_quorum(rule: Any, options: list[str]) -> None:
    assert isinstance(rule(Election([], options=options, kind="ranking")), VoteNoQuorum)


@pytest.mark.parametrize("rule", RULES)
def test_v2_one_option_and_two_voters(rule: Any) -> None:
    alone = rule([["A"]])
    assert (alone.winner, alone.margin) == ("A", None)
    assert rule([["A", "B"], ["B", "A"]]).tied == ("A", "B")


@pytest.mark.parametrize("rule", RULES)
def test_g7_unknown_parameters_are_refused(rule: Any) -> None:
    with pytest.raises(InvalidInput, match="strength is 'opposition'"):
        rule(CYCLE, strength="opposition")
    with pytest.raises(InvalidInput, match="unranked is 'zero'"):
        rule(CYCLE, unranked="zero")
    with pytest.raises(InvalidInput, match="cannot count yes_no"):
        rule(["yes"])


@pytest.mark.parametrize("rule", RULES)
def test_v3_strength_by_margins_and_by_winning_votes_may_differ(rule: Any) -> None:
    # A:B 5:4, B:C 4:1, C:A 3:1 with short ballots: the weakest defeat is A:B or C:A.
    ballots = Election.of_counts([
        (["A", "B"], 5), (["B", ["A", "C"]], 0), ([["A", "C"]], 0),
        (["B", "C", "A"], 2), (["B"], 2), (["C", "A"], 5),
    ])  # fmt: skip
    matrix = ballots.pairwise()
    assert matrix == ((0, 10, 5), (4, 0, 9), (7, 5, 0))
    assert rule(ballots).winner == "A"  # margins: A:B 6, B:C 4, C:A 2
    assert rule(ballots, strength="winning_votes").winner == "A"
    narrow = Election.of_counts([(["A"], 6), (["B", "C"], 5), (["C", "A", "B"], 4), (["B"], 1),
                                 (["C"], 4)])  # fmt: skip
    # A:B 10:6 (+4), B:C 6:8, C:A 13:6.
    assert rule(narrow).winner == rule(narrow, strength="winning_votes").winner == "C"


@pytest.mark.parametrize("rule", RULES)
def test_v3_what_is_left_out_may_say_nothing(rule: Any) -> None:
    ballots = Election([["A", "B"]] * 2 + [["B"]] * 3)
    assert rule(ballots).winner == "B"
    assert rule(ballots, unranked="no_opinion").winner == "A"


@pytest.mark.parametrize("rule", RULES)
def test_g5_margins_are_in_votes(rule: Any) -> None:
    found = rule(Election([["A", "B"], ["B", "A"]], weights=["1/2", "1/3"]))
    assert (found.winner, found.margin) == ("A", Fraction(1, 6))


# --- Schulze ---------------------------------------------------------------------------------


def test_v3_the_example_of_schulzes_article() -> None:
    found = schulze(SCHULZE_2011)
    assert found.count.ranking == (("E",), ("A",), ("C",), ("B",), ("D",))
    assert found.tally == {"A": 3, "B": 1, "C": 2, "D": 0, "E": 4}
    assert schulze(SCHULZE_2011, strength="winning_votes").count.ranking == found.count.ranking


def test_v3_even_paths_are_a_tie_and_rank_together() -> None:
    found = schulze([["A", "B", "C"], ["B", "A", "C"]])
    assert found.tied == ("A", "B")
    assert found.count.ranking == (("A", "B"), ("C",))
    assert found.tally == {"A": 1, "B": 1, "C": 0}


def test_v3_the_margin_is_the_narrowest_lead_of_paths() -> None:
    # B:C 5:2 and C:A 5:2 give B a path of 3 to A; A has one of 1 to B, and of 1 on to C.
    assert schulze(LEANING).margin == 2


# --- ranked pairs ----------------------------------------------------------------------------


def test_v3_defeats_are_locked_from_the_strongest() -> None:
    # A > B 10, B > C 8, C > A 6: the last would close the circle.
    found = ranked_pairs(duels({"AB": 10, "BC": 8, "CA": 6}))
    assert (found.winner, found.count.ranking) == ("A", (("A",), ("B",), ("C",)))
    assert found.count.rounds == ()
    assert found.tally == {"A": 2, "B": 1, "C": 0}


def test_v3_no_defeat_at_all_is_a_tie() -> None:
    found = ranked_pairs([["A", "B", "C"], ["C", "B", "A"]])
    assert found.tied == ("A", "B", "C")
    assert found.count.ranking == (("A", "B", "C"),)


def test_v6_equal_defeats_that_agree_need_no_order() -> None:
    found = ranked_pairs(duels({"AB": 4, "BC": 4, "AC": 4}))
    assert (found.winner, found.count.rounds) == ("A", ())


def test_v6_equal_defeats_are_locked_in_every_order_that_matters() -> None:
    # D is below all; among A, B, C any two of three equal defeats are locked.
    found = ranked_pairs(duels({"AB": 4, "BC": 4, "CA": 4, "AD": 4, "BD": 4, "CD": 4}))
    assert found.tied == ("A", "B", "C")
    assert found.tally == {}
    assert found.count.ranking == ()
    (note,) = found.count.rounds
    assert (note.name, note.note) == ("locking", "3 orders of equal defeats end differently")


def test_v6_orders_that_end_with_one_winner_are_no_tie() -> None:
    found = ranked_pairs(duels({"AB": 6, "AC": 6, "AD": 6, "BC": 4, "CD": 4, "DB": 4}))
    assert isinstance(found, VoteChoice)
    assert (found.option, found.grounds.ties) == ("A", ())
    assert found.count.ranking == (("A",), ("B", "C", "D"))
    assert found.margin == 6


def test_v6_a_defeat_outside_the_circle_is_locked_whatever_the_order() -> None:
    # E beats A as strongly as A, B, C beat each other: E stands above them in every order.
    found = ranked_pairs(duels({"AB": 4, "BC": 4, "CA": 4, "EA": 4, "EB": 2, "EC": 2}))
    assert found.winner == "E"


def test_v6_a_defeat_already_implied_does_not_matter() -> None:
    # A > B and B > C are locked first; A > C says nothing new and C > A cannot be.
    found = ranked_pairs(duels({"AB": 8, "BC": 8, "AC": 4, "CD": 4, "DA": 2}))
    assert found.winner == "A"
    assert found.count.ranking == (("A",), ("B",), ("C",), ("D",))


def test_v6_an_implied_defeat_beside_a_circle_of_the_same_strength() -> None:
    # B > C and C > A imply B > A; D, E, F go round.
    found = ranked_pairs(duels({"CA": 4, "BC": 4, "BA": 4, "DE": 4, "EF": 4, "FD": 4}))
    assert found.tied == ("B", "D", "E", "F")


@pytest.mark.parametrize("most", [1, 2, 3, 5, MOST_ORDERS])
def test_v6_beyond_the_limit_everybody_is_named_who_may_win(
    monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    leads = {"AB": 4, "BC": 4, "CA": 4, "DE": 4, "EF": 4, "FD": 4}
    election = duels(leads)
    whole = ranked_pairs(election).tied
    monkeypatch.setattr(module, "MOST_ORDERS", most)
    found = ranked_pairs(election)
    assert set(whole) <= set(found.tied)
    if most < 5:
        assert found.count.rounds[0].note.startswith(f"more than {most} orders of equal defeats")


def test_v6_many_ends_of_one_circle_after_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three ends of one circle times three of a weaker one are more than five."""
    monkeypatch.setattr(module, "MOST_ORDERS", 12)
    leads = {"AB": 8, "BC": 8, "CA": 8, "DE": 4, "EF": 4, "FD": 4, "GH": 2, "HI": 2, "IG": 2}
    found = ranked_pairs(duels(leads))
    assert found.tied == tuple("ABCDEFGHI")
    assert found.count.rounds[0].note.startswith("more than 12 orders")


def test_v6_the_largest_plain_tie_ends_soon() -> None:
    names = [f"o{at:02}" for at in range(12)]
    wheel = [names[at:] + names[:at] for at in range(12)]
    found = ranked_pairs(wheel)
    assert found.tied == tuple(names)


def test_v3_an_election_of_many_options_is_ordered() -> None:
    names = [f"o{at:02}" for at in range(40)]
    found = ranked_pairs([names] * 2 + [names[::-1]])
    assert found.winner == "o00"
    assert [place for (place,) in found.count.ranking] == names
    assert all(one < other for one, other in combinations(names, 2))


# --- more orders than are followed -----------------------------------------------------------


@pytest.mark.parametrize("ties", ["lot:7", "ballot_hash"])
def test_g4_a_lot_draws_the_order_when_too_many_matter(
    ties: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_ORDERS", 1)
    circle = [list("ABC"), list("BCA"), list("CAB")]
    found = ranked_pairs(circle, ties=ties)
    assert isinstance(found, VoteChoice)
    (tie,) = found.grounds.ties
    assert (tie.label, tie.tied, tie.chosen) == (
        "order of equal defeats", ("A", "B", "C"), found.option,
    )  # fmt: skip
    assert found.grounds.thin == ("tie_rule_used",)
    assert [one.note for one in found.count.rounds] == [
        "equal defeats were locked in an order drawn by lot"
    ]
    assert ranked_pairs(circle[::-1], ties=ties) == found


def test_g4_every_order_can_be_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ORDERS", 1)
    circle = [list("ABC"), list("BCA"), list("CAB")]
    seen = {ranked_pairs(circle, ties=f"lot:{seed}").winner for seed in range(40)}
    assert seen == {"A", "B", "C"}
