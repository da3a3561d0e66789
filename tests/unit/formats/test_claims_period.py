"""Claims period tests: a log is cut by the order of conflicts (R5, R6)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from comity.core.errors import InvalidInput
from comity.formats.claims_log import BesideClaim, ClaimGain, ClaimsLog
from comity.formats.claims_period import place_of, within
from comity.mechanisms.arbitration import Policy, recorded

ROWS = tuple(recorded("r", [("a", 1)], ["a"], at=at) for at in (0, 10, 20))


def test_r6_a_period_keeps_what_lies_in_it() -> None:
    gains = tuple(ClaimGain(at, "r", "a", True, 1, 1) for at in (0, 10, 20))
    beside = tuple(BesideClaim(at, "r", "c", True) for at in (5, 15))
    log = ClaimsLog(conflicts=ROWS, gains=gains, notes=("x",), beside=beside)
    assert within(log) is log
    kept = within(log, 10, 20)
    assert (kept.conflicts, kept.gains, kept.notes) == (ROWS[1:2], gains[1:2], ("x",))
    assert kept.beside == beside[1:]
    assert within(log, Fraction(1, 2)).conflicts == ROWS[1:]
    assert within(log, None, 10).conflicts == ROWS[:1]


def test_r5_clocks_an_hour_apart_punch_no_holes() -> None:
    times = [at - 3600 * (at % 2) for at in range(100)]
    rows = tuple(recorded("r", [("a", 1)], ["a"], at=at) for at in times)
    log = ClaimsLog(conflicts=rows)
    for moment in (30, 31, 98):
        before, after = within(log, None, moment), within(log, moment)
        assert before.conflicts + after.conflicts == rows
    assert place_of([*range(50), 10**15, *range(50, 100)], 80) == 81, "one far clock moves nothing"


def test_r5_who_decided_what_stays_with_its_conflict() -> None:
    handed = ROWS[2]._replace(number=-3)
    policies = (Policy(), None, None)
    log = ClaimsLog(conflicts=(*ROWS[:2], handed), policies=policies, by_others=1)
    kept = within(log, 10)
    assert (kept.policies, kept.by_others) == (policies[1:], 1)
    assert within(log, 20).by_others == 0
    assert within(ClaimsLog(conflicts=ROWS, by_others=3), 10).by_others == 2


@pytest.mark.parametrize(("since", "until"), [(21, None), (None, 0), (20, 10)])
def test_g7_a_period_without_conflicts_is_refused(since: int | None, until: int | None) -> None:
    with pytest.raises(InvalidInput, match="keep none of 3 conflicts"):
        within(ClaimsLog(conflicts=ROWS), since, until)
    timeless = tuple(one._replace(at=None) for one in ROWS)
    with pytest.raises(InvalidInput, match="keep none of 3 conflicts"):
        within(ClaimsLog(conflicts=timeless), 0)
