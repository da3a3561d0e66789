"""Comity examples: where are the files that the help and the pages name?

Here: the command: the shipped files, listed, or written into a folder of the caller's.
Not here: which came along (shipped.py), a story to watch (demo.py).
Sources: the rule that an example of the help works where it is read.
"""

from __future__ import annotations

from pathlib import Path
from shlex import quote

import click

from comity.cli.door import Door
from comity.cli.options import DoorCommand
from comity.cli.shipped import FOLDER, shipped_files, shipped_root
from comity.core.errors import Fault, InvalidInput, raise_if

__all__ = ["command"]

EXAMPLES = ("comity examples", "comity examples --list", "comity examples --out somewhere")

FOLLOWING = (
    ("watch", "campaigns/claims.csv"),
    ("auction", "auction.toml"),
    ("negotiate", "auth-protocol.toml"),
)
"""Three commands that work at once, each with the file it is for."""


@click.command(
    "examples",
    cls=DoorCommand,
    examples=EXAMPLES,
    help="""Write the shipped example files into ./examples/, so that the examples of every
    command's help work here.

    A file that is there already stays; when one of them says something else than the shipped
    one, nothing is written.
    """,
)
@click.option("--out", metavar="DIR", default=FOLDER, help="Where they go; default ./examples.")
@click.option("--list", "lists", is_flag=True, help="Name them and write nothing.")
def command(door: Door, out: str, *, lists: bool) -> int:
    """Write the examples, or name them."""
    root = shipped_root()
    if root is None:
        what = "did not come with this installation"
        allowed, following = "an installed package, or a checkout", "install comity from its wheel"
        raise InvalidInput(Fault("examples", what, allowed, following))
    names = shipped_files()
    if lists:
        _list(door, names)
        return 0
    there = _there(root, Path(out), names)
    written = [name for name in names if name not in there]
    for name in written:
        _write(Path(out) / name, (root / name).read_bytes())
    after = [f"comity {verb} {quote((Path(out) / name).as_posix())}" for verb, name in FOLLOWING]
    if door.as_json:
        told = {"written": written, "kept": sorted(there), "next": after}
        door.json({"v": 1, "kind": "examples", "folder": out, **told})
        return 0
    kept = f"; {len(there)} were there already" if there else ""
    door.data(f"{len(written)} files written into {out}{kept}.\n")
    door.data("\n".join((door.ink.bold("Next"), *(f"  {line}" for line in after))))
    return 0


def _list(door: Door, names: tuple[str, ...]) -> None:
    if door.as_json:
        door.json({"v": 1, "kind": "examples", "files": list(names)})
    else:
        door.data("\n".join(names))


def _there(root: Path, out: Path, names: tuple[str, ...]) -> set[str]:
    """Return which files are there already, each as it was shipped.

    Raises:
        InvalidInput: with every file that is another one.
    """
    found: set[str] = set()
    faults: list[Fault] = []
    for name in names:
        target = out / name
        try:
            same = target.read_bytes() == (root / name).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            what, allowed = f"cannot be read: {error.strerror}", "a file, or none"
        else:
            found.add(name)
            what, allowed = "is there and is not as it was shipped", "no file of that name"
            if same:
                continue
        following = "move it away, or choose another folder with --out"
        faults.append(Fault(f"file {str(target)!r}", what, allowed, following))
    raise_if(faults)
    return found


def _write(target: Path, data: bytes) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    except OSError as error:
        what = f"cannot be written: {error.strerror}"
        allowed, following = "a place where files may be made", "choose one with --out"
        raise InvalidInput(Fault(f"file {str(target)!r}", what, allowed, following)) from error
