"""Comity inbox: what waits for a person, why, and how is it decided?

Here: the command.
Not here: which cases there are (watch/cases.py), deciding one (decide.py).
Sources: SEMANTICS G8.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from shlex import quote
from typing import Any

import click

from comity.cli.door import Door
from comity.cli.opened import ledger_of
from comity.cli.options import DoorCommand, whole
from comity.cli.places import settings_here
from comity.core.canonical import Json
from comity.core.errors import Fault, raise_if
from comity.render.inbox import headline, inbox_text

__all__ = ["command"]

EXAMPLES = (
    "comity inbox",
    "comity inbox --json",
    "comity inbox --all --thin --days 30",
)

WAITS = 11
DAYS = 7
LONGEST_DAYS = 36_500
_DAY_MS = 86_400_000


@click.command(
    "inbox",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""List what waits for a person: why it is a case, what may be decided and what each
    option would mean, the default and when it applies, how to decide it.

    Exit code 11 when something waits, 0 when nothing does, also before anything was decided. The
    ledger stays as it is: a default whose time has come is shown as overdue, and applies at the
    next look (`comity why`, `resume` or `decide`).
    """,
)
@click.option("--all", "everything", is_flag=True, help="Also what people decided before.")
@click.option("--thin", is_flag=True, help="Also sealed results that deserve a second look.")
@click.option("--days", metavar="N", help=f"How old those may be, in days ({DAYS}).")
def command(door: Door, days: str | None, *, everything: bool, thin: bool) -> int:
    """Show the inbox."""
    faults: list[Fault] = []
    count = whole(days, "--days", faults, least=1)
    if days is not None and not thin:
        what, allowed = "is for thin results alone", "--days with --thin"
        faults.append(Fault("--days", what, allowed, "add --thin, or leave --days out"))
    if count is not None and count > LONGEST_DAYS:
        allowed = f"at most {LONGEST_DAYS}"
        faults.append(Fault("--days", f"is {count}", allowed, "give fewer days"))
    raise_if(faults)
    thin_ms = (count or DAYS) * _DAY_MS if thin else 0
    found = _found(door, thin_ms)
    named = f" --db {quote(door.db)}" if door.db else ""
    data: dict[str, Json] = {
        "v": 1,
        "kind": "inbox",
        "cases": [_case(one, named) for one in found.waiting],
    }
    if everything:
        within_ms = settings_here().undo_ms
        data["decided"] = [_decided(one, named, within_ms) for one in found.decided]
    if thin:
        data["thin"] = [one.to_json() for one in found.thin]
    if found.unreadable:
        data["unreadable"] = [{"session": name, "why": why} for name, why in found.unreadable]
    if door.as_json:
        door.json(data)
    else:
        door.data(inbox_text(data, door.ink))
    return WAITS if found.waiting else 0


def _found(door: Door, thin_ms: int) -> Any:  # noqa: ANN401  # of watch/, which loads late
    """Return what the ledger holds for people; where nothing was decided yet that is nothing.

    A ledger that was named and is not there is a fault all the same: it may be a slip.
    """
    place = door.ledger_place()
    if not door.explicit_db() and "://" not in place and not Path(place).exists():
        return import_module("comity.watch.cases").Inbox()
    with ledger_of(door) as app:
        return app.cases(thin_ms=thin_ms)


def _case(case: Any, named: str) -> dict[str, Json]:  # noqa: ANN401  # of watch/, which loads late
    """Return a case with how it stands and the commands that decide it."""
    told = case.to_json()
    begins = f"comity decide {case.session}"
    for option in told["options"]:
        option["command"] = f"{begins} --option {quote(option['name'])} --reason TEXT{named}"
    command = f"{begins} --option N --reason TEXT{named}"
    return {**told, "stands": headline(case.result), "command": command}


def _decided(ended: Any, named: str, within_ms: int) -> dict[str, Json]:  # noqa: ANN401  # the same
    """Return a decision with the command that takes it back, while that is possible."""
    is_open = ended.ended_by == "person" and ended.now_ms - ended.at_ms <= within_ms
    command = f"comity decide {ended.session} --undo --reason TEXT{named}" if is_open else None
    return {**ended.to_json(), "undo": command}
