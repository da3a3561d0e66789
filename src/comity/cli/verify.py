"""Comity verify: is the ledger whole and unchanged?

Here: the command.
Not here: the checking (ledger/verify.py through app.py).
Sources: SEMANTICS K1.
"""

from __future__ import annotations

import click

from comity.cli.door import Door
from comity.cli.opened import ledger_of
from comity.cli.options import DoorCommand
from comity.core.errors import one_line

__all__ = ["command"]

EXAMPLES = (
    "comity verify",
    "comity verify --db comity-demo/comity.db",
    "comity verify --json",
)


@click.command(
    "verify",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""Check every stored byte of the ledger against its chain; exit 1 with every problem.

    A file that somebody rewrote as a whole, or whose end was cut off with care, is found only with
    a head kept elsewhere: `comity ledger --head` makes and prints one, and --head HASH checks it.
    """,
)
@click.option("--head", metavar="HASH", help="A head that was kept elsewhere.")
def command(door: Door, head: str | None) -> int:
    """Verify the ledger."""
    with ledger_of(door) as app:
        report = app.verify(head=head)
    if door.as_json:
        door.json({"v": 1, "kind": "verification", **report.to_json()})
        return 0 if report.ok else 1
    ink = door.ink
    state = ink.good("whole") if report.ok else ink.bad("NOT whole")
    door.data(
        f"The ledger is {state}: {report.entries} entries in {report.scopes} sessions, "
        f"{report.anchors} anchors."
    )
    for problem in report.problems:
        door.data(f"  {ink.bad(ink.sign('no'))} {one_line(str(problem))}")
    door.data(f"Head: {report.head or 'none'}")
    if report.uncovered and report.ok:
        door.data(_uncovered(report.uncovered, is_kept=head is not None))
    return 0 if report.ok else 1


def _uncovered(number: int, *, is_kept: bool) -> str:
    """Return how much a cut could take away unseen."""
    last = "last entry is" if number == 1 else f"last {number} entries are"
    newer = "newer than the head that was kept" if is_kept else "covered by no anchor"
    return f"The {last} {newer}: `comity ledger --head` covers all there is now."
