"""Correlation: phi, pairs, panels."""

from __future__ import annotations

from math import sqrt

import pytest

from comity.mechanisms.voting.independence.correlation import (
    PairRecord,
    errors_of,
    pair_records,
    panel_of,
    phi,
    usable,
    within,
)
from comity.mechanisms.voting.independence.log import VoteLog, vote_log

LARGE = [
    (shared, wrong) for shared in range(10**9, 10**9 + 40) for wrong in range(7**9, 7**9 + 20)
]
HAND = {"A": {1, 2, 3}, "B": {1, 2, 3}, "C": {1, 2, 4}}


def hand_log() -> VoteLog:
    rows = [
        (str(item), voter, "no" if item in wrong else "yes")
        for voter, wrong in HAND.items()
        for item in range(1, 11)
    ]
    return vote_log(rows, truth={str(item): "yes" for item in range(1, 11)})


def pair(first: str, second: str, value: float | None, *, few: bool = False) -> PairRecord:
    return PairRecord(
        first=first,
        second=second,
        shared=5 if few else 50,
        both_wrong=0,
        phi=value,
        has_few_items=few,
        same_wrong=None,
    )


def test_v9_the_hand_example() -> None:
    pairs = pair_records(errors_of(hand_log()))
    assert [(one.first, one.second) for one in pairs] == [("A", "B"), ("A", "C"), ("B", "C")]
    assert [one.phi for one in pairs] == pytest.approx([1.0, 0.11 / 0.21, 0.11 / 0.21])
    assert [one.both_wrong for one in pairs] == [3, 2, 2]
    assert all(one.has_few_items for one in pairs)
    panel = panel_of("ABC", [1, 1, 1], pairs)
    assert panel.rho == pytest.approx(0.6825, abs=0.0001)
    assert panel.n_eff == pytest.approx(1.268, abs=0.0005)
    assert panel_of("ABC", [2, 1, 1], pairs).n_eff == pytest.approx(1.217, abs=0.0005)


@pytest.mark.parametrize(
    ("counts", "value"),
    [
        ((0, 0, 0, 0), None),
        ((10, 0, 3, 0), None),
        ((10, 3, 10, 3), None),
        ((10, 5, 5, 5), 1.0),
        ((10, 5, 5, 0), -1.0),
        ((4, 2, 2, 1), 0.0),
    ],
)
def test_v9_phi_is_undefined_not_0_for_who_never_or_always_errs(
    counts: tuple[int, int, int, int], value: float | None
) -> None:
    assert phi(*counts) == value


def test_rounding_never_takes_phi_beyond_1() -> None:
    bare = [
        (shared * wrong - wrong * wrong)
        / sqrt(wrong * (shared - wrong) * wrong * (shared - wrong))
        for shared, wrong in LARGE
    ]
    assert max(bare) > 1
    assert max(phi(shared, wrong, wrong, wrong) or 0 for shared, wrong in LARGE) == 1.0
    assert min(phi(shared, wrong, shared - wrong, 0) or 0 for shared, wrong in LARGE) == -1.0


def test_only_items_both_answered_count() -> None:
    rows = {"a": {"1": "x", "2": "y", "3": None}, "b": {"1": "x", "3": "x", "4": "x"}}
    errors = errors_of(vote_log(rows, truth=dict.fromkeys("123", "y")))
    assert errors.answered == (0b0011, 0b0101)
    assert errors.wrong == (0b0001, 0b0101)
    (found,) = pair_records(errors)
    assert (found.shared, found.both_wrong, found.phi) == (1, 1, None)


def test_classes_come_by_their_first_item_whatever_their_names() -> None:
    rows = {"a": dict.fromkeys("1234", "x")}
    errors = errors_of(vote_log(rows, truth={"1": "z", "2": "x", "3": "z", "4": "y"}))
    assert errors.classes == (("z", 0b0101), ("x", 0b0010), ("y", 0b1000))
    assert within(errors, 0b0101).classes == (("z", 0b0101),)
    assert within(errors, 0b0010).wrong == (0,)


def test_within_some_items_everything_is_cut_to_them() -> None:
    rows = {"a": {"1": "y", "2": "x", "3": "z"}, "b": {"1": "y", "2": "y"}}
    whole = errors_of(vote_log(rows, truth=dict.fromkeys("123", "x")))
    part = within(whole, 0b011)
    assert part.answered == (0b011, 0b011)
    assert part.wrong == (0b001, 0b011)
    assert part.said == ({"y": 0b001, "x": 0b010, "z": 0}, {"y": 0b011})
    assert (part.voters, part.options) == (whole.voters, whole.options)


def test_a_log_without_truth_has_no_errors() -> None:
    errors = errors_of(vote_log([("1", "a", "x")]))
    assert (errors.answered, errors.classes) == ((0,), ())


def test_v9_the_same_wrong_answer_is_told_with_three_options() -> None:
    truth = dict.fromkeys("1234", "x")
    rows = {
        "a": {"1": "y", "2": "y", "3": "z", "4": "x"},
        "b": {"1": "y", "2": "z", "3": "z", "4": "y"},
        "c": truth,
    }
    found = {(one.first, one.second): one.same_wrong for one in
             pair_records(errors_of(vote_log(rows, truth=truth)))}  # fmt: skip
    assert found == {("a", "b"): pytest.approx(2 / 3), ("a", "c"): None, ("b", "c"): None}
    two = vote_log({"a": {"1": "y"}, "b": {"1": "y"}}, truth={"1": "x"})
    assert pair_records(errors_of(two))[0].same_wrong is None


def test_v9_pairs_with_few_items_count_only_when_none_has_enough() -> None:
    enough, few = pair("a", "b", 0.2), pair("a", "c", 0.8, few=True)
    assert usable([enough, few]) == [enough]
    assert usable([few]) == [few]
    assert usable([pair("a", "b", None), few]) == []
    assert panel_of("abc", [1, 1, 1], [enough, few]).rho == 0.2
    assert panel_of("ac", [1, 1], [enough, few]).rho == 0.8


def test_v9_a_pair_without_correlation_is_taken_to_have_the_mean() -> None:
    panel = panel_of("abc", [1, 1, 1], [pair("a", "b", 0.5), pair("a", "c", None)])
    assert (panel.pairs, panel.rho) == (1, 0.5)
    assert panel.n_eff == pytest.approx(3 / (1 + 2 * 0.5))


def test_a_panel_without_a_pair_cannot_be_told_and_one_voter_is_one() -> None:
    nobody = panel_of("ab", [1, 1], [pair("a", "b", None)])
    assert (nobody.rho, nobody.n_eff, nobody.counting_as) == (None, None, None)
    alone = panel_of("a", [1], [pair("a", "b", 0.5)])
    assert (alone.voters, alone.rho, alone.n_eff, alone.counting_as) == (1, None, 1.0, 1.0)


def test_v9_negative_correlation_is_no_bonus() -> None:
    panel = panel_of("ab", [1, 1], [pair("a", "b", -1.0)])
    assert (panel.n_eff, panel.counting_as) == (None, 2.0)
    half = panel_of("ab", [1, 1], [pair("a", "b", -0.5)])
    assert (half.n_eff, half.counting_as) == (pytest.approx(4.0), 2.0)
