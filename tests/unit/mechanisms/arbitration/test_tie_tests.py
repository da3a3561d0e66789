"""Tie test tests: are the chances right?

Here: chi-square and exact chances against brute force and known values, recorded lots.
Not here: the reference's own rows (tests/oracles/test_arbitration_cases.py).
Sources: SEMANTICS R5; tables of the chi-square distribution.
"""

from itertools import product
from math import factorial, prod

import pytest

from comity.mechanisms.arbitration import (
    Arbitration,
    Conflict,
    Policy,
    chi_square_p,
    multinomial_p,
    tie_tests,
)


@pytest.mark.parametrize(
    ("statistic", "freedom"),
    [(3.841459, 1), (5.991465, 2), (7.814728, 3), (9.487729, 4), (18.307038, 10), (43.772972, 30)],
)
def test_r5_the_five_percent_points_of_the_tables(statistic: float, freedom: int) -> None:
    assert chi_square_p(statistic, freedom) == pytest.approx(0.05, abs=1e-6)


def test_r5_no_deviation_is_no_evidence() -> None:
    assert chi_square_p(0.0, 3) == 1.0
    assert multinomial_p([3, 3, 3]) == pytest.approx(1.0)
    assert multinomial_p([4]) == 1.0


@pytest.mark.parametrize("counts", [(3, 1), (5, 0, 1), (2, 2, 0, 1), (0, 0, 4)])
def test_r5_exact_chances_are_those_of_all_outcomes(counts: tuple[int, ...]) -> None:
    total, cells = sum(counts), len(counts)

    def ways(one: tuple[int, ...]) -> int:
        return factorial(total) // prod(map(factorial, one))

    every = [one for one in product(range(total + 1), repeat=cells) if sum(one) == total]
    below = sum(ways(one) for one in every if ways(one) <= ways(counts))
    assert multinomial_p(counts) == pytest.approx(below / cells**total)


def test_r5_lots_are_tested_by_size_of_the_tied_set() -> None:
    engine = Arbitration(Policy(c=0), seed="7")
    log = [engine.conflict({"a": 1, "b": 1}) for _ in range(120)]
    log += [engine.conflict({"a": 1, "b": 1, "c": 1}) for _ in range(30)]
    log += [engine.conflict({"a": 2, "b": 1}) for _ in range(9)]
    pairs, threes = tie_tests(log)
    assert (pairs.size, sum(pairs.wins), pairs.method) == (2, 120, "chi_square")
    assert (threes.size, sum(threes.wins), threes.method) == (3, 30, "exact")
    assert pairs.p > 0.001
    assert threes.p > 0.001


def test_r5_the_first_name_that_always_wins_is_seen_after_eleven_ties() -> None:
    pair = ("a", "b")
    log = [Conflict(n, "r", (), stages=(pair,), winners=("a",)) for n in range(11)]
    assert tie_tests(log[:10])[0].p > 0.001
    assert tie_tests(log)[0].p < 0.001
    wide = tuple("abcdefghijkl")
    many = [Conflict(n, "r", (), stages=(wide,), winners=("a",)) for n in range(20)]
    assert tie_tests(many)[0].method == "chi_square", "too many cells for the exact test"
