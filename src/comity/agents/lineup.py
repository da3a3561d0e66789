"""Line-up: who sits where in a decision that is opened, or taken up again?

Here: the plan of every seat of a scenario, the agents of a recorded opening, the order in which
the seats of one transcript speak.
Not here: what the words for one seat mean (seating.py), the agents themselves.
Sources: SEMANTICS C7, G7; ARCHITECTURE contract 2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from comity.agents.base import Agent
from comity.agents.model_seats import Guards, guarded
from comity.agents.scripted import order_in
from comity.agents.seating import (
    SeatPlan,
    person_seats,
    plan_seat,
    seat_agent,
    seat_names,
    seat_values,
)
from comity.core.canonical import JsonObject
from comity.core.errors import Fault, InvalidInput, raise_if
from comity.core.parties import PartyId
from comity.formats.scenario import Scenario
from comity.protocols.consent.rules import rules_from_json
from comity.session.record import Opening

__all__ = ["Prompt", "agents_of", "plans_of", "transcript_order"]

Prompt = Callable[[str, str], str | None]
"""Asks a person at a terminal: seat, words -> the answer, or None when the person left."""


def plans_of(
    scenario: Scenario, seats: Mapping[PartyId, str], *, folder: Path
) -> dict[PartyId, SeatPlan]:
    """Return how every seat of a scenario will be seated.

    Args:
        scenario: what is to be decided.
        seats: seat -> how it is seated; wins over the scenario's own.
        folder: where relative paths start.

    Raises:
        InvalidInput: with every fault: a seat that does not exist, one that stays empty, words
            that seat nobody.
    """
    names = seat_names(scenario.kind, scenario.rules)
    persons = person_seats(scenario.rules)
    listed = ", ".join((*names, *persons)) or "none"
    faults = [
        Fault("seats", f"names {seat!r}, which has no seat here", listed, "correct --agent")
        for seat in seats
        if seat not in {*names, *persons}
    ]
    plans: dict[PartyId, SeatPlan] = {}
    specs = {**scenario.agents, **seats}
    empty = [name for name in names if name not in specs]
    if empty:
        flags = " ".join(
            f"--agent {name}=claude|model:NAME@URL|command:...|rational|person|script:FILE"
            for name in empty
        )
        faults.append(
            Fault(
                "seats",
                f"{', '.join(empty)} still without an agent",
                "an agent in every seat",
                flags,
            )
        )
    for name in (*names, *persons):
        if name in specs:
            try:
                plans[name] = plan_seat(specs[name], name, folder=folder)
            except InvalidInput as error:
                faults.extend(error.faults)
    raise_if(faults)
    return plans


def agents_of(
    opening: Opening,
    private: Mapping[PartyId, JsonObject],
    prompt: Prompt | None,
    *,
    without: tuple[PartyId, ...] = (),
    guards: Guards | None = None,
) -> dict[PartyId, Agent]:
    """Return the agents of a recorded opening.

    Args:
        opening: how the session was opened.
        private: each seat's private entry.
        prompt: asks a person at a terminal; without it a person behind the decision is away.
        without: seats that the caller answers for.
        guards: what the calls of programs and models are held to.

    Raises:
        InvalidInput: when a seat cannot be built from the record.
    """
    rules = rules_from_json(opening.rules) if opening.kind == "consent" else None
    lines = {seat.id: seat.predicates for seat in rules.seats} if rules else {}
    domain, own = seat_values(opening.rules)
    away = () if prompt else person_seats(opening.rules)
    seated = {
        name: seat_agent(
            name,
            str(spec),
            {**own.get(name, {}), **private.get(name, {})},
            domain=domain if name in own else rules.domain if rules and name in lines else None,
            red_lines=lines.get(name, ()),
            prompt=prompt,
        )
        for name, spec in opening.agents.items()
        if name not in without and not (spec == "person" and name in away)
    }
    return {name: guarded(one, guards or Guards()) for name, one in seated.items()}


def transcript_order(seats: Mapping[PartyId, str], *, folder: Path) -> tuple[PartyId, ...] | None:
    """Return the speaking order of the one transcript that every seat is scripted by.

    Args:
        seats: seat -> how it is seated.
        folder: where relative paths start.

    Returns:
        The seats by their first line; None when they are not all scripted by one file, or it is
        no transcript of all of them. A file that cannot be read is told when it is seated.
    """
    specs = set(seats.values())
    spec = specs.pop() if len(specs) == 1 else ""
    if not spec.startswith("script:"):
        return None
    try:
        text = (folder / spec.removeprefix("script:")).read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    return order_in(text, tuple(seats))
