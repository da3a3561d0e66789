"""Score files: multi-party games in which every party scores every option.

Here: reading a game, its terms, one private score table per seat.
Not here: playing it (protocols/consent with rational seats).
Sources: the format of `games.json` (parties, issues, thresholds) as used for scorable
multi-party games (Susskind 1985; Abdelnabi et al. 2024).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from comity.core.canonical import JsonObject, plain
from comity.core.errors import Fault, InvalidInput, UnknownName, did_you_mean, raise_if
from comity.formats.consent_file import scenario_of
from comity.formats.scenario import LARGEST_FILE, Scenario, json_data
from comity.formats.schema import Schema, schema_faults
from comity.mechanisms.bargaining.domain import Domain, domain_of
from comity.mechanisms.bargaining.preferences import additive
from comity.protocols.consent.rules import ConsentLimits, consent_rules

__all__ = ["MOVES_PER_SEAT", "game_names", "read_game"]

MOVES_PER_SEAT = 30

_GAME: Schema = {
    "type": "object",
    "required": ["parties", "issues"],
    "properties": {
        "issues": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}},
        "parties": {
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "required": ["scores", "threshold"],
                "properties": {
                    "name": {"type": "string"},
                    "threshold": {"type": "number"},
                    "scores": {
                        "type": "array",
                        "items": {"type": "array", "items": {"type": "number"}},
                    },
                },
            },
        },
    },
}


def _load(path: Path) -> Mapping[str, Any]:
    try:
        size = path.stat().st_size
        data = json_data(path.read_text("utf-8")) if size <= LARGEST_FILE else None
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InvalidInput(
            Fault(str(path), f"cannot be read: {reason}", "a JSON file of games", "check the path")
        ) from error
    if size > LARGEST_FILE:
        raise InvalidInput(
            Fault(path.name, f"is larger than {LARGEST_FILE} bytes", "a small file", "shorten it")
        )
    if not isinstance(data, Mapping) or not data:
        raise InvalidInput(Fault(path.name, "holds no game", "name -> game", "check the file"))
    return data


def game_names(path: Path) -> tuple[str, ...]:
    """Return the names of the games in a score file.

    Args:
        path: the file.

    Returns:
        The names, as the file lists them.

    Raises:
        InvalidInput: when the file cannot be read.
    """
    return tuple(_load(path))


def read_game(path: Path, game: str, *, seed: str) -> Scenario:
    """Read one game as a consent scenario with a rational advocate in every seat.

    Args:
        path: the score file.
        game: the game's name.
        seed: the seed of the speaking order and of every other lot.

    Returns:
        The scenario; each seat's scores are in its own private part and nowhere else.

    Raises:
        InvalidInput: with every fault.
    """
    data = _load(path)
    if game not in data:
        raise UnknownName(
            Fault(path.name, f"has no game {game!r}", ", ".join(data), did_you_mean(game, data))
        )
    whose = f"{path.name}: {game}"
    found = data[game]
    raise_if(schema_faults(_GAME, found, whose=whose))
    domain = _domain(found["issues"], whose)
    faults: list[Fault] = []
    private = {
        name: _scores(party, domain, f"{whose}: {name}", faults)
        for name, party in found["parties"].items()
    }
    raise_if(faults)
    count = len(private)
    rules = consent_rules(
        f"Which deal of game {game}?",
        {name: str(party.get("name") or name) for name, party in found["parties"].items()},
        seed=seed,
        domain=domain,
        limits=ConsentLimits(max_turns=count + MOVES_PER_SEAT * count * count),
    )
    return scenario_of(rules, agents=dict.fromkeys(private, "rational"), private=private)


def _domain(issues: list[list[str]], whose: str) -> Domain:
    names = [_shared_beginning(options).rstrip("0123456789 ._-") for options in issues]
    usable = all(names) and len(set(names)) == len(names)
    if not usable:
        names = [f"issue {number}" for number in range(1, len(issues) + 1)]
    if not issues:
        raise InvalidInput(Fault(whose, "has no issues", "at least one", "add issues"))
    return domain_of(dict(zip(names, issues, strict=True)))


def _shared_beginning(texts: list[str]) -> str:
    """Return the longest text that every one of them begins with."""
    first, last = min(texts, default=""), max(texts, default="")
    same = (at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other)
    return first[: next(same, len(first))]


def _scores(
    party: Mapping[str, Any], domain: Domain, whose: str, faults: list[Fault]
) -> JsonObject:
    rows = party["scores"]
    wanted = [len(term.options) for term in domain.terms]
    if [len(row) for row in rows] != wanted:
        faults.append(
            Fault(
                whose,
                f"scores {[len(row) for row in rows]} options",
                f"{wanted} per issue",
                "score every option of every issue",
            )
        )
        return {}
    values = {
        term.name: dict(zip(term.names, row, strict=True))
        for term, row in zip(domain.terms, rows, strict=True)
    }
    try:
        preferences = additive(
            domain, values, reservation=party["threshold"], unit="score", whose=whose
        )
    except InvalidInput as error:
        faults.extend(error.faults)
        return {}
    body = plain(preferences.to_json())
    assert isinstance(body, Mapping)
    return body
