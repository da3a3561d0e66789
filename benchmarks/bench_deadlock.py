"""Deadlock: how long does it take to see that a million waits hold no circle?

Here: a million acyclic waits at once, with the digest and the result; the same with a circle;
checks at each new wait; the same graph with networkx in the same run, where it is installed.
Not here: acquiring and leases (runner/).
Sources: SEMANTICS L1; the goal: 1,000,000 acyclic edges in 1.5 s of plain Python.

CPU time of this process, the best of five of ours, one of the peer. Exit 1 when a goal is missed.
BENCH_DEADLOCK=quick takes a tenth of the waits, and a tenth of the goal.
"""

from __future__ import annotations

import gc
import os
import random
import sys
import time
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from comity.mechanisms.deadlock import WaitForGraph, find_cycle
from comity.mechanisms.deadlock.cycles import has_cycle

if TYPE_CHECKING:
    from collections.abc import Callable

IS_QUICK = os.environ.get("BENCH_DEADLOCK") == "quick"
EDGES = 100_000 if IS_QUICK else 1_000_000
GOAL = 0.15 if IS_QUICK else 1.5

missed: list[str] = []


def best(run: Callable[[], object], batches: int = 5) -> float:
    """Return the CPU seconds of one run, the best of several."""
    found = []
    for _ in range(batches):
        gc.collect()
        start = time.process_time()
        run()
        found.append(time.process_time() - start)
    return min(found)


def acyclic(edges: int) -> dict[str, set[str]]:
    """Return waits that all point one way in a drawn order, half as many agents as waits."""
    chance = random.Random(edges)  # noqa: S311  # made-up waits
    agents = [f"agent-{at}" for at in range(edges // 2)]
    chance.shuffle(agents)
    found: dict[str, set[str]] = {}
    left = edges
    while left:
        first, second = sorted((chance.randrange(len(agents)), chance.randrange(len(agents))))
        holders = found.setdefault(agents[first], set()) if first < second else set()
        if first < second and agents[second] not in holders:
            holders.add(agents[second])
            left -= 1
    return found


def told(name: str, seconds: float, goal: float | None = None) -> None:
    """Print one line and remember a missed goal."""
    limit = ""
    if goal is not None:
        limit = f"  goal {goal:.2g} s: {'met' if seconds <= goal else 'MISSED'}"
    print(f"{name:<54} {seconds:>8.3f} s{limit}")
    if goal is not None and seconds > goal:
        missed.append(name)


def one_by_one(waits: dict[str, set[str]]) -> float:
    """Return checks per second when each agent waits for one holder, declared one by one."""
    pairs = [(waiter, min(holders)) for waiter, holders in waits.items()]
    graph = WaitForGraph()
    start = time.process_time()
    for waiter, holder in pairs:
        graph.wait(waiter, holder)
    return len(pairs) / (time.process_time() - start)


def peer(waits: dict[str, set[str]], ours: float) -> None:
    """The same graph with networkx, and how many times as long it takes."""
    networkx: Any = import_module("networkx")
    start = time.process_time()
    graph = networkx.DiGraph([(one, other) for one, each in waits.items() for other in each])
    built = time.process_time() - start

    def look() -> None:
        try:
            networkx.find_cycle(graph)
        except networkx.NetworkXNoCycle:
            return

    theirs = best(look, 1)
    version = metadata.version("networkx")
    told(f"networkx {version}: its graph of the same waits", built)
    told(f"networkx {version}: find_cycle, {EDGES:,} acyclic", theirs)
    print(f"networkx / ours: {theirs / ours:.1f} (its graph not counted)")


def main() -> int:
    """Measure, print, and say whether a goal was missed."""
    waits = acyclic(EDGES)
    ours = best(lambda: find_cycle(waits))
    told(f"find_cycle with its result, {EDGES:,} acyclic", ours, GOAL)
    told(f"search alone, {EDGES:,} acyclic", best(lambda: has_cycle(waits)))
    last, first = next(iter(waits)), min(next(iter(waits.values())))
    waits.setdefault(first, set()).add(last)
    told("the same with one circle closed", best(lambda: find_cycle(waits), 1))
    waits[first].remove(last)
    few = acyclic(20_000)
    print(f"{'one wait after the other, 10,000 agents':<54} {one_by_one(few):>8,.0f} /s")
    if find_spec("networkx"):
        peer(waits, ours)
    else:
        print("networkx is not installed: no peer beside")
    if missed:
        print(f"missed: {', '.join(missed)}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
