"""Price laws: what holds for every price negotiation, whoever bargains?

Here: symmetry, rationality, monotone concession, equivariance, replay, over drawn negotiations.
Not here: single cases (unit tests), the reference cases (oracles).
Sources: SEMANTICS B2-B9, G1, G3, G4.
"""

from __future__ import annotations

import copy
import json
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from comity.core.results import result_from_json
from comity.mechanisms.bargaining import (
    PriceAgreement,
    PriceNoDeal,
    bargain,
    conceded,
    schedules_for,
)

TIMED = (
    "linear",
    "boulware",
    "conceder",
    "polynomial:3/7",
    "exponential:1/10",
    "exponential:4/5",
    "through:1/3:1/2",
    "fixed",
)
WAYS = [
    (convention, first)
    for convention in ("same_round", "next_round", "alternating")
    for first in ("buyer", "seller")
] + [("midpoint", None)]
OTHER = {"buyer": "seller", "seller": "buyer", None: None}

prices = st.integers(-200, 400) | st.fractions(-200, 400, max_denominator=30)
ways = st.sampled_from(WAYS)
schedules = st.sampled_from(TIMED)
rounds = st.integers(0, 12) | st.sampled_from([63, 64, 65, 130])


@st.composite
def spans(draw: st.DrawFn) -> tuple[Any, Any]:
    """Return a buyer and a seller, each with an opening on the right side of its reservation."""
    buyer = tuple(sorted((draw(prices), draw(prices))))
    seller = tuple(sorted((draw(prices), draw(prices)), reverse=True))
    return buyer, seller


@st.composite
def negotiations(draw: st.DrawFn) -> dict[str, Any]:
    """Return the arguments of a negotiation between timed schedules with equal deadlines."""
    buyer, seller = draw(spans())
    convention, first = draw(ways)
    return {
        "buyer": buyer,
        "seller": seller,
        "rounds": draw(rounds),
        "convention": convention,
        "first": first,
        "buyer_schedule": draw(schedules),
        "seller_schedule": draw(schedules),
    }


def has_zone(asked: dict[str, Any]) -> bool:
    return bool(asked["seller"][1] <= asked["buyer"][1])


def agreed(asked: dict[str, Any]) -> PriceAgreement:
    found = bargain(**asked)
    assert isinstance(found, PriceAgreement), found.says
    return found


def prices_of(found: PriceAgreement | PriceNoDeal) -> dict[str, tuple[Any, ...]]:
    return {path.role: tuple(path.prices) for path in found.offers}


@given(negotiations())
def test_b2_b4_every_convention_agrees_that_there_is_a_deal_exactly_when_there_is_a_zone(
    asked: dict[str, Any],
) -> None:
    for convention, first in WAYS:
        found = bargain(**asked | {"convention": convention, "first": first})
        assert found.is_decided is has_zone(asked)
        if isinstance(found, PriceNoDeal):
            assert (found.reason, found.rounds) == ("no_overlap", 0)
            assert found.gap == asked["seller"][1] - asked["buyer"][1]


@given(negotiations())
def test_b5_b6_no_deal_is_beyond_a_reservation_and_the_surpluses_are_the_zone(
    asked: dict[str, Any],
) -> None:
    """B5 and B6: both reservations hold, and both surpluses add up to the zone."""
    assume(has_zone(asked))
    found = agreed(asked)
    low, high = asked["seller"][1], asked["buyer"][1]
    assert low <= found.price <= high
    assert found.buyer_surplus == high - found.price >= 0
    assert found.seller_surplus == found.price - low >= 0
    assert found.buyer_surplus + found.seller_surplus == found.zopa_width == high - low
    if found.zopa_width:
        assert found.buyer_share is not None
        assert found.seller_share is not None
        assert found.buyer_share + found.seller_share == 1


