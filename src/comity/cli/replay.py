"""Comity replay: does a decision come out the same again?

Here: the command.
Not here: the recomputing (session/fold.py through app.py).
Sources: SEMANTICS K2.
"""

from __future__ import annotations

import click

from comity.cli.door import Door
from comity.cli.opened import LAST, ledger_of, session_id
from comity.cli.options import DoorCommand
from comity.core.errors import one_line

__all__ = ["command"]

EXAMPLES = (
    "comity replay last",
    "comity replay last --db comity-demo/comity.db",
    "comity replay last --json",
)


@click.command(
    "replay",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""Recompute a decision from its recorded inputs and compare.

    Prints `same`, or every difference (exit 1). ID is a session's id or its beginning; `last` is
    the newest.
    """,
)
@click.argument("session", metavar="ID", default=LAST)
def command(door: Door, session: str) -> int:
    """Replay one decision."""
    with ledger_of(door) as app:
        name = session_id(app, session)
        found = app.replay(name)
    if door.as_json:
        door.json(
            {
                "v": 1,
                "kind": "replay",
                "session": name,
                "same": found.same,
                "differences": list(found.differences),
            }
        )
    elif found.same:
        door.data("same" if found.recorded is not None else "same: it is still open")
    else:
        door.data(f"{door.ink.bad('different')}: {name} does not come out as recorded")
        for line in found.differences or (_one_is_missing(found.outcome is None),):
            door.data(f"  {one_line(line)}")
    return 0 if found.same else 1


def _one_is_missing(still_open: bool) -> str:  # noqa: FBT001  # which of the two is missing
    if still_open:
        return "outcome: none now, one is recorded"
    return "outcome: one now, none is recorded"
