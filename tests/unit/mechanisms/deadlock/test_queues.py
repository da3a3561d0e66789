"""Queues: hard and soft waits out of holders and queues (L1)."""

from __future__ import annotations

from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.deadlock.queues import Claimed, waits_of


def test_shared_claims_do_not_stand_in_each_others_way() -> None:
    found = waits_of([Claimed("x", {"h": "shared"}, [("a", "shared"), ("b", "shared")])])
    assert found == ({}, {})


def test_an_exclusive_claim_waits_for_all_and_those_behind_it_wait_softly() -> None:
    queue: list[Any] = [("b", "exclusive"), ("a", "shared"), ("c", "shared")]
    hard, soft = waits_of([Claimed("x", {"h": "shared", "i": "shared"}, queue)])
    assert hard == {"b": {"h", "i"}}
    assert soft == {"a": {"b"}, "c": {"b"}}


def test_an_upgrade_waits_for_the_others_not_for_itself() -> None:
    hard, soft = waits_of([Claimed("x", {"a": "shared", "b": "shared"}, [("a", "exclusive")])])
    assert (hard, soft) == ({"a": {"b"}}, {})


def test_who_waits_hard_does_not_wait_softly_too() -> None:
    x = Claimed("x", {"b": "exclusive"}, [("a", "exclusive")])
    y = Claimed("y", {"c": "exclusive"}, [("b", "exclusive"), ("a", "exclusive")])
    assert waits_of([x, y]) == ({"a": {"b", "c"}, "b": {"c"}}, {})


@pytest.mark.parametrize(
    ("resource", "faults"),
    [
        (Claimed("x", {"a": "read"}), 1),  # type: ignore[dict-item]
        (Claimed("x", {"a": "exclusive", "b": "shared"}), 1),
        (Claimed("x", {"a": "shared"}, [("", "shared"), ("b", "x")]), 2),  # type: ignore[list-item]
        (Claimed("x", {}, [("b", "shared"), ("b", "exclusive")]), 1),
    ],
)
def test_what_cannot_be_is_refused(resource: Claimed, faults: int) -> None:
    with pytest.raises(InvalidInput) as caught:
        waits_of([resource])
    assert len(caught.value.faults) == faults
