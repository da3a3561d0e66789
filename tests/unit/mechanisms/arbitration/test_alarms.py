"""Alarms tests: does the right alarm fire, early, and none without cause?

Here: every kind of alarm, when it first fires, false alarms over fair runs.
Not here: sending alarms (watch).
Sources: SEMANTICS R5; research on arbitration, "Metrics and alarms".
"""

from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.arbitration import (
    Alarm,
    AlarmRules,
    Arbitration,
    Conflict,
    Policy,
    alarms,
    chance_of_no_win,
    claims_without_win,
    recorded,
    single_look,
)

ABC = [("A", 3), ("B", 2), ("C", 1)]
DAYS = [recorded("budget", ABC, ["A"], at=86_400 * day) for day in range(19)]


def fired(found: tuple[Alarm, ...]) -> dict[tuple[str, str | None], int]:
    return {(one.kind, one.agent): one.at_conflict for one in found}


def test_r5_the_source_alarms_long_before_day_nineteen() -> None:
    without = fired(alarms(DAYS))
    assert without["missed_turns", "C"] == 9
    assert without["monopoly", "A"] == 12
    known = fired(alarms(DAYS, Policy(rule="static_priority")))
    assert known["no_promise", "C"] == 9


def test_r5_the_horizon_of_the_research() -> None:
    assert claims_without_win(3) == 29
    assert claims_without_win(2, AlarmRules(horizon=100)) == 14
    assert single_look(chance_of_no_win([3] * 18)) == "warning"
    assert single_look(chance_of_no_win([2] * 20)) == "critical"
    assert single_look(chance_of_no_win([3] * 17)) is None
    assert chance_of_no_win([3, 1]) == 0.0
    assert chance_of_no_win([4] * 2, units=2) == pytest.approx(0.25)


def test_r5_claims_without_a_win_fire_at_the_horizon() -> None:
    rows = [recorded("r", ABC, ["AB"[n % 2]]) for n in range(40)]
    assert fired(alarms(rows))["no_win", "C"] == 29


def test_r5_fair_runs_raise_no_warning() -> None:
    noisy = 0
    for seed in range(20):
        engine = Arbitration(Policy(rule="lottery"), seed=seed)
        log = [engine.conflict(ABC) for _ in range(300)]
        found = alarms(log)
        noisy += any(one.level != "info" for one in found)
    assert noisy == 0


def test_r5_a_streak_above_the_proved_bound_is_critical() -> None:
    policy = Policy(c=2)
    rows = [recorded("r", [("a", 9), ("c", 1)], ["a"]) for _ in range(7)]
    found = alarms(rows, policy)
    assert found[0].level == "critical"
    assert fired(found)["bound_broken", "c"] == 6
    assert fired(found)["near_bound", "c"] == 4
    assert str(found[0]).startswith("critical: c has lost 6 claims on r in a row, proved to lose")


def test_r5_ours_never_alarms_above_info() -> None:
    engine = Arbitration(Policy(c=2), seed="7")
    log = [engine.conflict([("a", 9), ("b", 5), ("c", 1)]) for _ in range(500)]
    assert {one.level for one in alarms(log, Policy(c=2))} <= {"info"}


def test_r5_a_users_own_limits() -> None:
    rules = AlarmRules(longest_streak=4, longest_wait_s=86_400 * 2)
    found = fired(alarms(DAYS, None, rules))
    assert found["own_limit", "C"] == 4, "two days are over before five losses"
    rows = [one._replace(at=None) for one in DAYS]
    assert fired(alarms(rows, None, rules))["own_limit", "C"] == 5
    won = [DAYS[0]._replace(winners=("C",)), *DAYS[1:]]
    assert fired(alarms(won, None, AlarmRules(longest_wait_s=86_400 * 2)))["own_limit", "C"] == 4


def test_r5_dominance_over_a_window() -> None:
    log = [recorded("r", ABC, ["A" if n % 10 else "B"]) for n in range(40)]
    found = alarms(log)
    assert fired(found)["dominance", "A"] == 20
    assert "A takes 18 of 20 wins on r" in str(found)


def test_r5_unfair_lots_are_seen() -> None:
    pair = ("A", "B")
    claims = (("A", 1), ("B", 1))
    log = [Conflict(n, "r", claims, (0, 0), (pair,), ("A",)) for n in range(1, 12)]
    assert fired(alarms(log))["tie_break", None] == 11
    assert ("tie_break", None) not in fired(alarms(log, Policy(rule="weighted_lottery")))
    assert ("tie_break", None) not in fired(alarms(log[:10]))


def test_sole_claims_several_winners_and_open_cases_are_no_monopoly() -> None:
    sole = [recorded("r", [("A", 1)], ["A"]) for _ in range(30)]
    both = [recorded("r", ABC, ["A", "B", "C"]) for _ in range(30)]
    waits = [recorded("r", ABC) for _ in range(30)]
    for rows in (sole, both, waits):
        assert alarms(rows) == ()


@pytest.mark.parametrize(
    "wrong", [{"alpha": 0.0}, {"alpha": 1}, {"horizon": 0}, {"turns": True}, {"window": 1.5}]
)
def test_rules_that_mean_nothing_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        AlarmRules(**wrong)
