"""agents/bidder.py, A1-A3, C7: a bidder that needs no model."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from comity.agents.base import Failure, Question, Reply
from comity.agents.bidder import RationalBidder, bidder_of
from comity.core.errors import InvalidInput
from comity.core.step import Ask, Input
from comity.protocols.bidding.grammar import read_answer
from comity.protocols.bidding.machine import start, step
from comity.protocols.bidding.opening import bidding_rules

NAMES = ["ann", "bob", "cyd", "dan"]


def auction(**settings: Any) -> Any:
    return bidding_rules("a slot", NAMES, seed="1", **{"reserve": 0, **settings})


def says(ask: Ask, *values: Any, drawn: str = "s") -> Reply | Failure:
    bidder = RationalBidder(ask.party, values, drawn)
    return bidder.reply(Question(ask=ask, request_id="r"))


def first_words(*values: Any, **settings: Any) -> str:
    said = says(start(auction(**settings)).asks[0], *values)
    assert isinstance(said, Reply)
    return said.text


@pytest.mark.parametrize(
    ("settings", "values", "words"),
    [
        ({}, (42,), '{"bid":42}'),
        ({}, (Decimal("42.50"),), '{"bid":"42.50"}'),
        ({"reserve": 43}, (42,), "PASS"),
        ({"units": 3}, (42, 30), '{"bid":[42,30]}'),
        ({"units": 3, "reserve": 31}, (42, 30), '{"bid":[42]}'),
        ({"rule": "first_price"}, (51,), '{"bid":38}'),
        ({"rule": "first_price"}, (Decimal("51.00"),), '{"bid":"38.25"}'),
        ({"rule": "first_price"}, (Fraction(1, 3),), '{"bid":"1/4"}'),
        ({"rule": "first_price", "reserve": 50}, (51,), '{"bid":50}'),
        ({"mode": "english", "reserve": 10, "end": 99, "step": 1}, (42,), "STAY"),
        ({"mode": "english", "reserve": 43, "end": 99, "step": 1}, (42,), "OUT"),
        ({"mode": "dutch", "reserve": 10, "start": 31, "step": 1}, (42,), "TAKE"),
        ({"mode": "dutch", "reserve": 10, "start": 32, "step": 1}, (42,), "PASS"),
        ({"mode": "dutch", "reserve": 40, "start": 40, "step": 1}, (39,), "PASS"),
    ],
)
def test_a3_it_bids_what_it_is_worth_where_that_is_best_and_less_where_it_pays_its_bid(
    settings: Any, values: Any, words: str
) -> None:
    assert first_words(*values, **settings) == words


def test_a1_the_articles_auction_comes_out_as_it_says() -> None:
    last = start(bidding_rules("a slot", ["a", "b", "c", "d"], seed="1", reserve=0, commit=True))
    worth = {"a": 42, "b": 37, "c": 51, "d": 29}
    while last.outcome is None:
        one = last.asks[0]
        said = says(one, worth[one.party])
        assert isinstance(said, Reply)
        body = {"text": said.text}
        last = step(
            last.state, Input(kind="reply", now_ms=0, party=one.party, ask_id=one.id, body=body)
        )
    sale: Any = last.outcome
    assert (sale.winner, sale.price, sale.surplus) == ("c", 42, 9)


def test_a2_its_hash_and_its_reveal_are_the_same_after_a_restart() -> None:
    rules = auction(commit=True)
    ask = start(rules).asks[0]
    assert says(ask, 42) == says(ask, 42)
    assert says(ask, 42) != says(ask, 42, drawn="t")
    assert says(ask, 42) != says(ask, 43)
    said = says(ask, 42)
    assert isinstance(said, Reply)
    assert read_answer({"text": said.text}, "commit", "ann", rules).committed


def test_without_a_secret_it_commits_to_nothing() -> None:
    said = says(start(auction(commit=True)).asks[0], 42, drawn="")
    assert isinstance(said, Failure)
    assert said.kind == "unavailable"


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        ({"ballot": "choice", "options": ["ann's bid", "no sale"]}, "VOTE: ann's bid"),
        ({"ballot": "choice", "options": ["bob's bid", "no sale"]}, "VOTE: abstain"),
        ({"ballot": "ranking", "options": ["ann's bid", "no sale"]}, "VOTE: abstain"),
        ({}, "VOTE: abstain"),
    ],
)
def test_g10_after_a_no_sale_it_votes_for_its_own_bid(payload: Any, words: str) -> None:
    assert says(Ask(id="1", party="ann", kind="ballot", payload=payload), 42) == Reply(text=words)


def test_what_it_does_not_know_it_does_not_answer() -> None:
    said = says(Ask(id="1", party="ann", kind="turn", payload={"protocol": "consent"}), 42)
    assert isinstance(said, Failure)


def test_its_values_are_exact() -> None:
    assert bidder_of("ann", {"value": "42.50", "secret": "s"}).values == (Decimal("42.50"),)
    assert bidder_of("ann", {"value": [3, "1/2"]}).values == (3, Fraction(1, 2))
    assert bidder_of("ann", {"value": 3}).secret == ""
    with pytest.raises(InvalidInput, match="seat 'ann': value"):
        bidder_of("ann", {"value": "much"})
