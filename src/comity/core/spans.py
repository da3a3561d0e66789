"""Spans: how long was that, in words?

Here: a length of time in its two largest units, how long an agent has not won.
Not here: times of day and periods (formats/instants.py).
Sources: SEMANTICS R5: the operator must read "nineteen days" and not "1641600 s".
"""

from __future__ import annotations

from comity.core.exact import Exact, to_fraction

__all__ = ["counted", "length_text", "row_span"]

_DAY = 86_400
_UNITS = ((_DAY, "d"), (3_600, "h"), (60, "min"), (1, "s"))


def counted(many: int, what: str) -> str:
    """Return how many there are, in words.

    Args:
        many: how many.
        what: one of them.

    Example:
        >>> counted(1, "loss"), counted(1_200, "claim"), counted(3, "loss")
        ('1 loss', '1200 claims', '3 losses')
    """
    if many == 1:
        return f"1 {what}"
    return f"{many} {what}{'es' if what.endswith('s') else 's'}"


def length_text(seconds: Exact) -> str:
    """Return a length of time in its two largest units.

    Args:
        seconds: how long, 0 or more.

    Example:
        >>> length_text(93_784), length_text(3_600), length_text(59), length_text(86_400 * 14)
        ('1 d 2 h', '1 h', '59 s', '14 d')
    """
    left = int(to_fraction(seconds))
    parts: list[str] = []
    for size, name in _UNITS:
        many, left = divmod(left, size)
        if many:
            parts.append(f"{many} {name}")
        elif parts:
            break
        if len(parts) == 2:
            break
    return " ".join(parts) or ("0 s" if seconds <= 0 else "less than 1 s")


def row_span(since: Exact, until: Exact, *, has_won: bool) -> str:
    """Return for how long an agent has not won.

    Args:
        since: when it last won; when it first claimed where it has never won.
        until: when it claimed last.
        has_won: whether it has ever won.

    Returns:
        Whole days from two on, else the two largest units. The day of the first claim counts for
        whoever has never won: one lost claim a day from the 1st to the 19th are nineteen days.

    Example:
        >>> row_span(0, 86_400 * 18, has_won=False), row_span(0, 86_400 * 18, has_won=True)
        ('19 days', '18 days')
        >>> row_span(0, 86_400 + 7_200, has_won=True), row_span(0, 600, has_won=False)
        ('1 d 2 h', '10 min')
    """
    elapsed = max(to_fraction(until) - to_fraction(since), to_fraction(0))
    days = int(elapsed // _DAY)
    if days and not has_won:
        days += 1
    return f"{days} days" if days > 1 else length_text(elapsed)
