"""G1-G4, contracts 1 and 4: every rule keeps the same contract; a new one is added to the list."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from comity.mechanisms.arbitration import Policy, resolve
from comity.mechanisms.auctions import (
    RULE,
    combinatorial_vcg,
    double_vcg,
    first_price,
    mcafee,
    multi_unit_vcg,
    uniform_price,
    vickrey,
)
from comity.mechanisms.bargaining import bargain
from comity.mechanisms.deadlock import find_cycle
from comity.mechanisms.sharing import share
from comity.mechanisms.voting import Election, majority, supermajority
from comity.testing.ledger_checks import Check
from comity.testing.mechanism_checks import Call, call, check_mechanism

run_auction, auction_rules = RULE


def auction(**data: Any) -> Any:
    """Run an auction as a file or a record states it."""
    return run_auction(auction_rules(data))


def arbitrated(policy: Policy, claims: Any, *, seed: Any, now: Any = None) -> Any:
    """Decide the second of two conflicts, on what the first left behind."""
    first = resolve(claims, seed="first", policy=policy, now=None if now is None else now - 9)
    return resolve(claims, first.state, seed=seed, policy=policy, now=now)


def handed_in() -> list[Any]:
    """Return claims with bids and arrivals, as rows."""
    return [("a", 3, 9, "4.50"), ("b", 2, 8, 5), ("c", 1, 9, 5)]


CURVES = {
    "a": [[4000, 2], [4000, 1.1], [4000, 0.4]],
    "b": [[3000, 3], [3000, 1.5], [6000, 0.5]],
    "c": [[2000, 2.5], [3000, 1.2], [7000, 0.3]],
}

MECHANISMS: dict[str, tuple[Callable[..., Any], list[Call]]] = {
    "bargain": (
        bargain,
        [
            call(buyer=(60, 100), seller=(120, 70), rounds=5),
            call(buyer=(60, 100), seller=(120, 70), rounds=5, convention="midpoint"),
            call(buyer=[Decimal("60.50"), Decimal("100.00")], seller=[Decimal(120), Decimal(70)]),
            call(buyer=(Fraction(1, 3), 5), seller=(9, Fraction(7, 3)), first="seller"),
            call(buyer=(60, 65), seller=(120, 70)),
            call(buyer=(60, 84), seller=(120, 88), blind=True, stall=6, rounds=9),
            call(buyer=(60, 100), seller=(120, 70), rounds=2, after_deadline="leave"),
        ],
    ),
    "second price": (
        vickrey,
        [
            call({"a": 42, "b": 37, "c": 51, "d": 29}, reserve=0),
            call({"a": 42}, reserve=0),
            call({"a": 42}, reserve=0, min_bidders=2),
            call({"a": Decimal("42.50"), "b": "42.5", "c": 1}, reserve=1, seed="7"),
            call({"a": 3, "b": 3, "c": 3}, reserve=0),
            call({"a": 3, "b": "1/3", "c": "nan"}, reserve=5, faulty="refuse", unit="GBP"),
            call({}, reserve=0),
        ],
    ),
    "first price": (
        first_price,
        [
            call({"a": 42, "c": 51}, reserve=0),
            call({"a": 42, "c": 42}, reserve=0, seed="7"),
        ],
    ),
    "uniform price": (
        uniform_price,
        [
            call({"a": [10, 6, 2], "b": [8, 5], "c": 7}, units=3, reserve=0),
            call({"a": [5, 5], "b": [5, 5]}, units=3, reserve=0, seed="7"),
            call({"a": [2], "b": 1}, units=3, reserve=4),
        ],
    ),
    "multi-unit vcg": (
        multi_unit_vcg,
        [
            call({"a": [10, 6, 2], "b": [8, 5], "c": 7}, units=3, reserve=0),
            call({"a": [5, 5], "b": [5, 5]}, units=3, reserve=0),
        ],
    ),
    "combinatorial vcg": (
        combinatorial_vcg,
        [
            call([("a", ["A", "B"], 6), ("b", ["A"], 3), ("c", ["B"], 3)], seed="7"),
            call([("a", ["A", "B"], "10.25"), ("b", ["A"], "5.5"), ("c", ["B"], "4.5")]),
            call([("a", ["A"], 1)], reserves={"A": 2}),
            call({"a": [(["A"], 5), (["B"], 4)]}),
        ],
    ),
    "mcafee": (
        mcafee,
        [
            call({"b": 10, "c": 9, "d": 2}, {"s": 1, "t": 8, "u": 9}),
            call({"b": 9, "c": 9, "d": 9}, {"s": 1, "t": 1, "u": 20}, seed="7"),
            call({"b": 1}, {"s": 2}),
        ],
    ),
    "double vcg": (
        double_vcg,
        [call({"b": 10}, {"s": 2}), call({"b": 10, "c": 10}, {"s": 2})],
    ),
    "auction of a record": (
        auction,
        [
            call(bids={"a": 42}, reserve=0, seed="7"),
            call(
                bids=[{"bidder": "a", "amount": 9, "unit": "ms"}, ["b", 3]],
                reserve=0,
                rates={"unit": "GBP", "worth": {"ms": "1/3"}},
            ),
            call(
                bids=[{"bidder": "a", "amount": 9, "unit": "ms"}, ["b", 3]],
                reserve=0,
                rates={"unit": "GBP", "worth": {"ms": "2/3"}},
            ),
            call(
                auction="uniform price",
                units=2,
                reserve=0,
                bids=[{"bidder": "a", "amount": 5, "units": 2}, {"bidder": "b", "amount": 5}],
            ),
            call(auction="double vcg", buyers=[{"bidder": "b", "amount": 9}], sellers={"s": 1}),
        ],
    ),
    "share": (
        share,
        [
            call(12000, CURVES, objective="utilitarian", credits=True),
            call(12000, CURVES, arrivals=["a", ["b", "c"]], priorities={"a": 2, "b": 1, "c": 1}),
            call(12000, CURVES, objective="leximin", measure="share_of_best", seed="7"),
            call(Decimal("10.00"), {"a": [[9, 1]], "b": [[9, 1]], "c": [[9, 1]]}),
            call(10, {"a": [[9, 1]], "b": [[9, 1]], "c": [[9, 1]]}, seed="7"),
            call(9, {"a": {"power": "1/2"}, "b": {"log": 3, "scale": 2}, "c": {"saturating": 4}}),
            call(12, {"a": [[4, 1]], "b": [[3, 2]]}, objective="utilitarian"),
            call(10, {"a": [[9, 1]], "b": {"demand": 2}}, minimum=6),
            call(
                6,
                {"a": [[9, 2]], "b": [[9, 1]]},
                units={"a": "ms", "b": "GBP"},
                rates={"unit": "GBP", "worth": {"ms": "0.02"}},
                objective="utilitarian",
            ),
        ],
    ),
    "find cycle": (
        find_cycle,
        [
            call({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}),
            call({"a": {"b"}, "b": {"c"}}),
            call({"a": {"b", "c"}, "b": {"a"}, "c": {"a"}}, seed="7"),
            call({"a": "b", "b": "a"}, agents={"a": {"started": 1}, "b": {"started": "1.0"}}),
            call(
                {"a": "b", "b": "a"},
                agents={"a": {"held": 1}, "b": {"held": 2}},
                victim="fewest_held",
            ),
            call({"h": "a", "b": "h"}, soft={"a": "b"}),
            call({"a": "a", "b": ["c"], "c": ("b",)}, victim="lot"),
            call({}),
        ],
    ),
    "resolve": (
        resolve,
        [
            call([("A", 3), ("C", 1)], seed="7"),
            call([("A", 3), ("B", 3), ("C", 3)], seed="7"),
            call([("A", "1/3"), ("B", 0.5)], seed="7", resource="gpu"),
            call(handed_in(), seed="7", policy=Policy(rule="second_price", reserve=9)),
            call(handed_in(), seed="7", policy=Policy(rule="second_price")),
            call(handed_in(), seed="7", policy=Policy(rule="split")),
            call(handed_in(), seed="7", policy=Policy(rule="human")),
            call(handed_in(), seed="7", policy=Policy(rule="first_come")),
            call(handed_in(), seed="7", policy=Policy(rule="weighted_lottery")),
        ],
    ),
    "resolve again": (
        arbitrated,
        [
            call(Policy(c=2), [("A", 3), ("B", 3), ("C", 1)], seed="7"),
            call(Policy(rule="hours", c="0.5"), [("A", 3), ("B", 3)], seed="7", now=7200),
            call(Policy(rule="round_robin"), [("A", 3), ("B", 3)], seed="7"),
            call(Policy(rule="stride"), [("A", 3), ("B", 1)], seed="7"),
        ],
    ),
    "majority": (
        majority,
        [
            call(["A", "B", "A"]),
            call({"ann": "A", "bob": "B"}, ties="lot:7"),
            call({"ann": "A", "bob": "B", "cyd": None}, threshold="unanimous", base="present"),
            call([["A", "B"], ["B", "A"], ["A"], None], threshold="at least 2/3"),
            call({"ann": "yes", "bob": "no", "cyd": "yes"}, veto_holders=["ann"]),
            call({"ann": "yes", "bob": "veto"}),
            call(Election(["A", "B"], weights=["1/3", 0.1]), threshold=0.5),
            call([]),
        ],
    ),
    "supermajority": (
        supermajority,
        [
            call(
                [["A", "B", "D"]] * 5 + [["B", "D", "A"]] * 2, ratios={"A": 3}, default_option="D"
            ),
            call([["A", "D"], ["D", "A"]], ratios={}, default_option="D", quorum="1/2"),
            call([["A", "D"]] * 3, ratios={"A": "3/2"}, default_option="D", then="plurality"),
        ],
    ),
}

NAMES = [name for name, _ in check_mechanism(bargain, [])]


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("name", NAMES)
def test_mechanism_keeps_its_contract(mechanism: str, name: str) -> None:
    rule, calls = MECHANISMS[mechanism]
    checks: dict[str, Check] = dict(check_mechanism(rule, calls))
    checks[name]()


def test_contract_has_no_two_checks_of_one_name() -> None:
    assert len(NAMES) == len(set(NAMES)) >= 9


def test_g3_results_do_not_depend_on_how_python_hashes_text() -> None:
    code = (
        "from comity.core.canonical import digest\n"
        "from comity.mechanisms.bargaining import bargain\n"
        "print(digest(bargain(buyer=(60, 100), seller=(120, 70), rounds=5).to_json()))"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(told) == 1
