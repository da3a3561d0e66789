"""Engine tests: does the loop decide, remember and refuse as it should?

Here: rounds, taking in recorded conflicts, the short way and where it gives way to the long one.
Not here: that both ways agree on everything (tests/properties/test_arbitration_laws.py).
Sources: SEMANTICS R1, R2.
"""

from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.arbitration import Arbitration, Claim, Conflict, Policy, reseed

PAIR = [("a", 9), ("b", 5)]


def test_the_log_keeps_what_decided() -> None:
    engine = Arbitration(Policy(c=2), seed="7")
    log = [engine.conflict(PAIR, "gpu") for _ in range(3)]
    assert log[2] == Conflict(
        3, "gpu", (("a", 9), ("b", 5)), (0, 2), (("a", "b"),), log[2].winners
    )
    assert isinstance(log[2], Conflict)


@pytest.mark.parametrize(
    "odd",
    [
        [["a", 9], ["b", 5]],
        [("a", 9), ("b", Fraction(5))],
        [("a", 9), ("b", 6)],
        [("a", 9), ("b", 5), ("new", 1)],
        [("a", 9), Claim("b", 5, at=3)],
        {"a": 9, "b": 5},
        [("a", "9"), ("b", 5)],
    ],
)
def test_what_the_short_way_cannot_take_goes_the_long_one(odd: Any) -> None:
    engine, slow = Arbitration(seed="7"), Arbitration(Policy(tolerance=0), seed="7")
    slow._is_plain = False
    for claims in (PAIR, PAIR, odd, PAIR, odd):
        assert engine.conflict(claims) == slow.conflict(claims)
        assert engine.state == slow.state
    assert "resource" in engine._quick
    assert "resource" not in slow._quick


@pytest.mark.parametrize(
    "wrong",
    [
        [("a", True), ("b", 5)],
        [("a", 9), ("a", 9)],
        [("a", float("nan")), ("b", 5)],
        [],
        "ab",
        ["ab", "cd"],
        [("a", 9), 7],
        None,
    ],
)
def test_a_refused_conflict_changes_nothing(wrong: Any) -> None:
    engine = Arbitration(seed="7")
    for _ in range(2):
        engine.conflict(PAIR)
    before = engine.state
    with pytest.raises(InvalidInput):
        engine.conflict(wrong)
    assert engine.state == before


def test_a_refused_conflict_on_something_new_leaves_no_trace() -> None:
    engine = Arbitration(Policy(expiry=0), seed=[])
    for _ in range(2):
        engine.conflict([("a", 9), ("b", 5)], "gpu")
    engine.conflict([("a", 9)], "gpu")
    before = engine.state
    with pytest.raises(InvalidInput):
        engine.conflict([("a", True)], "tpu")
    with pytest.raises(InvalidInput, match="have run out"):
        engine.conflict([("a", 5), ("b", 5)], "gpu")
    assert engine.state == before


def test_a_float_makes_the_scope_leave_the_short_way() -> None:
    engine = Arbitration(seed="7")
    engine.conflict(PAIR)
    engine.conflict(PAIR)
    engine.conflict([("a", 9.0), ("b", 5)])
    assert engine._quick == {}
    assert engine.conflict([("a", 9), ("b", 5)]).number == 4
    assert engine.state.scopes[0].floats


def test_draws_that_run_out_are_told_and_nothing_is_counted() -> None:
    engine = Arbitration(seed=["1/2"])
    even = {"a": 1, "b": 1, "c": 1}
    engine.conflict(even)
    with pytest.raises(InvalidInput, match="resource conflict 2 unit 1"):
        engine.conflict(even)
    with pytest.raises(InvalidInput, match="resource conflict 2 unit 1"):
        engine.conflict([("a", 1), ("c", 1)])
    assert engine.state.scopes[0].conflicts == 1


