"""Fairness tests: are the figures right?

Here: Jain, Gini, shares, intervals, streaks, dominance.
Not here: alarms (test_alarms.py).
Sources: SEMANTICS R5; the values of the research on arbitration.
"""

from fractions import Fraction

import pytest

from comity.mechanisms.arbitration import (
    Arbitration,
    Policy,
    fairness,
    gini,
    jain,
    recorded,
)

ABC = [("A", 3), ("B", 2), ("C", 1)]


def test_r5_jain_and_gini_of_known_amounts() -> None:
    assert float(jain([11_400, 600, 0]) or 0) == pytest.approx(0.368, abs=5e-4)
    assert jain([19, 19, 0]) == Fraction(2, 3)
    assert float(jain([7, 6, 6]) or 0) == pytest.approx(0.9945, abs=5e-5)
    assert (jain([0, 0]), gini([0, 0]), jain([]), gini([])) == (None, None, None, None)
    assert gini([0, 0, 0, 5]) == Fraction(3, 4)
    assert gini([1, 3]) == Fraction(1, 4)
    assert (jain([4, 4]), type(jain([4, 4]))) == (1, int)


def test_r5_nineteen_days_of_static_priority() -> None:
    rows = [recorded("budget", ABC, ["A"], at=86_400 * day) for day in range(19)]
    (record,) = fairness(rows, Policy(rule="static_priority"))
    a, _, c = record.agents
    assert (c.claims, c.wins, c.share, c.fair) == (19, 0, 0, Fraction(1, 3))
    assert (c.longest_streak, c.current_streak, c.bound) == (19, 19, None)
    assert c.chance == pytest.approx(4.51e-4, rel=1e-3)
    assert (c.conflicts_since_win, c.seconds_since_win) == (None, None)
    assert c.interval[0] == 0.0
    assert c.interval[1] < 0.2
    assert (a.conflicts_since_win, a.seconds_since_win) == (0, 0)
    assert (record.dominant, record.dominance) == ("A", Fraction(2, 3))
    assert record.holds == "never"
    assert "C" in str(record)


def test_r5_ours_stays_within_its_bounds() -> None:
    engine = Arbitration(Policy(c=2), seed="7")
    log = [engine.conflict([("a", 9), ("b", 5), ("c", 1)]) for _ in range(300)]
    (record,) = fairness(log, Policy(c=2))
    assert [one.bound for one in record.agents] == [2, 4, 6]
    assert all(one.longest_streak <= (one.bound or 0) for one in record.agents)
    assert all(one.interval[0] < one.share < one.interval[1] for one in record.agents)
    assert record.agents[0].conflicts_since_win is not None
    assert record.agents[0].seconds_since_win is None, "no times were recorded"
    assert record.conflicts == 300


def test_r5_a_share_is_measured_in_the_contests_an_agent_could_win() -> None:
    rows = [
        recorded("r", ABC, ["A"]),
        recorded("r", [("C", 1)], ["C"]),
        recorded("r", ABC[1:], ["B"]),
    ]
    (record,) = fairness(rows)
    fair = {one.agent: one.fair for one in record.agents}
    assert fair == {"A": Fraction(1, 3), "B": Fraction(5, 12), "C": Fraction(11, 18)}


def test_r5_what_waits_for_a_person_is_no_loss() -> None:
    (record,) = fairness([recorded("r", ABC)])
    assert (record.conflicts, record.undecided) == (0, 1)
    assert (record.jain, record.gini, record.dominant, record.dominance) == (None, None, None, 0)
    assert record.agents[0].claims == 0
    assert record.agents[0].interval == (0.0, 1.0)
    assert fairness([]) == ()
