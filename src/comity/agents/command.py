"""Command seats: any program that reads a brief and prints a reply.

Here: running one program per ask in its own process group, with the brief on standard input, a
clock and a kill; no program outlives the process that asked it.
Not here: adapters for particular coding agents, sessions kept between asks.
Sources: SEMANTICS C7; POSIX process groups. Exit code 0 with empty output is a failure.
"""

from __future__ import annotations

import atexit
import os
import shlex
import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock

from comity.agents.base import Failure, Question, Reply
from comity.agents.briefing import briefing
from comity.core.errors import Fault, InvalidInput

__all__ = ["Command", "command"]

TIMEOUT_S = 600.0
_OUTPUT_BYTES = 1_000_000
_GRACE_S = 2.0


@dataclass(frozen=True, slots=True)
class Command:
    """A seat that a program answers for.

    Attributes:
        argv: the program and its arguments; no shell.
        timeout_s: how long one call may take.

    Example:
        >>> Command(("cat",)).waits
        True
    """

    argv: tuple[str, ...]
    timeout_s: float = TIMEOUT_S
    waits: bool = True

    def reply(self, question: Question) -> Reply | Failure:
        """Run the program once."""
        ask = question.ask
        environment = {
            **os.environ,
            "COMITY_SEAT": ask.party,
            "COMITY_ASK": ask.kind,
            "COMITY_REQUEST_ID": question.request_id,
        }
        words = briefing(ask.payload).encode("utf-8", "replace")
        try:
            with _STARTING:  # what is started is known before this process can end
                process = subprocess.Popen(  # noqa: S603  # the user named this program
                    self.argv,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    env=environment,
                    start_new_session=True,
                )
                _RUNNING.add(process)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            return Failure(kind="unavailable", detail=f"{self.argv[0]}: {reason}")
        try:
            out, err = process.communicate(words, timeout=self.timeout_s)
        except subprocess.TimeoutExpired:
            return Failure(kind="timeout", detail=f"no answer in {self.timeout_s:g} s")
        finally:
            if process.returncode is None:
                _end(process)
            _RUNNING.discard(process)
        if process.returncode != 0:
            last = err.decode("utf-8", "replace").strip().splitlines()[-1:] or [""]
            return Failure(kind="crashed", detail=f"exit {process.returncode} {last[0]}".strip())
        text = out[:_OUTPUT_BYTES].decode("utf-8", "replace").strip()
        if not text:
            return Failure(kind="empty", detail="exit 0 and nothing said")
        return Reply(text=text)


_RUNNING: set[subprocess.Popen[bytes]] = set()
"""Programs that are answering now."""

_STARTING = Lock()
"""Held while a program starts, and by the end of this process for good."""


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the whole process group: politely, then for good.

    The second signal goes out even when the program itself has ended, for its children; its
    number cannot mean another group while one of them lives.
    """
    _signal(process, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.communicate(timeout=_GRACE_S)
    _signal(process, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=_GRACE_S)
    for pipe in filter(None, (process.stdin, process.stdout, process.stderr)):
        with suppress(OSError):
            pipe.close()


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _end_all() -> None:
    for process in tuple(_RUNNING):
        _signal(process, signal.SIGKILL)


@atexit.register
def _end_for_good() -> None:
    """End what still runs when this process ends: a cancelled session asks nobody any more."""
    _STARTING.acquire()
    _end_all()


def command(words: str, *, seat: str, timeout_s: float = TIMEOUT_S) -> Command:
    """Build a command seat from one line of words.

    Args:
        words: the program with its arguments, quoted as in a shell.
        seat: the seat, for messages.
        timeout_s: how long one call may take.

    Returns:
        The seat's agent.

    Raises:
        InvalidInput: when the words hold no program.

    Example:
        >>> command("python3 advocate.py 'two words'", seat="CC").argv
        ('python3', 'advocate.py', 'two words')
    """
    try:
        argv = tuple(shlex.split(words))
    except ValueError as error:
        argv = ()
        detail = f" ({error})"
    else:
        detail = ""
    if not argv:
        raise InvalidInput(
            Fault(
                f"seat {seat!r}",
                f"has the command {words!r}{detail}",
                "a program with arguments",
                "write command:PROGRAM ARGUMENTS",
            )
        )
    return Command(argv, timeout_s)
