"""Comity vote: what do several voters decide, live?

Here: the command.
Not here: other kinds of files (run.py), ballots already cast (tally.py), one count (quorum.py).
Sources: SEMANTICS V7, V8, G8.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
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
from comity.core.errors import Fault, InvalidInput
from comity.formats.scenario import Scenario, load_data, scenario_from

__all__ = ["command"]

EXAMPLES = (
    "comity vote examples/vote.toml",
    "comity vote examples/vote.toml --no-human --json",
    'comity vote examples/vote-close.toml --agent "eve=command:echo VOTE: memory"',
)


class Words(TypedDict):
    """What the command line said, as text."""

    agent: tuple[str, ...]
    budget: tuple[str, ...]
    timeout: str | None
    seed: str | None
    no_human: bool
    svg: str | None


@click.command(
    "vote",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""Ask every voter of a file at once, count by its rule, and record it in the ledger.

    All have one deadline: who is silent holds nobody up, and who cannot be read is asked again,
    then counted as invalid. A thin result or none goes to a person: then it waits (exit code 11),
    `comity decide` answers, and a default applies when nobody does. `comity schema vote` says
    what may stand in the file.
    """,
)
@click.argument("file", metavar="FILE")
@click.option("--agent", metavar="VOTER=HOW", multiple=True, help="As for `comity negotiate`.")
@limit_options
@click.option("--seed", metavar="TEXT", help="The seed of every lot, unless the file states one.")
@click.option("--no-human", is_flag=True, help="Put nothing to a person: end as the votes end.")
@click.option("--svg", metavar="FILE", help="Draw it into this file.")
def command(door: Door, file: str, **words: Unpack[Words]) -> int:
    """Hold a vote."""
    path = Path(file)
    if not path.exists():
        raise InvalidInput(missing_file(path))
    data = load_data(path)
    if isinstance(data, Mapping) and data.get("kind", "vote") != "vote":
        what = f"has the kind {data['kind']!r}"
        raise InvalidInput(Fault(path.name, what, 'kind = "vote"', f"use `comity run {file}`"))
    scenario = scenario_from(
        data, whose=path.name, folder=path.parent, seed=words["seed"] or new_seed()
    )
    if words["no_human"]:
        scenario = _without_person(scenario)
    names = list(seat_names(scenario.kind, scenario.rules))
    flags, auto = read_agents(words["agent"])
    known = {seat: how for seat, how in settings_here().seats.items() if seat in names}
    layers = (flags, beside(scenario.agents, path.parent, working_folder()), known)
    work = data.get("work") if isinstance(data, Mapping) else None
    inputs = [path, *([path.parent / work] if work else []), *script_files(layers)]
    limits = read_limits(words["budget"], words["timeout"])
    wish = Wish(inputs=inputs, svg=words["svg"], limits=limits)
    guard_wish(door, scenario, wish)
    terminal = Terminal(door)
    seats = seated(names, layers, auto=auto, door=door, terminal=terminal)
    return play_scenario(door, terminal, scenario, seats, wish)


def _without_person(scenario: Scenario) -> Scenario:
    gate = scenario.rules["gate"]
    assert isinstance(gate, Mapping)
    return replace(scenario, rules={**scenario.rules, "gate": {**gate, "on": "none"}})
