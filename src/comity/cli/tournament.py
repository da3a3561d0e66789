"""Comity tournament: which strategy fares how well when every one meets every other?

Here: the options of the command, reading them with every fault at once, its files and output.
Not here: the tournament (simulate/), files of scenarios (formats/issues.py), drawing (render/).
Sources: SEMANTICS M3; complaint 5 of the research (the command returns after the last session).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import click

from comity.cli.door import Door
from comity.cli.interruption import tell_interruption
from comity.cli.options import DoorCommand, whole
from comity.cli.places import guard_target, write_file
from comity.cli.problems import read_files
from comity.cli.progress import Progress
from comity.core.canonical import Json
from comity.core.errors import Fault, InvalidInput, one_line, raise_if
from comity.render.tournament import tournament_chart, tournament_text

if TYPE_CHECKING:
    from comity.formats.loaded_problem import LoadedProblem
    from comity.simulate.plan import Plan
    from comity.simulate.rows import Row

__all__ = ["command"]

EXAMPLES = (
    "comity tournament examples/rollout.toml --strategies boulware,linear,micro",
    (
        "comity tournament examples/rollout.toml --strategies linear,micro,hardliner "
        "--sweep rounds=10,100 --json"
    ),
    (
        "comity tournament examples/rollout.toml --repeat 2 --seed 7 --out rows.jsonl "
        "--csv rows.csv --svg pairs.svg"
    ),
)


class Words(TypedDict):
    """What the command line said, as text."""

    strategies: str | None
    rounds: str | None
    protocol: str | None
    repeat: str | None
    seed: str | None
    both_roles: bool
    self_play: bool
    sweep: str | None
    jobs: str | None
    out: str | None
    resume: bool
    csv: str | None
    svg: str | None
    replay: str | None


@click.command(
    "tournament",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""Let strategies negotiate over several issues: every line-up, on every scenario.

    SCENARIO is a scenario of kind offers, or a folder with a Genius or GeniusWeb domain and its
    profiles. Every negotiation has its own seed, so it is the same whatever --jobs says, and can
    be played again alone (--replay). The exit code is 0 also when a strategy fails: its
    negotiations are counted as failed, with the party and the reason.
    """,
)
@click.argument("scenarios", metavar="SCENARIO...", nargs=-1, required=True)
@click.option("--strategies", metavar="A,B", help="Who plays, as boulware:0.1; default: all.")
@click.option("--rounds", metavar="N", help="Rounds; default: what the scenarios say.")
@click.option("--protocol", metavar="NAME", help="alternating (default) or simultaneous.")
@click.option("--repeat", metavar="N", help="How often each line-up meets; default 1.")
@click.option("--seed", metavar="TEXT", help="The seed of all lots; default 0.")
@click.option(
    "--both-roles/--one-role",
    default=True,
    help="Whether preferences are exchanged too (default), or drawn by lot.",
)
@click.option(
    "--self-play/--no-self-play", default=True, help="Whether a strategy also meets itself."
)
@click.option("--sweep", metavar="NAME=A,B", help="rounds=10,50, or boulware=0.1,0.5.")
@click.option("--jobs", metavar="N", help="Processes; default: one per core if it is much.")
@click.option("--out", metavar="FILE", help="Keep every row here as it comes, as JSON lines.")
@click.option("--resume", is_flag=True, help="Go on with what stands in the file of --out.")
@click.option("--csv", metavar="FILE", help="Write every row into this file, too.")
@click.option("--svg", metavar="FILE", help="Draw what each pair came to into this file.")
@click.option("--replay", metavar="ID", help="Only play this row of --out again and compare.")
def command(door: Door, scenarios: tuple[str, ...], **words: Unpack[Words]) -> int:
    """Hold a tournament, or replay a row of one."""
    faults: list[Fault] = []
    loaded = _loaded(scenarios, faults)
    for one in loaded:
        for note in one.notes:
            door.talk(f"note: {one_line(one.question)}: {one_line(note)}")
    problems = _named(scenarios, loaded) if len(loaded) == len(scenarios) else {}
    if words["replay"] is not None:
        return _replayed(door, problems, words, faults)
    options = _options(words, loaded, faults)
    jobs = whole(words["jobs"], "--jobs", faults, least=1)
    faults.extend(_place_faults(words))
    plan = _plan(words, problems, options, faults)
    raise_if(faults)
    assert plan is not None  # else there was a fault
    _guard(door, scenarios, words)
    return _held(door, plan, jobs, scenarios, words)


