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
from comity.core.exact import Exact, read_exact
from comity.desk import (
    DESK,
    claims_history,
    desk_names,
    desk_view,
    open_desk,
    recheck,
    rules_of,
    set_clock,
)
from comity.render.desk import checked_text, desk_text, opened_text

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
    wait: str | None
    gather: str | None
    circles: str | None
    priority: tuple[str, ...]


@click.command(
    "arbiter",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""Show a desk: who holds what, who waits, who has lost or been turned away how often,
    who can starve.

    With rules it is opened, or changed in what is named. With --check every recorded
    conflict is decided again; exit code 1 when one comes out otherwise. A desk goes by how
    clocks run, not by what they show; a clock far from the desk's time is named, and
    --set-clock takes this machine's as right: who holds or waits keeps the time left.
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
@click.option("--wait", metavar="TIME", help="How long a claim stands that names no time; 60 s.")
@click.option("--gather", metavar="TIME", help="How long claims gather before one wins.")
@click.option("--circles", metavar="HOW", help="Against deadlock: refuse or wound_wait.")
@click.option(
    "--priority",
    metavar="NAME=N",
    multiple=True,
    help="What an agent claims with that names none; again for each.",
)
@click.option("--check", is_flag=True, help="Decide every recorded conflict again.")
@click.option("--set-clock", "sets", is_flag=True, help="The clock here is right: go by it.")
@click.option("--list", "lists", is_flag=True, help="Name the desks of this ledger.")
def command(door: Door, *, check: bool, sets: bool, lists: bool, **words: Unpack[Words]) -> int:
    """Show, open or check a desk."""
    place, name = door.ledger_place(), words["desk"]
    said = _said(words)
    is_ruled = rules_of(said) is not None
    asked = {"--check": check, "--set-clock": sets, "--list": lists, "rules": is_ruled}
    raise_if(_both_faults(asked))
    if lists:
        return _list(door, place)
    if check:
        return _check(door, place, name)
    if sets:
        set_clock(place, name=name)
    is_new = is_ruled and open_desk(place, said, name=name)
    if is_new:
        door.talk(opened_text(name, place))
    view = desk_view(place, name=name).to_json()
    if door.as_json:
        door.json({"v": 1, "kind": "desk", "exit_code": 0, "is_new_desk": is_new, **view})
    else:
        door.data(desk_text(view))
    return 0


def _both_faults(asked: dict[str, bool]) -> list[Fault]:
    """Return what is asked for beside something else."""
    named = [name for name, is_asked in asked.items() if is_asked]
    if len(named) <= 1:
        return []
    what = f"is given {' and '.join(named)}"
    return [Fault("comity arbiter", what, "one of them", "call it once for each")]


def _said(words: Words) -> dict[str, Any]:
    faults: list[Fault] = []
    said: dict[str, Any] = {
        "rule": words["rule"],
        "scope": words["scope"],
        "circles": words["circles"],
        "capacity": whole(words["capacity"], "--capacity", faults, least=1),
        "lease_ms": milliseconds(words["lease"], "--lease", faults),
        "claim_ms": milliseconds(words["wait"], "--wait", faults),
        "gather_ms": milliseconds(words["gather"], "--gather", faults),
        "priorities": _priorities(words["priority"], faults),
    }
    if words["c"] is not None:
        try:
            said["c"] = read_exact(words["c"], "--c", "number")
        except InvalidInput as error:
            faults.extend(error.faults)
    raise_if(faults)
    return said


def _priorities(given: tuple[str, ...], faults: list[Fault]) -> dict[str, Exact] | None:
    """Return agent -> declared priority, or None when none is given."""
    found: dict[str, Exact] = {}
    for text in given:
        agent, sign, number = text.partition("=")
        if not sign or agent in found:
            what = f"is {text!r}" if not sign else f"names {agent} twice"
            faults.append(Fault("--priority", what, "NAME=N, each name once", "correct it"))
            continue
        try:
            found[agent] = read_exact(number, f"--priority {agent}", "priority")
        except InvalidInput as error:
            faults.extend(error.faults)
    return found or None


def _list(door: Door, place: str) -> int:
    names = desk_names(place)
    if door.as_json:
        door.json({"v": 1, "kind": "desks", "exit_code": 0, "desks": list(names)})
    else:
        door.data("\n".join(names) or "No desk yet.")
    return 0


def _check(door: Door, place: str, name: str) -> int:
    wrong = recheck(place, name=name)
    code = 1 if wrong else 0
    found = claims_history(place, name=name)
    counts = {"conflicts": len(found.conflicts), "elsewhere": found.elsewhere}
    if door.as_json:
        told = {"same": not wrong, "wrong": list(wrong), **counts}
        door.json({"v": 1, "kind": "check", "exit_code": code, "desk": name, **told})
    else:
        door.data(wrong[0] if wrong else checked_text(name, **counts))
    return code
