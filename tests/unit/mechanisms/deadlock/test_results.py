"""Results: a deadlock explains itself and survives JSON (G1, G2)."""

from __future__ import annotations

import json

import pytest

from comity.core.results import result_from_json
from comity.mechanisms.deadlock.detect import find_cycle
from comity.mechanisms.deadlock.results import Deadlock, NoDeadlock, Wait


def test_g1_a_deadlock_is_a_no_decision_with_exit_code_10() -> None:
    found = find_cycle({"a": "b", "b": "a", "c": "d", "d": "c"})
    assert isinstance(found, Deadlock)
    assert (found.kind, found.reason, found.exit_code) == ("no_decision", "cycle", 10)
    assert (bool(found), len(found), list(found)) == (True, 2, ["a", "b"])
    assert len(found.victims) == len(found.cycles) == 2
    lines = str(found).splitlines()
    assert lines[0] == "Deadlock of 2, 2: a -> b -> a; c -> d -> c."
    assert lines[2:4] == ["    a waits for b", "    b waits for a"]
    assert lines[-1].startswith("  to unblock: abort ")


def test_no_deadlock_is_a_verdict_that_is_false() -> None:
    found = find_cycle({"a": "b", "b": ()})
    assert isinstance(found, NoDeadlock)
    assert (found.kind, found.exit_code, found.waiting) == ("verdict", 0, 1)
    assert (bool(found), list(found), found.members, found.cycles) == (False, [], (), ())
    assert str(found).startswith("No deadlock: one waits, nobody in a circle.")
    assert find_cycle({}).says == "No deadlock: nobody waits."


@pytest.mark.parametrize("soft", [{}, {"c": "b"}])
def test_results_survive_json(soft: dict[str, str]) -> None:
    for waits in ({"a": "b", "b": "c", "c": "a"}, {"a": "b", "b": ["c", "a"]}, {"a": "b"}):
        found = find_cycle(waits, soft=soft)
        back = result_from_json(json.loads(json.dumps(found.to_json())))
        assert back == found
        assert type(back) is type(found)


def test_a_wait_is_told_in_words() -> None:
    assert str(Wait("a", "b", "soft")) == "a waits for b in a queue"
