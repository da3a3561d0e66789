"""Backoff: full jitter, capped before the draw (L2)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.deadlock.backoff import full_jitter


def test_l2_the_cap_comes_before_the_draw_so_the_herd_stays_apart() -> None:
    waits = {full_jitter(40, Fraction(at, 100), cap_ms=1000) for at in range(100)}
    assert len(waits) == 100
    assert (min(waits), max(waits)) == (0, 990)


def test_the_window_doubles_until_the_cap() -> None:
    highest = Fraction(10**9 - 1, 10**9)
    assert [full_jitter(at, highest, base_ms=10, cap_ms=100) for at in (0, 1, 2, 3, 4, 10**9)] == [
        9, 19, 39, 79, 99, 99,
    ]  # fmt: skip
    assert full_jitter(3, "1/2") == full_jitter(3, 0.5) == 200


@pytest.mark.parametrize(
    ("attempt", "draw", "more", "faults"),
    [
        (-1, 0, {}, 1),
        (True, 1, {}, 2),
        (0.5, float("nan"), {}, 2),
        (0, -0.1, {"base_ms": 0, "cap_ms": 0}, 3),
    ],
)
def test_what_cannot_be_is_refused(attempt: Any, draw: Any, more: Any, faults: int) -> None:
    with pytest.raises(InvalidInput) as caught:
        full_jitter(attempt, draw, **more)
    assert len(caught.value.faults) == faults
