"""Curves: gains, margins and their inverses (D1)."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import pytest

from comity.mechanisms.sharing.curves import Segments, Smooth, SmoothKind, as_decimal, envelope

F = Fraction
KINKED = Segments(((F(4), F(2)), (F(4), F(1)), (F(2), F(0))))
SMOOTH = [
    Smooth("power", Decimal("0.5"), Decimal(3)),
    Smooth("log", Decimal(100), Decimal(7)),
    Smooth("saturating", Decimal(250), Decimal(9)),
]


def test_straight_pieces_gain_up_to_their_end_and_nothing_after() -> None:
    assert [KINKED.gain(F(x)) for x in (0, 4, 6, 8, 10, 99)] == [0, 8, 10, 12, 12, 12]
    assert [KINKED.last_gain(F(x)) for x in (1, 4, 5, 99)] == [2, 2, 1, 0]
    assert [KINKED.next_gain(F(x)) for x in (0, 4, 8, 99)] == [2, 1, 0, 0]
    assert KINKED.end == 8
    assert KINKED.scaled(F(1, 2)).gain(F(6)) == 5
    assert Segments(()).gain(F(5)) == Segments(()).end == 0


@pytest.mark.parametrize(
    ("curve", "gain"),
    [
        (SMOOTH[0], lambda x: 3 * math.sqrt(x)),
        (SMOOTH[1], lambda x: 7 * math.log1p(x / 100)),
        (SMOOTH[2], lambda x: 9 * (1 - math.exp(-x / 250))),
    ],
)
def test_smooth_kinds_are_what_their_names_say(curve: Smooth, gain: object) -> None:
    assert callable(gain)
    for money in (1, 50, 1234):
        assert float(curve.gain(F(money))) == pytest.approx(gain(money), rel=1e-12)
        step = F(1, 10**9)
        slope = (curve.gain(F(money) + step) - curve.gain(F(money))) / step
        assert float(curve.next_gain(F(money)) or 0) == pytest.approx(float(slope), rel=1e-6)
    assert curve.gain(F(0)) == 0


@pytest.mark.parametrize("curve", SMOOTH, ids=lambda one: one.kind)
def test_inverses_lead_back(curve: Smooth) -> None:
    for money in (F(1, 7), F(30), F(900)):
        slope, gain = curve.next_gain(money), curve.gain(money)
        assert slope is not None
        back = [
            curve.where_slope(as_decimal(slope)),
            curve.where_ratio(as_decimal(gain / slope)),
            curve.where_gain(as_decimal(gain)),
        ]
        assert all(abs(F(one) - money) < F(1, 10**25) for one in back)
    assert curve.where_ratio(Decimal(0)) == 0


def test_a_power_gains_without_bound_at_first_and_a_saturated_curve_ends() -> None:
    assert SMOOTH[0].next_gain(F(0)) is None
    assert SMOOTH[1].next_gain(F(0)) == F(7, 100)
    assert [one.end for one in SMOOTH] == [None, None, 50 * 250]
    assert SMOOTH[2].where_gain(Decimal(9)) == Decimal("Infinity")
    doubled = SMOOTH[1].scaled(F(2)).gain(F(10))
    assert abs(doubled - 2 * SMOOTH[1].gain(F(10))) < F(1, 10**35)


@pytest.mark.parametrize("kind", ["power", "log", "saturating"])
def test_a_smooth_curve_says_itself_as_json(kind: SmoothKind) -> None:
    assert Smooth(kind, Decimal("0.5"), Decimal(3)).to_json() == {kind: "0.5", "scale": 3}


def test_d3_the_envelope_is_the_least_concave_curve_above() -> None:
    parts = [(F(2), F(1)), (F(1), F(0)), (F(3), F(4)), (F(1), F(4)), (F(5), F(1))]
    found = envelope(parts)
    assert found == ((F(7), F(18, 7)), (F(5), F(1)))
    assert envelope(found) == found
    assert envelope([]) == ()


def test_a_saturated_curve_brings_nothing_more_beyond_its_end() -> None:
    """There e ** (-money / at) may have a million digits."""
    curve = Smooth("saturating", Decimal("9E-7"), Decimal("3E-8"))
    assert curve.next_gain(Fraction(1)) == curve.last_gain(Fraction(1)) == 0
    assert curve.end is not None
    assert curve.next_gain(curve.end) != 0
