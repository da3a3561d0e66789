"""Auction cases: does every listed auction end in one of the outcomes that the reference allows?

Here: all cases of the reference data, each by every method that can decide it and in any order;
lots fair over 10,000 seeds, the auction itself run with 100 of them (with all in a full run); the
article's example.
Not here: why each rule answers as it does (unit tests of the auctions room).
Sources: SEMANTICS A1-A4, G4; the reference data's own README.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.core.ties import lot
from comity.mechanisms.auctions import (
    AuctionAward,
    AuctionNoSale,
    Bid,
    Search,
    audit,
    combinatorial_vcg,
    double_vcg,
    mcafee,
    multi_unit_vcg,
    shading,
    uniform_price,
    vickrey,
    with_budgets,
)

MECHANISMS = {
    "second_price",
    "multi_unit_vcg",
    "combinatorial_vcg",
    "double_auction",
    "repeated_second_price_budgets",
    "regret",
}
# chi-square with 1 to 5 degrees of freedom: above these in one of a thousand fair runs
RARE = {1: 10.83, 2: 13.82, 3: 16.27, 4: 18.47, 5: 20.52}
SEEDS = 10_000
SALES = SEEDS if os.environ.get("COMITY_FULL") == "1" else 100

Cases = Callable[[str], list[dict[str, Any]]]


@pytest.fixture(scope="module")
def cases(need_data: Callable[[str], Path]) -> Cases:
    found = json.loads(need_data("mechanisms/auctions.json").read_text(encoding="utf-8"))["cases"]
    assert {case["mechanism"] for case in found} == MECHANISMS
    return lambda mechanism: [case for case in found if case["mechanism"] == mechanism]


def pairs(case: dict[str, Any]) -> list[Bid]:
    return [Bid(one["agent"], one["bid"]) for one in case["input"]["bids"]]


def orders(listed: list[Any]) -> Iterator[list[Any]]:
    """Yield a list in its own order and in up to 5 others: none may matter."""
    for order, _ in zip(permutations(listed), range(6), strict=False):
        yield list(order)


def drawn(sell: Callable[[str], Any], outcome: Callable[[Any], Any]) -> dict[str, int]:
    """Return how often each outcome is drawn over all seeds; the auction is run for some of them.

    Each run must list the same tied set and take from it the one whom the lot of its seed takes.
    """
    (first,) = sell("0").grounds.ties
    outcomes: dict[str | None, str] = {}
    for seed in map(str, range(SALES)):
        sale = sell(seed)
        assert sale.grounds.ties == (lot(seed, first.label, first.tied),)
        found = str(outcome(sale))
        assert outcomes.setdefault(sale.grounds.ties[0].chosen, found) == found
    assert len(set(outcomes.values())) == len(first.tied), "each of the tied turned up"
    chosen = (lot(str(seed), first.label, first.tied).chosen for seed in range(SEEDS))
    return Counter(outcomes[one] for one in chosen)


def is_fair(counts: dict[str, int]) -> bool:
    expected = SEEDS / len(counts)
    chi = sum((seen - expected) ** 2 / expected for seen in counts.values())
    return chi < RARE[len(counts) - 1]


# --- second price ------------------------------------------------------------------------------


def test_a1_every_second_price_case(cases: Cases) -> None:
    for case in cases("second_price"):
        wanted = case["expected"]
        for bids in orders(pairs(case)):
            reserve = case["input"]["reserve"]
            sale = vickrey(bids, reserve=reserve, seed="1", faulty="refuse")
            assert isinstance(sale, AuctionAward) is wanted["sold"], case["id"]
            faulty = {one.bidder for one in sale.refused if one.reason != "below_reserve"}
            assert faulty == set(wanted.get("refused", ())), case["id"]
            if isinstance(sale, AuctionAward):
                assert sale.winner in wanted["candidates"], case["id"]
                assert sale.price == Fraction(wanted["price"]), case["id"]
                tied = sale.grounds.ties[0].tied if sale.grounds.ties else (sale.winner,)
                assert list(tied) == wanted["candidates"], case["id"]
            else:
                assert isinstance(sale, AuctionNoSale)
                assert wanted["candidates"] == []
                assert sale.reserve == Fraction(reserve)


def test_g7_faulty_bids_are_all_named_when_the_call_refuses(cases: Cases) -> None:
    case = next(one for one in cases("second_price") if "refused" in one["expected"])
    with pytest.raises(InvalidInput) as caught:
        vickrey(pairs(case), reserve=case["input"]["reserve"])
    named = [fault.whose for fault in caught.value.faults]
    assert named == [f"bid of '{agent}'" for agent in case["expected"]["refused"]]


def test_g4_second_price_lots_are_fair(cases: Cases) -> None:
    tied = [one for one in cases("second_price") if len(one["expected"]["candidates"]) > 1]
    assert len(tied) == 2
    for case in tied:
        sell = partial(vickrey, pairs(case), reserve=case["input"]["reserve"])
        wins = drawn(lambda seed, sell=sell: sell(seed=seed), lambda one: one.winner)
        assert sorted(wins) == case["expected"]["candidates"]
        assert is_fair(wins), wins


# --- several units -----------------------------------------------------------------------------


def units_outcome(sale: Any) -> tuple[dict[str, int], dict[str, Fraction]]:
    return dict(sale.quantities), {one.name: Fraction(one.value) for one in sale.payments}


def test_a2_every_multi_unit_case_and_each_optimum_turns_up(cases: Cases) -> None:
    for case in cases("multi_unit_vcg"):
        given, wanted = case["input"], case["expected"]
        optimal = [
            (one["quantities"], {name: Fraction(pay) for name, pay in one["payments"].items()})
            for one in wanted["optimal"]
        ]
        seen = []
        for order in orders(list(given["marginal_bids"].items())):
            for seed in range(20):
                sale = multi_unit_vcg(dict(order), units=given["units"], reserve=0, seed=str(seed))
                assert isinstance(sale, AuctionAward)
                assert units_outcome(sale) in optimal, case["id"]
                assert sale.welfare == Fraction(wanted["welfare"])
                seen.append(units_outcome(sale))
        assert all(one in seen for one in optimal), case["id"]
        price = Fraction(wanted["uniform_price_first_rejected"])
        for order in orders(list(given["marginal_bids"].items())):
            sale = uniform_price(dict(order), units=given["units"], reserve=0, seed="1")
            assert isinstance(sale, AuctionAward)
            assert dict(sale.quantities) in [one["quantities"] for one in wanted["optimal"]]
            for name, won in sale.quantities:
                assert Fraction(sale.pays(name)) == price * won, case["id"]


def test_g4_lots_among_optimal_quantities_are_fair(cases: Cases) -> None:
    for case in cases("multi_unit_vcg"):
        if len(case["expected"]["optimal"]) > 1:
            given = case["input"]
            sell = partial(multi_unit_vcg, given["marginal_bids"], units=given["units"], reserve=0)
            found = drawn(lambda seed, sell=sell: sell(seed=seed), units_outcome)
            assert len(found) == len(case["expected"]["optimal"])
            assert is_fair(found), found


# --- bundles -----------------------------------------------------------------------------------


def bundle_outcome(sale: Any) -> tuple[dict[str, str], dict[str, Fraction]]:
    return dict(sale.winners), {one.name: Fraction(one.value) for one in sale.payments}


def bundle_cases(cases: Cases) -> Iterator[tuple[dict[str, Any], list[Any], list[Any]]]:
    for case in cases("combinatorial_vcg"):
        bids = [(one["agent"], one["items"], one["bid"]) for one in case["input"]["bids"]]
        optimal = [
            (
                {name: ", ".join(sorted(items)) for name, items in one["winning"].items()},
                {name: Fraction(pay) for name, pay in one["payments"].items()},
            )
            for one in case["expected"]["optimal"]
        ]
        yield case, bids, optimal


@pytest.mark.parametrize("method", ["auto", "dynamic_programme", "branch_and_bound", "cp_sat"])
def test_a2_every_combinatorial_case_and_each_optimum_turns_up(method: Any, cases: Cases) -> None:
    if method == "cp_sat":
        pytest.importorskip("ortools", reason="ortools: the extra `solver` is not installed")
    for case, bids, optimal in bundle_cases(cases):
        sell = partial(combinatorial_vcg, search=Search(method=method))
        same = [sell(order, seed="0") for order in orders(bids)]
        assert all(sale == same[0] for sale in same), case["id"]
        seen = []
        for sale in [same[0], *(sell(bids, seed=str(seed)) for seed in range(1, 12))]:
            assert isinstance(sale, AuctionAward)
            assert bundle_outcome(sale) in optimal, case["id"]
            assert sale.welfare == Fraction(case["expected"]["welfare"])
            assert sale.proof is not None
            assert sale.proof.optima == len(optimal)
            at = optimal.index(bundle_outcome(sale))
            assert sale.revenue == Fraction(case["expected"]["optimal"][at]["revenue"])
            seen.append(bundle_outcome(sale))
        assert all(one in seen for one in optimal), case["id"]


def test_g4_lots_among_optimal_bundles_are_fair(cases: Cases) -> None:
    tied = [(bids, optimal) for _, bids, optimal in bundle_cases(cases) if len(optimal) > 1]
    assert len(tied) >= 3
    for bids, optimal in tied:
        sell = partial(combinatorial_vcg, bids)
        found = drawn(lambda seed, sell=sell: sell(seed=seed), bundle_outcome)
        assert len(found) == len(optimal)
        assert is_fair(found), found


# --- double auctions ---------------------------------------------------------------------------


def check_mcafee(sale: Any, wanted: dict[str, Any], name: str) -> None:
    if not wanted["trades"]:
        assert isinstance(sale, AuctionNoSale), name
        return
    assert len(sale.payments) == len(sale.receipts) == wanted["trades"], name
    assert {one.value for one in sale.payments} == {Fraction(wanted["buyer_pays"])}, name
    assert {one.value for one in sale.receipts} == {Fraction(wanted["seller_gets"])}, name
    assert sale.balance == Fraction(wanted["surplus_left"]), name


def test_a2_every_double_auction_case(cases: Cases) -> None:
    for case in cases("double_auction"):
        given, wanted = case["input"], case["expected"]
        buyers = [(f"b{at}", one) for at, one in enumerate(given["buyers"])]
        sellers = [(f"s{at}", one) for at, one in enumerate(given["sellers"])]
        for left, right in zip(orders(buyers), orders(sellers), strict=False):
            check_mcafee(mcafee(left, right), wanted["mcafee"], case["id"])
            sale = double_vcg(left, right)
            if wanted["vcg"] is None:
                assert isinstance(sale, AuctionNoSale)
                assert wanted["efficient_trades"] == wanted["efficient_welfare"] == 0
                continue
            assert isinstance(sale, AuctionAward)
            assert len(sale.payments) == wanted["vcg"]["trades"] == wanted["efficient_trades"]
            assert {one.value for one in sale.payments} == {Fraction(wanted["vcg"]["buyer_pays"])}
            assert {one.value for one in sale.receipts} == {Fraction(wanted["vcg"]["seller_gets"])}
            assert sale.balance == -Fraction(wanted["vcg"]["deficit"])
            assert sale.welfare == Fraction(wanted["efficient_welfare"])


# --- repeated, regret, the article -------------------------------------------------------------


def test_a4_every_case_with_budgets(cases: Cases) -> None:
    for case in cases("repeated_second_price_budgets"):
        given, wanted = case["input"], case["expected"]
        found = with_budgets(given["rounds"], given["budgets"], reserve=given["reserve"], seed="1")
        for round_, log in zip(found.rounds, wanted["log"], strict=True):
            effective = {one.name: Fraction(one.value) for one in round_.effective}
            assert effective == {name: Fraction(bid) for name, bid in log["effective"].items()}
            assert round_.result.winner == log["winner"]
            assert round_.result.price == Fraction(log["price"])
        remaining = {one.name: Fraction(one.value) for one in found.remaining}
        assert remaining == {name: Fraction(one) for name, one in wanted["remaining"].items()}


REGRET_RULES = {
    "second price with reserve": "second_price",
    "first price": "first_price",
    "second DISTINCT price on ties": "second_distinct_price",
}


def test_a3_every_regret_case(cases: Cases) -> None:
    for case in cases("regret"):
        given = case["input"]
        for bidders in given["bidders"]:
            found = audit(
                REGRET_RULES[case["title"]],
                given["grid"],
                bidders=bidders,
                reserve=given["reserve"],
            )
            wanted = case["expected"]["max_regret"][str(bidders)]
            assert (found.regret, found.exhaustive) == (wanted, True), (case["id"], bidders)


@pytest.mark.parametrize(
    ("rule", "regrets"),
    [("second_price_unclamped", (4, 1, 1)), ("second_distinct_price", (0, 3, 3))],
)
def test_a3_the_flawed_rules_have_the_regrets_the_research_found(
    rule: str, regrets: tuple[int, ...]
) -> None:
    found = [audit(rule, range(7), bidders=count, reserve=2).regret for count in (1, 2, 3)]
    assert tuple(found) == regrets


def test_a3_the_article_c_wins_at_42_with_a_surplus_of_9() -> None:
    bids = {"a": 42, "b": 37, "c": 51, "d": 29}
    sale = vickrey(bids, reserve=0)
    assert isinstance(sale, AuctionAward)
    assert (sale.winner, sale.price, sale.surplus) == ("c", 42, 9)
    by_45, by_40 = shading(bids, "c", [45, 40], reserve=0)
    assert (by_45.gain, by_45.change) == (9, 0)
    assert (by_40.gain, by_40.change) == (0, -9)


def test_a1_the_article_one_bidder_pays_the_reserve_and_is_flagged() -> None:
    for reserve in (0, 30):
        sale = vickrey({"a": 42}, reserve=reserve)
        assert isinstance(sale, AuctionAward)
        assert (sale.price, sale.flags) == (reserve, ("no_competition",))
        assert sale.thin == ("no competition: one bid reached the reserve",)
    refused = vickrey({"a": 42}, reserve=0, min_bidders=2)
    assert isinstance(refused, AuctionNoSale)
    assert refused.reason == "too_few_bidders"
