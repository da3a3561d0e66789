"""Timeline: where in which period does a conflict lie?

Here: periods of recorded conflicts, the place of a moment among the conflicts of its period, the
period that suits a span of time.
Not here: who won in it (win_table of mechanisms/arbitration).
Sources: SEMANTICS R5 (`--by week`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import NamedTuple

from comity.core.exact import Exact, to_fraction
from comity.formats.instants import DAY_S, period_of
from comity.mechanisms.arbitration import Conflict
from comity.mechanisms.arbitration.win_table import Period

__all__ = ["Place", "Timeline", "suitable_period"]

_MOST_DAYS, _MOST_WEEKS = 31, 27


class Place(NamedTuple):
    """Where a moment lies.

    Attributes:
        period: the first day of its period, or ``"all"``.
        part: how much of the conflicts of that period came before it, 0 to 1.
    """

    period: str
    part: float


class Timeline:
    """Recorded conflicts in their periods.

    Args:
        conflicts: the conflicts; with ``by`` each needs its time.
        by: ``day``, ``week``, ``month``, or None for one period.

    Example:
        >>> days = [Conflict(n, "gpu", (("a", 1),), at=43_200 * n) for n in range(4)]
        >>> Timeline(days, "day").place(43_200)
        Place(period='1970-01-01', part=0.5)
    """

    __slots__ = ("_by", "_times")

    def __init__(self, conflicts: Iterable[Conflict], by: Period | None) -> None:
        """Put every time into its period."""
        self._by = by
        self._times: dict[str, list[Exact]] = {}
        for one in conflicts:
            if one.at is not None:
                self._times.setdefault(period_of(one.at, by), []).append(one.at)
        for times in self._times.values():
            times.sort()

    def place(self, at: Exact | None) -> Place:
        """Return where a moment lies; the beginning of all where it is not known.

        Args:
            at: seconds since 1970, or None.
        """
        if at is None:
            return Place("all", 0.0)
        period = period_of(at, self._by)
        times = self._times.get(period, [])
        return Place(period, bisect_left(times, at) / len(times) if times else 0.0)


def suitable_period(conflicts: Iterable[Conflict]) -> Period | None:
    """Return the period in which a table of the conflicts has a readable number of rows.

    Args:
        conflicts: the conflicts.

    Returns:
        Days up to a month, weeks up to half a year, else months; None where a time is missing.

    Example:
        >>> suitable_period([Conflict(1, "gpu", (), at=0), Conflict(2, "gpu", (), at=86_400 * 60)])
        'week'
    """
    times = [one.at for one in conflicts]
    known = [one for one in times if one is not None]
    if not known or len(known) < len(times):
        return None
    days = (to_fraction(max(known)) - to_fraction(min(known))) / DAY_S
    if days < _MOST_DAYS:
        return "day"
    return "week" if days < 7 * _MOST_WEEKS else "month"