@given(negotiations())
def test_b7_offers_never_go_back_and_stay_between_opening_and_reservation(
    asked: dict[str, Any],
) -> None:
    found = bargain(**asked | {"blind": True})
    paths = prices_of(found)
    assert all(a <= b for a, b in pairwise(paths["buyer"]))
    assert all(a >= b for a, b in pairwise(paths["seller"]))
    for role, path in paths.items():
        low, high = sorted(asked[role])
        assert all(low <= price <= high for price in path)
    if isinstance(found, PriceNoDeal):
        assert paths["buyer"][-1] == asked["buyer"][1]
        assert paths["seller"][-1] == asked["seller"][1]
        assert found.gap == asked["seller"][1] - asked["buyer"][1] > 0


@given(negotiations(), st.integers(-500, 500))
def test_b4_mirrored_prices_and_swapped_roles_give_the_mirrored_deal(
    asked: dict[str, Any], axis: int
) -> None:
    mirrored = asked | {
        "buyer": tuple(axis - price for price in asked["seller"]),
        "seller": tuple(axis - price for price in asked["buyer"]),
        "buyer_schedule": asked["seller_schedule"],
        "seller_schedule": asked["buyer_schedule"],
        "first": OTHER[asked["first"]],
    }
    found, other = bargain(**asked), bargain(**mirrored)
    assert found.is_decided is other.is_decided
    if isinstance(found, PriceAgreement) and isinstance(other, PriceAgreement):
        assert (other.price, other.round) == (axis - found.price, found.round)
        assert other.buyer_surplus == found.seller_surplus


@given(negotiations())
def test_b4_only_the_midpoint_needs_no_first_to_be_symmetric(asked: dict[str, Any]) -> None:
    assume(has_zone(asked))
    middle = agreed(asked | {"convention": "midpoint", "first": None})
    both = [agreed(asked | {"convention": "same_round", "first": role}) for role in OTHER if role]
    assert middle.price * 2 == both[0].price + both[1].price
    assert both[0].price <= both[1].price  # whoever looks first takes the better offer


@given(negotiations())
def test_b2_blind_and_mediated_give_the_same_deal_where_there_is_a_zone(
    asked: dict[str, Any],
) -> None:
    assume(has_zone(asked))
    seen, blind = agreed(asked), agreed(asked | {"blind": True})
    assert (seen.price, seen.round, seen.offers) == (blind.price, blind.round, blind.offers)


@given(negotiations(), st.integers(1, 50), st.integers(-300, 300))
def test_a_change_of_unit_or_of_zero_changes_nothing_else(
    asked: dict[str, Any], scale: int, shift: int
) -> None:
    moved = asked | {
        role: tuple(price * scale + shift for price in asked[role]) for role in ("buyer", "seller")
    }
    found, other = bargain(**asked), bargain(**moved)
    assert found.is_decided is other.is_decided
    if isinstance(found, PriceAgreement) and isinstance(other, PriceAgreement):
        assert other.price == found.price * scale + shift
        assert (other.round, other.accepted_offer) == (found.round, found.accepted_offer)
        assert other.buyer_share == found.buyer_share


EXPONENTS = ("0.1", "0.2", "1/3", "1/2", "1", "2", "5")


@given(spans(), st.integers(1, 40), st.sampled_from(EXPONENTS), st.data())
@pytest.mark.parametrize("slower", ["buyer", "seller"])
def test_b8_whoever_concedes_slower_gains_when_the_others_offer_is_the_price(
    slower: str, both: Any, count: int, e: str, data: st.DataObject
) -> None:
    buyer, seller = both
    assume(seller[1] <= buyer[1])
    less = data.draw(st.sampled_from(EXPONENTS[: EXPONENTS.index(e) + 1]))
    other = data.draw(schedules)
    asked = {
        "buyer": buyer,
        "seller": seller,
        "rounds": count,
        "first": slower,  # it looks first, so that the price is the other's offer
        f"{OTHER[slower]}_schedule": other,
    }
    fast = agreed(asked | {f"{slower}_schedule": f"polynomial:{e}"})
    slow = agreed(asked | {f"{slower}_schedule": f"polynomial:{less}"})
    assert getattr(slow, f"{slower}_surplus") >= getattr(fast, f"{slower}_surplus")


