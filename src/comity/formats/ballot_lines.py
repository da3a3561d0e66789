"""Ballots in JSON: one object per line, or a whole election as one object?

Here: reading and writing both.
Not here: what a conversion loses (ballot_losses.py); what an election's object holds
(`Election.to_json`).
Sources: SEMANTICS V10, G5; JSON Lines.

A line is ``{"ballot": …}`` with, where there is more to say, ``"voter"``, ``"weight"`` and
``"count"``. A ballot is a name (choice, yes/no), a list of names, best first, equals in a list of
their own (ranking), a list of names (approval, which the first line or ``kind`` must say), an
object of scores, or null for an abstention. The first line may be a head without a ballot:
``kind``, ``options`` in their order, ``declared``, ``title``, ``seats``, ``notes``.

An election is the object that `Election.to_json` returns, perhaps with ``title``, ``seats``,
``names`` (the options in their order) and ``notes`` beside its own keys. Numbers are read exactly:
0.1 is one tenth.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, NoReturn

from comity.core.errors import Fault, InvalidInput, shown
from comity.formats.ballot_file import (
    BallotFile,
    BallotRow,
    Findings,
    elected,
    exact_weight,
    nearest,
    whole_count,
)
from comity.formats.schema import Schema, schema_faults
from comity.mechanisms.voting.ballots import KINDS, BallotKind
from comity.mechanisms.voting.election import Election

__all__ = ["read_ballot_json", "read_ballot_lines", "write_ballot_json", "write_ballot_lines"]

_TEXTS: Schema = {"type": "array", "items": {"type": "string"}}
_ABOUT: Schema = {
    "title": {"type": "string"},
    "seats": {"type": "integer", "minimum": 1},
    "notes": _TEXTS,
}
_HEAD: Schema = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "kind": {"enum": KINDS},
        "options": _TEXTS,
        "declared": {"type": "boolean"},
        **_ABOUT,
    },
}
_ELECTION: Schema = {
    "type": "object",
    "additionalProperties": False,
    "required": ["kind", "options", "declared", "ballots"],
    "properties": {
        "kind": {"enum": KINDS},
        "options": _TEXTS,
        "declared": {"type": "boolean"},
        "ballots": {"type": "array"},
        "invalid": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["voter", "reason", "weight"],
                "properties": {"voter": {"type": "string"}, "reason": {"type": "string"}},
            },
        },
        "roster": {"type": "array", "items": {"type": "array"}},
        "names": _TEXTS,
        **_ABOUT,
    },
}
_MOST_KEYS = 20
_ROW = ("ballot", "count", "voter", "weight")


def read_ballot_lines(
    text: str, *, kind: BallotKind | None = None, whose: str = "file"
) -> BallotFile:
    """Read JSON lines of ballots.

    Args:
        text: what the file holds.
        kind: the kind of ballot; None goes by the head, or by what the ballots are.
        whose: the file's name, for messages.

    Returns:
        The ballots.

    Raises:
        InvalidInput: with every fault and its line.

    Example:
        >>> found = read_ballot_lines('''{"voter": "ann", "ballot": ["A", ["B", "C"]]}
        ... {"voter": "bob", "ballot": null}''')
        >>> found.election.kind, found.election.size, len(found.election.abstentions)
        ('ranking', 1, 1)
    """
    findings = Findings(whose)
    objects: list[tuple[int, Any]] = []
    for at, line in enumerate(text.split("\n"), 1):
        if line.strip() and not findings.is_full:
            data = _json(line, at, findings)
            if data is not None:
                objects.append((at, data))
    head: Mapping[str, Any] = {}
    if objects and isinstance(objects[0][1], dict) and "ballot" not in objects[0][1]:
        at, head = objects.pop(0)
        _check(_HEAD, head, at, findings)
    if not objects and not head:
        findings.add("", "holds no ballot", '{"ballot": …} on each line', "check the file")
    rows = [row for at, data in objects for row in _rows(at, data, findings)]
    findings.refuse()
    stated = head.get("kind")
    if kind is not None and stated is not None and kind != stated:
        what = f"says it holds {stated} ballots, read as {shown(kind)}"
        findings.add("", what, stated, "leave the kind out")
    options = head.get("options")
    declared = options is not None and head.get("declared", True)
    found = elected(rows, findings, kind=kind or stated, options=options if declared else None)
    return BallotFile(election=found, **_about(head, found, "jsonl", head.get("options")))


def read_ballot_json(
    text: str, *, kind: BallotKind | None = None, whose: str = "file"
) -> BallotFile:
    """Read an election as `Election.to_json` returns it.

    Args:
        text: what the file holds.
        kind: None, or the kind that the election must have.
        whose: the file's name, for messages.

    Returns:
        The ballots, with roster and invalid ballots.

    Raises:
        InvalidInput: with every fault.

    Example:
        >>> import json
        >>> votes = Election({"ann": "A"}, roster=["ann", "bob"])
        >>> read_ballot_json(json.dumps(votes.to_json())).election == votes
        True
    """
    findings = Findings(whose)
    data = _json(text, "", findings)
    findings.refuse()
    _check(_ELECTION, data, "", findings)
    findings.refuse()
    rows = [
        row
        for at, one in enumerate(data["ballots"], 1)
        for row in _rows(f"ballot {at} of the list", one, findings)
    ]
    weights = [one["weight"] for one in data.get("invalid", ())]
    weights += [one[1] for one in data.get("roster", ()) if len(one) == 2]
    rows_of_weights = [
        BallotRow("roster", None, 1, "", exact_weight(one, "roster", findings)) for one in weights
    ]
    if kind not in {None, data["kind"]}:
        what = f"holds {data['kind']} ballots, read as {shown(kind)}"
        findings.add("", what, data["kind"], "leave the kind out")
    options = data["options"] if data["kind"] != "yes_no" else None
    checked = elected(rows, findings, kind=data["kind"], options=options)
    elected(rows_of_weights, findings, kind="choice")  # a common unit for these weights too
    whole = {
        **data,
        "options": list(checked.options),
        "ballots": [one for one in data["ballots"] if one.get("count", 1)],
    }
    try:
        found = Election.from_json(whole)
    except InvalidInput as error:
        for one in error.faults:
            findings.add(one.whose, one.what, one.allowed, one.next)
        raise InvalidInput(findings.faults) from error
    return BallotFile(election=found, **_about(data, found, "json", data.get("names")))


def _json(text: str, at: int | str, findings: Findings) -> Any:  # noqa: ANN401  # any JSON
    """Return what JSON says with exact numbers; None, which no line may say, with a fault."""
    try:
        found = json.loads(
            text, parse_float=Decimal, parse_constant=_constant, object_pairs_hook=_pairs
        )
    except (ValueError, ArithmeticError, RecursionError) as error:
        reason = "it is nested too deep" if isinstance(error, RecursionError) else str(error)[:200]
        findings.add(at, f"is no JSON: {reason}", "one JSON object", "correct it")
        return None
    if not isinstance(found, dict):
        findings.add(at, f"is {shown(found)}", "a JSON object", "correct it")
        return None
    return found


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {shown(key)} stands twice in one object")
        found[key] = value
    return found


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number that can be used")


def _check(schema: Schema, data: Mapping[str, Any], at: int | str, findings: Findings) -> None:
    if len(data) > _MOST_KEYS:
        findings.add(at, f"has {len(data)} keys", ", ".join(schema["properties"]), "drop some")
        return
    for fault in schema_faults(schema, data, whose=""):
        findings.add(at, fault.what, fault.allowed, fault.next)


def _rows(at: int | str, data: object, findings: Findings) -> list[BallotRow]:
    """Return the row that an object is, or none with faults."""
    if not isinstance(data, dict):
        findings.add(at, f"is {shown(data)}", "an object with a ballot", "correct it")
        return []
    for key in list(data)[:_MOST_KEYS]:
        if key not in _ROW:
            findings.add(
                at, f"has the unknown key {shown(key)}", ", ".join(_ROW), nearest(key, _ROW)
            )
    if "ballot" not in data:
        findings.add(at, "has no ballot", "a ballot, or null for an abstention", "add it")
        return []
    voter = data.get("voter", "")
    if not isinstance(voter, str) or ("voter" in data and not voter.strip()):
        findings.add(at, f"has the voter {shown(voter)}", "a name", "name the voter")
        voter = ""
    count = whole_count(data.get("count", 1), at, findings)
    weight = exact_weight(data.get("weight", 1), at, findings)
    return [BallotRow(at, data["ballot"], count, voter, weight)]


def _about(
    head: Mapping[str, Any], election: Election, file_format: str, names: Sequence[str] | None
) -> dict[str, Any]:
    listed = tuple(names or ())
    return {
        "title": head.get("title", ""),
        "seats": head.get("seats"),
        "notes": tuple(head.get("notes", ())),
        "names": listed if sorted(listed) == list(election.options) else election.options,
        "format": file_format,
    }


# --- writing ---------------------------------------------------------------------------------


def write_ballot_lines(ballot_file: BallotFile) -> str:
    """Return ballots as JSON lines with a head.

    Args:
        ballot_file: the ballots, fitted to JSON lines (`ballot_losses.fit_ballots`).

    Returns:
        The text.

    Raises:
        InvalidInput: for numbers too long to write.

    Example:
        >>> votes = Election(["A", "A"])
        >>> print(write_ballot_lines(BallotFile(election=votes, names=("A",))), end="")
        {"kind": "choice", "options": ["A"], "declared": false}
        {"ballot": "A", "count": 2}
    """
    data: Any = ballot_file.election.to_json()
    head = {
        "kind": data["kind"],
        "options": list(ballot_file.names),
        "declared": data["declared"],
        **_said(ballot_file),
    }
    return "".join(f"{_dumped(one)}\n" for one in (head, *data["ballots"]))


def write_ballot_json(ballot_file: BallotFile) -> str:
    """Return a whole election as one JSON object.

    Args:
        ballot_file: the ballots.

    Returns:
        The text; `Election.from_json` reads the object, too.

    Raises:
        InvalidInput: for numbers too long to write.

    Example:
        >>> text = write_ballot_json(BallotFile(election=Election(["A"]), names=("A",)))
        >>> Election.from_json(json.loads(text)).size
        1
    """
    data: Any = ballot_file.election.to_json()
    if ballot_file.names != ballot_file.election.options:
        data["names"] = list(ballot_file.names)
    return _dumped({**data, **_said(ballot_file)}) + "\n"


def _said(ballot_file: BallotFile) -> dict[str, Any]:
    said = {
        "title": ballot_file.title,
        "seats": ballot_file.seats,
        "notes": list(ballot_file.notes),
    }
    return {key: value for key, value in said.items() if value}


def _dumped(data: Mapping[str, Any]) -> str:
    try:
        return json.dumps(data, ensure_ascii=False, allow_nan=False)
    except ValueError as error:
        raise InvalidInput(
            Fault("json", f"cannot be written: {error}", "shorter numbers", "round them")
        ) from error
