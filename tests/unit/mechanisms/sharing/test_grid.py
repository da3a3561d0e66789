"""Grid: gains that are not concave (D3)."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.core.results import result_from_json
from comity.mechanisms.sharing.grid import GridAllocation, share_on_grid
from comity.testing.ledger_checks import Check
from comity.testing.mechanism_checks import call, check_mechanism

CALLS = [
    call(4, {"b": [0, 3, 3], "a": [0, 0, 5]}, step=1),
    call("2.00", {"b": [0, 1, 2], "a": [0, 1, 2]}, step="0.50", seed="3"),
]


@pytest.mark.parametrize("name", [name for name, _ in check_mechanism(share_on_grid, [])])
def test_it_keeps_the_contract_of_a_mechanism(name: str) -> None:
    checks: dict[str, Check] = dict(check_mechanism(share_on_grid, CALLS))
    checks[name]()


def test_d3_the_best_split_is_found_where_greed_fails() -> None:
    gains = {"a": [0, 0, 0, 9], "b": [0, 2, 4, 6]}
    found = share_on_grid(3, gains, step=1)
    assert ([one.value for one in found.shares], found.total_gain) == ([3, 0], 9)
    assert (found.equally_good, found.grounds.ties, found.grounds.thin) == (1, (), ())
    assert result_from_json(json.loads(json.dumps(found.to_json()))) == found


def test_money_that_brings_nothing_is_left() -> None:
    found = share_on_grid("5.00", {"a": [0, 7], "b": [0]}, step="0.50")
    assert [str(one.value) for one in found.shares] == ["0.50", "0.00"]
    assert (str(found.leftover), str(found.step)) == ("4.50", "0.50")


def test_g4_each_of_the_equally_good_splits_is_as_likely() -> None:
    gains = {"a": [0, 1, 2], "b": [0, 1, 2], "c": [0, 1, 2]}
    seen: Counter[tuple[Any, ...]] = Counter()
    for seed in range(300):
        found = share_on_grid(2, gains, step=1, seed=str(seed))
        seen[tuple(one.value for one in found.shares)] += 1
    assert len(seen) == found.equally_good == 6
    assert len(found.grounds.ties[0].tied) == 6
    assert found.grounds.ties[0].chosen in found.grounds.ties[0].tied
    chi_square = sum((many - 50) ** 2 / 50 for many in seen.values())
    assert chi_square < 20.5  # p > 0.001 with five degrees of freedom


def test_too_many_equally_good_splits_are_counted_and_not_listed() -> None:
    gains = {name: list(range(9)) for name in "abcd"}
    found = share_on_grid(8, gains, step=1)
    assert (found.equally_good, found.grounds.ties) == (165, ())
    assert found.grounds.thin == ("other splits are as good",)


def test_it_agrees_with_every_split_looked_at() -> None:
    for at in range(60):
        gains = {
            name: [(at * 7 + k * 13 + ord(name)) % 11 * (k > 0) for k in range(5)]
            for name in "abc"
        }
        best = max(
            sum(gains[name][k] for name, k in zip("abc", split, strict=True))
            for split in product(range(5), repeat=3)
            if sum(split) <= 4
        )
        assert share_on_grid(4, gains, step=1).total_gain == best


@pytest.mark.parametrize(
    ("budget", "gains", "step", "faults"),
    [
        (5, {"a": [0, 1]}, 2, 1),
        (-1, {"a": [0]}, 0, 2),
        (1, {}, 1, 1),
        (1, {"a": 5, "b": []}, 1, 2),
        (1, {"a": [0, float("nan")], "b": [0, -1], "": [0]}, 1, 3),
        (1, {"a": lambda money: True}, 1, 2),
        (10_000, {"a": [0]}, 1, 1),
    ],
)
def test_what_cannot_be_shared_is_refused(budget: Any, gains: Any, step: Any, faults: int) -> None:
    with pytest.raises(InvalidInput) as caught:
        share_on_grid(budget, gains, step=step)
    assert len(caught.value.faults) == faults, caught.value.faults


def test_functions_get_money_as_it_is() -> None:
    seen: list[Any] = []
    found = share_on_grid("1.0", {"a": lambda money: seen.append(money) or money}, step="0.5")
    assert isinstance(found, GridAllocation)
    assert seen == [0, Fraction(1, 2), 1]
