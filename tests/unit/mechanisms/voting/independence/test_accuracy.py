"""Accuracy: intervals, rates and voters that do not look."""

from __future__ import annotations

import pytest

from comity.mechanisms.voting.independence.accuracy import voter_records, wilson
from comity.mechanisms.voting.independence.log import vote_log


@pytest.mark.parametrize(
    ("correct", "answered", "low", "high"),
    [(0, 0, 0.0, 1.0), (7, 10, 0.3968, 0.8922), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0)],
)
def test_v9_wilsons_interval(correct: int, answered: int, low: float, high: float) -> None:
    assert wilson(correct, answered) == pytest.approx((low, high), abs=0.0001)


def test_v9_the_interval_holds_its_share_at_both_ends() -> None:
    for answered in range(1, 60):
        assert wilson(0, answered)[0] == 0.0
        assert wilson(answered, answered)[1] == 1.0


def test_v9_rates_and_confusion_are_counted_apart() -> None:
    rows = {
        "a": {"1": "x", "2": "y", "3": "x", "4": None, "5": "??"},
        "b": {"1": "x"},
    }
    log = vote_log(
        rows, options=["x", "y"], truth={"1": "x", "2": "x", "3": "y", "4": "y", "5": "y"}
    )
    first, second = voter_records(log)
    assert (first.answered, first.correct, first.accuracy) == (3, 1, pytest.approx(1 / 3))
    assert (first.abstained, first.invalid) == (0.2, 0.2)
    assert first.confusion == (("x", "x", 1), ("x", "y", 1), ("y", "x", 1))
    assert first.youden == pytest.approx(-0.5)
    assert first.is_constant
    assert (second.answered, second.abstained, second.accuracy) == (1, 0.8, 1.0)
    assert (second.youden, second.is_constant) == (None, False)


def test_a_voter_that_never_answered_has_no_accuracy() -> None:
    (record,) = voter_records(vote_log([("1", "a", None)], truth={"1": "x"}))
    assert (record.accuracy, record.low, record.high, record.abstained) == (None, 0.0, 1.0, 1.0)


def test_items_without_truth_do_not_count() -> None:
    (record,) = voter_records(vote_log([("1", "a", "x"), ("2", "a", "x")], truth={"1": "x"}))
    assert (record.answered, record.correct) == (1, 1)


def test_without_any_truth_nothing_counts() -> None:
    (record,) = voter_records(vote_log([("1", "a", "x")]))
    assert (record.answered, record.abstained, record.invalid) == (0, 0.0, 0.0)


@pytest.mark.parametrize(("limit", "is_constant"), [(0.05, False), (0.25, True)])
def test_v9_informedness_is_youdens_j_for_more_classes_too(
    limit: float, *, is_constant: bool
) -> None:
    truth = {"1": "x", "2": "y", "3": "z", "4": "z"}
    said = {"1": "x", "2": "x", "3": "z", "4": "y"}
    (record,) = voter_records(vote_log({"a": said}, truth=truth), limit)
    assert record.youden == pytest.approx((3 * (1 + 0 + 0.5) / 3 - 1) / 2)
    assert record.is_constant is is_constant


def test_v9_always_the_same_answer_is_constant() -> None:
    truth = {str(at): "x" if at < 9 else "y" for at in range(10)}
    (record,) = voter_records(vote_log({"a": dict.fromkeys(truth, "x")}, truth=truth))
    assert (record.accuracy, record.youden, record.is_constant) == (0.9, 0.0, True)


def test_v9_a_voter_that_looks_a_little_is_not_constant() -> None:
    truth = {f"{at:02d}": "xy"[at % 2] for at in range(40)}
    said = {item: one if int(item) in (1, 3) else "x" for item, one in truth.items()}
    (record,) = voter_records(vote_log({"a": said}, truth=truth))
    assert (record.youden, record.is_constant) == (pytest.approx(0.1), False)
