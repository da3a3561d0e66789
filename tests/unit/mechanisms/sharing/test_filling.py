"""Filling: the exact split, with minima, maxima and smooth curves (D1)."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from comity.mechanisms.sharing.claims import read_curve
from comity.mechanisms.sharing.curves import Smooth
from comity.mechanisms.sharing.filling import exact_sum, fill, weight_of
from comity.mechanisms.sharing.rules import Agent, Objective

F = Fraction
OBJECTIVES: tuple[Objective, ...] = ("nash", "utilitarian", "leximin")


def agent(name: str, curve: Any, low: int = 0, high: int = 1000, weight: int = 1) -> Agent:
    return Agent(name, read_curve(curve), F(low), F(high), F(weight))


def filled(agents: list[Agent], money: int, objective: Objective) -> list[Fraction]:
    return list(fill(agents, F(money), objective).amounts)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_minima_come_first_and_maxima_end_it(objective: Objective) -> None:
    two = [agent("a", [[100, 1]], low=30), agent("b", [[100, 1]], high=20)]
    assert filled(two, 30, objective) == [30, 0]
    assert filled(two, 45, objective)[0] >= 30
    found = fill(two, F(200), objective)
    assert (found.amounts, found.left) == ((100, 20), 80)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("curve", [[[10, 0]], {"points": [[0, 0]]}])
def test_who_cannot_gain_gets_its_minimum_only(objective: Objective, curve: Any) -> None:
    found = fill([agent("a", curve, low=3)], F(10), objective)
    assert (found.amounts, found.left) == ((3,), 7)
    both = [agent("a", curve, low=3), agent("b", {"log": 10})]
    assert filled(both, 10, objective) == [3, 7]
    capped = [agent("a", {"log": 10}, high=0), agent("b", [[50, 1]])]
    assert filled(capped, 10, objective) == [0, 10]


def test_a_minimum_inside_a_piece_counts_what_it_gains() -> None:
    two = [agent("a", [[10, 4], [10, 1]], low=12), agent("b", [[100, 1]])]
    assert filled(two, 40, "leximin") == [12, 28]
    assert filled(two, 100, "leximin") == [20, 80]
    assert filled(two, 50, "nash") == [12, 38]
    assert filled(two, 60, "nash") == [15, 45]


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_weights_count(objective: Objective) -> None:
    two = [agent("a", [[300, 2], [300, 1]], weight=3), agent("b", [[300, 2], [300, 1]])]
    first, second = filled(two, 400, objective)
    assert first > second
    if objective != "utilitarian":
        assert first == 300


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_smooth_curves_split_like_pieces_that_are_close_to_them(objective: Objective) -> None:
    curves = [
        Smooth("power", Decimal("0.5"), Decimal(5)),
        Smooth("log", Decimal(40), Decimal(30)),
        Smooth("saturating", Decimal(60), Decimal(70)),
    ]
    smooth = [agent(str(at), one, low=at) for at, one in enumerate(curves)]
    points = [
        {"points": [[F(2 * at), one.gain(F(2 * at))] for at in range(1, 101)]} for one in curves
    ]
    kinked = [agent(str(at), one, low=at) for at, one in enumerate(points)]
    mixed = [smooth[0], kinked[1], smooth[2]]
    wanted = filled(kinked, 200, objective)
    for agents in (smooth, mixed):
        found = filled(agents, 200, objective)
        assert sum(found) == pytest.approx(200, abs=1e-12)
        assert [float(one) for one in found] == pytest.approx([*map(float, wanted)], abs=2.1)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_smooth_curves_may_be_exhausted_or_stay_at_their_minima(objective: Objective) -> None:
    two = [
        agent("a", {"saturating": 2}, low=1, high=10),
        agent("b", {"power": "0.5"}, low=2, high=5),
    ]
    assert filled(two, 3, objective) == [1, 2]
    found = fill(two, F(40), objective)
    assert (found.amounts, found.left, found.is_unique) == ((10, 5), 25, True)


def test_equal_slopes_of_a_mixed_split_share_in_proportion_to_their_widths() -> None:
    three = [
        agent("a", [[60, F(1, 10)]]),
        agent("b", [[30, F(1, 10)]]),
        agent("c", {"log": 10, "scale": 2}),
    ]
    found = fill(three, F(40), "utilitarian")
    assert found.amounts == (20, 10, 10)
    assert not found.is_unique


@pytest.mark.parametrize("exponent", ["0.001", "0.999999999999"])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_extreme_powers_end(exponent: str, objective: Objective) -> None:
    two = [agent("a", {"power": exponent}), agent("b", {"power": "0.5"})]
    found = filled(two, 100, objective)
    assert sum(found) == pytest.approx(100, abs=1e-9)
    assert min(found) >= 0


def test_sums_and_weights() -> None:
    assert exact_sum([F(1, 3)] * 6) == 2
    assert exact_sum([]) == 0
    assert weight_of(agent("a", [[10, 0]]), "nash", "gain") == 0
    assert weight_of(agent("a", [[10, 2]], weight=2), "leximin", "share_of_best") == 40


def test_the_split_is_unique_but_where_slopes_tie() -> None:
    two = [agent("a", [[10, 1]]), agent("b", [[10, 1]])]
    assert not fill(two, F(10), "utilitarian").is_unique
    assert fill(two, F(20), "utilitarian").is_unique
    assert fill(two, F(0), "utilitarian").is_unique
    assert fill(two, F(10), "nash").is_unique
    assert fill(two, F(10), "leximin").is_unique
