"""Lengths: how is a length of time on the command line read?

Here: seconds, also with a unit, as whole milliseconds.
Not here: times of day (formats/).
Sources: SEMANTICS G5, G7.
"""

from __future__ import annotations

import re
from decimal import Decimal

from comity.core.errors import Fault

__all__ = ["milliseconds"]

_FORM = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,3})?) ?(ms|s|m|h|d)?")
_UNITS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}


def milliseconds(value: str | None, whose: str, faults: list[Fault]) -> int | None:
    """Return a length of time in milliseconds, or note the fault.

    Args:
        value: what was given, or None: a number of seconds, or a number with ms, s, m, h or d.
        whose: the option.
        faults: where a fault is added.

    Returns:
        Whole milliseconds; None when nothing was given or it is no such length.

    Example:
        >>> found: list[Fault] = []
        >>> [milliseconds(one, "--wait", found) for one in ("1.5", "20 ms", "2h", "soon")]
        [1500, 20, 7200000, None]
    """
    if value is None:
        return None
    read = _FORM.fullmatch(value.strip())
    length = Decimal(read[1]) * _UNITS[read[2] or "s"] if read else Decimal(0)
    if length < 1 or length != int(length):
        allowed = "a length above 0, such as 30, 1.5, 200ms, 5m or 2h"
        faults.append(Fault(whose, f"is {value!r}", allowed, f"correct {whose}"))
        return None
    return int(length)
