"""The front door of ballot files: formats by their endings, size, encoding, refused losses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from comity.core.errors import InvalidInput, UnknownName
from comity.formats import ballots
from comity.formats.ballots import (
    BALLOT_FORMATS,
    BallotFile,
    break_equals_by_order,
    fit_ballots,
    read_ballots,
    read_ballots_text,
    write_ballots,
)
from comity.mechanisms.voting.election import Election

RANKED = Election([["A", "B", "C"], ["B", "A", "C"]])
EQUAL = Election.of_counts([(["A", ["B", "C"]], 28), (["C", "A", "B"], 3)])
SHORT = Election.of_counts([(["A"], 5), (["A", "B"], 2), (["C", "A", "B"], 1)])


def refusal(what: Any, target: str, **named: Any) -> str:
    with pytest.raises(InvalidInput) as refused:
        write_ballots(what, target, **named)
    return str(refused.value)


def read_refusal(path: Path | str, **named: Any) -> str:
    with pytest.raises(InvalidInput) as refused:
        read_ballots(path, **named)
    return str(refused.value)


# --- in --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BALLOT_FORMATS)
def test_v10_a_file_is_read_by_its_ending(name: str, tmp_path: Path) -> None:
    votes = Election([{"A", "B"}, {"B"}], options=["A", "B"]) if name == "cat" else RANKED
    path = tmp_path / f"votes.{name.upper()}"
    path.write_text(write_ballots(votes, name), "utf-8")
    found = read_ballots(str(path))
    assert (found.election.lines, found.format) == (votes.lines, name)
    other = path.rename(tmp_path / "votes.txt")
    assert read_ballots(other, format=name).election == found.election


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("votes.soj", "did you mean 'soi' or 'soc'"),
        ("votes.jsonlines", "did you mean 'jsonl' or 'json'"),
        ("votes", "votes: has no ending that names its format. Allowed: soc, soi, toc"),
    ],
)
def test_an_unknown_ending_is_told_with_the_nearest(name: str, expected: str) -> None:
    with pytest.raises(UnknownName) as refused:
        read_ballots(name)
    assert expected in str(refused.value)


def test_an_unknown_kind_is_told_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'ranking'"):
        read_ballots_text("", "csv", kind="rankng")  # type: ignore[arg-type]  # wrong on purpose


def test_files_that_cannot_be_read_say_why(tmp_path: Path) -> None:
    assert "cannot be read: No such file" in read_refusal(tmp_path / "none.csv")
    assert "cannot be read: Is a directory" in read_refusal(tmp_path, format="csv")
    assert "cannot be read: embedded null byte" in read_refusal("a\0.csv")
    latin = tmp_path / "latin.csv"
    latin.write_bytes(b"vote\nCaf\xe9\n")
    assert "latin.csv: is not UTF-8 text: byte 9 cannot be read" in read_refusal(latin)


def test_a_file_that_is_too_large_is_refused_before_it_is_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ballots, "LARGEST_BALLOT_FILE", 1000)
    path = tmp_path / "large.csv"
    path.write_text("vote\n" + "A\n" * 1000)
    told = read_refusal(path)
    assert told.startswith("large.csv: is larger than 1,000 bytes")
    assert "count alike ballots together" in told


def test_a_byte_order_mark_is_no_part_of_the_first_name() -> None:
    assert read_ballots_text(b"\xef\xbb\xbfvote\nA\n", "csv").election.size == 1


# --- out -------------------------------------------------------------------------------------


def test_an_unknown_format_or_order_is_told_with_the_nearest() -> None:
    assert "did you mean 'blt'" in refusal(RANKED, "bltt")
    with pytest.raises(UnknownName, match="have no format 'bltt'"):
        fit_ballots(RANKED, "bltt")
    assert "did you mean 'candidate_order'" in refusal(RANKED, "soi", equal_by="candidate order")
    assert "ballots: are 5" in refusal(5, "csv")


def test_v10_equal_ranks_are_refused_by_formats_without_them_even_when_losses_are_accepted() -> (
    None
):
    for lossy in (False, True):
        for target in ("soi", "soc"):
            told = refusal(EQUAL, target, lossy=lossy)
            assert f"{target}: would lose the equal ranks of 28 ballots" in told
            assert "Allowed: toc, toi, blt, csv, jsonl, json" in told
            assert "name the order that breaks them: equal_by='candidate_order'" in told


def test_v10_equal_ranks_are_broken_only_by_an_order_that_is_asked_for_and_said() -> None:
    assert "would lose the equal ranks of 28 ballots" in refusal(
        EQUAL, "soi", equal_by="candidate_order"
    )
    file = BallotFile(election=EQUAL, names=("C", "B", "A"))
    fitted = fit_ballots(file, "soi", lossy=True, equal_by="candidate_order")
    assert fitted.election == Election.of_counts([(["A", "C", "B"], 28), (["C", "A", "B"], 3)])
    assert fitted.election.pairwise()[2][1] == 31
    assert fitted.notes == (
        "lost: the equal ranks of 28 ballots; broken by the candidates' order",
    )
    text = write_ballots(file, "soi", lossy=True, equal_by="candidate_order")
    assert "# MODIFICATION TYPE: imbued\n" in text
    assert "# DESCRIPTION: lost: the equal ranks of 28 ballots; broken by" in text
    assert "28: 3,1,2\n" in text


def test_v10_short_ballots_are_refused_by_complete_formats() -> None:
    told = refusal(SHORT, "toc")
    assert "toc: would lose which options are left out of 7 ballots" in told
    assert "Allowed: soi, toi, blt, csv, jsonl, json" in told
    left_out = "lost: which options are left out of 7 ballots"
    fitted = fit_ballots(SHORT, "toc", lossy=True)
    assert fitted.election == Election.of_counts(
        [(["A", ["B", "C"]], 5), (["A", "B", "C"], 2), (["C", "A", "B"], 1)]
    )
    assert fitted.notes == (f"{left_out}; what a ballot leaves out is written as equal last",)
    assert "the equal ranks of 5 ballots (5 ballots only by what is left out)" in refusal(
        SHORT, "soc", lossy=True
    )
    assert write_ballots(SHORT, "soc", lossy=True, equal_by="candidate_order").endswith(
        "7: 1,2,3\n1: 3,1,2\n"
    )


def test_v10_voters_weights_abstentions_and_rosters_are_refused_where_there_is_no_place() -> None:
    votes = Election(
        {"ann": ["A"], "bob": None, "eve": ["A"], "dee": ["X"]},
        options=["A"],
        roster=["ann", "bob", "dee"],
        invalid="keep",
    )
    told = refusal(votes, "soi")
    for expected in [
        "soi: would lose the roster of 3 members. Allowed: json",
        "soi: would lose 2 ballots that do not count, with their reasons. Allowed: json",
        "soi: would lose the abstention of 1 ballot. Allowed: blt, csv, jsonl, json",
        "soi: would lose the names of the voters of 1 ballot. Allowed: csv, jsonl, json",
    ]:
        assert expected in told
    fitted = fit_ballots(votes, "soi", lossy=True)
    assert fitted.election == Election([["A"]], options=["A"])
    assert len(fitted.notes) == 4
    assert "# MODIFICATION TYPE: induced" in write_ballots(votes, "soi", lossy=True)
    assert read_ballots_text(write_ballots(votes, "json"), "json").election == votes


def test_v10_weights_become_numbers_of_voters_only_when_asked_and_in_one_unit() -> None:
    votes = Election([["A"], ["B"]], weights=["1/2", 2])
    assert "blt: would lose the weights of 2 ballots. Allowed: csv, jsonl, json" in refusal(
        votes, "blt"
    )
    fitted = fit_ballots(votes, "blt", lossy=True)
    assert [line.count for line in fitted.election.lines] == [1, 4]
    assert fitted.notes == (
        "lost: the weights of 2 ballots; written as numbers of voters in units of 1/2",
    )
    whole = fit_ballots(Election([["A"]], weights=[3]), "toi", lossy=True)
    assert whole.notes == ("lost: the weights of 1 ballot; written as numbers of voters",)
    none = Election([["A"], ["B"]], weights=[0, 1])
    assert fit_ballots(none, "blt", lossy=True).election.size == 1


def test_v10_scores_and_approvals_become_rankings_only_when_asked() -> None:
    scores = Election([{"A": 5, "B": 5, "C": -1}, None], kind="score")
    assert "would lose the scores of 1 ballot. Allowed: csv, jsonl, json" in refusal(scores, "blt")
    fitted = fit_ballots(scores, "blt", lossy=True)
    assert fitted.notes == ("lost: the scores of 1 ballot; written as rankings",)
    assert fitted.election == Election(
        [[["A", "B"], "C"], None], options=["A", "B", "C"], kind="ranking"
    )
    approvals = Election([{"A", "B"}, set()], options=["A", "B", "C"], kind="approval")
    assert "would lose the kind (approval) of 2 ballots. Allowed: cat, csv" in refusal(
        approvals, "toi"
    )
    assert fit_ballots(approvals, "blt", lossy=True).election == Election(
        [[["A", "B"]], None], options=["A", "B", "C"], kind="ranking"
    )


def test_v10_a_choice_can_be_an_approval_and_a_ranking_cannot() -> None:
    choice = Election(["A", "A", None], options=["A", "B"])
    told = refusal(choice, "cat")
    assert "would lose the kind (choice) of 2 ballots" in told
    assert "would lose the abstention of 1 ballot" in told
    assert fit_ballots(choice, "cat", lossy=True).election == Election(
        [{"A"}] * 2, options=["A", "B"]
    )
    for votes in (RANKED, Election([{"A": 1}])):
        assert "Next: write one of these." in refusal(votes, "cat", lossy=True)


def test_ballots_without_a_loss_are_not_touched() -> None:
    file = BallotFile(election=RANKED, names=("C", "A", "B"), title="T", seats=2, notes=("n",))
    assert fit_ballots(file, "toi").election is RANKED
    found = read_ballots_text(write_ballots(file, "blt", lossy=True), "blt")
    assert (found.names, found.title, found.seats) == (("C", "A", "B"), "T", 2)


def test_names_that_no_file_can_hold_are_refused() -> None:
    votes = Election(["\ud800"])
    for target in ("csv", "jsonl", "json"):
        assert "Unicode text" in refusal(votes, target)


@pytest.mark.parametrize("target", ["soi", "blt", "csv", "jsonl", "json"])
def test_numbers_that_python_does_not_write_are_refused(target: str) -> None:
    votes = Election.of_counts([(["A"], 10**5000)])
    assert f"{'json' if 'json' in target else target}: cannot be written" in refusal(votes, target)


# --- breaking equals -------------------------------------------------------------------------


def test_breaking_equals_by_an_order_invents_what_nobody_said() -> None:
    votes = Election(
        {"ann": [["A", "B"], "C"], "bob": ["C"], "cy": None}, weights={"ann": 2, "bob": 1, "cy": 1}
    )
    assert break_equals_by_order(votes, ["B", "A", "C"]) == Election(
        {"ann": ["B", "A", "C"], "bob": ["C"], "cy": None},
        weights={"ann": 2, "bob": 1, "cy": 1},
    )
    assert votes.pairwise()[0][1] == votes.pairwise()[1][0] == 0
    assert break_equals_by_order(votes, ["B", "A", "C"]).pairwise()[1][0] == 2


@pytest.mark.parametrize("order", [["A"], ["A", "A"], ["A", "C"], "AB", ["A", 1]])
def test_an_order_that_is_not_of_the_options_is_refused(order: Any) -> None:
    with pytest.raises(InvalidInput, match="each option once"):
        break_equals_by_order(Election([["A", "B"]]), order)


def test_only_rankings_have_equals_to_break() -> None:
    with pytest.raises(InvalidInput, match="is of choice ballots"):
        break_equals_by_order(Election(["A"]), ["A"])


@pytest.mark.parametrize("seats", [0, -1, True, "2"])
def test_seats_are_a_whole_number(seats: Any) -> None:
    with pytest.raises(InvalidInput, match="seats: are"):
        BallotFile(election=RANKED, names=RANKED.options, seats=seats)


def test_a_ballot_files_names_are_the_options() -> None:
    with pytest.raises(InvalidInput, match="each option of the election once"):
        BallotFile(election=RANKED, names=("A", 1, "B"))  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(InvalidInput, match="each option of the election once"):
        BallotFile(election=RANKED, names=("A", "B"))
