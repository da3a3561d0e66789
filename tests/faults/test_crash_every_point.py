"""K3, contract 2: killed at any point, a session ends the same, and nothing is asked twice.

The crash is injected: the loop's probe raises before and after every append, ask and reply. Real
processes that are really killed are in test_sigkill.py.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from comity.agents.base import Agent, Failure, Question, Reply
from comity.core.results import Agreement, NoDeal
from comity.core.step import Input
from comity.formats.scenario import read_scenario, scenario_from
from comity.ledger.open import open_ledger
from comity.ledger.port import Ledger
from comity.protocols.consent.rules import ConsentLimits, consent_rules
from comity.runner.local import LocalRunner, Session
from comity.session.record import Opening
from comity.testing.agents import FailingAgent, ScriptedAgent, SlowAgent
from comity.testing.clock import FakeClock
from comity.testing.crash import (
    Crashed,
    CrashReport,
    CrashRules,
    ForgetfulRunner,
    Scene,
    crash_everywhere,
    scene_of,
)

FULL = os.environ.get("COMITY_FULL") == "1"
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

# A message has four points (before an ask, after its reply, before and after the append): a stride
# without a common factor meets each kind.
EVERY = 1 if FULL else 7
LIVES = (7, 8, 9, 10, 11, 13, 17) if FULL else (8,)

TALK = """
[ADVOCATE - CC]
PRIORITY: Focus
RATIONALE: deep work needs long stretches
RED LINE: no meeting before noon
WILLING TO TRADE: the length of the meeting

[ADVOCATE - CX]
PRIORITY: Contact
RATIONALE: people drift apart
RED LINE: we meet at least once a week
WILLING TO TRADE: the day

[ADVOCATE - GM]
PRIORITY: Budget
RATIONALE: rooms cost money
RED LINE: none
WILLING TO TRADE: the room

[PROPOSAL - CC]
I OFFER: one meeting a week
I WANT: it starts after noon
RATIONALE: both matter

[COUNTER - CX to P1]
I OFFER: Thursday is fine
I WANT: it takes a full hour
RATIONALE: half an hour is too short to talk

[CONSENT CHECK - GM]
Current proposal:
1. one meeting a week
2. it starts after noon
3. it takes a full hour

[CONSENT - CC]
RED LINE: kept

[OBJECT - CX: term 3 was mine, but the day is gone: Thursday]

[PROPOSAL - CC]
I OFFER: it is on Thursday
I WANT: it takes 45 minutes
RATIONALE: a middle

[CONSENT CHECK - CX]
Current proposal:
1. one meeting a week
2. it starts after noon
3. it takes 45 minutes
4. it is on Thursday

[CONSENT - CC]
RED LINE: kept

