"""Bounds tests: are the proved numbers right, and does c_for keep its promise?

Here: the formulas on cases by hand, c from a wanted streak.
Not here: that no run breaks them (tests/properties/test_arbitration_laws.py).
Sources: SEMANTICS R3.
"""

from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.arbitration import Policy, c_for, fixed_bound, per_claim_bound
from comity.mechanisms.arbitration.bounds import turns


def test_r3_nine_five_one() -> None:
    found = [fixed_bound(difference=9 - p, c=2, agents=3) for p in (9, 5, 1)]
    assert found == [2, 4, 6]


def test_r3_nobody_loses_while_there_are_enough_units() -> None:
    assert fixed_bound(difference=8, c=1, agents=3, units=3) == 0
    assert per_claim_bound(spread=8, c=1, agents=3, units=5) == 0
    assert turns(1) == 0


def test_r3_a_tolerance_costs_turns() -> None:
    assert fixed_bound(difference=4, c=2, agents=5, tolerance=1) == 4 + (4 + 1 * 4) // 2
    assert per_claim_bound(spread=3, c=2, agents=3, tolerance=1) == 2 * (1 + 2)


def promised(c: Any, priorities: list[Any], k: int, *, per_claim: bool) -> int:
    policy = Policy(c=c, units=k, per_claim=per_claim)
    known = {str(at): one for at, one in enumerate(priorities)}
    return max(one for one in policy.bounds(known).values() if one is not None)


@pytest.mark.parametrize("per_claim", [False, True])
@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("priorities", [[9, 5, 1], [3, 3, 3], [0, "1/3", "2.5", 7], [100, 0]])
def test_r3_c_for_keeps_its_promise_with_little_to_spare(
    priorities: list[Any], k: int, *, per_claim: bool
) -> None:
    spread = [Fraction(str(one)) for one in priorities]
    numbers = list(spread)
    last = turns(len(numbers), k)
    for longest in range(last, last + 9):
        c = c_for(longest_streak=longest, priorities=priorities, k=k, per_claim=per_claim)
        assert promised(c, numbers, k, per_claim=per_claim) <= longest
        if max(spread) > min(spread) and last:
            less = Fraction(c) / Fraction(11, 10) * Fraction(999, 1000)
            assert promised(less, numbers, k, per_claim=per_claim) > longest, "c is far too large"


def test_r3_c_for_returns_short_numbers() -> None:
    assert c_for(longest_streak=6, priorities=[9, 5, 1]) == Fraction(5, 3)
    assert c_for(longest_streak=4, priorities=[9, 5, 1]) == Fraction(11, 4)
    assert c_for(longest_streak=9, priorities=[9, 1]) == Fraction(9, 10)
    whole = c_for(longest_streak=2, priorities=[29, 0, 0])
    assert (whole, type(whole)) == (30, int)
    assert c_for(longest_streak=0, priorities=[5]) == 1


def test_r3_c_for_refuses_what_no_c_can_keep() -> None:
    with pytest.raises(InvalidInput, match="3 equals with 1 winning at once already take turns"):
        c_for(longest_streak=1, priorities=[1, 1, 1])


def test_g7_c_for_names_every_fault_at_once() -> None:
    with pytest.raises(InvalidInput) as caught:
        c_for(longest_streak=-1, priorities={"a": float("nan"), "b": True}, k=0)
    assert len(caught.value.faults) == 4
    for wrong in ("9", [], 7):
        with pytest.raises(InvalidInput, match="a priority for each agent"):
            c_for(longest_streak=3, priorities=wrong)  # type: ignore[arg-type]  # the case
