"""Win table tests: is every win in its period?

Here: days, weeks, months.
Not here: reading times from files (formats).
Sources: SEMANTICS R5.
"""

from datetime import UTC, datetime, timedelta

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.arbitration import recorded, win_table

ABC = [("A", 3), ("B", 2), ("C", 1)]


def test_r5_nineteen_days_without_a_win_stand_in_the_table() -> None:
    start = int(datetime(2026, 8, 31, tzinfo=UTC).timestamp())
    rows = [recorded("budget", ABC, ["A"], at=start + 86_400 * day) for day in range(19)]
    weeks = win_table(rows, by="week")
    assert weeks.rows == (
        ("2026-08-31", (7, 0, 0)),
        ("2026-09-07", (7, 0, 0)),
        ("2026-09-14", (5, 0, 0)),
    )
    assert str(weeks).splitlines()[0].split() == ["week", "A", "B", "C"]
    assert win_table(rows).rows == (("all", (19, 0, 0)),)
    assert str(win_table(rows)).split()[0] == "period"
    assert len(win_table(rows, by="day").rows) == 19
    assert [row[0] for row in win_table(rows, by="month").rows] == ["2026-08-01", "2026-09-01"]


def test_periods_are_those_of_the_calendar() -> None:
    day = datetime(1899, 12, 28, tzinfo=UTC)
    for _ in range(1500):
        day += timedelta(days=53, hours=1)
        row = [recorded("r", ABC, ["A"], at=int(day.timestamp()))]
        monday = day - timedelta(days=day.weekday())
        assert win_table(row, by="day").rows[0][0] == f"{day:%Y-%m-%d}"
        assert win_table(row, by="week").rows[0][0] == f"{monday:%Y-%m-%d}"
        assert win_table(row, by="month").rows[0][0] == f"{day:%Y-%m}-01"


def test_faults_are_refused() -> None:
    with pytest.raises(InvalidInput, match="did you mean 'week'"):
        win_table([], by="weeks")  # type: ignore[arg-type]  # the case
    with pytest.raises(InvalidInput, match="has no time"):
        win_table([recorded("r", ABC, ["A"])], by="day")
