"""Door: how does a command speak, and what holds for every command?

Here: data to stdout, talk to stderr, colours, JSON, which ledger is meant.
Not here: how words on the command line are read (options.py), what results look like (render/).
Sources: clig.dev (data to stdout, talk to stderr); no-color.org.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import TextIO

from comity.render.ink import Ink

__all__ = [
    "COLOURS",
    "Door",
    "OutputLost",
    "close_quietly",
    "make_streams_safe",
    "reason_lost",
]

COLOURS = ("auto", "always", "never")
CLOSED = "it is closed"
_LAST_STREAM = 2


class OutputLost(Exception):
    """What a command was asked for cannot be written to stdout."""

    def __init__(self, reason: str) -> None:
        """Keep why."""
        super().__init__(f"error: standard output cannot be written: {reason}")


class Door:
    """What every command knows about its call.

    Attributes:
        as_json: whether stdout gets one JSON object.
        is_quiet: whether talk is left out.
        may_ask: whether a person may be asked at the terminal.
        db: the ledger that was named on the command line, or "".
        color: when colours are written: auto, always or never.
    """

    __slots__ = ("as_json", "color", "db", "is_quiet", "may_ask")

    def __init__(
        self,
        *,
        as_json: bool = False,
        is_quiet: bool = False,
        may_ask: bool = True,
        db: str = "",
        color: str = "auto",
    ) -> None:
        """Keep what the call said."""
        self.as_json = as_json
        self.is_quiet = is_quiet
        self.may_ask = may_ask
        self.db = db
        self.color = color
        _keep_secret(db or os.environ.get("COMITY_DB", ""))

    @property
    def ink(self) -> Ink:
        """How stdout can be dressed."""
        return _ink(sys.stdout, self.color)

    @property
    def talk_ink(self) -> Ink:
        """How stderr can be dressed."""
        return _ink(sys.stderr, self.color)

    @property
    def is_live(self) -> bool:
        """Whether somebody watches stderr on a terminal."""
        return _is_terminal(sys.stderr)

    @property
    def has_person(self) -> bool:
        """Whether a person sits at this terminal and may be asked."""
        return self.may_ask and _is_terminal(sys.stdin) and _is_terminal(sys.stderr)

    def data(self, text: str) -> None:
        """Write what the command was asked for to stdout.

        Raises:
            OutputLost: when it cannot be written; a reader that has gone is no failure.
        """
        reason = _write(sys.stdout, text)
        if reason:
            raise OutputLost(reason)

    def talk(self, text: str) -> None:
        """Write what helps to follow along to stderr, unless it is to be quiet."""
        if not self.is_quiet:
            _write(sys.stderr, text)

    def warn(self, text: str) -> None:
        """Write what must be seen to stderr, even when it is to be quiet."""
        _write(sys.stderr, text)

    def json(self, body: Mapping[str, object]) -> None:
        """Write one JSON object to stdout."""
        self.data(json.dumps(body, indent=2, ensure_ascii=not _holds(sys.stdout, "✓ü")))

    def explicit_db(self) -> str:
        """Return the ledger named by ``--db`` or ``COMITY_DB``, or ""."""
        return self.db or os.environ.get("COMITY_DB", "")

    def ledger_place(self) -> str:
        """Return the ledger to use: named, else from the settings of this folder."""
        if self.db:
            return self.db
        place: str = import_module("comity.cli.places").default_ledger()
        _keep_secret(place)
        return place


_SECRET_PLACES: set[str] = set()  # URLs of ledgers with a password in them


def _keep_secret(place: str) -> None:
    if "://" in place and ("@" in place or "password" in place):
        _SECRET_PLACES.add(place)


def _write(stream: TextIO | None, text: str) -> str:
    """Write a line; return why that failed, or "". A stream that failed swallows the rest."""
    if stream is None:
        return CLOSED
    for place in _SECRET_PLACES:
        if place in text:
            text = text.replace(place, import_module("comity.app").without_password(place))
    try:
        stream.write(f"{text}\n")
        stream.flush()
    except BrokenPipeError:
        close_quietly(stream)
    except (OSError, ValueError) as error:
        close_quietly(stream)
        return str(getattr(error, "strerror", None) or CLOSED)
    return ""


def reason_lost(stream: TextIO | None) -> str:
    """Return why a stream cannot be written, or ""; one that cannot swallows the rest."""
    if stream is None:
        return CLOSED
    try:
        stream.flush()
    except (OSError, ValueError) as error:
        close_quietly(stream)
        return str(getattr(error, "strerror", None) or CLOSED)
    return ""


def close_quietly(stream: TextIO) -> None:
    """Let a stream whose reader has gone swallow the rest, so that the work can go on."""
    try:
        hole = os.open(os.devnull, os.O_WRONLY)
        os.dup2(hole, stream.fileno())
        os.close(hole)
    except (OSError, ValueError):
        return


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False


def _holds(stream: TextIO | None, signs: str) -> bool:
    try:
        signs.encode(getattr(stream, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _ink(stream: TextIO | None, color: str) -> Ink:
    signs = _holds(stream, "✓✗·→…")
    if color != "auto":
        return Ink(colours=color == "always", signs=signs)
    if os.environ.get("NO_COLOR"):
        return Ink(signs=signs)
    forced = os.environ.get("FORCE_COLOR", "") not in {"", "0"}
    able = _is_terminal(stream) and os.environ.get("TERM") != "dumb"
    return Ink(colours=forced or able, signs=signs)


def make_streams_safe() -> None:
    """Let stdout and stderr write any text: what their encoding cannot hold becomes ``?``.

    The numbers of streams that were closed are taken, so that no file of ours becomes one.
    """
    if None in (sys.stdin, sys.stdout, sys.stderr):
        while (hole := os.open(os.devnull, os.O_RDWR)) <= _LAST_STREAM:
            pass
        os.close(hole)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
