"""Digest: one week in plain text, from what was known at its end (R5)."""

from __future__ import annotations

import pytest

from comity.core.errors import InvalidInput
from comity.formats.claims_log import ClaimGain, ClaimsLog
from comity.mechanisms.arbitration import AlarmRules, Arbitration, Conflict, Policy, recorded
from comity.watch.digest import weekly_digest

ABC = [("A", 3), ("B", 2), ("C", 1)]
DAY = 86_400
MONDAY = 4 * DAY  # 5 January 1970
DAYS = [recorded("ads", ABC, ["A"], at=MONDAY + DAY * day) for day in range(19)]


def test_r5_the_week_in_which_an_alarm_fires_calls_it_new() -> None:
    first, second, third = (
        weekly_digest(DAYS, week=day) for day in ("1970-01-05", "1970-01-14", "1970-01-25")
    )
    assert first.splitlines()[0] == "Week from 1970-01-05: 7 conflicts, 21 claims. No alarm."
    assert second.splitlines()[0] == (
        "Week from 1970-01-12: 7 conflicts, 21 claims. A person should look: 3 alarms stand,"
        " 3 of them new."
    )
    assert "\n\nWho does not win\n  - B has not won ads for 14 days (14 claims," in second
    assert "\n\nNew alarms\n  - warning: B has not won ads for 14 days" in second
    assert "A wins ads 14 times in a row" in second
    assert "Alarms from before" not in second
    assert "3 alarms stand, none of them new." in third
    assert "\n\nAlarms from before\n  - warning: B has not won ads for 19 days" in third
    assert "New alarms" not in third


def test_r5_the_week_in_which_an_alarm_ends_says_so_once() -> None:
    fair = [recorded("ads", ABC, ["CBA"[day % 3]], at=MONDAY + DAY * day) for day in range(19, 90)]
    rows = [*DAYS, *fair]
    ended = weekly_digest(rows, week="1970-02-02")
    assert ended.splitlines()[0].endswith("21 claims. No alarm.")
    assert "\n\nAlarms that ended\n  - warning: B had not won ads for 19 days (19 claims," in ended
    later = weekly_digest(rows, week="1970-03-20")
    assert later.splitlines()[0].endswith("No alarm.")
    assert "Alarms that ended" not in later


def test_r5_who_wins_stands_beside_the_week_before_and_the_row_of_losses() -> None:
    rows = [*DAYS[:8], *(one._replace(winners=("B",)) for one in DAYS[8:])]
    text = weekly_digest(rows, week="1970-01-12")
    assert [line.split() for line in text.split("\n\n")[2].splitlines()] == [
        ["scope", "agent", "claims", "wins", "share", "fair", "before", "losing", "bound"],
        ["ads", "C", "7", "0", "0.0%", "33.3%", "0.0%", "14", "-"],
        ["ads", "A", "7", "1", "14.3%", "33.3%", "100.0%", "6", "-"],
        ["ads", "B", "7", "6", "85.7%", "33.3%", "0.0%", "0", "-"],
    ]


def test_without_a_day_it_is_the_week_of_the_last_conflict() -> None:
    assert weekly_digest(DAYS) == weekly_digest(DAYS, week="1970-01-19")
    assert weekly_digest(DAYS).startswith("Week from 1970-01-19: 5 conflicts, 15 claims.")


def test_what_comes_after_the_week_is_not_looked_at() -> None:
    assert weekly_digest(DAYS, week="1970-01-05") == weekly_digest(DAYS[:7])


def test_a_week_without_claims_still_tells_what_stands() -> None:
    text = weekly_digest(DAYS, week="1970-02-10")
    assert text.startswith("Week from 1970-02-09: 0 conflicts, 0 claims. A person should look")
    assert "scope" not in text
    with pytest.raises(InvalidInput, match="has no conflicts"):
        weekly_digest(DAYS, week="1969-01-01")


def test_promises_limits_lots_gains_and_notes_are_told() -> None:
    engine = Arbitration(Policy(c=1), seed="7")
    rows = tuple(engine.conflict(ABC)._replace(at=MONDAY + n) for n in range(60))
    gains = tuple(
        ClaimGain(one.at or 0, "resource", "A", True, 100, 10)
        for one in rows if one.winners == ("A",)
    )  # fmt: skip
    later = tuple(one._replace(at=one.at + 7 * DAY) for one in gains)
    log = ClaimsLog(conflicts=rows, gains=(*gains, *later), notes=("assumed",))
    text = weekly_digest(log, Policy(c=1), rules=AlarmRules(longest_streak=3))
    assert "Alarms that ended\n  - warning: C had not won resource for " in text
    assert "4 losses in a row); the limit is 3 in a row (" in text
    assert "\n\nLots\n  - tied sets of 2: (" in text
    assert f"\n\nGains\n  - A claimed {100 * len(gains)}, gained {10 * len(gains)};" in text
    assert "\n\nNotes\n  - assumed\n\nPromised: at most" in text
    assert "  4\n" in text.split("\n\n")[1] + "\n", "its bound stands in the table"


def test_a_new_agent_has_no_share_of_the_week_before() -> None:
    rows = [*DAYS[:7], *(one._replace(claims=(("A", 3), ("D", 1))) for one in DAYS[7:14])]
    (line,) = [one for one in weekly_digest(rows).splitlines() if one.startswith("ads    D")]
    assert line.split()[-3:] == ["-", "7", "-"]


def test_a_log_without_winners_has_no_table() -> None:
    rows = tuple(one._replace(winners=()) for one in DAYS)
    text = weekly_digest(ClaimsLog(conflicts=rows, says_who_won=False))
    assert "scope" not in text
    assert "the log does not say who won" in text


def test_many_agents_are_cut_to_those_who_lose_longest() -> None:
    names = [f"a{at:02}" for at in range(60)]
    claims = tuple((name, 1) for name in names)
    rows = [Conflict(n, "r", claims, winners=(names[n],), at=MONDAY + n) for n in range(20)]
    text = weekly_digest(rows)
    assert text.count("\nr      a") == 50
    assert "\n(10 more agents)\n" in text
    assert "\nr      a18 " not in text


def test_g7_every_conflict_needs_its_time() -> None:
    rows = [one._replace(at=None) for one in DAYS[:2]]
    with pytest.raises(InvalidInput) as caught:
        weekly_digest([*rows, *DAYS])
    assert len(caught.value.faults) == 2
    with pytest.raises(InvalidInput, match="digest: week is 'soon'"):
        weekly_digest(DAYS, week="soon")
