"""Profile: are pairs, tops and bottoms counted exactly, in plain Python and in numpy alike?

Here: the sums every ranking rule is made of, weights, short ballots, equal ranks (V3, G5).
Not here: reading ballots (test_ballots.py), the rules on these sums.
Sources: SEMANTICS V3, G5.
"""

from __future__ import annotations

from collections.abc import Generator
from fractions import Fraction
from importlib.util import find_spec
from typing import Any

import pytest

from comity.core.arrays import numpy_or_none
from comity.mechanisms.voting import profile as module
from comity.mechanisms.voting.ballots import UNRANKED
from comity.mechanisms.voting.profile import Profile, ballots_of, profile_of

OUT = UNRANKED
HALF = Fraction(1, 2)
THIRD = Fraction(1, 3)

#        A  B  C
ROWS = [
    (0, 1, 2),
    (1, 0, OUT),
    (0, 0, 1),
    (OUT, OUT, 0),
    (OUT, OUT, OUT),
    (0, 0, 0),
]


@pytest.fixture(params=["plain", "numpy"])
def counting(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Generator[str]:
    """Count without numpy, or with numpy whatever the size."""
    if request.param == "plain":
        monkeypatch.setattr(module, "numpy_or_none", lambda: None)
    elif find_spec("numpy") is None:
        pytest.skip("numpy: not installed here")
    monkeypatch.setattr(module, "_MANY", 0)
    yield str(request.param)
    numpy_or_none.cache_clear()


def of(*rows: tuple[int, ...], masses: list[int] | None = None) -> Profile:
    return profile_of([bytes(row) for row in rows], masses, len(rows[0]) if rows else 3)


def test_g5_pairs_are_counted_once_per_ballot(counting: str) -> None:
    # A above B: row 0. B above A: row 1. A above C: 0, 1, 2. B above C: 0, 1, 2. C above: row 3.
    assert of(*ROWS).pairwise() == ((0, 1, 3), (1, 0, 3), (1, 1, 0))


def test_g5_pairs_by_weight(counting: str) -> None:
    masses = [1, 2, 4, 8, 16, 32]
    assert of(*ROWS, masses=masses).pairwise() == ((0, 1, 7), (2, 0, 7), (8, 8, 0))


def test_single_ballots_are_handed_out_where_no_arrays_hold_them(counting: str) -> None:
    kept = None if counting == "numpy" else [(row, 1) for row in ROWS]
    assert ballots_of(of(*ROWS)) == kept


@pytest.mark.parametrize("masses", [None, [1, 2, 4, 8, 16, 32]])
def test_v3_no_opinion_drops_only_pairs_with_an_unranked_option(
    counting: str, masses: list[int] | None
) -> None:
    unit = masses or [1] * 6
    assert of(*ROWS, masses=masses).pairwise(no_opinion=True) == (
        (0, unit[0], unit[0] + unit[2]),
        (unit[1], 0, unit[0] + unit[2]),
        (0, 0, 0),
    )


@pytest.mark.parametrize("masses", [None, [1, 2, 4, 8, 16, 32]])
def test_who_is_ranked_and_who_is_not(counting: str, masses: list[int] | None) -> None:
    found = of(*ROWS, masses=masses)
    unit = masses or [1] * 6
    a, _, c = (found.ranked(i) for i in range(3))
    assert a == unit[0] + unit[1] + unit[2] + unit[5]
    assert c == unit[0] + unit[2] + unit[3] + unit[5]
    assert found.both_unranked(0, 1) == found.both_unranked(1, 0) == unit[3] + unit[4]
    assert found.both_unranked(1, 2) == unit[4]
    assert found.total == sum(unit)
    assert found.is_short is True
    assert of(ROWS[0], ROWS[2]).is_short is False


def test_v3_equal_tops_share_a_ballot(counting: str) -> None:
    shares, exhausted = of(*ROWS).tops([0, 1, 2])
    assert shares == {0: 1 + HALF + THIRD, 1: 1 + HALF + THIRD, 2: 1 + THIRD}
    assert exhausted == 1


def test_v3_equal_tops_by_weight(counting: str) -> None:
    shares, exhausted = of(*ROWS, masses=[1, 2, 4, 8, 16, 32]).tops([0, 1, 2])
    third = Fraction(32, 3)
    assert shares == {0: 3 + third, 1: 4 + third, 2: 8 + third}
    assert exhausted == 16


def test_v3_tops_among_those_who_still_stand(counting: str) -> None:
    shares, exhausted = of(*ROWS).tops([0, 2])
    assert shares == {0: 3 + HALF, 2: 1 + HALF}
    assert exhausted == 1
    assert of(*ROWS).tops([1]) == ({1: 4}, 2)
    whole, none = of((0, 1, 2), (1, 0, 2)).tops([0, 1, 2])
    assert (whole, none) == ({0: 1, 1: 1, 2: 0}, 0)
    assert all(type(share) is int for share in whole.values())


def test_v3_bottoms_share_a_ballot_and_unranked_is_last(counting: str) -> None:
    shares, exhausted = of(*ROWS).bottoms([0, 1, 2])
    # row 0: C, row 1: C, row 2: C, row 3: A and B, row 4: exhausted, row 5: all three.
    assert shares == {0: HALF + THIRD, 1: HALF + THIRD, 2: 3 + THIRD}
    assert exhausted == 1
    assert of(*ROWS).bottoms([2]) == ({2: 4}, 2)
    assert of((0, 1), (0, 1), (1, 0)).bottoms([0, 1]) == ({0: 1, 1: 2}, 0)


@pytest.mark.parametrize("active", [[], [0, 1, 2]])
def test_v2_nothing_is_counted_where_nothing_is(counting: str, active: list[int]) -> None:
    empty = of()
    assert empty.tops(active) == empty.bottoms(active) == ({}, 0)
    assert empty.pairwise() == ((0, 0, 0),) * 3
    assert of(*ROWS).tops([]) == ({}, 6)


@pytest.mark.parametrize("masses", [None, [1, 2, 4, 8, 16, 32]])
def test_v5_last_and_not_also_first(counting: str, masses: list[int] | None) -> None:
    found = of(*ROWS, masses=masses)
    unit = masses or [1] * 6
    assert [found.last(i) for i in range(3)] == [unit[3], unit[3], sum(unit[:3])]


def test_g5_whole_sums_are_ints_and_shares_are_fractions(counting: str) -> None:
    shares, _ = of((0, 0), (0, 0), masses=[3, 3]).tops([0, 1])
    assert shares == {0: 3, 1: 3}
    assert [type(one) for one in shares.values()] == [int, int]
    matrix = of((0, 1), masses=[5]).pairwise()
    assert [type(one) for row in matrix for one in row] == [int] * 4


def test_the_way_of_counting_is_the_one_asked_for(counting: str) -> None:
    assert isinstance(of(*ROWS).columns, list) is (counting == "plain")


def test_numpy_is_asked_for_only_where_it_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_start() -> Any:
        raise AssertionError("three ballots are no work for numpy")

    monkeypatch.setattr(module, "numpy_or_none", no_start)
    assert isinstance(of(*ROWS).columns, list)


def test_g5_weights_beyond_64_bits_are_counted_in_plain_python(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_MANY", 0)
    huge = 2**62
    found = of((0, 1), (1, 0), masses=[huge, huge + 1])
    assert isinstance(found.columns, list)
    assert found.pairwise() == ((0, huge), (huge + 1, 0))
