"""Alarm watch tests: is every bound held, and does an alarm end when its cause is gone?

Here: bounds of every rule, ends, alarms that begin again.
Not here: when each kind first fires (test_alarms.py).
Sources: SEMANTICS R3, R5.
"""

import pytest

from comity.mechanisms.arbitration import (
    Alarm,
    AlarmRules,
    Arbitration,
    Policy,
    alarms,
    recorded,
)
from comity.mechanisms.arbitration.alarm_words import rule_told

ABC = [("A", 3), ("B", 2), ("C", 1)]
DAYS = [recorded("budget", ABC, ["A"], at=86_400 * day) for day in range(19)]


def fired(found: tuple[Alarm, ...]) -> dict[tuple[str, str | None], int]:
    return {(one.kind, one.agent): one.at_conflict for one in found}


def at_end(found: tuple[Alarm, ...]) -> dict[tuple[str, str | None], int | None]:
    return {(one.kind, one.agent): one.ended_conflict for one in found if one.level != "info"}


@pytest.mark.parametrize(
    ("policy", "bound"),
    [
        (Policy(rule="round_robin"), 2),
        (Policy(rule="stride"), 3 + 1 + 2 + 1),
        (Policy(rule="stride", weights={"A": 1, "B": 1, "C": 1}), 4),
        (Policy(rule="least_recently_served"), 2),
        (Policy(rule="hours", c="1/24"), 4),
        (Policy(rule="split"), 0),
    ],
)
def test_r3_every_rule_with_a_bound_is_held_to_it(policy: Policy, bound: int) -> None:
    found = alarms(DAYS, policy)
    assert fired(found)["bound_broken", "C"] == bound + 1
    assert found[0].level == "critical"
    where = "" if policy.holds == "always" else " while it claims every time"
    told = f"{rule_told(policy)} is proved to let it lose at most {bound} in a row{where}: "
    assert told in str(found)


@pytest.mark.parametrize("rule", ["round_robin", "stride", "hours", "least_recently_served"])
def test_r3_no_rule_breaks_its_own_bound(rule: str) -> None:
    policy = Policy(rule=rule)
    engine = Arbitration(policy, seed="7")
    rows = [engine.conflict(ABC, now=3600 * n) for n in range(200)]
    assert "bound_broken" not in {one.kind for one in alarms(rows, policy)}


@pytest.mark.parametrize("rule", ["round_robin", "stride"])
def test_r3_a_bound_for_those_who_claim_every_time_is_not_held_against_absence(rule: str) -> None:
    engine = Arbitration(Policy(rule=rule), seed="7")
    rows = [
        engine.conflict([one for at, one in enumerate(ABC) if (n + at) % 4]) for n in range(300)
    ]
    policy = Policy(rule=rule)
    assert "bound_broken" not in {one.kind for one in alarms(rows, policy)}
    away = [recorded("r", ABC if n % 2 else ABC[:2], ["A"]) for n in range(60)]
    found = fired(alarms(away, policy))
    assert ("bound_broken", "C") not in found
    assert found["no_win", "C"] <= 40, "a row with gaps is looked at as if nothing were promised"
    assert found["bound_broken", "B"] <= 8


def test_r3_no_bound_is_known_where_hours_are_irregular_or_weights_are_none() -> None:
    late = [*DAYS[:5], *(one._replace(at=one.at + 60) for one in DAYS[5:])]
    timeless = [one._replace(at=None) for one in DAYS]
    some = [DAYS[0]._replace(claims=tuple(ABC[:2])), *DAYS[1:]]
    open_case = [DAYS[0]._replace(winners=()), *DAYS[1:]]
    changed = [DAYS[0]._replace(claims=(("A", 1), ("B", 2), ("C", 1))), *DAYS[1:]]
    hours = Policy(rule="hours", c="1/24")
    for rows in (late, timeless, some, open_case, changed):
        assert "bound_broken" not in {one.kind for one in alarms(rows, hours)}
    for policy in (Policy(rule="hours", cap=3), Policy(rule="hours", c=0)):
        assert "bound_broken" not in {one.kind for one in alarms(DAYS, policy)}
    assert "bound_broken" not in {one.kind for one in alarms(changed, Policy(rule="stride"))}
    none = [one._replace(claims=(("A", 1), ("B", 0), ("C", 1))) for one in DAYS]
    assert "bound_broken" not in {one.kind for one in alarms(none, Policy(rule="stride"))}


