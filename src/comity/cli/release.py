"""Comity release: give back what was won, or stop waiting for it.

Here: the command.
Not here: the desk (comity.desk), claiming (claim.py).
Sources: SEMANTICS R7.
"""

from __future__ import annotations

from typing import TypedDict, Unpack

import click

from comity.cli.door import Door
from comity.cli.options import DoorCommand, whole
from comity.core.canonical import Json
from comity.core.errors import Fault, raise_if
from comity.desk import DESK, release_once, withdraw_once
from comity.render.desk import answer_text

__all__ = ["command"]

EXAMPLES = (
    "comity release budget --token 1",
    "comity release gpu --token 17 --desk claims --request-id 7f3b --json",
    "comity release gpu --agent C",
)
_NOTHING = 10
_LONGEST = 18  # digits


class Words(TypedDict):
    """What the command line said, as text."""

    token: str | None
    agent: str | None
    request_id: str | None


@click.command(
    "release",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""Give back what a claim has won; whoever is next wins it at once, and is named.

    With --agent instead of a token, a claim that still waits is withdrawn.

    Exit code 0 given back or withdrawn, 10 when the token opens nothing (its lease had ended
    already, or it was never given out) or no such claim waits.
    """,
)
@click.argument("resource", metavar="RESOURCE")
@click.option("--token", metavar="N", help="The token of the lease.")
@click.option("--agent", metavar="NAME", help="Whose claim waits no more.")
@click.option("--request-id", metavar="ID", help="The same for every retry: it counts once.")
@click.option("--desk", metavar="NAME", default=DESK, help="Which desk; claims when left out.")
def command(door: Door, resource: str, desk: str, **words: Unpack[Words]) -> int:
    """Release, or withdraw, once."""
    faults = _faults(words)
    number = _token(words["token"], faults)
    raise_if(faults)
    place, agent = door.ledger_place(), words["agent"]
    if agent is not None:
        answer = withdraw_once(place, resource, agent, name=desk)
        is_done = answer.status == "withdrawn"
    else:
        assert number is not None  # or it would be a fault
        answer = release_once(place, resource, number, name=desk, request_id=words["request_id"])
        is_done = answer.token == number
    told = answer.to_json()
    code = 0 if is_done else _NOTHING
    if door.as_json:
        data: dict[str, Json] = {"v": 1, "kind": told["kind"], "exit_code": code}
        door.json({**data, "desk": desk, **told})
    else:
        door.data(answer_text(told))
    return code


def _token(text: str | None, faults: list[Fault]) -> int | None:
    """Return a token given as text, or note the fault; no desk ever gives out longer ones."""
    given = (text or "").strip()
    if len(given) > _LONGEST and given.isdecimal():
        allowed = f"a token of a claim: at most {_LONGEST} digits"
        what = f"has {len(given)} digits"
        faults.append(Fault("--token", what, allowed, "look at `comity arbiter`"))
        return None
    return whole(text, "--token", faults, least=1)


def _faults(words: Words) -> list[Fault]:
    """Return why it is not clear what ends."""
    if (words["token"] is None) == (words["agent"] is None):
        what = "is told neither --token nor --agent"
        if words["token"] is not None:
            what = "is told both --token and --agent"
        allowed = "--token N of what is held, or --agent NAME whose claim waits"
        return [Fault("comity release", what, allowed, "look at `comity arbiter`")]
    if words["agent"] is not None and words["request_id"] is not None:
        what, allowed = "is given beside --agent", "--request-id with --token"
        return [Fault("--request-id", what, allowed, "leave it out: withdrawing twice is no harm")]
    return []
