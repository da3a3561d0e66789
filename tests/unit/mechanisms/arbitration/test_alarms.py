"""Alarms tests: does the right alarm fire, early, and none without cause?

Here: every kind of alarm, when it first fires, false alarms over fair runs.
Not here: when alarms end (test_alarm_watch.py), sending alarms (watch).
Sources: SEMANTICS R5; research on arbitration, "Metrics and alarms".
"""

import pytest

from comity.mechanisms.arbitration import (
    Alarm,
    AlarmRules,
    Arbitration,
    Conflict,
    Policy,
    alarms,
    chance_of_no_win,
    recorded,
)
from comity.mechanisms.arbitration.alarm_rules import early_level

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


def test_r5_claims_without_a_win_fire_at_the_horizon() -> None:
    rows = [recorded("r", ABC, ["AB"[n % 2]]) for n in range(40)]
    late = AlarmRules(alpha_early=0.0)
    assert fired(alarms(rows, None, late))["no_win", "C"] == 29


def test_r5_two_that_take_turns_and_a_third_that_never_wins_alarm_before_the_nineteenth_day() -> (
    None
):
    rows = [recorded("slot", ABC, ["AB"[n % 2]], at=86_400 * n) for n in range(19)]
    (alarm,) = [one for one in alarms(rows) if one.level == "warning"]
    assert (alarm.kind, alarm.agent, alarm.at_conflict) == ("no_win", "C", 12)
    assert chance_of_no_win([3] * 12) <= 0.025 / 3 < chance_of_no_win([3] * 11)
    assert alarm.says == (
        "C has not won slot for 19 days (19 claims, 19 losses in a row); fair lots do that once in"
        " 2217 runs."
    )


@pytest.mark.parametrize(("agents", "day"), [("ABC", 12), ("ABCD", 18), ("ABCDE", 24)])
def test_r5_the_more_claim_the_longer_a_row_may_be_chance(agents: str, day: int) -> None:
    claims = [(name, 1) for name in agents]
    rows = [recorded("r", claims, [agents[n % (len(agents) - 1)]]) for n in range(60)]
    assert fired(alarms(rows))["no_win", agents[-1]] == day


def test_r5_a_row_that_begins_after_an_early_win_alarms_before_the_horizon_too() -> None:
    rows = [recorded("r", ABC, ["C" if n == 0 else "AB"[n % 2]]) for n in range(40)]
    assert fired(alarms(rows))["no_win", "C"] == 12
    rows = [recorded("r", ABC, ["C" if n in {0, 5} else "AB"[n % 2]]) for n in range(60)]
    assert fired(alarms(rows))["no_win", "C"] == 25
    assert early_level(AlarmRules(), after=6) == pytest.approx(0.025 / 42)


def test_r5_fair_runs_seldom_alarm_and_the_alarm_ends() -> None:
    noisy = standing = 0
    for seed in range(40):
        engine = Arbitration(Policy(rule="lottery"), seed=seed)
        log = [engine.conflict(ABC) for _ in range(300)]
        found = [one for one in alarms(log) if one.level != "info"]
        noisy += bool(found)
        standing += any(one.stands for one in found)
    assert noisy <= 4, "0.06 of 40 are 2.4; more than 4 come in 10 % of all sets of seeds"
    assert standing == 0


def test_r5_a_lottery_that_is_stated_is_not_blamed_for_short_rows() -> None:
    rows = [recorded("r", ABC, ["A"]) for _ in range(10)]
    for rule, is_told in (("lottery", False), ("weighted_lottery", False), ("second_price", True)):
        found = fired(alarms(rows, Policy(rule=rule)))
        assert (("no_promise", "C") in found) is is_told


def test_r5_a_streak_above_the_proved_bound_is_critical() -> None:
    policy = Policy(c=2)
    rows = [recorded("r", [("a", 9), ("c", 1)], ["a"]) for _ in range(7)]
    found = alarms(rows, policy)
    assert found[0].level == "critical"
    assert fired(found)["bound_broken", "c"] == 6
    assert fired(found)["near_bound", "c"] == 4
    assert str(found[0]) == (
        "critical: c has never won r (7 claims, 7 losses in a row); losses with c = 2 is proved to"
        " let it lose at most 5 in a row: lost state, an edited record, another rule or a bug."
    )


def test_a_thing_handed_to_the_oldest_is_a_win_and_nobodys_loss() -> None:
    rows = [Conflict(-n, "r", tuple(ABC), winners=("A",)) for n in range(1, 40)]
    assert alarms(rows) == ()


def test_conflicts_of_one_number_are_one_round() -> None:
    rows = [
        Conflict(n, "r", (("A", 1), ("B", 1)), winners=(name,))
        for n in range(1, 30)
        for name in "AB"
    ]
    assert alarms(rows) == ()


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
    assert "A takes 18 of the last 20 wins on r; fair lots would give it 6.67." in str(found)


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


def test_k1_a_winner_who_never_claimed_is_no_claimant() -> None:
    rows = [recorded("r", [("a", 1), ("b", 1)], ["z"]) for _ in range(30)]
    found = alarms(rows)
    assert ("dominance", "z") in fired(found)
    assert ("no_win", "a") in fired(found)
