"""Deadlock files: who waits for whom, as a scenario file.

Here: the schema of ``kind = "deadlock"`` and its reader.
Not here: finding circles (mechanisms/deadlock), tables of waits (waits_csv.py).
Sources: SEMANTICS L1, L2, G7.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args
from unicodedata import normalize

from comity.core.errors import Fault, InvalidInput, raise_if, shown
from comity.core.results import Outcome
from comity.formats.plain_faults import in_plain_words
from comity.formats.scenario import Scenario
from comity.formats.schema import Schema
from comity.formats.written_numbers import as_written
from comity.mechanisms.deadlock.detect import detect
from comity.mechanisms.deadlock.rules import (
    VictimRule,
    deadlock_rules_from_json,
    read_rules,
)

__all__ = ["SCHEMA", "decided", "read"]

_NUMBER = {"anyOf": [{"type": "number"}, {"type": "string"}]}
_NAMES: Schema = {
    "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
}
_WAITS: Schema = {
    "anyOf": [
        {"type": "object", "additionalProperties": _NAMES},
        {"type": "array", "items": {"type": "array", "items": {"type": "string"}}},
    ],
}
_AGENT: Schema = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "started": {**_NUMBER, "description": "when it started; larger is younger"},
        "held": {**_NUMBER, "description": "how many resources it holds"},
        "priority": _NUMBER,
        "aborts": {**_NUMBER, "description": "how often it gave way since it last went through"},
    },
}
SCHEMA: Schema = {
    "$schema": "http://json-schema.org/draft-04/schema#",
    "title": "comity scenario: deadlock",
    "type": "object",
    "additionalProperties": False,
    "required": ["kind", "waits"],
    "properties": {
        "kind": {"enum": ["deadlock"]},
        "question": {"type": "string", "description": "what stands still"},
        "waits": {
            **_WAITS,
            "description": "waiter = [whom it waits for], or pairs [waiter, whom]",
        },
        "soft": {**_WAITS, "description": "waits that are only a place in a queue"},
        "agents": {"type": "object", "additionalProperties": _AGENT},
        "victim": {"enum": list(get_args(VictimRule)), "description": "who gives way"},
        "exempt_after": {"type": "integer", "minimum": 1},
        "seed": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
    },
}


def read(data: Mapping[str, Any], *, whose: str, folder: Path, seed: str) -> Scenario:
    """Build the scenario; every fault at once.

    Args:
        data: the file's data, already of the right shape.
        whose: the file's name.
        folder: where relative paths start; waits name none.
        seed: the seed of every lot unless the file states one.

    Returns:
        The scenario.

    Raises:
        InvalidInput: with every fault.

    Example:
        >>> data = {"kind": "deadlock", "waits": [["a", "b"], ["b", "a"]]}
        >>> read(data, whose="x", folder=Path(), seed="1").rules["waits"]
        {'a': ['b'], 'b': ['a']}
    """
    del folder
    faults: list[Fault] = []
    rules: dict[str, Any] = as_written(
        {key: data[key] for key in ("agents", "victim", "exempt_after") if key in data}
    )
    for key in ("waits", "soft"):
        if key in data:
            rules[key] = _waits(data[key], f"{whose} {key}", faults)
    faults.extend(_twice_spelled(rules, whose))
    rules["seed"] = str(data.get("seed", seed))
    try:
        read_rules(deadlock_rules_from_json(rules))
    except InvalidInput as error:
        faults.extend(error.faults)
    raise_if(in_plain_words(faults))
    return Scenario(
        kind="deadlock",
        title=str(data.get("question") or "Who waits for whom?"),
        rules=rules,
        agents={},
        private={},
    )


def decided(scenario: Scenario) -> Outcome:
    """Return whether anybody waits in a circle, without recording it.

    Args:
        scenario: as `read` returns it.

    Raises:
        InvalidInput: when a measure that the victim rule compares is known of some members of a
            circle only.

    Example:
        >>> data = {"kind": "deadlock", "waits": {"a": "b", "b": "a"}}
        >>> decided(read(data, whose="x", folder=Path(), seed="1")).exit_code
        10
    """
    return detect(deadlock_rules_from_json(scenario.rules))


def _twice_spelled(rules: Mapping[str, Any], whose: str) -> list[Fault]:
    """Return the faults of names that look alike and are written by other characters."""
    names: set[str] = set(rules.get("agents", ()))
    for table in (rules.get("waits", {}), rules.get("soft", {})):
        names.update(table, *table.values())
    alike: dict[str, list[str]] = {}
    for name in sorted(names if not all(map(str.isascii, names)) else ()):
        alike.setdefault(normalize("NFC", name), []).append(name)
    return [
        Fault(
            whose,
            f"names {name!r} in {len(spelled)} ways: {', '.join(map(ascii, spelled))}",
            "each agent by the same characters everywhere",
            "write it one way",
        )
        for name, spelled in alike.items()
        if len(spelled) > 1
    ]


def _waits(given: Any, whose: str, faults: list[Fault]) -> dict[str, list[str]]:  # noqa: ANN401  # a table or pairs
    """Return waiter -> whom it waits for, each once."""
    found: dict[str, dict[str, None]] = {}
    if isinstance(given, Mapping):
        for waiter, named in given.items():
            found[waiter] = dict.fromkeys([named] if isinstance(named, str) else named)
        given = ()
    for pair in given:
        if len(pair) == 2:
            found.setdefault(pair[0], {})[pair[1]] = None
        else:
            what = f"hold {shown(pair)}"
            faults.append(Fault(whose, what, "pairs [waiter, whom]", "name both"))
    return {waiter: list(named) for waiter, named in found.items()}
