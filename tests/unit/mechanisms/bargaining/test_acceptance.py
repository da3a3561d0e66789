"""Acceptance: is every acceptance that B9 names refused, and a right one taken?"""

from __future__ import annotations

import pytest

from comity.core.errors import InternalError
from comity.mechanisms.bargaining.acceptance import (
    TabledOffer,
    acceptance_fault,
    check_settlement,
)
from comity.mechanisms.bargaining.zopa import Zopa

MADE = (
    TabledOffer("S3", "seller", "superseded"),
    TabledOffer("S4", "seller"),
    TabledOffer("B3", "buyer", "withdrawn"),
)


@pytest.mark.parametrize(
    ("offer_id", "who", "reason"),
    [
        ("S4", "buyer", None),
        ("S4", "seller", "own_offer"),
        ("S3", "seller", "own_offer"),
        ("S3", "buyer", "superseded"),
        ("B3", "seller", "withdrawn"),
        ("Q1", "buyer", "unknown_offer"),
    ],
)
def test_b9_only_a_standing_offer_of_another_party_can_be_accepted(
    offer_id: str, who: str, reason: str | None
) -> None:
    refusal = acceptance_fault(offer_id, MADE, who)
    assert (refusal.reason if refusal else None) == reason


def test_b9_a_refusal_says_what_can_be_accepted() -> None:
    own = acceptance_fault("S4", MADE, "seller")
    late = acceptance_fault("S3", MADE, "buyer")
    assert own is not None
    assert late is not None
    assert own.hint == "S4 is seller's own offer: nothing can be accepted now"
    assert late.hint == "S3 no longer stands: accept S4"


def test_b9_with_several_parties_every_standing_offer_is_named() -> None:
    made = iter((TabledOffer("A1", "a"), TabledOffer("C1", "c"), TabledOffer("B1", "b")))
    refusal = acceptance_fault("B2", made, "b")
    assert refusal is not None
    assert refusal.hint == "'B2' is not an offer: accept A1 or C1"


@pytest.mark.parametrize("price", [70, 80, 100])
def test_b5_a_price_within_both_reservations_settles(price: int) -> None:
    check_settlement(price, Zopa(low=70, high=100))


@pytest.mark.parametrize("price", [69, 101])
def test_b5_a_price_beyond_a_reservation_never_settles(price: int) -> None:
    with pytest.raises(InternalError, match=f"settled at {price}"):
        check_settlement(price, Zopa(low=70, high=100))
