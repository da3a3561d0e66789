"""Comity ledger: what was decided here?

Here: the command: sessions, the entries of one, the head to keep elsewhere, export.
Not here: checking it (verify.py), explaining one decision (why.py).
Sources: SEMANTICS K1, K4.
"""

from __future__ import annotations

import click

from comity.app import App
from comity.app import migrate as bring_up_to_date
from comity.cli.door import Door
from comity.cli.opened import ledger_of, session_id
from comity.cli.options import DoorCommand, choice
from comity.core.errors import Fault, InvalidInput, LedgerReadOnly
from comity.render.listing import desks_text, entries_text, sessions_text
from comity.watch.desks import desk_meant, desks_of

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
    help="""List the sessions of the ledger, newest first, and its desks; with ID the entries of
    one.

    ID is a session's id or its beginning, or a desk's name; `last` is the newest session. What
    is private to a seat is neither shown nor exported.
    """,
)
@click.argument("session", metavar="[ID]", required=False)
@click.option(
    "--head",
    is_flag=True,
    help="Anchor all there is and print the head: keep it elsewhere, for verify --head.",
)
@click.option(
    "--migrate", is_flag=True, help="Bring it to this version's schema (PostgreSQL: by command)."
)
@click.option("--export", metavar="FORMAT", help="All entries as json (one a line) or csv.")
def command(
    door: Door, session: str | None, export: str | None, *, head: bool, migrate: bool
) -> int:
    """Show the ledger."""
    if migrate:
        return _migrate(door, is_alone=not (head or export or session))
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
            name = _scope(app, session) if session else None
            for line in app.export(export, name):
                door.data(line.removesuffix("\n"))
        elif session:
            _entries(door, app, _scope(app, session))
        else:
            _sessions(door, app)
    return 0


def _scope(app: App, given: str) -> str:
    """Return where the entries of a session or a desk are kept."""
    desk = desk_meant(app.ledger, given)
    return session_id(app, given) if desk is None else desk.scope


def _migrate(door: Door, *, is_alone: bool) -> int:
    if not is_alone:
        what = "is asked to migrate and to show something"
        raise InvalidInput(
            Fault("ledger", what, "one of them", "leave --migrate out, or do it first")
        )
    before, now = bring_up_to_date(door.ledger_place())
    if door.as_json:
        door.json({"v": 1, "kind": "migration", "before": before, "now": now})
    elif before == now:
        door.data(f"Nothing to do: the ledger has schema {now} already.")
    else:
        door.data(f"The ledger has schema {now} now; it had {before or 'none'}.")
    return 0


def _head(door: Door, app: App) -> None:
    try:
        head = app.ledger.anchor()
    except LedgerReadOnly:
        head = app.ledger.head()
        number = app.verify().uncovered
        last = "the last entry" if number == 1 else f"the last {number} entries"
        door.warn(
            "The ledger cannot be written here, so this is the newest head there is: "
            f"it does not cover {last}."
        )
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
    desks = [one.to_json() for one in desks_of(app.ledger)]
    if door.as_json:
        told = {"head": app.ledger.head(), "sessions": sessions, "desks": desks}
        door.json({"v": 1, "kind": "sessions", **told})
        return
    listed = [sessions_text(sessions)] if sessions else []
    if desks:
        listed.append(desks_text(desks))
    door.data("\n\n".join(listed) or "No session yet.")
