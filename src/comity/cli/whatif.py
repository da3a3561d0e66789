"""Comity whatif: who would have won the same claims under other rules?

Here: the command.
Not here: the replay (watch/side_by_side.py), claims logs (claims.py), periods
(formats/claims_period.py), tables (render/what_if.py).
Sources: SEMANTICS R6.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, TypedDict, Unpack

import click

from comity.cli.claims import instant
from comity.cli.door import Door
from comity.cli.grouping import grouped_claims
from comity.cli.lengths import milliseconds
from comity.cli.options import DoorCommand
from comity.core.errors import Fault, InvalidInput, raise_if
from comity.core.exact import Exact, read_exact
from comity.formats.claims_period import within
from comity.render.what_if import what_if_text

__all__ = ["command"]

EXAMPLES = (
    "comity whatif examples/campaigns/claims.csv",
    "comity whatif examples/campaigns/claims.csv --rule losses --rule stride --c 1/2",
    "comity whatif claims.jsonl --rule losses --since 2026-06-15 --json",
)

MANY = 20_000
"""So many conflicts take long enough to say what is being done."""


class Words(TypedDict):
    """What the command line said, as text."""

    rule: tuple[str, ...]
    c: str | None
    seed: str
    since: str | None
    until: str | None
    window: str | None
    scope: tuple[str, ...]
    desk: str | None


@click.command(
    "whatif",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""Replay recorded claims under other rules: all win tables side by side, with each bound.

    CLAIMS is a log as `comity watch` reads it; - reads standard input. Without it the record of a
    desk in the ledger is replayed. Claims stay as they were: nobody is assumed to have claimed
    otherwise. Nothing is decided or recorded.
    """,
)
@click.argument("file", metavar="[CLAIMS.csv]", required=False)
@click.option("--rule", metavar="NAME", multiple=True, help="A rule, or several; else all.")
@click.option("--c", metavar="N", help="What a lost conflict, or an hour, adds; 1.")
@click.option("--seed", metavar="TEXT", default="0", help="The seed of every lot; 0.")
@click.option("--since", metavar="TIME", help="Only conflicts from then on: 2026-06-15.")
@click.option("--until", metavar="TIME", help="Only conflicts before then.")
@click.option("--window", metavar="TIME", help="Claims so near to the first are one conflict: 5m.")
@click.option(
    "--scope", metavar="PATTERN", multiple=True, help="Resources that are one: 'slot-*'."
)
@click.option("--desk", metavar="NAME", help="Which desk of the ledger; claims when left out.")
def command(door: Door, file: str | None, **words: Unpack[Words]) -> int:
    """Replay once."""
    faults: list[Fault] = []
    policies = _policies(words, faults)
    since, until = (
        instant(words["since"], "--since", faults), instant(words["until"], "--until", faults)
    )  # fmt: skip
    window_ms = milliseconds(words["window"], "--window", faults)
    raise_if(faults)
    claims = grouped_claims(door, file, words["desk"], (window_ms, words["scope"]))
    log = within(claims.log, since, until)
    for note in (*log.notes, *log.hints):
        door.talk(f"note: {note}")
    side_by_side = import_module("comity.watch.side_by_side").side_by_side
    found = side_by_side(
        log,
        policies,
        seed=words["seed"],
        only_able=not words["rule"],
        progress=_progress(door, len(log.conflicts)),
    )
    if door.as_json:
        door.json(found.to_json())
    else:
        door.data(what_if_text(found.to_json(), door.ink))
    return 0


def _progress(door: Door, conflicts: int) -> Callable[[str], None] | None:
    """Return what tells on stderr which rule is replayed, where that takes a while."""
    if conflicts < MANY:
        return None
    return lambda rule: door.talk(f"replaying {conflicts} conflicts: {rule}")


def _policies(words: Words, faults: list[Fault]) -> Any:  # noqa: ANN401  # policies
    """Return the policies that were named, or all of them."""
    c: Exact | None = None
    try:
        c = None if words["c"] is None else read_exact(words["c"], "whatif", "--c")
    except InvalidInput as error:
        faults.extend(error.faults)
    try:
        return import_module("comity.watch.side_by_side").policies_named(words["rule"], c=c)
    except InvalidInput as error:
        faults.extend(error.faults)
        return ()
