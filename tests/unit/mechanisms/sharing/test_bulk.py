"""Bulk: arrays find exactly what the plain way finds (D1, G3, G4)."""

from __future__ import annotations

import random
from typing import Any

import pytest

from comity.mechanisms.sharing import bulk as module
from comity.mechanisms.sharing.bulk import Bulk
from comity.mechanisms.sharing.table import share_table

np = pytest.importorskip("numpy", reason="numpy: the extra `fast` is not installed")


def made(chance: random.Random) -> tuple[int, list[list[int]], list[list[int]]]:
    rows, pieces = chance.randint(1, 9), chance.randint(1, 4)
    wide = [[chance.choice([0, 1, 2, 5, 10, 100]) for _ in range(pieces)] for _ in range(rows)]
    top = chance.choice([2, 5, 20, 1000, 10**9])
    steep = [sorted((chance.randint(0, top) for _ in range(pieces)), reverse=True) for _ in wide]
    return chance.randint(0, int(sum(map(sum, wide)) * 1.2) + 1), wide, steep


@pytest.mark.parametrize("objective", ["nash", "utilitarian"])
def test_g3_arrays_and_the_plain_way_are_one(objective: Any) -> None:
    chance = random.Random(objective)  # noqa: S311  # made-up tables
    for at in range(120):
        budget, wide, steep = made(chance)
        plain = share_table(budget, wide, steep, objective=objective, seed=str(at))
        arrays = share_table(
            budget, np.array(wide), np.array(steep), objective=objective, seed=str(at)
        )
        assert plain.units == arrays.units.tolist(), (budget, wide, steep)
        assert plain.total_gain == arrays.total_gain
        assert plain.spare_drawn == arrays.spare_drawn


def test_g4_many_equal_rows_draw_their_spare_units() -> None:
    rows = 30_000
    wide, steep = np.full((rows, 1), 10), np.full((rows, 1), 3)
    for objective in ("nash", "utilitarian"):
        found = share_table(rows + 12_345, wide, steep, objective=objective)
        assert (found.spare_drawn, int((found.units == 2).sum())) == (rows, 12_345)
        assert not (found.units[:12_345] == 2).all()


def test_numbers_beyond_a_word_are_reckoned_exactly() -> None:
    wide, steep = [[2**40], [2**40 + 2], [5]], [[1], [1], [0]]
    plain = share_table(2**35 + 1, wide, steep, objective="utilitarian")
    arrays = share_table(2**35 + 1, np.array(wide), np.array(steep), objective="utilitarian")
    assert plain.units == arrays.units.tolist()
    high = Bulk(np, np.full((4, 1), 2**30), np.full((4, 1), 2**30), 2**32, "0")
    assert high.gain(np.full(4, 2**30)) == 2**62


def test_a_level_that_does_not_settle_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_TURNS", 0)
    one = Bulk(np, np.array([[10], [10]]), np.array([[3], [1]]), 7, "0")
    assert one.nash() == (None, 0)


def test_a_budget_that_ends_at_corners_only_has_no_piece_half_filled() -> None:
    wide, steep = [[4, 9], [4, 9]], [[100, 1], [100, 1]]
    assert share_table(8, np.array(wide), np.array(steep)).units.tolist() == [4, 4]
