"""Claims: gain curves in every form, and what is wrong with others (D1, D3)."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.sharing.checks import Reading
from comity.mechanisms.sharing.claims import curve_in, read_curve
from comity.mechanisms.sharing.curves import Segments, Smooth

F = Fraction


@pytest.mark.parametrize(
    ("form", "curve"),
    [
        ([[4, 2], (4, "1.1")], Segments(((F(4), F(2)), (F(4), F(11, 10))))),
        ({"segments": [[4, 2]]}, Segments(((F(4), F(2)),))),
        ({"points": [[0, 0], [4, 8], [8, 10]]}, Segments(((F(4), F(2)), (F(4), F(1, 2))))),
        ({"points": [[4, 8]]}, Segments(((F(4), F(2)),))),
        ({"points": [[0, 0]]}, Segments(())),
        ({"demand": "13/5"}, Segments(((F(13, 5), F(1)),))),
        ({"power": 0.5, "scale": 3}, Smooth("power", Decimal("0.5"), Decimal(3))),
        ({"log": 100}, Smooth("log", Decimal(100), Decimal(1))),
        ({"saturating": 100}, Smooth("saturating", Decimal(100), Decimal(1))),
        (Segments(((F(4), F(2)),)), Segments(((F(4), F(2)),))),
        (Smooth("log", Decimal(5), Decimal(1)), Smooth("log", Decimal(5), Decimal(1))),
    ],
)
def test_d1_every_form_of_a_curve_is_read(form: Any, curve: Any) -> None:
    assert read_curve(form) == curve


@pytest.mark.parametrize(
    ("form", "told"),
    [
        (5, "claims 5"),
        ([], "segments are []"),
        ([4, 2], "segments are [4, 2]"),
        ([[4, 2, 1]], "segments are [[4, 2, 1]]"),
        ({}, "claims {}"),
        ({"power": 0.5, "log": 3}, "claims {'power': 0.5, 'log': 3}"),
        ({"segments": [[1, 1]], "scale": 2}, "its segments curve has a field 'scale'"),
        ([[0, 2]], "width 0 is 0"),
        ([[4, -2]], "slope 0 is -2"),
        ([[4, float("nan")]], "slope 0 is nan"),
        ([[True, 2]], "width 0 is True"),
        ({"points": [[0, 0], [4, 8], [4, 9]]}, "point 2 at 4 gains 9"),
        ({"points": [[0, 1]]}, "point 0 at 0 gains 1"),
        ({"points": [[4, 8], [6, 7]]}, "point 1 at 6 gains 7"),
        ({"points": [["x", 8]]}, "money of point 0 is 'x'"),
        ({"power": 1}, "power is 1"),
        ({"power": 0}, "power is 0"),
        ({"log": -1, "scale": 0}, "log is -1"),
        ([[4, 1], [4, 2]], "its gain curve is not concave: the slope rises from 1 to 2 at 4"),
    ],
)
def test_d3_what_is_no_concave_curve_is_refused(form: Any, told: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_curve(form, whose="ann")
    assert caught.value.faults[0].whose == "ann"
    assert told in caught.value.faults[0].what


def test_g7_all_faults_of_a_curve_are_told_and_none_twice() -> None:
    with pytest.raises(InvalidInput) as caught:
        read_curve([[-1, -2], [3, float("inf")]])
    assert [fault.what.split(" is")[0] for fault in caught.value.faults] == [
        "width 0",
        "slope 0",
        "slope 1",
    ]


def test_d3_a_curve_is_made_concave_on_request_and_the_note_says_so() -> None:
    reading = Reading(concavify=True)
    found = curve_in(reading, [[2, 0], [2, 3]], "ann")
    assert found == Segments(((F(4), F(3, 2)),))
    assert reading.notes == [
        "ann: the slope rises from 0 to 3 at 2; the least concave curve above it is used"
    ]
