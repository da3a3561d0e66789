"""Waits in CSV: who waits for whom?

Here: the table as the data of a deadlock file.
Not here: deadlock files (deadlock_file.py), finding circles.
Sources: SEMANTICS L1; RFC 4180.

``waiter,waits_for``: one row is one wait. A third column ``soft`` says ``yes`` where the waiter
only stands behind the other in a queue.
"""

from __future__ import annotations

from typing import Any

from comity.formats.named_rows import NamedRows

__all__ = ["waits_from_csv"]


def waits_from_csv(text: str, *, whose: str = "waits") -> dict[str, Any]:
    r"""Read a table of waits.

    Args:
        text: what the file holds.
        whose: the file's name, for messages.

    Returns:
        The data of a deadlock file; a wait that is told twice counts once.

    Raises:
        InvalidInput: with every fault and its line.

    Example:
        >>> waits_from_csv("waiter,waits_for,soft\na,b,\nb,a,yes\n")
        {'kind': 'deadlock', 'waits': {'a': ['b']}, 'soft': {'b': ['a']}}
    """
    table = NamedRows(whose, ("waiter", "waits_for"), ("soft",))
    hard: dict[str, dict[str, None]] = {}
    soft: dict[str, dict[str, None]] = {}
    has_soft = False
    for row in table.each(text):
        has_soft = has_soft or "soft" in row.cells
        kind = soft if table.is_marked(row, "soft") else hard
        kind.setdefault(row.cells["waiter"], {})[row.cells["waits_for"]] = None
    table.tell()
    data: dict[str, Any] = {"kind": "deadlock"}
    data["waits"] = {name: list(own) for name, own in hard.items()}
    if has_soft:
        data["soft"] = {name: list(own) for name, own in soft.items()}
    return data
