"""Wording: what a report says, and what it warns about."""

from __future__ import annotations

from dataclasses import replace

import pytest

from comity.mechanisms.voting.independence.log import VoteLog, vote_log
from comity.mechanisms.voting.independence.rules import ReportRules
from comity.mechanisms.voting.independence.with_truth import WithTruth, with_truth
from comity.mechanisms.voting.independence.without_truth import (
    WithoutTruth,
    fitted_model,
    without_truth,
)
from comity.mechanisms.voting.independence.wording import headline, sentences, warnings_of

QUICK = ReportRules(resamples=0)
ITEMS = [f"{at:02d}" for at in range(40)]
TRUTH = {item: "xy"[at % 2] for at, item in enumerate(ITEMS)}


def erring(*wrong: int) -> dict[str, str]:
    return {item: "xy"[one == "x"] if int(item) in wrong else one for item, one in TRUTH.items()}


def told(log: VoteLog, rules: ReportRules = QUICK) -> tuple[WithTruth, WithoutTruth]:
    return with_truth(log, rules=rules), without_truth(log, fitted_model(log), rules=rules)


ROWS = {"a": erring(1, 2, 3), "b": erring(1, 2, 9), "c": erring(2, 5, 7, 8)}


def test_v9_the_headline_counts_the_panel() -> None:
    log = vote_log(ROWS, truth=TRUTH)
    known, alone = told(log)
    assert headline(log, known, alone) == f"3 voters, counting as {known.panel.counting_as:.1f}"
    assert headline(log, known, alone, "majority").endswith(
        "; worthless if the truth is their own majority"
    )
    assert headline(log, None, alone).startswith("3 voters, agreement 0.")


def test_v9_the_headline_tells_the_panel_without_constant_voters() -> None:
    log = vote_log({**ROWS, "z": dict.fromkeys(ITEMS, "x")}, truth=TRUTH)
    known, alone = told(log)
    assert "; without constant voters 3, counting as " in headline(log, known, alone)
    two = vote_log({"a": ROWS["a"], "z": dict.fromkeys(ITEMS, "x")}, truth=TRUTH)
    assert headline(two, *told(two)).startswith("2 voters, counting as ")


def test_a_headline_without_a_number_says_why() -> None:
    right = vote_log({"a": TRUTH, "b": TRUTH}, truth=TRUTH)
    assert headline(right, *told(right)).endswith("cannot be told: no correlation is defined")
    one = vote_log({"a": {"1": "x"}})
    assert headline(one, None, without_truth(one, "")) == (
        "1 voter, agreement not defined; as how many they count needs the truth"
    )


def test_v9_constant_voters_without_a_defined_rest_are_left_out_of_the_headline() -> None:
    log = vote_log({"a": TRUTH, "b": erring(1), "z": dict.fromkeys(ITEMS, "x")}, truth=TRUTH)
    known, alone = told(log)
    assert known.without_constant is not None
    assert known.without_constant.counting_as is None
    assert "without constant" not in headline(log, known, alone)


def test_v9_the_sentences_give_the_figures() -> None:
    log = vote_log(ROWS, truth=TRUTH)
    known, alone = told(log, ReportRules(resamples=100))
    text = "\n".join(sentences(known, alone))
    assert "Mean correlation of errors 0." in text
    assert "(95 %: " in text
    assert "Chance alone, within each true class, gives " in text
    assert "The majority is right on 95.0%; independent voters of these accuracies" in text
    assert "independent voters would reach." in text
    assert "Agreement (Krippendorff's alpha, nominal) is 0." in text
    assert text.endswith("Tetrads need four informative voters; this log has 3.")


def test_figures_that_are_not_defined_are_not_told() -> None:
    log = vote_log({"a": {"1": "x"}}, truth={"1": "y"})
    known, alone = told(log)
    assert sentences(known, alone)[0].startswith("The majority is right on 0.0%")
    empty = replace(known.majority, observed=None)
    assert sentences(replace(known, majority=empty), alone) == (
        "Dawid-Skene needs 3 voters; this log has 1.",
        "Tetrads need two options; this log has 2."
        if len(log.options) != 2
        else "Tetrads need four informative voters; this log has 0.",
    )


def test_v9_the_same_wrong_answer_is_told() -> None:
    truth = dict.fromkeys("123", "x")
    log = vote_log(
        {"a": dict.fromkeys("123", "y"), "b": {"1": "y", "2": "z", "3": "x"}}, truth=truth
    )
    assert (
        "Two voters that are both wrong say the same in 50.0%; chance gives 50.0%."
        in sentences(*told(log))
    )


