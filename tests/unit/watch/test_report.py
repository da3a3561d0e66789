"""Report: everything that recorded claims say, with every alarm at its moment (R5)."""

from __future__ import annotations

import json

import pytest

from comity.core.errors import InvalidInput
from comity.formats.claims_log import BesideClaim, ClaimGain, ClaimsLog
from comity.mechanisms.arbitration import (
    AlarmRules,
    Arbitration,
    Conflict,
    Policy,
    alarms,
    fairness,
    recorded,
    tie_tests,
    win_table,
)
from comity.watch.report import NO_WINNERS, WatchReport, log_of, promise_of, watch_report
from comity.watch.timeline import Place

ABC = [("A", 3), ("B", 2), ("C", 1)]
DAY = 86_400
DAYS = [recorded("ads", ABC, ["A"], at=DAY * day) for day in range(19)]
STATIC = Policy(rule="static_priority")


def test_r5_the_source_alarms_long_before_day_nineteen() -> None:
    bare = watch_report(DAYS)
    assert bare.needs_person
    assert bare.says == (
        "19 conflicts over ads: a person should look. B and C have not won ads for 19 days (19"
        " claims, 19 losses in a row, each); A (19 of 19) wins instead. 3 alarms stand, the first"
        " since conflict 12 of 19, 1970-01-12 00:00:00Z."
    )
    stated = watch_report(DAYS, STATIC)
    first = min(one.alarm.at_conflict for one in stated.alarms if one.is_urgent)
    assert first == 9, "a policy that promises nothing is told ten days before the nineteenth"


def test_r5_the_report_holds_what_the_pure_rules_find() -> None:
    report = watch_report(DAYS, STATIC, rules=AlarmRules(horizon=100), by="week")
    assert report.scopes == fairness(DAYS, STATIC)
    assert tuple(one.alarm for one in report.alarms) == alarms(
        DAYS, STATIC, AlarmRules(horizon=100)
    )
    assert report.wins == win_table(DAYS, "week")
    assert report.ties == tie_tests(DAYS)
    assert (report.conflicts, report.claims) == (19, 57)
    assert (report.first_at, report.last_at) == (0, 18 * DAY)
    assert [one.length for one in report.streaks] == [19, 19]
    assert report.streak_places[0] == (Place("1969-12-29", 0.0), Place("1970-01-19", 0.0))


def test_r5_an_alarm_has_its_moment_and_its_place() -> None:
    report = watch_report(DAYS, by="week")
    one = next(one for one in report.alarms if one.alarm.kind == "monopoly")
    assert (one.at, one.of) == (11 * DAY, 19)
    assert one.when == "since conflict 12 of 19, 1970-01-12 00:00:00Z"
    assert one.place == Place("1970-01-12", 0.0)
    assert one.is_urgent
    text = "A wins ads 19 times in a row; fair lots do that once in 387420489 runs."
    assert one.alarm.says == text
    noted = next(one for one in report.alarms if one.alarm.kind == "missed_turns")
    assert not noted.is_urgent


def test_r5_without_a_policy_nothing_is_promised_and_the_horizon_still_alarms() -> None:
    rows = [recorded("r", ABC, ["AB"[n % 2]], at=n) for n in range(40)]
    report = watch_report(rows, rules=AlarmRules(alpha_early=0.0))
    assert report.promise == "nothing: no policy is stated"
    assert [one.alarm.at_conflict for one in report.alarms if one.alarm.kind == "no_win"] == [29]
    assert all(one.bound is None for one in report.scopes[0].agents)


def test_r3_what_a_policy_promises_is_said() -> None:
    assert promise_of(Policy(c=2)).endswith("whoever claims when (losses with c = 2)")
    assert promise_of(STATIC).startswith("nothing under static_priority: a lower priority")
    assert promise_of(Policy(c=0)).startswith("nothing under losses with c = 0")
    assert promise_of(Policy(rule="lottery")).startswith("nothing under lottery")
    report = watch_report(DAYS, Policy(c=0, priorities=dict(ABC)))
    assert report.warnings == (
        "agent B can starve: a lost conflict adds nothing (c = 0)",
        "agent C can starve: a lost conflict adds nothing (c = 0)",
    )


def test_r5_a_streak_above_the_bound_is_critical_and_comes_first() -> None:
    report = watch_report(DAYS, Policy(c=1))
    assert report.alarms[0].alarm.level == "critical"
    assert report.alarms[0].alarm.kind == "bound_broken"


def test_r5_ours_needs_nobody() -> None:
    engine = Arbitration(Policy(c=1), seed="7")
    rows = [engine.conflict(ABC)._replace(at=n) for n in range(300)]
    report = watch_report(rows, Policy(c=1))
    assert not report.needs_person
    assert report.says == "300 conflicts over resource: no alarm."


