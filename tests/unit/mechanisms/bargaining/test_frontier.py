"""Unit tests of the frontier of a problem: M1, M4."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comity.core.errors import InvalidInput
from comity.mechanisms.bargaining import frontier as module
from comity.mechanisms.bargaining.constraints import constraints_of
from comity.mechanisms.bargaining.domain import Domain, domain_of
from comity.mechanisms.bargaining.frontier import Frontier, frontier
from comity.mechanisms.bargaining.preferences import additive
from comity.mechanisms.bargaining.problem import Bargainer, Problem, problem_of
from comity.mechanisms.bargaining.valuations import computed, tabled

Numbers = st.fractions(min_value=-3, max_value=3, max_denominator=4)


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Small additive problems with reservations, negative values and ties."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    domain = domain_of({f"t{at}": list(range(size)) for at, size in enumerate(sizes)})
    parties = {}
    for name in "abc"[: draw(st.integers(2, 3))]:
        values = {
            term.name: {option: draw(Numbers) for option in term.names} for term in domain.terms
        }
        limit = draw(st.none() | Numbers)
        parties[name] = additive(domain, values, reservation=limit)
    return problem_of(domain, parties)


def brute(problem: Problem, deals: list[dict[str, str]]) -> dict[tuple[Fraction, ...], list[str]]:
    """Return the undominated utilities with their deals, by comparing all with all."""
    found: dict[tuple[Fraction, ...], list[str]] = {}
    for deal in deals:
        found.setdefault(problem.utilities(deal), []).append(str(sorted(deal.items())))
    return {
        one: sorted(behind)
        for one, behind in found.items()
        if not any(
            other != one and all(a >= b for a, b in zip(other, one, strict=True))
            for other in found
        )
    }


def seen(found: Frontier, points: Any) -> dict[tuple[Fraction, ...], list[str]]:
    table = {}
    for point in points:
        deals = [str(sorted(deal.items())) for deal in found.deals(point)]
        assert found.count(point) == len(deals)
        table[point.utilities] = sorted(deals)
    return table


@given(problem=problems())
def test_m4_additive_frontier_is_that_of_every_deal(problem: Problem) -> None:
    found, deals = frontier(problem), list(problem.domain.deals())
    assert seen(found, found.points) == brute(problem, deals)
    good = [deal for deal in deals if not problem.refused_by(deal)]
    assert seen(found, found.rational) == brute(problem, good)
    assert found.size == len(found.points)
    for at in range(len(problem.parties)):
        assert found.worst(at) == min(problem.utilities(deal)[at] for deal in deals)


@given(problem=problems(), data=st.data())
def test_m4_constraints_and_red_lines_are_kept(problem: Problem, data: st.DataObject) -> None:
    domain = problem.domain

    def some_exclusion() -> dict[str, object]:
        return {
            term.name: data.draw(st.lists(st.sampled_from(term.names), min_size=1, unique=True))
            for term in domain.terms
        }

    limits = constraints_of(domain, [some_exclusion()])
    lines = constraints_of(domain, [some_exclusion()])
    parties = [
        Bargainer(one.name, one.preferences, lines if one.name == "a" else ())
        for one in problem.parties
    ]
    problem = problem_of(domain, parties, constraints=limits)
    deals = [deal for deal in domain.deals() if problem.allows(deal)]
    if not deals:
        with pytest.raises(InvalidInput, match="excludes every deal"):
            frontier(problem)
        return
    found = frontier(problem)
    assert seen(found, found.rational) == brute(
        problem, [deal for deal in deals if not problem.refused_by(deal)]
    )
    front = brute(problem, deals)
    assert set(front) == {point.utilities for point in found.points}


@given(problem=problems())
def test_m1_tables_and_functions_have_the_frontier_of_what_they_say(problem: Problem) -> None:
    domain = problem.domain
    others: dict[str, Any] = {}
    for one in problem.parties:
        limit = one.preferences.reservation
        if one.name == "a":
            rows = [(tuple(deal.values()), one.preferences.of(deal)) for deal in domain.deals()]
            others[one.name] = tabled(domain, rows, reservation=limit)
        else:
            others[one.name] = computed(domain, one.preferences.of, reservation=limit)
    found, same = frontier(problem), frontier(problem_of(domain, others))
    assert seen(same, same.points) == seen(found, found.points)
    assert seen(same, same.rational) == seen(found, found.rational)


def test_m4_functions_are_not_asked_about_excluded_deals() -> None:
    domain = domain_of({"a": ["x", "y"]})
    value = computed(domain, lambda deal: {"x": 1}[deal["a"]])
    problem = problem_of(
        domain,
        [Bargainer("ann", value), Bargainer("bob", additive(domain, {"a": {"y": 9}}))],
        constraints=constraints_of(domain, [{"a": "y"}]),
    )
    assert [list(map(int, point.utilities)) for point in frontier(problem).points] == [[1, 0]]


def wide() -> Domain:
    return domain_of({f"t{at}": list(range(10)) for at in range(30)})


def test_m4_ten_to_the_thirty_deals_need_no_enumeration() -> None:
    domain = wide()
    tables = [
        {term.name: {option: (place * 7 + int(option) * k) % 11 for option in term.names}
         for place, term in enumerate(domain.terms)}
        for k in (3, 5)
    ]  # fmt: skip
    problem = problem_of(
        domain, dict(zip("ab", (additive(domain, t) for t in tables), strict=True))
    )
    found = frontier(problem)
    best = tuple(one.preferences.best for one in problem.parties)  # type: ignore[union-attr]  # additive
    assert found.points[0].utilities[0] == best[0]
    assert found.points[-1].utilities[1] == best[1]
    deal = next(found.deals(found.points[0], 1))
    assert problem.utilities(deal) == found.points[0].utilities


def test_m4_too_many_deals_to_look_at_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DEALS_AT_MOST", 3)
    domain = domain_of({"a": [1, 2], "b": [1, 2]})
    problem = problem_of(
        domain,
        [Bargainer("ann", computed(domain, lambda _: 1)), Bargainer("bob", additive(domain, {}))],
    )
    with pytest.raises(InvalidInput, match="would have to look at 4 deals one by one"):
        frontier(problem)


def test_n6_a_value_that_is_not_a_number_is_refused_by_name() -> None:
    domain = domain_of({"a": [1, 2]})
    nan = computed(domain, lambda deal: float("nan") if deal["a"] == "2" else 1, whose="ann")
    with pytest.raises(InvalidInput, match="ann: value of a = 2 is nan"):
        frontier(problem_of(domain, [Bargainer("a", nan), Bargainer("b", additive(domain, {}))]))


def test_n14_prices_are_all_efficient() -> None:
    domain = domain_of({"price": list(range(3001))})
    seller = additive(domain, {"price": {str(n): n for n in range(3001)}})
    buyer = additive(domain, {"price": {str(n): 3000 - n for n in range(3001)}})
    found = frontier(problem_of(domain, {"seller": seller, "buyer": buyer}))
    assert found.size == 3001
