"""The machine: who acts next, time, guards, and that nothing blocks (M2, B7, G9, complaints)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any

import pytest

from comity.core.step import Input
from comity.protocols.offers.machine import start, step
from comity.testing.bargains import sample_offers

Open = Callable[..., Any]
ANNS, BOTH = "OFFER: tls = 1.3; days = 30", "OFFER: tls = 1.3; days = 60"
BOBS, EVEN = "OFFER: tls = 1.2; days = 60", "OFFER: tls = 1.2; days = 30"


def test_m2_seats_act_in_the_recorded_order(table: Open) -> None:
    live = table(3, first="bob", stall=99)
    seen = []
    for _ in range(6):
        seen += live.asked
        live.turns("PASS")
    assert seen == list(sample_offers(3, first="bob").order) * 2
    drawn = start(sample_offers(3, first=None))
    (tie,) = drawn.state.ties
    assert (tie.label, tie.chosen) == ("opener", drawn.asks[0].party)


def test_complaint_1_an_always_refusing_seat_is_asked_no_more_often_than_there_are_rounds(
    table: Open,
) -> None:
    live = table(rounds=20, stall=99)
    asked = 0
    while live.last.outcome is None:
        asked += live.asked == ["bob"]
        live.turns(ANNS if live.asked == ["ann"] else "PASS")
    assert asked == 20
    assert live.outcome.reason == "round_limit"


def test_the_last_offer_gets_an_answer_when_nobody_asked_before_refused_it(table: Open) -> None:
    live = table(3, rounds=1)
    live.turns(ANNS, BOTH, "ACCEPT: bob-0")
    assert live.last.notes == ("last call for bob-0",)
    assert (live.asked, live.ask("ann").kind) == (["ann"], "answer")
    live.says("ann", BOBS)
    assert live.reasons == ["not_now"]
    live.says("ann", "ACCEPT: bob-0")
    assert (live.outcome.accepted_offer, live.outcome.round) == ("bob-0", 0)
    live = table(3, rounds=1)
    live.turns(ANNS, BOTH, "PASS")
    assert live.outcome.reason == "round_limit"
    live = table(3, rounds=1)
    live.turns(ANNS, BOBS, BOTH, "ACCEPT: cyd-0")
    assert live.asked == ["bob"]
    live.sends("cyd", "WITHDRAW: cyd-0")
    assert live.reasons == ["not_now"]
    live.turns("PASS")
    assert (live.outcome.reason, live.outcome.rounds) == ("round_limit", 1)


def test_complaint_29_one_leaves_before_round_0_and_it_is_over(table: Open) -> None:
    for seats in (2, 3):
        live = table(seats)
        live.sends("bob", "LEAVE: cannot attend")
        assert live.outcome.reason == "left"
        assert live.outcome.rounds == 0
        assert live.asked == []
        assert live.last.wake_at_ms is None


def test_complaint_26_a_session_taken_up_again_keeps_the_table(table: Open) -> None:
    live = table()
    live.says("ann", BOTH)
    before = live.last
    live.do(Input(kind="resumed", now_ms=live.now_ms + 9_000))
    assert live.standing == ["ann-0"]
    assert [(one.id, one.payload) for one in live.last.asks] == [
        (one.id, one.payload) for one in before.asks
    ]
    live.says("bob", "ACCEPT: ann-0")
    assert live.outcome.accepted_offer == "ann-0"


def test_complaint_23_an_acceptance_of_a_superseded_id_after_a_pause_is_refused(
    table: Open,
) -> None:
    live = table()
    live.turns(BOTH, BOBS, ANNS)
    live.do(Input(kind="resumed", now_ms=99_000))
    live.says("bob", "ACCEPT: ann-0")
    assert live.reasons == ["superseded"]


# --- time ------------------------------------------------------------------------------------


def test_complaint_14_and_25_a_hung_seat_passes_at_its_timeout_and_blocks_nobody(
    table: Open,
) -> None:
    live = table(turn_timeout_ms=5_000)
    live.says("ann", BOTH)
    live.time(5_999)
    assert live.reasons == ["early"]
    live.time(6_000)
    assert live.last.notes == ("bob did not act in round 0 (timeout)",)
    assert live.asked == ["ann"]
    assert live.standing == ["ann-0"]


def test_g9_one_deadline_for_all_ends_it_whoever_acts(table: Open) -> None:
    live = table(deadline_ms=8_000, turn_timeout_ms=5_000)
    live.now_ms = 5_000
    live.says("ann", ANNS)
    assert live.last.wake_at_ms == 9_000
    live.time()
    assert live.outcome.reason == "time_limit"
    assert live.outcome.unblock[-2] == "more time"


@pytest.mark.parametrize("how", ["reply", "failure", "message"])
def test_g9_what_is_recorded_after_the_deadline_ends_it_and_counts_for_nothing(
    table: Open, how: str
) -> None:
    live = table(deadline_ms=8_000)
    live.says("ann", BOTH)
    live.now_ms = 9_000
    if how == "reply":
        live.says("bob", "ACCEPT: ann-0")
    elif how == "failure":
        live.fails("bob")
    else:
        live.sends("bob", "LEAVE: x")
    assert live.reasons == ["late"]
    assert live.outcome.reason == "time_limit"


def test_time_in_which_no_process_ran_is_not_counted(table: Open) -> None:
    live = table(deadline_ms=8_000, turn_timeout_ms=3_000)
    live.now_ms = 2_000
    live.says("ann", ANNS)
    assert (live.ask("bob").deadline_ms, live.last.state.closes_ms) == (5_000, 9_000)
    live.do(Input(kind="resumed", now_ms=102_000))
    assert (live.ask("bob").deadline_ms, live.last.state.closes_ms) == (105_000, 109_000)
    live.do(Input(kind="resumed", now_ms=50))  # a clock that went back takes nothing away
    assert live.last.state.closes_ms == 109_000


def test_complaint_4_failures_are_named_and_the_others_go_on(table: Open) -> None:
    live = table(3)
    live.fails("ann", "crashed")
    assert live.last.notes == ("ann did not act in round 0 (crashed)",)
    live.turns(BOBS, "ACCEPT: bob-0")
    assert live.asked == ["ann"]
    live.do(Input(kind="failure", now_ms=1, party="ann", ask_id=live.ask("ann").id, body=None))
    assert live.last.state.failed == (("ann", "crashed"), ("ann", "failure"))


# --- guards ----------------------------------------------------------------------------------


def test_b7_stall_ends_talk_after_twice_the_seats_without_a_new_offer(table: Open) -> None:
    live = table(3)
    live.turns(ANNS, *["PASS"] * 5)
    assert live.last.outcome is None
    live.turns(ANNS)
    assert live.outcome.reason == "stall"
    assert dict(live.outcome.grounds.parameters)["stall"] == 6
    assert live.outcome.rounds_without_movement == 2


def test_b7_a_new_offer_in_between_resets_the_stall(table: Open) -> None:
    """Complaint 8: the counter is set back by a new offer."""
    live = table()
    live.turns(ANNS, "PASS", "PASS", BOBS, "PASS", "PASS", "PASS")
    assert live.last.outcome is None
    live.turns("PASS")
    assert live.outcome.reason == "stall"


def test_b7_going_round_in_circles_is_ping_pong(table: Open) -> None:
    live = table()
    live.turns(ANNS, BOBS, BOTH, BOBS, ANNS, BOBS)
    assert live.last.outcome is None
    live.turns(BOTH)
    assert live.outcome.reason == "ping_pong"
    live = table()
    live.turns(ANNS, BOBS, BOTH, *["PASS"] * 4)
    assert live.outcome.reason == "stall"


def test_b7_exhaustion_ends_it_when_nobody_has_a_new_offer_and_all_have_answered(
    table: Open,
) -> None:
    live = table(stall=99)
    live.turns(ANNS, BOBS, BOTH, EVEN, EVEN, BOTH)
    assert live.last.outcome is None  # bob's last is new: ann may still take it
    live.turns("PASS", "PASS")
    assert live.outcome.reason == "exhausted"
    assert live.outcome.grounds.thin == ("missed_deal",)


def test_trap_19_repeating_an_old_offer_is_no_new_offer(table: Open) -> None:
    live = table()
    live.turns(ANNS, BOBS, ANNS, BOBS, ANNS)
    assert live.last.outcome is None
    live.turns(BOBS)
    assert live.outcome.reason == "stall"


# --- what counts -----------------------------------------------------------------------------


def test_unasked_a_seat_can_only_leave_or_take_back_its_offer(table: Open) -> None:
    live = table()
    live.says("ann", BOTH)
    live.sends("ann", ANNS)
    assert live.reasons == ["not_your_turn"]
    assert "bob to act now" in live.hint
    live.sends("ann", "hm")
    assert live.reasons == ["not_your_turn"]
    live.sends("bob", "WITHDRAW: ann-0")
    assert live.reasons == ["not_yours"]
    live.sends("ann", "WITHDRAW: ann-0")
    assert live.standing == []
    live.says("bob", "ACCEPT: ann-0")
    assert live.reasons == ["withdrawn"]
    live.sends("zoe", "LEAVE: x")
    assert live.reasons == ["not_a_seat"]
    live.sends(None, "LEAVE: x")
    assert live.reasons == ["not_a_seat"]


def test_late_and_foreign_replies_do_nothing(table: Open) -> None:
    live = table()
    asked = live.ask("ann").id
    for party, name in (("bob", asked), ("ann", "a9"), ("ann", None)):
        for kind in ("reply", "failure"):
            before = live.last.state
            live.do(Input(kind=kind, now_ms=5, party=party, ask_id=name, body={"text": ANNS}))
            assert live.reasons == ["late"]
            assert live.last.state == before


def test_after_the_end_nothing_counts_and_unknown_kinds_never_do(table: Open) -> None:
    live = table()
    live.do(Input(kind="dance", now_ms=5))  # type: ignore[arg-type]
    assert live.reasons == ["unknown_kind"]
    live.do(Input(kind="cancel", now_ms=5))
    assert live.outcome.reason == "cancelled"
    live.sends("ann", "LEAVE: x")
    assert live.reasons == ["ended"]


def test_data_and_words_say_the_same(table: Open) -> None:
    live = table()
    live.says("ann", {"offer": {"tls": "1.3", "days": "60"}, "say": "fair"})
    assert live.last.state.transcript[0]["say"] == "fair"
    live.says("bob", {"accept": "ann-0"})
    assert live.outcome.accepted_offer == "ann-0"
    live = table(reasks=0)
    live.do(Input(kind="reply", now_ms=5, party="ann", ask_id=live.ask("ann").id, body=None))
    assert live.reasons == ["no_move"]


# --- all at once -----------------------------------------------------------------------------


@pytest.mark.parametrize("order", list(permutations(("ann", "bob", "cyd"))))
def test_all_at_once_the_order_of_arrival_does_not_matter(
    table: Open, order: tuple[str, ...]
) -> None:
    said = {"ann": ANNS, "bob": BOBS, "cyd": BOTH}
    live = table(3, protocol="simultaneous")
    for party in order:
        live.says(party, said[party])
    for party in order[::-1]:
        live.says(party, "ACCEPT: cyd-0" if party != "cyd" else "PASS")
    straight = table(3, protocol="simultaneous")
    straight.turns(ANNS, BOBS, BOTH, "ACCEPT: cyd-0", "ACCEPT: cyd-0", "PASS")
    one, other = live.outcome, straight.outcome
    assert one.accepted_offer == other.accepted_offer == "cyd-0"
    assert set(one.offers[2].accepted_by) == {"ann", "bob"}
    assert one.grounds.submissions == other.grounds.submissions


def test_all_at_once_who_is_hung_passes_and_the_rest_is_revealed(table: Open) -> None:
    live = table(3, protocol="simultaneous", turn_timeout_ms=5_000)
    live.says("ann", BOTH)
    live.time()
    assert live.standing == ["ann-0"]
    assert live.asked == ["bob", "cyd"]
    live.turns("ACCEPT: ann-0", "ACCEPT: ann-0")
    assert live.outcome.accepted_offer == "ann-0"


def test_all_at_once_without_any_offer_the_next_round_begins(table: Open) -> None:
    live = table(protocol="simultaneous", rounds=2)
    live.turns("PASS", "PASS")
    assert [one.kind for one in live.last.asks] == ["offer", "offer"]
    assert live.last.state.round == 1
    live.turns("PASS", "PASS")
    assert live.outcome.reason == "stall"


def test_all_at_once_acceptances_outlive_a_round_while_the_offer_stands(table: Open) -> None:
    live = table(3, protocol="simultaneous")
    live.turns(BOTH, "PASS", "PASS")
    live.turns("ACCEPT: ann-0", "PASS")
    live.turns("PASS", "PASS", "PASS")
    assert live.asked == ["cyd"]
    live.turns("ACCEPT: ann-0")
    assert live.outcome.offers[0].accepted_by == ("bob", "cyd")


def test_the_deadline_while_all_offer_puts_what_was_offered_on_record(table: Open) -> None:
    live = table(protocol="simultaneous", deadline_ms=5_000, fallback="best_of_seen")
    live.says("ann", BOTH)
    live.time()
    assert live.outcome.how == "best_of_seen"
    live = table(protocol="simultaneous")
    live.says("ann", BOTH)
    live.do(Input(kind="cancel", now_ms=5))
    assert [one.id for one in live.outcome.offers] == ["ann-0"]


def test_a_mediated_session_asks_nobody() -> None:
    first = start(sample_offers(protocol="mediated"))
    assert first.outcome is not None
    assert (first.asks, first.wake_at_ms) == ((), None)
    after = step(first.state, Input(kind="cancel", now_ms=5))
    assert after.rejected[0].reason == "ended"


def test_complaint_13_a_time_limit_ends_it_with_the_whole_path_up_to_there(table: Open) -> None:
    live = table(deadline_ms=8_000, first="ann")
    live.turns(ANNS)
    live.time(9_500)
    assert live.outcome.reason == "time_limit"
    assert [(one.party, dict(one.deal)) for one in live.outcome.offers] == [
        ("ann", {"tls": "1.3", "days": "30"})
    ]
    assert live.outcome.unblock


def test_complaint_17_both_sides_know_an_offer_by_the_same_id(table: Open) -> None:
    live = table(first="ann")
    live.turns(ANNS)
    (heard,) = [one for one in live.told_to("bob")["transcript"] if one["kind"] == "offer"]
    live.turns(BOBS)
    own = [one for one in live.told_to("ann")["transcript"] if one["kind"] == "offer"]
    assert [one["id"] for one in own] == [heard["id"], "bob-0"]
    assert heard["id"] == "ann-0"
