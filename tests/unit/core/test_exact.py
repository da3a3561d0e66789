"""Exact: is a number exact, read as its author wrote it, and shown so that a person can read it?

Here: what counts as exact, reading, giving back in the type that came in, showing (G5).
Not here: laws over generated numbers (tests/properties/test_core_laws.py).
Sources: SEMANTICS G5; PEP 3141.
"""

from __future__ import annotations

import decimal
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import InvalidInput, shown
from comity.core.exact import (
    MAX_DIGITS,
    exact_fault,
    has_too_many_digits,
    like,
    ratio_text,
    read_exact,
    show_number,
    to_fraction,
)

ALLOWED = "Allowed: a number such as 120, 0.10 or 1/3."
EXACT = "Allowed: a finite int, Decimal or Fraction, or text such as 120, 0.10 or 1/3."
LONGEST = 10**MAX_DIGITS - 1


class LoudFloat(float):
    """A float with a text of its own, as numpy's has."""

    def __repr__(self) -> str:
        return f"loud({float.__repr__(self)})"


# --- what is exact ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value", [0, -3, LONGEST, Decimal("0.10"), Decimal("1E+4299"), Fraction(1, 3)], ids=shown
)
def test_integers_decimals_and_fractions_are_exact(value: Any) -> None:
    assert exact_fault(value, "CC", "bid") is None
    assert read_exact(value, "CC", "bid") is value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "True"),
        (False, "False"),
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (float("-inf"), "-inf"),
        (Decimal("NaN"), "NaN"),
        (Decimal("sNaN123"), "NaN"),
        (Decimal("-Infinity"), "-Infinity"),
        (None, "None"),
        ("twelve", "'twelve'"),
        ([1], "[1]"),
        (1 + 0j, "(1+0j)"),
        (b"1", "b'1'"),
    ],
)
def test_anything_else_is_refused_with_the_party_and_the_field(value: Any, text: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_exact(value, "seller", "reservation")
    assert str(caught.value) == (
        f"seller: reservation is {text}. {ALLOWED} Next: give reservation as an exact number."
    )


def test_a_float_is_not_exact_but_is_read_by_its_shortest_text() -> None:
    assert str(exact_fault(0.5, "CC", "bid")) == (
        f"CC: bid is 0.5. {EXACT} Next: give bid as an exact number."
    )
    assert read_exact(0.5, "CC", "bid") == Decimal("0.5")


@pytest.mark.parametrize(
    "value",
    [
        10**MAX_DIGITS,
        -(10**MAX_DIGITS),
        Fraction(10**MAX_DIGITS, 3),
        Fraction(1, 10**MAX_DIGITS),
        Decimal(f"1E+{MAX_DIGITS}"),
        Decimal(f"1E-{MAX_DIGITS + 1}"),
        Decimal("1E+999999999999"),
        Decimal("0E-999999999999"),
        "9" * (MAX_DIGITS + 1),
        "-0." + "0" * MAX_DIGITS + "1",
        "1/" + "9" * (MAX_DIGITS + 1),
        "9" * (MAX_DIGITS + 1) + "/7",
    ],
    ids=shown,
)
def test_a_number_too_long_to_be_written_and_read_again_is_refused(value: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_exact(value, "CC", "bid")
    assert str(caught.value) == (
        "CC: bid has too many digits. Allowed: at most 4300 digits on either side of the point "
        "or the line. Next: round bid or change its unit."
    )


def test_text_of_megabytes_is_refused_without_being_read_or_repeated() -> None:
    with pytest.raises(InvalidInput) as caught:
        read_exact("9" * 10**7, "CC", "bid")
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("value", [[10**5000], {"x": [10**5000]}, (10**5000,)], ids=shown)
def test_the_refusal_of_a_value_with_a_huge_number_in_it_does_not_fail_itself(value: Any) -> None:
    with pytest.raises(InvalidInput, match=r"bid is a \w+ that is too long to show"):
        read_exact(value, "CC", "bid")


def test_the_limit_of_digits_is_exact() -> None:
    assert not has_too_many_digits(Decimal("0." + "0" * (MAX_DIGITS - 1) + "1"))
    assert has_too_many_digits(Decimal("0." + "0" * MAX_DIGITS + "1"))
    assert not has_too_many_digits(Fraction(LONGEST - 1, LONGEST))
    assert not has_too_many_digits(-LONGEST)
    assert has_too_many_digits(-LONGEST - 1)
    assert not has_too_many_digits(Decimal(-LONGEST))


# --- reading ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("120", 120),
        ("-0", 0),
        ("+5", 5),
        (" 12\n", 12),
        ("007", 7),
        ("1_000", 1000),
        ("0.10", Decimal("0.10")),
        ("-.5", Decimal("-0.5")),
        ("5.", Decimal(5)),
        ("1_000.25", Decimal("1000.25")),
        ("1/3", Fraction(1, 3)),
        ("-2/6", Fraction(-1, 3)),
        ("4/2", Fraction(2)),
        ("1_0/2_0", Fraction(1, 2)),
        (0.1, Decimal("0.1")),
        (-0.0, 0),
        (80.0, 80),
        (1e22, 10**22),
        (5e-324, Decimal("5e-324")),
        (1.7976931348623157e308, 17976931348623157 * 10**292),
        (LoudFloat(0.1), Decimal("0.1")),
        ("9" * MAX_DIGITS, LONGEST),
    ],
    ids=shown,
)
def test_a_number_is_read_as_its_author_wrote_it(value: Any, number: Any) -> None:
    found = read_exact(value, "CC", "bid")
    assert (type(found), found) == (type(number), number)
    assert str(found) == str(number)


