"""Detect: the whole rule, hard and soft edges, what would unblock it (L1, L2, G1-G4)."""

from __future__ import annotations

import pytest

from comity.mechanisms.deadlock import Deadlock, find_cycle
from comity.testing.ledger_checks import Check
from comity.testing.mechanism_checks import call, check_mechanism

AGENTS = {"a": {"started": 1}, "b": {"started": 2}, "c": {"started": 3}}
CALLS = [
    call({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}),
    call({"a": ["b", "c"], "b": {"a"}, "c": {"a"}}, agents=AGENTS, victim="youngest"),
    call({"h": {"a"}, "b": {"h"}}, soft={"a": {"b"}}),
    call({"a": {"b"}, "b": {"c"}}),
    call({}),
]


def dead(*args: object, **options: object) -> Deadlock:
    found = find_cycle(*args, **options)  # type: ignore[arg-type]
    assert isinstance(found, Deadlock)
    return found


@pytest.mark.parametrize("name", [name for name, _ in check_mechanism(find_cycle, [])])
def test_it_keeps_the_contract_of_a_mechanism(name: str) -> None:
    checks: dict[str, Check] = dict(check_mechanism(find_cycle, CALLS))
    checks[name]()


def test_l1_one_cycle_and_one_victim_for_each_component() -> None:
    found = dead(
        {"a": "b", "b": "a", "x": ["y", "a"], "y": "z", "z": "x"},
        agents={name: {"started": at} for at, name in enumerate("abxyz")},
    )
    assert [one.members for one in found.cycles] == [("a", "b"), ("x", "y", "z")]
    assert found.victims == ("b", "z")
    assert found.unblock == ("abort b (youngest)", "abort z (youngest)")
    assert found.blocked == ("a", "b", "x", "y", "z")


def test_l1_a_component_larger_than_its_cycle_is_looked_at_again() -> None:
    found = dead({"a": "b", "b": ["a", "c"], "c": "b"}, agents=AGENTS)
    assert found.cycles[0].component == ("a", "b", "c")
    assert found.cycles[0].equally_short == 2
    assert found.unblock[0].endswith("; then look again")
    assert found.grounds.thin == ("a lot decided: cycle of a",)


def test_l1_a_queue_is_reordered_before_anybody_gives_way() -> None:
    found = dead({"h": "a", "b": "h"}, soft={"a": "b"})
    assert [(one.waiter, one.holder) for one in found.cycles[0].cures] == [("a", "b")]
    assert found.victims == ()


def test_l1_a_soft_edge_that_cures_nothing_needs_a_victim() -> None:
    stuck = dead({"b": "h", "h": "a", "a": "c", "c": "b"}, soft={"a": "b"}, agents={})
    assert stuck.cycles[0].cures == ()
    assert len(stuck.victims) == 1
    itself = dead({}, soft={"a": "a"})
    assert (itself.members, itself.victims) == (("a",), ("a",))
    assert itself.cycles[0].waits[0].kind == "soft"


def test_an_edge_that_is_hard_and_soft_is_hard() -> None:
    found = dead({"a": "b", "b": "a"}, soft={"a": "b"})
    assert [one.kind for one in found.cycles[0].waits] == ["hard", "hard"]


def test_g1_the_grounds_say_who_waited_unless_they_are_too_many() -> None:
    found = dead({"a": "b", "b": "a"}, soft={"a": "c"})
    assert [one.party for one in found.grounds.submissions] == ["a", "b"]
    assert found.grounds.submissions[0].what == {"waits": ("b",), "soft": ("c",)}
    many = dead({f"n{at}": [f"n{(at + 1) % 1200}"] for at in range(1200)})
    assert many.grounds.submissions == ()
    assert len(many.members) == 1200
