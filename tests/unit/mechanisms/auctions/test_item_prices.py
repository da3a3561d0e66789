"""Item prices: is the bound they give never too low, and close enough to be of use?"""

from __future__ import annotations

from random import Random

from comity.mechanisms.auctions.item_prices import prices, upper_of
from comity.mechanisms.auctions.packing import PackedBid, Packing
from comity.mechanisms.auctions.subset_table import table


def some_packing(seed: int) -> Packing:
    chance = Random(seed)  # noqa: S311
    items, bids = chance.randint(1, 7), []
    bidders = chance.randint(1, 9)
    for bidder in range(bidders):
        masks = {chance.randint(1, 2**items - 1) for _ in range(chance.choice([1, 1, 2]))}
        bids += [PackedBid(mask, chance.randint(1, 99), bidder, 0) for mask in sorted(masks)]
    return Packing(items, bidders, tuple(bids), 1)


def test_a2_no_set_is_worth_more_than_its_items_cost() -> None:
    for seed in range(200):
        packing = some_packing(seed)
        upper = upper_of(prices(packing))
        dummies = packing.whole & ~packing.real
        for free, value in enumerate(table(packing)):
            assert upper(free | dummies) >= value


def test_a2_at_the_prices_no_bid_gains() -> None:
    for seed in range(50):
        packing = some_packing(seed)
        found = prices(packing)
        for full, bid in zip(packing.full, packing.bids, strict=True):
            cost = sum(one for at, one in enumerate(found) if full >> at & 1)
            assert cost >= bid.value * 4096


def test_a2_a_few_rounds_bring_the_bound_down() -> None:
    better = sum(
        sum(prices(packing)) < sum(prices(packing, rounds=0))
        for packing in map(some_packing, range(50))
    )
    assert better >= 10


def test_a2_many_items_are_priced_in_chunks() -> None:
    upper = upper_of([4096] * 20)
    assert upper((1 << 20) - 1) == 20
    assert upper(1 << 19 | 1) == 2
