"""Results: does an award answer what people ask, and survive JSON?"""

from __future__ import annotations

import json
from typing import Any

import pytest

from comity.core.results import EXIT_CODE_OF_KIND, result_from_json
from comity.mechanisms.auctions import (
    AuctionAward,
    AuctionNoSale,
    combinatorial_vcg,
    double_vcg,
    multi_unit_vcg,
    vickrey,
)
from comity.mechanisms.auctions.results import money

RESULTS = [
    vickrey({"a": 42, "b": 42, "c": 3}, reserve="0.50", seed="7"),
    vickrey({"a": "NaN", "b": 1}, reserve=2, faulty="refuse"),
    multi_unit_vcg({"a": [10, 6], "b": 8}, units=2, reserve=0),
    combinatorial_vcg([("a", ["A", "B"], "10.25"), ("b", ["A"], "1/3")]),
    double_vcg({"b": 10}, {"s": 2}),
]


@pytest.mark.parametrize("result", RESULTS, ids=lambda one: one.grounds.rule)
def test_a_result_survives_json_and_speaks(result: Any) -> None:
    back = result_from_json(json.loads(json.dumps(result.to_json())))
    assert back == result
    assert type(back) is type(result)
    assert str(result).startswith(result.says)
    assert result.exit_code == EXIT_CODE_OF_KIND[result.kind]
    assert hash(result) == hash(back)


def test_a4_a_loser_asks_what_it_would_have_taken() -> None:
    sale = vickrey({"a": 42, "c": 51}, reserve=0)
    found = sale.minimum_bid("a")
    assert found is not None
    assert (found.amount, found.at_amount) == (51, "lot")
    assert sale.minimum_bid("c") is None
    assert sale.minimum_bid("nobody") is None


def test_a4_of_several_bundles_the_cheapest_is_told() -> None:
    sale = combinatorial_vcg([("a", ["A"], 9), ("b", ["B"], 5), ("c", ["A"], 1), ("c", ["B"], 1)])
    found = sale.minimum_bid("c")
    assert found is not None
    assert (found.amount, found.bundle) == (5, ("B",))


def test_one_winner_one_price_one_surplus_or_none() -> None:
    one, several = RESULTS[0], RESULTS[2]
    assert isinstance(one, AuctionAward)
    assert isinstance(several, AuctionAward)
    assert one.winner in {"a", "b"}
    assert (several.winner, several.surplus) == (None, None)
    assert several.pays("nobody") == 0
    prices = {item.value for item in several.payments}
    assert several.price == (prices.pop() if len(prices) == 1 else None)


def test_g2_a_no_sale_has_no_winner_and_no_price() -> None:
    sale = RESULTS[1]
    assert isinstance(sale, AuctionNoSale)
    sold_to, paid = sale.winner, sale.price
    assert (sold_to, paid, sale.short) == (None, None, 1)
    assert sale.thin == ()


def test_many_bids_are_not_all_printed() -> None:
    sale = vickrey({f"b{at:02}": at for at in range(30)}, reserve=0)
    assert "... 18 more" in str(sale)
    assert "\n\n" not in str(vickrey({}, reserve=0))


def test_money_is_shown_with_its_unit() -> None:
    assert money(42, "GBP") == "42 GBP"
