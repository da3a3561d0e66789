"""Settings: what a folder or an environment sets once for all commands.

Here: the configuration file, the ledger's place, the default seats, how long a person may take a
decision back.
Not here: what one decision is fixed by (scenario files).
Sources: SEMANTICS C1 (seats by default), G8; TOML 1.0. Looked for: ``comity.toml``, else the table
``[tool.comity]`` of ``pyproject.toml``, both in the working directory.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from comity.core.errors import Fault, InvalidInput
from comity.formats.schema import schema_faults

__all__ = ["DEFAULT_LEDGER", "DEFAULT_UNDO_HOURS", "Settings", "load_settings"]

DEFAULT_LEDGER = "comity.db"

DEFAULT_UNDO_HOURS = 24
"""How long after a person's decision it can be taken back, unless the settings say otherwise."""

_HOUR_MS = 3_600_000

_SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "db": {"type": "string"},
        "seats": {"type": "object", "additionalProperties": {"type": "string"}},
        "undo_hours": {"type": "integer", "minimum": 0, "maximum": 876_000},
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What holds unless a command says otherwise.

    Attributes:
        db: the ledger's path or URL.
        seats: seat -> how it is seated by default.
        undo_ms: how long after a person's decision it can be taken back.
        source: the file these came from, or "".

    Example:
        >>> Settings().db
        'comity.db'
    """

    db: str = DEFAULT_LEDGER
    seats: Mapping[str, str] = field(default_factory=dict)
    undo_ms: int = DEFAULT_UNDO_HOURS * _HOUR_MS
    source: str = ""


def load_settings(folder: Path, environment: Mapping[str, str] | None = None) -> Settings:
    """Read the settings of a working directory.

    Args:
        folder: the working directory.
        environment: the environment; the process's own when None. ``COMITY_DB`` wins over files.

    Returns:
        The settings.

    Raises:
        InvalidInput: when the file is not valid, with every fault.
    """
    env = os.environ if environment is None else environment
    table, source = _table(folder)
    faults = schema_faults(_SCHEMA, table, whose=source or "settings")
    if faults:
        raise InvalidInput(faults)
    seats, hours = table.get("seats"), table.get("undo_hours", DEFAULT_UNDO_HOURS)
    assert isinstance(hours, int)
    return Settings(
        db=env.get("COMITY_DB") or str(table.get("db") or DEFAULT_LEDGER),
        seats=dict(seats) if isinstance(seats, Mapping) else {},
        undo_ms=hours * _HOUR_MS,
        source=source,
    )


def _table(folder: Path) -> tuple[Mapping[str, object], str]:
    own = folder / "comity.toml"
    if own.is_file():
        return _toml(own), own.name
    project = folder / "pyproject.toml"
    if project.is_file():
        tool = _toml(project).get("tool")
        found = tool.get("comity") if isinstance(tool, Mapping) else None
        if isinstance(found, Mapping):
            return found, "pyproject.toml [tool.comity]"
    return {}, ""


def _toml(path: Path) -> Mapping[str, object]:
    try:
        found: Mapping[str, object] = import_module("tomllib").loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidInput(
            Fault(path.name, f"cannot be read: {error}", "valid TOML", "correct the file")
        ) from error
    return found
