"""BLT files: candidates, seats, ballots, names, and every fault with its line."""

from __future__ import annotations

import pytest

from comity.core.errors import InvalidInput
from comity.formats.ballot_file import BallotFile
from comity.formats.blt import read_blt, write_blt
from comity.mechanisms.voting.election import Election

BLT = """# a made-up board
4 2     # candidates, seats
-2
3 1 3 4 0
2 4 1=3 0
5 2 0
1 - 4 2 - 3 0
1 0
0
"Ann # 1"  "Bob"
"Cy ""the Pen"" Doe"   # one of them
"Dee"
"The board"
"A source" "A comment"
"""


def refusal(text: str, **named: object) -> str:
    with pytest.raises(InvalidInput) as refused:
        read_blt(text, whose="x", **named)  # type: ignore[arg-type]  # wrong on purpose
    return str(refused.value)


def test_v10_ballots_names_seats_and_title_are_read() -> None:
    found = read_blt(BLT)
    cy = 'Cy "the Pen" Doe'
    assert (found.title, found.seats, found.format) == ("The board", 2, "blt")
    assert found.names == ("Ann # 1", cy, "Dee")
    assert found.election == Election.of_counts(
        [
            (["Ann # 1", cy, "Dee"], 3),
            (["Dee", ["Ann # 1", cy]], 2),
            (["Dee", cy], 1),
            (None, 6),
        ],
        options=found.names,
        kind="ranking",
    )


def test_what_was_done_to_the_ballots_stands_in_the_notes() -> None:
    assert read_blt(BLT).notes == (
        "withdrawn before the count: 'Bob'; ballots that named one: 6",
        "ballots that skip a rank: 1; what follows moves up",
        "A source",
        "A comment",
    )


def test_a_number_that_is_not_whole_is_a_weight() -> None:
    found = read_blt('1 1\n1.5 1 0\n1.5 1 0\n1/3 1 0\n0\n"A"\n').election
    assert [(line.weight, line.count) for line in found.lines] == [(2, 1), (9, 2)]
    assert found.scale == 6


def test_counts_of_a_thousand_digits_are_exact() -> None:
    assert read_blt(f'1 1\n{10**999} 1 0\n0 1 0\n0\n"A"').election.size == 10**999


def test_an_election_without_candidates_is_still_one() -> None:
    found = read_blt('0 2\n0\n"Nobody stood"')
    assert (found.names, found.title, found.election.size) == ((), "Nobody stood", 0)


def test_g7_all_faults_come_at_once_each_with_its_line() -> None:
    lines = [
        *("2 0", "-3 -1 -1", "1 1", "1 3 0", "1 1=1 0", "1 1 0 1 2 0", "-2", "-1.5 1 0"),
        *("1..2 1 0", "x 1 0", "1 0 0", "(a) 1 0", "0", '"A'),
    ]
    text = "\n".join(lines)
    told = refusal(text)
    for expected in [
        "x, line 1: has no seat",
        "x, line 2: withdraws '-3'. Allowed: -1 to -2",
        "x, line 2: withdraws '-1'",
        "x, line 3: does not end in 0",
        "x, line 4: names '3'. Allowed: candidates 1 to 2",
        "x, line 5: names 1 twice",
        "x, line 6: goes on after 0",
        "x, line 7: withdraws a candidate among the ballots",
        "x, line 8: withdraws a candidate among the ballots",
        "x, line 9: weight is '1..2'",
        "x, line 10: has the count 'x'",
        "x, line 11: goes on after 0",
        "x, line 12: has a ballot id",
        "x, line 14: has '\"A'",
        "x: names 0 of 2 candidates",
    ]:
        assert expected in told


def test_a_forgotten_zero_joins_no_two_ballots() -> None:
    assert "line 2: does not end in 0" in refusal('3 1\n2 1\n3 2 0\n0\n"A" "B" "C"')


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "begins with ''"),
        ("2\n0\n", "begins with '2'"),
        ("a b\n0\n", "two numbers: candidates and seats"),
        ("99999 1\n0\n", "has 99999 candidates. Allowed: at most 250"),
        ("1 1\n1 1 0\n", "does not end its ballots. Allowed: a line with 0 after them"),
        ("1 1\n0\nAnn\n", "line 3: has 'Ann'. Allowed: names in quotes"),
        ('2 1\n0\n"A" "A"\n', "line 3: names the option 'A' a second time"),
        ('1 1\n-1 x\n0\n"A"\n', "line 2: withdraws 'x'"),
        ("1 1\n-1\n", "does not end its ballots"),
    ],
)
def test_a_file_that_is_none_is_refused(text: str, expected: str) -> None:
    assert expected in refusal(text)


def test_it_is_read_as_rankings_only() -> None:
    assert "cannot be read as 'score'" in refusal(BLT, kind="score")


def test_what_is_written_reads_back_with_names_and_seats() -> None:
    found = read_blt(BLT)
    text = write_blt(found)
    assert text.startswith("# withdrawn before the count: 'Bob'; ballots that named one: 6\n")
    again = read_blt(text)
    assert again.election == found.election
    assert (again.names, again.seats, again.title) == (found.names, 2, "The board")
    assert '"Cy ""the Pen"" Doe"' in text


def test_names_that_would_not_come_back_are_refused() -> None:
    votes = Election([["A\nB"]])
    with pytest.raises(InvalidInput, match="cannot hold the name"):
        write_blt(BallotFile(election=votes, names=votes.options))
