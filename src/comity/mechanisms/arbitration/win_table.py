"""Win table: who won how often, week by week?

Here: the table by day, week or month.
Not here: shares, streaks and indices (fairness.py), reading logs (formats/).
Sources: SEMANTICS R5: nineteen days without a win stand in this table from the first day.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from comity.core.errors import Fault, InvalidInput, did_you_mean, shown
from comity.core.exact import to_fraction
from comity.core.show import table
from comity.mechanisms.arbitration.engine import Conflict

__all__ = ["Period", "WinTable", "win_table"]

Period = Literal["day", "week", "month"]
_DAY = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class WinTable:
    """Who won how often, period by period.

    Attributes:
        by: ``day``, ``week`` or ``month``; None for everything in one row.
        agents: the columns, sorted by name.
        rows: the period's first day (UTC; "all" without periods), and the wins of each agent.
    """

    by: Period | None
    agents: tuple[str, ...]
    rows: tuple[tuple[str, tuple[int, ...]], ...]

    def __str__(self) -> str:
        """Return the table."""
        cells = [(period, *wins) for period, wins in self.rows]
        return table(cells, (self.by or "period", *self.agents))


def win_table(conflicts: Iterable[Conflict], by: Period | None = None) -> WinTable:
    """Return who won how often.

    Args:
        conflicts: recorded conflicts; with ``by`` each needs its time, in seconds since 1970, UTC.
        by: ``day``, ``week`` (from Monday) or ``month``; None for one row.

    Returns:
        The table; agents that never won have their column of zeros.

    Raises:
        InvalidInput: for another period, and for conflicts without a time.

    Example:
        >>> rows = [Conflict(1, "gpu", (("A", 3), ("C", 1)), winners=("A",), at=1_788_220_800)]
        >>> print(win_table(rows, by="week"))
              week  A  C
        2026-08-31  1  0
    """
    if by is not None and by not in get_args(Period):
        near = did_you_mean(str(by), get_args(Period))
        raise InvalidInput(Fault("win table", f"is by {shown(by)}", "day, week or month", near))
    listed = list(conflicts)
    agents = sorted({claim[0] for one in listed for claim in one.claims})
    counted: dict[str, dict[str, int]] = {}
    for one in listed:
        period = _period(one, by)
        row = counted.get(period)
        if row is None:  # a row for every agent takes long where there are very many
            row = counted[period] = dict.fromkeys(agents, 0)
        for winner in one.winners:
            row[winner] += 1
    rows = tuple((name, tuple(counted[name].values())) for name in sorted(counted))
    return WinTable(by=by, agents=tuple(agents), rows=rows)


def _period(conflict: Conflict, by: Period | None) -> str:
    if by is None:
        return "all"
    if conflict.at is None:
        where = f"conflict {conflict.number} of {conflict.resource}"
        raise InvalidInput(Fault(where, "has no time", "seconds since 1970, UTC", "leave by out"))
    day = int(to_fraction(conflict.at) // _DAY)
    if by == "week":
        day -= (day + 3) % 7  # day 0 was a Thursday
    year, month, of_month = _civil(day)
    return f"{year:04d}-{month:02d}-{1 if by == 'month' else of_month:02d}"


def _civil(day: int) -> tuple[int, int, int]:
    """Return year, month and day of a number of days since 1970-01-01 (Howard Hinnant's way)."""
    day += 719_468
    era, of_era = divmod(day, 146_097)
    year = (of_era - of_era // 1_460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    shifted = (5 * of_year + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    return year + era * 400 + (month <= 2), month, of_year - (153 * shifted + 2) // 5 + 1
