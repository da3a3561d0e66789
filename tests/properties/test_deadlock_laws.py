"""Deadlock laws: what holds for every graph of waits?

Here: circles found exactly, order and names, victims, checks one by one, orders, timestamps.
Not here: single cases (unit tests), the reference cases (oracles).
Sources: SEMANTICS L1, L2, G3, G4.
"""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from comity.core.results import result_from_json
from comity.mechanisms.deadlock import (
    Deadlock,
    WaitForGraph,
    check_orders,
    find_cycle,
    full_jitter,
    hand_over,
    in_order,
    judge_wait,
    reduce_requests,
    violation,
)

NAMES = "abcdefgh"
names = st.sampled_from(NAMES)
edges = st.lists(st.tuples(names, names), max_size=24)


def graph_of(pairs: list[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for waiter, holder in pairs:
        if holder not in found.setdefault(waiter, []):
            found[waiter].append(holder)
    return found


def reach(graph: dict[str, list[str]], start: str) -> set[str]:
    found: set[str] = set()
    left = list(graph.get(start, []))
    while left:
        node = left.pop()
        if node not in found:
            found.add(node)
            left += graph.get(node, [])
    return found


@given(edges)
def test_l1_a_circle_is_found_exactly_where_somebody_reaches_itself(
    pairs: list[tuple[str, str]],
) -> None:
    graph = graph_of(pairs)
    found = find_cycle(graph)
    stuck = {name for name in NAMES if name in reach(graph, name)}
    assert {name for one in found.cycles for name in one.component} == stuck
    assert bool(found) is bool(stuck)
    for one in found.cycles:
        ring = (*one.members, one.members[0])
        assert all(holder in graph[waiter] for waiter, holder in pairwise(ring))
        assert len(set(one.members)) == len(one.members)
        assert one.members[0] == min(one.members)
        assert one.victim in one.members
    if isinstance(found, Deadlock):
        blocked = {name for name in NAMES if reach(graph, name) & stuck or name in stuck}
        assert set(found.blocked) == blocked


@given(edges, st.text(max_size=3), st.randoms(use_true_random=False))
def test_g3_input_order_never_matters(
    pairs: list[tuple[str, str]], seed: str, chance: Any
) -> None:
    turned = list(pairs)
    chance.shuffle(turned)
    assert find_cycle(graph_of(turned), seed=seed) == find_cycle(graph_of(pairs), seed=seed)
    as_sets = {name: set(each) for name, each in graph_of(pairs).items()}
    assert find_cycle(as_sets, seed=seed) == find_cycle(graph_of(pairs), seed=seed)


@given(edges)
def test_l2_aborting_the_victims_again_and_again_ends_every_deadlock(
    pairs: list[tuple[str, str]],
) -> None:
    graph = graph_of(pairs)
    for _ in range(len(NAMES) + 1):
        found = find_cycle(graph)
        if not isinstance(found, Deadlock):
            return
        gone = set(found.victims)
        assert gone
        graph = {
            name: [one for one in each if one not in gone]
            for name, each in graph.items()
            if name not in gone
        }
    raise AssertionError("a victim of each component leaves nothing in the end")


@given(edges, edges)
def test_l1_what_cures_by_overtaking_really_does(
    hard: list[tuple[str, str]], soft: list[tuple[str, str]]
) -> None:
    firm = graph_of(hard)
    queue = {
        name: [one for one in each if one not in firm.get(name, [])]
        for name, each in graph_of(soft).items()
    }
    found = find_cycle(firm, soft=queue)
    if not isinstance(found, Deadlock):
        return
    for one in found.cycles:
        assert bool(one.cures) is (one.victim is None)
        for cure in one.cures:
            turned = {name: [n for n in each if (name, n) != (cure.waiter, cure.holder)]
                      for name, each in queue.items()}  # fmt: skip
            turned.setdefault(cure.holder, []).append(cure.waiter)
            again = find_cycle(firm, soft=turned)
            left = {name for each in again.cycles for name in each.component}
            assert not left & set(one.component)


@given(edges)
def test_l1_waits_checked_one_by_one_never_hold_a_circle(pairs: list[tuple[str, str]]) -> None:
    graph = WaitForGraph()
    for waiter, holder in pairs:
        circle = graph.wait(waiter, holder)
        assert not find_cycle(graph.waits)
        if circle:
            assert circle[0] == waiter
            links = {**graph.waits, waiter: (*graph.holders(waiter), holder)}
            assert all(b in links[a] for a, b in pairwise((*circle, waiter)))


@given(edges, st.text(max_size=2))
def test_g1_a_result_survives_json(pairs: list[tuple[str, str]], seed: str) -> None:
    found = find_cycle(graph_of(pairs), seed=seed)
    assert result_from_json(json.loads(json.dumps(found.to_json()))) == found


@given(st.lists(st.lists(st.sampled_from("wxyz"), unique=True, max_size=3), max_size=3))
def test_l2_an_order_is_found_or_a_circle_and_an_order_never_deadlocks(
    sequences: list[list[str]],
) -> None:
    found = check_orders(sequences)
    if found.cycle:
        assert not found.order
        return
    assert found.can_deadlock is False
    for each in sequences:
        assert list(in_order(found.order, each)) == each
        for at, wanted in enumerate(each):
            assert violation(found.order, each[:at], wanted) is None


@given(st.lists(st.sampled_from("xyz"), unique=True, min_size=1), st.integers(2, 4), st.data())
def test_l2_agents_that_acquire_in_order_never_deadlock(
    order: list[str], agents: int, data: st.DataObject
) -> None:
    wanted = [in_order(order, data.draw(st.sets(st.sampled_from(order)))) for _ in range(agents)]
    assert check_orders(wanted).can_deadlock is False


@given(
    st.dictionaries(names, st.integers(), min_size=2).filter(
        lambda stamps: len(set(stamps.values())) == len(stamps)
    ),
    st.sampled_from(["wound_wait", "wait_die"]),
)
def test_l2_after_a_hand_over_every_wait_still_points_one_way(
    stamps: dict[str, int], rule: Any
) -> None:
    holder = hand_over(rule, stamps)
    assert holder is not None
    for name, stamp in stamps.items():
        if name != holder:
            assert judge_wait(rule, stamp, stamps[holder]) == "wait"


@given(st.integers(0, 200), st.fractions(0, 1).filter(lambda draw: draw < 1), st.integers(1, 999))
def test_l2_a_wait_is_below_the_cap_and_grows_with_the_draw(
    attempt: int, draw: Any, cap: int
) -> None:
    found = full_jitter(attempt, draw, base_ms=3, cap_ms=cap)
    assert 0 <= found < cap
    assert found <= full_jitter(attempt + 1, draw, base_ms=3, cap_ms=cap)


@given(st.lists(st.integers(0, 3), min_size=2, max_size=2), st.data())
def test_l1_more_units_never_stick_more(free: list[int], data: st.DataObject) -> None:
    vectors = st.lists(st.integers(0, 3), min_size=2, max_size=2)
    held = {name: data.draw(vectors) for name in "abc"}
    asks = {name: data.draw(vectors) for name in "abc"}
    fewer = reduce_requests(free, held, asks)
    more = reduce_requests([one + 1 for one in free], held, asks)
    assert set(more.stuck) <= set(fewer.stuck)
    assert sorted((*fewer.finished, *fewer.stuck)) == ["a", "b", "c"]