def test_r5_thirty_bad_days_and_fair_ones_after_them_end_every_alarm() -> None:
    bad = [recorded("r", ABC, ["A"], at=86_400 * n) for n in range(30)]
    fair = [recorded("r", ABC, ["CBA"[n % 3]], at=86_400 * n) for n in range(30, 150)]
    assert {one.stands for one in alarms(bad) if one.level != "info"} == {True}
    found = alarms([*bad, *fair])
    assert not any(one.stands for one in found if one.level != "info")
    ends = at_end(found)
    assert ends["no_win", "C"] == 40, "the 4th win of its last 20 claims; fair are 6.67"
    assert ends["no_win", "B"] == 41
    assert 30 < (ends["monopoly", "A"] or 0) <= 45
    assert 30 < (ends["dominance", "A"] or 0) <= 45
    (told,) = [one for one in found if (one.kind, one.agent) == ("no_win", "C")]
    assert told.says.startswith(
        "C had not won r for 30 days (30 claims, 30 losses in a row); fair"
    )
    (took,) = [one for one in found if one.kind == "dominance"]
    assert took.says == "A took most of the wins on r, far above its fair share."
    (won,) = [one for one in found if one.kind == "monopoly"]
    assert won.says == "A won r 30 times in a row; fair lots do that once in 10^14 runs."


def test_r5_a_win_now_and_then_ends_no_alarm_over_losses() -> None:
    rows = [recorded("r", ABC, ["C" if n % 19 == 18 else "A"]) for n in range(95)]
    found = alarms(rows)
    (one,) = [one for one in found if (one.kind, one.agent) == ("no_win", "C")]
    assert (one.stands, one.at_conflict, one.since_conflict, one.times) == (True, 12, 12, 1)
    assert one.says == "C wins 2 of its last 20 claims on r; fair lots would give it 6.67."
    (won,) = [one for one in found if one.kind == "monopoly"]
    assert won.says == (
        "A won r 18 times in a row; fair lots do that once in 129140163 runs, and it takes 18 of"
        " the last 20 wins on r."
    )


def test_r5_an_alarm_that_begins_again_says_how_often() -> None:
    bad, fair = ["A"] * 40, ["C", "B", "A"] * 20
    rows = [recorded("r", ABC, [name]) for name in [*bad, *fair, *bad, *fair, *bad]]
    (one,) = [one for one in alarms(rows) if (one.kind, one.agent) == ("no_win", "C")]
    assert (one.stands, one.times, one.at_conflict) == (True, 3, 12)
    assert one.since_conflict > 200
    assert {one.times for one in alarms(rows) if one.kind == "monopoly"} == {3}


def test_r5_a_users_limit_ends_at_the_win_and_a_broken_bound_when_it_was_kept_for_a_while() -> (
    None
):
    claims = [("a", 9), ("c", 1)]
    rows = [recorded("r", claims, ["c" if n in {7, 12} else "a"]) for n in range(14)]
    rules = AlarmRules(longest_streak=3)
    found = {(one.kind, one.agent): one for one in alarms(rows, Policy(c=2), rules)}
    assert found["own_limit", "c"].ended_conflict == 13
    assert found["own_limit", "c"].times == 2
    assert found["bound_broken", "c"].stands
    more = [recorded("r", claims, ["ca"[n % 2]]) for n in range(60)]
    (later,) = [one for one in alarms([*rows, *more], Policy(c=2)) if one.kind == "bound_broken"]
    assert later.ended_conflict == 27, "20 claims after conflict 7, at a win"
    assert later.says.startswith("c had never won r (7 claims, 7 losses in a row); losses with c")


def test_r5_who_wins_again_as_promised_has_no_alarm_left() -> None:
    policy = Policy(c="1/8")
    rows = [recorded("r", [("a", 9), ("c", 1)], ["c" if n == 40 else "a"]) for n in range(42)]
    ends = at_end(alarms(rows, policy))
    assert ends["no_win", "c"] == 41, "at most 65 losses are possible: the bound was kept"


def test_r5_who_claims_no_more_starves_no_more() -> None:
    rows = [recorded("r", ABC, ["A"]) for _ in range(30)]
    gone = [recorded("r", ABC[:2], ["AB"[n % 2]]) for n in range(21)]
    assert at_end(alarms([*rows, *gone[:20]]))["no_win", "C"] is None
    found = [one for one in alarms([*rows, *gone]) if (one.kind, one.agent) == ("no_win", "C")]
    assert found[0].ended_conflict == 30
    assert found[0].says.startswith(
        "C has never won r (30 claims, 30 losses in a row), and has not claimed since; fair lots"
    )
    rare = [recorded("r", ABC if n % 10 == 0 else ABC[:2], ["AB"[n % 2]]) for n in range(341)]
    assert at_end(alarms(rare[:-9]))["no_win", "C"] is None, "it claims one time in ten"
    left = [recorded("r", ABC[1:], ["B"]) for _ in range(80)]
    ends = at_end(alarms([*(recorded("r", ABC, ["A"]) for _ in range(30)), *left]))
    assert ends["monopoly", "A"] is not None