def _held(door: Door, plan: Plan, jobs: int | None, scenarios: Sequence[str], words: Words) -> int:
    """Play what is left, then write and show it."""
    play = import_module("comity.simulate.run").run
    with Progress(door, "negotiations") as progress:
        try:
            rows = play(plan, jobs=jobs, out=words["out"], progress=progress)
        except KeyboardInterrupt as ending:
            progress.__exit__(None, None, None)
            return _left(door, ending, progress, (scenarios, words))
    add_up = import_module("comity.simulate.standings").standings
    data: Mapping[str, Json] = add_up(rows, plan)
    _write(door, rows, data, words)
    if door.as_json:
        door.json(data)
    else:
        door.data(tournament_text(data, door.ink))
    return 0


# --- reading ---------------------------------------------------------------------------------


def _loaded(scenarios: Sequence[str], faults: list[Fault]) -> list[LoadedProblem]:
    found = []
    for one in scenarios:
        try:
            found.append(read_files([one]))
        except InvalidInput as error:
            faults.extend(error.faults)
    return found


def _named(scenarios: Sequence[str], loaded: Sequence[LoadedProblem]) -> dict[str, Any]:
    """Return the problems by the names of their files, by whole paths where names are equal."""
    stems = [Path(one).stem for one in scenarios]
    return {
        stem if stems.count(stem) == 1 else path: one.problem
        for path, stem, one in zip(scenarios, stems, loaded, strict=True)
    }


def _options(words: Words, loaded: Sequence[LoadedProblem], faults: list[Fault]) -> dict[str, Any]:
    """Return what :func:`comity.simulate.planning.plan_of` takes."""
    options: dict[str, Any] = {
        "self_play": words["self_play"],
        "both_roles": words["both_roles"],
        "seed": words["seed"] or "0",
        "sweep": _sweep(words["sweep"], faults),
    }
    if words["protocol"] is not None:
        options["protocol"] = words["protocol"]
    repeat = whole(words["repeat"], "--repeat", faults, least=1)
    if repeat is not None:
        options["repetitions"] = repeat
    is_swept = "rounds" in (options["sweep"] or {})
    rounds = whole(words["rounds"], "--rounds", faults)
    stated = {one.rounds for one in loaded}
    if is_swept and words["rounds"] is not None:
        given = "is given beside --sweep rounds"
        faults.append(Fault("--rounds", given, "one of them", "drop one"))
    elif rounds is not None:
        options["rounds"] = rounds
    elif len(stated) == 1:
        options["rounds"] = stated.pop()
    elif stated and not is_swept and words["rounds"] is None:
        what = f"is missing, and the scenarios say {', '.join(map(str, sorted(stated)))}"
        faults.append(Fault("--rounds", what, "one number for all", "add --rounds N"))
    return options


def _sweep(text: str | None, faults: list[Fault]) -> dict[str, list[object]] | None:
    if text is None:
        return None
    name, equals, listed = (one.strip() for one in text.partition("="))
    values = [one.strip() for one in listed.split(",")]
    if not name or not equals or not all(values):
        allowed = "one parameter with its values, as rounds=10,50 or boulware=0.1,0.5"
        faults.append(Fault("--sweep", f"is {text!r}", allowed, "correct it"))
        return None
    if name != "rounds":
        return {name: list(values)}
    counts = [whole(one, "--sweep", faults) for one in values]
    return {name: list(counts)} if None not in counts else None


