"""Banker: several units of each resource (L1)."""

from __future__ import annotations

import random
from itertools import permutations
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.deadlock.banker import is_safe, judge_request, reduce_requests

HELD = {"a": [4], "b": [3], "c": [3]}
MOST = {"a": [8], "b": [5], "c": [9]}


def test_it_agrees_with_every_order_looked_at() -> None:
    chance = random.Random(9)  # noqa: S311  # made-up states
    seen = set()
    for _ in range(200):
        names = "abc"
        free = [chance.randint(0, 2) for _ in range(2)]
        held = {name: [chance.randint(0, 2) for _ in range(2)] for name in names}
        asks = {name: [chance.randint(0, 3) for _ in range(2)] for name in names}
        most_done = max(
            (longest(order, free, held, asks) for order in permutations(names)), key=len
        )
        found = reduce_requests(free, held, asks)
        assert set(found.finished) == set(most_done)
        assert found.is_deadlocked is (len(most_done) < 3)
        seen.add(found.is_deadlocked)
    assert seen == {False, True}


def longest(order: Any, free: Any, held: Any, asks: Any) -> tuple[str, ...]:
    there, done = list(free), []
    for name in order:
        if any(one > left for one, left in zip(asks[name], there, strict=True)):
            break
        there = [left + one for one, left in zip(held[name], there, strict=True)]
        done.append(name)
    return tuple(done)


def test_requests_are_judged_from_the_state_given() -> None:
    assert judge_request([2], HELD, MOST, "b", [2]) == "grant"
    assert judge_request([2], HELD, MOST, "a", [1]) == "wait: unsafe"
    assert judge_request([2], HELD, MOST, "a", [3]) == "wait: not available"
    assert is_safe([1], HELD, MOST).is_deadlocked


@pytest.mark.parametrize(
    ("check", "faults"),
    [
        (lambda: reduce_requests([], {"a": [1]}, {"a": [1]}), 3),
        (lambda: reduce_requests([1], {"a": [1, 2]}, {"a": [-1]}), 2),
        (lambda: reduce_requests([True], {"a": [1.5]}, {"": [1]}), 4),
        (lambda: reduce_requests([1], {"a": [1]}, {"b": [1]}), 1),
        (lambda: reduce_requests(5, 5, {"b": [1]}), 2),  # type: ignore[arg-type]
        (lambda: is_safe([1], {"a": [2, 3]}, {"a": [1]}), 1),
        (lambda: is_safe([1], {"a": [2]}, {"a": [1]}), 1),
        (lambda: judge_request([1], HELD, MOST, "z", [1]), 1),
        (lambda: judge_request([9], HELD, MOST, "a", [5]), 1),
        (lambda: judge_request([9], HELD, MOST, "a", [1, 2]), 1),
    ],
)
def test_what_is_no_state_is_refused(check: Any, faults: int) -> None:
    with pytest.raises(InvalidInput) as caught:
        check()
    assert len(caught.value.faults) == faults, caught.value.faults
