"""Clearing: are cut and payments those of the definition, plainly and with arrays?"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from comity.core.arrays import numpy_or_none
from comity.mechanisms.auctions.clearing import cut, cut_arrays, payments, payments_arrays

numpy: Any = numpy_or_none()


def welfare(rows: list[list[int]], units: int, reserve: int) -> int:
    """Return the best welfare by definition, the seller keeping units at the reserve."""
    bids = sorted((one for row in rows for one in row if one >= reserve), reverse=True)
    return sum((bids + [reserve] * units)[:units])


def some_rows(chance: Random) -> list[list[int]]:
    return [
        sorted((chance.randint(0, 6) for _ in range(chance.randint(0, 3))), reverse=True)
        for _ in range(chance.randint(1, 6))
    ]


def test_a2_payments_are_the_externalities() -> None:
    for seed in range(400):
        chance = Random(seed)  # noqa: S311
        rows, units, reserve = some_rows(chance), chance.randint(1, 6), chance.choice([0, 0, 2])
        found = cut(rows, units, reserve)
        # any choice among the contested is optimal: take them in order
        left, won = found.slots, []
        for sure, more in zip(found.sure, found.contested, strict=True):
            won.append(sure + min(more, left))
            left -= min(more, left)
        assert left == 0
        worth = [sum(row[:count]) for row, count in zip(rows, won, strict=True)]
        total = sum(worth) + reserve * (units - sum(won))
        assert total == welfare(rows, units, reserve)
        for at, paid in enumerate(payments(rows, won, reserve)):
            without = welfare(rows[:at] + rows[at + 1 :], units, reserve)
            assert paid == (without - (total - worth[at]) if won[at] else 0)


def test_a2_the_cut_of_many_bids_needs_no_full_sort() -> None:
    rows = [[at] for at in range(100)]
    found = cut(rows, 3, 0)
    assert (found.level, found.rejected, sum(found.sure)) == (97, 96, 3)


def test_a2_nothing_reaches_the_reserve() -> None:
    assert cut([[1], [2]], 1, 5).level is None
    assert cut([], 1, 0).rejected == 0


@pytest.mark.skipif(numpy is None, reason="numpy: not installed")
def test_a2_arrays_answer_as_lists_do() -> None:
    for seed in range(300):
        chance = Random(seed)  # noqa: S311
        rows, units, reserve = some_rows(chance), chance.randint(1, 6), chance.choice([0, 0, 2])
        table = numpy.full((len(rows), 3), -1)
        for at, row in enumerate(rows):
            table[at, : len(row)] = row
        plain, arrays = cut(rows, units, reserve), cut_arrays(table, units, reserve)
        assert (plain.slots, plain.level, plain.rejected) == arrays[2:]
        assert (list(plain.sure), list(plain.contested)) == (
            arrays[0].tolist(), arrays[1].tolist(),
        )  # fmt: skip
        paid = payments_arrays(table, arrays[0], reserve)
        assert paid.tolist() == payments(rows, plain.sure, reserve)


@pytest.mark.skipif(numpy is None, reason="numpy: not installed")
def test_g5_arrays_step_aside_where_numbers_might_not_fit() -> None:
    table = numpy.array([[2**61], [1]])
    assert payments_arrays(table, numpy.array([1, 0]), 0) is None
