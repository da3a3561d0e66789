"""Comity worker: its words, and what it tells (the worker itself: tests/faults/test_durable_*)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from comity.app import App, Event
from comity.core.results import Choice, Grounds
from comity.core.step import Step
from comity.runner.crew import Workers

Comity = Callable[..., Any]


@pytest.fixture
def worked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Note what a worker was asked instead of being one; it ends two sessions."""
    calls: list[dict[str, Any]] = []

    def work(self: Workers, **options: Any) -> str:
        tell = options.pop("tell")
        calls.append(options)
        tell("w1", "begins", 0)
        grounds = Grounds(rule="r", ended_by="e", inputs_digest="0")
        step = Step(state=None, outcome=Choice(option="A", grounds=grounds))
        assert self._listen is not None
        for name in ("d_1", "d_2"):
            self._listen(Event(kind="asked", session=name))
            self._listen(Event(kind="sealed", session=name, step=step))
        tell("w1", "stops", 0)
        return "w1"

    monkeypatch.setattr(Workers, "work", work)
    return calls


def test_a_worker_tells_what_it_brought_to_its_end(
    comity: Comity, here: Path, worked: list[dict[str, Any]]
) -> None:
    said = comity("worker")
    assert (said.code, said.out) == (0, "")
    began, *ended = said.err.splitlines()
    assert began.startswith("worker w1: pid ")
    assert ended == ["d_1: choice", "d_2: choice"]
    assert worked == [{"slots": 100, "folder": here, "once": False}]


def test_as_json_it_tells_its_name_and_how_many(
    comity: Comity, here: Path, worked: list[dict[str, Any]]
) -> None:
    with App("comity.db") as app:
        assert app.sessions() == ()
    told = comity("worker", "--once", "--slots", "7", "--json").json
    assert told == {"v": 1, "kind": "worker", "name": "w1", "ended": 2}
    assert worked == [{"slots": 7, "folder": here, "once": True}]


def test_once_makes_no_ledger(comity: Comity, here: Path, worked: list[dict[str, Any]]) -> None:
    said = comity("worker", "--once")
    assert (said.code, "does not exist" in said.err) == (2, True)
    assert worked == []


@pytest.mark.parametrize("slots", ["0", "x", "2001"])
def test_slots_are_a_number_of_use(
    slots: str, comity: Comity, here: Path, worked: list[dict[str, Any]]
) -> None:
    said = comity("worker", "--slots", slots)
    assert (said.code, "--slots" in said.err) == (2, True)
    assert worked == []


def test_a_ledger_in_memory_is_refused(comity: Comity, here: Path) -> None:
    said = comity("worker", "--db", ":memory:")
    assert said.code == 1
    assert "in memory" in said.err


@pytest.mark.parametrize(
    ("held", "told"),
    [(0, []), (1, ["of 1 session are heard"]), (3, ["of 3 sessions are heard"])],
)
def test_an_interrupted_worker_has_left_no_call_behind(
    held: int, told: list[str], comity: Comity, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(self: Workers, **options: Any) -> str:
        options["tell"]("w1", "stops", held)
        raise KeyboardInterrupt

    monkeypatch.setattr(Workers, "work", work)
    said = comity("worker")
    *before, last = said.err.strip().splitlines()
    assert (said.code, last) == (130, "ended; no call is in flight")
    assert len(before) == len(told)
    assert all(one in line for one, line in zip(told, before, strict=True))


def test_a_second_interruption_ends_it_at_once(
    comity: Comity, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(self: Workers, **options: Any) -> str:
        try:
            raise KeyboardInterrupt
        finally:
            raise KeyboardInterrupt  # as the drain is broken off

    ended: list[int] = []
    monkeypatch.setattr(Workers, "work", work)
    monkeypatch.setattr("comity.cli.worker.os._exit", ended.append)
    said = comity("worker")
    assert ended == [130]
    assert "other workers take over" in said.err


@pytest.mark.parametrize(("count", "what"), [(0, ""), (1, "1 session is"), (2, "2 sessions are")])
def test_what_nobody_could_drive_on_is_told_at_the_end(
    count: int,
    what: str,
    comity: Comity,
    here: Path,
    worked: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with App("comity.db") as app:
        assert app.sessions() == ()
    lines = [SimpleNamespace(state="stuck")] * count + [SimpleNamespace(state="ended")]
    monkeypatch.setattr(Workers, "lines", lambda _: lines)
    said = comity("worker", "--once")
    assert said.code == 0
    assert ("stuck" in said.err) == (count > 0)
    assert what in said.err
