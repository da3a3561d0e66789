"""Campaigns: does the shipped case show what it is shipped for, and is it what the code makes?

Here: examples/campaigns and its drawing against docs/img/nineteen_days.py; the alarm long before
day nineteen; the figures of the motivating case.
Not here: the report and the rules (tests/unit/), what the pages show (test_docs.py).
Sources: SEMANTICS R5, R6, D2; the oracle cases B01 and B02.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import comity
from comity.formats.claims_log import ClaimsLog, claims_csv, read_claims_file
from comity.mechanisms.arbitration import Arbitration, Policy, what_if
from comity.watch.digest import weekly_digest
from comity.watch.report import watch_report
from comity.watch.side_by_side import policies_named, side_by_side

ROOT = Path(__file__).resolve().parent.parent
CAMPAIGNS = ROOT / "examples" / "campaigns"
SCRIPT = ROOT / "docs" / "img" / "nineteen_days.py"
FILES = (
    "examples/campaigns/claims.csv",
    "examples/campaigns/first-come.csv",
    "examples/campaigns/loss-count.csv",
    "docs/img/nineteen-days.svg",
)
DAY = 86_400
STARTED = 1_780_272_000
LOT = 300


def log(name: str) -> ClaimsLog:
    return read_claims_file(CAMPAIGNS / name)


def curves() -> dict[str, list[list[Any]]]:
    said = tomllib.loads((CAMPAIGNS / "budget.toml").read_text("utf-8"))
    return {name: one["segments"] for name, one in said["agents"].items()}


def gain(segments: list[list[Any]], money: int) -> Fraction:
    total, left = Fraction(0), Fraction(money)
    for width, slope in segments:
        total += min(left, Fraction(width)) * Fraction(str(slope))
        left = max(left - width, Fraction(0))
    return total


def money_a_day(found: ClaimsLog) -> list[dict[str, int]]:
    table = watch_report(found, by="day").wins
    return [
        {name: LOT * wins for name, wins in zip(table.agents, row, strict=True)}
        for _, row in table.rows
    ]


def gains_a_day(found: ClaimsLog) -> Fraction:
    days = money_a_day(found)
    own = curves()
    return sum(
        (gain(own[name], amount) for day in days for name, amount in day.items()), Fraction(0)
    ) / len(days)


def test_the_logs_and_the_drawing_are_what_the_code_makes(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(SCRIPT), str(tmp_path)], check=True, capture_output=True)
    stale = [
        name for name in FILES if (ROOT / name).read_bytes() != (tmp_path / name).read_bytes()
    ]
    assert not stale, f"run `python docs/img/nineteen_days.py`: {', '.join(stale)}"


def test_r5_the_alarm_fires_long_before_day_nineteen() -> None:
    found = log("claims.csv")
    report = watch_report(found)
    assert report.needs_person
    first = min((one for one in report.alarms if one.is_urgent), key=lambda one: one.at or 0)
    assert (first.alarm.kind, first.alarm.agent, first.alarm.at_conflict) == ("no_win", "C", 12)
    assert first.at == STARTED + 12, "twelve seconds into the first of nineteen days"
    assert report.starved[0].says.startswith(
        "C has not won budget for 19 days (760 claims, 760 losses in a row); A (722 of 760)"
    )
    (longest, *_) = report.streaks
    assert (longest.agent, longest.length, longest.is_over) == ("C", 760, False)


@pytest.mark.parametrize("days", range(1, 19))
def test_r5_whoever_looked_on_any_evening_was_told(days: int) -> None:
    rows = [one for one in log("claims.csv").conflicts if (one.at or 0) < STARTED + DAY * days]
    assert watch_report(rows[-80:]).needs_person, "even two days of it are enough"


def test_r5_every_weeks_digest_tells_it() -> None:
    found = log("claims.csv")
    for week, new in (("2026-06-01", "4"), ("2026-06-08", "none"), ("2026-06-15", "none")):
        head = weekly_digest(found, week=week).splitlines()[0]
        assert head.startswith(f"Week from {week}: ")
        assert head.endswith(f"A person should look: 4 alarms stand, {new} of them new.")


def test_d2_the_amounts_and_gains_are_those_of_the_case() -> None:
    static, first = log("claims.csv"), log("first-come.csv")
    assert money_a_day(static) == [{"A": 11_400, "B": 600, "C": 0}] * 19
    assert money_a_day(first) == [{"A": 11_400, "B": 300, "C": 300}] * 19
    assert gains_a_day(static) == 15_560
    ours = log("loss-count.csv")
    assert all(sum(day.values()) == 12_000 for day in money_a_day(ours))
    assert round(gains_a_day(ours)) == 25_675
    budget = tomllib.loads((CAMPAIGNS / "budget.toml").read_text("utf-8"))["budget"]
    best = comity.share(budget, curves(), objective="utilitarian")
    assert (best.allocation, best.total_gain) == ({"A": 4000, "B": 6000, "C": 2000}, 26_500)


def test_d2_the_case_is_that_of_the_oracle(need_data: Callable[[str], Path]) -> None:
    cases = json.loads(need_data("mechanisms/allocation.json").read_text("utf-8"))["cases"]
    by_id = {one["id"]: one for one in cases}
    told = {
        name: [[width, Fraction(slope)] for width, slope in segments]
        for name, segments in by_id["B01"]["input"]["curves"].items()
    }
    assert told == {
        name: [[width, Fraction(str(slope))] for width, slope in segments]
        for name, segments in curves().items()
    }
    beside = by_id["B02"]["expected"]
    assert beside["allocation"] == money_a_day(log("claims.csv"))[0]
    assert beside["total_gain"] == gains_a_day(log("claims.csv"))
    jain = watch_report(log("claims.csv")).scopes[0].jain
    assert Fraction(beside["jain"]) == jain


def test_r3_ours_keeps_its_bound_and_needs_nobody() -> None:
    report = watch_report(log("loss-count.csv"), Policy(c=1))
    assert not report.needs_person
    assert {one.agent: (one.longest_streak, one.bound) for one in report.scopes[0].agents} == {
        "A": (2, 2), "B": (3, 3), "C": (4, 4),
    }  # fmt: skip


def test_d3_the_claim_that_does_not_come_true_is_flagged() -> None:
    gains = {one.agent: one for one in watch_report(log("loss-count.csv")).gains}
    assert {name: (one.raw, one.flagged) for name, one in gains.items()} == {
        "A": (Fraction(2, 5), True), "B": (1, False), "C": (1, False),
    }  # fmt: skip
    realised = sum(Fraction(one.realised) for one in gains.values())
    assert realised / 19 == gains_a_day(log("loss-count.csv"))


def test_r6_what_if_is_what_the_pure_rules_decide() -> None:
    found = log("claims.csv")
    policies = policies_named(["losses", "static", "stride"])
    shown = side_by_side(found, policies, seed="5").found
    assert shown == what_if(found.conflicts, policies, seed="5")
    engine = Arbitration(Policy(c=1), seed="5")
    winners = [engine.conflict(one.claims, one.resource).winners[0] for one in found.conflicts]
    assert shown.rows[1].wins == tuple(winners.count(name) for name in "ABC")
    assert shown.rows[2].same == 760, "static priority was the rule"


@pytest.mark.parametrize("name", ["claims.csv", "first-come.csv", "loss-count.csv"])
def test_what_is_read_is_written_back_byte_for_byte(name: str) -> None:
    found = log(name)
    assert claims_csv(found.conflicts, found.gains) == (CAMPAIGNS / name).read_text("utf-8")
