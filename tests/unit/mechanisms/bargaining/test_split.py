"""Split: do the schedules land on the wanted price, under every convention?"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.bargaining.price import bargain
from comity.mechanisms.bargaining.results import PriceAgreement
from comity.mechanisms.bargaining.schedules import fixed, through
from comity.mechanisms.bargaining.split import schedules_for

BUYER, SELLER = (60, 100), (120, 70)
WAYS: list[dict[str, Any]] = [
    {"convention": convention, "first": first}
    for convention in ("same_round", "next_round", "alternating")
    for first in ("buyer", "seller")
] + [{"convention": "midpoint"}]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("rounds", [2, 3, 5, 10, 99])
@pytest.mark.parametrize("split", [(50, 50), (25, 75), (1, 2), (100, 0), (0, 1)])
def test_b8_the_deal_is_exactly_the_wanted_split(
    way: dict[str, Any], rounds: int, split: tuple[int, int]
) -> None:
    both = schedules_for(split=split, buyer=BUYER, seller=SELLER, rounds=rounds)
    found = bargain(
        buyer=BUYER,
        seller=SELLER,
        rounds=rounds,
        buyer_schedule=both.buyer,
        seller_schedule=both.seller,
        **way,
    )
    assert isinstance(found, PriceAgreement)
    assert found.price == both.price
    assert found.buyer_share == Fraction(split[0], sum(split)) == both.split[0]
    assert found.seller_share == Fraction(split[1], sum(split)) == both.split[1]


def test_b8_both_stand_at_the_price_half_way_through() -> None:
    both = schedules_for(split=(50, 50), buyer=BUYER, seller=SELLER, rounds=5)
    assert (both.price, both.round, both.split) == (85, 2, (Fraction(1, 2), Fraction(1, 2)))
    assert both == schedules_for(split=(50, 50), buyer=BUYER, seller=SELLER)
    assert both.buyer == through("2/5", Fraction(25, 40))
    assert both.seller == through("2/5", Fraction(35, 50))


def test_b8_the_schedules_survive_as_text() -> None:
    both = schedules_for(split=("0.5", "1.5"), buyer=BUYER, seller=SELLER, rounds=5)
    found = bargain(
        buyer=BUYER,
        seller=SELLER,
        buyer_schedule=str(both.buyer),
        seller_schedule=str(both.seller),
    )
    assert isinstance(found, PriceAgreement)
    assert found.price == Fraction(185, 2)


def test_b8_a_party_that_opens_at_the_price_stays_there() -> None:
    both = schedules_for(split=(50, 50), buyer=(85, 100), seller=SELLER, rounds=4)
    assert both.buyer == fixed()
    same = schedules_for(split=(3, 1), buyer=(70, 70), seller=(70, 70), rounds=4)
    assert (same.buyer, same.seller, same.price) == (fixed(), fixed(), 70)


@pytest.mark.parametrize("price", ["85", "84"])
def test_b8_with_a_tick_the_deal_is_exact_to_one_tick(price: str) -> None:
    part = Fraction(price) - 70
    both = schedules_for(split=(30 - part, part), buyer=BUYER, seller=SELLER, rounds=8)
    for way in WAYS:
        found = bargain(
            buyer=BUYER,
            seller=SELLER,
            rounds=8,
            tick=2,
            buyer_schedule=both.buyer,
            seller_schedule=both.seller,
            **way,
        )
        assert isinstance(found, PriceAgreement)
        assert abs(Fraction(found.price) - Fraction(price)) <= (2 if price == "85" else 0)


@pytest.mark.parametrize(
    ("changes", "whose", "what"),
    [
        ({"split": (50,)}, "split", "is (50,)"),
        ({"split": "50:50"}, "split", "is '50:50'"),
        ({"split": (0, 0)}, "split", "is (0, 0)"),
        ({"split": (-1, 2)}, "split", "is (-1, 2)"),
        ({"split": (float("nan"), 2)}, "split", "part is nan"),
        ({"rounds": 1}, "split", "rounds is 1"),
        ({"rounds": True}, "split", "rounds is True"),
        ({"buyer": (60, 65)}, "split", "has no surplus to divide: the reservations are 5 apart"),
        ({"buyer": (90, 100)}, "buyer", "opens at 90, already past the price 85"),
        ({"seller": (80, 70)}, "seller", "opens at 80, already past the price 85"),
        ({"buyer": 60}, "buyer", "is 60"),
        ({"buyer": (110, 100)}, "buyer", "opens at 110, above its reservation 100"),
    ],
)
def test_g7_a_split_that_cannot_be_reached_says_why(
    changes: dict[str, Any], whose: str, what: str
) -> None:
    asked = {"split": (50, 50), "buyer": BUYER, "seller": SELLER, "rounds": 5} | changes
    with pytest.raises(InvalidInput) as caught:
        schedules_for(**asked)
    (fault,) = caught.value.faults
    assert (fault.whose, fault.what) == (whose, what)


def test_g7_all_faults_come_at_once() -> None:
    with pytest.raises(InvalidInput) as caught:
        schedules_for(split=(0, 0), buyer=(110, 100), seller=7, rounds=0)  # type: ignore[arg-type]
    assert [fault.whose for fault in caught.value.faults] == ["split", "split", "seller", "buyer"]
