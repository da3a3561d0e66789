"""testing/crash.py: scenes from scenarios; the harness itself is tested where sessions crash
(tests/faults/test_crash_every_point.py)."""

from __future__ import annotations

from pathlib import Path

import pytest

from comity.agents.rational import RationalAdvocate
from comity.agents.scripted import Scripted
from comity.core.errors import InvalidInput
from comity.formats.scenario import read_scenario, scenario_from
from comity.ledger.open import open_ledger
from comity.runner.local import LocalRunner
from comity.testing.clock import FakeClock
from comity.testing.crash import (
    Crashed,
    CrashRules,
    ForgetfulRunner,
    agents_of,
    crash_everywhere,
    scene_of,
)

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def test_a_scenario_becomes_a_scene_with_each_seats_own_values() -> None:
    scene = scene_of(read_scenario(EXAMPLES / "auth-protocol.toml", seed="1"), session="x")
    agents = scene.agents()
    assert sorted(agents) == ["CC", "CX", "GM"]
    assert all(isinstance(one, RationalAdvocate) for one in agents.values())
    assert sorted(scene.private) == ["CC", "CX", "GM"]
    assert scene.opening.agents == dict.fromkeys(agents, "rational")
    assert scene.session == "x"
    assert scene.agents()["CC"] is not agents["CC"]


def test_seats_may_be_seated_otherwise_and_scripts_are_read_once(tmp_path: Path) -> None:
    script = tmp_path / "talk.txt"
    script.write_text('["PRIORITY: x", "[DONE]"]', "utf-8")
    data = {
        "kind": "consent",
        "question": "q",
        "seats": {"CC": {"priority": "a", "agent": "person"}, "CX": {"priority": "b"}},
    }
    scenario = scenario_from(data, whose="x", folder=tmp_path, seed="1")
    scene = scene_of(scenario, folder=tmp_path, CC="script:talk.txt", CX="script:talk.txt")
    script.unlink()
    assert scene.agents() == dict.fromkeys(("CC", "CX"), Scripted(("PRIORITY: x", "[DONE]")))


def test_a_kind_that_is_decided_at_once_has_no_agents() -> None:
    scene = scene_of(read_scenario(EXAMPLES / "price.toml", seed="1"))
    assert scene.agents() == {}
    assert agents_of(scene.opening, {}) == {}


def test_a_seat_that_cannot_be_seated_is_refused_when_the_scene_is_made(tmp_path: Path) -> None:
    data = {
        "kind": "consent",
        "question": "q",
        "seats": {"CC": {"priority": "a"}, "CX": {"priority": "b"}},
    }
    scenario = scenario_from(data, whose="x", folder=tmp_path, seed="1")
    with pytest.raises(InvalidInput, match="ratoinal"):
        scene_of(scenario, CC="ratoinal")


def test_a_scene_without_messages_is_crashed_around_its_two_appends(tmp_path: Path) -> None:
    scene = scene_of(read_scenario(EXAMPLES / "price.toml", seed="1"))
    report = crash_everywhere(scene, lambda name: open_ledger(tmp_path / name))
    assert report.points == (
        "before append opened",
        "after append opened",
        "before append sealed",
        "after append sealed",
    )
    assert (report.messages, report.crashes, report.repeated) == (0, 4, 0)


def test_the_defaults_crash_the_real_loop_at_every_point_on_a_fake_clock() -> None:
    rules = CrashRules()
    assert (rules.every, rules.runner) == (1, LocalRunner)
    assert isinstance(rules.clock(), FakeClock)
    assert not issubclass(Crashed, Exception)


def test_the_forgetful_loop_still_decides_and_records_everything_in_the_end() -> None:
    """Its fault shows only when it is killed, so that nothing but the harness would notice."""
    scene = scene_of(read_scenario(EXAMPLES / "auth-protocol.toml", seed="1"))
    told = []
    for kind in (LocalRunner, ForgetfulRunner):
        with open_ledger(":memory:") as ledger:
            runner = kind(ledger, clock=FakeClock())
            session = runner.start("s", scene.opening, scene.private)
            outcome = runner.run(session, scene.agents())
            told.append((outcome, [one.body for one in ledger.read("s")], session.heard))
    assert told[0] == told[1]
