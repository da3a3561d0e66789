"""With truth: does everything come together?"""

from __future__ import annotations

import pytest

from comity.mechanisms.voting.independence import with_truth as module
from comity.mechanisms.voting.independence.log import VoteLog, vote_log
from comity.mechanisms.voting.independence.rules import ReportRules
from comity.mechanisms.voting.independence.with_truth import with_truth

QUICK = ReportRules(resamples=0)


def hand_log(**named: object) -> VoteLog:
    errors = {"A": {1, 2, 3}, "B": {1, 2, 3}, "C": {1, 2, 4}}
    rows = [
        (str(item), voter, "no" if item in wrong else "yes")
        for voter, wrong in errors.items()
        for item in range(1, 11)
    ]
    return vote_log(rows, truth={str(item): "yes" for item in range(1, 11)}, **named)


def test_v9_the_hand_example() -> None:
    found = with_truth(hand_log(), rules=QUICK)
    assert found.items == 10
    assert [one.accuracy for one in found.voters] == [0.7, 0.7, 0.7]
    assert found.panel.rho == pytest.approx(0.6825, abs=0.0001)
    assert found.panel.n_eff == pytest.approx(1.268, abs=0.0005)
    assert found.majority.observed == pytest.approx(0.7)
    assert found.majority.independent == pytest.approx(0.784)
    assert found.majority.difference == pytest.approx(-0.084)
    assert found.majority.implied == pytest.approx(1.0)
    assert (found.constant, found.without_constant) == ((), None)
    assert (found.intervals, found.null, found.same_wrong) == (None, None, None)


def test_v9_weights_two_one_one_count_as_1_217() -> None:
    found = with_truth(hand_log(weights={"A": 2}), rules=QUICK)
    assert found.panel.n_eff == pytest.approx(1.217, abs=0.0005)


def test_v9_each_voter_is_left_out_once() -> None:
    found = with_truth(hand_log(), rules=QUICK)
    left = {one.voter: one for one in found.left_out}
    assert list(left) == ["A", "B", "C"]
    assert left["C"].rho == pytest.approx(1.0)
    assert left["C"].counting_as == pytest.approx(1.0)
    assert left["C"].counting_change == pytest.approx(1.0 - found.panel.counting_as)
    assert left["C"].rho_change == pytest.approx(1.0 - found.panel.rho)
    assert left["A"].majority == pytest.approx(0.7)
    assert left["A"].majority_change == pytest.approx(0.0)


def test_leaving_out_is_for_panels_of_three_to_a_hundred(monkeypatch: pytest.MonkeyPatch) -> None:
    assert with_truth(hand_log().without(["A"]), rules=QUICK).left_out == ()
    monkeypatch.setattr(module, "MOST_LEFT_OUT", 2)
    assert with_truth(hand_log(), rules=QUICK).left_out == ()


def test_a_change_against_nothing_is_none() -> None:
    truth = {str(at): "x" for at in range(4)}
    rows = {"a": truth, "b": {**truth, "0": "y"}, "c": truth}
    found = with_truth(vote_log(rows, truth=truth), rules=QUICK)
    assert found.panel.rho is None
    assert [one.rho_change for one in found.left_out] == [None, None, None]


def test_v9_constant_voters_are_flagged_and_the_panel_is_told_without_them() -> None:
    truth = {f"{at:02d}": "x" if at < 30 else "y" for at in range(40)}
    items = list(truth)
    wrong = {"a": items[:5] + items[30:33], "b": items[2:8] + items[30:32]}
    rows = {
        name: {item: ("y" if truth[item] == "x" else "x") if item in bad else truth[item]
               for item in items}
        for name, bad in wrong.items()
    }  # fmt: skip
    rows["c"] = dict.fromkeys(items, "x")
    found = with_truth(vote_log(rows, truth=truth), rules=QUICK)
    assert found.constant == ("c",)
    assert found.without_constant is not None
    assert found.without_constant.voters == 2
    (pair,) = [one for one in found.pairs if "c" not in (one.first, one.second)]
    assert found.without_constant.rho == pair.phi
    assert [one.label for one in found.classes] == ["x", "y"]
    assert [one.items for one in found.classes] == [30, 10]
    assert found.classes[0].rho != found.panel.rho


def test_a_panel_of_constant_voters_only_has_no_rest() -> None:
    truth = {"1": "x", "2": "y"}
    rows = {one: dict.fromkeys(truth, "x") for one in "ab"}
    found = with_truth(vote_log(rows, truth=truth), rules=QUICK)
    assert (found.constant, found.without_constant) == (("a", "b"), None)


def test_v9_the_same_wrong_answer_over_all_pairs() -> None:
    truth = dict.fromkeys("1234", "x")
    rows = {
        "a": {"1": "y", "2": "y", "3": "z", "4": "x"},
        "b": {"1": "y", "2": "z", "3": "z", "4": "y"},
        "c": truth,
    }
    found = with_truth(vote_log(rows, truth=truth), rules=QUICK).same_wrong
    assert found is not None
    assert (found.both_wrong, found.same, found.chance) == (3, 2, 0.5)
    assert found.share == pytest.approx(2 / 3)
    right = vote_log({"a": truth, "b": truth}, truth=truth, options=["x", "y", "z"])
    assert with_truth(right, rules=QUICK).same_wrong is None


def test_g3_resamples_are_those_of_the_seed() -> None:
    log = hand_log()
    few = ReportRules(resamples=100)
    one, other = with_truth(log, seed="1", rules=few), with_truth(log, seed="2", rules=few)
    assert one == with_truth(log, seed="1", rules=few)
    assert one.intervals != other.intervals
    assert one.panel == other.panel
    assert with_truth(log).intervals.resamples == 1000