@given(negotiations(), st.sampled_from(EXPONENTS), st.data())
def test_b8_under_every_convention_slowing_down_costs_at_most_one_round_of_concession(
    asked: dict[str, Any], e: str, data: st.DataObject
) -> None:
    assume(has_zone(asked) and asked["rounds"] > 0)
    less = data.draw(st.sampled_from(EXPONENTS[: EXPONENTS.index(e) + 1]))
    fast = agreed(asked | {"seller_schedule": f"polynomial:{e}"})
    slow = agreed(asked | {"seller_schedule": f"polynomial:{less}"})
    steps = sum(
        max(
            conceded(schedule, t, asked["rounds"]) - conceded(schedule, t - 1, asked["rounds"])
            for t in range(1, asked["rounds"] + 1)
        )
        * abs(asked[role][1] - asked[role][0])
        for role, schedule in (
            ("seller", f"polynomial:{less}"),
            ("buyer", asked["buyer_schedule"]),
        )
    )
    assert slow.seller_surplus >= fast.seller_surplus - steps


@given(spans(), st.integers(1, 20), st.integers(0, 40), ways)
def test_b8_a_linear_party_with_more_time_never_settles_earlier(
    both: Any, count: int, more: int, way: tuple[str, str | None]
) -> None:
    buyer, seller = both
    assume(seller[1] <= buyer[1])
    asked = {"buyer": buyer, "seller": seller, "rounds": count}
    asked |= {"convention": way[0], "first": way[1]}
    same, longer = agreed(asked), agreed(asked | {"seller_rounds": count + more})
    assert longer.round >= same.round
    assert longer.unequal_deadlines is (more > 0)


@st.composite
def any_negotiation(draw: st.DrawFn) -> dict[str, Any]:
    """Return arguments that use every option, mirrors, tables and unequal deadlines too."""
    asked = draw(negotiations())
    for role in ("buyer", "seller"):
        opening, reservation = asked[role]
        share = draw(st.fractions(0, 1, max_denominator=6))
        between = opening + (reservation - opening) * share
        asked[f"{role}_schedule"] = draw(
            schedules
            | st.just("tit_for_tat:absolute")
            | st.just([opening, between, opening, reservation])
        )
        asked[f"{role}_rounds"] = draw(st.integers(0, 15))
    asked |= {
        "blind": draw(st.booleans()),
        "stall": draw(st.integers(1, 4)),
        "monotonic": draw(st.booleans()),
        "tick": draw(st.sampled_from([None, 1, "0.25", 7])),
        "discount": draw(st.sampled_from([1, "0.9", Fraction(2, 3)])),
        "after_deadline": draw(st.sampled_from(["hold", "leave"])),
        "round_limit": draw(st.none() | st.integers(0, 20)),
    }
    return asked


@given(any_negotiation())
def test_g1_every_result_comes_back_equal_from_its_json(asked: dict[str, Any]) -> None:
    found = bargain(**asked)
    again = result_from_json(json.loads(json.dumps(found.to_json())))
    assert again == found
    assert str(again) == str(found)


@given(any_negotiation(), st.randoms(use_true_random=False))
def test_g3_g4_nothing_depends_on_the_order_of_arguments_and_nothing_is_changed(
    asked: dict[str, Any], chance: Any
) -> None:
    before = copy.deepcopy(asked)
    names = list(asked)
    chance.shuffle(names)
    assert bargain(**{name: asked[name] for name in names}) == bargain(**asked)
    assert asked == before


@given(any_negotiation())
def test_b1_b7_every_negotiation_ends_within_its_deadlines_and_patience(
    asked: dict[str, Any],
) -> None:
    found = bargain(**asked)
    last = max(asked["buyer_rounds"], asked["seller_rounds"])
    last += asked["stall"] if asked["stall"] > 1 else 0
    if isinstance(found, PriceAgreement):
        assert found.round <= last
        assert asked["seller"][1] <= found.price <= asked["buyer"][1]
    else:
        assert found.rounds <= last
        assert found.gap is not None
        assert found.gap > 0
        assert found.unblock
        if asked["blind"]:
            assert found.reason != "no_overlap"


