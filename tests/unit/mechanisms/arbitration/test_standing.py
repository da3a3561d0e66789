"""Standing tests: does the heap refuse what it cannot do, and keep count?

Here: joining, leaving, refusals.
Not here: that it decides as the engine does (tests/properties/test_arbitration_laws.py).
Sources: SEMANTICS R1.
"""

from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.arbitration import Policy, Standing, Won

PEOPLE: dict[str, Any] = {"a": 9, "b": 5, "c": 1}


def test_everybody_wins_while_there_are_enough_units() -> None:
    standing = Standing(PEOPLE, policy=Policy(units=3), seed="7")
    assert standing.conflict() == Won(1, ("a", "b", "c"), (1, 1, 1))
    assert len(standing) == 3


def test_whoever_leaves_keeps_its_losses() -> None:
    standing = Standing(PEOPLE, policy=Policy(c=Fraction(1, 3)), seed="7")
    for _ in range(4):
        standing.conflict()
    assert standing.losses() == {"a": 0, "b": 4, "c": 4}
    assert standing.leave("c") == 4
    standing.conflict()
    standing.join("c", 1, losses=4)
    assert standing.losses()["c"] == 4
    standing.join("d", Fraction(1, 7))
    assert standing.losses()["d"] == 0


def test_equals_leave_one_by_one() -> None:
    standing = Standing({"a": 1, "b": 1}, policy=Policy(), seed="7")
    standing.leave("a")
    assert standing.conflict().winners == ("b",)
    standing.leave("b")
    with pytest.raises(InvalidInput, match="has no claims"):
        standing.conflict()
    assert standing.losses() == {}


def test_a_newcomer_may_be_somebodys_equal() -> None:
    standing = Standing({"a": 1, "c": 1}, policy=Policy(), seed=["1/2"])
    standing.join("b", 1)
    assert standing.conflict() == Won(1, ("b",), (3,))


def test_it_may_start_empty() -> None:
    standing = Standing({}, policy=Policy(), seed="7")
    standing.join("a", 1)
    assert standing.conflict() == Won(1, ("a",), (1,))


@pytest.mark.parametrize(
    "policy",
    [Policy(rule="stride"), Policy(tolerance=1), Policy(cap=3), Policy(expiry=3)],
)
def test_other_policies_cannot_stand(policy: Policy) -> None:
    with pytest.raises(InvalidInput, match="use Arbitration"):
        Standing(PEOPLE, policy=policy, seed="7")


def test_faults_are_refused() -> None:
    standing = Standing(PEOPLE, policy=Policy(tolerance=0), seed="7")
    with pytest.raises(InvalidInput, match="claims already"):
        standing.join("a", 1)
    with pytest.raises(InvalidInput, match="hold floats"):
        standing.join("d", 1.5)  # type: ignore[arg-type]  # the case
    with pytest.raises(InvalidInput, match="has no claim"):
        standing.leave("d")
    with pytest.raises(InvalidInput, match="nan"):
        Standing({"a": float("nan")}, policy=Policy(), seed="7")  # type: ignore[dict-item]  # the case
