"""Reading: are all faults found at once, and do rules survive their JSON?"""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from comity.core.canonical import digest
from comity.core.errors import Fault, InvalidInput
from comity.mechanisms.bargaining.price import negotiate_price
from comity.mechanisms.bargaining.reading import (
    price_rules_from_json,
    price_rules_to_json,
    read_rules,
    read_span,
)
from comity.mechanisms.bargaining.rules import MOST_ROUNDS, ROUND_LIMIT, PriceParty, PriceRules
from comity.mechanisms.bargaining.schedules import custom


def a_buyer(**changes: Any) -> PriceParty:
    return PriceParty(
        **{"role": "buyer", "opening": 60, "reservation": 100, "deadline": 5} | changes
    )


def a_seller(**changes: Any) -> PriceParty:
    return PriceParty(
        **{"role": "seller", "opening": 120, "reservation": 70, "deadline": 5} | changes
    )


def some_rules(*parties: PriceParty, **changes: Any) -> PriceRules:
    return PriceRules(parties=parties or (a_buyer(), a_seller()), **changes)


def faults_of(rules: PriceRules) -> list[Fault]:
    with pytest.raises(InvalidInput) as caught:
        read_rules(rules)
    return list(caught.value.faults)


def test_b1_b7_defaults_are_filled_in() -> None:
    terms = read_rules(some_rules())
    assert (terms.first, terms.round_limit, terms.tick, terms.thin_gap) == (
        "buyer",
        None,
        None,
        Fraction(1, 10),
    )
    assert [seat.name for seat in terms.seats] == ["buyer", "seller"]
    assert not terms.unequal_deadlines


def test_b4_the_midpoint_has_no_first() -> None:
    assert read_rules(some_rules(convention="midpoint")).first is None
    assert read_rules(some_rules(first="seller")).first == "seller"
    (unknown,) = faults_of(some_rules(convention="midpoint", first="x"))
    assert unknown.what == "first 'x' is unknown"
    (fault,) = faults_of(some_rules(convention="midpoint", first="buyer"))
    assert fault.what == "first is 'buyer', but the midpoint treats both alike"


def test_b7_a_party_without_a_deadline_brings_a_round_limit() -> None:
    open_ended = a_seller(deadline=None, schedule="fixed")
    assert read_rules(some_rules(a_buyer(), open_ended)).round_limit == ROUND_LIMIT
    assert read_rules(some_rules(a_buyer(), open_ended, round_limit=7)).round_limit == 7


def test_g5_numbers_are_read_exactly_from_whatever_carries_them() -> None:
    buyer = a_buyer(opening=0.1, reservation="100.50", discount="19/20")
    seat = read_rules(some_rules(buyer, a_seller(), tick=0.05, thin_gap="0")).buyer
    assert (seat.opening, seat.reservation) == (Decimal("0.1"), Decimal("100.50"))
    assert seat.discount == Fraction(19, 20)


def test_g7_every_fault_of_both_parties_and_the_rules_comes_at_once() -> None:
    buyer = a_buyer(reservation=float("nan"), deadline=-1, schedule="liner")
    seller = a_seller(opening=60, after_deadline="stay", discount=0)
    found = faults_of(some_rules(buyer, seller, convention="same round", stall=0, tick=0))
    assert [(fault.whose, fault.what) for fault in found] == [
        ("buyer", "reservation is nan"),
        ("buyer", "deadline is -1"),
        ("buyer", "schedule 'liner' is unknown"),
        ("seller", "opens at 60, below its reservation 70"),
        ("seller", "after_deadline 'stay' is unknown"),
        ("seller", "discount is 0"),
        ("rules", "convention 'same round' is unknown"),
        ("rules", "stall is 0"),
        ("rules", "tick is 0"),
    ]
    assert found[2].next == "did you mean 'linear'"
    assert found[6].next.startswith("did you mean 'same_round'")


def test_g7_faults_found_before_are_reported_first() -> None:
    earlier = Fault("bargain", "has no option 'x'", "those listed", "leave it out")
    with pytest.raises(InvalidInput) as caught:
        read_rules(some_rules(a_buyer(discount=2), a_seller()), [earlier])
    assert [fault.what for fault in caught.value.faults] == [earlier.what, "discount is 2"]


