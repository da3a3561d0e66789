"""Whole: the best split into whole units, for every objective (D1, G4, G5)."""

from __future__ import annotations

import random
import time
from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import pytest

from comity.mechanisms.sharing.divide import share
from comity.mechanisms.sharing.filling import fill
from comity.mechanisms.sharing.reading import read_rules
from comity.mechanisms.sharing.rules import ShareRules, Terms
from comity.mechanisms.sharing.whole import best_shares, whole_shares

F = Fraction
CAMPAIGNS = {
    "a": [[4000, 2], [4000, "1.1"], [4000, "0.4"]],
    "b": [[3000, 3], [3000, "1.5"], [6000, "0.5"]],
    "c": [[2000, "2.5"], [3000, "1.2"], [7000, "0.3"]],
}


def terms(budget: Any, claims: Any, **options: Any) -> Terms:
    return read_rules(ShareRules(budget=budget, claims=claims, **options))


def units(budget: Any, claims: Any, **options: Any) -> tuple[int, ...]:
    read = terms(budget, claims, **options)
    exact = fill(read.agents, read.money, read.objective, read.measure, read.quantum).amounts
    return whole_shares(read, exact).units


def test_d1_leximin_gives_the_unit_to_whom_it_lifts() -> None:
    """The exact shares 10/101 and 1000/101 round to 0 and 10: one agent would gain nothing."""
    claims = {"a": [[10, 10]], "b": [[10, "0.1"]]}
    assert units(10, claims, objective="leximin") == (1, 9)
    assert units(12000, CAMPAIGNS, objective="leximin") == (4365, 2801, 4834)


def test_d1_the_best_whole_split_may_lie_far_from_the_exact_one() -> None:
    claims: dict[str, Any] = {f"a{at:02}": [[9, 1000]] for at in range(20)}
    claims["b"] = [[30, 1]]
    assert units(30, claims, objective="leximin") == (*[1] * 20, 10)


def test_d1_corners_between_units_count_by_what_whole_units_bring() -> None:
    claims = {"a": [["2.5", 10], [9, 1]], "b": [[9, 6]]}
    assert units(3, claims, objective="utilitarian") == (2, 1)
    assert units(3, {"a": [["2.5", 10]], "b": [[9, 4]]}, objective="utilitarian") == (3, 0)


def test_d1_a_part_of_a_unit_is_worth_a_unit_to_the_last_who_can_use_it() -> None:
    assert units(9, {"a": {"demand": "2.5"}, "b": {"demand": "0.5"}}) == (3, 1)


