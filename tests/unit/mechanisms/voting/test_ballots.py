"""Ballots: is each kind read into one row, and is everything else refused with its reason?

Here: guessing the kind, the names on a ballot, rows and their JSON, every fault (V1, V3, G5, G7).
Not here: whole elections (test_election.py).
Sources: SEMANTICS V1, V3, G5, G7.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.voting.ballots import (
    KINDS,
    MOST_OPTIONS,
    QUICK,
    UNRANKED,
    guess_kind,
    names_in,
    read_ballot,
    write_ballot,
)

ABC = {"A": 0, "B": 1, "C": 2}
YES_NO = {"no": 0, "veto": 1, "yes": 2}
OUT = UNRANKED


def reasons(kind: Any, ballot: object, index: dict[str, int] = ABC) -> list[str]:
    with pytest.raises(InvalidInput) as caught:
        read_ballot(kind, ballot, index, "ann")
    assert {fault.whose.split(",")[0] for fault in caught.value.faults} <= {"ballot 'ann'"}
    return [fault.what for fault in caught.value.faults]


# --- kinds and names -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ballots", "kind"),
    [
        ([], "choice"),
        ([None, None], "choice"),
        (["A", "B"], "choice"),
        (["yes", " NO ", None, "Veto"], "yes_no"),
        ([True, False], "yes_no"),
        (["yes", "maybe"], "choice"),
        ([None, {"A"}], "approval"),
        ([frozenset()], "approval"),
        ([{"A": 1}], "score"),
        ([["A"]], "ranking"),
        ([("A", "B")], "ranking"),
        ([3], "choice"),
    ],
)
def test_v1_the_kind_is_told_by_type(ballots: list[object], kind: str) -> None:
    assert guess_kind(ballots) == kind


def test_v1_the_kinds_are_closed() -> None:
    assert KINDS == ("choice", "approval", "score", "ranking", "yes_no")


@pytest.mark.parametrize(
    ("kind", "ballot", "names"),
    [
        ("choice", "A", {"A"}),
        ("choice", 3, set()),
        ("yes_no", "yes", {"yes"}),
        ("ranking", ["A", ["B", 3, "C"], 4], {"A", "B", "C"}),
        ("ranking", "ABC", set()),
        ("ranking", 3, set()),
        ("approval", {"A", "B"}, {"A", "B"}),
        ("score", {"A": 1, 2: 3}, {"A"}),
        ("ranking", None, set()),
    ],
)
def test_v1_only_texts_are_names(kind: Any, ballot: object, names: set[str]) -> None:
    assert names_in(kind, ballot) == names


# --- rows and back ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "ballot", "row", "written"),
    [
        ("choice", "B", bytes([1]), "B"),
        ("choice", "abstain", None, None),
        ("choice", None, None, None),
        ("approval", {"C", "A"}, bytes([1, 0, 1]), ["A", "C"]),
        ("approval", ["B"], bytes([0, 1, 0]), ["B"]),
        ("approval", frozenset(), bytes(3), []),
        ("approval", None, None, None),
        ("score", {"A": 0.1, "C": "1/3"}, (Fraction(1, 10), None, Fraction(1, 3)),
         {"A": "1/10", "C": "1/3"}),
        ("score", {"A": -2, "B": Decimal("0.50")}, (Fraction(-2), Fraction(1, 2), None),
         {"A": -2, "B": "1/2"}),
        ("score", {}, None, None),
        ("ranking", ["B", "A", "C"], bytes([1, 0, 2]), ["B", "A", "C"]),
        ("ranking", ("C",), bytes([OUT, OUT, 0]), ["C"]),
        ("ranking", ["B", ["C", "A"]], bytes([1, 0, 1]), ["B", ["A", "C"]]),
        ("ranking", [{"C", "A"}, "B"], bytes([0, 1, 0]), [["A", "C"], "B"]),
        ("ranking", [["A"], [], ("B",)], bytes([0, 1, OUT]), ["A", "B"]),
        ("ranking", [], None, None),
        ("ranking", [[], []], None, None),
    ],

)  # fmt: skip
def test_v3_a_ballot_is_one_row_and_comes_back(
    kind: Any, ballot: object, row: object, written: object
) -> None:
    found = read_ballot(kind, ballot, ABC, "ann")
    assert found == row
    assert write_ballot(kind, found, tuple(ABC)) == written
    assert read_ballot(kind, written, ABC, "ann") == row


@pytest.mark.parametrize(
    ("word", "row"),
    [
        (True, 2),
        (False, 0),
        (" Yes ", 2),
        ("NO", 0),
        ("veto", 1),
        ("Abstain", None),
        (None, None),
    ],
)
def test_v1_yes_no_and_abstain_in_any_spelling(word: object, row: int | None) -> None:
    found = read_ballot("yes_no", word, YES_NO, "ann")
    assert found == (None if row is None else bytes([row]))
    if row is not None:
        assert write_ballot("yes_no", found, tuple(YES_NO)) == tuple(YES_NO)[row]


def test_v1_abstain_is_an_option_where_it_is_declared() -> None:
    assert read_ballot("choice", "abstain", {"A": 0, "abstain": 1}, "ann") == bytes([1])


def test_v3_as_many_options_as_fit_a_row() -> None:
    names = [f"o{at:03}" for at in range(MOST_OPTIONS)]
    index = {name: at for at, name in enumerate(names)}
    assert read_ballot("ranking", names, index, 1) == bytes(range(MOST_OPTIONS))
    assert MOST_OPTIONS < UNRANKED


@pytest.mark.parametrize(
    ("kind", "ballot", "is_quick"),
    [
        ("ranking", ["B", "A"], True),
        ("ranking", ["B", ["A"]], False),
        ("ranking", ["B", "B"], False),
        ("ranking", [], False),
        ("choice", "B", True),
        ("choice", "X", False),
        ("choice", 3, False),
        ("approval", {"A"}, True),
        ("approval", {"A", "X"}, False),
        ("approval", ["A"], False),
        ("score", {"C": 3, "A": 1, "B": 2}, True),
        ("score", {"A": 1, "B": 2}, False),
        ("score", {"A": 1, "B": 2, "C": 0.5}, False),
        ("score", {"A": 1, "B": 2, "C": True}, False),
        ("score", {"A": 1, "B": 2, "C": 10**5000}, False),
        ("score", [1, 2, 3], False),
    ],
)
def test_v1_what_is_plain_is_read_quickly_and_alike(
    kind: Any, ballot: object, is_quick: bool
) -> None:
    row = QUICK[kind](ballot, ABC)
    assert (row is not None) is is_quick
    if is_quick:
        assert row == read_ballot(kind, ballot, ABC, "ann")


# --- what does not count ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "ballot", "told"),
    [
        ("choice", "D", ["names the unknown option 'D'"]),
        ("choice", 3, ["names the unknown option 3"]),
        ("choice", "a", ["names the unknown option 'a'"]),
        ("choice", ["A"], ["names the unknown option ['A']"]),
        ("yes_no", 1, ["names the unknown option 1"]),
        ("yes_no", "y", ["names the unknown option 'y'"]),
        ("ranking", "ABC", ["is 'ABC'"]),
        ("ranking", {"A"}, ["is {'A'}"]),
        ("ranking", ["A", "B", "A"], ["names 'A' twice"]),
        ("ranking", ["C", "B", "A", "C", "C", "C"], ["names 'C' twice"] * 3),
        ("ranking", ["X", "Y", "Z"], [f"names the unknown option '{x}'" for x in "XYZ"]),
        ("ranking", ["A", 2, ["B", None, "A"], [["C"]]],
         ["names the unknown option 2", "names the unknown option None", "names 'A' twice",
          "names the unknown option ['C']"]),
        ("approval", "A", ["is 'A'"]),
        ("approval", {"A", "D"}, ["names the unknown option 'D'"]),
        ("approval", {"A": 1}, ["is {'A': 1}"]),
        ("approval", ["A", "A", "D", 5],
         ["names 'A' twice", "names the unknown option 'D'", "names the unknown option 5"]),
        ("score", ["A"], ["is ['A']"]),
        ("score", {"A": float("nan"), "D": 1, "B": True, 7: 1, "C": float("-inf")},
         ["score of 'A' is nan", "names the unknown option 'D'", "score of 'B' is True",
          "names the unknown option 7", "score of 'C' is -inf"]),
        ("score", {"A": "high"}, ["score of 'A' is 'high'"]),
        ("score", {"A": Decimal("NaN")}, ["score of 'A' is NaN"]),
    ],

)  # fmt: skip
def test_g7_all_that_is_wrong_with_a_ballot_is_told_at_once(
    kind: Any, ballot: object, told: list[str]
) -> None:
    assert reasons(kind, ballot, YES_NO if kind == "yes_no" else ABC) == told


def test_v1_a_misspelt_option_is_told_its_neighbours_and_never_added() -> None:
    index = {"approve": 0, "reject": 1}
    with pytest.raises(InvalidInput) as caught:
        read_ballot("choice", "aprove", index, "ann")
    (fault,) = caught.value.faults
    assert (fault.allowed, fault.next) == ("approve, reject", "did you mean 'approve'")
    assert index == {"approve": 0, "reject": 1}


def test_v1_a_long_list_of_options_is_cut_and_an_empty_one_named() -> None:
    many = {f"o{at:02}": at for at in range(13)}
    with pytest.raises(InvalidInput) as caught:
        read_ballot("choice", "x", many, 3)
    assert caught.value.faults[0].allowed.endswith("o11, …")
    with pytest.raises(InvalidInput, match="Allowed: no option"):
        read_ballot("choice", "x", {}, 3)


# --- rankings in words -----------------------------------------------------------------------


def test_rankings_may_be_written_in_words() -> None:
    votes = ["A > B = C", "B>A", "A"]
    assert guess_kind(votes) == "ranking"
    index = {"A": 0, "B": 1, "C": 2}
    found = [read_ballot("ranking", vote, index, "ann") for vote in votes[:2]]
    assert found == [bytes([0, 1, 1]), bytes([1, 0, 255])]
    assert read_ballot("ranking", " > ", index, "ann") is None
    with pytest.raises(InvalidInput, match="is 'A'"):
        read_ballot("ranking", votes[2], index, "ann")


def test_a_sign_in_a_name_makes_no_ranking() -> None:
    assert guess_kind(["<b>&", "<b>&", "B"]) == "choice"
    assert names_in("ranking", "A > > B=") == {"A", "B"}
    assert names_in("ranking", "A") == set()
