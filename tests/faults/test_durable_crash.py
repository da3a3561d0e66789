"""K3, contract 2, ENGINE 5 and 6: workers die, freeze and lose their database; no session notices.

Real processes on a ledger in a file and on one in PostgreSQL, killed by their own number. The
oracle of the calls that were made is an append-only file that each call is written to, with its
time, before the seat is asked.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any
from uuid import uuid4

import pytest

import comity
from comity.agents.base import Agent, Question, Reply
from comity.app import App
from comity.core.canonical import canonical
from comity.formats.scenario import read_scenario, scenario_from
from comity.ledger.open import open_ledger
from comity.ledger.port import Ledger
from comity.ledger.verify import verify
from comity.runner.handed import DurableRunner
from comity.runner.local import LocalRunner, standing_seals
from comity.session.fold import replay
from comity.session.record import INPUT
from comity.testing.clock import FakeClock
from comity.testing.crash import Scene, scene_of
from comity.testing.postgres_server import Cluster, NoServer, own_postgres

pytest.importorskip("dbos", reason="durable: the extra `durable` is not installed")

FULL = os.environ.get("COMITY_FULL") == "1"
HERE = Path(__file__).resolve().parent
EXAMPLE = HERE.parents[1] / "examples" / "auth-protocol.toml"
SOURCE = str(Path(comity.__file__).parents[1])
SESSIONS = 40 if FULL else 3
KILLS = 3 if FULL else 1
TAKES_MS = 150
STALE_S = 10 if FULL else 2
PATIENCE_S = 90.0
TAKEOVER_MS = 15_000
IN_FLIGHT = 3  # the three positions are asked at once


@dataclass
class House:
    """A ledger, its sessions, the workers on it and the calls that they made."""

    place: str
    folder: Path
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def calls(self) -> list[dict[str, Any]]:
        path = self.folder / "calls.jsonl"
        lines = path.read_text("utf-8").splitlines() if path.exists() else []
        return [json.loads(line) for line in lines]

    def begin(self, scene: Scene, count: int) -> None:
        with open_ledger(self.place) as ledger:
            for at in range(count):
                runner = DurableRunner(ledger)
                runner.start(f"s{at:03}", scene.opening, scene.private)

    def worker(self, *, takes_ms: int = TAKES_MS, once: bool = False) -> subprocess.Popen[bytes]:
        words = [self.place, self.folder / "calls.jsonl", str(takes_ms), str(STALE_S)]
        with (self.folder / f"said-{len(self.workers)}").open("w") as said:
            started = subprocess.Popen(
                [sys.executable, HERE / "durable_child.py", *words, *(["once"] if once else [])],
                stdout=said,
                stderr=said,
                env={**os.environ, "PYTHONPATH": SOURCE},
            )
        self.workers.append(started)
        return started

    def wait_for(self, is_so: Callable[[], bool], what: str) -> None:
        give_up = time.monotonic() + PATIENCE_S
        while not is_so():
            told = [path.read_text() for path in sorted(self.folder.glob("said-*"))]
            assert time.monotonic() < give_up, f"never: {what}; {told}"
            time.sleep(0.1)

    def wait_for_calls(self, count: int) -> None:
        self.wait_for(lambda: len(self.calls) >= count, f"{count} calls")

    def wait_for_ends(self, count: int) -> None:
        with open_ledger(self.place) as ledger:
            self.wait_for(lambda: len(standing_seals(ledger)) >= count, f"{count} ends")

    def end(self) -> None:
        for one in self.workers:
            if one.poll() is None:
                one.send_signal(signal.SIGCONT)
                one.kill()
            one.wait()


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    try:
        with own_postgres() as found:
            yield found
    except NoServer as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"postgres: {error}")


@pytest.fixture
def house(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[House]:
    place = str(tmp_path / "ledger.db")
    if request.param == "postgres":
        server: Cluster = request.getfixturevalue("cluster")
        place = f"{server.url}&schema=t{uuid4().hex[:12]}"
    made = House(place, tmp_path)
    try:
        yield made
    finally:
        made.end()


def on(*quick: str) -> pytest.MarkDecorator:
    """Run a test on these ledgers, and in the full profile on all."""
    found = [
        pytest.param(kind, marks=() if kind in quick else pytest.mark.full)
        for kind in ("sqlite", "postgres")
    ]
    return pytest.mark.parametrize("house", found, indirect=True)


@pytest.fixture(scope="module")
def scene() -> Scene:
    made = scene_of(read_scenario(EXAMPLE, seed="1"))
    return replace(made, opening=replace(made.opening, folder=""))


@pytest.fixture(scope="module")
def undisturbed(scene: Scene) -> Any:
    with open_ledger(":memory:") as ledger:
        runner = LocalRunner(ledger, clock=FakeClock())
        session = runner.start("s", scene.opening, scene.private)
        return runner.run(session, scene.agents()).to_json()


def essence(outcome: Any) -> str:
    """Return an outcome without the order in which seats that were asked at once answered.

    The digest over all that was said is the one thing that it changes; replaying checks that.
    """
    grounds = dict(outcome["grounds"])
    grounds["parameters"] = [one for one in grounds["parameters"] if one[0] != "transcript_digest"]
    return canonical({**outcome, "grounds": grounds})


def repeats(house: House) -> dict[str, Counter[str]]:
    """Return session -> request id -> how often it was asked again."""
    counts = Counter(call["request_id"] for call in house.calls)
    found: dict[str, Counter[str]] = {}
    for name, count in counts.items():
        if count > 1:
            found.setdefault(name.partition("/")[0], Counter())[name] = count - 1
    return found


def check(
    house: House,
    count: int,
    undisturbed: Any,
    *,
    kills: int,
    heard: AbstractSet[str] = frozenset(),
) -> None:
    """Hold what must hold of every session, whatever happened to its workers."""
    with open_ledger(house.place) as ledger:
        assert verify(ledger).ok
        seals = standing_seals(ledger)
        assert len(seals) == count
        for name, seal in seals.items():
            assert essence(seal.body["outcome"]) == essence(undisturbed), name
            entries = ledger.read(name)
            assert replay((one.kind, one.body) for one in entries).same, name
        replied = recorded(ledger, seals)
    again = [one for one in house.calls if one["at_ms"] > replied[one["request_id"]]]
    assert again == [], "a call whose reply is recorded was made again"
    called = {one["request_id"] for one in house.calls}
    assert called == set(replied) if not heard else called < set(replied)
    for name, counts in repeats(house).items():
        assert max(counts.values()) <= kills, name
        assert counts.total() <= kills * IN_FLIGHT, name


def recorded(ledger: Ledger, names: Any) -> dict[str, int]:
    """Return request id -> when its reply was heard."""
    found: dict[str, int] = {}
    for name in names:
        for one in ledger.read(name):
            if one.kind == INPUT and one.body["kind"] == "reply":
                request_id = f"{name}/{one.body['ask_id']}"
                assert request_id not in found, "a reply was recorded twice"
                found[request_id] = one.body["now_ms"]
    return found


@on("sqlite")
def test_k3_a_worker_that_is_killed_and_started_again_costs_the_calls_in_flight(
    house: House, scene: Scene, undisturbed: Any
) -> None:
    house.begin(scene, SESSIONS)
    first = house.worker()
    house.wait_for_calls(SESSIONS * 8)
    first.kill()
    first.wait()
    killed_ms = time.time() * 1000
    assert house.worker(once=True).wait(PATIENCE_S) == 0
    check(house, SESSIONS, undisturbed, kills=1)
    taken_ms = min(one["at_ms"] for one in house.calls if one["pid"] != first.pid)
    assert taken_ms - killed_ms <= TAKEOVER_MS
    assert repeats(house), "nothing was in flight: the kill came too early or too late"


@on("sqlite")
def test_k3_one_of_three_workers_is_killed_three_times_and_the_others_take_over(
    house: House, scene: Scene, undisturbed: Any
) -> None:
    house.begin(scene, SESSIONS)
    random = Random(1)  # noqa: S311  # it picks whom to kill
    alive = [house.worker() for _ in range(3 if FULL else 2)]
    gaps = []
    for kill in range(KILLS):
        house.wait_for_calls(SESSIONS * (3 + 4 * kill))
        victim = alive.pop(random.randrange(len(alive)))
        victim.kill()
        victim.wait()
        killed_ms = time.time() * 1000
        gaps.append((victim.pid, killed_ms))
        if kill + 1 < KILLS:
            alive.append(house.worker())
    house.wait_for_ends(SESSIONS)
    check(house, SESSIONS, undisturbed, kills=KILLS)
    for pid, killed_ms in gaps:
        lost = {one["request_id"].partition("/")[0] for one in house.calls if one["pid"] == pid}
        later = [
            one["at_ms"]
            for one in house.calls
            if one["pid"] != pid and one["at_ms"] > killed_ms
            if one["request_id"].partition("/")[0] in lost
        ]
        assert not later or min(later) - killed_ms <= TAKEOVER_MS


@on("postgres")
def test_a_frozen_worker_that_thaws_lets_go_of_what_others_took_over(
    house: House, scene: Scene, undisturbed: Any
) -> None:
    house.begin(scene, SESSIONS)
    frozen = house.worker()
    house.wait_for_calls(SESSIONS * 4)
    frozen.send_signal(signal.SIGSTOP)
    frozen_ms = time.time() * 1000
    other = house.worker()
    house.wait_for(lambda: any(one["pid"] == other.pid for one in house.calls), "a takeover")
    assert next(one["at_ms"] for one in house.calls if one["pid"] == other.pid) - frozen_ms <= (
        TAKEOVER_MS
    )
    frozen.send_signal(signal.SIGCONT)
    house.wait_for_ends(SESSIONS)
    check(house, SESSIONS, undisturbed, kills=1)


@on("sqlite")
def test_six_workers_that_start_at_once_on_nothing_drive_every_session_once(
    house: House, scene: Scene, undisturbed: Any
) -> None:
    house.begin(scene, SESSIONS)
    for _ in range(6 if FULL else 2):
        house.worker(takes_ms=20)
    house.wait_for_ends(SESSIONS)
    check(house, SESSIONS, undisturbed, kills=0)
    assert repeats(house) == {}


@on()
def test_a_worker_that_is_told_to_stop_leaves_no_call_behind(
    house: House, scene: Scene, undisturbed: Any
) -> None:
    house.begin(scene, SESSIONS)
    first = house.worker()
    house.wait_for_calls(SESSIONS * 4)
    first.send_signal(signal.SIGTERM)
    assert first.wait(PATIENCE_S) == 0
    assert house.worker(once=True).wait(PATIENCE_S) == 0
    check(house, SESSIONS, undisturbed, kills=0)
    assert {one["pid"] for one in house.calls} == {one.pid for one in house.workers}


@on("sqlite")
def test_g8_votes_and_a_persons_decision_given_while_no_worker_lives_are_heard(
    house: House,
) -> None:
    data = {
        "kind": "vote",
        "question": "Which?",
        "options": ["A", "B"],
        "voters": {seat: {"agent": "person"} for seat in ("ann", "bob", "cyd", "dan")},
        "person": {"deadline_s": 3600, "default": "A"},
    }
    scenario = scenario_from(data, whose="x", folder=house.folder, seed="1")
    names = []
    with App(house.place) as app:
        names = [app.workers.start(scenario, {}, folder=house.folder) for _ in range(3)]
    assert house.worker(once=True).wait(PATIENCE_S) == 0
    with App(house.place, create=False) as app:
        assert {one.state for one in app.workers.lines()} == {"waiting"}
        opened = {one.session: one.wake_ms for one in app.workers.lines()}
        for name in names:
            for seat, said in (("ann", "A"), ("bob", "B"), ("cyd", "A"), ("dan", "B")):
                app.workers.answer(name, seat, f"VOTE: {said}")
        waits = {one.session: one.waits_for for one in app.workers.lines()}
        assert set(waits.values()) == {("human",)}
    assert house.worker(once=True).wait(PATIENCE_S) == 0
    with App(house.place, create=False) as app:
        assert all(one.wake_ms != opened[one.session] for one in app.workers.lines())
        for name in names:
            app.decide_case(name, "B", reason="r", by="lead", folder=house.folder)
        assert {one.state for one in app.workers.lines()} == {"ended"}
        assert {app.outcome(name).option for name in names} == {"B"}  # type: ignore[union-attr]
        assert app.verify().ok
        assert all(app.replay(name).same for name in names)
    assert house.calls == []


@pytest.mark.parametrize("house", ["sqlite"], indirect=True)
def test_contract_2_answers_wake_a_session_that_a_living_worker_left_at_rest(
    house: House, scene: Scene, undisturbed: Any
) -> None:
    count = 2 if FULL else 1
    away = replace(scene, opening=replace(scene.opening, agents=away_agents(scene, "CX")))
    house.begin(away, count)
    house.worker(takes_ms=20)
    with App(house.place, create=False) as app:
        asked: list[str] = []

        def is_so() -> bool:
            lines = app.workers.lines()
            asked[:] = [one.session for one in lines if one.waits_for == ("CX",)]
            return bool(asked) or all(one.state == "ended" for one in lines)

        own = scene.agents()["CX"]
        for _ in range(100):
            house.wait_for(is_so, "an ask")
            if not asked:
                break
            for name in asked:
                answer_as(app, name, "CX", own)
    check(house, count, undisturbed, kills=0, heard={"CX"})


def away_agents(scene: Scene, seat: str) -> dict[str, Any]:
    return {**scene.opening.agents, seat: "person"}


def answer_as(app: App, name: str, seat: str, agent: Agent) -> None:
    """Answer what a seat is asked as an agent would, from outside every worker."""
    session = DurableRunner(app.ledger).resume(name)
    for ask in [one for one in session.last.asks if one.party == seat]:
        question = Question(ask=ask, request_id=f"{name}/{ask.id}", nth=session.heard.get(seat, 0))
        said = agent.reply(question)
        assert isinstance(said, Reply)
        app.workers.answer(name, seat, said.text)


@pytest.mark.parametrize("house", ["postgres"], indirect=True)
def test_k3_postgresql_that_is_stopped_for_seconds_costs_no_call(
    house: House, cluster: Cluster, scene: Scene, undisturbed: Any
) -> None:
    house.begin(scene, SESSIONS)
    for _ in range(2 if FULL else 1):
        house.worker()
    house.wait_for_calls(SESSIONS * 4)
    cluster.stop()
    try:
        time.sleep(3.0)
    finally:
        cluster.start()
    house.wait_for_ends(SESSIONS)
    check(house, SESSIONS, undisturbed, kills=0)
    assert repeats(house) == {}
