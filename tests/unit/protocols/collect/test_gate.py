"""Gate: thin results and no-decisions go to a person, with a default (G8, V8)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from comity.core.step import Input
from comity.protocols.collect.rules import Gate

Open = Callable[..., Any]


def said(live: Any, *words: str) -> Any:
    for party, word in zip(live.rules.ids, words, strict=False):
        if live.last.outcome is None:
            live.says(party, word)
    return live


@pytest.mark.parametrize(
    ("on", "words", "why"),
    [
        ("all", "A A B", ["margin_of_victory_1"]),
        ("thin", "A A B", ["margin_of_victory_1"]),
        ("none", "A A B", None),
        ("all", "A A A", None),
        ("all", "A B C", ["tie"]),
        ("thin", "A B C", None),
        ("all", "A B abstain", ["tie"]),
        ("all", "A abstain abstain", ["no_majority"]),
        ("all", "abstain abstain abstain", None),
    ],
)
def test_g8_what_is_put_to_a_person(
    vote: Open, on: Any, words: str, why: list[str] | None
) -> None:
    live = said(vote(gate=Gate(on=on)), *words.split())
    if why is None:
        assert live.last.outcome is not None
        return
    assert live.last.outcome is None
    (asked,) = live.last.asks
    assert (asked.party, asked.kind) == ("human", "decide")
    assert list(asked.payload["why"]) == why
    assert live.last.notes[-1] == f"put to human: {', '.join(why)}"


def test_v8_absent_voters_may_be_a_case_for_a_person(vote: Open) -> None:
    live = said(vote("a b c d e", absent="person", gate=Gate()), "A", "A", "A", "A")
    assert live.outcome.option == "A", "nothing outstanding can change it"
    waits = said(vote("a b c d e", absent="person", early=False, gate=Gate()), "A", "A", "A", "A")
    waits.time()
    assert waits.last.state.waiting.reason == "absent"
    off = said(vote("a b c d e", absent="person", early=False), "A", "A", "A", "A")
    assert off.time().outcome is not None


def test_g8_accepting_keeps_the_result_as_it_was(vote: Open) -> None:
    live = said(vote(gate=Gate()), "A", "A", "B")
    held = live.last.state.held
    live.says("human", "DECIDE: accept")
    assert (live.outcome.option, live.outcome.margin) == ("A", 1)
    assert live.outcome.grounds.ended_by == "person"
    assert live.outcome.grounds.submissions[-1].what == {"decides": "accept"}
    assert live.outcome.count == held.count
    assert live.outcome.grounds.thin == ("margin_of_victory_1",)


def test_g8_a_person_may_choose_otherwise(vote: Open) -> None:
    live = said(vote(gate=Gate()), "A", "A", "B")
    live.says("human", "DECIDE: B")
    assert (live.outcome.option, live.outcome.margin) == ("B", None)
    same = said(vote(gate=Gate()), "A", "A", "B")
    same.says("human", "A")
    assert (same.outcome.option, same.outcome.margin) == ("A", 1)
    yes = said(vote(kind="yes_no", gate=Gate()), "yes", "no", "no")
    yes.says("human", "DECIDE: passed")
    assert yes.outcome.verdict == "passed"


def test_g4_a_tie_that_a_person_breaks_says_so(vote: Open) -> None:
    live = said(vote("ann bob", gate=Gate()), "A", "B")
    live.says("human", {"decide": "B"})
    tie = live.outcome.grounds.ties[-1]
    assert (tie.rule, tie.tied, tie.chosen) == ("human", ("A", "B"), "B")
    other = said(vote("ann bob", gate=Gate()), "A", "B")
    other.says("human", "C")
    assert other.outcome.option == "C"
    assert other.outcome.grounds.ties[-1].rule == "none"
    stays = said(vote("ann bob", gate=Gate()), "A", "B")
    stays.says("human", "accept")
    assert (stays.outcome.kind, stays.outcome.reason) == ("no_decision", "tie")


@pytest.mark.parametrize(("default", "kind"), [("accept", "no_decision"), ("C", "choice")])
def test_g8_the_default_applies_when_nobody_answers(vote: Open, default: str, kind: str) -> None:
    live = said(vote("ann bob", gate=Gate(default=default, deadline_ms=77)), "A", "B")
    live.time(1_076)
    assert live.reasons == ["early"]
    live.time(1_077)
    assert live.outcome.kind == kind
    assert live.outcome.grounds.ended_by == "default"
    assert [one.party for one in live.outcome.grounds.submissions] == ["ann", "bob"]
    assert live.last.notes[-1] == f"decided by default: {default}"


def test_g8_a_person_who_is_not_there_is_waited_for_until_the_default(vote: Open) -> None:
    live = said(vote("ann bob", gate=Gate()), "A", "B")
    live.fails("human", "left")
    assert live.last.asks == ()
    assert live.last.state.waiting is not None
    live.sends("human", "hm")
    assert live.reasons == ["no_decision"]
    live.sends("ann", "VOTE: B")
    assert live.reasons == ["late"]
    live.sends("human", "B")
    assert live.outcome.option == "B"


def test_g8_what_a_person_says_unclearly_is_asked_again_a_bounded_number_of_times(
    vote: Open,
) -> None:
    live = said(vote("ann bob", gate=Gate(), reasks=1), "A", "B")
    first = live.last.asks[0].id
    live.says("human", "hm")
    assert (live.reasons, live.last.asks[0].attempt) == (["no_decision"], 2)
    assert live.last.asks[0].id != first
    live.says("human", {"decide": 5})
    assert live.last.asks == ()
    assert live.last.wake_at_ms == live.last.state.person_until_ms


def test_g8_a_reason_and_a_name_stand_beside_what_was_decided(vote: Open) -> None:
    live = said(vote("ann bob", gate=Gate()), "A", "B")
    live.says("human", {"decide": "B", "reason": "cheaper", "by": "zoe", "mark": "7", "x": 1})
    told = {"decides": "B", "reason": "cheaper", "by": "zoe"}
    assert live.outcome.grounds.submissions[-1].what == told
    bare = said(vote("ann bob", gate=Gate()), "A", "B")
    bare.says("human", {"decide": "B", "reason": 5, "by": ""})
    assert bare.outcome.grounds.submissions[-1].what == {"decides": "B"}


def test_g8_who_took_a_decision_back_is_asked_anew_with_the_whole_time(vote: Open) -> None:
    live = said(vote("ann bob", gate=Gate(deadline_ms=500)), "A", "B")
    (first,) = live.last.asks
    body = {"by": "zoe", "reason": "too soon"}
    live.do(Input(kind="undo", now_ms=9_000, party="human", body=body))
    (asked,) = live.last.asks
    assert (live.last.wake_at_ms, asked.deadline_ms, asked.attempt) == (9_500, 9_500, 1)
    assert asked.id != first.id, "an answer to the first question does not fit the second"
    assert "it was taken back by zoe: too soon" in asked.payload["brief"]
    assert live.last.notes == ("a decision was taken back",)
    live.do(Input(kind="undo", now_ms=9_100))
    assert live.last.asks[0].payload["again"] == "it was taken back"
    live.says("human", "DECIDE: B")
    assert live.outcome.option == "B"


def test_g8_where_no_person_decides_nothing_is_taken_back(vote: Open) -> None:
    live = vote()
    live.do(Input(kind="undo", now_ms=5))
    assert live.reasons == ["nothing_to_undo"]
    said(live, "A", "A", "A")
    live.do(Input(kind="undo", now_ms=5))
    assert live.reasons == ["ended"]
