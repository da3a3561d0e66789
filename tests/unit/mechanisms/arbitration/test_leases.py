"""Leases tests: is a late write refused whatever happened in between?

Here: granting, renewing, releasing, running out, clocks set back, the fence.
Not here: processes and storage (runner, ledger).
Sources: SEMANTICS R7.
"""

import json
from decimal import Decimal
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.arbitration import Fence, Lease, LeaseBook


def test_r7_tokens_only_grow_and_a_late_write_is_refusable() -> None:
    first = LeaseBook().grant("gpu", "a", now=0, seconds=30)
    assert first.lease == Lease(resource="gpu", holder="a", token=1, until=30, granted_at=0)
    assert first.book.grant("gpu", "b", now=29, seconds=30).refusal == "held"
    second = first.book.grant("gpu", "b", now=30, seconds=30)
    assert second.lease is not None
    assert second.lease.token == 2
    assert [one.holder for one in second.expired] == ["a"]
    fence, admitted = Fence().admit(2)
    assert admitted
    assert fence.admit(1) == (fence, False), "the holder that was late"


def test_r7_a_lease_is_renewed_and_released_by_its_token_only() -> None:
    book = LeaseBook().grant("gpu", "a", now=0, seconds=30).book
    longer = book.renew("gpu", 1, now=20, seconds=30)
    assert longer.lease is not None
    assert (longer.lease.until, longer.lease.token, longer.is_done) == (50, 1, True)
    shorter = longer.book.renew("gpu", 1, now=21, seconds=1)
    assert shorter.lease is not None
    assert shorter.lease.until == 50, "a renewal never shortens"
    assert book.renew("gpu", 2, now=20, seconds=30).refusal == "unknown"
    assert book.renew("gpu", 1, now=30, seconds=30).refusal == "ended"
    gone = longer.book.release("gpu", 1, now=22)
    assert gone.book.leases == ()
    again = gone.book.release("gpu", 1, now=23)
    assert (again.refusal, again.is_done) == ("ended", False)
    assert gone.book.grant("gpu", "a", now=24, seconds=1).lease.token == 2  # type: ignore[union-attr]  # granted


def test_r7_a_holder_is_told_whether_it_may_still_act() -> None:
    book = LeaseBook().grant("gpu", "a", now=0, seconds=30).book
    book = book.grant("tpu", "b", now=0, seconds=90).book
    assert book.check("gpu", 1, now=29) is None
    assert book.check("gpu", 1, now=30) == "ended"
    assert book.check("gpu", 2, now=10) == "unknown", "the token of another resource"
    assert book.check("gpu", 3, now=10) == "unknown"
    assert book.check("gpu", 0, now=10) == "unknown"


def test_r7_a_clock_set_back_brings_nothing_back() -> None:
    book = LeaseBook().grant("gpu", "a", now=0, seconds=30).book
    later = book.at(31).book
    assert later.check("gpu", 1, now=5) == "ended"
    granted = later.grant("gpu", "b", now=5, seconds=30).lease
    assert granted is not None
    assert (granted.granted_at, granted.until, granted.token) == (31, 61, 2)


def test_r7_a_retry_grants_nothing_twice_and_units_are_kept() -> None:
    book = LeaseBook().grant("gpu", "a", now=0, seconds=30, units=2).book
    same = book.grant("gpu", "a", now=1, seconds=30, units=2)
    assert same.lease is not None
    assert (same.lease.token, same.book.last_token) == (1, 1)
    both = book.grant("gpu", "b", now=1, seconds=30, units=2).book
    assert both.grant("gpu", "c", now=2, seconds=30, units=2).refusal == "held"
    renewed = both.renew("gpu", 2, now=2, seconds=60).book
    assert [one.until for one in renewed.leases] == [30, 62]


def test_r7_the_book_goes_through_json_and_keeps_exact_times() -> None:
    book = LeaseBook().grant("gpu", "a", now=1.25, seconds="0.10").book
    assert book.leases[0].until == Decimal("1.35")
    assert LeaseBook.from_json(json.loads(json.dumps(book.to_json()))) == book
    assert LeaseBook.from_json(LeaseBook().to_json()) == LeaseBook()


def test_g7_all_faults_are_named_at_once() -> None:
    wrong: Any = {"now": 0, "seconds": -1, "units": True}
    with pytest.raises(InvalidInput) as caught:
        LeaseBook().grant("", " b", **wrong)
    assert len(caught.value.faults) == 4
    for seconds in (float("nan"), 0):
        with pytest.raises(InvalidInput, match="lease"):
            LeaseBook().renew("gpu", 1, now=0, seconds=seconds)
    with pytest.raises(InvalidInput, match="now is nan"):
        LeaseBook().at(float("nan"))
