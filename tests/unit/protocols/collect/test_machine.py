"""The machine: who is asked, what counts once, what time does (V1, V8, G9)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any

import pytest

from comity.core.step import Input
from comity.protocols.collect.machine import start, step
from comity.protocols.collect.opening import vote_rules
from comity.protocols.collect.rules import Gate

Open = Callable[..., Any]
FIVE = "ann bob cyd dan eve"


def test_all_are_asked_at_once_and_warnings_are_noted(vote: Open) -> None:
    live = vote("ann bob cyd dan")
    first = live.told[0]
    assert [one.party for one in first.asks] == ["ann", "bob", "cyd", "dan"]
    assert first.notes[0].startswith("4 members tolerate")
    for party in ("ann", "bob", "cyd", "dan"):
        live.says(party, "A") if live.last.outcome is None else None
    assert dict(live.outcome.grounds.parameters)["warnings"][0] == first.notes[0]


@pytest.mark.parametrize("order", list(permutations(("ann", "bob", "cyd"))))
def test_v8_the_order_of_arrival_does_not_matter(vote: Open, order: tuple[str, ...]) -> None:
    said = {"ann": "A", "bob": "B", "cyd": "A"}
    live = vote(early=False)
    for party in order:
        live.says(party, said[party])
    straight = vote(early=False)
    for party, words in said.items():
        straight.says(party, words)
    assert live.outcome == straight.outcome


def test_v8_a_repeat_is_a_no_op(vote: Open) -> None:
    live = vote(FIVE)
    live.says("ann", "VOTE: A")
    before = live.last.state
    live.sends("ann", "vote: a")
    assert live.reasons == ["repeated"]
    assert live.last.state == before


@pytest.mark.parametrize(
    ("changes", "ballot", "statuses"),
    [
        ("last", "B", ["replaced", "counted"]),
        ("first", "A", ["counted", "ignored"]),
        ("reject", "A", ["counted"]),
    ],
)
def test_v8_a_changed_vote_follows_the_policy_and_keeps_its_history(
    vote: Open, changes: str, ballot: str, statuses: list[str]
) -> None:
    live = vote(FIVE, changes=changes)
    live.says("ann", "A")
    live.sends("ann", "VOTE: B")
    assert [one.status for one in live.last.state.cast] == statuses
    assert live.last.state.standing("ann").ballot == ballot
    assert live.reasons == (["no_change"] if changes == "reject" else [])
    live.time()
    told = live.outcome.grounds.submissions[0].what
    assert told["ballot"] == ballot
    assert len(told.get("history", ())) == len(statuses) - 1
    # govtool 2244: a changed vote is counted once
    assert sum(live.outcome.tally.values()) == 1


def test_v8_an_abstention_may_become_a_vote(vote: Open) -> None:
    live = vote(FIVE)
    live.says("ann", "VOTE: abstain")
    live.sends("ann", "VOTE: B")
    assert live.last.notes == ("ann changed its vote",)
    assert live.last.state.standing("ann").ballot == "B"


def test_an_unasked_vote_answers_what_was_asked(vote: Open) -> None:
    live = vote(FIVE)
    asked = live.asked("bob")
    live.sends("bob", "A")
    assert live.asked("bob") == "none"
    live.do(Input(kind="reply", now_ms=1, party="bob", ask_id=asked, body={"text": "B"}))
    assert live.reasons == ["late"]


def test_a_reply_that_repeats_an_earlier_message_settles_its_ask(vote: Open) -> None:
    live = vote(FIVE, absent="extend")
    for party in ("ann", "bob", "cyd", "dan"):
        live.fails(party)
    live.fails("eve")
    again = live.asked("ann")
    assert again != "none"
    live.sends("ann", "A")
    assert live.asked("ann") == "none"


def test_v1_unreadable_answers_are_asked_again_a_bounded_number_of_times(vote: Open) -> None:
    live = vote(FIVE, reasks=2)
    for attempt in (2, 3):
        live.says("ann", "who knows")
        assert live.reasons == ["no_ballot"]
        (asked,) = [one for one in live.last.asks if one.party == "ann"]
        assert asked.attempt == attempt
    live.says("ann", "VOTE: Z")
    assert live.reasons == ["unreadable"]
    assert live.asked("ann") == "none"
    assert live.last.state.standing("ann").status == "invalid"
    assert live.last.notes == ("ann gave no readable ballot (unreadable)",)
    live.sends("ann", "VOTE: B")
    assert live.last.state.standing("ann").ballot == "B"


def test_a_ballot_that_the_rule_cannot_count_is_unreadable_too(vote: Open) -> None:
    live = vote(kind="ranking", rule="borda")
    live.says("ann", "BALLOT: A > B")
    assert live.reasons == ["uncountable"]
    assert live.says("ann", "BALLOT: A > B > C").rejected == ()


def test_a_ballot_may_come_as_data(vote: Open) -> None:
    live = vote(FIVE)
    live.says("ann", {"ballot": "b"})
    assert live.last.state.standing("ann").ballot == "B"
    live.says("bob", {"ballot": None})
    assert live.last.state.standing("bob").ballot is None
    live.says("cyd", {"ballot": "Z"})
    assert live.reasons == ["unreadable"]
    live.says("dan", {"text": 5})
    assert live.reasons == ["no_ballot"]


def test_v8_others_are_advice_and_count_for_nothing(vote: Open) -> None:
    live = vote(FIVE)
    before = live.last.state
    for party in ("zoe", "human"):
        live.sends(party, "VOTE: A")
        assert live.reasons == ["not_a_member"]
    assert live.last.state == before
    live.sends("ann", "hello")
    assert live.reasons == ["no_ballot"]
    assert live.last.state == before


def test_c3_nobody_answers_for_somebody_else(vote: Open) -> None:
    live = vote(FIVE)
    asked = live.asked("ann")
    for kind in ("reply", "failure"):
        live.do(Input(kind=kind, now_ms=1, party="bob", ask_id=asked, body={"text": "VOTE: A"}))  # type: ignore[arg-type]
        assert live.reasons == ["late"]


def test_v8_a_hung_voter_never_blocks(vote: Open) -> None:
    live = vote()
    live.says("ann", "A")
    live.time(live.last.wake_at_ms - 1)
    assert live.reasons == ["early"]
    live.says("bob", "A")
    assert live.last.outcome is not None
    hung = vote(early=False)
    hung.says("ann", "A")
    hung.says("bob", "A")
    hung.time()
    assert hung.outcome.option == "A"
    assert hung.outcome.grounds.absent == ("cyd",)


def test_v8_late_votes_are_told_so_and_never_counted(vote: Open) -> None:
    live = vote(early=False)
    asked = live.asked("cyd")
    live.says("ann", "A")
    live.time()
    ended = live.last.state
    for kind, ask_id in (("reply", asked), ("message", None), ("timer", None), ("resumed", None)):
        live.do(
            Input(kind=kind, now_ms=9**9, party="cyd", ask_id=ask_id, body={"text": "VOTE: B"})  # type: ignore[arg-type]
        )
        assert live.reasons == ["ended"]
        assert live.last.state == ended


def test_v8_order_is_the_ledgers_not_the_clocks(vote: Open) -> None:
    live = vote(FIVE)
    live.now_ms = 500_000
    live.says("ann", "A")
    live.now_ms = 5
    live.sends("ann", "B")
    assert live.last.state.standing("ann").ballot == "B"


def test_a_failure_is_never_a_vote_and_all_asked_closes_it(vote: Open) -> None:
    live = vote()
    live.says("ann", "A")
    live.fails("bob", "timeout")
    assert live.last.notes == ("bob could not answer (timeout)",)
    live.fails("cyd")
    assert live.outcome.reason == "no_majority"
    assert live.outcome.grounds.ended_by == "all_asked"
    silent = vote()
    silent.do(Input(kind="failure", now_ms=1, party="ann", ask_id=silent.asked("ann")))
    assert silent.last.notes == ("ann could not answer (failure)",)


def test_a_failure_after_an_unreadable_answer_leaves_the_voter_absent(vote: Open) -> None:
    live = vote()
    live.says("ann", "?")
    live.fails("ann")
    assert live.last.state.missing == ("ann", "bob", "cyd")


def test_v8_the_missing_may_get_one_more_time(vote: Open) -> None:
    live = vote(absent="extend", deadline_ms=1_000)
    live.says("ann", "A")
    live.fails("bob")
    assert live.asked("bob") == "none"
    live.time(2_000)
    assert live.last.outcome is None
    assert live.last.notes == ("extended once for bob, cyd",)
    assert {one.party: one.deadline_ms for one in live.last.asks} == {"bob": 3_000, "cyd": 3_000}
    live.says("bob", "A")
    assert live.last.outcome is not None
    twice = vote(absent="extend", deadline_ms=1_000)
    twice.time(2_000)
    twice.time(3_000)
    assert twice.outcome.kind == "no_quorum"
    failed = vote("ann", absent="extend")
    failed.fails("ann")
    assert failed.asked("ann") != "none"
    failed.fails("ann")
    assert failed.outcome.grounds.submissions[0].what == {"failed": ("crashed", "crashed")}


def test_g9_a_process_that_takes_it_up_gives_all_the_same_full_time(vote: Open) -> None:
    live = vote(deadline_ms=1_000)
    live.do(Input(kind="resumed", now_ms=9_000))
    assert {one.deadline_ms for one in live.last.asks} == {10_000}
    gate = vote("ann bob", gate=Gate(deadline_ms=500))
    gate.says("ann", "A")
    gate.says("bob", "B")
    until = gate.last.wake_at_ms
    gate.do(Input(kind="resumed", now_ms=9_000_000))
    assert gate.last.wake_at_ms == until, "a person's time goes on"


def test_cancelling_ends_it_without_a_person(vote: Open) -> None:
    live = vote(gate=Gate())
    live.do(Input(kind="cancel", now_ms=1))
    assert live.outcome.reason == "cancelled"
    held = vote("ann bob", gate=Gate())
    held.says("ann", "A")
    held.says("bob", "B")
    held.do(Input(kind="cancel", now_ms=1))
    assert held.outcome.reason == "cancelled"


def test_an_input_of_no_known_kind_changes_nothing(vote: Open) -> None:
    live = vote()
    live.do(Input(kind="gossip", now_ms=1, party="ann"))  # type: ignore[arg-type]
    assert live.reasons == ["unknown_kind"]


def test_a_voter_without_weight_is_heard_and_not_counted() -> None:
    rules = vote_rules(
        "q", {"ann": {}, "bob": {}, "obs": {"weight": 0}}, seed="1", options=["A", "B"],
        gate=Gate(on="none"), early=False,
    )  # fmt: skip
    last = start(rules)
    for party, said in (("ann", "A"), ("bob", "A"), ("obs", "B")):
        (asked,) = [one.id for one in last.asks if one.party == party]
        last = step(
            last.state,
            Input(kind="reply", now_ms=0, party=party, ask_id=asked, body={"text": said}),
        )
    assert last.outcome is not None
    assert last.outcome.tally == {"A": 2, "B": 0}  # type: ignore[union-attr]
    assert last.outcome.grounds.submissions[2].what == {"ballot": "B"}


def test_a_first_voter_without_weight_voids_nobody() -> None:
    voters = {"ann": {"weight": 0}, "bob": {}, "cyd": {}}
    told = {"kind": "yes_no", "parameters": {"base": "expressed"}, "gate": Gate(on="none")}
    now = start(vote_rules("Ship it?", voters, seed="1", **told))
    for one in now.asks:
        if now.outcome is None:
            said = {"text": "VOTE: yes"}
            now = step(
                now.state,
                Input(kind="reply", ask_id=one.id, party=one.party, body=said, now_ms=1),
            )
    assert getattr(now.outcome, "verdict", None) == "passed"
