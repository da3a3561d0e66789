"""Digest: what did the claims of one week come to, in a message of plain text?

Here: the message: who does not win, who won this week and the week before, alarms that are new,
that go on and that ended, lots, gains.
Not here: sending it, the clock that says which week it is, the whole report (report.py).
Sources: SEMANTICS R5 ("a weekly digest can be sent"): nineteen days without a win stood in a table
at which nobody looked, so the table goes to the people.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from comity.core.errors import Fault, InvalidInput, raise_if
from comity.core.exact import Exact, show_number, to_fraction
from comity.core.show import table
from comity.formats.claims_log import ClaimsLog
from comity.formats.claims_period import place_of, within
from comity.formats.instants import DAY_S, period_of, read_instant
from comity.mechanisms.arbitration import AlarmRules, Conflict, Policy, fairness
from comity.watch.report import FiredAlarm, WatchReport, counted_as, log_of, watch_report

__all__ = ["weekly_digest"]

_WEEK_S = 7 * DAY_S
_MOST_AGENTS = 50
_MOST_LINES = 40


def weekly_digest(
    conflicts: ClaimsLog | Sequence[Conflict],
    policy: Policy | None = None,
    *,
    rules: AlarmRules | None = None,
    week: str | None = None,
) -> str:
    """Return the digest of one week.

    Args:
        conflicts: all that is recorded, also from before the week; each with its time.
        policy: the policy they were decided under; None when nobody stated one.
        rules: when to raise an alarm.
        week: any day of the week, such as ``2026-06-15``; the week of the last conflict when left
            out.

    Returns:
        Lines of plain text; what comes after the week is not looked at.

    Raises:
        InvalidInput: when there is nothing to look at, or a time is missing.

    Example:
        >>> claims = (("A", 3), ("C", 1))
        >>> days = [
        ...     Conflict(n, "ads", claims, winners=("A",), at=86_400 * n) for n in range(1, 20)
        ... ]
        >>> print(weekly_digest(days, week="1970-01-12").splitlines()[0])
        Week from 1970-01-12: 7 conflicts, 14 claims. A person should look: 1 alarm stands, ...
    """
    log = log_of(conflicts)
    raise_if(
        Fault(f"conflict {one.number} of {one.resource}", "has no time", "seconds since 1970",
              "record the time of each conflict")
        for one in log.conflicts if one.at is None
    )  # fmt: skip
    last = max(_at(one) for one in log.conflicts)
    day = last if week is None else read_instant(week, "digest", "week").at
    monday = read_instant(period_of(day, "week"), "digest").at
    begins = to_fraction(monday)
    known = _until(log, begins + _WEEK_S)
    times = [one.at for one in known.conflicts]
    first, before = place_of(times, begins), place_of(times, begins - _WEEK_S)
    now, past = known.conflicts[first:], known.conflicts[before:first]
    report = watch_report(known, policy, rules=rules, by="week")
    urgent = [one for one in report.alarms if one.is_urgent]
    new = [one for one in urgent if one.since_at is not None and one.since_at >= begins]
    old = [one for one in urgent if one not in new]
    ended = [
        one
        for one in report.alarms
        if one.is_severe and one.ended_at is not None and one.ended_at >= begins
    ]
    parts = [
        _head(period_of(day, "week"), now, new, old),
        _listed("Who does not win", _cases(report)),
        _table(now, past, report),
        _listed("New alarms", map(str, new)),
        _listed("Alarms from before", map(str, old)),
        _listed("Alarms that ended", map(str, ended)),
        _listed("Hints", report.hints),
        _listed("Lots", _lots(report)),
        _listed("Gains", _gains(report)),
        _listed("Notes", report.notes),
        f"Promised: {report.promise}.",
    ]
    return "\n\n".join(one for one in parts if one)


def _cases(report: WatchReport) -> list[str]:
    """Return who loses every time, and whom a desk turned away."""
    lost = [f"{one.says}." for one in report.starved]
    return [*lost, *(f"{one.says}." for one in report.beside)]


def _at(one: Conflict) -> Exact:
    assert one.at is not None  # checked at the door
    return one.at


def _until(log: ClaimsLog, end: Exact) -> ClaimsLog:
    """Return the part of a log before a moment."""
    if place_of([one.at for one in log.conflicts], end):
        return within(log, None, end)
    allowed = "a week in which something was claimed, or a later one"
    raise InvalidInput(Fault("digest", "has no conflicts", allowed, "choose another week"))


def _head(
    week: str, now: Sequence[Conflict], new: Sequence[FiredAlarm], old: Sequence[FiredAlarm]
) -> str:
    claims = sum(len(one.claims) for one in now)
    told = f"{counted_as(len(now), 'conflict')}, {counted_as(claims, 'claim')}"
    counted = f"Week from {week}: {told}."
    many = len(new) + len(old)
    if not many:
        return f"{counted} No alarm."
    stand = f"{counted_as(many, 'alarm')} stand{'s' if many == 1 else ''}"
    return f"{counted} A person should look: {stand}, {len(new) or 'none'} of them new."


def _table(now: Sequence[Conflict], past: Sequence[Conflict], report: WatchReport) -> str:
    """Return who won this week, beside the week before and the row of losses that goes on."""
    if not now or not report.says_who_won:
        return ""
    before = {(record.scope, one.agent): one.share for record in fairness(past, report.policy)
              for one in record.agents}  # fmt: skip
    known = {(record.scope, one.agent): one for record in report.scopes for one in record.agents}
    rows = []
    for record in fairness(now, report.policy):
        for one in record.agents:
            key = (record.scope, one.agent)
            share = before.get(key)
            rows.append(
                (
                    *key,
                    one.claims,
                    one.wins,
                    _percent(one.share),
                    _percent(one.fair),
                    "-" if share is None else _percent(share),
                    known[key].current_streak,
                    "-" if known[key].bound is None else known[key].bound,
                )
            )
    header = ("scope", "agent", "claims", "wins", "share", "fair", "before", "losing", "bound")
    shown = sorted(rows, key=lambda row: (-int(row[7]), row[0], row[1]))[:_MOST_AGENTS]
    more = len(rows) - len(shown)
    return table(shown, header) + (f"\n({more} more agents)" if more else "")


def _percent(share: Exact) -> str:
    return f"{float(share):.1%}"


def _listed(title: str, lines: Iterable[str]) -> str:
    items = [f"  - {line}" for line in lines]
    more = len(items) - _MOST_LINES
    items = items[:_MOST_LINES] + ([f"  - and {more} more"] if more > 0 else [])
    return "\n".join([title, *items]) if items else ""


def _lots(report: WatchReport) -> list[str]:
    return [
        f"tied sets of {one.size}: {one.wins} by place, p = {one.p:.2g}" for one in report.ties
    ]


def _gains(report: WatchReport) -> list[str]:
    found = []
    for one in report.gains:
        told = (
            f"{one.agent} claimed {show_number(one.claimed)}, gained {show_number(one.realised)}"
        )
        flag = ": less than half of it" if one.flagged else ""
        found.append(f"{told}; its next claim counts {float(one.ratio):.2f}{flag}")
    return found
