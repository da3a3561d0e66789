"""Units: are numbers in different units kept from being added, and rates kept exact?

Here: rates, conversion, the check before a sum (G6).
Not here: which rules need one unit (mechanisms).
Sources: SEMANTICS G5, G6.
"""

from __future__ import annotations

import dataclasses
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from comity.core.canonical import plain
from comity.core.codec import decode, encode
from comity.core.errors import InvalidInput
from comity.core.units import Rates, unit_faults

RATES = Rates("GBP", (("ms", Fraction(1, 50)), ("EUR", Fraction(17, 20))))


@pytest.mark.parametrize(
    ("amount", "unit", "worth"),
    [
        (100, "ms", Fraction(2)),
        (Decimal("0.10"), "EUR", Fraction(17, 200)),
        (Fraction(1, 3), "GBP", Fraction(1, 3)),
        (-7, "GBP", Fraction(-7)),
        (0.1, "ms", Fraction(1, 500)),
    ],
)
def test_g6_an_amount_is_converted_exactly(amount: Any, unit: str, worth: Fraction) -> None:
    found = RATES.convert(amount, unit, whose="CX")
    assert (type(found), found) == (Fraction, worth)


def test_g6_a_rate_given_as_a_decimal_converts_exactly_too() -> None:
    rates = Rates("GBP", (("ms", Decimal("0.02")),))  # type: ignore[arg-type]
    assert rates.convert(1, "ms", whose="CX") == Fraction(1, 50)


def test_g6_a_unit_without_a_rate_is_refused_with_how_to_state_one() -> None:
    with pytest.raises(InvalidInput) as caught:
        RATES.convert(1, "tokens", whose="CX")
    assert str(caught.value) == (
        "CX: is measured in 'tokens', which has no rate to 'GBP'. "
        "Allowed: units GBP, ms, EUR. "
        "Next: state a rate: rates.tokens = how much of GBP one tokens is worth."
    )


@pytest.mark.parametrize("amount", [float("nan"), float("inf"), True, None, Decimal("NaN")])
def test_g5_an_amount_that_is_no_number_is_refused_with_its_party(amount: Any) -> None:
    for unit in ("ms", "GBP"):
        with pytest.raises(InvalidInput, match=r"^CX: amount is "):
            RATES.convert(amount, unit, whose="CX")


def test_g7_every_fault_of_the_rates_is_told_at_once() -> None:
    with pytest.raises(InvalidInput) as caught:
        Rates("GBP", (("ms", 0.02), ("GBP", 1), ("EUR", 1), ("EUR", 2)))  # type: ignore[arg-type]
    assert str(caught.value).splitlines() == [
        (
            "rates: ms is 0.02. Allowed: a finite int, Decimal or Fraction, or text such as 120, "
            "0.10 or 1/3. Next: give ms as an exact number."
        ),
        "rates: GBP has a rate. Allowed: one rate for each unit but GBP. Next: drop it.",
        "rates: EUR has a second rate. Allowed: one rate for each unit but GBP. Next: drop it.",
    ]


def test_rates_are_frozen_and_keep_their_value_through_json() -> None:
    assert plain(RATES) == {"unit": "GBP", "worth": {"ms": "1/50", "EUR": "17/20"}}
    assert decode(Rates, encode(RATES)) == RATES
    assert hash(decode(Rates, encode(RATES))) == hash(RATES)
    with pytest.raises(dataclasses.FrozenInstanceError):
        RATES.unit = "ms"  # type: ignore[misc]


@pytest.mark.parametrize("units", [{}, {"CC": "ms"}, {"CC": "ms", "CX": "ms", "GM": "ms"}])
def test_g6_one_unit_can_be_added(units: dict[str, str]) -> None:
    assert unit_faults(units, for_what="a sum") == ()


def test_g6_different_units_are_refused_with_how_to_normalise() -> None:
    (fault,) = unit_faults({"CX": "GBP", "CC": "ms"}, for_what="an egalitarian point")
    assert str(fault) == (
        "units: an egalitarian point across CC (ms), CX (GBP) would add different units. "
        "Allowed: one unit for all parties, or stated rates to one. "
        "Next: state rates (for example ms = 0.02 GBP), "
        "or use a scale-free rule (Nash, rankings)."
    )


@pytest.mark.parametrize("worth", [0, -1, Fraction(-1, 2)])
def test_g6_a_rate_is_worth_more_than_nothing(worth: Fraction) -> None:
    with pytest.raises(InvalidInput, match="more than 0"):
        Rates("GBP", (("ms", worth),))
