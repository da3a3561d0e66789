"""Events: a conflict is kept whole and comes back the same (R2, K1)."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from comity.ledger.entry import NewEntry
from comity.mechanisms.arbitration import Claim, Conflict
from comity.protocols.claims import conflict_body, conflict_of

PLAIN = Conflict(3, "gpu", (("a", 9), ("b", 5)), (0, 2), (("a", "b"),), ("b",))


@pytest.mark.parametrize(
    "conflict",
    [
        PLAIN,
        PLAIN._replace(claims=(("a", Fraction(1, 3)), ("b", Decimal("0.50")))),
        PLAIN._replace(claims=(Claim("a", 9, 7), Claim("b", 5, 8, Fraction(1, 7)))),
        PLAIN._replace(marks=(), stages=(), winners=(), at=Fraction(5, 2)),
    ],
)
def test_k1_a_conflict_comes_back_from_the_ledger(conflict: Conflict) -> None:
    body: dict[str, Any] = json.loads(NewEntry("conflict", conflict_body(conflict, seed="7")).text)
    assert conflict_of(body) == conflict
    assert body["seed"] == "7"


def test_r2_every_claimant_is_listed_with_priority_and_losses() -> None:
    assert conflict_body(PLAIN, seed=None) == {
        "number": 3,
        "resource": "gpu",
        "claims": [["a", 9, 0], ["b", 5, 2]],
        "stages": [["a", "b"]],
        "winners": ["b"],
        "seed": None,
    }


def test_r7_the_leases_that_came_with_it_are_kept() -> None:
    body = conflict_body(PLAIN, seed="7", leases=(("b", 4, 99),))
    assert body["leases"] == [["b", 4, 99]]
    assert conflict_of(body) == PLAIN
