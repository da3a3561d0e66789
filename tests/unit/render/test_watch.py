"""Watch as text: the answer first, every table readable, whatever the log holds."""

from __future__ import annotations

from comity.core.canonical import JsonObject
from comity.formats.claims_log import BesideClaim, ClaimGain, ClaimsLog
from comity.mechanisms.arbitration import Arbitration, Conflict, Policy, recorded
from comity.render import watch as module
from comity.render.ink import Ink
from comity.render.watch import watch_text
from comity.render.what_if import what_if_text
from comity.render.win_tables import chosen_columns, win_rows
from comity.watch.report import watch_report
from comity.watch.side_by_side import policies_named, side_by_side

ABC = [("A", 3), ("B", 2), ("C", 1)]
DAY = 86_400
DAYS = [recorded("ads", ABC, ["A"], at=DAY * day) for day in range(19)]


def report(*args: object, **named: object) -> JsonObject:
    return watch_report(*args, **named).to_json()  # type: ignore[arg-type]


def blocks(data: JsonObject) -> list[str]:
    return watch_text(data, Ink()).split("\n\n")


def test_r5_the_sentence_comes_first_then_alarms_then_tables() -> None:
    parts = blocks(report(DAYS))
    assert parts[0].startswith("19 conflicts over ads: a person should look. B and C have not won")
    told = (
        "has not won ads for 19 days (19 claims, 19 losses in a row); A (19 of 19) wins instead."
    )
    assert parts[1].splitlines() == ["Who does not win", f"  - B {told}", f"  - C {told}"]
    heading, first, _, last = parts[2].splitlines()
    assert heading == "Alarms"
    assert first.startswith("  - warning: B has not won ads for 19 days")
    assert last == (
        "  - warning: A wins ads 19 times in a row; fair lots do that once in 387420489 runs"
        " (since conflict 12 of 19, 1970-01-12 00:00:00Z)."
    )
    assert parts[3].startswith("ads: 19 conflicts, Jain index 0.333\nagent  claims")
    assert parts[4].startswith("Wins by day\n       day  A  B  C\n1970-01-01  1  0  0")
    assert parts[5].startswith("Longest rows of lost claims\n  - B lost 19 on ads, from 1970")
    assert parts[-1] == "Promised: nothing: no policy is stated."


def test_r5_shares_stand_beside_fair_shares_with_their_interval() -> None:
    head, *rows = blocks(report(DAYS))[3].splitlines()[1:]
    assert head.split("  ")[0] == "agent"
    assert rows[0].split() == [
        "A", "19", "19", "100.0%", "33.3%", "83.2%", "to", "100.0%", "0", "0", "-", "the", "last",
        "one",
    ]  # fmt: skip
    assert rows[2].split()[-4:] == ["19", "19", "-", "never"]


def test_r5_time_since_the_last_win_is_in_two_units() -> None:
    claims = [("A", 1), ("B", 1)]
    rows = [recorded("r", claims, ["A"], at=0), recorded("r", claims, ["B"], at=93_784)]
    row = blocks(report(rows))[1].splitlines()[2]
    assert row.endswith("1 ago, 1 d 2 h")
    for seconds, told in ((0, "0 s"), (59, "59 s"), (60, "1 min"), (3600, "1 h")):
        rows[1] = rows[1]._replace(at=seconds)
        assert blocks(report(rows))[1].splitlines()[2].endswith(f"1 ago, {told}")
    bare = [one._replace(at=None) for one in rows]
    assert blocks(report(bare))[1].splitlines()[2].endswith("1 ago")


def test_levels_have_their_colours_and_text_stays_on_its_line() -> None:
    ink = Ink(colours=True)
    broken = watch_text(report(DAYS, Policy(c=1)), ink)
    assert f"- {ink.bad('critical')}: " in broken
    assert f"- {ink.warn('warning')}: " in broken
    assert broken.startswith(ink.warn("19 conflicts over ads"))
    quiet = watch_text(report(DAYS[:1]), ink)
    assert quiet.startswith(ink.good("1 conflict over ads"))


def test_lots_gains_starvers_notes_and_undecided_conflicts_are_told() -> None:
    engine = Arbitration(Policy(c=1), seed="7")
    rows = [engine.conflict(ABC)._replace(at=DAY * n) for n in range(30)]
    rows.append(rows[-1]._replace(number=31, winners=(), stages=()))
    gains = tuple(ClaimGain(DAY * n, "resource", "A", True, 10, 1) for n in range(9))
    log = ClaimsLog(conflicts=tuple(rows), gains=gains, notes=("assumed",))
    text = watch_text(report(log, Policy(c=0, priorities=dict(ABC))), Ink())
    assert "resource: 30 conflicts, 1 undecided, Jain" in text
    assert "\n\nLots\n  - tied sets of 2: " in text
    (row,) = [one for one in text.splitlines() if one.endswith("half of what it claims")]
    assert row.split()[:6] == ["A", "9", "90", "9", "0.10", "0.26"]
    assert "Who can starve\n  - agent B can starve" in text
    assert text.endswith("Notes\n  - assumed")


