"""Comity compare: do the standard rules agree on a file of ballots?

Here: the command, and the sentence that says what their agreement or disagreement means.
Not here: the rules (comity.compare), reading files (formats/ballots.py), drawing (render/).
Sources: SEMANTICS V4 (both facts side by side), V5, G8.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import comity
from comity.cli.door import Door
from comity.cli.options import DoorCommand
from comity.cli.tally import counts_of, read_file
from comity.core.canonical import Json
from comity.core.errors import Fault, raise_if
from comity.render.vote import comparison_text
from comity.render.vote_facts import in_words

if TYPE_CHECKING:
    from comity.formats.ballots import BallotFile

__all__ = ["command"]

EXAMPLES = (
    "comity compare examples/ballots-five.csv",
    "comity compare examples/ballots-lunch.csv --svg rules.svg",
    "comity compare examples/ballots-tie.csv --json",
)

UNDECIDED = 10
NO_QUORUM = 13


@click.command(
    "compare",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""Count a file of ballots under every standard rule that can read it, side by side.

    Exit code 10 when not one of them decides.
    """,
)
@click.argument("file", metavar="FILE")
@click.option("--kind", metavar="KIND", help="Ballots: choice, approval, score, ranking, yes_no.")
@click.option("--format", "form", metavar="NAME", help="The file's format; else its ending.")
@click.option("--svg", metavar="FILE", help="Draw it into this file.")
def command(door: Door, file: str, kind: str | None, form: str | None, svg: str | None) -> int:
    """Compare once."""
    faults: list[Fault] = []
    ballots = read_file(file, kind, form, faults)
    raise_if(faults)
    assert ballots is not None  # else there was a fault
    if svg is not None:
        places = import_module("comity.cli.places")
        places.guard_target(svg, "--svg", ledger=door.explicit_db(), inputs=[Path(file)])
    data = _told(ballots)
    if svg:
        drawn = import_module("comity.render.vote_charts").comparison_chart(data)
        import_module("comity.cli.places").write_file(svg, drawn)
        door.talk(f"drawn: {svg}")
    if door.as_json:
        door.json(data)
    else:
        door.data(comparison_text(data, door.ink))
    if not ballots.election.weight:
        return NO_QUORUM
    return 0 if data["winners"] else UNDECIDED


def _told(ballots: BallotFile) -> dict[str, Json]:
    found = comity.compare(ballots.election)
    told: Any = found.to_json()
    winners = {name: list(rules) for name, rules in found.winners}
    return {
        "v": 1,
        "kind": "comparison",
        "says": _says(found, winners),
        "agree": found.agree,
        "winners": winners,
        "said": told["said"],
        "counts": counts_of(ballots.election),
        "title": ballots.title,
        "notes": list(ballots.notes),
    }


def _says(found: Any, winners: dict[str, list[str]]) -> str:  # noqa: ANN401  # what comity.compare returned
    """Return what the rules say together, and what follows from it."""
    asked = [one for one in found.said if not one.why_not]
    open_ = [one.rule for one in asked if one.winner is None]
    if not asked:
        return "No standard rule reads these ballots: a yes/no question is one for majority."
    if not winners:
        return (
            f"No decision: none of the {len(asked)} rules that read these ballots elects anybody."
        )
    if found.agree:
        (name,) = winners
        whole = f"All {len(asked)} rules that read these ballots elect {name}"
        return f"{whole}: the outcome does not hang on the rule."
    order = sorted(winners, key=lambda name: (-len(winners[name]), name))
    parts = [f"{name} under {_rules(winners[name])}" for name in order]
    parts += [f"nobody under {_rules(open_)}"] if open_ else []
    return (
        f"The rules disagree ({', '.join(parts)}), so the rule decides here as much as the "
        "ballots do: agree on it before they are cast."
    )


def _rules(names: list[str]) -> str:
    return in_words(names) if len(names) <= 3 else f"{len(names)} rules"
