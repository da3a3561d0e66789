"""Share files: one budget and what each agent gains from it, as a scenario file.

Here: the schema of ``kind = "share"`` and its reader.
Not here: the sharing (mechanisms/sharing), tables of gains (gains_csv.py).
Sources: SEMANTICS D1-D3, G5-G7.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from comity.core.errors import Fault, InvalidInput, raise_if, shown
from comity.core.results import Outcome
from comity.formats.plain_faults import in_plain_words
from comity.formats.rates import RATES, rates_of
from comity.formats.scenario import Scenario
from comity.formats.schema import Schema
from comity.formats.written_numbers import as_written
from comity.mechanisms.sharing.divide import divide
from comity.mechanisms.sharing.reading import read_rules, share_rules_from_json
from comity.mechanisms.sharing.rules import Measure, Objective

__all__ = ["SCHEMA", "decided", "read"]

_NUMBER = {"anyOf": [{"type": "number"}, {"type": "string"}]}
_PAIRS: Schema = {"type": "array", "items": {"type": "array", "items": _NUMBER}}
_CURVE: dict[str, Schema] = {
    "segments": {**_PAIRS, "description": "[[width, slope], ...]: what each more brings"},
    "points": {**_PAIRS, "description": "[[amount, gain], ...]: straight lines between them"},
    "demand": {**_NUMBER, "description": "a gain of 1 for each unit of money up to it"},
    "power": {**_NUMBER, "description": "scale * amount ** power, above 0 and below 1"},
    "log": {**_NUMBER, "description": "scale * ln(1 + amount / log)"},
    "saturating": {**_NUMBER, "description": "scale * (1 - e ** (-amount / saturating))"},
}
_OWN: dict[str, tuple[str, Schema]] = {
    "minimum": ("minimum", {**_NUMBER, "description": "what it gets at least"}),
    "maximum": ("maximum", {**_NUMBER, "description": "what it gets at most"}),
    "weight": ("weights", {**_NUMBER, "description": "how much its gain counts"}),
    "unit": ("units", {"type": "string", "description": "what its gain is measured in"}),
    "ratio": ("ratios", {**_NUMBER, "description": "realised gain for each one claimed"}),
    "asks": ("asks", {**_NUMBER, "description": "what it would ask for under the rules beside"}),
    "priority": ("priorities", {**_NUMBER, "description": "for static priority beside"}),
}
"""What an agent may state beside its curve -> the rule it goes to, and its schema."""

_AGENT: Schema = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        **_CURVE,
        "scale": {**_NUMBER, "description": "what a smooth curve is multiplied by"},
        **{name: schema for name, (_, schema) in _OWN.items()},
    },
}
_FOR_ALL = {**_NUMBER, "description": "the same for every agent"}
SCHEMA: Schema = {
    "$schema": "http://json-schema.org/draft-04/schema#",
    "title": "comity scenario: share",
    "type": "object",
    "additionalProperties": False,
    "required": ["kind", "budget", "agents"],
    "properties": {
        "kind": {"enum": ["share"]},
        "question": {"type": "string", "description": "what the budget is for"},
        "budget": {**_NUMBER, "description": "how much there is"},
        "agents": {
            "type": "object",
            "additionalProperties": {"anyOf": [_AGENT, _PAIRS]},
            "description": "agent = [[width, slope], ...], or one table per agent",
        },
        "objective": {"enum": list(get_args(Objective))},
        "measure": {"enum": list(get_args(Measure)), "description": "what leximin makes equal"},
        "minimum": _FOR_ALL,
        "maximum": _FOR_ALL,
        "arrivals": {
            "type": "array",
            "items": {"anyOf": [{"type": "string"}, {"type": "array"}]},
            "description": "who came first; a list inside came together",
        },
        "quantum": {**_NUMBER, "description": "the smallest amount handed out"},
        "concavify": {"type": "boolean"},
        "credits": {"type": "boolean", "description": "charge each what the others lose by it"},
        "rates": RATES,
        "seed": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
    },
}
_PLACES = {"rules": "", "claims": " agents"}
"""Where the rules see a fault -> which part of the file that is."""

_AS_SAID = ("budget", "objective", "measure", "arrivals", "quantum", "concavify", "credits")


def read(data: Mapping[str, Any], *, whose: str, folder: Path, seed: str) -> Scenario:
    """Build the scenario; every fault at once.

    Args:
        data: the file's data, already of the right shape.
        whose: the file's name.
        folder: where relative paths start; a budget names none.
        seed: the seed of every lot unless the file states one.

    Returns:
        The scenario.

    Raises:
        InvalidInput: with every fault.

    Example:
        >>> agents = {"a": [[4, 2]], "b": {"power": "0.5", "minimum": 1}}
        >>> data = {"kind": "share", "budget": 9, "agents": agents}
        >>> read(data, whose="x", folder=Path(), seed="1").rules["minimum"]
        {'b': 1}
    """
    del folder
    faults: list[Fault] = []
    rules: dict[str, Any] = {key: data[key] for key in _AS_SAID if key in data}
    rules["claims"] = {name: _curve(own) for name, own in data["agents"].items()}
    for key, (place, _) in _OWN.items():
        own = {
            name: one[key]
            for name, one in data["agents"].items()
            if isinstance(one, Mapping) and key in one
        }
        if key in data:  # for all, and not for those who state their own
            own = {**dict.fromkeys(data["agents"], data[key]), **own} if own else data[key]
        if own not in ({}, None):
            rules[place] = own
    try:
        rates = rates_of(data.get("rates", {}), whose=whose)
        if rates is not None:
            rules["rates"] = {"unit": rates.unit, "worth": dict(rates.worth)}
    except InvalidInput as error:
        faults.extend(error.faults)
    rules = {**as_written(rules), "seed": str(data.get("seed", seed))}
    try:
        read_rules(share_rules_from_json(rules))
    except InvalidInput as error:
        faults.extend(error.faults)
    raise_if(_in_words_of(whose, faults))
    return Scenario(
        kind="share",
        title=str(data.get("question") or f"A budget of {_brief(data['budget'])}"),
        rules=rules,
        agents={},
        private={},
    )


def decided(scenario: Scenario) -> Outcome:
    """Return how a budget is shared, without recording it.

    Args:
        scenario: as `read` returns it.

    Raises:
        InvalidInput: never, for a scenario that `read` returned.

    Example:
        >>> data = {"kind": "share", "budget": 9, "agents": {"a": [[4, 2]], "b": [[9, 1]]}}
        >>> decided(read(data, whose="x", folder=Path(), seed="1")).kind
        'allocation'
    """
    return divide(share_rules_from_json(scenario.rules))


def _in_words_of(whose: str, faults: list[Fault]) -> list[Fault]:
    """Return faults in the words of the file."""
    return [
        replace(one, whose=whose + _PLACES[one.whose]) if one.whose in _PLACES else one
        for one in in_plain_words(faults)
    ]


def _curve(own: Any) -> Any:  # noqa: ANN401  # a table or a list of pieces
    """Return an agent's gain curve, without what else it states."""
    if not isinstance(own, Mapping):
        return own
    return {key: item for key, item in own.items() if key not in _OWN}


def _brief(budget: object) -> str:
    text = str(as_written(budget))
    return text if len(text) <= 40 else shown(text)[:40]
