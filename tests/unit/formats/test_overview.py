"""Overview: what is told of a frontier is exact, whole, and the same as the mechanism says."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import comity
from comity.core.errors import InvalidInput, UnknownName
from comity.formats.overview import (
    appraised,
    course_of,
    deal_report,
    equal_deals,
    outcome_space,
    overview,
)
from comity.mechanisms.bargaining.problem import Bargainer, Problem

CUTS = [str(n) for n in range(41)]


def cake(
    *, ann: Any = None, bob: Any = None, lines: Any = (), constraints: Any = (), big: int = 1
) -> Problem:
    """Forty pieces, and a flag that only bob cares for."""
    d = comity.domain_of({"cut": CUTS, "flag": ["up", "down"]})
    mine = comity.additive(d, {"cut": {n: int(n) * big for n in CUTS}}, reservation=ann)
    theirs = comity.additive(
        d, {"cut": {n: 40 - int(n) for n in CUTS}, "flag": {"up": "1/3"}}, reservation=bob
    )
    red = comity.constraints_of(d, lines, whose="ann")
    return comity.problem_of(
        d,
        [Bargainer("ann", mine, red), Bargainer("bob", theirs)],
        constraints=comity.constraints_of(d, constraints, whose="all"),
    )


def test_m4_a_long_frontier_is_spread_evenly_with_both_ends_and_the_rest_counted() -> None:
    told = overview(comity.frontier(cake()), most=5)
    section: Any = told["frontier"]
    assert (section["size"], section["left_out"]) == (41, 36)
    assert [one["utilities"]["ann"] for one in section["points"]] == [40, 30, 20, 10, 0]
    assert section["points"][0]["utilities"]["bob"] == "1/3"
    every: Any = overview(comity.frontier(cake()), most=None)["frontier"]
    assert (len(every["points"]), every["left_out"]) == (41, 0)


def test_m4_points_that_all_accept_are_marked_and_listed_apart() -> None:
    told: Any = overview(comity.frontier(cake(ann=10, bob=20)))
    assert told["acceptable"]["size"] == 11
    assert told["acceptable_on_frontier"] is True
    marks = {one["utilities"]["ann"]: one["acceptable"] for one in told["frontier"]["points"]}
    assert all(marks[worth] is (10 <= worth <= 20) for worth in marks)
    assert told["reservations"] == {"ann": 10, "bob": 20}
    assert told["without_a_deal"] == {"ann": 10, "bob": 20}


def test_m4_what_a_red_line_leaves_is_no_part_of_the_frontier() -> None:
    told: Any = overview(comity.frontier(cake(lines=[{"flag": "up"}])))
    assert told["acceptable_on_frontier"] is False
    assert {one["deal"]["flag"] for one in told["acceptable"]["points"]} == {"down"}


def test_m4_every_solution_has_its_ties_and_its_definition() -> None:
    told: Any = overview(comity.frontier(cake()))
    solved = told["solutions"]
    assert list(solved) == [
        "nash", "kalai_smorodinsky", "nearest_diagonal", "egalitarian", "utilitarian", "ideal",
    ]  # fmt: skip
    assert all(one["says"] for one in solved.values())
    assert solved["utilitarian"]["size"] == 41
    assert solved["utilitarian"]["value"] == "121/3"
    assert (len(solved["utilitarian"]["points"]), solved["utilitarian"]["left_out"]) == (20, 21)
    assert solved["nash"]["points"][0]["utilities"] == {"ann": 20, "bob": "61/3"}
    assert isinstance(solved["ideal"]["distance"], float)
    assert "distance" not in solved["nash"]


def test_m7_without_an_overlap_the_nearest_deal_says_who_falls_short_by_how_much() -> None:
    found = comity.frontier(cake(ann=30, bob=30))
    told: Any = overview(found, seed="3")
    assert told["solutions"]["nash"]["why"] == "no deal is acceptable to every party"
    assert told["nearest"]["deal"] == [["cut", "20"], ["flag", "up"]]
    assert told["nearest"]["short"] == [
        {"name": "ann", "value": 10},
        {"name": "bob", "value": "29/3"},
    ]
    assert told["ties"] == []


def test_g6_points_that_need_one_unit_say_why_they_do_not_exist() -> None:
    d = comity.domain_of({"a": ["x", "y"]})
    one = comity.additive(d, {"a": {"x": 1}}, unit="EUR")
    two = comity.additive(d, {"a": {"y": 1}}, unit="hours")
    told: Any = overview(comity.frontier(comity.problem_of(d, {"one": one, "two": two})))
    for name in ("egalitarian", "utilitarian", "ideal"):
        assert "EUR" in told["solutions"][name]["why"]
        assert told["solutions"][name]["points"] == []
    assert told["solutions"]["ideal"]["distance"] is None
    assert told["solutions"]["nash"]["size"] == 2


def test_an_unknown_point_is_refused() -> None:
    with pytest.raises(UnknownName, match="nash"):
        overview(comity.frontier(cake()), points=("nosh",))


def test_m4_a_deal_is_held_against_the_frontier() -> None:
    found = comity.frontier(cake(ann=10, bob=20))
    told: Any = deal_report(found, {"flag": "down", "cut": "5"})
    assert list(told["deal"]) == ["cut", "flag"]
    assert (told["utilities"], told["refused_by"]) == ({"ann": 5, "bob": 35}, ["ann"])
    assert (told["efficient"], told["better"]["size"]) == (False, 1)
    assert told["distances"]["frontier"] == {"distance": pytest.approx(1 / 3), "squared": "1/9"}
    assert deal_report(found, {"flag": "up", "cut": "5"})["efficient"] is True
    with pytest.raises(InvalidInput, match="flag"):
        deal_report(found, {"cut": "5"})


def test_m4_every_deal_behind_a_solution_is_counted_and_some_are_listed() -> None:
    told: Any = equal_deals(comity.frontier(cake()), "utilitarian", most=3)
    assert (told["size"], len(told["deals"]), told["left_out"]) == (41, 3, 38)
    assert equal_deals(comity.frontier(cake()), "utilitarian", most=None)["left_out"] == 0
    assert equal_deals(comity.frontier(cake(ann=99)), "nash")["size"] == 0


# --- negotiations ----------------------------------------------------------------------------


def played(problem: Problem, *plays: str, rounds: int = 30) -> Any:
    return comity.negotiate_issues(problem, list(plays), rounds=rounds, seed="1")


def test_a_deal_is_appraised_with_each_partys_share_of_the_most_it_could_gain() -> None:
    problem = cake(ann=10, bob=20)
    result = played(problem, "linear", "linear")
    told: Any = appraised(comity.frontier(problem), result)
    own = problem.utilities(result.deal)
    assert told["acceptable"] == 11
    assert told["deal"] == result.deal
    assert Fraction(told["shares"]["ann"]) == (own[0] - 10) / 10
    assert Fraction(told["shares"]["bob"]) == (own[1] - 20) / (Fraction(30) + Fraction(1, 3) - 20)


def test_shares_are_null_where_nothing_could_be_gained_or_nobody_keeps_its_reservation() -> None:
    one = cake(ann=40)
    result = played(one, "linear", "linear")
    shares: Any = appraised(comity.frontier(one), result)["shares"]
    assert shares == {"ann": None, "bob": int(3 * one.utilities(result.deal)[1])}
    apart = comity.frontier(cake(ann=40, bob=40))
    assert appraised(apart, result)["shares"] == {"ann": None, "bob": None}


def test_a_no_deal_says_whether_one_was_possible() -> None:
    problem = cake(ann=10, bob=20)
    result = played(problem, "hardliner", "hardliner")
    told: Any = appraised(comity.frontier(problem), result)
    assert told["acceptable"] == 11
    assert told["nash"]["size"] == 1
    none: Any = appraised(comity.frontier(cake(ann=40, bob=40)), result)
    assert (none["acceptable"], none["nash"]["points"]) == (0, [])


def test_b9_the_course_has_both_ends_with_what_each_offer_is_worth_to_each() -> None:
    problem = cake()
    result = played(problem, "boulware:0.1", "boulware:0.1")
    told: Any = course_of(problem, result, ends=3)
    assert told["made"] == len(result.offers)
    assert told["left_out"] == told["made"] - 6
    assert [one["round"] for one in told["offers"][:2]] == [0, 0]
    for one in told["offers"]:
        worth = dict(zip(problem.names, problem.utilities(one["deal"]), strict=True))
        assert {name: Fraction(value) for name, value in one["utilities"].items()} == worth
    assert told["offers"][-1]["accepted_by"]
    every: Any = course_of(problem, result, ends=1000)
    assert (len(every["offers"]), every["left_out"]) == (told["made"], 0)


# --- places ----------------------------------------------------------------------------------


def test_the_space_has_every_deal_once_and_tells_which_all_accept() -> None:
    space: Any = outcome_space(comity.frontier(cake(ann=10, bob=20)))
    assert len(space["outcomes"]) == 82
    good = {tuple(row[:2]) for row in space["outcomes"] if row[2]}
    assert good == {
        (float(n), 40.0 - n + more) for n in range(10, 21) for more in (0.0, float(Fraction(1, 3)))
    }
    assert space["reservations"] == [10.0, 20.0]
    assert space["worst"] == [0.0, 0.0]
    assert (space["deal"], space["deal_suits"], space["path"]) == (None, False, {})


def test_deals_that_nobody_can_make_are_not_drawn_and_red_lines_do_not_suit() -> None:
    problem = cake(lines=[{"flag": "up"}], constraints=[{"cut": "0"}])
    space: Any = outcome_space(comity.frontier(problem), deal={"cut": "3", "flag": "up"})
    assert len(space["outcomes"]) == 80
    assert {row[2] for row in space["outcomes"] if row[1] % 1} == {False}
    assert (space["deal"][0], space["deal_suits"]) == (3.0, False)


def test_tables_and_three_parties_have_places_too() -> None:
    d = comity.domain_of({"a": ["x", "y"]})
    table = comity.tabled(d, [(("x",), 1), (("y",), 3)])
    two = comity.problem_of(d, {"one": table, "two": comity.additive(d, {"a": {"x": 2}})})
    space: Any = outcome_space(comity.frontier(two), points=("nash",))
    assert sorted(space["outcomes"]) == [[1.0, 2.0, True], [3.0, 0.0, True]]
    assert list(space["solutions"]) == ["nash"]
    three = comity.problem_of(
        d, {"one": table, "two": table, "three": comity.additive(d, {"a": {"x": 2}})}
    )
    assert "outcomes" not in outcome_space(comity.frontier(three))


def test_of_many_deals_only_the_frontier_has_places() -> None:
    terms = {f"i{at}": ["x", "y", "z"] for at in range(10)}
    d = comity.domain_of(terms)
    values = {name: {"x": 1} for name in terms}
    one, two = comity.additive(d, values), comity.additive(d, values)
    space: Any = outcome_space(comity.frontier(comity.problem_of(d, {"a": one, "b": two})))
    assert "outcomes" not in space
    assert space["frontier"] == [[10.0, 10.0]]


def test_the_path_has_every_offer_of_each_party() -> None:
    problem = cake()
    result = played(problem, "linear", "linear")
    space: Any = outcome_space(comity.frontier(problem), result=result)
    assert space["deal"] == [float(one) for one in problem.utilities(result.deal)]
    assert len(space["path"]["ann"]) + len(space["path"]["bob"]) == len(result.offers)
    assert max(space["path"]["ann"])[0] == 40.0


def test_a_number_too_large_to_draw_is_refused() -> None:
    with pytest.raises(InvalidInput, match="too large"):
        outcome_space(comity.frontier(cake(big=10**400)))
