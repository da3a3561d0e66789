"""Trials: does each play read the real rule's outcome rightly?"""

from __future__ import annotations

from fractions import Fraction

import pytest

from comity.mechanisms.auctions.registry import AUCTIONS
from comity.mechanisms.auctions.trials import TRIALS, Outcome, Trial


def test_a3_every_auction_can_be_audited() -> None:
    assert AUCTIONS.keys() <= TRIALS.keys()


def test_a_tie_is_played_with_luck_on_either_side() -> None:
    setting = TRIALS["second_price"].settings(Trial((0, 5), 2, 0, 1))[0]
    assert {one.won for one in setting.play(5, (5,))} == {True, False}
    assert setting.play(5, (0,)) == (Outcome(won=True, paid=Fraction(0)),)
    assert setting.gain(5, Outcome(won=True, paid=Fraction(2))) == 3
    assert setting.gain(5, Outcome(won=False, paid=Fraction(0))) == 0


def test_several_units_are_worth_their_marginals() -> None:
    setting = TRIALS["multi_unit_vcg"].settings(Trial((0, 5), 2, 1, 2))[0]
    assert setting.reports == [(0, 0), (5, 0), (5, 5)]
    assert setting.play((5, 5), ((0, 0),)) == (Outcome(2, Fraction(2)),)
    assert setting.play((0, 0), ((0, 0),)) == (Outcome(0, Fraction(0)),)
    assert setting.gain((5, 3), Outcome(2, Fraction(2))) == 6
    own = TRIALS["pay_as_bid"].settings(Trial((0, 5), 2, 0, 2))[0]
    assert own.play((5, 5), ((0, 0),))[0].paid == 10


def test_a_bundle_is_worth_its_value_only_whole() -> None:
    setting = TRIALS["combinatorial_vcg"].settings(Trial((0, 5), 2, 0, 2))[0]
    both = (("i0", "i1"), 5)
    assert len(setting.reports) == 6
    assert setting.gain(both, Outcome(frozenset({"i0"}), Fraction(0))) == 0
    assert setting.gain(both, setting.play(both, ((("i0",), 0),))[0]) == 5
    assert setting.play((("i0",), 0), ((("i0",), 0),))[0].won == {""}
    assert setting.text(both) == "5 for i0+i1"


def test_both_sides_of_a_market_are_audited() -> None:
    buyer, seller = TRIALS["double_vcg"].settings(Trial((1, 9), 1, 0, 1))
    assert (buyer.role, seller.role) == ("buyer", "seller")
    assert buyer.play(9, (1,)) == (Outcome(won=True, paid=Fraction(1)),)
    assert seller.play(1, (9,)) == (Outcome(won=True, paid=Fraction(-9)),)
    assert seller.gain(1, seller.play(1, (9,))[0]) == 8
    assert buyer.play(1, (9,))[0].won is False
    assert buyer.gain(1, Outcome(won=False, paid=Fraction(0))) == 0


@pytest.mark.parametrize(
    ("rule", "own", "others", "paid"),
    [
        ("second_distinct_price", 6, (6, 3), 3),
        ("second_distinct_price", 6, (1,), 2),
        ("second_price_unclamped", 6, (1,), 1),
        ("second_price_unclamped", 6, (), 6),
    ],
)
def test_flawed_rules_price_as_they_are_known_to(
    rule: str, own: int, others: tuple[int, ...], paid: int
) -> None:
    setting = TRIALS[rule].settings(Trial((0, 6), len(others) + 1, 2, 1))[0]
    assert setting.play(own, others)[0] == Outcome(won=True, paid=Fraction(paid))
    assert not setting.play(1, others)[0].won
