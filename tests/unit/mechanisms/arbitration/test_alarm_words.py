"""Alarm words tests: does an alarm say who, for how long and why?

Here: readable lengths of time, limits, chances too small to write out.
Not here: when an alarm stands (test_alarm_watch.py).
Sources: SEMANTICS R5.
"""

from comity.mechanisms.arbitration import (
    AlarmRules,
    alarms,
    recorded,
)

ABC = [("A", 3), ("B", 2), ("C", 1)]
DAYS = [recorded("budget", ABC, ["A"], at=86_400 * day) for day in range(19)]


def test_r5_the_clock_alone_says_for_how_long() -> None:
    rules = AlarmRules(longest_wait_s=3600)
    rows = [recorded("r", ABC, ["A" if n else "C"], at=600 * n) for n in range(9)]
    (one,) = [one for one in alarms(rows, None, rules) if one.agent == "C" and one.level != "info"]
    assert (
        one.says
        == "C has not won r for 1 h 20 min (9 claims, 8 losses in a row); the limit is 1 h."
    )
    (streak,) = [
        one for one in alarms(rows, None, AlarmRules(longest_streak=7))
        if one.agent == "C" and one.level != "info"
    ]  # fmt: skip
    assert streak.says.endswith("(9 claims, 8 losses in a row); the limit is 7 in a row.")


def test_r5_a_chance_too_small_for_a_float_is_still_told() -> None:
    rows = [recorded("r", ABC, ["A"]) for _ in range(2000)]
    (one,) = [one for one in alarms(rows) if (one.kind, one.agent) == ("no_win", "C")]
    assert one.says.endswith("fair lots do that less than once in 10^300 runs.")
