"""ZOPA: is the zone what lies between the reservations?"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.bargaining.zopa import Zopa, zopa


@pytest.mark.parametrize(
    ("buyer", "seller", "width", "gap", "is_empty"),
    [(100, 70, 30, 0, False), (65, 70, 0, 5, True), (70, 70, 0, 0, False), (-5, -9, 4, 0, False)],
)
def test_b2_the_zone_is_found_by_one_comparison(
    buyer: int, seller: int, width: int, gap: int, *, is_empty: bool
) -> None:
    zone = zopa(buyer=buyer, seller=seller)
    assert (zone.low, zone.high) == (seller, buyer)
    assert (zone.width, zone.gap, zone.is_empty) == (width, gap, is_empty)


def test_b2_a_zone_of_one_price_is_not_empty_in_decimals_either() -> None:
    zone = zopa(buyer=0.3, seller="0.30")
    assert not zone.is_empty
    assert zone.width == 0
    assert isinstance(zone.width, Decimal)


def test_g5_money_in_is_the_same_type_out() -> None:
    assert zopa(buyer="100.5", seller=70).width == Decimal("30.5")
    assert zopa(buyer="1/2", seller="1/3").width == Fraction(1, 6)
    assert zopa(buyer=Fraction(1, 3), seller=1).gap == Fraction(2, 3)


def test_g7_both_faults_come_at_once() -> None:
    with pytest.raises(InvalidInput) as caught:
        zopa(buyer=float("nan"), seller=True)
    assert [fault.whose for fault in caught.value.faults] == ["buyer", "seller"]


def test_a_zone_is_a_value() -> None:
    assert zopa(buyer=100, seller=70) == Zopa(low=70, high=100)
