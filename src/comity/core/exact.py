"""Exact numbers: what counts votes and money without a rounding error.

Here: which types are exact, reading them from text, JSON and Python values, writing them back.
Not here: utilities (finite floats allowed, mechanisms say where) and units (core/units.py).
Sources: SEMANTICS G5; PEP 3141.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from numbers import Rational

from comity.core.errors import Fault, InvalidInput, shown

__all__ = [
    "MAX_DIGITS",
    "Exact",
    "exact_fault",
    "has_too_many_digits",
    "like",
    "ratio_text",
    "read_exact",
    "show_number",
    "to_fraction",
]

Exact = int | Decimal | Fraction

MAX_DIGITS = 4300
"""The most digits before or after the point, above or below the line: as many as Python reads."""

_BEYOND: int = 10**MAX_DIGITS
_SHORT = 10**18
_ALLOWED = "a number such as 120, 0.10 or 1/3"
_EXACT_ALLOWED = "a finite int, Decimal or Fraction, or text such as 120, 0.10 or 1/3"
_DIGITS = "[0-9](?:_?[0-9])*"
_PATTERN = re.compile(rf"[+-]?(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})\Z")
_RATIO = re.compile(rf"[+-]?{_DIGITS}/{_DIGITS}\Z")
_LONGEST_TEXT = 4 * MAX_DIGITS


def exact_fault(value: object, whose: str, field: str) -> Fault | None:
    """Return the fault of a value that is not an exact number, or None.

    Args:
        value: any Python value.
        whose: the party or file that gave it.
        field: the name of the field, for the message.

    Returns:
        None for int (not bool), finite Decimal and Fraction; a fault for anything else.

    Example:
        >>> exact_fault(120, "seller", "opening") is None
        True
        >>> print(exact_fault(float("nan"), "seller", "reservation"))
        seller: reservation is nan. Allowed: a number such as 120, 0.10 or 1/3. Next: give \
