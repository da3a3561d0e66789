"""Deadlock text: the circle, who gives way, what unblocks it (L1, L2)."""

from __future__ import annotations

from typing import Any

import pytest

from comity import find_cycle
from comity.render import deadlock as module
from comity.render.deadlock import deadlock_text
from comity.render.ink import Ink

RING = {"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}


def text(waits: Any, **options: Any) -> str:
    return deadlock_text(find_cycle(waits, **options).to_json(), Ink())


def test_l1_the_circle_is_told_wait_by_wait_with_its_victim_and_the_rule() -> None:
    agents = {name: {"started": at} for at, name in enumerate("abcd")}
    told = text(RING, agents=agents)
    assert told.startswith("Deadlock of 3: a -> b -> c -> a.")
    assert "The circle\n  - a waits for b\n  - b waits for c\n  - c waits for a\n" in told
    assert "  - c gives way: youngest\n" in told
    assert "Waits for ever\n  a, b, c, d" in told
    assert "What would unblock it\n  - abort c (youngest)" in told
    assert "second look" not in told


def test_l1_a_queue_that_can_be_reordered_needs_no_victim() -> None:
    told = text({"h": "a", "b": "h"}, soft={"a": "b"})
    assert "a waits for b in a queue" in told
    assert "nobody has to give way: a queue can be reordered" in told
    assert "let a overtake b" in told


def test_l2_who_is_exempt_and_who_else_waits_in_circles_is_told() -> None:
    agents = {"a": {"aborts": 3}, "b": {"aborts": 0}, "c": {"aborts": 0}}
    told = text({"a": {"b", "c"}, "b": {"a"}, "c": {"a"}}, agents=agents, seed="7")
    assert "exempt, as they gave way too often: a" in told
    assert "one of 2 equally short circles" in told
    assert "3 wait in circles together: a, b, c" in told
    assert "Worth a second look\n  - a lot decided" in told


def test_l1_several_circles_are_numbered_and_very_many_cut(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waits = {f"{at}{one}": f"{at}{other}" for at in range(5) for one, other in ("ab", "ba")}
    assert "Circle 5 of 5" in text(waits)
    monkeypatch.setattr(module, "_MOST_CYCLES", 2)
    monkeypatch.setattr(module, "_MOST_NAMES", 3)
    told = text(waits)
    assert "... and 3 more circles" in told
    assert " and 7 more" in told
    assert "  - and 2 more" in told
    long = {f"n{at}": f"n{(at + 1) % 90}" for at in range(90)}
    told = text(long)
    assert "and 87 more waits" in told
    assert max(map(len, told.split("\n"))) <= 400


def test_l1_without_a_circle_nothing_stands_still() -> None:
    assert text({"a": "b"}) == "No deadlock: one waits, nobody in a circle."


def test_a_deadlock_is_bad_news() -> None:
    ink = Ink(colours=True)
    assert "\x1b[31m" in deadlock_text(find_cycle(RING).to_json(), ink)
    assert "\x1b[32m" in deadlock_text(find_cycle({}).to_json(), ink)
