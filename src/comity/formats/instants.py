"""Instants: at which second was that?

Here: times from text as exact seconds since 1970, UTC, and back; their day, week or month.
Not here: files that hold times (claims_log.py).
Sources: ISO 8601 and RFC 3339 (a date, a time of day, a zone); SEMANTICS G5 (nothing is rounded),
R5 (weeks begin on Monday).

Without a zone UTC is assumed, and whoever reads is told so. Years 1 to 9999.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from comity.core.canonical import plain
from comity.core.errors import Fault, InvalidInput, shown
from comity.core.exact import Exact, like, read_exact, to_fraction

__all__ = ["DAY_S", "Instant", "instant_text", "is_told", "period_of", "read_instant"]

DAY_S = 86_400

_FORM = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,4000}))?)?"
    r" ?(Z|z|[+-]\d\d(?::?\d\d)?)?)?",
    re.ASCII,
)
_ALLOWED = "ISO 8601 such as 2026-06-01T00:00:12Z, or seconds since 1970"
_EPOCH = date(1970, 1, 1).toordinal()
_FIRST = (1 - _EPOCH) * DAY_S
_YEAR_1 = datetime(1, 1, 1, tzinfo=UTC)
_BEYOND = (date.max.toordinal() + 1 - _EPOCH) * DAY_S


class Instant(NamedTuple):
    """A time as read.

    Attributes:
        at: seconds since 1970, UTC; an int where it is whole.
        is_assumed: whether a date or time of day came without its zone.
    """

    at: Exact
    is_assumed: bool


def read_instant(value: object, whose: str, field: str = "time") -> Instant:
    """Read a time.

    Args:
        value: ISO 8601 text, or seconds since 1970 as an exact number or text.
        whose: the file and line, for messages.
        field: the name of the field.

    Returns:
        The instant.

    Raises:
        InvalidInput: for anything else, and outside of the years 1 to 9999.

    Example:
        >>> read_instant("2026-06-01T02:00:12.50+02:00", "log")
        Instant(at=Decimal('1780272012.50'), is_assumed=False)
        >>> read_instant("2026-06-01", "log"), read_instant("1780272012", "log").at
        (Instant(at=1780272000, is_assumed=True), 1780272012)
    """
    text = value.strip() if isinstance(value, str) else ""
    form = _FORM.fullmatch(text)
    if form is not None:
        return _from_parts(form, text, whose, field)
    try:
        at = read_exact(value, whose, field)
    except InvalidInput:
        raise InvalidInput(_fault(value, whose, field)) from None
    if not _FIRST <= at < _BEYOND:
        is_milli = _FIRST <= to_fraction(at) / 1000 < _BEYOND
        told = "it looks like milliseconds: divide by 1000" if is_milli else f"correct {field}"
        what = f"{field} is {shown(value)}, beyond the years 1 to 9999"
        raise InvalidInput(Fault(whose, what, _ALLOWED, told))
    return Instant(int(at) if at == int(at) else at, is_assumed=False)


def _fault(value: object, whose: str, field: str) -> Fault:
    what = f"{field} is {shown(value)}" if value != "" else f"{field} is empty"
    return Fault(whose, what, _ALLOWED, f"correct {field}")


def _from_parts(form: re.Match[str], text: str, whose: str, field: str) -> Instant:
    day, hour, minute, second, part, zone = form.groups()
    clock = (int(hour or 0), int(minute or 0), int(second or 0))
    try:
        days = date.fromisoformat(day).toordinal() - _EPOCH
        away = _away(zone)
    except ValueError:
        raise InvalidInput(_fault(text, whose, field)) from None
    at: Exact = days * DAY_S + clock[0] * 3600 + clock[1] * 60 + clock[2] - away
    if part is not None and int(part):
        at = like(Fraction(at) + Fraction(int(part), 10 ** len(part)), Decimal(f"0.{part}"))
    if clock >= (24,) or max(clock[1:]) > 59 or not _FIRST <= at < _BEYOND:
        raise InvalidInput(_fault(text, whose, field))
    return Instant(at, is_assumed=zone is None)


def _away(zone: str | None) -> int:
    """Return how many seconds a zone lies before UTC."""
    if zone is None or zone in "Zz":
        return 0
    hours, minutes = int(zone[1:3]), int(zone[3:].strip(":") or 0)
    if hours > 23 or minutes > 59:
        raise ValueError(zone)
    return (hours * 3600 + minutes * 60) * (-1 if zone[0] == "-" else 1)


def is_told(at: Exact) -> bool:
    """Return whether a time has a day in the calendar, of the years 1 to 9999.

    Args:
        at: seconds since 1970.

    Example:
        >>> is_told(0), is_told(253_402_300_800)
        (True, False)
    """
    return _FIRST <= at < _BEYOND


def instant_text(at: Exact) -> str:
    """Return a time as ISO 8601 in UTC; :func:`read_instant` reads it back, exactly.

    Args:
        at: seconds since 1970.

    Returns:
        The text; the plain number of seconds where no decimal holds it, and beyond the years 1 to
        9999.

    Example:
        >>> instant_text(1780272012), instant_text(Decimal("1780272012.50"))
        ('2026-06-01T00:00:12Z', '2026-06-01T00:00:12.5Z')
        >>> instant_text(Fraction(1, 3)), instant_text(10**12)
        ('1/3', '1000000000000')
    """
    if not is_told(at):
        return str(plain(at))
    if isinstance(at, int):
        whole, part = at, ""
    else:
        whole = int(to_fraction(at) // 1)
        rest = like(to_fraction(at) - whole, Decimal(0))
        if isinstance(rest, Fraction):
            return str(plain(at))
        part = f"{rest:f}".partition(".")[2].rstrip("0")
    moment = _YEAR_1 + timedelta(seconds=whole - _FIRST)
    told = moment.isoformat(timespec="seconds").removesuffix("+00:00")
    return f"{told}.{part}Z" if part else f"{told}Z"


def period_of(at: Exact, by: str | None) -> str:
    """Return the first day of the period a time lies in.

    Args:
        at: seconds since 1970, of the years 1 to 9999.
        by: ``day``, ``week`` (from Monday) or ``month``; None for all of time.

    Returns:
        The day as in the win table; ``"all"`` without periods.

    Example:
        >>> period_of(1780272012, "day"), period_of(1780531200, "week"), period_of(0, "month")
        ('2026-06-01', '2026-06-01', '1970-01-01')
    """
    if by is None:
        return "all"
    day = date.fromordinal(int(to_fraction(at) // DAY_S) + _EPOCH)
    if by == "week":
        day -= timedelta(days=day.weekday())  # 0001-01-01 was a Monday
    return day.replace(day=1).isoformat() if by == "month" else day.isoformat()
