"""Repeated auctions: budgets, pacing, shares, and signals that fire where they should only."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.auctions.double import mcafee
from comity.mechanisms.auctions.repeated import auction_report, pace, with_budgets
from comity.mechanisms.auctions.sealed import first_price, vickrey


def sales(rounds: list[dict[str, Any]], reserve: Any = 0) -> list[Any]:
    return [vickrey(bids, reserve=reserve, seed=str(at)) for at, bids in enumerate(rounds)]


def names(report: Any) -> list[str]:
    return [signal.name for signal in report.signals]


# --- budgets -----------------------------------------------------------------------------------


def test_a4_nobody_bids_more_than_it_has_left() -> None:
    found = with_budgets([{"a": 10, "b": 9}, {"a": 10, "b": 1}], {"a": "9.5", "b": 100}, reserve=0)
    assert [one.result.winner for one in found.rounds] == ["a", "b"]
    assert [str(one.value) for one in found.remaining] == ["0.5", "99.5"]


def test_a4_who_has_nothing_left_does_not_bid() -> None:
    found = with_budgets([{"a": 10, "b": 9}, {"a": 10, "b": 9}], {"a": 9}, reserve=0)
    assert [item.name for item in found.rounds[1].effective] == ["b"]
    none = with_budgets([{"a": 1}], {}, reserve=5)
    assert none.rounds[0].result.winner is None


def test_g4_each_round_draws_by_its_own_label_or_listed_draw() -> None:
    tie = {"a": 5, "b": 5}
    listed = with_budgets([tie, {"a": 9}, tie], {}, reserve=0, seed=[0, "0.9"])
    assert [one.result.winner for one in listed.rounds] == ["a", "a", "b"]
    seeded = with_budgets([tie] * 20, {}, reserve=0, seed="7")
    assert {one.result.winner for one in seeded.rounds} == {"a", "b"}


def test_g7_faults_of_all_rounds_are_told_at_once() -> None:
    with pytest.raises(InvalidInput) as caught:
        with_budgets([{"a": "x"}, {"b": -1}], {"a": True}, reserve=-1)
    assert len(caught.value.faults) == 4


def test_a4_pacing_learns_towards_the_target() -> None:
    assert pace(0, target=5, spent=9, rate="1/10") == Fraction(2, 5)
    assert pace("2/5", target=5, spent=0, rate="1/10") == 0
    multiplier, spent = Fraction(0), Fraction(0)
    for _ in range(200):  # the price follows the bid of a value of 10
        paid = 10 / (1 + multiplier)
        spent += paid
        multiplier = pace(multiplier, target=4, spent=paid, rate="1/20").limit_denominator(1000)
    assert abs(10 / (1 + multiplier) - 4) < Fraction(1, 10)
    with pytest.raises(InvalidInput):
        pace("x", target=1, spent=1, rate=1)


# --- the report --------------------------------------------------------------------------------


def test_a4_shares_prices_and_competition() -> None:
    report = auction_report(sales([{"a": 9, "b": 5}, {"b": 9, "a": 1}, {"a": 4}, {"a": 1}], 2))
    assert (report.rounds, report.sold) == (4, 3)
    assert report.wins == (("a", 2), ("b", 1))
    assert report.win_shares == (("a", Fraction(2, 3)), ("b", Fraction(1, 3)))
    assert (report.at_reserve, report.single_bidder) == (Fraction(2, 3), Fraction(2, 3))
    assert report.revenue == 9
    assert report.signals == ()
    empty = auction_report([])
    assert (empty.sold, empty.at_reserve, empty.revenue) == (0, 0, 0)


def test_a4_winners_that_take_turns_are_signalled() -> None:
    turns = [{"a": 5, "b": 5, "c": 5, "abc"[at % 3]: 9} for at in range(15)]
    report = auction_report(sales(turns))
    assert names(report) == ["rotation"]
    assert report.signals[0].bidders == ("a", "b", "c")
    assert "last win lay furthest back" in report.signals[0].says


def test_a4_fair_winners_are_not_signalled_as_taking_turns() -> None:
    fired = 0
    for seed in range(40):
        chance = Random(seed)  # noqa: S311
        rounds = [{name: chance.randint(1, 10**6) for name in "abc"} for _ in range(40)]
        fired += "rotation" in names(auction_report(sales(rounds)))
    assert fired <= 1


def test_a4_one_that_always_comes_second_is_signalled() -> None:
    rounds = [{"a": 90, "z": 50, "b": 10} if at % 3 else {"b": 90, "z": 50, "a": 10}
              for at in range(9)]  # fmt: skip
    report = auction_report(sales(rounds))
    assert ("same_runner_up", ("z",)) in [(one.name, one.bidders) for one in report.signals]


def test_a4_one_that_keeps_losing_by_a_hair_is_signalled() -> None:
    rounds = [{"a": 1000, "z": 995, "b": 990}] * 4 + [{"b": 1000, "z": 991}]
    report = auction_report(sales(rounds))
    assert set(names(report)) == {"same_runner_up", "close_loser"}
    assert "z lost by at most 1 % in 5 sales" in report.signals[-1].says
    assert "close_loser" not in names(auction_report(sales([{"a": 1000, "z": 900}] * 9)))


def test_first_price_and_no_sales_are_reported_too() -> None:
    report = auction_report([first_price({"a": 3, "b": 2}, reserve=0), vickrey({}, reserve=0)])
    assert (report.sold, report.revenue) == (1, 3)


@pytest.mark.parametrize("wrong", [3, None, mcafee({"b": 1}, {"s": 2})])
def test_g7_what_is_no_sale_of_one_item_is_refused(wrong: Any) -> None:
    with pytest.raises(InvalidInput, match="result 1: is"):
        auction_report([vickrey({}, reserve=0), wrong])
