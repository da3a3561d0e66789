"""State: what stands, what is missing, what is asked (V8, G9)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from comity.protocols.collect.rules import Gate
from comity.protocols.collect.state import Cast, VoteState, ask, new_state

Open = Callable[..., Any]


def test_g9_all_are_asked_with_one_deadline(vote: Open) -> None:
    live = vote(deadline_ms=5_000)
    assert {one.deadline_ms for one in live.last.asks} == {6_000}
    assert live.last.wake_at_ms == 6_000
    assert live.told[0].wake_at_ms == 5_000


def test_the_missing_are_those_without_any_ballot(vote: Open) -> None:
    live = vote(early=False)
    assert live.last.state.missing == ("ann", "bob", "cyd")
    state: VoteState = live.says("ann", "A").state
    assert state.missing == ("bob", "cyd")
    assert [one.ballot for one in state.counted] == ["A"]
    assert state.standing("ann") == Cast(voter="ann", ballot="A", at_ms=1_000)
    assert state.standing("bob") is None


def test_g8_waiting_says_who_decides_until_when_and_how(vote: Open) -> None:
    live = vote(gate=Gate(seat="boss", deadline_ms=50))
    assert live.last.state.waiting is None
    for party, said in (("ann", "A"), ("bob", "A"), ("cyd", "B")):
        live.says(party, said)
    waiting = live.last.state.waiting
    assert (waiting.reason, waiting.whom, waiting.until_ms) == ("human", ("boss",), 1_050)
    assert waiting.exit_code == 11
    assert waiting.unblock[0] == "boss answers DECIDE: one of accept, A, B, C"
    assert waiting.grounds.thin == ("margin_of_victory_1",)
    assert live.last.wake_at_ms == 1_050
    assert live.time().state.waiting is None
    assert live.last.wake_at_ms is None


def test_asks_are_numbered_and_tell_why_they_are_asked_again(vote: Open) -> None:
    state = new_state(vote().rules)
    twice = ask(ask(state, "ann"), "ann", again="say it", attempt=2)
    assert [(one.id, one.attempt) for one in twice.asks] == [("a1", 1), ("a2", 2)]
    assert twice.asks[1].payload["again"] == "say it"
    assert hash(twice.asks[0]) == hash(ask(state, "ann").asks[0])
