"""Run: how are all negotiations of a plan played, on every core, and taken up after a stop?

Here: which tasks are left, playing them here or in processes, progress, the sorted rows.
Not here: one task (play.py), the file of rows (record.py), what rows add up to (standings.py).
Sources: complaints 4, 5 and 29 of the research.

The rows are the same whatever the number of processes and however often it was stopped: each task
has its own seed, and rows are sorted by id.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from itertools import groupby
from multiprocessing import parent_process
from multiprocessing.connection import wait
from pathlib import Path
from threading import Thread
from typing import Any, TypedDict, Unpack

from comity.core.errors import Fault, InternalError, InvalidInput, raise_if, shown
from comity.mechanisms.bargaining.strategies import STRATEGIES
from comity.mechanisms.bargaining.strategies.registry import Entry as StrategyEntry
from comity.simulate.guarding import foreign, guarded
from comity.simulate.plan import Entry, Plan, Task
from comity.simulate.play import Scene, play, scene_of
from comity.simulate.record import Record
from comity.simulate.rows import Row

__all__ = ["MOST_JOBS", "RunOptions", "default_jobs", "run"]

MOST_JOBS = 256
_MANY_TASKS = 500
_MANY_DEALS = 20_000_000
_LONGEST_CHUNK = 25
_SCENES_KEPT = 2

Progress = Callable[[int, int], None]


class RunOptions(TypedDict, total=False):
    """The options of :func:`run`.

    Attributes:
        jobs: how many processes; 1 plays in this one. When left out, one per core for a large
            plan, else 1. Strategies of your own must be importable where processes start afresh
            instead of being forked.
        out: the file that rows are written to as they come; when it holds rows of this plan they
            are not played again.
        progress: called with how many are done, and of how many, at the start and after each.
    """

    jobs: int | None
    out: Path | str | None
    progress: Progress | None


def run(plan: Plan, **options: Unpack[RunOptions]) -> tuple[Row, ...]:
    """Play every negotiation of a plan that is not done yet.

    Args:
        plan: the plan.
        **options: see :class:`RunOptions`.

    Returns:
        Every row, sorted by id.

    Raises:
        InvalidInput: for wrong options, and a file that is damaged or of another plan.

    Example:
        >>> from comity.simulate.planning import plan_of
        >>> from comity.testing.bargains import sample_problem
        >>> rows = run(plan_of({"tls": sample_problem()}, ["linear", "micro"]))
        >>> [row.kind for row in rows]
        ['agreement', 'agreement', 'agreement', 'agreement']
    """
    given: dict[str, Any] = dict(options)
    jobs = given.get("jobs")
    if jobs is not None and not (type(jobs) is int and 1 <= jobs <= MOST_JOBS):
        allowed = f"a whole number from 1 to {MOST_JOBS}"
        raise_if([Fault("jobs", f"are {shown(jobs)}", allowed, "or leave it out")])
    tell = given.get("progress") or _silent
    if given.get("out") is None:
        return _run(plan, jobs, [], tell, _keep_nothing)
    with Record(Path(given["out"]), plan) as record:
        rows = _run(plan, jobs, record.rows, tell, record.add)
        record.finish(rows)
    return rows


def default_jobs(plan: Plan, tasks: int) -> int:
    """Return how many processes are worth their start.

    Args:
        plan: the plan.
        tasks: how many tasks are left.

    Returns:
        The number of cores this process may use for many tasks or large scenarios, else 1.
    """
    largest = max(one.problem.domain.size for one in plan.entries)
    if tasks < _MANY_TASKS and tasks * largest < _MANY_DEALS:
        return 1
    usable = getattr(os, "sched_getaffinity", None)
    cores = len(usable(0)) if usable is not None else os.cpu_count() or 1
    return max(1, min(cores, MOST_JOBS, tasks))


def _silent(done: int, total: int) -> None:
    del done, total


def _keep_nothing(rows: Sequence[Row]) -> None:
    del rows


def _run(
    plan: Plan,
    jobs: int | None,
    before: Sequence[Row],
    tell: Progress,
    keep: Callable[[Sequence[Row]], None],
) -> tuple[Row, ...]:
    tasks = plan.tasks()
    found = {row.id: row for row in before}
    left = [task for task in tasks if task.id not in found]
    tell(len(found), len(tasks))
    if left:
        count = default_jobs(plan, len(left)) if jobs is None else min(jobs, len(left))
        played = _here(plan, left) if count == 1 else _in_processes(plan, left, count)
        for rows in played:
            keep(rows)
            found.update((row.id, row) for row in rows)
            tell(len(found), len(tasks))
    return tuple(found[task.id] for task in tasks)


# --- in this process -------------------------------------------------------------------------


class _Stage:
    """The scenes of this process; the last ones used are kept."""

    __slots__ = ("_entries", "_scenes")

    def __init__(self, entries: Mapping[str, Entry]) -> None:
        self._entries = entries
        self._scenes: dict[str, Scene | str] = {}

    def scene(self, name: str) -> Scene | str:
        found = self._scenes.pop(name, None)
        if found is None:
            found = _made_ready(self._entries[name])
        while len(self._scenes) >= _SCENES_KEPT:
            del self._scenes[next(iter(self._scenes))]
        self._scenes[name] = found
        return found

    def play(self, tasks: Sequence[Task]) -> Iterator[Row]:
        names = {name for task in tasks for _, name in task.strategies}
        with guarded(foreign(names)):
            for task in tasks:
                yield play(self.scene(task.scenario), task)


def _made_ready(entry: Entry) -> Scene | str:
    try:
        return scene_of(entry)
    except InvalidInput as error:
        fault = error.faults[0]
        return f"{fault.whose}: {fault.what}"


def _by_scenario(tasks: Sequence[Task]) -> list[Task]:
    return sorted(tasks, key=lambda task: (task.scenario, task.id))


def _here(plan: Plan, tasks: Sequence[Task]) -> Iterator[list[Row]]:
    stage = _Stage({one.name: one for one in plan.entries})
    for row in stage.play(_by_scenario(tasks)):
        yield [row]


# --- in processes ----------------------------------------------------------------------------

_stages: list[_Stage] = []
"""The stage of a process that was started to play; empty in every other."""


def _begin(entries: Mapping[str, Entry], own: Mapping[str, StrategyEntry]) -> None:
    """Make a process ready: signals are for the one that started it, and it ends with that."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    STRATEGIES.update(own)
    _stages[:] = [_Stage(entries)]
    parent = parent_process()
    if parent is not None:
        Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    """End this process when the one that started it has ended, however that came about."""
    wait([sentinel])
    os._exit(1)


