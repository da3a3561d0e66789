"""Resampling: are the draws fixed by the seed, fair, and recomputable by hand?"""

from __future__ import annotations

from collections import Counter
from hashlib import sha256

import pytest

from comity.mechanisms.voting.independence.resampling import (
    Stream,
    affordable,
    bits_of,
    interval,
    item_patterns,
    pair_places,
    resample,
    subset,
)


def test_g4_a_draw_can_be_recomputed_from_the_seed() -> None:
    block = sha256(b"1:7items/0").digest()
    words = [int.from_bytes(block[at : at + 8], "big") for at in range(0, 32, 8)]
    assert Stream("7", "items").below(10, 4) == [word * 10 >> 64 for word in words]


def test_g4_seed_and_label_cannot_run_into_each_other() -> None:
    assert Stream("1", "1x").below(1 << 32, 4) != Stream("11", "x").below(1 << 32, 4)


def test_a_stream_goes_on_where_it_stopped() -> None:
    whole = Stream("s", "x").below(1000, 20)
    parts = Stream("s", "x")
    assert [*parts.below(1000, 3), *parts.below(1000, 0), *parts.below(1000, 17)] == whole
    assert len(set(whole)) > 10


def test_g4_draws_are_even() -> None:
    found = Counter(Stream("1", "fair").below(6, 12_000))
    expected = 2_000
    chi = sum((found[face] - expected) ** 2 / expected for face in range(6))
    assert chi < 20.5  # 5 degrees of freedom, p = 0.001


def test_a_resample_counts_as_many_items_as_there_are() -> None:
    kinds = [0, 0, 1, 2]
    found = resample(Stream("1", "x"), kinds, 3)
    drawn = Stream("1", "x").below(4, 4)
    assert found == [sum(kinds[at] == kind for at in drawn) for kind in range(3)]


@pytest.mark.parametrize("size", [0, 1, 4, 5])
def test_a_subset_has_its_size_and_only_the_given_places(size: int) -> None:
    places = [1, 3, 5, 7, 9]
    mask = subset(Stream("1", "x"), places, size)
    assert mask.bit_count() == size
    assert mask & ~sum(1 << at for at in places) == 0


@pytest.mark.parametrize("size", [1, 2])
def test_g4_every_subset_is_equally_likely(size: int) -> None:
    stream = Stream("2", "fair")
    found = Counter(subset(stream, [0, 1, 2], size) for _ in range(6_000))
    assert len(found) == 3
    assert sum((times - 2_000) ** 2 / 2_000 for times in found.values()) < 13.8  # p = 0.001


def test_an_interval_lies_between_figures_and_holds_for_one() -> None:
    assert interval([3.0, 1.0, 2.0], 0.5) == (1.5, 2.5)
    assert interval([4.0]) == (4.0, 4.0)


def test_resamples_are_bounded_by_the_work_and_too_few_are_none() -> None:
    assert affordable(50, 1) == 50
    assert affordable(0, 1) == 0
    assert affordable(1000, 0) == 1000
    assert affordable(1000, 100_000) == 600
    assert affordable(1000, 1_000_001) == 0
    assert affordable(50, 1_200_001) == 0


def test_items_are_grouped_by_who_answered_and_who_is_marked() -> None:
    kinds, patterns = item_patterns([0b1101, 0b0111], [0b0101, 0b0010], 0b1111)
    assert kinds == [0, 1, 0, 2]
    assert patterns == [("11", "10"), ("01", "01"), ("10", "00")]
    assert pair_places(patterns, 0, 1) == ([0], [0], [], [])


def test_items_that_are_not_looked_at_are_in_no_kind() -> None:
    assert item_patterns([0b11], [0b11], 0) == ([], [])
    assert item_patterns([0b111], [0b101], 0b10) == ([0], [("1", "0")])


def test_the_bits_of_a_mask() -> None:
    assert bits_of(0) == []
    assert bits_of((1 << 70) | 5) == [0, 2, 70]
