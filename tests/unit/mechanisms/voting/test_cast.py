"""Cast: what counts read of an election, worked out once (V1, V5, G3)."""

from __future__ import annotations

from fractions import Fraction

from comity.core.parties import Party
from comity.mechanisms.voting import Election


def test_weights_are_whole_units_of_a_vote() -> None:
    election = Election(["A", "B", "A"], weights=["1/3", "0.5", 0])
    assert (election.scale, election.weight) == (6, 5)
    assert election.exact(2) == Fraction(1, 3)
    assert election.exact(6) == 1


def test_abstained_invalid_and_absent_are_told_apart() -> None:
    roster = [Party("ann", Fraction(1, 2)), Party("bob", 2), Party("cat", 3), Party("dan", 4)]
    votes = {"ann": "A", "bob": None, "cat": "X", "eve": "A"}
    election = Election(votes, options=["A", "B"], roster=roster, invalid="keep")
    units = election.scale
    assert units == 2
    assert election.weight == 1
    assert election.abstained_weight == 4
    assert election.invalid_weight == 6
    assert election.absent_weight == 8
    assert election.absent == ("dan",)
    assert [one.voter for one in election.invalid] == ["cat", "eve"]
    assert election.is_named


def test_without_a_roster_nobody_is_absent() -> None:
    assert Election(["A"]).absent_weight == 0
    assert not Election([]).is_named


def test_scores_approvals_and_choices_rank() -> None:
    scored = Election([{"A": 1, "B": 3, "C": 3}], options=list("ABCD"), kind="score")
    assert list(scored.ranks_of(scored.lines[0])) == [1, 0, 0, 255]
    assert scored.pairwise()[1] == (1, 0, 0, 1)
    assert scored.pairwise(no_opinion=True)[1] == (1, 0, 0, 0)
    approved = Election([{"B"}], options=["A", "B"])
    assert list(approved.ranks_of(approved.lines[0])) == [255, 0]


def test_the_digest_knows_everything_that_was_cast() -> None:
    base = Election(["A", "B"])
    seen = {
        base.digest,
        Election(["A", "A"], options=["A", "B"]).digest,
        Election(["A", "B", None]).digest,
        Election(["A", "B"], weights=[1, 2]).digest,
        Election(["A", "B"], weights=["1/2", "1/2"]).digest,
        Election({"ann": "A", "bob": "B"}).digest,
        Election({"ann": "B", "bob": "A"}).digest,
        Election({"ann": "A", "bob": "B"}, roster=["ann", "bob"]).digest,
        Election({"ann": "A", "bob": "B"}, roster=["ann", "bob", "cat"]).digest,
        Election(["A", "B"], options=["A", "B", "C"]).digest,
        Election(["A", "B", "X"], options=["A", "B"], invalid="keep").digest,
        Election([["A"], ["B"]]).digest,
        Election([{"A": 1}, {"B": 1}]).digest,
    }
    assert len(seen) == 13
    assert Election(["B", "A"]).digest == base.digest
    assert base.digest == base.digest


def test_what_is_worked_out_is_kept() -> None:
    election = Election([["A", "B"]])
    assert election.profile() is election.profile()
    assert election.pairwise() is election.pairwise()
    assert election.pairwise(no_opinion=True) is election.pairwise(no_opinion=True)
