"""Comity run: what does a scenario file come to?

Here: the command, for every kind of file.
Not here: each kind's own command and options (bargain.py, negotiate.py).
Sources: SEMANTICS K1.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TypedDict, Unpack

import click

from comity.app import App, Decided, new_seed
from comity.cli.door import Door
from comity.cli.live import Live
from comity.cli.options import DoorCommand
from comity.cli.places import guard_target, missing_file, settings_here, spare, working_folder
from comity.cli.play import play
from comity.cli.seats import beside, read_agents, script_files, seated, slow_seats
from comity.cli.terminal import Terminal
from comity.core.errors import InvalidInput
from comity.formats.scenario import Scenario, load_data, scenario_from

__all__ = ["command"]

EXAMPLES = (
    "comity run examples/auth-protocol.toml",
    "comity run examples/price.toml --svg price.svg",
    "comity run examples/price.toml --json",
)


class Words(TypedDict):
    """What the command line said, as text."""

    agent: tuple[str, ...]
    seed: str | None
    svg: str | None
    allow_outside: bool


@click.command(
    "run",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""Decide what a scenario file describes, of any kind, and record it in the ledger.

    The file says its kind; `comity schema KIND` says what may stand in it.
    """,
)
@click.argument("file", metavar="FILE")
@click.option("--agent", metavar="SEAT=HOW", multiple=True, help="As for `comity negotiate`.")
@click.option("--seed", metavar="TEXT", help="The seed of every lot, unless the file states one.")
@click.option("--svg", metavar="FILE", help="Draw it into this file.")
@click.option("--allow-outside", is_flag=True, help="The document may lie outside this folder.")
def command(door: Door, file: str, **words: Unpack[Words]) -> int:
    """Run a scenario file."""
    here = working_folder()
    path = Path(file)
    if not path.exists():
        raise InvalidInput(missing_file(path))
    data = load_data(path)
    seed = words["seed"] or new_seed()
    scenario = scenario_from(data, whose=path.name, folder=path.parent, seed=seed)
    terminal = Terminal(door)
    flags, auto = read_agents(words["agent"])
    layers: tuple[Mapping[str, str], ...] = (flags,)
    seats: dict[str, str] = dict(flags)
    order = scenario.rules.get("order")
    if isinstance(order, (list, tuple)):
        names = [str(one) for one in order]
        known = {seat: how for seat, how in settings_here().seats.items() if seat in names}
        layers = (flags, beside(scenario.agents, path.parent, here), known)
        seats = seated(names, layers, auto=auto, door=door, terminal=terminal)
    work = data.get("work") if isinstance(data, dict) else None
    inputs = [path, *([path.parent / work] if work else []), *script_files(layers)]
    _guard(door, scenario, inputs, words)
    live = Live(door, slow_seats=slow_seats(seats))

    def run(app: App) -> Decided:
        return app.decide(
            scenario,
            seats,
            folder=here,
            prompt=terminal.ask if door.may_ask else None,
            allow_outside=words["allow_outside"],
        )

    return play(door, live, run, svg=words["svg"])


def _guard(door: Door, scenario: Scenario, inputs: list[Path], words: Words) -> None:
    """Refuse a document or a drawing that would be written over what this call uses."""
    place = door.ledger_place()
    output = scenario.output or None
    spare(output, "output", ledger=place, inputs=inputs)
    guard_target(
        words["svg"],
        "--svg",
        ledger=place,
        inputs=[*inputs, *([Path(output)] if output else [])],
        below=None if words["allow_outside"] else working_folder(),
        makes_parent=True,
    )
