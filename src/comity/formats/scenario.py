"""Scenario files: one file for every decision.

Here: reading TOML or JSON, the kind it names, the table of kinds with their schema and reader.
Not here: what each kind's file holds (consent_file.py, bargain_file.py, vote_file.py,
offers_file.py, auction_file.py, share_file.py, deadlock_file.py).
Sources: TOML 1.0; SEMANTICS G5, G7. A kind is added by one row of the table.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Any

from comity.core.canonical import JsonObject
from comity.core.errors import Fault, InvalidInput, UnknownName, did_you_mean
from comity.core.parties import PartyId
from comity.formats.schema import schema_faults

__all__ = [
    "LARGEST_FILE",
    "READERS",
    "Scenario",
    "data_in",
    "json_data",
    "load_data",
    "read_scenario",
    "scenario_from",
    "schema_of",
]

LARGEST_FILE = 4_000_000

READERS: dict[str, str] = {
    "consent": "comity.formats.consent_file",
    "bargain": "comity.formats.bargain_file",
    "vote": "comity.formats.vote_file",
    "review": "comity.formats.review_file",
    "offers": "comity.formats.offers_file",
    "bidding": "comity.formats.bidding_file",
    "auction": "comity.formats.auction_file",
    "share": "comity.formats.share_file",
    "deadlock": "comity.formats.deadlock_file",
}
"""Kind -> the module with its ``SCHEMA`` and its ``read(data, whose, folder, seed)``."""

# kinds about money, whose numbers with a point are read digit by digit
_EXACT = ("auction", "bidding", "share", "deadlock")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A decision as a file states it, ready to be opened.

    Attributes:
        kind: which machine decides it.
        title: one line.
        rules: the rules as they will be recorded.
        agents: seat -> how the file seats it.
        private: seat -> what only its own agent may see.
        output: where a document goes, or "".
    """

    kind: str
    title: str
    rules: JsonObject
    agents: Mapping[PartyId, str]
    private: Mapping[PartyId, JsonObject]
    output: str = ""


def read_scenario(path: Path, *, seed: str) -> Scenario:
    """Read a scenario file.

    Args:
        path: a ``.json`` file, anything else is TOML.
        seed: the seed of every lot, unless the file states one.

    Returns:
        The scenario.

    Raises:
        InvalidInput: with every fault of the file.
    """
    return scenario_from(load_data(path), whose=path.name, folder=path.parent, seed=seed)


def load_data(path: Path, *, exact: bool = False) -> object:
    """Read a TOML or JSON file as plain data.

    Args:
        path: a ``.json`` file, anything else is TOML.
        exact: as for `data_in`.

    Returns:
        What it holds, not yet checked.

    Raises:
        InvalidInput: when it cannot be read or is neither.
    """
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise InvalidInput(
                Fault(
                    path.name, f"is larger than {LARGEST_FILE} bytes", "a small file", "shorten it"
                )
            )
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InvalidInput(
            Fault(str(path), f"cannot be read: {reason}", "a TOML or JSON file", "check the path")
        ) from error
    return data_in(text, whose=path.name, is_json=path.suffix == ".json", exact=exact)


def data_in(text: str, *, whose: str, is_json: bool, exact: bool = False) -> object:
    r"""Read TOML or JSON as plain data.

    Args:
        text: what the file holds.
        whose: the file's name, for messages.
        is_json: whether it is JSON; else it is TOML.
        exact: whether numbers with a point are decimals, digit by digit, instead of floats; so
            they are in any case where the kind is about money.

    Returns:
        What it holds, not yet checked.

    Raises:
        InvalidInput: when it is neither.

    Example:
        >>> data_in('kind = "share"\nbudget = 120.50', whose="x", is_json=False)
        {'kind': 'share', 'budget': Decimal('120.50')}
    """
    try:
        data = _parsed(text, is_json=is_json, exact=exact)
        if not exact and isinstance(data, Mapping) and data.get("kind") in _EXACT:
            return _parsed(text, is_json=is_json, exact=True)
    except (ValueError, RecursionError) as error:
        said = str(error) or type(error).__name__
        raise InvalidInput(
            Fault(
                whose,
                f"is not valid {'JSON' if is_json else 'TOML'}: {said}",
                "a file of the form that `comity schema KIND` describes",
                "correct that place",
            )
        ) from error
    return data


def _parsed(text: str, *, is_json: bool, exact: bool) -> object:
    if is_json:
        return json_data(text, exact=exact)
    return import_module("tomllib").loads(text, parse_float=_decimal if exact else float)


def json_data(text: str, *, exact: bool = False) -> object:
    """Read JSON strictly: no NaN or infinities, no key twice in one object.

    Args:
        text: the text.
        exact: whether numbers with a point become decimals, digit by digit, instead of floats.

    Returns:
        Plain data.

    Raises:
        ValueError: with the reason.

    Example:
        >>> json_data('{"a": 1}')
        {'a': 1}
    """
    return json.loads(
        text,
        parse_constant=_no_constant,
        parse_float=_decimal if exact else None,
        object_pairs_hook=_each_key_once,
    )


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except ArithmeticError:  # an exponent beyond what a decimal has
        raise ValueError(f"{text[:40]} is not a number that can be used") from None


def _each_key_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = sorted({key for key in keys if keys.count(key) > 1})
        raise ValueError(f"the key {twice[0]!r} stands twice in one object")
    return found


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number that can be used")


def scenario_from(data: object, *, whose: str, folder: Path, seed: str) -> Scenario:
    """Build a scenario from plain data.

    Args:
        data: what the file held.
        whose: the file's name, for messages.
        folder: where relative paths start.
        seed: the seed of every lot, unless the data state one.

    Returns:
        The scenario.

    Raises:
        InvalidInput: with every fault.

    Example:
        >>> from pathlib import Path
        >>> data = {
        ...     "kind": "consent",
        ...     "question": "Meetings?",
        ...     "seats": {"CC": {"priority": "Focus"}, "CX": {"priority": "Contact"}},
        ... }
        >>> scenario_from(data, whose="x", folder=Path("."), seed="1").kind
        'consent'
    """
    if not isinstance(data, Mapping):
        raise InvalidInput(Fault(whose, "is no table", "keys and values", "see `comity schema`"))
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in READERS:
        raise UnknownName(
            Fault(
                whose,
                f"has the kind {kind!r}" if kind else "names no kind",
                "kind = " + " | ".join(f'"{one}"' for one in READERS),
                did_you_mean(str(kind or ""), READERS),
            )
        )
    reader: Any = import_module(READERS[kind])
    faults = schema_faults(reader.SCHEMA, data, whose=whose)
    if faults:
        raise InvalidInput(faults)
    result = reader.read(data, whose=whose, folder=folder, seed=seed)
    assert isinstance(result, Scenario)
    return result


def schema_of(kind: str) -> JsonObject:
    """Return the JSON Schema of a kind's file.

    Args:
        kind: the kind.

    Returns:
        The schema.

    Raises:
        UnknownName: when there is no such kind.

    Example:
        >>> schema_of("consent")["properties"]["kind"]
        {'enum': ['consent']}
    """
    if kind not in READERS:
        raise UnknownName(
            Fault(
                f"kind {kind!r}", "has no schema", ", ".join(READERS), did_you_mean(kind, READERS)
            )
        )
    found: JsonObject = import_module(READERS[kind]).SCHEMA
    return found
