"""Sharing rules: what they say when nothing else is said (D1)."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from comity.mechanisms.sharing.claims import read_curve
from comity.mechanisms.sharing.reading import read_rules
from comity.mechanisms.sharing.rules import Agent, ShareOptions, ShareRules


def agent(curve: object, low: int = 0, high: int = 100, whole: int | None = None) -> Agent:
    limit = None if whole is None else Fraction(whole)
    low_, high_ = Fraction(low), Fraction(high)
    return Agent("a", read_curve(curve), low_, high_, Fraction(1), whole=limit)


def test_d1_nash_is_the_default_and_every_option_is_a_field() -> None:
    rules = ShareRules(budget=1, claims={})
    assert (rules.objective, rules.measure, rules.credits) == ("nash", "gain", False)
    assert set(ShareOptions.__annotations__) == {
        name for name in ShareRules.__slots__ if name not in {"budget", "claims"}
    }


def test_an_agent_can_use_what_its_curve_its_maximum_and_its_minimum_say() -> None:
    assert agent([[10, 1]]).most == 10
    assert agent([[10, 1]], high=5).most == 5
    assert agent([[10, 1]], low=20).most == 20
    assert agent({"power": "0.5"}, high=7).most == 7
    assert agent([[10, 1], [10, 0.5]]).best == 15
    assert agent([[10, 1], [10, 0.5]], whole=10).best == 10


def test_g5_amounts_go_out_in_the_type_of_the_budget() -> None:
    curve = {"a": [[10, 1]]}
    assert str(read_rules(ShareRules(budget="10.00", claims=curve)).amount(Fraction(5))) == "5.00"
    assert read_rules(ShareRules(budget=10, claims=curve)).amount(Fraction(5)) == 5
    fine = read_rules(ShareRules(budget=10, claims=curve, quantum="0.01"))
    assert fine.amount(Fraction(1, 2)) == Decimal("0.50")
