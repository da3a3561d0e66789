"""app.py, G8, G10, V8: live votes on a real ledger, with a person who is not there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from comity.agents.base import Question, Reply
from comity.app import App
from comity.core.errors import InvalidInput
from comity.core.results import Waiting
from comity.formats.scenario import Scenario, read_scenario, scenario_from
from comity.testing.agents import FailingAgent, ScriptedAgent
from comity.testing.clock import FakeClock

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
START_MS = 1_700_000_000_000
DAY_MS = 86_400_000


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


def test_the_shipped_example_decides(app: App) -> None:
    found = app.decide(read_scenario(EXAMPLES / "vote.toml", seed="1"), {}, folder=EXAMPLES)
    assert found.outcome.option == "database"  # type: ignore[union-attr]
    assert app.replay(found.session).same
    assert app.outcome(found.session) == found.outcome


def test_g8_a_case_waits_for_a_person_and_stays_open(app: App, tmp_path: Path) -> None:
    found = app.decide(scenario(), {}, folder=tmp_path, agents=says(ann="A", bob="B"))
    assert isinstance(found.outcome, Waiting)
    assert found.outcome.exit_code == 11
    assert app.sessions()[0].result == "open"
    again = app.resume(found.session, folder=tmp_path, agents=says(ann="A", bob="B"))
    assert isinstance(again.outcome, Waiting)
    assert again.outcome.until_ms == found.outcome.until_ms
    decided = app.resume(
        found.session, folder=tmp_path, agents=says(ann="A", bob="B"), decides="B"
    )
    assert decided.outcome.option == "B"  # type: ignore[union-attr]
    assert app.replay(found.session).same
    assert app.sessions()[0].result == "choice"
    entries = len(app.entries(found.session))
    late = app.resume(found.session, folder=tmp_path, decides="A")
    assert late.outcome.option == "B"  # type: ignore[union-attr]
    assert len(app.entries(found.session)) == entries, "nothing is recorded behind the seal"


@pytest.mark.parametrize("decides", ["", "B"])
def test_g8_the_default_applies_at_the_first_look_after_its_time(
    place: str, tmp_path: Path, decides: str
) -> None:
    with App(place, clock=FakeClock(START_MS)) as app:
        session = app.decide(
            scenario(person={"default": "A"}),
            {},
            folder=tmp_path,
            agents=says(ann="A", bob="B"),
        ).session
    with App(place, clock=FakeClock(START_MS + 2 * DAY_MS)) as later:
        found = later.resume(
            session, folder=tmp_path, agents=says(ann="A", bob="B"), decides=decides
        )
        assert found.outcome.option == "A"  # type: ignore[union-attr]
        assert found.outcome.grounds.ended_by == "default"
        assert later.replay(session).same


def test_g8_a_person_who_is_there_is_asked(app: App, tmp_path: Path) -> None:
    there = {**says(ann="A", bob="B"), "human": ScriptedAgent(("DECIDE: B",))}
    found = app.decide(scenario(), {}, folder=tmp_path, agents=there)
    assert found.outcome.option == "B"  # type: ignore[union-attr]
    gone = {**says(ann="A", bob="B"), "human": FailingAgent("left")}
    waits = app.decide(scenario(), {}, folder=tmp_path, agents=gone)
    assert isinstance(waits.outcome, Waiting)
    asked: list[str] = []

    def prompt(seat: str, words: str) -> str:
        asked.append(words)
        return "DECIDE: A"

    shown = app.decide(
        scenario(), {"human": "person"}, folder=tmp_path, agents=says(ann="A", bob="B"),
        prompt=prompt,
    )  # fmt: skip
    assert shown.opening.agents["human"] == "person"


def test_a_person_recorded_at_the_gate_need_not_be_there_to_resume(
    app: App, tmp_path: Path
) -> None:
    found = app.decide(
        scenario(), {"human": "person"}, folder=tmp_path, agents=says(ann="A", bob="B")
    )
    assert isinstance(found.outcome, Waiting)
    assert found.opening.agents == {"ann": "own", "bob": "own", "human": "person"}
    decided = app.resume(
        found.session, folder=tmp_path, agents=says(ann="A", bob="B"), decides="A"
    )
    assert decided.outcome.option == "A"  # type: ignore[union-attr]


def test_a_seat_that_does_not_exist_is_refused(app: App, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="ann, bob, human"):
        app.decide(scenario(), {"zoe": "person"}, folder=tmp_path)
    with pytest.raises(InvalidInput, match="bob still without an agent"):
        app.decide(scenario(), {}, folder=tmp_path, agents=says(ann="A"))


def test_v8_who_hangs_holds_nobody_up(app: App, tmp_path: Path) -> None:
    voters = ["ann", "bob", "cyd"]
    agents: Mapping[str, Any] = {**says(ann="A", bob="A"), "cyd": FailingAgent("timeout")}
    found = app.decide(
        scenario(voters=voters, early=False, human=False), {}, folder=tmp_path, agents=agents
    )
    assert found.outcome.option == "A"  # type: ignore[union-attr]
    assert found.outcome.grounds.absent == ("cyd",)


def bargain(**more: Any) -> Scenario:
    data = {
        "kind": "bargain",
        "seller": {"opening": 120, "reservation": 100},
        "buyer": {"opening": 60, "reservation": 90},
    }
    return scenario_from({**data, **more}, whose="x", folder=Path(), seed="1")


def test_g10_a_chain_is_one_session_that_resumes_and_replays(app: App, tmp_path: Path) -> None:
    chain = bargain(
        otherwise=["vote", "human"], then={"voters": ["ann", "bob"], "person": {"seat": "boss"}}
    )
    agents = says(ann="buyer's limit", bob="seller's limit")
    found = app.decide(chain, {}, folder=tmp_path, agents=agents)
    assert isinstance(found.outcome, Waiting)
    assert found.outcome.whom == ("boss",)
    assert app.replay(found.session).same, "it is still open"
    done = app.resume(found.session, folder=tmp_path, agents=agents, decides="seller's limit")
    assert done.outcome.option == "seller's limit"  # type: ignore[union-attr]
    steps: Any = dict(done.outcome.grounds.parameters)["steps"]
    assert [one["step"] for one in steps] == ["bargain", "vote"]
    assert app.replay(found.session).same
    assert app.outcome(found.session) == done.outcome
    assert len(app.sessions()) == 1
    assert app.verify().ok


class Leaves:
    """A seat at which the whole process is interrupted."""

    waits = False

    def reply(self, question: Question) -> Reply:
        raise KeyboardInterrupt


def test_nobody_is_behind_a_decision_that_has_no_person(app: App, tmp_path: Path) -> None:
    seats = {"CC": {"priority": "a"}, "CX": {"priority": "b"}}
    data = {"kind": "consent", "question": "q", "seats": seats}
    consent = scenario_from(data, whose="x", folder=tmp_path, seed="1")
    gone = {"CC": Leaves(), "CX": Leaves()}
    with pytest.raises(KeyboardInterrupt):
        app.decide(consent, {}, folder=tmp_path, agents=gone)
    session = app.sessions()[0].session
    with pytest.raises(InvalidInput, match="no person behind it"):
        app.resume(session, folder=tmp_path, agents=gone, decides="A")
