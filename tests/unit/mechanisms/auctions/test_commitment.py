"""Commitment: is a sealed bid fixed before it is opened, and bound to its bidder?"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from hashlib import sha256
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.auctions.commitment import commitment, opened, reveal
from comity.mechanisms.auctions.sealed import vickrey

NONCE = "3f9c1e0d7a5b4c2d"


def test_a2_the_hash_is_sha256_of_the_canonical_text() -> None:
    text = f'{{"auction":"x","bid":42,"bidder":"a","nonce":"{NONCE}"}}'
    found = commitment(42, NONCE, bidder="a", auction="x")
    assert found == sha256(text.encode()).hexdigest()


def test_a2_one_value_has_one_hash_however_it_is_written() -> None:
    same = {commitment(one, NONCE) for one in (42, "42", 42.0, Decimal("42.00"), Fraction(42))}
    assert len(same) == 1


@pytest.mark.parametrize(
    "changed",
    [{"bid": 43}, {"nonce": NONCE + "0"}, {"bidder": "b"}, {"auction": "y"}, {"bid": "x"},
     {"nonce": ""}],
)  # fmt: skip
def test_a2_a_change_of_anything_does_not_open_it(changed: dict[str, Any]) -> None:
    given: dict[str, Any] = {"bid": 42, "nonce": NONCE, "bidder": "a", "auction": "x"}
    sealed = commitment(**given)
    assert reveal(sealed, **given)
    assert not reveal(sealed, **{**given, **changed})


def test_g7_a_bid_or_nonce_that_cannot_be_committed_is_refused() -> None:
    with pytest.raises(InvalidInput) as caught:
        commitment("NaN", "short")
    assert len(caught.value.faults) == 2
    with pytest.raises(InvalidInput):
        commitment(1, 12345678901234567)  # type: ignore[arg-type]


def test_a4_only_bids_revealed_as_committed_take_part() -> None:
    sealed = {name: commitment(bid, NONCE, bidder=name) for name, bid in
              {"a": 42, "b": 37, "c": 51}.items()}  # fmt: skip
    sealed["e"] = sealed["c"]  # a copy of another's hash opens nothing
    shown = {"a": (42, NONCE), "c": (50, NONCE), "d": (99, NONCE), "e": (51, NONCE)}
    bids = opened(sealed, shown, unit="GBP")  # type: ignore[arg-type]
    assert bids.offers == (("a", 42),)
    assert [(one.bidder, one.reason, one.bid) for one in bids.refused] == [
        ("b", "not_revealed", ""),
        ("c", "not_matching", "50"),
        ("d", "not_committed", "99"),
        ("e", "not_matching", "51"),
    ]
    sale = vickrey(bids, reserve=0)
    assert (sale.winner, len(sale.refused), sale.unit) == ("a", 4, "GBP")
