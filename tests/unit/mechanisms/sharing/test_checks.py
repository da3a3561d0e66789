"""Checks: every value one by one, every fault kept (G7)."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from comity.mechanisms.sharing.checks import Reading, whole_or_ratio


def faults(reading: Reading) -> list[str]:
    return [str(fault).split(" Allowed")[0] for fault in reading.faults]


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), True, None, "x", "1/0", [], Decimal("NaN")]
)
def test_g5_what_is_no_exact_number_is_refused(value: Any) -> None:
    reading = Reading()
    assert reading.exact(value, "a", "width") is None
    assert reading.above(value, "a", "width") == 1
    assert reading.at_least_0(value, "a", "width") == 0
    assert len(reading.faults) == 3
    assert all(fault.whose == "a" and "width" in fault.what for fault in reading.faults)


def test_numbers_on_the_wrong_side_are_faults() -> None:
    reading = Reading()
    assert (reading.above(0, "a", "x"), reading.at_least_0(-1, "a", "y")) == (1, 0)
    assert faults(reading) == ["a: x is 0.", "a: y is -1."]
    assert reading.above("1/3", "a", "x") == Fraction(1, 3)
    assert reading.at_least_0(0.5, "a", "x") == Fraction(1, 2)
    assert whole_or_ratio(Fraction(6, 3)) == 2
    assert whole_or_ratio(Fraction(1, 3)) == Fraction(1, 3)


def test_words_and_switches() -> None:
    reading = Reading()
    reading.choice("nash", "rules", "objective", ["nash"])
    reading.switch(value=True, whose="rules", field="credits")
    assert reading.faults == []
    reading.choice("nahs", "rules", "objective", ["nash"])
    reading.switch(1, "rules", "credits")
    assert reading.faults[0].next == "did you mean 'nash'"
    assert faults(reading)[1] == "rules: credits is 1."


def test_names_are_checked_all_at_once() -> None:
    reading = Reading()
    assert reading.agents({"b": 1, "": 2, "a": 3, 7: 4}, "claims", "a table") == ("a", "b")
    assert len(reading.faults) == 2
    assert reading.agents([], "claims", "a table") == ()
    assert reading.agents({}, "claims", "a table") == ()
    assert len(reading.faults) == 4


@pytest.mark.parametrize(
    ("given", "field", "kind", "found", "count"),
    [
        (None, "weights", {}, {}, 0),
        ({"a": 2}, "weights", {"is_above": True}, {"a": 2}, 0),
        ({"a": 0}, "weights", {"is_above": True}, {"a": 0}, 1),
        ({"a": -1}, "asks", {}, {"a": -1}, 1),
        ({"a": -1}, "priorities", {"is_signed": True}, {"a": -1}, 0),
        ({"c": 1}, "weights", {}, {}, 1),
        (3, "minimum", {}, {"a": 3, "b": 3}, 0),
        ("x", "maximum", {}, {}, 1),
        (3, "weights", {}, {}, 1),
        ({"a": "1/2"}, "minimum", {"quantum": Fraction(1)}, {"a": Fraction(1, 2)}, 1),
        ({"a": 4}, "minimum", {"quantum": Fraction(2)}, {"a": 4}, 0),
    ],
)
def test_tables_by_agent(
    given: object, field: str, kind: dict[str, Any], found: dict[str, Any], count: int
) -> None:
    reading = Reading()
    assert reading.per_agent(given, ["a", "b"], field, **kind) == found
    assert len(reading.faults) == count


def test_a_name_nobody_claims_under_is_told_with_the_nearest() -> None:
    reading = Reading()
    reading.known(["ann", "bbo"], {"bob": 1}, "weights")
    assert [fault.next for fault in reading.faults] == ["use one of: bob", "did you mean 'bob'"]
    reading.known(["x"], 5, "weights")
    assert len(reading.faults) == 3
