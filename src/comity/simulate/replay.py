"""Replay: does a row come out the same when it is played again?

Here: playing the negotiation of a row anew from the row and its plan, and naming every difference.
Not here: playing (play.py), reading files of rows (record.py).
Sources: SEMANTICS K2 in spirit: what is recorded can be recomputed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from comity.core.errors import Fault, InvalidInput, did_you_mean
from comity.mechanisms.bargaining.problem import Problem
from comity.simulate.guarding import foreign, guarded
from comity.simulate.plan import Plan, Task, task_id, task_seed
from comity.simulate.planning import plan_of
from comity.simulate.play import play, scene_of
from comity.simulate.record import rows_in
from comity.simulate.rows import Row

__all__ = ["replay", "replay_in"]


def replay(row: Row, plan: Plan) -> tuple[str, ...]:
    """Play the negotiation of a row again.

    Args:
        row: a row of the plan.
        plan: the plan; only its scenarios and its seed are used.

    Returns:
        The names of the fields that come out differently; none when it is the same.

    Raises:
        InvalidInput: when the plan has no such scenario, or a strategy is unknown.

    Example:
        >>> from comity.simulate.planning import plan_of
        >>> from comity.simulate.run import run
        >>> from comity.testing.bargains import sample_problem
        >>> plan = plan_of({"tls": sample_problem()}, ["linear"])
        >>> replay(run(plan)[0], plan)
        ()
    """
    entry = plan.entry(row.scenario)
    if entry is None:
        names = [one.name for one in plan.entries]
        what = f"is of the scenario {row.scenario!r}"
        next_step = did_you_mean(row.scenario, names)
        raise InvalidInput(Fault(f"row {row.id}", what, ", ".join(names), next_step))
    known = task_id(entry, row.strategies, (row.rounds, row.protocol, row.repetition))
    task = Task(
        id=known,
        scenario=row.scenario,
        strategies=row.strategies,
        rounds=row.rounds,
        protocol=row.protocol,
        repetition=row.repetition,
        seed=task_seed(plan.seed, known),
    )
    with guarded(foreign(name for _, name in row.strategies)):
        again = play(scene_of(entry), task).to_json()
    told = row.to_json()
    return tuple(name for name, value in told.items() if again[name] != value)


def replay_in(
    path: Path, row_id: str, scenarios: Mapping[str, Problem]
) -> tuple[Row, tuple[str, ...]]:
    """Play one negotiation of a file again; the file says how, the scenarios about what.

    Args:
        path: the file of a tournament.
        row_id: the id of a row, or its beginning.
        scenarios: problems, under any names; the one of the row is found by its digest.

    Returns:
        The row, and the names of the fields that come out differently.

    Raises:
        InvalidInput: when the file has no such row, or its scenario is not among those given.
    """
    header, rows = rows_in(path)
    found = [row for row in rows if row.id.startswith(row_id)]
    if header is None or len(found) != 1:
        what = f"names {len(found)} rows" if found else "names no row"
        allowed = f"the id of a row of {path}, or its beginning"
        raise InvalidInput(Fault(f"row {row_id!r}", what, allowed, "look into the file"))
    row, told = found[0], header["plan"]
    plan = plan_of(scenarios, list({name for _, name in row.strategies}), seed=_seed(path, told))
    wanted = told.get("scenarios")
    digest = wanted.get(row.scenario) if isinstance(wanted, Mapping) else None
    same = next((one for one in plan.entries if one.digest == digest), None)
    if same is None:
        what = f"is of the scenario {row.scenario!r}, which is not among those given"
        allowed = "the scenario as it was when the row was written"
        raise InvalidInput(Fault(f"row {row.id}", what, allowed, "name its file"))
    return row, replay(row, replace(plan, entries=(replace(same, name=row.scenario),)))


def _seed(path: Path, told: Mapping[str, Any]) -> str:
    seed = told.get("seed")
    if not isinstance(seed, str):
        what, allowed = "has no seed in its first line", "a file of a tournament"
        raise InvalidInput(Fault(str(path), what, allowed, "choose another file"))
    return seed
