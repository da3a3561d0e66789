"""runner/driving.py: a worker takes sessions up, drives them, lets go (ENGINE 5, 6; contract 2).

All on a fake clock and a ledger in memory; other workers are other drivers on the same ledger.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from comity.agents.base import Agent, Failure, Question, Reply
from comity.core.errors import Fault, InvalidInput
from comity.core.step import Input
from comity.ledger.open import open_ledger
from comity.ledger.port import Head, Ledger
from comity.ledger.verify import verify
from comity.protocols.collect.opening import vote_rules
from comity.protocols.consent.rules import ConsentLimits, consent_rules
from comity.runner.driven import PROCESS, WORKERS, hand_over, last_driven
from comity.runner.driving import Driver
from comity.runner.handed import DurableRunner
from comity.runner.local import LocalRunner, Session, taken_up
from comity.session.fold import replay
from comity.session.record import INPUT, Opening
from comity.testing.agents import ScriptedAgent, SlowAgent
from comity.testing.clock import FakeClock

POSITION = "PRIORITY: x\nRATIONALE: y"
SAID = {"position": POSITION, "turn": "[DONE]", "answer": "[CONSENT]"}


def talk(*away: str, **limits: Any) -> Opening:
    seats = {seat: "person" if seat in away else "rational" for seat in ("CC", "CX")}
    rules = consent_rules(
        "Tea?",
        dict.fromkeys(seats, "x"),
        seed="1",
        order=list(seats),
        limits=ConsentLimits(**limits),
    )
    return Opening(kind="consent", title="Tea?", rules=rules.to_json(), agents=seats)


def poll(*voters: str) -> Opening:
    rules = vote_rules("Which?", list(voters), seed="1", options=["A", "B"])
    agents = dict.fromkeys(voters, "person")
    return Opening(kind="vote", title="Which?", rules=rules.to_json(), agents=agents)


@dataclass
class House:
    """A ledger, a clock, what was asked and what ended."""

    ledger: Ledger
    clock: FakeClock = field(default_factory=FakeClock)
    asked: list[tuple[str, str]] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    said: Callable[[Question], Any] = lambda question: Reply(text=SAID[question.ask.kind])

    def driver(self, name: str = "w1", *, takes_ms: int = 0, **more: Any) -> Driver:
        def seats(opening: Opening, _: object) -> Mapping[str, Agent]:
            return {
                seat: self.seat(name, takes_ms)
                for seat, how in opening.agents.items()
                if how != "person"
            }

        return Driver(
            self.ledger,
            name,
            more.pop("seats", seats),
            clock=self.clock,
            on_end=lambda session: self.ended.append(session.id),
        )

    def seat(self, name: str, takes_ms: int) -> Agent:
        house = self

        @dataclass
        class Seat:
            waits: bool = takes_ms > 0

            def reply(self, question: Question) -> Reply | Failure:
                house.asked.append((name, question.request_id))
                if takes_ms:
                    house.clock.sleep_until(house.clock.now_ms() + takes_ms)
                found: Reply | Failure = house.said(question)
                return found

        return Seat()

    def runner(self) -> DurableRunner:
        return DurableRunner(self.ledger, clock=self.clock)

    def heads(self) -> dict[str, Head]:
        return {one.scope: one for one in self.ledger.heads()}

    def kinds(self) -> list[str]:
        return [
            str(one.body["kind"] if one.kind == INPUT else one.body.get("by", one.kind))
            for one in self.ledger.read("s")
        ]


@pytest.fixture
def house() -> Iterator[House]:
    with open_ledger(":memory:") as ledger:
        made = House(ledger)
        yield made
        assert verify(ledger).ok
        assert replay((one.kind, one.body) for one in ledger.read("s")).same


@pytest.mark.parametrize("takes_ms", [0, 5_000])
def test_a_worker_drives_a_session_to_its_end_one_entry_a_turn(
    takes_ms: int, house: House
) -> None:
    house.runner().start("s", talk())
    assert house.driver(takes_ms=takes_ms).drive("s") == "ended"
    assert house.kinds() == ["opened", WORKERS, "w1", *["reply"] * 4, "sealed"]
    assert sorted(house.asked) == [("w1", f"s/a{at}") for at in (1, 2, 3, 4)]
    assert house.ended == ["s"]
    assert house.driver("w2").drive("s") == "rests"
    assert len(house.asked) == 4


def test_the_outcome_is_that_of_the_local_runner(house: House) -> None:
    house.runner().start("s", talk())
    house.driver().drive("s")
    with open_ledger(":memory:") as other:
        local = LocalRunner(other, clock=house.clock)
        agents: dict[str, Agent] = {seat: ScriptedAgent(SAID) for seat in ("CC", "CX")}
        outcome = local.run(local.start("s", talk()), agents)
    assert house.runner().resume("s").last.outcome == outcome


def test_engine_2_a_session_rests_while_it_waits_for_somebody_and_costs_nothing(
    house: House,
) -> None:
    house.runner().start("s", talk("CX"))
    driver = house.driver()
    assert driver.drive("s") == "rests"
    assert driver.held == frozenset()
    assert house.asked == [("w1", "s/a1")]
    before = house.kinds()
    assert driver.drive("s") == "rests"  # woken for nothing: nothing is recorded
    assert house.kinds() == before
    house.runner().answer(house.runner().resume("s"), "CX", POSITION)
    assert house.driver("w2").drive("s") == "rests"
    assert house.asked[1:] == [("w2", "s/a3")]


def test_g9_a_vote_keeps_its_one_deadline_however_often_it_is_taken_up(house: House) -> None:
    house.runner().start("s", poll("ann", "bob", "cyd"))
    assert house.driver().drive("s") == "rests"
    closes = house.runner().resume("s").last.wake_at_ms
    for seat in ("ann", "bob"):
        house.clock.advance(1_000)
        house.runner().answer(house.runner().resume("s"), seat, "VOTE: A")
        house.driver().drive("s")
    assert house.kinds().count("resumed") == 1
    assert house.kinds()[2:4] == ["w1", "resumed"]
    session = house.runner().resume("s")
    assert session.last.outcome is not None or session.last.wake_at_ms >= (closes or 0)


def test_a_time_that_has_come_is_heard_by_whoever_drives(house: House) -> None:
    house.runner().start("s", poll("ann", "bob"))
    house.driver().drive("s")
    closes = house.runner().resume("s").last.wake_at_ms
    assert closes is not None
    house.clock.advance(closes - house.clock.now_ms())
    house.driver("w2").drive("s")
    assert house.kinds()[-3:] == ["w2", "timer", "sealed"]


def test_a_short_time_is_waited_for_where_it_is(house: House) -> None:
    house.runner().start("s", poll("ann", "bob"))
    house.driver().drive("s")
    closes = house.runner().resume("s").last.wake_at_ms
    assert closes is not None
    house.clock.advance(closes - house.clock.now_ms() - 1_000)
    house.runner().answer(house.runner().resume("s"), "ann", "VOTE: A")
    session = house.runner().resume("s")
    driver = house.driver("w2")
    taken = driver._may_leave(session, {})
    assert taken is None


def test_contract_2_a_call_that_hangs_is_waited_for_until_the_machines_time(house: House) -> None:
    house.runner().start("s", talk(turn_timeout_ms=60_000))

    def said(question: Question) -> Reply:
        if question.ask.party == "CX":
            house.clock.sleep_until(house.clock.now_ms() + 10**9)
        return Reply(text=SAID[question.ask.kind])

    house.said = said
    assert house.driver(takes_ms=1_000).drive("s") == "ended"
    outcome = house.runner().resume("s").last.outcome
    assert outcome is not None
    assert outcome.kind == "no_deal"
    assert "timer" in house.kinds()


def test_time_that_was_lost_with_a_worker_is_given_again(house: House) -> None:
    house.runner().start("s", talk("CX"))
    house.driver().drive("s")
    house.runner().answer(house.runner().resume("s"), "CX", POSITION)
    house.driver("w2").drive("s", is_over=True)
    assert house.kinds()[-3:] == ["w2", "resumed", "reply"]


def test_engine_5_who_was_believed_dead_is_refused_and_lets_go(house: House) -> None:
    house.runner().start("s", talk("CX"))
    other = house.driver("w2")

    def said(question: Question) -> Reply:
        house.said = lambda again: Reply(text=SAID[again.ask.kind])
        assert other.drive("s", is_over=True) == "rests"
        return Reply(text=POSITION)

    house.said = said
    assert house.driver("w1").drive("s") == "lost"
    assert house.asked == [("w1", "s/a1"), ("w2", "s/a1")]
    assert house.kinds() == ["opened", WORKERS, "w1", "w2", "reply"]


def test_a_process_takes_a_session_from_its_worker(house: House) -> None:
    house.runner().start("s", talk())

    def said(question: Question) -> Reply:
        hand_over(house.ledger, "s", PROCESS, now_ms=5)
        return Reply(text=POSITION)

    house.said = said
    assert house.driver().drive("s") == "lost"
    assert house.driver("w2").drive("s") == "rests"
    assert house.kinds() == ["opened", WORKERS, "w1", PROCESS]


@pytest.mark.parametrize("takes_ms", [0, 5_000])
def test_what_others_say_during_a_call_is_heard_and_the_reply_is_kept(
    takes_ms: int, house: House
) -> None:
    house.runner().start("s", talk("CX"))

    def said(question: Question) -> Reply:
        if question.ask.kind == "position":
            runner = house.runner()
            runner.answer(runner.resume("s"), "CX", POSITION)
        return Reply(text=SAID[question.ask.kind])

    house.said = said
    assert house.driver(takes_ms=takes_ms).drive("s") == "rests"
    assert house.kinds() == ["opened", WORKERS, "w1", "reply", "reply", "reply"]
    assert [one for _, one in house.asked] == ["s/a1", "s/a3"]


def test_a_cancelled_session_is_let_go_while_its_call_hangs(house: House) -> None:
    house.runner().start("s", talk("CX"))
    driver = house.driver(takes_ms=10**9)

    def said(question: Question) -> Reply:
        return Reply(text=POSITION)

    house.said = said

    def cancel() -> None:
        house.clock.sleep_until(house.clock.now_ms() + 1_000)
        house.runner().cancel(house.runner().resume("s"))
        driver.look(house.heads())

    house.clock.aside(cancel)
    assert driver.drive("s") == "ended"
    assert house.kinds()[-2:] == ["cancel", "sealed"]


def test_a_look_that_finds_nothing_new_changes_nothing(house: House) -> None:
    house.runner().start("s", talk("CX"))
    driver = house.driver(takes_ms=5_000)

    def poke() -> None:
        house.clock.sleep_until(house.clock.now_ms() + 1_000)
        driver.look(dict.fromkeys("s", replace(house.heads()["s"], seq=1)))
        driver.look(dict.fromkeys("s", replace(house.heads()["s"], seq=9)))
        driver.look({})

    house.clock.aside(poke)
    assert driver.drive("s") == "rests"
    assert house.asked == [("w1", "s/a1")]


def test_a_worker_that_drains_hears_its_calls_out_and_asks_nobody_more(house: House) -> None:
    house.runner().start("s", talk())
    driver = house.driver(takes_ms=5_000)

    def drain() -> None:
        house.clock.sleep_until(house.clock.now_ms() + 1_000)
        driver.drain()

    house.clock.aside(drain)
    assert driver.drive("s") == "drained"
    assert len(house.asked) == 2
    assert house.kinds() == ["opened", WORKERS, "w1", "reply", "reply"]
    assert driver.drive("s") == "rests"
    assert house.driver("w2").drive("s") == "ended"
    assert len(house.asked) == 4


@pytest.mark.parametrize(
    "error", [InvalidInput(Fault("seat", "has no program", "one", "install it")), KeyError("x")]
)
def test_a_session_that_cannot_go_on_says_why_and_waits_longer_each_time(
    error: Exception, house: House
) -> None:
    house.runner().start("s", talk())

    def seats(opening: Opening, entries: object) -> Mapping[str, Agent]:
        raise error

    for times in (1, 2):
        assert house.driver(seats=seats).drive("s") == "stuck"
        found = last_driven(house.ledger.read("s"))
        assert found is not None
        assert (found.by, found.times) == (WORKERS, times)
        assert ("no program" in found.stuck) or ("KeyError" in found.stuck)
    assert house.driver().drive("s") == "ended"


def test_a_seat_without_an_agent_is_told_as_stuck(house: House) -> None:
    house.runner().start("s", talk())
    assert house.driver(seats=lambda *_: {}).drive("s") == "stuck"
    found = last_driven(house.ledger.read("s"))
    assert found is not None
    assert "has no agent" in found.stuck


def test_an_end_that_a_dead_worker_left_unsealed_is_sealed(house: House) -> None:
    house.runner().start("s", talk())
    session: Session = house.runner().resume("s")
    LocalRunner(house.ledger, clock=house.clock).step(session, Input(kind="cancel", now_ms=5))
    assert house.driver().drive("s") == "ended"
    assert house.kinds()[-1] == "sealed"
    assert house.asked == []


def test_a_session_of_a_process_is_left_alone(house: House) -> None:
    LocalRunner(house.ledger, clock=house.clock).start("s", talk())
    assert house.driver().drive("s") == "rests"
    assert house.kinds() == ["opened"]
    hand_over(house.ledger, "s", WORKERS, now_ms=5)
    assert house.driver().drive("s") == "ended"


def test_seats_that_take_time_are_asked_side_by_side(house: House) -> None:
    house.runner().start("s", talk())
    begin = house.clock.now_ms()
    slow = {seat: SlowAgent(ScriptedAgent(SAID), house.clock, 5_000) for seat in ("CC", "CX")}
    assert house.driver(seats=lambda *_: slow).drive("s") == "ended"
    assert house.clock.now_ms() - begin == 15_000


def test_a_session_that_is_expected_is_not_read_whole_again(house: House) -> None:
    house.runner().start("s", talk("CX"))
    driver = house.driver()
    entries = house.ledger.read("s", everything=True)
    driver.expect(taken_up("s", entries), entries)
    house.runner().answer(house.runner().resume("s"), "CX", POSITION)  # behind what is expected
    assert driver.drive("s") == "rests"
    assert house.kinds() == ["opened", WORKERS, "reply", "w1", "resumed", "reply", "reply"]
    assert house.asked == [("w1", "s/a1"), ("w1", "s/a3")]


def test_what_another_drives_is_expected_no_more(house: House) -> None:
    house.runner().start("s", talk())
    driver = house.driver()
    entries = house.ledger.read("s", everything=True)
    driver.expect(taken_up("s", entries), entries)
    driver.look(house.heads())
    assert set(driver._expected) == {"s"}
    assert house.driver("w2").drive("s") == "ended"
    driver.look(house.heads())
    assert driver._expected == {}
    assert driver.drive("s") == "rests"


def test_a_seal_that_others_set_is_not_set_again(house: House) -> None:
    house.runner().start("s", talk())
    driver = house.driver()
    entries = house.ledger.read("s", everything=True)
    driver.expect(taken_up("s", entries), entries)
    house.runner().cancel(house.runner().resume("s"))
    assert driver.drive("s") == "rests"
    assert house.kinds() == ["opened", WORKERS, "cancel", "sealed"]
