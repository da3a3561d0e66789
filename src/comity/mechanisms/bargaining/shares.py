"""Shares: how much of its range has a party conceded by round t?

Here: the share that a timed schedule has conceded, as an exact number or as whole steps over one
scale.
Not here: the schedules themselves (schedules.py), prices (concession.py).
Sources: SEMANTICS B3.

A share that is not rational is rounded down to 10^-12, so that a party never concedes more than
its schedule says. Powers are found by comparing integers; the exponential and the pinned power
use correctly rounded decimal logarithms. No share depends on the platform's floating point.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import ROUND_FLOOR, Context, Decimal, DivisionByZero, InvalidOperation, Overflow
from fractions import Fraction
from functools import lru_cache
from math import lcm

from comity.core.errors import Fault, InvalidInput
from comity.core.exact import Exact, to_fraction
from comity.mechanisms.bargaining.schedules import (
    Schedule,
    ScheduleKind,
    ScheduleLike,
    read_schedule,
)

__all__ = ["conceded", "share_scale", "share_steps"]

_GRID = 10**12
_EXACT_POWER = 10  # whole exponents up to here are kept exact, larger ones are rounded down
_DIGITS = 80
_GRAIN = Decimal(10) ** -30


def conceded(schedule: ScheduleLike, t: int, deadline: int) -> Fraction:
    """Return the share of its range that a timed schedule has conceded by round ``t``.

    Args:
        schedule: a timed schedule (linear, polynomial, exponential, through or fixed).
        t: the round, from 0.
        deadline: the deadline in rounds.

    Returns:
        A number from 0 to 1; 1 at and after the deadline.

    Raises:
        InvalidInput: for schedules that depend on the other party, tables and callables.

    Example:
        >>> conceded("boulware", 50, 100)
        Fraction(1, 32)
    """
    read = read_schedule(schedule)
    if not read.is_timed:
        raise InvalidInput(
            Fault(
                f"schedule {read}",
                "has no share that follows from the round alone",
                "linear, polynomial, exponential, through or fixed",
                "negotiate and read the offers",
            )
        )
    if t >= deadline:
        return Fraction(1)
    return Fraction(share_steps(read, deadline, t, t + 1)[0], share_scale(read, deadline))


def share_scale(schedule: Schedule, deadline: int) -> int:
    """Return the denominator over which all shares of a timed schedule are whole numbers.

    Args:
        schedule: a timed schedule.
        deadline: the deadline in rounds, 1 or more.

    Returns:
        The common denominator for :func:`share_steps`.

    Example:
        >>> share_scale(read_schedule("polynomial:0.2"), 10)
        100000
    """
    if schedule.kind == "fixed":
        return 1
    if schedule.kind == "linear":
        return deadline
    if schedule.kind == "polynomial":
        exponent = _exponent(schedule.parameters[0])
        return deadline**exponent.numerator if _stays_exact(exponent) else _GRID
    return lcm(_GRID, to_fraction(schedule.parameters[-1]).denominator)


def share_steps(schedule: Schedule, deadline: int, start: int, stop: int) -> Sequence[int]:
    """Return the shares conceded in rounds ``start`` to ``stop - 1`` over :func:`share_scale`.

    Args:
        schedule: a timed schedule.
        deadline: the deadline in rounds, 1 or more.
        start: the first round.
        stop: the round after the last, at most ``deadline``.

    Returns:
        Whole numbers that never fall.

    Example:
        >>> list(share_steps(read_schedule("linear"), 5, 0, 5))
        [0, 1, 2, 3, 4]
    """
    if schedule.kind == "linear":
        return range(start, stop)
    if schedule.kind == "fixed":
        return (0,) * (stop - start)
    return _curve(schedule.kind, schedule.parameters, deadline, start, stop)


@lru_cache(maxsize=256)
def _curve(
    kind: ScheduleKind, parameters: tuple[Exact, ...], deadline: int, start: int, stop: int
) -> tuple[int, ...]:
    rounds = range(start, stop)
    values = tuple(to_fraction(one) for one in parameters)
    if kind == "polynomial":
        exponent = _exponent(parameters[0])
        if _stays_exact(exponent):
            return tuple(t**exponent.numerator for t in rounds)
        return tuple(_power_below(t, deadline, exponent) for t in rounds)
    at, share = values if kind == "through" else (Fraction(1, 2), values[0])
    if share == 1:
        return tuple(_GRID if t else 0 for t in rounds)
    grow = _pinned_power if kind == "through" else _exponential
    return tuple(_pinned(grow, at, share, t, deadline) for t in rounds)


@lru_cache(maxsize=256)
def _exponent(e: Exact) -> Fraction:
    return 1 / to_fraction(e)


def _stays_exact(exponent: Fraction) -> bool:
    return exponent.denominator == 1 and exponent.numerator <= _EXACT_POWER


def _power_below(t: int, deadline: int, exponent: Fraction) -> int:
    """Return the largest k with k/10^12 <= (t/deadline)^exponent, by comparing integers.

    The float is only a first guess; where it is wrong on some platform the loops mend it.
    """
    p, q = exponent.numerator, exponent.denominator
    over = deadline**p
    bound = t**p * _GRID**q
    k = int((t / deadline) ** (p / q) * _GRID)
    while k**q * over > bound:
        k -= 1
    while (k + 1) ** q * over <= bound:
        k += 1
    return k


Curve = Callable[[Context, Fraction, Fraction, Fraction], Decimal]


def _pinned(grow: Curve, at: Fraction, share: Fraction, t: int, deadline: int) -> int:
    """Return the share by round t over the scale, exact where the curve is pinned down."""
    scale = lcm(_GRID, share.denominator)
    pin = share.numerator * (scale // share.denominator)
    time = Fraction(t, deadline)
    if t == 0 or time == at:
        return pin if t else 0
    # Contexts are made here, with everything stated, so that nobody's settings change a share.
    context = Context(
        prec=_DIGITS,
        Emin=-999999,
        Emax=999999,
        capitals=1,
        clamp=0,
        flags=[],
        traps=[InvalidOperation, DivisionByZero, Overflow],
    )
    exact = context.add(grow(context, at, share, time), _GRAIN)
    steps = int(context.multiply(exact, Decimal(_GRID)).to_integral_value(ROUND_FLOOR))
    found = min(steps, _GRID) * (scale // _GRID)
    return min(found, pin) if time < at else max(found, pin)


def _decimal(context: Context, value: Fraction) -> Decimal:
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))


def _log(context: Context, value: Fraction) -> Decimal:
    return context.ln(_decimal(context, value))


def _pinned_power(context: Context, at: Fraction, share: Fraction, time: Fraction) -> Decimal:
    exponent = context.divide(_log(context, share), _log(context, at))
    return context.exp(context.multiply(exponent, _log(context, time)))


def _exponential(context: Context, at: Fraction, share: Fraction, time: Fraction) -> Decimal:
    """Return (b^time - 1)/(b - 1) for the base b that gives ``share`` at half time."""
    base = ((1 - share) / share) ** int(1 / at)
    if base == 1:
        return _decimal(context, time)
    grown = context.exp(context.multiply(_decimal(context, time), _log(context, base)))
    return context.divide(context.subtract(grown, Decimal(1)), _decimal(context, base - 1))