def test_v9_clones_and_runs_are_told() -> None:
    rows = {"a": ROWS["a"], "b": ROWS["a"], "c": ROWS["c"], "d": {"00": "x"}, "e": {"00": "x"}}
    log = vote_log(rows, runs_of={"a": "m", "c": "m", "d": "n", "e": "n"})
    text = sentences(None, without_truth(log, "", rules=QUICK))
    assert "a and b answer so alike that they count as one." in text
    assert any(line.startswith("2 runs of m count as 1.") for line in text)
    assert not any("runs of n" in line for line in text)


def warned(log: VoteLog, rules: ReportRules = QUICK, own: str = "") -> list[str]:
    known, alone = told(log, rules)
    return list(warnings_of(log, known, alone, rules, own))


def test_nothing_to_warn_about() -> None:
    assert warned(vote_log(ROWS, truth=TRUTH)) == []


def test_v9_the_gravest_warning_comes_first() -> None:
    log = vote_log({**ROWS, "z": dict.fromkeys(ITEMS, "x")}, truth=TRUTH)
    found = warned(log, own="majority")
    assert found[0].startswith("The truth equals the panel's own majority on every item.")
    assert found[1].startswith("z answers as if it did not look (Youden's J 0.00)")


@pytest.mark.parametrize(
    ("rows", "start"),
    [
        ({"a": erring(1, 2), "b": erring(3, 4)}, "The mean correlation is negative (-0.053)."),
        ({"a": TRUTH, "b": erring(3)}, "1 pair has no defined correlation"),
        ({"a": TRUTH, "b": TRUTH, "c": TRUTH}, "3 pairs have no defined correlation"),
    ],
)
def test_v9_odd_correlations_are_warned_about(rows: dict[str, dict[str, str]], start: str) -> None:
    (found,) = [one for one in warned(vote_log(rows, truth=TRUTH)) if "clones" not in one]
    assert found.startswith(start)


def test_v9_few_items_are_reported_and_not_dropped() -> None:
    short = {voter: {item: row[item] for item in ITEMS[:10]} for voter, row in ROWS.items()}
    found = warned(vote_log(short, truth=dict(list(TRUTH.items())[:10])))
    assert found[0] == (
        "Few items: no pair shares more than 10, and 30 are wanted: the figures are rough."
    )
    one_short = {**ROWS, "c": {item: ROWS["c"][item] for item in ITEMS[:10]}}
    assert "Few items: 2 pairs share fewer than 30 and do not count." in warned(
        vote_log(one_short, truth=TRUTH)
    )
    half = {**one_short, "b": {item: ROWS["b"][item] for item in ITEMS[:35]}}
    rules = ReportRules(resamples=0, min_shared=36)
    assert any("Few items: no pair" in one for one in warned(vote_log(half, truth=TRUTH), rules))
    two = {"a": ROWS["a"], "b": ROWS["b"], "c": {**ROWS["c"]}}
    two["c"] = {item: two["c"][item] for item in ITEMS[:32]}
    two["b"] = {item: two["b"][item] for item in ITEMS[4:]}
    assert "Few items: 1 pair shares fewer than 30 and do not count." in warned(
        vote_log(two, truth=TRUTH), ReportRules(resamples=0)
    )


def test_items_without_truth_are_counted() -> None:
    log = vote_log(ROWS, truth={item: TRUTH[item] for item in ITEMS[:35]})
    assert "5 of 40 items have no truth and were left out." in warned(log)


def test_missing_intervals_are_told_when_they_were_wanted() -> None:
    log = vote_log(ROWS, truth=TRUTH)
    known, alone = told(log)
    rules = ReportRules()
    assert warnings_of(log, known, alone, rules) == (
        "The log is too large, or too small, to be resampled: no intervals.",
    )


def test_v9_without_truth_agreement_is_not_independence() -> None:
    rows = {"a": ROWS["a"], "b": ROWS["a"], "c": ROWS["c"]}
    log = vote_log(rows)
    alone = without_truth(log, fitted_model(log), rules=QUICK)
    first, second = warnings_of(log, None, alone, QUICK)
    assert first.startswith("No truth: agreement is not independence.")
    assert second.startswith("Dawid-Skene takes near-clones (a and b) for good voters")
    assert alone.model is not None
    unsure = replace(alone, clones=(), model=replace(alone.model, is_converged=False))
    assert warnings_of(log, None, unsure, QUICK)[1] == "Dawid-Skene has not converged."