@pytest.mark.parametrize(
    ("party", "what"),
    [
        (a_buyer(opening=101), "opens at 101, above its reservation 100"),
        (a_buyer(opening=None), "opening is None"),
        (a_buyer(opening=True), "opening is True"),
        (a_buyer(reservation="ten"), "reservation is 'ten'"),
        (a_buyer(deadline=True), "deadline is True"),
        (a_buyer(deadline=5.0), "deadline is 5.0"),
        (a_buyer(deadline=MOST_ROUNDS + 1), "deadline is 1000001"),
        (a_buyer(deadline=None), "concedes by linear schedule without a deadline"),
        (a_buyer(schedule="exponential:2"), "half of exponential is 2"),
        (a_buyer(discount="x"), "discount is 'x'"),
        (a_buyer(discount="1.01"), "discount is 1.01"),
        (a_buyer(schedule=[61, 70]), "its table starts at 61, its opening is 60"),
        (a_buyer(schedule=[60, 101]), "offer 1 of its table is 101, past its reservation"),
    ],
)
def test_b1_a_faulty_buyer_is_refused(party: PriceParty, what: str) -> None:
    (fault,) = faults_of(some_rules(party, a_seller()))
    assert (fault.whose, fault.what) == ("buyer", what)


def test_g7_a_fault_says_what_would_be_right() -> None:
    found = faults_of(some_rules(a_buyer(deadline=-1), a_seller(), stall=0, round_limit=-1))
    assert [fault.allowed for fault in found] == [
        "a whole number from 0 to 1,000,000, or None",
        "1 or more",
        "0 or more, or None",
    ]


def test_b7_a_time_limit_may_be_nothing() -> None:
    terms = read_rules(some_rules(time_limit_ms=0, readings_ms=(0,)))
    assert (terms.time_limit_ms, terms.readings_ms) == (0, (0,))


def test_b1_a_table_of_a_seller_may_not_pass_its_reservation() -> None:
    (fault,) = faults_of(some_rules(a_buyer(), a_seller(schedule=[120, 69])))
    assert fault.what == "offer 1 of its table is 69, past its reservation"


def test_b1_a_party_that_leaves_needs_a_deadline() -> None:
    seller = a_seller(deadline=None, schedule="fixed", after_deadline="leave")
    (fault,) = faults_of(some_rules(a_buyer(), seller))
    assert fault.what == "leaves after a deadline it does not have"


@pytest.mark.parametrize(
    ("parties", "whose", "what"),
    [
        ((a_buyer(name="A"), a_buyer(name="B")), "A and B", "bargain as buyer, buyer"),
        ((a_seller(),), "seller", "bargain as seller"),
        ((a_buyer(), a_seller(), a_seller(name="b")), "b and buyer and seller", "bargain as"),
        ((a_buyer(name="A"), a_seller(name="A")), "A", "names both parties"),
        ((a_buyer(role="byer"), a_seller()), "byer", "role 'byer' is unknown"),
        ((a_buyer(name=""), a_seller()), "party ''", "cannot be used as a name"),
    ],
)
def test_b1_one_buyer_and_one_seller_with_two_names(
    parties: tuple[PriceParty, ...], whose: str, what: str
) -> None:
    (fault,) = faults_of(some_rules(*parties))
    assert fault.whose == whose
    assert what in fault.what


def test_b1_no_parties_at_all_are_refused() -> None:
    (fault,) = faults_of(PriceRules(parties=()))
    assert (fault.whose, fault.what) == ("nobody", "bargain as no role")


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"first": "sller"}, "first 'sller' is unknown"),
        ({"blind": 1}, "blind is 1"),
        ({"monotonic": "no"}, "monotonic is 'no'"),
        ({"stall": True}, "stall is True"),
        ({"round_limit": -1}, "round_limit is -1"),
        ({"tick": "x"}, "tick is 'x'"),
        ({"tick": "-0.1"}, "tick is -0.1"),
        ({"thin_gap": -1}, "thin_gap is -1"),
        ({"thin_gap": float("inf")}, "thin_gap is inf"),
        ({"time_limit_ms": 5}, "a time limit is set and no clock readings are handed in"),
        ({"time_limit_ms": 1.5, "readings_ms": (0,)}, "time_limit_ms is 1.5"),
        ({"readings_ms": (0, -1)}, "reading 1 of readings_ms is -1"),
    ],
)
def test_g7_a_faulty_rule_is_refused(changes: dict[str, Any], what: str) -> None:
    (fault,) = faults_of(some_rules(**changes))
    assert (fault.whose, fault.what) == ("rules", what)


