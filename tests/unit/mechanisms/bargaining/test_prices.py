"""Prices: do they behave as the tuple of the same numbers?"""

from __future__ import annotations

import copy
import pickle
from decimal import Decimal
from fractions import Fraction

import pytest

from comity.core.codec import encode
from comity.mechanisms.bargaining.prices import Prices, price_of, show_price


def test_g5_a_price_is_read_in_the_type_that_came_in() -> None:
    assert price_of(400, 5, 0) == 80
    assert isinstance(price_of(400, 5, 0), int)
    assert price_of(1, 3, 0) == Fraction(1, 3)
    assert price_of(1, 2, Decimal(0)) == Decimal("0.5")
    assert isinstance(price_of(4, 2, Decimal(0)), Decimal)
    assert price_of(1, 3, Decimal(0)) == Fraction(1, 3)
    assert price_of(Fraction(1, 3), 2, 0) == Fraction(1, 6)


def test_a_path_equals_the_tuple_of_its_prices_and_hashes_like_it() -> None:
    path = Prices((240, 221, Fraction(1, 3)), 2, 0)
    numbers = (120, Fraction(221, 2), Fraction(1, 6))
    assert tuple(path) == numbers
    assert path == numbers
    assert numbers == path
    assert path == list(numbers)
    assert path == Prices((480, 442, Fraction(2, 3)), 4, 0)
    assert hash(path) == hash(numbers)
    assert repr(path) == repr(numbers)


@pytest.mark.parametrize("other", [(120,), (120, 111), Prices((240, 222), 2, 0), "120", None])
def test_a_path_differs_from_other_prices_and_other_things(other: object) -> None:
    assert Prices((240, 221), 2, 0) != other


def test_a_path_is_read_by_place_and_slice_and_written_as_a_list() -> None:
    path = Prices(iter((240, 221, 200)), 2, 0)
    assert (len(path), path[-1], path[1]) == (3, 100, Fraction(221, 2))
    assert isinstance(path[:2], Prices)
    assert path[:2] == (120, Fraction(221, 2))
    assert encode(path) == [120, "221/2", 100]
    with pytest.raises(IndexError):
        _ = path[3]


def test_a_path_survives_copying_and_pickling() -> None:
    path = Prices((240, 221), 2, Decimal(0))
    assert copy.deepcopy(path) == path == pickle.loads(pickle.dumps(path))  # noqa: S301  # ours


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (80, "80"),
        (-3, "-3"),
        (Fraction(0), "0"),
        (Fraction(171, 2), "85.5"),
        (Fraction(-1, 2), "-0.5"),
        (Fraction(1, 10**6), "0.000001"),
        (Fraction(80), "80"),
        (Decimal("80.00"), "80.00"),
        (Decimal("1E+2"), "100"),
        (Fraction(2, 3), "about 0.6667"),
        (Fraction(-200, 3), "about -66.6667"),
        (Decimal("0.1234567"), "about 0.1235"),
        (Fraction(299999999, 10**7), "about 30"),
    ],
)
def test_a_price_is_shown_short_and_says_when_it_is_rounded(
    value: int | Decimal | Fraction, shown: str
) -> None:
    assert show_price(value) == shown
