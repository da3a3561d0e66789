"""Price: does a negotiation end where and why the rules say?"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.bargaining.price import bargain, negotiate_price
from comity.mechanisms.bargaining.results import PriceAgreement, PriceNoDeal
from comity.mechanisms.bargaining.rules import PriceParty, PriceRules

BUYER, SELLER = (60, 100), (120, 70)


def deal(**options: Any) -> PriceAgreement:
    result = bargain(**{"buyer": BUYER, "seller": SELLER} | options)
    assert isinstance(result, PriceAgreement), result.says
    return result


def no_deal(**options: Any) -> PriceNoDeal:
    result = bargain(**{"buyer": BUYER, "seller": SELLER} | options)
    assert isinstance(result, PriceNoDeal), result.says
    return result


# --- B4: conventions -------------------------------------------------------------------------


def test_b4_the_worked_example_ends_in_round_4_at_80() -> None:
    found = deal(rounds=5)
    assert (found.price, found.round, found.accepted_offer, found.accepted_by) == (
        80,
        4,
        "S4",
        "buyer",
    )
    assert (found.buyer_surplus, found.seller_surplus, found.zopa_width) == (20, 10, 30)
    assert (found.convention, found.first) == ("same_round", "buyer")


@pytest.mark.parametrize(
    ("convention", "first", "price", "round_", "offer"),
    [
        ("same_round", "buyer", 80, 4, "S4"),
        ("same_round", "seller", 92, 4, "B4"),
        ("next_round", "buyer", 90, 3, "S3"),
        ("next_round", "seller", 84, 3, "B3"),
        ("alternating", "seller", 84, 3, "B3"),
        ("alternating", "buyer", 90, 3, "S3"),
        ("midpoint", None, 86, 4, None),
    ],
)
def test_b4_the_worked_example_has_five_prices_by_convention(
    convention: str, first: str | None, price: int, round_: int, offer: str | None
) -> None:
    found = deal(convention=convention, first=first)
    assert (found.price, found.round, found.accepted_offer) == (price, round_, offer)


def test_b4_whoever_accepts_in_alternation_makes_no_offer_of_its_own_that_round() -> None:
    found = deal(seller=(90, 85), convention="alternating", first="seller")
    rows = found.table()
    assert (found.accepted_by, rows[-1].seller, rows[-1].buyer) == ("buyer", found.price, None)
    assert rows[-1].gap is None
    assert len(found.offers[0].prices) == len(found.offers[1].prices) - 1


# --- B2: the zone ----------------------------------------------------------------------------


def test_b2_a_mediator_finds_an_empty_zone_in_no_rounds() -> None:
    found = no_deal(buyer=(50, 65))
    assert (found.reason, found.rounds, found.gap, found.guard) == (
        "no_overlap",
        0,
        5,
        "no_overlap",
    )
    assert found.offers == ()
    assert found.zopa is not None
    assert found.zopa.is_empty
    assert found.exit_code == 10


def test_b2_touching_reservations_are_a_deal_at_that_price() -> None:
    found = deal(buyer=(60, 70))
    assert (found.price, found.round, found.zopa_width) == (70, 5, 0)
    assert (found.buyer_share, found.seller_share, found.share_captured) == (None, None, None)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"stall": 6},
        {"after_deadline": "leave"},
        {"seller_rounds": 9},
        {"rounds": None, "schedule": "fixed"},
        {"schedule": [60, 65], "seller_schedule": "linear"},
        {"round_limit": 2},
    ],
)
def test_b2_a_blind_negotiation_never_says_that_the_zone_is_empty(options: dict[str, Any]) -> None:
    if "schedule" in options and isinstance(options["schedule"], list):
        options = {"buyer_schedule": options["schedule"]}
    found = no_deal(buyer=(60, 65), blind=True, **options)
    assert found.reason != "no_overlap"
    assert found.zopa is None
    words = " ".join((found.says, *found.unblock, *found.notes)).lower()
    assert not any(word in words for word in ("zone", "possible", "overlap", "reservation"))


def test_b2_a_blind_negotiation_runs_to_its_deadline() -> None:
    found = no_deal(buyer=(60, 65), blind=True)
    assert (found.reason, found.rounds, found.gap) == ("deadline", 5, 5)
    assert found.says == "No deal (deadline): seller at 70, buyer at 65, 5 apart."


def test_b2_blind_and_mediated_agree_where_there_is_a_zone() -> None:
    assert deal(blind=True).price == deal().price == 80


# --- B7: guards ------------------------------------------------------------------------------


def test_b7_the_stalled_example_says_who_stood_where_for_how_long() -> None:
    found = no_deal(seller=(120, 88), buyer=(60, 84), rounds=5, blind=True, stall=6)
    assert (found.reason, found.guard, found.grounds.ended_by) == ("stall", "stall", "stall")
    assert (found.rounds, found.rounds_without_movement, found.gap) == (11, 6, 4)
    assert "seller at 88, buyer at 84, 4 apart, 6 rounds without movement" in found.says
    assert dict(found.grounds.parameters)["stall"] == 6


@pytest.mark.parametrize("stall", [2, 3, 70])
def test_b7_a_stall_is_counted_from_the_last_movement(stall: int) -> None:
    found = no_deal(seller=(120, 88), buyer=(60, 84), blind=True, stall=stall)
    assert (found.reason, found.rounds, found.rounds_without_movement) == (
        "stall",
        5 + stall,
        stall,
    )


def test_b7_two_parties_that_never_move_stall_after_one_round() -> None:
    found = no_deal(schedule="fixed", rounds=None)
    assert (found.reason, found.rounds, found.rounds_without_movement) == ("stall", 1, 1)
    assert found.unblock[-1] == "a deadline for both: prices from 70 to 100 suit both"


def test_b7_two_mirrors_stall() -> None:
    assert no_deal(schedule="tit_for_tat", rounds=None).reason == "stall"


def test_b7_a_pause_in_a_schedule_is_no_stall() -> None:
    found = deal(
        seller_schedule=[120, 120, 120, 120, 75],
        seller_rounds=None,
        buyer_schedule="fixed",
        buyer_rounds=20,
        buyer=(80, 100),
    )
    assert (found.price, found.round) == (75, 4)


def test_b7_rounding_to_ticks_is_no_stall() -> None:
    assert deal(tick=40, rounds=100).price == 80


def test_b7_two_parties_that_have_offered_everything_are_exhausted_before_the_deadline() -> None:
    found = no_deal(buyer=(65, 65), seller=(70, 70), rounds=9, blind=True)
    assert (found.reason, found.rounds) == ("exhausted", 0)
    tables = no_deal(
        buyer=(60, 65),
        seller=(90, 70),
        rounds=9,
        blind=True,
        buyer_schedule=[60, 65],
        seller_schedule=[90, 80, 70],
    )
    assert (tables.reason, tables.rounds) == ("exhausted", 2)


def test_b7_patience_makes_a_stall_of_exhaustion() -> None:
    found = no_deal(buyer=(65, 65), seller=(70, 70), rounds=9, blind=True, stall=2)
    assert (found.reason, found.rounds) == ("stall", 2)


def test_b7_returning_to_an_earlier_pair_of_offers_is_ping_pong() -> None:
    options: dict[str, Any] = {
        "seller_schedule": [120, 110, 120, 110],
        "buyer_schedule": "fixed",
        "rounds": 50,
    }
    found = no_deal(**options, monotonic=False)
    assert (found.reason, found.rounds) == ("ping_pong", 2)
    assert found.rejected == ()


def test_b7_with_the_monotonic_guard_the_same_offers_are_refused_instead() -> None:
    found = deal(seller_schedule=[120, 110, 120, 110], buyer_schedule="fixed", rounds=50)
    assert [(one.round, one.offer) for one in found.rejected] == [(2, "120")]
    assert found.round == 50


def test_b7_an_accepted_offer_that_still_stands_keeps_the_id_it_was_made_under() -> None:
    found = deal(seller_schedule=[120, 90, 95, 99], seller_rounds=None)
    assert (found.price, found.round, found.accepted_offer) == (90, 4, "S1")
    assert [one.round for one in found.rejected] == [2, 3, 4]
    again = deal(seller_schedule=[120, 90, 95, 90], seller_rounds=None)
    assert (again.price, again.round, again.accepted_offer) == (90, 4, "S4")
    mirrored = deal(buyer_schedule=[60, 90, 85], buyer_rounds=None, first="seller")
    assert (mirrored.price, mirrored.round, mirrored.accepted_offer) == (90, 3, "B1")


@pytest.mark.parametrize(("limit", "reason"), [(3, "round_limit"), (5, "deadline")])
def test_b7_a_round_limit_ends_before_the_deadline(limit: int, reason: str) -> None:
    found = no_deal(buyer=(60, 65), blind=True, round_limit=limit)
    assert (found.reason, found.rounds) == (reason, limit)


def test_b7_a_deal_in_the_last_round_of_the_limit_counts() -> None:
    assert deal(round_limit=4).round == 4
    assert no_deal(round_limit=3).reason == "round_limit"


def test_b7_a_callable_that_creeps_for_ever_meets_the_default_round_limit() -> None:
    found = no_deal(
        seller_schedule=lambda t, *_: 100 + Fraction(20, t + 1),
        seller_rounds=None,
        buyer_schedule="fixed",
        buyer_rounds=None,
        round_limit=40,
    )
    assert (found.reason, found.rounds) == ("round_limit", 40)
    assert (
        dict(
            deal(seller_rounds=None, seller_schedule="fixed", seller=(100, 70)).grounds.parameters
        )["round_limit"]
        == 10_000
    )


def test_b7_a_time_limit_ends_after_the_round_whose_reading_reaches_it() -> None:
    readings = (0, 30, 60, 90, 120, 150)
    found = no_deal(time_limit_ms=60, readings_ms=readings)
    assert (found.reason, found.rounds) == ("time_limit", 2)
    assert deal(time_limit_ms=120, readings_ms=readings).round == 4
    assert deal(time_limit_ms=60, readings_ms=readings[:2]).round == 4


def test_b7_a_time_limit_is_watched_for_callables_too() -> None:
    options: dict[str, Any] = {"seller_schedule": lambda t, *_: 120 - t, "time_limit_ms": 60}
    assert no_deal(**options, readings_ms=(0, 30, 60)).reason == "time_limit"
    assert deal(**options, readings_ms=(0, 30)).round == 5


# --- B1: deadlines ---------------------------------------------------------------------------


def test_b1_a_party_that_holds_waits_and_one_that_leaves_ends_the_session() -> None:
    held = deal(seller_rounds=10)
    assert (held.price, held.round, held.unequal_deadlines) == (95, 5, True)
    early = {"buyer": (0, 100), "seller": (400, 70), "buyer_rounds": 2, "seller_rounds": 10}
    assert (deal(**early).price, deal(**early).round) == (70, 10)
    gone = no_deal(**early, buyer_after_deadline="leave")
    assert (gone.reason, gone.rounds, gone.unequal_deadlines) == ("left", 2, True)


def test_b1_when_all_deadlines_have_passed_nobody_left_early() -> None:
    found = no_deal(buyer=(60, 65), blind=True, after_deadline="leave")
    assert (found.reason, found.rounds) == ("deadline", 5)
    later = no_deal(buyer=(60, 65), blind=True, buyer_rounds=3, seller_after_deadline="leave")
    assert (later.reason, later.rounds) == ("deadline", 5)


def test_b1_leaving_wins_over_patience() -> None:
    found = no_deal(buyer=(60, 65), blind=True, after_deadline="leave", stall=9)
    assert (found.reason, found.rounds) == ("deadline", 5)


def test_b1_a_party_leaves_also_in_the_middle_of_a_long_path() -> None:
    found = no_deal(
        buyer=(0, 100),
        seller=(10_000, 70),
        rounds=500,
        seller_rounds=130,
        seller_schedule="boulware",
        buyer_schedule="fixed",
        seller_after_deadline="leave",
        blind=True,
    )
    assert (found.reason, found.rounds) == ("left", 130)


# --- B8: lessons -----------------------------------------------------------------------------


def test_b8_a_seller_with_twice_the_time_gets_95() -> None:
    assert deal(seller_rounds=10, buyer_rounds=5).price == 95


@pytest.mark.parametrize("rounds", [1, 2])
def test_b8_under_the_midpoint_a_short_deadline_meets_in_the_middle_of_the_zone(
    rounds: int,
) -> None:
    assert deal(rounds=rounds, convention="midpoint").price == 85


@pytest.mark.parametrize("rounds", [1, 2])
def test_b8_under_same_round_a_short_deadline_favours_who_responds(rounds: int) -> None:
    assert deal(rounds=rounds).price == 70


def test_b8_with_three_rounds_the_offers_are_equal_before_the_deadline() -> None:
    # 120 - 50 * 2/3 and 60 + 40 * 2/3 are both 260/3. In floats they differ in the last digit,
    # the equal offers are missed and the deal is 70, one round later.
    found = deal(rounds=3)
    assert (found.price, found.round, found.grounds.margin) == (Fraction(260, 3), 2, 0)


def test_b8_a_seller_with_a_thousand_rounds_takes_everything_from_a_buyer_with_five() -> None:
    assert deal(seller_rounds=1000, buyer_rounds=5).price == 100


@pytest.mark.parametrize("length", [3, 63, 64, 65, 128, 129, 500])
def test_long_paths_are_searched_across_their_blocks(length: int) -> None:
    found = deal(rounds=length, convention="midpoint")
    first = next(t for t in range(length + 1) if 120 * length - 50 * t <= 60 * length + 40 * t)
    assert found.round == first
    assert len(found.offers[0].prices) == first + 1


# --- B10: discounting ------------------------------------------------------------------------


def test_b10_surpluses_are_discounted_at_the_round_of_the_deal() -> None:
    found = deal(discount="0.5", seller_discount=1)
    assert found.discounted_at == 4
    assert (found.buyer_surplus, found.seller_surplus) == (20, 10)
    assert (found.buyer_value, found.seller_value) == (Fraction(20, 16), 10)
    assert found.share_captured == Fraction(45, 4) / 30


def test_b10_without_discounting_nothing_is_lost() -> None:
    found = deal()
    assert (found.discounted_at, found.share_captured) == (None, 1)
    assert (found.buyer_value, found.seller_value) == (20, 10)


def test_b10_discounting_in_a_zone_of_one_price_is_worth_nothing() -> None:
    found = deal(buyer=(60, 70), discount="0.5")
    assert (found.buyer_value, found.seller_value, found.share_captured) == (0, 0, None)


# --- input -----------------------------------------------------------------------------------


def test_g5_money_in_is_the_same_type_out() -> None:
    found = deal(buyer=("60.00", "100.00"), seller=(Decimal(120), Decimal(70)))
    assert isinstance(found.price, Decimal)
    assert isinstance(found.buyer_surplus, Decimal)
    assert isinstance(deal().price, int)
    assert deal(buyer=(0.1, 0.3), seller=(0.5, 0.2)).price == Decimal("0.26")


def test_g7_all_faults_of_a_call_come_at_once_each_with_its_owner() -> None:
    with pytest.raises(InvalidInput) as caught:
        bargain(
            buyer=(110, 100),
            seller=(120, float("nan")),
            rounds=-1,
            buyer_schedule="boulwar",
            convetion="midpoint",  # type: ignore[call-arg]  # what a caller may mistype
        )
    found = [(fault.whose, fault.what) for fault in caught.value.faults]
    assert found == [
        ("bargain", "has no option 'convetion'"),
        ("buyer", "opens at 110, above its reservation 100"),
        ("buyer", "deadline is -1"),
        ("buyer", "schedule 'boulwar' is unknown"),
        ("seller", "reservation is nan"),
        ("seller", "deadline is -1"),
    ]
    assert caught.value.faults[0].next == "did you mean 'convention'"


def test_g3_several_unknown_options_are_reported_in_one_order() -> None:
    with pytest.raises(InvalidInput) as caught:
        bargain(buyer=BUYER, seller=SELLER, zeta=1, alpha=2, mu=3)  # type: ignore[call-arg]
    assert [fault.what for fault in caught.value.faults] == [
        "has no option 'alpha'",
        "has no option 'mu'",
        "has no option 'zeta'",
    ]


@pytest.mark.parametrize("span", [60, "60:100", (60,), (60, 100, 3), None, {60: 1, 100: 2}])
def test_g7_a_party_is_a_pair_of_prices(span: object) -> None:
    with pytest.raises(InvalidInput) as caught:
        bargain(buyer=span, seller=SELLER)  # type: ignore[arg-type]  # the fault at hand
    (fault,) = caught.value.faults
    assert (fault.whose, fault.next) == ("buyer", "write buyer=(opening, reservation)")


def test_the_short_form_is_the_full_form() -> None:
    parties = (
        PriceParty(
            role="buyer",
            name="Ann",
            opening=60,
            reservation=100,
            deadline=7,
            schedule="boulware",
            after_deadline="leave",
            discount="0.9",
        ),
        PriceParty(role="seller", opening=120, reservation=70, deadline=9, discount="0.8"),
    )
    rules = PriceRules(parties=parties, convention="next_round", first="seller", tick=1)
    short = bargain(
        buyer=BUYER,
        seller=SELLER,
        rounds=7,
        seller_rounds=9,
        buyer_name="Ann",
        buyer_schedule="boulware",
        buyer_after_deadline="leave",
        discount="0.9",
        seller_discount="0.8",
        convention="next_round",
        first="seller",
        tick=1,
    )
    assert short == negotiate_price(rules)


def test_inputs_are_not_changed() -> None:
    buyer, seller, readings = [60, 100], [120, 70], [0, 1]
    bargain(buyer=buyer, seller=seller, readings_ms=readings)
    assert (buyer, seller, readings) == ([60, 100], [120, 70], [0, 1])
