"""One shot: how does a command decide a file that holds all it takes, and show what it comes to?

Here: reading a scenario, a table or standard input; deciding with or without a ledger; the result
on stdout with its session where it was recorded.
Not here: the commands (auction.py, share.py, deadlock.py), what files hold (formats/).
Sources: SEMANTICS G4 (the seed is drawn when the inputs are closed), G8, K1.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from comity.cli.door import Door
from comity.cli.gist import gist_of
from comity.cli.places import missing_file, working_folder
from comity.core.canonical import Json
from comity.core.errors import Fault, InvalidInput, raise_if
from comity.core.results import Outcome
from comity.formats.one_shot import decide_at_once, one_shot_data, one_shot_text
from comity.formats.scenario import Scenario, scenario_from
from comity.render.ink import Ink

__all__ = ["Decision", "Source", "decision", "read_source", "scenario_of", "show"]


class Source(NamedTuple):
    """What a command was given.

    Attributes:
        data: what it holds, of the command's kind, not yet checked.
        whose: what it is called in messages.
        folder: where relative paths start.
        inputs: the files that it was read from.
    """

    data: dict[str, Any]
    whose: str
    folder: Path
    inputs: tuple[Path, ...] = ()


class Decision(NamedTuple):
    """What it came to.

    Attributes:
        outcome: the result.
        data: its JSON, what people look for first at its head.
        session: where it is recorded, "" where it is not.
        place: the ledger, or "".
    """

    outcome: Outcome
    data: dict[str, Json]
    session: str = ""
    place: str = ""


def read_source(file: str, kind: str) -> Source:
    """Read what a command was given.

    Args:
        file: a path, or ``-`` for standard input.
        kind: the kind that the command decides.

    Raises:
        InvalidInput: when it cannot be read, or is of another kind.
    """
    if file == "-":
        raw = sys.stdin.buffer.read() if hasattr(sys.stdin, "buffer") else b""
        data = one_shot_text(raw.decode("utf-8", "replace"), kind)
        return Source(data, "standard input", working_folder())
    path = Path(file)
    if not path.exists():
        raise InvalidInput(missing_file(path))
    return Source(one_shot_data(path, kind), path.name, path.parent, (path,))


def scenario_of(source: Source, changes: Mapping[str, Any], faults: list[Fault]) -> Scenario:
    """Return the scenario, with what the options say in place of what the file says.

    Args:
        source: what was read.
        changes: key of the file -> value; None where nothing was said.
        faults: what is wrong with the words; told together with what is wrong with the file.

    Raises:
        InvalidInput: with every fault.
    """
    said = {key: value for key, value in changes.items() if value is not None}
    seed = secrets.token_hex(16)
    try:
        scenario = scenario_from(
            {**source.data, **said}, whose=source.whose, folder=source.folder, seed=seed
        )
    except InvalidInput as error:
        raise InvalidInput([*faults, *error.faults]) from None
    raise_if(faults)
    return scenario


def decision(door: Door, scenario: Scenario) -> Decision:
    """Decide a scenario; in the ledger when one was named.

    Args:
        door: which ledger.
        scenario: what is to be decided.

    Raises:
        InvalidInput: with every fault that only the rule sees; nothing is recorded then.
    """
    place = door.explicit_db()
    session = ""
    outcome = decide_at_once(scenario)  # before a ledger is made, as it may refuse
    if place:
        recorded = import_module("comity.cli.recording").record(scenario, place)
        outcome, session = recorded.outcome, recorded.session
    result = outcome.to_json()
    code = int(outcome.exit_code)
    data: dict[str, Json] = {"v": result["v"], "kind": result["kind"], "exit_code": code}
    if session:
        data["session"] = session
    data.update(gist_of(outcome))
    data.update(result)
    return Decision(outcome, data, session, place)


def show(door: Door, made: Decision, told: Callable[[Mapping[str, Json], Ink], str]) -> int:
    """Show a decision and return its exit code.

    Args:
        door: how to speak.
        made: the decision.
        told: how it reads.
    """
    if door.as_json:
        door.json(made.data)
    else:
        door.data(told(made.data, door.ink))
    if made.session:
        door.talk(f"recorded as {made.session} in {made.place}")
    return int(made.outcome.exit_code)
