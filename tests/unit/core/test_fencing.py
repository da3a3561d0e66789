"""Fencing: are late writes refused, and is what is no token told apart from a late one?

Here: one resource's own fence, a fence for many, what is refused (R7).
Not here: leases that give the tokens out (mechanisms/arbitration).
Sources: SEMANTICS R7, L2.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from comity.core import fencing
from comity.core.errors import InvalidInput
from comity.core.fencing import Fence, admit
from comity.mechanisms import arbitration, deadlock


def test_r7_a_late_write_is_refused_and_each_resource_counts_for_itself() -> None:
    fence = admit(Fence(), "x", 33).fence
    fence = admit(fence, "x", 34).fence
    late = admit(fence, "x", 33)
    assert (late.is_admitted, late.fence) == (False, fence)
    assert late.reason == "token 33 is older than 34, which has written to x"
    assert admit(fence, "x", 34).is_admitted
    other = admit(fence, "a", 1)
    assert other.is_admitted
    assert other.fence.highest == (("a", 1), ("x", 34))
    assert other.fence.token_of("y") is None


def test_r7_a_resource_keeps_a_fence_of_its_own_without_a_name() -> None:
    fence, is_admitted = Fence().admit(2)
    assert is_admitted
    assert fence.admit(1) == (fence, False), "the holder that was late"
    assert fence.admit(2) == (fence, True), "the same holder writes again"
    assert fence.admit(3)[1]


def test_r7_tokens_admitted_only_grow_in_whatever_order_writes_arrive() -> None:
    for order in permutations(range(4)):
        own = many = Fence()
        admitted = []
        for token in order:
            found = admit(many, "x", token)
            own, passes = own.admit(token)
            assert passes is found.is_admitted
            many = found.fence
            admitted += [token] if passes else []
        assert admitted == [one for at, one in enumerate(order) if one == max(order[: at + 1])]


@pytest.mark.parametrize(("resource", "token"), [("", 1), ("x", -1), ("x", True), ("x", 1.5)])
def test_what_is_no_token_is_refused(resource: Any, token: Any) -> None:
    with pytest.raises(InvalidInput):
        admit(Fence(), resource, token)


def test_g7_all_faults_of_a_write_are_told_at_once() -> None:
    nothing: Any = None
    with pytest.raises(InvalidInput) as caught:
        admit(Fence(), nothing, nothing)
    assert len(caught.value.faults) == 2
    with pytest.raises(InvalidInput, match="token is -1"):
        Fence().admit(-1)


def test_both_rooms_that_need_a_fence_hand_on_the_same() -> None:
    for name in fencing.__all__:
        assert getattr(deadlock, name) is getattr(fencing, name)
    assert arbitration.Fence is Fence
