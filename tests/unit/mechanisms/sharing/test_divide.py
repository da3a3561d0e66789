"""Divide: the whole rule, its notes, ties and refusals (D1-D3, G1-G8)."""

from __future__ import annotations

import json
import random
import time
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.core.results import result_from_json
from comity.mechanisms.sharing import BudgetAllocation, share
from comity.testing.ledger_checks import Check
from comity.testing.mechanism_checks import call, check_mechanism

CAMPAIGNS: dict[str, Any] = {
    "a": [[4000, 2], [4000, 1.1], [4000, 0.4]],
    "b": [[3000, 3], [3000, 1.5], [6000, 0.5]],
    "c": [[2000, 2.5], [3000, 1.2], [7000, 0.3]],
}
CALLS = [
    call(12000, CAMPAIGNS),
    call(12000, CAMPAIGNS, objective="utilitarian", credits=True),
    call(12000, CAMPAIGNS, objective="leximin", measure="share_of_best"),
    call(Decimal("100.00"), {"b": {"demand": 50}, "a": {"demand": 90}, "c": [[5, 0]]}),
    call(100, {"b": {"log": 7}, "a": {"power": 0.5}}, weights={"a": "1/3"}, seed="x"),
    call(10, {name: {"demand": 10} for name in "cab"}, arrivals=[["c", "a"], "b"]),
    call(10, {"a": [[10, 1]]}, minimum=11),
]
CONTRACT = [name for name, _ in check_mechanism(share, [])]


def shared(*args: Any, **options: Any) -> BudgetAllocation:
    found = share(*args, **options)
    assert isinstance(found, BudgetAllocation)
    return found


@pytest.mark.parametrize("name", CONTRACT)
def test_it_keeps_the_contract_of_a_mechanism(name: str) -> None:
    checks: dict[str, Check] = dict(check_mechanism(share, CALLS))
    checks[name]()


def test_d1_the_result_has_all_that_was_asked_for() -> None:
    found = shared(12000, CAMPAIGNS, objective="utilitarian")
    assert found.allocation == {"a": 4000, "b": 6000, "c": 2000}
    assert (found.shadow_price, found.next_best) == (Fraction(3, 2), Fraction(6, 5))
    assert [(row.last_gain, row.next_gain) for row in found.rows] == [
        (2, Fraction(11, 10)),
        (Fraction(3, 2), Fraction(1, 2)),
        (Fraction(5, 2), Fraction(6, 5)),
    ]
    assert [one.rule for one in found.beside] == ["first_come", "equal_split", "static_priority"]
    assert (found.leftover, found.grounds.ended_by, found.grounds.thin) == (0, "budget_spent", ())


def test_d1_nash_excludes_and_names_who_cannot_gain() -> None:
    found = shared(100, {"a": [[50, 1]], "b": [[50, 0]], "c": {"power": 0.5}}, maximum={"c": 0})
    assert found.allocation == {"a": 50, "b": 0, "c": 0}
    assert found.excluded == ("b", "c")
    assert "left out of the product, as they cannot gain: b, c" in found.notes
    assert (found.leftover, found.grounds.ended_by) == (50, "curves_exhausted")
    other = shared(100, {"a": [[50, 1]], "b": [[50, 0]]}, objective="leximin")
    assert other.excluded == ("b",)
    assert not any("product" in note for note in other.notes)


def test_g6_gains_of_several_units_are_never_added() -> None:
    found = shared(100, {"a": [[50, 1]], "b": [[90, 7]]}, units={"a": "GBP", "b": "ms"})
    assert found.total_gain is None
    assert all(one.total_gain is None for one in found.beside)
    assert found.allocation == {"a": 50, "b": 50}


def test_g4_g8_a_lot_and_equal_splits_make_a_result_thin() -> None:
    found = shared(10, {name: {"demand": 10} for name in "abc"})
    assert found.grounds.thin == ("a lot decided who gets a spare unit",)
    assert sorted(found.allocation.values()) == [3, 3, 4]
    assert "3 ways of handing out the spare units are as good" in found.notes
    tied = shared(10, {"a": [[10, 1]], "b": [[10, 1]]}, objective="utilitarian")
    assert tied.grounds.thin == ("other splits are as good",)
    assert not tied.is_unique


def test_too_few_units_for_everybody_are_told() -> None:
    found = shared(1, {"a": [[10, 1]], "b": [[10, 1]]})
    assert any("too few units" in note for note in found.notes)
    assert not any("too few" in note for note in shared(2, {"a": [[9, 1]], "b": [[9, 1]]}).notes)


