"""Comity parse: how is a reply of an agent read, and why?

Here: the two commands, one per protocol.
Not here: the reading (formats/replies.py).
Sources: SEMANTICS C2, C3, W1, W2.
"""

from __future__ import annotations

import sys

import click

from comity.cli.door import Door
from comity.cli.options import DoorCommand, DoorGroup, choice
from comity.cli.places import read_text
from comity.core.errors import one_line
from comity.formats.replies import ReadReply, read_consent_reply, read_review_reply

__all__ = ["command"]

ROLES = ("voter", "verdict", "advisor")
INVALID = 1

OF_CONSENT = (
    "comity parse consent --seat CC --open-check reply.txt",
    "echo '[OBJECT: too slow]' | comity parse consent --open-check --json",
    "comity parse consent proposal.txt --json",
)
OF_REVIEW = (
    "comity parse review vote.txt",
    "echo 'VERDICT: APPROVED_TO_SHIP' | comity parse review --role verdict",
    "comity parse review vote.txt --json",
)
EXAMPLES = (OF_CONSENT[0], OF_REVIEW[0], OF_REVIEW[2])


command = DoorGroup(
    name="parse",
    examples=EXAMPLES,
    help="Read one reply of an agent as a protocol reads it, and say why.",
)


def _text(name: str) -> str:
    if name == "-":
        data = sys.stdin.buffer.read() if hasattr(sys.stdin, "buffer") else b""
        return data.decode("utf-8", "replace")
    return read_text(name)


def _show(door: Door, found: ReadReply) -> int:
    if door.as_json:
        door.json(found.data)
    else:
        ink = door.ink
        state = str(found.data["status"])
        door.data(f"{(ink.good if found.is_readable else ink.bad)(state)}: {found.why}")
        for name, value in found.data.items():
            if name != "status":
                shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
                door.data(f"  {name}: {one_line(shown)}")
    return 0 if found.is_readable else INVALID


@command.command(
    "consent",
    cls=DoorCommand,
    examples=OF_CONSENT,
    help="""Read a reply in a consent negotiation: an answer to a check, or a proposal.

    Exit 0 when it is readable, 1 when the seat would be asked again. FILE may be - (the default)
    for stdin.
    """,
)
@click.argument("file", metavar="[FILE|-]", default="-")
@click.option("--seat", metavar="SEAT", help="Whose reply it is; what it says for others is void.")
@click.option("--open-check", is_flag=True, help="A consent check is open.")
def consent(door: Door, file: str, seat: str | None, *, open_check: bool) -> int:
    """Read a reply of an advocate."""
    return _show(door, read_consent_reply(_text(file), seat=seat, open_check=open_check))


@command.command(
    "review",
    cls=DoorCommand,
    examples=OF_REVIEW,
    help="""Read the vote of a reviewer.

    Exit 0 when it is readable, 1 when the reviewer would be asked again. FILE may be - (the
    default) for stdin.
    """,
)
@click.argument("file", metavar="[FILE|-]", default="-")
@click.option("--role", metavar="ROLE", help="voter, verdict or advisor; else told by the text.")
def review(door: Door, file: str, role: str | None) -> int:
    """Read a reply of a reviewer."""
    if role is not None:
        choice(role, "--role", ROLES)
    return _show(door, read_review_reply(_text(file), role=role))  # type: ignore[arg-type]  # the option's choices are the roles
