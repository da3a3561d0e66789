"""Comity frontier: which deals over several issues are worth making, and how good is this one?

Here: the command, its JSON, the sentence that says what was found.
Not here: the points (comity.frontier), reading files and deals (problems.py), words and drawing
(render/).
Sources: SEMANTICS M4, M7 (exit 10 with the nearest deal when no deal suits all), G6.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import click

import comity
from comity.cli.door import Door
from comity.cli.options import DoorCommand
from comity.cli.problems import deal_of, draw, guard_drawing, point_name, read_files
from comity.core.canonical import Json
from comity.core.errors import Fault, InvalidInput, did_you_mean, raise_if
from comity.formats.overview import deal_report, equal_deals, outcome_space, overview
from comity.render.issues import TITLES, brief, deal_line, frontier_text
from comity.render.price import objects

if TYPE_CHECKING:
    from comity.formats.loaded_problem import LoadedProblem

__all__ = ["command"]

EXAMPLES = (
    "comity frontier examples/rollout.toml",
    (
        "comity frontier examples/rollout.toml --deal "
        "rollout=canary,reviewers=2,freeze=none,rollback=script"
    ),
    "comity frontier examples/rollout.toml --point nash --svg rollout.svg --json",
)

NO_DEAL = 10
MOST = 20


class Words(TypedDict):
    """What the command line said, as text."""

    deal: str | None
    point: str | None
    every: bool
    seed: str | None
    svg: str | None


@click.command(
    "frontier",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""Say which deals cannot be improved for one party without loss to another, and which
    of them each idea of a good deal picks. Exact: no rounding, every tie is listed.

    SCENARIO is a TOML or JSON file of kind offers, a Genius domain (XML) or GeniusWeb JSON;
    profiles that belong to a domain are found without being named. Exit code 10 when no deal is
    acceptable to all: then the nearest one is named, and who falls short by how much.
    """,
)
@click.argument("files", metavar="SCENARIO [PROFILE...]", nargs=-1, required=True)
@click.option("--deal", metavar="ISSUE=OPTION,...", help="Say how good this deal is.")
@click.option("--point", metavar="NAME", help=f"One of {', '.join(TITLES)}.")
@click.option("--all", "every", is_flag=True, help=f"List every point, not only {MOST} of them.")
@click.option("--seed", metavar="TEXT", help="Of the lot among deals that are equally near.")
@click.option("--svg", metavar="FILE", help="Draw the outcome space into this file.")
def command(door: Door, files: tuple[str, ...], **words: Unpack[Words]) -> int:
    """Find the frontier."""
    loaded = read_files(files)
    faults: list[Fault] = []
    deal = None
    if words["deal"] is not None:
        try:
            deal = deal_of(words["deal"], loaded)
        except InvalidInput as error:
            faults.extend(error.faults)
    if words["point"] is not None:
        faults.extend(_point_faults(point_name(words["point"])))
    raise_if(faults)
    guard_drawing(door, words["svg"], files, parties=len(loaded.problem.parties))
    found = comity.frontier(loaded.problem)
    data = _told(loaded, found, words)
    if deal is not None:
        data["deal"] = deal_report(found, deal, most=None if words["every"] else MOST)
    if words["svg"] is not None:
        charts = import_module("comity.render.issue_charts")
        space = _space(found, data, deal)
        draw(door, words["svg"], charts.space_chart(data, space))
    if door.as_json:
        door.json(data)
    else:
        door.data(frontier_text(data, door.ink))
    return NO_DEAL if data["nearest"] is not None else 0


def _space(found: Any, data: Mapping[str, Json], deal: Any) -> dict[str, Json]:  # noqa: ANN401  # a frontier, a deal or None
    """Return what is drawn; without a deal in question the nearest one, when none suits all."""
    wanted = tuple(_part(data, "solutions"))
    if deal is None and data["nearest"] is not None:
        near = {str(term): str(option) for term, option in _part(data, "nearest")["deal"]}  # type: ignore[union-attr,misc]  # pairs
        return {**outcome_space(found, deal=near, points=wanted), "deal_name": "the nearest deal"}
    return outcome_space(found, deal=deal, points=wanted)


def _point_faults(name: str) -> tuple[Fault, ...]:
    """Return the fault of a point that no rule names."""
    if name in TITLES:
        return ()
    return (Fault("--point", f"is {name!r}", ", ".join(TITLES), did_you_mean(name, TITLES)),)


def _told(loaded: LoadedProblem, found: Any, words: Words) -> dict[str, Json]:  # noqa: ANN401  # a frontier
    """Return the JSON, without the deal that was asked about."""
    most = None if words["every"] else MOST
    seed = words["seed"] or loaded.seed or "0"
    name = None if words["point"] is None else point_name(words["point"])
    wanted: dict[str, Any] = {} if name is None else {"points": (name,)}
    facts = overview(found, most=most, seed=seed, **wanted)
    data: dict[str, Json] = {
        "v": 1,
        "kind": "frontier",
        "says": _says(facts),
        "title": loaded.question,
        "form": loaded.form,
        **facts,
        "deal": None,
        "notes": [*loaded.notes, *_drawn(facts)],
    }
    if name is not None:
        why = _part(facts, "solutions", name)["why"]
        if why and facts["nearest"] is None:
            allowed, following = "a point that exists here", "choose another point, or state rates"
            raise InvalidInput(
                Fault(f"--point {name}", f"does not exist: {why}", allowed, following)
            )
        data["equal_deals"] = equal_deals(found, name, most=most)
    return data


def _part(facts: Mapping[str, Json], *path: str) -> Mapping[str, Json]:
    """Return an object inside the facts."""
    found: Any = facts
    for name in path:
        found = found[name]
    assert isinstance(found, Mapping)
    return found


def _drawn(facts: Mapping[str, Json]) -> list[str]:
    """Return the note that belongs to a nearest deal that a lot chose."""
    told = []
    for one in objects(facts["ties"]):
        tied = one["tied"]
        assert isinstance(tied, (list, tuple))
        told.append(f"the nearest deal was drawn among {len(tied)} by the seed {one['seed']!r}")
    return told


def _says(facts: Mapping[str, Json]) -> str:
    """Return what was found in a sentence or two."""
    every = _part(facts, "frontier")["size"]
    suits = _part(facts, "acceptable")["size"]
    of = f"{facts['deals']} deals"
    if not suits:
        nearest = _part(facts, "nearest")
        return f"No deal of {of} suits all. The nearest is {deal_line(nearest['deal'])}."
    share = "all of them acceptable to all" if suits == every else f"{suits} acceptable to all"
    said = f"The frontier of {of} has {every} point{'' if every == 1 else 's'}, {share}."
    for name, one in _part(facts, "solutions").items():
        assert isinstance(one, Mapping)
        for point in objects(one["points"])[:1]:
            tied = f" (one of {one['size']} tied)" if one["size"] != 1 else ""
            worths = _part(point, "utilities").items()
            told = ", ".join(f"{party} {brief(worth)}" for party, worth in worths)
            return f"{said} {TITLES[name]}{tied}: {told}."
    return said
