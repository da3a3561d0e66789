"""Rounding: whole units that add up, lots among equal remainders (D1, G4)."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.core.ties import lot
from comity.mechanisms.sharing.rounding import (
    drawn,
    largest_remainder,
    place_drawn,
    places_drawn,
    split,
    to_units,
)

F = Fraction


def test_larger_remainders_come_first_and_whole_shares_stay() -> None:
    found = to_units({"a": F(5, 3), "b": F(4, 3), "c": F(2)}, F(1), "0")
    assert found == ((2, 1, 2), (), 1)
    assert to_units({"a": F(1), "b": F(2)}, F(1, 2), "0").units == (2, 4)


def test_what_is_left_of_a_unit_is_not_handed_out() -> None:
    assert to_units({"a": F(13, 5), "b": F(1, 5)}, F(1), "0").units == (2, 0)


def test_g4_equal_remainders_go_by_lot_and_the_lot_can_be_drawn_again() -> None:
    shares = {name: F(10, 7) for name in "gfedcba"}
    found = to_units(shares, F(1), "s", "spare unit")
    assert (sum(found.units), found.ways, len(found.ties)) == (10, 35, 3)
    for tie in found.ties:
        assert tie == lot("s", tie.label, tie.tied)
    turned = to_units(dict(reversed(shares.items())), F(1), "s")
    assert turned.units == tuple(reversed(found.units))


def test_g4_lots_are_fair() -> None:
    seeds = 4000
    for count in (1, 2):
        seen = Counter(
            name for seed in range(seeds) for name in drawn("abc", count, "x", str(seed))[0]
        )
        expected = seeds * count / 3
        chi_square = sum((many - expected) ** 2 / expected for many in seen.values())
        assert chi_square < 13.8  # p > 0.001 with two degrees of freedom


def test_many_are_drawn_each_once_and_only_the_first_lots_are_listed() -> None:
    names = [f"n{at:03}" for at in range(100)]
    found, ties = drawn(names, 100, "x", "7")
    assert sorted(found) == names
    assert len(ties) == 20
    assert drawn(["a"], 1, "x", "7") == (["a"], [])
    many = places_drawn("7", "x", 10_001, 10_001)
    assert sorted(many) == list(range(10_001))
    assert place_drawn("7", "x", 1) == 0


def test_b20_to_b22_amounts_are_split_by_weights() -> None:
    assert largest_remainder(7, {"a": F(1), "b": F(0)}, "0").units == (7, 0)
    found = split(Decimal("100.00"), {"a": 1, "b": 1, "c": 1}, quantum="0.01")
    assert sum(found.values()) == 100
    assert sorted(map(str, found.values())) == ["33.33", "33.33", "33.34"]


@pytest.mark.parametrize(
    ("total", "weights", "quantum", "faults"),
    [
        (-1, {"a": 1}, 1, 1),
        ("0.5", {"a": 1}, 1, 1),
        (True, {"a": float("nan")}, 0, 4),
        (1, {"a": 0}, 1, 1),
        (1, {"a": -1}, 1, 1),
    ],
)
def test_what_cannot_be_split_is_refused(
    total: Any, weights: Any, quantum: Any, faults: int
) -> None:
    with pytest.raises(InvalidInput) as caught:
        split(total, weights, quantum=quantum)
    assert len(caught.value.faults) == faults
