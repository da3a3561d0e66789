"""Progress: how far is a long call?

Here: one line on a terminal's stderr that is written over, and taken away at the end: a bar of
what is done, or where a session stands.
Not here: what is done (the commands), talk that stays (door.py).
Sources: clig.dev (progress on a terminal only, never in a file or a pipe).
"""

from __future__ import annotations

import shutil
import sys
import time
from types import TracebackType
from typing import Self

from comity.cli.door import Door

__all__ = ["Progress", "StatusLine"]

_EVERY_S = 0.1
_BAR = 24
_CLEAR = "\r\x1b[K"


class Progress:
    """Called with how many are done and of how many; shows it where somebody watches.

    Attributes:
        done: how many were done when it was last called.
        total: of how many.
    """

    __slots__ = ("_is_shown", "_next", "_noun", "_shows", "done", "total")

    def __init__(self, door: Door, noun: str) -> None:
        """Keep how to speak.

        Args:
            door: whether somebody watches, and wants to.
            noun: what is counted.
        """
        self.done = self.total = 0
        self._noun = noun
        self._shows = door.is_live and not door.is_quiet
        self._is_shown = False
        self._next = 0.0

    def __call__(self, done: int, total: int) -> None:
        """Take in how far it is, and show it now and then."""
        self.done, self.total = done, total
        now = time.monotonic()
        if self._shows and now >= self._next:
            self._next = now + _EVERY_S
            filled = _BAR * done // max(total, 1)
            bar = "#" * filled + "." * (_BAR - filled)
            self._write(f"\r[{bar}] {done} of {total} {self._noun}")
            self._is_shown = True

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take the line away."""
        if self._is_shown:
            self._write(_CLEAR)
            self._is_shown = False

    def _write(self, text: str) -> None:
        if not _is_written(text):
            self._shows = False


class StatusLine:
    """The last line of a terminal, below the talk: where a session stands.

    Example:
        >>> StatusLine(Door(is_quiet=True)).is_live
        False
    """

    __slots__ = ("_door", "_is_shown", "is_live")

    def __init__(self, door: Door) -> None:
        """Keep how to speak."""
        self._door = door
        self.is_live = door.is_live and not door.is_quiet
        self._is_shown = False

    @property
    def width(self) -> int:
        """Return how many characters fit without a second line."""
        return shutil.get_terminal_size().columns - 1

    def show(self, text: str) -> None:
        """Put a line at the bottom of the terminal; nothing where nobody watches."""
        if self.is_live:
            self._write(f"{_CLEAR}{self._door.talk_ink.dim(text)}")
            self._is_shown = True

    def hide(self) -> None:
        """Take the line away, so that something else can be written."""
        if self._is_shown:
            self._write(_CLEAR)
            self._is_shown = False

    def _write(self, text: str) -> None:
        if not _is_written(text):
            self.is_live = False


def _is_written(text: str) -> bool:
    """Write to stderr; False when nobody watches any more: the line is left out from then on."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (OSError, ValueError):
        return False
    return True