@pytest.mark.parametrize(
    "value",
    [
        "",
        ".",
        "-",
        "_",
        "_5",
        "5_",
        "1__0",
        "1_.5",
        "1e3",
        "nan",
        "Infinity",
        "0x10",
        "1,000",
        "1/0",
        "1/-3",
        "1/2/3",
        "1.5/2",
        "- 5",
        "−5",
        "٣",
        "\uff11\uff12",
        "²",
        "5\n6",
    ],
)
def test_text_that_only_resembles_a_number_is_refused(value: str) -> None:
    with pytest.raises(InvalidInput, match="bid is '"):
        read_exact(value, "CC", "bid")


def test_reading_does_not_depend_on_the_decimal_context() -> None:
    with decimal.localcontext(prec=2) as context:
        context.traps[decimal.Inexact] = True
        assert read_exact("123456.789", "CC", "bid") == Decimal("123456.789")
        assert read_exact("123456789", "CC", "bid") == 123456789
        assert read_exact(1234567.5, "CC", "bid") == Decimal("1234567.5")
        assert show_number(Fraction(1234567, 8)) == "154320.875"
        assert show_number(Fraction(10**9, 3)) == "1000000000/3 (333333333.3333)"
        assert like(Fraction(1234567, 8), Decimal(1)) == Decimal("154320.875")


def test_a_float_is_taken_bit_for_bit_only_when_asked_for_its_rational_value() -> None:
    assert to_fraction(0.1) == Fraction(3602879701896397, 36028797018963968)
    assert to_fraction(Decimal("0.1")) == Fraction(1, 10)


# --- giving back -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "models", "number"),
    [
        (Fraction(80), (120, 70), 80),
        (Fraction(171, 2), (120, 70), Fraction(171, 2)),
        (Fraction(80), (), 80),
        (Fraction(80), (Decimal("120.00"), 70), Decimal("80.00")),
        (Fraction(80), (Decimal("1.5"), Decimal("120.25")), Decimal("80.00")),
        (Fraction(80), (Decimal("1.2E+2"),), Decimal(80)),
        (Fraction(801, 1000), (Decimal("120.00"),), Decimal("0.801")),
        (Fraction(-1, 8), (Decimal(1),), Decimal("-0.125")),
        (Fraction(3, 50), (Decimal(1),), Decimal("0.06")),
        (Fraction(-1, 10), (Decimal(1),), Decimal("-0.1")),
        (Fraction(1, 3), (Decimal(1),), Fraction(1, 3)),
        (Fraction(80), (Fraction(120), 70), Fraction(80)),
        (Fraction(1, 2), (Fraction(1), Decimal(1)), Fraction(1, 2)),
        (Fraction(10**4999), (Decimal(1),), Decimal(10**4999)),
    ],
    ids=shown,
)
def test_g5_money_comes_back_in_the_type_it_came_in(
    value: Fraction, models: tuple[Any, ...], number: Any
) -> None:
    found = like(value, *models)
    assert (type(found), found) == (type(number), number)
    assert isinstance(found, int) or str(found) == str(number)


# --- showing ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (80, "80"),
        (-3, "-3"),
        (Fraction(80), "80"),
        (Fraction(171, 2), "85.5"),
        (Fraction(1, 10**6), "0.000001"),
        (Fraction(1, 10**7), "1/10000000 (0.0000)"),
        (Fraction(-1, 3), "-1/3 (-0.3333)"),
        (Fraction(2, 3), "2/3 (0.6667)"),
        (Fraction(-1, 30_000_000), "-1/30000000 (0.0000)"),
        (Decimal("80.00"), "80.00"),
        (Decimal("1E+3"), "1000"),
        (0.1, "0.1"),
        (1e20, "1e+20"),
        (2 / 3, "0.666667"),
    ],
)
def test_a_number_is_shown_as_a_person_reads_it(value: Any, text: str) -> None:
    assert show_number(value) == text


def test_showing_does_not_overflow_or_meet_a_limit_of_digits() -> None:
    third = show_number(Fraction(10**400, 3))
    assert third.startswith("1000")
    assert third.endswith("3333.3333)")
    assert show_number(10**5000) == "1" + "0" * 5000
    assert ratio_text(Fraction(1, 10**5000)) == "1/1" + "0" * 5000
