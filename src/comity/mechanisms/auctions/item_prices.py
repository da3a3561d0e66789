"""Item prices: no choice of bids is worth more than the prices of the items it may use.

Here: prices of items and dummies at which no bid gains, as low as a few rounds of adjustment make
them, in whole numbers; the upper bound they give for any set of items.
Not here: the search (packing.py), the table of all sets (subset_table.py).
Sources: SEMANTICS A2; Fisher 1981 (Lagrangian bounds). Only whole numbers enter the bound, so
that it is never too low, whatever the adjustment did.
"""

from __future__ import annotations

from collections.abc import Sequence

from comity.mechanisms.auctions.packing import Packing, Upper

__all__ = ["prices", "upper_of"]

_ROUNDS = 120
_FINE = 1 << 12  # one unit of value is so many units of price
_CHUNK = 8


def prices(packing: Packing, rounds: int = _ROUNDS) -> tuple[int, ...]:
    """Return a price for every item and dummy, bit by bit, at which no bid gains.

    Args:
        packing: the problem.
        rounds: how often the prices are adjusted.

    Returns:
        Prices in 1/4096 of a unit of value.

    Example:
        >>> from comity.mechanisms.auctions.packing import PackedBid
        >>> bids = (PackedBid(0b11, 6, 0, 0), PackedBid(0b01, 3, 1, 1), PackedBid(0b10, 4, 2, 2))
        >>> sum(prices(Packing(2, 3, bids, 1))) >= 7 * 4096
        True
    """
    size = packing.whole.bit_length()
    bids = [
        ([at for at in range(size) if full >> at & 1], bid.value * _FINE)
        for full, bid in zip(packing.full, packing.bids, strict=True)
    ]
    found = [0] * size
    for bundle, value in bids:
        share = -(-value // len(bundle))
        for at in bundle:
            found[at] = max(found[at], share)
    chosen = _lowered(found, bids)
    found = list(chosen)
    step = sum(chosen) // (4 * max(size, 1)) or 1
    for _ in range(rounds):
        _adjust(found, bids, step)
        tried = _lowered(_raised(found, bids), bids)
        if sum(tried) < sum(chosen):
            chosen = tried
        else:
            step = max(1, step * 7 // 8)
    return tuple(chosen)


def _adjust(found: list[int], bids: Sequence[tuple[list[int], int]], step: int) -> None:
    """Raise the price of items wanted twice at these prices, lower that of items not wanted."""
    demand = [0] * len(found)
    for bundle, value in bids:
        if value > sum(found[at] for at in bundle):
            for at in bundle:
                demand[at] += 1
    for at, wanted in enumerate(demand):
        found[at] = max(0, found[at] + step * (min(wanted, 3) - 1))


def _raised(found: Sequence[int], bids: Sequence[tuple[list[int], int]]) -> list[int]:
    """Return prices raised until no bid gains."""
    raised = list(found)
    for bundle, value in bids:
        lacking = value - sum(raised[at] for at in bundle)
        if lacking > 0:
            share = -(-lacking // len(bundle))
            for at in bundle:
                raised[at] += share
    return raised


def _lowered(found: Sequence[int], bids: Sequence[tuple[list[int], int]]) -> list[int]:
    """Return prices lowered, one item after the other, as far as still no bid gains."""
    lowered = list(found)
    room = [sum(lowered[at] for at in bundle) - value for bundle, value in bids]
    using: list[list[int]] = [[] for _ in lowered]
    for number, (bundle, _) in enumerate(bids):
        for at in bundle:
            using[at].append(number)
    for at in sorted(range(len(lowered)), key=lambda at: (-lowered[at], at)):
        less = min([lowered[at], *(room[number] for number in using[at])])
        lowered[at] -= less
        for number in using[at]:
            room[number] -= less
    return lowered


def upper_of(priced: Sequence[int]) -> Upper:
    """Return the upper bound that prices give: what a set of items costs.

    Args:
        priced: price of every item and dummy, bit by bit.

    Example:
        >>> upper_of((3 * 4096, 4 * 4096))(0b11)
        7
    """
    chunks: list[list[int]] = []
    for start in range(0, len(priced), _CHUNK):
        part = priced[start : start + _CHUNK]
        sums = [0]
        for one in part:
            sums += [before + one for before in sums]
        chunks.append(sums)
    mask = (1 << _CHUNK) - 1

    def upper(free: int) -> int:
        total = 0
        for sums in chunks:
            total += sums[free & mask]
            free >>= _CHUNK
        return total // _FINE

    return upper
