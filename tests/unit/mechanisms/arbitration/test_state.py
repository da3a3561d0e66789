"""State tests: is what is remembered a value, and read from whatever a caller has?

Here: the forms of a state, scopes, expiry.
Not here: what rules count (test_losses.py, test_hours.py).
Sources: SEMANTICS R1, G3.
"""

from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.arbitration import Arbitration, Claim, Policy, State
from comity.mechanisms.arbitration.state import Scope, ScopeState, read_state, scope_name


@pytest.mark.parametrize("state", [None, {}, State()])
def test_nothing_is_a_fresh_start(state: object) -> None:
    assert read_state(state, Policy(), "gpu") == State()


def test_a_state_comes_back_from_its_json_and_from_plain_losses() -> None:
    engine = Arbitration(seed="7")
    engine.conflict({"a": 2, "b": 1}, "gpu")
    assert read_state(engine.state.to_json(), Policy(), "gpu") == engine.state
    plain = read_state({"b": 3, "a": 0}, Policy(), "gpu")
    assert plain.losses("gpu") == {"a": 0, "b": 3}
    assert plain.losses("other") == {}
    assert plain.scopes[0].handed_in


@pytest.mark.parametrize("wrong", [7, "a", [1], {"a": -1, " ": 1}, {"a": True}, {"a": 1.0}])
def test_anything_else_is_refused(wrong: object) -> None:
    with pytest.raises(InvalidInput):
        read_state(wrong, Policy(), "gpu")


def test_the_marks_of_another_rule_are_refused() -> None:
    with pytest.raises(InvalidInput, match="replay the recorded claims under the new rule"):
        read_state(State(rule="hours"), Policy(), "gpu")


def test_r2_the_scope_is_named() -> None:
    groups: Any = {"gpu-1": "gpu"}
    assert scope_name(Policy(), "gpu-1") == "gpu-1"
    assert scope_name(Policy(scope="global"), "gpu-1") == "global"
    assert scope_name(Policy(scope="group", groups=groups), "gpu-1") == "gpu"
    with pytest.raises(InvalidInput, match="did you mean 'gpu-1'"):
        scope_name(Policy(scope="group", groups=groups), "gpu-2")
    with pytest.raises(InvalidInput, match="resource ''"):
        scope_name(Policy(), "")


def test_r1_whoever_stays_away_too_long_is_forgotten() -> None:
    policy = Policy(expiry=1)
    engine = Arbitration(policy, seed="7")
    for claims in ({"a": 3, "b": 1}, {"a": 3}, {"a": 3}):
        engine.conflict(claims)
    assert engine.state.losses() == {"a": 0, "b": 1}, "it may still come back in the next conflict"
    engine.conflict({"a": 3})
    assert engine.state.losses() == {"a": 0}
    assert engine.state.scopes[0].peak == 2
    assert not engine.scope().is_expired("b", policy)


def test_a_changed_priority_is_noticed_and_the_range_kept() -> None:
    scope = Scope(ScopeState(name="gpu"))
    for priority in (5, 5, 7, 2):
        scope.meet(Claim("a", priority), 0)
    assert (scope.changed, scope.low, scope.high, scope.peak) == (True, 2, 7, 1)
    again = Scope(scope.frozen())
    assert again.frozen() == scope.frozen()
    scope.forget(Policy())
    assert scope.marks == {"a": 0}
