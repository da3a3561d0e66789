"""Reading: is all of an input checked, every fault told at once and nothing dropped silently?

Here: kind, options, roster, weights, ballots that do not count (V1, G4, G5, G7).
Not here: one ballot (test_ballots.py), the election as a value (test_election.py).
Sources: SEMANTICS V1, G4, G5, G7.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest

from comity.core.errors import InvalidInput, shown
from comity.core.parties import Party, roster_of
from comity.mechanisms.voting.ballots import MOST_OPTIONS
from comity.mechanisms.voting.reading import (
    Given,
    Invalid,
    Line,
    in_order,
    read_election,
    whole,
)


def told(given: Given) -> list[tuple[str, str]]:
    with pytest.raises(InvalidInput) as caught:
        read_election(given)
    return [(fault.whose, fault.what) for fault in caught.value.faults]


# --- kind and options ------------------------------------------------------------------------


def test_v1_one_kind_for_all_ballots() -> None:
    assert read_election(Given(ballots=["A"], kind="choice")).kind == "choice"
    assert read_election(Given(ballots=[["A"]])).kind == "ranking"
    assert told(Given(ballots=["A"], kind="rankings")) == [
        ("election", "has the kind 'rankings'"),
    ]
    assert told(Given(ballots=[["A", "B"], {"A"}])) == [("ballot 2", "is {'A'}")]


@pytest.mark.parametrize("options", [None, [], ["yes", "no"], ["veto", "no", "yes"]])
def test_v1_a_yes_no_vote_has_its_own_options(options: object) -> None:
    assert read_election(Given(ballots=["yes"], options=options)).options == ("no", "veto", "yes")


def test_v1_a_yes_no_vote_takes_no_others() -> None:
    assert told(Given(ballots=["yes"], kind="yes_no", options=["A"])) == [("options", "are given")]


def test_g4_options_are_sorted_whatever_their_order() -> None:
    for order in permutations(["b", "A", "é", "a"]):
        assert read_election(Given(ballots=[], options=order)).options == ("A", "a", "b", "é")
    assert read_election(Given(ballots=["B", "abstain", None, "A"])).options == ("A", "B")
    assert read_election(Given(ballots=[["B"], [["A"]], ["abstain"]])).options == (
        "A",
        "B",
        "abstain",
    )


@pytest.mark.parametrize(
    ("options", "faults"),
    [
        ("AB", [("options", "are 'AB'")]),
        (3, [("options", "are 3")]),
        (["A", "", "  ", 3, None], [
            ("options", "list ''"), ("options", "list '  '"), ("options", "list 3"),
            ("options", "list None")]),
        (list("BABAC"), [("options", "list 'A' twice"), ("options", "list 'B' twice")]),
        ([f"o{at}" for at in range(MOST_OPTIONS + 1)], [("options", f"are {MOST_OPTIONS + 1}")]),
    ],
    ids=lambda one: shown(one)[:30],
)  # fmt: skip
def test_g7_options_that_cannot_stand(options: Any, faults: list[tuple[str, str]]) -> None:
    assert told(Given(ballots=[], options=options, kind="choice")) == faults


def test_v1_options_may_be_any_iterable() -> None:
    assert read_election(Given(ballots=["A"], options=iter("BA"))).options == ("A", "B")


def test_v1_as_many_options_as_the_limit_says() -> None:
    names = [f"o{at}" for at in range(MOST_OPTIONS)]
    assert len(read_election(Given(ballots=[], options=names)).options) == MOST_OPTIONS


# --- lines -----------------------------------------------------------------------------------


def test_v1_equal_ballots_without_names_are_counted_together() -> None:
    read = read_election(Given(ballots=["B", "A", None, "B", "abstain"], counts=[1, 1, 2, 3, 1]))
    assert read.lines == (Line(bytes([0]), 1, 1), Line(bytes([1]), 1, 4))
    assert read.abstentions == (Line(None, 1, 3),)
    assert read.invalid == ()


def test_v1_ballots_with_names_stay_apart_in_the_order_of_names() -> None:
    read = read_election(Given(ballots=["B", "B", None, "A"], names=["bob", "ann", "eve", "dan"]))
    assert [(line.voter, line.row) for line in read.lines] == [
        ("ann", bytes([1])),
        ("bob", bytes([1])),
        ("dan", bytes([0])),
    ]
    assert read.abstentions == (Line(None, 1, 1, "eve"),)


def test_g4_the_order_of_ballots_is_not_kept() -> None:
    scores = [{"A": 1}, {"B": 1}, {"A": -1, "B": 0}, {"A": Fraction(1, 2)}]
    reads = {read_election(Given(ballots=list(order))).lines for order in permutations(scores)}
    assert len(reads) == 1


def test_g5_the_order_of_weights_is_not_kept() -> None:
    pairs = [("A", 0.1), ("A", "1/3"), ("B", 2), ("A", Decimal("0.1"))]
    reads = {
        read_election(Given(ballots=[a for a, _ in order], weights=[w for _, w in order]))
        .lines for order in permutations(pairs)
    }  # fmt: skip
    assert reads == {
        (Line(bytes([0]), 3, 2), Line(bytes([0]), 10, 1), Line(bytes([1]), 60, 1)),
    }


def test_v1_what_does_not_count_is_refused_or_kept_with_its_reason() -> None:
    given: dict[str, Any] = {
        "ballots": ["A", "X", 3, "B"], "options": ["A", "B"], "weights": [1, 2, "1/2", 1],
    }  # fmt: skip
    assert told(Given(**given)) == [
        ("ballot 2", "names the unknown option 'X'"),
        ("ballot 3", "names the unknown option 3"),
    ]
    read = read_election(Given(**given, keep=True))
    assert read.invalid == (
        Invalid("2", "names the unknown option 'X'", 2),
        Invalid("3", "names the unknown option 3", Fraction(1, 2)),
    )
    assert read.options == ("A", "B")
    assert sum(line.count for line in read.lines) == 2


def test_v1_an_invalid_ballot_has_all_its_reasons() -> None:
    read = read_election(
        Given(ballots=[["A", "A", "X"]], options=["A", "B"], kind="ranking", keep=True)
    )
    assert read.invalid == (Invalid("1", "names 'A' twice; names the unknown option 'X'"),)


@pytest.mark.parametrize("name", ["", "  ", 3, None])
def test_g7_every_voter_has_a_name_that_is_text(name: Any) -> None:
    assert told(Given(ballots=["A"], names=[name])) == [
        ("ballots", f"name the voter {shown(name)}")
    ]


def test_v1_lines_are_merged_in_their_one_order_and_empty_ones_left_out() -> None:
    one, other, named = Line(b"\1", 1, 2), Line(b"\0", 1, 1), Line(b"\1", 1, 1, "ann")
    for order in permutations([one, other, named, one, Line(b"\2", 1, 0)]):
        assert in_order(order) == (other, Line(b"\1", 1, 4), named)
    half, none = (Fraction(1, 2), None), (None, Fraction(-1))
    assert in_order([Line(half, 1, 1), Line(none, 1, 1)]) == in_order(
        [Line(none, 1, 1), Line(half, 1, 1)]
    )
    silent = [Line(None, 1, 2, "b"), Line(None, 1, 1, "a")]
    assert [line.voter for line in in_order(silent)] == ["a", "b"]


# --- rosters ---------------------------------------------------------------------------------


def test_v1_who_is_no_member_does_not_count_and_weighs_nothing() -> None:
    given = Given(ballots=["A", "B"], names=["ann", "eve"], roster=["ann", "bob"])
    assert told(given) == [("ballot of 'eve'", "comes from no member of the roster")]
    read = read_election(
        Given(ballots=["A", "B"], names=["ann", "eve"], roster=["ann", "bob"], keep=True)
    )
    assert read.invalid == (Invalid("eve", "comes from no member of the roster", 0),)
    assert [line.voter for line in read.lines] == ["ann"]


def test_g5_weights_of_a_roster_are_counted_in_whole_units() -> None:
    roster = roster_of([Party("ann", Fraction(1, 3)), Party("bob", Decimal("0.5")), "eve"])
    read = read_election(
        Given(ballots=["A", "X", None], names=["ann", "bob", "eve"], options=["A"], roster=roster,
              keep=True)
    )  # fmt: skip
    assert read.scale == 6
    assert read.roster is roster
    assert read.lines == (Line(bytes([0]), 2, 1, "ann"),)
    assert read.invalid == (Invalid("bob", "names the unknown option 'X'", Fraction(1, 2)),)
    assert read.abstentions == (Line(None, 6, 1, "eve"),)


def test_v1_a_roster_needs_named_ballots() -> None:
    assert told(Given(ballots=["A"], roster=["ann"])) == [
        ("election", "has a roster and ballots without names")
    ]
    assert read_election(Given(ballots=[], roster=["ann"])).lines == ()


def test_g7_faults_of_all_parts_come_together() -> None:
    faults = told(
        Given(ballots=["A"], names=[""], kind="x", options=["", "A"], weights=["much"],
              roster=[Party("ann", -1)])
    )  # fmt: skip
    assert [whose for whose, _ in faults] == [
        "election",
        "options",
        "party 'ann'",
        "",
        "ballots",
    ]


# --- weights ---------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), True, "much", None, [1]])
def test_g5_a_weight_is_an_exact_number(bad: Any) -> None:
    ((whose, what),) = told(Given(ballots=["A", "B"], weights=[1, bad]))
    assert whose == "ballot 2"
    assert what.startswith("weight is ")


def test_g5_a_weight_is_not_negative_and_may_be_nothing() -> None:
    assert told(Given(ballots=["A", "B"], weights=[-4, "-1/3"])) == [
        ("ballot 1", "weight is -4"),
        ("ballot 2", "weight is -1/3"),
    ]
    assert read_election(Given(ballots=["A"], weights=[0])).lines == (Line(bytes([0]), 0, 1),)


def test_g7_a_negative_weight_is_told_of_its_own_voter() -> None:
    """A weight that cannot be read must not shift the names of those behind it."""
    assert told(Given(ballots=["A", "B", "A"], names=["ann", "bob", "eve"],
                      weights=["much", 1, -1])) == [
        ("ann", "weight is 'much'"),
        ("eve", "weight is -1"),
    ]  # fmt: skip


@pytest.mark.parametrize("weights", [[1], (1, 2, 3), "12", 7, {1, 2}])
def test_g7_as_many_weights_as_ballots(weights: Any) -> None:
    assert told(Given(ballots=["A", "B"], weights=weights)) == [
        ("weights", "do not match the ballots")
    ]


def test_g7_weights_by_voter_match_the_voters() -> None:
    named: dict[str, Any] = {"ballots": ["A", "B"], "names": ["ann", "bob"]}
    read = read_election(Given(**named, weights={"bob": "1/2", "ann": 1}))
    assert [(line.voter, line.weight) for line in read.lines] == [("ann", 2), ("bob", 1)]
    assert told(Given(**named, weights={"ann": 1, "eve": 1})) == [
        ("voter 'bob'", "has no weight"),
        ("voter 'eve'", "has a weight and no ballot"),
    ]
    assert told(Given(**named, weights=[1, 2], roster=["ann", "bob"])) == [
        ("weights", "are given beside a roster")
    ]


@pytest.mark.parametrize(
    ("value", "found"), [(Fraction(4, 2), 2), (Fraction(1, 2), Fraction(1, 2))]
)
def test_g5_a_whole_fraction_is_an_int(value: Fraction, found: object) -> None:
    assert whole(value) == found
    assert type(whole(value)) is type(found)