def test_a_log_in_which_everything_waits_has_no_index_and_no_alarm() -> None:
    text = watch_text(report([one._replace(winners=()) for one in DAYS]), Ink())
    assert "ads: 0 conflicts, 19 undecided\n" in text
    assert "Longest rows" not in text
    bare = {"agents": [], "scope": "r", "conflicts": 0}
    assert "r: 0 conflicts" in watch_text({"says": "x", "promise": "y", "scopes": [bare]}, Ink())


def test_many_agents_and_periods_are_cut_and_the_cut_is_told() -> None:
    names = [f"agent-{at:02}" for at in range(60)]
    claims = [(name, 1) for name in names]
    rows = [recorded("r", claims, [names[n % 9]], at=DAY * 7 * n) for n in range(200)]
    parts = blocks(report(rows, by="week"))
    table = next(one for one in parts if one.startswith("r: "))
    assert table.count("\nagent-") == 40
    assert table.endswith("(20 more agents, with shorter rows of losses now)")
    wins = next(one for one in parts if one.startswith("Wins by week"))
    assert "(160 earlier rows)" in wins
    assert wins.endswith("(the 8 of 60 agents with the most and fewest wins)")
    assert len(wins.splitlines()) == 2 + module.MOST_ROWS + 2
    streaks = next(one for one in parts if one.startswith("Longest rows"))
    assert len(streaks.splitlines()) == 6


def test_a_log_without_winners_shows_other_rules_only() -> None:
    rows = tuple(one._replace(winners=()) for one in DAYS)
    log = ClaimsLog(conflicts=rows, says_who_won=False)
    data = {**watch_report(log).to_json(), "what_if": side_by_side(log).to_json()}
    text = watch_text(data, Ink())
    assert text.startswith("19 conflicts over ads: the log does not say who won")
    assert "Wins by" not in text
    (row,) = [one for one in text.splitlines() if one.startswith("losses, c = 1  ")]
    assert [int(row.split()[at]) for at in (4, 9, 14)] == [9, 6, 4], "wins"
    assert "  - recorded: the log does not say who won" in text


def test_conflicts_without_times_are_one_period() -> None:
    data = report([one._replace(at=None) for one in DAYS])
    text = watch_text(data, Ink())
    assert "Wins by period\nperiod   A  B  C\nall     19  0  0" in text
    assert "runs (since conflict 12 of 19)." in text
    assert "  - B lost 19 on ads, and has not won since" in text


def test_r6_rules_stand_side_by_side_with_wins_streaks_and_bounds() -> None:
    found = side_by_side(DAYS, policies_named(["losses", "static", "first_come"])).to_json()
    parts = what_if_text(found, Ink()).split("\n\n")
    assert parts[0].startswith("19 conflicts replayed: an agent lost up to 19 in a row")
    lines = [line.split("  ") for line in parts[1].splitlines()]
    assert lines[0][0] == "wins / longest / bound"
    assert parts[1].splitlines()[1].split() == [
        "recorded", "19", "/", "0", "/", "-", "0", "/", "19", "/", "-", "0", "/", "19", "/", "-",
        "0.333", "19",
    ]  # fmt: skip
    assert parts[2].splitlines()[1].startswith("  - losses, c = 1: at most ⌊")
    assert parts[3] == (
        "Cannot be told\n  - first_come: claim of 'A' does not say when it arrived (at)"
    )


def test_r6_many_agents_get_the_columns_of_the_most_and_the_fewest_wins() -> None:
    names = [f"a{at}" for at in range(10)]
    claims = tuple((name, 1) for name in names)
    rows = [Conflict(n, "r", claims, winners=(names[9 - n % 3],)) for n in range(9)]
    text = what_if_text(side_by_side(rows, policies_named(["losses"])).to_json(), Ink())
    head = text.split("\n\n")[1].splitlines()[0]
    assert head.split()[5:13] == ["a0", "a1", "a2", "a3", "a6", "a7", "a8", "a9"]
    assert "\n(8 of 10 agents)" in text
    assert chosen_columns(names, [0] * 10) == [0, 1, 2, 3, 6, 7, 8, 9]


def test_text_from_elsewhere_stays_on_its_line() -> None:
    told = watch_text({"says": "a\nb", "promise": "c\nd", "notes": ["e\nf"]}, Ink())
    assert told == "a\\nb\n\nPromised: c\\nd.\n\nNotes\n  - e\\nf"
    rows = [Conflict(n, "r", (("x" * 90, 1), ("z", 1)), winners=("z",), at=n) for n in range(3)]
    table = blocks(report(rows))[1]
    assert max(map(len, table.splitlines())) < 120


