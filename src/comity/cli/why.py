"""Comity why: why did a decision come out as it did?

Here: the command.
Not here: the account (render/account.py).
Sources: SEMANTICS G1, K4.
"""

from __future__ import annotations

from shlex import quote

import click

from comity.app import App
from comity.cli.door import Door
from comity.cli.opened import LAST, ledger_of, session_id
from comity.cli.options import DoorCommand
from comity.core.canonical import Json
from comity.core.errors import Fault, InvalidInput
from comity.core.results import Outcome
from comity.render.account import account_json, account_text, desk_account_text
from comity.watch.desks import DeskNoted, desk_meant

__all__ = ["command"]

EXAMPLES = (
    "comity why last",
    "comity why last --db comity-demo/comity.db",
    "comity why claims --json",
)


@click.command(
    "why",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""Explain a decision: the question, what was decided, where each stood at the end, red
    lines, objections, what people decided and took back, what ended it, ties and lots, the digest
    of the inputs. A case that waits for a person is explained as it stands; a default whose time
    has come is applied by looking.

    ID is a session's id or its beginning; `last` is the newest. For the name of a desk it tells
    the last conflict there, and which commands tell more.
    """,
)
@click.argument("session", metavar="ID", default=LAST)
def command(door: Door, session: str) -> int:
    """Explain one decision."""
    with ledger_of(door) as app:
        desk = desk_meant(app.ledger, session)
        if desk is not None:
            return _desk(door, desk)
        name = session_id(app, session)
        outcome = app.outcome(name) or app.look(name)
        opened = _opened(app, name, outcome)
    if outcome is None:
        raise InvalidInput(
            Fault(
                f"session {name}",
                "is still open: nothing is decided yet",
                "a session that ended",
                f"take it up with `comity resume {name}`",
            )
        )
    data = outcome.to_json()
    if door.as_json:
        door.json(account_json(opened, data))
    else:
        door.data(account_text(opened, data, door.ink))
    return 0


def _desk(door: Door, desk: DeskNoted) -> int:
    """Tell of a desk, which is never at an end, what was decided last and where to look."""
    named = f" --desk {quote(desk.desk)}" + (f" --db {quote(door.db)}" if door.db else "")
    data: dict[str, Json] = {
        "v": 1,
        "kind": "desk_account",
        **desk.to_json(),
        "next": [f"comity arbiter{named}", f"comity watch{named}"],
    }
    if door.as_json:
        door.json(data)
    else:
        door.data(desk_account_text(data, door.ink))
    return 0


def _opened(app: App, name: str, outcome: Outcome | None) -> dict[str, Json]:
    first, *later = app.entries(name)
    by_people = outcome is not None and outcome.grounds.ended_by in {"person", "default"}
    has_story = by_people or any(one.kind == "undone" for one in later)
    story = app.story(name) if has_story else ()
    return {
        "story": [one.to_json() for one in story],
        "session": name,
        "kind": first.body.get("kind"),
        "title": first.body.get("title"),
        "agents": first.body.get("agents"),
        "at_ms": first.at_ms,
    }
