"""Margins: the shadow price and the next-best use of money (D1)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from comity.mechanisms.sharing.claims import read_curve
from comity.mechanisms.sharing.filling import fill
from comity.mechanisms.sharing.margins import prices_of
from comity.mechanisms.sharing.rules import Agent, Objective

F = Fraction


def prices(curves: list[Any], money: int, objective: Objective) -> tuple[Any, Any]:
    agents = [
        Agent(str(at), read_curve(one), F(0), F(1000), F(1)) for at, one in enumerate(curves)
    ]
    amounts = fill(agents, F(money), objective).amounts
    return prices_of(agents, amounts, objective, "gain")


def test_utilitarian_prices_are_slopes() -> None:
    curves = [[[4, 2], [4, 1]], [[3, 3], [9, F(1, 2)]]]
    assert prices(curves, 7, "utilitarian") == (2, 1)
    assert prices(curves, 0, "utilitarian") == (None, 3)
    assert prices(curves, 20, "utilitarian") == (F(1, 2), None)


def test_nash_prices_are_slopes_for_each_unit_of_gain() -> None:
    assert prices([[[100, 1]], [[100, 5]]], 100, "nash") == (F(1, 50), F(1, 50))
    assert prices([[[100, 1]]], 0, "nash") == (None, None)
    assert prices([{"power": "0.5"}], 0, "utilitarian") == (None, None)


def test_leximin_prices_are_what_one_unit_raises_the_lowest_by() -> None:
    assert prices([[[100, 1]], [[100, 1]]], 100, "leximin") == (F(1, 2), F(1, 2))
    assert prices([[[10, 1]], [[100, 1]]], 20, "leximin") == (F(1, 2), 1)
    assert prices([[[10, 1]]], 20, "leximin") == (1, None)
    assert prices([[[10, 1]]], 0, "leximin") == (None, 1)
    assert prices([{"power": "0.5"}], 0, "leximin") == (None, None)
    assert prices([[[10, 1]], [[5, 0]]], 5, "leximin") == (1, 1)
