"""Credits: what the others lose (D3)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from comity.mechanisms.sharing.claims import read_curve
from comity.mechanisms.sharing.credits import charges_of
from comity.mechanisms.sharing.filling import fill
from comity.mechanisms.sharing.rules import Agent

F = Fraction


def charges(
    curves: dict[str, Any], money: int, weights: dict[str, int] | None = None
) -> list[Any]:
    agents = [
        Agent(name, read_curve(one), F(0), F(10**6), F((weights or {}).get(name, 1)))
        for name, one in curves.items()
    ]
    amounts = fill(agents, F(money), "utilitarian").amounts
    return list(charges_of(agents, F(money), amounts))


def test_d3_the_charge_is_what_the_others_lose_and_nothing_without_scarcity() -> None:
    two = {"a": [[10, 3]], "b": [[10, 2]]}
    assert charges(two, 10) == [20, 0]
    assert charges(two, 20) == [0, 0]
    assert charges({"a": [[10, 3]]}, 5) == [0]


def test_charges_of_weighted_gains_are_in_units_of_ones_own_gain() -> None:
    assert charges({"a": [[10, 3]], "b": [[10, 2]]}, 10, {"a": 2}) == [10, 0]


def test_d3_no_false_claim_on_a_grid_pays_when_credits_are_charged() -> None:
    true = {"a": [[4, 2], [4, 1]], "b": [[3, 3], [5, F(1, 2)]]}
    honest = fill_of(true)
    for first in range(4):
        for second in range(first + 1):
            lied = fill_of({**true, "a": [[4, first], [4, second]]})
            gained = read_curve(true["a"]).gain(lied[0]) - lied[1]
            assert gained <= read_curve(true["a"]).gain(honest[0]) - honest[1]


def fill_of(curves: dict[str, Any]) -> tuple[Fraction, Fraction]:
    agents = [Agent(n, read_curve(c), F(0), F(100), F(1)) for n, c in curves.items()]
    amounts = fill(agents, F(8), "utilitarian").amounts
    return amounts[0], charges_of(agents, F(8), amounts)[0]
