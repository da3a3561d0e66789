"""Comity worker: how does this machine help to drive the sessions of a ledger?

Here: the command.
Not here: what a worker does (app.py and what it calls), the list of sessions (sessions.py).
Sources: ENGINE 2, 5; SEMANTICS K3.
"""

from __future__ import annotations

import os
import threading
from typing import TypedDict, Unpack

import click

from comity.app import App, Event
from comity.cli.door import Door
from comity.cli.interruption import INTERRUPTED, tell_interruption
from comity.cli.options import DoorCommand, whole
from comity.cli.places import working_folder
from comity.core.errors import Fault, raise_if

__all__ = ["command"]

EXAMPLES = (
    "comity worker --once",
    "comity worker --once --slots 500",
    "comity worker --once --db comity-demo/comity.db",
)
_SLOTS, _MOST_SLOTS = 100, 2_000


class Words(TypedDict):
    """What the command line said."""

    slots: str | None
    once: bool


@click.command(
    "worker",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""Drive sessions that were begun for workers, together with other workers.

    Start as many as you like, on one machine over a SQLite file, on many over PostgreSQL; begin
    sessions with `comity sessions start`. When a worker dies, the others go on with its sessions
    from the ledger: no recorded reply is asked for again.

    Ctrl-C or SIGTERM ends it when no call of its seats is in flight; a second Ctrl-C ends it at
    once. Needs the extra `durable`.
    """,
)
@click.option("--slots", metavar="N", help="Sessions driven at once; default 100.")
@click.option("--once", is_flag=True, help="End when every session has ended or waits.")
def command(door: Door, **words: Unpack[Words]) -> int:
    """Be a worker."""
    faults: list[Fault] = []
    slots = whole(words["slots"], "--slots", faults, least=1)
    if slots is not None and slots > _MOST_SLOTS:
        faults.append(Fault("--slots", f"is {slots}", f"1 to {_MOST_SLOTS}", "start more workers"))
    raise_if(faults)
    told = _Told(door)
    with App(door.ledger_place(), listen=told, create=not words["once"]) as app:
        try:
            name = app.workers.work(
                slots=slots or _SLOTS,
                folder=working_folder(),
                once=words["once"],
                tell=told.about_itself,
            )
        except KeyboardInterrupt as ending:
            if isinstance(ending.__context__, KeyboardInterrupt):  # it came while calls were heard
                door.warn("\nended at once; other workers take over")
                os._exit(INTERRUPTED)
            return tell_interruption(door, ending, "ended; no call is in flight")
        if words["once"]:
            _tell_stuck(door, app)
    if door.as_json:
        door.json({"v": 1, "kind": "worker", "name": name, "ended": told.ended})
    return 0


def _tell_stuck(door: Door, app: App) -> None:
    """Tell how many sessions nobody could drive on."""
    count = sum(one.state == "stuck" for one in app.workers.lines())
    if count:
        what = "1 session is" if count == 1 else f"{count} sessions are"
        door.warn(f"{what} stuck; `comity sessions --state stuck` says why")


class _Told:
    """Tells what this worker brought to its end."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self._lock = threading.Lock()
        self.ended = 0

    def about_itself(self, name: str, what: str, sessions: int) -> None:
        """Tell that the worker is ready, or that it hears its calls out."""
        if what == "begins":
            place = self._door.ledger_place()
            self._door.talk(f"worker {name}: pid {os.getpid()}, ledger {place}; Ctrl-C ends it")
        elif sessions:
            count = "1 session" if sessions == 1 else f"{sessions} sessions"
            self._door.warn(
                f"\nstops when the calls in flight of {count} are heard; Ctrl-C ends it at once"
            )

    def __call__(self, event: Event) -> None:
        """Hear an event, from any thread."""
        if event.kind != "sealed" or event.step is None or event.step.outcome is None:
            return
        with self._lock:
            self.ended += 1
            self._door.talk(f"{event.session}: {event.step.outcome.kind}")
