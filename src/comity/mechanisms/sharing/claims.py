"""Claims: what does an agent's gain curve say, in whichever form it is written?

Here: the reading of one gain curve with every fault kept.
Not here: numbers and words (checks.py), the rules as a whole (reading.py), what curves are
(curves.py).
Sources: SEMANTICS D1, D3 (curves that are not concave are refused, or made concave on request),
G5, G7.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import get_args

from comity.core.errors import InvalidInput, shown
from comity.core.exact import show_number
from comity.mechanisms.sharing.checks import Reading
from comity.mechanisms.sharing.curves import (
    Curve,
    Segments,
    Smooth,
    SmoothKind,
    as_decimal,
    envelope,
)

__all__ = ["CURVE_ALLOWED", "curve_in", "read_curve"]

CURVE_ALLOWED = (
    "[[width, slope], ...], or one of segments, points, demand, power, log, saturating by name"
)
_SMOOTH: tuple[SmoothKind, ...] = get_args(SmoothKind)
_KINDS = ("segments", "points", "demand", *_SMOOTH)

Part = tuple[Fraction, Fraction]


def read_curve(value: object, *, whose: str = "curve", concavify: bool = False) -> Curve:
    """Read one gain curve.

    Args:
        value: the curve in any of its forms, see
            :class:`~comity.mechanisms.sharing.rules.ShareRules`.
        whose: the agent, for messages.
        concavify: whether a curve that is not concave is replaced by the least concave one above.

    Returns:
        The curve.

    Raises:
        InvalidInput: with every fault at once.

    Example:
        >>> read_curve({"points": [[0, 0], [4000, 8000], [8000, 12400]]}).parts[1]
        (Fraction(4000, 1), Fraction(11, 10))
        >>> read_curve([[100, 1], [100, 2]], whose="a")
        Traceback (most recent call last):
        comity.core.errors.InvalidInput: a: its gain curve is not concave: the slope rises from 1 \
to 2 at 100. Allowed: slopes that never rise. Next: set concavify to take the least concave curve \
above it, or share on a grid.
    """
    reading = Reading(concavify=concavify)
    found = curve_in(reading, value, whose)
    if found is None:
        raise InvalidInput(reading.faults)
    return found


def curve_in(reading: Reading, value: object, whose: str) -> Curve | None:
    """Return a curve, or None with its faults noted.

    Args:
        reading: where faults are noted.
        value: the curve in any of its forms.
        whose: the agent.

    Example:
        >>> curve_in(Reading(), {"demand": 5}, "a").end
        Fraction(5, 1)
    """
    before = len(reading.faults)
    given = value.to_json() if isinstance(value, (Segments, Smooth)) else value
    if isinstance(given, (list, tuple)):
        given = {"segments": given}
    kinds = [kind for kind in _KINDS if isinstance(given, Mapping) and kind in given]
    if not isinstance(given, Mapping) or len(kinds) != 1:
        reading.fault(whose, f"claims {shown(value)}", CURVE_ALLOWED, "write the gain curve")
        return None
    kind = kinds[0]
    allowed = {kind, "scale"} if kind in _SMOOTH else {kind}
    for key in sorted(map(str, given.keys() - allowed)):
        what = f"its {kind} curve has a field {shown(key)}"
        reading.fault(whose, what, " and ".join(sorted(allowed)), "leave it out")
    found = _READERS[kind](reading, given, whose)
    return found if len(reading.faults) == before else None


def _demand(reading: Reading, given: Mapping[str, object], whose: str) -> Curve | None:
    return Segments(((reading.above(given["demand"], whose, "demand"), Fraction(1)),))


def _segments(reading: Reading, given: Mapping[str, object], whose: str) -> Curve | None:
    before, parts = len(reading.faults), []
    for at, (width, slope) in enumerate(_pairs(reading, given["segments"], whose, "segments")):
        wide = reading.above(width, whose, f"width {at}")
        parts.append((wide, reading.at_least_0(slope, whose, f"slope {at}")))
    return _concave(reading, parts, whose) if len(reading.faults) == before else None


def _points(reading: Reading, given: Mapping[str, object], whose: str) -> Curve | None:
    before, parts = len(reading.faults), []
    money, gain = Fraction(), Fraction()
    for at, (x, y) in enumerate(_pairs(reading, given["points"], whose, "points")):
        amount = reading.at_least_0(x, whose, f"money of point {at}")
        gained = reading.at_least_0(y, whose, f"gain of point {at}")
        if at == 0 and amount == 0 == gained:
            continue
        if amount <= money or gained < gain:
            what = f"point {at} at {show_number(amount)} gains {show_number(gained)}"
            allowed = "from (0, 0) on, more money and never less gain at each point"
            reading.fault(whose, what, allowed, "correct or reorder the points")
            continue
        parts.append((amount - money, (gained - gain) / (amount - money)))
        money, gain = amount, gained
    return _concave(reading, parts, whose) if len(reading.faults) == before else None


def _smooth(reading: Reading, given: Mapping[str, object], whose: str) -> Curve | None:
    before, kind = len(reading.faults), next(one for one in _SMOOTH if one in given)
    at = reading.above(given[kind], whose, kind)
    scale = reading.above(given.get("scale", 1), whose, "scale")
    if kind == "power" and at >= 1 and len(reading.faults) == before:
        what = f"power is {show_number(at)}"
        reading.fault(whose, what, "above 0 and below 1", "write power 1 as one segment")
    return Smooth(kind, as_decimal(at), as_decimal(scale))


def _pairs(reading: Reading, given: object, whose: str, field: str) -> list[tuple[object, object]]:
    if isinstance(given, (list, tuple)) and given:
        pairs = [tuple(one) for one in given if isinstance(one, (list, tuple))]
        if len(pairs) == len(given) and all(len(one) == 2 for one in pairs):
            return [(first, second) for first, second in pairs]
    reading.fault(whose, f"{field} are {shown(given)}", "a list of pairs", f"write the {field}")
    return []


def _concave(reading: Reading, parts: list[Part], whose: str) -> Curve | None:
    money = Fraction()
    for (width, slope), (_, after) in pairwise(parts):
        money += width
        if after <= slope:
            continue
        rise = f"rises from {show_number(slope)} to {show_number(after)}"
        where = f"the slope {rise} at {show_number(money)}"
        if reading.concavify:
            reading.notes.append(f"{whose}: {where}; the least concave curve above it is used")
            return Segments(envelope(parts))
        reading.fault(
            whose,
            f"its gain curve is not concave: {where}",
            "slopes that never rise",
            "set concavify to take the least concave curve above it, or share on a grid",
        )
        return None
    return Segments(tuple(parts))


_READERS: dict[str, Callable[[Reading, Mapping[str, object], str], Curve | None]] = {
    "demand": _demand,
    "segments": _segments,
    "points": _points,
    **dict.fromkeys(_SMOOTH, _smooth),
}