def test_rows_of_a_table_that_is_not_there_are_none() -> None:
    assert win_rows({}) == []


def test_r5_notes_are_told_of_whoever_has_no_alarm() -> None:
    parts = blocks(report(DAYS[:10]))
    assert parts[1].startswith("Noted\n  - B has not won ads for 10 days (10 claims, 10 losses in")
    assert "Noted" not in watch_text(report(DAYS), Ink())


def test_r5_alarms_that_ended_stand_below_those_that_stand() -> None:
    fair = [recorded("ads", ABC, ["CBA"[n % 3]], at=DAY * n) for n in range(19, 90)]
    parts = blocks(report([*DAYS, *fair]))
    assert parts[0] == "90 conflicts over ads: no alarm stands, 4 alarms ended."
    assert parts[1].startswith("Alarms that have ended\n  - warning: B had not won ads for 19")
    assert parts[1].splitlines()[1].endswith(", to conflict 29 of 90, 1970-01-29 00:00:00Z).")


def test_r5_hints_come_right_after_the_sentence() -> None:
    log = ClaimsLog(conflicts=tuple(DAYS[:3]), hints=("give --window",))
    assert blocks(report(log))[1] == "Hints\n  - give --window"


def test_r5_very_many_alarms_and_starving_agents_are_cut() -> None:
    claims = [(f"a{at:02}", 1) for at in range(60)]
    rows = [recorded("r", claims, ["a00"]) for _ in range(600)]
    parts = blocks(report(rows))
    assert parts[1].splitlines()[-1] == "  - and 49 more, see --json."
    assert parts[2].splitlines()[-1] == f"  - and {61 - module.MOST_ROWS} more, see --json."


def test_r5_claims_turned_away_and_wins_unused_have_columns_where_there_are_some() -> None:
    beside = (
        *(BesideClaim(n, "ads", "C", True, ("A",)) for n in range(9)),
        BesideClaim(3, "ads", "A", False),
        BesideClaim(3, "ads", "Z", True),
    )
    rows = [one._replace(claims=(("A", 3), ("B", 2))) for one in DAYS[:3]]
    text = watch_text(report(ClaimsLog(conflicts=tuple(rows), beside=beside)), Ink())
    table = text.split("\n\n")[1].splitlines()
    assert table[1].endswith("turned away  unused")
    assert [line.split()[0] for line in table[2:]] == ["A", "B", "C", "Z"]
    assert table[2].split()[-2:] == ["0", "1"]
    assert table[4].split()[-2:] == ["9", "0"]
    away = (BesideClaim(3, "ads", "C", True),)
    one = watch_text(report(ClaimsLog(conflicts=tuple(rows), beside=away)), Ink())
    assert "unused" not in one
    both = (*(BesideClaim(n, "ads", name, True, ("A",)) for n in range(9) for name in "CD"),)
    two = blocks(report(ClaimsLog(conflicts=tuple(rows), beside=both)))[1]
    assert two.startswith("Who does not win\n  - C was turned away from ads 9 times in a row, for")


def test_r5_of_very_many_resources_the_worst_are_shown_first() -> None:
    rows = [
        recorded(f"r{at:02}", [("a", 1), ("b", 1)], ["a"], at=n)
        for at in range(30) for n in range(9 if at == 20 else 1 + at % 3)
    ]  # fmt: skip
    away = [BesideClaim(n, "r25", "c", True, ("a",)) for n in range(3)]
    found = watch_report(ClaimsLog(conflicts=tuple(rows), beside=tuple(away))).to_json()
    lines = module.watch_text(found, Ink()).splitlines()
    heads = [one[:3] for one in lines if ": " in one and one.startswith("r")]
    assert heads[:4] == ["r20", "r02", "r05", "r08"]
    assert len(heads) == module.MOST_SCOPES
    assert "and 20 more resources or scopes, see --json." in lines


def test_r5_times_that_go_backwards_are_not_told() -> None:
    rows = [recorded("r", [("a", 1), ("b", 1)], ["a"], at=100 - at) for at in range(3)]
    rows.append(recorded("r", [("a", 1), ("b", 1)], ["b"], at=50))
    text = module.watch_text(watch_report(rows).to_json(), Ink())
    assert "b lost 3 on r, from conflict 1 to 3\n" in text
    assert " 1 ago\n" in text


def test_d3_gains_of_very_many_agents_are_cut() -> None:
    gains = [ClaimGain(1, "r", f"a{at:02}", True, 2, 1) for at in range(50)]
    rows = tuple(recorded("r", [(one.agent, 1)], [one.agent], at=1) for one in gains)
    found = watch_report(ClaimsLog(conflicts=rows, gains=tuple(gains))).to_json()
    text = module.watch_text(found, Ink())
    assert "(and 10 more agents, see --json)" in text
