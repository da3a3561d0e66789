"""Faults: how is an error told at the command line?

Here: every fault in its four parts on stderr, the same as JSON on stdout, the exit code.
Not here: the errors themselves (core/errors.py).
Sources: ARCHITECTURE contract 5; SEMANTICS G7.
"""

from __future__ import annotations

import sys

from comity.cli.door import Door
from comity.core.errors import ComityError, Fault, InternalError, exit_code_of, one_line

__all__ = ["told", "unexpected"]


def told(error: ComityError, door: Door) -> int:
    """Tell an error and return the exit code.

    Args:
        error: the error with all its faults.
        door: how to speak.

    Returns:
        2 for wrong input, 1 for every other failure.
    """
    loud = Door(color=door.color)
    ink = loud.talk_ink
    for fault in error.faults:
        whose, what = one_line(fault.whose), one_line(fault.what)
        loud.talk(f"{ink.bad('error:')} {ink.bold(whose)}: {what}")
        loud.talk(f"  {ink.dim('allowed:')} {one_line(fault.allowed)}")
        loud.talk(f"  {ink.dim('next:')}    {one_line(fault.next)}")
    code = exit_code_of(error)
    if door.as_json:
        faults = [fault.to_json() for fault in error.faults]
        door.json({"v": 1, "kind": "error", "exit_code": code, "faults": faults})
    return code


def unexpected(error: Exception, door: Door) -> int:
    """Tell an error that nobody expected, with its trace, and return the exit code."""
    sys.excepthook(type(error), error, error.__traceback__)
    fault = Fault(
        "comity",
        f"failed in a way it should not: {type(error).__name__}: {error}",
        "no such failure",
        "report it with the lines above",
    )
    return told(InternalError(fault), door)
