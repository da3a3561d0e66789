"""Review files: a review as a scenario file.

Here: the schema of ``kind = "review"`` and its reader: a preset with what the file changes in it,
or roles and phases of its own; the texts that are reviewed.
Not here: the review (protocols/review), calls that go on from earlier ones (watch/reviews.py).
Sources: SEMANTICS W3-W5, G7, G8.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from comity.core.canonical import plain
from comity.core.errors import Fault, InvalidInput, did_you_mean, raise_if
from comity.formats.scenario import Scenario
from comity.formats.schema import Schema
from comity.formats.work_text import work_text
from comity.protocols.collect.rules import Gate
from comity.protocols.review.grammar import Role
from comity.protocols.review.opening import review_rules
from comity.protocols.review.presets import (
    POWER_TRIO,
    PRESETS,
    Preset,
    phases_before,
    preset_named,
)
from comity.protocols.review.rules import DEFAULT, Phase, Reviewer, ReviewLimits, ReviewRules

__all__ = ["PRESET_NAMES", "SCHEMA", "phases_of", "read", "scenario_of"]

PRESET_NAMES = tuple(PRESETS)
"""The presets that a file or a call may name."""

_TEXTS: Schema = {"type": "array", "items": {"type": "string"}}
_COUNT: Schema = {"type": "integer", "minimum": 1}
_ROLE: Schema = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "agent": {"type": "string", "description": "command:…, script:FILE or person"},
        "kind": {"enum": list(get_args(Role))},
        "duty": {"type": "string", "description": "what it looks after"},
        "approve_when": {**_TEXTS, "description": "its criteria for approving"},
        "block_when": {**_TEXTS, "description": "its criteria for blocking"},
    },
}
_PHASE: Schema = {
    "type": "object",
    "additionalProperties": False,
    "required": ["name", "voters"],
    "properties": {
        "name": {"type": "string", "description": "the phase's name"},
        "voters": {**_TEXTS, "description": "whose approval it takes: of all of them"},
        "advisors": {**_TEXTS, "description": "who hands in findings first"},
        "about": {"type": "string", "description": "what is looked at"},
        "questions": {"type": "boolean", "description": "whether open questions hold it"},
    },
}
SCHEMA: Schema = {
    "$schema": "http://json-schema.org/draft-04/schema#",
    "title": "comity scenario: review",
    "type": "object",
    "additionalProperties": False,
    "required": ["kind", "work"],
    "properties": {
        "kind": {"enum": ["review"]},
        "work": {"type": "string", "description": "the text file that is reviewed"},
        "name": {"type": "string", "description": "what it is called; calls of one name go on"},
        "preset": {"enum": list(PRESET_NAMES)},
        "phases": {
            "type": "array",
            "items": {"anyOf": [{"type": "string"}, _PHASE]},
            "description": "phases of the preset by name, or own ones",
        },
        "artefacts": {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "description": "later phase = the text file that it reviews",
        },
        "needs": {**_TEXTS, "description": "phases that have to pass before the first of these"},
        "roles": {"type": "object", "additionalProperties": _ROLE},
        "reviser": {
            "type": "object",
            "additionalProperties": False,
            "required": ["seat"],
            "properties": {"seat": {"type": "string"}, "agent": {"type": "string"}},
            "description": "who makes new versions",
        },
        "blocks": {**_COUNT, "description": "the N-th block becomes a risk"},
        "never_waived": {**_TEXTS, "description": "categories that go to a person"},
        "mitigation": {"type": "string", "description": "what is done about a risk"},
        "max_rounds": {**_COUNT, "description": "rounds of a phase"},
        "reasks": {"type": "integer", "minimum": 0},
        "deadline_s": {**_COUNT, "description": "for one round of asking, for all alike"},
        "human": {"type": "boolean", "description": "false: no person is asked"},
        "person": {
            "type": "object",
            "additionalProperties": False,
            "properties": {"seat": {"type": "string"}, "deadline_s": _COUNT},
            "description": "who decides what waits",
        },
        "seed": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
    },
}


def phases_of(preset: str) -> tuple[str, ...]:
    """Return the phases of a preset, in order.

    Args:
        preset: its name.

    Raises:
        UnknownName: when there is none of this name.

    Example:
        >>> phases_of("power-trio")[0]
        'plan'
    """
    return tuple(one.name for one in preset_named(preset).phases)


def read(data: Mapping[str, Any], *, whose: str, folder: Path, seed: str) -> Scenario:
    """Build the scenario; every fault at once.

    Args:
        data: the file's data, already of the right shape.
        whose: the file's name.
        folder: where relative paths start.
        seed: not used: a review draws no lots.

    Returns:
        The scenario.

    Raises:
        InvalidInput: with every fault.

    Example:
        >>> from tempfile import mkdtemp
        >>> folder = Path(mkdtemp())
        >>> _ = (folder / "PLAN.md").write_text("Build it.")
        >>> data = {"kind": "review", "work": "PLAN.md", "phases": ["plan"]}
        >>> read(data, whose="x", folder=folder, seed="1").rules["order"]
        ['Architect', 'Critic', 'Planner']
    """
    del seed
    faults: list[Fault] = []
    given = data.get("phases")
    uses_preset = given is None or any(isinstance(one, str) for one in given)
    preset = PRESETS[data["preset"]] if "preset" in data else POWER_TRIO if uses_preset else None
    phases = _phases(data, preset, whose, folder, faults)
    roles = _roles(data.get("roles", {}), preset, phases)
    reviser = data.get("reviser", {})
    agents = {name: own["agent"] for name, own in data.get("roles", {}).items() if "agent" in own}
    if "agent" in reviser:
        agents[reviser["seat"]] = reviser["agent"]
    settings = {name: data[name] for name in ("never_waived", "mitigation") if name in data}
    needs = phases_before(preset, phases[0].name) if preset and phases else ()
    settings["needs"] = data.get("needs", needs)
    rules: ReviewRules | None = None
    if not phases:
        raise_if(faults)
    try:
        rules = review_rules(
            str(data.get("name", data["work"])),
            phases,
            roles,
            preset=preset.name if preset else "",
            reviser=reviser.get("seat", ""),
            limits=_limits(data),
            gate=_gate(data),
            **settings,
        )
    except InvalidInput as error:
        faults.extend(error.faults)
    raise_if(faults)
    assert rules is not None
    used = {name: how for name, how in agents.items() if name in rules.seats}
    return scenario_of(rules, agents=used)


def scenario_of(rules: ReviewRules, *, agents: Mapping[str, str]) -> Scenario:
    """Return rules with their seats as a scenario.

    Args:
        rules: the rules.
        agents: role -> how it is seated.

    Returns:
        The scenario.

    Example:
        >>> from comity.protocols.review.presets import preset_rules
        >>> rules = preset_rules("power-trio", "PLAN.md", artefact="Build it.", phases=["plan"])
        >>> scenario_of(rules, agents={}).title
        'Review of PLAN.md'
    """
    plain_rules = plain(rules.to_json())
    assert isinstance(plain_rules, Mapping)
    return Scenario(
        kind="review",
        title=f"Review of {rules.name}",
        rules=plain_rules,
        agents=dict(agents),
        private={},
    )


def _phases(
    data: Mapping[str, Any], preset: Preset | None, whose: str, folder: Path, faults: list[Fault]
) -> list[Phase]:
    """Return the phases with what each reviews, as far as the file says it."""
    known = {one.name: one for one in preset.phases} if preset else {}
    found: list[Phase] = []
    for one in data.get("phases", list(known)):
        if not isinstance(one, str):
            found.append(
                Phase(
                    name=one["name"],
                    voters=tuple(one["voters"]),
                    about=one.get("about", ""),
                    advisors=tuple(one.get("advisors", ())),
                    has_questions=one.get("questions", False),
                )
            )
        elif one in known:
            found.append(known[one])
        else:
            what = f"names the phase {one!r}, which its preset does not have"
            faults.append(Fault(whose, what, ", ".join(known), did_you_mean(one, known)))
    files = {**data.get("artefacts", {}), **({found[0].name: data["work"]} if found else {})}
    names = [one.name for one in found]
    faults += [
        Fault(whose, f"names a text for {one!r}, which is no phase here", ", ".join(names),
              did_you_mean(one, names))
        for one in files
        if one not in names
    ]  # fmt: skip
    texts = {name: work_text(path, whose, folder, faults) for name, path in files.items()}
    return [replace(one, artefact=texts.get(one.name, "")) for one in found]


def _roles(
    given: Mapping[str, Mapping[str, Any]], preset: Preset | None, phases: list[Phase]
) -> list[Reviewer]:
    """Return the roles: those of the preset that the phases use, changed, and the file's own."""
    used = {name for one in phases for name in (*one.voters, *one.advisors)}
    known = {one.id: one for one in preset.reviewers} if preset else {}
    roles = {name: one for name, one in known.items() if name in used}
    for name, own in given.items():
        if name in known and name not in used:
            continue  # a role of the preset in a phase that is not reviewed here
        told: dict[str, Any] = {key: own[key] for key in ("kind", "duty") if key in own}
        for key in ("approve_when", "block_when"):
            if key in own:
                told[key] = tuple(own[key])
        roles[name] = replace(known.get(name, Reviewer(id=name)), **told)
    return list(roles.values())


def _limits(data: Mapping[str, Any]) -> ReviewLimits:
    told = {name: data[name] for name in ("blocks", "max_rounds", "reasks") if name in data}
    if "deadline_s" in data:
        told["deadline_ms"] = data["deadline_s"] * 1000
    return ReviewLimits(**told)


def _gate(data: Mapping[str, Any]) -> Gate:
    person = dict(data.get("person", {}))
    if "deadline_s" in person:
        person["deadline_ms"] = person.pop("deadline_s") * 1000
    return Gate(on="all" if data.get("human", True) else "none", default=DEFAULT, **person)
