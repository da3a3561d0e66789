"""Without truth: what the votes alone say, and whether a truth is only their own result."""

from __future__ import annotations

import pytest

from comity.mechanisms.voting.independence.dawid_skene import DawidSkene
from comity.mechanisms.voting.independence.log import VoteLog, vote_log
from comity.mechanisms.voting.independence.rules import ReportRules
from comity.mechanisms.voting.independence.without_truth import (
    fitted_model,
    own_labels,
    without_truth,
)

QUICK = ReportRules(resamples=0)


def a_log(truth: dict[str, str] | None = None) -> VoteLog:
    """Return two clones, a good voter and two bad ones; the clones err together on 3 items."""
    items = [f"{at:02d}" for at in range(30)]
    right = {item: "xy"[at % 2] for at, item in enumerate(items)}
    turned = {"x": "y", "y": "x"}

    def erring(*wrong: int) -> dict[str, str]:
        return {item: turned[one] if int(item) in wrong else one for item, one in right.items()}

    rows = {
        "a": erring(1, 2, 3),
        "b": erring(1, 2, 3),
        "c": erring(4, 5),
        "d": erring(*range(0, 30, 3)),
        "e": erring(*range(1, 30, 4)),
    }
    return vote_log(rows, truth=truth)


def test_v9_everything_the_votes_say() -> None:
    log = a_log()
    model = fitted_model(log)
    found = without_truth(log, model, rules=QUICK)
    assert found.clones == (("a", "b"),)
    assert found.voters_without_clones == 4
    assert (found.clusters, found.not_fitted, found.measure) == ((), "", "nominal")
    assert len(found.kappas) == 10
    assert 0 < found.alpha < 1
    assert found.model is not None
    assert found.model.classes == ("x", "y")
    assert [one.voter for one in found.model.voters] == ["a", "b", "c", "d", "e"]
    assert found.model.is_converged
    assert len(found.tetrads.pairs) == 10


def test_v9_dawid_skene_takes_the_clones_for_the_truth() -> None:
    found = without_truth(a_log(), fitted_model(a_log()), rules=QUICK)
    assert found.model is not None
    worth = {one.voter: one.accuracy for one in found.model.voters}
    assert worth["a"] == worth["b"] > worth["c"]


def test_items_whose_label_is_not_the_majoritys_are_listed() -> None:
    log = a_log()
    model = fitted_model(log)
    assert isinstance(model, DawidSkene)
    found = without_truth(log, model, rules=QUICK).model
    assert found is not None
    columns = dict(zip(log.voters, log.answers, strict=True))
    for item, label in found.differs:
        votes = [columns[voter][log.items.index(item)] for voter in log.voters]
        assert votes.count(label) <= 2 or votes.count(label) * 2 == len(votes)


def test_pairs_with_few_items_are_no_clones_unless_the_log_is_short() -> None:
    items = [f"{at:02d}" for at in range(40)]
    rows = {
        "a": {item: "xy"[at % 2] for at, item in enumerate(items)},
        "b": {item: "xy"[at % 2] for at, item in enumerate(items[:5])},
    }
    assert without_truth(vote_log(rows), "", rules=QUICK).clones == ()
    short = {voter: {item: row[item] for item in items[:5]} for voter, row in rows.items()}
    assert without_truth(vote_log(short), "", rules=QUICK).clones == (("a", "b"),)


def test_a_log_that_cannot_be_fitted_says_why() -> None:
    two = vote_log({one: {"1": "x", "2": "y"} for one in "ab"})
    assert fitted_model(two) == "Dawid-Skene needs 3 voters; this log has 2."
    assert without_truth(two, "why").not_fitted == "why"
    assert without_truth(two, "why").model is None
    runs = vote_log(
        {one: {"1": "x", "2": "y"} for one in "abcd"}, runs_of=dict.fromkeys("ab", "m")
    )
    assert isinstance(fitted_model(runs), DawidSkene)
    runs = vote_log({one: {"1": "x", "2": "y"} for one in "abc"}, runs_of=dict.fromkeys("ab", "m"))
    assert fitted_model(runs) == "Dawid-Skene needs 3 voters; this log has 2."
    assert fitted_model(vote_log({one: {"1": "x"} for one in "abc"})) == (
        "Dawid-Skene needs two answers; this log has one."
    )


def test_free_text_is_not_fitted() -> None:
    rows = {voter: {str(at): f"{at % 17}{voter}" for at in range(51)} for voter in "abc"}
    assert fitted_model(vote_log(rows)) == (
        "Dawid-Skene was not fitted: 51 different answers, at most 50."
    )
    rows["c"] = dict.fromkeys(rows["c"], "0a")
    assert isinstance(fitted_model(vote_log(rows)), DawidSkene)


def majority(log: VoteLog) -> dict[str, str]:
    found = {}
    for at, item in enumerate(log.items):
        votes = [answers[at] for answers in log.answers]
        found[item] = max(("x", "y"), key=votes.count)
    return found


def test_v9_the_panels_own_majority_is_recognised() -> None:
    log = a_log()
    assert own_labels(log, "") == ""
    assert own_labels(a_log(majority(log)), "") == "majority"
    other = {**majority(log), "00": "xy"[majority(log)["00"] == "x"]}
    assert own_labels(a_log(other), "no model") == ""
    assert own_labels(a_log(other), fitted_model(log)) == ""


def test_v9_the_panels_own_dawid_skene_labels_are_recognised() -> None:
    log = a_log()
    model = fitted_model(log)
    assert isinstance(model, DawidSkene)
    labels = {item: str(one) for item, one in zip(model.items, model.labels, strict=True)}
    expected = "majority" if labels == majority(log) else "Dawid-Skene labels"
    assert own_labels(a_log(labels), model) == expected


@pytest.mark.parametrize("side", ["x", "y"])
def test_a_tie_agrees_with_either_side(side: str) -> None:
    log = vote_log({"a": {"1": "x"}, "b": {"1": "y"}}, truth={"1": side})
    assert own_labels(log, "") == "majority"


def test_items_nobody_answered_say_nothing() -> None:
    log = vote_log([("1", "a", None), ("2", "a", "x")], truth={"1": "y"})
    assert own_labels(log, "") == ""