def test_d3_concavified_curves_are_noted() -> None:
    found = shared(10, {"a": [[2, 0], [2, 3]]}, concavify=True)
    assert found.notes[0].startswith("a: the slope rises from 0 to 3 at 2")
    assert found.allocation == {"a": 4}


def test_smooth_gains_are_told_with_twelve_digits_and_money_is_exact() -> None:
    found = shared("100.00", {"a": {"power": 0.5, "scale": 3}, "b": {"log": 20, "scale": 9}})
    assert sum(found.allocation.values()) == 100
    assert all(str(one)[::-1].find(".") == 2 for one in found.allocation.values())
    assert all(len(str(gain).replace(".", "")) <= 12 for gain in found.gains.values())
    start = shared(0, {"a": {"power": 0.5}})
    assert (start.rows[0].last_gain, start.rows[0].next_gain) == (None, None)


def test_many_agents_are_told_by_their_first_twelve() -> None:
    found = shared(26, {f"n{at:02}": {"demand": 2} for at in range(13)})
    assert found.says.endswith("n11 2 and 1 more.")


def test_asks_and_priorities_decide_about_the_rules_beside() -> None:
    found = shared(
        12000, CAMPAIGNS, asks={"a": 11400}, arrivals="abc"[:0] or ["a", "b", "c"],
        priorities={"a": 3, "b": 2, "c": 1},
    )  # fmt: skip
    first, _, static = found.beside
    assert [one.value for one in first.shares] == [11400, 600, 0]
    assert not first.drawn
    assert not static.drawn
    unknown = shared(12000, CAMPAIGNS)
    assert unknown.beside[0].drawn
    assert unknown.beside[2].drawn
    assert not shared(10, {"a": [[10, 1]]}).beside[0].drawn


def test_ratios_too_long_to_be_written_are_told_with_forty_digits() -> None:
    chance = random.Random(4)  # noqa: S311  # made-up slopes
    asked = {f"n{at}": [[1000, chance.randint(10**39, 10**40)]] for at in range(130)}
    found = shared(39_000, asked, objective="leximin")
    assert sum(found.allocation.values()) == 39_000
    assert isinstance(found.exact["n7"], Decimal)
    assert result_from_json(json.loads(json.dumps(found.to_json()))) == found


def test_numbers_whose_products_could_not_be_written_are_refused() -> None:
    for budget, curve in ((10**1000, [[1, 1]]), (1, [[1, 10**1000]]), (1, [["1E-1000", 1]])):
        with pytest.raises(InvalidInput):
            share(budget, {"a": curve})


def test_unknown_options_are_refused_with_the_nearest() -> None:
    with pytest.raises(InvalidInput) as caught:
        share(10, {"a": [[1, 1]]}, objectiv="nash", x=1)  # type: ignore[call-arg]
    assert [fault.what for fault in caught.value.faults] == [
        "has no option 'objectiv'",
        "has no option 'x'",
    ]
    assert caught.value.faults[0].next == "did you mean 'objective'"


def test_d1_the_rules_beside_keep_to_minima_and_maxima() -> None:
    options: dict[str, Any] = {"minimum": {"c": 3000}, "maximum": {"a": 5000}}
    ranks = {"a": 3, "b": 2, "c": 1}
    found = shared(12000, CAMPAIGNS, arrivals=["a", "b", "c"], priorities=ranks, **options)
    beside = {one.rule: {item.name: item.value for item in one.shares} for one in found.beside}
    assert beside == {
        "first_come": {"a": 5000, "b": 4000, "c": 3000},
        "equal_split": {"a": 4000, "b": 4000, "c": 4000},
        "static_priority": {"a": 5000, "b": 4000, "c": 3000},
    }


def test_d1_marginal_gains_are_those_at_the_whole_share() -> None:
    """The exact share of b is above 0, and no whole unit of it: no last unit brought anything."""
    found = shared(1, {"a": [[10, 10]], "b": [[10, "0.1"]]}, objective="leximin")
    rows = {row.agent: (row.share, row.last_gain, row.next_gain) for row in found.rows}
    assert rows == {"a": (1, 10, 10), "b": (0, None, Fraction(1, 10))}


def test_d1_a_curve_that_is_flat_from_the_start_does_not_hold_up_the_others() -> None:
    """Under leximin such a curve asks for 10 ** -1000000 of money; that once took 43 seconds."""
    flat = {"power": "0.000001", "scale": Decimal("3E-16")}
    claims = {"a": [[300, 7]], "b": flat, "c": {"power": "0.99", "scale": Decimal("4E+11")}}
    began = time.process_time()
    found = shared(7, claims, objective="leximin", measure="share_of_best")
    assert sum(found.allocation.values()) == 7
    assert time.process_time() - began < 5
