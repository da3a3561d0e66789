"""Calibration: claimed against realised gain (D3)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.sharing.calibration import calibrate, exploration_floor
from comity.mechanisms.sharing.divide import share
from comity.mechanisms.sharing.results import BudgetAllocation


def test_d3_the_ratio_is_shrunk_to_1_and_follows_the_record() -> None:
    ratios = [calibrate({"c": [(100, 25)] * periods})[0].ratio for periods in (0, 1, 2, 6, 100)]
    assert ratios == [1, Fraction(3, 4), Fraction(5, 8), Fraction(7, 16), Fraction(9, 34)]
    assert [one < Fraction(1, 2) for one in ratios] == [False, False, False, True, True]
    told = calibrate({"c": [(100, 25)] * 6})[0]
    assert (told.flagged, told.raw, told.claimed, told.realised) == (
        True, Fraction(1, 4), 600, 150,
    )  # fmt: skip


def test_more_than_was_claimed_counts_too_and_a_loss_counts_as_nothing() -> None:
    assert calibrate({"a": [(100, 200), (100, 200)]})[0].ratio == Fraction(3, 2)
    lost = calibrate({"a": [(100, -300)]})[0]
    assert (lost.raw, lost.ratio) == (-3, Fraction(2, 3))
    assert calibrate({"a": [(0, 50)]})[0].raw is None
    assert calibrate({"a": [(5, 1)]}, strength=0)[0].ratio == Fraction(1, 5)
    assert [one.agent for one in calibrate({"b": [], "a": []})] == ["a", "b"]


def test_d3_a_claim_that_was_twice_too_high_is_cut_back() -> None:
    curves = {"a": [[4000, 2], [4000, 1]], "c": [[2000, 5], [3000, "2.4"]]}
    history = {"a": [(8000, 8000)] * 9, "c": [(10000, 5000)] * 20}
    ratios = {one.agent: one.ratio for one in calibrate(history)}
    before = share(6000, curves, objective="utilitarian")
    after = share(6000, curves, objective="utilitarian", ratios=ratios)
    assert isinstance(before, BudgetAllocation)
    assert isinstance(after, BudgetAllocation)
    assert (before.allocation["c"], after.allocation["c"]) == (5000, 2000)


def test_d3_the_floor_lets_everybody_prove_itself() -> None:
    assert exploration_floor(12000, 3) == 200
    assert exploration_floor("100.00", 7, part="1/10", quantum="0.01") == Fraction(142, 100)
    assert exploration_floor(5, 3, part=0) == 0


@pytest.mark.parametrize("name", ["x" * 200, "team/agent: 1 (eu)", "ü·"])
def test_d3_agents_have_the_names_that_claims_logs_have(name: str) -> None:
    assert calibrate({name: [(100, 25)]})[0].agent == name


@pytest.mark.parametrize("name", ["x" * 201, "", " a", "a\nb", 7])
def test_g7_a_name_that_is_none_is_refused(name: Any) -> None:
    with pytest.raises(InvalidInput, match="1 to 200 printable characters"):
        calibrate({name: []})


@pytest.mark.parametrize(
    ("history", "options", "faults"),
    [
        ({"a": 5}, {}, 1),
        ({"a": [5, (1,), (1, 2, 3)]}, {}, 3),
        ({"a": [(-1, float("nan")), (True, "x")]}, {}, 4),
        ({"": []}, {"strength": -1, "flag_below": "x"}, 3),
    ],
)
def test_what_is_no_history_is_refused(history: Any, options: Any, faults: int) -> None:
    with pytest.raises(InvalidInput) as caught:
        calibrate(history, **options)
    assert len(caught.value.faults) == faults


def test_what_is_no_floor_is_refused() -> None:
    for given in (
        (-1, 3, {}),
        (5, 0, {}),
        (5, True, {}),
        (5, 3, {"part": 2}),
        (5, 3, {"quantum": 0}),
    ):
        with pytest.raises(InvalidInput) as caught:
            exploration_floor(given[0], given[1], **given[2])
        assert len(caught.value.faults) == 1
