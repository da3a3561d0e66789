"""Rates: what one unit is worth in another (G6)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from comity.core.errors import InvalidInput
from comity.core.units import Rates
from comity.formats.rates import rates_of


def test_g6_rates_are_exact_and_without_any_there_are_none() -> None:
    told = {"ms": "0.02 GBP/day", "tokens": "1/500 GBP/day"}
    rates = Rates("GBP/day", (("ms", Fraction(1, 50)), ("tokens", Fraction(1, 500))))
    assert rates_of(told, whose="x") == rates
    assert rates_of({}, whose="x") is None


def test_g7_every_fault_is_told_at_once() -> None:
    told = {"a": "0.02", "b": "x GBP", "c": "1 EUR", "d": "1 GBP"}
    with pytest.raises(InvalidInput) as refused:
        rates_of(told, whose="f.toml")
    said = "\n".join(map(str, refused.value.faults))
    for part in ("one a is worth '0.02'", "b is 'x'", "convert to EUR, GBP"):
        assert part in said


def test_a_rate_of_nothing_is_refused() -> None:
    with pytest.raises(InvalidInput, match="worth 0"):
        rates_of({"ms": "0 GBP"}, whose="x")
