"""Rows: one line of ballots for a count, a digest, a file (V1, G1)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.voting import Election, Line
from comity.mechanisms.voting.rows import (
    ballots_of_orders,
    ballots_of_ranks,
    blocks_of,
    line_json,
    narrowed,
    number_json,
    pairs_of_scores,
    ranks_in,
    row_text,
)


@pytest.mark.parametrize(
    ("kind", "row", "kept"),
    [
        ("choice", bytes([2]), bytes([1])),
        ("choice", bytes([1]), None),
        ("approval", bytes([1, 1, 0]), bytes([1, 0])),
        ("approval", bytes([0, 1, 0]), bytes([0, 0])),
        ("ranking", bytes([2, 0, 1]), bytes([1, 0])),
        ("ranking", bytes([255, 0, 255]), None),
        ("ranking", bytes([3, 0, 3]), bytes([0, 0])),
        ("score", (Fraction(1), None, None), (Fraction(1), None)),
        ("score", (None, Fraction(2), None), None),
    ],
)
def test_a_row_on_fewer_options(kind: Any, row: Any, kept: Any) -> None:
    assert narrowed(kind, row, [0, 2]) == kept


def test_an_election_on_fewer_options_keeps_who_says_nothing() -> None:
    election = Election([["A", "B", "C"], ["B"], None], options=["A", "B", "C"])
    left = election.only(["A", "C"])
    assert left.options == ("A", "C")
    assert (left.size, left.abstained_weight) == (1, 2)
    with pytest.raises(InvalidInput, match="'X'"):
        election.only(["A", "X"])


def test_a_yes_is_an_option_like_another() -> None:
    assert list(ranks_in("yes_no", bytes([2]), 3)) == [255, 255, 0]


def test_plain_rows_are_digested_as_bytes_and_others_as_text() -> None:
    assert list(blocks_of([Line(b"ab", 1, 2)])) == [b"ab", (2).to_bytes(8, "little")]
    assert len(list(blocks_of([Line(b"ab", 2, 2)]))) == 1
    scores, counts = blocks_of([Line((Fraction(1, 2), None), 1, 1)])
    assert (scores, counts) == (b"[(Fraction(1, 2), None)]", (1).to_bytes(8, "little"))
    assert len(list(blocks_of([Line(b"ab", 1, 1, "ann")]))) == 1


def test_a_line_says_only_what_is_not_plain() -> None:
    assert line_json("choice", Line(b"\0", 2, 1), ("A",), 2) == {"ballot": "A"}
    told = line_json("choice", Line(b"\0", 1, 3, "ann"), ("A",), 2)
    assert told == {"ballot": "A", "voter": "ann", "count": 3, "weight": "1/2"}
    assert number_json(3) == 3
    assert number_json(Fraction(3, 2)) == "3/2"


@pytest.mark.parametrize("row", [[0], [0, 1, 2], [0, 300], [0, True], [0, "1"], 5, "ab"])
def test_a_row_that_is_no_ranks_is_named(row: Any) -> None:
    with pytest.raises(InvalidInput, match="row 2"):
        ballots_of_ranks([[0, 1], row], ["A", "B"])


def test_ranks_and_orders_become_ballots() -> None:
    assert ballots_of_ranks([(3, 3), b"\x01\x00"], ["A", "B"]) == [[["A", "B"]], [["B"], ["A"]]]
    assert ballots_of_orders([[1], "x", [7]], ["A", "B"]) == [["B"], "x", ["number 7"]]


@pytest.mark.parametrize(
    ("kind", "row", "words"),
    [
        ("choice", bytes([1]), "B"),
        ("ranking", bytes([1, 0, 1]), "B > A = C"),
        ("approval", bytes([1, 0, 1]), "A, C"),
        ("approval", bytes(3), "none"),
        ("score", (Fraction(1, 2), None, 3), "A = 1/2, C = 3"),
        ("ranking", None, "nothing"),
    ],
)
def test_a_row_in_words(kind: Any, row: Any, words: str) -> None:
    assert row_text(kind, row, ("A", "B", "C")) == words


def test_scores_are_compared_as_they_are() -> None:
    lines = [Line((3, 1), 1, 2), Line((Fraction(1, 2), 1), 3, 1)]
    assert pairs_of_scores(lines, 2) == ((0, 2), (3, 0))
    assert pairs_of_scores([Line((3, None), 1, 1)], 2) is None
    assert pairs_of_scores([], 2) == ((0, 0), (0, 0))
