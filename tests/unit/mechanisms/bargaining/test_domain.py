"""Tests of domains: terms, options, declared exact sums, deals and their faults (M1, C4)."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from comity.core.canonical import canonical
from comity.core.errors import InvalidInput
from comity.mechanisms.bargaining.domain import Domain, count_text, domain_from_json, domain_of


@pytest.fixture
def auth() -> Domain:
    return domain_of(
        {
            "tls": {"full": {"ms": 60, "cost": "0.5"}, "none": {"ms": 0, "cost": 0}},
            "retries": [0, 1, 2],
            "days": {"long": 30, "short": "7.5"},
            "logs": [True, False],
        },
        {
            "p99_ms": "20 + tls.ms + 15 * retries",
            "cost": "-1/2 - 0.5 * tls.cost + tls.cost + days",
            "fixed": "3",
        },
    )


def faults_of(*args: Any) -> list[str]:
    with pytest.raises(InvalidInput) as error:
        domain_of(*args)
    return [str(fault) for fault in error.value.faults]


def test_m1_options_are_names_numbers_or_tables_of_numbers(auth: Domain) -> None:
    assert auth.names == ("tls", "retries", "days", "logs")
    assert auth.term("retries").names == ("0", "1", "2")
    assert auth.term("logs").names == ("yes", "no")
    assert auth.term("tls").options[0].numbers == (("cost", Decimal("0.5")), ("ms", 60))
    assert auth.term("retries").options[2].numbers == (("", 2),)
    assert auth.term("days").options[1].numbers == (("", Decimal("7.5")),)
    assert auth.term("logs").options[0].numbers == ()


def test_the_number_given_to_an_option_wins_over_its_name() -> None:
    domain = domain_of({"size": {"1": 10, "2": {}}}, {"s": "size"})
    assert domain.quantities[0].of({"size": "1"}) == 10
    assert domain.quantities[0].of({"size": "2"}) == 2


def test_c4_a_declared_sum_is_exact(auth: Domain) -> None:
    deal = {"tls": "full", "retries": "1", "days": "short", "logs": "no"}
    found = {one.name: one.of(deal) for one in auth.quantities}
    assert found == {"p99_ms": Fraction(95), "cost": Fraction(29, 4), "fixed": Fraction(3)}
    assert auth.quantity("p99_ms") is auth.quantities[0]
    assert auth.quantity("tls") is None


def test_the_bounds_of_a_sum_are_what_the_open_terms_leave_possible(auth: Domain) -> None:
    p99 = auth.quantities[0]
    assert p99.bounds({}) == (20, 110)
    assert p99.bounds({"tls": "full"}) == (80, 110)
    assert p99.bounds({"tls": "none", "retries": "2"}) == (50, 50)
    assert auth.quantities[1].bounds({}) == (7, Fraction(119, 4))
    assert auth.quantities[2].bounds({}) == (3, 3)


def test_size_and_deals_count_every_combination_once(auth: Domain) -> None:
    deals = list(auth.deals())
    assert auth.size == len(deals) == len({tuple(deal.items()) for deal in deals}) == 24
    assert all(auth.faults(deal, "x") == () for deal in deals)


def test_the_faults_of_a_deal_come_all_at_once(auth: Domain) -> None:
    found = [str(one) for one in auth.faults({"tsl": "full", "retries": "3"}, "CC")]
    assert len(found) == 3
    assert "did you mean 'tls'" in found[0]
    assert "sets retries to '3', which is not on offer" in found[1]
    assert "leaves tls, days, logs open" in found[2]
    assert auth.faults({"tls": "full"}, "CC", partial=True) == ()


def test_a_term_that_is_not_there_is_a_fault_of_the_caller(auth: Domain) -> None:
    with pytest.raises(InvalidInput, match="did you mean 'retries'"):
        auth.term("retris")


def test_a_name_with_a_dot_is_the_term_before_it_is_a_number_of_another() -> None:
    terms = {"a": {"x": {"b": 1}, "y": {"b": 2}}, "a.b": [5, 6]}
    for told in (terms, dict(reversed(terms.items()))):
        domain = domain_of(told, {"s": "a.b"})
        assert domain.quantities[0].of({"a": "x", "a.b": "5"}) == 5


def test_a_term_may_stand_twice_in_a_sum(auth: Domain) -> None:
    domain = domain_of({"a": [1, 2]}, {"s": "a + 2*a - 0.5 * a"})
    assert domain.quantities[0].of({"a": "2"}) == 5


FAULTS = [
    ({}, None, ["has no terms"]),
    ({"": ["x"]}, None, ["cannot be used as a name"]),
    ({"a": []}, None, ["has no options"]),
    ({"a": "xy"}, None, ["has no options"]),
    ({"a": 3}, None, ["has no options"]),
    ({"a": ["x", "y", "x"]}, None, ["lists 'x' twice"]),
    ({"a": ["x", " "]}, None, ["cannot be used as a name"]),
    ({"a": ["x", "X"]}, None, ["'X' and 'x', which only capitals tell apart"]),
    ({"a": ["x"], "A": ["y"]}, None, ["'A' and 'a', which only capitals tell apart"]),
    ({"a": {"x": {"ms": float("nan")}}}, None, ["x.ms is nan"]),
    ({"a": {"x": {"ms": True}}}, None, ["x.ms is True"]),
    ({"a": {"x": "much"}}, None, ["x is 'much'"]),
    ({"a": [1]}, {"a": "3"}, ["has the name of a term"]),
    ({"a": [1]}, {"": "3"}, ["cannot be used as a name"]),
    ({"a": [1]}, {"s": " "}, ["is empty"]),
    ({"a": [1]}, {"s": "a b"}, ["cannot be read from ' b' on"]),
    ({"a": [1]}, {"s": "2 a"}, ["cannot be read from '2 a' on"]),
    ({"a": [1]}, {"s": "a * 2"}, ["cannot be read from ' * 2' on"]),
    ({"a": [1]}, {"s": "2 *"}, ["cannot be read from '2 *' on"]),
    ({"a": [1]}, {"s": "+ +"}, ["cannot be read from '+ +' on"]),
    ({"a": [1]}, {"s": "1 + b"}, ["adds 'b', which does not exist"]),
    ({"a": {"x": {"ms": 1}}}, {"s": "a.mss"}, ["did you mean 'a.ms'"]),
    ({"a": {"x": {"ms": 1}, "y": {}}}, {"s": "a.ms"}, ["Next: add ms to 'y'"]),
    ({"a": ["x"]}, {"s": "a"}, ["a = x has no such number"]),
    ({"a": [1]}, {"s": "1/0 + c"}, ["factor is '1/0'", "adds 'c'"]),
    ({"a": [], "b": ["x", "x"]}, {"s": "c", "t": ""},
     ["has no options", "lists 'x' twice", "adds 'c'", "is empty"]),
]  # fmt: skip


@pytest.mark.parametrize(("terms", "sums", "told"), FAULTS)
def test_g7_a_domain_that_cannot_be_used_says_all_that_is_wrong(
    terms: dict[str, Any], sums: dict[str, str] | None, told: list[str]
) -> None:
    found = faults_of(terms, sums)
    assert len(found) == len(told)
    assert all(part in fault for part, fault in zip(told, found, strict=True))


def test_a_domain_survives_the_ledger_which_sorts_keys(auth: Domain) -> None:
    again = domain_from_json(json.loads(canonical(auth.to_json())))
    assert again == auth
    assert again.names == auth.names
    assert [one.name for one in again.quantities] == [one.name for one in auth.quantities]


@pytest.mark.parametrize(
    "change",
    [
        {"terms": None},
        {"quantities": {}},
        {"order": {"terms": [["tls", ["full"]]], "quantities": []}},
        {"order": {"terms": [["tls"]], "quantities": []}},
        {"order": {"terms": [["tls", 3]], "quantities": []}},
        {"order": {"terms": [["no such", ["x"]]], "quantities": []}},
        {"order": None},
        {"quantities": {"p99_ms": "20", "cost": "1", "fixed": "3", "new": "4"}},
    ],
)
def test_a_damaged_record_of_a_domain_is_refused(change: dict[str, Any], auth: Domain) -> None:
    with pytest.raises(InvalidInput, match="not as it was recorded"):
        domain_from_json({**auth.to_json(), **change})
    with pytest.raises(InvalidInput):
        domain_from_json({})


def test_numbers_too_large_to_be_written_are_refused_as_names() -> None:
    for free in (True, False):
        with pytest.raises(InvalidInput, match="cannot be used as a name"):
            domain_of({"x": [10**5000]}, free=free)


def test_a_count_is_told_however_large() -> None:
    assert count_text(7_776) == "7,776"
    assert count_text(10**29) == f"{10**29:,}"
    assert count_text(2**15_000) == "about 10^4515"
