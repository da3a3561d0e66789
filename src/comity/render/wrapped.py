"""Wrapped: how does a long name stand in a drawing without being cut off?

Here: a name on several lines.
Not here: names in tables, which are cut (listing.py).
Sources: ux research 2.5 (direct labels).
"""

from __future__ import annotations

from unicodedata import combining, east_asian_width

from comity.core.errors import one_line

__all__ = ["wrapped"]


def wrapped(name: str, most: int) -> list[str]:
    """Return a name on as many lines as it needs.

    Args:
        name: the name.
        most: how many letters fit on a line; wide ones count twice, marks over letters nothing.

    Returns:
        Its lines, broken behind a space or a dash where there is one in the second half.

    Example:
        >>> wrapped("the first agent", 10), wrapped("abcdef", 4)
        (['the first', 'agent'], ['abcd', 'ef'])
    """
    lines: list[str] = []
    rest = one_line(name)
    while rest and (end := _fitting(rest, most)) < len(rest):
        space = max(rest.rfind(mark, 0, end) for mark in " -_/.") + 1
        cut = space if space > end // 2 else end
        cut = end if rest[end] == " " else cut
        lines.append(rest[:cut].rstrip())
        rest = rest[cut:].lstrip()
    return [*lines, rest]


def _fitting(text: str, most: int) -> int:
    """Return how many characters of a text fit on one line, at least one."""
    width = 0
    for at, sign in enumerate(text):
        width += 0 if combining(sign) else 2 if east_asian_width(sign) in "WF" else 1
        if width > most:
            return max(at, 1)
    return len(text)
