"""Comity schema: what may stand in a scenario file?

Here: the command.
Not here: the schemas (beside their readers in formats/).
Sources: JSON Schema draft 4, the part that editors' TOML plug-ins read.
"""

from __future__ import annotations

import json

import click

from comity.cli.door import Door
from comity.cli.options import DoorCommand
from comity.cli.places import guard_target, write_file
from comity.core.show import table
from comity.formats.scenario import READERS, schema_of

__all__ = ["command"]

EXAMPLES = (
    "comity schema",
    "comity schema consent",
    "comity schema bargain --out bargain.schema.json",
)


@click.command(
    "schema",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""Print the JSON Schema of a kind of scenario file, or list the kinds.

    An editor checks a TOML file against it when its first line is `#:schema ./FILE`.
    """,
)
@click.argument("kind", required=False)
@click.option("--out", metavar="FILE", help="Write it into this file.")
def command(door: Door, kind: str | None, out: str | None) -> int:
    """Show a schema."""
    if kind is None:
        kinds = list(READERS)
        if door.as_json:
            door.json({"v": 1, "kind": "schemas", "kinds": kinds})
        else:
            rows = [(one, str(schema_of(one)["title"])) for one in kinds]
            door.data(table(rows, ("kind", "what it describes")))
        return 0
    text = json.dumps(schema_of(kind), indent=2)
    if out is None:
        door.data(text)
        return 0
    guard_target(out, "--out", ledger=door.ledger_place())
    write_file(out, f"{text}\n")
    if door.as_json:
        door.json({"v": 1, "kind": "schema", "of": kind, "written": out})
    else:
        door.data(f"written: {out}")
    return 0
