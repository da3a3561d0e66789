"""Issue ending: does the result of a negotiation over several issues explain itself?

Here: agreements and no-deals made from a course of play, the best of seen, discount, grounds.
Not here: the course itself (test_playing.py), options (test_several.py).
Sources: SEMANTICS G1, G2, M5, B5, B10; complaint 16.
"""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import InternalError
from comity.core.results import Item, result_from_json
from comity.mechanisms.bargaining.constraints import constraints_of
from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.issue_ending import Setting, agreed, best_of_seen, not_agreed
from comity.mechanisms.bargaining.outcomes import outcomes_of
from comity.mechanisms.bargaining.playing import Played
from comity.mechanisms.bargaining.preferences import additive
from comity.mechanisms.bargaining.problem import Bargainer, problem_of
from comity.mechanisms.bargaining.trail import Trail
from comity.mechanisms.bargaining.valuations import computed, tabled

DOMAIN = domain_of({"days": [1, 2, 3, 4], "tls": ["no", "yes"]}, {"cost": "3 * days"})
ANN = {"days": {"1": 8, "2": 6, "3": 2}, "tls": {"yes": 1}}
BOB = {"days": {"4": 9, "3": 6, "2": 4}, "tls": {"no": "0.5"}}


def setting(
    ann: dict[str, Any] | None = None,
    bob: dict[str, Any] | None = None,
    *,
    rounds: int = 11,
    trace: bool = True,
    red: Any = (),
) -> Setting:
    problem = problem_of(
        DOMAIN,
        [
            Bargainer("bob", additive(DOMAIN, BOB, **(bob or {})), tuple(red)),
            Bargainer("ann", additive(DOMAIN, ANN, **(ann or {}))),
        ],
        constraints=constraints_of(DOMAIN, [{"days": ["1"], "tls": ["yes"]}], ["cost <= 12"]),
    )
    parameters = {"rounds": rounds, "seed": "4"}
    return Setting(outcomes_of(problem), parameters, rounds, "alternating", "4", (), trace)


def at(days: int, tls: str = "no") -> int:
    return (days - 1) * 2 + (tls == "yes")


