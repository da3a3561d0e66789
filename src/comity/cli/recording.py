"""Recording: how does a one-shot decision get into the ledger?

Here: a scenario that asks nobody, and the words of `comity bargain`, decided and sealed.
Not here: the commands (bargain.py, one_shot.py), which stay light when nothing is recorded.
Sources: SEMANTICS K1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from comity.app import App, Decided, new_seed
from comity.cli.places import working_folder
from comity.formats.scenario import Scenario, scenario_from

__all__ = ["record", "record_bargain"]

_OF_A_PARTY = ("rounds", "schedule")


def record_bargain(options: Mapping[str, Any], place: str) -> Decided:
    """Decide a bargain in a ledger.

    Args:
        options: what :func:`comity.bargain` takes.
        place: the ledger.

    Returns:
        The sealed decision.

    Raises:
        InvalidInput: with every fault; nothing is recorded then.
    """
    data: dict[str, Any] = {"kind": "bargain"}
    for role in ("seller", "buyer"):
        opening, reservation = options[role]
        own = {
            name: options[f"{role}_{name}"] for name in _OF_A_PARTY if f"{role}_{name}" in options
        }
        data[role] = {"opening": opening, "reservation": reservation, **own}
    for name, value in options.items():
        if name.partition("_")[0] not in data:
            data[name] = value
    folder = working_folder()
    return record(scenario_from(data, whose="bargain", folder=folder, seed=new_seed()), place)


def record(scenario: Scenario, place: str) -> Decided:
    """Decide a scenario that asks nobody in a ledger.

    Args:
        scenario: what is to be decided.
        place: the ledger.

    Returns:
        The sealed decision.

    Raises:
        InvalidInput: with every fault; nothing is recorded then.
    """
    with App(place) as app:
        return app.decide(scenario, {}, folder=working_folder())
