"""Table: what may come in, and the same answers with and without arrays (D1, G3)."""

from __future__ import annotations

from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.sharing import bulk
from comity.mechanisms.sharing import table as module
from comity.mechanisms.sharing.table import share_table

np = pytest.importorskip("numpy", reason="numpy: the extra `fast` is not installed")

WIDE = [[4000, 4000, 4000], [3000, 3000, 6000], [2000, 3000, 7000]]
STEEP = [[20, 11, 4], [30, 15, 5], [25, 12, 3]]


def both(budget: int, wide: Any, steep: Any, **options: Any) -> Any:
    plain = share_table(budget, wide, steep, **options)
    arrays = share_table(budget, np.array(wide), np.array(steep), **options)
    assert plain.units == arrays.units.tolist()
    assert (plain.total_gain, plain.leftover, plain.spare_drawn) == (
        arrays.total_gain,
        arrays.leftover,
        arrays.spare_drawn,
    )
    return plain


def test_b01_b10_the_campaigns() -> None:
    assert both(12000, WIDE, STEEP).units == [4000, 3583, 4417]
    found = both(12000, WIDE, STEEP, objective="utilitarian")
    assert (found.units, found.total_gain) == ([4000, 6000, 2000], 265000)


def test_lists_are_read_as_arrays_when_there_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ENOUGH", 1)
    assert share_table(12000, WIDE, STEEP).units == [4000, 3583, 4417]


def test_without_numpy_the_answer_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "numpy_or_none", lambda: None)
    monkeypatch.setattr(module, "ENOUGH", 1)
    assert share_table(12000, WIDE, STEEP).units == [4000, 3583, 4417]


@pytest.mark.parametrize("as_array", [False, True])
@pytest.mark.parametrize(
    ("budget", "wide", "steep", "objective", "faults"),
    [
        (-1, [[1]], [[1]], "nash", 1),
        (True, [[1]], [[1]], "leximin", 2),
        (1.5, [[1]], [[1]], "nash", 1),
        (1, [[1, 1]], [[1]], "nash", 1),
        (1, [[1], [1]], [[1]], "nash", 1),
        (1, [[1, 1]], [[1, 2]], "nash", 1),
        (1, [[1, 0, 1]], [[1, 0, 2]], "nash", 1),
        (1, [[-1], [1]], [[1], [-1]], "nash", 2),
        (1, [[1.5]], [[1]], "nash", 1),
    ],
)
def test_what_is_no_table_is_refused(
    budget: Any, wide: Any, steep: Any, objective: Any, faults: int, *, as_array: bool
) -> None:
    given = (np.array(wide), np.array(steep)) if as_array else (wide, steep)
    with pytest.raises(InvalidInput) as caught:
        share_table(budget, *given, objective=objective)
    assert len(caught.value.faults) == faults, caught.value.faults


def test_a_plain_table_may_have_rows_of_different_length() -> None:
    assert share_table(5, [[1, 9], [9]], [[2, 0], [1]], objective="utilitarian").units == [1, 4]


@pytest.mark.parametrize(
    ("wide", "steep", "faults"),
    [
        ([[True, 1]], [[1, 1]], 1),
        ([[1, 1], [1]], [[1, 1], [1]], 2),
        ([1, 2], [1, 2], 2),
        ([["x"]], [[1]], 1),
    ],
)
def test_long_lists_that_are_no_table_are_refused(
    wide: Any, steep: Any, faults: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ENOUGH", 1)
    with pytest.raises(InvalidInput) as caught:
        share_table(1, wide, steep)
    assert len(caught.value.faults) == faults, caught.value.faults


@pytest.mark.parametrize(
    ("wide", "steep"),
    [
        (np.array([[True]]), np.array([[1]])),
        (np.array([[2**63]], dtype=np.uint64), np.array([[1]])),
        (np.array([[2**61]]), np.array([[1]])),
        (np.array([[2**31]]), np.array([[2**31]])),
        (np.zeros((0, 2), dtype=int), np.zeros((0, 2), dtype=int)),
    ],
)
def test_arrays_that_are_no_table_or_too_large_are_refused(wide: Any, steep: Any) -> None:
    with pytest.raises(InvalidInput):
        share_table(1, wide, steep)


def test_only_the_first_wrong_rows_are_told() -> None:
    with pytest.raises(InvalidInput) as caught:
        share_table(1, np.ones((99, 2), dtype=int), np.tile([1, 2], (99, 1)))
    assert [fault.whose for fault in caught.value.faults] == [f"row {at}" for at in range(5)]


def test_a_level_that_does_not_settle_is_found_the_plain_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bulk, "_TURNS", 0)
    assert both(12000, WIDE, STEEP).units == [4000, 3583, 4417]


def test_large_numbers_are_shared_exactly() -> None:
    wide, steep = [[2**55, 1], [2**55, 3]], [[1, 0], [1, 0]]
    found = both(2**54 + 1, wide, steep)
    assert sorted(found.units) == [2**53, 2**53 + 1]
