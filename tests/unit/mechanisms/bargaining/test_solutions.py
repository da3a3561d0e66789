"""Unit tests of the solution points: M4, G6, N5, N13."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comity.core.errors import InvalidInput, UnknownName
from comity.core.units import Rates
from comity.mechanisms.bargaining.constraints import constraints_of
from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.frontier import frontier
from comity.mechanisms.bargaining.preferences import additive
from comity.mechanisms.bargaining.problem import Problem, problem_of
from comity.mechanisms.bargaining.solutions import (
    POINTS,
    Solution,
    disagreement_of,
    solution,
    solutions,
)


def of_points(
    *points: tuple[object, ...], reservation: tuple[object, ...] | None = None, **more: Any
) -> Problem:
    """Return a problem of one issue whose options are the points."""
    domain = domain_of({"point": [str(at) for at in range(len(points))]})
    units = more.pop("units", ["utility"] * len(points[0]))
    parties = {
        "abc"[at]: additive(
            domain,
            {"point": {str(number): one[at] for number, one in enumerate(points)}},
            reservation=None if reservation is None else str(reservation[at]),
            unit=units[at],
        )
        for at in range(len(points[0]))
    }
    return problem_of(domain, parties, **more)


def at(solved: Solution, problem: Problem) -> list[int]:
    found = frontier(problem)
    return sorted(int(deal["point"]) for point in solved.points for deal in found.deals(point))


def test_n5_kalai_smorodinsky_is_the_greatest_least_share() -> None:
    problem = of_points(("0.80", "0.99"), ("0.81", "0.70"), (1, 0), (0, 1), reservation=(0, 0))
    solved = solutions(frontier(problem))
    assert at(solved["kalai_smorodinsky"], problem) == [0]
    assert at(solved["nearest_diagonal"], problem) == [1]
    assert solved["kalai_smorodinsky"].value == Fraction(4, 5)
    assert solved["nearest_diagonal"].value == Fraction(11, 100)


def test_n13_the_disagreement_point_does_not_move_silently() -> None:
    points = ((1, "0.16"), ("0.16", 1), ("0.299", "0.299"))
    problem = of_points(*points, reservation=(0, 0))
    assert at(solution(frontier(problem), "nash"), problem) == [0, 1]
    moved = of_points(*points, reservation=("0.16", "0.16"))
    assert at(solution(frontier(moved), "nash"), moved) == [2]


def test_m4_without_a_reservation_gains_count_from_0_or_the_worst_below_it() -> None:
    problem = of_points((1, -4), (0, 2), (3, -1))
    found = frontier(problem)
    assert list(map(int, disagreement_of(problem, found))) == [0, -4]
    assert solution(found, "nash").value == 9  # 3 times 3


def test_m4_no_overlap_has_no_points_and_says_why() -> None:
    found = frontier(of_points((1, 0), (0, 1), reservation=("0.5", "0.5")))
    for name, solved in solutions(found).items():
        assert solved == Solution(name, (), None, "no deal is acceptable to every party")
        assert solved.distance is None
    opposition = solution(found, "ideal", of_all=True)
    assert len(opposition.points) == 2
    assert opposition.distance == opposition.value == 1


def test_m4_the_point_nearest_the_ideal_is_one_that_all_accept() -> None:
    problem = of_points((5, 5), (9, 1), (2, 2), reservation=(6, 0))
    found = frontier(problem)
    assert at(solution(found, "ideal"), problem) == [1]
    assert 0 in at(solution(found, "ideal", of_all=True), problem)


def test_m4_deals_that_nobody_can_make_move_no_point() -> None:
    """Without a reservation gains count from the worst deal below 0 that can be made."""
    domain = domain_of({"x": ["p", "q", "r", "never"]})
    a = additive(domain, {"x": {"p": 6, "q": 3, "r": 1, "never": -10}})
    b = additive(domain, {"x": {"p": 1, "q": 3, "r": 5}})
    problem = problem_of(
        domain, {"a": a, "b": b}, constraints=constraints_of(domain, [{"x": "never"}])
    )
    found = frontier(problem)
    assert found.worst(0) == 1
    for name in ("nash", "kalai_smorodinsky", "egalitarian"):
        (point,) = solution(found, name).points
        assert next(found.deals(point)) == {"x": "q"}, name


def test_m4_a_product_that_is_0_everywhere_says_so() -> None:
    found = frontier(of_points((1, 3), (1, 2), reservation=(1, 0)))
    assert "gains nothing" in solution(found, "nash").why
    assert solution(frontier(of_points((1, 1), reservation=(1, 1))), "nash").why == ""


def test_m4_kalai_smorodinsky_without_an_ideal_gain_says_so() -> None:
    found = frontier(of_points((1, 0), (0, 1), reservation=(1, 0)))
    for name in ("kalai_smorodinsky", "nearest_diagonal"):
        assert "has no ideal gain" in solution(found, name).why
    assert solution(found, "nash").value == 0


def test_g6_rules_that_add_or_compare_demand_one_unit() -> None:
    problem = of_points((1, 90), (2, 40), reservation=(0, 0), units=["GBP", "ms"])
    solved = solutions(frontier(problem))
    for name in ("egalitarian", "utilitarian", "ideal"):
        assert not solved[name].points
        assert "a (GBP), b (ms)" in solved[name].why
    assert at(solved["nash"], problem) == [0]
    rates = Rates("GBP", (("ms", Fraction(1, 100)),))
    stated = of_points((1, 90), (2, 40), reservation=(0, 0), units=["GBP", "ms"], rates=rates)
    solved = solutions(frontier(stated))
    assert solved["utilitarian"].value == Fraction(12, 5)
    assert solved["egalitarian"].value == Fraction(9, 10)
    assert solved["ideal"].value == Fraction(1, 4)  # 40 ms short of 90 is half a pound


def test_m4_the_ideal_may_be_given() -> None:
    found = frontier(of_points(("0.5", "0.5"), (1, 0), reservation=(0, 0)))
    solved = solution(found, "ideal", ideal=[Fraction(1), Fraction(1)])
    assert solved.value == Fraction(1, 2)
    assert solved.distance == pytest.approx(0.5**0.5)
    with pytest.raises(InvalidInput, match=r"ideal: has 1 numbers\. Allowed: 2 numbers, for a, b"):
        solution(found, "ideal", ideal=[Fraction(1)])


def test_a_point_has_a_short_name() -> None:
    found = frontier(of_points((1, 1)))
    assert solution(found, "ks") == solution(found, "kalai_smorodinsky")


def test_an_unknown_point_is_refused() -> None:
    with pytest.raises(UnknownName, match="did you mean 'nash'"):
        solution(frontier(of_points((1, 1))), "nahs")


@given(
    points=st.lists(st.tuples(*[st.integers(0, 12)] * 2), min_size=1, max_size=9),
    scale=st.fractions(min_value="1/5", max_value=7, max_denominator=9),
    shift=st.fractions(min_value=-5, max_value=5, max_denominator=9),
)
def test_m4_scale_free_points_ignore_units_and_zeros(
    points: list[tuple[int, int]], scale: Fraction, shift: Fraction
) -> None:
    plain = of_points(*points, reservation=(1, 2))
    moved = of_points(*((x * scale + shift, y) for x, y in points), reservation=(scale + shift, 2))
    for name in ("nash", "kalai_smorodinsky", "nearest_diagonal"):
        assert at(solution(frontier(plain), name), plain) == at(
            solution(frontier(moved), name), moved
        )


@given(points=st.lists(st.tuples(*[st.integers(0, 6)] * 3), min_size=1, max_size=9))
def test_m4_points_do_not_depend_on_who_is_who(points: list[tuple[int, int, int]]) -> None:
    one, other = of_points(*points), of_points(*((c, a, b) for a, b, c in points))
    for name in POINTS:
        assert at(solution(frontier(one), name), one) == at(solution(frontier(other), name), other)
