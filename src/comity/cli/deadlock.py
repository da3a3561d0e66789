"""Comity deadlock: does anybody wait in a circle, who gives way, and what would unblock it?

Here: the options of the command, its output and its drawing.
Not here: the search (comity.find_cycle), files of waits (formats/), words and drawing (render/).
Sources: SEMANTICS L1, L2, G1 (a circle is a no-decision: exit 10), G8, K1.
"""

from __future__ import annotations

from importlib import import_module
from typing import TypedDict, Unpack

import click

from comity.cli.door import Door
from comity.cli.one_shot import decision, read_source, scenario_of, show
from comity.cli.options import DoorCommand
from comity.cli.places import guard_target, write_file
from comity.render.deadlock import deadlock_text

__all__ = ["command"]

EXAMPLES = (
    "comity deadlock examples/waits.csv",
    "comity deadlock examples/waits.csv --victim lot --seed 7 --svg waits.svg",
    "comity deadlock examples/waits.csv --json",
)


class Words(TypedDict):
    """What the command line said, as text."""

    victim: str | None
    seed: str | None
    svg: str | None


@click.command(
    "deadlock",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""Look for circles of waiting, one shortest for each group, and say who gives way.

    FILE is a table waiter,waits_for with soft (yes where it is only a place in a queue), or a
    scenario of kind deadlock (TOML or JSON); - reads standard input.

    Exit code 10 when somebody waits in a circle. It is recorded only when a ledger is named (--db
    or COMITY_DB).
    """,
)
@click.argument("file", metavar="FILE|-")
@click.option(
    "--victim",
    metavar="RULE",
    help="youngest (default), fewest_held, lowest_priority or lot; equals go to a lot.",
)
@click.option("--seed", metavar="TEXT", help="What lots are drawn by; else drawn itself.")
@click.option("--svg", metavar="FILE", help="Draw who waits for whom into this file.")
def command(door: Door, file: str, **words: Unpack[Words]) -> int:
    """Look once."""
    source = read_source(file, "deadlock")
    svg = words["svg"]
    guard_target(svg, "--svg", ledger=door.explicit_db(), inputs=source.inputs)
    changes = {"victim": words["victim"], "seed": words["seed"]}
    made = decision(door, scenario_of(source, changes, []))
    if svg is not None:
        write_file(svg, import_module("comity.render.deadlock_chart").deadlock_chart(made.data))
        door.talk(f"drawn: {svg}")
    return show(door, made, deadlock_text)
