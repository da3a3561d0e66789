"""Comity doctor: what does comity see on this machine?

Here: the command: versions, paths, the state of the ledger, programs on PATH, keys by name.
Not here: the values of keys, ever.
Sources: ux research 2.1.
"""

from __future__ import annotations

import os
import platform
import shutil
import sqlite3
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

import click

from comity import __version__
from comity.app import AUTO, App
from comity.cli.door import Door
from comity.cli.options import DoorCommand
from comity.cli.places import settings_here, working_folder
from comity.core.errors import ComityError
from comity.core.show import table

__all__ = ["command"]

EXAMPLES = ("comity doctor", "comity doctor --db comity-demo/comity.db", "comity doctor --json")

_NO_SETTINGS = "none: no comity.toml, no [tool.comity] in pyproject.toml"
KEYS = (
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "CODEX_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "OPENAI_API_KEY",
)


class Finding(NamedTuple):
    """One thing looked at: its name, what was found, and whether it is as it should be.

    None says that it may well be so.
    """

    name: str
    found: str
    ok: bool | None = True


@click.command(
    "doctor",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""Show paths, versions, the state of the ledger, which agent programs are on PATH and
    which keys are set (their names, never their values).

    Exit 1 when the ledger cannot be read or is not whole.
    """,
)
def command(door: Door) -> int:
    """Look around."""
    place = door.ledger_place()
    ledger = _ledger(place)
    programs = {seat: shutil.which(program) or "" for seat, program in AUTO.items()}
    keys = [name for name in KEYS if os.environ.get(name)]
    versions = {
        "comity": __version__,
        "python": platform.python_version(),
        "click": _click_version(),
        "sqlite": sqlite3.sqlite_version,
    }
    folder, source = str(working_folder()), settings_here().source
    if door.as_json:
        door.json(
            {
                "v": 1,
                "kind": "doctor",
                "ok": ledger.ok is not False,
                "versions": versions,
                "folder": folder,
                "settings": source or None,
                "ledger": {"place": place, "state": ledger.found, "ok": ledger.ok is not False},
                "programs": {
                    seat: {"program": AUTO[seat], "path": path or None}
                    for seat, path in programs.items()
                },
                "keys": keys,
                "encoding": getattr(sys.stdout, "encoding", None) or "none",
            }
        )
        return 1 if ledger.ok is False else 0
    rows = [Finding(name, version) for name, version in versions.items()]
    rows += [
        Finding("folder", folder),
        Finding("settings", source or _NO_SETTINGS, bool(source) or None),
        Finding("ledger", f"{place}: {ledger.found}", ledger.ok),
        *(
            Finding(f"seat {seat}", path or f"{AUTO[seat]} is not on PATH", bool(path) or None)
            for seat, path in programs.items()
        ),
        Finding("keys set", ", ".join(keys) or "none", bool(keys) or None),
    ]
    ink = door.ink
    sign_of = {True: "yes", None: "dot", False: "no"}
    signs = [ink.sign(sign_of[row.ok]) for row in rows]
    cells = [(sign, row.name, row.found) for sign, row in zip(signs, rows, strict=True)]
    door.data(table(cells, ("", "what", "found")))
    return 1 if ledger.ok is False else 0


def _click_version() -> str:
    try:
        return version("click")
    except PackageNotFoundError:
        return "unknown"


def _ledger(place: str) -> Finding:
    """Return what state the ledger is in."""
    if "://" not in place and not os.path.lexists(place):
        return Finding("ledger", "not there yet; the first decision makes it", None)
    try:
        with App(place, create=False) as app:
            report = app.verify()
            if not report.ok:
                told = f"{len(report.problems)} problems: run `comity verify`"
                return Finding("ledger", told, ok=False)
            schema = app.ledger.schema_version()
    except ComityError as error:
        return Finding("ledger", "; ".join(one.what for one in error.faults), ok=False)
    counts = f"{report.scopes} sessions, {report.entries} entries"
    return Finding("ledger", f"whole, {counts}, schema {schema}")
