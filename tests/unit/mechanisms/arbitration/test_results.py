"""Results tests: does a result explain itself?

Here: what a grant carries and says.
Not here: the contract of all rules (tests/properties/test_arbitration_laws.py).
Sources: SEMANTICS G1, R2, R3.
"""

from comity.mechanisms.arbitration import ArbitrationGrant, Policy, resolve
from comity.mechanisms.arbitration.results import ArbitrationResult, Claimant


def test_g1_a_grant_carries_every_claimant_with_its_score_and_bound() -> None:
    first = resolve([("c", 1), ("a", 9), ("b", "5.5")], seed="7", policy=Policy(c=2))
    second = resolve([("c", 1), ("a", 9), ("b", "5.5")], first.state, seed="8", policy=Policy(c=2))
    assert isinstance(second, ArbitrationGrant)
    assert second.contest.claimants[2] == Claimant(
        agent="c", priority=1, waited=1, score=3, won=False, waits=2, bound=6
    )
    assert second.scores == {"a": 9, "b": second.scores["b"], "c": 3}
    assert (second.holder, second.winners, second.tied) == ("a", ("a",), ("a",))
    assert second.says == "a wins resource by 1.5 under losses."
    assert str(second).splitlines()[1].split() == [
        "agent", "priority", "waited", "score", "most", "losses",
    ]  # fmt: skip


def test_g8_a_lot_makes_a_grant_thin() -> None:
    even = resolve([("a", 1), ("b", 1)], seed="7")
    assert even.grounds.thin == ("a lot decided among a, b",)
    assert even.grounds.ended_by == "lot"
    assert "by lot among a, b" in even.says
    assert even.grounds.margin == 0


def test_r3_the_warning_is_part_of_the_result() -> None:
    policy = Policy(rule="static_priority", priorities={"A": 3, "C": 1})
    grant = resolve(["A", "C"], seed="7", policy=policy)
    assert [one.agent for one in grant.warnings] == ["C"]
    assert "Warning: agent C can starve" in grant.says
    assert grant.contest.claimants[1].bound is None
    assert str(grant).splitlines()[-1].split()[-1] == "-"


def test_several_win_together() -> None:
    both = resolve([("a", 3), ("b", 2), ("c", 1)], seed="7", policy=Policy(units=2))
    assert both.says == "a, b win resource by 1 under losses."


def test_a_result_without_a_winner_of_its_own_has_none() -> None:
    assert ArbitrationResult().winners == ()
