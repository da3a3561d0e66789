"""Packing: does the search find what all choices of bids show, and count every equal one?"""

from __future__ import annotations

from itertools import combinations
from random import Random

from comity.mechanisms.auctions.packing import Optima, PackedBid, Packing, SearchGaveUp, best


def some_packing(seed: int) -> Packing:
    """Return a small problem with equal values, XOR bidders among them."""
    chance = Random(seed)  # noqa: S311
    items, bids = chance.randint(1, 5), []
    bidders = chance.randint(1, 5)
    for bidder in range(bidders):
        masks = {chance.randint(1, 2**items - 1) for _ in range(chance.choice([1, 1, 2, 3]))}
        bids += [PackedBid(mask, chance.randint(1, 5), bidder, 0) for mask in sorted(masks)]
    return Packing(items, bidders, tuple(bids), 1)


def choices(packing: Packing, without: int = -1) -> list[tuple[int, tuple[int, ...]]]:
    """Return every choice of bids that fit together with its value, by definition."""
    found = []
    numbers = [at for at, bid in enumerate(packing.bids) if bid.bidder != without]
    for size in range(len(numbers) + 1):
        for chosen in combinations(numbers, size):
            bids = [packing.bids[at] for at in chosen]
            items = sum(bid.mask.bit_count() for bid in bids)
            together = 0
            for bid in bids:
                together |= bid.mask
            one_each = len({bid.bidder for bid in bids}) == len(bids)
            if together.bit_count() == items and one_each:
                found.append((sum(bid.value for bid in bids), chosen))
    return found


def loose(packing: Packing) -> int:
    return sum(bid.value for bid in packing.bids)


def test_a2_the_search_finds_the_best_value_with_and_without_a_bidder() -> None:
    for seed in range(150):
        packing = some_packing(seed)
        most = loose(packing)
        for without in range(-1, packing.bidders):
            wanted = max(value for value, _ in choices(packing, without))
            found = best(packing, lambda _, most=most: most, packing.whole, without=without)  # type: ignore[misc]
            assert not isinstance(found, SearchGaveUp)
            assert found[0] == wanted
            again = best(
                packing,
                lambda _, most=most: most,  # type: ignore[misc]
                packing.whole,
                without=without,
                known=wanted,
            )
            assert not isinstance(again, SearchGaveUp)
            assert again[0] == wanted


def test_g4_every_equal_optimum_is_counted_and_has_its_number() -> None:
    for seed in range(150):
        packing = some_packing(seed)
        listed = choices(packing)
        value = max(one for one, _ in listed)
        wanted = sorted(chosen for one, chosen in listed if one == value)
        most = loose(packing)
        found = Optima(packing, lambda _, most=most: most, value)  # type: ignore[misc]
        assert found.count == len(wanted)
        assert sorted(map(found.numbered, range(found.count))) == wanted


def test_a2_a_search_that_may_not_look_far_gives_up_and_says_so() -> None:
    packing = some_packing(3)
    most = loose(packing)
    assert best(packing, lambda _: most, packing.whole, nodes=1) == SearchGaveUp(1)
    assert Optima(packing, lambda _: most, most, nodes=1).gave_up


def test_g4_a_million_equal_optima_are_counted_without_listing() -> None:
    bids = tuple(
        PackedBid(1 << item, 3, 4 * item + at, 0) for item in range(10) for at in range(4)
    )
    packing = Packing(10, 40, bids, 1)
    found = Optima(packing, lambda free: 3 * (free & packing.real).bit_count(), 30)
    assert found.count == 4**10
    first, last = found.numbered(0), found.numbered(4**10 - 1)
    assert len(first) == len(last) == 10
    assert first != last
