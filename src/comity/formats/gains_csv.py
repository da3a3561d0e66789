"""Gains in CSV: what does each agent gain from how much?

Here: the table as the data of a share file.
Not here: share files (share_file.py), the curves.
Sources: SEMANTICS D1; RFC 4180.

``agent,amount,gain``: one row is one point of an agent's gain curve, in any order; the point
(0, 0) need not be written. Between two points the gain is a straight line.
"""

from __future__ import annotations

from typing import Any

from comity.core.canonical import plain
from comity.core.exact import Exact, show_number
from comity.formats.named_rows import NamedRows

__all__ = ["gains_from_csv"]


def gains_from_csv(text: str, *, whose: str = "gains") -> dict[str, Any]:
    r"""Read a table of points of gain curves.

    Args:
        text: what the file holds.
        whose: the file's name, for messages.

    Returns:
        The data of a share file, without a budget: its kind and its agents.

    Raises:
        InvalidInput: with every fault and its line.

    Example:
        >>> gains_from_csv("agent,amount,gain\na,10,15\na,5,10\n")["agents"]
        {'a': {'points': [[5, 10], [10, 15]]}}
    """
    table = NamedRows(whose, ("agent", "amount", "gain"))
    points: dict[str, dict[Exact, Exact]] = {}
    for row in table.read(text):
        amount, gain = table.number(row, "amount"), table.number(row, "gain")
        if amount is None or gain is None:
            continue
        own = points.setdefault(row.cells["agent"], {})
        if amount in own:
            what = f"tells the gain of {row.cells['agent']} at {show_number(amount)} again"
            table.fault(row.line, what, "one gain for an amount", "drop one")
        own[amount] = gain
    table.tell()
    agents = {name: {"points": plain(sorted(own.items()))} for name, own in points.items()}
    return {"kind": "share", "agents": agents}
