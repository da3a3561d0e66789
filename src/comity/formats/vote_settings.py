"""Vote settings: what may a vote in a file be told beside its question and its voters?

Here: their schema, and turning them into what `vote_rules` takes.
Not here: vote files (vote_file.py), votes that follow another decision (otherwise.py).
Sources: SEMANTICS V1, V7, V8, G5 (numbers with a point stay as they are written), G8.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from comity.formats.schema import Schema
from comity.protocols.collect.rules import Gate, VoteLimits

__all__ = ["PERSON", "SETTINGS", "VOTERS", "gate_of", "settings_of"]

_NUMBER = {"anyOf": [{"type": "number"}, {"type": "string"}]}
_VOTER: Schema = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "agent": {"type": "string", "description": "command:…, script:FILE or person"},
        "weight": {**_NUMBER, "description": "exact; 0 is heard and never counted"},
        "model": {"type": "string", "description": "what it runs on"},
        "prompt": {"type": "string", "description": "the digest or name of its prompt"},
        "evidence": {"type": "string", "description": "the digest or name of what it saw"},
    },
}
VOTERS: Schema = {
    "anyOf": [
        {"type": "object", "additionalProperties": _VOTER},
        {"type": "array", "items": {"type": "string"}},
    ],
    "description": "one table per voter, or a list of names",
}
"""Who votes."""

PERSON: Schema = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "seat": {"type": "string"},
        "deadline_s": {"type": "integer", "minimum": 1},
        "default": {"type": "string", "description": "accept, or an option"},
    },
    "description": "the person who decides what is thin or undecided",
}
"""The person behind a decision."""

SETTINGS: dict[str, Schema] = {
    "options": {
        "anyOf": [
            {"type": "array", "items": {"type": "string"}},
            {"type": "object", "additionalProperties": {"type": "string"}},
        ],
        "description": "what may be voted for, as a list or as option -> what it means; none for "
        "yes or no",
    },
    "ballot": {"enum": ["choice", "yes_no", "ranking", "approval", "score"]},
    "rule": {"type": "string", "description": "as `comity vote --help` lists them"},
    "threshold": {**_NUMBER, "description": 'majority, "at least 2/3", unanimous, …'},
    "base": {"enum": ["roster", "present", "expressed"]},
    "ties": {"type": "string", "description": "none, lot, chair:VOTER, status_quo:OPTION, …"},
    "parameters": {"type": "object", "description": "other parameters of the rule"},
    "deadline_s": {"type": "integer", "minimum": 1, "description": "for all voters alike"},
    "reasks": {"type": "integer", "minimum": 0},
    "least_voters": {"type": "integer", "minimum": 1},
    "changes": {"enum": ["last", "first", "reject"]},
    "absent": {"enum": ["abstain", "against", "extend", "person"]},
    "default_option": {"type": "string"},
    "early": {"type": "boolean"},
    "veto_holders": {"type": "array", "items": {"type": "string"}},
    "turnout_floor": _NUMBER,
    "human": {"type": "boolean", "description": "false: no person looks at thin results"},
    "person": PERSON,
}
"""What a vote is told beside its question and its voters; a vote that follows another decision
takes the same."""


def settings_of(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `vote_rules` is told, from the keys of a file.

    Args:
        data: a table with any of `SETTINGS`.

    Returns:
        The settings, unchecked.

    Example:
        >>> settings_of({"options": {"A": "the first"}, "threshold": "unanimous"})["about"]
        {'A': 'the first'}
    """
    settings: dict[str, Any] = {
        name: data[name]
        for name in ("rule", "changes", "absent", "default_option", "early", "veto_holders",
                     "turnout_floor")
        if name in data
    }  # fmt: skip
    if "ballot" in data:
        settings["kind"] = data["ballot"]
    options = data.get("options")
    if isinstance(options, Mapping):
        settings["about"] = {name: text for name, text in options.items() if text}
    if options is not None:
        settings["options"] = list(options)
    own = {name: data[name] for name in ("threshold", "base", "ties") if name in data}
    settings["parameters"] = {**_exactly(data.get("parameters", {})), **_exactly(own)}
    limits = {name: data[name] for name in ("reasks", "least_voters") if name in data}
    if "deadline_s" in data:
        limits["deadline_ms"] = data["deadline_s"] * 1000
    settings["limits"] = VoteLimits(**limits)
    settings["gate"] = gate_of(data)
    return settings


def gate_of(data: Mapping[str, Any]) -> Gate:
    """Return the person behind a decision, from the keys ``human`` and ``person``.

    Args:
        data: a table with any of these.

    Example:
        >>> gate_of({"human": False}).on, gate_of({"person": {"deadline_s": 60}}).deadline_ms
        ('none', 60000)
    """
    person = dict(data.get("person", {}))
    if "deadline_s" in person:
        person["deadline_ms"] = person.pop("deadline_s") * 1000
    return Gate(on="all" if data.get("human", True) else "none", **person)


def _exactly(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters with numbers that have a point as their text, so that they stay exact."""
    return {
        name: repr(value) if isinstance(value, float) else value
        for name, value in parameters.items()
    }
