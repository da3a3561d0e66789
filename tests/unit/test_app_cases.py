"""app.py, G8: cases on a real ledger: what waits, deciding it, taking it back, the default."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from comity.app import App
from comity.core.errors import InvalidInput
from comity.core.results import Waiting
from comity.formats.scenario import Scenario, scenario_from
from comity.runner.local import LocalRunner
from comity.session.record import Opening
from comity.testing.agents import ScriptedAgent
from comity.testing.clock import FakeClock

START_MS = 1_700_000_000_000
HOUR_MS = 3_600_000


@pytest.fixture
def place(tmp_path: Path) -> str:
    return str(tmp_path / "ledger.db")


@pytest.fixture
def app(place: str) -> Iterator[App]:
    with App(place, clock=FakeClock(START_MS)) as made:
        yield made


def scenario(**more: Any) -> Scenario:
    data = {"kind": "vote", "question": "Which?", "options": ["A", "B"], "voters": ["ann", "bob"]}
    return scenario_from({**data, **more}, whose="x", folder=Path(), seed="1")


def says(**words: str) -> dict[str, Any]:
    return {name: ScriptedAgent((f"VOTE: {said}",)) for name, said in words.items()}


def tied(app: App, folder: Path, **more: Any) -> str:
    agents = says(ann="A", bob="B")
    return app.decide(scenario(**more), {}, folder=folder, agents=agents).session


def test_g8_a_case_is_listed_decided_taken_back_and_decided_anew(app: App, tmp_path: Path) -> None:
    name = tied(app, tmp_path)
    (case,) = app.cases().waiting
    assert (case.session, case.why) == (name, ("tie",))
    done = app.decide_case(name[:6], "2", reason="older", by="zoe", folder=tmp_path)
    assert done.outcome.option == "A"  # type: ignore[union-attr]
    assert app.outcome(name) == done.outcome
    assert app.cases().waiting == ()
    assert [one.session for one in app.cases().decided] == [name]
    back = app.undo(name, by="yan", reason="too old", within_ms=HOUR_MS)
    assert isinstance(back.outcome, Waiting)
    assert (back.session, back.outcome.exit_code) == (name, 11)
    assert app.outcome(name) is None
    assert app.sessions()[0].result == "open"
    assert [one.session for one in app.cases().waiting] == [name]
    assert app.replay(name).same
    again = app.decide_case(name, "B", reason="newer", by="zoe", folder=tmp_path)
    assert again.outcome.option == "B"  # type: ignore[union-attr]
    assert app.outcome(name) == again.outcome
    assert app.sessions()[0].result == "choice"
    assert [one.what for one in app.story(name)] == ["decided", "undone", "decided"]
    assert app.replay(name).same
    assert app.verify().ok
    kinds: list[Any] = [one["kind"] for one in app.messages(name)]  # type: ignore[call-overload,index]
    assert kinds[-3:] == ["message", "undo", "message"]


def test_g8_the_short_form_and_a_resume_go_on_after_an_undo(app: App, tmp_path: Path) -> None:
    name = tied(app, tmp_path)
    app.resume(name, folder=tmp_path, agents=says(ann="A", bob="B"), decides="A")
    app.undo(name, by="zoe", within_ms=HOUR_MS, reason="too soon")
    waits = app.resume(name, folder=tmp_path, agents=says(ann="A", bob="B"))
    assert isinstance(waits.outcome, Waiting)
    done = app.resume(name, folder=tmp_path, agents=says(ann="A", bob="B"), decides="B")
    assert done.outcome.option == "B"  # type: ignore[union-attr]
    assert app.outcome(name) == done.outcome
    assert [(one.what, one.choice) for one in app.story(name)] == [
        ("decided", "A"),
        ("undone", "A"),
        ("decided", "B"),
    ]


def test_g8_the_default_applies_when_anybody_looks(place: str, tmp_path: Path) -> None:
    with App(place, clock=FakeClock(START_MS)) as app:
        name = tied(app, tmp_path, person={"deadline_s": 3600, "default": "A"})
        assert isinstance(app.look(name), Waiting)
    with App(place, clock=FakeClock(START_MS + HOUR_MS)) as later:
        (case,) = later.cases().waiting
        assert case.is_overdue
        assert later.outcome(name) is None, "to list is not to look"
        found = later.look(name)
        assert found is not None
        assert found.grounds.ended_by == "default"
        assert later.outcome(name) == found
        assert later.cases().waiting == ()
        assert later.replay(name).same


def test_what_is_under_way_is_looked_at_and_left(app: App, tmp_path: Path) -> None:
    opening = Opening(kind="vote", title="Which?", rules=scenario().rules)
    LocalRunner(app.ledger, clock=FakeClock(START_MS)).start("open", opening)
    before = app.entries("open")
    assert app.look("open") is None
    assert app.entries("open") == before
    assert app.cases().waiting == ()
    assert app.story("open") == ()


def test_thin_results_are_listed_when_they_are_asked_for(app: App, tmp_path: Path) -> None:
    name = tied(app, tmp_path, human=False)
    assert app.cases().thin == ()
    assert [one.session for one in app.cases(thin_ms=HOUR_MS).thin] == [name]


def test_a_session_that_would_go_on_is_decided_only_where_it_can(app: App, tmp_path: Path) -> None:
    """What the person accepts is followed by a vote of seats that only their program knows."""
    here = tmp_path / "here"
    here.mkdir()
    data = scenario(
        voters=["ann", "bob", "cyd"],
        absent="person",
        early=False,
        deadline_s=1,
        otherwise=["vote"],
        then={"voters": ["dan", "eve"]},
    )
    own = {**says(ann="A", bob="B", dan="A", eve="A"), "cyd": ScriptedAgent(())}
    name = app.decide(data, {}, folder=here, agents=own).session
    assert [one.why for one in app.cases().waiting] == [("absent",)]
    before = app.entries(name)
    with pytest.raises(InvalidInput, match="the program that opened the session"):
        app.decide_case(name, "accept", reason="as it is", by="zoe", folder=here)
    assert app.entries(name) == before
    ended = app.decide_case(name, "A", reason="so be it", by="zoe", folder=tmp_path)
    assert ended.outcome.option == "A"  # type: ignore[union-attr]
