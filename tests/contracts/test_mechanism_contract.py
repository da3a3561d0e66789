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

from comity.mechanisms.bargaining import bargain
from comity.mechanisms.voting import Election, majority, supermajority
from comity.testing.ledger_checks import Check
from comity.testing.mechanism_checks import Call, call, check_mechanism

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
