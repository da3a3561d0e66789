"""Comity doctor: what does comity see on this machine, and would these seats answer?

Here: the command: versions, paths, the state of the ledger, programs on PATH, keys by name, the
seats that are named; one line of cure for what is wrong.
Not here: the values of keys, ever; the turns of a probe (watch/probing.py).
Sources: SEMANTICS C7, K1; ux research 2.1.
"""

from __future__ import annotations

import os
import platform
import shutil
import sqlite3
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

import click

from comity import __version__
from comity.app import AUTO, App, Limits, without_password
from comity.cli.door import Door
from comity.cli.limits import limit_options, read_limits
from comity.cli.options import DoorCommand
from comity.cli.places import settings_here, working_folder
from comity.cli.progress import StatusLine
from comity.cli.seats import read_agents
from comity.core.canonical import Json
from comity.core.errors import ComityError
from comity.core.show import table
from comity.watch.probing import Probe, look_at, probe

__all__ = ["command"]

EXAMPLES = (
    "comity doctor",
    'comity doctor --agent "CC=command:echo hello" --probe',
    "comity doctor --db comity-demo/comity.db --json",
)

_NO_SETTINGS = "none: no comity.toml, no [tool.comity] in pyproject.toml"
_LEAST_FREE = 100_000_000
_PROBE_MS = 120_000
KEYS = (
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "CODEX_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "OPENAI_API_KEY",
)


class Finding(NamedTuple):
    """One thing looked at: its name, what was found, whether it is as it should be, a cure.

    None says that it may well be so.
    """

    name: str
    found: str
    ok: bool | None = True
    cure: str = ""


