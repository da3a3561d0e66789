"""Ties: is a lot exactly the one that anybody can recompute, and does it favour nobody?

Here: the lot against its formula written anew, its boundaries, its fairness, listed draws (G4).
Not here: how a tied set is found (mechanisms), orders at large (tests/properties).
Sources: SEMANTICS G4; Pearson 1900 for the chi-square test, critical values at p = 0.001 from
the usual tables.
"""

from __future__ import annotations

import dataclasses
import itertools
import os
from collections import Counter
from collections.abc import Hashable, Iterable
from decimal import Decimal
from fractions import Fraction
from hashlib import sha256
from math import ceil, factorial
from typing import Any, get_args

import pytest

from comity.core import ties
from comity.core.codec import encode
from comity.core.errors import InvalidInput
from comity.core.ties import Tie, TieRule, draw, lot, rotation, shuffled

SEEDS = 40_000 if os.environ.get("COMITY_FULL") == "1" else 10_000

# Degrees of freedom -> the chi-square value that chance exceeds once in a thousand.
CRITICAL = {
    1: Fraction("10.828"),
    2: Fraction("13.816"),
    4: Fraction("18.467"),
    5: Fraction("20.515"),
    6: Fraction("22.458"),
    8: Fraction("26.124"),
    9: Fraction("27.877"),
    23: Fraction("49.728"),
}


def by_hand(seed: str, label: str, tied: Iterable[str]) -> str:
    """Return the member G4 names, in integers only, written without the code under test."""
    names = sorted(set(tied))
    number = int(sha256(seed.encode("utf-8") + label.encode("utf-8")).hexdigest(), 16)
    return names[(number * len(names)) >> 256]


def is_fair(found: Iterable[Hashable], cells: int) -> bool:
    """Tell whether chi-square against equal chances has p > 0.001, in exact arithmetic."""
    counts = Counter(found)
    total = sum(counts.values())
    squares = sum(count * count for count in counts.values())
    return Fraction(squares * cells, total) - total < CRITICAL[cells - 1]


# --- the lot, exactly ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seed", "label", "tied", "chosen"),
    [
        ("7", "winner", ["b", "a", "c"], "a"),
        ("", "", ["b", "a"], "b"),
        ("0" * 32, "round 2 elimination", ["GM", "CC", "CX", "PR"], "PR"),
        ("ü", "漢", ["z", "Z", "é"], "é"),
    ],
)
def test_g4_known_lots(seed: str, label: str, tied: list[str], chosen: str) -> None:
    assert by_hand(seed, label, tied) == chosen
    assert lot(seed, label, tied) == Tie(
        label=label, tied=tuple(sorted(tied)), rule="lot", chosen=chosen, seed=seed
    )


def test_g4_a_lot_is_the_formula_for_many_seeds_labels_and_sizes() -> None:
    for number in range(3000):
        names = [f"n{at}" for at in range(number % 23 + 1)]
        assert lot(str(number), f"l{number % 7}", names).chosen == by_hand(
            str(number), f"l{number % 7}", names
        )


