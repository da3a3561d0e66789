"""Frontier: how long do the exact points of a domain take, without looking at every deal?

Here: frontier and all solution points of additive domains of 10^6, 10^30 and 100^15 deals in plain
Python, the frontier of 30,001 prices; negmas's frontier of the same prices, and of 10,000 deals
where both can, in the same run, where it is installed.
Not here: negotiations (bench_issues.py).
Sources: SEMANTICS M4, N14. negmas is under the AGPL: measured beside, never a dependency.

CPU time of this process, the best of several runs. Whole values from 0 to 10,000. What is
measured starts from built preferences and ends with every point; BENCH_FRONTIER=quick gives negmas
3,001 prices instead of 30,001. Exit 1 when a goal is missed.
"""

from __future__ import annotations

import os
import random
import sys
import time
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.frontier import frontier
from comity.mechanisms.bargaining.preferences import Additive, additive
from comity.mechanisms.bargaining.problem import Problem, problem_of
from comity.mechanisms.bargaining.solutions import solutions

if TYPE_CHECKING:
    from collections.abc import Callable

GOALS = ((6, 10, 5e-3), (30, 10, 50e-3), (15, 100, 150e-3))
PRICES, PRICES_GOAL = 30_001, 10e-3
PRICES_OF_PEER = 3_001 if os.environ.get("BENCH_FRONTIER") == "quick" else PRICES

missed: list[str] = []


def drawn(issues: int, options: int) -> Problem:
    """Return a problem of two parties with drawn whole values."""
    chance = random.Random(f"{issues} {options}")  # noqa: S311  # made-up values
    domain = domain_of({f"i{at}": list(range(options)) for at in range(issues)})

    def wants() -> Additive:
        return additive(
            domain,
            {
                term.name: {option: chance.randint(0, 10_000) for option in term.names}
                for term in domain.terms
            },
            reservation=0,
        )

    return problem_of(domain, {"a": wants(), "b": wants()})


def prices(count: int) -> Problem:
    """Return a seller and a buyer over prices that are all efficient."""
    domain = domain_of({"price": list(range(count))})
    seller = additive(domain, {"price": {str(one): one for one in range(count)}})
    buyer = additive(domain, {"price": {str(one): count - 1 - one for one in range(count)}})
    return problem_of(domain, {"seller": seller, "buyer": buyer})


def best(run: Callable[[], object], times: int = 9) -> float:
    """Return the CPU seconds of the best run."""
    found = []
    for _ in range(times):
        start = time.process_time()
        run()
        found.append(time.process_time() - start)
    return min(found)


def fresh(problem: Problem) -> None:
    """Forget what preferences keep, so that every run does all the work."""
    for one in problem.parties:
        assert isinstance(one.preferences, Additive)
        one.preferences._whole.clear()  # noqa: SLF001  # what is kept would not be measured


def told(name: str, seconds: float, goal: float, beside: str = "") -> None:
    """Print one line and remember a missed goal."""
    state = "ok    " if seconds <= goal else "MISSED"
    told_as = f"{seconds * 1e3:.3g} ms"
    print(
        f"{state} {name:<46} {told_as:>9}  goal {goal * 1e3:g} ms  {beside}".rstrip(), flush=True
    )
    if seconds > goal:
        missed.append(name)


def theirs(problem: Problem) -> float:
    """Return the CPU seconds of negmas's frontier of the same deals, all of them given to it."""
    outcomes: Any = import_module("negmas.outcomes")
    preferences: Any = import_module("negmas.preferences")
    ops: Any = import_module("negmas.preferences.ops")
    space = outcomes.make_os(
        [outcomes.make_issue(list(term.names), term.name) for term in problem.domain.terms]
    )
    utilities = []
    for one in problem.parties:
        assert isinstance(one.preferences, Additive)
        values = [
            {option: float(value) for option, value in row.items()}
            for row in one.preferences.table().values()
        ]
        utilities.append(
            preferences.LinearAdditiveUtilityFunction(values=values, outcome_space=space)
        )
    listed = list(space.enumerate())
    return best(lambda: ops.pareto_frontier(utilities, outcomes=listed), times=1)


def main() -> int:
    """Measure, print, and return 1 when a goal is missed."""
    has_peer = find_spec("negmas") is not None
    if not has_peer:
        print("SKIPPED negmas: not installed here")
    for issues, options, goal in GOALS:
        problem = drawn(issues, options)

        def whole(problem: Problem = problem) -> object:
            fresh(problem)
            return solutions(frontier(problem))

        size = frontier(problem).size
        told(f"{issues} issues x {options}, all points ({size} efficient)", best(whole), goal)
    problem = prices(PRICES)
    ours = best(lambda: frontier(problem))
    beside = ""
    if has_peer:
        spent = theirs(problem if PRICES_OF_PEER == PRICES else prices(PRICES_OF_PEER))
        ratio = f", {spent / ours:,.0f} times" if PRICES_OF_PEER == PRICES else ""
        beside = f"negmas, {PRICES_OF_PEER:,} prices: {spent:.3g} s{ratio}"
    told(f"{PRICES:,} prices, all efficient", ours, PRICES_GOAL, beside)
    if has_peer:
        small = drawn(4, 10)
        fresh(small)
        ours, spent = best(lambda: frontier(small)), theirs(small)
        print(
            f"       10,000 deals: {ours * 1e3:.3g} ms, negmas {spent * 1e3:.3g} ms, "
            f"{spent / ours:,.0f} times"
        )
    if missed:
        print(f"missed: {', '.join(missed)}")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
