"""Losses tests: does an agent that keeps losing come to the front?

Here: the score and the count.
Not here: bounds (test_bounds.py), reference cases (oracles).
Sources: SEMANTICS R1.
"""

from fractions import Fraction

from comity.mechanisms.arbitration import Arbitration, Policy
from comity.mechanisms.arbitration.losses import aged


def test_r1_a_loss_adds_c_up_to_the_cap() -> None:
    assert [aged(Policy(c=2), losses) for losses in (0, 1, 3)] == [0, 2, 6]
    assert aged(Policy(c="1/3"), 2) == Fraction(2, 3)
    assert aged(Policy(c=2, cap=5), 3) == 5


def test_r1_absence_and_withdrawal_change_nothing() -> None:
    engine = Arbitration(seed="7")
    engine.conflict({"a": 9, "b": 1})
    for _ in range(50):
        engine.conflict({"a": 9, "c": 1})
    engine.withdraw("b")
    assert engine.state.losses()["b"] == 1


def test_r1_a_win_starts_the_count_again_and_a_lone_claim_wins() -> None:
    engine = Arbitration(Policy(c=1), seed="7")
    for _ in range(3):
        engine.conflict({"a": 9, "b": 1})
    assert engine.state.losses() == {"a": 0, "b": 3}
    assert engine.conflict({"b": 1}).winners == ("b",)
    assert engine.state.losses() == {"a": 0, "b": 0}
