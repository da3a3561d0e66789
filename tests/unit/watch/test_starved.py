"""Starved: who does not win, for how long, and who wins instead (R5)."""

from __future__ import annotations

from comity.mechanisms.arbitration import AlarmRules, Conflict, alarms, recorded
from comity.mechanisms.arbitration.contests import contests
from comity.watch.starved import Starved, starved, starving_says

ABC = [("A", 1), ("B", 1), ("C", 1)]
DAY = 86_400


def found(rows: list[Conflict], rules: AlarmRules | None = None) -> tuple[Starved, ...]:
    return starved(alarms(rows, None, rules), contests(rows))


def test_r5_two_take_turns_and_the_third_starves() -> None:
    rows = [recorded("slot", ABC, ["AB"[n % 2]], at=DAY * n) for n in range(19)]
    (one,) = found(rows)
    assert one.says == (
        "C has not won slot for 19 days (19 claims, 19 losses in a row); A (10 of 19) and B (9 of"
        " 19) win instead"
    )
    assert (one.span, one.wins, one.since, one.last_at) == ("19 days", 0, 0, 18 * DAY)


def test_r5_a_row_counts_from_the_last_win() -> None:
    rows = [recorded("r", ABC, ["C" if n < 2 else "AB"[n % 2]], at=DAY * n) for n in range(40)]
    (one,) = found(rows)
    assert one.says.startswith(
        "C has not won r for 38 days (40 claims, 38 losses in a row); A (19"
    )
    bare = [row._replace(at=None) for row in rows]
    assert found(bare)[0].says.startswith("C has not won r (40 claims, 38 losses in a row); A (19")


def test_r5_who_wins_too_little_is_told_apart() -> None:
    rows = [recorded("r", ABC, ["C" if n % 19 == 18 else "A"], at=n) for n in range(95)]
    (b, c) = found(rows)
    assert b.says.startswith(
        "B has not won r for 1 min 34 s (95 claims, 95 losses in a row); A (90"
    )
    assert c.says == "C wins too little of r (5 wins in 95 claims); A (90 of 95) wins instead"
    again = [recorded("r", ABC, ["A"], at=95)]
    assert found([*rows, *again])[1].says.startswith("C wins too little of r (5 wins in 96 claims")


def test_r5_only_alarms_that_stand_and_only_losses_count() -> None:
    rows = [recorded("r", ABC, ["A"]) for _ in range(30)]
    assert [one.agent for one in found(rows)] == ["B", "C"]
    fair = [recorded("r", ABC, ["CBA"[n % 3]]) for n in range(60)]
    assert found([*rows, *fair]) == ()


def test_r5_many_are_counted_after_the_first_names() -> None:
    claims = [(f"a{at}", 1) for at in range(9)]
    rows = [recorded("r", claims, ["a0"], at=n) for n in range(60)]
    cases = found(rows)
    told = starving_says(cases)
    assert told.startswith("a1, a2, a3 and 5 others have not won r for 59 s (60 claims, 60 losses")
    assert told.endswith("a row, each); a0 (60 of 60) wins instead")
    other = [one._replace(resource="s") for one in rows[:50]]
    assert starving_says(found([*rows, *other])).endswith("wins instead; 8 more starve")
    limit = AlarmRules(longest_streak=0)
    two = [recorded("r", ABC[:2], ["A"], at=1), recorded("s", ABC[:2], ["B"], at=1)]
    assert starving_says(found(two, limit)) == (
        "B has never won r (1 claim, 1 loss in a row); A (1 of 1) wins instead; 1 more starves"
    )
    turns = [recorded("r", claims, [f"a{n % 8}"]) for n in range(60)]
    (last,) = found(turns)
    assert last.winners == "a0 (8 of 60), a1 (8 of 60), a2 (8 of 60) and 5 others win instead"
