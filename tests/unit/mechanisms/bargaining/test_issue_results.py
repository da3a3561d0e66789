"""Unit tests of results over several issues: G1, G2."""

from __future__ import annotations

from fractions import Fraction

from comity.core.results import FinalOffer, Grounds, Item, result_from_json
from comity.mechanisms.bargaining.issue_results import (
    IssueAgreement,
    IssueNoDeal,
    NearestDeal,
    OfferMade,
)

GROUNDS = Grounds(rule="negotiate_issues", ended_by="accepted", inputs_digest="00")
OFFER = OfferMade(
    id="ann-0", round=0, party="ann", deal=(("tls", "1/3"), ("days", "30")), accepted_by=("bob",)
)


def test_g1_an_agreement_survives_its_json() -> None:
    found = IssueAgreement(
        grounds=GROUNDS,
        terms=OFFER.deal,
        parties=("ann", "bob"),
        how="accepted",
        round=0,
        rounds=5,
        protocol="alternating",
        accepted_offer="ann-0",
        offered_by="ann",
        utilities=(Item("ann", Fraction(1, 3)), Item("bob", 2)),
        gains=(Item("ann", 0), Item("bob", 1)),
        discounted=(("ann", "0.25"),),
        offers=(OFFER,),
        says="Deal.",
    )
    assert result_from_json(found.to_json()) == found
    assert found.deal == {"tls": "1/3", "days": "30"}
    assert (found.exit_code, found.is_decided) == (0, True)


def test_g2_a_no_deal_says_how_near_it_came_and_survives_its_json() -> None:
    nearest = NearestDeal(
        deal=OFFER.deal,
        utilities=(Item("ann", 1), Item("bob", Fraction(1, 2))),
        short=(Item("bob", Fraction(3, 2)),),
        refused_by=("bob",),
    )
    found = IssueNoDeal(
        grounds=GROUNDS,
        reason="stall",
        final_offers=(FinalOffer("ann", "tls = 1/3"), FinalOffer("bob")),
        unblock=("bob accepts 1.5 less",),
        guard="stall",
        rounds=4,
        protocol="simultaneous",
        rounds_without_movement=2,
        nearest=nearest,
        offers=(OFFER,),
        says="No deal.",
    )
    assert result_from_json(found.to_json()) == found
    assert found.exit_code == 10
