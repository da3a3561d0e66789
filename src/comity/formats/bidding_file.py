"""Bidding files: a live auction as a scenario file.

Here: the schema of ``kind = "bidding"`` and its reader.
Not here: the auction (protocols/bidding), files of bids already made (formats/auction_file.py).
Sources: SEMANTICS A1, A2, G5, G7, G10; what an item is worth to a bidder is private to its seat.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from comity.core.canonical import Json, JsonObject, plain
from comity.core.errors import Fault, InvalidInput, raise_if
from comity.core.exact import read_exact
from comity.core.parties import PartyId
from comity.formats.otherwise import PROPERTIES, next_of
from comity.formats.scenario import Scenario
from comity.formats.schema import Schema
from comity.formats.work_text import work_text
from comity.protocols.bidding.opening import SALES, bidding_rules
from comity.protocols.bidding.rules import BiddingLimits, BiddingRules, Mode

__all__ = ["SCHEMA", "read", "scenario_of"]

_RATIONAL = "rational"
_NUMBER: Schema = {"anyOf": [{"type": "number"}, {"type": "string"}]}
_COUNT: Schema = {"type": "integer", "minimum": 1}
_BIDDER: Schema = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "agent": {"type": "string", "description": "rational, command:…, script:FILE or person"},
        "value": {
            "anyOf": [*_NUMBER["anyOf"], {"type": "array", "items": _NUMBER}],
            "description": "what it is worth to a rational bidder, or each unit is; private",
        },
    },
}
SCHEMA: Schema = {
    "$schema": "http://json-schema.org/draft-04/schema#",
    "title": "comity scenario: bidding",
    "type": "object",
    "additionalProperties": False,
    "required": ["kind", "item", "bidders", "reserve"],
    "properties": {
        "kind": {"enum": ["bidding"]},
        "item": {"type": "string", "description": "what is sold"},
        "bidders": {
            "anyOf": [
                {"type": "object", "additionalProperties": _BIDDER},
                {"type": "array", "items": {"type": "string"}},
            ],
            "description": "one table per bidder, or a list of names",
        },
        "reserve": {**_NUMBER, "description": "the least price; 0 says that there is none"},
        "mode": {"enum": list(get_args(Mode))},
        "rule": {"enum": list(SALES)},
        "commit": {"type": "boolean", "description": "hashes first, then bids"},
        "unit": {"type": "string", "description": "the unit of every amount"},
        "units": {**_COUNT, "description": "how many equal units are sold"},
        "min_bidders": _COUNT,
        "start": {**_NUMBER, "description": "where a dutch clock starts"},
        "end": {**_NUMBER, "description": "where an english clock ends"},
        "step": {**_NUMBER, "description": "how far a clock moves"},
        "levels": {"type": "integer", "minimum": 2, "description": "how many prices it has"},
        "changes": {"enum": ["last", "first", "reject"]},
        "deadline_s": {**_COUNT, "description": "for all bidders alike"},
        "reveal_s": {**_COUNT, "description": "how long committed bids may be revealed"},
        "level_s": {**_COUNT, "description": "how long a price of a clock stands"},
        "reasks": {"type": "integer", "minimum": 0},
        "work": {"type": "string", "description": "a text file that every bidder reads"},
        "seed": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        **PROPERTIES,
    },
}
_SETTINGS = ("mode", "rule", "commit", "unit", "units", "min_bidders", "start", "end", "step",
             "levels", "changes")  # fmt: skip


def read(data: Mapping[str, Any], *, whose: str, folder: Path, seed: str) -> Scenario:
    """Build the scenario; every fault at once.

    Args:
        data: the file's data, already of the right shape.
        whose: the file's name.
        folder: where relative paths start.
        seed: the seed unless the file states one.

    Returns:
        The scenario. A bidder's value goes into its private entry, with a secret drawn here for
        the nonces of its commitments.

    Raises:
        InvalidInput: with every fault.

    Example:
        >>> own = {"ann": {"value": 42}, "bob": {"agent": "person"}}
        >>> data = {"kind": "bidding", "item": "a slot", "reserve": 0, "bidders": own}
        >>> found = read(data, whose="x", folder=Path(), seed="1")
        >>> found.rules["order"], found.private, found.agents
        (['ann', 'bob'], {'ann': {'value': 42}}, {'ann': 'rational', 'bob': 'person'})
    """
    faults: list[Fault] = []
    given = data["bidders"]
    own: Mapping[str, Mapping[str, Any]] = given if isinstance(given, Mapping) else {}
    private = _private(own, is_committed=data.get("commit") is True, faults=faults)
    agents = dict.fromkeys(private, _RATIONAL)
    agents |= {name: one["agent"] for name, one in own.items() if "agent" in one}
    faults.extend(
        Fault(f"{whose} bidders.{name}", "is rational without a value", "value = a number",
              "say what it is worth to it")
        for name, agent in agents.items()
        if agent == _RATIONAL and "value" not in own[name]
    )  # fmt: skip
    work = work_text(data.get("work"), whose, folder, faults)
    seed = str(data.get("seed", seed))
    question = f"What becomes of it: {data['item']}?"
    following, wrong = next_of(data, seats=list(given), question=question, seed=seed, whose=whose)
    faults.extend(wrong)
    rules: BiddingRules | None = None
    try:
        rules = bidding_rules(
            data["item"],
            list(given),
            seed=seed,
            reserve=data["reserve"],
            limits=_limits(data),
            work=work,
            **{name: data[name] for name in _SETTINGS if name in data},
        )
    except InvalidInput as error:
        faults.extend(error.faults)
    raise_if(faults)
    assert rules is not None
    scenario = scenario_of(rules, agents={**following.agents, **agents}, private=private)
    return replace(scenario, rules={**scenario.rules, **following.rules})


def scenario_of(
    rules: BiddingRules,
    *,
    agents: Mapping[PartyId, str],
    private: Mapping[PartyId, JsonObject],
) -> Scenario:
    """Return rules with their seats as a scenario.

    Args:
        rules: the rules.
        agents: bidder -> how it is seated.
        private: bidder -> its private entry.

    Returns:
        The scenario.

    Example:
        >>> rules = bidding_rules("a slot", ["ann", "bob"], seed="1", reserve=0)
        >>> scenario_of(rules, agents={}, private={}).title
        'a slot'
    """
    recorded = plain(rules.to_json())
    assert isinstance(recorded, Mapping)
    return Scenario(
        kind="bidding",
        title=rules.item,
        rules=recorded,
        agents=dict(agents),
        private=dict(private),
    )


def _private(
    own: Mapping[str, Mapping[str, Any]], *, is_committed: bool, faults: list[Fault]
) -> dict[PartyId, JsonObject]:
    """Return what each bidder alone may know: its value, and a secret where bids are hashed."""
    found: dict[PartyId, JsonObject] = {}
    for name, one in own.items():
        if "value" not in one:
            continue
        value = one["value"]
        is_list = isinstance(value, (list, tuple))
        read_values: list[Json] = []
        for amount in value if is_list else [value]:
            try:
                read_values.append(plain(read_exact(amount, f"bidder {name!r}", "value")))
            except InvalidInput as error:
                faults.extend(error.faults)
        if not read_values:
            continue
        entry: dict[str, Json] = {"value": read_values if is_list else read_values[0]}
        if is_committed:
            entry["secret"] = secrets.token_hex(16)
        found[name] = entry
    return found


def _limits(data: Mapping[str, Any]) -> BiddingLimits:
    told = {
        f"{name}_ms": data[f"{name}_s"] * 1000
        for name in ("deadline", "reveal", "level")
        if f"{name}_s" in data
    }
    if "reasks" in data:
        told["reasks"] = data["reasks"]
    return BiddingLimits(**told)
