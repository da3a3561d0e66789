"""Subset table: is every set of items worth what the best bids within it are?"""

from __future__ import annotations

from random import Random
from unittest import mock

import pytest

from comity.core.arrays import numpy_or_none
from comity.mechanisms.auctions import subset_table
from comity.mechanisms.auctions.packing import PackedBid, Packing
from comity.mechanisms.auctions.subset_table import table, without_each


def some_packing(seed: int, most: int = 6) -> Packing:
    chance = Random(seed)  # noqa: S311
    items, bids = chance.randint(1, 5), []
    bidders = chance.randint(1, 6)
    for bidder in range(bidders):
        masks = {chance.randint(1, 2**items - 1) for _ in range(chance.choice([1, 1, 2, 3]))}
        bids += [PackedBid(mask, chance.randint(1, most), bidder, 0) for mask in sorted(masks)]
    return Packing(items, bidders, tuple(bids), 1)


def worth(packing: Packing, free: int, bidder: int = 0, without: int = -1) -> int:
    """Return what a set is worth by definition: each bidder takes one of its bids or none."""
    if bidder == packing.bidders:
        return 0
    found = worth(packing, free, bidder + 1, without)
    for bid in packing.bids if bidder != without else ():
        if bid.bidder == bidder and bid.mask & free == bid.mask:
            rest = worth(packing, free & ~bid.mask, bidder + 1, without)
            found = max(found, bid.value + rest)
    return found


@pytest.mark.parametrize("plain_items", [0, 20], ids=["arrays", "lists"])
def test_a2_the_table_is_that_of_the_definition(plain_items: int) -> None:
    with mock.patch.object(subset_table, "_PLAIN_ITEMS", plain_items):
        for seed in range(60):
            packing = some_packing(seed)
            wanted = [worth(packing, free) for free in range(1 << packing.items)]
            assert list(map(int, table(packing))) == wanted
            bidders = list(range(packing.bidders))
            assert without_each(packing, bidders) == {
                one: worth(packing, packing.real, without=one) for one in bidders
            }


def test_without_nobody_there_is_nothing_to_tell() -> None:
    assert without_each(some_packing(1), []) == {}


@pytest.mark.skipif(numpy_or_none() is None, reason="numpy: not installed")
def test_g5_values_too_large_for_arrays_are_kept_whole() -> None:
    with mock.patch.object(subset_table, "_PLAIN_ITEMS", 0):
        packing = some_packing(5, most=2**62)
        assert isinstance(table(packing), list)
        assert not isinstance(table(some_packing(5)), list)
