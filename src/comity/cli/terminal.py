"""Terminal: how does a person in a seat see the brief and answer?

Here: showing the brief on stderr, reading lines until an empty one or a single full stop.
Not here: what a person is asked (protocols/consent/brief.py), who sits where (seats.py).
Sources: SEMANTICS C7.

The keyboard is read below Python's buffered stdin: a thread that waits inside that buffer keeps
its lock, and an interrupted program could then not end cleanly.
"""

from __future__ import annotations

import os
import sys
from threading import Lock

from comity.cli.door import Door

__all__ = ["Terminal"]

_BLOCK = 65536


class Terminal:
    """One keyboard for all seats that people take here; asked one after the other."""

    def __init__(self, door: Door) -> None:
        """Keep how to speak."""
        self._door = Door(color=door.color)
        self._turn = Lock()
        self._rest = b""
        self._ended = False

    def ask(self, seat: str, words: str) -> str | None:
        """Show a brief and return what the person typed.

        Args:
            seat: whose answer is wanted.
            words: the brief.

        Returns:
            The answer; None when the person left (end of input).
        """
        with self._turn:
            if self._ended and not self._rest:
                return None
            ink = self._door.talk_ink
            self._door.talk(f"\n{words.rstrip()}\n")
            self._door.talk(ink.dim(f"{seat}: end with an empty line or a single full stop."))
            lines: list[str] = []
            while (line := self.line()) is not None:
                bare = line.strip()
                if bare == "." or (not bare and any(lines)):
                    return "\n".join(lines)
                if bare:
                    lines.append(line)
            return "\n".join(lines) if lines else None

    def line(self) -> str | None:
        """Return the next line typed, without its end; None at the end of input."""
        while b"\n" not in self._rest and not self._ended:
            try:
                block = os.read(sys.stdin.fileno(), _BLOCK)
            except (OSError, ValueError):
                block = b""
            self._ended = not block
            self._rest += block
        if not self._rest:
            return None
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode("utf-8", "replace").rstrip("\r")
