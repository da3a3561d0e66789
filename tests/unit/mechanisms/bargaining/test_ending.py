"""Ending: does every result carry why it ended so, for whom, and what would have helped?"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from comity.mechanisms.bargaining.price import bargain
from comity.mechanisms.bargaining.results import PriceAgreement, PriceNoDeal

BUYER, SELLER = (60, 100), (120, 70)


def test_b6_an_agreement_carries_paths_surpluses_shares_and_its_convention() -> None:
    found = bargain(buyer=BUYER, seller=SELLER)
    assert isinstance(found, PriceAgreement)
    assert found.terms == (("price", 80),)
    assert found.parties == ("buyer", "seller")
    assert (found.buyer_share, found.seller_share) == (Fraction(2, 3), Fraction(1, 3))
    buyer, seller = found.offers
    assert (buyer.party, buyer.prices) == ("buyer", (60, 68, 76, 84, 92))
    assert (seller.party, seller.prices) == ("seller", (120, 110, 100, 90, 80))


def test_g1_the_grounds_of_an_agreement() -> None:
    grounds = bargain(buyer=BUYER, seller=SELLER).grounds
    assert (grounds.rule, grounds.ended_by, grounds.margin) == ("price", "acceptance", 12)
    assert dict(grounds.parameters) == {
        "convention": "same_round",
        "first": "buyer",
        "blind": False,
        "stall": 1,
        "monotonic": True,
        "thin_gap": "1/10",
    }
    assert [one.party for one in grounds.submissions] == ["buyer", "seller"]
    assert grounds.submissions[0].what == {
        "name": "buyer",
        "role": "buyer",
        "opening": 60,
        "reservation": 100,
        "deadline": 5,
        "schedule": "linear",
        "after_deadline": "hold",
        "discount": 1,
    }
    assert grounds.thin == ()
    assert len(grounds.inputs_digest) == 64


@pytest.mark.parametrize(
    ("options", "margin", "ended_by"),
    [
        ({"convention": "midpoint"}, 12, "midpoint"),
        ({"convention": "next_round"}, 2, "acceptance"),
        ({"convention": "next_round", "first": "seller"}, 4, "acceptance"),
    ],
)
def test_g1_the_margin_is_by_how_much_the_offers_of_the_convention_crossed(
    options: dict[str, Any], margin: int, ended_by: str
) -> None:
    grounds = bargain(buyer=BUYER, seller=SELLER, **options).grounds
    assert (grounds.margin, grounds.ended_by) == (margin, ended_by)


def test_names_take_the_place_of_roles_and_sort_the_parties() -> None:
    found = bargain(buyer=BUYER, seller=SELLER, buyer_name="Zoe", seller_name="Ann")
    assert isinstance(found, PriceAgreement)
    assert found.parties == ("Ann", "Zoe")
    assert [one.party for one in found.grounds.submissions] == ["Ann", "Zoe"]
    assert found.says == (
        "Deal at 80 in round 4: Zoe accepts Ann's offer S4; Zoe gains 20, Ann gains 10."
    )
    other = bargain(buyer=BUYER, seller=SELLER, first="seller", seller_name="Ann")
    assert "Ann accepts buyer's offer B4" in other.says


def test_the_midpoint_belongs_to_both() -> None:
    found = bargain(buyer=BUYER, seller=SELLER, convention="midpoint")
    assert isinstance(found, PriceAgreement)
    assert (found.accepted_offer, found.accepted_by) == (None, None)
    assert found.says.startswith("Deal at 86 in round 4: the midpoint of both offers;")


def test_g2_a_no_deal_names_the_final_offers_the_gap_and_what_would_unblock_it() -> None:
    found = bargain(
        buyer=(60, 84), seller=(120, 88), blind=True, buyer_name="Zoe", seller_name="Ann"
    )
    assert isinstance(found, PriceNoDeal)
    assert [(one.party, one.offer) for one in found.final_offers] == [("Ann", 88), ("Zoe", 84)]
    assert found.unblock == ("Ann goes down by 4", "Zoe goes up by 4", "both move by 2")
    assert found.grounds.margin == found.gap == 4
    assert found.says == "No deal (deadline): Ann at 88, Zoe at 84, 4 apart."


def test_g2_an_empty_zone_says_how_far_and_what_would_unblock_it() -> None:
    found = bargain(buyer=(50, 65), seller=SELLER)
    assert isinstance(found, PriceNoDeal)
    assert found.unblock == (
        "seller lowers its reservation by 5",
        "buyer raises its reservation by 5",
        "both move their reservations by 2.5",
    )
    assert found.rounds_without_movement == 0
    assert "65" in found.says
    assert "70" in found.says
    assert "by 5, or both by 2.5" in found.says
    assert [(one.party, one.offer) for one in found.final_offers] == [
        ("buyer", None),
        ("seller", None),
    ]


def test_one_round_without_movement_is_one_round() -> None:
    found = bargain(buyer=BUYER, seller=SELLER, schedule="fixed", rounds=None)
    assert found.says.endswith("60 apart, 1 round without movement.")


def test_b7_rounds_without_movement_are_counted_whatever_ended_it() -> None:
    found = bargain(
        buyer=(60, 65), seller=SELLER, blind=True, schedule="fixed", rounds=9, round_limit=7
    )
    assert isinstance(found, PriceNoDeal)
    assert (found.reason, found.rounds_without_movement) == ("round_limit", 7)


@pytest.mark.parametrize("still", [{"buyer": (65, 65)}, {"seller": (70, 70)}])
def test_b7_a_round_in_which_one_party_moves_is_no_round_without_movement(
    still: dict[str, Any],
) -> None:
    found = bargain(**{"buyer": (60, 65), "seller": SELLER, "blind": True} | still)
    assert isinstance(found, PriceNoDeal)
    assert (found.rounds, found.rounds_without_movement) == (5, 0)


@pytest.mark.parametrize(
    ("seller", "thin_gap", "thin"),
    [
        ((120, 88), "1/10", True),
        ((120, 90), "1/10", True),
        ((120, 91), "1/10", False),
        ((120, 88), 0, False),
        ((120, 118), 1, True),
    ],
)
def test_g8_a_no_deal_is_thin_when_its_gap_is_a_small_share_of_the_opening_distance(
    seller: tuple[int, int], thin_gap: str | int, *, thin: bool
) -> None:
    for blind in (False, True):
        found = bargain(buyer=(60, 84), seller=seller, thin_gap=thin_gap, blind=blind)
        assert bool(found.grounds.thin) is thin


def test_g8_a_thin_no_deal_says_why() -> None:
    found = bargain(buyer=(60, 84), seller=(120, 88))
    assert found.grounds.thin == ("the gap of 4 is at most 0.1 of the opening distance of 60",)


def test_b6_unequal_deadlines_are_flagged_and_noted() -> None:
    same, unequal = (
        bargain(buyer=BUYER, seller=SELLER, seller_rounds=rounds) for rounds in (5, 10)
    )
    assert (same.unequal_deadlines, same.notes) == (False, ())
    assert (unequal.unequal_deadlines, unequal.notes) == (
        True,
        ("the deadlines differ: the party with the shorter one pays for it",),
    )


def test_k2_a_callable_without_a_name_is_said_to_be_beyond_replay() -> None:
    found = bargain(buyer=BUYER, seller=SELLER, seller_schedule=lambda t, *_: 120 - 10 * t)
    (note,) = found.notes
    assert note.startswith("seller concedes by a callable without a name")


def test_rejected_offers_of_both_are_listed_by_round() -> None:
    found = bargain(
        buyer=BUYER,
        seller=SELLER,
        buyer_schedule=lambda t, *_: [0, 70, 10, 10][min(t, 3)],
        seller_schedule=lambda t, *_: [0, 130, 110, 110][min(t, 3)],
    )
    assert [(one.party, one.round) for one in found.rejected] == [
        ("seller", 1),
        ("buyer", 2),
        ("buyer", 3),
        ("buyer", 4),
    ]
