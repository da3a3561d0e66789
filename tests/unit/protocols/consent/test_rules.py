"""Tests of the rules: seats, limits, the recorded order, and every fault at once (C1, C5, G4)."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from hashlib import sha256
from typing import Any

import pytest

from comity.core.canonical import canonical
from comity.core.errors import InvalidInput
from comity.mechanisms.bargaining.domain import Domain
from comity.protocols.consent.red_lines import Predicate
from comity.protocols.consent.rules import (
    ConsentLimits,
    ConsentRules,
    Seat,
    consent_rules,
    order_tie,
    rules_from_json,
)

SEATS: dict[str, object] = {"CC": "Reliability", "CX": "Speed", "GM": "Security"}


def faults_of(*args: Any, **named: Any) -> list[str]:
    with pytest.raises(InvalidInput) as error:
        consent_rules(*args, **named)
    return [str(fault) for fault in error.value.faults]


def full(tls: Domain) -> ConsentRules:
    seats: dict[str, object] = {
        "CC": {
            "priority": " Reliability\n[DONE] ",
            "rationale": "r",
            "red_lines": ["retries > 0", "no silent loss", "retries >0"],
            "willing_to_trade": "latency",
        },
        "CX": {"priority": "Speed", "red_lines": "p99_latency_ms under 100"},
        "GM": {"priority": "Security", "red_lines": ()},
    }
    limits = ConsentLimits(
        max_turns=12, stall=5, reasks=0, turn_timeout_ms=60_000, tokens=9, money=Decimal("0.50")
    )
    return consent_rules(
        " Which? ", seats, seed="7", domain=tls, limits=limits, work="the work\n", output="out.md"
    )


def test_c1_a_seat_is_a_priority_or_a_table_and_red_lines_of_predicates_are_read(
    tls: Domain,
) -> None:
    rules = full(tls)
    seat = rules.seat("CC")
    assert seat.priority == "Reliability [DONE]"
    assert seat.red_lines == ("retries > 0", "no silent loss")
    assert seat.predicates == (Predicate("retries", ">", 0),)
    assert seat.judged == ("no silent loss",)
    assert rules.seat("CX").red_lines == ("p99_latency_ms < 100",)
    assert rules.question == "Which?"


def test_without_a_domain_every_red_line_is_its_owner_s_to_judge() -> None:
    rules = consent_rules(
        "q", {**SEATS, "CX": {"priority": "Speed", "red_lines": ["p99 < 100"]}}, seed="1"
    )
    assert rules.seat("CX").judged == ("p99 < 100",)


def test_c1_the_speaking_order_is_a_recorded_lot_over_rotations() -> None:
    orders = Counter(consent_rules("q", SEATS, seed=str(seed)).ids for seed in range(600))
    assert set(orders) == {("CC", "CX", "GM"), ("CX", "GM", "CC"), ("GM", "CC", "CX")}
    assert min(orders.values()) > 150
    rules = consent_rules("q", SEATS, seed="5")
    (tie,) = order_tie(rules)
    assert (tie.chosen, tie.tied, tie.seed) == (rules.ids[0], ("CC", "CX", "GM"), "5")


def test_g4_the_order_of_seats_in_the_file_decides_nothing() -> None:
    backwards = dict(reversed(SEATS.items()))
    for seed in "123456":
        assert consent_rules("q", SEATS, seed=seed) == consent_rules("q", backwards, seed=seed)


def test_a_stated_order_is_kept_and_is_no_lot() -> None:
    rules = consent_rules("q", SEATS, seed="1", order=("GM", "CC", "CX"))
    assert rules.ids == ("GM", "CC", "CX")
    assert rules.order_by == "stated"
    assert order_tie(rules) == ()


@pytest.mark.parametrize("order", [["CC", "CX"], ["CC", "CX", "CX"], "CC", 3])
def test_a_stated_order_names_every_seat_once(order: object) -> None:
    assert "states the speaking order" in faults_of("q", SEATS, seed="1", order=order)[0]


def test_c5_thirty_turns_unless_stated_and_two_seats_are_enough() -> None:
    rules = consent_rules("q", {"CC": "a", "CX": "b"}, seed="1")
    assert rules.limits.max_turns == 30
    assert sorted(rules.ids) == ["CC", "CX"]


def test_g7_every_fault_of_the_rules_comes_at_once(tls: Domain) -> None:
    faults = faults_of(
        " ",
        {
            "": {"priority": " ", "red_line": "x"},
            "CC": {"priority": "a", "red_lines": [3]},
            "cc": {"priority": "b", "red_lines": ["retries > 9 s", "p99 < 3"]},
        },
        seed="1",
        domain=tls,
        limits=ConsentLimits(max_turns=0),
        oder=["CC"],
    )
    assert [fault.split(":")[0] for fault in faults] == [
        "limits",
        "scenario",
        "scenario",
        "seat ''",
        "seat ''",
        "seat ''",
        "seat 'CC'",
        "seat 'cc'",
        "seat 'cc'",
        "scenario",
    ]
    text = "\n".join(faults)
    assert "'oder'" in text
    assert "did you mean 'order'" in text
    assert "did you mean 'red_lines'" in text
    assert "asks nothing" in text
    assert "'CC' and 'cc', which only capitals or spaces tell apart" in text


@pytest.mark.parametrize("seats", [{}, {"CC": "a"}])
def test_c1_fewer_than_two_seats_are_refused(seats: dict[str, object]) -> None:
    assert f"seats {len(seats)}" in faults_of("q", seats, seed="1")[0]


@pytest.mark.parametrize("lines", [[""], ["  "], [None], {"a": 1}, [["x"]]])
def test_a_red_line_is_text(lines: object) -> None:
    seats = {**SEATS, "CC": {"priority": "a", "red_lines": lines}}
    assert "a red line that is no text" in faults_of("q", seats, seed="1")[0]


def test_no_red_lines_may_be_said_in_any_way() -> None:
    for lines in ((), [], None):
        seats = {**SEATS, "CC": {"priority": "a", "red_lines": lines}}
        assert consent_rules("q", seats, seed="1").seat("CC").red_lines == ()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_turns", 0),
        ("max_turns", None),
        ("max_turns", True),
        ("max_turns", 3.0),
        ("stall", 0),
        ("reasks", -1),
        ("reasks", None),
        ("turn_timeout_ms", 0),
        ("tokens", -1),
        ("money", -1),
        ("money", Decimal("NaN")),
        ("money", float("inf")),
        ("money", True),
    ],
)
def test_a_limit_out_of_range_is_a_fault_with_its_name(name: str, value: object) -> None:
    (fault,) = ConsentLimits(**{name: value}).faults()  # type: ignore[arg-type]
    assert fault.whose == "limits"
    assert name in fault.what


def test_limits_at_their_least_are_fine() -> None:
    limits = ConsentLimits(
        max_turns=1, stall=1, reasks=0, turn_timeout_ms=1, tokens=0, money=Fraction(0)
    )
    assert limits.faults() == []
    assert ConsentLimits(stall=None, tokens=None).faults() == []


def test_c5_stall_is_twice_the_seats_unless_stated() -> None:
    assert consent_rules("q", SEATS, seed="1").stall == 6
    assert consent_rules("q", SEATS, seed="1", limits=ConsentLimits(stall=2)).stall == 2


def test_c1_the_digest_of_the_work_file_is_recorded(tls: Domain) -> None:
    rules = full(tls)
    assert rules.work_digest == sha256(b"the work\n").hexdigest()
    assert rules.to_json()["work_sha256"] == rules.work_digest
    assert consent_rules("q", SEATS, seed="1").to_json()["work_sha256"] == ""


def test_rules_survive_the_ledger_which_sorts_keys(tls: Domain) -> None:
    rules = full(tls)
    again = rules_from_json(json.loads(canonical(rules.to_json())))
    assert again == rules
    assert again.digest == rules.digest
    assert again.domain is not None
    assert again.domain.names == tls.names
    stated = consent_rules("q", SEATS, seed="1", order=["GM", "CX", "CC"])
    assert rules_from_json(json.loads(canonical(stated.to_json()))) == stated


def test_the_digest_knows_every_part_of_the_rules(tls: Domain) -> None:
    rules = full(tls)
    others = [
        replace(rules, question="other"),
        replace(rules, seed="8"),
        replace(rules, domain=None),
        replace(rules, work=""),
        replace(rules, output=""),
        replace(rules, limits=ConsentLimits()),
        replace(rules, seats=rules.seats[::-1]),
        replace(rules, seats=(Seat(id="CC", priority="x"), *rules.seats[1:])),
    ]
    assert len({rules.digest, *(one.digest for one in others)}) == len(others) + 1


DAMAGED: dict[str, object] = {
    "seats": [],
    "limits": None,
    "order": ["CC"],
    "order_by": "lot",
    "work_sha256": "0" * 64,
    "question": "",
    "domain": {"terms": {}},
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_record_is_refused(name: str, tls: Domain) -> None:
    rules = replace(full(tls), order_by="stated")
    order = [*rules.ids[1:], rules.ids[0]]
    told = {**rules.to_json(), "order": order, name: DAMAGED[name]}
    if name != "order_by":
        assert rules_from_json({**told, name: rules.to_json()[name]}).ids  # whole without it
    with pytest.raises(InvalidInput):
        rules_from_json(told)


def test_a_record_that_lacks_entries_names_them() -> None:
    told = dict(consent_rules("q", SEATS, seed="1").to_json())
    del told["seed"], told["limits"]
    with pytest.raises(InvalidInput, match="lack seed, limits"):
        rules_from_json(told)
