"""Ink: may this text have colours, and which signs can it use?

Here: ANSI styles that can be off, signs with an ASCII twin.
Not here: whether a stream is a terminal (cli/door.py decides).
Sources: ECMA-48 (SGR); no-color.org.
"""

from __future__ import annotations

__all__ = ["Ink"]

_STYLES = {
    "bold": "1",
    "dim": "2",
    "good": "32",
    "warn": "33",
    "bad": "31",
    "name": "36",
}
_SIGNS = {
    "yes": ("✓", "+"),
    "no": ("✗", "x"),
    "dot": ("·", "-"),
    "to": ("→", "->"),
    "wait": ("…", "..."),
}


class Ink:
    r"""How words are dressed for one stream.

    Args:
        colours: whether styles are written.
        signs: whether the stream can hold signs beyond ASCII.

    Example:
        >>> Ink().bold("deal"), Ink(colours=True).bold("deal"), Ink(signs=False).sign("yes")
        ('deal', '\x1b[1mdeal\x1b[0m', '+')
    """

    __slots__ = ("_colours", "_signs")

    def __init__(self, *, colours: bool = False, signs: bool = True) -> None:
        """Keep what the stream can show."""
        self._colours = colours
        self._signs = signs

    def _dress(self, style: str, text: str) -> str:
        if not self._colours or not text:
            return text
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m"

    def bold(self, text: str) -> str:
        """Return the text in bold."""
        return self._dress("bold", text)

    def dim(self, text: str) -> str:
        """Return the text in a weaker colour."""
        return self._dress("dim", text)

    def good(self, text: str) -> str:
        """Return the text as good news."""
        return self._dress("good", text)

    def warn(self, text: str) -> str:
        """Return the text as something to look at."""
        return self._dress("warn", text)

    def bad(self, text: str) -> str:
        """Return the text as bad news."""
        return self._dress("bad", text)

    def name(self, text: str) -> str:
        """Return the text as somebody's name."""
        return self._dress("name", text)

    def sign(self, name: str) -> str:
        """Return a sign, or its ASCII twin."""
        return _SIGNS[name][0 if self._signs else 1]
