"""Comity resume: how does a session go on that a process left?

Here: the command.
Not here: the folding of its record (runner/local.py through app.py).
Sources: SEMANTICS K3; ARCHITECTURE contract 2.
"""

from __future__ import annotations

import click

from comity.app import App, Decided
from comity.cli.door import Door
from comity.cli.limits import limit_options, read_limits
from comity.cli.live import Live
from comity.cli.opened import session_id
from comity.cli.options import DoorCommand
from comity.cli.places import guard_target, working_folder
from comity.cli.play import play
from comity.cli.seats import slow_seats
from comity.cli.terminal import Terminal
from comity.core.canonical import JsonObject
from comity.watch.status import used_so_far

__all__ = ["command"]

EXAMPLES = (
    "comity resume last",
    "comity resume last --db comity-demo/comity.db",
    "comity resume last --json",
)


@click.command(
    "resume",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""Take up a session that a process left, and run it to its end.

    Nothing that is recorded is asked again. A session that had ended shows its recorded result
    once more. It goes on under the limits it was opened with, less what it has used; --budget and
    --timeout hold instead for this run. ID is a session's id or its beginning; `last` is the
    newest.
    """,
)
@click.argument("session", metavar="ID")
@limit_options
@click.option("--svg", metavar="FILE", help="Draw who said what when into this file.")
@click.option("--allow-outside", is_flag=True, help="The document may lie outside this folder.")
def command(
    door: Door,
    session: str,
    *,
    budget: tuple[str, ...],
    timeout: str | None,
    svg: str | None,
    allow_outside: bool,
) -> int:
    """Resume one session."""
    here = working_folder()
    limits = read_limits(budget, timeout)
    below = None if allow_outside else here
    guard_target(svg, "--svg", ledger=door.ledger_place(), below=below, makes_parent=True)
    terminal = Terminal(door)
    live = Live(door)

    def run(app: App) -> Decided:
        name = session_id(app, session)
        live.session = name
        entries = app.entries(name)
        live.slow_seats = slow_seats(_agents(entries[0].body))
        live.used = used_so_far(entries)
        return app.resume(
            name,
            folder=here,
            prompt=terminal.ask if door.may_ask else None,
            allow_outside=allow_outside,
        )

    return play(door, live, run, svg=svg, create=False, limits=limits)


def _agents(opened: JsonObject) -> dict[str, str]:
    agents = opened.get("agents")
    return {str(k): str(v) for k, v in agents.items()} if isinstance(agents, dict) else {}
