"""Several units: VCG and one price, ties, reserves and everything A4 asks for."""

from __future__ import annotations

from decimal import Decimal
from itertools import product
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.auctions import multiunit
from comity.mechanisms.auctions.multiunit import multi_unit_vcg, uniform_price
from comity.mechanisms.auctions.results import AuctionAward, AuctionNoSale


def award(found: AuctionAward | AuctionNoSale) -> AuctionAward:
    assert isinstance(found, AuctionAward), found.says
    return found


def pays(sale: AuctionAward) -> dict[str, Any]:
    return {one.name: one.value for one in sale.payments}


BIDS = {"a": [10, 6, 2], "b": [8, 5], "c": 7}


def test_a2_vcg_charges_the_highest_rejected_bids_of_the_others() -> None:
    sale = award(multi_unit_vcg(BIDS, units=3, reserve=0))
    assert pays(sale) == {"a": 5, "b": 6, "c": 6}
    assert (sale.welfare, sale.revenue) == (25, 17)
    assert sale.price is None
    for one in sale.externalities:
        assert one.others_without - one.others_with == one.cost == pays(sale)[one.winner]
    assert {one.set_by for one in sale.price_set_by} == {"externality"}


def test_a2_one_price_is_the_highest_rejected_bid_of_anybody() -> None:
    sale = award(uniform_price(BIDS, units=3, reserve=0, unit="GBP"))
    assert (sale.price, sale.flags) == (6, ("demand_is_reduced",))
    assert sale.price_set_by[0].whose == ("a",)
    assert sale.says == "a 1, b 1, c 1: 3 units sold for 18 GBP, 6 each."
    single = award(uniform_price({"a": 3, "b": 2}, units=1, reserve=0))
    assert (single.price, single.flags) == (2, ())


def test_a2_one_unit_by_vcg_is_second_price() -> None:
    sale = award(multi_unit_vcg({"a": 42, "b": 37, "c": 51}, units=1, reserve=0))
    assert (sale.winner, sale.price, sale.surplus) == ("c", 42, 9)


def test_a2_more_supply_than_demand_costs_the_reserve() -> None:
    sale = award(multi_unit_vcg({"a": [5, 4], "b": 3, "c": 1}, units=5, reserve=2))
    assert pays(sale) == {"a": 4, "b": 2}
    assert sale.notes == ("2 units found no bid at the reserve",)
    assert {one.set_by for one in sale.price_set_by} == {"reserve"}
    assert [(one.bidder, one.bid, one.reason) for one in sale.refused] == [
        ("c", "1", "below_reserve")
    ]
    needed = sale.minimum_bid("c")
    assert needed is not None
    assert (needed.amount, needed.at_amount) == (2, "wins")
    one_price = award(uniform_price({"a": [5, 4]}, units=5, reserve=2))
    assert (one_price.price_set_by[0].set_by, one_price.price_set_by[0].price) == ("reserve", 2)
    assert one_price.flags == ("no_competition", "demand_is_reduced")
    assert one_price.thin == ("no competition: one bidder reached the reserve",)


def test_a4_a_loser_is_told_the_lowest_winning_bid() -> None:
    sale = award(multi_unit_vcg({"a": 9, "b": 8, "c": 3}, units=2, reserve=0))
    needed = sale.minimum_bid("c")
    assert needed is not None
    assert (needed.amount, needed.at_amount) == (8, "lot")


def test_g4_all_optimal_allocations_are_listed_in_the_tie() -> None:
    seen = set()
    for seed in range(30):
        sale = award(
            multi_unit_vcg({"a": [5, 5], "b": [5, 0]}, units=2, reserve=0, seed=str(seed))
        )
        assert sale.grounds.ties[0].tied == ("a 1, b 1", "a 2")
        assert "a lot decided" in sale.thin
        seen.add(sale.quantities)
    assert seen == {(("a", 2),), (("a", 1), ("b", 1))}


def test_g4_a_tie_too_large_to_list_is_put_in_the_order_of_hashes() -> None:
    bids = {f"b{at:02}": 5 for at in range(30)}
    sale = award(multi_unit_vcg(bids, units=15, reserve=0, seed="7"))
    again = award(multi_unit_vcg(dict(reversed(bids.items())), units=15, reserve=0, seed="7"))
    other = award(multi_unit_vcg(bids, units=15, reserve=0, seed="8"))
    assert sale.quantities == again.quantities != other.quantities
    assert len(sale.quantities) == 15
    assert "30 equal bids in the order of SHA-256" in sale.grounds.ties[0].label


def test_g4_every_way_to_give_out_contested_units_is_listed_once() -> None:
    for counts in ([1, 1, 1], [2, 1], [3, 0, 2, 1], [1], []):
        for slots in range(sum(counts) + 1):
            found = list(multiunit._shares(counts, slots))
            wanted = {
                one
                for one in product(*(range(count + 1) for count in counts))
                if sum(one) == slots
            }
            assert len(found) == len(set(found))
            assert set(found) == wanted


def test_a2_nothing_sold_says_why() -> None:
    low = multi_unit_vcg({"a": [1, 1], "b": "2.5"}, units=2, reserve=3, unit="GBP")
    assert isinstance(low, AuctionNoSale)
    assert (low.reason, low.highest_bid, low.short) == (
        "below_reserve",
        Decimal("2.5"),
        Decimal("0.5"),
    )
    assert low.says == "No sale: the highest bid 2.5 GBP is below the reserve 3 GBP."
    none = uniform_price({"a": []}, units=2, reserve=0)
    assert isinstance(none, AuctionNoSale)
    assert (none.reason, none.says) == ("no_bids", "No sale: nobody bid.")


@pytest.mark.parametrize(
    ("bids", "kind"), [({"a": "5.00", "b": 3}, Decimal), ({"a": 5, "b": 3}, int)]
)
def test_g5_money_in_is_the_same_type_out(bids: Any, kind: type) -> None:
    sale = award(multi_unit_vcg(bids, units=1, reserve=0))
    assert isinstance(sale.payments[0].value, kind)
    assert str(sale.payments[0].value) in {"3", "3.00"}


def test_g7_every_fault_is_told_at_once() -> None:
    with pytest.raises(InvalidInput) as caught:
        multi_unit_vcg({"a": [1, 2], "b": "x", 3: -1}, units=True, reserve="y", seed=0)  # type: ignore[dict-item, arg-type]
    told = str(caught.value)
    assert len(caught.value.faults) == 7
    assert "rises from 1 to 2" in told
    with pytest.raises(InvalidInput, match="are 3"):
        multi_unit_vcg(3, units=1, reserve=0)  # type: ignore[arg-type]


def test_a4_faulty_rows_can_be_set_aside() -> None:
    sale = award(multi_unit_vcg({"a": [1, 2], "b": ["x", 1], "c": 3}, units=1, reserve=0,
                                faulty="refuse"))  # fmt: skip
    assert sale.winner == "c"
    assert [(one.bidder, one.reason) for one in sale.refused] == [
        ("a", "rising_marginals"),
        ("b", "not_a_number"),
    ]
