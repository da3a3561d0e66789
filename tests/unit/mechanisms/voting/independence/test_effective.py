"""Effective voters: the formula, its bounds, and what is refused."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import inf

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.voting.independence.effective import (
    clipped,
    effective_margin,
    effective_voters,
)

HAND = [[1.0, 1.0, 0.11 / 0.21], [1.0, 1.0, 0.11 / 0.21], [0.11 / 0.21, 0.11 / 0.21, 1.0]]


def faults_of(*args: object) -> list[str]:
    with pytest.raises(InvalidInput) as caught:
        effective_voters(*args)
    return [fault.whose for fault in caught.value.faults]


@pytest.mark.parametrize(("rho", "n_eff"), [(0.1, 5.0), (0.2, 3.46), (0.42, 2.06), (0.6, 1.55)])
def test_v9_the_table_of_nine_voters(rho: float, n_eff: float) -> None:
    assert effective_voters(9, rho) == pytest.approx(n_eff, abs=0.005)


def test_v9_the_hand_example_with_and_without_weights() -> None:
    assert effective_voters(3, HAND) == pytest.approx(1.268, abs=0.0005)
    assert effective_voters([2, 1, 1], HAND) == pytest.approx(1.217, abs=0.0005)
    assert effective_voters([2, 1, 1], 0) == pytest.approx(2.667, abs=0.0005)


def test_g5_exact_weights_of_every_kind_are_taken() -> None:
    both = effective_voters([Fraction(1, 2), Decimal("0.25")], 0.0)
    assert both == pytest.approx(effective_voters([2, 1], 0.0))


def test_one_voter_is_one_voter() -> None:
    assert effective_voters(1, 0.5) == effective_voters([7], [[1.0]]) == 1.0


def test_errors_that_cancel_out_altogether_have_no_bound() -> None:
    assert effective_voters(2, -1.0) == inf
    assert effective_voters(3, -0.4) == pytest.approx(15.0)


@pytest.mark.parametrize(
    ("voters", "dependence", "whose"),
    [
        (0, 0.5, ["voters"]),
        (True, 0.5, ["voters"]),
        (2.0, 0.5, ["voters"]),
        ([], 0.5, ["voters"]),
        ([1, 0, 1.5], 0.5, ["voter 1", "voter 2"]),
        (2, float("nan"), ["correlation"]),
        (2, 1.5, ["correlation"]),
        (2, -1.5, ["correlation"]),
        (2, True, ["correlation"]),
        (2, "x", ["matrix"]),
        (2, [[1.0, 0.5]], ["matrix"]),
        (2, [[1.0], [0.5]], ["matrix"]),
        (2, [[1.0, 0.5], [0.4, 1.0]], ["matrix"]),
        (2, [[0.9, 0.5], [0.5, 1.0]], ["matrix"]),
        (2, [[1.0, None], [0.5, 1.0]], ["correlation of 0 and 1", "matrix"]),
        ([0], 2, ["voter 0", "correlation"]),
    ],
)
def test_g7_what_is_no_panel_is_refused(
    voters: object, dependence: object, whose: list[str]
) -> None:
    assert faults_of(voters, dependence) == whose


@pytest.mark.parametrize(("raw", "kept"), [(0.5, 1.0), (1.5, 1.5), (9.0, 3.0), (inf, 3.0)])
def test_a_panel_counts_from_one_to_its_number(raw: float, kept: float) -> None:
    assert clipped(raw, 3) == kept


def test_v9_the_effective_margin_of_seven_to_two_is_thin() -> None:
    assert effective_margin(7, 2, 9, 2.2) == pytest.approx(1.22, abs=0.005)
    assert effective_margin(Decimal("0.5"), Fraction(1, 4), 1, 4.0) == pytest.approx(1.0)
    assert effective_margin(2, 2, 4, 3.0) == 0


@pytest.mark.parametrize(
    ("votes", "n_eff", "whose"),
    [
        ((7, 2, True), 2.2, ["voters"]),
        ((7, 2.5, "9"), 2.2, ["runner_up", "voters"]),
        ((2, 7, 9), 2.2, ["votes"]),
        ((7, 2, 6), 2.2, ["votes"]),
        ((0, 0, 0), 2.2, ["votes"]),
        ((1, -1, 3), 2.2, ["votes"]),
        ((7, 2, 9), 0, ["n_eff"]),
        ((7, 2, 9), inf, ["n_eff"]),
        ((7, 2, 9), True, ["n_eff"]),
    ],
)
def test_g7_a_margin_of_nonsense_is_refused(
    votes: tuple[object, object, object], n_eff: float, whose: list[str]
) -> None:
    with pytest.raises(InvalidInput) as caught:
        effective_margin(*votes, n_eff)
    assert [fault.whose for fault in caught.value.faults] == whose
