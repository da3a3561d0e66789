"""Auction laws: what holds for every auction, whoever bids?

Here: order, scaling, rationality, VCG against the definition, truth, JSON, the common contract,
nonsense that is refused in words, lots that are fair.
Not here: single cases (unit tests), the reference cases (oracles).
Sources: SEMANTICS A1-A4, G1-G7.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comity.core.errors import InvalidInput
from comity.core.results import result_from_json
from comity.mechanisms.auctions import (
    AuctionAward,
    AuctionNoSale,
    clear_units,
    combinatorial_vcg,
    double_vcg,
    first_price,
    mcafee,
    multi_unit_vcg,
    shading,
    uniform_price,
    vickrey,
)
from comity.testing.mechanism_checks import Call, call, check_mechanism

names = st.sampled_from("abcdef")
amounts = st.integers(0, 9) | st.fractions(0, 9, max_denominator=6) | st.just(Decimal("2.50"))
bids = st.dictionaries(names, amounts, max_size=6)
reserves = st.integers(0, 4)
seeds = st.text("0123456789abcdef", min_size=1, max_size=6)
rows = st.dictionaries(
    names, st.lists(st.integers(0, 9), max_size=3).map(lambda one: sorted(one, reverse=True))
)
bundles = st.dictionaries(
    st.tuples(names, st.sets(st.sampled_from("WXYZ"), min_size=1, max_size=3).map(frozenset)),
    st.integers(0, 9),
    max_size=8,
)


def listed(given_bids: dict[Any, int]) -> list[tuple[str, list[str], int]]:
    return [(name, sorted(items), amount) for (name, items), amount in given_bids.items()]


def turned(given_bids: dict[Any, Any]) -> dict[Any, Any]:
    return dict(reversed(given_bids.items()))


# --- order, scale, sense -----------------------------------------------------------------------


@given(bids, rows, bundles, reserves, seeds)
def test_g3_the_order_of_inputs_never_matters(
    one: dict[str, Any], units: dict[str, Any], sets: dict[Any, int], reserve: int, seed: str
) -> None:
    for rule in (vickrey, first_price):
        assert rule(one, reserve=reserve, seed=seed) == rule(
            list(turned(one).items()), reserve=reserve, seed=seed
        )
    for several in (multi_unit_vcg, uniform_price):
        found = several(units, units=2, reserve=reserve, seed=seed)
        assert found == several(turned(units), units=2, reserve=reserve, seed=seed)
    assert combinatorial_vcg(listed(sets), items=list("WXYZ"), seed=seed) == combinatorial_vcg(
        listed(turned(sets)), items=list("ZYXW"), seed=seed
    )
    sellers = {f"s{name}": bid for name, bid in one.items()}
    for market in (mcafee, double_vcg):
        assert market(one, sellers, seed=seed) == market(turned(one), turned(sellers), seed=seed)


@given(bids, reserves, st.fractions("1/7", 9))
def test_a1_a_change_of_currency_changes_the_price_and_nothing_else(
    one: dict[str, Any], reserve: int, rate: Fraction
) -> None:
    for rule in (vickrey, first_price):
        here = rule(one, reserve=reserve, seed="7")
        there = rule(
            {name: Fraction(bid) * rate for name, bid in one.items()},
            reserve=reserve * rate,
            seed="7",
        )
        assert here.winner == there.winner
        if isinstance(here, AuctionAward) and here.price is not None:
            assert there.price == Fraction(here.price) * rate


@given(bids, reserves, seeds)
def test_a1_second_price_by_its_definition(one: dict[str, Any], reserve: int, seed: str) -> None:
    sale = vickrey(one, reserve=reserve, seed=seed)
    eligible = sorted((bid for bid in one.values() if bid >= reserve), reverse=True)
    if not eligible:
        assert isinstance(sale, AuctionNoSale)
        assert sale.highest_bid == max(one.values(), default=None)
        return
    assert isinstance(sale, AuctionAward)
    assert one[str(sale.winner)] == eligible[0]
    assert sale.price == (eligible[1] if len(eligible) > 1 else reserve)
    assert ("no_competition" in sale.flags) is (len(eligible) == 1)
    told = {needed.bidder for needed in sale.minimum_bids}
    assert told == one.keys() - {sale.winner}
    assert sale.price is not None
    assert sale.surplus == Fraction(one[str(sale.winner)]) - Fraction(sale.price)


@given(rows, bundles, reserves, seeds)
def test_a2_nobody_pays_above_its_bid_and_nothing_is_sold_twice(
    units: dict[str, Any], sets: dict[Any, int], reserve: int, seed: str
) -> None:
    for several in (multi_unit_vcg, uniform_price):
        sale = several(units, units=2, reserve=reserve, seed=seed)
        if isinstance(sale, AuctionAward):
            assert sum(won for _, won in sale.quantities) <= 2
            assert all(item.value >= 0 for item in sale.surpluses)
            assert all(sale.pays(name) >= reserve * won for name, won in sale.quantities)
    found = combinatorial_vcg(listed(sets), seed=seed)
    if isinstance(found, AuctionAward):
        sold = [item for _, bundle in found.winners for item in bundle.split(", ")]
        assert len(sold) == len(set(sold))
        assert all(item.value >= 0 for item in (*found.surpluses, *found.payments))


@given(bids, bids)
def test_a2_mcafee_never_runs_a_deficit_and_vcg_never_a_surplus(
    buyers: dict[str, Any], costs: dict[str, Any]
) -> None:
    sellers = {f"s{name}": one for name, one in costs.items()}
    thrifty, whole = mcafee(buyers, sellers), double_vcg(buyers, sellers)
    if isinstance(thrifty, AuctionAward):
        assert isinstance(whole, AuctionAward)
        assert thrifty.balance is not None
        assert thrifty.balance >= 0
        assert len(whole.payments) - len(thrifty.payments) in {0, 1}
    if isinstance(whole, AuctionAward):
        assert whole.balance is not None
        assert whole.balance <= 0
        assert all(item.value >= 0 for item in whole.surpluses)


# --- VCG and truth -----------------------------------------------------------------------------


def best(sets: dict[Any, int], without: str = "") -> int:
    """Return the best welfare by trying one bid or none of every bidder."""

    def walk(left: list[str], used: frozenset[str]) -> int:
        if not left:
            return 0
        found = walk(left[1:], used)
        for (name, items), amount in sets.items():
            if name == left[0] and not items & used:
                found = max(found, amount + walk(left[1:], used | items))
        return found

    return walk(sorted({name for name, _ in sets if name != without}), frozenset())


@given(bundles, seeds)
def test_a2_vcg_is_the_definition(sets: dict[Any, int], seed: str) -> None:
    sale = combinatorial_vcg(listed(sets), seed=seed)
    if isinstance(sale, AuctionNoSale):
        assert best(sets) == 0
        return
    assert sale.welfare == best(sets)
    worth = {name: sets[name, frozenset(items.split(", "))] for name, items in sale.winners}
    for name, amount in worth.items():
        assert sale.pays(name) == best(sets, name) - (sale.welfare - amount)


@given(bids, st.integers(0, 9), st.integers(0, 9), reserves)
def test_a3_no_other_bid_beats_the_truth(
    others: dict[str, Any], value: int, lie: int, reserve: int
) -> None:
    (line,) = shading({**others, "me": value}, "me", [lie], reserve=reserve)
    assert line.change <= 0


@given(bids, rows, reserves)
def test_a2_one_unit_one_bid_each_is_second_price(
    one: dict[str, Any], units: dict[str, Any], reserve: int
) -> None:
    sealed = vickrey(one, reserve=reserve, seed=[0])
    for several in (multi_unit_vcg, uniform_price):
        sale = several(one, units=1, reserve=reserve, seed=[0])
        assert (sale.winner, sale.price) == (sealed.winner, sealed.price)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=8), st.integers(1, 4), seeds)
def test_a2_bulk_and_named_sales_agree(values: list[int], units: int, seed: str) -> None:
    found = clear_units(values, units=units, reserve=0, seed=seed)
    sale = uniform_price({f"b{at}": one for at, one in enumerate(values)}, units=units, reserve=0)
    assert isinstance(sale, AuctionAward)
    assert found.uniform_price == sale.price
    assert found.welfare == sale.welfare


# --- JSON, the contract, nonsense --------------------------------------------------------------


@given(bids, bundles, reserves)
def test_g1_every_result_survives_json(
    one: dict[str, Any], sets: dict[Any, int], low: int
) -> None:
    for result in (
        vickrey(one, reserve=low),
        first_price(one, reserve=low, min_bidders=2),
        multi_unit_vcg(one, units=2, reserve=low),
        combinatorial_vcg(
            listed(sets), reserves={"X": low} if any("X" in s for _, s in sets) else {}
        ),
    ):
        assert result_from_json(json.loads(json.dumps(result.to_json()))) == result


CONTRACT: dict[str, tuple[Callable[..., Any], list[Call]]] = {
    "vickrey": (
        vickrey,
        [
            call({"a": 42, "b": 37, "c": 51, "d": 29}, reserve=0),
            call({"a": 42, "b": 42}, reserve="0.50", seed="7"),
            call({"a": 42, "b": 42}, reserve=0),
            call({"a": "NaN", "b": Fraction(1, 3)}, reserve=0, faulty="refuse"),
            call({"a": 1}, reserve=2, unit="GBP"),
            call({}, reserve=0),
        ],
    ),
    "first_price": (first_price, [call({"a": 42, "c": 51}, reserve=0), call({"a": 1}, reserve=2)]),
    "uniform_price": (uniform_price, [call({"a": [5, 5], "b": [5, 0]}, units=2, reserve=0)]),
    "multi_unit_vcg": (
        multi_unit_vcg,
        [
            call({"a": [10, 6, 2], "b": [8, 5], "c": 7}, units=3, reserve=0),
            call({"a": [5, 5], "b": [5, 0]}, units=2, reserve=0, seed="7"),
            call({"a": 1}, units=2, reserve=3),
        ],
    ),
    "combinatorial_vcg": (
        combinatorial_vcg,
        [
            call([("a", ["A", "B"], 6), ("b", ["A"], 3), ("c", ["B"], 3)], seed="7"),
            call({"a": [(["A"], "1/3")]}, reserves={"A": "0.10"}),
            call([], items=["A"]),
        ],
    ),
    "mcafee": (mcafee, [call({"b": 10, "c": 9}, {"s": 1, "t": 8}), call({"b": 1}, {"s": 2})]),
    "double_vcg": (double_vcg, [call({"b": 10, "c": 10}, {"s": 2}, seed="7")]),
}
CHECKS = [name for name, _ in check_mechanism(vickrey, [])]


@pytest.mark.parametrize("name", CONTRACT)
@pytest.mark.parametrize("check", CHECKS)
def test_every_auction_keeps_the_contract_of_rules(name: str, check: str) -> None:
    rule, calls = CONTRACT[name]
    dict(check_mechanism(rule, calls))[check]()


nonsense = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 3)
    | st.floats()
    | st.text(max_size=3)
    | st.sampled_from([Decimal("NaN"), Decimal("Infinity"), "1/0", "a"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.tuples(inner, inner, inner)
        | st.dictionaries(st.text(max_size=2) | st.integers(), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(nonsense, nonsense, nonsense, st.sampled_from(["raise", "refuse"]))
def test_g7_nonsense_is_refused_in_words_or_set_aside(
    handed: Any, reserve: Any, more: Any, faulty: Any
) -> None:
    told: list[str] = []
    for run in (
        lambda: vickrey(handed, reserve=reserve, seed=more, faulty=faulty),
        lambda: multi_unit_vcg(handed, units=2, reserve=reserve, faulty=faulty),
        lambda: combinatorial_vcg(handed, items=more, reserves=reserve, faulty=faulty),
        lambda: combinatorial_vcg(handed, faulty=faulty),
        lambda: mcafee(handed, more, faulty=faulty),
        lambda: clear_units(handed if isinstance(handed, list) else [handed], units=1, reserve=0,
                            seed="7"),
    ):  # fmt: skip
        try:
            result: Any = run()
        except InvalidInput as error:
            told.extend(map(str, error.faults))
        else:
            if isinstance(result, (AuctionAward, AuctionNoSale)):
                assert result_from_json(json.loads(json.dumps(result.to_json()))) == result
    assert all(told)


# --- lots --------------------------------------------------------------------------------------

RARE = {1: 10.83, 2: 13.82, 3: 16.27}  # chi-square, degrees of freedom -> one in a thousand


@pytest.mark.full
@pytest.mark.parametrize("rule", ["one item", "units", "market"])
def test_g4_lots_are_fair_over_ten_thousand_seeds(rule: str) -> None:
    found: Counter[str] = Counter()
    for seed in range(10_000):
        sale: Any
        if rule == "one item":
            sale = vickrey({"a": 5, "b": 5, "c": 5}, reserve=0, seed=str(seed))
        elif rule == "units":
            sale = uniform_price({"a": 5, "b": 5, "c": 5}, units=2, reserve=0, seed=str(seed))
        else:
            sale = double_vcg({"a": 5, "b": 5, "c": 5}, {"s": 1}, seed=str(seed))
        found[str([name for name, _ in sale.winners])] += 1
    expected = 10_000 / 3
    assert len(found) == 3
    assert sum((seen - expected) ** 2 / expected for seen in found.values()) < RARE[2]
