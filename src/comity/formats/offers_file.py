"""Offers files: bargaining over several issues as a scenario file.

Here: the schema of ``kind = "offers"`` and its reader, for live sessions and for computed play.
Not here: the bargaining (protocols/offers, mechanisms/bargaining), the issues (offers_issues.py)
and the parties (offers_parties.py) of such a file.
Sources: SEMANTICS M1, M2, M5, G5, G6, G7, G10.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from comity.core.canonical import plain
from comity.core.errors import Fault, InvalidInput, raise_if
from comity.core.parties import PartyId
from comity.formats.loaded_problem import ROUNDS, LoadedProblem
from comity.formats.offers_issues import CONSTRAINTS, ISSUES, NUMBER, constraints_in, domain_in
from comity.formats.offers_parties import PARTIES, party_of
from comity.formats.otherwise import PROPERTIES, next_of
from comity.formats.rates import RATES, rates_of
from comity.formats.scenario import Scenario
from comity.formats.schema import Schema
from comity.formats.vote_settings import PERSON, gate_of
from comity.formats.work_text import work_text
from comity.mechanisms.bargaining.constraints import Constraint
from comity.mechanisms.bargaining.domain import Domain
from comity.mechanisms.bargaining.problem import Bargainer, problem_of
from comity.mechanisms.bargaining.solutions import POINTS
from comity.mechanisms.bargaining.turns import MOST_ROUNDS

__all__ = ["OWN_STRATEGY", "SCHEMA", "loaded_from", "read", "scenario_of"]

OWN_STRATEGY = "comity"
"""What a party plays that states neither an agent nor a strategy."""

_SECONDS = {"type": "integer", "minimum": 1}
SCHEMA: Schema = {
    "$schema": "http://json-schema.org/draft-04/schema#",
    "title": "comity scenario: offers",
    "type": "object",
    "additionalProperties": False,
    "required": ["kind", "issues", "parties"],
    "properties": {
        "kind": {"enum": ["offers"]},
        "question": {"type": "string", "description": "what is to be settled"},
        "issues": ISSUES,
        "quantities": {"type": "object", "additionalProperties": {"type": "string"}},
        **CONSTRAINTS,
        "parties": PARTIES,
        "rates": RATES,
        "rounds": {"type": "integer", "minimum": 1, "maximum": MOST_ROUNDS},
        "protocol": {"enum": ["alternating", "simultaneous", "mediated"]},
        "fallback": {"enum": ["none", "best_of_seen"]},
        "first": {"type": "string", "description": "who opens; a seeded lot unless said"},
        "crossing": {"enum": ["lot", "nash"]},
        "point": {"enum": list(POINTS), "description": "what a mediator names"},
        "monotonic": {"type": "boolean"},
        "disclose_at_end": {"type": "boolean"},
        "thin_gap": NUMBER,
        "stall": {"type": "integer", "minimum": 1},
        "reasks": {"type": "integer", "minimum": 0},
        "deadline_s": _SECONDS,
        "turn_timeout_s": _SECONDS,
        "work": {"type": "string", "description": "a text file that every seat reads"},
        "human": {"type": "boolean", "description": "false: no person looks at thin results"},
        "person": PERSON,
        "seed": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        **PROPERTIES,
    },
}
_SETTINGS = ("crossing", "point", "monotonic", "disclose_at_end", "thin_gap", "stall", "reasks")


def read(data: Mapping[str, Any], *, whose: str, folder: Path, seed: str) -> Scenario:
    """Build the scenario; every fault at once.

    Args:
        data: the file's data, already of the right shape.
        whose: the file's name.
        folder: where relative paths start.
        seed: the seed unless the file states one.

    Returns:
        The scenario. What each party thinks stands in the rules; a live session shows each seat
        its own part only.

    Raises:
        InvalidInput: with every fault.

    Example:
        >>> sides = {
        ...     "ann": {"values": {"tls": {"1.3": 1}}},
        ...     "bob": {"values": {"tls": {"1.2": 1}}},
        ... }
        >>> data = {"kind": "offers", "issues": {"tls": ["1.2", "1.3"]}, "parties": sides}
        >>> read(data, whose="x", folder=Path(), seed="1").title
        'A deal between ann and bob'
    """
    faults: list[Fault] = []
    loaded: LoadedProblem | None = None
    try:
        loaded = loaded_from(data, whose=whose)
    except InvalidInput as error:
        faults.extend(error.faults)
    work = work_text(data.get("work"), whose, folder, faults)
    title = _question(data)
    seed = str(data.get("seed", seed))
    following, wrong = next_of(
        data, seats=list(data["parties"]), question=title, seed=seed, whose=whose
    )
    faults.extend(wrong)
    gate = {"gate": gate_of(data)} if "person" in data or data.get("human") else {}
    scenario = None
    if loaded is not None:
        try:
            scenario = scenario_of(loaded, seed=seed, **gate, **({"work": work} if work else {}))
        except InvalidInput as error:
            faults.extend(error.faults)
    raise_if(faults)
    assert scenario is not None
    return Scenario(
        kind=scenario.kind,
        title=scenario.title,
        rules={**scenario.rules, **following.rules},
        agents={**following.agents, **scenario.agents},
        private={},
    )


def loaded_from(data: Mapping[str, Any], *, whose: str) -> LoadedProblem:
    """Return the problem of a file, with how it is bargained out.

    Args:
        data: the file's data, already of the right shape.
        whose: the file's name.

    Returns:
        The problem and its settings.

    Raises:
        InvalidInput: with every fault.

    Example:
        >>> sides = {"ann": {"strategy": "boulware:0.2"}, "bob": {}}
        >>> data = {"kind": "offers", "issues": {"tls": ["1.2", "1.3"]}, "parties": sides}
        >>> loaded_from(data, whose="x").strategies
        {'ann': 'boulware:0.2'}
    """
    domain = domain_in(data, whose=whose)
    faults: list[Fault] = []
    parties = _parties(data, domain, whose, faults)
    constraints: tuple[Constraint, ...] = ()
    rates = None
    try:
        constraints = constraints_in(data, domain, whose=whose)
    except InvalidInput as error:
        faults.extend(error.faults)
    try:
        rates = rates_of(data.get("rates", {}), whose=whose)
    except InvalidInput as error:
        faults.extend(error.faults)
    raise_if(faults)
    problem = problem_of(domain, parties, constraints=constraints, rates=rates)
    own = data["parties"]
    return LoadedProblem(
        problem=problem,
        question=_question(data),
        form="offers",
        rounds=data.get("rounds", ROUNDS),
        protocol=data.get("protocol", "alternating"),
        fallback=data.get("fallback", "none"),
        first=data.get("first"),
        seed=str(data["seed"]) if "seed" in data else None,
        strategies={name: own[name]["strategy"] for name in own if "strategy" in own[name]},
        agents={name: own[name]["agent"] for name in own if "agent" in own[name]},
        settings=_settings(data),
    )


def scenario_of(loaded: LoadedProblem, *, seed: str, **more: Any) -> Scenario:  # noqa: ANN401  # entries of the rules
    """Return a problem from any file as a scenario that can be opened.

    Args:
        loaded: the problem.
        seed: the seed of every lot, unless the file states one.
        **more: further entries of the rules (work, gate).

    Returns:
        The scenario of kind ``offers``.

    Raises:
        InvalidInput: when the rules do not fit together.

    Example:
        >>> sides = {"ann": {}, "bob": {}}
        >>> data = {"kind": "offers", "issues": {"tls": ["1.2", "1.3"]}, "parties": sides}
        >>> scenario_of(loaded_from(data, whose="x"), seed="7").rules["rounds"]
        100
    """
    settings: dict[str, Any] = {**loaded.settings, **more}
    # loaded late: a frontier is drawn from such a file without the live machine
    opening: Any = import_module("comity.protocols.offers.opening")
    rules = opening.offers_rules(
        loaded.question,
        loaded.problem,
        seed=loaded.seed or seed,
        rounds=loaded.rounds,
        protocol=loaded.protocol,
        fallback=loaded.fallback,
        first=loaded.first,
        strategies=loaded.strategies,
        **settings,
    )
    recorded = plain(rules.to_json())
    assert isinstance(recorded, Mapping)
    return Scenario(
        kind="offers",
        title=loaded.question,
        rules=recorded,
        agents={**_played(loaded), **loaded.agents},
        private={},
    )


def _played(loaded: LoadedProblem) -> dict[PartyId, str]:
    """Return the seats of parties that nobody else answers for: each plays a strategy."""
    return {
        name: f"strategy:{loaded.strategies.get(name, OWN_STRATEGY)}"
        for name in loaded.problem.names
    }


def _question(data: Mapping[str, Any]) -> str:
    names = sorted(data["parties"])
    listed = " and ".join([", ".join(names[:-1]), *names[-1:]] if names[1:] else names)
    return str(data.get("question") or f"A deal between {listed}")


def _parties(
    data: Mapping[str, Any], domain: Domain, whose: str, faults: list[Fault]
) -> list[Bargainer]:
    found = []
    for name, own in data["parties"].items():
        try:
            found.append(party_of(name, own, domain, whose=whose))
        except InvalidInput as error:
            faults.extend(error.faults)
    return found


def _settings(data: Mapping[str, Any]) -> dict[str, Any]:
    settings = {name: data[name] for name in _SETTINGS if name in data}
    for name in ("deadline", "turn_timeout"):
        if f"{name}_s" in data:
            settings[f"{name}_ms"] = data[f"{name}_s"] * 1000
    binds = {
        name: own["reservation_binds"]
        for name, own in data["parties"].items()
        if "reservation_binds" in own
    }
    if binds:
        settings["reservation_binds"] = binds
    return settings
