"""Choosing tests: are ties found, drawn and recorded as the rules say?

Here: the tied set, tolerance, lots and draws, several units, weights.
Not here: that lots are fair (tests/properties/test_arbitration_laws.py).
Sources: SEMANTICS R2, G4.
"""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.core.ties import lot
from comity.mechanisms.arbitration import tied_with_the_best
from comity.mechanisms.arbitration.choosing import Lots, choose, lot_index, tidy, weighted


def test_g4_a_lot_is_the_lot_of_the_core() -> None:
    names = ["a", "b", "c"]
    for seed in ("", "7", "\ud800"):
        for label in ("x", "gpu conflict 3 unit 1"):
            chosen = lot(seed, label, names).chosen
            assert names[lot_index(seed, label, 3)] == chosen
            assert names[Lots(seed).index(label, 3)] == chosen
            assert names[int(Lots(seed).share(label) * 3)] == chosen


def test_g4_listed_draws_are_used_up_in_order() -> None:
    lots = Lots([0, "1/2", Decimal("0.99")])
    assert lots.shown() == ["0", "1/2", "99/100"]
    assert [lots.index("x", 3) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(InvalidInput, match="have run out at 'y'"):
        lots.index("y", 2)
    assert Lots(7).shown() == "7"


@pytest.mark.parametrize("seed", [None, True, 1.5, [1], [-1], ["x"], {"a": 1}])
def test_another_seed_is_refused(seed: Any) -> None:
    with pytest.raises(InvalidInput):
        Lots(seed)


def test_r2_near_floats_are_tied_and_exact_numbers_are_not() -> None:
    assert tied_with_the_best({"a": 0.1 + 0.2, "b": 0.3}) == ("a", "b")
    assert tied_with_the_best({"a": 1e10 + 1, "b": 1e10}) == ("a", "b"), "relative to the maximum"
    assert tied_with_the_best({"a": -1e10 - 1, "b": -1e10}) == ("a", "b")
    assert tied_with_the_best({"a": 10**10 + 1, "b": 10**10}) == ("a",)
    assert tied_with_the_best({}) == ()


def test_r2_nearness_does_not_chain() -> None:
    scores = {"a": Fraction(0), "b": Fraction(9, 10), "c": Fraction(18, 10)}
    assert tied_with_the_best(scores, 1) == ("b", "c")


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), True, "1"])
def test_scores_that_are_no_numbers_are_refused(wrong: Any) -> None:
    with pytest.raises(InvalidInput, match="a: score"):
        tied_with_the_best({"a": wrong, "b": 1})


def test_r2_units_go_one_by_one_and_nothing_is_drawn_when_all_fit() -> None:
    drawn: list[tuple[int, int]] = []

    def draw(unit: int, count: int) -> int:
        drawn.append((unit, count))
        return 0

    found = choose({"a": 1, "b": 5, "c": 5, "d": 1, "e": 1}, 3, lambda best: 0, draw)
    assert found.winners == ("b", "c", "a")
    assert found.stages == (("b",), ("c",), ("a", "d", "e"))
    assert drawn == [(2, 3)]
    assert choose({"b": 1, "a": 2}, 9, lambda best: 0, draw).winners == ("a", "b")
    assert choose({}, 1, lambda best: 0, draw).winners == ()


def test_r4_weights_are_chances() -> None:
    weights = {"b": Fraction(1, 2), "a": 1, "c": Fraction(1, 2)}

    def first(share: Fraction) -> str:
        return weighted(weights, 1, lambda unit: share).winners[0]

    edges = [Fraction(0), Fraction(49, 100), HALF, Fraction(74, 100), Fraction(3, 4)]
    assert [first(one) for one in edges] == ["a", "a", "b", "b", "c"]
    both = weighted(weights, 2, lambda unit: Fraction(0))
    assert (both.winners, both.stages) == (("a", "b"), (("a", "b", "c"), ("b", "c")))
    assert weighted(weights, 3, lambda unit: HALF).stages == (("a",), ("b",), ("c",))
    assert weighted({}, 1, lambda unit: HALF).winners == ()


HALF = Fraction(1, 2)


def test_whole_fractions_are_written_as_whole_numbers() -> None:
    assert [type(tidy(one)) for one in (Fraction(2), Decimal(2), 2)] == [int, Decimal, int]