reservation as an exact number.
    """
    if isinstance(value, bool) or not isinstance(value, (int, Decimal, Fraction)):
        found = f"{field} is {shown(value)}"
    elif isinstance(value, Decimal) and not value.is_finite():
        found = f"{field} is {'NaN' if value.is_nan() else value}"
    elif has_too_many_digits(value):
        return Fault(
            whose,
            f"{field} has too many digits",
            f"at most {MAX_DIGITS} digits on either side of the point or the line",
            f"round {field} or change its unit",
        )
    else:
        return None
    # only a program hands in a float that is a number and yet no exact one
    is_inexact = isinstance(value, float) and isfinite(value)
    allowed = _EXACT_ALLOWED if is_inexact else _ALLOWED
    return Fault(whose, found, allowed, f"give {field} as an exact number")


def has_too_many_digits(value: Exact) -> bool:
    """Tell whether a finite number is too long to be written down and read again.

    Args:
        value: an int, a finite Decimal or a Fraction.

    Returns:
        True above 4300 digits on either side of the point, or above or below the line.

    Example:
        >>> has_too_many_digits(10**4299), has_too_many_digits(10**4300)
        (False, True)
    """
    if isinstance(value, Decimal):
        lowest = int(value.as_tuple().exponent)
        return value.adjusted() >= MAX_DIGITS or lowest < -MAX_DIGITS
    return abs(value.numerator) >= _BEYOND or value.denominator >= _BEYOND


def read_exact(value: object, whose: str, field: str) -> Exact:
    """Read an exact number from what a caller or a file gave.

    Integers, ``Decimal`` and ``Fraction`` pass unchanged. A finite ``float`` is read by its
    shortest text (``0.1`` is one tenth), because that is what its author wrote; text is read as
    an integer, a decimal or a ratio in the digits 0 to 9 and no other script's, with single
    underscores between them where they help the eye, as in TOML.

    Args:
        value: the value to read.
        whose: the party or file that gave it.
        field: the name of the field.

    Returns:
        An int when the text is one, else a Decimal (decimal point) or a Fraction (ratio).

    Raises:
        InvalidInput: for NaN, infinities, booleans, numbers of more than 4300 digits and
            everything that is not a number.

    Example:
        >>> read_exact("120", "seller", "opening"), read_exact("0.10", "seller", "opening")
        (120, Decimal('0.10'))
        >>> read_exact(0.1, "seller", "opening")
        Decimal('0.1')
    """
    if type(value) is int and -_SHORT < value < _SHORT:
        return value
    found: object = value
    if isinstance(value, float) and isfinite(value):
        found = _whole(Decimal(float.__repr__(value)))
    elif isinstance(value, str) and len(value) <= _LONGEST_TEXT:
        found = _number_in(value.strip(), value)
        if not isinstance(found, str) and len(value) <= MAX_DIGITS:
            return found
    fault = exact_fault(found, whose, field)
    if fault is not None:
        raise InvalidInput(fault)
    return found  # type: ignore[return-value]  # exact_fault has just checked the type


def _number_in(text: str, otherwise: str) -> Exact | str:
    """Return the number a text holds; through Decimal, which has no limit of digits."""
    if _PATTERN.match(text):
        return Decimal(text) if "." in text else int(Decimal(text))
    if _RATIO.match(text):
        above, _, below = text.partition("/")
        if divisor := int(Decimal(below)):
            return Fraction(int(Decimal(above)), divisor)
    return otherwise


def _whole(value: Decimal) -> int | Decimal:
    return int(value) if value == value.to_integral_value() else value


def to_fraction(value: Exact | float) -> Fraction:
    """Return the exact rational value of a number.

    Args:
        value: an exact number, or a finite float taken bit for bit.

    Returns:
        The same value as a Fraction.

    Example:
        >>> to_fraction(Decimal("0.10"))
        Fraction(1, 10)
    """
    return Fraction(value)


def like(value: Fraction, *models: Exact) -> Exact:
    """Return ``value`` in the type its inputs came in: money in, the same type out.

    Args:
        value: an exact rational.
        models: the inputs; any Fraction among them makes the answer a Fraction.

    Returns:
        The Fraction when a model is one; a Decimal, with at least as many places as the models
        have, when a model is one and the value has a finite decimal expansion; an int when all
        models are and the value is whole; else the Fraction.

    Example:
        >>> like(Fraction(80), 120, 70), like(Fraction(171, 2), 120, 70)
        (80, Fraction(171, 2))
        >>> like(Fraction(4, 5), Decimal("0.60")), like(Fraction(80), Fraction(120))
        (Decimal('0.80'), Fraction(80, 1))
    """
    if any(isinstance(model, Fraction) for model in models):
        return value
    decimals = [model for model in models if isinstance(model, Decimal)]
    if decimals:
        found = _decimal(value, max(_places(model) for model in decimals))
        return value if found is None else found
    return int(value) if value.denominator == 1 else value


def _places(value: Decimal) -> int:
    return max(0, -int(value.as_tuple().exponent))


def _decimal(value: Fraction, least_places: int = 0) -> Decimal | None:
    twos = fives = 0
    rest = value.denominator
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1:
        return None
    places = max(twos, fives, least_places)
    return _shifted(value.numerator * 10**places // value.denominator, places)


def _shifted(whole: int, places: int) -> Decimal:
    """Return whole / 10**places, free of the precision of any decimal context."""
    digits = Decimal(abs(whole)).as_tuple().digits
    return Decimal((1 if whole < 0 else 0, digits, -places))


def ratio_text(value: Fraction) -> str:
    """Return a fraction as ``a/b``, whatever limit this process sets on the text of integers.

    Args:
        value: the fraction, in lowest terms as Fractions are.

    Returns:
        Numerator, stroke, denominator.

    Example:
        >>> ratio_text(Fraction(-2, 6))
        '-1/3'
    """
    return f"{Decimal(value.numerator):f}/{Decimal(value.denominator):f}"


def show_number(value: Rational | Decimal | float) -> str:
    """Return a number as a person reads it.

    Args:
        value: an exact number or a float.

    Returns:
        Whole numbers without a point, finite decimals as decimals, other fractions as ``a/b``
        with the rounded decimal behind it, floats with six significant digits.

    Example:
        >>> show_number(Fraction(171, 2)), show_number(Fraction(1, 3)), show_number(80)
        ('85.5', '1/3 (0.3333)', '80')
    """
    if type(value) is int and -_SHORT < value < _SHORT:
        return str(value)
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, Decimal):
        return format(value, "f")
    exact = Fraction(value)
    found = _decimal(exact)
    if found is not None and int(found.as_tuple().exponent) >= -6:
        return format(found, "f")
    return f"{ratio_text(exact)} ({_shifted(round(exact * 10_000), 4):f})"
