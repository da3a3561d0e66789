"""Closing: what an auction comes to, and what its result says (A1, A2, A4, G1, G2, G8)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from comity.core.canonical import canonical
from comity.core.results import result_from_json
from comity.mechanisms.auctions import first_price, multi_unit_vcg, uniform_price, vickrey
from comity.protocols.bidding.closing import NOT_REVEALED

Open = Callable[..., Any]


def refused(outcome: Any) -> dict[str, str]:
    return {one.bidder: one.reason for one in outcome.refused}


@pytest.mark.parametrize(
    ("settings", "rule", "told"),
    [
        ({}, vickrey, {}),
        ({"rule": "first_price"}, first_price, {}),
        ({"rule": "uniform_price", "units": 2}, uniform_price, {"units": 2}),
        ({"units": 2}, multi_unit_vcg, {"units": 2}),
        ({"reserve": 40}, vickrey, {}),
        ({"min_bidders": 3, "reserve": 38}, vickrey, {"min_bidders": 3}),
    ],
)
def test_a2_the_rule_that_sells_decides_on_what_was_handed_in(
    auction: Open, settings: Any, rule: Any, told: Any
) -> None:
    live = auction(**settings)
    live.all_say(ann="BID: 42", bob="BID: 37", cyd="BID: 51")
    bids = {"ann": 42, "bob": 37, "cyd": 51}
    once = rule(bids, reserve=settings.get("reserve", 0), seed="1", **told)
    assert live.outcome.says == once.says
    assert live.outcome.grounds.inputs_digest == once.grounds.inputs_digest
    assert live.outcome.refused == once.refused


def test_g1_the_result_tells_who_handed_in_what_and_who_was_silent(auction: Open) -> None:
    live = auction("ann bob cyd dan", reasks=0)
    live.all_say(ann="BID: 42", bob="PASS", cyd="BID: lots")
    live.time()
    sale = live.outcome
    assert live.submitted == {"ann": 42, "bob": "PASS", "cyd": "lots", "dan": None}
    told = live.parameters["handed_in"]
    assert told["bob"] == {"declines": "bidding"}
    assert told["cyd"]["refused"].startswith("not_a_number: lots is no amount")
    assert set(told) == {"bob", "cyd"}
    grounds = sale.grounds
    assert (grounds.absent, grounds.abstained, grounds.invalid) == (("dan",), ("bob",), ("cyd",))
    assert grounds.ended_by == "deadline"
    assert [(one.bidder, one.bid, one.reason) for one in sale.refused] == [
        ("cyd", "lots", "not_a_number")
    ]
    assert live.parameters["mode"] == "sealed"
    assert live.parameters["phases"] == (
        {"phase": "bidding", "ended_by": "deadline", "silent": ("dan",)},
    )
    assert result_from_json(json.loads(canonical(sale.to_json()))) == sale


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("BID: -1", "negative"),
        ("BID: nan", "not_a_number"),
        ("hm", "not_a_number"),
        ("BID - bob: 9", "not_a_number"),
        ("BID: 4 EUR", "unit"),
    ],
)
def test_a4_refused_bids_have_a_reason_of_the_closed_list(
    auction: Open, said: str, reason: str
) -> None:
    live = auction("ann bob", unit="GBP", reasks=0)
    live.all_say(ann=said, bob="BID: 5")
    assert refused(live.outcome) == {"ann": reason}
    assert live.outcome.winner == "bob"
    assert live.outcome.thin == ("no competition: one bid reached the reserve",)


def test_a4_a_bid_below_the_reserve_is_no_invalid_one(auction: Open) -> None:
    live = auction("ann bob", reserve=10)
    live.all_say(ann="BID: 9", bob="BID: 12")
    assert refused(live.outcome) == {"ann": "below_reserve"}
    assert live.outcome.grounds.invalid == ()


def test_g2_nobody_bids_and_nothing_is_sold(auction: Open) -> None:
    live = auction()
    live.time()
    assert (live.outcome.kind, live.outcome.reason) == ("no_sale", "no_bids")
    assert live.outcome.grounds.absent == ("ann", "bob", "cyd")


def test_a2_what_is_not_revealed_as_committed_is_named_and_does_not_count(auction: Open) -> None:
    live = auction("ann bob cyd dan eve", commit=True, reasks=0)
    hashes = {name: live.hash_of(name, bid) for name, bid in
              {"ann": 42, "bob": 99, "cyd": 51, "dan": 60}.items()}  # fmt: skip
    live.all_say(**hashes, eve="BID: 70")
    live.says("ann", live.reveal("ann", 42))
    live.says("bob", live.reveal("bob", 43))
    live.says("cyd", live.reveal("cyd", 51))
    live.time()
    sale = live.outcome
    assert (sale.winner, sale.price) == ("cyd", 42)
    assert refused(sale) == {"bob": "not_matching", "dan": "not_revealed", "eve": "not_committed"}
    assert sale.grounds.invalid == ("bob", "dan", "eve")
    assert sale.thin == (NOT_REVEALED,)
    assert live.parameters["commitments"] == {name: one.split()[1] for name, one in hashes.items()}
    assert live.parameters["auction"] == live.rules.digest
    phases = live.parameters["phases"]
    assert [one["phase"] for one in phases] == ["committing", "revealing"]
    assert phases[1]["silent"] == ("dan",)
    told = live.parameters["handed_in"]
    assert told["bob"]["refused"].startswith("not_matching")
    assert told["ann"] == {
        "commitment": hashes["ann"].split()[1],
        "bid": 42,
        "nonce": live.nonce("ann"),
    }
    assert live.submitted["dan"] == ""


def test_a2_declining_to_reveal_is_not_revealing(auction: Open) -> None:
    live = auction("ann bob", commit=True)
    live.all_say(ann=live.hash_of("ann", 42), bob=live.hash_of("bob", 37))
    live.all_say(ann="PASS", bob=live.reveal("bob", 37))
    assert refused(live.outcome) == {"ann": "not_revealed"}
    assert live.outcome.grounds.abstained == ()
    assert live.parameters["handed_in"]["ann"]["declines"] == "revealing"


def test_a2_who_declines_to_commit_abstains(auction: Open) -> None:
    live = auction("ann bob", commit=True, units=2)
    live.all_say(ann="PASS", bob=live.hash_of("bob", 37))
    live.says("bob", live.reveal("bob", 37))
    assert live.outcome.grounds.abstained == ("ann",)
    assert live.outcome.quantities == (("bob", 1),)


def test_v8_the_history_of_a_bid_is_kept(auction: Open) -> None:
    live = auction("ann bob", units=2)
    live.says("ann", "BID: 9, 8")
    live.sends("ann", "BID: 7")
    live.says("bob", "BID: 6, 5")
    assert live.submitted == {"ann": (7,), "bob": (6, 5)}
    assert live.parameters["handed_in"] == {
        "ann": {"bid": (7,), "history": ({"bid": (9, 8), "status": "replaced"},)}
    }


def test_a_failure_stands_with_its_reason_in_the_phase(auction: Open) -> None:
    live = auction("ann bob")
    live.fails("ann", "timeout")
    live.says("bob", "BID: 5")
    (phase,) = live.parameters["phases"]
    assert phase == {
        "phase": "bidding",
        "ended_by": "all_asked",
        "silent": ("ann",),
        "failed": {"ann": "timeout"},
    }


def test_a_clock_tells_every_price_and_who_was_silent(auction: Open) -> None:
    live = auction("ann bob cyd dan", mode="english", reasks=0)
    live.all_say(ann="STAY", bob="STAY", cyd="?")
    live.time()
    live.says("ann", "STAY")
    live.time()
    sale = live.outcome
    assert (sale.winner, sale.price) == ("ann", 20)
    assert live.parameters["phases"] == (
        {
            "phase": "price",
            "ended_by": "deadline",
            "price": 10,
            "yes": ("ann", "bob"),
            "silent": ("dan",),
            "unread": ("cyd",),
        },
        {
            "phase": "price",
            "ended_by": "deadline",
            "price": 20,
            "yes": ("ann",),
            "silent": ("bob",),
        },
    )
    assert sale.grounds.absent == ("dan",)
    assert live.submitted == {"ann": (10, 20), "bob": (10,), "cyd": (), "dan": None}


def test_a_falling_clock_names_who_never_said_a_word(auction: Open) -> None:
    live = auction("ann bob", mode="dutch", end=10)
    live.says("ann", "PASS")
    live.time()
    while live.last.outcome is None:
        live.time()
    assert (live.outcome.kind, live.outcome.reason) == ("no_sale", "below_reserve")
    assert live.outcome.grounds.absent == ("bob",)
    assert live.submitted == {"ann": (), "bob": None}


def test_a_cancelled_auction_opens_no_bid(auction: Open) -> None:
    for settings in ({}, {"commit": True}, {"mode": "dutch"}):
        live = auction("ann bob", **settings)
        live.says("ann", "BID: 424242" if not settings else live.hash_of("ann", 424242))
        live.do_cancel()
        sale = live.outcome
        assert (sale.kind, sale.reason) == ("no_sale", "cancelled")
        assert "424242" not in canonical(sale.to_json())
        assert live.parameters["handed_in"] == (() if "mode" in settings else ("ann",))
        assert result_from_json(json.loads(canonical(sale.to_json()))) == sale
