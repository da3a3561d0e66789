"""Written numbers: what files hold as recorded rules have it (G1, G5)."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from comity.core.canonical import canonical
from comity.formats.written_numbers import as_written


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (3, 3),
        (True, True),
        (None, None),
        ("x", "x"),
        (0.5, "0.5"),
        (2.0, 2),
        (Decimal("120.50"), "120.50"),
        (Decimal("1E+3"), 1000),
        (Fraction(1, 3), "1/3"),
        (Fraction(4, 2), 2),
        (float("inf"), "inf"),
        (Decimal("NaN"), "NaN"),
        (Decimal("-Infinity"), "-Infinity"),
        ([1, (0.5,)], [1, ["0.5"]]),
        ({"a": {"b": Decimal("0.10")}}, {"a": {"b": "0.10"}}),
    ],
)
def test_g5_numbers_are_integers_or_text(value: Any, written: Any) -> None:
    found = as_written(value)
    assert found == written
    assert type(found) is type(written)
    assert canonical(found)


@pytest.mark.parametrize(
    "value",
    [16**5000, -(16**5000), Decimal("1e5000"), Decimal("1e-5000")],
    ids=["long", "longnegative", "large", "small"],
)
def test_a_number_that_cannot_be_written_becomes_text_that_is_none(value: Any) -> None:
    found = as_written({"bid": value})["bid"]
    assert isinstance(found, str)
    assert len(found) < 60
    assert canonical(found)
