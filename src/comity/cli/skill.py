"""Comity skill: how does a coding agent learn to drive all this from inside?

Here: the command: the shipped skills, named, shown, or written into an agent's folder of skills.
Not here: what they say (skills/*/SKILL.md).
Sources: the agents' own form: a folder with SKILL.md, whose head names and describes the skill.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import click

from comity.cli.door import Door
from comity.cli.options import DoorCommand, DoorGroup
from comity.core.errors import Fault, InvalidInput, UnknownName, did_you_mean, raise_if
from comity.core.show import table

__all__ = ["Skill", "command", "shipped_skills"]

OF_LIST = ("comity skill list", "comity skill list --json", "comity skill list --color never")
OF_SHOW = (
    "comity skill show comity-negotiation",
    "comity skill show comity-review",
    "comity skill show comity-review --json",
)
OF_INSTALL = (
    "comity skill install .claude/skills",
    "comity skill install .claude/skills --force",
    "comity skill install skills --json",
)
EXAMPLES = (OF_LIST[0], OF_SHOW[0], OF_INSTALL[0])
FILE = "SKILL.md"
_HOME = Path(__file__).with_name("skills")


class Skill(NamedTuple):
    """One shipped skill: its name, when to use it, its whole text."""

    name: str
    description: str
    text: str


def shipped_skills() -> tuple[Skill, ...]:
    """Return the shipped skills, by name.

    Example:
        >>> [one.name for one in shipped_skills()]
        ['comity-negotiation', 'comity-review']
    """
    return tuple(_read(path.read_text("utf-8")) for path in sorted(_HOME.glob(f"*/{FILE}")))


def _read(text: str) -> Skill:
    head = dict(line.split(": ", 1) for line in text.split("---\n")[1].splitlines())
    return Skill(head["name"], head["description"], text)


command = DoorGroup(
    name="skill",
    examples=EXAMPLES,
    help="Skills for coding agents: how to negotiate and to review with this command.",
)


@command.command(
    "list",
    cls=DoorCommand,
    examples=OF_LIST,
    help="Name the shipped skills, and say what each is for.",
)
def list_skills(door: Door) -> int:
    """Name the skills."""
    found = shipped_skills()
    if door.as_json:
        rows = [{"name": one.name, "description": one.description} for one in found]
        door.json({"v": 1, "kind": "skills", "skills": rows})
    else:
        cells = [(one.name, one.description.split(". ")[0]) for one in found]
        door.data(table(cells, ("skill", "what for")))
    return 0


@command.command(
    "show",
    cls=DoorCommand,
    examples=OF_SHOW,
    help="Print a skill as it would be written.",
)
@click.argument("name", metavar="NAME")
def show(door: Door, name: str) -> int:
    """Print one skill."""
    found = {one.name: one for one in shipped_skills()}
    if name not in found:
        known, following = ", ".join(found), did_you_mean(name, list(found))
        raise UnknownName(Fault(f"skill {name!r}", "does not exist", known, following))
    if door.as_json:
        door.json({"v": 1, "kind": "skill", **found[name]._asdict()})
    else:
        door.data(found[name].text.rstrip("\n"))
    return 0


@command.command(
    "install",
    cls=DoorCommand,
    examples=OF_INSTALL,
    help="""Write every skill into a folder of its own below DIR, where a coding agent looks for
    them.

    A file that is there and says something else stays as it is, and then nothing is written,
    unless --force is given.
    """,
)
@click.argument("folder", metavar="DIR")
@click.option("--force", is_flag=True, help="Write over files that were changed.")
def install(door: Door, folder: str, *, force: bool) -> int:
    """Write the skills."""
    texts = {Path(folder) / one.name / FILE: one.text for one in shipped_skills()}
    there = {path: _there(path) for path in texts}
    same = [path for path, text in texts.items() if there[path] == text]
    raise_if(
        Fault(
            f"file {str(path)!r}",
            "is there and says something else than the shipped skill",
            "no file of that name, or --force",
            "move it away, or write over it with --force",
        )
        for path, text in texts.items()
        if not force and there[path] not in {None, text}
    )
    written = [path for path in texts if path not in same]
    for path in written:
        _write(path, texts[path])
    if door.as_json:
        told = {"written": [str(one) for one in written], "kept": [str(one) for one in same]}
        door.json({"v": 1, "kind": "skill-install", "folder": folder, **told})
    else:
        lines = [f"written: {one}" for one in written]
        door.data("\n".join([*lines, *(f"there already: {one}" for one in same)]))
    return 0


def _there(path: Path) -> str | None:
    """Return what a file says; None when it is not there."""
    try:
        return path.read_bytes().decode("utf-8", "replace")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise InvalidInput(_unusable(path, error)) from error


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    except OSError as error:
        raise InvalidInput(_unusable(path, error)) from error


def _unusable(path: Path, error: OSError) -> Fault:
    what, allowed = f"cannot be used: {error.strerror}", "a place where files may be made"
    return Fault(f"file {str(path)!r}", what, allowed, "choose another folder")
