"""The machine: who is asked, what counts, what time does (A1, A2, C3, G4, G9, contracts 1-3)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any, cast

import pytest

from comity.core.step import Input
from comity.protocols.bidding import MACHINE
from comity.session.registry import machine_of

Open = Callable[..., Any]


def test_the_kind_is_registered() -> None:
    machine = machine_of("bidding")
    assert machine.kind == "bidding"
    assert MACHINE[0].__module__ == "comity.protocols.bidding.machine"


def test_g9_all_are_asked_at_once_with_one_deadline(auction: Open) -> None:
    live = auction()
    assert [(one.party, one.kind) for one in live.last.asks] == [
        ("ann", "bid"),
        ("bob", "bid"),
        ("cyd", "bid"),
    ]
    assert {one.deadline_ms for one in live.last.asks} == {live.last.wake_at_ms}


@pytest.mark.parametrize("order", list(permutations(("ann", "bob", "cyd"))))
def test_g4_the_order_of_arrival_does_not_matter(auction: Open, order: Any) -> None:
    said = {"ann": "BID: 42", "bob": "BID: 42", "cyd": "BID: x"}
    live, straight = auction(reasks=0), auction(reasks=0)
    live.all_say(**{name: said[name] for name in order})
    straight.all_say(**said)
    assert live.outcome == straight.outcome
    assert live.outcome.grounds.ties[0].tied == ("ann", "bob")


def test_the_auction_closes_when_all_have_answered(auction: Open) -> None:
    live = auction("ann bob")
    live.all_say(ann="BID: 42", bob="PASS")
    assert live.outcome.grounds.ended_by == "all_answered"
    assert live.last.notes == ("bids closed (all_answered)",)


def test_g9_silence_is_no_bid_and_what_is_late_never_counts(auction: Open) -> None:
    live = auction("ann bob")
    asked = live.asked("bob")
    live.says("ann", "BID: 42")
    live.time()
    assert live.outcome.grounds.absent == ("bob",)
    ended = live.last.state
    live.do(Input(kind="reply", now_ms=live.now_ms, party="bob", ask_id=asked,
                  body={"text": "BID: 99"}))  # fmt: skip
    assert live.reasons == ["ended"]
    assert live.last.state == ended


def test_a_timer_before_its_time_does_nothing(auction: Open) -> None:
    live = auction()
    live.time(600_999)
    assert live.reasons == ["early"]
    assert live.last.wake_at_ms == 601_000
    live.time(601_000)
    assert live.outcome.reason == "no_bids"


def test_taken_up_again_the_bidders_have_their_full_time(auction: Open) -> None:
    live = auction()
    live.says("ann", "BID: 42")
    live.do(Input(kind="resumed", now_ms=900_000))
    assert live.last.wake_at_ms == 1_500_000
    assert [one.deadline_ms for one in live.last.asks] == [1_500_000, 1_500_000]


def test_what_does_not_count_is_asked_for_again_a_bounded_number_of_times(auction: Open) -> None:
    live = auction("ann bob", reasks=2)
    live.says("ann", "BID: -1")
    assert live.reasons == ["negative"]
    assert live.payload("ann")["again"] == "a bid is 0 or more"
    live.says("ann", "BID: nan")
    assert [one.attempt for one in live.last.asks if one.party == "ann"] == [3]
    live.says("ann", {"bid": True})
    assert live.reasons == ["not_a_number"]
    assert live.asked("ann") == "none"
    assert live.last.outcome is None
    live.says("bob", "BID: 5")
    assert live.outcome.winner == "bob"


def test_the_last_refusal_and_the_end_come_in_one_step(auction: Open) -> None:
    live = auction("ann", reasks=0)
    live.says("ann", "hm")
    assert live.reasons == ["no_answer"]
    assert live.outcome.reason == "no_bids"


def test_a_better_second_answer_counts(auction: Open) -> None:
    live = auction("ann bob")
    live.says("ann", "hm")
    live.all_say(ann="BID: 42", bob="BID: 37")
    assert (live.outcome.winner, live.outcome.price) == ("ann", 37)


def test_c3_a_bid_counts_for_the_channel_it_came_through(auction: Open) -> None:
    live = auction("ann bob", reasks=0)
    asked = live.asked("bob")
    live.do(Input(kind="reply", now_ms=1_000, party="ann", ask_id=asked,
                  body={"text": "BID: 99"}))  # fmt: skip
    assert live.reasons == ["late"]
    live.all_say(ann="BID - bob: 99", bob="BID: 5")
    assert live.outcome.bids == {"bob": 5}


@pytest.mark.parametrize("party", ["zoe", "", None])
def test_c3_a_stranger_cannot_bid(auction: Open, party: Any) -> None:
    live = auction()
    before = live.last.state
    live.sends(party, "BID: 99")
    assert live.reasons == ["not_a_bidder"]
    assert live.last.state == before


@pytest.mark.parametrize(
    ("changes", "bid", "statuses", "reasons"),
    [
        ("last", 50, ["replaced", "counted"], []),
        ("first", 42, ["counted", "ignored"], []),
        ("reject", 42, ["counted"], ["no_change"]),
    ],
)
def test_a_changed_bid_before_the_deadline_follows_the_policy(
    auction: Open, changes: str, bid: int, statuses: list[str], reasons: list[str]
) -> None:
    live = auction(changes=changes)
    live.says("ann", "BID: 42")
    live.sends("ann", "BID: 50")
    assert live.reasons == reasons
    assert live.last.notes == (() if reasons else ("ann handed in another bid",))
    assert [one.status for one in live.last.state.handed] == statuses
    live.time()
    assert live.outcome.bids == {"ann": bid}


def test_the_same_bid_twice_is_one_bid(auction: Open) -> None:
    live = auction()
    live.says("ann", "BID: 42")
    before = live.last.state
    live.sends("ann", "BID: 42.0")
    assert live.reasons == ["repeated"]
    assert live.last.state == before


def test_where_the_first_bid_stands_another_is_kept_once(auction: Open) -> None:
    live = auction(changes="first")
    live.says("ann", "BID: 42")
    live.sends("ann", "BID: 50")
    before = live.last.state
    live.sends("ann", "BID: 50")
    assert live.reasons == ["repeated"]
    assert live.last.state == before


def test_an_unreadable_message_changes_nothing(auction: Open) -> None:
    live = auction()
    live.says("ann", "BID: 42")
    before = live.last.state
    live.sends("ann", "BID: more")
    assert live.reasons == ["not_a_number"]
    assert live.last.state == before


def test_a_refused_bid_may_become_one_before_the_deadline(auction: Open) -> None:
    live = auction(reasks=0, changes="reject")
    live.says("ann", "hm")
    live.sends("ann", "BID: 42")
    live.time()
    assert live.outcome.bids == {"ann": 42}
    assert live.outcome.refused == ()


def test_a_bid_that_nobody_asked_for_answers_what_was_asked(auction: Open) -> None:
    live = auction("ann bob")
    live.sends("ann", "BID: 42")
    assert live.asked("ann") == "none"
    assert live.last.notes == ()
    live.sends("bob", "BID: 37")
    assert live.outcome.winner == "ann"


def test_who_fails_may_still_send_a_bid(auction: Open) -> None:
    live = auction("ann bob")
    live.fails("ann", "timeout")
    assert live.last.notes == ("ann could not answer (timeout)",)
    live.sends("ann", "BID: 42")
    live.says("bob", "BID: 37")
    assert live.outcome.winner == "ann"


def test_a_failure_to_nothing_is_late(auction: Open) -> None:
    live = auction()
    live.fails("ann")
    live.fails("ann")
    assert live.reasons == ["late"]


def test_an_unknown_kind_of_input_is_rejected(auction: Open) -> None:
    live = auction()
    live.do(Input(kind=cast("Any", "shout"), now_ms=0))
    assert live.reasons == ["unknown_kind"]


# --- commitments -----------------------------------------------------------------------------


def test_a2_bids_are_revealed_when_all_hashes_are_in(auction: Open) -> None:
    live = auction("ann bob", commit=True, reveal_ms=5_000)
    live.says("ann", live.hash_of("ann", 42))
    assert {one.kind for one in live.last.asks} == {"commit"}
    live.says("bob", live.hash_of("bob", 37))
    assert live.last.notes == ("commitments closed (all_answered): 2 hashes are in",)
    assert [(one.party, one.kind) for one in live.last.asks] == [
        ("ann", "reveal"),
        ("bob", "reveal"),
    ]
    assert live.last.wake_at_ms == live.now_ms + 5_000
    live.all_say(ann=live.reveal("ann", 42), bob=live.reveal("bob", 37))
    assert (live.outcome.winner, live.outcome.price, live.outcome.thin) == ("ann", 37, ())


def test_a2_only_who_committed_is_asked_to_reveal(auction: Open) -> None:
    live = auction(commit=True)
    live.says("ann", live.hash_of("ann", 42))
    late = live.hash_of("bob", 99)
    live.time()
    assert [one.party for one in live.last.asks] == ["ann"]
    before = live.last.state
    live.sends("bob", late)
    assert live.reasons == ["late"]
    assert live.last.state == before
    live.says("ann", live.reveal("ann", "42.0"))
    assert live.outcome.bids == {"ann": 42}
    assert live.outcome.grounds.absent == ("bob", "cyd")


def test_a2_without_a_commitment_nothing_is_revealed(auction: Open) -> None:
    live = auction(commit=True)
    live.time()
    assert live.outcome.reason == "no_bids"


def test_a2_an_amount_in_place_of_a_hash_is_refused_and_asked_again(auction: Open) -> None:
    live = auction("ann bob", commit=True)
    live.says("ann", "BID: 42")
    assert live.reasons == ["bid_shown"]
    assert "whoever reads" in live.payload("ann")["again"]
    live.says("ann", live.hash_of("ann", 40))
    assert live.last.state.counted("committing")["ann"].committed


def test_a2_a_commitment_may_be_changed_while_it_is_open(auction: Open) -> None:
    live = auction("ann bob", commit=True)
    live.says("ann", live.hash_of("ann", 42))
    live.sends("ann", live.hash_of("ann", 45))
    assert live.last.notes == ("ann handed in another commit",)
    live.says("bob", live.hash_of("bob", 37))
    live.says("ann", live.reveal("ann", 42))
    assert live.reasons == ["not_matching"]
    live.says("ann", live.reveal("ann", 45))
    live.says("bob", live.reveal("bob", 37))
    assert live.outcome.bids == {"ann": 45, "bob": 37}


def test_a2_another_bidders_hash_cannot_be_revealed(auction: Open) -> None:
    live = auction("ann bob", commit=True, reasks=0)
    copied = live.hash_of("ann", 42)
    live.all_say(ann=copied, bob=copied)
    live.says("bob", live.reveal("ann", 42))
    assert live.reasons == ["not_matching"]
    live.says("ann", live.reveal("ann", 42))
    assert live.outcome.winner == "ann"


def test_a2_a_reveal_that_matched_stands(auction: Open) -> None:
    live = auction("ann bob", commit=True)
    live.all_say(ann=live.hash_of("ann", 42), bob=live.hash_of("bob", 37))
    live.says("ann", live.reveal("ann", 42))
    before = live.last.state
    live.sends("ann", live.reveal("ann", 42))
    assert live.reasons == ["repeated"]
    live.sends("ann", live.reveal("ann", 43))
    assert live.reasons == ["not_matching"]
    assert live.last.state == before


# --- clocks ----------------------------------------------------------------------------------


def test_a2_a_rising_price_asks_who_is_still_in(auction: Open) -> None:
    live = auction(mode="english", unit="GBP")
    live.all_say(ann="STAY", bob="OUT", cyd="STAY")
    assert live.last.notes == ("at 10 GBP: ann, cyd",)
    assert [one.party for one in live.last.asks] == ["ann", "cyd"]
    live.sends("bob", "STAY")
    assert live.reasons == ["late"]
    live.all_say(ann="STAY", cyd="OUT")
    assert (live.outcome.winner, live.outcome.price) == ("ann", 20)


def test_a2_silence_at_a_price_is_out_by_its_own_deadline(auction: Open) -> None:
    live = auction(mode="english", level_ms=2_000)
    live.says("ann", "STAY")
    live.says("bob", "STAY")
    assert live.last.wake_at_ms == 3_000
    live.time()
    assert [one.party for one in live.last.asks] == ["ann", "bob"]
    assert live.last.wake_at_ms == 5_000
    live.fails("ann")
    live.says("bob", "STAY")
    assert live.outcome.winner == "bob"
    assert live.parameters["phases"][1]["failed"] == {"ann": "crashed"}


def test_g4_who_goes_out_together_is_drawn_by_lot(auction: Open) -> None:
    live = auction("ann bob", mode="english")
    live.all_say(ann="STAY", bob="STAY")
    live.all_say(ann="OUT", bob="OUT")
    assert live.outcome.price == 10
    assert live.outcome.grounds.ties[0].seed == "1"


def test_a2_an_english_clock_ends_where_it_was_said(auction: Open) -> None:
    live = auction("ann bob", mode="english", end=25)
    prices = []
    while live.last.outcome is None:
        prices.append(live.payload("ann")["price"])
        live.all_say(ann="STAY", bob="STAY")
    assert prices == [10, 20, 25]
    assert live.outcome.price == 25


def test_a_second_answer_to_a_price_does_not_count(auction: Open) -> None:
    live = auction("ann bob", mode="english")
    live.says("ann", "STAY")
    before = live.last.state
    live.sends("ann", "OUT")
    assert live.reasons == ["answered"]
    assert live.last.state == before


def test_an_answer_to_a_price_may_come_unasked(auction: Open) -> None:
    live = auction("ann bob", mode="english")
    live.sends("ann", "STAY")
    live.sends("bob", "OUT")
    assert live.outcome.winner == "ann"


def test_a2_a_falling_price_goes_on_until_it_is_taken(auction: Open) -> None:
    live = auction(mode="dutch")
    live.all_say(ann="PASS", bob="PASS", cyd="PASS")
    assert live.last.notes == ("at 50: nobody",)
    assert live.payload("bob")["price"] == 40
    live.says("bob", "TAKE")
    assert live.last.outcome is None  # who takes it at the same price has the same chance
    live.all_say(ann="PASS", cyd="TAKE")
    assert live.outcome.price == 40
    assert live.outcome.grounds.ties[0].tied == ("bob", "cyd")
    assert live.outcome.flags == ("bids_are_shaded",)


def test_what_cannot_be_read_at_a_price_is_no(auction: Open) -> None:
    live = auction("ann bob", mode="english")
    live.says("ann", "STAY if bob does")
    assert live.payload("ann")["again"].startswith("answer with a line STAY or OUT")
    live.says("ann", "well")
    live.says("bob", "STAY")
    assert live.outcome.winner == "bob"
    assert live.parameters["phases"][0]["unread"] == ("ann",)
