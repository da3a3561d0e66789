"""Opening: what is recorded of a scenario before anybody is asked?

Here: the opening of a scenario with its private entries, where its programs and its document are
looked for.
Not here: recording it (local.py, handed.py), reading scenarios (formats/).
Sources: SEMANTICS K1, C7; ARCHITECTURE contract 2.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path

from comity import __version__
from comity.agents.lineup import plans_of
from comity.agents.seating import with_strategies
from comity.core.canonical import JsonObject
from comity.core.errors import Fault
from comity.core.parties import PartyId
from comity.formats.scenario import Scenario
from comity.runner.document import document_path
from comity.session.record import Opening

__all__ = ["elsewhere", "opening_of"]


def opening_of(
    scenario: Scenario,
    seats: Mapping[PartyId, str],
    *,
    folder: Path,
    limits: JsonObject,
    allow_outside: bool = False,
) -> tuple[Opening, dict[PartyId, JsonObject]]:
    """Return how a scenario is opened, and each seat's private entry.

    Args:
        scenario: what is to be decided.
        seats: seat -> how it is seated; wins over the scenario's own.
        folder: where relative paths start.
        limits: what the calls of programs and models are held to, as it is recorded.
        allow_outside: whether the document may be written outside ``folder``.

    Raises:
        InvalidInput: with every fault.
    """
    if scenario.output:
        document_path(scenario.output, folder, allow_outside=allow_outside)
    plans = plans_of(scenario, seats, folder=folder)
    private: dict[PartyId, JsonObject] = {}
    for seat, plan in plans.items():
        body = {**scenario.private.get(seat, {}), **plan.private}
        if body:
            private[seat] = body
    opening = Opening(
        kind=scenario.kind,
        title=scenario.title,
        rules=with_strategies(scenario.rules, plans),
        agents={seat: plan.spec for seat, plan in plans.items()},
        made_by=__version__,
        folder=str(folder.resolve()),
        limits=limits,
    )
    return opening, private


def elsewhere(opening: Opening, folder: Path) -> tuple[Fault, ...]:
    """Refuse to go on in another folder when programs or the document are looked for there.

    Args:
        opening: how the session was opened.
        folder: where it would go on.
    """
    here = str(folder.resolve())
    uses = any(str(spec).startswith("command:") for spec in opening.agents.values())
    if opening.folder in {"", here} or not (uses or opening.rules.get("output")):
        return ()
    return (
        Fault(
            "session",
            f"was opened in {opening.folder}, where its programs and its document are",
            "the folder it was opened in",
            f"cd {shlex.quote(opening.folder)} and resume it there",
        ),
    )
