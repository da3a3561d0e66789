"""Issues: how many negotiations over several issues does one core do in a second?

Here: the speed goals of bargaining over several issues, one function per goal in GOALS; the same
negotiations with negmas in the same run, where it is installed.
Not here: the quality of the deals (bench_issue_strategies.py), prices (bench_price.py).
Sources: SEMANTICS M2 to M4; research/negotiation.md, "Goals that follow". negmas is under the
AGPL: measured beside, never a dependency.

CPU time of this process, the best of several batches. Exit 1 when a goal is missed.
"""

from __future__ import annotations

import sys
import time
from importlib import import_module
from importlib.util import find_spec
from itertools import count
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from comity.core.arrays import numpy_or_none
from comity.mechanisms.bargaining.domain import Domain, domain_of
from comity.mechanisms.bargaining.outcomes import Outcomes, outcomes_of
from comity.mechanisms.bargaining.preferences import Additive, additive
from comity.mechanisms.bargaining.problem import Problem, problem_of
from comity.mechanisms.bargaining.several import negotiate_issues
from comity.mechanisms.bargaining.strategies import STRATEGIES

if TYPE_CHECKING:
    from collections.abc import Callable

BATCHES = 7
ROUNDS = 100
PEER_SECONDS = 3.0

numbers = count(1)


def spread(number: int) -> float:
    """Return a number from 0 to 1 that looks drawn and is the same everywhere."""
    return (number * 2654435761 % 2**32) / 2**32


def domain(issues: int, options: int) -> Domain:
    """Return a domain of equal issues."""
    names = [f"o{one}" for one in range(options)]
    return domain_of({f"i{one}": names for one in range(issues)})


def wants(over: Domain, salt: int) -> Additive:
    """Return preferences with weights and values that look drawn, best 1, worst 0."""
    weights = [0.2 + spread(salt * 31 + at) for at in range(len(over.terms))]
    table = {}
    for at, term in enumerate(over.terms):
        values = [
            spread(salt * 1009 + at * 101 + place * 7 + 1) for place in range(len(term.options))
        ]
        low, high = min(values), max(values)
        share = weights[at] / sum(weights)
        table[term.name] = {
            name: round(share * (value - low) / (high - low), 6)
            for name, value in zip(term.names, values, strict=True)
        }
    return additive(over, table, reservation="0.2")


def pair(issues: int, options: int) -> Problem:
    """Return a problem of two parties."""
    over = domain(issues, options)
    return problem_of(over, {"ann": wants(over, 1), "bob": wants(over, 2)})


# --- the goals -------------------------------------------------------------------------------


class Goal(NamedTuple):
    """One goal: what is done, how often in a batch, and the bar.

    Attributes:
        says: what is done once.
        make: builds the action; building it is not measured.
        times: how often it is done in a batch.
        least: times a second at least; or None.
        most: seconds for one at most; or None.
    """

    says: str
    make: Callable[[], Callable[[], object]]
    times: int
    least: float | None = None
    most: float | None = None


def cold(strategy: str, issues: int, options: int) -> Callable[[], object]:
    """Negotiate with tables made anew each time."""
    problem = pair(issues, options)
    return lambda: negotiate_issues(
        problem_of(problem.domain, list(problem.parties)),
        [strategy, strategy],
        rounds=ROUNDS,
        seed=str(next(numbers)),
    )


def warm(strategy: str, issues: int, options: int) -> Callable[[], object]:
    """Negotiate again and again over the same tables, with the whole (lazy) path of offers."""
    outcomes = outcomes_of(pair(issues, options))
    return lambda: negotiate_issues(
        outcomes, [strategy, strategy], rounds=ROUNDS, seed=str(next(numbers))
    )


def round_robin() -> Callable[[], object]:
    """Play ten strategies against each other in both roles over 1,000 deals."""
    problem = pair(3, 10)
    players = [*sorted(STRATEGIES), "boulware:0.1", "conceder:2"][:10]
    assert len(players) == 10

    def play() -> int:
        outcomes: Outcomes = outcomes_of(problem)
        for own in players:
            for other in players:
                for first in ("ann", "bob"):
                    negotiate_issues(outcomes, [own, other], rounds=ROUNDS, first=first)
        return 2 * len(players) ** 2

    return play


GOALS = [
    Goal("5x10 Boulware, tables anew", lambda: cold("boulware", 5, 10), 10, least=50),
    Goal("5x10 Boulware, tables ready", lambda: warm("boulware", 5, 10), 500, least=5_000),
    Goal("3x10 Boulware, tables anew", lambda: cold("boulware", 3, 10), 100),
    Goal("1x101 linear, tables ready", lambda: warm("linear", 1, 101), 500),
    Goal("3x10 MiCRO, tables ready", lambda: warm("micro", 3, 10), 50),
    Goal("3x10 comity, tables ready", lambda: warm("comity", 3, 10), 20),
    Goal("5x6 comity, tables ready", lambda: warm("comity", 5, 6), 10),
    Goal("200 negotiations, 10x10 round robin, 3x10", round_robin, 1, most=0.5),
]


def seconds_of(goal: Goal) -> float:
    """Return the CPU time of one, in the best batch."""
    action = goal.make()
    action()
    best = inf
    for _ in range(BATCHES):
        start = time.process_time()
        for _ in range(goal.times):
            action()
        best = min(best, (time.process_time() - start) / goal.times)
    return best


def peer() -> dict[str, float]:
    """Return negmas's negotiations a second with new utility functions each time."""
    if find_spec("negmas") is None:
        return {}
    sao: Any = import_module("negmas.sao")
    outcomes: Any = import_module("negmas.outcomes")
    linear: Any = import_module("negmas.preferences").LinearAdditiveUtilityFunction
    found = {}
    for says, issues, options in (("5x10 Boulware", 5, 10), ("3x10 Boulware", 3, 10)):
        tables = [one.preferences.table() for one in pair(issues, options).parties]  # type: ignore[union-attr]  # additive
        space = outcomes.make_os(
            [
                outcomes.make_issue([f"o{k}" for k in range(options)], f"i{i}")
                for i in range(issues)
            ]
        )
        done, start = 0, time.process_time()
        while time.process_time() - start < PEER_SECONDS:
            session = sao.SAOMechanism(outcome_space=space, n_steps=ROUNDS)
            for at, table in enumerate(tables):
                values = [{k: float(v) for k, v in row.items()} for row in table.values()]
                utility = linear(values=values, outcome_space=space, reserved_value=0.2)
                session.add(sao.BoulwareTBNegotiator(name=f"n{at}"), ufun=utility)
            session.run()
            done += 1
        found[says] = done / (time.process_time() - start)
    return found


def main() -> int:
    """Measure, print, and return 1 when a goal is missed."""
    if numpy_or_none() is None:
        print("without numpy (extra fast): the goals are set with it")
    missed = False
    for goal in GOALS:
        spent = seconds_of(goal)
        bar = ""
        if goal.least is not None:
            bar = f", goal {goal.least:,.0f}/s"
            is_missed = 1 / spent < goal.least
        elif goal.most is not None:
            bar = f", goal {goal.most:g} s"
            is_missed = spent > goal.most
        else:
            is_missed = False
        missed = missed or is_missed
        print(
            f"{goal.says}: {1 / spent:,.1f}/s ({spent * 1000:.3f} ms){bar}"
            f"{' MISSED' if is_missed else ''}",
            flush=True,
        )
    theirs = peer()
    for says, speed in theirs.items():
        print(f"negmas, {says}, new utility functions: {speed:,.1f}/s")
    if not theirs:
        print("SKIPPED negmas: not installed")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
