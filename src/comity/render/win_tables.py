"""Win tables: which columns and rows does a table of wins have?

Here: the columns of a table of many agents, the rows of a win table, numbers as they read in one.
Not here: the report (watch.py), other rules (what_if.py), the drawing (watch_chart.py).
Sources: SEMANTICS R5, R6.
"""

from __future__ import annotations

from collections.abc import Sequence

from comity.core.canonical import Json, JsonObject
from comity.core.exact import read_exact, to_fraction

__all__ = ["MOST_COLUMNS", "chosen_columns", "number_float", "percent", "win_rows"]

MOST_COLUMNS = 8
"""The most agents that get a column."""


def percent(share: Json) -> str:
    """Return a share as percent.

    Example:
        >>> percent("1/3"), percent(1)
        ('33.3%', '100.0%')
    """
    return f"{float(to_fraction(read_exact(share, 'report', 'share'))):.1%}"


def chosen_columns(agents: Sequence[str], wins: Sequence[int]) -> list[int]:
    """Return which agents get a column: all, or those with the most and the fewest wins.

    Args:
        agents: their names.
        wins: how often each won.

    Returns:
        Places in the list, in order.

    Example:
        >>> chosen_columns("abc", [1, 2, 3]), chosen_columns("abcdefghij", [0, *range(9)])
        ([0, 1, 2], [0, 1, 2, 3, 6, 7, 8, 9])
    """
    places = range(len(agents))
    if len(places) <= MOST_COLUMNS:
        return list(places)
    half = MOST_COLUMNS // 2
    ranked = sorted(places, key=lambda at: (wins[at], agents[at]))
    return sorted({*ranked[:half], *ranked[-half:]})


def win_rows(wins: JsonObject) -> list[tuple[str, list[int]]]:
    """Return the rows of a win table.

    Args:
        wins: the table, as JSON.

    Returns:
        Each period with the wins of every agent.

    Example:
        >>> win_rows({"by": "day", "agents": ["a"], "rows": [["1970-01-01", [3]]]})
        [('1970-01-01', [3])]
    """
    rows = wins.get("rows")
    found = []
    for row in rows if isinstance(rows, (list, tuple)) else ():
        assert isinstance(row, (list, tuple))  # a period and its counts
        counts = row[1]
        assert isinstance(counts, (list, tuple))
        found.append((str(row[0]), [int(str(one)) for one in counts]))
    return found


def number_float(value: Json) -> float:
    """Return an exact number of a report as a float.

    Example:
        >>> number_float("1/4")
        0.25
    """
    return float(to_fraction(read_exact(value, "report", "number")))