class Listed:
    """Stands in for sha256 with a digest of our choice."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __call__(self, _: bytes) -> Listed:
        return self

    def digest(self) -> bytes:
        return self.number.to_bytes(32, "big")


@pytest.mark.parametrize("size", [1, 2, 3, 7, 10, 1000])
def test_g4_the_member_is_the_floor_of_u_times_n_at_every_boundary(
    monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    names = [f"{at:04}" for at in range(size)]

    def member(number: int) -> int:
        monkeypatch.setattr(ties, "sha256", Listed(number))
        return names.index(str(lot("s", "l", names).chosen))

    assert member(0) == 0
    assert member(2**256 - 1) == size - 1
    for at in range(1, min(size, 50)):
        first = ceil(Fraction(at * 2**256, size))  # the least number that reaches member `at`
        assert (member(first - 1), member(first)) == (at - 1, at)


def test_g4_members_are_sorted_by_code_point() -> None:
    tied = ["é", "a", "Z", "a b", "10", "9", "z", "\U0001f600", "\uffff"]
    in_order = ("10", "9", "Z", "a", "a b", "z", "é", "\uffff", "\U0001f600")
    assert lot("1", "x", tied).tied == in_order


def test_g4_the_order_and_kind_of_the_list_changes_nothing() -> None:
    tied = ("a", "b", "c", "d")
    for number in range(20):
        first = lot(str(number), "x", tied)
        assert {lot(str(number), "x", order) for order in itertools.permutations(tied)} == {first}
        assert lot(str(number), "x", set(tied)) == first  # type: ignore[arg-type]
        assert lot(str(number), "x", dict.fromkeys(reversed(tied))) == first  # type: ignore[arg-type]


def test_a_lot_over_one_name_takes_it() -> None:
    assert lot("1", "x", ["only"]).chosen == "only"


def test_text_that_no_file_holds_can_still_be_drawn_over() -> None:
    assert lot("\ud800", "\udfff", ["\ud801", "a"]).chosen in {"\ud801", "a"}


# --- fairness --------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [2, 3, 5, 7])
def test_g4_a_lot_is_fair_over_ten_thousand_seeds(size: int) -> None:
    names = [f"party {at}" for at in range(size)]
    assert is_fair((lot(str(seed), "winner", names).chosen for seed in range(SEEDS)), size)


def test_g4_two_labels_under_one_seed_are_drawn_independently() -> None:
    names = ["a", "b", "c"]
    pairs = (
        (lot(f"{seed:032x}", "first", names).chosen, lot(f"{seed:032x}", "second", names).chosen)
        for seed in range(SEEDS)
    )
    assert is_fair(pairs, 9)


@pytest.mark.parametrize("size", [3, 5])
def test_a_rotation_starts_with_everybody_equally_often(size: int) -> None:
    names = [f"party {at}" for at in range(size)]
    assert is_fair((rotation(str(seed), "turns", names) for seed in range(SEEDS)), size)


@pytest.mark.parametrize("size", [3, 4])
def test_every_order_of_a_shuffle_is_equally_likely(size: int) -> None:
    names = [f"party {at}" for at in range(size)]
    drawn = (shuffled(str(seed), "order", names) for seed in range(SEEDS))
    assert is_fair(drawn, factorial(size))


def test_the_test_of_fairness_sees_a_bias_of_five_points() -> None:
    even, skewed = "ab" * 5000, "a" * 5500 + "b" * 4500
    assert is_fair(even, 2)
    assert not is_fair(skewed, 2)
    assert not is_fair("a" * 10_000, 3)


# --- listed draws ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "chosen"),
    [
        (0, "a"),
        (Fraction(1, 3), "b"),
        (Fraction(1, 3) - Fraction(1, 10**40), "a"),
        (Fraction(2, 3), "c"),
        (Fraction(10**40 - 1, 10**40), "c"),
        (Decimal("0.99999999999999999999999999999999999999999"), "c"),
        (Decimal("0.5"), "b"),
        (0.3, "a"),
    ],
)
def test_g4_a_listed_draw_takes_the_member_it_points_at(value: Any, chosen: str) -> None:
    for order in itertools.permutations("abc"):
        assert draw(value, "x", order) == Tie(
            label="x", tied=("a", "b", "c"), rule="lot", chosen=chosen
        )


def test_g4_a_draw_given_as_a_float_is_the_number_its_author_wrote() -> None:
    names = [f"{at:02}" for at in range(100)]
    assert draw(0.29, "x", names).chosen == "29"  # 0.29 * 100 is 28.999999999999996 in floats


@pytest.mark.parametrize(
    ("value", "text"),
    [(1, "1"), (Fraction(-1, 9), "-1/9"), (Decimal("1.0"), "1.0"), (-1.5, "-1.5")],
)
def test_a_draw_outside_zero_to_one_is_refused(value: Any, text: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        draw(value, "x", ["a"])
    assert str(caught.value) == (
        f"draw: is {text}. Allowed: at least 0 and below 1. Next: correct the list of draws."
    )


@pytest.mark.parametrize("value", [float("nan"), float("inf"), True, False, None, "x"])
def test_g5_a_draw_that_is_no_number_is_refused(value: Any) -> None:
    with pytest.raises(InvalidInput, match=r"^draw: value is "):
        draw(value, "x", ["a"])


# --- orders ----------------------------------------------------------------------------------


def test_a_rotation_keeps_the_sorted_cycle_and_starts_where_the_lot_says() -> None:
    names = ["CX", "CC", "GM", "PR"]
    cycle = sorted(names)
    for number in range(50):
        turned = rotation(str(number), "turns", names)
        at = cycle.index(by_hand(str(number), "turns", names))
        assert turned == tuple(cycle[at:] + cycle[:at])


def test_a_shuffle_draws_one_after_the_other_from_who_is_left() -> None:
    for number in range(50):
        left, order = {"CX", "CC", "GM", "PR"}, []
        while left:
            order.append(by_hand(str(number), f"turns/{len(order)}", left))
            left.remove(order[-1])
        for names in itertools.permutations(order):
            assert shuffled(str(number), "turns", names) == tuple(order)


# --- refusals --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tied", "text"),
    [
        ([], "[]"),
        (["a", "b", "a"], "['a', 'b', 'a']"),
        ("abc", "'abc'"),
        ([1, 2], "[1, 2]"),
        ([1, "a"], "[1, 'a']"),
        ([["a"]], "[['a']]"),
        ([None], "[None]"),
    ],
)
def test_what_is_no_set_of_names_is_refused(tied: Any, text: str) -> None:
    calls = (
        lambda: lot("1", "x", tied),
        lambda: draw(Fraction(0), "x", tied),
        lambda: rotation("1", "x", tied),
        lambda: shuffled("1", "x", tied),
    )
    for call in calls:
        with pytest.raises(InvalidInput) as caught:
            call()
        assert str(caught.value) == (
            f"lot: is drawn over {text}. Allowed: a list of at least one name, each once. "
            "Next: pass the tied set."
        )


def test_a_tie_is_frozen_hashable_and_written_whole() -> None:
    tie = lot("7", "winner", ["b", "a"])
    assert (
        tie.to_json()
        == encode(tie)
        == {
            "label": "winner",
            "tied": ["a", "b"],
            "rule": "lot",
            "chosen": by_hand("7", "winner", "ab"),
            "seed": "7",
        }
    )
    assert hash(tie) == hash(lot("7", "winner", ["a", "b"]))
    with pytest.raises(dataclasses.FrozenInstanceError):
        tie.chosen = "a"  # type: ignore[misc]


def test_g4_the_list_of_tie_rules_is_closed() -> None:
    assert get_args(TieRule) == (
        "none", "lot", "chair", "status_quo", "secondary", "ballot_hash", "human"
    )  # fmt: skip