@click.command(
    "doctor",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""Show paths, versions, the state of the ledger, which agent programs are on PATH and
    which keys are set (their names, never their values), and what is wrong with the seats that
    --agent and the settings name.

    With --probe each program and model among them is asked two turns of a negotiation about
    nothing: does it answer, and in the form that counts? That may cost money. Exit 1 when the
    ledger cannot be used or is not whole, or a seat does not answer in the form.
    """,
)
@click.option("--agent", metavar="SEAT=HOW", multiple=True, help="As for `comity negotiate`.")
@click.option("--probe", "probes", is_flag=True, help="Ask each seat two turns; it may cost.")
@limit_options
def command(
    door: Door,
    *,
    agent: tuple[str, ...],
    probes: bool,
    budget: tuple[str, ...],
    timeout: str | None,
) -> int:
    """Look around."""
    flags, auto = read_agents(agent)
    limits = read_limits(budget, timeout).over(Limits(timeout_ms=_PROBE_MS))
    programs = {seat: shutil.which(program) or "" for seat, program in AUTO.items()}
    found = {seat: AUTO[seat] for seat, path in programs.items() if path} if auto else {}
    specs = {**found, **settings_here().seats, **flags}
    seats = _probed(door, specs, limits) if probes else _looked_at(specs)
    place = door.ledger_place()
    ledger, place = _ledger(place), without_password(place)
    is_well = all(one.ok is not False for one in ledger) and all(one.is_ok for one in seats)
    if door.as_json:
        door.json(
            {"v": 1, "kind": "doctor", "ok": is_well, **_json(place, ledger, programs, seats)}
        )
    else:
        _show(door, [*_around(), *_of_ledger(place, ledger), *_of_seats(programs, seats)])
    return 0 if is_well else 1


def _looked_at(specs: Mapping[str, str]) -> list[Probe]:
    return [look_at(seat, how, folder=working_folder()) for seat, how in specs.items()]


def _probed(door: Door, specs: Mapping[str, str], limits: Limits) -> list[Probe]:
    line, found = StatusLine(door), []
    for seat, how in specs.items():
        line.show(f"asking {seat} ({how})")
        found.append(probe(seat, how, folder=working_folder(), limits=limits))
        line.hide()
    return found


# --- what is shown ---------------------------------------------------------------------------


def _versions() -> dict[str, str]:
    return {
        "comity": __version__,
        "python": platform.python_version(),
        "click": _click_version(),
        "sqlite": sqlite3.sqlite_version,
    }


def _keys() -> list[str]:
    return [name for name in KEYS if os.environ.get(name)]


def _json(
    place: str, ledger: Sequence[Finding], programs: Mapping[str, str], seats: Sequence[Probe]
) -> dict[str, Json]:
    is_whole = all(one.ok is not False for one in ledger)
    return {
        "versions": _versions(),
        "folder": str(working_folder()),
        "settings": settings_here().source or None,
        "ledger": {
            "place": place,
            "state": ledger[0].found,
            "ok": is_whole,
            "checks": [
                {"name": one.name, "found": one.found, "ok": one.ok, "cure": one.cure or None}
                for one in ledger
            ],
        },
        "programs": {
            seat: {"program": AUTO[seat], "path": path or None} for seat, path in programs.items()
        },
        "seats": [one.to_json() for one in seats],
        "keys": _keys(),
        "encoding": getattr(sys.stdout, "encoding", None) or "none",
    }


def _around() -> list[Finding]:
    source, keys = settings_here().source, _keys()
    return [
        *(Finding(name, number) for name, number in _versions().items()),
        Finding("folder", str(working_folder())),
        Finding("settings", source or _NO_SETTINGS, bool(source) or None),
        Finding("keys set", ", ".join(keys) or "none", bool(keys) or None),
    ]


def _of_ledger(place: str, ledger: Sequence[Finding]) -> list[Finding]:
    first, *rest = ledger
    return [first._replace(found=f"{place}: {first.found}"), *rest]


def _of_seats(programs: Mapping[str, str], seats: Sequence[Probe]) -> list[Finding]:
    named = {one.seat for one in seats}
    return [
        *(
            Finding(f"seat {seat}", path or f"{AUTO[seat]} is not on PATH", bool(path) or None)
            for seat, path in programs.items()
            if seat not in named
        ),
        *(
            Finding(
                f"seat {one.seat}",
                f"{one.spec}: {one.told}",
                (True if one.state == "answers" else None) if one.is_ok else False,
                one.cure,
            )
            for one in seats
        ),
    ]


def _show(door: Door, rows: Sequence[Finding]) -> None:
    ink = door.ink
    sign_of = {True: "yes", None: "dot", False: "no"}
    cells = [(ink.sign(sign_of[row.ok]), row.name, row.found) for row in rows]
    door.data(table(cells, ("", "what", "found")))
    cures = [f"  {row.name}: {row.cure}" for row in rows if row.cure]
    if cures:
        door.data("\n".join(("", ink.bold("What to do"), *cures)))


def _click_version() -> str:
    try:
        return version("click")
    except PackageNotFoundError:
        return "unknown"


# --- the ledger ------------------------------------------------------------------------------


def _ledger(place: str) -> list[Finding]:
    """Return what state the ledger is in: first whether it is whole, then where it lies."""
    found = [_whole(place)]
    if "://" in place or place == ":memory:":
        return found
    path = Path(place)
    folder = next(one for one in (path.parent, *path.absolute().parents) if one.is_dir())
    held = path if path.exists() else folder
    if not (os.access(held, os.W_OK) and os.access(folder, os.W_OK)):
        cure = "make it and its folder writable, or choose another with --db"
        found.append(Finding("ledger file", f"{held} cannot be written", ok=False, cure=cure))
    free = shutil.disk_usage(folder).free
    told = f"{free / 1e9:.1f} GB free"
    if free < _LEAST_FREE:
        found.append(Finding("disk", told, ok=False, cure="make room: a full disk ends a session"))
    else:
        found.append(Finding("disk", told))
    mode = _journal(path)
    if mode and mode != "wal":
        cure = "put it on a local disk, where SQLite can use its write-ahead log"
        found.append(Finding("journal", mode, ok=False, cure=cure))
    elif mode:
        found.append(Finding("journal", mode))
    return found


def _journal(path: Path) -> str:
    """Return the journal mode of a ledger in a file, or "" where there is none to read."""
    if not path.is_file():
        return ""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as db:
            return str(db.execute("PRAGMA journal_mode").fetchone()[0])
    except sqlite3.Error:
        return ""


def _whole(place: str) -> Finding:
    if "://" not in place and not os.path.lexists(place):
        return Finding("ledger", "not there yet; the first decision makes it", None)
    try:
        with App(place, create=False) as app:
            report = app.verify()
            if not report.ok:
                told = f"{len(report.problems)} problems: run `comity verify`"
                cure = "run `comity verify`, which names each, and go on from a copy"
                return Finding("ledger", told, ok=False, cure=cure)
            schema = app.ledger.schema_version()
    except ComityError as error:
        told, cure = "; ".join(one.what for one in error.faults), error.faults[0].next
        return Finding("ledger", told, ok=False, cure=cure)
    counts = f"{report.scopes} sessions, {report.entries} entries"
    return Finding("ledger", f"whole, {counts}, schema {schema}")
