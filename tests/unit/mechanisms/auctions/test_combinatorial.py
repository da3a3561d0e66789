"""Combinatorial auction: VCG by the definition, ties, reserves, proof and what A4 asks for."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from random import Random
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.auctions.bundles import BundleBid
from comity.mechanisms.auctions.combinatorial import combinatorial_vcg
from comity.mechanisms.auctions.determination import Search
from comity.mechanisms.auctions.results import AuctionAward, AuctionNoSale

GLOBAL = [("g", ["A", "B"], 10), ("x", ["A"], 3), ("y", ["B"], 3)]


def award(*args: Any, **named: Any) -> AuctionAward:
    found = combinatorial_vcg(*args, **named)
    assert isinstance(found, AuctionAward), found.says
    return found


def test_a2_a_winner_pays_what_the_others_lose() -> None:
    sale = award(GLOBAL, unit="GBP")
    assert (sale.winners, sale.price, sale.surplus) == ((("g", "A, B"),), 6, 4)
    cost = sale.externalities[0]
    assert (cost.others_without, cost.others_with, cost.cost) == (6, 0, 6)
    assert {(one.bidder, one.bundle): one.amount for one in sale.minimum_bids} == {
        ("x", ("A",)): 7, ("y", ("B",)): 7,
    }  # fmt: skip
    assert sale.minimum_bids[0].at_amount == "lot"
    assert sale.says == "g wins A, B at 6; together 6 GBP."
    proof = sale.proof
    assert proof is not None
    assert (proof.method, proof.bound, proof.optima, proof.listed) == (
        "dynamic_programme", 10, 1, True,
    )  # fmt: skip


def test_a2_vcg_may_pay_nothing_and_says_so() -> None:
    sale = award([("g", ["A", "B"], 10), ("x", ["A"], 10), ("y", ["B"], 10)])
    assert (sale.revenue, sale.flags) == (0, ("low_core",))
    assert "less than half" in sale.notes[0]
    assert {one.set_by for one in sale.price_set_by} == {"reserve"}


def test_a2_reserves_stand_for_the_seller() -> None:
    sale = award(GLOBAL, reserves={"A": 4, "B": "4.5"})
    assert (sale.price, sale.price_set_by[0].set_by) == (Decimal("8.5"), "reserve")
    assert sale.thin == ("no competition: one bidder reached the reserves",)
    assert sale.flags == ("no_competition",)
    assert {one.reason for one in sale.refused} == {"below_reserve"}


def definition(bids: list[tuple[str, tuple[str, ...], int]], without: str = "") -> int:
    """Return the best welfare over all choices of one bid or none per bidder."""
    best = 0

    def walk(names: list[str], used: frozenset[str], worth: int) -> None:
        nonlocal best
        best = max(best, worth)
        if not names:
            return
        walk(names[1:], used, worth)
        for name, items, amount in bids:
            if name == names[0] and not used & set(items):
                walk(names[1:], used | set(items), worth + amount)

    walk(sorted({name for name, _, _ in bids if name != without}), frozenset(), 0)
    return best


@pytest.mark.parametrize("method", ["dynamic_programme", "branch_and_bound"])
def test_a2_payments_are_the_externalities_of_the_definition(method: Any) -> None:
    for seed in range(120):
        chance = Random(seed)  # noqa: S311
        made = {
            (f"b{chance.randrange(5)}",
             tuple(sorted(chance.sample("ABCD", chance.randint(1, 3))))): chance.randint(1, 9)
            for _ in range(chance.randint(1, 9))
        }  # fmt: skip
        bids = [(name, items, amount) for (name, items), amount in made.items()]
        sale = award(bids, seed="7", search=Search(method=method))
        assert sale.welfare == definition(bids)
        worth = {name: made[name, tuple(items.split(", "))] for name, items in sale.winners}
        assert sum(worth.values()) == sale.welfare
        for paid in sale.payments:
            beside = sale.welfare - worth[paid.name]
            assert paid.value == definition(bids, paid.name) - beside


def test_g4_ties_are_listed_and_those_too_many_counted() -> None:
    tie = award([("a", ["A", "B"], 6), ("b", ["A"], 3), ("c", ["B"], 3)], seed=[0])
    assert tie.grounds.ties[0].tied == ("a: A, B", "b: A; c: B")
    assert tie.winners == (("a", "A, B"),)
    many = [(f"b{item}{at}", [f"i{item}"], 5) for item in range(7) for at in range(3)]
    found = award(many, seed="7")
    assert found.proof is not None
    assert (found.proof.optima, found.proof.listed) == (3**7, False)
    assert found.notes == (f"{3**7} allocations are worth as much, too many to list",)


def test_g4_the_order_of_bids_changes_nothing() -> None:
    bids = [("a", ["A", "B"], 6), ("b", ["A"], 3), ("c", ["B"], 3)]
    assert award(bids, seed="7") == award(
        [(n, i[::-1], a) for n, i, a in reversed(bids)], seed="7"
    )


def test_a4_what_was_not_computed_is_said() -> None:
    chance = Random(1)  # noqa: S311
    items = [f"i{at:02}" for at in range(20)]
    bids = [(f"b{at}", chance.sample(items, 3), chance.randint(9, 99)) for at in range(40)]
    sale = award(bids, search=Search(nodes=2_000))
    assert sale.proof is not None
    assert sale.proof.method == "branch_and_bound"
    assert "losing bids would have needed was not computed" in sale.notes[-1]


def test_g2_nothing_sold_says_why() -> None:
    none = combinatorial_vcg([], items=["A"])
    low = combinatorial_vcg([("a", ["A"], 1), ("b", ["B"], 0)], reserves={"A": 2})
    assert isinstance(none, AuctionNoSale)
    assert isinstance(low, AuctionNoSale)
    assert (none.reason, none.says) == ("no_bids", "No sale: nobody bid.")
    assert (low.reason, low.highest_bid) == ("below_reserve", 1)
    assert {one.reason for one in low.refused} == {"below_reserve", "adds_nothing"}


@pytest.mark.parametrize(
    ("amounts", "kind"),
    [((10, 6), int), (("10.25", "6.50"), Decimal), ((Fraction(21, 2), 6), Fraction)],
)
def test_g5_money_in_is_the_same_type_out(amounts: Any, kind: type) -> None:
    sale = award([("g", ["A", "B"], amounts[0]), ("x", ["A"], amounts[1])])
    assert isinstance(sale.payments[0].value, kind)


def test_g7_every_fault_is_told_at_once() -> None:
    with pytest.raises(InvalidInput) as caught:
        combinatorial_vcg(
            [("a", ["A"], "NaN"), ("b", ["Z"], 1)],
            items=["A"], reserves={"Q": 1}, seed=7, sed=1, search=3, faulty="x", unit=3,
        )  # type: ignore[call-arg]  # fmt: skip
    assert len(caught.value.faults) == 8
    with pytest.raises(InvalidInput) as caught:
        combinatorial_vcg([], search=Search(method="dp", nodes=0))  # type: ignore[arg-type]
    assert len(caught.value.faults) == 2


def test_a4_faulty_bids_are_set_aside_by_name() -> None:
    bids = [BundleBid("a", ["A"], "NaN"), BundleBid("b", ["A"], 5, "GBP")]
    sale = award(bids, faulty="refuse")
    assert (sale.winner, sale.unit, sale.grounds.invalid) == ("b", "GBP", ("a",))


# --- A1: a bid that equals its reserve ---------------------------------------------------------


def test_a1_a_bid_at_the_reserve_wins_and_pays_it() -> None:
    sale = award([("x", ["A"], 5)], reserves={"A": 5})
    assert sale.winners == (("x", "A"),)
    assert (sale.payments[0].value, sale.price_set_by[0].set_by) == (5, "reserve")


def test_a1_equal_bids_at_the_reserve_are_a_lot() -> None:
    sale = award([("x", ["A"], 5), ("y", ["A"], 5)], reserves={"A": 5}, seed="1")
    assert sale.proof is not None
    assert (sale.proof.optima, sale.revenue) == (2, 5)
    assert [(one.amount, one.at_amount) for one in sale.minimum_bids] == [(5, "lot")]


def test_a1_what_is_left_goes_to_a_bid_at_its_reserve() -> None:
    bids: Any = [("x", ["A"], 9), ("y", ["B"], 5), ("z", ["A", "B"], 14)]
    sale = award(bids, reserves={"A": 5, "B": 5}, seed="1")
    assert sale.proof is not None
    assert sale.proof.optima == 2, "both sell everything and bring 4 over the reserves"
    less = award([*bids[:2], ("z", ["A", "B"], 13)], reserves={"A": 5, "B": 5})
    assert less.winners == (("x", "A"), ("y", "B"))
    needed = less.minimum_bid("z")
    assert needed is not None
    assert (needed.amount, needed.at_amount) == (14, "lot")


@pytest.mark.parametrize("tick", range(12))
def test_a1_a2_reserves_agree_with_all_choices_tried(tick: int) -> None:
    chance = Random(tick)  # noqa: S311
    items = ["A", "B", "C"]
    reserves = {one: chance.choice([0, 1, 2, Fraction(1, 2)]) for one in items}
    bids = [
        (f"b{at}", chance.sample(items, chance.randint(1, 3)), chance.randint(0, 6))
        for at in range(5)
    ]
    floor = {at: sum(reserves[one] for one in what) for at, (_, what, _) in enumerate(bids)}
    fit = [at for at, (_, _, much) in enumerate(bids) if much >= floor[at] and much]
    ranked = {
        some: (sum(bids[at][2] - floor[at] for at in some), sum(bids[at][2] for at in some))
        for size in range(1, 4)
        for some in combinations(fit, size)
        if sum(len(bids[at][1]) for at in some) == len({i for at in some for i in bids[at][1]})
    }
    found = combinatorial_vcg(bids, items=items, reserves=reserves, seed=str(tick))
    if not ranked:
        assert isinstance(found, AuctionNoSale)
        return
    assert isinstance(found, AuctionAward)
    best = [some for some, rank in ranked.items() if rank == max(ranked.values())]
    won = tuple(at for at in range(5) if bids[at][0] in dict(found.winners))
    assert won in best
    assert found.proof is not None
    assert found.proof.optima == len(best)
    for name, paid in ((one.name, one.value) for one in found.payments):
        at = next(i for i in range(5) if bids[i][0] == name)
        without = max([rank[0] for some, rank in ranked.items() if at not in some], default=0)
        beside = max(ranked.values())[0] - (bids[at][2] - floor[at])
        assert paid == floor[at] + max(without, 0) - beside
    for need in found.minimum_bids:
        at = next(i for i in range(5) if bids[i][0] == need.bidder)
        for change, wins in ((Fraction(1, 9), True), (Fraction(-1, 9), False)):
            other = [(n, w, need.amount + change if n == need.bidder else m) for n, w, m in bids]
            if need.amount + change >= 0:
                again = combinatorial_vcg(other, items=items, reserves=reserves, seed="1")
                is_won = isinstance(again, AuctionAward) and need.bidder in dict(again.winners)
                assert is_won == wins
        other = [(n, w, need.amount if n == need.bidder else m) for n, w, m in bids]
        seen = {
            isinstance(one, AuctionAward) and need.bidder in dict(one.winners)
            for one in (
                combinatorial_vcg(other, items=items, reserves=reserves, seed=str(seed))
                for seed in range(12)
            )
        }
        assert seen == {"wins": {True}, "loses": {False}, "lot": {True, False}}[need.at_amount]
