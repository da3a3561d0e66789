"""Independence laws: what holds for every log, whatever it says?

Here: order and names mean nothing, weights are copies, bounds, the JSON round trip, numpy and
plain Python alike, the same bytes under every hash seed.
Not here: known figures (tests/oracles/test_independence_data.py).
Sources: SEMANTICS V9, G3, G5; ARCHITECTURE contract 4.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec
from math import isfinite
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comity.mechanisms.voting.independence import (
    IndependenceReport,
    ReportRules,
    VoteLog,
    clipped,
    effective_voters,
    em,
    independence,
    vote_log,
)
from comity.mechanisms.voting.independence.em import EmRules, dawid_skene_codes
from comity.mechanisms.voting.independence.log import Row
from comity.mechanisms.voting.independence.majority import independent_accuracy
from comity.mechanisms.voting.independence.with_truth import with_truth

QUICK = ReportRules(resamples=0)
FEW = ReportRules(resamples=10)
OPTIONS = ("x", "y", "z")
VOTERS = ("a", "b", "c", "d", "e")
Drawn = tuple[list[Row], dict[str, str]]


@st.composite
def logs(draw: st.DrawFn, options: int = 3, gaps: bool = True) -> Drawn:
    """Return rows of a panel and the truth; voters are right about two times of three."""
    items = [f"{at:02d}" for at in range(draw(st.integers(1, 14)))]
    voters = VOTERS[: draw(st.integers(1, len(VOTERS)))]
    known = OPTIONS[:options]
    truth = {item: draw(st.sampled_from(known)) for item in items}
    rows: list[Row] = []
    for item in items:
        for voter in voters:
            answer = draw(st.sampled_from([truth[item], *known, *([None] if gaps else [])]))
            rows.append((item, voter, answer))
    return rows, truth


def report_of(drawn: Drawn, resamples: int = 0) -> IndependenceReport:
    rules = ReportRules(resamples=resamples)
    return independence(vote_log(drawn[0], options=OPTIONS, truth=drawn[1]), rules=rules)


@given(logs(), st.randoms(use_true_random=False))
def test_law_the_order_of_items_and_voters_means_nothing(drawn: Drawn, chance: object) -> None:
    rows, truth = drawn
    mixed, told = list(rows), list(truth.items())
    chance.shuffle(mixed)
    chance.shuffle(told)
    assert report_of((mixed, dict(told)), 10) == report_of(drawn, 10)


def renamed(drawn: Drawn, names: dict[str, str]) -> VoteLog:
    rows = [(item, voter, names.get(answer or "")) for item, voter, answer in drawn[0]]
    truth = {item: names[label] for item, label in drawn[1].items()}
    return vote_log(rows, options=list(names.values()), truth=truth)


@given(logs(), st.permutations(["p", "q", "r"]))
def test_law_the_names_of_the_answers_mean_nothing(drawn: Drawn, names: list[str]) -> None:
    one = with_truth(renamed(drawn, dict(zip(OPTIONS, OPTIONS, strict=True))), rules=FEW)
    other = with_truth(renamed(drawn, dict(zip(OPTIONS, names, strict=True))), rules=FEW)
    nothing = {"voters": (), "classes": ()}
    assert replace(one, **nothing) == replace(other, **nothing)
    for mine, theirs in zip(one.voters, other.voters, strict=True):
        assert replace(mine, confusion=()) == replace(theirs, confusion=())
    back = dict(zip(names, OPTIONS, strict=True))
    classes = [replace(found, label=back[found.label]) for found in other.classes]
    assert sorted(classes, key=lambda found: found.label) == list(one.classes)


@given(logs())
def test_law_a_renamed_voter_keeps_its_figures(drawn: Drawn) -> None:
    """Names in the other order: every figure that has no order stays."""
    turned = [(item, VOTERS[-1 - VOTERS.index(voter)], answer) for item, voter, answer in drawn[0]]
    one = with_truth(vote_log(drawn[0], options=OPTIONS, truth=drawn[1]), rules=QUICK)
    other = with_truth(vote_log(turned, options=OPTIONS, truth=drawn[1]), rules=QUICK)
    assert one.panel.rho == pytest.approx(other.panel.rho, abs=1e-12)
    assert one.panel.n_eff == pytest.approx(other.panel.n_eff, abs=1e-9)
    assert one.majority.observed == other.majority.observed
    assert one.majority.independent == pytest.approx(other.majority.independent, abs=1e-12)
    figures = [(found.correct, found.answered, found.youden) for found in one.voters]
    assert figures[::-1] == [
        (found.correct, found.answered, found.youden) for found in other.voters
    ]


@st.composite
def correlations(draw: st.DrawFn) -> list[list[float]]:
    """Return a correlation matrix: that of random vectors."""
    count = draw(st.integers(2, 5))
    vectors = [
        draw(st.lists(st.integers(-9, 9), min_size=6, max_size=6).filter(any))
        for _ in range(count)
    ]
    sizes = [sum(one * one for one in vector) ** 0.5 for vector in vectors]
    return [
        [
            1.0 if i == j else max(-1.0, min(1.0, sum(map(mul, a, b)) / (sizes[i] * sizes[j])))
            for j, b in enumerate(vectors)
        ]
        for i, a in enumerate(vectors)
    ]


def mul(one: int, other: int) -> int:
    return one * other


@given(correlations(), st.integers(2, 4))
def test_law_weight_k_is_k_copies(matrix: list[list[float]], k: int) -> None:
    """A voter of weight k counts as k voters that always err together."""
    count = len(matrix)
    weighted = effective_voters([k, *([1] * (count - 1))], matrix)
    source = [0] * k + list(range(1, count))
    copied = [[matrix[i][j] for j in source] for i in source]
    copies = effective_voters(len(source), copied)
    assert clipped(weighted, count) == pytest.approx(clipped(copies, count), rel=1e-6)


@given(correlations(), st.integers(2, 1000))
def test_law_the_scale_of_the_weights_means_nothing(matrix: list[list[float]], k: int) -> None:
    weights = list(range(1, len(matrix) + 1))
    one = effective_voters(weights, matrix)
    other = effective_voters([k * weight for weight in weights], matrix)
    assert clipped(one, 5) == pytest.approx(clipped(other, 5), rel=1e-6)


@given(st.integers(1, 50), st.floats(0, 1))
def test_law_n_eff_lies_between_one_and_n_when_errors_go_together(count: int, rho: float) -> None:
    found = effective_voters(count, rho)
    assert 1 - 1e-9 <= found <= count + 1e-9
    assert found == pytest.approx(count / (1 + (count - 1) * rho))


@given(logs())
def test_law_every_figure_keeps_its_bounds(drawn: Drawn) -> None:
    report = report_of(drawn)
    known = report.with_truth
    assert known is not None
    if report.n_eff is not None:
        assert 1 <= report.n_eff <= len(report.voters)
        assert report.cautious_n_eff <= report.n_eff
    for pair in known.pairs:
        assert pair.phi is None or -1 - 1e-9 <= pair.phi <= 1 + 1e-9
        assert pair.both_wrong <= pair.shared
    for one in known.voters:
        assert 0 <= one.low <= (one.accuracy if one.accuracy is not None else 0.5) <= one.high <= 1
    for share in (known.majority.observed, known.majority.independent):
        assert share is None or 0 <= share <= 1 + 1e-9
    alpha = report.without_truth.alpha
    assert alpha is None or alpha <= 1


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_law_better_voters_make_a_better_majority(accuracies: list[float]) -> None:
    one = independent_accuracy(accuracies)
    better = independent_accuracy([min(1.0, share + 0.1) for share in accuracies])
    assert one is not None
    assert better is not None
    assert one <= better + 1e-12
    turned = independent_accuracy([1 - share for share in accuracies])
    assert turned == pytest.approx(1 - one, abs=1e-9)


@given(logs(), st.booleans())
def test_contract_4_every_report_survives_json(drawn: Drawn, told: bool) -> None:
    report = report_of((drawn[0], drawn[1] if told else {}), 10)
    written = json.loads(json.dumps(report.to_json(), allow_nan=False))
    assert IndependenceReport.from_json(written) == report
    assert IndependenceReport.from_json(written).to_json() == report.to_json()
    assert str(report)


@given(logs(options=2, gaps=False))
def test_law_copies_of_one_voter_count_as_one(drawn: Drawn) -> None:
    rows = [(item, name, answer) for item, voter, answer in drawn[0] if voter == "a"
            for name in ("a", "b", "c")]  # fmt: skip
    found = with_truth(vote_log(rows, options=OPTIONS, truth=drawn[1]), rules=QUICK)
    if found.panel.rho is not None:
        assert found.panel.rho == pytest.approx(1)
        assert found.panel.counting_as == pytest.approx(1)
    assert found.majority.observed == pytest.approx(found.voters[0].accuracy)


@pytest.mark.skipif(find_spec("numpy") is None, reason="numpy: not installed here")
@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3), st.integers(0, 2)), min_size=8),
    st.booleans(),
)
def test_law_numpy_and_plain_python_say_the_same(
    votes: list[tuple[int, int, int]],
    one_coin: bool,
) -> None:
    sure = [(10, 0, 0), (10, 1, 0), (10, 2, 0), (11, 0, 1), (11, 1, 1), (11, 2, 1)]
    columns = list(zip(*[*votes, *sure], strict=True))
    rules = EmRules(one_coin=one_coin, starts=2, most_iterations=40, tolerance=1e-12)
    plain = dawid_skene_codes(*columns, rules=rules)
    with mock.patch.object(em, "NUMPY_FROM", 0):
        fast = dawid_skene_codes(*columns, rules=rules)
    if plain.start != fast.start:  # two starts that fit equally well
        assert plain.log_likelihood == pytest.approx(fast.log_likelihood, rel=1e-9)
        return
    assert isfinite(fast.log_likelihood)
    for mine, theirs in ((plain.posteriors, fast.posteriors), (plain.confusion, fast.confusion)):
        for row, same in zip(mine, theirs, strict=True):
            assert row == pytest.approx(same, abs=1e-9)


PROGRAM = """
from comity.core.canonical import digest
from comity.mechanisms.voting.independence import independence, vote_log
rows = [(f"{i:02d}", v, "xyz"[(i * n + (i * i) % (n + 2)) % 3])
        for i in range(40) for n, v in enumerate(("a", "b", "c", "d"), 1)]
truth = {f"{i:02d}": "xyz"[i % 3] for i in range(40)}
report = independence(vote_log(rows, truth=truth), rules={"resamples": 100})
print(digest(report.to_json()))
"""


def test_g3_every_hash_seed_gives_the_same_bytes() -> None:
    said = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert len(said) == 1
