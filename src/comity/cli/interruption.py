"""Interruption: what becomes of a call that Ctrl-C or SIGTERM ends?

Here: SIGTERM as an interruption of its own, its exit code, how it is told.
Not here: ending the seats' programs (agents/command.py), taking the session up (resume.py).
Sources: POSIX signals (128 + number); ARCHITECTURE contract 2.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from comity.cli.door import Door

__all__ = ["INTERRUPTED", "TERMINATED", "Terminated", "tell_interruption", "term_interrupts"]

INTERRUPTED = 130
TERMINATED = 143


class Terminated(KeyboardInterrupt):
    """SIGTERM came; what Ctrl-C unwinds, this unwinds too."""


@contextmanager
def term_interrupts() -> Iterator[None]:
    """Let SIGTERM raise :class:`Terminated` once; a caller's own handler stays in its place.

    After that one the signal stays ignored: the process is ending, and ends its seats on the way.
    """
    try:
        if signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
            yield
            return
        signal.signal(signal.SIGTERM, _stop)
    except ValueError:  # only the main thread may set one
        yield
        return
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGTERM) is _stop:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _stop(number: int, frame: FrameType | None) -> None:
    del frame
    signal.signal(number, signal.SIG_IGN)
    raise Terminated


def tell_interruption(
    door: Door, ending: BaseException, words: str, *, session: str = "", following: str = ""
) -> int:
    """Tell an interruption and return its exit code.

    Args:
        door: how to speak; as JSON, stdout gets one object.
        ending: what was raised.
        words: the line for stderr.
        session: the session that was left, or "".
        following: the command that goes on with it, or "".

    Returns:
        143 after SIGTERM, else 130.
    """
    code = TERMINATED if isinstance(ending, Terminated) else INTERRUPTED
    door.warn(words)
    if door.as_json:
        told = {"session": session or None, "exit_code": code, "next": following or None}
        door.json({"v": 1, "kind": "interrupted", **told})
    return code
