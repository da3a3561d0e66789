"""Issue strategies: does our own meet its targets on the 54 real domains, without disclosure?

Here: SEMANTICS M3 measured: both roles, both openers, 100 rounds, every baseline in the same run;
every strategy that keeps the deadline agrees wherever a zone exists.
Not here: the table of all pairs (benchmarks/bench_issue_strategies.py).
Sources: SEMANTICS M3; `negolog_domains.json`, utility = sum of weight x value, reservation 0.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import TYPE_CHECKING, Any

import pytest

from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.frontier import frontier
from comity.mechanisms.bargaining.issue_results import IssueAgreement
from comity.mechanisms.bargaining.outcomes import Outcomes, outcomes_of
from comity.mechanisms.bargaining.preferences import additive
from comity.mechanisms.bargaining.problem import Problem, problem_of
from comity.mechanisms.bargaining.several import negotiate_issues
from comity.mechanisms.bargaining.solutions import solution

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

ROUNDS = 100
ON_TIME = ("boulware", "linear", "conceder", "nice_tit_for_tat", "comity")


@dataclass(frozen=True)
class Case:
    """One domain with its tables, its frontier and its Nash points."""

    outcomes: Outcomes
    efficient: frozenset[tuple[Fraction, ...]]
    nash: tuple[tuple[Fraction, ...], ...]


@dataclass(frozen=True)
class Quality:
    """What a pair of strategies comes to over many negotiations."""

    agreed: float
    efficient: float
    to_nash: float


def problem_from(entry: dict[str, Any]) -> Problem:
    profiles = {"one": entry["profileA"], "two": entry["profileB"]}
    domain = domain_of(
        {name: list(values) for name, values in entry["profileA"]["issues"].items()}, free=True
    )
    wants = {}
    for party, profile in profiles.items():
        weights = profile["issueWeights"]
        table = {
            issue: {
                value: str(Fraction(str(weights[issue])) * Fraction(str(worth)))
                for value, worth in values.items()
            }
            for issue, values in profile["issues"].items()
        }
        wants[party] = additive(domain, table, reservation=profile["reservationValue"])
    return problem_of(domain, wants)


@pytest.fixture(scope="module")
def cases(need_data: Callable[[str], Path]) -> list[Case]:
    found = need_data("negotiation/negolog_domains.json")
    entries = json.loads(found.read_text(encoding="utf-8"))["domains"]
    assert len(entries) == 54
    made = []
    for entry in entries.values():
        outcomes = outcomes_of(problem_from(entry))
        points = frontier(outcomes.problem)
        nash = solution(points, "nash").points
        made.append(
            Case(
                outcomes,
                frozenset(one.utilities for one in points.points),
                tuple(one.utilities for one in nash),
            )
        )
    return made


def quality(cases: Iterable[Case], pair: tuple[str, str], seeds: Iterable[str]) -> Quality:
    count = agreed = efficient = 0
    distance = 0.0
    for case in cases:
        for seed in seeds:
            for first in ("one", "two"):
                count += 1
                found = negotiate_issues(
                    case.outcomes, pair, rounds=ROUNDS, first=first, seed=seed, trace=False
                )
                if not isinstance(found, IssueAgreement):
                    continue
                agreed += 1
                worth = tuple(Fraction(item.value) for item in found.utilities)
                efficient += worth in case.efficient
                distance += min(
                    sqrt(sum((a - b) ** 2 for a, b in zip(worth, point, strict=True)))
                    for point in case.nash
                )
    return Quality(agreed / count, efficient / max(agreed, 1), distance / max(agreed, 1))


def test_m3_the_domains_are_read_as_their_authors_read_them(
    need_data: Callable[[str], Path],
) -> None:
    found = need_data("negotiation/negolog_domains.json")
    entries = json.loads(found.read_text(encoding="utf-8"))["domains"]
    checked = 0
    for entry in entries.values():
        published = entry["specs"].get("Nash Product")
        if published is None:
            continue
        value = solution(frontier(problem_from(entry)), "nash").value
        assert value is not None
        assert abs(float(value) - published) < 1e-9
        checked += 1
    assert checked >= 50


def test_m3_our_own_strategy_meets_its_targets_and_leads_every_baseline(
    cases: list[Case],
) -> None:
    """All 54 domains, both openers, one seed; the targets of M3."""
    ours = quality(cases, ("comity", "comity"), ["1"])
    assert ours.agreed == 1
    assert ours.efficient >= 0.95
    assert ours.to_nash <= 0.05
    for name in ("linear", "boulware"):
        theirs = quality(cases, (name, name), ["1"])
        assert theirs.agreed == 1
        assert theirs.efficient < 0.5 < ours.efficient
        assert theirs.to_nash > 5 * ours.to_nash
    micro = quality(cases, ("micro", "micro"), ["1"])
    assert micro.efficient >= 0.95, "what MiCRO agrees on is efficient, but for ties"
    assert micro.agreed < 0.7, "but it misses the deadline"
    assert micro.to_nash > 2 * ours.to_nash


@pytest.mark.full
@pytest.mark.parametrize("seed", ["2", "3", "4", "5", "6"])
def test_m3_the_targets_do_not_hang_on_the_seed(cases: list[Case], seed: str) -> None:
    ours = quality(cases, ("comity", "comity"), [seed])
    assert ours.agreed == 1
    assert ours.efficient >= 0.95
    assert ours.to_nash <= 0.05


@pytest.mark.parametrize("other", ON_TIME)
def test_m3_it_keeps_the_deadline_against_all_that_do(cases: list[Case], other: str) -> None:
    some = [case for case in cases if case.outcomes.layout.size <= 256]
    assert len(some) >= 20
    assert quality(some, ("comity", other), ["1"]).agreed == 1
    assert quality(some, (other, "comity"), ["1"]).agreed == 1


@pytest.mark.full
@pytest.mark.parametrize("other", [*ON_TIME, "hardliner", "micro", "tit_for_tat"])
def test_m3_it_agrees_with_everybody_on_all_domains(cases: list[Case], other: str) -> None:
    assert quality(cases, ("comity", other), ["1"]).agreed == 1
    assert quality(cases, (other, "comity"), ["1"]).agreed == 1


@pytest.mark.full
def test_m3_it_is_no_pushover(cases: list[Case]) -> None:
    """Against Boulware it does as well as Boulware does against itself, to a hundredth."""

    def own_worth(pair: tuple[str, str]) -> float:
        total = Fraction(0)
        for case in cases:
            found = negotiate_issues(case.outcomes, pair, first="one", seed="1", trace=False)
            assert isinstance(found, IssueAgreement)
            total += Fraction(found.utilities[0].value)
        return float(total) / len(cases)

    for other in ("boulware", "linear"):
        assert own_worth(("comity", other)) > own_worth((other, other)) - 0.01