def test_conflicts_without_times_are_looked_at_in_one_piece() -> None:
    rows = [one._replace(at=None) for one in DAYS]
    report = watch_report(rows)
    one = next(one for one in report.alarms if one.alarm.kind == "monopoly")
    assert (report.wins.by, report.first_at, one.when) == (None, None, "since conflict 12 of 19")
    assert one.place == Place("all", 11 / 19)
    assert "B and C have never won ads (19 claims, 19 losses in a row, each); A" in report.says
    assert report.says.endswith("3 alarms stand, the first since conflict 12 of 19.")
    with pytest.raises(InvalidInput, match="has no time"):
        watch_report(rows, by="day")


def test_unfair_lots_alarm_without_a_scope_of_their_own() -> None:
    pair = ("A", "B")
    claims = (("A", 1), ("B", 1))
    rows = [Conflict(n, "r", claims, (0, 0), (pair,), ("A",), n) for n in range(1, 12)]
    report = watch_report(rows)
    (one,) = [one for one in report.alarms if one.alarm.kind == "tie_break"]
    assert (one.of, one.at, one.when) == (11, 11, "since lot 11 of 11, 1970-01-01 00:00:11Z")
    named = watch_report([one._replace(resource="ties of 2") for one in rows[:3]] + rows)
    assert sum(one.alarm.kind == "tie_break" for one in named.alarms) == 1


BAD = [recorded("ads", ABC, ["A"], at=DAY * day) for day in range(30)]
FAIR = [recorded("ads", ABC, ["CBA"[day % 3]], at=DAY * day) for day in range(30, 150)]


def test_r5_alarms_end_and_then_nobody_has_to_look() -> None:
    report = watch_report([*BAD, *FAIR])
    assert not report.needs_person
    assert report.says == "150 conflicts over ads: no alarm stands, 4 alarms ended."
    assert report.starved == ()
    one = next(one for one in report.alarms if one.alarm.agent == "C" and one.is_severe)
    assert (one.is_urgent, one.ended_at) == (False, 39 * DAY)
    assert one.when == (
        "conflict 12, 1970-01-12 00:00:00Z, to conflict 40 of 150, 1970-02-09 00:00:00Z"
    )
    data = one.to_json()
    assert (data["stands"], data["ended_time"]) == (False, "1970-02-09T00:00:00Z")
    assert "  warning" not in str(report)


def test_r5_an_alarm_that_begins_again_says_so() -> None:
    rows = [one._replace(at=None) for one in [*BAD, *FAIR, *BAD]]
    (one,) = [one for one in watch_report(rows).alarms if one.alarm.agent == "C" and one.is_severe]
    assert one.when == "since conflict 177 of 180, the 2nd time"
    (two,) = [
        one for one in watch_report([*rows, *rows[30:60]]).alarms
        if one.alarm.agent == "C" and one.is_severe
    ]  # fmt: skip
    assert two.when == "2 times from conflict 12, to conflict 190 of 210"
    third = watch_report([*rows, *rows[30:]])
    (three,) = [one for one in third.alarms if one.alarm.agent == "C" and one.is_severe]
    assert three.when.endswith(", the 3rd time")


def test_r5_what_others_decided_has_no_bound_and_says_so() -> None:
    report = watch_report(ClaimsLog(conflicts=tuple(DAYS), by_others=19))
    assert report.promise == "nothing: decided by others, and recorded here"
    assert promise_of(None, by_others=(3, 9)) == (
        "nothing: 3 of 9 conflicts were decided by others, and recorded here"
    )


def test_r5_an_agent_that_a_desk_turns_away_starves_too() -> None:
    away = tuple(BesideClaim(60 * n, "ads", "C", True, ("A",)) for n in range(9))
    rows = tuple(recorded("ads", [("A", 1)], ["A"], at=60 * n) for n in range(9))
    report = watch_report(ClaimsLog(conflicts=rows, beside=away))
    assert report.needs_person
    assert report.says == (
        "9 conflicts over ads: a person should look. C was turned away from ads 9 times in a row,"
        " for 8 min; held by A (9)."
    )
    assert report.to_json()["beside"][0]["is_starved"] is True  # type: ignore[index,call-overload]


def test_r5_a_torn_log_is_not_passed_as_healthy() -> None:
    log = ClaimsLog(conflicts=tuple(DAYS[:3]), hints=("torn apart",))
    assert watch_report(log).says == "3 conflicts over ads: no alarm, but look at the hint."


