"""Tests of whether red lines can be kept together, and which ones collide (C4)."""

from __future__ import annotations

from itertools import permutations

import pytest

from comity.mechanisms.bargaining.domain import Domain, domain_of
from comity.protocols.consent import feasibility
from comity.protocols.consent.feasibility import (
    EXACT_UP_TO,
    NOT_CHECKED,
    Conflict,
    Feasibility,
    Owned,
    check_red_lines,
    keeps_all,
)
from comity.protocols.consent.red_lines import Predicate, read_predicate


def lines(domain: Domain, *told: str) -> list[Owned]:
    """Read "CX: p99_latency_ms < 90" as an owned red line."""
    found: list[Owned] = []
    for text in told:
        party, _, line = text.partition(": ")
        predicate = read_predicate(line, domain, whose=party)
        assert predicate is not None
        found.append((party, predicate))
    return found


def words(found: Feasibility) -> list[str]:
    return [str(one) for one in found.conflicts]


def large(terms: int, options: int = 10) -> Domain:
    """Return a domain of options ** terms deals with a sum over all of them."""
    names = [f"t{number:02}" for number in range(terms)]
    return domain_of(
        {name: range(options) for name in names},
        {"sum": " + ".join(names), "even": " + ".join(f"2 * {name}" for name in names)},
    )


def test_c4_lines_that_can_be_kept_have_a_witness_that_keeps_them(tls: Domain) -> None:
    told = lines(tls, "CX: p99_latency_ms < 100", "GM: tls in {full}", "CC: retries >= 1")
    found = check_red_lines(tls, told)
    assert found.verdict == "feasible"
    assert dict(found.witness) == {"tls": "full", "retries": "1"}
    assert keeps_all(tls, told, dict(found.witness))
    assert found.conflicts == ()


def test_c4_strict_and_non_strict_bounds_are_kept_apart(tls: Domain) -> None:
    base = ("GM: tls in {full}", "CC: retries >= 1")
    assert (
        check_red_lines(tls, lines(tls, "CX: p99_latency_ms <= 95", *base)).verdict == "feasible"
    )
    assert check_red_lines(tls, lines(tls, "CX: p99_latency_ms < 95", *base)).verdict == "conflict"


@pytest.mark.parametrize(
    ("told", "conflicts"),
    [
        (["CX: retries > 2"], ["CX's retries > 2"]),
        (["CX: retries < 1", "CC: retries > 0"], ["CC's retries > 0 and CX's retries < 1"]),
        (
            ["CC: tls in {full}", "CX: tls in {none}", "GM: p99_latency_ms >= 40"],
            ["CC's tls in {full} and CX's tls in {none}"],
        ),
        (
            ["CC: retries in {2}", "CX: p99_latency_ms <= 40", "GM: tls in {full}"],
            ["CC's retries in {2} and CX's p99_latency_ms <= 40",
             "CX's p99_latency_ms <= 40 and GM's tls in {full}"],
        ),
        (
            ["CC: retries >= 1", "CX: p99_latency_ms < 95", "GM: tls in {full}"],
            ["CC's retries >= 1 and CX's p99_latency_ms < 95 and GM's tls in {full}"],
        ),
        (
            ["CC: retries < 1", "CX: retries < 1", "GM: retries > 0"],
            ["CC's retries < 1 and GM's retries > 0", "CX's retries < 1 and GM's retries > 0"],
        ),
        (["CX: p99_latency_ms == 36"], ["CX's p99_latency_ms == 36"]),
    ],
)  # fmt: skip
def test_c4_the_smallest_conflicting_sets_are_all_named(
    told: list[str], conflicts: list[str], tls: Domain
) -> None:
    for order in permutations(told):
        found = check_red_lines(tls, lines(tls, *order))
        assert found.verdict == "conflict"
        assert found.complete
        assert words(found) == conflicts


def test_the_parties_of_a_conflict_are_named_once_each() -> None:
    line = Predicate("a", "<", 1)
    assert Conflict((("CX", line), ("CC", line), ("CX", line))).parties == ("CC", "CX")


