"""runner/handed.py: beginning and speaking to sessions that workers drive (ENGINE 2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from comity.core.errors import Fault, InvalidInput, LedgerCorrupt, LedgerError
from comity.core.step import Input
from comity.ledger.entry import NewEntry
from comity.ledger.open import open_ledger
from comity.ledger.port import Appended, Ledger
from comity.ledger.verify import verify
from comity.protocols.consent.rules import consent_rules
from comity.runner.driven import WORKERS, last_driven
from comity.runner.handed import DurableRunner
from comity.runner.local import LocalRunner
from comity.session.fold import replay
from comity.session.record import INPUT, Opening
from comity.testing.agents import ScriptedAgent
from comity.testing.clock import FakeClock

POSITION = "PRIORITY: x\nRATIONALE: y"


def talk(*seats: str) -> Opening:
    rules = consent_rules("Tea?", dict.fromkeys(seats, "x"), seed="1", order=list(seats))
    agents = dict.fromkeys(seats, "person")
    return Opening(kind="consent", title="Tea?", rules=rules.to_json(), agents=agents)


class Shaky:
    """A ledger that is away at chosen appends: before it writes, or before it answers."""

    def __init__(self, real: Ledger) -> None:
        self.real = real
        self.away: list[str] = []
        self.error: LedgerError = LedgerError(Fault("ledger", "is away", "a server", "wait"))

    def append(self, scope: str, entries: Sequence[NewEntry], **options: Any) -> Appended:
        when = self.away.pop() if self.away else ""
        if when == "before":
            raise self.error
        done = self.real.append(scope, entries, **options)
        if when == "after":
            raise self.error
        return done

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)


@pytest.fixture
def ledger() -> Iterator[Shaky]:
    with open_ledger(":memory:") as made:
        yield Shaky(made)
        assert verify(made).ok


@pytest.fixture
def runner(ledger: Shaky) -> DurableRunner:
    return DurableRunner(ledger, clock=FakeClock())  # type: ignore[arg-type]


def texts(ledger: Ledger) -> list[Any]:
    found = [one.body for one in ledger.read("s") if one.kind == INPUT]
    return [(one["party"], one["body"]["text"]) for one in found if one["body"]]


def test_a_session_is_the_workers_from_its_first_entry_on(
    ledger: Shaky, runner: DurableRunner
) -> None:
    runner.start("s", talk("CC", "CX"), {"CC": {"values": {}}})
    entries = ledger.read("s", everything=True)
    assert [one.kind for one in entries] == ["opened", "private", "driven"]
    assert {one.request_id for one in entries} == {"open"}
    found = last_driven(entries)
    assert found is not None
    assert found.by == WORKERS


def test_beginning_it_twice_is_beginning_it_once(ledger: Shaky, runner: DurableRunner) -> None:
    runner.start("s", talk("CC", "CX"))
    runner.start("s", talk("CC", "CX"))
    assert len(ledger.read("s")) == 2
    with pytest.raises(LedgerError):
        runner.start("s", talk("CC", "GM"))


def test_nothing_is_recorded_when_a_session_is_looked_at(
    ledger: Shaky, runner: DurableRunner
) -> None:
    runner.start("s", talk("CC", "CX"))
    runner.answer(runner.resume("s"), "CC", POSITION)
    before = ledger.read("s")
    assert runner.resume("s").inputs == 1
    assert ledger.read("s") == before


def test_an_answer_goes_to_the_ask_that_stands(ledger: Shaky, runner: DurableRunner) -> None:
    session = runner.start("s", talk("CC", "CX"))
    runner.answer(session, "CX", POSITION)
    assert texts(ledger) == [("CX", POSITION)]
    assert runner.status(session).waiting_for == ("CC",)
    with pytest.raises(InvalidInput, match="asked nothing"):
        runner.answer(session, "CX", "again")
    with pytest.raises(InvalidInput, match="asked nothing"):
        runner.answer(session, "GM", "who?")
    assert len(texts(ledger)) == 1


def test_two_who_speak_at_once_are_both_heard(ledger: Shaky, runner: DurableRunner) -> None:
    runner.start("s", talk("CC", "CX"))
    one, other = runner.resume("s"), runner.resume("s")
    runner.send(one, "CC", "first")
    runner.send(other, "CX", "second")
    assert texts(ledger) == [("CC", "first"), ("CX", "second")]
    assert other.inputs == 2
    assert replay((one.kind, one.body) for one in ledger.read("s")).same


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("times", [1, 3])
def test_k3_an_answer_counts_once_however_often_the_ledger_is_away(
    when: str, times: int, ledger: Shaky, runner: DurableRunner
) -> None:
    session = runner.start("s", talk("CC", "CX"))
    ledger.away = [when] * times
    step = runner.answer(session, "CC", POSITION)
    assert texts(ledger) == [("CC", POSITION)]
    assert {one.party for one in step.asks} == {"CX"}
    assert (session.inputs, session.head) == (1, ledger.read("s")[-1].hash)


def test_a_ledger_that_stays_away_is_told_after_ten_minutes(
    ledger: Shaky, runner: DurableRunner
) -> None:
    session = runner.start("s", talk("CC", "CX"))
    ledger.away = ["before"] * 10_000
    with pytest.raises(LedgerError, match="is away"):
        runner.answer(session, "CC", POSITION)
    assert len(ledger.away) > 9_000


def test_a_damaged_ledger_is_told_at_once(ledger: Shaky, runner: DurableRunner) -> None:
    session = runner.start("s", talk("CC", "CX"))
    ledger.error = LedgerCorrupt(Fault("ledger", "is damaged", "a whole one", "restore it"))
    ledger.away = ["before"] * 2
    with pytest.raises(LedgerCorrupt):
        runner.answer(session, "CC", POSITION)
    assert len(ledger.away) == 1


def test_what_came_too_late_for_a_session_that_has_ended_is_not_recorded(
    ledger: Shaky, runner: DurableRunner
) -> None:
    session = runner.start("s", talk("CC", "CX"))
    runner.cancel(runner.resume("s"))
    before = ledger.read("s")
    reply = Input(kind="reply", now_ms=1, party="CC", ask_id="a1", body={"text": POSITION})
    assert runner.step(session, reply).outcome is not None
    assert ledger.read("s") == before


def test_engine_1_a_session_goes_on_under_either_runner(
    ledger: Shaky, runner: DurableRunner
) -> None:
    runner.start("s", talk("CC", "CX"))
    runner.answer(runner.resume("s"), "CC", POSITION)
    local = LocalRunner(ledger, clock=FakeClock())  # type: ignore[arg-type]
    said = {"position": POSITION, "turn": "[DONE]", "answer": "[CONSENT]"}
    outcome = local.run(local.resume("s"), {seat: ScriptedAgent(said) for seat in ("CC", "CX")})
    assert runner.resume("s").last.outcome == outcome
