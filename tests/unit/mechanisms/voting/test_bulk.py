"""Bulk: arrays say what plain ballots say (G3)."""

from __future__ import annotations

import random
from typing import Any

import pytest

from comity.core import arrays
from comity.core.errors import InvalidInput
from comity.mechanisms.voting import Election, reading
from comity.mechanisms.voting import bulk as module
from comity.mechanisms.voting import election as election_module
from comity.mechanisms.voting.bulk import bulk_of_names, bulk_of_orders, bulk_of_ranks

np = pytest.importorskip("numpy", reason="numpy: the extra `fast` is not installed")


@pytest.fixture
def few_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "ENOUGH", 1)
    monkeypatch.setattr(election_module, "ENOUGH", 1)


@pytest.fixture
def no_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "numpy_or_none", lambda: None)


def orders(options: int, ballots: int) -> list[list[int]]:
    chance = random.Random(f"{options} {ballots}")  # noqa: S311  # made-up ballots
    return [chance.sample(range(options), options) for _ in range(ballots)]


def names_of(options: int) -> list[str]:
    return [f"o{at:03}" for at in reversed(range(options))]  # not in their own order


@pytest.mark.usefixtures("few_are_enough")
@pytest.mark.parametrize("options", [2, 3, 15, 16, 40])
def test_orders_names_and_ranks_are_one_election(options: int) -> None:
    listed, names = orders(options, 60), names_of(options)
    by_order = Election.from_orders(listed, names)
    by_name = Election([[names[at] for at in row] for row in listed], options=names)
    ranks = [[row.index(at) for at in range(options)] for row in listed]
    by_rank = Election.from_ranks(np.array(ranks), names)
    slow = Election.of_counts([([names[at] for at in row], 1) for row in listed], options=names)
    for one in (by_order, by_name, by_rank):
        assert one == slow
        assert one.digest == slow.digest
        assert (one.size, one.weight, one.is_named) == (60, 60, False)
        assert one.pairwise() == slow.pairwise()
        assert one.lines == slow.lines


@pytest.mark.parametrize("options", [3, 20, 70])
def test_ranks_are_made_dense_and_blank_ballots_set_apart(options: int) -> None:
    chance = random.Random(options)  # noqa: S311  # made-up ballots
    table = [[chance.choice([-1, 3, 7, 7, 250]) for _ in range(options)] for _ in range(40)] + [
        [-1] * options,
        [255] * options,
    ]
    names = names_of(options)
    fast = Election.from_ranks(np.array(table), names)
    slow = Election.of_counts(
        [(ballot, 1) for ballot in election_module.ballots_of_ranks(table, names)],
        options=names,
        kind="ranking",
    )
    assert fast == slow
    assert fast.abstained_weight >= 2
    assert fast.pairwise(no_opinion=True) == slow.pairwise(no_opinion=True)


@pytest.mark.usefixtures("no_numpy")
def test_without_numpy_the_same_tables_are_read_one_by_one() -> None:
    names = ["b", "a"]
    assert Election.from_ranks([[0, 1], [1, 0]], names).pairwise() == ((0, 1), (1, 0))
    assert Election.from_orders([[0, 1]] * 2, names).pairwise() == ((0, 0), (2, 0))
    assert bulk_of_names([["a"]], {"a": 0}) is None
    assert bulk_of_ranks([[0]], [0]) is None
    assert bulk_of_orders([[0]], [0]) is None


@pytest.mark.parametrize(
    "table",
    [
        [[0, 1, 2]],
        [[0.5, 1.0]],
        [["a", "b"]],
        [[0], [0, 1]],
        [[0, 300]],
        [[True, False]],
        3,
    ],
)
def test_what_is_no_table_of_ranks_is_refused(table: Any) -> None:
    with pytest.raises((InvalidInput, TypeError)):
        Election.from_ranks(table, ["a", "b"])


@pytest.mark.usefixtures("few_are_enough")
@pytest.mark.parametrize("wrong", [[[0, 0]], [[0, 2]], [[0, 300]], [[0, "x"]], [[0, -1]]])
def test_numbers_that_no_option_has_are_refused(wrong: Any) -> None:
    with pytest.raises(InvalidInput):
        Election.from_orders(wrong, ["a", "b"])


@pytest.mark.usefixtures("few_are_enough")
def test_short_orders_are_read_one_by_one() -> None:
    assert Election.from_orders([[1], [0, 1]], ["a", "b"]).size == 2


@pytest.mark.usefixtures("few_are_enough")
@pytest.mark.parametrize(
    "ballots",
    [[["a", "x"]], [["a", "a"]], [["a", 1]], [["a", {}]], [3], ["ab"]],
)
def test_faulty_ballots_are_named_as_ever(ballots: Any) -> None:
    with pytest.raises(InvalidInput):
        Election(ballots, options=["a", "b"], kind="ranking")


def test_more_than_32_options_with_a_number_too_many() -> None:
    row = [*range(39), 77]
    assert bulk_of_orders([row], list(range(40))) is None
    assert bulk_of_orders([[0] * 40], list(range(40))) is None


@pytest.mark.usefixtures("few_are_enough")
def test_ballots_that_all_rank_nothing_are_one_election() -> None:
    blank = Election.from_ranks(np.array([[-1], [-1]]), ["a"])
    assert blank == Election([[], []], options=["a"], kind="ranking")
    assert (blank.size, blank.abstained_weight) == (0, 2)


def test_no_options_and_no_ballots() -> None:
    assert bulk_of_orders([], []) is None
    empty = bulk_of_ranks(np.zeros((0, 2), dtype=np.uint8), [0, 1])
    assert empty is not None
    assert (empty.size, list(empty.rows())) == (0, [])


def test_equal_firsts_are_seen_in_arrays() -> None:
    assert Election.from_ranks(np.array([[0, 0], [0, 1]]), ["a", "b"]).profile().has_equal_tops
    assert not Election.from_ranks(np.array([[1, 0]]), ["a", "b"]).profile().has_equal_tops


def test_numpy_is_looked_for_in_one_place() -> None:
    assert module.numpy_or_none is arrays.numpy_or_none
