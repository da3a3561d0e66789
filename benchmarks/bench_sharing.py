"""Sharing: how long does it take to share one budget, among three and among a million?

Here: three campaigns with the full result; a million agents with four pieces each under both
objectives, exact in minor units; the same with cvxpy and Clarabel in the same run, where they are
installed, for fewer agents.
Not here: deadlock (bench_deadlock.py).
Sources: SEMANTICS D1; the goals: a million agents utilitarian 1.5 s, Nash 3 s, with numpy.

CPU time of this process, the best of five of ours, one of the peer. Exit 1 when a goal is missed.
BENCH_SHARING=quick takes a tenth of the agents, and a tenth of the goals; with --whole the peer
gets all the agents too, which takes minutes and 8 GB.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from functools import partial
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from comity.core.arrays import numpy_or_none
from comity.mechanisms.sharing import share, share_table

if TYPE_CHECKING:
    from collections.abc import Callable

IS_QUICK = os.environ.get("BENCH_SHARING") == "quick"
AGENTS = 100_000 if IS_QUICK else 1_000_000
GOALS: dict[Literal["utilitarian", "nash"], float] = {"utilitarian": 1.5, "nash": 3.0}
PEER_AGENTS = AGENTS if "--whole" in sys.argv else AGENTS // 20

CAMPAIGNS = {
    "a": [[4000, 2], [4000, "1.1"], [4000, "0.4"]],
    "b": [[3000, 3], [3000, "1.5"], [6000, "0.5"]],
    "c": [[2000, "2.5"], [3000, "1.2"], [7000, "0.3"]],
}

missed: list[str] = []


def best(run: Callable[[], object], *, times: int = 1, batches: int = 5) -> float:
    """Return the CPU seconds of one run, the best of several batches."""
    found = []
    for _ in range(batches):
        gc.collect()
        start = time.process_time()
        for _ in range(times):
            run()
        found.append((time.process_time() - start) / times)
    return min(found)


def told(name: str, seconds: float, goal: float | None = None) -> None:
    """Print one line and remember a missed goal."""
    limit = ""
    if goal is not None:
        limit = f"  goal {goal:.2g} s: {'met' if seconds <= goal else 'MISSED'}"
    print(f"{name:<45} {seconds:>10.5f} s{limit}")
    if goal is not None and seconds > goal:
        missed.append(name)


def team() -> None:
    """Three campaigns with everything that the result says."""
    for objective in ("nash", "utilitarian", "leximin"):
        run = partial(share, 12000, CAMPAIGNS, objective=objective)
        told(f"3 campaigns {objective}, full result", best(run, times=50))
    many = {f"n{at}": CAMPAIGNS["abc"[at % 3]] for at in range(1000)}
    told("1,000 agents nash, full result", best(lambda: share(4_000_000, many), batches=1))


def tables(np: Any, agents: int) -> tuple[Any, Any, int]:  # noqa: ANN401  # numpy and arrays
    """Return widths, slopes and half of what can be used."""
    chance = np.random.default_rng(7)
    widths = chance.integers(1, 5000, size=(agents, 4))
    slopes = np.sort(chance.integers(1, 1_000_000, size=(agents, 4)), axis=1)[:, ::-1]
    return widths, slopes, int(widths.sum()) // 2


def large(np: Any) -> None:  # noqa: ANN401  # numpy
    """A million agents."""
    widths, slopes, budget = tables(np, AGENTS)
    for objective, goal in GOALS.items():
        run = partial(share_table, budget, widths, slopes, objective=objective)
        found = run()
        assert int(found.units.sum()) == budget, "the units add up to the budget"
        told(f"{AGENTS:,} agents x 4 {objective}", best(run), goal / (10 if IS_QUICK else 1))


def peer(np: Any, agents: int) -> None:  # noqa: ANN401  # numpy
    """The same with cvxpy and Clarabel, and how many times as long it takes."""
    cvxpy: Any = import_module("cvxpy")
    name = f"cvxpy {metadata.version('cvxpy')}, Clarabel {metadata.version('clarabel')}"
    print(f"{name}: {agents:,} agents x 4, scaled for it, its problem built and solved")
    widths, slopes, budget = tables(np, agents)
    wide, steep = widths / widths.max(), slopes / slopes.max()
    said = {}

    def solve(objective: Literal["utilitarian", "nash"]) -> None:
        money = cvxpy.Variable(widths.shape, nonneg=True)
        gains = cvxpy.sum(cvxpy.multiply(money, steep), axis=1)
        goal = cvxpy.sum(gains) if objective == "utilitarian" else cvxpy.sum(cvxpy.log(gains))
        limits = [cvxpy.sum(money) <= budget / widths.max(), money <= wide]
        problem = cvxpy.Problem(cvxpy.Maximize(goal), limits)
        try:
            problem.solve(solver=cvxpy.CLARABEL)
        except cvxpy.error.SolverError as error:
            said[objective] = str(error)
        else:
            said[objective] = problem.status

    for objective in GOALS:
        run = partial(share_table, budget, widths, slopes, objective=objective)
        ours, theirs = best(run), best(partial(solve, objective), batches=1)
        told(f"ours, {agents:,} agents {objective}", ours)
        told(f"Clarabel, {agents:,} agents {objective}", theirs)
        print(f"Clarabel / ours, {objective}: {theirs / ours:.0f}; it says {said[objective]}")


def main() -> int:
    """Measure, print, and say whether a goal was missed."""
    team()
    np = numpy_or_none()
    if np is None:
        print("numpy is not installed: no large budgets")
        return 0
    large(np)
    if find_spec("cvxpy"):
        peer(np, PEER_AGENTS)
    else:
        print("cvxpy is not installed: no peer beside")
    if missed:
        print(f"missed: {', '.join(missed)}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
