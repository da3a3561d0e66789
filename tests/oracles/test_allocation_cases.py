"""Allocation cases: is every listed split of one budget found, exactly?

Here: the hand-made cases of the reference data, each as listed and with every table turned round:
utilitarian, Nash, leximin, demands, rounding, several resources, gains that are not concave, false
claims, credits.
Not here: laws that hold for every split (properties), single rules (unit tests).
Sources: SEMANTICS D1-D3; the reference data's own README.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from comity.mechanisms.sharing import (
    BudgetAllocation,
    first_come,
    share,
    share_on_grid,
    share_resources,
    share_table,
    split,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Case = dict[str, Any]
SEEDS = 10_000 if os.environ.get("COMITY_FULL") == "1" else 1_000
RARE = {2: 13.82, 34: 65.25}  # chi-square above these in one of a thousand fair runs
IDS = [f"B{at:02}" for at in (1, 2, 4, 5, 6, 8, *range(9, 19), 20, 21, 22, 24, 25, 26, 27)]


@pytest.fixture(scope="module")
def cases(need_data: Callable[[str], Path]) -> dict[str, Case]:
    found = need_data("mechanisms/allocation.json")
    listed = json.loads(found.read_text(encoding="utf-8"))["cases"]
    return {case["id"]: case for case in listed}


def curves_of(case: Case, cases: dict[str, Case]) -> dict[str, Any]:
    found = case["input"].get("curves", case["input"].get("true_curves"))
    return cases[found]["input"]["curves"] if isinstance(found, str) else found


def turned(given: Any) -> Any:
    """Return an input with every table in the opposite order; lists mean something and stay."""
    if isinstance(given, dict):
        return {name: turned(value) for name, value in reversed(given.items())}
    return given


def gains_at(curves: dict[str, Any], amounts: dict[str, Fraction]) -> dict[str, Fraction]:
    """Return what each gains from its amount, piece by piece."""
    found = dict.fromkeys(curves, Fraction(0))
    for name, curve in curves.items():
        left = amounts[name]
        for width, slope in curve:
            taken = min(left, Fraction(width))
            found[name] += taken * Fraction(slope)
            left -= taken
    return found


def exactly(table: dict[str, Any]) -> dict[str, Fraction]:
    return {name: Fraction(value) for name, value in table.items()}


def shared(*args: Any, **options: Any) -> BudgetAllocation:
    found = share(*args, **options)
    assert isinstance(found, BudgetAllocation)
    return found


def check_utilitarian(case: Case, cases: dict[str, Case]) -> None:
    given, expected = case["input"], case["expected"]
    options = {"maximum": given["caps"]} if "caps" in given else {}
    found = shared(given["budget"], curves_of(case, cases), objective="utilitarian", **options)
    assert found.exact == exactly(expected["allocation"])
    assert found.allocation == found.exact
    assert found.total_gain == Fraction(expected["total_gain"])
    assert found.leftover == expected["unspent"]
    assert found.is_unique is expected["unique"]
    if not options:
        curves = curves_of(case, cases)
        wide = [[w for w, _ in curve] + [0] * (3 - len(curve)) for curve in curves.values()]
        steep = [
            [int(Fraction(s) * 100) for _, s in curve] + [0] * (3 - len(curve))
            for curve in curves.values()
        ]
        table = share_table(given["budget"], wide, steep, objective="utilitarian")
        assert dict(zip(curves, table.units, strict=True)) == expected["allocation"]


def check_nash(case: Case, cases: dict[str, Case]) -> None:
    given, expected = case["input"], case["expected"]
    weights = given.get("weights")
    found = shared(
        given["budget"], curves_of(case, cases), **({"weights": weights} if weights else {})
    )
    assert found.exact == exactly(expected["allocation"])
    check_decimals(found, expected)
    assert gains_at(curves_of(case, cases), exactly(found.exact)) == exactly(expected["gains"])
    assert sum(found.allocation.values()) == given["budget"]


def check_decimals(found: BudgetAllocation, expected: Any) -> None:
    for name, amount in expected["allocation_decimal"].items():
        assert float(found.exact[name]) == pytest.approx(amount, abs=1e-6)


def check_max_min(case: Case, cases: dict[str, Case]) -> None:
    given, expected = case["input"], case["expected"]
    measure = "gain" if given["measure"] == "gain" else "share_of_best"
    curves = curves_of(case, cases)
    found = shared(given["budget"], curves, objective="leximin", measure=measure)
    assert found.exact == exactly(expected["allocation"])
    check_decimals(found, expected)
    best = dict.fromkeys(curves, Fraction(1))
    if measure == "share_of_best":
        best = gains_at(curves, dict.fromkeys(curves, Fraction(given["budget"])))
        assert best == exactly(given["normaliser"])
    values = {
        name: gained / best[name]
        for name, gained in gains_at(curves, exactly(found.exact)).items()
    }
    assert values == exactly(expected["values"])
    assert max(values.values()) == Fraction(expected["level"])
    fine = shared(
        given["budget"], curves, objective="leximin", measure=measure, quantum=Fraction(1, 9030195)
    )
    for name, value in values.items():
        assert abs(fine.gains[name] / best[name] - value) < Fraction(1, 10**6)


def check_demands(case: Case, cases: dict[str, Case]) -> None:
    given, expected = case["input"], case["expected"]
    demands = {name: {"demand": amount} for name, amount in given["demands"].items()}
    found = shared(given["capacity"], demands, objective="leximin", weights=given["weights"])
    assert found.exact == exactly(expected["allocation"])
    assert found.leftover == expected["unspent"]


def check_compare(case: Case, cases: dict[str, Case]) -> None:
    given, expected = case["input"], case["expected"]
    found = shared(
        given["budget"], curves_of(case, cases), arrivals=given["order"], asks=given["asks"]
    )
    first, equal, _ = found.beside
    assert {one.name: one.value for one in first.shares} == expected["allocation"]
    assert {one.name: one.value for one in first.gains} == expected["gains"]
    assert (first.total_gain, equal.total_gain) == (
        expected["total_gain"],
        expected["equal_split_gain"],
    )
    money = [one.value for one in first.shares]
    jain = Fraction(sum(money) ** 2, len(money) * sum(one**2 for one in money))
    assert jain == Fraction(expected["jain"])
    asks = {name: Fraction(ask) for name, ask in given["asks"].items()}
    alone = first_come(Fraction(given["budget"]), asks, [[name] for name in given["order"]])
    assert alone == expected["allocation"]


def check_rounding(case: Case, cases: dict[str, Case]) -> None:
    given, expected = case["input"], case["expected"]
    wanted = exactly(expected["allocation"])
    assert expected["sum_exact"]
    seen: Counter[Any] = Counter()
    for seed in range(SEEDS):
        found = split(given["total"], given["weights"], quantum=given["quantum"], seed=str(seed))
        assert sorted(found.values()) == sorted(wanted.values())
        assert sum(found.values()) == Fraction(given["total"])
        seen[tuple(found[name] for name in sorted(wanted))] += 1
    ways = expected["equally_good"]
    assert len(seen) == ways
    assert tuple(wanted[name] for name in sorted(wanted)) in seen
    if ways > 1:
        chi_square = sum((many - SEEDS / ways) ** 2 / (SEEDS / ways) for many in seen.values())
        assert chi_square < RARE[ways - 1], seen


def check_resources(case: Case, cases: dict[str, Case]) -> None:
    given, expected = case["input"], case["expected"]
    found = share_resources(given["capacity"], given["demand_per_task"])
    assert {one.name: one.value for one in found.shares} == exactly(expected["tasks"])
    assert {one.name: one.value for one in found.dominant} == exactly(expected["dominant_share"])


def check_grid(case: Case, cases: dict[str, Case]) -> None:
    given, expected = case["input"], case["expected"]
    gains: dict[str, Any] = {
        "A": lambda money: 0 if money < 5000 else 2 * money,
        "B": lambda money: money,
        "C": lambda money: 0 if money < 8000 else Fraction(9, 4) * money,
    }
    found = share_on_grid(given["budget"], gains, step=given["step"])
    assert found.total_gain == expected["total_gain"]
    assert {one.name: one.value for one in found.shares} == expected["allocation"]


def check_manipulation(case: Case, cases: dict[str, Case]) -> None:
    given, expected = case["input"], case["expected"]
    curves = curves_of(case, cases)
    doubled = {**curves, "C": [[width, 2 * Fraction(slope)] for width, slope in curves["C"]]}
    honest = shared(given["budget"], curves, objective="utilitarian", credits=True)
    told = shared(given["budget"], doubled, objective="utilitarian", credits=True)
    assert told.allocation == expected["allocation"]
    true = {
        name: shared(amount, {name: curves[name]}).gains[name]
        for name, amount in told.allocation.items()
    }
    assert true == expected["true_gains"]
    assert sum(true.values()) == expected["true_total"]
    assert true["C"] - honest.gains["C"] == expected["C_gains_by_lying"]
    assert true["C"] - told.charges["C"] < honest.gains["C"] - honest.charges["C"]


def check_credits(case: Case, cases: dict[str, Case]) -> None:
    given, expected = case["input"], case["expected"]
    found = shared(given["budget"], curves_of(case, cases), objective="utilitarian", credits=True)
    assert found.allocation == expected["allocation"]
    assert found.gains == expected["gains"]
    assert found.charges == expected["charges"]


CHECKS = {
    "utilitarian": check_utilitarian,
    "nash": check_nash,
    "max_min": check_max_min,
    "weighted_max_min_demands": check_demands,
    "compare": check_compare,
    "rounding": check_rounding,
    "dominant_resource_fairness": check_resources,
    "utilitarian_non_concave": check_grid,
    "manipulation": check_manipulation,
    "vcg_divisible": check_credits,
}


@pytest.mark.parametrize("is_turned", [False, True], ids=["as listed", "turned round"])
@pytest.mark.parametrize("name", IDS)
def test_d1_d2_d3_every_case_comes_out_as_the_reference_says(
    name: str, cases: dict[str, Case], is_turned: bool
) -> None:
    """D1, D2, D3, and G3: the order of agents never matters."""
    if is_turned:
        cases = {one: {**case, "input": turned(case["input"])} for one, case in cases.items()}
    CHECKS[cases[name]["objective"]](cases[name], cases)


def test_no_case_is_left_out(cases: dict[str, Case]) -> None:
    assert sorted(cases) == sorted(IDS)


def test_d2_the_motivating_case_in_one_result(cases: dict[str, Case]) -> None:
    """D2: first come 11,400 with 600 for the others; static 11,400/600/0; best 26,500."""
    found = shared(
        12000,
        curves_of(cases["B01"], cases),
        objective="utilitarian",
        asks={"A": 11400},
        arrivals=["A", ["B", "C"]],
        priorities={"A": 9, "B": 5, "C": 1},
    )
    first, equal, static = found.beside
    assert [one.value for one in first.shares] == [11400, 300, 300]
    assert [one.value for one in static.shares] == [11400, 600, 0]
    assert (static.total_gain, equal.total_gain, found.total_gain) == (15560, 25900, 26500)
    assert (found.shadow_price, found.next_best) == (Fraction(3, 2), Fraction(6, 5))
