"""Genius domains: are sizes, frontiers, limits and points those of the reference?

Here: the hand-made domain of the reference data with its exact answers; the real domains, where a
folder of their files is there.
Not here: broken files (tests/unit/formats/test_genius_xml.py).
Sources: the reference data's own README; SEMANTICS M1, M6, and the defects N1 to N3.

The real domains' files have no clear licence and are in no repository of ours. `COMITY_ANAC` names
a folder that holds them; the folders in it have the names of the rows of `anac_reference.csv`.
"""

from __future__ import annotations

import csv
import json
import os
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from comity.core.errors import InvalidInput
from comity.formats.genius_xml import read_genius
from comity.formats.xml_tree import root_tag
from comity.mechanisms.bargaining.preferences import Additive

if TYPE_CHECKING:
    from collections.abc import Callable

    from comity.mechanisms.bargaining.problem import Problem


@pytest.fixture(scope="module")
def hand_made(need_data: Callable[[str], Path]) -> tuple[Problem, dict[str, Any]]:
    folder = need_data("negotiation/handmade")
    text = (folder / "ops_expected.json").read_text(encoding="utf-8")
    expected: dict[str, Any] = json.loads(text, parse_float=Fraction)
    loaded = read_genius(folder / "ops_domain.xml")
    assert loaded.notes == ()
    return loaded.problem, expected


def dominates(one: tuple[Fraction, ...], other: tuple[Fraction, ...]) -> bool:
    return one != other and all(a >= b for a, b in zip(one, other, strict=True))


def efficient(problem: Problem) -> set[tuple[Fraction, ...]]:
    points = {problem.utilities(deal) for deal in problem.domain.deals()}
    return {one for one in points if not any(dominates(other, one) for other in points)}


def test_n1_the_reservation_of_a_discounted_profile_is_kept(
    hand_made: tuple[Problem, dict[str, Any]],
) -> None:
    problem, expected = hand_made
    kept = [one.preferences.reservation for one in problem.parties]
    assert kept == expected["reservation"] == [Fraction(1, 2), Fraction(1, 4)]
    assert [one.preferences.discount for one in problem.parties] == [Fraction(3, 4), 1]


def test_n2_every_listed_deal_is_worth_exactly_what_the_reference_says(
    hand_made: tuple[Problem, dict[str, Any]],
) -> None:
    problem, expected = hand_made
    names = problem.domain.names
    for key in ("pareto", "nash", "utilitarian"):
        for options, utilities in expected[key]:
            deal = dict(zip(names, options, strict=True))
            assert list(problem.utilities(deal)) == utilities


def test_m1_the_sizes_are_those_of_the_reference(
    hand_made: tuple[Problem, dict[str, Any]],
) -> None:
    problem, expected = hand_made
    accepted = [deal for deal in problem.domain.deals() if not problem.refused_by(deal)]
    frontier = efficient(problem)
    assert problem.domain.size == expected["outcomes"]
    assert frontier == {tuple(utilities) for _, utilities in expected["pareto"]}
    assert len(accepted) == expected["rational"]
    rational = {problem.utilities(deal) for deal in accepted}
    assert len(frontier & rational) == expected["rational_pareto"]


# --- real domains, where there are some ------------------------------------------------------


@pytest.fixture(scope="module")
def real_domains(need_data: Callable[[str], Path]) -> list[tuple[dict[str, str], Path]]:
    rows = need_data("negotiation/anac_reference.csv")
    named = os.environ.get("COMITY_ANAC")
    if not named:
        pytest.skip("anac: no real Genius domains here; set COMITY_ANAC to a folder of them")
    with rows.open(encoding="utf-8", newline="") as file:
        listed = list(csv.DictReader(file))
    places = [(row, place) for row in listed for place in [folder_of(row, Path(named))] if place]
    if not places:
        pytest.skip("anac: no folder in COMITY_ANAC has the name of a row of anac_reference.csv")
    return places


def folder_of(row: dict[str, str], root: Path) -> Path | None:
    """Return the folder of a row: by its whole name, or without what stands before it."""
    parts = Path(row["domain"]).parts
    tries = [root.joinpath(*parts[at:]) for at in range(len(parts))]
    return next((one for one in tries if one.is_dir()), None)


def problem_in(folder: Path) -> Problem:
    """Return the domain of a folder with every profile in it, as the reference takes them.

    The reference divides weights by their sum: those of Laptop sum to 1.00005.
    """
    tags = {one: root_tag(one.read_bytes()) for one in sorted(folder.glob("*.xml"))}
    domain = [one for one, tag in tags.items() if tag == "negotiation_template"]
    profiles = [one for one, tag in tags.items() if tag == "utility_space"]
    assert len(domain) == 1, f"{folder.name} has {len(domain)} domains"
    return read_genius(domain[0], profiles, scaled=True).problem


def test_m6_real_domains_have_the_sizes_and_reservations_of_the_reference(
    real_domains: list[tuple[dict[str, str], Path]],
) -> None:
    wrong = []
    for row, folder in real_domains:
        try:
            problem = problem_in(folder)
        except InvalidInput as error:
            wrong.append((row["domain"], str(error)))
            continue
        sizes = [len(term.options) for term in problem.domain.terms]
        reservations = [float(one.preferences.reservation or 0) for one in problem.parties]
        told = [float(one) for one in row["reservation"].split(";")]
        discounts = [one.preferences.discount for one in problem.parties]
        stated = [Fraction(one or 1) or Fraction(1) for one in row["discount"].split(";")]
        if (
            sizes != [int(one) for one in row["issue_sizes"].split("x")]
            or prod(sizes) != int(row["outcomes"])
            or len(problem.parties) != int(row["parties"])
            or sorted(reservations) != pytest.approx(sorted(told))
            or sorted(discounts) != sorted(stated)
        ):
            wrong.append((row["domain"], f"{sizes} {reservations} {discounts}"))
    assert wrong == []


def test_m6_real_domains_have_the_utilities_of_the_reference(
    real_domains: list[tuple[dict[str, str], Path]],
) -> None:
    wrong = []
    checked = 0
    for row, folder in real_domains:
        if int(row["outcomes"]) > 1_000 or not row["welfare"]:
            continue
        problem = problem_in(folder)
        checked += 1
        accepted = [deal for deal in problem.domain.deals() if not problem.refused_by(deal)]
        welfare = float(max(sum(problem.utilities(deal)) for deal in accepted))
        frontier = len(efficient(problem))
        is_same = welfare == pytest.approx(float(row["welfare"]), abs=1e-5)
        if not is_same or frontier != int(row["pareto_size"]):
            wrong.append((row["domain"], welfare, frontier))
        assert all(isinstance(one.preferences, Additive) for one in problem.parties)
    if not checked:
        pytest.skip("anac: no domain of at most 1,000 outcomes among those in COMITY_ANAC")
    assert wrong == []
