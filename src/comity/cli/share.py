"""Comity share: how is one budget split by what each gains from it?

Here: the options of the command, its output and its drawing.
Not here: the sharing (comity.share), files of gains (formats/), words and drawing (render/).
Sources: SEMANTICS D1-D3, G8, K1.
"""

from __future__ import annotations

from importlib import import_module
from typing import TypedDict, Unpack

import click

from comity.cli.door import Door
from comity.cli.one_shot import decision, read_source, scenario_of, show
from comity.cli.options import DoorCommand
from comity.cli.places import guard_target, write_file
from comity.render.share import share_text

__all__ = ["command"]

EXAMPLES = (
    "comity share examples/budget.toml",
    "comity share examples/budget.toml --objective nash --svg budget.svg",
    "comity share examples/budget.toml --objective leximin --json",
)


class Words(TypedDict):
    """What the command line said, as text."""

    budget: str | None
    objective: str | None
    seed: str | None
    svg: str | None


@click.command(
    "share",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""Split a budget by what each agent gains from money, and set other rules beside it.

    FILE is a scenario of kind share (TOML or JSON), or a table agent,amount,gain of points of
    each gain curve, with --budget; - reads standard input.

    Amounts are whole minor units and add up. Exit code 10 when what agents get at least does not
    fit. It is recorded only when a ledger is named (--db or COMITY_DB).
    """,
)
@click.argument("file", metavar="FILE|-")
@click.option("--budget", metavar="N", help="How much there is; 12000.00 is split to the cent.")
@click.option(
    "--objective",
    metavar="NAME",
    help="nash (default: the product of gains, across units), utilitarian (their sum) or leximin.",
)
@click.option("--seed", metavar="TEXT", help="What lots are drawn by; else drawn itself.")
@click.option("--svg", metavar="FILE", help="Draw the gain curves and the split into this file.")
def command(door: Door, file: str, **words: Unpack[Words]) -> int:
    """Share once."""
    source = read_source(file, "share")
    svg = words["svg"]
    guard_target(svg, "--svg", ledger=door.explicit_db(), inputs=source.inputs)
    changes = {name: words[name] for name in ("budget", "objective", "seed")}
    made = decision(door, scenario_of(source, changes, []))
    if svg is not None:
        write_file(svg, import_module("comity.render.share_chart").share_chart(made.data))
        door.talk(f"drawn: {svg}")
    return show(door, made, share_text)
