"""SVG: the page, its texts, round numbers for axes."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from comity.render.svg import axis_number, document, label, ticks


def test_a_title_is_cut_at_its_colon_and_a_long_one_is_not() -> None:
    assert ">Deal</text>" in document("Deal: at 80", "", "", 100)
    assert ">at 80</text>" in document("Deal: at 80", "", "", 100)
    assert document("x" * 90 + ": y", "", "", 100).count("<text") == 1
    assert document("No colon.", "", "", 100).count("<text") == 1


def test_words_are_escaped_and_stay_on_one_line() -> None:
    root = ET.fromstring(document("<a>\n&", "<d>", label(1, 2, "<b>\n", "x"), 50))  # noqa: S314
    assert [one.text for one in root.iter("{http://www.w3.org/2000/svg}text")][-1] == "<b>\\n"


@given(
    low=st.floats(-1e6, 1e6),
    width=st.floats(1e-2, 1e12),
    most=st.integers(2, 12),
)
def test_ticks_are_few_even_and_inside(low: float, width: float, most: int) -> None:
    high = low + width
    found = ticks(low, high, most)
    assert len(found) <= most + 1
    slack = (high - low) * 1e-6 + 1e-9
    assert all(low - slack <= one <= high + slack for one in found)
    if len(found) > 2:
        steps = [after - before for before, after in pairwise(found)]
        assert max(steps) - min(steps) <= slack


def test_ticks_are_round_numbers() -> None:
    assert ticks(56.4, 123.6) == [60, 80, 100, 120]
    assert ticks(0, 5, 10) == [0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5]
    assert ticks(0, 1, 10)[-1] == 1


def test_numbers_keep_their_sign() -> None:
    assert axis_number(-12_500.0) == "-12.5k"
    assert axis_number(0.0) == "0"
