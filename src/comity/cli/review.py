"""Comity review: may this go on, or who blocks it, why, and what would change that?

Here: the command: a review by agents, a call over replies that somebody else collected, the lists
of reviews and of risks.
Not here: what earlier calls carry on (watch/reviews.py), running it (play.py).
Sources: SEMANTICS W1-W6, G8.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from shlex import quote
from typing import Any, NamedTuple, TypedDict, Unpack

import click

from comity.app import App, Decided, auto_spec, seat_names
from comity.cli.door import Door
from comity.cli.lengths import milliseconds
from comity.cli.limits import limit_options, read_limits
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
from comity.core.errors import Fault, InvalidInput, did_you_mean, one_line, raise_if
from comity.formats.review_file import PRESET_NAMES, phases_of
from comity.formats.scenario import Scenario, load_data, scenario_from
from comity.render.review import reviews_text, risks_text
from comity.watch.reviews import (
    ReviewStanding,
    carry_on,
    check_seats,
    collected,
    counted_call,
    overtaken,
    report_of,
    settled,
    standings,
)

__all__ = ["command", "name_of"]

REPLIES = "--reply Planner=planner.txt --reply Architect=architect.txt --reply Critic=critic.txt"
EXAMPLES = (
    f"comity review PLAN.md {REPLIES}",
    "comity review status",
    "comity review risks --json",
)
STATUS, RISKS = "status", "risks"
REVISER = "reviser"
_KIND = "review"
_TRIES = 20  # how often a call that lost the race is judged anew
_HOWS = "claude, codex, gemini, model:NAME@URL, command:PROGRAM or person"


class Words(TypedDict):
    """What the command line said, as text."""

    preset: str | None
    phase: str | None
    agent: tuple[str, ...]
    budget: tuple[str, ...]
    timeout: str | None
    reply: tuple[str, ...]
    title: str | None
    never_waive: tuple[str, ...]
    blocks: str | None
    max_rounds: str | None
    deadline: str | None
    request_id: str | None
    output: str | None
    no_human: bool
    skip_earlier: bool
    allow_outside: bool


class Call(NamedTuple):
    """One call of a review: what is reviewed, by whom, which files it reads."""

    scenario: Scenario
    replies: Mapping[str, str]
    inputs: Sequence[Path]
    folder: Path
    what: str
    has_own_name: bool


@click.command(
    "review",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""Let reviewers approve or block a plan, tests, an implementation, a release.

    WHAT is the text file that is reviewed, or a scenario file (kind = "review"). The roles of the
    preset sit by --agent ROLE=HOW; a seat --agent reviser=HOW makes new versions until all
    approve. With --reply the replies come from files: nobody is called, and the next call goes on
    counting. Calls of one --name belong together; else the path of WHAT, as seen from the
    ledger's folder, is the name. A phase needs those before it to have passed.

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
@limit_options
@click.option("--reply", metavar="ROLE=FILE", multiple=True, help="A reply that is there already.")
@click.option("--name", "title", metavar="NAME", help="What it is called, from call to call.")
@click.option("--never-waive", metavar="CATEGORY", multiple=True, help="Beside security.")
@click.option("--blocks", metavar="N", help="The N-th block becomes a risk; default 3.")
@click.option("--max-rounds", metavar="N", help="Rounds of a phase; default 5.")
@click.option("--deadline", metavar="TIME", help="For each round of asking: 600 (seconds), 10m.")
@click.option("--request-id", metavar="ID", help="The same for every retry: it counts once.")
@click.option("--output", metavar="FILE", help="Where the closing report goes.")
@click.option("--skip-earlier", is_flag=True, help="Begin though earlier phases have not passed.")
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
    limits = read_limits(words["budget"], words["timeout"])
    call = _call(door, what, words, has_reviser=REVISER in flags)
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
    if words["request_id"]:
        allowed, following = "a call over replies (--reply)", "leave --request-id out"
        raise InvalidInput(Fault("--request-id", "names a call of agents", allowed, following))
    terminal = Terminal(door)
    programs = auto and all(auto_spec(one) for one in _empty(call, layers))
    seats = seated(_seats(call), layers, auto=programs, door=door, terminal=terminal)
    raise_if(_faults_of_seats(call, seats, flags, auto=auto))
    check_seats(call.scenario, seats, folder=working_folder())
    prompt = terminal.ask if door.may_ask else None

    def run(app: App) -> Decided:
        going = _going(door, app, call.scenario, call, words)
        decided = app.decide(going, seats, folder=working_folder(), prompt=prompt)
        if not settled(app.ledger, decided.session):
            raise overtaken(decided.session)
        return _reported(door, decided, words["output"])

    return play(door, Live(door, slow_seats=slow_seats(seats)), run, limits=limits)


def _seats(call: Call) -> list[str]:
    return list(seat_names(_KIND, call.scenario.rules))


def _empty(call: Call, layers: Sequence[Mapping[str, str]]) -> list[str]:
    return [name for name in _seats(call) if not any(name in one for one in layers)]


def _faults_of_seats(
    call: Call, seats: Mapping[str, str], flags: Mapping[str, str], *, auto: bool
) -> list[Fault]:
    """Return that nobody sits at some roles, with both ways to have their votes."""
    known = _seats(call)
    found = [
        Fault("--agent", f"names {name!r}, which is no seat here", ", ".join(known),
              did_you_mean(name, known))
        for name in flags
        if name not in known
    ]  # fmt: skip
    empty = [name for name in known if name not in seats]
    if not empty:
        return found
    first = quote(f"{empty[0]}=claude")
    if auto:
        what = "seats nobody in a review: its seats are roles, which no program is named after"
        allowed = f"--agent ROLE=HOW with {_HOWS}"
        return [*found, Fault("--agent auto", what, allowed, f"say --agent {first} ...")]
    file = quote(f"{empty[0]}={empty[0].split()[0].lower()}.txt")
    return [
        *found,
        Fault(
            f"the seat{'' if len(empty) == 1 else 's'} {', '.join(empty)}",
            "nobody sits there",
            f"--reply ROLE=FILE for each, or --agent ROLE=HOW with {_HOWS}",
            f"say --reply {file} ..., when the replies are there, or --agent {first} ...",
        ),
    ]


def _going(door: Door, app: App, scenario: Scenario, call: Call, words: Words) -> Scenario:
    """Return the call with what earlier ones came to, and say what deserves to be known of it."""
    going = carry_on(app.ledger, scenario, skips_earlier=words["skip_earlier"])
    name, ink = str(going.rules["name"]), door.talk_ink
    rules: Any = going.rules
    phase = rules["phases"][0]["name"]
    if phase in rules["carried"]["passed"]:
        said = (
            f"{phase} of {name} has passed already: this call reviews it anew. Rounds and blocks "
            "count from the start, and its documented risks stay"
        )
        door.talk(ink.warn(one_line(said)))
    alike = [] if call.has_own_name else _alike(standings(app.ledger), name)
    if alike:
        said = f"this is {name}; the ledger also holds {', '.join(alike)}: another review"
        door.talk(ink.dim(one_line(said)))
    return going


def _alike(found: Sequence[ReviewStanding], name: str) -> list[str]:
    """Return the other reviews of files of the same name."""
    others = {one.name for one in found} - {name}
    return sorted(one for one in others if PurePath(one).name == PurePath(name).name)


def _tally(door: Door, call: Call, words: Words) -> int:
    """Judge replies that are there already; a call that was counted shows its result again."""
    request_id = words["request_id"] or ""
    scenario, agents = collected(call.scenario, call.replies, request_id=request_id)

    def judged(app: App) -> Decided:
        for _ in range(_TRIES):
            counted = counted_call(app.ledger, scenario) if request_id else None
            if counted is not None:
                door.talk(door.talk_ink.dim("this call is counted already"))
                return app.resume(counted, folder=working_folder(), agents=agents)
            going = _going(door, app, scenario, call, words)
            decided = app.decide(going, {}, folder=working_folder(), agents=agents)
            if settled(app.ledger, decided.session):
                return decided
        raise overtaken(decided.session)

    return play(door, Live(door), lambda app: _reported(door, judged(app), words["output"]))


def _reported(door: Door, decided: Decided, output: str | None) -> Decided:
    """Write the closing report, where one is wanted."""
    if output:
        write_file(output, report_of(decided.outcome))
        door.talk(door.talk_ink.dim(f"written: {output}"))
    return decided


# --- what is reviewed ------------------------------------------------------------------------


def _call(door: Door, what: str, words: Words, *, has_reviser: bool) -> Call:
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
    has_own_name = "name" in told
    if not has_own_name and "work" in told:
        told["name"] = name_of(folder / str(told["work"]), door.ledger_place())
    scenario = scenario_from(told, whose=path.name, folder=folder, seed="")
    texts = {role: read_text(file) for role, file in files.items()}
    inputs += map(Path, files.values())
    return Call(scenario, texts, inputs, folder, what, has_own_name)


def name_of(path: Path, ledger: str) -> str:
    """Return the path of what is reviewed as seen from the ledger's folder, however it is given.

    Args:
        path: the file.
        ledger: the path of the ledger; the URL of one has no folder, and sees it from the root.
    """
    whole = path.resolve()
    if "://" in ledger:
        return whole.as_posix()
    try:
        return PurePath(os.path.relpath(whole, Path(ledger).resolve().parent)).as_posix()
    except ValueError:  # another drive
        return whole.as_posix()


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
        names = [one.get("name") if isinstance(one, Mapping) else one for one in told["phases"]
                 ] if "phases" in told else []  # fmt: skip
        if phase in names and "needs" not in told:
            told["needs"] = names[: names.index(phase)]
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
