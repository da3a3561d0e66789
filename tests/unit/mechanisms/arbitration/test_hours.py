"""Hours tests: does ageing by the clock do what the source wants, without its faults?

Here: the source's example, clocks that jump, absences, withdrawals.
Not here: the source's own code and its defects (tests/oracles/test_arbitration_cases.py).
Sources: SEMANTICS R1; the source's resolver, bonus 1.0 per hour.
"""

from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.arbitration import Arbitration, Policy, resolve

HOURS: Any = Policy(rule="hours")
CLAIMS = [("A", 3), ("C", 1)]


def first_win(minutes: int) -> float:
    """Return after how many hours C wins when both claim every few minutes."""
    engine = Arbitration(HOURS, seed="7")
    for at in range(0, 600, minutes):
        if engine.conflict(CLAIMS, now=60 * at).winners == ("C",):
            return at / 60
    return float("inf")


def test_the_source_priority_1_overtakes_3_just_over_two_hours_later() -> None:
    first = resolve(CLAIMS, None, seed="7", policy=HOURS, now=0)
    assert first.winner == "A"
    at_two = resolve(CLAIMS, first.state, seed="7", policy=HOURS, now=7200)
    assert at_two.tied == ("A", "C")
    assert at_two.scores == {"A": 3, "C": 3}
    later = resolve(CLAIMS, first.state, seed="7", policy=HOURS, now=7201)
    assert later.winner == "C"
    assert later.grounds.margin == Fraction(1, 3600)
    assert 2 <= first_win(5) <= 2.1


def test_the_source_a_never_winning_agent_ages() -> None:
    engine = Arbitration(HOURS, seed="7")
    marks = [engine.conflict({"A": 9, "C": 1}, now=3600 * t).marks[1] for t in range(4)]
    assert marks == [0, 1, 2, 3]


def test_r1_an_absent_agent_does_not_age() -> None:
    engine = Arbitration(HOURS, seed="7")
    engine.conflict({"A": 9, "C": 1}, now=0)
    engine.conflict({"A": 9, "C": 1}, now=3600)
    engine.conflict({"A": 9}, now=2 * 3600)
    back = engine.conflict({"A": 9, "C": 1}, now=100 * 3600)
    assert back.marks == (0, 1), "one hour, from before it left"
    assert engine.conflict({"A": 9, "C": 1}, now=101 * 3600).marks == (0, 2)


def test_r1_waiting_ends_with_a_withdrawal_and_with_a_win() -> None:
    engine = Arbitration(HOURS, seed="7")
    for hour in range(3):
        engine.conflict({"A": 9, "C": 1}, now=3600 * hour)
    engine.withdraw("C")
    engine.withdraw("nobody")
    assert engine.conflict({"A": 9, "C": 1}, now=3 * 3600).marks == (0, 0)
    engine.conflict({"C": 1}, now=4 * 3600)
    assert engine.conflict({"A": 9, "C": 1}, now=5 * 3600).marks == (0, 0)


def test_r1_a_clock_set_back_adds_nothing_and_is_never_negative() -> None:
    engine = Arbitration(HOURS, seed="7")
    clock = [0, 3600, 3600 - 86_400, 7200 - 86_400]
    marks = [engine.conflict({"A": 9, "C": 1}, now=now).marks[1] for now in clock]
    assert marks == [0, 1, 1, 2]


def test_r1_a_reading_as_a_float_is_exact_and_widens_the_tie() -> None:
    engine = Arbitration(HOURS, seed="7")
    engine.conflict(CLAIMS, now=0.5)
    near = engine.conflict(CLAIMS, now=7200.5 - 1e-7)
    assert near.stages == (("A", "C"),)


@pytest.mark.parametrize("now", [None, float("nan"), True, "soon"])
def test_the_clock_must_be_read(now: Any) -> None:
    with pytest.raises(InvalidInput, match="now"):
        resolve(CLAIMS, None, seed="7", policy=HOURS, now=now)
