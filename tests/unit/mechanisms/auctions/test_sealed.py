"""Sealed bids: second price and first price, with reserves, ties and everything A4 asks for."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.auctions.results import AuctionAward, AuctionNoSale
from comity.mechanisms.auctions.sealed import first_price, shading, vickrey

BIDS = {"a": 42, "b": 37, "c": 51, "d": 29}


def award(*args: Any, rule: Callable[..., Any] = vickrey, **named: Any) -> AuctionAward:
    found = rule(*args, **named)
    assert isinstance(found, AuctionAward), found.says
    return found


def no_sale(*args: Any, rule: Callable[..., Any] = vickrey, **named: Any) -> AuctionNoSale:
    found = rule(*args, **named)
    assert isinstance(found, AuctionNoSale), found.says
    return found


# --- A1 ----------------------------------------------------------------------------------------


def test_a1_the_reserve_is_a_required_argument() -> None:
    with pytest.raises(TypeError, match="reserve"):
        vickrey(BIDS)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("bids", "reserve", "winner", "price"),
    [
        (BIDS, 0, "c", 42),
        (BIDS, 42, "c", 42),
        (BIDS, 45, "c", 45),
        (BIDS, 51, "c", 51),
        ({"a": 10, "b": 7}, 8, "a", 8),
        ({"a": 0}, 0, "a", 0),
    ],
)
def test_a1_the_price_is_the_next_eligible_bid_or_the_reserve(
    bids: dict[str, int], reserve: int, winner: str, price: int
) -> None:
    sale = award(bids, reserve=reserve)
    assert (sale.winner, sale.price) == (winner, price)


def test_a1_a_sole_bidder_pays_the_reserve_flagged_and_thin() -> None:
    sale = award({"a": 42, "b": 5}, reserve=10)
    assert (sale.price, sale.flags) == (10, ("no_competition",))
    assert sale.thin == ("no competition: one bid reached the reserve",)
    assert sale.price_set_by[0].set_by == "reserve"
    assert sale.grounds.margin is None


def test_a1_too_few_bidders_are_no_sale() -> None:
    sale = no_sale({"a": 42, "b": 5}, reserve=10, min_bidders=2)
    assert (sale.reason, sale.highest_bid, sale.flags) == (
        "too_few_bidders", 42, ("no_competition",),
    )  # fmt: skip
    assert sale.unblock == ("1 more bid of at least 10", "min_bidders=1")
    needed = sale.minimum_bid("b")
    assert needed is not None
    assert (needed.amount, needed.at_amount) == (42, "lot")
    three = no_sale({"a": 42}, reserve=10, min_bidders=3)
    assert three.unblock[0] == "2 more bids of at least 10"


def test_a1_all_below_is_no_sale_with_the_highest_bid_and_the_reserve() -> None:
    sale = no_sale({"a": 3, "b": 4}, reserve="5.50", unit="GBP")
    assert (sale.reason, sale.highest_bid, sale.reserve, sale.short) == (
        "below_reserve", 4, Decimal("5.50"), Decimal("1.50"),
    )  # fmt: skip
    assert sale.says == "No sale: the highest bid 4 GBP is below the reserve 5.50 GBP."
    assert [one.reason for one in sale.refused] == ["below_reserve"] * 2
    needed = sale.minimum_bid("a")
    assert needed is not None
    assert (needed.amount, needed.at_amount) == (Decimal("5.50"), "wins")


def test_a1_no_bids_are_no_sale() -> None:
    sale = no_sale({}, reserve=0)
    assert (sale.reason, sale.highest_bid) == ("no_bids", None)
    assert sale.unblock == ("a bid of at least 0",)


def test_a1_a_tie_is_drawn_and_costs_the_tied_bid() -> None:
    winners = set()
    for seed in range(20):
        sale = award({"a": 10, "b": 10, "c": 3}, reserve=0, seed=str(seed))
        assert (sale.price, sale.grounds.margin) == (10, 0)
        assert sale.grounds.ties[0].tied == ("a", "b")
        assert "a lot decided" in sale.thin
        winners.add(sale.winner)
    assert winners == {"a", "b"}


def test_g4_listed_draws_and_no_seed_decide_a_tie_too() -> None:
    bids = {"b": 10, "a": 10}
    assert award(bids, reserve=0, seed=[0]).winner == "a"
    assert award(bids, reserve=0, seed=["0.99"]).winner == "b"
    assert award(bids, reserve=0).grounds.ties[0].rule == "ballot_hash"


# --- G5, G6, G7 --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bids", "reserve", "price"),
    [
        ({"a": 42, "c": 51}, 0, 42),
        ({"a": "42.00", "c": "51.00"}, 0, Decimal("42.00")),
        ({"a": Decimal("42.00")}, 5, Decimal("5.00")),
        ({"a": Fraction(1, 3), "c": 1}, 0, Fraction(1, 3)),
    ],
)
def test_g5_money_in_is_the_same_type_out(bids: Any, reserve: Any, price: Any) -> None:
    found = award(bids, reserve=reserve).price
    assert (found, type(found)) == (price, type(price))
    assert str(found) == str(price)


def test_g7_every_fault_is_told_at_once() -> None:
    with pytest.raises(InvalidInput) as caught:
        vickrey({"a": float("nan"), "b": True}, reserve=-1, min_bidders=0, seed=[2],
                unit=3, faulty="x")  # type: ignore[arg-type]  # fmt: skip
    assert len(caught.value.faults) == 7


def test_a4_refused_bids_are_named_and_the_rest_goes_on() -> None:
    sale = award({"a": "NaN", "e": 2, "f": 1}, reserve=2, faulty="refuse")
    assert [(one.bidder, one.reason) for one in sale.refused] == [
        ("a", "not_a_number"),
        ("f", "below_reserve"),
    ]
    assert sale.grounds.invalid == ("a",)


# --- A4 ----------------------------------------------------------------------------------------


def test_a4_the_award_tells_everything() -> None:
    sale = award(BIDS, reserve=30, unit="GBP")
    assert sale.winners == (("c", "item"),)
    setter = sale.price_set_by[0]
    assert (setter.set_by, setter.whose, setter.price) == ("bid", ("a",), 42)
    assert {one.bidder: one.amount for one in sale.minimum_bids} == {"a": 51, "b": 51, "d": 51}
    cost = sale.externalities[0]
    assert (cost.others_without, cost.others_with, cost.cost) == (42, 0, 42)
    assert (sale.welfare, sale.revenue, sale.grounds.margin) == (51, 42, 9)
    assert sale.assumptions
    assert sale.says == "c wins at 42 GBP (bid 51); the price was set by the bid of a."
    assert sale.bids == BIDS


def test_a4_equal_price_setters_are_both_named() -> None:
    sale = award({"a": 5, "b": 5, "c": 9}, reserve=0)
    assert sale.price_set_by[0].whose == ("a", "b")
    assert "a and b" in sale.says


# --- A2: first price ---------------------------------------------------------------------------


def test_a2_first_price_pays_its_bid_and_warns() -> None:
    sale = award(BIDS, rule=first_price, reserve=0)
    assert (sale.winner, sale.price, sale.surplus) == ("c", 51, 0)
    assert sale.flags == ("bids_are_shaded",)
    assert "never best" in sale.assumptions[0]
    assert "shaded" in sale.says
    assert sale.externalities[0].cost == 42
    alone = award({"a": 9}, rule=first_price, reserve=0)
    assert (alone.price, alone.flags) == (9, ("no_competition", "bids_are_shaded"))
    assert "never best" in no_sale({}, rule=first_price, reserve=0).assumptions[0]


# --- shading -----------------------------------------------------------------------------------


def test_a3_shading_counts_a_tie_by_its_chance() -> None:
    tie, none, below = shading({"a": 10, "b": 6}, "a", [6, 7, 1], reserve=2)
    assert (tie.wins, tie.price, tie.gain, tie.change) == (Fraction(1, 2), 6, 2, -2)
    assert (none.gain, none.change) == (4, 0)
    assert (below.wins, below.price, below.gain) == (0, None, 0)


def test_a3_shading_pays_under_first_price() -> None:
    found = shading({"a": 10, "b": 6}, "a", [7], reserve=0, rule="first_price")
    assert (found[0].price, found[0].change) == (7, 3)


def test_g7_shading_refuses_strangers_and_unknown_rules() -> None:
    with pytest.raises(InvalidInput, match="does not bid"):
        shading(BIDS, "z", [1], reserve=0)
    with pytest.raises(InvalidInput, match="nobody"):
        shading({}, "z", [1], reserve=0)
    with pytest.raises(InvalidInput, match="rule is 'third'"):
        shading(BIDS, "a", [1], reserve=0, rule="third")  # type: ignore[arg-type]
