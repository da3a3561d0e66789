"""Early: an early decision is the full count's, for every completion (V7)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import combinations_with_replacement, permutations, product
from typing import Any

import pytest

from comity.mechanisms.voting import elimination, kemeny  # noqa: F401  # their rules are registered
from comity.mechanisms.voting.ballots import BallotKind
from comity.mechanisms.voting.early import Settled, settled
from comity.mechanisms.voting.election import Election
from comity.mechanisms.voting.registry import rule_named

FULL = os.environ.get("COMITY_FULL") == "1"
OPTIONS = ("A", "B", "C")
CHOICES: tuple[Any, ...] = (None, *OPTIONS)
RANKINGS: tuple[Any, ...] = (None, *map(list, permutations(OPTIONS)))
SHORT: tuple[Any, ...] = (None, ["A"], ["B"], [["A", "B"], "C"], ["C", "B", "A"], ["A", "C"])
APPROVALS: tuple[Any, ...] = (None, (), ("A",), ("B",), ("A", "B"), ("B", "C"))
ANSWERS: tuple[Any, ...] = (None, "yes", "no")

Case = tuple[str, BallotKind, Sequence[Any], dict[str, Any]]

CASES: dict[str, Case] = {
    "plurality": ("plurality", "choice", CHOICES, {}),
    "plurality by lot": ("plurality", "choice", CHOICES, {"ties": "lot:1"}),
    "approval": ("approval", "approval", APPROVALS, {}),
    "borda": ("borda", "ranking", RANKINGS, {}),
    "borda, unranked last": ("borda", "ranking", SHORT, {"unranked": "last"}),
    "borda, unranked zero": ("borda", "ranking", SHORT, {"unranked": "zero"}),
    "condorcet": ("condorcet", "ranking", RANKINGS, {}),
    "copeland": ("copeland", "ranking", SHORT, {}),
    "minimax": ("minimax", "ranking", RANKINGS, {}),
    "schulze": ("schulze", "ranking", SHORT, {}),
    "ranked pairs": ("ranked pairs", "ranking", RANKINGS, {}),
    "no opinion": ("schulze", "ranking", SHORT, {"unranked": "no_opinion"}),
    "irv": ("irv", "ranking", RANKINGS, {}),
    "irv of short ballots": ("irv", "ranking", SHORT, {}),
    "majority": ("majority", "choice", CHOICES, {}),
    "majority of the present": ("majority", "choice", CHOICES, {"base": "present"}),
    "majority of the expressed": ("majority", "choice", CHOICES, {"base": "expressed"}),
    "two thirds": ("majority", "choice", CHOICES, {"threshold": "at least 2/3"}),
    "a third": ("majority", "choice", CHOICES, {"threshold": ">= 1/3", "base": "expressed"}),
    "majority by lot": ("majority", "choice", CHOICES, {"ties": "lot:1"}),
    "first places": ("majority", "ranking", SHORT, {}),
    "yes or no": ("majority", "yes_no", ANSWERS, {"veto_holders": ()}),
    "yes of the expressed": ("majority", "yes_no", ANSWERS, {"base": "expressed"}),
    "yes, two thirds": ("majority", "yes_no", ANSWERS, {"threshold": ">= 2/3", "base": "present"}),
    "unanimous": ("majority", "yes_no", ANSWERS, {"threshold": "unanimous"}),
}


def election(
    kind: BallotKind, ballots: Sequence[Any], *, voters: int = 0, weights: Sequence[int] = ()
) -> Election:
    options = None if kind == "yes_no" else OPTIONS
    if voters:
        named = {f"v{n}": ballot for n, ballot in enumerate(ballots)}
        roster = [f"v{n}" for n in range(voters)]
        return Election(named, options=options, kind=kind, roster=roster)
    given = weights[: len(ballots)] if weights else None
    return Election(list(ballots), options=options, kind=kind, weights=given)


def ends(rule: str, case: Election, told: dict[str, Any]) -> tuple[str, str | None]:
    found = rule_named(rule)(case, **told)
    return found.kind, found.winner


def completions(ballots: Sequence[Any], rest: int) -> Iterable[tuple[Any, ...]]:
    """Every way in which the rest may vote; the order of equal voters says nothing."""
    for cast in range(rest + 1):
        yield from combinations_with_replacement(ballots, cast)


def holds_for(name: str, voters: int, *, roster: bool) -> int:
    """Check every profile of so many voters at every moment; return how many settled early."""
    rule, kind, ballots, told = CASES[name]
    early = 0
    for known in range(voters):
        rest = voters - known
        for said in combinations_with_replacement(ballots, known):
            now = election(kind, said, voters=voters if roster else 0)
            found = settled(now, rest, rule, told)
            if found is None:
                continue
            early += 1
            for more in completions(ballots, rest):
                full = election(kind, [*said, *more], voters=voters if roster else 0)
                _, winner = ends(rule, full, told)
                assert winner == found.winner, (said, more, found)
    return early


@pytest.mark.parametrize("roster", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_v7_an_early_decision_is_the_full_count_for_every_completion(
    name: str, *, roster: bool
) -> None:
    counted = [holds_for(name, voters, roster=roster) for voters in (2, 3, 4)]
    assert sum(counted) > 0, "it does decide early"


@pytest.mark.full
@pytest.mark.parametrize("voters", [5, 6])
@pytest.mark.parametrize("name", CASES)
def test_v7_an_early_decision_is_the_full_count_up_to_six_voters(name: str, voters: int) -> None:
    assert holds_for(name, voters, roster=True) > 0


@pytest.mark.parametrize("name", ["plurality", "majority", "majority of the present", "yes or no"])
def test_v7_weights_are_as_many_outstanding_votes(name: str) -> None:
    rule, kind, ballots, told = CASES[name]
    weights = (3, 1, 2, 1)
    for known in range(1, 4):
        for said in product(ballots, repeat=known):
            found = settled(
                election(kind, said, weights=weights), sum(weights[known:]), rule, told
            )
            for more in product(ballots, repeat=4 - known) if found else ():
                full = election(kind, [*said, *more], weights=weights)
                assert found is not None
                assert ends(rule, full, told)[1] == found.winner


@pytest.mark.parametrize(
    ("votes", "outstanding", "winner"),
    [("AAA", 2, "A"), ("AAAB", 2, None), ("AAAB", 1, "A"), ("AAB", 0, "A"), ("AB", 0, None)],
)
def test_v7_plurality_is_fixed_by_a_lead_beyond_the_outstanding(
    votes: str, outstanding: int, winner: str | None
) -> None:
    found = settled(Election(list(votes), options=OPTIONS), outstanding, "plurality")
    assert (found and found.winner) == winner


def test_v7_two_of_three_decide_at_the_second_equal_vote() -> None:
    two = Election({"a": "A", "b": "A"}, options=OPTIONS, roster=["a", "b", "c"])
    assert settled(two, 1, "majority") == Settled("A", "2 of 3 are enough")
    split = Election({"a": "A", "b": "B"}, options=OPTIONS, roster=["a", "b", "c"])
    assert settled(split, 1, "majority") is None


def test_v7_a_third_block_of_the_weight_ends_a_super_majority() -> None:
    # dusk-network 1107: 34 % against end a vote that needs 67 %
    votes = Election.of_counts([("no", 34), ("yes", 1)], kind="yes_no")
    found = settled(votes, 65, "majority", {"threshold": ">= 67%"})
    assert found == Settled("rejected", "at most 66 of 100 can still say yes")


def test_v7_nothing_is_early_while_a_veto_is_outstanding() -> None:
    told = {"veto_holders": ["boss"]}
    roster = ["a", "b", "boss"]
    ballots = {"a": "yes", "b": "yes"}
    waits = Election(ballots, kind="yes_no", roster=roster)
    assert settled(waits, 1, "majority", told, veto_outstanding=True) is None
    assert settled(waits, 1, "majority", told) is not None
    vetoed = Election({"a": "yes", "boss": "no"}, kind="yes_no", roster=roster)
    found = settled(vetoed, 1, "majority", told, veto_outstanding=True)
    assert found == Settled(None, "it is vetoed")
    plain = Election(["A"] * 9, options=OPTIONS)
    assert settled(plain, 1, "plurality", veto_outstanding=True) is None


@pytest.mark.parametrize(
    ("rule", "ballots", "told"),
    [
        ("plurality", [], {}),
        ("plurality", [None], {}),
        ("score", [{"A": 5, "B": 0}] * 9, {}),
        ("star", [{"A": 5, "B": 0}] * 9, {}),
        ("coombs", [["A", "B", "C"]] * 9, {}),
        ("minimax", [["A", "B", "C"]] * 9, {"strength": "opposition"}),
    ],
)
def test_v7_without_a_proof_it_waits(rule: str, ballots: list[Any], told: dict[str, Any]) -> None:
    assert settled(Election(ballots, options=OPTIONS), 1, rule, told) is None


def test_v1_undeclared_options_may_still_come() -> None:
    assert settled(Election(["A"] * 9), 1, "plurality") is None
    assert settled(Election(["yes"] * 9), 1, "majority") is not None


def test_one_option_alone_has_no_rival() -> None:
    one = Election(["A"], options=["A"])
    assert settled(one, 5, "plurality") is not None
    ranked = Election([["A"]], options=["A"])
    assert settled(ranked, 5, "schulze") is not None
    assert "all" in str(settled(ranked, 5, "Ranked-Pairs"))