def test_r2_a_round_over_several_resources_is_decided_at_once() -> None:
    asked = {"tpu": {"a": 5, "b": 4}, "gpu": {"a": 5, "c": 4}}
    engine = Arbitration(Policy(scope="global"), seed="7")
    first = engine.round(asked)
    assert [(one.resource, one.number, one.winners) for one in first] == [
        ("gpu", 1, ("a",)),
        ("tpu", 1, ("a",)),
    ]
    assert engine.state.losses("global") == {"a": 0, "b": 1, "c": 1}
    both = Arbitration(Policy(scope="global"), seed="7")
    both.round({"gpu": {"a": 5, "b": 1}, "tpu": {"b": 1}})
    assert both.state.losses("global") == {"a": 0, "b": 0}, "one win in a round is a win"


def test_r2_scopes_keep_their_own_counts() -> None:
    engine = Arbitration(seed="7")
    engine.conflict(PAIR, "gpu")
    engine.conflict([("b", 5)], "tpu")
    assert engine.state.losses("gpu") == {"a": 0, "b": 1}
    assert engine.state.losses("tpu") == {"b": 0}


def test_g7_all_faults_of_a_round_are_named_at_once() -> None:
    engine = Arbitration(Policy(per_claim=False), seed="7")
    engine.conflict(PAIR)
    with pytest.raises(InvalidInput) as caught:
        engine.round({"resource": [("a", 8)], "tpu": [], "": PAIR}, now=float("inf"))
    told = str(caught.value)
    assert len(caught.value.faults) == 4
    assert "has the priority 8, it had 9 before" in told
    with pytest.raises(InvalidInput, match="claims nothing"):
        engine.round({})
    with pytest.raises(InvalidInput, match="round: is"):
        engine.round(PAIR)  # type: ignore[arg-type]  # the case


def test_r1_recorded_conflicts_are_taken_in_as_they_were_decided() -> None:
    engine = Arbitration(seed="7")
    engine.take(Conflict(1, "gpu", (("a", 9), ("b", 5)), winners=("b",)))
    assert engine.state.losses("gpu") == {"a": 1, "b": 0}
    with pytest.raises(InvalidInput) as caught:
        engine.take(Conflict(7, "gpu", (("a", 9),), winners=("z",)))
    assert [one.what for one in caught.value.faults] == [
        "is not the next one",
        "won conflict 7 without a claim",
    ]


def test_a_policy_without_state_of_its_own_still_counts_conflicts() -> None:
    engine = Arbitration(Policy(rule="human"), seed="7")
    engine.conflict(PAIR)
    assert engine.state.scopes[0].conflicts == 1
    assert engine.state.scopes[0].turn is None


@pytest.mark.parametrize("resource", ["gpu", "never claimed"])
def test_r1_a_recorded_conflict_that_the_rule_refuses_leaves_no_trace(resource: str) -> None:
    """Weights above 0 are only looked at when virtual times move on."""
    engine = Arbitration(Policy(rule="stride"), seed="7")
    engine.conflict([("a", 2), ("b", 1)], "gpu")
    before = engine.state
    number = engine.scope(resource).conflicts + 1
    with pytest.raises(InvalidInput, match="has the weight 0"):
        engine.take(Conflict(number, resource, (("a", 2), ("new", 0)), winners=("a",)))
    assert engine.state == before


@pytest.mark.parametrize("quickly", [True, False])
def test_g4_lots_follow_from_the_seed_given_last(quickly: bool) -> None:
    """G4: a seed drawn for each conflict decides it whatever the seeds before it were."""
    policy = Policy() if quickly else Policy(tolerance=1)
    tied = [(name, 5) for name in "abcdefgh"]

    def third(*seeds: str) -> Conflict:
        engine = Arbitration(policy, seed="first", state=None)
        engine.take(Conflict(1, "gpu", tuple(tied), winners=()))
        for seed in seeds:
            reseed(engine, seed)
        return engine.conflict(tied, "gpu")

    assert third("1", "2") == third("2") == third("3", "1", "2")
    assert len({third(str(seed)).winners for seed in range(40)}) == 8
    engine = Arbitration(policy, seed="7")
    reseed(engine, ["0.99"])
    assert engine.conflict(tied).winners == ("h",)
    with pytest.raises(InvalidInput, match="seed"):
        reseed(engine, 0.5)  # type: ignore[arg-type]  # the case
    assert engine.conflict([("z", 1)]).winners == ("z",), "the lots are those it had"
