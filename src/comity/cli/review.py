"""Comity review: may this go on, or who blocks it, why, and what would change that?

Here: the command: a review by agents, a call over replies that somebody else collected, the lists
of reviews and of risks.
Not here: what earlier calls carry on (watch/reviews.py), running it (play.py).
Sources: SEMANTICS W1-W6, G8.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypedDict, Unpack

import click

from comity.app import App, Decided, seat_names
from comity.cli.door import Door
from comity.cli.lengths import milliseconds
from comity.cli.live import Live
from comity.cli.opened import ledger_of
from comity.cli.options import DoorCommand, whole
from comity.cli.places import (
    guard_target,
    missing_file,
    read_text,
    settings_here,
    working_folder,
    write_file,
)
from comity.cli.play import play
from comity.cli.seats import beside, read_agents, script_files, seated, slow_seats
from comity.cli.terminal import Terminal
from comity.core.canonical import Json
from comity.core.errors import Fault, InvalidInput, raise_if
from comity.formats.review_file import PRESET_NAMES, phases_of
from comity.formats.scenario import Scenario, load_data, scenario_from
from comity.render.review import reviews_text, risks_text
from comity.watch.reviews import (
    ReviewStanding,
    carry_on,
    check_seats,
    collected,
    counted_call,
    report_of,
    standings,
)

__all__ = ["command"]

REPLIES = "--reply Planner=planner.txt --reply Architect=architect.txt --reply Critic=critic.txt"
EXAMPLES = (
    f"comity review PLAN.md {REPLIES}",
    "comity review status",
    "comity review risks --json",
)
STATUS, RISKS = "status", "risks"
REVISER = "reviser"
_KIND = "review"


class Words(TypedDict):
    """What the command line said, as text."""

    preset: str | None
    phase: str | None
    agent: tuple[str, ...]
    reply: tuple[str, ...]
    title: str | None
    never_waive: tuple[str, ...]
    blocks: str | None
    max_rounds: str | None
    deadline: str | None
    request_id: str | None
    output: str | None
    no_human: bool
    allow_outside: bool


class Call(NamedTuple):
    """One call of a review: what is reviewed, by whom, which files it reads."""

    scenario: Scenario
    replies: Mapping[str, str]
    inputs: Sequence[Path]
    folder: Path


@click.command(
    "review",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""Let reviewers approve or block a plan, tests, an implementation, a release.

    WHAT is the text file that is reviewed, or a scenario file (kind = "review"). The roles of the
    preset sit by --agent ROLE=HOW; a seat --agent reviser=HOW makes new versions until all
    approve. With --reply the replies come from files: nobody is called, and the next call goes on
    counting. Calls of one --name belong together; else the path of WHAT is the name.

    The third block of one reviewer in one category becomes a documented risk; a category that is
    never waived goes to a person. Exit code 0 approved, 12 blocked, 11 waiting: for a person, or
    for replies that are missing or cannot be read.

    `comity review status [NAME]` shows where reviews stand, `comity review risks [NAME]` every
    documented risk.
    """,
)
@click.argument("what", metavar="WHAT|status|risks")
@click.argument("name", metavar="[NAME]", required=False)
@click.option("--preset", metavar="NAME", help="Roles and phases: power-trio (default).")
@click.option("--phase", metavar="NAME", help="plan (default), build-tests, build-impl, review.")
@click.option("--agent", metavar="ROLE=HOW", multiple=True, help="As for `comity negotiate`.")
@click.option("--reply", metavar="ROLE=FILE", multiple=True, help="A reply that is there already.")
@click.option("--name", "title", metavar="NAME", help="What it is called, from call to call.")
@click.option("--never-waive", metavar="CATEGORY", multiple=True, help="Beside security.")
@click.option("--blocks", metavar="N", help="The N-th block becomes a risk; default 3.")
@click.option("--max-rounds", metavar="N", help="Rounds of a phase; default 5.")
@click.option("--deadline", metavar="TIME", help="For each round of asking: 600 (seconds), 10m.")
@click.option("--request-id", metavar="ID", help="The same for every retry: it counts once.")
@click.option("--output", metavar="FILE", help="Where the closing report goes.")
@click.option("--no-human", is_flag=True, help="Ask no person: end as the votes end.")
@click.option("--allow-outside", is_flag=True, help="The report may lie outside this folder.")
def command(door: Door, what: str, name: str | None, **words: Unpack[Words]) -> int:
    """Review, or list."""
    if what in {STATUS, RISKS}:
        return _list(door, what, name)
    if name is not None:
        allowed, following = "one text or scenario file", f"leave {name!r} out, or say --name"
        raise InvalidInput(Fault("comity review", f"is given {name!r} too", allowed, following))
    flags, auto = read_agents(words["agent"])
    call = _call(what, words, has_reviser=REVISER in flags)
    known = {seat: how for seat, how in settings_here().seats.items() if seat in _seats(call)}
    layers = (flags, beside(call.scenario.agents, call.folder, working_folder()), known)
    guard_target(
        words["output"],
        "--output",
        ledger=door.ledger_place(),
        inputs=[*call.inputs, *script_files(layers)],
        below=None if words["allow_outside"] else working_folder(),
        makes_parent=True,
    )
    if call.replies:
        if words["agent"]:
            allowed, following = "--agent or --reply", "leave one of them out"
            raise InvalidInput(Fault("--reply", "stands beside --agent", allowed, following))
        return _tally(door, call, words)
    terminal = Terminal(door)
    seats = seated(_seats(call), layers, auto=auto, door=door, terminal=terminal)
    check_seats(call.scenario, seats, folder=working_folder())
    prompt = terminal.ask if door.may_ask else None

    def run(app: App) -> Decided:
        going = carry_on(app.ledger, call.scenario)
        decided = app.decide(going, seats, folder=working_folder(), prompt=prompt)
        return _reported(door, decided, words["output"])

    return play(door, Live(door, slow_seats=slow_seats(seats)), run)


