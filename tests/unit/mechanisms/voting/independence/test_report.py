"""Independence report: one value with everything, read back as it was written."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.voting.independence import independence
from comity.mechanisms.voting.independence.log import VoteLog, vote_log
from comity.mechanisms.voting.independence.report import IndependenceReport
from comity.mechanisms.voting.independence.rules import ReportRules

QUICK = {"resamples": 0}


def hand_log(**named: object) -> VoteLog:
    errors = {"A": {1, 2, 3}, "B": {1, 2, 3}, "C": {1, 2, 4}}
    rows = [
        (str(item), voter, "no" if item in wrong else "yes")
        for voter, wrong in errors.items()
        for item in range(1, 11)
    ]
    return vote_log(rows, **named)


TRUTH = {str(item): "yes" for item in range(1, 11)}


def test_v9_three_voters_count_as_1_3() -> None:
    report = independence(hand_log(), truth=TRUTH, rules=QUICK)
    assert report.headline == "3 voters, counting as 1.3"
    assert report.n_eff == pytest.approx(1.268, abs=0.0005)
    assert report.cautious_n_eff == report.n_eff
    assert report.rules == ReportRules(resamples=0)
    assert (report.items, report.voters, report.options) == (10, ("A", "B", "C"), ("no", "yes"))
    assert report.log_digest == hand_log(truth=TRUTH).digest


def test_the_truth_of_the_log_is_taken_when_none_is_given() -> None:
    own = independence(hand_log(truth=TRUTH), rules=QUICK)
    assert own == independence(hand_log(), truth=TRUTH, rules=ReportRules(resamples=0))


def test_v9_weights_count() -> None:
    report = independence(hand_log(truth=TRUTH), weights={"A": Fraction(2)}, rules=QUICK)
    assert report.n_eff == pytest.approx(1.217, abs=0.0005)
    assert report.weights == (2, 1, 1)


def test_v9_without_truth_there_is_no_number() -> None:
    report = independence(hand_log(), rules=QUICK)
    assert (report.with_truth, report.n_eff, report.cautious_n_eff) == (None, None, None)
    assert report.headline.endswith("as how many they count needs the truth")
    assert independence(hand_log(), truth={}, rules=QUICK).with_truth is None


@pytest.mark.parametrize("word", ["majority", "Dawid-Skene", "consensus", "plurality"])
def test_v9_errors_against_the_panels_own_result_are_refused(word: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        independence(hand_log(), truth=word)
    (fault,) = caught.value.faults
    assert "their shared errors disappear" in fault.what
    assert fault.next == "leave the truth out to see what the votes alone say"


def test_a_truth_that_is_another_text_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"is the text 'gold'\. Allowed: item -> right answer"):
        independence(hand_log(), truth="gold")


def test_v9_a_truth_that_equals_the_majority_is_warned_about_first() -> None:
    own = {**TRUTH, "1": "no", "2": "no", "3": "no"}
    report = independence(hand_log(), truth=own, rules=QUICK)
    assert report.warnings[0].startswith("The truth equals the panel's own majority")
    assert report.headline.endswith("; worthless if the truth is their own majority")


def test_v9_the_cautious_number_is_that_without_constant_voters() -> None:
    items = [f"{at:02d}" for at in range(40)]
    truth = {item: "x" if at < 30 else "y" for at, item in enumerate(items)}
    wrong = set(items[28:33])
    rows = {
        "a": {item: "xy"[(truth[item] == "x") == (item in wrong)] for item in items},
        "b": {item: "xy"[(truth[item] == "x") == (item in wrong or item == "00")]
              for item in items},
        "c": dict.fromkeys(items, "x"),
    }  # fmt: skip
    report = independence(vote_log(rows), truth=truth, rules=QUICK)
    assert report.with_truth is not None
    assert report.with_truth.without_constant is not None
    assert report.cautious_n_eff == report.with_truth.without_constant.counting_as
    assert report.cautious_n_eff < report.n_eff


def test_contract_4_the_report_is_read_back_as_it_was_written() -> None:
    log = hand_log(weights={"A": Fraction(1, 3)}, runs_of={"A": "m", "B": "m"})
    for truth in (None, TRUTH):
        report = independence(log, truth=truth, rules={"resamples": 100})
        written = json.loads(json.dumps(report.to_json()))
        assert (written["v"], written["kind"]) == (1, "independence")
        assert (written["n_eff"], written["cautious_n_eff"]) == (report.n_eff, report.n_eff)
        assert written["says"] == list(report.says())
        assert written["weights"] == ["1/3", 1, 1]
        assert IndependenceReport.from_json(written) == report


@pytest.mark.parametrize(
    "data", [None, [], {}, {"kind": "independence", "v": True}, {"kind": "choice", "v": 1}]
)
def test_what_is_no_report_is_refused(data: object) -> None:
    with pytest.raises(InvalidInput, match="kind = 'independence'"):
        IndependenceReport.from_json(data)


def test_wrong_fields_are_told_at_once() -> None:
    written = dict(independence(hand_log(), rules=QUICK).to_json())
    del written["seed"]
    with pytest.raises(InvalidInput) as caught:
        IndependenceReport.from_json({**written, "items": "x", "other": 1})
    assert len(caught.value.faults) == 3


def test_a_report_reads_in_plain_words() -> None:
    report = independence(hand_log(), truth=TRUTH, rules=QUICK)
    text = str(report)
    assert text.startswith("3 voters, counting as 1.3.\nMean correlation of errors 0.683.\n")
    assert "\nWarnings\n  - Few items: no pair shares more than 10" in text
    bare = IndependenceReport.from_json({**report.to_json(), "warnings": []})
    assert "Warnings" not in str(bare)
    assert report.says()[0] == "Mean correlation of errors 0.683."


def test_a_notebook_gets_escaped_html() -> None:
    log = vote_log({"<b>": {"1": "x"}, "b": {"1": "x"}}, truth={"1": "x"})
    html = independence(log, rules=QUICK)._repr_html_()
    assert html.startswith("<table><caption>2 voters")
    assert "warning 1" in html
    assert "<b>" not in html


def test_g7_rules_by_name_are_checked_at_once() -> None:
    with pytest.raises(InvalidInput) as caught:
        independence(hand_log(), rules={"resample": 1, "starts": 0})
    assert [fault.whose for fault in caught.value.faults] == ["rules", "starts"]
    assert caught.value.faults[0].next == "did you mean 'resamples'"
    with pytest.raises(InvalidInput, match="rules: name 'x'"):
        independence(hand_log(), rules={"x": 1})


def test_a_seed_is_text() -> None:
    with pytest.raises(InvalidInput, match=r"seed: is 7\. Allowed: a text"):
        independence(hand_log(), seed=7)
