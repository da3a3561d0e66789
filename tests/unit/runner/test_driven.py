"""runner/driven.py: who drives a session, and what it needs, by its record alone (ENGINE 1, 5)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from comity.core.step import Input
from comity.ledger.open import open_ledger
from comity.ledger.port import Ledger
from comity.ledger.verify import verify
from comity.protocols.collect.opening import vote_rules
from comity.protocols.consent.rules import consent_rules
from comity.runner.driven import (
    PROCESS,
    WORKERS,
    Driven,
    Need,
    hand_over,
    is_away,
    last_driven,
    need_of,
    taking_up,
)
from comity.runner.handed import DurableRunner
from comity.runner.local import LocalRunner, taken_up
from comity.session.fold import replay
from comity.session.record import Opening
from comity.testing.clock import FakeClock

START_MS = 1_700_000_000_000


def talk(**agents: str) -> Opening:
    seats = {"CC": "rational", "CX": "rational", **agents}
    rules = consent_rules("Tea?", dict.fromkeys(seats, "x"), seed="1", order=list(seats))
    return Opening(kind="consent", title="Tea?", rules=rules.to_json(), agents=seats)


def poll(**agents: str) -> Opening:
    rules = vote_rules("Which?", list(agents), seed="1", options=["A", "B"])
    return Opening(kind="vote", title="Which?", rules=rules.to_json(), agents=agents)


@pytest.fixture
def ledger() -> Iterator[Ledger]:
    with open_ledger(":memory:") as made:
        yield made
        assert verify(made).ok


def runner(ledger: Ledger, now_ms: int = START_MS) -> DurableRunner:
    return DurableRunner(ledger, clock=FakeClock(now_ms))


def test_a_session_that_no_worker_ever_had_is_a_processs(ledger: Ledger) -> None:
    LocalRunner(ledger, clock=FakeClock()).start("s", talk())
    assert last_driven(ledger.read("s")) is None
    hand_over(ledger, "s", PROCESS, now_ms=1)
    assert len(ledger.read("s")) == 1


def test_handing_over_is_recorded_once_and_back_again(ledger: Ledger) -> None:
    LocalRunner(ledger, clock=FakeClock()).start("s", talk())
    for by in (WORKERS, WORKERS, PROCESS, PROCESS, WORKERS):
        hand_over(ledger, "s", by, now_ms=5)
    told = [one.body["by"] for one in ledger.read("s") if one.kind == "driven"]
    assert told == [WORKERS, PROCESS, WORKERS]
    found = last_driven(ledger.read("s"))
    assert found == Driven(by=WORKERS, at_ms=5, seq=4)


def test_a_session_that_has_ended_is_handed_to_nobody(ledger: Ledger) -> None:
    session = runner(ledger).start("s", talk())
    runner(ledger).cancel(session)
    before = ledger.read("s")
    hand_over(ledger, "s", PROCESS, now_ms=5)
    assert ledger.read("s") == before


def test_a_workers_session_stays_the_workers(ledger: Ledger) -> None:
    runner(ledger).start("s", talk())
    ledger.append("s", [taking_up("w1")], expected_head=None, request_id=None, now_ms=7)
    hand_over(ledger, "s", WORKERS, now_ms=8)
    found = last_driven(ledger.read("s"))
    assert found is not None
    assert (found.by, found.is_for_workers) == ("w1", True)


def test_the_fold_and_a_replay_pass_over_who_drives(ledger: Ledger) -> None:
    runner(ledger).start("s", poll(ann="person"))
    before = runner(ledger).resume("s").last
    ledger.append("s", [taking_up("w1")], expected_head=None, request_id=None, now_ms=7)
    assert runner(ledger).resume("s").last == before
    assert replay((one.kind, one.body) for one in ledger.read("s")).same


@pytest.mark.parametrize(
    ("times", "pause_ms"), [(1, 30_000), (2, 60_000), (3, 120_000), (30, 3_600_000)]
)
def test_what_is_stuck_is_tried_again_later_and_later(times: int, pause_ms: int) -> None:
    found = Driven(by=WORKERS, at_ms=1_000, seq=3, stuck="no program", times=times)
    assert found.retry_ms == 1_000 + pause_ms


@pytest.mark.parametrize(
    ("agents", "away"),
    [
        ({"ann": "person", "bob": "own"}, {"ann", "bob", "lead"}),
        ({"ann": "rational", "bob": "command:x"}, {"lead"}),
    ],
)
def test_a_seat_that_no_worker_can_ask_answers_through_the_record(
    agents: dict[str, str], away: set[str]
) -> None:
    opening = Opening(kind="vote", title="t", rules={}, agents=agents)
    assert {one for one in ("ann", "bob", "lead") if is_away(opening, one)} == away


def test_g9_a_session_whose_times_count_from_no_clock_is_driven_at_once(ledger: Ledger) -> None:
    runner(ledger).start("s", poll(ann="person", bob="person"))
    assert need_of(taken_up("s", ledger.read("s"))) == Need(what="drive")


def test_a_session_needs_its_agents_then_its_people_then_nothing(ledger: Ledger) -> None:
    shared = runner(ledger)
    session = shared.start("s", talk(CX="person"))
    assert need_of(session).what == "drive"
    shared.answer(session, "CC", "PRIORITY: x\nRATIONALE: y")
    assert need_of(session) == Need(what="wait", whom=("CX",), at_ms=session.last.wake_at_ms)
    shared.cancel(session)
    assert need_of(session) == Need(what="ended")


def test_an_end_that_is_not_sealed_is_driven(ledger: Ledger) -> None:
    shared = runner(ledger)
    session = shared.start("s", talk())
    session = shared.resume("s")
    LocalRunner(ledger, clock=FakeClock()).step(session, Input(kind="cancel", now_ms=START_MS))
    assert need_of(taken_up("s", ledger.read("s"))) == Need(what="drive")
