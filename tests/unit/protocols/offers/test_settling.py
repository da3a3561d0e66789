"""Settling: assent of all to one offer, checked again; crossings; the best and the nearest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from comity.mechanisms.bargaining.constraints import constraints_of
from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.preferences import additive
from comity.mechanisms.bargaining.problem import Bargainer, Problem, problem_of
from comity.mechanisms.bargaining.valuations import tabled
from comity.protocols.offers.opening import offers_rules
from comity.protocols.offers.settling import best_of_seen, is_near, nearest_of, settled
from comity.protocols.offers.state import Offer, OffersState, new_state
from comity.testing.bargains import sample_offers

Open = Callable[..., Any]
ANNS, BOTH = "OFFER: tls = 1.3; days = 30", "OFFER: tls = 1.3; days = 60"
BOBS, EVEN = "OFFER: tls = 1.2; days = 60", "OFFER: tls = 1.2; days = 30"


def offer(party: str, number: int, tls: str, days: str, *accepted: str) -> Offer:
    deal = (("tls", tls), ("days", days))
    return Offer(
        id=f"{party}-{number}", party=party, round=number, deal=deal, accepted_by=accepted
    )


def state_of(*offers: Offer, **settings: Any) -> OffersState:
    return replace(new_state(sample_offers(**settings)), offers=offers)


def test_m2_an_agreement_needs_the_assent_of_all_to_the_same_offer() -> None:
    state = state_of(offer("ann", 0, "1.3", "60", "bob"), seats=3)
    assert settled(state) is None
    state = state_of(offer("ann", 0, "1.3", "60", "bob", "cyd"), seats=3)
    found = settled(state)
    assert found is not None
    assert (found[0].id, found[1]) == ("ann-0", ())


def test_b5_all_reservations_are_checked_again_at_settlement() -> None:
    """Complaint 20: the deal is checked on every side, whoever offered and accepted it."""
    assert settled(state_of(offer("ann", 0, "1.3", "30", "bob"))) is None
    assert settled(state_of(offer("bob", 0, "1.2", "60", "ann"))) is None
    assert settled(state_of(offer("bob", 0, "1.3", "60", "ann"))) is not None


def test_complaint_20_a_bid_past_the_own_limit_is_refused_and_the_feasible_deal_made(
    play: Open,
) -> None:
    """The buyer cannot bid 130 above its own 110; the ask of 100 is feasible and is a deal."""
    domain = domain_of({"price": [100, 110, 130]})
    buyer = additive(
        domain, {"price": {"100": 20, "110": 10, "130": -10}}, reservation=10, whose="buyer"
    )
    seller = additive(
        domain, {"price": {"100": 0, "110": 10, "130": 30}}, reservation=0, whose="seller"
    )
    problem = problem_of(domain, {"buyer": buyer, "seller": seller})
    live = play(offers_rules("q", problem, seed="1", first="buyer"))
    live.says("buyer", "OFFER: price = 130")
    assert live.reasons == ["below_reservation"]
    live.says("buyer", "PASS")
    live.says("seller", "OFFER: price = 100")
    live.says("buyer", "ACCEPT: seller-0")
    assert live.outcome.terms == (("price", "100"),)


@pytest.mark.parametrize(("crossing", "ties"), [("lot", 1), ("nash", 0)])
def test_crossing_acceptances_are_resolved_by_the_recorded_rule(
    table: Open, crossing: str, ties: int
) -> None:
    live = table(protocol="simultaneous", crossing=crossing)
    live.turns(BOTH, EVEN, "ACCEPT: bob-0", "ACCEPT: ann-0")
    assert len(live.outcome.grounds.ties) == ties
    assert dict(live.outcome.grounds.parameters)["crossing"] == crossing
    if crossing == "nash":
        assert live.outcome.accepted_offer == "ann-0"
        assert live.outcome.grounds.thin == ()
    else:
        assert live.outcome.grounds.thin == ("tie_rule_used",)


def test_g4_crossing_lots_are_fair_and_depend_on_nothing_but_the_seed() -> None:
    offers = (offer("ann", 0, "1.3", "60", "bob"), offer("bob", 0, "1.2", "30", "ann"))
    chosen = []
    for seed in range(400):
        found = settled(state_of(*offers, seed=str(seed), crossing="lot"))
        turned = settled(state_of(*offers[::-1], seed=str(seed), crossing="lot"))
        assert found is not None
        assert turned is not None
        assert found[0].id == turned[0].id
        chosen.append(found[0].id)
    assert 160 < chosen.count("ann-0") < 240


def test_complaint_16_the_best_offer_seen_that_suits_all_stands_when_the_rules_say_so() -> None:
    offers = (
        offer("ann", 0, "1.3", "30"),
        offer("bob", 0, "1.2", "30"),
        offer("ann", 1, "1.3", "60"),
        offer("bob", 1, "1.2", "60"),
    )
    assert best_of_seen(state_of(*offers)) is None
    found = best_of_seen(state_of(*offers, fallback="best_of_seen"))
    assert found is not None
    assert (found[0].id, found[1]) == ("ann-1", ())
    assert best_of_seen(state_of(offers[0], fallback="best_of_seen")) is None
    bound = {"fallback": "best_of_seen", "reservation_binds": {"bob": False}}
    assert best_of_seen(state_of(offers[0], **bound)) is None


def flat(*, table: bool = False) -> Problem:
    """Return a problem without reservations in which all deals are equal but one."""
    domain = domain_of({"tls": ["1.2", "1.3"], "days": [30, 60]})
    wants: Any = additive(domain, {"tls": {"1.2": -2}})
    other = wants
    if table:
        other = tabled(domain, [((a, b), 1) for a in ("1.2", "1.3") for b in ("30", "60")])
    return problem_of(domain, {"ann": wants, "bob": other})


@pytest.mark.parametrize("table", [False, True])
def test_g4_equally_good_offers_are_drawn_between(table: bool) -> None:
    rules = offers_rules("q", flat(table=table), seed="1", first="ann", fallback="best_of_seen")
    offers = (offer("ann", 0, "1.3", "30"), offer("bob", 0, "1.3", "60"))
    state = replace(new_state(rules), offers=offers)
    found = best_of_seen(state)
    assert found is not None
    (tie,) = found[1]
    assert tie.tied == ("days = 30; tls = 1.3", "days = 60; tls = 1.3")
    assert nearest_of(state) is not None


def test_m7_the_nearest_offer_suits_all_but_the_fewest_and_misses_least() -> None:
    found = nearest_of(state_of(offer("ann", 0, "1.3", "30"), offer("bob", 0, "1.2", "60")))
    assert found is not None
    assert (found[0].id, found[1]) == ("bob-0", ("ann",))  # both miss two fifths: a lot
    found = nearest_of(state_of(offer("ann", 0, "1.3", "30"), offer("ann", 1, "1.3", "60")))
    assert found is not None
    assert (found[0].id, found[1]) == ("ann-1", ())


def test_g8_near_is_measured_against_each_seats_own_opening() -> None:
    anns, bobs = offer("ann", 0, "1.3", "30"), offer("bob", 0, "1.2", "60")
    state = state_of(anns, bobs, thin_gap="2/5")
    assert is_near(state, bobs)  # ann opened 5 above it and lacks 2
    assert not is_near(state_of(anns, bobs, thin_gap="1/3"), bobs)
    assert not is_near(state_of(bobs, thin_gap=1), bobs)  # ann made no offer
    assert is_near(state_of(offer("ann", 0, "1.3", "60")), offer("ann", 0, "1.3", "60"))


def test_g8_across_a_red_line_is_never_near() -> None:
    domain = domain_of({"tls": ["1.2", "1.3"], "days": [30, 60]})
    line = constraints_of(domain, [{"tls": "1.3", "days": "30"}])
    wants = additive(domain, {}, reservation=Fraction(0))
    problem = problem_of(domain, [Bargainer("ann", wants, line), Bargainer("bob", wants)])
    state = new_state(offers_rules("q", problem, seed="1"))
    assert not is_near(state, offer("bob", 0, "1.3", "30"))
