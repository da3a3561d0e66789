"""Universes: is every branch followed, counted and told?"""

from __future__ import annotations

from fractions import Fraction

import pytest

from comity.mechanisms.voting.counting import Counted
from comity.mechanisms.voting.election import Election
from comity.mechanisms.voting.results import VoteChoice, VoteNoDecision
from comity.mechanisms.voting.tie_breaking import NO_TIE_BREAK, read_ties
from comity.mechanisms.voting.universes import (
    MOST_UNIVERSES,
    Branch,
    Stage,
    Trail,
    Universe,
    conclude_trail,
    follow,
    most_universes,
    named,
)

ELECTION = Election(["A", "B", "C", "D"])


def anybody_leaves(at: Universe) -> Stage:
    """Count a round in which everybody ties, until one is left."""
    shares = dict.fromkeys(at.standing, 1)
    if len(at.standing) == 1:
        return Stage(shares=shares, elected=at.standing)
    ways = [
        Branch((one,), Universe(tuple(other for other in at.standing if other != one)))
        for one in at.standing
    ]
    return Stage(shares=shares, branches=tuple(ways), gap=0)


def the_last_leaves(at: Universe) -> Stage:
    """Count a round in which the last option leaves, by as many votes as options stand."""
    shares = dict.fromkeys(at.standing, 1)
    if len(at.standing) == 1:
        return Stage(shares=shares, elected=at.standing)
    to = Universe(at.standing[:-1])
    return Stage(shares=shares, branches=(Branch(at.standing[-1:], to),), gap=len(at.standing))


def test_v6_every_branch_is_followed_once_per_universe() -> None:
    seen: list[Universe] = []

    def count(at: Universe) -> Stage:
        seen.append(at)
        return anybody_leaves(at)

    trail = follow(ELECTION, count, NO_TIE_BREAK)
    assert len(seen) == len(set(seen)) == 15
    assert trail.branches == {(0,): 6, (1,): 6, (2,): 6, (3,): 6}
    assert trail.contested == (0, 1, 2, 3)
    assert not trail.is_decided
    assert trail.parting == 0
    assert trail.common == trail.steps[:1]
    assert trail.latest == {0: 1, 1: 1, 2: 1, 3: 1}
    assert [leaving for _, leaving in trail.steps] == [(1,), (2,), (3,), ()]


def test_v5_the_margin_is_that_of_the_last_round_that_decided() -> None:
    trail = follow(ELECTION, the_last_leaves, NO_TIE_BREAK)
    assert trail.elected == (0,)
    assert trail.margin == 2
    assert trail.parting is None
    assert trail.common == trail.steps
    assert trail.branches == {(0,): 1}


def test_v6_the_cap_counts_universes() -> None:
    assert MOST_UNIVERSES == 4096
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("comity.mechanisms.voting.universes.MOST_UNIVERSES", 15)
        assert follow(ELECTION, anybody_leaves, NO_TIE_BREAK).branches
        patch.setattr("comity.mechanisms.voting.universes.MOST_UNIVERSES", 14)
        given_up = follow(ELECTION, anybody_leaves, NO_TIE_BREAK)
        assert not given_up.branches
        assert given_up.contested == (0, 1, 2, 3)
        assert given_up.ties == ()
        lone = follow(ELECTION, the_last_leaves, NO_TIE_BREAK)
        assert lone.is_decided
        drawn = follow(ELECTION, anybody_leaves, read_ties("lot:1"))
    labels = [tie.label for tie in drawn.ties]
    assert labels == [f"round {at}: who leaves" for at in (1, 2, 3)]
    assert [len(tie.tied) for tie in drawn.ties] == [4, 3, 2]
    assert drawn.is_decided
    assert drawn.margin == 0


@pytest.mark.parametrize(
    ("voters", "options", "most"),
    [(1, 1, 4096), (2441, 10, 4096), (2442, 10, 4095), (10_000, 10, 1000), (10**9, 250, 256)],
)
def test_v6_many_ballots_leave_fewer_universes(voters: int, options: int, most: int) -> None:
    names = [f"{at:03}" for at in range(options)]
    election = Election.of_counts([("000", voters)], options=names)
    assert most_universes(election) == most


def test_g4_lots_for_who_leaves_are_fair() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("comity.mechanisms.voting.universes.MOST_UNIVERSES", 1)
        won = [
            follow(ELECTION, anybody_leaves, read_ties(f"lot:{seed}")).elected[0]
            for seed in range(400)
        ]
    expected = 100
    chi_square = sum((won.count(at) - expected) ** 2 / expected for at in range(4))
    assert chi_square < 16.27  # p > 0.001 with three degrees of freedom


def test_g1_what_is_left_open_says_so() -> None:
    trail = follow(ELECTION, anybody_leaves, NO_TIE_BREAK)
    tally = named(ELECTION, trail.latest)
    counted = Counted(rule="r", best=(), tally=tally)
    result = conclude_trail(ELECTION, counted, trail, NO_TIE_BREAK)
    assert isinstance(result, VoteNoDecision)
    assert result.tied == ("A", "B", "C", "D")
    assert result.count.rounds[0].note == (
        "A, B, C, D tie to leave; of 24 branches 6 elect A; 6 elect B; 6 elect C; 6 elect D; "
        "shown: A"
    )
    assert result.count.rounds[0].out == ("B",)
    assert result.count.rounds[-1].out == ("A",)


def test_v5_without_ties_all_options_are_ranked() -> None:
    trail = follow(ELECTION, the_last_leaves, NO_TIE_BREAK)
    result = conclude_trail(ELECTION, Counted(rule="r", best=()), trail, NO_TIE_BREAK)
    assert isinstance(result, VoteChoice)
    assert result.count.ranking == (("A",), ("B",), ("C",), ("D",))
    assert result.margin == 2


def test_g5_shares_become_votes() -> None:
    thirds = Election(["A", "B"], weights=["1/3", "1/3"])
    assert named(thirds, {1: 3, 0: Fraction(1, 2)}) == {"A": Fraction(1, 6), "B": 1}
    trail = Trail(steps=((Stage(shares={0: 2, 1: 1}, elected=(0,), gap=1), ()),), margin=1)
    result = conclude_trail(thirds, Counted(rule="r", best=()), trail, NO_TIE_BREAK)
    assert result.margin == Fraction(1, 3)
    assert result.count.rounds[0].tally[0].value == Fraction(2, 3)
