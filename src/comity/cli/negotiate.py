"""Comity negotiate: do advocates with one priority each find what all consent to?

Here: the command: its words, the scenario they mean, who sits where.
Not here: running it (play.py), the protocol (app.py).
Sources: SEMANTICS C1-C9.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypedDict, Unpack

import click

from comity.app import new_seed, transcript_order
from comity.cli.door import Door
from comity.cli.limits import limit_options, read_limits
from comity.cli.options import DoorCommand, whole
from comity.cli.places import (
    missing_file,
    read_text,
    settings_here,
    spare,
    working_folder,
)
from comity.cli.play import Wish, guard_wish, play_scenario
from comity.cli.seats import beside, read_agents, script_files, seated
from comity.cli.terminal import Terminal
from comity.core.errors import Fault, InvalidInput, raise_if
from comity.formats.prompt_text import data_from_prompt
from comity.formats.scenario import Scenario, load_data, scenario_from
from comity.formats.scores import read_game

__all__ = ["command"]

SCRIPT = "script:examples/meetings-transcript.txt"
SEATED = f"--agent CC={SCRIPT} --agent CX={SCRIPT}"
EXAMPLES = (
    "comity negotiate examples/auth-protocol.toml --output protocol.md",
    f'comity negotiate "Meetings? CC=Focus, CX=Contact" {SEATED}',
    "comity negotiate --scores examples/games.json --game offsite --seed 7 --json",
)


class Words(TypedDict):
    """What the command line said, as text."""

    output: str | None
    work: str | None
    max_turns: str | None
    agent: tuple[str, ...]
    budget: tuple[str, ...]
    timeout: str | None
    order: str | None
    seed: str | None
    svg: str | None
    allow_outside: bool
    scores: str | None
    game: str | None


class Source(NamedTuple):
    """A scenario as plain data: whose it is, where its relative paths start, its file."""

    data: Any
    whose: str
    folder: Path
    file: Path | None = None


@click.command(
    "negotiate",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""Let advocates with one priority each negotiate until all consent, or say why not.

    Give a scenario file (.toml or .json), a prompt in one sentence, any other file that holds a
    prompt, or - for a prompt on stdin. A prompt names the seats with their priorities, as
    CC=Reliability or `CC advocates Speed`, and may add Output: path, work: path and max_turns: n.

    Each message is shown on stderr as it comes; the result, and the seven closing lines, stand on
    stdout. Ctrl-C leaves a session that `comity resume ID` takes up again.
    """,
)
@click.argument("what", metavar="FILE|PROMPT|-", required=False)
@click.option("--output", metavar="PATH", help="Where the consensus document goes.")
@click.option("--work", metavar="FILE", help="The text to decide on; every seat sees it.")
@click.option("--max-turns", metavar="N", help="Turns of all seats together; default 30.")
@click.option(
    "--agent",
    metavar="SEAT=HOW",
    multiple=True,
    help="claude, codex, gemini, model:NAME@URL, command:PROGRAM ARGS, rational, person, "
    "script:FILE or auto, one --agent per seat; plain `auto` seats CC=claude, CX=codex, "
    "GM=gemini where they are on PATH.",
)
@limit_options
@click.option("--order", metavar="CC,CX,GM", help="Who speaks when; else drawn by lot.")
@click.option("--seed", metavar="TEXT", help="The seed of every lot; else drawn.")
@click.option("--scores", metavar="FILE", help="A score file with games, instead of WHAT.")
@click.option("--game", metavar="NAME", help="Which game of the score file.")
@click.option("--svg", metavar="FILE", help="Draw who said what when into this file.")
@click.option("--allow-outside", is_flag=True, help="The document may lie outside this folder.")
def command(door: Door, what: str | None, **words: Unpack[Words]) -> int:
    """Negotiate."""
    terminal = Terminal(door)
    flags, auto = read_agents(words["agent"])
    defaults = settings_here().seats
    if words["output"] is not None:
        spare(words["output"], "--output", ledger=door.ledger_place())
    scenario, inputs = _scenario(what, words, (flags, defaults))
    names = [str(one) for one in scenario.rules["order"]]  # type: ignore[union-attr]  # a list
    usable = {seat: how for seat, how in defaults.items() if seat in names}
    layers = (flags, scenario.agents, usable)
    wish = Wish(
        inputs=[*inputs, *script_files(layers)],
        output_by="output" if words["output"] is None else "--output",
        svg=words["svg"],
        allow_outside=words["allow_outside"],
        limits=read_limits(words["budget"], words["timeout"]),
    )
    guard_wish(door, scenario, wish)
    seats = seated(names, layers, auto=auto, door=door, terminal=terminal)
    return play_scenario(door, terminal, scenario, seats, wish)