def _seats(call: Call) -> list[str]:
    return list(seat_names(_KIND, call.scenario.rules))


def _tally(door: Door, call: Call, words: Words) -> int:
    """Judge replies that are there already; a call that was counted shows its result again."""
    request_id = words["request_id"] or ""
    scenario, agents = collected(call.scenario, call.replies, request_id=request_id)
    title = str(scenario.rules["name"])

    def run(app: App) -> Decided:
        counted = counted_call(app.ledger, title, request_id) if request_id else None
        if counted is not None:
            decided = app.resume(counted, folder=working_folder())
        else:
            going = carry_on(app.ledger, scenario)
            decided = app.decide(going, {}, folder=working_folder(), agents=agents)
        return _reported(door, decided, words["output"])

    return play(door, Live(door), run)


def _reported(door: Door, decided: Decided, output: str | None) -> Decided:
    """Write the closing report, where one is wanted."""
    if output:
        write_file(output, report_of(decided.outcome))
        door.talk(door.talk_ink.dim(f"written: {output}"))
    return decided


# --- what is reviewed ------------------------------------------------------------------------


def _call(what: str, words: Words, *, has_reviser: bool) -> Call:
    """Read the words as one call: its scenario, the replies that are there, the files it reads."""
    path = Path(what)
    if not path.exists():
        raise InvalidInput(missing_file(path))
    faults: list[Fault] = []
    changes = _changes(words, faults, has_reviser=has_reviser)
    files = _replies(words["reply"], faults)
    data = load_data(path) if path.suffix in {".toml", ".json"} else None
    is_scenario = isinstance(data, Mapping) and data.get("kind") == _KIND
    raise_if(faults)
    if is_scenario:
        assert isinstance(data, Mapping)
        told, folder = _changed(data, changes, words["phase"]), path.parent
        inputs = [path, *([folder / str(told["work"])] if "work" in told else [])]
    else:
        told, folder, inputs = _plain(what, changes, words), Path(), [path]
    scenario = scenario_from(told, whose=path.name, folder=folder, seed="")
    texts = {role: read_text(file) for role, file in files.items()}
    return Call(scenario, texts, [*inputs, *map(Path, files.values())], folder)


def _plain(what: str, changes: Mapping[str, Any], words: Words) -> dict[str, Any]:
    """Return a text file as the work of one phase of a preset."""
    preset = words["preset"] or PRESET_NAMES[0]
    phase = words["phase"] or phases_of(preset)[0]
    return {"kind": _KIND, "work": what, "preset": preset, "phases": [phase], **changes}


def _changed(
    data: Mapping[str, Any], changes: Mapping[str, Any], phase: str | None
) -> dict[str, Any]:
    """Return a file's data with what the options say in place of what it said."""
    told = {**data, **changes}
    if phase is not None:
        own = [one for one in told.get("phases", ()) if isinstance(one, Mapping)]
        told["phases"] = [next((one for one in own if one.get("name") == phase), phase)]
        texts = told.pop("artefacts", {})
        told["work"] = texts.get(phase, told.get("work", ""))
    return told


def _changes(words: Words, faults: list[Fault], *, has_reviser: bool) -> dict[str, Any]:
    deadline = milliseconds(words["deadline"], "--deadline", faults)
    told: dict[str, Any] = {
        "name": words["title"],
        "preset": words["preset"],
        "blocks": whole(words["blocks"], "--blocks", faults, least=1),
        "max_rounds": whole(words["max_rounds"], "--max-rounds", faults, least=1),
        "deadline_s": None if deadline is None else max(1, deadline // 1000),
        "never_waived": ["security", *words["never_waive"]] if words["never_waive"] else None,
        "human": False if words["no_human"] else None,
        "reviser": {"seat": REVISER} if has_reviser else None,
    }
    return {name: value for name, value in told.items() if value is not None}


def _replies(given: Sequence[str], faults: list[Fault]) -> dict[str, str]:
    found: dict[str, str] = {}
    for words in given:
        role, equals, file = (part.strip() for part in words.partition("="))
        if not (role and equals and file):
            faults.append(
                Fault("--reply", f"is {words!r}", "ROLE=FILE", "write --reply ROLE=FILE")
            )
        elif role in found:
            faults.append(Fault("--reply", f"gives {role!r} twice", "each role once", "drop one"))
        else:
            found[role] = file
    return found


# --- lists -----------------------------------------------------------------------------------


def _list(door: Door, what: str, name: str | None) -> int:
    with ledger_of(door) as app:
        found = standings(app.ledger, name)
    if name is not None and not found:
        allowed, following = "a review of this ledger", "look at `comity review status`"
        raise InvalidInput(Fault(f"review {name!r}", "is not there", allowed, following))
    rows = [one.to_json() for one in found] if what == STATUS else _risks(found)
    key = "reviews" if what == STATUS else "risks"
    if door.as_json:
        door.json({"v": 1, "kind": key, key: rows})
    else:
        door.data((reviews_text if what == STATUS else risks_text)(rows, door.ink))
    return 0


def _risks(found: Sequence[ReviewStanding]) -> list[dict[str, Json]]:
    """Return every risk once: the newest session of a review holds all of them."""
    newest: dict[str, ReviewStanding] = {}
    for one in found:
        newest.setdefault(one.name, one)
    return [
        {"review": one.name, "session": one.session, **risk}
        for one in newest.values()
        for risk in one.risks
    ]
