"""Deciders tests: what is told where not one policy decided all (R3, R5)."""

from __future__ import annotations

from comity.formats.claims_log import ClaimsLog
from comity.mechanisms.arbitration import Policy, fairness, recorded
from comity.watch.deciders import bounded, changes_told, drawn_alike
from comity.watch.report import watch_report

ROWS = tuple(recorded(name, [("a", 9), ("b", 1)], ["a"]) for name in ("x", "x", "y"))
NOW, BEFORE = Policy(c=2), Policy(rule="static_priority")


def test_r3_bounds_are_of_the_rules_now_where_they_decided() -> None:
    records = fairness(ROWS, NOW)
    log = ClaimsLog(conflicts=ROWS, policies=(BEFORE, NOW, BEFORE))
    found = bounded(records, log, NOW)
    assert [[one.bound for one in each.agents] for each in found] == [[1, 5], [None, None]]
    assert bounded(records, ClaimsLog(conflicts=ROWS), NOW) == records
    assert bounded(records, log, None) == records


def test_r5_a_change_of_rules_is_told() -> None:
    log = ClaimsLog(conflicts=ROWS, policies=(BEFORE, None, NOW), by_others=1)
    (told,) = changes_told(log, NOW)
    assert "1 conflict by static_priority, 1 conflict by losses with c = 2; the bounds" in told
    report = watch_report(log, NOW)
    assert told in report.notes
    assert report.promise.endswith("; nothing of the 1 of 3 conflicts that others decided")
    assert changes_told(ClaimsLog(conflicts=ROWS, policies=(NOW, None, NOW)), NOW) == []
    assert changes_told(ClaimsLog(conflicts=ROWS), NOW) == []


def test_r5_lots_by_weight_are_not_taken_for_equal_ones() -> None:
    weighted = Policy(rule="weighted_lottery")
    log = ClaimsLog(conflicts=ROWS, policies=(weighted, None, NOW))
    assert drawn_alike(log, NOW) == list(ROWS[1:])