@pytest.mark.parametrize("start", [(0, 0, 0), (12, 0, 0), (0, 12, 0), (3, 4, 5), (9, 9, 9)])
@pytest.mark.parametrize("objective", ["nash", "utilitarian", "leximin"])
def test_g3_the_split_does_not_depend_on_where_the_search_starts(
    objective: Any, start: tuple[int, ...]
) -> None:
    claims = {name: [[w // 1000, s] for w, s in one] for name, one in CAMPAIGNS.items()}
    read = terms(12, claims, objective=objective)
    exact = fill(read.agents, read.money, read.objective).amounts
    found = whole_shares(read, [F(one) for one in start])
    assert found.units == whole_shares(read, exact).units
    assert sum(found.units) == 12


def test_d1_too_many_units_at_the_start_are_taken_back() -> None:
    read = terms(4, {"a": [[9, 2]], "b": [[9, 2]]})
    assert whole_shares(read, [F(9), F(9)]).units == (2, 2)
    read = terms(4, {"a": [[9, 2]], "b": [[9, 1]]}, objective="utilitarian")
    assert whole_shares(read, [F(0), F(9)]).units == (4, 0)


def test_d1_minima_maxima_and_who_cannot_gain_stand() -> None:
    claims = {"a": [[9, 10]], "b": [[9, 1]], "c": [[9, 0]]}
    assert units(9, claims, minimum={"c": 2}, maximum={"b": 3}, objective="leximin") == (4, 3, 2)
    assert units(2, claims, minimum={"c": 2}) == (0, 0, 2)


def test_d1_weights_are_exponents_under_nash_and_never_looked_at_through_floats() -> None:
    """With 4 ** 1 = 2 ** 2 the two logarithms are equal: a lot, and no rounding, decides."""
    claims = {"a": [[1, 3], [1, 3]], "b": [[1, 3], [1, 3]]}
    assert units(3, claims, weights={"b": 2}) == (1, 2)
    assert units(1, claims, weights={"b": 2}) == (0, 1)
    equal = {"a": {"points": [[1, 16], [2, 20]]}, "b": {"points": [[1, 4], [2, 5]]}}
    drawn = Counter(units(3, equal, weights={"a": 3, "b": 3}, seed=str(at)) for at in range(40))
    assert set(drawn) == {(1, 2), (2, 1)}
    steps = {"a": {"points": [[1, 16], [2, 25]]}, "b": {"points": [[1, 4], [2, 5]]}}
    tied = Counter(units(3, steps, weights={"b": 2}, seed=str(at)) for at in range(40))
    assert set(tied) == {(1, 2), (2, 1)}


def test_g4_equal_units_go_in_proportion_and_the_spare_one_by_a_recorded_lot() -> None:
    read = terms(4, {"a": [["6.5", 2]], "b": [["2.5", 2]], "c": [[1, 9]]}, objective="utilitarian")
    found = whole_shares(read, [F(0)] * 3)
    assert found.units == (2, 1, 1)
    assert found.ties == ()
    split = [whole_shares(terms(1, {n: [[5, 2]] for n in "ab"}, objective="leximin", seed=str(at)),
                          [F(1, 2)] * 2) for at in range(40)]  # fmt: skip
    assert {one.units for one in split} == {(0, 1), (1, 0)}
    assert {(one.ties[0].tied, one.ways) for one in split} == {(("a", "b"), 2)}


def test_g4_no_lot_is_told_where_one_split_is_best() -> None:
    """Remainders are equal, gains are not: the unit goes where it lifts more, without a lot."""
    claims = {"a": [[1, 2]], "b": [[1, 1]]}
    for seed in range(20):
        found = share(1, claims, objective="leximin", seed=str(seed), weights={"a": 2})
        assert found.grounds.ties  # both levels would be 1: a lot
        found = share(1, claims, objective="leximin", seed=str(seed))
        assert (found.says, found.grounds.ties) == ("Shared 1 by leximin: a 1, b 0.", ())


def test_g3_the_callers_decimal_context_changes_nothing() -> None:
    claims = {"a": {"log": 7, "scale": 3}, "b": {"power": "0.5", "scale": 2}, "c": [[40, 1]]}
    options: dict[str, Any] = {"weights": {"a": 3, "b": 2}}
    before = units(101, claims, **options)
    with localcontext() as context:
        context.prec = 3
        assert units(101, claims, **options) == before


def test_g5_smooth_curves_are_split_by_what_whole_units_bring() -> None:
    claims = {"a": {"power": "0.5", "scale": 9}, "b": {"saturating": 3, "scale": 20}}
    for objective in ("utilitarian", "nash", "leximin"):
        found = units(9, claims, objective=objective)
        read = terms(9, claims, objective=objective)

        def worth(one: int) -> Any:
            gains = [read.agents[0].curve.gain(F(one)), read.agents[1].curve.gain(F(9 - one))]  # noqa: B023  # used at once
            if objective == "utilitarian":  # noqa: B023
                return sum(gains)
            return gains[0] * gains[1] if objective == "nash" else sorted(gains)  # noqa: B023

        assert found == (max(range(10), key=worth), 9 - max(range(10), key=worth))


def test_d1_a_long_budget_takes_no_longer() -> None:
    claims = {"a": [["0.5", 3], [10**40, 2]], "b": [[10**40, 2]], "c": [[10**40, 1]]}
    began = time.process_time()
    for objective in ("utilitarian", "nash", "leximin"):
        assert sum(units(10**30, claims, objective=objective)) == 10**30
    assert time.process_time() - began < 5


def test_d1_minor_units_are_the_quantum() -> None:
    found = share(Decimal("0.10"), {"a": [[1, 10]], "b": [[1, "0.1"]]}, objective="leximin")
    assert found.allocation == {"a": Decimal("0.01"), "b": Decimal("0.09")}


@pytest.mark.parametrize("objective", ["nash", "utilitarian"])
def test_d1_rounding_is_the_best_where_pieces_are_whole_units_wide(objective: Any) -> None:
    chance = random.Random(3)  # noqa: S311  # made-up budgets
    for at in range(60):
        claims = {}
        for name in "abcde"[: chance.randint(1, 5)]:
            steep = sorted((chance.randint(0, 9) for _ in range(3)), reverse=True)
            claims[name] = [[chance.randint(1, 6), one] for one in steep]
        read = terms(chance.randint(0, 40), claims, objective=objective, seed=str(at))
        exact = fill(read.agents, read.money, read.objective).amounts
        assert best_shares(read, exact) == whole_shares(read, exact)


@pytest.mark.parametrize(
    ("claims", "options"),
    [
        ({"a": [[9, 2]], "b": {"power": "0.5"}}, {}),
        ({"a": [["2.5", 9]], "b": [[9, 2]]}, {"objective": "utilitarian"}),
        ({"a": [[9, 9]], "b": [[9, 2]]}, {"weights": {"a": 2}}),
        ({"a": [[9, 9]], "b": [[9, 1]]}, {"objective": "leximin"}),
    ],
)
def test_d1_rounding_is_not_trusted_elsewhere(claims: Any, options: dict[str, Any]) -> None:
    read = terms(5, claims, **options)
    far = [F(5), F(0)]
    assert best_shares(read, far) == whole_shares(read, far)
    assert best_shares(read, far).units != (5, 0)
