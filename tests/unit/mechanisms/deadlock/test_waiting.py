"""Waiting: checked at each new wait (L1)."""

from __future__ import annotations

import random

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.deadlock.cycles import has_cycle
from comity.mechanisms.deadlock.detect import find_cycle
from comity.mechanisms.deadlock.waiting import WaitForGraph


def test_l1_a_wait_that_closes_a_circle_is_refused_and_told() -> None:
    graph = WaitForGraph({"a": "b", "b": ["c", "d"]})
    assert graph.wait("c", "a") == ("c", "a", "b")
    assert graph.wait("a", "a") == ("a",)
    assert graph.wait("d", "e") == ()
    assert graph.closes("e", "a") == ("e", "a", "b", "d")
    assert graph.closes("z", "a") == ()
    assert graph.closes("c", "d") == ()
    assert (len(graph), graph.holders("b"), graph.holders("x")) == (4, ("c", "d"), ())


def test_a_wait_may_be_added_whatever_it_closes() -> None:
    graph = WaitForGraph({"a": "b"})
    assert graph.add("b", "a") == ("b", "a")
    assert find_cycle(graph.waits).members == ("a", "b")


def test_waits_end_and_nothing_is_left_of_them() -> None:
    graph = WaitForGraph({"a": ["b", "c"], "d": "a"})
    graph.remove("a", "b")
    graph.remove("a", "x")
    graph.remove("x")
    assert graph.waits == {"a": ("c",), "d": ("a",)}
    graph.drop("a")
    assert (graph.waits, len(graph)) == ({}, 0)
    assert graph.wait("c", "a") == ()


def test_l1_checks_one_by_one_never_let_a_circle_in() -> None:
    chance = random.Random(3)  # noqa: S311  # made-up waits
    for _ in range(60):
        graph = WaitForGraph()
        for _ in range(30):
            waiter, holder = chance.choice("abcdef"), chance.choice("abcdef")
            before = graph.waits
            closed = graph.wait(waiter, holder)
            would = {**before, waiter: (*before.get(waiter, ()), holder)}
            assert bool(closed) is has_cycle(would)
            assert not has_cycle(graph.waits)


def test_l1_a_chain_of_ten_thousand_is_followed() -> None:
    graph = WaitForGraph({f"n{at}": [f"n{at + 1}"] for at in range(10_000)})
    assert len(graph.wait("n10000", "n0")) == 10_001


def test_names_that_are_none_are_refused() -> None:
    graph = WaitForGraph()
    for bad in ("", None, 5):
        with pytest.raises(InvalidInput):
            graph.wait("a", bad)  # type: ignore[arg-type]
        with pytest.raises(InvalidInput):
            graph.add(bad, "a")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput):
        WaitForGraph({"a": [""]})
    with pytest.raises(InvalidInput):
        WaitForGraph(5)  # type: ignore[arg-type]
