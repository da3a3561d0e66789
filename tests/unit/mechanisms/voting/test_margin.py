"""Margin of victory: the fewest voters whose changed ballots alter the outcome (V5)."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any

import pytest

from comity.mechanisms.voting import RULES, Election, borda, plurality, schulze
from comity.mechanisms.voting import margin as module
from comity.mechanisms.voting.margin import MarginOfVictory, margin_of_victory, pivotal


def ask_for(rule: str, **told: Any) -> Callable[[Election], object]:
    def ask(election: Election) -> object:
        found = RULES[rule](election, **told)
        return found.winner or found.tied

    return ask


def found_for(rule: str, election: Election, **told: Any) -> MarginOfVictory:
    ask = ask_for(rule, **told)
    return margin_of_victory(election, rule, RULES[rule](election, **told).winner, ask, told)


# --- a twin that tries everything ------------------------------------------------------------


def every_vote(kind: str, options: list[str]) -> Iterator[Any]:
    if kind == "choice":
        yield from options
    elif kind == "approval":
        for size in range(len(options) + 1):
            yield from (set(some) for some in combinations(options, size))
    elif kind == "score":
        for values in product((0, 1, 2), repeat=len(options)):
            yield dict(zip(options, values, strict=True))
    else:
        for size in range(1, len(options) + 1):
            yield from (list(some) for some in permutations(options, size))


def brute(rule: str, votes: list[Any], options: list[str], kind: Any, most: int) -> int | None:
    """Return the fewest voters whose changed votes alter the outcome, by trying everything."""
    ask = ask_for(rule)
    now = ask(Election(votes, options=options, kind=kind))
    pool = list(every_vote(kind, options))
    for number in range(1, most + 1):
        for who in combinations(range(len(votes)), number):
            for what in product(pool, repeat=number):
                changed = list(votes)
                for at, vote in zip(who, what, strict=True):
                    changed[at] = vote
                if ask(Election(changed, options=options, kind=kind)) != now:
                    return number
    return None


CASES = [
    ("plurality", "choice"),
    ("approval", "approval"),
    ("score", "score"),
    ("borda", "complete"),
    ("irv", "ranking"),
    ("schulze", "ranking"),
    ("copeland", "ranking"),
]


@pytest.mark.parametrize(("rule", "kind"), CASES)
@pytest.mark.parametrize("seed", range(4))
def test_the_number_is_the_one_that_trying_everything_finds(
    rule: str, kind: str, seed: int
) -> None:
    chance = random.Random(f"{rule} {seed}")  # noqa: S311  # made-up ballots
    options = ["A", "B", "C"]
    votes = []
    for _ in range(chance.randint(3, 4)):
        pool = list(every_vote("ranking" if kind == "complete" else kind, options))
        if kind == "complete":
            pool = [one for one in pool if len(one) == 3]
        votes.append(chance.choice(pool))
    if kind == "score":
        votes = [*votes, {"A": 2, "B": 0, "C": 0}]  # the scale goes from 0 to 2
    told = {"unranked": "last"} if rule == "borda" else {}
    of_kind = "ranking" if kind == "complete" else kind
    election = Election(votes, options=options, kind=of_kind)  # type: ignore[arg-type]  # a kind
    winner = RULES[rule](election, **told).winner
    found = found_for(rule, election, **told)
    if winner is None:
        assert found == MarginOfVictory(0, 0)
        return
    if rule == "borda":
        # a short ballot counts as its completion here, so complete ones are all there is to try
        tried = brute_borda(votes, options)
    else:
        tried = brute(rule, votes, options, of_kind, 2)
    assert found.at_most is not None
    if tried is None:
        assert found.at_most > 2
    elif found.is_exact:
        assert found.at_least == tried
    assert tried is None or found.at_least <= tried <= found.at_most


def brute_borda(votes: list[Any], options: list[str]) -> int | None:
    def ask(changed: list[Any]) -> object:
        result = borda(Election(changed, options=options), unranked="last")
        return result.winner or result.tied

    now = ask(votes)
    pool = [list(one) for one in permutations(options)]
    for number in (1, 2):
        for who in combinations(range(len(votes)), number):
            for what in product(pool, repeat=number):
                changed = list(votes)
                for at, vote in zip(who, what, strict=True):
                    changed[at] = vote
                if ask(changed) != now:
                    return number
    return None


# --- by hand ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ahead", "behind", "needed"), [(5, 4, 1), (5, 3, 1), (5, 2, 2), (6, 2, 2), (7, 2, 3)]
)
def test_in_plurality_half_the_lead_has_to_move(ahead: int, behind: int, needed: int) -> None:
    found = found_for("plurality", Election(["A"] * ahead + ["B"] * behind))
    assert found == MarginOfVictory(needed, needed)


def test_heavy_voters_are_moved_first() -> None:
    votes = {"ann": "A", "bob": "A", "cat": "B"}
    election = Election(votes, weights={"ann": 5, "bob": 1, "cat": 2})
    assert found_for("plurality", election) == MarginOfVictory(1, 1)


def test_abstentions_are_voters_who_can_vote() -> None:
    assert found_for("plurality", Election(["A", "A", "B", None])).at_least == 1
    silent = Election(["A", "A", None, None], options=["A", "B"])
    assert found_for("plurality", silent) == MarginOfVictory(1, 1)


def test_one_voter_decides_alone() -> None:
    election = Election(["A"], options=["A", "B"])
    assert found_for("plurality", election) == MarginOfVictory(1, 1)
    assert found_for("condorcet", Election([["A", "B"]])) == MarginOfVictory(1, 1)


def test_weightless_voters_alter_nothing() -> None:
    election = Election(["A", "B"], weights=[1, 0])
    assert found_for("plurality", election) == MarginOfVictory(1, 1)


def test_a_condorcet_winner_is_as_firm_as_its_narrowest_duel() -> None:
    votes = [["A", "B", "C"]] * 7 + [["B", "A", "C"]] * 3
    assert found_for("schulze", Election(votes)) == MarginOfVictory(2, 2)


def test_an_even_duel_gives_no_bound() -> None:
    votes = [["A", "B", "C"], ["B", "A", "C"], ["A", "C", "B"], ["C", "B", "A"]]
    election = Election(votes)
    winner = RULES["copeland"](election).winner
    assert winner == "A"
    assert found_for("copeland", election).at_least == 1


def test_borda_with_nothing_for_what_is_left_out() -> None:
    election = Election([["A"], ["A"], ["A"], ["B"]], options=["A", "B", "C"])
    assert found_for("borda", election, unranked="zero") == MarginOfVictory(1, 1)
    assert found_for("borda", election, unranked="last").is_exact


def test_the_mean_is_searched() -> None:
    votes = [{"A": 3, "B": 1}, {"A": 3, "B": 2}, {"A": 2}]
    found = found_for("score", Election(votes), measure="mean")
    assert found.at_most is not None
    assert found.at_least <= found.at_most


def test_one_option_can_lose_to_nobody() -> None:
    assert found_for("plurality", Election(["A"])) == MarginOfVictory(1, None)


def test_a_rule_that_nobody_can_turn_has_no_upper_bound() -> None:
    election = Election([["A", "B"]] * 3)
    found = margin_of_victory(election, "fixed", "A", lambda _: "A")
    assert found.at_most is None
    assert str(found).startswith("at least ")


@pytest.mark.parametrize("kind", ["choice", "approval", "score", "ranking"])
def test_any_rule_can_be_searched_for_any_kind_of_ballot(kind: Any) -> None:
    votes: dict[str, list[Any]] = {
        "choice": ["A", "A", "A", "B", None],
        "approval": [{"A"}, {"A"}, {"A"}, {"B"}, None],
        "score": [{"A": 2}, {"A": 2}, {"A": 2}, {"B": 2}, None],
        "ranking": [["A"], ["A"], ["A"], ["B"], None],
    }
    election = Election(votes[kind], options=["A", "B", "C"], kind=kind)

    def ask(changed: Election) -> object:
        tops, _ = changed.profile().tops(range(3))
        most = max(tops.values(), default=Fraction(0))
        return [at for at in range(3) if tops.get(at) == most]

    found = margin_of_victory(election, "own", "A", ask)
    assert found.is_exact
    assert found.at_least == 1


def test_a_search_that_would_take_too_long_gives_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    votes = [["A", "B", "C"]] * 9 + [["B", "A", "C"]] * 2
    monkeypatch.setattr(module, "_WORK", 1000)
    found = found_for("irv", Election(votes))
    assert found.at_least == 1
    assert found.at_most is not None
    assert found.at_most > 1
    assert str(found) == f"1 to {found.at_most} voters"


def test_eight_options_are_not_enumerated() -> None:
    names = list("ABCDEFGH")
    election = Election([names] * 5 + [names[::-1]])
    found = found_for("irv", election)
    assert (found.at_least, found.is_exact) == (1, False)


def test_named_voters_are_each_themselves() -> None:
    votes = {"ann": ["A", "B"], "bob": ["A", "B"], "cat": ["B", "A"]}
    found = margin_of_victory(Election(votes), "irv", "A", ask_for("irv"))
    assert found == MarginOfVictory(1, 1)


# --- pivotal voters --------------------------------------------------------------------------


def test_pivotal_are_those_without_whom_it_would_be_otherwise() -> None:
    votes = Election({"ann": "A", "bob": "A", "cat": "B"})
    found = pivotal(votes, lambda election: plurality(election).winner)
    assert found is not None
    assert [one.voter for one in found] == ["ann", "bob"]


def test_without_names_a_ballot_stands_for_its_voters() -> None:
    found = pivotal(Election(["A", "A", "B"]), lambda election: plurality(election).winner)
    assert found is not None
    assert [(one.voter, one.count) for one in found] == [("A", 2)]


def test_too_many_ballots_are_not_tried() -> None:
    names = [f"o{at:03}" for at in range(100)]
    many = Election([names[at:] + names[:at] for at in range(100)])
    assert pivotal(many, schulze) is None


def test_nobody_is_pivotal_in_a_landslide() -> None:
    assert pivotal(Election(["A"] * 5 + ["B"]), lambda election: plurality(election).winner) == ()


# --- what once went wrong --------------------------------------------------------------------


def test_many_voters_of_few_kinds_end_within_the_budget() -> None:
    votes = Election.of_counts([("A", 600), ("B", 300), ("C", 100)])
    found = found_for("majority", votes)
    assert found.at_most is not None
    assert found.at_least <= 100 <= found.at_most + 1


def test_scores_that_are_missing_can_be_searched() -> None:
    votes = Election([{"A": 3}, {"A": 2, "B": 1}, {"B": 2}], options=["A", "B"])
    assert found_for("schulze", votes).at_least == 1


def test_v5_who_is_pivotal_is_told_by_what_the_ballot_says() -> None:
    votes = Election([["A", "B"], ["A", "B"], ["B"]])
    found = pivotal(votes, lambda election: plurality(election).winner)
    assert found is not None
    assert [one.voter for one in found] == ["A > B"]
