"""Tables of ballots: which column says what, and every fault with its line."""

from __future__ import annotations

from fractions import Fraction

import pytest

from comity.core.errors import InvalidInput
from comity.formats.ballot_csv import read_ballot_csv, write_ballot_csv
from comity.formats.ballot_file import BallotFile
from comity.mechanisms.voting.election import Election


def refusal(text: str, **named: object) -> str:
    with pytest.raises(InvalidInput) as refused:
        read_ballot_csv(text, whose="x", **named)  # type: ignore[arg-type]  # wrong on purpose
    return str(refused.value)


def written(election: Election) -> str:
    return write_ballot_csv(BallotFile(election=election, names=election.options))


def test_v10_a_column_ballot_holds_a_ranking_as_text() -> None:
    found = read_ballot_csv("Count, Ballot\n3,A > B=C\n2,B\n1,\n0,C\n")
    assert found.election == Election.of_counts(
        [(["A", ["B", "C"]], 3), (["B"], 2), ([], 1)], kind="ranking"
    )
    assert not found.election.declared


def test_voters_and_weights_are_read_exactly() -> None:
    found = read_ballot_csv("voter,weight,ballot\nann,1/3,A\nbob,0.5,B\n").election
    assert found == Election({"ann": ["A"], "bob": ["B"]}, weights={"ann": "1/3", "bob": "0.5"})
    assert found.exact(found.weight) == Fraction(5, 6)


def test_v10_a_column_vote_holds_a_choice_or_yes_and_no() -> None:
    choice = read_ballot_csv("voter,vote\nann,Tea\nbob,\ncy,abstain\n").election
    assert (choice.kind, choice.options, len(choice.abstentions)) == ("choice", ("Tea",), 2)
    consent = read_ballot_csv("vote\nyes\nNO\nabstain\n").election
    assert (consent.kind, consent.size) == ("yes_no", 2)
    assert read_ballot_csv("vote\nyes\n", kind="choice").election.kind == "choice"


def test_v10_columns_of_ranks_hold_options_best_first() -> None:
    found = read_ballot_csv("rank2,rank1,Rank 3\nB,A,C\n,B=C,\nC,,A\n,,\n")
    assert found.election == Election(
        [["A", "B", "C"], [["B", "C"]], ["C", "A"], []], kind="ranking"
    )
    assert found.notes == ("ballots that skip a rank: 1; what follows moves up",)


def test_v10_columns_of_options_hold_ranks_scores_or_approvals() -> None:
    ranks = read_ballot_csv("rank:B,rank:A,rank:C\n2,1,2\n,3,\n,,\n")
    assert ranks.names == ("B", "A", "C")
    assert ranks.election == Election(
        [["A", ["B", "C"]], ["A"], []], options=["A", "B", "C"], kind="ranking"
    )
    scores = read_ballot_csv("score:A,score:B\n-1.5,3\n,1/3\n,\n").election
    assert scores == Election(
        [{"A": "-1.5", "B": 3}, {"B": "1/3"}, None], options=["A", "B"], kind="score"
    )
    chosen = read_ballot_csv("approved:A,approved:B\nX,no\n0,\n,\n").election
    assert chosen == Election([{"A"}, set(), None], options=["A", "B"], kind="approval")


def test_columns_named_by_options_alone_need_a_kind_because_a_one_may_be_best_or_worst() -> None:
    text = "voter,Tea,Milk\nann,1,2\n"
    told = refusal(text)
    assert "line 1: has the columns 'voter, Tea, Milk'" in told
    assert "give kind='ranking', 'score' or 'approval'" in told
    assert read_ballot_csv(text, kind="ranking").election == Election(
        {"ann": ["Tea", "Milk"]}, options=["Tea", "Milk"]
    )
    assert read_ballot_csv(text, kind="score").election == Election({"ann": {"Tea": 1, "Milk": 2}},
        options=["Tea", "Milk"])  # fmt: skip


@pytest.mark.parametrize("mark", [";", "\t", ","])
def test_semicolons_and_tabs_part_columns_too(mark: str) -> None:
    text = 'voter|ballot\n"a ""b"" c"|A>B\n'.replace("|", mark)
    assert read_ballot_csv(text).election == Election({'a "b" c': ["A", "B"]})


