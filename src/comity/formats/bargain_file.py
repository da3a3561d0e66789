"""Bargain files: haggling over one price as a scenario file.

Here: the schema of ``kind = "bargain"`` and its reader.
Not here: the bargaining (mechanisms/bargaining), its short form on the command line (cli/).
Sources: SEMANTICS B1-B10, G5, G7, G10.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from comity.core.errors import Fault, InvalidInput, raise_if
from comity.formats.otherwise import PROPERTIES, next_of
from comity.formats.scenario import Scenario
from comity.formats.schema import Schema
from comity.mechanisms.bargaining import (
    PriceParty,
    PriceRules,
    price_rules_to_json,
    schedules_for,
)

__all__ = ["ROUNDS", "SCHEMA", "read"]

ROUNDS = 5
"""How many rounds both have when the file does not say."""

_NUMBER = {"anyOf": [{"type": "number"}, {"type": "string"}]}
_ROUNDS = {
    "anyOf": [{"type": "integer", "minimum": 0}, {"enum": ["none"]}],
    "description": 'rounds until all is conceded, or "none"',
}
_SCHEDULE = {
    "anyOf": [
        {"type": "string"},
        {"type": "array", "items": _NUMBER},
    ],
    "description": "how a party concedes, or its list of offers",
}
_OF_A_PARTY: dict[str, Schema] = {
    "rounds": _ROUNDS,
    "schedule": _SCHEDULE,
    "after_deadline": {"enum": ["hold", "leave"]},
    "discount": _NUMBER,
}
_PARTY: Schema = {
    "type": "object",
    "additionalProperties": False,
    "required": ["opening", "reservation"],
    "properties": {
        "name": {"type": "string"},
        "opening": {**_NUMBER, "description": "its first offer"},
        "reservation": {**_NUMBER, "description": "the worst price it still accepts"},
        **_OF_A_PARTY,
    },
}
SCHEMA: Schema = {
    "$schema": "http://json-schema.org/draft-04/schema#",
    "title": "comity scenario: bargain",
    "type": "object",
    "additionalProperties": False,
    "required": ["kind", "seller", "buyer"],
    "properties": {
        "kind": {"enum": ["bargain"]},
        "question": {"type": "string", "description": "what the price is for"},
        "seller": {**_PARTY, "description": "opening and reservation of the seller"},
        "buyer": {**_PARTY, "description": "opening and reservation of the buyer"},
        **_OF_A_PARTY,
        "split": {
            "type": "array",
            "items": _NUMBER,
            "description": "the buyer's and the seller's part of the surplus",
        },
        "convention": {"enum": ["same_round", "next_round", "alternating", "midpoint"]},
        "first": {"enum": ["buyer", "seller"]},
        "blind": {"type": "boolean"},
        "stall": {"type": "integer", "minimum": 1},
        "monotonic": {"type": "boolean"},
        "tick": _NUMBER,
        "round_limit": {"type": "integer", "minimum": 0},
        "thin_gap": _NUMBER,
        "seed": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        **PROPERTIES,
    },
}
_OF_RULES = (
    "convention",
    "first",
    "blind",
    "stall",
    "monotonic",
    "tick",
    "round_limit",
    "thin_gap",
)


def read(data: Mapping[str, Any], *, whose: str, folder: Path, seed: str) -> Scenario:
    """Build the scenario; every fault at once.

    Args:
        data: the file's data, already of the right shape.
        whose: the file's name.
        folder: where relative paths start; a bargain names none.
        seed: the seed of every lot; a bargain draws none, what follows it may.

    Returns:
        The scenario.

    Raises:
        InvalidInput: with every fault.

    Example:
        >>> prices = {
        ...     "seller": {"opening": 120, "reservation": 70},
        ...     "buyer": {"opening": 60, "reservation": 100},
        ... }
        >>> read({"kind": "bargain", **prices}, whose="x", folder=Path(), seed="1").title
        'A price between seller and buyer'
    """
    del folder
    parties = [_party(role, data) for role in ("seller", "buyer")]
    if "split" in data:
        parties = _split(data, parties, whose)
    rules = PriceRules(parties=parties, **{name: data[name] for name in _OF_RULES if name in data})
    recorded = price_rules_to_json(rules)
    names = " and ".join(str(one.name or one.role) for one in parties)
    title = str(data.get("question") or f"A price between {names}")
    following, wrong = next_of(
        data, seats=(), question=title, seed=str(data.get("seed", seed)), whose=whose
    )
    raise_if(wrong)
    return Scenario(
        kind="bargain",
        title=title,
        rules={**recorded, **following.rules},
        agents=following.agents,
        private={},
    )


def _party(role: Any, data: Mapping[str, Any]) -> PriceParty:  # noqa: ANN401  # a Role
    shared = {name: data[name] for name in _OF_A_PARTY if name in data}
    own = {**shared, **data[role]}
    rounds = own.pop("rounds", ROUNDS)
    return PriceParty(role=role, deadline=None if rounds == "none" else rounds, **own)


def _split(data: Mapping[str, Any], parties: list[PriceParty], whose: str) -> list[PriceParty]:
    """Return the parties with the schedules that land on the wanted split."""
    seller, buyer = parties
    faults = [
        Fault(
            whose,
            f"states split beside {place}, and both say how to concede",
            "one of them",
            f"remove split or {place}",
        )
        for place, table in (
            ("schedule", data),
            ("seller.schedule", data["seller"]),
            ("buyer.schedule", data["buyer"]),
        )
        if "schedule" in table
    ]
    if buyer.deadline is None or buyer.deadline != seller.deadline:
        faults.append(
            Fault(
                whose,
                "states split with unequal or no rounds",
                "the same rounds for both",
                "state rounds once, at the top",
            )
        )
    if faults:
        raise InvalidInput(faults)
    assert buyer.deadline is not None
    both = schedules_for(
        split=data["split"],
        buyer=(buyer.opening, buyer.reservation),
        seller=(seller.opening, seller.reservation),
        rounds=buyer.deadline,
    )
    schedules = {"buyer": both.buyer, "seller": both.seller}
    return [replace(one, schedule=schedules[one.role]) for one in parties]
