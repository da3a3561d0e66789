"""Seats: who sits where in a negotiation?

Here: the words of `--agent`, the defaults of the settings, offering empty seats to a person.
Not here: the agents (agents/seating.py), the error for a seat that stays empty (app.py).
Sources: SEMANTICS C7.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from comity.app import KINDS_OF_SEAT, auto_spec
from comity.cli.door import Door
from comity.cli.terminal import Terminal
from comity.core.errors import Fault, raise_if

__all__ = ["beside", "read_agents", "script_files", "seated", "slow_seats"]

AUTO = "auto"
_SCRIPT = "script:"
_FORM = ", ".join([*(f"SEAT={kind}" for kind in KINDS_OF_SEAT), "or auto alone"])
_SLOW = ("command:", "model:", "claude", "codex", "gemini", AUTO)


def read_agents(given: Sequence[str]) -> tuple[dict[str, str], bool]:
    """Return the seats that flags name, and whether the empty ones are seated by themselves.

    Args:
        given: the values of every ``--agent``.

    Raises:
        InvalidInput: with every fault.

    Example:
        >>> read_agents(["CC=rational", "auto"])
        ({'CC': 'rational'}, True)
    """
    faults: list[Fault] = []
    seats: dict[str, str] = {}
    for words in given:
        if words.strip() == AUTO:
            continue
        seat, equals, how = (part.strip() for part in words.partition("="))
        if not (seat and equals and how):
            faults.append(Fault("--agent", f"is {words!r}", _FORM, "write --agent SEAT=HOW"))
        elif seat in seats:
            faults.append(Fault("--agent", f"seats {seat!r} twice", "each seat once", "drop one"))
        else:
            seats[seat] = how
    raise_if(faults)
    return seats, any(words.strip() == AUTO for words in given)


def beside(specs: Mapping[str, str], folder: Path, here: Path) -> dict[str, str]:
    """Return the seats of a file with the paths of scripts as seen from the working directory.

    Args:
        specs: seat -> how the file seats it.
        folder: the file's folder.
        here: the working directory.
    """
    found = {}
    for seat, spec in specs.items():
        kind, colon, rest = spec.partition(":")
        if kind == "script" and rest:
            path = folder / rest
            inside = path.is_relative_to(here)
            found[seat] = f"script{colon}{path.relative_to(here) if inside else path}"
        else:
            found[seat] = spec
    return found


def seated(
    names: Sequence[str],
    layers: Sequence[Mapping[str, str]],
    *,
    auto: bool,
    door: Door,
    terminal: Terminal,
) -> dict[str, str]:
    """Return who sits in each seat, as far as that is known.

    Args:
        names: the seats.
        layers: seat -> how, the strongest first.
        auto: whether empty seats take the program of their name.
        door: how to speak, and whether a person may be asked.
        terminal: the keyboard.

    Returns:
        Seat -> how; a seat that nobody takes is left out.
    """
    found = {seat: how for layer in reversed(layers) for seat, how in layer.items()}
    empty = [name for name in names if name not in found]
    if auto:
        found.update({name: AUTO for name in empty if auto_spec(name) is not None})
    for name in [name for name in empty if name not in found]:
        if not door.has_person:
            break
        door.talk(f"Nobody sits at {name}. Take the seat yourself? [y/N]")
        if (terminal.line() or "").strip().casefold() in {"y", "yes"}:
            found[name] = "person"
    if auto:
        found.update({name: AUTO for name in names if name not in found})
    return found


def script_files(layers: Sequence[Mapping[str, str]]) -> list[Path]:
    """Return the files that scripted seats read.

    Args:
        layers: seat -> how, with paths as seen from the working directory.

    Example:
        >>> script_files([{"CC": "script:said.txt", "CX": "rational"}])[0].name
        'said.txt'
    """
    specs = [how for layer in layers for how in layer.values()]
    return [Path(how.removeprefix(_SCRIPT)) for how in specs if how.startswith(_SCRIPT)]


def slow_seats(specs: Mapping[str, str]) -> frozenset[str]:
    """Return the seats whose answers take their time."""
    return frozenset(seat for seat, how in specs.items() if how.startswith(_SLOW))
