"""Run: the same rows whatever the processes, the interruptions and the order."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from comity.core.errors import InternalError, InvalidInput
from comity.simulate import run as module
from comity.simulate.plan import Plan
from comity.simulate.planning import plan_of
from comity.simulate.play import scene_of
from comity.simulate.run import default_jobs, run
from comity.testing.bargains import sample_problem

in_processes = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")


@in_processes
def test_c29_the_rows_are_the_same_with_one_process_and_with_several(small: Plan) -> None:
    alone = run(small, jobs=1)
    assert run(small, jobs=2) == alone == run(small, jobs=3) == run(small)
    assert [row.id for row in alone] == [task.id for task in small.tasks()]


@in_processes
def test_c4_a_strategy_of_somebody_fails_in_a_process_as_it_does_here(
    broken: Callable[..., str],
) -> None:
    name = broken(offer=RuntimeError("boom"))
    plan = plan_of({"tls": sample_problem()}, [name, "linear"])
    assert run(plan, jobs=2) == run(plan, jobs=1)


def test_progress_is_told_from_the_start_to_the_end(small: Plan) -> None:
    told: list[tuple[int, int]] = []
    run(small, progress=lambda done, total: told.append((done, total)))
    assert told == [(done, 27) for done in range(28)]


@in_processes
def test_progress_of_several_processes_comes_in_chunks(small: Plan) -> None:
    told: list[tuple[int, int]] = []
    run(small, jobs=2, progress=lambda done, total: told.append((done, total)))
    assert told[0] == (0, 27)
    assert told[-1] == (27, 27)
    assert [done for done, _ in told] == sorted(done for done, _ in told)


@pytest.mark.parametrize("jobs", [0, -1, True, "2", 1.0, 257])
def test_jobs_that_are_no_number_of_processes_are_refused(small: Plan, jobs: Any) -> None:
    with pytest.raises(InvalidInput, match="jobs"):
        run(small, jobs=jobs)


def test_small_plans_run_in_this_process_and_large_ones_on_every_core(small: Plan) -> None:
    assert default_jobs(small, 27) == 1
    cores = default_jobs(small, 10_000)
    assert cores >= 1
    assert default_jobs(small, 1) == 1


def test_without_affinity_all_cores_count(small: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("os.sched_getaffinity", raising=False)
    monkeypatch.setattr("os.cpu_count", lambda: None)
    assert default_jobs(small, 10_000) == 1
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    assert default_jobs(small, 10_000) == 8


class Stop(Exception):
    """Stands for whatever ends a run."""


@pytest.mark.parametrize("at", [0, 1, 5, 26])
def test_c26_a_stopped_run_goes_on_and_ends_with_the_same_bytes(
    small: Plan, tmp_path: Path, at: int
) -> None:
    whole = tmp_path / "whole.jsonl"
    rows = run(small, out=whole)
    path = tmp_path / "stopped.jsonl"

    def stop(done: int, total: int) -> None:
        del total
        if done == at:
            raise Stop

    with pytest.raises(Stop):
        run(small, out=path, progress=stop)
    assert path.read_bytes() != whole.read_bytes()
    told: list[int] = []
    assert run(small, out=path, progress=lambda done, _: told.append(done)) == rows
    assert told == list(range(at, 28))
    assert path.read_bytes() == whole.read_bytes()
    assert sorted(tmp_path.iterdir()) == [path, whole]


def test_a_whole_file_is_not_played_again(
    small: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rows.jsonl"
    rows = run(small, out=path)

    def never(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("comity.simulate.run.play", never)
    assert run(small, out=path) == rows


def test_scenes_are_made_once_per_scenario(small: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def counted(entry: Any) -> Any:
        made.append(entry.name)
        return scene_of(entry)

    monkeypatch.setattr("comity.simulate.run.scene_of", counted)
    run(small)
    assert sorted(made) == ["cake", "hopeless", "tls"]


def test_a_process_that_dies_is_told_and_what_was_written_is_kept(
    small: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Dying:
        def __init__(self, *_: object, **__: object) -> None:
            self.closed = False

        def submit(self, *_: object) -> Future[Any]:
            found: Future[Any] = Future()
            found.set_exception(BrokenProcessPool())
            return found

        def shutdown(self, **_: object) -> None:
            self.closed = True

    monkeypatch.setattr("comity.simulate.run.ProcessPoolExecutor", Dying)
    path = tmp_path / "rows.jsonl"
    with pytest.raises(InternalError, match="lost one of its processes"):
        run(small, jobs=2, out=path)
    assert path.read_text().count("\n") == 1


def test_a_process_that_is_begun_leaves_signals_to_the_one_that_began_it(
    small: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_to: dict[int, object] = {}
    started: list[tuple[object, ...]] = []

    class Watching:
        def __init__(self, *, target: object, args: tuple[int], daemon: bool) -> None:
            started.append((target, args, daemon))

        def start(self) -> None:
            started.append(("started",))

    monkeypatch.setattr(module, "_stages", [])
    monkeypatch.setattr(signal, "signal", set_to.__setitem__)
    monkeypatch.setattr(module, "Thread", Watching)
    entries = {one.name: one for one in small.entries}
    monkeypatch.setattr(module, "parent_process", lambda: None)
    module._begin(entries, {})
    assert not started
    monkeypatch.setattr(module, "parent_process", lambda: SimpleNamespace(sentinel=5))
    module._begin(entries, {})
    assert started == [(module._end_with, (5,), True), ("started",)]
    assert set_to == {signal.SIGINT: signal.SIG_IGN, signal.SIGTERM: signal.SIG_DFL}
    tasks = small.tasks()[:3]
    assert module._play_chunk(tasks) == [
        row for row in run(small) if row.id in {one.id for one in tasks}
    ]


def test_a_process_ends_when_the_one_that_began_it_has_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended: list[object] = []
    monkeypatch.setattr(module, "wait", ended.append)
    monkeypatch.setattr(os, "_exit", ended.append)
    module._end_with(5)
    assert ended == [[5], 1]
