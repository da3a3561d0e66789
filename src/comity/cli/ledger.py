"""Comity ledger: what was decided here?

Here: the command: sessions, the entries of one, the head to keep elsewhere, export.
Not here: checking it (verify.py), explaining one decision (why.py).
Sources: SEMANTICS K1, K4.
"""

from __future__ import annotations

import click

from comity.app import App
from comity.cli.door import Door
from comity.cli.opened import ledger_of, session_id
from comity.cli.options import DoorCommand, choice
from comity.core.errors import Fault, InvalidInput
from comity.render.listing import entries_text, sessions_text

__all__ = ["command"]

EXAMPLES = (
    "comity ledger",
    "comity ledger last --db comity-demo/comity.db",
    "comity ledger --export csv",
)
FORMATS = ("json", "csv")


@click.command(
    "ledger",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""List the sessions of the ledger, newest first; with ID the entries of one.

    ID is a session's id or its beginning; `last` is the newest. What is private to a seat is
    neither shown nor exported.
    """,
)
@click.argument("session", metavar="[ID]", required=False)
@click.option("--head", is_flag=True, help="Print the head: keep it elsewhere, for verify --head.")
@click.option("--export", metavar="FORMAT", help="All entries as json (one a line) or csv.")
def command(door: Door, session: str | None, export: str | None, *, head: bool) -> int:
    """Show the ledger."""
    if head and (export or session):
        raise InvalidInput(
            Fault(
                "ledger",
                f"is asked for its head and for {'an export' if export else 'one session'}",
                "one of them",
                "leave one out",
            )
        )
    if export is not None:
        choice(export, "--export", FORMATS)
    with ledger_of(door) as app:
        if head:
            _head(door, app)
        elif export:
            name = session_id(app, session) if session else None
            for line in app.export(export, name):
                door.data(line.removesuffix("\n"))
        elif session:
            _entries(door, app, session_id(app, session))
        else:
            _sessions(door, app)
    return 0


def _head(door: Door, app: App) -> None:
    head = app.ledger.head()
    if door.as_json:
        door.json({"v": 1, "kind": "head", "head": head})
    else:
        door.data(head or "none: the ledger is empty")


def _entries(door: Door, app: App, name: str) -> None:
    entries = [one.to_json() for one in app.entries(name)]
    if door.as_json:
        door.json({"v": 1, "kind": "entries", "session": name, "entries": entries})
    else:
        door.data(entries_text(entries))


def _sessions(door: Door, app: App) -> None:
    sessions = [one.to_json() for one in app.sessions()]
    if door.as_json:
        door.json({"v": 1, "kind": "sessions", "head": app.ledger.head(), "sessions": sessions})
    elif sessions:
        door.data(sessions_text(sessions))
    else:
        door.data("No session yet.")
