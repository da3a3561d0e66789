"""Number grid: which numbers may an issue take when a file gives only its two ends?

Here: the exact numbers from one end to the other, by a step or by a count, and their names.
Not here: which files use them (genius_issues.py, geniusweb_json.py, offers_issues.py).
Sources: SEMANTICS M1 (integer and real issues), G5 (numbers keep the type they came in).
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from comity.core.errors import Fault, InvalidInput
from comity.core.exact import Exact, like, ratio_text, show_number, to_fraction

__all__ = ["MOST_OPTIONS", "number_name", "spread", "stepped"]

MOST_OPTIONS = 100_000
"""The most numbers that one issue is put on."""


def stepped(
    low: Exact, high: Exact, step: Exact, *, whose: str, lands: bool = True
) -> tuple[Exact, ...]:
    """Return the numbers from low to high by a step.

    Args:
        low: the first number.
        high: the last.
        step: over 0.
        whose: the issue, for the messages.
        lands: whether the last number must be reached exactly.

    Returns:
        The numbers, in the type they were given in.

    Raises:
        InvalidInput: when low is over high, the step is not over 0 or misses the last number, or
            there are more than `MOST_OPTIONS`.

    Example:
        >>> stepped(1, 4, 1, whose="x")
        (1, 2, 3, 4)
        >>> [str(one) for one in stepped(0, 1, Decimal("0.50"), whose="x")]
        ['0.00', '0.50', '1.00']
    """
    first, last, width = to_fraction(low), to_fraction(high), to_fraction(step)
    _check_ends(first, last, whose)
    if width <= 0:
        fault = Fault(whose, f"has the step {show_number(width)}", "over 0", "correct the step")
        raise InvalidInput(fault)
    count = (last - first) // width
    if lands and first + count * width != last:
        what = f"does not reach {show_number(last)} by steps of {show_number(width)}"
        allowed = "a step that ends on the last number"
        raise InvalidInput(Fault(whose, what, allowed, "correct the step or an end"))
    _check_count(count + 1, whose)
    return tuple(like(first + width * at, low, high, step) for at in range(count + 1))


def spread(low: Exact, high: Exact, points: int, *, whose: str) -> tuple[Exact, ...]:
    """Return so many numbers from low to high, evenly spaced.

    Args:
        low: the first number.
        high: the last.
        points: how many; 2 or more, unless low is high.
        whose: the issue, for the messages.

    Returns:
        The numbers, in the type of the ends where they have one.

    Raises:
        InvalidInput: when low is over high, or there are too few or too many points.

    Example:
        >>> [str(one) for one in spread(Decimal("10.00"), Decimal("11.00"), 3, whose="price")]
        ['10.00', '10.50', '11.00']
    """
    first, last = to_fraction(low), to_fraction(high)
    _check_ends(first, last, whose)
    if first == last:
        return (like(first, low, high),)
    if points < 2:
        raise InvalidInput(Fault(whose, f"has {points} points", "2 or more", "state more points"))
    _check_count(points, whose)
    width = (last - first) / (points - 1)
    return tuple(_shortest(first + width * at, low, high) for at in range(points))


def number_name(value: Exact) -> str:
    """Return the name of the option that is this number.

    Args:
        value: the number.

    Returns:
        Digits with a point where it has one; a ratio where no decimal is exact.

    Example:
        >>> number_name(Decimal("10.50")), number_name(Fraction(1, 3)), number_name(4)
        ('10.50', '1/3', '4')
    """
    if isinstance(value, Fraction):
        return str(value.numerator) if value.denominator == 1 else ratio_text(value)
    return format(Decimal(value), "f")


def _shortest(value: Fraction, low: Exact, high: Exact) -> Exact:
    found = like(value, low, high)
    return like(value, Decimal(0)) if isinstance(found, Fraction) else found


def _check_ends(first: Fraction, last: Fraction, whose: str) -> None:
    if first > last:
        what = f"runs from {show_number(first)} down to {show_number(last)}"
        raise InvalidInput(Fault(whose, what, "the lower number first", "swap the ends"))


def _check_count(count: int, whose: str) -> None:
    if count > MOST_OPTIONS:
        # a count of more digits than Python writes must not be written
        shown = str(count) if count < 10**18 else "far too many"
        raise InvalidInput(
            Fault(whose, f"has {shown} options", f"{MOST_OPTIONS} at most", "take a coarser grid")
        )
