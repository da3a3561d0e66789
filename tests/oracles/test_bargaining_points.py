"""Bargaining points: are frontier and solution points those of the references, ties included?

Here: the hand-made point sets, the 54 bilateral domains (each also by looking at every deal), the
1,005 agreements between people.
Not here: files in the format of Genius (tests of formats), strategies.
Sources: SEMANTICS M4, M6; the reference data's own README. The domains' "Kalai" is the greatest
sum of utilities, and their opposition is that point's distance to (1, 1).
"""

from __future__ import annotations

import csv
import json
from fractions import Fraction
from itertools import product
from math import hypot
from typing import TYPE_CHECKING, Any

import pytest

from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.frontier import frontier
from comity.mechanisms.bargaining.preferences import Additive, additive
from comity.mechanisms.bargaining.problem import problem_of
from comity.mechanisms.bargaining.solutions import solution, solutions

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from comity.mechanisms.bargaining.problem import Problem
    from comity.mechanisms.bargaining.valuations import Preferences

Vector = tuple[Fraction, ...]

NAMES = {
    "nash": "nash",
    "kalai_smorodinsky": "ks_maximin",
    "nearest_diagonal": "ks_nearest_diagonal",
    "egalitarian": "egalitarian_min_gain",
    "utilitarian": "utilitarian",
}


def brute(vectors: list[Vector], reservation: Vector) -> dict[str, set[Vector]]:
    """Return frontier and solution points by comparing every point with every other."""
    distinct = set(vectors)
    front = {
        one
        for one in distinct
        if not any(
            other != one and all(a >= b for a, b in zip(other, one, strict=True))
            for other in distinct
        )
    }
    rational = {one for one in front if all(a >= r for a, r in zip(one, reservation, strict=True))}
    found = {"pareto": front, "rational_pareto": rational}

    def best(name: str, score: Callable[[Vector], Fraction]) -> None:
        top = max(map(score, rational))
        found[name] = {one for one in rational if score(one) == top}

    def gains(one: Vector) -> Vector:
        return tuple(a - r for a, r in zip(one, reservation, strict=True))

    def times(one: Vector) -> Fraction:
        result = Fraction(1)
        for gain in gains(one):
            result *= gain
        return result

    if not rational:
        return found
    best("nash", times)
    best("egalitarian", lambda one: min(gains(one)))
    best("utilitarian", lambda one: sum(one, Fraction(0)))
    ideal = [max(column) for column in zip(*map(gains, rational), strict=True)]
    if all(ideal):

        def shares(one: Vector) -> list[Fraction]:
            return [gain / most for gain, most in zip(gains(one), ideal, strict=True)]

        best("kalai_smorodinsky", lambda one: min(shares(one)))
        best("nearest_diagonal", lambda one: min(shares(one)) - max(shares(one)))
    return found


def problem_of_points(points: list[list[str]], reservation: list[Any]) -> Problem:
    """Return a problem of one issue whose options are the points."""
    domain = domain_of({"point": [str(at) for at in range(len(points))]})
    parties = {
        f"p{at}": additive(
            domain,
            {"point": {str(number): one[at] for number, one in enumerate(points)}},
            reservation=str(limit),
        )
        for at, limit in enumerate(reservation)
    }
    return problem_of(domain, parties)


def test_m4_hand_made_points(need_data: Callable[[str], Path]) -> None:
    cases = json.loads(need_data("negotiation/bargaining_points.json").read_text())["cases"]
    assert len(cases) == 14
    for case in cases:
        problem = problem_of_points(case["points_exact"], case["reservation"])
        found = frontier(problem)
        expect = case["expect"]

        def numbers(points: Any, found: Any = found) -> list[int]:
            deals = [deal for point in points for deal in found.deals(point)]
            return sorted(int(deal["point"]) for deal in deals)

        assert numbers(found.points) == expect["pareto"], case["name"]
        assert numbers(found.rational) == expect["rational_pareto"], case["name"]
        for ours, theirs in NAMES.items():
            assert numbers(solution(found, ours).points) == expect.get(theirs, []), (
                case["name"],
                ours,
            )


