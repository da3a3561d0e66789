"""Tournament: what does a round robin of ten strategies cost?

Here: ten strategies, every pair in both roles and with itself, twice, on one scenario of 1,000
outcomes: 200 negotiations of at most 100 rounds, with every point and distance; the same number
with negmas in the same run, where it is installed.
Not here: one negotiation over one price (bench_price.py), how a start goes (bench_start.py).
Sources: SEMANTICS M3. negmas is under the AGPL: measured beside, never a dependency.

CPU time of this process, the best of a few runs; each run has values of its own, and works out
tables and points anew. Exit 1 when ours is above the goal.
"""

from __future__ import annotations

import sys
import time
import warnings
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.preferences import additive
from comity.mechanisms.bargaining.problem import Problem, problem_of
from comity.simulate.planning import every_strategy, plan_of
from comity.simulate.run import run
from comity.simulate.standings import standings

if TYPE_CHECKING:
    from collections.abc import Callable

GOAL_S = 0.5
RUNS = 5
ISSUES = 3
OPTIONS = 10
ROUNDS = 100
RESERVATION = 0.3
WANTED = (
    "boulware", "boulware:0.1", "conceder", "linear", "micro", "comity", "tit_for_tat",
    "nice_tit_for_tat", "hardliner", "boulware:0.5", "conceder:2", "boulware:0.3",
)  # fmt: skip
THEIRS = (
    "BoulwareTBNegotiator", "ConcederTBNegotiator", "LinearTBNegotiator", "AspirationNegotiator",
    "MiCRONegotiator", "NaiveTitForTatNegotiator", "NiceNegotiator", "HybridNegotiator",
    "TopFractionNegotiator", "CABNegotiator",
)  # fmt: skip

Values = list[list[list[int]]]


def values_of(number: int) -> Values:
    """Return, per party and issue, what each option is worth: 0 to 100."""
    chance = Random(number)  # noqa: S311  # values to measure with, no secrets
    return [
        [[chance.randint(0, 100) for _ in range(OPTIONS)] for _ in range(ISSUES)] for _ in range(2)
    ]


def problem(values: Values) -> Problem:
    """Return the scenario; each accepts what is worth 0.3 of its best deal."""
    domain = domain_of({f"issue{at}": list(range(OPTIONS)) for at in range(ISSUES)})
    parties = {}
    for name, own in zip(("ann", "bob"), values, strict=True):
        table = {
            f"issue{at}": {str(place): worth for place, worth in enumerate(row)}
            for at, row in enumerate(own)
        }
        least = round(RESERVATION * sum(map(max, own)))
        parties[name] = additive(domain, table, reservation=least)
    return problem_of(domain, parties)


def ours(number: int) -> tuple[int, float]:
    """Hold the tournament once; return how many negotiations and agreements."""
    known = every_strategy()
    ten = [one for one in WANTED if one.partition(":")[0] in known][:10]
    plan = plan_of({"scenario": problem(values_of(number))}, ten, rounds=ROUNDS, repetitions=2)
    rows = run(plan, jobs=1)
    told = standings(rows, plan)
    assert told["failed"] == 0
    return len(rows), sum(row.kind == "agreement" for row in rows) / len(rows)


def peer() -> Callable[[int], tuple[int, float]] | None:
    """Return the same with negmas: ten strategies, both roles, self-play, one scenario."""
    if find_spec("negmas") is None:
        return None
    negotiators: Any = import_module("negmas.sao.negotiators")
    outcomes: Any = import_module("negmas.outcomes")
    preferences: Any = import_module("negmas.preferences")
    inout: Any = import_module("negmas.inout")
    tournament: Any = import_module("negmas.tournaments.neg").cartesian_tournament
    ten = [getattr(negotiators, name) for name in THEIRS]

    def hold(number: int) -> tuple[int, float]:
        issues = [outcomes.make_issue(OPTIONS, f"issue{at}") for at in range(ISSUES)]
        space = outcomes.make_os(issues, name="scenario")
        wants = []
        for name, own in zip(("ann", "bob"), values_of(number), strict=True):
            best = sum(map(max, own))
            tables = [{place: worth / best for place, worth in enumerate(row)} for row in own]
            wants.append(
                preferences.LinearAdditiveUtilityFunction(
                    values=tables, outcome_space=space, reserved_value=RESERVATION, name=name
                )
            )
        scenario = inout.Scenario(outcome_space=space, ufuns=tuple(wants))
        with TemporaryDirectory() as folder:
            found = tournament(
                competitors=ten,
                scenarios=[scenario],
                n_steps=ROUNDS,
                n_repetitions=1,
                njobs=-1,
                verbosity=0,
                rotate_ufuns=True,
                self_play=True,
                save_stats=False,
                save_scenario_figs=False,
                path=Path(folder),
                path_exists="overwrite",
            )
        agreed = found.details["agreement"].notna().mean()
        return len(found.details), float(agreed)

    return hold


def cpu_s(hold: Callable[[int], tuple[int, float]], number: int) -> tuple[float, int, float]:
    """Return the CPU seconds of one tournament, its negotiations and its agreement rate."""
    start = time.process_time()
    count, agreed = hold(number)
    return time.process_time() - start, count, agreed


def main() -> int:
    """Measure, print, and return 1 when the goal is missed."""
    first = cpu_s(ours, 0)
    best = min([first, *(cpu_s(ours, number) for number in range(1, RUNS))])
    spent, count, agreed = best
    print(
        f"comity: {count} negotiations in {spent:.2f} s CPU ({1000 * spent / count:.1f} ms each), "
        f"{agreed:.0%} agreed; the first run {first[0]:.2f} s"
    )
    hold = peer()
    if hold is None:
        print("SKIPPED negmas: not installed")
    else:
        with warnings.catch_warnings(), redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            warnings.simplefilter("ignore")
            theirs, number, rate = cpu_s(hold, 0)
        print(
            f"negmas: {number} negotiations in {theirs:.2f} s CPU "
            f"({1000 * theirs / number:.1f} ms each), {rate:.0%} agreed; ratio "
            f"{theirs / number / (spent / count):,.0f} per negotiation"
        )
    if spent > GOAL_S:
        print(f"MISSED the goal of {GOAL_S} s")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