[CONSENT - GM]
"""


def auth(folder: Path) -> Scene:
    return scene_of(read_scenario(EXAMPLES / "auth-protocol.toml", seed="1"))


def talk(folder: Path) -> Scene:
    (folder / "talk.txt").write_text(TALK, "utf-8")
    data = {
        "kind": "consent",
        "question": "How often do we meet?",
        "order": ["CC", "CX", "GM"],
        "seats": {
            "CC": {"priority": "Focus", "agent": "script:talk.txt"},
            "CX": {"priority": "Contact", "agent": "script:talk.txt"},
            "GM": {"priority": "Budget", "agent": "script:talk.txt"},
        },
    }
    scenario = scenario_from(data, whose="talk.toml", folder=folder, seed="1")
    return scene_of(scenario, folder=folder)


def price(folder: Path) -> Scene:
    return scene_of(read_scenario(EXAMPLES / "price.toml", seed="1"))


SCENES: dict[str, Callable[[Path], Scene]] = {"auth": auth, "talk": talk, "price": price}


def crash(scene: Scene, folder: Path, **rules: object) -> CrashReport:
    def store(name: str) -> Ledger:
        return open_ledger(folder / f"{name}.db")

    return crash_everywhere(scene, store, rules=CrashRules(**rules))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", SCENES)
def test_a_session_crashed_at_any_point_ends_the_same_and_repeats_no_recorded_call(
    name: str, tmp_path: Path
) -> None:
    every = 1 if name == "price" else EVERY
    report = crash(SCENES[name](tmp_path), tmp_path, every=every, lives=LIVES)
    assert isinstance(report.outcome, Agreement), str(report.outcome)
    assert len(report.points) >= 3 * report.messages
    assert report.crashes >= len(report.points) / every


def test_the_scripted_talk_is_the_session_it_is_meant_to_be(tmp_path: Path) -> None:
    report = crash(talk(tmp_path), tmp_path, every=10**6, lives=())
    assert report.messages == 12
    assert "All 3 seats consented to version 5 after 12 turns." in str(report.outcome)


def test_every_kind_of_point_is_met(tmp_path: Path) -> None:
    report = crash(talk(tmp_path), tmp_path, every=10**6, lives=())
    kinds = {point.rstrip("0123456789").rstrip(" a") for point in report.points}
    assert kinds == {
        "before append opened",
        "after append opened",
        "before ask",
        "after reply",
        "before append input",
        "after append input",
        "before append sealed",
        "after append sealed",
    }


@pytest.mark.parametrize("name", ["auth", "talk"])
def test_the_harness_fails_when_asks_go_out_before_replies_are_recorded(
    name: str, tmp_path: Path
) -> None:
    with pytest.raises(AssertionError, match="a reply is recorded before the next ask"):
        crash(SCENES[name](tmp_path), tmp_path, runner=ForgetfulRunner)


# --- the harness notices every other broken promise too --------------------------------------


def small(agents: Mapping[str, Agent] | None = None, **limits: int) -> Scene:
    lines = {"position": "PRIORITY: x", "turn": "[DONE]"}
    seats = agents or {"CC": ScriptedAgent(lines), "CX": ScriptedAgent(lines)}
    bounds = ConsentLimits(**limits)  # type: ignore[arg-type]
    rules = consent_rules("q", dict.fromkeys(seats, "a"), seed="1", limits=bounds)
    opening = Opening(kind="consent", title="q", rules=rules.to_json())
    return Scene(opening=opening, agents=lambda: seats)


def test_a_sound_loop_passes_on_the_small_scene_at_every_point(tmp_path: Path) -> None:
    report = crash(small(), tmp_path, every=1, lives=(7, 8, 9))
    assert (report.messages, len(report.points)) == (4, 20)
    assert isinstance(report.outcome, NoDeal)


def test_failures_and_deadlines_survive_crashes(tmp_path: Path) -> None:
    agents = {"CC": ScriptedAgent({"position": "PRIORITY: x", "turn": "hm"}), "CX": FailingAgent()}
    report = crash(small(agents, turn_timeout_ms=60_000, stall=3), tmp_path, every=1, lives=())
    assert isinstance(report.outcome, NoDeal)
    assert report.outcome.reason == "stall"


class Repeating(LocalRunner):
    """A loop that asks twice to be sure."""

    def receive(self, session: Session, agents: Mapping[str, Agent]) -> Input:
        super().receive(session, agents)
        return super().receive(session, agents)


class Doubting(LocalRunner):
    """A loop that, taken up again, asks the first question again, answered as it is."""

    is_resumed = False

    def resume(self, session_id: str) -> Session:
        self.is_resumed = True
        return super().resume(session_id)

    def receive(self, session: Session, agents: Mapping[str, Agent]) -> Input:
        if self.is_resumed:
            self.is_resumed = False
            rules = session.machine.read_rules(session.opening.rules)
            first = session.machine.start(rules).asks[0]
            question = Question(ask=first, request_id=f"{session.id}/{first.id}")
            if first not in session.last.asks:
                agents[first.party].reply(question)
        return super().receive(session, agents)


class Unsealing(LocalRunner):
    """A loop that forgets what was decided."""

    def _seal(self, session: Session) -> None:
        pass


class Renaming(LocalRunner):
    """A loop that gives calls new names when it resumes."""

    is_resumed = False

    def resume(self, session_id: str) -> Session:
        self.is_resumed = True
        return super().resume(session_id)

    def receive(self, session: Session, agents: Mapping[str, Agent]) -> Input:
        if self.is_resumed:
            agents = {seat: Renamed(agent) for seat, agent in agents.items()}
        return super().receive(session, agents)


@dataclass
class Renamed:
    agent: Agent
    waits: bool = False

    def reply(self, question: Question) -> Reply | Failure:
        return self.agent.reply(replace(question, request_id=f"{question.request_id}-again"))


@pytest.mark.parametrize(
    ("runner", "promise"),
    [
        (Repeating, "a call is made once in one life"),
        (Doubting, "no call whose reply is recorded is made again"),
        (Unsealing, "one end"),
        (Renaming, "the record leads to every call made"),
    ],
)
def test_a_faulty_loop_is_noticed(runner: type[LocalRunner], promise: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=promise):
        crash(small(), tmp_path, runner=runner)


def test_an_agent_that_changes_its_mind_after_a_crash_is_noticed(tmp_path: Path) -> None:
    made: list[int] = []

    def agents() -> Mapping[str, Agent]:
        made.append(1)
        lines = {"position": "PRIORITY: x", "turn": f"[DONE] {len(made)}"}
        return {"CC": ScriptedAgent(lines), "CX": ScriptedAgent(lines)}

    scene = Scene(opening=small().opening, agents=agents)
    with pytest.raises(AssertionError, match="the same was said"):
        crash(scene, tmp_path)


def test_a_store_that_loses_an_acknowledged_entry_is_noticed(tmp_path: Path) -> None:
    opened: list[str] = []

    def store(name: str) -> Ledger:
        opened.append(name)
        return open_ledger(tmp_path / f"{len(opened)}.db")

    with pytest.raises(AssertionError, match="every acknowledged entry is there"):
        crash_everywhere(small(), store)


def test_agents_that_wait_have_no_place_in_the_harness(tmp_path: Path) -> None:
    slow = SlowAgent(FailingAgent("left"), FakeClock(), takes_ms=5)
    with pytest.raises(AssertionError, match="no agent of a scene waits"):
        crash(small({"CC": slow, "CX": slow}), tmp_path)


def test_no_guard_for_errors_catches_a_crash() -> None:
    assert not issubclass(Crashed, Exception)


def test_an_agent_that_leaves_is_a_failure_and_no_crash(tmp_path: Path) -> None:
    gone = ScriptedAgent([], otherwise=Failure(kind="left"))
    report = crash(small({"CC": gone, "CX": gone}, stall=2), tmp_path, every=3, lives=())
    assert isinstance(report.outcome, NoDeal)
