"""Comity arbiter: how does a desk stand, by which rules, and does its record hold?

Here: the command.
Not here: the desk (comity.desk), who wins and starves over time (watch.py).
Sources: SEMANTICS R1-R3, R7, K2, K4.
"""

from __future__ import annotations

from typing import Any, TypedDict, Unpack

import click

from comity.cli.door import Door
from comity.cli.lengths import milliseconds
from comity.cli.options import DoorCommand, whole
from comity.core.errors import Fault, InvalidInput, raise_if
from comity.core.exact import read_exact
from comity.desk import DESK, desk_names, desk_view, open_desk, recheck, rules_of
from comity.render.desk import desk_text

__all__ = ["command"]

EXAMPLES = (
    "comity arbiter --rule losses --c 2",
    "comity arbiter --json",
    "comity arbiter --check",
)


class Words(TypedDict):
    """What the command line said, as text."""

    desk: str
    rule: str | None
    c: str | None
    scope: str | None
    capacity: str | None
    lease: str | None
    gather: str | None
    circles: str | None


@click.command(
    "arbiter",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""Show a desk: who holds what, who waits, who has lost how often, who can starve.

    With rules it is opened, or changed in what is named. With --check every recorded
    conflict is decided again; exit code 1 when one comes out otherwise.
    """,
)
@click.option("--desk", metavar="NAME", default=DESK, help="Which desk; claims when left out.")
@click.option(
    "--rule", metavar="NAME", help="Who wins: losses (standard), stride, static_priority, ..."
)
@click.option("--c", metavar="N", help="What a lost conflict adds to the priority.")
@click.option("--scope", metavar="WHERE", help="Where losses count: resource, group or global.")
@click.option("--capacity", metavar="N", help="How many units of each resource there are.")
@click.option("--lease", metavar="TIME", help="How long a lease lasts: 30 (seconds), 5m, 2h.")
@click.option("--gather", metavar="TIME", help="How long claims gather before one wins.")
@click.option("--circles", metavar="HOW", help="Against deadlock: refuse or wound_wait.")
@click.option("--check", is_flag=True, help="Decide every recorded conflict again.")
@click.option("--list", "lists", is_flag=True, help="Name the desks of this ledger.")
def command(door: Door, *, check: bool, lists: bool, **words: Unpack[Words]) -> int:
    """Show, open or check a desk."""
    place, name = door.ledger_place(), words["desk"]
    if lists:
        return _list(door, place)
    said = _said(words)
    if check:
        return _check(door, place, name)
    if rules_of(said) is not None:
        open_desk(place, said, name=name)
    view = desk_view(place, name=name).to_json()
    if door.as_json:
        door.json({"v": 1, "kind": "desk", **view})
    else:
        door.data(desk_text(view))
    return 0


def _said(words: Words) -> dict[str, Any]:
    faults: list[Fault] = []
    said: dict[str, Any] = {
        "rule": words["rule"],
        "scope": words["scope"],
        "circles": words["circles"],
        "capacity": whole(words["capacity"], "--capacity", faults, least=1),
        "lease_ms": milliseconds(words["lease"], "--lease", faults),
        "gather_ms": milliseconds(words["gather"], "--gather", faults),
    }
    if words["c"] is not None:
        try:
            said["c"] = read_exact(words["c"], "--c", "number")
        except InvalidInput as error:
            faults.extend(error.faults)
    raise_if(faults)
    return said


def _list(door: Door, place: str) -> int:
    names = desk_names(place)
    if door.as_json:
        door.json({"v": 1, "kind": "desks", "desks": list(names)})
    else:
        door.data("\n".join(names) or "No desk yet.")
    return 0


def _check(door: Door, place: str, name: str) -> int:
    wrong = recheck(place, name=name)
    if door.as_json:
        door.json({"v": 1, "kind": "check", "desk": name, "same": not wrong, "wrong": list(wrong)})
    else:
        door.data(wrong[0] if wrong else f"Desk {name}: every conflict comes out the same.")
    return 1 if wrong else 0
