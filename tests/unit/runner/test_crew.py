"""runner/crew.py: what a door can ask of the workers of a ledger (ENGINE 2, 5)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from comity.app import App
from comity.core.errors import InvalidInput, LedgerError
from comity.formats.scenario import Scenario, scenario_from
from comity.ledger.entry import NewEntry
from comity.runner import crew
from comity.runner.driven import WORKERS, taking_up
from comity.runner.leases import FileLeases
from comity.runner.local import taken_up
from comity.testing.clock import FakeClock

POSITION = "PRIORITY: x\nRATIONALE: y"


def talk(folder: Path, **more: Any) -> Scenario:
    seats = {"CC": {"priority": "x", "agent": "script:said.txt"}, "CX": {"priority": "y"}}
    data = {"kind": "consent", "question": "Tea?", "seats": seats, **more}
    return scenario_from(data, whose="x", folder=folder, seed="1")


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    (tmp_path / "said.txt").write_text(f"{POSITION}\n---\n[DONE]\n", "utf-8")
    with App(str(tmp_path / "l.db"), clock=FakeClock()) as made:
        yield made
        assert made.verify().ok


def start(app: App, folder: Path, **more: Any) -> str:
    return app.workers.start(talk(folder, **more), {"CX": "person"}, folder=folder)


def lines(app: App) -> dict[str, crew.Line]:
    return {one.session: one for one in app.workers.lines()}


def test_a_session_is_recorded_though_no_worker_lives(app: App, tmp_path: Path) -> None:
    name = start(app, tmp_path)
    line = lines(app)[name]
    assert (line.state, line.driven_by, line.why) == (
        "stuck",
        WORKERS,
        "no worker lives: start `comity worker`",
    )
    assert line.waits_for == ("CC", "CX")
    assert line.to_json()["title"] == "Tea?"


def test_every_fault_of_a_scenario_is_told_before_anything_is_recorded(
    app: App, tmp_path: Path
) -> None:
    with pytest.raises(InvalidInput) as caught:
        app.workers.start(talk(tmp_path), {"GM": "person"}, folder=tmp_path)
    assert len(caught.value.faults) == 2
    assert app.ledger.heads() == ()


def test_a_session_is_open_while_its_worker_lives_and_stuck_when_it_does_not(
    app: App, tmp_path: Path
) -> None:
    name = start(app, tmp_path)
    leases = FileLeases(tmp_path / "l.db.workers")
    leases.hold("w1")
    assert lines(app)[name].state == "open"
    app.ledger.append(name, [taking_up("w1")], expected_head=None, request_id=None, now_ms=1)
    assert (lines(app)[name].state, lines(app)[name].driven_by) == ("open", "w1")
    leases.let_go()
    assert lines(app)[name].state == "stuck"


def test_what_waits_names_whom_it_waits_for_and_nobody_drives_it(app: App, tmp_path: Path) -> None:
    name = start(app, tmp_path)
    app.workers.answer(name, "CC", POSITION)
    line = lines(app)[name]
    assert (line.state, line.waits_for, line.driven_by) == ("waiting", ("CX",), "")
    with pytest.raises(InvalidInput, match="asked nothing"):
        app.workers.answer(name, "CC", "again")


def test_why_it_is_stuck_is_told(app: App, tmp_path: Path) -> None:
    name = start(app, tmp_path)
    stuck = taking_up(WORKERS, stuck="no program", times=1)
    app.ledger.append(name, [stuck], expected_head=None, request_id=None, now_ms=1)
    assert (lines(app)[name].state, lines(app)[name].why) == ("stuck", "no program")


def test_a_session_that_cannot_be_read_is_listed_as_stuck(app: App) -> None:
    body = {"kind": "nonsense", "title": "t", "rules": {}}
    app.ledger.append(
        "bad", [NewEntry("opened", body)], expected_head="", request_id=None, now_ms=1
    )
    assert (lines(app)["bad"].state, lines(app)["bad"].kind) == ("stuck", "nonsense")
    assert "does not exist" in lines(app)["bad"].why


def test_a_cancelled_session_has_ended_and_is_not_cancelled_twice(
    app: App, tmp_path: Path
) -> None:
    name = start(app, tmp_path)
    assert app.workers.cancel(name).phase == "ended"
    assert (lines(app)[name].state, lines(app)[name].result) == ("ended", "no_deal")
    with pytest.raises(InvalidInput, match="ended already"):
        app.workers.cancel(name)
    assert app.replay(name).same


def test_engine_1_a_session_moves_to_a_process_and_back(app: App, tmp_path: Path) -> None:
    name = start(app, tmp_path)
    app.workers.take(name)
    assert (lines(app)[name].state, lines(app)[name].driven_by) == ("open", "process")
    app.workers.hand_over(name)
    assert lines(app)[name].driven_by == WORKERS
    said = iter([POSITION, "[DONE]", "[CONSENT]"])
    decided = app.resume(name, folder=tmp_path, prompt=lambda *_: next(said, None))
    assert decided.session == name
    assert [one.body.get("by") for one in app.entries(name) if one.kind == "driven"] == [
        WORKERS,
        "process",
        WORKERS,
        "process",
    ]
    assert lines(app)[name].state == "ended"


def test_a_worker_needs_a_ledger_that_others_can_open(tmp_path: Path) -> None:
    with App(":memory:") as app, pytest.raises(LedgerError, match="in memory"):
        app.workers.work(slots=1, folder=tmp_path)
    with App(":memory:") as app:
        assert app.workers.lines() == ()


def test_c7_a_workers_seats_are_those_it_can_ask_and_in_the_folder_of_the_session(
    app: App, tmp_path: Path
) -> None:
    name = start(app, tmp_path, output="out.md")
    entries = app.ledger.read(name, everything=True)
    opening = taken_up(name, entries).opening
    assert sorted(crew._seated(opening, entries, tmp_path, FakeClock())) == ["CC"]
    with pytest.raises(InvalidInput, match="was opened in"):
        crew._seated(opening, entries, tmp_path.parent, FakeClock())


def test_c6_the_document_is_written_where_the_session_was_opened(app: App, tmp_path: Path) -> None:
    name = start(app, tmp_path, output="out.md")
    app.workers.cancel(name)
    session = taken_up(name, app.ledger.read(name, everything=True))
    crew._written(session, tmp_path)
    assert "[INCOMPLETE]" in (tmp_path / "out.md").read_text("utf-8")