def test_c4_the_order_of_terms_and_options_decides_nothing_but_the_witness() -> None:
    told = ["CC: a > 1", "CX: b < 2", "GM: sum >= 9"]
    found = set()
    for order in permutations([("a", [1, 2, 3]), ("b", [1, 2]), ("c", [1, 2])]):
        domain = domain_of(dict(order), {"sum": "a + b + c"})
        found.add(tuple(words(check_red_lines(domain, lines(domain, *told)))))
    assert found == {("GM's sum >= 9",)}


def test_no_red_lines_are_kept_by_any_deal(tls: Domain) -> None:
    assert check_red_lines(tls, []).verdict == "feasible"
    assert keeps_all(tls, [], {"tls": "full", "retries": "0"})


def test_fractions_and_decimals_are_compared_exactly() -> None:
    domain = domain_of(
        {"a": ["0.1", "0.2"], "b": ["0.2", "0.3"]}, {"sum": "a + b", "third": "1/3 * a"}
    )
    assert check_red_lines(domain, lines(domain, "CC: sum == 0.3")).verdict == "feasible"
    assert check_red_lines(domain, lines(domain, "CC: sum > 0.5")).verdict == "conflict"
    assert check_red_lines(domain, lines(domain, "CC: third < 1/30")).verdict == "conflict"
    assert check_red_lines(domain, lines(domain, "CC: third <= 1/30")).verdict == "feasible"


def test_without_explaining_only_the_verdict_is_looked_for(tls: Domain) -> None:
    found = check_red_lines(tls, lines(tls, "CX: retries > 2"), explain=False)
    assert (found.verdict, found.conflicts, found.complete) == ("conflict", (), False)


def test_c4_beyond_a_million_deals_bounds_alone_may_tell() -> None:
    domain = large(9)
    assert domain.size > EXACT_UP_TO == 10**6
    assert check_red_lines(domain, lines(domain, "CC: sum > 80")).verdict == "feasible"
    found = check_red_lines(domain, lines(domain, "CC: sum > 81", "CX: t00 < 5"))
    assert words(found) == ["CC's sum > 81"]
    assert found.complete


def test_c4_where_bounds_cannot_tell_it_says_not_checked() -> None:
    domain = large(9)
    assert check_red_lines(domain, lines(domain, "CC: even == 81")) == NOT_CHECKED


def test_c4_a_set_that_could_not_be_searched_is_not_claimed_to_be_no_conflict() -> None:
    domain = large(9)
    told = lines(domain, "CC: even == 81", "CX: sum < 1", "GM: sum > 0")
    found = check_red_lines(domain, told)
    assert words(found) == ["CC's even == 81 and CX's sum < 1", "CX's sum < 1 and GM's sum > 0"]
    assert not found.complete


def test_c4_a_domain_of_just_the_limit_is_searched_to_the_end_and_one_above_it_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    domain = large(3)
    told = lines(domain, "CC: even == 27")
    monkeypatch.setattr(feasibility, "_NODES_BEYOND", 100)
    monkeypatch.setattr(feasibility, "EXACT_UP_TO", 1_000)
    assert words(check_red_lines(domain, told)) == ["CC's even == 27"]
    monkeypatch.setattr(feasibility, "EXACT_UP_TO", 999)
    assert check_red_lines(domain, told).verdict == "not_checked"


def test_c4_with_too_many_sets_to_try_one_minimal_set_is_named(
    monkeypatch: pytest.MonkeyPatch, tls: Domain
) -> None:
    told = ["CC: retries >= 1", "CX: p99_latency_ms < 95", "GM: tls in {full}", "ZZ: retries >= 0"]
    monkeypatch.setattr(feasibility, "_SUBSETS_AT_MOST", 5)
    found = check_red_lines(tls, lines(tls, *told))
    assert words(found) == [
        "CC's retries >= 1 and CX's p99_latency_ms < 95 and GM's tls in {full}"
    ]
    assert not found.complete
