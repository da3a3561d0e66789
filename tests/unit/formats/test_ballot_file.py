"""Rows of a file on their way into an election: numbers, names, faults with their places."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from comity.core.errors import InvalidInput
from comity.formats.ballot_file import (
    LONGEST_NAME,
    MOST_FAULTS,
    BallotFile,
    BallotRow,
    Findings,
    ballot_file_of,
    check_names,
    check_writable,
    elected,
    exact_weight,
    lines_of,
    nearest,
    whole_count,
    whole_number,
)
from comity.mechanisms.voting.election import Election


def test_an_election_is_a_ballot_file_with_its_own_order() -> None:
    votes = Election([["B", "A"]])
    file = ballot_file_of(votes)
    assert (file.names, file.title, file.seats, file.notes) == (("A", "B"), "", None, ())
    assert ballot_file_of(file) is file
    with pytest.raises(InvalidInput, match="a BallotFile or an Election"):
        ballot_file_of([["A"]])  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(InvalidInput, match="each option of the election once"):
        BallotFile(election=votes, names=("A", "B", "B"))


def test_faults_name_a_line_a_place_or_the_file_alone() -> None:
    found = Findings("x")
    for place in (3, "roster", ""):
        found.add(place, "is wrong", "right", "mend it")
    assert [fault.whose for fault in found.faults] == ["x, line 3", "x, roster", "x"]


def test_after_a_hundred_faults_one_more_says_that_there_are_others() -> None:
    found = Findings("x")
    for at in range(MOST_FAULTS):
        found.add(at, "is wrong", "right", "mend it")
    assert not found.is_full
    for at in range(9):
        found.add(at, "is wrong", "right", "mend it")
    assert found.is_full
    assert len(found.faults) == MOST_FAULTS + 1
    assert found.faults[-1].what == "has more faults"


def test_only_line_feeds_and_carriage_returns_end_a_line() -> None:
    assert lines_of("a\u0085b\u2029c\x0cd\r\n\re") == ["a\u0085b\u2029c\x0cd", "", "e"]


@pytest.mark.parametrize(
    ("text", "value"),
    [("0", 0), ("007", 7), ("", None), ("+1", None), ("1_0", None), ("٣", None), ("²", None),
     ("9" * 1000, 10**1000 - 1), ("9" * 1001, None)],
)  # fmt: skip
def test_whole_numbers_are_digits_and_nothing_else(text: str, value: int | None) -> None:
    assert whole_number(text) == value


@pytest.mark.parametrize("value", [True, 1.0, -1, "-1", "1.0", None, 10**1000, Decimal(1)])
def test_a_count_is_whole_and_not_negative(value: object) -> None:
    found = Findings("x")
    assert whole_count(value, 1, found) == 1
    assert "a whole number, 0 or more" in found.faults[0].allowed


def test_a_weight_is_exact_and_not_negative() -> None:
    found = Findings("x")
    assert exact_weight("0.5", 1, found) == Fraction(1, 2)
    assert exact_weight(3, 1, found) == 3
    assert not found.faults
    for value in ("x", -1, float("nan"), None, True):
        assert exact_weight(value, 1, found) == 1
    assert len(found.faults) == 5


def test_options_have_names_of_bearable_length_and_are_bearably_many() -> None:
    found = Findings("x")
    check_names([(1, " "), (2, "x" * (LONGEST_NAME + 1)), (3, "A"), (4, "A")], found)
    check_names([(at, str(at)) for at in range(251)], found)
    assert [fault.whose for fault in found.faults] == ["x, line 1", "x, line 2", "x, line 4", "x"]


def test_a_name_is_writable_when_it_would_come_back() -> None:
    check_writable(["A", "", "a b", "x" * LONGEST_NAME], "soi")
    for name in (" A", "A\n", "A\rB", "x" * (LONGEST_NAME + 1), "A>B"):
        with pytest.raises(InvalidInput, match="cannot hold the name"):
            check_writable([name], "soi", ">")


def test_a_long_name_is_not_compared_letter_by_letter() -> None:
    assert nearest("x" * 61, ["x" * 60]) == "name a listed one"
    assert nearest("x" * 60, ["x" * 61, "y"]) == "use one of: y"


def test_v1_rows_of_nothing_make_an_election_of_nobody() -> None:
    found = elected([], Findings("x"), kind="ranking", options=["A"])
    assert (found.size, found.options, found.declared) == (0, ("A",), True)
    assert elected([BallotRow(1, "A", 0)], Findings("x")).size == 0


def test_g7_earlier_faults_and_those_of_ballots_come_together() -> None:
    found = Findings("x")
    found.add(1, "is wrong", "right", "mend it")
    with pytest.raises(InvalidInput) as refused:
        elected([BallotRow(2, "C")], found, options=["A"])
    assert [fault.whose for fault in refused.value.faults] == ["x, line 1", "x, line 2"]


def test_v1_a_yes_or_no_vote_has_its_own_options() -> None:
    rows = [BallotRow(1, "yes"), BallotRow(2, "abstain")]
    assert elected(rows, Findings("x")).kind == "yes_no"
    assert elected(rows, Findings("x"), options=["yes", "no"]).declared
    with pytest.raises(InvalidInput, match="yes, no and veto"):
        elected(rows, Findings("x"), options=["yes", "maybe"])
    with pytest.raises(InvalidInput, match="names the unknown option 'maybe'"):
        elected([BallotRow(1, "maybe")], Findings("x"), kind="yes_no")
