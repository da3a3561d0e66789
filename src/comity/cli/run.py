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

from comity.app import new_seed, seat_names
from comity.cli.door import Door
from comity.cli.limits import limit_options, read_limits
from comity.cli.options import DoorCommand
from comity.cli.places import missing_file, settings_here, working_folder
from comity.cli.play import Wish, guard_wish, play_scenario
from comity.cli.seats import beside, read_agents, script_files, seated
from comity.cli.terminal import Terminal
from comity.core.errors import InvalidInput
from comity.formats.one_shot import TABLES, decide_at_once
from comity.formats.scenario import load_data, scenario_from

__all__ = ["command"]

EXAMPLES = (
    "comity run examples/auth-protocol.toml",
    "comity run examples/price.toml --svg price.svg",
    "comity run examples/price.toml --json",
)


class Words(TypedDict):
    """What the command line said, as text."""

    agent: tuple[str, ...]
    budget: tuple[str, ...]
    timeout: str | None
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
@limit_options
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
    names = list(seat_names(scenario.kind, scenario.rules))
    if names:
        known = {seat: how for seat, how in settings_here().seats.items() if seat in names}
        layers = (flags, beside(scenario.agents, path.parent, here), known)
    work = data.get("work") if isinstance(data, dict) else None
    inputs = [path, *([path.parent / work] if work else []), *script_files(layers)]
    wish = Wish(
        inputs=inputs,
        svg=words["svg"],
        allow_outside=words["allow_outside"],
        limits=read_limits(words["budget"], words["timeout"]),
    )
    guard_wish(door, scenario, wish)
    if scenario.kind in TABLES and "otherwise" not in scenario.rules:
        decide_at_once(scenario)  # before a ledger is made, as it may refuse
    seats: Mapping[str, str] = flags
    if names:
        seats = seated(names, layers, auto=auto, door=door, terminal=terminal)
    return play_scenario(door, terminal, scenario, seats, wish)