def test_g7_all_faults_come_at_once_each_with_its_line() -> None:
    told = refusal(
        "voter,count,weight,rank:A,rank:B\n"
        ",1,1,1,2\n"
        "ann,-1,1,1,2\n"
        "bob,1,-2,0,1.5\n"
        "ann,1,nan,1,2\n"
        "cy,1\n"
        '"dee\n dee",2,1,1,2\n'
    )
    for expected in [
        "x, line 2: names no voter",
        "x, line 3: has the count '-1'",
        "x, line 4: weight is '-2'. Allowed: 0 or more",
        "x, line 4: ranks 'A' '0'. Allowed: 1 for the best",
        "x, line 4: ranks 'B' '1.5'",
        "x, line 5: weight is 'nan'",
        "x, line 5: has a second ballot of 'ann'. Allowed: one per voter; the first is in line 3",
        "x, line 6: has 2 cells. Allowed: 5, as the first row",
        "x, line 8: counts the ballot of 'dee\\n dee' 2 times. Allowed: once",
    ]:
        assert expected in told


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("voter,count\n", "has the columns 'voter, count'"),
        ("voter,Voter,ballot\n", "has the column voter twice"),
        ("voter,ballot,when\n", "has the column 'when' beside ballot"),
        ("vote,cuont\n", "did you mean 'count'"),
        ("ballot,vote\n", "has the column 'vote' beside ballot"),
        ("vote,vote\n", "has the column 'vote' beside vote"),
        ("rank1,rank3\n", "Allowed: rank1 to rank2, each once"),
        ("rank1,ballots\n", "has the columns 'rank1, ballots'"),
        ("rank:A,rank:A\n", "names the option 'A' a second time"),
        ("rank:,rank:A\n", "names an option with no text"),
        ("rank:A,score:B\n", "has the columns"),
        ("score:A\nmany\n", "line 2: score of 'A' is 'many'"),
        ("approved:A\nmaybe\n", "line 2: says 'maybe' about 'A'"),
        ("ballot\nA>>B\n", "line 2: has an empty place in ''"),
        ("ballot\nA>B=A\n", "line 2: names 'A' twice"),
        ('ballot\n"A\n', "is no CSV"),
        ('ballot\n"A"B\n', "is no CSV"),
        ("ballot\n" + "A>" * 100_000 + "\n", "is no CSV: field larger than field limit"),
    ],
)
def test_a_table_that_is_none_is_refused(text: str, expected: str) -> None:
    assert expected in refusal(text)


@pytest.mark.parametrize(
    ("text", "kind"),
    [("ballot\nA\n", "score"), ("vote\nA\n", "ranking"), ("rank1\nA\n", "choice"),
     ("rank:A\n1\n", "score"), ("Tea\n1\n", "choice")],
)  # fmt: skip
def test_a_kind_that_the_columns_cannot_hold_is_refused(text: str, kind: str) -> None:
    assert "line 1: has " in refusal(text, kind=kind)


def test_what_is_written_says_its_kind() -> None:
    assert written(Election([["A", ["B", "C"]], None])) == 'ballot\nA>B=C\n""\n'
    assert written(Election([["B"], ["B"]], options=["A", "B"])) == "count,rank:A,rank:B\n2,,1\n"
    assert written(Election([{"A": "1/3"}, None], kind="score")) == 'score:A\n1/3\n""\n'
    assert written(Election({"ann": {"A"}, "bob": None}, options=["A", "B"])) == (
        "voter,approved:A,approved:B\nann,1,0\nbob,,\n"
    )
    assert written(Election({"ann": "yes", "bob": "no"}, weights={"ann": 2, "bob": 1})) == (
        "voter,weight,vote\nann,2,yes\nbob,1,no\n"
    )


def test_votes_for_no_option_and_names_that_would_not_come_back_are_refused() -> None:
    with pytest.raises(
        InvalidInput, match=r"would lose the options that no ballot names: \['B'\]"
    ):
        written(Election(["A"], options=["A", "B"]))
    with pytest.raises(InvalidInput, match="would read the option 'abstain' as an abstention"):
        written(Election(["abstain"], options=["abstain"]))
    with pytest.raises(InvalidInput, match="would be read as a yes/no vote"):
        written(Election(["Yes", "no"], kind="choice"))
    with pytest.raises(InvalidInput, match="cannot hold ballots on no option"):
        written(Election([], options=[], kind="score"))
    with pytest.raises(InvalidInput, match="without > or ="):
        written(Election([["A>B"]]))
    with pytest.raises(InvalidInput, match="cannot hold the name ' ann'"):
        written(Election({" ann": ["A"]}))
    assert written(Election([["A>B"]], options=["A>B"])) == "rank:A>B\n1\n"
    assert written(Election([["A;B"]], options=["A;B"])) == '"rank:A;B"\n1\n'
