"""Fencing: late writes are refused (R7)."""

from __future__ import annotations

from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.deadlock.fencing import Fence, admit


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


@pytest.mark.parametrize(("resource", "token"), [("", 1), ("x", -1), ("x", True), ("x", 1.5)])
def test_what_is_no_token_is_refused(resource: Any, token: Any) -> None:
    with pytest.raises(InvalidInput):
        admit(Fence(), resource, token)
