"""Price cases: do all listed negotiations end as the reference says, under every convention?

Here: the 10 hand-made negotiations of the reference data and their deals under 7 conventions.
Not here: why each convention answers as it does (unit tests of the bargaining room).
Sources: SEMANTICS B4; the reference data's own README.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from comity.mechanisms.bargaining import PriceAgreement, PriceNoDeal, bargain

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# The reference's letters: A simultaneous and same round, B next round, C alternating, D midpoint;
# a prime is the other party first. C is opened by the seller.
CONVENTIONS: dict[str, dict[str, Any]] = {
    "A": {"convention": "same_round", "first": "buyer"},
    "A'": {"convention": "same_round", "first": "seller"},
    "B": {"convention": "next_round", "first": "buyer"},
    "B'": {"convention": "next_round", "first": "seller"},
    "C": {"convention": "alternating", "first": "seller"},
    "C'": {"convention": "alternating", "first": "buyer"},
    "D": {"convention": "midpoint"},
}


@pytest.fixture(scope="module")
def cases(need_data: Callable[[str], Path]) -> list[dict[str, Any]]:
    found = need_data("negotiation/price_cases.json")
    listed: list[dict[str, Any]] = json.loads(found.read_text(encoding="utf-8"))["cases"]
    assert listed
    return listed


@pytest.mark.parametrize("letter", CONVENTIONS)
def test_b4_every_case_ends_as_the_reference_says(
    letter: str, cases: list[dict[str, Any]]
) -> None:
    wrong = []
    for case in cases:
        seller_rounds, buyer_rounds = case["T"]
        found = bargain(
            buyer=case["buyer"],
            seller=case["seller"],
            buyer_rounds=buyer_rounds,
            seller_rounds=seller_rounds,
            **CONVENTIONS[letter],
        )
        got: list[Any] | None = None
        if isinstance(found, PriceAgreement):
            got = [found.round, found.price]
        if got != case["results"][letter]:
            wrong.append((case["name"], case["results"][letter], got))
        if isinstance(found, PriceNoDeal):
            assert found.reason == "no_overlap"
    assert wrong == []


def test_b4_the_reference_has_an_answer_for_every_convention(
    cases: list[dict[str, Any]],
) -> None:
    assert all(case["results"].keys() == CONVENTIONS.keys() for case in cases)
