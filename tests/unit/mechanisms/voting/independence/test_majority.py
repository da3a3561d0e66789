"""Majority: observed, independent, implied."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import comb, prod

import pytest

from comity.mechanisms.voting.independence import majority
from comity.mechanisms.voting.independence.log import vote_log
from comity.mechanisms.voting.independence.majority import (
    implied_voters,
    independent_accuracy,
    majority_record,
)


def brute(accuracies: list[float], weights: list[int]) -> float:
    total = 0.0
    for rights in product((0, 1), repeat=len(accuracies)):
        chance = prod(p if right else 1 - p for p, right in zip(accuracies, rights, strict=True))
        won = 2 * sum(w for w, right in zip(weights, rights, strict=True) if right)
        total += chance * (0.5 if won == sum(weights) else float(won > sum(weights)))
    return total


@pytest.mark.parametrize(
    ("accuracies", "weights"),
    [
        ([0.7, 0.7, 0.7], [1, 1, 1]),
        ([0.9, 0.6], [1, 1]),
        ([0.9, 0.6, 0.55, 0.8], [3, 1, 1, 1]),
        ([0.2, 1.0, 0.0, 0.5, 0.75], [2, 2, 1, 1, 4]),
        ([0.6], [5]),
    ],
)
def test_v9_the_exact_null_equals_all_outcomes_counted(
    accuracies: list[float], weights: list[int]
) -> None:
    assert independent_accuracy(accuracies, weights) == pytest.approx(brute(accuracies, weights))


def test_v9_the_hand_example_is_0_784_independent() -> None:
    assert independent_accuracy([0.7] * 3) == pytest.approx(0.784)


def test_weights_with_too_many_sums_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(majority, "_MOST_SUMS", 4)
    assert independent_accuracy([0.6] * 3, [1, 2, 4]) is None
    log = vote_log({one: {"1": "x"} for one in "abc"}, truth={"1": "x"}, weights={"b": 2, "c": 4})
    record = majority_record(log, [1.0, 1.0, 1.0])
    assert (record.independent, record.difference) == (None, None)


def test_v9_an_even_split_is_half_a_win_and_weights_are_exact() -> None:
    rows = {"a": {"1": "x"}, "b": {"1": "y"}, "c": {"1": "y"}}
    thirds = {"a": Fraction(2, 3), "b": Fraction(1, 3), "c": Fraction(1, 3)}
    decimals = {"a": Decimal("0.3"), "b": Decimal("0.1"), "c": Decimal("0.2")}
    heavy = {"a": Fraction(5, 3), "b": Fraction(2, 3), "c": Fraction(2, 3)}
    cases = ((thirds, 0.5), (decimals, 0.5), ({"a": 3}, 1.0), ({}, 0.0), (heavy, 1.0))
    for weights, won in cases:
        log = vote_log(rows, truth={"1": "x"}, weights=weights)
        assert majority_record(log, [1.0, 0.0, 0.0]).observed == won


def test_v9_the_implied_number_is_that_of_the_mean_accuracy() -> None:
    """0.8 each, right together on 9 of 10; three independent ones would be on 0.896."""
    items = range(10)
    rows = {
        name: {str(item): "y" if item in bad else "x" for item in items}
        for name, bad in (("a", {1, 2}), ("b", {1, 3}), ("c", {4, 5}))
    }
    log = vote_log(rows, truth={str(item): "x" for item in items})
    record = majority_record(log, [0.8, 0.8, 0.8])
    assert record.observed == pytest.approx(0.9)
    assert record.implied == pytest.approx(3 + 2 * (0.9 - 0.896) / (0.94208 - 0.896))


def test_only_those_who_answered_make_the_majority() -> None:
    rows = {"a": {"1": "x", "2": "y", "3": None}, "b": {"1": None, "2": "x"}}
    log = vote_log(rows, truth={"1": "x", "2": "x", "3": "x"})
    record = majority_record(log, [0.5, 1.0])
    assert (record.items, record.observed, record.best) == (2, 0.75, 1.0)
    assert record.independent == pytest.approx((0.5 + 0.75) / 2)
    assert record.difference == pytest.approx(0.75 - 0.625)


def test_without_answers_there_is_no_majority() -> None:
    record = majority_record(vote_log([("1", "a", None)], truth={"1": "x"}), [None])
    assert (record.items, record.observed, record.implied) == (0, None, None)
    assert majority_record(vote_log([("1", "a", "x")]), [None]).items == 0


@pytest.mark.parametrize("voters", [1, 3, 5, 7, 15])
def test_v9_the_implied_number_of_independent_voters_is_their_number(voters: int) -> None:
    for p in (0.55, 0.7, 0.9):
        won = sum(
            comb(voters, k) * p**k * (1 - p) ** (voters - k)
            for k in range(voters // 2 + 1, voters + 1)
        )
        assert implied_voters(p, won) == pytest.approx(voters, abs=1e-6)


def test_v9_the_implied_number_has_its_ends() -> None:
    assert implied_voters(0.5, 0.9) is None
    assert implied_voters(0.7, 0.2) == 1.0
    assert implied_voters(0.51, 1.0) is None
    assert implied_voters(1.0, 1.0) == 1.0
    assert implied_voters(0.7785, 0.8975) == pytest.approx(3.93, abs=0.02)
