"""Vote files: a live vote as a scenario file.

Here: the schema of ``kind = "vote"`` and its reader.
Not here: the vote (protocols/collect), files of ballots already cast (formats/ballots.py).
Sources: SEMANTICS V1, V7, V8, G7, G8.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from comity.core.canonical import plain
from comity.core.errors import Fault, InvalidInput, raise_if
from comity.formats.otherwise import PROPERTIES, next_of
from comity.formats.past_votes import n_eff_of_file
from comity.formats.scenario import Scenario
from comity.formats.schema import Schema
from comity.formats.vote_settings import SETTINGS, VOTERS, settings_of
from comity.formats.work_text import work_text
from comity.protocols.collect.opening import vote_rules
from comity.protocols.collect.rules import VoteRules

__all__ = ["SCHEMA", "read", "scenario_of"]

SCHEMA: Schema = {
    "$schema": "http://json-schema.org/draft-04/schema#",
    "title": "comity scenario: vote",
    "type": "object",
    "additionalProperties": False,
    "required": ["kind", "question", "voters"],
    "properties": {
        "kind": {"enum": ["vote"]},
        "question": {"type": "string", "description": "what is to be decided"},
        "voters": VOTERS,
        "work": {"type": "string", "description": "a text file that every voter reads"},
        "log": {"type": "string", "description": "past votes of these voters, CSV or JSON lines"},
        "seed": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        **SETTINGS,
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

    Example:
        >>> data = {"kind": "vote", "question": "Ship it?", "voters": ["ann", "bob", "cyd"]}
        >>> read(data, whose="x", folder=Path(), seed="1").rules["order"]
        ['ann', 'bob', 'cyd']
    """
    faults: list[Fault] = []
    voters = data["voters"]
    agents: dict[str, str] = {}
    seated: Any = voters
    if isinstance(voters, Mapping):
        agents = {name: own["agent"] for name, own in voters.items() if "agent" in own}
        seated = {
            name: {key: item for key, item in own.items() if key != "agent"}
            for name, own in voters.items()
        }
    work = work_text(data.get("work"), whose, folder, faults)
    settings = settings_of(data)
    if "log" in data:
        try:
            settings["n_eff"] = n_eff_of_file(folder / data["log"], list(seated))
        except InvalidInput as error:
            faults.extend(error.faults)
    seed = str(data.get("seed", seed))
    following, wrong = next_of(
        data, seats=list(seated), question=data["question"], seed=seed, whose=whose
    )
    faults.extend(wrong)
    try:
        rules = vote_rules(
            data["question"],
            seated,
            seed=seed,
            work=work,
            **settings,
        )
    except InvalidInput as error:
        faults.extend(error.faults)
    raise_if(faults)
    scenario = scenario_of(rules, agents={**following.agents, **agents})
    return replace(scenario, rules={**scenario.rules, **following.rules})


def scenario_of(rules: VoteRules, *, agents: Mapping[str, str]) -> Scenario:
    """Return rules with their seats as a scenario.

    Args:
        rules: the rules.
        agents: voter -> how it is seated.

    Returns:
        The scenario.

    Example:
        >>> rules = vote_rules("Ship it?", ["ann", "bob", "cyd"], seed="1")
        >>> scenario_of(rules, agents={}).title
        'Ship it?'
    """
    plain_rules = plain(rules.to_json())
    assert isinstance(plain_rules, Mapping)
    return Scenario(
        kind="vote", title=rules.question, rules=plain_rules, agents=dict(agents), private={}
    )
