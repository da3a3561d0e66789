"""Deadlock cases: is every listed circle found, and nothing else?

Here: the hand-made cases of the reference data, in any order: wait-for graphs, checks at each
wait, orders of acquisition, several units, the banker, timestamps, victims, queues, phantoms; the
article's example, and its search as a twin.
Not here: laws that hold for every graph (properties), single rules (unit tests).
Sources: SEMANTICS L1, L2; the reference data's own README.
"""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from itertools import permutations, product
from typing import TYPE_CHECKING, Any

import pytest

from comity.mechanisms.deadlock import (
    Claimed,
    Deadlock,
    WaitForGraph,
    check_orders,
    find_cycle,
    hand_over,
    is_safe,
    judge_request,
    judge_wait,
    reduce_requests,
    waits_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

Case = dict[str, Any]
SEEDS = 10_000 if os.environ.get("COMITY_FULL") == "1" else 1_000
RARE = {2: 10.83}  # chi-square of so many in one of a thousand fair runs
IDS = [f"D{at:02}" for at in (1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 16, 17, 18, 20, 21, 22, 24, 25)]


@pytest.fixture(scope="module")
def cases(need_data: Callable[[str], Path]) -> dict[str, Case]:
    found = need_data("mechanisms/deadlock.json")
    listed = json.loads(found.read_text(encoding="utf-8"))["cases"]
    return {case["id"]: case for case in listed}


def graph_of(edges: Iterable[list[str]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for waiter, holder in edges:
        found.setdefault(waiter, set()).add(holder)
    return found


def check_waits(given: Any, expected: Any) -> None:
    found = find_cycle(graph_of(given["edges"]))
    for order in (given["edges"][::-1], sorted(given["edges"], key=lambda edge: edge[1])):
        assert find_cycle(graph_of(order)) == found
    assert bool(found) is expected["deadlock"]
    assert [list(one.component) for one in found.cycles] == expected["components"]
    listed = {tuple(one) for one in expected["cycles"]}
    for one in found.cycles:
        inside = {cycle for cycle in listed if set(cycle) <= set(one.component)}
        shortest = {cycle for cycle in inside if len(cycle) == min(map(len, inside))}
        assert one.members in shortest
        assert one.equally_short == len(shortest)
        is_drawn_fairly(given["edges"], shortest)
    blocked = found.blocked if isinstance(found, Deadlock) else ()
    assert list(blocked) == expected["blocked_for_ever"]


def is_drawn_fairly(edges: Any, shortest: set[tuple[str, ...]]) -> None:
    """Hold the lot among the equally short cycles of a component: each as often as any other."""
    if len(shortest) == 1:
        return
    graph = graph_of(edges)
    seen: Counter[tuple[str, ...]] = Counter()
    for seed in range(SEEDS):
        drawn = find_cycle(graph, seed=str(seed)).cycles
        seen += Counter(one.members for one in drawn if one.members in shortest)
    assert set(seen) == shortest
    expected = SEEDS / len(shortest)
    assert sum((many - expected) ** 2 / expected for many in seen.values()) < RARE[len(shortest)]


def check_incremental(given: Any, expected: Any) -> None:
    graph = WaitForGraph()
    verdicts = [
        "refuse" if graph.wait(waiter, holder) else "wait" for waiter, holder in given["requests"]
    ]
    assert verdicts == expected["verdicts"]
    assert not find_cycle(graph.waits)


def check_acquisition(given: Any, expected: Any) -> None:
    found = check_orders(given["acquires"])
    assert found.can_deadlock is expected["can_deadlock"]
    assert [list(one) for one in found.deadlock_states] == expected["deadlock_states"]
    assert bool(found.cycle) is expected["lock_order_graph_has_cycle"]
    assert bool(found.order) is not bool(found.cycle)


def turned(table: dict[str, Any]) -> dict[str, Any]:
    return dict(reversed(table.items()))


def check_several_units(given: Any, expected: Any) -> None:
    state = given["available"], given["allocated"], given["requested"]
    found = reduce_requests(*state)
    assert reduce_requests(state[0], turned(state[1]), turned(state[2])) == found
    assert found.is_deadlocked is expected["deadlock"]
    assert list(found.stuck) == expected["deadlocked"]
    assert list(found.finished) == expected["one_completion_order"]


def check_banker(given: Any, expected: Any) -> None:
    state = given["available"], given["allocated"], given["maximum"]
    found = is_safe(*state)
    assert is_safe(state[0], turned(state[1]), turned(state[2])) == found
    assert (not found.stuck) is expected["safe"]
    assert list(found.finished) == expected["one_safe_order"]
    assert [judge_request(*state, agent, ask) for agent, ask in given["requests"]] == (
        expected["verdicts"]
    )


def check_timestamps(given: Any, expected: Any) -> None:
    for row in expected["rows"]:
        stamps = row["requester_ts"], row["holder_ts"]
        assert judge_wait("wound_wait", *stamps) == row["wound_wait"]
        assert judge_wait("wait_die", *stamps) == row["wait_die"]
    assert hand_over("wound_wait", {"x": 3, "y": 1, "z": 2}) == "y"
    assert hand_over("wait_die", {"x": 3, "y": 1, "z": 2}) == "x"
    pairs = list(permutations(range(3), 2))
    for rule in ("wound_wait", "wait_die"):
        allowed = [pair for pair in pairs if judge_wait(rule, *pair) == "wait"]
        for some in product([False, True], repeat=len(allowed)):
            chosen = [pair for pair, taken in zip(allowed, some, strict=True) if taken]
            assert not find_cycle(graph_of([str(a), str(b)] for a, b in chosen))


def check_victim(given: Any, expected: Any) -> None:
    cycle = given["cycle"]
    waits = dict(zip(cycle, (*cycle[1:], cycle[0]), strict=True))
    for rule in ("lowest_priority", "youngest", "fewest_held"):
        found = find_cycle(waits, agents=given["agents"], victim=rule)
        assert find_cycle(turned(waits), agents=turned(given["agents"]), victim=rule) == found
        assert isinstance(found, Deadlock)
        assert list(found.victims) == [expected[rule].split()[-1]]
    assert found.cycles[0].rule == "fewest held, then youngest"
    tired = {**given["agents"], "b": {**given["agents"]["b"], "aborts": 3}}
    aged = find_cycle(waits, agents=tired, victim="lowest_priority")
    assert isinstance(aged, Deadlock)
    assert (aged.victims, aged.cycles[0].exempt) == (("c",), ("b",))


def check_soft(given: Any, expected: Any) -> None:
    x = Claimed("x", {"h": "shared"}, [("b", "exclusive"), ("a", "shared")])
    y = Claimed("y", {"a": "exclusive"}, [("h", "exclusive")])
    hard, soft = waits_of([x, y])
    assert not find_cycle(hard), "a detector that knows holders only sees no circle"
    found = find_cycle(hard, soft=soft)
    assert bool(found) is expected["deadlock_with_fifo_queue"]
    assert isinstance(found, Deadlock)
    assert sorted(found.members) == expected["cycle"]
    assert found.victims == ()
    assert found.unblock == ("let a overtake b in the queue; nobody has to give way",)
    cured = Claimed("x", {"h": "shared", "a": "shared"}, [("b", "exclusive")])
    assert not find_cycle(waits_of([cured, y]).hard)


def check_phantom(given: Any, expected: Any) -> None:
    graph = WaitForGraph()
    for read in sorted(given["reads"], key=lambda one: one["t"]):
        if "edge" in read:
            assert graph.wait(*read["edge"]) == ()
        else:
            graph.remove("a", "b")  # "b releases, a proceeds"
    assert bool(find_cycle(graph.waits)) is expected["deadlock"]
    union = graph_of(read["edge"] for read in given["reads"] if "edge" in read)
    assert find_cycle(union), "the union over time looks like a circle"


CHECKS = {
    "wait_for_and": check_waits,
    "incremental": check_incremental,
    "acquisition_order": check_acquisition,
    "multi_instance": check_several_units,
    "banker": check_banker,
    "timestamp_rules": check_timestamps,
    "victim": check_victim,
    "soft_edge": check_soft,
    "phantom": check_phantom,
}


@pytest.mark.parametrize("name", IDS)
def test_l1_l2_every_case_comes_out_as_the_reference_says(
    name: str, cases: dict[str, Case]
) -> None:
    CHECKS[cases[name]["kind"]](cases[name]["input"], cases[name]["expected"])


def test_no_case_is_left_out(cases: dict[str, Case]) -> None:
    assert sorted(cases) == sorted(IDS)


# --- the article ------------------------------------------------------------------------------


def first_cycle(wait_for: dict[str, set[str]]) -> list[str] | None:
    """The article's search: colours, recursion, and the first cycle it comes across."""
    colour = dict.fromkeys(wait_for, "white")
    path: list[str] = []

    def visit(agent: str) -> list[str] | None:
        colour[agent] = "grey"
        path.append(agent)
        for other in wait_for.get(agent, ()):
            if colour.get(other, "white") == "grey":
                return [*path[path.index(other) :], other]
            if colour.get(other, "white") == "white":
                found = visit(other)
                if found:
                    return found
        colour[agent] = "black"
        path.pop()
        return None

    for agent in wait_for:
        if colour[agent] == "white":
            cycle = visit(agent)
            if cycle:
                return cycle
    return None


def test_l1_the_article_a_token_and_a_lock_are_held_crosswise() -> None:
    """A holds the rate-limit token and needs the database lock; B the other way round."""
    token = Claimed("token", {"A": "exclusive"}, [("B", "exclusive")])
    lock = Claimed("lock", {"B": "exclusive"}, [("A", "exclusive")])
    waits = waits_of([token, lock])
    found = find_cycle(waits.hard, soft=waits.soft)
    assert isinstance(found, Deadlock)
    assert (found.members, found.blocked, found.exit_code) == (("A", "B"), ("A", "B"), 10)
    assert first_cycle({"A": {"B"}, "B": {"A"}}) == ["A", "B", "A"]


def test_l1_the_article_search_finds_a_cycle_exactly_where_we_do_and_never_a_shorter() -> None:
    chance = random.Random(5)  # noqa: S311  # made-up waits
    seen = Counter[bool]()
    for _ in range(400):
        names = "abcdefgh"[: chance.randint(1, 8)]
        graph = {one: {other for other in names if chance.random() < 0.2} for one in names}
        theirs, ours = first_cycle(graph), find_cycle(graph)
        assert bool(theirs) is bool(ours)
        seen[bool(ours)] += 1
        if theirs:
            inside = [len(one.members) for one in ours.cycles if theirs[0] in one.component]
            assert len(theirs) - 1 >= inside[0]
    assert min(seen.values()) > 50


def test_l1_the_article_search_overflows_on_a_chain_that_ours_follows() -> None:
    chain = {f"n{at:05}": {f"n{at + 1:05}"} for at in range(20_000)}
    with pytest.raises(RecursionError):
        first_cycle(chain)
    assert not find_cycle(chain)
