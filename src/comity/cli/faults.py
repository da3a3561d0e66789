"""Faults: how is an error told at the command line?

Here: every fault in its four parts on stderr, the same as JSON on stdout, the exit code.
Not here: the errors themselves (core/errors.py).
Sources: ARCHITECTURE contract 5; SEMANTICS G7.
"""

from __future__ import annotations

import re
import sys
from shlex import quote

from comity.cli.door import Door
from comity.core.errors import ComityError, Fault, InternalError, exit_code_of, one_line

__all__ = ["told", "unexpected", "with_ledger"]

_COMMAND = re.compile(r"`comity (?P<name>[a-z]+)(?P<words>[^`]*)`")
_OF_LEDGER = frozenset(
    {
        "arbiter",
        "claim",
        "decide",
        "inbox",
        "ledger",
        "negotiate",
        "release",
        "replay",
        "resume",
        "review",
        "run",
        "sessions",
        "verify",
        "vote",
        "watch",
        "whatif",
        "why",
        "worker",
    }
)
"""The commands that read or write a ledger."""


def told(error: ComityError, door: Door) -> int:
    """Tell an error and return the exit code.

    Args:
        error: the error with all its faults.
        door: how to speak, and which ledger was named: the commands told next name it too.

    Returns:
        2 for wrong input, 1 for every other failure.
    """
    loud = Door(color=door.color)
    ink = loud.talk_ink
    all_told = [
        Fault(one.whose, one.what, one.allowed, with_ledger(one.next, door.db))
        for one in error.faults
    ]
    for fault in all_told:
        whose, what = one_line(fault.whose), one_line(fault.what)
        loud.talk(f"{ink.bad('error:')} {ink.bold(whose)}: {what}")
        loud.talk(f"  {ink.dim('allowed:')} {one_line(fault.allowed)}")
        loud.talk(f"  {ink.dim('next:')}    {one_line(fault.next)}")
    code = exit_code_of(error)
    if door.as_json:
        faults = [fault.to_json() for fault in all_told]
        door.json({"v": 1, "kind": "error", "exit_code": code, "faults": faults})
    return code


def with_ledger(said: str, db: str) -> str:
    """Return what to do next, with the ledger of this call in every command that needs it.

    Args:
        said: a sentence, commands in it between backticks.
        db: the ledger that was named on the command line, or "".

    Example:
        >>> with_ledger("look at `comity ledger`, or see `comity schema`", "my claims.db")
        "look at `comity ledger --db 'my claims.db'`, or see `comity schema`"
    """

    def named(found: re.Match[str]) -> str:
        words = found["words"]
        if not db or found["name"] not in _OF_LEDGER or "--db" in words or "--help" in words:
            return found[0]
        return f"`comity {found['name']}{words} --db {quote(db)}`"

    return _COMMAND.sub(named, said)


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
