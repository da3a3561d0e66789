"""Process: how is a program run once, and how does it end for certain?

Here: one program in its own process group, words on standard input, bounded output, a clock and a
kill; no program outlives the process that asked it.
Not here: what is said to a program and how its output is read (command.py, claude_code.py, ...).
Sources: SEMANTICS C7; POSIX process groups.
"""

from __future__ import annotations

import atexit
import os
import selectors
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import IO

from comity.agents.base import Failure

__all__ = ["TIMEOUT_S", "Program", "Ran", "run"]

TIMEOUT_S = 600.0
"""How long one call may take, where nothing else is said."""

_GRACE_S = 2.0
_KILLED_S = 10.0
_LAST_WORDS_S = 0.5
_LOOK_S = 0.1
_PIECE = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program to run once.

    Attributes:
        argv: the program and its arguments; no shell.
        environment: variables to set beside those of this process; None removes one.
        folder: where it runs; this process's folder by default.
        timeout_s: how long it may take.
        output_bytes: how much of each of its outputs is kept; the rest is read and dropped.

    Example:
        >>> Program(argv=("cat",)).timeout_s
        600.0
    """

    argv: tuple[str, ...]
    environment: Mapping[str, str | None] = field(default_factory=dict)
    folder: Path | None = None
    timeout_s: float = TIMEOUT_S
    output_bytes: int = 1_000_000


@dataclass(frozen=True, slots=True)
class Ran:
    """What a program left.

    Attributes:
        code: its exit code; negative for a signal.
        out: its standard output, as far as it is kept.
        err: its standard error, as far as it is kept.
        is_cut: whether its standard output was longer than what is kept of it.
    """

    code: int
    out: str
    err: str
    is_cut: bool = False

    @property
    def last_line(self) -> str:
        r"""Return the last line on standard error.

        Example:
            >>> Ran(3, "", "one\ntwo\n").last_line
            'two'
        """
        return (self.err.strip().splitlines() or [""])[-1].strip()


def run(program: Program, words: str) -> Ran | Failure:
    """Run a program once, and end what it leaves running.

    Its answer is over when it ends: a child that still holds its output is waited for no more than
    a moment. Then its whole process group is ended, whether it answered or not.

    Args:
        program: what to run.
        words: what it reads on standard input.

    Returns:
        What it left, whatever its exit code; or a failure: ``unavailable`` when it cannot be
        started, ``timeout`` when its time is up.

    Example:
        >>> run(Program(argv=("cat",)), "hello").out
        'hello'
    """
    changed = {**os.environ, **program.environment}
    environment = {name: value for name, value in changed.items() if value is not None}
    try:
        with _STARTING:  # what is started is known before this process can end
            process = subprocess.Popen(  # noqa: S603  # the user named this program
                program.argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                cwd=program.folder,
                start_new_session=True,
            )
            _RUNNING.add(process)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        return Failure(kind="unavailable", detail=f"{program.argv[0]}: {reason}")
    try:
        latest = monotonic() + program.timeout_s
        out, err, is_cut = _exchange(process, words.encode("utf-8", "replace"), program, latest)
        process.wait(max(0.0, latest - monotonic()))
    except subprocess.TimeoutExpired:
        return Failure(kind="timeout", detail=f"no answer in {program.timeout_s:g} s")
    finally:
        if process.returncode is None:
            _end(process)
        else:
            _signal(process, signal.SIGKILL)  # its children
        _close(process)
        _RUNNING.discard(process)
    told = (out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))
    return Ran(process.returncode, *told, is_cut)


def _exchange(
    process: subprocess.Popen[bytes], words: bytes, program: Program, latest: float
) -> tuple[bytes, bytes, bool]:
    """Write the words and read both outputs, until both have ended, or soon after the program."""
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    kept: dict[IO[bytes], bytearray] = {process.stdout: bytearray(), process.stderr: bytearray()}
    left, is_cut, last_words = memoryview(words), False, latest
    with selectors.DefaultSelector() as ready:
        for pipe in kept:
            os.set_blocking(pipe.fileno(), False)
            ready.register(pipe, selectors.EVENT_READ)
        os.set_blocking(process.stdin.fileno(), False)
        ready.register(process.stdin, selectors.EVENT_WRITE)
        while ready.get_map():
            seconds = last_words - monotonic()
            if seconds <= 0 and process.returncode is not None:
                break
            if seconds <= 0:
                raise subprocess.TimeoutExpired(program.argv, program.timeout_s)
            if process.returncode is None and process.poll() is not None:
                last_words = min(latest, monotonic() + _LAST_WORDS_S)
            for key, _ in ready.select(min(seconds, _LOOK_S)):
                if key.fileobj is process.stdin:
                    left = _write(process.stdin, left)
                    if not left:
                        ready.unregister(process.stdin)
                        process.stdin.close()
                    continue
                pipe = process.stdout if key.fileobj is process.stdout else process.stderr
                piece = os.read(pipe.fileno(), _PIECE)
                room = program.output_bytes - len(kept[pipe])
                kept[pipe] += piece[:room]
                is_cut = is_cut or (pipe is process.stdout and len(piece) > room)
                if not piece:
                    ready.unregister(pipe)
    return bytes(kept[process.stdout]), bytes(kept[process.stderr]), is_cut


def _write(pipe: IO[bytes], words: memoryview) -> memoryview:
    """Write what the program takes now; return what is left, nothing when it reads no more."""
    try:
        return words[os.write(pipe.fileno(), words[:_PIECE]) :]
    except BlockingIOError:
        return words
    except OSError:
        return words[:0]


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
    _close(process)  # whoever still wants to write a lot does not wait for us
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=_GRACE_S)
    _signal(process, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=_KILLED_S)  # at once, but for a starved or a stuck machine


def _close(process: subprocess.Popen[bytes]) -> None:
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
