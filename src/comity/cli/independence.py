"""Comity independence: as how many voters does a panel count?

Here: the options of the command, reading its log with every fault at once, its output.
Not here: the figures (comity.independence), files of votes (formats/vote_log.py), drawing
(render/).
Sources: SEMANTICS V9.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TypedDict, Unpack

import click

import comity
from comity.cli.door import Door
from comity.cli.options import DoorCommand, whole
from comity.core.canonical import Json
from comity.core.errors import Fault, InvalidInput, raise_if
from comity.core.exact import Exact, read_exact

__all__ = ["command"]

EXAMPLES = (
    "comity independence examples/judges.csv",
    "comity independence votes.jsonl --truth gold --weights anna=2,ben=1/2",
    "comity independence votes.csv --options yes,no --svg panel.svg --json",
)

MEASURES = "nominal (default), ordinal or interval"


class Words(TypedDict):
    """What the command line said, as text."""

    truth: str | None
    weights: str | None
    options: str | None
    seed: str | None
    resamples: str | None
    min_shared: str | None
    measure: str | None
    svg: str | None


@click.command(
    "independence",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""Report whether the voters of a log err independently, and as how many they count.

    LOG is CSV (item,voter,answer with truth where it is known; or item and one column per voter)
    or JSON lines; - reads standard input. Without the truth it says what the votes alone can
    tell: agreement is not independence. It is never recorded.
    """,
)
@click.argument("log", metavar="LOG")
@click.option("--truth", metavar="COLUMN", help="The column with the right answers; else truth.")
@click.option("--weights", metavar="A=2,B=1/3", help="Exact weights; whoever is not named has 1.")
@click.option("--options", metavar="A,B", help="The possible answers; all others are invalid.")
@click.option("--seed", metavar="TEXT", help="The seed of the resamples; default 0.")
@click.option("--resamples", metavar="N", help="How many resamples; default 1000, 0 for none.")
@click.option("--min-shared", metavar="N", help="Items a pair must share to count; default 30.")
@click.option("--measure", metavar="NAME", help=f"Distance of answers: {MEASURES}.")
@click.option("--svg", metavar="FILE", help="Draw the panel into this file.")
def command(door: Door, log: str, **words: Unpack[Words]) -> int:
    """Report once."""
    places = import_module("comity.cli.places")
    inputs = [] if log == "-" else [Path(log)]
    if words["svg"] is not None:
        places.guard_target(words["svg"], "--svg", ledger=door.explicit_db(), inputs=inputs)
    faults: list[Fault] = []
    rules = _rules(words, faults)
    weights = _weights(words["weights"], faults)
    options = _listed(words["options"])
    raise_if(faults)
    text = _standard_input() if log == "-" else places.read_text(log)
    votes = import_module("comity.formats.vote_log").read_vote_log(
        text,
        whose="standard input" if log == "-" else log,
        truth=words["truth"],
        options=options,
        weights=weights,
    )
    report = comity.independence(votes, seed=words["seed"] or "0", rules=rules)
    data: Mapping[str, Json] = report.to_json()
    if words["svg"]:
        drawn = import_module("comity.render.independence").independence_chart(data)
        places.write_file(words["svg"], drawn)
        door.talk(f"drawn: {words['svg']}")
    if door.as_json:
        door.json(data)
    else:
        written = import_module("comity.render.independence").independence_text(data, door.ink)
        door.data(written)
    return 0


def _standard_input() -> str:
    data = sys.stdin.buffer.read() if hasattr(sys.stdin, "buffer") else b""
    return data.decode("utf-8", "replace")


def _rules(words: Words, faults: list[Fault]) -> dict[str, object]:
    """Return the limits that were given, by their names."""
    rules: dict[str, object] = {}
    for name, least in (("resamples", 0), ("min_shared", 1)):
        flag = f"--{name.replace('_', '-')}"
        number = whole(words[name], flag, faults, least=least)  # type: ignore[literal-required]  # names are keys of Words
        if number is not None:
            rules[name] = number
    if words["measure"] is not None:
        rules["measure"] = words["measure"]
    return rules


def _listed(text: str | None) -> list[str] | None:
    return None if text is None else [one.strip() for one in text.split(",")]


def _weights(text: str | None, faults: list[Fault]) -> dict[str, Exact] | None:
    """Return the weights, name by name; the name may hold an equals sign, the weight not."""
    if text is None:
        return None
    found: dict[str, Exact] = {}
    for part in text.split(","):
        name, equals, weight = (one.strip() for one in part.rpartition("="))
        if not equals or not name or name in found:
            what = f"says {part.strip()!r}" + (", a second time" if name in found else "")
            faults.append(Fault("--weights", what, "NAME=WEIGHT, each name once", "write A=2,B=1"))
            continue
        try:
            found[name] = read_exact(weight, "--weights", f"weight of {name}")
        except InvalidInput as error:
            faults.extend(error.faults)
    return found
