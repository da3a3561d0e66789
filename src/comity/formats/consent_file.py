"""Consent files: a consent negotiation as a scenario file.

Here: the schema of ``kind = "consent"`` and its reader; private values leave the rules here.
Not here: prompts in free text (protocols/consent/prompt.py), score files (scores.py).
Sources: SEMANTICS C1, C4, C5, G10.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from comity.core.canonical import JsonObject, plain
from comity.core.errors import Fault, InvalidInput, raise_if
from comity.core.exact import read_exact
from comity.formats.otherwise import PROPERTIES, next_of
from comity.formats.scenario import Scenario
from comity.formats.schema import Schema
from comity.formats.work_text import work_text
from comity.mechanisms.bargaining.domain import Domain, domain_of
from comity.mechanisms.bargaining.preferences import additive
from comity.protocols.consent.rules import MAX_TURNS, ConsentLimits, ConsentRules, consent_rules

__all__ = ["SCHEMA", "read", "scenario_of"]

_NUMBER = {"anyOf": [{"type": "number"}, {"type": "string"}]}
_SEAT: Schema = {
    "type": "object",
    "additionalProperties": False,
    "required": ["priority"],
    "properties": {
        "priority": {"type": "string", "description": "the one priority the seat champions"},
        "rationale": {"type": "string"},
        "red_lines": {"type": "array", "items": {"type": "string"}},
        "willing_to_trade": {"type": "string"},
        "agent": {"type": "string"},
        "values": {
            "type": "object",
            "additionalProperties": {"type": "object", "additionalProperties": _NUMBER},
        },
        "reservation": _NUMBER,
        "unit": {"type": "string"},
    },
}
_OPTIONS: Schema = {
    "anyOf": [
        {
            "type": "array",
            "items": {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]},
        },
        {
            "type": "object",
            "additionalProperties": {
                "anyOf": [{"type": "object", "additionalProperties": _NUMBER}, *_NUMBER["anyOf"]]
            },
        },
    ]
}
SCHEMA: Schema = {
    "$schema": "http://json-schema.org/draft-04/schema#",
    "title": "comity scenario: consent",
    "type": "object",
    "additionalProperties": False,
    "required": ["kind", "question", "seats"],
    "properties": {
        "kind": {"enum": ["consent"]},
        "question": {"type": "string", "description": "what is to be decided"},
        "output": {"type": "string"},
        "work": {"type": "string"},
        "seed": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        "order": {"type": "array", "items": {"type": "string"}},
        "max_turns": {"type": "integer", "minimum": 1},
        "stall": {"type": "integer", "minimum": 1},
        "reasks": {"type": "integer", "minimum": 0},
        "turn_timeout_s": {"type": "integer", "minimum": 1},
        "tokens": {"type": "integer", "minimum": 0},
        "money": _NUMBER,
        "seats": {
            "type": "object",
            "additionalProperties": _SEAT,
            "description": "one table per advocate",
        },
        "terms": {"type": "object", "additionalProperties": _OPTIONS},
        "quantities": {"type": "object", "additionalProperties": {"type": "string"}},
        **PROPERTIES,
    },
}


def read(data: Mapping[str, Any], *, whose: str, folder: Path, seed: str) -> Scenario:
    """Build the scenario; every fault at once.

    Args:
        data: the file's data, already of the right shape.
        whose: the file's name.
        folder: where relative paths start.
        seed: the seed unless the file states one.

    Returns:
        The scenario.

    Raises:
        InvalidInput: with every fault.
    """
    faults: list[Fault] = []
    domain = _domain(data, faults)
    private: dict[str, JsonObject] = {}
    public: dict[str, object] = {}
    agents: dict[str, str] = {}
    for name, seat in data["seats"].items():
        own = {key: seat[key] for key in ("values", "reservation", "unit") if key in seat}
        if own:
            private[name] = _private(own, domain, name, whose, faults)
        if "agent" in seat:
            agents[name] = seat["agent"]
        public[name] = {key: item for key, item in seat.items() if key not in {*own, "agent"}}
    work = work_text(data.get("work"), whose, folder, faults)
    limits = _limits(data, whose, faults)
    seed = str(data.get("seed", seed))
    following, wrong = next_of(
        data, seats=list(data["seats"]), question=data["question"], seed=seed, whose=whose
    )
    faults.extend(wrong)
    try:
        rules = consent_rules(
            data["question"],
            public,
            seed=seed,
            domain=domain,
            limits=limits,
            order=data.get("order"),
            work=work,
            output=data.get("output", ""),
        )
    except InvalidInput as error:
        faults.extend(error.faults)
    raise_if(faults)
    scenario = scenario_of(rules, agents={**following.agents, **agents}, private=private)
    return replace(scenario, rules={**scenario.rules, **following.rules})


def scenario_of(
    rules: ConsentRules,
    *,
    agents: Mapping[str, str],
    private: Mapping[str, JsonObject],
) -> Scenario:
    """Return rules with their seats as a scenario.

    Args:
        rules: the rules.
        agents: seat -> how it is seated.
        private: seat -> its private values.

    Returns:
        The scenario.

    Example:
        >>> from comity.protocols.consent.rules import consent_rules
        >>> rules = consent_rules("Meetings?", {"CC": "a", "CX": "b"}, seed="1")
        >>> scenario_of(rules, agents={}, private={}).title
        'Meetings?'
    """
    plain_rules = plain(rules.to_json())
    assert isinstance(plain_rules, Mapping)
    return Scenario(
        kind="consent",
        title=rules.question,
        rules=plain_rules,
        agents=dict(agents),
        private=dict(private),
        output=rules.output,
    )


def _domain(data: Mapping[str, Any], faults: list[Fault]) -> Domain | None:
    if "terms" not in data:
        if "quantities" in data:
            faults.append(
                Fault(
                    "scenario",
                    "declares quantities without terms",
                    "[terms] beside them",
                    "declare the terms",
                )
            )
        return None
    try:
        return domain_of(data["terms"], data.get("quantities"))
    except InvalidInput as error:
        faults.extend(error.faults)
        return None


def _private(
    own: Mapping[str, Any], domain: Domain | None, name: str, whose: str, faults: list[Fault]
) -> JsonObject:
    if domain is None:
        faults.append(
            Fault(
                whose,
                f"gives seat {name!r} values without terms",
                "[terms] to value",
                "declare the terms, or remove the values",
            )
        )
        return {}
    try:
        preferences = additive(
            domain,
            own.get("values", {}),
            reservation=own.get("reservation"),
            unit=own.get("unit", "utility"),
            whose=f"seat {name!r}",
        )
    except InvalidInput as error:
        faults.extend(error.faults)
        return {}
    body = plain(preferences.to_json())
    assert isinstance(body, Mapping)
    return body


def _limits(data: Mapping[str, Any], whose: str, faults: list[Fault]) -> ConsentLimits:
    money = None
    if "money" in data:
        try:
            money = read_exact(data["money"], whose, "money")
        except InvalidInput as error:
            faults.extend(error.faults)
    seconds = data.get("turn_timeout_s")
    return ConsentLimits(
        max_turns=data.get("max_turns", MAX_TURNS),
        stall=data.get("stall"),
        reasks=data.get("reasks", 1),
        turn_timeout_ms=None if seconds is None else seconds * 1000,
        tokens=data.get("tokens"),
        money=money,
    )
