"""Ordering: one order for all, and whether others deadlock (L2)."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.deadlock.ordering import check_orders, in_order, violation


def test_l2_an_order_that_all_keep_to_makes_a_circle_impossible() -> None:
    found = check_orders({"p": ["x", "z"], "q": ["z", "a"], "r": []})
    assert (found.order, found.can_deadlock, found.cycle) == (("x", "z", "a"), False, ())
    assert check_orders({}).says == "One order fits all: nothing is acquired."
    assert check_orders({"p": ["b"], "q": ["a"]}).order == ("a", "b")


def test_l2_sequences_in_one_order_never_deadlock_and_the_states_say_so() -> None:
    names = "xyz"
    sequences = [list(one) for size in (1, 2) for one in permutations(names, size)]
    for first, second in product(sequences, repeat=2):
        found = check_orders([first, second])
        if found.order:
            place = {name: at for at, name in enumerate(found.order)}
            for one in (first, second):
                assert sorted(one, key=place.__getitem__) == one
        else:
            assert found.can_deadlock
            assert found.deadlock_states == ((1, 1),)


def test_an_agent_that_is_done_stands_in_nobodys_way() -> None:
    found = check_orders([["x", "y"], ["y", "x"], ["q"]])
    assert found.deadlock_states == ((1, 1, 1),)
    assert found.can_deadlock


def test_too_many_states_are_not_looked_at() -> None:
    found = check_orders([["x", "y"], ["y", "x"]], most_states=3)
    assert (found.can_deadlock, found.deadlock_states) == (None, ())
    assert found.says.endswith("there are too many states to look at each.")


def test_l2_a_violation_is_named() -> None:
    order = ["x", "y", "z"]
    assert violation(order, [], "x") is None
    assert violation(order, ["x", "y"], "z") is None
    later = violation(order, ["x", "y", "z"], "x")
    assert later is not None
    assert later.what == "would be acquired while 'z' is held, which comes after it"
    again = violation(order, ["x"], "x")
    assert again is not None
    assert again.what == "is held already"
    unknown = violation(order, ["q"], "p")
    assert unknown is not None
    assert unknown.what == "the order does not have 'p', 'q'"


def test_l2_resources_are_acquired_in_order() -> None:
    assert in_order(["x", "y", "z"], ["z", "x"]) == ("x", "z")
    with pytest.raises(InvalidInput) as caught:
        in_order(["x"], ["q", "p", "x"])
    assert [fault.whose for fault in caught.value.faults] == ["resource 'p'", "resource 'q'"]


@pytest.mark.parametrize(
    ("acquires", "faults"),
    [(5, 1), ({"p": 5, "q": [""], "r": ["x", "x"]}, 3), ([["x", 5], "xy"], 2)],
)
def test_what_is_no_sequence_is_refused(acquires: Any, faults: int) -> None:
    with pytest.raises(InvalidInput) as caught:
        check_orders(acquires)
    assert len(caught.value.faults) == faults
