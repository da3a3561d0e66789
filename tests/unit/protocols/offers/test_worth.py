"""Worth: exact values, and the refusal that says by how much (B5, C4)."""

from __future__ import annotations

from fractions import Fraction

from comity.mechanisms.bargaining.constraints import constraints_of
from comity.mechanisms.bargaining.problem import Bargainer, problem_of
from comity.protocols.offers.opening import offers_rules
from comity.protocols.offers.rules import OffersRules
from comity.protocols.offers.worth import Judged, judged, refusal, shown_deal, worth_of
from comity.testing.bargains import sample_offers, sample_problem

BEST = {"tls": "1.3", "days": "30"}
WORST = {"tls": "1.2", "days": "60"}


def limited() -> OffersRules:
    """Return rules with a constraint of all and a red line of ann's."""
    plain = sample_problem()
    line = constraints_of(plain.domain, [{"tls": "1.2", "days": "30"}])
    parties = [
        Bargainer(one.name, one.preferences, line if one.name == "ann" else ())
        for one in plain.parties
    ]
    shut = constraints_of(plain.domain, [{"tls": "1.3", "days": "30"}])
    problem = problem_of(plain.domain, parties, constraints=shut)
    return offers_rules("q", problem, seed="1", first="ann")


def test_m1_worth_gain_and_shortfall_are_exact() -> None:
    rules = sample_offers()
    assert judged(rules, "ann", BEST) == Judged(
        worth=Fraction(6), gain=Fraction(3), short=Fraction(0)
    )
    found = judged(rules, "ann", WORST)
    assert found == Judged(worth=Fraction(1), gain=Fraction(-2), short=Fraction(2))
    assert not found.is_good
    assert worth_of(rules, "bob", WORST) == 5


def test_m1_without_a_reservation_the_gain_is_the_worth_and_nothing_is_short() -> None:
    plain = sample_problem()
    free = [
        Bargainer(one.name, type(one.preferences)(plain.domain, one.preferences.values))  # type: ignore[union-attr,arg-type]
        for one in plain.parties
    ]
    rules = offers_rules("q", problem_of(plain.domain, free), seed="1")
    found = judged(rules, "ann", WORST)
    assert found == Judged(worth=Fraction(1), gain=Fraction(1), short=Fraction(0))
    assert found.is_good


def test_b5_below_the_reservation_is_refused_and_says_by_how_much() -> None:
    why = ("below_reservation", "worth 1 to you, 2 short of your reservation 3")
    assert refusal(sample_offers(), "ann", WORST) == why
    assert refusal(sample_offers(), "bob", WORST) is None
    assert refusal(sample_offers(reservation_binds={"ann": False}), "ann", WORST) is None


def test_c4_red_lines_bind_even_where_the_reservation_does_not() -> None:
    even = {"tls": "1.2", "days": "30"}
    code, hint = refusal(limited(), "ann", even) or ("", "")
    assert code == "crosses_red_line"
    assert "not (tls in {1.2} and days in {30})" in hint
    assert refusal(limited(), "bob", even) is None
    code, hint = refusal(limited(), "bob", BEST) or ("", "")
    assert code == "excluded"


def test_a_deal_is_shown_as_it_can_be_offered() -> None:
    assert shown_deal(tuple(BEST.items())) == "tls = 1.3; days = 30"