def _scenario(
    what: str | None, words: Words, layers: tuple[Mapping[str, str], Mapping[str, str]]
) -> tuple[Scenario, list[Path]]:
    """Return the scenario that the words mean, with what the options change in it.

    The files it was read from come with it.
    """
    here = working_folder()
    seed = words["seed"] or new_seed()
    if words["scores"] is not None or words["game"] is not None:
        return _game(what, words, seed), [Path(str(words["scores"]))]
    source = _source(what, here)
    data = _changed(source.data, words, here)
    flags, defaults = layers
    if isinstance(data, dict) and "order" not in data:
        own = {name: seat.get("agent") for name, seat in _tables(data.get("seats")).items()}
        told = {name: str(how) for name, how in own.items() if how}
        specs = {**defaults, **beside(told, source.folder, here), **flags}
        order = transcript_order({name: specs.get(name, "") for name in own}, folder=here)
        if order:
            data["order"] = list(order)
    scenario = scenario_from(data, whose=source.whose, folder=source.folder, seed=seed)
    if scenario.kind != "consent":
        raise InvalidInput(
            Fault(
                source.whose,
                f"is of kind {scenario.kind!r}",
                'kind = "consent"',
                f"use `comity run {what}`",
            )
        )
    agents = beside(scenario.agents, source.folder, here)
    work = [source.folder / data["work"]] if data.get("work") else []
    read = [source.file] if source.file else []
    changed = Scenario(
        kind=scenario.kind,
        title=scenario.title,
        rules=scenario.rules,
        agents=agents,
        private=scenario.private,
        output=scenario.output,
    )
    return changed, [*read, *work]


def _tables(value: object) -> Mapping[str, Mapping[str, Any]]:
    seats = value if isinstance(value, Mapping) else {}
    return {str(name): seat for name, seat in seats.items() if isinstance(seat, Mapping)}


def _game(what: str | None, words: Words, seed: str) -> Scenario:
    scores, game = words["scores"], words["game"]
    faults = []
    if scores is None or game is None:
        lacking = "--scores FILE" if scores is None else "--game NAME"
        faults.append(Fault("negotiate", f"lacks {lacking}", "both together", f"add {lacking}"))
    if what is not None:
        faults.append(
            Fault("negotiate", f"is given {what!r} beside a score file", "one of them", "drop one")
        )
    for flag in ("output", "work", "order"):
        if words[flag] is not None:
            faults.append(
                Fault(
                    f"--{flag}",
                    "does not go with --scores",
                    "--game, --seed, --max-turns, --agent, --svg",
                    f"leave --{flag} out",
                )
            )
    turns = whole(words["max_turns"], "--max-turns", faults, least=1)
    raise_if(faults)
    scenario = read_game(Path(str(scores)), str(game), seed=seed)
    if turns is None:
        return scenario
    limits: Any = scenario.rules["limits"]
    return Scenario(
        kind=scenario.kind,
        title=scenario.title,
        rules={**scenario.rules, "limits": {**limits, "max_turns": turns}},
        agents=scenario.agents,
        private=scenario.private,
    )


def _source(what: str | None, here: Path) -> Source:
    """Read the words as a file, a prompt or stdin."""
    if what is None or not what.strip():
        raise InvalidInput(
            Fault(
                "negotiate",
                "lacks what to decide" if what is None else "is given nothing to decide",
                "a scenario file, a prompt in quotes, or - for stdin",
                'try `comity negotiate "Meetings? CC=Focus, CX=Contact"`',
            )
        )
    if what == "-":
        text = sys.stdin.buffer.read().decode("utf-8", "replace")
        return Source(data_from_prompt(text, folder=here), "prompt", here)
    path = Path(what)
    is_scenario = path.suffix in {".toml", ".json"}
    if _is_there(path) and not is_scenario:
        return Source(data_from_prompt(read_text(what), folder=here), path.name, here, path)
    if _is_there(path):
        return Source(load_data(path), path.name, path.parent, path)
    if is_scenario or not any(char.isspace() for char in what):
        raise InvalidInput(missing_file(path))
    return Source(data_from_prompt(what, folder=here), "prompt", here)


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a long prompt is no name of a file
        return False


def _changed(data: Any, words: Words, here: Path) -> Any:  # noqa: ANN401  # what a file held
    """Return the data with what the options say in place of what it said."""
    if not isinstance(data, dict):
        return data
    faults: list[Fault] = []
    turns = whole(words["max_turns"], "--max-turns", faults, least=1)
    raise_if(faults)
    order = [one.strip() for one in words["order"].split(",")] if words["order"] else None
    work = str(here / words["work"]) if words["work"] else None
    changes = {
        "output": words["output"],
        "work": work,
        "max_turns": turns,
        "order": order,
        "seed": words["seed"],
    }
    return {**data, **{name: value for name, value in changes.items() if value is not None}}
