"""Watch drawn: every win in its bar, the longest row and the alarms where they belong."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from fractions import Fraction
from typing import Any

import pytest

from comity.core.canonical import JsonObject
from comity.formats.claims_log import ClaimsLog
from comity.mechanisms.arbitration import AlarmRules, Conflict, recorded
from comity.render.watch_chart import MOST_BARS, watch_chart
from comity.watch.report import watch_report

SVG = "{http://www.w3.org/2000/svg}"
ABC = [("A", 3), ("B", 2), ("C", 1)]
DAY = 86_400
DAYS = [recorded("ads", ABC, ["AAB"[day % 3]], at=DAY * day + lot) for day in range(19)
        for lot in range(4)]  # fmt: skip


def report(*args: object, **named: object) -> JsonObject:
    return watch_report(*args, **named).to_json()  # type: ignore[arg-type]


def parsed(drawn: str) -> ET.Element:
    return ET.fromstring(drawn)  # noqa: S314  # our own text


def texts(drawn: str) -> list[str]:
    return [one.text or "" for one in parsed(drawn).iter(f"{SVG}text")]


def marks(drawn: str, tag: str, name: str) -> list[Any]:
    return [one for one in parsed(drawn).iter(SVG + tag) if one.get("class") == name]


def test_r5_a_bar_for_each_period_has_a_part_for_each_winner() -> None:
    drawn = watch_chart(report(DAYS))
    assert len(marks(drawn, "rect", "agent0 edge")) == 13
    assert len(marks(drawn, "rect", "agent1 edge")) == 6
    assert marks(drawn, "rect", "agent2 edge") == []
    hints = [one.find(f"{SVG}title").text for one in marks(drawn, "rect", "agent1 edge")]
    assert hints[0] == "1970-01-03: B 4"
    told = texts(drawn)
    for words in ("A 52", "B 24", "C 0", "wins", "day", "01-01"):
        assert words in told


def test_r5_the_alarm_stands_at_the_conflict_where_it_first_fires() -> None:
    drawn = watch_chart(report(DAYS))
    urgent = [one for one in watch_report(DAYS).alarms if one.is_urgent]
    assert len(marks(drawn, "path", "alarm")) == len(urgent) == 1
    assert "first alarm: conflict 12 of 76, 1970-01-03 00:00:03Z" in texts(drawn)
    (line,) = marks(drawn, "path", "when")
    bars = {one.find(f"{SVG}title").text: one for one in marks(drawn, "rect", "agent1 edge")}
    bar = bars["1970-01-03: B 4"]
    at = float(line.get("d")[1:].split()[0])
    part = (at - float(bar.get("x"))) / float(bar.get("width"))
    assert part == pytest.approx(3 / 4, abs=0.01)


def test_r5_alarms_that_ended_are_hollow_and_said_to_have_ended() -> None:
    bad = [recorded("r", ABC, ["A"], at=DAY * n) for n in range(30)]
    fair = [recorded("r", ABC, ["ABC"[n % 3]], at=DAY * n) for n in range(30, 90)]
    drawn = watch_chart(report([*bad, *fair]))
    assert len(marks(drawn, "path", "alarm over")) == 4
    assert marks(drawn, "path", "alarm") == []
    (told,) = [one for one in texts(drawn) if "first alarm" in one]
    assert told.endswith(", all have ended")
    assert "no alarm stands, 4 alarms ended." in texts(drawn)


def test_r5_everybody_who_lost_the_longest_row_is_named() -> None:
    rows = [recorded("r", ABC, ["A"], at=DAY * n) for n in range(19)]
    told = texts(watch_chart(report(rows)))
    assert "B and C lose 19 claims in a row each" in told
    assert "B and C have not won r for 19 days; A wins instead" in told
    four = [recorded("r", [*ABC, ("D", 1)], ["A"]) for _ in range(30)]
    told = texts(watch_chart(report(four)))
    assert "B, C and 1 other lose 30 claims in a row each" in told
    assert "B, C and 1 other have not won r, 30 losses in a row; A wins instead" in told


def test_r5_the_longest_row_spans_the_bars_it_lasted() -> None:
    drawn = watch_chart(report(DAYS))
    (row,) = marks(drawn, "path", "row")
    bars = marks(drawn, "rect", "agent0 edge")
    start = float(row.get("d")[1:].split()[0])
    end = float(row.get("d").split("H")[1].split("m")[0])
    assert start == pytest.approx(float(bars[0].get("x")), abs=0.1)
    assert end > float(bars[-1].get("x"))
    assert "C loses 76 claims in a row" in texts(drawn)


def test_a_short_row_has_its_words_beside_it() -> None:
    late = [recorded("r", ABC[:2], ["AB"[n % 2]], at=DAY * n) for n in range(30)]
    for rows in (late, [*late, late[-1]._replace(at=30 * DAY)]):
        drawn = watch_chart(report(rows))
        (told,) = [
            one for one in parsed(drawn).iter(f"{SVG}text") if "in a row" in (one.text or "")
        ]
        assert told.get("class") in {"", "end"}


def test_where_nobody_loses_there_is_no_row() -> None:
    drawn = watch_chart(report([recorded("r", [("A", 1)], ["A"], at=DAY * n) for n in range(3)]))
    assert marks(drawn, "path", "row") == marks(drawn, "path", "alarm") == []
    assert "A 3" in texts(drawn)


def test_title_and_description_say_the_same_in_words() -> None:
    root = parsed(watch_chart(report(DAYS)))
    assert root.get("role") == "img"
    assert root.find(f"{SVG}title").text == (
        "76 conflicts over ads: C has not won ads for 19 days; A and B win instead"
    )
    told = root.find(f"{SVG}desc").text
    assert told.startswith("Wins: A 52, B 24, C 0. C loses 76 claims in a row. C has not won")
    quiet = parsed(watch_chart(report(DAYS[:2])))
    assert quiet.find(f"{SVG}title").text == "2 conflicts over ads: no alarm."
    assert quiet.find(f"{SVG}desc").text.endswith("No alarm.")


def test_many_periods_share_bars_and_nothing_is_lost() -> None:
    rows = [recorded("r", ABC, ["ABC"[n % 3]], at=DAY * n) for n in range(400)]
    drawn = watch_chart(report(rows, by="day"))
    bars = marks(drawn, "rect", "agent0 edge")
    assert len(bars) <= MOST_BARS
    hints = [one.find(f"{SVG}title").text for one in bars]
    assert sum(int(one.split()[-1]) for one in hints) == 134


def test_many_agents_are_drawn_together() -> None:
    names = [f"agent-{at}" for at in range(9)]
    claims = [(name, 1) for name in names]
    rows = [recorded("r", claims, [names[n % 9]], at=DAY * n) for n in range(27)]
    told = texts(watch_chart(report(rows)))
    assert "5 others 15" in told
    assert "agent-0 3" in told


def test_long_names_are_cut_in_their_middle() -> None:
    claims = [(f"a-very-long-agent-name-{at}", 1) for at in range(3)]
    rows = [recorded("r", claims, [claims[n % 3][0]], at=DAY * n) for n in range(9)]
    told = texts(watch_chart(report(rows)))
    ended = [one for one in told if one.endswith(" 3")]
    assert ended == [f"a-very-l…ame-{at} 3" for at in range(3)]


def test_months_and_one_period_have_their_names() -> None:
    months = watch_chart(report(DAYS, by="month"))
    assert "1970-01" in texts(months)
    whole = watch_chart(report([one._replace(at=None) for one in DAYS]))
    assert "all" in texts(whole)
    (line,) = marks(whole, "path", "when")
    (bar,) = marks(whole, "rect", "agent0 edge")
    part = (float(line.get("d")[1:].split()[0]) - float(bar.get("x"))) / float(bar.get("width"))
    assert part == pytest.approx(11 / 76, abs=0.01)


def test_late_alarms_have_their_words_on_the_left() -> None:
    rules = AlarmRules(longest_wait_s=15 * DAY)
    rows = [recorded("r", ABC, ["ABC"[n % 3]], at=DAY * n) for n in range(12)]
    rows += [recorded("r", ABC, ["AB"[n % 2]], at=DAY * n) for n in range(12, 28)]
    drawn = watch_chart(report(rows, rules=rules))
    (told,) = [
        one for one in parsed(drawn).iter(f"{SVG}text") if "first alarm" in (one.text or "")
    ]
    assert told.get("class") == "bad strong end"


def test_unfair_lots_have_no_moment_to_mark() -> None:
    pair = (("A", 1), ("B", 1))
    rows = [Conflict(n, "r", pair, (0, 0), (("A", "B"),), ("A",), n) for n in range(12)]
    data = report(rows, rules=AlarmRules(horizon=10**6, alpha_early=0.0))
    assert [one["kind"] for one in data["alarms"] if one["level"] == "warning"] == ["tie_break"]  # type: ignore[union-attr,index,call-overload]
    drawn = watch_chart(data)
    assert marks(drawn, "path", "alarm") == marks(drawn, "path", "when") == []


def test_without_winners_it_says_that_they_are_not_known() -> None:
    rows = tuple(one._replace(winners=()) for one in DAYS)
    drawn = watch_chart(report(ClaimsLog(conflicts=rows, says_who_won=False)))
    assert "it is not known who won" in texts(drawn)
    assert "it is not known who won" in texts(watch_chart({"says": "nothing"}))


@pytest.mark.parametrize("name", ["x" * 200, "<b>&'", "ü·"])
@pytest.mark.parametrize("late", [0, 20, 35, 39])
def test_everything_lies_on_the_page(name: str, late: int) -> None:
    pair = [(name, 1), ("z", 1)]
    rows = [recorded(name, pair, [pair[n % 2][0]], at=DAY * n) for n in range(late)]
    rows += [recorded(name, pair, ["z"], at=DAY * n + Fraction(1, 8)) for n in range(late, 42)]
    root = parsed(watch_chart(report(rows)))
    width, height = (float(root.get(one)) for one in ("width", "height"))
    for one in root.iter():
        for field, most in (("x", width), ("y", height)):
            if one.get(field) is not None:
                assert 0 <= float(one.get(field)) <= most
        if one.tag == f"{SVG}text":
            room = 6.5 * len(one.text or "")
            left = {"end": room, "mid": room / 2}.get((one.get("class") or "x").split()[-1], 0)
            begins = float(one.get("x")) - left
            assert begins >= 0, one.text
            assert begins + room <= width, one.text
