"""Comity quorum: have enough members said the same?

Here: the command.
Not here: the count (comity.quorum), asking anybody (vote.py).
Sources: SEMANTICS V7. Nothing is recorded: it is a question, not a decision.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict, Unpack

import click

import comity
from comity.cli.door import Door
from comity.cli.options import DoorCommand, whole
from comity.core.canonical import Json
from comity.core.errors import Fault, InvalidInput, raise_if
from comity.core.exact import read_exact, to_fraction
from comity.core.parties import Party

__all__ = ["command"]

EXAMPLES = (
    "comity quorum ann=yes bob=yes cyd=no --group-size 5",
    "comity quorum ann=A bob=A --roster ann,bob,cyd --rule super:2/3 --closed",
    "comity quorum a1=yes a2=yes b1=yes --roster claude:a1,a2 --roster gpt:b1 --rule grouped",
)
_EXIT = {"passed": 0, "failed": 10, "pending": 11}
_BLOCKED = 12
_NO_QUORUM = 13


class Words(TypedDict):
    """What the command line said, as text."""

    group_size: str | None
    roster: tuple[str, ...]
    rule: str
    closed: bool
    veto: tuple[str, ...]


@click.command(
    "quorum",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""Tell whether a group has decided, cannot any more, or may still.

    VOTES are MEMBER=ANSWER: yes, no, veto, abstain, or the name of an option. Exit code 0 passed,
    10 failed, 11 pending, 12 vetoed, 13 closed with too few answers. Nothing is recorded.
    """,
)
@click.argument("votes", metavar="[MEMBER=ANSWER]...", nargs=-1)
@click.option("--group-size", metavar="N", help="How many members there are, voted or not.")
@click.option(
    "--roster",
    metavar="NAMES",
    multiple=True,
    help="Who they are: ann,bob,cyd; with weights ann=3,bob=1; GROUP:ann,bob for grouped.",
)
@click.option(
    "--rule",
    metavar="RULE",
    default="majority",
    help="majority (default), weighted, super:2/3, byzantine:F or grouped.",
)
@click.option("--closed", is_flag=True, help="Nobody answers any more: nothing stays pending.")
@click.option("--veto", metavar="NAME", multiple=True, help="Who may veto.")
def command(door: Door, votes: tuple[str, ...], **words: Unpack[Words]) -> int:
    """Count once."""
    faults: list[Fault] = []
    said = _votes(votes, faults)
    size = whole(words["group_size"], "--group-size", faults)
    roster = _roster(words["roster"], faults)
    raise_if(faults)
    found = comity.quorum(
        said,
        group_size=size,
        roster=roster,
        rule=words["rule"],
        closed=words["closed"],
        veto_holders=words["veto"],
    )
    code = _EXIT[found.verdict]
    if found.vetoed_by:
        code = _BLOCKED
    elif _is_missed(found, closed=words["closed"]):
        code = _NO_QUORUM
    if door.as_json:
        data: dict[str, Json] = {"v": 1, "kind": "quorum", "exit_code": code, **found.to_json()}
        door.json(data)
        return code
    door.data(str(found))
    for note in found.notes:
        door.data(f"note: {note}")
    return code


def _is_missed(found: Any, *, closed: bool) -> bool:  # noqa: ANN401  # a quorum's verdict
    """Tell whether it failed because too few answered, not because they disagreed."""
    if not closed or found.verdict != "failed" or found.vetoed_by:
        return False
    if found.rule == "grouped":
        return not found.tally
    return sum(to_fraction(one.value) for one in found.tally) < to_fraction(found.needed)


def _votes(given: Sequence[str], faults: list[Fault]) -> dict[str, object]:
    found: dict[str, object] = {}
    for words in given:
        name, equals, answer = (part.strip() for part in words.partition("="))
        if not (name and equals and answer):
            faults.append(Fault("vote", f"is {words!r}", "MEMBER=ANSWER", "write ann=yes"))
        elif name in found:
            faults.append(Fault("vote", f"of {name!r} is given twice", "one each", "drop one"))
        else:
            found[name] = answer
    return found


def _roster(
    given: Sequence[str], faults: list[Fault]
) -> list[Party] | dict[str, list[str]] | None:
    if not given:
        return None
    groups: dict[str, list[str]] = {}
    members: list[Party] = []
    for words in given:
        group, colon, names = words.rpartition(":")
        listed = [one.strip() for one in names.split(",") if one.strip()]
        if colon:
            groups.setdefault(group.strip(), []).extend(listed)
        else:
            members.extend(_member(one, faults) for one in listed)
    if groups and members:
        what = "names members inside and outside of groups"
        faults.append(Fault("--roster", what, "one of them", "write GROUP:NAMES for all"))
    return groups or members


def _member(words: str, faults: list[Fault]) -> Party:
    name, equals, weight = (part.strip() for part in words.partition("="))
    if not equals:
        return Party(name)
    try:
        return Party(name, read_exact(weight, f"member {name!r}", "weight"))
    except InvalidInput as error:
        faults.extend(error.faults)
        return Party(name)
