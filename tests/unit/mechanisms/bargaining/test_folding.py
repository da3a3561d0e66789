"""Unit tests of the fold: M4."""

from __future__ import annotations

import os
import sys
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comity.core.errors import InvalidInput
from comity.mechanisms.bargaining import folding
from comity.mechanisms.bargaining.folding import Packing, fold, undominated

Vector = tuple[int, ...]
IS_FULL = os.environ.get("COMITY_FULL") == "1"


def brute(vectors: set[Vector]) -> set[Vector]:
    return {
        one
        for one in vectors
        if not any(
            other != one and all(a >= b for a, b in zip(other, one, strict=True))
            for other in vectors
        )
    }


@st.composite
def tables(draw: st.DrawFn) -> list[list[Vector]]:
    """Issues of a few options for two to five parties, with many equals."""
    parties = draw(st.integers(2, 5))
    vector = st.tuples(*[st.integers(0, 4)] * parties)
    return draw(st.lists(st.lists(vector, min_size=1, max_size=4), min_size=1, max_size=4))


@given(rows=tables())
def test_m4_fold_finds_what_looking_at_every_outcome_finds(rows: list[list[Vector]]) -> None:
    packing = Packing([4 * len(rows)] * len(rows[0][0]))
    folded = fold([[packing.pack(one) for one in row] for row in rows], packing)
    outcomes = {
        at: tuple(
            map(sum, zip(*(row[one] for row, one in zip(rows, at, strict=True)), strict=True))
        )
        for at in product(*(range(len(row)) for row in rows))
    }
    expect = brute(set(outcomes.values()))
    assert {packing.unpack(key) for key in folded.keys} == expect
    assert len(folded.keys) == len(expect)
    for key in folded.keys:
        behind = sorted(at for at, one in outcomes.items() if one == packing.unpack(key))
        assert sorted(folded.outcomes(key)) == behind
        assert folded.count(key) == len(behind)


@given(
    vectors=st.integers(2, 5).flatmap(
        lambda n: st.lists(st.tuples(*[st.integers(0, 6)] * n), min_size=1, max_size=40)
    )
)
def test_m4_undominated_among_any_vectors(vectors: list[Vector]) -> None:
    packing = Packing([6] * len(vectors[0]))
    found = [packing.unpack(key) for key in undominated(list(map(packing.pack, vectors)), packing)]
    assert set(found) == brute(set(vectors))
    assert found == sorted(set(found), reverse=True)


def test_packing_of_large_numbers_is_exact() -> None:
    packing = Packing([10**40, 0, 7])
    assert packing.unpack(packing.pack((10**40, 0, 7))) == (10**40, 0, 7)


def test_a_long_fold_nests_no_calls() -> None:
    many = 3_000 if IS_FULL else sys.getrecursionlimit() + 100
    packing = Packing([many, many])
    row = [packing.pack(one) for one in ((1, 0), (0, 1))]
    folded = fold([row] * many, packing)
    assert len(folded.keys) == many + 1
    assert folded.count(folded.keys[1]) == many
    assert len(next(folded.outcomes(folded.keys[0]))) == many


def test_m4_a_frontier_that_grows_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folding, "AT_MOST", 5)
    packing = Packing([100, 100])
    row = [packing.pack(one) for one in ((1, 0), (0, 1), (3, 0))]
    with pytest.raises(InvalidInput, match="would compare 6 sums in one step"):
        fold([row, row, row], packing)


def test_m4_too_many_undominated_points_of_four_parties_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(folding, "COMPARED_AT_MOST", 5)
    packing = Packing([9] * 4)
    keys = [packing.pack((at, 9 - at, at, 9 - at)) for at in range(6)]
    with pytest.raises(InvalidInput, match="would compare 6 sums in one step"):
        undominated(keys, packing)
