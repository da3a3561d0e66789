"""Alarm recent tests: who wins the last conflicts?

Here: the window, rows of wins.
Not here: alarms over them (test_alarms.py).
Sources: SEMANTICS R5.
"""

import pytest

from comity.mechanisms.arbitration import (
    recorded,
)
from comity.mechanisms.arbitration.alarm_recent import Recent
from comity.mechanisms.arbitration.contests import contests

ABC = [("A", 3), ("B", 2), ("C", 1)]
DAYS = [recorded("budget", ABC, ["A"], at=86_400 * day) for day in range(19)]


def test_r5_only_the_last_conflicts_count_and_sole_claims_are_no_row() -> None:
    rows = [recorded("r", ABC, [name]) for name in "AABAAA"]
    rows.append(recorded("r", [("B", 1)], ["B"]))
    recent = Recent(3)
    for contest in contests(rows)["r"]:
        recent.saw(contest)
    assert (recent.is_full, recent.total, recent.winner, recent.row) == (True, 3, "A", 3)
    assert recent.told("A") == "2 of the last 3 wins"
    assert recent.due("A") == "fair lots would give it 0.667"
    assert recent.above("A") == pytest.approx(4 / 3)
    assert abs(recent.above("Z")) < 1e-6
