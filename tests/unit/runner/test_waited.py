"""Waited: what has passed, whatever the clock shows (L2)."""

from __future__ import annotations

from comity.runner.waited import Waited
from comity.testing.clock import FakeClock


def test_l2_pauses_and_what_lies_between_them_count(clock: FakeClock) -> None:
    waited = Waited(clock)
    clock.advance(40)
    waited.pause(300)
    clock.advance(5)
    assert waited.left_ms(1_000) == 655


def test_l2_a_clock_that_is_set_neither_stretches_nor_cuts_a_wait(clock: FakeClock) -> None:
    waited = Waited(clock)
    clock._now += 86_400_000
    assert waited.left_ms(5_000) == 4_000, "one second at most is believed"
    clock._now -= 2 * 86_400_000
    waited.pause(500)
    assert waited.left_ms(5_000) == 3_500
