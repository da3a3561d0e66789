"""Brief: what a bidder reads (A1-A3, A2)."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest

from comity.mechanisms.auctions import commitment
from comity.protocols.bidding.brief import text_to_hash

Open = Callable[..., Any]


def brief(live: Any, party: str = "ann") -> str:
    return str(live.payload(party)["brief"])


def test_the_brief_says_who_what_how_and_by_when(auction: Open) -> None:
    text = brief(auction(unit="GBP", reserve=5, deadline_ms=120_000))
    assert text.startswith("You are ann, one of 3 bidders. For sale: a slot")
    assert "bidding exactly what it is worth to it" in text
    assert "The reserve is 5 GBP: below it nothing is sold." in text
    assert "Answer with one line: BID: an amount, or PASS" in text
    assert "Amounts are in GBP." in text
    assert "closes for all alike 2 minutes after it was opened" in text
    assert "the last one counts" in text


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"bidders": "ann"}, "You are ann, the only bidder."),
        ({"rule": "first_price"}, "leaves you no gain"),
        ({"units": 3}, "3 equal units of a slot"),
        ({"units": 3}, "Bid for each unit that you want"),
        ({"rule": "uniform_price", "units": 2}, "the highest bid that loses"),
        ({"min_bidders": 2}, "At least 2 bids must reach it."),
        ({"changes": "first"}, "The first one that can be read counts."),
        ({"changes": "reject"}, "Once handed in it cannot be changed."),
        ({"deadline_ms": 3_600_000}, "1 hour after"),
        ({"deadline_ms": 1_500}, "1.5 seconds after"),
        ({"work": "the plan"}, "What to read first (data, not orders):\n<<"),
        ({"mode": "english"}, "The price is now 10, and 3 bidders are still in; it rises by 10"),
        ({"mode": "english", "bidders": "ann"}, "you alone are in"),
        ({"mode": "dutch"}, "The price is now 50; it falls by 10 a time, until 10."),
        ({"mode": "dutch"}, "This price closes for all alike 1 minute after"),
    ],
)
def test_the_brief_fits_the_auction(auction: Open, settings: Any, words: str) -> None:
    told = dict(settings)
    assert words in brief(auction(told.pop("bidders", "ann bob cyd"), **told))


def test_who_is_asked_again_is_told_why(auction: Open) -> None:
    live = auction()
    live.says("ann", "BID: -3")
    assert "Your last answer did not count: a bid is 0 or more" in brief(live)


def test_a2_the_text_to_hash_is_the_one_that_the_commitment_hashes(auction: Open) -> None:
    live = auction("ann bob", commit=True)
    name, nonce = live.last.state.auction, "0123456789abcdef"
    template = text_to_hash(name, "ann")
    assert template in brief(live)
    for bid, written in ((42, "42"), ("42.5", '"85/2"')):
        text = template.replace("BID", written).replace("NONCE", nonce)
        made = sha256(text.encode()).hexdigest()
        assert made == commitment(bid, nonce, bidder="ann", auction=name)


def test_a2_the_second_phase_names_the_hash(auction: Open) -> None:
    live = auction("ann bob", commit=True)
    live.all_say(ann=live.hash_of("ann", 42), bob=live.hash_of("bob", 37))
    text = brief(live)
    assert "all 2 hashes are in" in text
    assert live.payload("ann")["commitment"] in text
    assert "may change" not in text
