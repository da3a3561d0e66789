"""runner/local.py: the loop records before it asks, and a restart repeats at most what was open.

Contract 2, K1, K3, G9: every test runs on a fake clock and a ledger in memory; seats that wait do
so in real threads.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

import pytest

from comity.agents.base import Agent, Failure, Question, Reply
from comity.core.canonical import JsonObject
from comity.core.errors import (
    Fault,
    InternalError,
    InvalidInput,
    LedgerError,
    SequenceConflict,
    UnknownName,
)
from comity.core.results import Choice, Grounds, result_from_json
from comity.core.step import Ask, Input, Step
from comity.ledger.entry import Entry, NewEntry
from comity.ledger.open import open_ledger
from comity.ledger.port import Ledger
from comity.ledger.verify import verify
from comity.protocols.collect.opening import vote_rules
from comity.protocols.consent.results import ConsentNoDeal
from comity.protocols.consent.rules import ConsentLimits, consent_rules
from comity.runner.local import (
    LONGEST_TEXT,
    Event,
    LocalRunner,
    Session,
    standing_seals,
    taken_up,
)
from comity.session.fold import replay
from comity.session.record import INPUT, Opening
from comity.session.registry import KINDS
from comity.testing.agents import BrokenAgent, FailingAgent, ScriptedAgent, SlowAgent
from comity.testing.clock import FakeClock

START_MS = 1_700_000_000_000
POSITION = "PRIORITY: x\nRATIONALE: y"
SAID = {"position": POSITION, "turn": "[DONE]", "answer": "[CONSENT]"}
DEAL = {
    "CC": [POSITION, "[PROPOSAL]\nI OFFER:\n- tea\nI WANT:\n- cake\nRATIONALE: fair"],
    "CX": [POSITION, "[CONSENT CHECK]"],
}


def opening(seats: str = "CC CX", **limits: Any) -> Opening:
    rules = consent_rules(
        "Tea or coffee?",
        {seat: f"the case of {seat}" for seat in seats.split()},
        seed="1",
        order=seats.split(),
        limits=ConsentLimits(**limits),
    )
    return Opening(kind="consent", title="Tea or coffee?", rules=rules.to_json())


@dataclass
class House:
    """A ledger, a clock and everything that listeners saw."""

    ledger: Ledger
    clock: FakeClock = field(default_factory=lambda: FakeClock(START_MS))
    events: list[Event] = field(default_factory=list)

    def runner(self) -> LocalRunner:
        return LocalRunner(self.ledger, clock=self.clock, listen=self.events.append)

    def entries(self) -> tuple[Entry, ...]:
        return self.ledger.read("s", everything=True)

    def inputs(self) -> list[dict[str, Any]]:
        return [dict(one.body) for one in self.entries() if one.kind == INPUT]

    def texts(self) -> list[tuple[str, str]]:
        """Who said what, in the order of the record; a failure by its reason."""
        found = []
        for one in self.inputs():
            body = one["body"] or {}
            found.append((one["party"], body.get("text", body.get("reason", one["kind"]))))
        return found


@pytest.fixture
def house() -> Iterator[House]:
    with open_ledger(":memory:") as ledger:
        made = House(ledger)
        yield made
        assert verify(ledger).ok


def scripted(lines: Mapping[str, list[str]] | None = None) -> dict[str, Agent]:
    return {seat: ScriptedAgent(said) for seat, said in (lines or DEAL).items()}


def run(house: House, agents: Mapping[str, Agent], **limits: Any) -> Session:
    runner = house.runner()
    session = runner.start("s", opening(" ".join(agents), **limits))
    runner.run(session, agents)
    assert replay((one.kind, one.body) for one in house.ledger.read("s")).same
    return session


# --- opening ---------------------------------------------------------------------------------


def test_k1_the_opening_and_each_seats_private_entry_are_recorded_first(house: House) -> None:
    session = house.runner().start(
        "s", opening(), {"CX": {"values": {"tea": 1}}, "CC": {"values": {}}}
    )
    kinds = [(one.kind, one.party) for one in house.entries()]
    assert kinds == [("opened", None), ("private", "CC"), ("private", "CX")]
    assert {one.request_id for one in house.entries()} == {"open"}
    assert [one.body["title"] for one in house.ledger.read("s")] == ["Tea or coffee?"]
    assert session.head == house.entries()[-1].hash
    assert [(one.kind, one.session) for one in house.events] == [("opened", "s")]


@pytest.mark.parametrize(
    ("broken", "error"),
    [
        (Opening(kind="consnet", title="t", rules={}), UnknownName),
        (Opening(kind="consent", title="t", rules={**opening().rules, "seats": {}}), InvalidInput),
    ],
)
def test_an_opening_that_cannot_be_read_leaves_nothing_in_the_ledger(
    broken: Opening, error: type[Exception], house: House
) -> None:
    with pytest.raises(error):
        house.runner().start("s", broken)
    assert house.ledger.heads() == ()


def test_an_id_that_is_taken_is_refused(house: House) -> None:
    house.runner().start("s", opening())
    with pytest.raises(LedgerError, match="'s'"):
        house.runner().start("s", opening(max_turns=5))
    assert len(house.entries()) == 1


# --- record before you ask -------------------------------------------------------------------


@dataclass
class Watching:
    """A seat that looks into the ledger whenever it is asked."""

    house: House
    said: list[str]
    seen: list[list[tuple[str, str]]]
    waits: bool = False

    def reply(self, question: Question) -> Reply:
        self.seen.append(self.house.texts())
        return Reply(text=self.said[question.nth])


def test_contract_2_every_earlier_reply_is_on_record_when_an_agent_is_asked(house: House) -> None:
    seen: list[list[tuple[str, str]]] = []
    lines = {"CC": [*DEAL["CC"], "[CONSENT]"], "CX": DEAL["CX"]}
    run(house, {seat: Watching(house, said, seen) for seat, said in lines.items()})
    whole = house.texts()
    assert len(whole) == 5
    assert seen == [whole[:count] for count in range(5)]


def test_a_session_runs_to_its_end_and_the_outcome_is_sealed_once(house: House) -> None:
    session = run(house, scripted({**DEAL, "CC": [*DEAL["CC"], "[CONSENT]"]}))
    assert session.last.outcome.kind == "agreement"
    assert house.texts()[-1] == ("CC", "[CONSENT]")
    seals = [one for one in house.entries() if one.kind == "sealed"]
    assert [result_from_json(one.body["outcome"]) for one in seals] == [session.last.outcome]
    assert house.runner().run(session, {}) == session.last.outcome
    assert [one.kind for one in house.entries()].count("sealed") == 1
    assert [one.kind for one in house.events].count("sealed") == 1


def test_what_is_said_is_recorded_as_it_was_said_also_when_it_cannot_be_read(
    house: House,
) -> None:
    lines = {"CC": ["  eh?\r\n\ttwice ", "still no"], "CX": [POSITION]}
    run(house, scripted(lines), stall=2)
    assert house.texts()[:3] == [("CC", "  eh?\r\n\ttwice "), ("CX", POSITION), ("CC", "still no")]
    assert [one.body["reason"] for one in house.events if one.kind == "rejected"][:2] == [
        "no_position",
        "no_position",
    ]


def test_every_ask_has_a_request_id_and_the_number_of_the_seats_reply(house: House) -> None:
    asked: list[tuple[str, str, int]] = []

    @dataclass
    class Noting:
        waits: bool = False

        def reply(self, question: Question) -> Reply:
            asked.append((question.request_id, question.ask.party, question.nth))
            return Reply(text=SAID[question.ask.kind])

    run(house, {"CC": Noting(), "CX": Noting()})
    assert asked == [("s/a1", "CC", 0), ("s/a2", "CX", 0), ("s/a3", "CC", 1), ("s/a4", "CX", 1)]


def test_listeners_hear_every_event_in_order_with_the_step_after_it(house: House) -> None:
    run(house, {seat: ScriptedAgent(SAID) for seat in ("CC", "CX")})
    told = [(one.kind, one.party) for one in house.events]
    assert told == [
        ("opened", None),
        ("asked", "CC"),
        ("heard", "CC"),
        ("asked", "CX"),
        ("heard", "CX"),
        ("asked", "CC"),
        ("heard", "CC"),
        ("asked", "CX"),
        ("heard", "CX"),
        ("noted", None),
        ("sealed", None),
    ]
    assert house.events[1].body == {"id": "a1", "kind": "position"}
    assert house.events[-2].body == {"note": "incomplete: exhausted"}
    assert {one.session for one in house.events} == {"s"}
    ended = [one for one in house.events if one.step is not None and one.step.outcome]
    assert [one.kind for one in ended] == ["heard", "noted", "sealed"]


# --- agents that fail ------------------------------------------------------------------------


@dataclass
class Saying:
    """A seat that hands back whatever the test wants."""

    said: Any
    waits: bool = False

    def reply(self, question: Question) -> Any:
        return self.said


@pytest.mark.parametrize("waits", [False, True])
@pytest.mark.parametrize(
    ("agent", "reason", "detail"),
    [
        (FailingAgent("auth", "no key"), "auth", "no key"),
        (BrokenAgent(ZeroDivisionError("1/0")), "crashed", "ZeroDivisionError: 1/0"),
        (BrokenAgent(SystemExit(3)), "crashed", "SystemExit: 3"),
        (
            BrokenAgent(ValueError("a\x00b\ud800")),
            "crashed",
            "ValueError: a\N{REPLACEMENT CHARACTER}b?",
        ),
        (Saying(None), "crashed", None),
        (Saying("words"), "crashed", None),
        (Saying(Reply(text=b"bytes")), "crashed", None),  # type: ignore[arg-type]
    ],
)
def test_a_seat_that_breaks_is_a_failure_on_record_and_the_session_goes_on(
    agent: Any, reason: str, detail: str | None, waits: bool, house: House
) -> None:
    broken = replace(agent, waits=waits)
    session = run(house, {"CC": broken, "CX": ScriptedAgent(SAID)}, stall=2)
    failures = [one for one in house.inputs() if one["kind"] == "failure"]
    assert failures
    assert {(one["party"], one["body"]["reason"]) for one in failures} == {("CC", reason)}
    if detail is not None:
        assert failures[0]["body"]["detail"] == detail
    assert session.last.outcome.kind == "no_deal"


def test_an_interrupt_is_no_failure_of_the_seat(house: House) -> None:
    runner = house.runner()
    session = runner.start("s", opening())
    broken = BrokenAgent(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        runner.run(session, {"CC": broken, "CX": broken})
    assert house.inputs() == []


def test_usage_is_recorded_beside_the_words(house: House) -> None:
    lines = [Reply(text=POSITION, usage={"tokens": 7, "money": "0.02"})]
    run(house, {"CC": ScriptedAgent(lines), "CX": FailingAgent()}, stall=1)
    assert house.inputs()[0]["body"] == {
        "text": POSITION,
        "usage": {"tokens": 7, "money": "0.02"},
    }


@pytest.mark.parametrize("call", [{"answer": "CONSENT"}, {"answer": float("nan")}])
def test_w1_what_was_handed_to_a_tool_is_recorded_where_it_can_be(
    call: JsonObject, house: House
) -> None:
    lines = [Reply(text=POSITION, call=call)]
    run(house, {"CC": ScriptedAgent(lines), "CX": FailingAgent()}, stall=1)
    readable = {"vote": call} if call["answer"] == "CONSENT" else {}
    assert house.inputs()[0]["body"] == {"text": POSITION, **readable}


@pytest.mark.parametrize(
    "usage", [{"tokens": float("nan")}, {"model": "a\x00b"}, {"model": "\ud800"}, {"a": object()}]
)
def test_a_bill_that_cannot_be_recorded_does_not_lose_the_reply(
    usage: JsonObject, house: House
) -> None:
    lines = [Reply(text=POSITION, usage=usage)]
    run(house, {"CC": ScriptedAgent(lines), "CX": FailingAgent()}, stall=1)
    body = house.inputs()[0]["body"]
    assert body["text"] == POSITION
    assert list(body["usage"]) == ["unreadable"]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("a\x00b", "a\N{REPLACEMENT CHARACTER}b"),
        ("half \ud83d of one", "half ? of one"),
        ("\N{GRINNING FACE} whole", "\N{GRINNING FACE} whole"),
        ("x" * LONGEST_TEXT, "x" * LONGEST_TEXT),
        (
            "a" * (LONGEST_TEXT // 2) + "middle" + "b" * (LONGEST_TEXT // 2),
            "a" * (LONGEST_TEXT // 2)
            + "\n[... 6 characters cut ...]\n"
            + "b" * (LONGEST_TEXT // 2),
        ),
    ],
    ids=["NUL", "half a character", "a whole one", "long", "too long"],
)
def test_words_are_kept_as_every_store_can_hold_them(said: str, kept: str, house: House) -> None:
    runner = house.runner()
    session = runner.start("s", opening())
    heard = runner.receive(session, {"CC": ScriptedAgent([said]), "CX": FailingAgent()})
    runner.step(session, heard)
    assert house.texts() == [("CC", kept)]


# --- seats that wait -------------------------------------------------------------------------


def test_seats_that_wait_are_asked_side_by_side(house: House) -> None:
    """Each waits until all three have been asked: one after the other would never end."""
    everybody = threading.Barrier(3)

    @dataclass
    class Together:
        waits: bool = True

        def reply(self, question: Question) -> Reply:
            if question.ask.kind == "position":
                everybody.wait()
            return Reply(text=SAID[question.ask.kind])

    run(house, {seat: Together() for seat in ("CC", "CX", "GM")}, stall=2)
    assert sorted(house.texts()[:3]) == [(seat, POSITION) for seat in ("CC", "CX", "GM")]


def slow(house: House, takes_ms: int, said: Any = SAID) -> SlowAgent:
    return SlowAgent(ScriptedAgent(said), house.clock, takes_ms)


def test_replies_are_recorded_in_the_order_they_come_with_their_times(house: House) -> None:
    agents = {"CC": slow(house, 3_000), "CX": slow(house, 1_000), "GM": slow(house, 2_000)}
    run(house, agents, stall=2)
    first = [(one["party"], one["now_ms"] - START_MS) for one in house.inputs()[:3]]
    assert first == [("CX", 1_000), ("GM", 2_000), ("CC", 3_000)]


def test_seats_that_do_not_wait_are_heard_while_others_think(house: House) -> None:
    agents = {"CC": slow(house, 9_000), "CX": ScriptedAgent(SAID), "GM": ScriptedAgent(SAID)}
    run(house, agents, stall=2)
    assert [party for party, _ in house.texts()[:3]] == ["CX", "GM", "CC"]


def test_g9_a_seat_that_does_not_answer_in_time_is_given_up_by_the_clock(house: House) -> None:
    agents = {"CC": slow(house, 10**9), "CX": ScriptedAgent(SAID)}
    session = run(house, agents, turn_timeout_ms=60_000, stall=2)
    timers = [one for one in house.inputs() if one["kind"] == "timer"]
    assert timers[0]["now_ms"] == START_MS + 60_000
    assert "CC gave no readable position (timeout)" in session.last.outcome.record.flags


def test_every_seat_has_its_full_time_from_the_first_question_on(house: House) -> None:
    """The machine starts without a clock: its first deadlines count from when it is opened."""
    agents = {"CC": slow(house, 59_999), "CX": slow(house, 59_999)}
    session = run(house, agents, turn_timeout_ms=60_000, stall=2)
    assert not any(one["kind"] == "timer" for one in house.inputs())
    assert not any("gave no" in flag for flag in session.last.outcome.record.flags)


def test_a_late_reply_is_recorded_and_changes_nothing(house: House) -> None:
    agents = {"CC": slow(house, 90_000), "CX": slow(house, 50_000)}
    session = run(house, agents, turn_timeout_ms=60_000, stall=4)
    late = [one for one in house.events if one.kind == "rejected" and one.body["reason"] == "late"]
    assert {one.party for one in late} == {"CC"}
    replies = [one for one in house.inputs() if one["party"] == "CC" and one["kind"] == "reply"]
    assert len(replies) == len(late) >= 1
    said = {one["party"] for one in session.last.state.transcript}
    assert said == {"CX"}


def test_a_seat_that_thinks_on_is_not_asked_the_same_question_twice(house: House) -> None:
    asked: list[str] = []

    @dataclass
    class Thinking:
        clock: FakeClock
        waits: bool = True

        def reply(self, question: Question) -> Reply:
            asked.append(question.request_id)
            self.clock.sleep_until(self.clock.now_ms() + 5_000)
            return Reply(text=SAID[question.ask.kind])

    run(house, {"CC": Thinking(house.clock), "CX": slow(house, 1_000), "GM": slow(house, 2_000)})
    assert len(asked) == len(set(asked)) >= 2


# --- machines that only wait -----------------------------------------------------------------


def egg_timer() -> ModuleType:
    """A kind of session that may ask one seat, and is decided when its time has come."""

    def start(rules: Any) -> Step[Any]:
        asks = (Ask(id="a1", party="CC", kind="turn", payload={}),) if "asks" in rules else ()
        return Step(state=rules, asks=asks, wake_at_ms=rules.get("wake_at_ms"))

    def step(state: Any, happened: Input) -> Step[Any]:
        if happened.kind == "timer" and happened.now_ms >= state["wake_at_ms"]:
            grounds = Grounds(rule="egg", ended_by="time", inputs_digest="0")
            return Step(state=state, outcome=Choice(option="done", grounds=grounds))
        return Step(state=state, wake_at_ms=state.get("wake_at_ms"))

    made = ModuleType("egg_timer")
    made.MACHINE = (start, step, dict)  # type: ignore[attr-defined]
    return made


@pytest.fixture
def egg(monkeypatch: pytest.MonkeyPatch) -> Callable[[JsonObject], Opening]:
    monkeypatch.setitem(sys.modules, "egg_timer", egg_timer())
    monkeypatch.setitem(KINDS, "egg", "egg_timer")
    return lambda rules: Opening(kind="egg", title="An egg", rules=rules)


def test_a_machine_that_only_waits_is_woken_at_its_time(
    house: House, egg: Callable[[JsonObject], Opening]
) -> None:
    runner = house.runner()
    session = runner.start("s", egg({"wake_at_ms": START_MS + 240_000}))
    assert runner.run(session, {}).kind == "choice"
    assert [(one["kind"], one["now_ms"]) for one in house.inputs()] == [
        ("resumed", START_MS),
        ("timer", START_MS + 240_000),
    ]


def test_a_machine_that_asks_nobody_and_waits_for_nothing_is_a_bug_with_a_name(
    house: House, egg: Callable[[JsonObject], Opening]
) -> None:
    runner = house.runner()
    session = runner.start("s", egg({}))
    with pytest.raises(InternalError, match="asks nobody and waits for nothing"):
        runner.run(session, {})
    session = runner.start("t", egg({"asks": True}))
    with pytest.raises(InternalError, match="asks nobody and waits for nothing"):
        runner.run(session, {"CC": slow(house, 5)})


def test_a_kind_that_is_decided_at_once_asks_nobody(house: House) -> None:
    runner = house.runner()
    parties = [
        {"role": "seller", "opening": 120, "reservation": 70, "deadline": 5},
        {"role": "buyer", "opening": 60, "reservation": 100, "deadline": 5},
    ]
    price = Opening(kind="bargain", title="Price", rules={"parties": parties})
    assert runner.run(runner.start("s", price), {}).kind == "agreement"
    assert [one.kind for one in house.entries()] == ["opened", "sealed"]


# --- taking a session up again ---------------------------------------------------------------


def until(house: House, count: int, agents: Mapping[str, Agent], **limits: Any) -> Session:
    """Run a session until so many inputs are on record, as a process that is then gone."""
    runner = house.runner()
    session = runner.start("s", opening(" ".join(agents), **limits))
    while session.inputs < count:
        runner.step(session, runner.receive(session, agents))
    return session


def test_a_session_taken_up_again_ends_as_it_would_have(house: House) -> None:
    agents = scripted({**DEAL, "CC": [*DEAL["CC"], "[CONSENT]"]})
    until(house, 3, agents)
    house.clock.advance(86_400_000)
    runner = house.runner()
    session = runner.resume("s")
    assert session.inputs == 4
    assert house.inputs()[-1]["kind"] == "resumed"
    assert house.inputs()[-1]["now_ms"] == START_MS + 86_400_000
    assert runner.run(session, agents).kind == "agreement"
    assert [text for text in house.texts() if text[1] != "resumed"] == [
        ("CC", POSITION),
        ("CX", POSITION),
        ("CC", DEAL["CC"][1]),
        ("CX", "[CONSENT CHECK]"),
        ("CC", "[CONSENT]"),
    ]


def test_an_open_question_is_asked_again_under_the_same_request_id(house: House) -> None:
    asked: list[tuple[str, int]] = []

    @dataclass
    class Noting:
        waits: bool = False

        def reply(self, question: Question) -> Reply | Failure:
            asked.append((question.request_id, question.nth))
            return Reply(text=SAID[question.ask.kind])

    agents = {"CC": Noting(), "CX": Noting()}
    session = until(house, 2, agents)
    house.runner().receive(session, agents)  # asked, answered, and the process dies
    runner = house.runner()
    runner.run(runner.resume("s"), agents)
    assert asked == [("s/a1", 0), ("s/a2", 0), ("s/a3", 1), ("s/a3", 1), ("s/a4", 1)]


def test_a_restart_gives_every_open_question_its_full_time_again(house: House) -> None:
    agents = {"CC": slow(house, 40_000), "CX": slow(house, 40_000)}
    runner = house.runner()
    runner.start("s", opening(turn_timeout_ms=60_000, stall=2))
    house.clock.advance(3_600_000)
    runner = house.runner()
    session = runner.resume("s")
    assert session.last.wake_at_ms == START_MS + 3_600_000 + 60_000
    runner.run(session, agents)
    assert not any(one["kind"] == "timer" for one in house.inputs())


def test_a_session_that_was_only_opened_is_taken_up_without_a_trace(house: House) -> None:
    house.runner().start("s", opening())
    session = house.runner().resume("s")
    assert [one.kind for one in house.entries()] == ["opened"]
    assert [one.id for one in session.last.asks] == ["a1", "a2"]


def test_a_session_that_has_ended_is_taken_up_without_a_trace(house: House) -> None:
    ended = run(house, {seat: ScriptedAgent(SAID) for seat in ("CC", "CX")})
    before = house.entries()
    runner = house.runner()
    session = runner.resume("s")
    assert runner.run(session, {}) == ended.last.outcome
    assert (session.sealed, session.inputs, session.heard) == (True, ended.inputs, ended.heard)
    assert house.entries() == before


def test_a_session_that_was_decided_and_not_sealed_is_sealed(house: House) -> None:
    agents = {seat: ScriptedAgent(SAID) for seat in ("CC", "CX")}
    until(house, 4, agents)
    runner = house.runner()
    session = runner.resume("s")
    assert not session.sealed
    runner.run(session, {})
    assert [one.kind for one in house.entries()][-1] == "sealed"


@pytest.mark.parametrize("scope", ["nobody", ""])
def test_a_session_that_is_not_there_is_named_with_what_to_do(scope: str, house: House) -> None:
    with pytest.raises(InvalidInput) as caught:
        house.runner().resume(scope)
    assert "Next:" in str(caught.value)


def test_two_processes_at_one_session_do_not_both_write(house: House) -> None:
    agents = {seat: ScriptedAgent(SAID) for seat in ("CC", "CX")}
    session = until(house, 1, agents)
    other = house.runner().resume("s")
    assert other.inputs == 2
    with pytest.raises(SequenceConflict, match="driven by another process"):
        house.runner().step(session, Input(kind="message", now_ms=START_MS, party="CC"))
    assert session.inputs == 1


def test_a_refusal_of_the_ledger_that_is_no_race_is_told_as_it_is(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = until(house, 1, {seat: ScriptedAgent(SAID) for seat in ("CC", "CX")})
    full = LedgerError(Fault("ledger", "is full", "room", "make room"))

    def refuse(*_: object, **__: object) -> None:
        raise full

    monkeypatch.setattr(house.ledger, "append", refuse)
    with pytest.raises(LedgerError, match="is full") as caught:
        house.runner().step(session, Input(kind="message", now_ms=START_MS, party="CC"))
    assert caught.value is full


# --- the other verbs -------------------------------------------------------------------------


def test_status_says_who_is_waited_for_and_how_it_ended(house: House) -> None:
    agents = {seat: ScriptedAgent(SAID) for seat in ("CC", "CX")}
    runner = house.runner()
    session = runner.start("s", opening())
    first = runner.status(session)
    assert (first.session, first.phase, first.inputs) == ("s", "open", 0)
    assert (first.waiting_for, first.outcome) == (("CC", "CX"), None)
    runner.run(session, agents)
    last = runner.status(session)
    assert (last.phase, last.waiting_for, last.inputs) == ("ended", (), 4)
    assert last.outcome == session.last.outcome


def test_a_message_that_nobody_asked_for_is_recorded_under_its_channel(house: House) -> None:
    runner = house.runner()
    session = runner.start("s", opening())
    step = runner.send(session, "CX", "[CONSENT - CC]\x00")
    assert house.inputs()[0]["kind"] == "message"
    assert house.texts() == [("CX", "[CONSENT - CC]\N{REPLACEMENT CHARACTER}")]
    assert [one.party for one in step.rejected] == ["CX"]
    assert session.heard == {}


def test_cancelling_ends_and_seals_a_session_and_the_record_says_so(house: House) -> None:
    runner = house.runner()
    session = runner.start("s", opening())
    step = runner.cancel(session)
    assert isinstance(step.outcome, ConsentNoDeal)
    assert step.outcome.reason == "cancelled"
    assert [one.kind for one in house.entries()] == ["opened", "input", "sealed"]


def test_nothing_said_after_the_end_changes_what_was_decided(house: House) -> None:
    session = run(house, {seat: ScriptedAgent(SAID) for seat in ("CC", "CX")})
    outcome = session.last.outcome
    runner = house.runner()
    runner.send(session, "CC", "One more thing!")
    runner.cancel(session)
    assert runner.status(session).outcome == outcome
    assert runner.run(session, {}) == outcome
    assert [one.kind for one in house.entries()].count("sealed") == 1
    again = house.runner().resume("s")
    assert (again.last.outcome, again.sealed) == (outcome, True)
    assert replay((one.kind, one.body) for one in house.ledger.read("s")).same


def test_sleeping_is_the_clocks_business(house: House) -> None:
    house.runner().sleep_until(START_MS + 5)
    assert house.clock.now_ms() == START_MS + 5


def test_without_a_listener_and_a_probe_nobody_is_missed(house: House) -> None:
    runner = LocalRunner(house.ledger, clock=house.clock)
    agents = {seat: ScriptedAgent(SAID) for seat in ("CC", "CX")}
    assert runner.run(runner.start("s", opening()), agents).kind == "no_deal"


def test_every_point_at_which_a_process_may_die_has_its_name(house: House) -> None:
    points: list[str] = []
    runner = LocalRunner(house.ledger, clock=house.clock, probe=points.append)
    agents = {"CC": slow(house, 2_000), "CX": ScriptedAgent(SAID)}
    runner.run(runner.start("s", opening(stall=2)), agents)
    assert points[:10] == [
        "before append opened",
        "after append opened",
        "before ask a1",
        "before ask a2",
        "after reply a2",
        "before append input 1",
        "after append input 1",
        "after reply a1",
        "before append input 2",
        "after append input 2",
    ]
    assert points[-2:] == ["before append sealed", "after append sealed"]


def test_an_ask_is_a_value_that_tells_all_a_seat_needs() -> None:
    ask = Ask(id="a1", party="CC", kind="turn", payload={"a": [1]})
    assert Question(ask=ask, request_id="s/a1").ask.payload == {"a": (1,)}


# --- what a person decides and takes back (G8) -------------------------------------------------


def tied(house: House) -> Session:
    """Open a vote that waits for a person."""
    rules = vote_rules("Which?", ["ann", "bob"], seed="1", options=["A", "B"]).to_json()
    runner = house.runner()
    session = runner.start("s", Opening(kind="vote", title="Which?", rules=rules))
    for voter, said in (("ann", "A"), ("bob", "B")):
        runner.send(session, voter, said)
    return session


def undone(house: House, session: Session) -> None:
    house.runner().step(session, Input(kind="undo", now_ms=house.clock.now_ms(), party="human"))


def test_g8_an_undo_is_an_entry_of_its_own_behind_the_seal_and_the_end_is_sealed_anew(
    house: House,
) -> None:
    session = tied(house)
    runner = house.runner()
    for choice in ("A", "B", "A"):
        runner.send(session, "human", choice)
        outcome = runner.run(session, {})
        assert outcome.option == choice  # type: ignore[union-attr]
        assert session.sealed
        undone(house, session)
        assert (session.sealed, session.last.outcome) == (False, None)
    kinds = [one.kind for one in house.entries()]
    assert kinds[4:] == ["input", "sealed", "undone"] * 3
    assert [one.request_id for one in house.entries() if one.kind == "sealed"] == [
        "seal", "seal-1", "seal-2"
    ]  # fmt: skip
    assert replay((one.kind, one.body) for one in house.entries()).same


def test_g8_a_process_that_takes_it_up_finds_it_as_it_was_left(house: House) -> None:
    session = tied(house)
    house.runner().send(session, "human", "A")
    house.runner().run(session, {})
    undone(house, session)
    found = taken_up("s", house.entries())
    assert (found.inputs, found.undone, found.sealed) == (5, 1, False)
    assert (found.last, found.head) == (session.last, session.head)
    before = house.entries()
    assert taken_up("s", before).last == found.last
    assert house.entries() == before, "to read is not to write"


def test_the_seal_that_stands_is_found_without_reading_the_sessions(house: House) -> None:
    session = tied(house)
    assert standing_seals(house.ledger) == {}
    seals = []
    for choice in ("A", "B"):
        house.runner().send(session, "human", choice)
        house.runner().run(session, {})
        seals.append(house.entries()[-1])
        assert standing_seals(house.ledger) == {"s": seals[-1]}
        house.ledger.append(
            "s",
            [NewEntry("sealed", {"outcome": {}})],
            expected_head=None,
            request_id=None,
            now_ms=1,
        )
        assert standing_seals(house.ledger) == {"s": seals[-1]}, "the first since then stands"
        session = taken_up("s", house.entries())
        undone(house, session)
        assert standing_seals(house.ledger) == {}
