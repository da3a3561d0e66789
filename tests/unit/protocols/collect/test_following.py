"""Following: what one step hands on to the next (G10)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from comity.core.canonical import canonical
from comity.core.codec import decode
from comity.core.results import (
    Choice,
    FinalOffer,
    Grounds,
    NoDeal,
    NoDecision,
    NoQuorum,
    Submission,
)
from comity.mechanisms.auctions import vickrey
from comity.mechanisms.bargaining import bargain
from comity.mechanisms.voting import Election, majority, plurality
from comity.protocols.collect.following import NO_DEAL, NO_SALE, STEPS, Case, Following, case_of
from comity.protocols.consent.results import ConsentNoDeal, ConsentRecord

GROUNDS = Grounds(rule="r", ended_by="e", inputs_digest="0")


def told(**settings: Any) -> Following:
    given: dict[str, Any] = {"steps": STEPS, "question": "Which?", "seed": "1"}
    given["voters"] = {"ann": {}, "bob": {}, "cyd": {}}
    return Following(**{**given, **settings})


def test_g10_a_no_deal_hands_on_every_last_offer_and_the_status_quo() -> None:
    ended = NoDeal(
        reason="deadline",
        final_offers=(FinalOffer("buyer", 84), FinalOffer("cy"), FinalOffer("seller", "88 a day")),
        grounds=GROUNDS,
    )
    case = case_of(ended)
    assert case == Case(
        options=(
            ("buyer's last offer", "84"),
            ("seller's last offer", "88 a day"),
            (NO_DEAL, "everything stays as it is"),
        ),
        reason="deadline",
        status_quo=NO_DEAL,
        wishes=(("buyer", "buyer's last offer"), ("seller", "seller's last offer")),
    )
    assert case.names == ("buyer's last offer", NO_DEAL, "seller's last offer")


def test_g10_two_who_offered_the_same_stand_for_one_option() -> None:
    ended = NoDeal(
        reason="stall",
        final_offers=(
            FinalOffer("ann", "tls = 1.3"),
            FinalOffer("bob", "tls = 1.2"),
            FinalOffer("cyd", "tls = 1.3"),
        ),
        grounds=GROUNDS,
    )
    case = case_of(ended)
    assert case is not None
    assert case.names == ("ann's last offer", "bob's last offer", NO_DEAL)
    assert dict(case.wishes)["cyd"] == "ann's last offer"


def test_g10_where_limits_were_shown_and_no_offer_made_the_limits_are_handed_on() -> None:
    case = case_of(bargain(buyer=(60, 90), seller=(120, 100)))
    assert case is not None
    assert case.options[:2] == (("buyer's limit", "90"), ("seller's limit", "100"))
    blind = case_of(bargain(buyer=(60, 84), seller=(120, 88), blind=True))
    assert blind is not None
    assert blind.options[0] == ("buyer's last offer", "84")
    odd = NoDeal(
        reason="no_overlap",
        final_offers=(FinalOffer("a"),),
        grounds=Grounds(
            rule="r", ended_by="e", inputs_digest="0", submissions=(Submission("a", "x"),)
        ),
    )
    assert case_of(odd) == Case(
        options=((NO_DEAL, "everything stays as it is"),), reason="no_overlap", status_quo=NO_DEAL
    )


def test_g10_advocates_hand_on_the_closest_draft_too() -> None:
    record = ConsentRecord(question="q", turns=4, max_turns=4, version=2, draft=("weekly", "noon"))
    ended = ConsentNoDeal(
        reason="round_limit",
        final_offers=(FinalOffer("CC", "P1: offers noon"), FinalOffer("CX")),
        record=record,
        says="",
        grounds=GROUNDS,
    )
    case = case_of(ended)
    assert case is not None
    assert case.options[:2] == (
        ("CC's last offer", "P1: offers noon"),
        ("the closest draft", "weekly; noon"),
    )


def test_g10_a_vote_hands_on_the_tied_or_all_options_with_their_words() -> None:
    before = Case(options=(("A", "the first"), ("B", "")), status_quo="B")
    tied = case_of(majority({"ann": "A", "bob": "B", "cyd": None}), before)
    assert tied == Case(
        options=(("A", "the first"), ("B", "")),
        reason="tie",
        status_quo="B",
        wishes=(("ann", "A"), ("bob", "B")),
    )
    third = case_of(majority({"ann": "A", "bob": "B"}), Case(options=(), status_quo="C"))
    assert third is not None
    assert third.names == ("A", "B", "C")
    short = case_of(majority(Election({"ann": "A", "bob": None, "cyd": None}, options=["A", "B"])))
    assert short is not None
    assert (short.names, short.reason) == (("A", "B"), "no_majority")
    ranked = case_of(plurality(Election([[["A", "B"]], ["A", "B"], ["B", "A"]])))
    assert ranked is not None
    assert ranked.wishes == ()
    nobody = case_of(majority(Election([], kind="yes_no")))
    assert nobody is not None
    assert (nobody.names, nobody.reason) == (("no", "yes"), "no_quorum")


@pytest.mark.parametrize(
    "outcome",
    [
        Choice(option="A", grounds=GROUNDS),
        NoDeal(reason="cancelled", grounds=GROUNDS),
        NoDecision(reason="tie", grounds=GROUNDS),
        NoQuorum(needed=1, present=0, grounds=GROUNDS),
        majority(["yes", "veto"]),
        majority(["A"]),
    ],
)
def test_g10_what_is_decided_vetoed_or_cancelled_ends_the_chain(outcome: Any) -> None:
    assert case_of(outcome) is None


def test_k2_it_survives_being_recorded() -> None:
    following = told(settings={"rule": "plurality", "parameters": {"ties": "lot"}})
    assert decode(Following, json.loads(canonical(following.to_json()))) == following
    assert following.faults() == []
    assert hash(following) == hash(told(settings=dict(following.settings)))


def test_g10_the_vote_on_a_case_knows_its_options_and_its_status_quo() -> None:
    case = Case(options=(("B", "why"), ("A", "")), status_quo="A")
    rules = told().vote(case)
    assert (rules.options, dict(rules.about)) == (("A", "B"), {"B": "why"})
    assert (rules.default_option, rules.gate.on) == ("A", "thin")
    assert told(steps=("vote",)).vote(case).gate.on == "none"


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        ({"steps": ()}, "is []"),
        ({"steps": ("vote", "vote")}, "is ['vote', 'vote']"),
        ({"steps": ("coin",)}, "names 'coin'"),
        ({"resolve": "coin"}, "is resolved by 'coin'"),
        ({"resolve": "chair"}, "is resolved by 'chair'"),
        ({"resolve": "lot:7"}, "is resolved by 'lot:7'"),
        ({"voters": {}}, "is empty"),
        ({"settings": {"rule": "condorset"}}, "does not exist"),
    ],
)
def test_g7_what_cannot_follow_is_refused(settings: dict[str, Any], what: str) -> None:
    (fault,) = told(**settings).faults()
    assert fault.what.startswith(what)
    assert told(steps=("human",), voters={}).faults() == []
    assert told(resolve="chair:ann").faults() == []


def test_g10_a_no_sale_hands_on_every_bid_and_that_nothing_is_sold() -> None:
    case = case_of(vickrey({"ann": 3, "bob": "3.50"}, reserve=5, unit="GBP"))
    assert case == Case(
        options=(
            ("ann's bid", "sold for 3 GBP"),
            ("bob's bid", "sold for 3.50 GBP"),
            (NO_SALE, "nothing is sold"),
        ),
        reason="below_reserve",
        status_quo=NO_SALE,
        wishes=(("ann", "ann's bid"), ("bob", "bob's bid")),
    )


def test_g10_without_a_bid_only_no_sale_is_handed_on() -> None:
    case = case_of(vickrey({}, reserve=5))
    assert case is not None
    assert case.names == (NO_SALE,)
