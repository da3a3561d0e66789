"""Cycles: searches that neither overflow nor enumerate (L1, G4)."""

from __future__ import annotations

import random
from collections import Counter
from itertools import permutations
from typing import TYPE_CHECKING

import pytest

from comity.core.ties import lot
from comity.mechanisms.deadlock.cycles import (
    components,
    has_cycle,
    reaching,
    rotated,
    shortest_cycle,
    shortest_path,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

Graph = dict[str, list[str]]


def made(chance: random.Random) -> Graph:
    names = "abcdef"[: chance.randint(1, 6)]
    return {
        name: [one for one in names if chance.random() < 0.3]
        for name in names
        if chance.random() < 0.9
    }


def all_cycles(graph: Graph) -> Iterator[tuple[str, ...]]:
    nodes = sorted({*graph, *(one for each in graph.values() for one in each)})
    for size in range(1, len(nodes) + 1):
        for path in permutations(nodes, size):
            pairs = zip(path, (*path[1:], path[0]), strict=True)
            if path[0] == min(path) and all(b in graph.get(a, []) for a, b in pairs):
                yield path


def test_l1_searches_agree_with_every_cycle_looked_at() -> None:
    chance = random.Random(5)  # noqa: S311  # made-up graphs
    for at in range(150):
        graph = made(chance)
        cycles = list(all_cycles(graph))
        assert has_cycle(graph) is bool(cycles)
        inside = {name for cycle in cycles for name in cycle}
        found = components(graph)
        assert sorted(name for each in found for name in each) == sorted(inside)
        for component in found:
            own = [cycle for cycle in cycles if set(cycle) <= set(component)]
            shortest = [one for one in own if len(one) == min(map(len, own))]
            drawn = shortest_cycle(graph, component, str(at))
            assert drawn.members in shortest
            assert drawn.equally_short == len(shortest)


def test_l1_long_chains_and_rings_do_not_overflow() -> None:
    many = 5_000
    chain = {f"n{at}": [f"n{at + 1}"] for at in range(many)}
    assert not has_cycle(chain)
    assert components(chain) == []
    ring = {**chain, f"n{many}": ["n0"]}
    assert has_cycle(ring)
    (component,) = components(ring)
    found = shortest_cycle(ring, component, "0")
    assert len(found.members) == many + found.equally_short == many + 1
    two = {**ring, "n7": ["n8", "m0"]} | {f"m{at}": [f"m{at + 1}"] for at in range(many)}
    two[f"m{many}"] = ["n7"]
    (component,) = components(two)
    assert len(shortest_cycle(two, component, "0").members) == many + 1


def test_l1_nobody_lists_the_million_cycles_of_ten_who_wait_for_each_other() -> None:
    names = [f"a{at}" for at in range(10)]
    graph = {one: [other for other in names if other != one] for one in names}
    found = shortest_cycle(graph, names, "0")
    assert (len(found.members), found.equally_short, found.tie) == (2, 45, None)


def test_l1_nodes_that_only_appear_as_targets_count_and_self_waits_are_cycles() -> None:
    assert components({"a": ["b"]}) == []
    assert components({"a": ["a", "b"]}) == [("a",)]
    assert shortest_cycle({"a": ["a"]}, ["a"], "0") == (("a",), 1, None)
    both = {"a": ["a", "b"], "b": ["a"]}
    assert shortest_cycle(both, "ab", "0").members == ("a",)


def test_g4_each_of_the_equally_short_is_as_likely_and_the_lot_can_be_drawn_again() -> None:
    graph = {"a": ["b", "c", "d"], "b": ["a", "e"], "c": ["a"], "d": ["e"], "e": ["b"]}
    seen: Counter[tuple[str, ...]] = Counter()
    for seed in range(900):
        found = shortest_cycle(graph, "abcde", str(seed))
        seen[found.members] += 1
        assert found.tie is not None
        assert found.tie == lot(str(seed), found.tie.label, found.tie.tied)
    assert set(seen) == {("a", "b"), ("a", "c"), ("b", "e")}
    assert sum((many - 300) ** 2 / 300 for many in seen.values()) < 13.8  # p > 0.001
    turned = {name: graph[name][::-1] for name in reversed(graph)}
    for seed in range(50):
        assert shortest_cycle(graph, "abcde", str(seed)) == shortest_cycle(
            turned, "ecdba", str(seed)
        )


def test_g4_many_equally_short_are_drawn_by_number() -> None:
    names = [f"a{at}" for at in range(8)]
    graph = {one: [other for other in names if other != one] for one in names}
    seen = {shortest_cycle(graph, names, str(seed)).members for seed in range(600)}
    assert len(seen) == 28


def test_shortest_paths_are_drawn_too() -> None:
    graph = {"a": ["b", "c", "x"], "b": ["d"], "c": ["d"], "x": ["y"], "y": ["d"]}
    seen = {shortest_path(graph, "a", "d", str(seed)) for seed in range(40)}
    assert seen == {("a", "b", "d"), ("a", "c", "d")}
    assert shortest_path(graph, "d", "a", "0") == ()


def test_who_reaches_a_goal_and_how_a_cycle_is_written() -> None:
    assert reaching({"a": ["b"], "c": ["a"], "x": ["y"]}, ["b"]) == ("a", "b", "c")
    assert reaching({"a": ["b"], "b": ["a"], "c": ["a", "b"]}, ["a", "b"]) == ("a", "b", "c")
    assert rotated("cab") == ("a", "b", "c")


@pytest.mark.full
def test_l1_a_ring_of_two_hundred_thousand_is_found() -> None:
    ring = {f"n{at}": [f"n{(at + 1) % 200_000}"] for at in range(200_000)}
    (component,) = components(ring)
    assert len(shortest_cycle(ring, component, "0").members) == 200_000
