"""Dawid-Skene: names in, names out, runs of one voter pooled."""

from __future__ import annotations

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.voting.independence.dawid_skene import dawid_skene
from comity.mechanisms.voting.independence.em import EmRules
from comity.mechanisms.voting.independence.log import vote_log

ROWS = [
    (str(item), voter, "no" if (item + (voter == "c" and item % 4 == 0)) % 2 else "yes")
    for item in range(12)
    for voter in "abcd"
]


def test_v9_items_get_their_probable_answer_and_voters_their_worth() -> None:
    found = dawid_skene(ROWS)
    assert found.classes == ("no", "yes")
    assert found.labels == tuple("no" if int(item) % 2 else "yes" for item in found.items)
    worth = {one.voter: one.accuracy for one in found.voters}
    assert worth["a"] > 0.99
    assert worth["c"] == pytest.approx(0.75, abs=0.01)
    assert found.shares == pytest.approx((0.5, 0.5), abs=0.01)
    assert all(sum(row) == pytest.approx(1) for one in found.voters for row in one.confusion)
    assert found.is_converged
    assert found.rules == EmRules()


def test_a_log_and_its_rows_fit_the_same_in_any_order() -> None:
    assert dawid_skene(vote_log(ROWS)) == dawid_skene(ROWS) == dawid_skene(ROWS[::-1])


def test_v9_runs_of_one_voter_are_one_voter() -> None:
    runs = {"a": "m", "b": "m"}
    pooled = dawid_skene(vote_log(ROWS, runs_of=runs))
    assert [one.voter for one in pooled.voters] == ["c", "d", "m"]
    renamed = [(item, runs.get(voter, voter), answer) for item, voter, answer in ROWS]
    assert dawid_skene(renamed) == pooled


def test_an_item_that_could_be_either_has_no_label() -> None:
    rows = [(item, one, answer) for item, answer in (("0", "no"), ("1", "yes")) for one in "abc"]
    rows += [("x", "a", "yes"), ("x", "b", "no")]
    found = dawid_skene(rows, rules=EmRules(starts=1))
    assert dict(zip(found.items, found.labels, strict=True)) == {"0": "no", "1": "yes", "x": None}


def test_abstentions_are_no_votes() -> None:
    assert dawid_skene([*ROWS, ("1", "e", None)]) == dawid_skene(ROWS)


@pytest.mark.parametrize("rows", [[("1", "a")], [7], [("1", "a", 2)], [None], [("1", 3, "x")]])
def test_rows_that_are_none_are_refused(rows: list[object]) -> None:
    with pytest.raises(InvalidInput, match="not all item, voter and answer"):
        dawid_skene([*ROWS, *rows])


def test_v9_fewer_than_three_voters_are_refused() -> None:
    with pytest.raises(InvalidInput, match="voters: are 2"):
        dawid_skene([row for row in ROWS if row[1] in "ab"])
