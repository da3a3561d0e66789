"""Comity claim: may this agent have it now?

Here: the command.
Not here: the desk (comity.desk), giving it back (release.py), how the desk stands (arbiter.py).
Sources: SEMANTICS R1, R2, R7; exit codes of SEMANTICS G1.
"""

from __future__ import annotations

from typing import TypedDict, Unpack

import click

from comity.cli.door import Door
from comity.cli.lengths import milliseconds
from comity.cli.options import DoorCommand
from comity.core.canonical import Json
from comity.core.errors import Fault, raise_if
from comity.core.results import EXIT_CODE_OF_KIND
from comity.desk import DESK, claim_once
from comity.render.desk import answer_text, opened_text

__all__ = ["command"]

EXAMPLES = (
    "comity claim budget --agent A --priority 3",
    "comity claim gpu --agent B --wait 30 --lease 10m --json",
    "comity claim gpu --agent C --request-id 7f3a --json",
)


class Words(TypedDict):
    """What the command line said, as text."""

    agent: str
    priority: str | None
    lease: str | None
    wait: str | None
    request_id: str | None
    desk: str


@click.command(
    "claim",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""Claim an exclusive thing: it is won at once, or the claim waits its turn.

    Whoever loses ages, so that nobody starves. The winner holds a lease with a token until it
    releases it or the time ends; show the token with every write, and refuse older ones. Exit
    code 0 won, 11 waiting (ask again with the same words), 10 over without a win.

    The token is told once, to the first who asks after the win; with --request-id to every
    retry of that request. A second live claim under the same name is not granted (10).
    """,
)
@click.argument("resource", metavar="RESOURCE")
@click.option("--agent", metavar="NAME", required=True, help="Who claims: a stable name.")
@click.option("--priority", metavar="N", help="How urgent it is; the declared one, else 0.")
@click.option("--lease", metavar="TIME", help="How long to hold it: 30 (seconds), 200ms, 5m, 2h.")
@click.option("--wait", metavar="TIME", help="Stay and wait so long; Ctrl-C withdraws.")
@click.option("--request-id", metavar="ID", help="The same for every retry: it counts once.")
@click.option("--desk", metavar="NAME", default=DESK, help="Which desk; claims when left out.")
def command(door: Door, resource: str, **words: Unpack[Words]) -> int:
    """Claim once."""
    faults: list[Fault] = []
    lease_ms = milliseconds(words["lease"], "--lease", faults)
    wait_ms = milliseconds(words["wait"], "--wait", faults)
    raise_if(faults)
    claimed = claim_once(
        door.ledger_place(),
        {
            "resource": resource,
            "agent": words["agent"],
            "priority": words["priority"],
            "lease_ms": lease_ms,
            "timeout_ms": wait_ms,
            "request_id": words["request_id"],
        },
        name=words["desk"],
        wait=wait_ms is not None,
    )
    told = claimed.answer.to_json()
    code = EXIT_CODE_OF_KIND[claimed.answer.kind]
    if claimed.is_new_desk:
        door.talk(opened_text(words["desk"], door.ledger_place()))
    if claimed.clock_fault is not None:
        door.talk(str(claimed.clock_fault))
    if door.as_json:
        data: dict[str, Json] = {"v": 1, "kind": told["kind"], "exit_code": code}
        data.update({"desk": words["desk"], **told})
        door.json(data)
    else:
        door.data(answer_text(told))
    return code