def _plan(
    words: Words,
    problems: Mapping[str, Any],
    options: Mapping[str, Any],
    faults: list[Fault],
) -> Plan | None:
    """Return the plan, or None with every fault of it noted."""
    planning = import_module("comity.simulate.planning")
    listed = words["strategies"]
    names = list(planning.every_strategy())
    if listed is not None:
        names = [one.strip() for one in listed.split(",")]
    if not problems:
        return None
    try:
        plan: Plan = planning.plan_of(problems, names, **options)
    except InvalidInput as error:
        faults.extend(error.faults)
        return None
    return plan


def _place_faults(words: Words) -> list[Fault]:
    out = words["out"]
    if out is None:
        if not words["resume"]:
            return []
        return [Fault("--resume", "is given without --out", "the file to go on with", "name it")]
    path = Path(out)
    is_held = path.is_file() and path.stat().st_size > 0
    if is_held and not words["resume"]:
        what = "is there already"
        return [Fault(f"--out {out!r}", what, "a new file", "choose one, or add --resume")]
    return []


def _guard(door: Door, scenarios: Sequence[str], words: Words) -> None:
    """Refuse to write over what must not be lost, before anything is played."""
    inputs: list[Path] = []
    for path in map(Path, scenarios):
        inputs.extend(path.iterdir() if path.is_dir() else [path])
    for flag, place in (("--out", words["out"]), ("--csv", words["csv"]), ("--svg", words["svg"])):
        guard_target(place, flag, ledger=door.explicit_db(), inputs=inputs)
        if place is not None:
            inputs.append(Path(place))


# --- writing ---------------------------------------------------------------------------------


def _write(door: Door, rows: Sequence[Row], data: Mapping[str, Json], words: Words) -> None:
    if words["csv"]:
        write_file(words["csv"], "".join(import_module("comity.simulate.rows").csv_lines(rows)))
        door.talk(f"written: {words['csv']}")
    if words["svg"]:
        write_file(words["svg"], tournament_chart(data))
        door.talk(f"drawn: {words['svg']}")


def _left(
    door: Door,
    ending: KeyboardInterrupt,
    progress: Progress,
    call: tuple[Sequence[str], Words],
) -> int:
    """Tell how far an interrupted tournament came, and how it goes on."""
    count = f"\ninterrupted after {progress.done} of {progress.total} negotiations"
    if call[1]["out"] is None:
        return tell_interruption(door, ending, f"{count}; nothing was kept: --out keeps them")
    following = _again(*call)
    told = f"{count}; go on with: {following}"
    return tell_interruption(door, ending, told, following=following)


def _again(scenarios: Sequence[str], words: Words) -> str:
    """Return the command line that goes on with this call."""
    parts = ["comity tournament", *map(quote, scenarios)]
    for name in Words.__annotations__:
        value = words[name]  # type: ignore[literal-required]  # names are keys of Words
        if isinstance(value, str):
            parts.append(f"--{name} {quote(value)}")
    if not words["both_roles"]:
        parts.append("--one-role")
    if not words["self_play"]:
        parts.append("--no-self-play")
    return " ".join([*parts, "--resume"])


def _replayed(door: Door, problems: Mapping[str, Any], words: Words, faults: list[Fault]) -> int:
    """Play one row of a file again; exit 1 when it comes out differently."""
    if words["out"] is None:
        faults.append(Fault("--replay", "is given without --out", "the file of rows", "name it"))
    raise_if(faults)
    play_again = import_module("comity.simulate.replay").replay_in
    row, differing = play_again(Path(str(words["out"])), words["replay"], problems)
    if door.as_json:
        told = {"v": 1, "kind": "replay", "id": row.id, "same": not differing}
        door.json({**told, "differences": list(differing), "row": row.to_json()})
    elif not differing:
        door.data("same")
    else:
        door.data(f"{door.ink.bad('different')}: {row.id} does not come out as written")
        for name in differing:
            door.data(f"  {name}")
    return 1 if differing else 0
