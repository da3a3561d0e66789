"""Issue strategies: how good are the deals of every ordered pair, on real domains?

Here: 54 domains, 100 rounds, both openers, no disclosure: agreement, mean utilities (0 without a
deal), exactly efficient deals, mean distance to the nearest Nash point, rounds, time.
Not here: speed goals (bench_issues.py), tournaments (bench_tournament.py).
Sources: SEMANTICS M3; `negotiation/negolog_domains.json` of the reference data, reservation 0.

Exit 1 when our own strategy against itself misses the targets of M3. Names of strategies as
arguments limit the table to them.
"""

from __future__ import annotations

import json
import os
import sys
import time
from fractions import Fraction
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.frontier import frontier
from comity.mechanisms.bargaining.issue_results import IssueAgreement
from comity.mechanisms.bargaining.outcomes import Outcomes, outcomes_of
from comity.mechanisms.bargaining.preferences import additive
from comity.mechanisms.bargaining.problem import problem_of
from comity.mechanisms.bargaining.several import negotiate_issues
from comity.mechanisms.bargaining.solutions import solution
from comity.mechanisms.bargaining.strategies import STRATEGIES

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("COMITY_DATA") or ROOT.parent / "shared" / "data")
ROUNDS = 100
EFFICIENT, TO_NASH = 0.95, 0.05  # the targets of M3


class Case(NamedTuple):
    """One domain with what its deals are measured against."""

    outcomes: Outcomes
    efficient: frozenset[tuple[Fraction, ...]]
    nash: tuple[tuple[float, ...], ...]


class Row(NamedTuple):
    """What a pair comes to: shares and means over all negotiations."""

    agreed: float
    utilities: tuple[float, float]
    efficient: float
    to_nash: float
    rounds: float
    milliseconds: float


def case_of(entry: dict[str, Any]) -> Case:
    """Read one domain: utility = sum of weight x value, exact."""
    profiles = {"one": entry["profileA"], "two": entry["profileB"]}
    issues = entry["profileA"]["issues"]
    domain = domain_of({name: list(values) for name, values in issues.items()}, free=True)
    wants = {}
    for party, profile in profiles.items():
        table = {
            issue: {
                value: str(Fraction(str(profile["issueWeights"][issue])) * Fraction(str(worth)))
                for value, worth in values.items()
            }
            for issue, values in profile["issues"].items()
        }
        wants[party] = additive(domain, table, reservation=profile["reservationValue"])
    outcomes = outcomes_of(problem_of(domain, wants))
    points = frontier(outcomes.problem)
    nash = solution(points, "nash").points
    return Case(
        outcomes,
        frozenset(one.utilities for one in points.points),
        tuple(tuple(map(float, one.utilities)) for one in nash),
    )


def measured(cases: Sequence[Case], pair: tuple[str, str], seeds: Sequence[str]) -> Row:
    """Play every domain with both openers and every seed."""
    count = agreed = efficient = rounds = 0
    own = other = distance = 0.0
    start = time.process_time()
    for case in cases:
        for seed in seeds:
            for first in ("one", "two"):
                count += 1
                found = negotiate_issues(
                    case.outcomes, pair, rounds=ROUNDS, first=first, seed=seed, trace=False
                )
                if not isinstance(found, IssueAgreement):
                    continue
                worth = tuple(Fraction(item.value) for item in found.utilities)
                agreed += 1
                efficient += worth in case.efficient
                rounds += found.round + 1
                own, other = own + float(worth[0]), other + float(worth[1])
                distance += min(
                    sqrt(sum((float(a) - b) ** 2 for a, b in zip(worth, point, strict=True)))
                    for point in case.nash
                )
    spent = (time.process_time() - start) * 1000 / count
    over = max(agreed, 1)
    return Row(
        agreed / count,
        (own / count, other / count),
        efficient / over,
        distance / over,
        rounds / over,
        spent,
    )


def main(arguments: Sequence[str]) -> int:
    """Measure, print, and return 1 when our own strategy misses its targets."""
    path = DATA / "negotiation" / "negolog_domains.json"
    if not path.exists():
        print(f"SKIPPED: {path.name} is not in the data folder (COMITY_DATA)")
        return 0
    entries = json.loads(path.read_text(encoding="utf-8"))["domains"]
    cases = [case_of(entry) for entry in entries.values()]
    print(f"{len(cases)} domains, both openers, {ROUNDS} rounds")
    for label, one in (("one", 0), ("two", 1)):
        mean = sum(case.nash[0][one] for case in cases) / len(cases)
        print(f"mean utility of {label} at a Nash point: {mean:.3f}")
    print(
        "one               two               agreed   one   two  efficient  to Nash  rounds    ms"
    )
    missed = False
    names = list(arguments) or sorted(STRATEGIES)
    for own in names:
        for other in names:
            row = measured(cases, (own, other), ["1"])
            print(
                f"{own:17} {other:17} {row.agreed:6.3f} {row.utilities[0]:5.3f} "
                f"{row.utilities[1]:5.3f} {row.efficient:10.3f} {row.to_nash:8.4f} "
                f"{row.rounds:7.1f} {row.milliseconds:5.1f}",
                flush=True,
            )
            if own == other == "comity":
                missed = row.agreed < 1 or row.efficient < EFFICIENT or row.to_nash > TO_NASH
    if missed:
        print(f"MISSED: comity agrees always, {EFFICIENT:.0%} efficient, {TO_NASH} to Nash")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
