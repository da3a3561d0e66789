"""Independence against known figures: is what others measured and published found again?

Here: the hand example, 400 trajectories judged by five judges, the three traps, Dawid and Skene's
45 patients.
Not here: laws for any log (tests/properties/test_independence_laws.py).
Sources: SEMANTICS V9; data/voting/README.md; Dawid and Skene 1979.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from comity.formats.vote_log import read_vote_log
from comity.mechanisms.voting.independence import (
    EmRules,
    IndependenceReport,
    ReportRules,
    VoteLog,
    dawid_skene,
    independence,
    tetrads,
    vote_log,
)
from comity.mechanisms.voting.independence.with_truth import WithTruth

NeedData = Callable[[str], Path]
CONSTANT = "step:llama3.1:8b"
CLONES = ("selfcons3:qwen2.5:14b", "step:qwen2.5:14b")
QUICK = ReportRules(resamples=0)


# --- by hand ---------------------------------------------------------------------------------


def hand_log() -> VoteLog:
    errors = {"A": {1, 2, 3}, "B": {1, 2, 3}, "C": {1, 2, 4}}
    rows = [
        (str(item), voter, "no" if item in wrong else "yes")
        for voter, wrong in errors.items()
        for item in range(1, 11)
    ]
    return vote_log(rows, truth={str(item): "yes" for item in range(1, 11)})


def test_v9_the_hand_example() -> None:
    known = independence(hand_log(), rules=QUICK).with_truth
    assert known is not None
    assert [one.phi for one in known.pairs] == pytest.approx([1.0, 0.5238, 0.5238], abs=5e-5)
    assert known.panel.rho == pytest.approx(0.6825, abs=5e-5)
    assert known.panel.n_eff == pytest.approx(1.268, abs=5e-4)
    assert known.majority.observed == pytest.approx(0.700)
    assert known.majority.independent == pytest.approx(0.784)


def test_v9_the_hand_example_with_weights() -> None:
    report = independence(hand_log(), weights={"A": 2, "B": 1, "C": 1}, rules=QUICK)
    assert report.n_eff == pytest.approx(1.217, abs=5e-4)


# --- five judges -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def judges(need_data: NeedData) -> VoteLog:
    path = need_data("voting/llm-judges-trajectory-400x5.csv")
    return read_vote_log(path.read_text("utf-8"), whose=path.name)


@pytest.fixture(scope="module")
def report(judges: VoteLog) -> IndependenceReport:
    return independence(judges, rules=ReportRules(resamples=2000))


@pytest.fixture(scope="module")
def known(report: IndependenceReport) -> WithTruth:
    assert report.with_truth is not None
    return report.with_truth


def test_v9_the_judges_accuracies(known: WithTruth) -> None:
    assert {one.voter: one.accuracy for one in known.voters} == {
        "programmatic": 0.75,
        "outcome:qwen2.5:14b": 0.6275,
        "step:qwen2.5:14b": 0.8925,
        CONSTANT: 0.7425,
        "selfcons3:qwen2.5:14b": 0.88,
    }


def test_v9_five_judges_count_as_three(report: IndependenceReport, known: WithTruth) -> None:
    assert known.panel.rho == pytest.approx(0.167, abs=5e-4)
    assert known.panel.n_eff == pytest.approx(3.00, abs=0.005)
    assert known.intervals is not None
    assert known.intervals.rho == pytest.approx((0.134, 0.200), abs=0.003)
    assert known.intervals.n_eff == pytest.approx((2.78, 3.26), abs=0.03)
    assert report.headline == (
        "5 voters, counting as 3.0; without constant voters 4, counting as 1.8"
    )


def test_v9_their_errors_are_far_beyond_chance(known: WithTruth) -> None:
    assert known.null is not None
    assert known.null.mean == pytest.approx(-0.056, abs=0.002)
    assert known.null.deviation == pytest.approx(0.013, abs=0.001)
    assert known.null.p == pytest.approx(0.0005, abs=5e-5)


def test_v9_their_majority_falls_short(known: WithTruth) -> None:
    won = known.majority
    assert won.observed == pytest.approx(0.8975)
    assert won.independent == pytest.approx(0.9313, abs=5e-5)
    assert won.best == pytest.approx(0.8925)
    assert won.implied == pytest.approx(3.9, abs=0.05)


def test_v9_trap_1_a_constant_judge_hides_the_problem(known: WithTruth) -> None:
    (record,) = [one for one in known.voters if one.is_constant]
    assert record.voter == CONSTANT
    assert record.youden == pytest.approx(-0.01)
    rest = known.without_constant
    assert rest is not None
    assert rest.rho == pytest.approx(0.410, abs=5e-4)
    assert rest.n_eff == pytest.approx(1.80, abs=0.01)
    assert rest.voters == 4


def test_v9_trap_2_the_panels_own_labels_see_nothing(judges: VoteLog) -> None:
    four = judges.without([CONSTANT])
    for log, against_majority, against_model in (
        (judges, (-0.013,), (-0.032,)),
        (four, (0.036, 0.046), (0.009,)),
    ):
        votes: dict[str, Counter[str]] = {}
        for item, _, answer in log.rows():
            votes.setdefault(item, Counter())[str(answer)] += 1
        for side in log.options:  # the two ways to break the four judges' ties
            own = {
                item: side if len(set(counted.values())) == 1 < len(counted) else
                counted.most_common(1)[0][0]
                for item, counted in votes.items()
            }  # fmt: skip
            found = independence(log, truth=own, rules=QUICK)
            assert found.with_truth is not None
            assert min(abs(found.with_truth.panel.rho - one) for one in against_majority) < 6e-4
            assert found.warnings[0].startswith("The truth equals the panel's own majority")
        model = dawid_skene(log)
        labels = {item: str(one) for item, one in zip(model.items, model.labels, strict=True)}
        found = independence(log, truth=labels, rules=QUICK)
        assert found.with_truth is not None
        assert found.with_truth.panel.rho == pytest.approx(against_model[0], abs=6e-4)
        assert found.warnings[0].startswith("The truth equals the panel's own ")


def test_v9_trap_3_the_model_takes_the_clones_for_the_truth(
    judges: VoteLog, report: IndependenceReport
) -> None:
    model = dawid_skene(judges)
    assert model.classes == ("clean", "faulty")
    assert model.shares[1] == pytest.approx(0.645, abs=1e-3)
    told = {one.voter: one.confusion[1][1] for one in model.voters}
    assert told["step:qwen2.5:14b"] == pytest.approx(0.995, abs=1e-3)
    assert told["selfcons3:qwen2.5:14b"] == pytest.approx(0.980, abs=1e-3)
    right = sum(one == truth for one, truth in zip(model.labels, judges.truth or (), strict=True))
    assert right / 400 == pytest.approx(0.895)
    assert report.without_truth.clones == (CLONES,)
    assert any("near-clones" in one for one in report.warnings)


def test_v9_the_tetrads_find_dependence_without_the_truth(
    judges: VoteLog, report: IndependenceReport, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = report.without_truth.tetrads
    assert found.uninformative == (CONSTANT,)
    (four,) = found.quadruples
    assert four.differences[:2] == pytest.approx((0.144, 0.131), abs=5e-4)
    assert found.named is None
    assert " and ".join(CLONES) in found.says
    monkeypatch.setattr(tetrads, "MOST_SHARE", 1.0)
    every = tetrads.tetrads(judges, resamples=0).quadruples
    others = [one for one in every if CONSTANT in one.voters]
    assert len(others) == 4
    assert round(max(abs(one) for four in others for one in four.differences), 3) <= 0.008


def test_v9_the_judges_agreement(report: IndependenceReport, known: WithTruth) -> None:
    assert report.without_truth.alpha == pytest.approx(0.306, abs=5e-4)
    (pair,) = [one for one in known.pairs if (one.first, one.second) == CLONES]
    assert pair.phi == pytest.approx(0.915, abs=5e-4)


# --- Dawid and Skene's patients --------------------------------------------------------------


@pytest.fixture(scope="module")
def patients(need_data: NeedData) -> VoteLog:
    path = need_data("voting/dawid-skene-1979-anaesthetists.csv")
    return read_vote_log(path.read_text("utf-8"), whose=path.name)


def test_v9_the_patients_have_one_anaesthetist_three_times(patients: VoteLog) -> None:
    assert len(patients.items) == 45
    assert patients.voters == ("1 run 1", "1 run 2", "1 run 3", "2", "3", "4", "5")
    assert patients.runs_of == ("1", "1", "1", "2", "3", "4", "5")


def test_v9_dawid_and_skenes_published_fit(patients: VoteLog) -> None:
    model = dawid_skene(patients, rules=EmRules(starts=1, smoothing=1e-6))
    assert model.shares == pytest.approx((0.400, 0.422, 0.111, 0.067), abs=1e-3)
    labels = dict(zip(model.items, model.labels, strict=True))
    assert [labels[patient] for patient in ("2", "12", "36")] == ["4", "3", "4"]
    assert model.is_converged


def test_v9_another_start_fits_the_patients_better_than_what_was_published(
    patients: VoteLog,
) -> None:
    published = dawid_skene(patients, rules=EmRules(starts=1, smoothing=1e-6))
    better = dawid_skene(patients, rules=EmRules(smoothing=1e-6))
    assert published.log_likelihood == pytest.approx(-192.89, abs=0.01)
    assert better.log_likelihood == pytest.approx(-191.57, abs=0.01)
    assert dict(zip(better.items, better.labels, strict=True))["12"] == "2"
