"""Endings: results that explain themselves and show private values only where that is agreed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from comity.core.canonical import canonical
from comity.core.errors import InvalidInput
from comity.core.results import result_from_json
from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.preferences import additive
from comity.mechanisms.bargaining.problem import problem_of
from comity.protocols.offers.endings import agreement, mediated, no_deal
from comity.protocols.offers.opening import offers_rules
from comity.protocols.offers.state import Offer, new_state
from comity.testing.bargains import sample_offers

Open = Callable[..., Any]
ANNS, BOTH = "OFFER: tls = 1.3; days = 30", "OFFER: tls = 1.3; days = 60"
BOBS, EVEN = "OFFER: tls = 1.2; days = 60", "OFFER: tls = 1.2; days = 30"


def again(outcome: Any) -> Any:
    found = result_from_json(json.loads(canonical(outcome.to_json())))
    assert found == outcome
    assert str(outcome).startswith(outcome.says)
    return found


def values(outcome: Any) -> dict[str, Any]:
    return {one.name: one.value for one in outcome}


def test_g1_an_agreement_names_who_offered_who_accepted_and_the_whole_path(table: Open) -> None:
    live = table()
    live.turns(ANNS, BOBS, BOTH, "ACCEPT: ann-1")
    found = again(live.outcome)
    assert found.says == "Deal in round 1: bob accepts ann-1: tls = 1.3; days = 60."
    assert (found.how, found.round, found.rounds, found.protocol) == (
        "accepted", 1, 20, "alternating",
    )  # fmt: skip
    assert (found.accepted_offer, found.offered_by) == ("ann-1", "ann")
    assert [(one.id, one.accepted_by) for one in found.offers] == [
        ("ann-0", ()), ("bob-0", ()), ("ann-1", ("bob",)),
    ]  # fmt: skip
    grounds = found.grounds
    assert (grounds.rule, grounds.ended_by, grounds.thin) == ("offers", "accepted", ())
    assert dict(grounds.parameters)["order"] == ("ann", "bob")
    assert dict(grounds.parameters)["stall"] == 4
    told = {one.party: one.what for one in grounds.submissions}
    assert told["bob"] == {
        "last_offer": "bob-0",
        "deal": "tls = 1.2; days = 60",
        "offers": 1,
        "accepted": ("ann-1",),
    }


def test_private_values_stand_in_the_result_only_where_it_is_agreed(table: Open) -> None:
    live = table()
    live.turns(BOTH, "ACCEPT: ann-0")
    assert (live.outcome.utilities, live.outcome.gains) == ((), ())
    live = table(disclose_at_end=True)
    live.turns(BOTH, "ACCEPT: ann-0")
    assert values(live.outcome.utilities) == {"ann": 4, "bob": 3}
    assert values(live.outcome.gains) == {"ann": 1, "bob": 1}


def test_the_digest_is_of_the_rules_and_the_moves(table: Open) -> None:
    def digest(*said: str, **settings: Any) -> str:
        live = table(**settings)
        live.turns(*said)
        return str(live.outcome.grounds.inputs_digest)

    straight = digest(BOTH, "ACCEPT: ann-0")
    assert straight == digest(BOTH, "ACCEPT: ann-0.")
    assert straight != digest(BOTH, "ACCEPT: ann-0\nSAY: thanks")
    assert straight != digest(BOTH, "ACCEPT: ann-0", rounds=9)


def test_b10_a_discount_is_told_with_twelve_digits() -> None:
    domain = domain_of({"tls": ["1.2", "1.3"]})
    wants = {
        "ann": additive(domain, {"tls": {"1.3": "1/3"}}, discount="1/2"),
        "bob": additive(domain, {"tls": {"1.2": 1, "1.3": 8}}, discount="1/4"),
        "cyd": additive(domain, {}),
    }
    rules = offers_rules(
        "q", problem_of(domain, wants), seed="1", first="ann", rounds=3, disclose_at_end=True
    )
    late = replace(new_state(rules), round=1)
    offer = Offer(id="ann-1", party="ann", round=1, deal=(("tls", "1.3"),))
    assert agreement(late, offer).discounted == (("ann", "0.235702260396"), ("bob", "4"))


# --- no deal ---------------------------------------------------------------------------------


def test_g2_a_no_deal_says_who_holds_what_and_what_would_unblock_it(table: Open) -> None:
    live = table(rounds=1)
    live.turns(ANNS, BOBS, "PASS")
    found = again(live.outcome)
    assert (found.reason, found.guard, found.rounds) == ("round_limit", "round_limit", 1)
    assert found.says == (
        "No deal (round limit) after 1 round: ann stands at ann-0, bob stands at bob-0."
    )
    assert [(one.party, one.offer) for one in found.final_offers] == [
        ("ann", "tls = 1.3; days = 30"), ("bob", "tls = 1.2; days = 60"),
    ]  # fmt: skip
    assert found.nearest.utilities == ()
    assert found.nearest.short == ()
    assert len(found.nearest.refused_by) == 1
    (other,) = found.nearest.refused_by
    deal = "; ".join(f"{issue} = {option}" for issue, option in found.nearest.deal)
    assert found.unblock == (f"{other} accepts {deal}", "more rounds", "fallback = best_of_seen")


def test_g2_disclosed_it_says_who_is_short_by_how_much(table: Open) -> None:
    live = table(rounds=1, disclose_at_end=True)
    live.turns("PASS", BOBS, "PASS")
    nearest = again(live.outcome).nearest
    assert nearest.deal == (("tls", "1.2"), ("days", "60"))
    assert values(nearest.utilities) == {"ann": 1, "bob": 5}
    assert values(nearest.short) == {"ann": 2}
    assert nearest.refused_by == ("ann",)
    assert live.outcome.unblock == (
        "ann lowers its reservation by 2 for tls = 1.2; days = 60",
        "ann makes an offer",
        "more rounds",
        "fallback = best_of_seen",
    )


def test_the_nearest_is_by_public_facts_the_one_most_accepted(table: Open) -> None:
    live = table(3, rounds=2)
    live.turns(BOTH, "ACCEPT: ann-0", "PASS", "PASS", BOBS, "PASS")
    assert live.outcome.nearest.deal == (("tls", "1.3"), ("days", "60"))
    assert live.outcome.nearest.refused_by == ("cyd",)


@pytest.mark.parametrize("disclose", [False, True])
def test_without_any_offer_there_is_no_nearest(disclose: bool) -> None:
    found = no_deal(new_state(sample_offers(disclose_at_end=disclose)), "time_limit")
    assert found.nearest is None
    assert found.grounds.absent == ("ann", "bob")
    assert found.unblock == (
        "ann makes an offer", "bob makes an offer", "more time", "fallback = best_of_seen",
    )  # fmt: skip


def test_g8_a_no_deal_that_all_could_have_had_is_thin(table: Open) -> None:
    live = table(rounds=1)
    live.turns(BOTH, BOBS, "PASS")
    assert live.outcome.grounds.thin == ("missed_deal",)
    live = table(rounds=1, thin_gap="2/5")
    live.turns(ANNS, BOBS, "PASS")
    assert live.outcome.grounds.thin == ("near_miss",)
    live = table(rounds=1)
    live.turns(ANNS, BOBS, "PASS")
    assert live.outcome.grounds.thin == ()


def test_m5_at_the_end_the_best_offer_seen_stands_and_is_thin(table: Open) -> None:
    live = table(rounds=2, fallback="best_of_seen")
    live.turns(EVEN, BOBS, BOTH, BOBS, "PASS")
    found = again(live.outcome)
    assert found.terms == (("tls", "1.3"), ("days", "60"))
    assert (found.how, found.grounds.ended_by) == ("best_of_seen", "round_limit")
    assert found.grounds.thin == ("best_of_seen",)
    live = table(rounds=1, fallback="best_of_seen")
    live.turns(ANNS, BOBS, "PASS")
    assert live.outcome.unblock[-1] == "more rounds"


@pytest.mark.parametrize("said", ["LEAVE: enough", ""])
def test_who_leaves_is_held_to_nothing_whatever_was_seen(table: Open, said: str) -> None:
    live = table(fallback="best_of_seen")
    live.says("ann", BOTH)
    if said:
        live.says("bob", said)
    else:
        live.fails("bob", "left")
    assert live.outcome.reason == "left"
    assert live.outcome.says == (
        "No deal (bob left) after 1 round: ann stands at ann-0, bob made no offer."
    )
    assert live.outcome.unblock == ("bob comes back to the table",)
    told = {one.party: one.what for one in live.outcome.grounds.submissions}
    assert told["bob"] == ({"left": True} if said else {"failed": ("left",), "left": True})


def test_complaint_4_the_outcome_names_the_seat_that_failed_and_why(table: Open) -> None:
    live = table(rounds=1)
    live.says("ann", BOTH)
    live.fails("bob", "crashed")
    told = {one.party: one.what for one in live.outcome.grounds.submissions}
    assert told["bob"] == {"failed": ("crashed",)}
    assert live.outcome.grounds.absent == ("bob",)
    assert live.outcome.notes == ("bob did not act in round 0 (crashed)",)


# --- the mediator ----------------------------------------------------------------------------


def test_m5_a_mediator_decides_at_once_and_shows_what_each_gains() -> None:
    found = again(mediated(sample_offers(3, protocol="mediated")))
    assert found.terms == (("tls", "1.3"), ("days", "60"))
    assert values(found.gains) == {"ann": 1, "bob": 1, "cyd": 1}
    assert (found.how, found.protocol, found.round) == ("mediated", "mediated", 0)
    told = {one.party: one.what for one in found.grounds.submissions}
    assert told["ann"]["reservation"] == 3


def test_a_mediator_can_keep_what_it_was_told_to_itself() -> None:
    found = again(mediated(sample_offers(protocol="mediated", disclose_at_end=False)))
    assert found.says == "The mediator names tls = 1.3; days = 60."
    assert (found.utilities, found.gains, found.notes) == ((), (), ())
    assert {one.what for one in found.grounds.submissions} == {"disclosed to the mediator alone"}


@pytest.mark.parametrize("disclose", [False, True])
def test_m7_nothing_acceptable_to_all_is_no_deal_in_no_rounds(disclose: bool) -> None:
    domain = domain_of({"price": [1, 2]})
    wants = {
        "ann": additive(domain, {"price": {"2": 10}}, reservation=5),
        "bob": additive(domain, {"price": {"1": 10}}, reservation=7),
    }
    rules = offers_rules(
        "q", problem_of(domain, wants), seed="1", protocol="mediated", disclose_at_end=disclose
    )
    found = again(mediated(rules))
    assert (found.reason, found.rounds) == ("no_overlap", 0)
    assert bool(found.nearest.short) == disclose
    assert bool(found.nearest.utilities) == disclose
    assert found.nearest.refused_by


def test_a_point_that_does_not_exist_is_refused() -> None:
    with pytest.raises(InvalidInput):
        mediated(sample_offers(protocol="mediated", point="centre of the world"))
