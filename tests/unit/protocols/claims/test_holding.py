"""Holding: leases by resource, token and holder (R7)."""

from __future__ import annotations

import json

import pytest

from comity.mechanisms.arbitration import LeaseBook
from comity.protocols.claims.holding import Holding


@pytest.fixture
def holding() -> Holding:
    made = Holding()
    made.grant("gpu", "a", at_ms=0, until_ms=30, units=2)
    made.grant("disk", "a", at_ms=1, until_ms=31, units=1)
    made.grant("gpu", "b", at_ms=2, until_ms=32, units=2)
    return made


def test_r7_tokens_only_grow_over_all_resources(holding: Holding) -> None:
    assert [(one.token, one.resource, one.holder) for one in holding.leases] == [
        (1, "gpu", "a"),
        (2, "disk", "a"),
        (3, "gpu", "b"),
    ]
    assert [one.token for one in holding.of("gpu")] == [1, 3]
    assert (holding.of("tape"), holding.last_token, holding.clock) == ((), 3, 2)


def test_r7_no_more_leases_than_units_and_none_twice(holding: Holding) -> None:
    before = holding.to_json()
    assert holding.grant("gpu", "c", at_ms=3, until_ms=33, units=2) is None
    assert holding.grant("gpu", "b", at_ms=3, until_ms=33, units=3) is None, "it holds it"
    assert holding.grant("gpu", "c", at_ms=31, until_ms=61, units=2) is None, "1 has not ended"
    assert holding.to_json() == before


def test_r7_who_holds_nothing_any_more_is_forgotten(holding: Holding) -> None:
    assert holding.end(1, at_ms=5)
    assert holding.holds("a")
    assert holding.end(2, at_ms=4)
    assert not holding.holds("a")
    assert not holding.end(2, at_ms=9), "it is over"
    assert holding.clock == 5, "a clock set back stands still, and nothing happened at 9"
    assert holding.of("disk") == ()
    assert [one.token for one in holding.of("gpu")] == [3]


def test_r7_a_renewal_keeps_the_token_and_never_shortens(holding: Holding) -> None:
    assert holding.renew("gpu", 3, at_ms=10, lease_ms=100)
    assert holding.renew("gpu", 3, at_ms=11, lease_ms=1)
    assert holding.by_token[3].until == 110
    assert [one.token for one in holding.leases] == [1, 2, 3]
    assert not holding.renew("disk", 3, at_ms=12, lease_ms=1), "the token of another resource"
    assert not holding.renew("gpu", 3, at_ms=40, lease_ms=1), "1 has run out and has not ended"


def test_k1_it_is_written_as_a_lease_book_and_comes_back(holding: Holding) -> None:
    written = json.loads(json.dumps(holding.to_json()))
    assert LeaseBook.from_json(written).leases == holding.leases
    again = Holding.from_json(written)
    assert again.to_json() == holding.to_json()
    assert again.holds("a")
    assert again.holds("b")
    assert not again.holds("c")
    assert again.end(3, at_ms=9)
    assert Holding.from_json(Holding().to_json()).clock is None