@given(any_negotiation())
def test_b3_b7_ticks_and_refusals_keep_every_offer_rational(asked: dict[str, Any]) -> None:
    found = bargain(**asked | {"blind": True, "monotonic": True})
    for role, path in prices_of(found).items():
        reservation = asked[role][1]
        ordered = path if role == "buyer" else path[::-1]
        assert all(a <= b for a, b in pairwise(ordered))
        assert all(
            price <= reservation if role == "buyer" else price >= reservation for price in path
        )
        if asked["tick"] is not None:
            tick = Fraction(asked["tick"])
            assert all(price == reservation or Fraction(price) / tick % 1 == 0 for price in path)


@given(negotiations())
def test_b3_a_callable_that_copies_a_schedule_gives_the_same_negotiation(
    asked: dict[str, Any],
) -> None:
    def copied(role: str) -> Any:
        opening, reservation = map(Fraction, asked[role])
        schedule = asked[f"{role}_schedule"]

        def offer(t: int, deadline: int, *_: object) -> Fraction:
            return opening + (reservation - opening) * conceded(schedule, t, deadline)

        return offer

    copies = {f"{role}_schedule": copied(role) for role in ("buyer", "seller")}
    # Blind, and patient: a callable may move at any time, so only its deadline is known.
    asked = asked | {"blind": True, "stall": 2}
    found, other = bargain(**asked), bargain(**asked | copies)
    assert other.rejected == ()
    assert prices_of(found) == prices_of(other)
    assert found.is_decided is other.is_decided
    if isinstance(found, PriceAgreement) and isinstance(other, PriceAgreement):
        assert (found.price, found.accepted_offer) == (other.price, other.accepted_offer)


answers = st.one_of(
    prices,
    st.floats(),
    st.sampled_from([None, True, "80", "x", "1/0", "", [80]]),
)


@given(spans(), st.lists(answers, min_size=1, max_size=12), ways, st.integers(0, 12))
def test_b5_b7_whatever_a_callable_answers_the_negotiation_stays_sound(
    both: Any, said: list[Any], way: tuple[str, str | None], count: int
) -> None:
    buyer, seller = both
    found = bargain(
        buyer=buyer,
        seller=seller,
        rounds=count,
        convention=way[0],  # type: ignore[arg-type]  # drawn from the list of conventions
        first=way[1],  # type: ignore[arg-type]  # and of roles
        blind=True,
        buyer_schedule=lambda t, *_: said[t % len(said)],
        seller_schedule=lambda t, *_: said[-t % len(said)],
    )
    paths = prices_of(found)
    assert all(a <= b <= buyer[1] for a, b in pairwise(paths["buyer"]))
    assert all(a >= b >= seller[1] for a, b in pairwise(paths["seller"]))
    assert found.is_decided is (seller[1] <= buyer[1])


@given(spans(), st.integers(2, 60), st.integers(0, 20), st.integers(0, 20), ways)
def test_b8_schedules_for_a_split_land_on_it_exactly(
    both: Any, count: int, buyer_part: int, seller_part: int, way: tuple[str, str | None]
) -> None:
    buyer, seller = both
    assume(seller[1] <= buyer[1] and buyer_part + seller_part > 0)
    share = Fraction(seller_part, buyer_part + seller_part)
    wanted = seller[1] + (buyer[1] - seller[1]) * share
    assume(buyer[0] <= wanted <= seller[0])
    made = schedules_for(split=(buyer_part, seller_part), buyer=buyer, seller=seller, rounds=count)
    found = agreed(
        {
            "buyer": buyer,
            "seller": seller,
            "rounds": count,
            "convention": way[0],
            "first": way[1],
            "buyer_schedule": str(made.buyer),
            "seller_schedule": str(made.seller),
        }
    )
    assert found.price == made.price == wanted
