"""Timestamps: waits only point one way in time (L2)."""

from __future__ import annotations

from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.deadlock.timestamps import TimestampRule, hand_over, judge_wait


@pytest.mark.parametrize(
    ("rule", "older", "younger", "next_holder"),
    [("wound_wait", "wound holder", "wait", "b"), ("wait_die", "wait", "die", "c")],
)
def test_l2_who_waits_and_who_gives_way(
    rule: TimestampRule, older: str, younger: str, next_holder: str
) -> None:
    assert (judge_wait(rule, 1, 2), judge_wait(rule, 2, 1)) == (older, younger)
    assert hand_over(rule, {"a": 5, "b": 1, "c": 9}) == next_holder
    assert hand_over(rule, {}) is None


def test_l2_after_a_hand_over_all_still_wait_the_right_way() -> None:
    waiters = {"a": 5, "b": 1, "c": 9}
    for rule in ("wound_wait", "wait_die"):
        holder = hand_over(rule, waiters)
        assert holder is not None
        rest = [stamp for name, stamp in waiters.items() if name != holder]
        assert {judge_wait(rule, stamp, waiters[holder]) for stamp in rest} == {"wait"}


@pytest.mark.parametrize(
    ("rule", "stamps", "faults"),
    [("fifo", (1, 2), 1), ("wait_die", (1, 1), 1), ("wait_die", (True, 1.5), 2)],
)
def test_what_is_no_timestamp_is_refused(rule: Any, stamps: Any, faults: int) -> None:
    with pytest.raises(InvalidInput) as caught:
        judge_wait(rule, *stamps)
    assert len(caught.value.faults) == faults
    with pytest.raises(InvalidInput) as caught:
        hand_over(rule, {"a": stamps[0], "b": stamps[1]})
    assert len(caught.value.faults) == faults