def test_a_log_without_winners_says_so_and_alarms_nobody() -> None:
    rows = tuple(one._replace(winners=()) for one in DAYS)
    report = watch_report(ClaimsLog(conflicts=rows, says_who_won=False, notes=("assumed",)))
    assert report.says == f"19 conflicts over ads: {NO_WINNERS}."
    assert report.notes == ("assumed", NO_WINNERS)
    assert not report.needs_person
    assert "Wins" not in str(report)


def test_several_resources_are_counted_and_looked_at_apart() -> None:
    rows = [one._replace(resource=name) for name in ("x", "y") for one in DAYS]
    report = watch_report(rows)
    assert report.says.startswith("38 conflicts over 2 resources: a person should look. B and C")
    assert "; 2 more starve. 6 alarms stand, the first since conflict 12 of 19" in report.says
    assert [one.scope for one in report.scopes] == ["x", "y"]
    assert watch_report(rows[:1]).says == "1 conflict over x: no alarm."


def test_d3_gains_of_the_log_are_part_of_the_report() -> None:
    gains = tuple(ClaimGain(DAY * day, "ads", "A", True, 100, 20) for day in range(19))
    report = watch_report(ClaimsLog(conflicts=tuple(DAYS), gains=gains))
    assert (report.gains[0].flagged, len(report.gains[0].periods)) == (True, 19)


def test_g1_the_json_holds_everything_and_exact_numbers_stay_exact() -> None:
    gains = (ClaimGain(0, "ads", "A", True, 3, 1),)
    report = watch_report(ClaimsLog(conflicts=tuple(DAYS), gains=gains), Policy(c=1), by="week")
    data = json.loads(json.dumps(report.to_json()))
    assert list(data)[:4] == ["v", "kind", "says", "needs_person"]
    assert (data["v"], data["kind"], data["needs_person"]) == (1, "watch", True)
    first = data["alarms"][0]
    assert (first["level"], first["kind"], first["scope"]) == ("critical", "bound_broken", "ads")
    assert first["time"] == "1970-01-04T00:00:00Z"
    assert first["place"] == {"period": "1969-12-29", "part": 0.75}
    assert data["scopes"][0]["jain"] == "1/3"
    assert data["scopes"][0]["agents"][1]["fair"] == "1/3"
    assert data["wins"]["rows"][0] == ["1969-12-29", [4, 0, 0]]
    assert data["policy"] == {"rule": "losses"}
    assert data["streaks"][0]["first_time"] == "1970-01-01T00:00:00Z"
    assert data["streaks"][0]["begins"] == {"period": "1969-12-29", "part": 0.0}
    assert data["gains"][0]["raw"] == "1/3"
    assert set(data) >= {"promise", "warnings", "rules", "ties", "notes", "conflicts", "claims"}
    assert watch_report(DAYS).to_json()["policy"] is None


def test_a_report_reads_as_text() -> None:
    text = str(watch_report(DAYS, STATIC))
    assert text.startswith("19 conflicts over ads: a person should look.")
    for part in ("  warning: ", "ads: 19 conflicts", "1970-01-19  1  0  0", "Promised: nothing"):
        assert part in text
    assert isinstance(watch_report(DAYS), WatchReport)


def test_g7_nothing_to_look_at_is_refused() -> None:
    with pytest.raises(InvalidInput, match="watch: has no conflicts"):
        watch_report([])
    log = ClaimsLog(conflicts=tuple(DAYS))
    assert log_of(log) is log


def test_g7_a_winner_who_did_not_claim_is_refused() -> None:
    rows = [*DAYS[:2], recorded("ads", ABC, ["Z"], at=DAY)]
    with pytest.raises(InvalidInput, match=r"was won by Z, who did not claim.*comity verify"):
        watch_report(rows)
    lot = Conflict(1, "ads", (("A", 1), ("B", 1)), stages=(("A",),), winners=("B",))
    with pytest.raises(InvalidInput, match="was won by B, who was not in its lot"):
        watch_report([lot])


def test_r5_a_time_beyond_every_calendar_is_not_known() -> None:
    far = DAYS[1]._replace(at=253_402_300_800)
    report = watch_report([DAYS[0], far, *DAYS[2:]])
    assert report.notes == (
        "1 conflict has a time beyond the years 1 to 9999, taken as not known",
    )
    assert report.wins.by is None
    two = watch_report([far, far])
    assert two.notes[0].startswith("2 conflicts have times beyond")


def test_r5_an_alarm_does_not_end_before_it_began_where_clocks_lie_apart() -> None:
    rows = [recorded("ads", ABC, ["A"], at=DAY * (100 - day)) for day in range(12)]
    rows += [recorded("ads", ABC, ["BC"[day % 2]], at=DAY) for day in range(30)]
    over = [one for one in watch_report(rows).alarms if one.ended_at is not None and one.is_severe]
    assert over
    assert all(one.when.endswith("of 42") for one in over)
