"""Truthfulness audit: is every lie that pays found, and none where truth is best?"""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any
from unittest import mock

import pytest

from comity.core.errors import InvalidInput, UnknownName
from comity.core.results import result_from_json
from comity.mechanisms.auctions import audit as package_audit
from comity.mechanisms.auctions.audit import TruthfulnessVerdict, audit

module = import_module("comity.mechanisms.auctions.audit")


@pytest.mark.parametrize("reserve", [0, 2])
@pytest.mark.parametrize("bidders", [1, 2, 3])
def test_a3_second_price_has_no_regret_on_any_grid(bidders: int, reserve: int) -> None:
    for grid in (range(4), [0, "1.5", 2, "7/2"]):
        found = audit("second_price", grid, bidders=bidders, reserve=reserve)  # type: ignore[arg-type]
        assert (found.verdict, found.regret, found.worst) == ("truthful", 0, None)
        assert found.exhaustive


@pytest.mark.parametrize(
    ("rule", "grid", "options"),
    [
        ("multi_unit_vcg", range(4), {"units": 2, "reserve": 1}),
        ("multi_unit_vcg", range(3), {"units": 3}),
        ("combinatorial_vcg", range(3), {}),
        ("combinatorial_vcg", range(4), {"reserve": 1}),
        ("mcafee", range(4), {}),
        ("double_vcg", range(4), {}),
        ("mcafee", range(6), {"bidders": 1}),
    ],
)
def test_a3_nor_have_vcg_and_mcafee(rule: str, grid: Any, options: Any) -> None:
    found = audit(rule, grid, **options)
    assert (found.regret, found.exhaustive) == (0, True)
    assert found.assumptions


@pytest.mark.parametrize(
    ("rule", "top", "regret"), [("uniform_price", 5, 5), ("pay_as_bid", 5, 10)]
)
@pytest.mark.full
def test_a3_the_known_regrets_of_two_units(rule: str, top: int, regret: int) -> None:
    assert audit(rule, range(top + 1), units=2).regret == regret


def test_a3_demand_reduction_is_found() -> None:
    found = audit("uniform_price", range(4), units=2)
    assert (found.verdict, found.regret) == ("not_truthful", 3)
    assert found.worst is not None
    assert found.worst.lying - found.worst.truthful == found.regret
    assert found.says.startswith("Not truthful: with the value 3/3 against 3/0, bidding")


def test_a3_against_nobody_first_price_is_bid_at_the_reserve() -> None:
    found = audit("first_price", range(7), bidders=1, reserve=2)
    assert found.says == (
        "Not truthful: with the value 6 against nobody, bidding 2 gains 4 instead of 0."
    )


def test_a3_beyond_small_grids_a_seeded_sample_is_tried_and_is_no_proof() -> None:
    with mock.patch.object(module, "_SAMPLES", 100):
        one = audit("second_price", range(100), bidders=4, seed="7")
    assert (one.cases, one.exhaustive) == (100, False)
    assert one.grounds.thin == ("a sample: no proof that no lie pays",)
    few = audit("second_price", range(9), samples=50, seed="7")
    again = audit("second_price", range(9), samples=50, seed="7")
    other = audit("second_price", range(9), samples=50, seed="8")
    assert few == again != other
    assert audit("first_price", range(100), bidders=3, samples=200).regret > 0
    assert audit("first_price", range(9), samples=5).grounds.ended_by == "sample tried"


def test_a_verdict_survives_json() -> None:
    for rule in ("first_price", "second_distinct_price"):
        found = audit(rule, range(4), reserve=1)
        back = result_from_json(json.loads(json.dumps(found.to_json())))
        assert back == found
        assert isinstance(back, TruthfulnessVerdict)
        assert str(found).startswith("Not truthful")
    assert "flawed" in found.assumptions[0]


def test_g7_faults_are_told_at_once() -> None:
    with pytest.raises(InvalidInput) as caught:
        audit("second_price", [1, "x", -1], bidders=0, units=0, reserve=-1, samples=0, seed=1,
              sed=2)  # type: ignore[call-arg, arg-type]  # fmt: skip
    assert len(caught.value.faults) == 8
    for grid in (3, [], [1, 1]):
        with pytest.raises(InvalidInput, match="grid is"):
            audit("second_price", grid)  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="did you mean 'second_price'"):
        audit("second price", [1])
    assert package_audit is audit
