"""Sharing: how long does it take to share one budget, among three and among a million?

Here: three campaigns with the full result; a million agents with four pieces each under both
objectives, exact in minor units; the same with cvxpy in the same run, where it is installed.
Not here: deadlock (bench_deadlock.py).
Sources: SEMANTICS D1; the goals: a million agents utilitarian 1.5 s, Nash 3 s, with numpy.

CPU time of this process, the best of three. Exit 1 when a goal is missed. BENCH_SHARING=quick
takes a tenth of the agents.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from comity.core.arrays import numpy_or_none
from comity.mechanisms.sharing import share, share_table

if TYPE_CHECKING:
    from collections.abc import Callable

GOALS = {"utilitarian": 1.5, "nash": 3.0}
AGENTS = 100_000 if os.environ.get("BENCH_SHARING") == "quick" else 1_000_000
PEER_AGENTS = 1_000

CAMPAIGNS = {
    "a": [[4000, 2], [4000, "1.1"], [4000, "0.4"]],
    "b": [[3000, 3], [3000, "1.5"], [6000, "0.5"]],
    "c": [[2000, "2.5"], [3000, "1.2"], [7000, "0.3"]],
}

missed: list[str] = []


def best(run: Callable[[], object], *, times: int = 1, batches: int = 3) -> float:
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
    state = "      " if goal is None else "ok    " if seconds <= goal else "MISSED"
    limit = "" if goal is None else f"  goal {goal:.2g} s"
    print(f"{state} {name:<52} {seconds:>9.5f} s{limit}")
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
        told(f"{AGENTS:,} agents x 4 {objective}", best(run), goal)


def peer(np: Any) -> None:  # noqa: ANN401  # numpy
    """The same with cvxpy, for a thousand agents."""
    cvxpy: Any = import_module("cvxpy")
    widths, slopes, budget = tables(np, PEER_AGENTS)
    for objective in GOALS:
        money = cvxpy.Variable(widths.shape, nonneg=True)
        gains = cvxpy.sum(cvxpy.multiply(money, slopes), axis=1)
        goal = cvxpy.sum(gains) if objective == "utilitarian" else cvxpy.sum(cvxpy.log(gains))
        limits = [cvxpy.sum(money) <= budget, money <= widths]
        problem = cvxpy.Problem(cvxpy.Maximize(goal), limits)
        told(f"cvxpy {PEER_AGENTS:,} agents {objective}", best(problem.solve, batches=1))
        run = partial(share_table, budget, widths, slopes, objective=objective)
        told(f"ours  {PEER_AGENTS:,} agents {objective}", best(run))


def main() -> int:
    """Measure, print, and say whether a goal was missed."""
    team()
    np = numpy_or_none()
    if np is None:
        print("       numpy is not installed: no large budgets")
        return 0
    large(np)
    if find_spec("cvxpy"):
        peer(np)
    else:
        print("       cvxpy is not installed: no peer beside")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
