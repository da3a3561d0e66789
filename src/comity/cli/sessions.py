"""Comity sessions: what does every session wait for, who drives it, and how is one begun?

Here: the command: the list; beginning, answering, cancelling and handing over a session.
Not here: driving them (worker.py), what was decided (ledger.py, why.py).
Sources: ENGINE 2, 5; SEMANTICS G8, K4.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypedDict, Unpack

import click

from comity.app import App, new_seed, seat_names
from comity.cli.door import Door
from comity.cli.limits import limit_options, read_limits
from comity.cli.opened import ledger_of, session_id
from comity.cli.options import DoorCommand, choice
from comity.cli.places import missing_file, settings_here, spare, working_folder
from comity.cli.seats import beside, read_agents, seated
from comity.cli.terminal import Terminal
from comity.core.errors import Fault, InvalidInput, UnknownName, did_you_mean
from comity.formats.scenario import load_data, scenario_from
from comity.render.sessions import waiting_text

__all__ = ["command"]

EXAMPLES = (
    "comity sessions --state waiting",
    "comity sessions start examples/auth-protocol.toml --agent CX=rational",
    'comity sessions answer last ann "VOTE: A"',
)
STATES = ("open", "waiting", "ended", "stuck")


class Words(TypedDict):
    """What the command line said, as text."""

    state: str | None
    agent: tuple[str, ...]
    budget: tuple[str, ...]
    timeout: str | None
    seed: str | None


@click.command(
    "sessions",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""List every session: what it waits for, since when, who drives it, when time passes.

    \b
    comity sessions start FILE           begin what a scenario file describes, for the workers
    comity sessions answer ID SEAT TEXT  answer for a seat that is a person's; - reads stdin
    comity sessions cancel ID            end it; the record says that it was cancelled
    comity sessions queue ID             hand a session that a process left to the workers

    All of this is recorded at once, whether a worker lives or not. A seat `person` of a session
    that workers drive answers by `answer`; the person behind a decision by `comity decide`.
    """,
)
@click.argument("action", metavar="[ACTION]", required=False)
@click.argument("given", metavar="[ID|FILE]", required=False)
@click.argument("seat", metavar="[SEAT]", required=False)
@click.argument("text", metavar="[TEXT|-]", required=False)
@click.option("--state", metavar="STATE", help="Only open, waiting, ended or stuck ones.")
@click.option("--agent", metavar="SEAT=HOW", multiple=True, help="As for `comity negotiate`.")
@limit_options
@click.option("--seed", metavar="TEXT", help="The seed of every lot, unless the file states one.")
def command(
    door: Door,
    action: str | None,
    given: str | None,
    seat: str | None,
    text: str | None,
    **words: Unpack[Words],
) -> int:
    """List the sessions, or change one."""
    if words["state"] is not None:
        choice(words["state"], "--state", STATES)
    if action is None:
        return _list(door, words["state"])
    named = [value for value in (given, seat, text) if value is not None]
    wanted, run = _action(action)
    if len(named) != len(wanted):
        what = f"is given {len(named)} of {', '.join(wanted)}"
        following = f"write: comity sessions {action} {' '.join(wanted)}"
        raise InvalidInput(Fault(f"sessions {action}", what, ", ".join(wanted), following))
    return run(door, named, words)


Action = Callable[[Door, Sequence[str], Words], int]


def _action(name: str) -> tuple[tuple[str, ...], Action]:
    """Return what an action is given and what it does."""
    actions: dict[str, tuple[tuple[str, ...], Action]] = {
        "start": (("FILE",), _start),
        "answer": (("ID", "SEAT", "TEXT"), _answer),
        "cancel": (("ID",), _cancel),
        "queue": (("ID",), _queue),
    }
    if name not in actions:
        what, following = "is no action", did_you_mean(name, actions)
        raise UnknownName(Fault(f"sessions {name!r}", what, ", ".join(actions), following))
    return actions[name]


def _list(door: Door, state: str | None) -> int:
    with ledger_of(door) as app:
        lines = [one.to_json() for one in app.workers.lines()]
    lines = [one for one in lines if state in {None, one["state"]}]
    if door.as_json:
        door.json({"v": 1, "kind": "sessions", "sessions": lines})
    else:
        door.data(waiting_text(lines))
    return 0


def _start(door: Door, named: Sequence[str], words: Words) -> int:
    path, here = Path(named[0]), working_folder()
    if not path.exists():
        raise InvalidInput(missing_file(path))
    scenario = scenario_from(
        load_data(path), whose=path.name, folder=path.parent, seed=words["seed"] or new_seed()
    )
    flags, auto = read_agents(words["agent"])
    names = list(seat_names(scenario.kind, scenario.rules))
    known = {seat: how for seat, how in settings_here().seats.items() if seat in names}
    layers: tuple[Mapping[str, str], ...] = (
        flags,
        beside(scenario.agents, path.parent, here),
        known,
    )
    place = door.ledger_place()
    spare(scenario.output or None, "output", ledger=place, inputs=[path])
    quiet = Door(is_quiet=True, may_ask=False)
    seats = seated(names, layers, auto=auto, door=quiet, terminal=Terminal(quiet))
    limits = read_limits(words["budget"], words["timeout"])
    with App(place) as app:
        name = app.workers.start(scenario, seats, folder=here, limits=limits.to_json())
    following = "comity worker --once"
    door.talk(f"recorded as {name}; a worker drives it, as `{following}` does")
    if door.as_json:
        door.json({"v": 1, "kind": "started", "session": name})
    else:
        door.data(name)
    return 0


def _answer(door: Door, named: Sequence[str], words: Words) -> int:
    del words
    given, seat, text = named
    said = sys.stdin.read() if text == "-" else text
    if not said.strip():
        allowed, following = "words", "say something, or wait until the time is over"
        raise InvalidInput(Fault(f"answer of {seat!r}", "is empty", allowed, following))
    with ledger_of(door) as app:
        name = session_id(app, given)
        status = app.workers.answer(name, seat, said)
    return _told(door, name, f"recorded for {seat}", status.phase)


def _cancel(door: Door, named: Sequence[str], words: Words) -> int:
    del words
    with ledger_of(door) as app:
        name = session_id(app, named[0])
        status = app.workers.cancel(name)
    return _told(door, name, "cancelled", status.phase)


def _queue(door: Door, named: Sequence[str], words: Words) -> int:
    del words
    with ledger_of(door) as app:
        name = session_id(app, named[0])
        app.workers.hand_over(name)
    return _told(door, name, "handed to the workers", "open")


def _told(door: Door, name: str, done: str, phase: str) -> int:
    if door.as_json:
        door.json({"v": 1, "kind": "session", "session": name, "done": done, "phase": phase})
    else:
        door.data(f"{name}: {done}")
    return 0
