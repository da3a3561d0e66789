"""Unit tests of the assessment of a deal: M4, G6."""

from __future__ import annotations

from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.bargaining.assessment import assess
from comity.mechanisms.bargaining.constraints import constraints_of
from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.frontier import frontier
from comity.mechanisms.bargaining.preferences import additive
from comity.mechanisms.bargaining.problem import Problem, problem_of
from comity.mechanisms.bargaining.solutions import solutions


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


def test_m4_an_assessment_names_what_dominates_and_who_refuses() -> None:
    problem = of_points((3, 3), (2, 2), (0, 9), reservation=(1, 0))
    found = frontier(problem)
    worse = assess(found, {"point": "1"})
    assert not worse.is_efficient
    assert [list(map(int, point.utilities)) for point in worse.better] == [[3, 3]]
    assert worse.distance("frontier") == worse.distance("nash") == pytest.approx(2**0.5)
    assert worse.distance("kalai") is None
    refused = assess(found, {"point": "2"}, solutions(found))
    assert refused.refused_by == ("a",)
    assert refused.is_efficient
    assert refused.is_allowed
    assert assess(found, {"point": 2}) == refused  # type: ignore[dict-item]  # a number named so
    for wrong in ("7", 7):
        with pytest.raises(InvalidInput, match="which is not on offer"):
            assess(found, {"point": wrong})  # type: ignore[dict-item]  # what is tested


def test_m4_an_assessment_across_units_has_no_distances() -> None:
    problem = of_points((1, 90), (2, 40), reservation=(5, 0), units=["GBP", "ms"])
    assert assess(frontier(problem), {"point": "0"}).squares == ()


def test_m4_an_assessment_of_a_deal_that_nobody_can_make() -> None:
    domain = domain_of({"a": ["x", "y"]})
    ann, bob = additive(domain, {"a": {"x": 1}}), additive(domain, {"a": {"x": 1}}, reservation=2)
    problem = problem_of(
        domain, {"ann": ann, "bob": bob}, constraints=constraints_of(domain, [{"a": "x"}])
    )
    found = assess(frontier(problem), {"a": "x"})
    assert not found.is_allowed
    assert not found.is_efficient
    assert [name for name, _ in found.squares] == ["frontier"]


def test_complaint_22_a_deal_on_the_price_alone_is_found_wanting_in_quantity() -> None:
    domain = domain_of({"price": [1, 2, 3], "quantity": [10, 20]})
    seller = additive(domain, {"price": {"2": 1, "3": 2}, "quantity": {"20": 5}})
    buyer = additive(domain, {"price": {"1": 2, "2": 1}, "quantity": {"20": 3}})
    found = frontier(problem_of(domain, {"buyer": buyer, "seller": seller}))
    for price in ("1", "2", "3"):
        alone = assess(found, {"price": price, "quantity": "10"})
        assert not alone.is_efficient
        assert alone.better
        assert assess(found, {"price": price, "quantity": "20"}).is_efficient
