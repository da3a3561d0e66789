"""Bulk: does a sale to very many bidders come to the same with and without arrays?"""

from __future__ import annotations

from random import Random
from typing import Any
from unittest import mock

import pytest

from comity.core.arrays import numpy_or_none
from comity.core.errors import InvalidInput
from comity.mechanisms.auctions import bulk
from comity.mechanisms.auctions.bulk import Cleared, clear_units
from comity.mechanisms.auctions.multiunit import multi_unit_vcg

numpy: Any = numpy_or_none()
needs_numpy = pytest.mark.skipif(numpy is None, reason="numpy: not installed")


def plainly(rows: Any, **named: Any) -> Cleared:
    with mock.patch.object(bulk, "ARRAYS_FROM", 10**9):
        return clear_units(rows, **named)


def with_arrays(rows: Any, **named: Any) -> Cleared:
    with mock.patch.object(bulk, "ARRAYS_FROM", 0):
        return clear_units(rows, **named)


def plain(found: Cleared) -> tuple[Any, ...]:
    return (
        list(map(int, found.quantities)),
        list(map(int, found.payments)),
        (found.uniform_price, found.level, found.welfare, found.contested),
    )


@needs_numpy
def test_a2_arrays_and_lists_give_the_same_numbers_ties_included() -> None:
    for seed in range(300):
        chance = Random(seed)  # noqa: S311
        rows = [
            sorted((chance.randint(-1, 6) for _ in range(3)), reverse=True)
            for _ in range(chance.randint(1, 6))
        ]
        named = {"units": chance.randint(1, 8), "reserve": chance.choice([0, 0, 2])}
        one = with_arrays(numpy.array(rows), seed=str(seed), **named)
        assert plain(one) == plain(plainly(rows, seed=str(seed), **named))


def test_a2_a_bulk_sale_is_the_sale_with_names() -> None:
    rows = [[9, 4], [8, 7, 1], [3], [5, 5]]
    found = clear_units(rows, units=4, reserve=2, seed="7")
    named = multi_unit_vcg({str(at): row for at, row in enumerate(rows)}, units=4, reserve=2)
    assert {str(at): won for at, won in enumerate(found.quantities) if won} == dict(
        named.quantities  # type: ignore[union-attr]
    )
    assert [paid for paid in found.payments if paid] == [
        one.value
        for one in named.payments  # type: ignore[union-attr]
    ]


@needs_numpy
def test_g4_a_large_tie_is_drawn_by_hashes_alike_on_both_paths() -> None:
    rows = [5] * 3_000
    found = clear_units(rows, units=10, reserve=0, seed="7")
    assert sum(found.quantities) == 10
    assert (found.contested, found.uniform_price) == (3_000, 5)
    assert plain(found) == plain(plainly(rows, units=10, reserve=0, seed="7"))
    assert plain(found) != plain(clear_units(rows, units=10, reserve=0, seed="8"))


@needs_numpy
def test_g5_numbers_too_large_for_arrays_are_still_exact() -> None:
    rows = [2**61, 2**61 - 1, 3]
    assert plain(with_arrays(numpy.array(rows), units=1, reserve=0, seed="7")) == plain(
        plainly(rows, units=1, reserve=0, seed="7")
    )
    # the payment of very many units may not fit although every sum of bids does
    table = numpy.array([[2**58] * 4, [1, -1, -1, -1]])
    named = {"units": 4, "reserve": 2**59, "seed": "7"}
    assert plain(with_arrays(table, **named)) == plain(plainly(table, **named))
    wide = numpy.array([[2**59] * 4])
    named = {"units": 4, "reserve": 0, "seed": "7"}
    assert plain(with_arrays(wide, **named)) == plain(plainly(wide, **named))


@needs_numpy
@pytest.mark.parametrize(
    "rows", [[[1, 2], [3]], [1.5, 2.0], [[[1]]], []], ids=["ragged", "floats", "deep", "empty"]
)
def test_what_is_no_table_is_read_row_by_row(rows: list[Any]) -> None:
    with mock.patch.object(bulk, "ARRAYS_FROM", 0):
        assert bulk._as_table(rows) is None


def test_without_numpy_lists_are_used() -> None:
    with mock.patch.object(bulk, "numpy_or_none", return_value=None):
        assert clear_units([3, 2], units=1, reserve=0, seed="7").payments == [2, 0]


@pytest.mark.parametrize("rows", [[1, -2], [[1, 2]], [True], [1.5], ["x"], [[1], None]])
def test_g7_rows_that_are_no_falling_whole_numbers_are_refused_by_place(rows: Any) -> None:
    with pytest.raises(InvalidInput, match=r"row \d"):
        clear_units(rows, units=1, reserve=0, seed="7")


@needs_numpy
def test_g7_so_are_rows_of_an_array() -> None:
    with pytest.raises(InvalidInput) as caught:
        with_arrays(numpy.array([[3, 1], [1, 3], [-2, -2]]), units=1, reserve=0, seed="7")
    assert [fault.whose for fault in caught.value.faults] == ["row 1", "row 2"]


def test_g7_units_reserve_and_seed_are_checked() -> None:
    with pytest.raises(InvalidInput) as caught:
        clear_units([1], units=0, reserve=-1, seed=7)  # type: ignore[arg-type]
    assert len(caught.value.faults) == 3
    with pytest.raises(InvalidInput, match="reserve is True"):
        clear_units([1], units=1, reserve=True, seed="7")
