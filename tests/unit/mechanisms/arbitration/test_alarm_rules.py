"""Alarm rules tests: when is a row of losses too long to be chance?

Here: the horizon, early levels, rules that mean nothing.
Not here: alarms over conflicts (test_alarms.py).
Sources: SEMANTICS R5; research on arbitration, "Metrics and alarms".
"""

from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.arbitration import (
    AlarmRules,
    chance_of_no_win,
    claims_without_win,
    recorded,
    single_look,
)
from comity.mechanisms.arbitration.alarm_rules import early_level

ABC = [("A", 3), ("B", 2), ("C", 1)]
DAYS = [recorded("budget", ABC, ["A"], at=86_400 * day) for day in range(19)]


def test_r5_the_horizon_of_the_research() -> None:
    assert claims_without_win(3) == 29
    assert claims_without_win(2, AlarmRules(horizon=100)) == 14
    assert single_look(chance_of_no_win([3] * 18)) == "warning"
    assert single_look(chance_of_no_win([2] * 20)) == "critical"
    assert single_look(chance_of_no_win([3] * 17)) is None
    assert chance_of_no_win([3, 1]) == 0.0
    assert chance_of_no_win([4] * 2, units=2) == pytest.approx(0.25)


@pytest.mark.parametrize(
    "wrong",
    [
        {"alpha": 0.0}, {"alpha": 1}, {"alpha_early": -0.1}, {"alpha_early": 1.0},
        {"alpha_early": None}, {"horizon": 0}, {"turns": True}, {"window": 1.5},
        {"longest_streak": -1}, {"longest_streak": True}, {"longest_streak": 2.0},
        {"longest_wait_s": -1}, {"longest_wait_s": "soon"}, {"longest_wait_s": float("nan")},
        {"longest_wait_s": 1.5}, {"longest_wait_s": "7"}, {"longest_wait_s": True},
    ],
)  # fmt: skip
def test_rules_that_mean_nothing_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        AlarmRules(**wrong)


def test_r5_all_early_levels_together_are_no_more_than_promised() -> None:
    rules = AlarmRules(horizon=10**9)
    later = sum(early_level(rules, after=at) for at in range(1, 2_000))
    assert 0.024 < later < 0.025
    assert early_level(rules, agents=5) * 5 == pytest.approx(0.025)
    assert early_level(AlarmRules(alpha_early=0.0)) == 0.01 / 1000
