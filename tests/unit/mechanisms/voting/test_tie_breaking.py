"""Tie breaking: does each named rule break a tie as it says, and leave it standing otherwise?

Here: reading a tie rule, each rule on a tied set, never by position (G4, V6).
Not here: finding tied sets (the rules' tests); the fairness of lots (properties).
Sources: SEMANTICS G4, V6.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.core.ties import lot
from comity.mechanisms.voting import RULES, Election
from comity.mechanisms.voting.tie_breaking import (
    NO_TIE_BREAK,
    TieBreak,
    break_tie,
    read_ties,
    tie_faults,
)

TIED = ("A", "B", "C")
RANKED = Election({"ann": ["B", "A"], "bob": [["A", "C"]], "eve": None, "dan": ["D"]},
                  options=["A", "B", "C", "D"])  # fmt: skip


def chosen(ties: str, election: Election = RANKED, label: str = "winner") -> str | None:
    """Return who is chosen of TIED, having seen that its order does not matter."""
    found = {break_tie(read_ties(ties), election, label, order) for order in permutations(TIED)}
    (tie,) = found
    assert (tie.label, tie.tied, tie.rule) == (label, TIED, ties.partition(":")[0])
    return tie.chosen


# --- reading ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("none", TieBreak()),
        ("human", TieBreak("human")),
        ("ballot_hash", TieBreak("ballot_hash")),
        (" lot : 7 ", TieBreak("lot", "7")),
        ("lot:a:b", TieBreak("lot", "a:b")),
        ("chair:ann", TieBreak("chair", "ann")),
        ("status_quo:keep it", TieBreak("status_quo", "keep it")),
        ("secondary:borda", TieBreak("secondary", "borda")),
        (TieBreak("lot", "7"), TieBreak("lot", "7")),
    ],
)
def test_g4_a_tie_rule_is_named_with_what_it_goes_by(text: Any, found: TieBreak) -> None:
    assert read_ties(text) == found


def test_g4_nothing_breaks_a_tie_by_default() -> None:
    assert TieBreak("none", "") == NO_TIE_BREAK


@pytest.mark.parametrize(
    ("ties", "what", "next_"),
    [
        ("first", "are 'first'", "use one of"),
        ("lots:7", "are 'lots'", "did you mean 'lot'"),
        ("", "are ''", "use one of"),
        ("lot", "are 'lot' by nothing", "write lot:SEED"),
        ("lot: ", "are 'lot' by nothing", "write lot:SEED"),
        ("chair", "are 'chair' by nothing", "write chair:VOTER"),
        ("status_quo:", "are 'status_quo' by nothing", "write status_quo:OPTION"),
        ("secondary", "are 'secondary' by nothing", "write secondary:RULE"),
        ("secondary:bordo", "go by the rule 'bordo'", "did you mean 'borda'"),
        (TieBreak("lot"), "are 'lot' by nothing", "write lot:SEED"),
        (TieBreak("alphabet"), "are 'alphabet'", "use one of"),  # type: ignore[arg-type]
    ],
)
def test_g7_a_tie_rule_that_does_not_exist(ties: Any, what: str, next_: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_ties(ties)
    (fault,) = caught.value.faults
    assert (fault.whose, fault.what) == ("ties", what)
    assert fault.next.startswith(next_)


@pytest.mark.parametrize("rule", [7, None, ["lot"]])
def test_g7_a_tie_rule_that_is_no_text(rule: Any) -> None:
    with pytest.raises(InvalidInput, match=r"^ties: "):
        read_ties(TieBreak(rule))


# --- breaking --------------------------------------------------------------------------------


@pytest.mark.parametrize("ties", ["none", "human"])
def test_g4_a_tie_stands(ties: str) -> None:
    assert chosen(ties) is None


def test_g4_a_lot_is_drawn_from_the_sorted_set_by_seed_and_label() -> None:
    for seed in map(str, range(20)):
        assert chosen(f"lot:{seed}") == lot(seed, "winner", TIED).chosen
    assert {chosen(f"lot:{seed}") for seed in range(20)} == set(TIED)
    assert {chosen("lot:7", label=f"round {at}") for at in range(20)} == set(TIED)
    assert break_tie(read_ties("lot:7"), RANKED, "winner", TIED).seed == "7"


def test_g4_a_hash_of_all_ballots_is_a_seed_nobody_can_choose() -> None:
    tie = break_tie(read_ties("ballot_hash"), RANKED, "winner", TIED)
    assert tie.seed == RANKED.digest
    assert tie.chosen == lot(RANKED.digest, "winner", TIED).chosen
    assert tie.rule == "ballot_hash"
    elections = [Election(["A"] * n) for n in range(1, 20)]
    assert {chosen("ballot_hash", one) for one in elections} == set(TIED)


@pytest.mark.parametrize(("option", "found"), [("B", "B"), ("D", None), ("X", None)])
def test_g4_what_stands_stays_where_it_is_tied(option: str, found: str | None) -> None:
    assert chosen(f"status_quo:{option}") == found


@pytest.mark.parametrize(
    ("voter", "found"),
    [
        ("ann", "B"),  # ranks B above A, and C not at all
        ("bob", None),  # ranks A and C alike
        ("eve", None),  # abstained
        ("dan", None),  # ranks none of the tied
        ("zoe", None),  # did not vote
    ],
)
def test_g4_the_chair_decides_with_the_ballot_it_cast(voter: str, found: str | None) -> None:
    assert chosen(f"chair:{voter}") == found


def test_v6_a_second_rule_decides_among_the_tied_alone() -> None:
    ballots = Election([["D", "B", "A", "C"], ["D", "A", "C", "B"], ["D", "B", "C", "A"]])
    # Borda: D 9, B 4, A 3, C 2. D is not tied.
    assert chosen("secondary:borda", ballots) == "B"
    # Plurality has D alone on top and all others equal.
    assert chosen("secondary:plurality", ballots) is None


def test_v6_a_second_rule_that_cannot_count_leaves_the_tie() -> None:
    assert chosen("secondary:approval") is None  # rankings
    assert chosen("secondary:borda") is None  # short ballots, and nobody said what they mean
    assert chosen("secondary:copeland", Election([], options=TIED, kind="ranking")) is None


@pytest.mark.parametrize("name", sorted(RULES))
def test_v6_every_rule_may_be_the_second(name: str) -> None:
    assert chosen(f"secondary:{name}") in {None, *TIED}


def test_v6_a_second_rule_that_does_not_know_the_tied_leaves_the_tie() -> None:
    assert chosen("secondary:plurality", Election(["X", "Y", "X"])) is None


@pytest.mark.parametrize(
    ("ties", "what"),
    [("status_quo:Pizzza", "go by the option 'Pizzza'"), ("chair:zed", "go by the voter 'zed'")],
)
def test_g7_a_tie_rule_that_goes_by_nobody_known(ties: str, what: str) -> None:
    (fault,) = tie_faults(ties, ["Pizza"], [])
    assert fault.what == what
    assert tie_faults("chair:ann", ["A"], ["ann"]) == []
    assert tie_faults("lot:7", ["A"], []) == tie_faults("status_quo:A", ["A"], []) == []
