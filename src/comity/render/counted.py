"""Counted: how is a number of things said, one or many?

Here: the number with its noun.
Not here: numbers alone (price.py).
Sources: SEMANTICS G1.
"""

from __future__ import annotations

__all__ = ["counted"]


def counted(number: object, noun: str) -> str:
    """Return a number with its noun, which takes an s unless there is one.

    Args:
        number: how many.
        noun: one of them.

    Example:
        >>> counted(1, "more bid"), counted(2, "more bid"), counted(0, "unit")
        ('1 more bid', '2 more bids', '0 units')
    """
    return f"{number} {noun}" if str(number) == "1" else f"{number} {noun}s"
