"""Comity decide: what does the person behind a session say to a case that waits?

Here: the command.
Not here: which cases wait (protocols/collect/gate.py), taking up other sessions (resume.py).
Sources: SEMANTICS G8.
"""

from __future__ import annotations

import click

from comity.app import App, Decided
from comity.cli.door import Door
from comity.cli.live import Live
from comity.cli.opened import session_id
from comity.cli.options import DoorCommand
from comity.cli.places import working_folder
from comity.cli.play import play
from comity.core.errors import Fault, InvalidInput

__all__ = ["command"]

EXAMPLES = (
    "comity decide last accept",
    "comity decide last shared --json",
    "comity decide last memory",
)


def _check(app: App, session: str) -> None:
    """Refuse a case that does not wait any more."""
    if app.outcome(session) is not None:
        what, following = "is decided already", f"look at `comity why {session}`"
        raise InvalidInput(Fault(f"session {session}", what, "a case that waits", following))


@click.command(
    "decide",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""Answer a case that waits for a person: accept what the votes came to, or choose.

    CHOICE is accept, one of the options, or passed or rejected. A case whose time has run out
    ends by its default, whatever is said.
    """,
)
@click.argument("session", metavar="SESSION")
@click.argument("choice", metavar="CHOICE")
def command(door: Door, session: str, choice: str) -> int:
    """Decide a case."""

    def run(app: App) -> Decided:
        found = session_id(app, session)
        _check(app, found)
        return app.resume(found, folder=working_folder(), decides=choice)

    return play(door, Live(door), run, create=False)