def _play_chunk(tasks: Sequence[Task]) -> list[Row]:
    return list(_stages[0].play(tasks))


def _chunks(tasks: Sequence[Task], jobs: int) -> list[list[Task]]:
    """Return tasks in pieces of one scenario each, small enough to share and to lose."""
    size = max(1, min(_LONGEST_CHUNK, len(tasks) // (4 * jobs)))
    found = []
    for _, group in groupby(_by_scenario(tasks), key=lambda task: task.scenario):
        listed = list(group)
        found += [listed[at : at + size] for at in range(0, len(listed), size)]
    return found


def _in_processes(plan: Plan, tasks: Sequence[Task], jobs: int) -> Iterator[list[Row]]:
    entries = {one.name: one for one in plan.entries}
    names = {name for case in plan.cases for name in case.strategies}
    own = {name: STRATEGIES[name] for name in foreign(names)}
    pool = ProcessPoolExecutor(jobs, initializer=_begin, initargs=(entries, own))
    try:
        waiting: set[Future[list[Row]]] = {
            pool.submit(_play_chunk, chunk) for chunk in _chunks(tasks, jobs)
        }
        for done in as_completed(waiting):
            yield done.result()
            waiting.discard(done)
    except BrokenProcessPool as error:
        fault = Fault(
            "tournament",
            "lost one of its processes",
            "processes that end when they are told to",
            "go on with fewer jobs; what was written to a file is kept",
        )
        raise InternalError(fault) from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
