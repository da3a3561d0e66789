"""C7, contracts 2 and 3: every kind of seat keeps the same contract; a new one is added here."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from comity.agents.bargainer import StrategySeat
from comity.agents.base import Agent, Question
from comity.agents.bidder import RationalBidder
from comity.agents.command import Command
from comity.agents.person import Person
from comity.agents.rational import RationalAdvocate
from comity.agents.scripted import Scripted
from comity.core.step import Ask, Input
from comity.mechanisms.auctions import commitment
from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.preferences import additive
from comity.mechanisms.bargaining.strategies import read_strategy
from comity.protocols.bidding.machine import start, step
from comity.protocols.bidding.opening import bidding_rules
from comity.protocols.consent.red_lines import Predicate
from comity.testing.agent_checks import check_agent, sample_questions
from comity.testing.agents import (
    BrokenAgent,
    FailingAgent,
    RecordingAgent,
    ScriptedAgent,
    SlowAgent,
)
from comity.testing.bargains import offers_questions
from comity.testing.clock import FakeClock
from comity.testing.ledger_checks import Check

DOMAIN = domain_of({"plan": ["a", "b", "c"], "days": [1, 2, 3], "care": ["little", "much"]})
VALUES = {"plan": {"a": 3, "b": "1/3"}, "days": {"1": 2, "2": 1}, "care": {"much": 1}}


def rational(limit: Fraction | None = None) -> RationalAdvocate:
    preferences = additive(DOMAIN, VALUES, reservation=limit)
    return RationalAdvocate("CC", preferences, (Predicate("days", "<=", 2),))


AGENTS: dict[str, Callable[[], Agent]] = {
    "scripted": lambda: Scripted(("[CONSENT]", "[DONE]", "")),
    "rational": rational,
    "rational with a limit": lambda: rational(Fraction(4)),
    "rational that nothing satisfies": lambda: rational(Fraction(100)),
    "person": lambda: Person(lambda seat, words: f"{seat}, {len(words)} characters"),
    "person who leaves": lambda: Person(lambda seat, words: None),
    "command": lambda: Command(("sh", "-c", "cat >/dev/null; echo '[CONSENT]'")),
    "command that echoes": lambda: Command(("cat",)),
    "command that fails": lambda: Command(("sh", "-c", "echo no quota >&2; exit 3")),
    "command that is not there": lambda: Command(("no-such-program-anywhere",)),
    "scripted for tests": lambda: ScriptedAgent({"turn": "[DONE]"}),
    "failing": lambda: FailingAgent("rate_limited"),
    "slow": lambda: SlowAgent(Scripted(("yes",)), FakeClock(), takes_ms=60_000),
    "recorded": lambda: RecordingAgent(Scripted(("yes",)), []),
}

AT_OFFERS: dict[str, Callable[[], Agent]] = {
    **{
        spec: lambda spec=spec: StrategySeat(read_strategy(spec))  # type: ignore[misc]
        for spec in (
            "boulware:0.2",
            "linear",
            "conceder",
            "tit_for_tat",
            "micro",
            "hardliner",
            "comity",
        )
    },
    "rational": rational,
    "scripted": AGENTS["scripted"],
    "command that echoes": AGENTS["command that echoes"],
    "person": AGENTS["person"],
}

IN_AUCTIONS: dict[str, Callable[[], Agent]] = {
    "rational": lambda: RationalBidder("ann", (42,), "a secret"),
    "rational for units": lambda: RationalBidder("ann", (42, 30), "a secret"),
    "rational without a secret": lambda: RationalBidder("ann", (42,)),
    "scripted": AGENTS["scripted"],
    "command that echoes": AGENTS["command that echoes"],
    "person": AGENTS["person"],
}


def bidding_questions() -> list[Question]:
    """Return what ann is asked in an auction of each kind, one question asked again."""
    asked: list[Ask] = []
    for settings in (
        {"unit": "GBP"},
        {"units": 2},
        {"commit": True},
        {"mode": "english", "reserve": 5, "end": 50, "levels": 3},
        {"mode": "dutch", "reserve": 5, "start": 50, "levels": 3},
    ):
        rules = bidding_rules("a slot", ["ann"], seed="1", **{"reserve": 0, **settings})
        last = start(rules)
        nonce = "0123456789abcdef"
        made = commitment(42, nonce, bidder="ann", auction=rules.digest)
        first = f"COMMIT: {made}" if rules.commit else "PASS"
        for words in ["hm", first, f"REVEAL: 42 NONCE: {nonce}", "PASS"]:
            if last.outcome is None:
                asked.append(last.asks[0])
                body = {"text": words}
                now = Input(kind="reply", now_ms=0, party="ann", ask_id=asked[-1].id, body=body)
                last = step(last.state, now)
    return [
        Question(ask=one, request_id=f"sample/{nth}", nth=nth) for nth, one in enumerate(asked)
    ]


NAMES = [name for name, _ in check_agent(rational, sample_questions())]


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("name", NAMES)
def test_agent_keeps_its_contract(agent: str, name: str) -> None:
    checks: dict[str, Check] = dict(check_agent(AGENTS[agent], sample_questions()))
    checks[name]()


@pytest.mark.parametrize("protocol", ["alternating", "simultaneous"])
@pytest.mark.parametrize("agent", AT_OFFERS)
def test_agent_keeps_its_contract_at_offers(agent: str, protocol: str) -> None:
    for seat in ("ann", "bob"):
        questions = offers_questions(seat, protocol=protocol)
        assert {one.ask.payload["protocol"] for one in questions} == {"offers"}
        for _, check in check_agent(AT_OFFERS[agent], questions):
            check()


@pytest.mark.parametrize("agent", IN_AUCTIONS)
def test_agent_keeps_its_contract_in_auctions(agent: str) -> None:
    questions = bidding_questions()
    assert {one.ask.kind for one in questions} == {"bid", "commit", "reveal", "price"}
    for _, check in check_agent(IN_AUCTIONS[agent], questions):
        check()


def test_contract_has_no_two_checks_of_one_name() -> None:
    assert len(NAMES) == len(set(NAMES)) >= 6


def test_an_agent_that_is_a_model_need_not_repeat_itself() -> None:
    names = [name for name, _ in check_agent(rational, sample_questions(), is_repeatable=False)]
    assert "the same question gets the same reply" in NAMES
    assert set(NAMES) > set(names)
    assert "whatever others wrote it raises nothing" in names


def test_an_agent_that_raises_is_found_at_the_question_it_raises_at() -> None:
    found = dict(check_agent(BrokenAgent, sample_questions(session="here")))
    with pytest.raises(AssertionError, match=r"here/a1 \(position\): it raised RuntimeError"):
        found["it answers or fails at every kind of ask"]()


def test_sample_questions_are_those_of_one_seat_in_order() -> None:
    for seat in ("CC", "CX", "GM"):
        asked = sample_questions(seat)
        assert {one.ask.party for one in asked} == {seat}
        assert [one.nth for one in asked] == list(range(len(asked)))
        assert {one.ask.kind for one in asked} == {"position", "turn", "answer"}