@pytest.mark.parametrize("prices", [{"opening": 0}, {"opening": -5}])
def test_b3_a_mirror_of_factors_needs_prices_above_nothing(prices: dict[str, int]) -> None:
    buyer, seller = a_buyer(**prices), a_seller(schedule="tit_for_tat")
    (fault,) = faults_of(some_rules(buyer, seller))
    assert (fault.whose, fault.next) == ("seller", "use tit_for_tat:absolute")
    assert read_rules(some_rules(buyer, a_seller(schedule="tit_for_tat:absolute")))
    assert read_rules(some_rules(a_buyer(opening="0.5"), a_seller(schedule="tit_for_tat")))


def test_a_span_is_a_pair() -> None:
    faults: list[Fault] = []
    assert read_span([60, 100], "buyer", faults) == (60, 100)
    assert not faults
    assert read_span("60", "buyer", faults) == (1, 1)
    assert [fault.what for fault in faults] == ["is '60'"]


# --- JSON ------------------------------------------------------------------------------------

FULL = some_rules(
    a_seller(name="Acme", opening="120.50", schedule=["120.50", 110, "90"], deadline=None),
    a_buyer(schedule="exponential:1/3", discount="0.95", after_deadline="leave"),
    convention="alternating",
    first="seller",
    blind=True,
    stall=3,
    monotonic=False,
    tick="0.25",
    round_limit=50,
    time_limit_ms=100,
    readings_ms=[0, 10, 20],
    thin_gap="0.2",
)


@pytest.mark.parametrize("rules", [some_rules(), FULL])
def test_k2_rules_read_back_from_their_json_give_the_same_result(rules: PriceRules) -> None:
    text = json.dumps(price_rules_to_json(rules))
    again = price_rules_from_json(json.loads(text))
    assert price_rules_to_json(again) == json.loads(text)
    assert negotiate_price(again) == negotiate_price(rules)


def test_g1_the_digest_of_the_rules_is_that_of_the_grounds() -> None:
    assert negotiate_price(FULL).grounds.inputs_digest == digest(price_rules_to_json(FULL))


def test_g4_the_order_of_the_parties_means_nothing() -> None:
    assert negotiate_price(some_rules(a_seller(), a_buyer())) == negotiate_price(some_rules())


def test_k2_a_named_callable_is_handed_in_again_and_an_unnamed_one_is_missed() -> None:
    def slow(t: int, _deadline: int | None, *_: object) -> int:
        return 60 + 3 * t

    rules = some_rules(a_buyer(schedule=custom(slow, "slow")), a_seller())
    again = price_rules_from_json(price_rules_to_json(rules), schedules={"slow": slow})
    assert negotiate_price(again) == negotiate_price(rules)
    for missing in (None, {"other": slow}):
        (fault,) = faults_of(price_rules_from_json(price_rules_to_json(rules), schedules=missing))
        assert "names a callable that was not handed in" in fault.what


@pytest.mark.parametrize(
    ("data", "whats"),
    [
        (None, ["is None"]),
        ({"partys": []}, ["has an unknown field 'partys'", "lacks parties"]),
        ({"parties": "ab"}, ["parties is no list"]),
        ({"parties": [1]}, ["is 1"]),
        (
            {"parties": [{"role": "buyer", "opening": 1, "nam": "x"}]},
            ["has an unknown field 'nam'", "lacks reservation", "lacks deadline"],
        ),
    ],
)
def test_g7_rules_that_are_not_rules_are_refused(data: object, whats: list[str]) -> None:
    with pytest.raises(InvalidInput) as caught:
        price_rules_from_json(data)
    assert [fault.what for fault in caught.value.faults] == whats