def negolog(profile: dict[str, Any]) -> dict[str, dict[str, Fraction]]:
    """Return weight times value, exact."""
    return {
        issue: {
            option: Fraction(str(profile["issueWeights"][issue])) * Fraction(str(value))
            for option, value in options.items()
        }
        for issue, options in profile["issues"].items()
    }


def negolog_problem(found: dict[str, Any]) -> Problem:
    """Return the problem of one domain."""
    tables = {name: negolog(found[f"profile{name}"]) for name in "AB"}
    domain = domain_of({issue: list(options) for issue, options in tables["A"].items()}, free=True)
    return problem_of(
        domain, {name: additive(domain, table, reservation=0) for name, table in tables.items()}
    )


def whole_of(preferences: Preferences) -> tuple[list[list[int]], int]:
    """Return whole values and their scale."""
    assert isinstance(preferences, Additive)
    return preferences.whole()


@pytest.fixture(scope="module")
def domains(need_data: Callable[[str], Path]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(need_data("negotiation/negolog_domains.json").read_text())
    assert len(found["domains"]) == 54
    return dict(found["domains"])


def test_m4_domains_agree_with_every_deal_looked_at(domains: dict[str, Any]) -> None:
    for name, one in domains.items():
        problem = negolog_problem(one)
        tables = [whole_of(one.preferences) for one in problem.parties]
        sums = [map(sum, product(*rows)) for rows, _ in tables]
        vectors = list(zip(*sums, strict=True))
        assert len(vectors) == problem.domain.size == one["specs"]["NumberOfBids"], name
        found = frontier(problem)
        points = [tuple(found.whole(key)) for key in found.keys]
        # What is worse for both than a point of ours is not on the frontier; the rest decides.
        left = [
            one for one in set(vectors) if not any(a > one[0] and b > one[1] for a, b in points)
        ]
        scales = [scale for _, scale in tables]
        expect = brute([tuple(map(Fraction, one, scales)) for one in left], (Fraction(0),) * 2)
        assert {point.utilities for point in found.points} == expect["pareto"], name
        for rule, solved in solutions(found).items():
            if rule != "ideal":
                assert {point.utilities for point in solved.points} == expect[rule], (name, rule)


def test_m4_domains_agree_with_the_published_figures(domains: dict[str, Any]) -> None:
    for name, one in domains.items():
        specs, found = one["specs"], frontier(negolog_problem(one))
        best = solution(found, "nash")
        product_name = "Nash Product" if "Nash Product" in specs else "Product Score"
        assert best.value is not None
        assert float(best.value) == pytest.approx(specs[product_name], abs=1e-9), name
        # What the source calls Kalai is the greatest sum of utilities.
        welfare = solution(found, "utilitarian")
        distances = [hypot(*(1 - float(u) for u in one.utilities)) for one in welfare.points]
        assert any(abs(one - specs["Opposition"]) < 1e-9 for one in distances), name


def test_m6_agreements_between_people(need_data: Callable[[str], Path]) -> None:
    """97.6 % of 1,030 agree; of those 67.4 % on the frontier and 20.6 % at a Nash point."""
    with need_data("negotiation/casino_numeric.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    goods = ("food", "water", "wood")
    domain = domain_of({one: [0, 1, 2, 3] for one in goods})  # what a gets; b gets the rest
    agreed = efficient = at_nash = 0
    for row in rows:
        values = {
            "a": {one: {str(n): n * int(row[f"a_{one}"]) for n in range(4)} for one in goods},
            "b": {
                one: {str(n): (3 - n) * int(row[f"b_{one}"]) for n in range(4)} for one in goods
            },
        }
        if row["last_action"] != "Accept-Deal":
            continue
        agreed += 1
        problem = problem_of(
            domain,
            {name: additive(domain, table, reservation=5) for name, table in values.items()},
        )
        deal = {one: row[f"a_gets_{one}"] for one in goods}
        points = problem.utilities(deal)
        assert points == (Fraction(row["a_points"]), Fraction(row["b_points"]))
        found = frontier(problem)
        efficient += points in {one.utilities for one in found.points}
        at_nash += points in {one.utilities for one in solution(found, "nash").points}
    assert (len(rows), agreed) == (1030, 1005)
    assert round(100 * agreed / len(rows), 1) == 97.6
    assert round(100 * efficient / agreed, 1) == 67.4
    assert round(100 * at_nash / agreed, 1) == 20.6
