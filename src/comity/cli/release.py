"""Comity release: give back what was won.

Here: the command.
Not here: the desk (comity.desk), claiming (claim.py).
Sources: SEMANTICS R7.
"""

from __future__ import annotations

import click

from comity.cli.door import Door
from comity.cli.options import DoorCommand, whole
from comity.core.canonical import Json
from comity.core.errors import Fault, raise_if
from comity.desk import DESK, release_once
from comity.render.desk import answer_text

__all__ = ["command"]

EXAMPLES = (
    "comity release budget --token 1",
    "comity release gpu --token 17 --json",
    "comity release gpu --token 17 --desk claims --request-id 7f3b",
)
_NOTHING = 10


@click.command(
    "release",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""Give back what a claim has won; whoever is next wins it at once.

    Exit code 0 given back, 10 when the token opens nothing: its lease had ended already, or it
    was never given out.
    """,
)
@click.argument("resource", metavar="RESOURCE")
@click.option("--token", metavar="N", required=True, help="The token of the lease.")
@click.option("--request-id", metavar="ID", help="The same for every retry: it counts once.")
@click.option("--desk", metavar="NAME", default=DESK, help="Which desk; claims when left out.")
def command(door: Door, resource: str, token: str, request_id: str | None, desk: str) -> int:
    """Release once."""
    faults: list[Fault] = []
    number = whole(token, "--token", faults, least=1)
    raise_if(faults)
    assert number is not None  # or it would be a fault
    answer = release_once(door.ledger_place(), resource, number, name=desk, request_id=request_id)
    told = answer.to_json()
    code = 0 if answer.token == number else _NOTHING
    if door.as_json:
        data: dict[str, Json] = {"v": 1, **told, "exit_code": code}
        door.json(data)
    else:
        door.data(answer_text(told))
    return code
