"""Comity convert: the same ballots in another format, or what would be lost.

Here: the options of the command, reading, writing, telling what was lost.
Not here: the formats and what they can hold (formats/ballots.py).
Sources: SEMANTICS V10, G7; PrefLib's Debian 2003 file, in which a conversion broke equal ranks
silently and elected another candidate.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TypedDict, Unpack

import click

from comity.cli.door import Door
from comity.cli.options import DoorCommand
from comity.cli.tally import read_file
from comity.core.canonical import Json
from comity.core.errors import Fault, InvalidInput, did_you_mean, raise_if
from comity.formats.ballots import BALLOT_FORMATS, BallotFile, fit_ballots, write_ballots
from comity.render.price import listed

__all__ = ["command"]

EXAMPLES = (
    "comity convert examples/ballots-five.csv --to jsonl",
    "comity convert examples/debian-leader-2003.csv debian.toi",
    "comity convert examples/ballots-lunch.csv lunch.blt --json",
)


class Words(TypedDict):
    """What the command line said, as text."""

    to: str | None
    kind: str | None
    format: str | None
    lossy: bool
    equal_by: str | None


@click.command(
    "convert",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""Write a file of ballots in another format: into OUT, or to standard output.

    What the other format cannot hold is named, and nothing is written, unless --lossy says so.
    """,
)
@click.argument("file", metavar="FILE")
@click.argument("out", metavar="[OUT]", required=False)
@click.option("--to", metavar="NAME", help="The other format; else OUT's ending says it.")
@click.option("--kind", metavar="KIND", help="Ballots: choice, approval, score, ranking, yes_no.")
@click.option("--format", metavar="NAME", help="The file's format; else its ending says it.")
@click.option("--lossy", is_flag=True, help="Leave out what the other format cannot hold.")
@click.option("--equal-by", metavar="ORDER", help="candidate_order breaks equal ranks, if lossy.")
def command(door: Door, file: str, out: str | None, **words: Unpack[Words]) -> int:
    """Convert once."""
    faults: list[Fault] = []
    ballots = read_file(file, words["kind"], words["format"], faults)
    form = _target(words["to"], out, faults)
    raise_if(faults)
    assert ballots is not None  # else there was a fault
    if out is not None:
        places = import_module("comity.cli.places")
        places.guard_target(out, "OUT", ledger=door.explicit_db(), inputs=[Path(file)])
    text, fitted = _converted(ballots, form, words)
    if out is not None:
        import_module("comity.cli.places").write_file(out, text)
        door.talk(f"written: {out}")
    told: dict[str, Json] = {
        "v": 1,
        "kind": "conversion",
        "from": ballots.format,
        "to": form,
        "ballots": ballots.election.size,
        "lost": [
            note.removeprefix("lost: ") for note in fitted.notes if note.startswith("lost: ")
        ],
        "written": out,
        "text": text if out is None else None,
    }
    if door.as_json:
        door.json(told)
    elif out is None:
        door.data(text.removesuffix("\n"))
    if told["lost"]:
        door.warn(listed("Lost", [str(one) for one in told["lost"]], door.talk_ink))  # type: ignore[union-attr]  # the list above
    return 0


def _target(name: str | None, out: str | None, faults: list[Fault]) -> str:
    """Return the format to write; note the fault of one that does not exist."""
    form = name or (Path(out).suffix[1:].lower() if out else "")
    if form not in BALLOT_FORMATS:
        whose = "--to" if name or not out else f"OUT {out!r}"
        what = f"is the format {form!r}" if form else "names no format"
        near = did_you_mean(form, BALLOT_FORMATS) if form else "add --to NAME"
        faults.append(Fault(whose, what, ", ".join(BALLOT_FORMATS), near))
    return form


def _converted(ballots: BallotFile, form: str, words: Words) -> tuple[str, BallotFile]:
    """Return the text and the ballots as they fit into it."""
    told = {"lossy": words["lossy"], "equal_by": words["equal_by"]}
    if words["equal_by"] is not None and not words["lossy"]:
        raise InvalidInput(
            Fault("--equal-by", "stands without --lossy", "both or none", "add --lossy")
        )
    try:
        fitted = fit_ballots(ballots, form, **told)  # type: ignore[arg-type]  # as they are named
        return write_ballots(ballots, form, **told), fitted  # type: ignore[arg-type]  # the same
    except InvalidInput as error:
        raise InvalidInput(
            replace(one, next=_as_flags(one.next)) for one in error.faults
        ) from error


def _as_flags(step: str) -> str:
    """Return a next step with the flags of this command in place of Python's words."""
    step = step.replace("lossy=True", "--lossy")
    return step.replace("equal_by='candidate_order'", "--lossy --equal-by candidate_order")
