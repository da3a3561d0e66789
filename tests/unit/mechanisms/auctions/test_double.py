"""Double auctions: McAfee and VCG, ties, missing sides and what it takes to trade."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.auctions.bids import Bid
from comity.mechanisms.auctions.double import double_vcg, mcafee
from comity.mechanisms.auctions.results import AuctionAward, AuctionNoSale

BUYERS, SELLERS = {"b": 9, "c": 8, "d": 7, "e": 4}, {"s": 2, "t": 3, "u": 4, "v": 5}


def award(found: AuctionAward | AuctionNoSale) -> AuctionAward:
    assert isinstance(found, AuctionAward), found.says
    return found


def test_a2_mcafee_trades_all_at_the_middle_price() -> None:
    sale = award(mcafee(BUYERS, SELLERS))
    assert [one.name for one in sale.payments] == ["b", "c", "d"]
    assert [one.name for one in sale.receipts] == ["s", "t", "u"]
    assert (sale.price, sale.balance, sale.welfare, sale.flags) == (4.5, 0, 15, ())
    assert sale.price_set_by[0].set_by == "midpoint"


def test_a2_mcafee_drops_the_least_gainful_trade() -> None:
    sale = award(mcafee({"b": 10, "c": 9, "d": 2}, {"s": 1, "t": 8, "u": 9}, unit="GBP"))
    assert (sale.payments[0].value, sale.receipts[0].value, sale.balance) == (9, 8, 1)
    assert sale.flags == ("trade_reduced",)
    assert sale.price_set_by[0].whose == ("c",)
    assert sale.says == (
        "1 trade: buyers pay 9 GBP, sellers get 8 GBP; 1 of 2 gainful trades happen."
    )


def test_a2_vcg_trades_all_and_reports_the_deficit() -> None:
    sale = award(double_vcg(BUYERS, SELLERS))
    assert (sale.price, sale.receipts[0].value, sale.balance) == (4, 5, -3)
    assert sale.flags == ("deficit",)
    assert "the house pays 3" in sale.notes
    paid = {one.winner: one.cost for one in sale.externalities}
    assert (paid["b"], paid["s"]) == (4, -5)
    for one in sale.externalities:
        assert one.others_without - one.others_with == one.cost


def test_a4_who_does_not_trade_is_told_what_it_takes() -> None:
    for rule in (mcafee, double_vcg):
        sale = award(rule(BUYERS, SELLERS))
        for needed in sale.minimum_bids:
            is_buyer = needed.bidder in BUYERS
            side = dict(BUYERS if is_buyer else SELLERS)
            for change in (-1, 1):
                side[needed.bidder] = needed.amount + change  # type: ignore[assignment]
                again = rule(side, SELLERS) if is_buyer else rule(BUYERS, side)
                traded = dict(again.winners) if isinstance(again, AuctionAward) else {}
                assert (needed.bidder in traded) is ((change > 0) is is_buyer)
        assert {one.bidder for one in sale.minimum_bids} == {"e", "v"}


def test_a4_at_exactly_that_amount_a_party_wins_loses_or_draws() -> None:
    sale = award(double_vcg({"b": 5, "c": 5, "d": 1}, {"s": 1, "t": 4, "u": 9}))
    needed = {one.bidder: (one.amount, one.at_amount) for one in sale.minimum_bids}
    assert needed["d"] == (5, "lot")
    assert needed["u"] == (4, "lot")
    free = award(double_vcg({"b": 9, "c": 4}, {"s": 1, "t": 6}))
    assert {one.bidder: (one.amount, one.at_amount) for one in free.minimum_bids} == {
        "c": (6, "wins"),
        "t": (4, "wins"),
    }
    # at its own needed bid the last trade is the one that is dropped
    reduced = award(mcafee({"b": 10, "c": 9, "d": 2}, {"s": 1, "t": 8, "u": 9}))
    told = {one.bidder: (one.amount, one.at_amount) for one in reduced.minimum_bids}
    assert told["d"] == (9, "lot")


def test_a4_very_many_traders_are_not_asked_one_by_one() -> None:
    buyers = {f"b{at:03}": 500 - at for at in range(150)}
    sellers = {f"s{at:03}": 300 + 2 * at for at in range(150)}
    assert award(double_vcg(buyers, sellers)).minimum_bids == ()


def test_g4_equal_bids_at_the_edge_are_drawn_on_each_side() -> None:
    seen = set()
    for seed in range(40):
        sale = award(double_vcg({"b": 5, "c": 5}, {"s": 1, "t": 9}, seed=str(seed)))
        assert sale.grounds.ties[0].tied == ("b", "c")
        assert sale.payments[0].value == 5
        seen.add(sale.payments[0].name)
    assert seen == {"b", "c"}


@pytest.mark.parametrize(
    ("buyers", "sellers", "reason", "told"),
    [
        ({}, {"s": 1}, "no_bids", "there is no buyer"),
        ({"b": 1}, {}, "no_bids", "there is no seller"),
        ({"b": 1}, {"s": 2}, "below_reserve", "bid 1 is below the lowest cost 2"),
        ({"b": 10}, {"s": 2}, "too_few_bidders", "drops the only gainful one"),
    ],
)
def test_g2_no_trade_says_why_and_what_would_help(
    buyers: Any, sellers: Any, reason: str, told: str
) -> None:
    sale = mcafee(buyers, sellers)
    assert isinstance(sale, AuctionNoSale)
    assert sale.reason == reason
    assert told in sale.says
    assert sale.unblock


def test_g7_faults_of_both_sides_are_told_at_once() -> None:
    with pytest.raises(InvalidInput) as caught:
        mcafee({"b": "x", "c": 1}, {"s": -1}, seed=3)  # type: ignore[arg-type]
    assert len(caught.value.faults) == 3
    with pytest.raises(InvalidInput, match="buys and sells"):
        mcafee({"b": 1}, {"b": 1})
    with pytest.raises(InvalidInput, match="buyers bid in 'GBP', sellers in 'ms'"):
        mcafee([Bid("b", 1, "GBP")], [Bid("s", 1, "ms")])


def test_a4_what_it_takes_lies_beyond_the_other_side_too() -> None:
    sale = award(mcafee({"b0": 4, "b1": 0}, {"s0": 1, "s1": 8}, seed="1"))
    told = {one.bidder: (one.amount, one.at_amount) for one in sale.minimum_bids}
    assert told == {"b1": (6, "wins"), "s1": (Fraction(1, 2), "wins")}


@pytest.mark.parametrize("rule", [mcafee, double_vcg])
@pytest.mark.parametrize("tick", range(12))
def test_a4_what_it_takes_is_what_it_takes(rule: Any, tick: int) -> None:
    chance = Random(tick)  # noqa: S311
    buyers = {f"b{at}": chance.randint(0, 9) for at in range(chance.randint(1, 4))}
    sellers = {f"s{at}": chance.randint(0, 9) for at in range(chance.randint(1, 4))}
    sale = rule(buyers, sellers, seed="1")
    for need in sale.minimum_bids:
        more = Fraction(1, 7) if need.bidder in buyers else Fraction(-1, 7)

        def trades(amount: Any, seed: str = "1", name: str = need.bidder) -> bool:
            buying = {**buyers, **({name: amount} if name in buyers else {})}
            selling = {**sellers, **({name: amount} if name in sellers else {})}
            found = rule(buying, selling, seed=seed)
            return isinstance(found, AuctionAward) and name in dict(found.winners)

        if need.amount + more >= 0:
            assert trades(need.amount + more)
        if need.amount - more >= 0:
            assert not trades(need.amount - more)
        seen = {trades(need.amount, str(seed)) for seed in range(40)}
        assert seen == ({True} if need.at_amount == "wins" else {True, False})
