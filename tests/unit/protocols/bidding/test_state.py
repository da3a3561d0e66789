"""State: what a bidder is told, and what nobody is told before it is opened (A2, C3)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from comity.core.canonical import canonical, digest
from comity.protocols.bidding.state import Handed, new_state

Open = Callable[..., Any]


def payloads(live: Any, *, of: str = "") -> str:
    """Return every payload so far, of all or of one bidder."""
    asks = [one for step in live.told for one in step.asks]
    return canonical([one.payload for one in asks if one.party == of or not of])


def test_a2_no_payload_holds_anything_of_a_sealed_bid(auction: Open) -> None:
    live = auction()
    live.says("ann", "BID: 424242")
    live.says("bob", "hm")  # asked again, with ann's bid in
    assert "424242" not in payloads(live)
    assert live.payload("bob")["again"]


def test_a2_while_hashes_are_handed_in_nobody_sees_one(auction: Open) -> None:
    live = auction(commit=True)
    hashed = live.hash_of("ann", 42)
    live.says("ann", hashed)
    live.says("bob", "hm")
    assert hashed.split()[1] not in payloads(live)


def test_a2_to_reveal_each_sees_its_own_hash_and_the_digest_of_all(auction: Open) -> None:
    live = auction("ann bob", commit=True)
    hashes = {name: live.hash_of(name, 42) for name in ("ann", "bob")}
    live.all_say(**hashes)
    told = live.payload("ann")
    bare = {name: one.split()[1] for name, one in hashes.items()}
    assert (told["kind"], told["commitment"], told["commitments"]) == ("reveal", bare["ann"], 2)
    assert told["commitments_digest"] == digest(bare)
    live.says("bob", live.reveal("bob", 42))
    live.says("ann", "hm")
    assert bare["bob"] not in payloads(live, of="ann")
    assert live.nonce("bob") not in payloads(live)


def test_a_clock_tells_the_price_and_how_many_are_in(auction: Open) -> None:
    live = auction(mode="english", unit="GBP")
    live.all_say(ann="STAY", bob="STAY", cyd="OUT")
    told = live.payload("ann")
    assert (told["price"], told["end"], told["step"], told["still_in"]) == (20, 50, 10, 2)
    assert "auction" not in told


def test_a_payload_is_json_and_the_seed_is_not_in_it(auction: Open) -> None:
    for settings in ({}, {"commit": True}, {"mode": "dutch"}, {"units": 2}):
        live = auction("ann bob", **settings)
        told = json.loads(canonical(live.payload("ann")))
        assert told["protocol"] == "bidding"
        assert "seed" not in told


@pytest.mark.parametrize(
    ("settings", "phase", "time_ms"),
    [
        ({}, "bidding", 600_000),
        ({"commit": True}, "committing", 600_000),
        ({"mode": "dutch"}, "price", 60_000),
    ],
)
def test_g9_a_phase_is_open_for_all_alike(
    auction: Open, settings: Any, phase: str, time_ms: int
) -> None:
    live = auction(**settings)
    state = new_state(live.rules)
    assert (state.phase, state.closes_ms, state.expected) == (phase, time_ms, live.rules.bidders)
    assert {one.deadline_ms for one in live.last.asks} == {1_000 + time_ms}
    assert live.payload("ann")["deadline_ms"] == time_ms


def test_two_who_hand_in_the_same_say_the_same_whatever_became_of_it() -> None:
    one = Handed(bidder="ann", phase="bidding", amounts=(42,))
    other = Handed(bidder="ann", phase="bidding", amounts=(42,), status="replaced")
    assert one.says_the_same(other)
    assert not one.says_the_same(Handed(bidder="ann", phase="bidding", declines=True))