def played(*outcomes: int, deal: int | None = None, **more: Any) -> Played:
    names = tuple(("ann", "bob")[place % 2] for place in range(len(outcomes)))
    rounds = tuple(place // 2 for place in range(len(outcomes)))
    accepted = {} if deal is None else {deal: (("bob", "ann")[deal % 2],)}
    last = rounds[-1] + 1 if rounds else 0
    return Played(rounds, names, outcomes, accepted, deal, **{"played": last, **more})


def test_g1_an_agreement_says_what_who_when_and_why() -> None:
    course = played(at(1), at(4), at(2), deal=2)
    found = agreed(setting({"reservation": 2}), course, 2, "accepted")
    assert found.says == "Deal in round 1: bob accepts ann-1; ann gains 4, bob gains 4.5."
    assert (found.deal, found.accepted_offer, found.offered_by) == (
        {"days": "2", "tls": "no"},
        "ann-1",
        "ann",
    )
    assert found.utilities == (Item("ann", 6), Item("bob", Fraction(9, 2)))
    assert found.gains == (Item("ann", 4), Item("bob", Fraction(9, 2)))
    assert [one.id for one in found.offers] == ["ann-0", "bob-0", "ann-1"]
    assert found.offers[2].accepted_by == ("bob",)
    assert found.grounds.ended_by == "acceptance"
    assert [one.party for one in found.grounds.submissions] == ["ann", "bob"]
    assert (found.discounted, found.notes, found.grounds.thin) == ((), (), ())


def test_the_json_of_both_results_reads_back() -> None:
    course = played(at(1), at(4), at(2), deal=2)
    for found in (
        agreed(setting(), course, 2, "accepted"),
        agreed(setting(trace=False), course, 2, "accepted"),
        not_agreed(setting({"reservation": 7}), played(at(1), at(4), quiet=3)),
    ):
        assert result_from_json(json.loads(json.dumps(found.to_json()))) == found
        assert isinstance(found.offers, Trail)
        assert str(found)


def test_b5_nothing_is_settled_that_somebody_refuses() -> None:
    with pytest.raises(InternalError, match="ann"):
        agreed(setting({"reservation": 7}), played(at(4), deal=0), 0, "accepted")


@pytest.mark.parametrize(
    ("last", "worth"), [(0, "6"), (5, "4.24264068712"), (10, "3"), (3, "4.87351437814")]
)
def test_b10_a_discounted_worth_is_reckoned_by_the_share_of_time(last: int, worth: str) -> None:
    course = played(at(2), deal=0)._replace(rounds=(last,), played=last + 1)
    found = agreed(setting({"discount": "0.5", "reservation": 1}), course, 0, "accepted")
    assert found.discounted == (("ann", worth),)
    assert found.notes == (
        f"discounted at time {last}/10; reservations are discounted with the deal",
    )
    missed = not_agreed(setting({"discount": "0.5"}), played(at(2), played=last + 1))
    assert missed.notes == found.notes


def test_a_single_round_takes_no_time() -> None:
    found = agreed(setting({"discount": "0.5"}, rounds=1), played(at(2), deal=0), 0, "accepted")
    assert found.discounted == (("ann", "6"),)


def test_m5_complaint_16_the_best_of_seen_has_the_greatest_product_of_gains() -> None:
    course = played(at(1), at(4), at(2), at(3), at(2), at(3))
    both = {"reservation": 1}, {"reservation": 1}
    assert best_of_seen(setting(*both), course) == (2, ()), "5 x 3.5 before 1 x 5.5"
    place, ties = best_of_seen(setting(*both), course) or (-1, ())
    found = agreed(setting(*both), course, place, "best_of_seen", ties)
    assert found.says.startswith("Deal in round 2: ann-1, the best of those offered;")
    assert (found.how, found.grounds.ended_by) == ("best_of_seen", "best_of_seen")
    assert best_of_seen(setting({"reservation": 8}), played(at(4), at(3))) is None
    assert best_of_seen(setting(), played()) is None


def test_g4_a_lot_decides_between_equally_good_deals_seen() -> None:
    flat = {"reservation": 0}
    problem = problem_of(
        DOMAIN, {name: additive(DOMAIN, {"tls": {"yes": 1}}, **flat) for name in ("ann", "bob")}
    )
    base = setting()._replace(outcomes=outcomes_of(problem))
    course = played(at(1, "yes"), at(2, "yes"), at(3, "yes"), at(3))
    found = set()
    for seed in range(40):
        place, ties = best_of_seen(base._replace(seed=str(seed)), course) or (-1, ())
        assert (ties[0].label, len(ties[0].tied)) == ("best of seen", 3)
        found.add(place)
        thin = agreed(base, course, place, "best_of_seen", ties).grounds.thin
        assert thin == ("tie_rule_used",)
    assert found == {0, 1, 2}


def test_g2_a_no_deal_names_the_nearest_deal_and_who_lacks_how_much() -> None:
    course = played(at(1), at(4), at(2), at(3), quiet=2)
    found = not_agreed(setting({"reservation": 7}, {"reservation": 2}), course)
    assert found.nearest is not None
    assert found.nearest.deal == (("days", "2"), ("tls", "no"))
    assert (found.nearest.short, found.nearest.refused_by) == ((Item("ann", 1),), ("ann",))
    assert found.says == (
        "No deal (round limit) after 2 rounds: nearest was days = 2, tls = no, where ann lacks 1."
    )
    assert found.unblock == (
        "ann lowers its reservation by 1 for days = 2, tls = no",
        "more rounds",
    )
    assert (found.guard, found.rounds, found.rounds_without_movement) == ("round_limit", 2, 2)
    assert [one.offer for one in found.final_offers] == [
        '{"days":"2","tls":"no"}',
        '{"days":"3","tls":"no"}',
    ]
    assert "overlap" not in str(found).casefold(), "nobody has seen all reservations"


def test_a_reservation_that_no_deal_reaches_is_measured_against_the_whole_range() -> None:
    found = not_agreed(setting({"reservation": 100}), played(at(2), at(4)))
    assert found.nearest is not None
    assert found.nearest.short == (Item("ann", 94),)


def test_a_red_line_is_told_where_no_worth_is_lacking() -> None:
    red = constraints_of(DOMAIN, [{"days": ["2", "1"]}])
    found = not_agreed(setting(red=red), played(at(2), at(1), reason="stall"))
    assert found.nearest is not None
    assert (found.nearest.short, found.nearest.refused_by) == ((), ("bob",))
    assert "a red line of bob is crossed" in found.says
    assert found.unblock == ("bob drops a red line", "a party that concedes")


def test_a_deal_that_all_could_accept_but_not_in_time_says_so() -> None:
    found = not_agreed(setting(), played(at(2), at(2)))
    assert found.says.endswith("days = 2, tls = no was offered and all could accept it, but not "
                               "in time.")  # fmt: skip
    assert found.unblock == (
        "all can accept days = 2, tls = no: more rounds, or fallback = best_of_seen",
    )


def test_without_any_offer_there_is_no_nearest_deal() -> None:
    found = not_agreed(setting(), played())
    assert (found.nearest, found.says) == (None, "No deal (round limit) after 0 rounds.")
    unwilling = not_agreed(setting(), played(played=1, reason="exhausted", unwilling="bob"))
    assert unwilling.says == "No deal (exhausted) after 1 round: bob accepts none of the deals."
    assert [one.offer for one in unwilling.final_offers] == [None, None]


def test_g4_the_nearest_of_equals_is_drawn_and_that_is_not_thin() -> None:
    flat = {"reservation": 20}
    problem = problem_of(DOMAIN, {name: additive(DOMAIN, {}, **flat) for name in ("ann", "bob")})
    base = setting()._replace(outcomes=outcomes_of(problem))
    deals = set()
    for seed in range(40):
        found = not_agreed(base._replace(seed=str(seed)), played(at(1), at(2), at(3)))
        assert found.nearest is not None
        assert (found.grounds.ties[0].label, found.grounds.thin) == ("nearest deal", ())
        deals.add(found.nearest.deal)
    assert len(deals) == 3


def test_g1_the_digest_is_that_of_the_inputs_whatever_order_they_were_declared_in() -> None:
    found = agreed(setting(), played(at(2), deal=0), 0, "accepted").grounds
    other_domain = domain_of({"tls": ["yes", "no"], "days": [4, 3, 2, 1]}, {"cost": "3 * days"})
    problem = problem_of(
        other_domain,
        {"ann": additive(other_domain, ANN), "bob": additive(other_domain, BOB)},
        constraints=constraints_of(
            other_domain, [{"tls": ["yes"], "days": ["1"]}], ["cost <= 12"]
        )[::-1],
    )
    other = setting()._replace(outcomes=outcomes_of(problem))
    assert agreed(other, played(at(2), deal=0), 0, "accepted").grounds == found
    changed = setting({"reservation": 1})
    assert agreed(changed, played(at(2), deal=0), 0, "accepted").grounds != found


def test_values_that_are_no_sums_are_handed_in_by_their_digest() -> None:
    table = [(tuple(deal.values()), len(deal["tls"])) for deal in DOMAIN.deals()]
    problem = problem_of(
        DOMAIN,
        {"ann": tabled(DOMAIN, table), "bob": computed(DOMAIN, lambda deal: len(deal["tls"]))},
    )
    base = setting()._replace(outcomes=outcomes_of(problem))
    found = agreed(base, played(at(2), deal=0), 0, "accepted").grounds
    ann, bob = (one.what for one in found.submissions)
    assert isinstance(ann, dict)
    assert ann == bob
    assert ann["values"]["deals"] == 8
