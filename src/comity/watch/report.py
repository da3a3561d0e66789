"""Report: who wins, who starves, and since when could that be known?

Here: everything a person looks at after a while of claims, in one value: shares, streaks, ties,
alarms with their moment, the win table, gains.
Not here: the figures themselves (mechanisms/arbitration), the digest of a week (digest.py), how it
looks (render/watch.py).
Sources: SEMANTICS R5, K4, D3.

A log may say nothing of its policy. Then nothing is promised, and the alarms that need no promise
still fire: claims without a win by the horizon, monopoly, dominance, unfair lots, own limits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from comity.core.canonical import Json
from comity.core.codec import encode
from comity.core.errors import Fault, InvalidInput
from comity.core.exact import Exact, show_number
from comity.formats.claims_log import ClaimsLog
from comity.formats.instants import instant_text
from comity.mechanisms.arbitration import (
    Alarm,
    AlarmRules,
    Conflict,
    Policy,
    ScopeRecord,
    TieTest,
    WinTable,
    alarms,
    fairness,
    tie_tests,
    win_table,
)
from comity.mechanisms.arbitration.contests import Contest, contests
from comity.mechanisms.arbitration.win_table import Period
from comity.watch.gains import GainRecord, gain_records
from comity.watch.streaks import Streak, longest_streaks
from comity.watch.timeline import Place, Timeline, suitable_period

__all__ = [
    "NO_WINNERS",
    "FiredAlarm",
    "WatchReport",
    "counted_as",
    "log_of",
    "promise_of",
    "watch_report",
]

NO_WINNERS = "the log does not say who won: only what other rules would have done can be told"
"""The note of a log without the column `won`."""

_URGENT = ("critical", "warning")


@dataclass(frozen=True, slots=True, kw_only=True)
class FiredAlarm:
    """An alarm with its moment.

    Attributes:
        alarm: the alarm.
        of: how many conflicts its scope has.
        at: when it first fired, in seconds since 1970, or None.
        place: where that lies in the win table.
    """

    alarm: Alarm
    of: int
    at: Exact | None
    place: Place

    @property
    def is_urgent(self) -> bool:
        """Whether a person should look."""
        return self.alarm.level in _URGENT

    @property
    def when(self) -> str:
        """The conflict, and the time where it is known."""
        told = f"conflict {self.alarm.at_conflict} of {self.of}"
        return told if self.at is None else f"{told}, {instant_text(self.at).replace('T', ' ')}"

    def __str__(self) -> str:
        """Return the alarm in one sentence, with its moment."""
        return f"{str(self.alarm).rstrip('.')} ({self.when})."

    def to_json(self) -> dict[str, Json]:
        """Return the alarm with its moment."""
        alarm = encode(self.alarm)
        assert isinstance(alarm, Mapping)  # it is a dataclass
        return {
            **alarm,
            "of": self.of,
            "at": encode(self.at),
            "time": _time(self.at),
            "place": _place(self.place),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchReport:
    """What recorded claims say.

    Attributes:
        says: the report in one sentence.
        conflicts: how many there are.
        claims: how many claims they have.
        first_at: when the first was, in seconds since 1970, or None.
        last_at: when the last was, or None.
        policy: the policy they were decided under, or None when nobody stated one.
        promise: what it promises, in words.
        warnings: who can starve under it.
        rules: when an alarm is raised.
        alarms: the critical ones first.
        scopes: how every scope and agent fared.
        streaks: the longest row of lost claims of each agent, the longest first.
        streak_places: where in the win table each begins and ends.
        ties: whether the lots look fair.
        wins: who won how often, period by period.
        gains: claimed against realised gain, where the log says them.
        notes: what was assumed.
        says_who_won: whether winners are known.
    """

    says: str
    conflicts: int
    claims: int
    first_at: Exact | None
    last_at: Exact | None
    policy: Policy | None
    promise: str
    warnings: tuple[str, ...]
    rules: AlarmRules
    alarms: tuple[FiredAlarm, ...]
    scopes: tuple[ScopeRecord, ...]
    streaks: tuple[Streak, ...]
    streak_places: tuple[tuple[Place, Place], ...]
    ties: tuple[TieTest, ...]
    wins: WinTable
    gains: tuple[GainRecord, ...] = ()
    notes: tuple[str, ...] = ()
    says_who_won: bool = field(default=True)

    @property
    def needs_person(self) -> bool:
        """Whether an alarm stands that is a warning or critical."""
        return any(one.is_urgent for one in self.alarms)

    def to_json(self) -> dict[str, Json]:
        """Return the whole report; exact numbers are integers or text."""
        streaks = [
            {
                **_fields(one),
                "first_time": _time(one.first_at),
                "last_time": _time(one.last_at),
                "begins": _place(begins),
                "ends": _place(ends),
            }
            for one, (begins, ends) in zip(self.streaks, self.streak_places, strict=True)
        ]
        return {
            "v": 1,
            "kind": "watch",
            "says": self.says,
            "needs_person": self.needs_person,
            "alarms": [one.to_json() for one in self.alarms],
            "conflicts": self.conflicts,
            "claims": self.claims,
            "first_time": _time(self.first_at),
            "last_time": _time(self.last_at),
            "says_who_won": self.says_who_won,
            "policy": None if self.policy is None else self.policy.to_json(),
            "promise": self.promise,
            "warnings": list(self.warnings),
            "rules": encode(self.rules),
            "scopes": encode(self.scopes),
            "streaks": streaks,
            "ties": encode(self.ties),
            "wins": encode(self.wins),
            "gains": encode(self.gains),
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        """Return the sentence, the alarms and the tables."""
        parts = [self.says, *(f"  {one}" for one in self.alarms)]
        if self.says_who_won:
            parts += [str(one) for one in self.scopes]
            parts.append(str(self.wins))
        parts += [f"Promised: {self.promise}.", *self.notes]
        return "\n".join(parts)


def _fields(value: object) -> Mapping[str, Json]:
    found = encode(value)
    assert isinstance(found, Mapping)  # it is a dataclass
    return found


def _time(at: Exact | None) -> str | None:
    return None if at is None else instant_text(at)


def _place(place: Place) -> dict[str, Json]:
    return {"period": place.period, "part": place.part}


def log_of(conflicts: ClaimsLog | Sequence[Conflict]) -> ClaimsLog:
    """Return recorded conflicts as a log.

    Args:
        conflicts: a log, or conflicts in order.

    Raises:
        InvalidInput: when there are none.

    Example:
        >>> log_of([Conflict(1, "gpu", (("a", 1),))]).says_who_won
        True
    """
    log = conflicts
    if not isinstance(log, ClaimsLog):
        log = ClaimsLog(conflicts=tuple(log))
    if not log.conflicts:
        allowed = "one conflict or more"
        raise InvalidInput(Fault("watch", "has no conflicts", allowed, "choose another period"))
    return log


def watch_report(
    conflicts: ClaimsLog | Sequence[Conflict],
    policy: Policy | None = None,
    *,
    rules: AlarmRules | None = None,
    by: Period | None = None,
) -> WatchReport:
    """Look at recorded claims.

    Args:
        conflicts: a log, or conflicts in order.
        policy: the policy they were decided under; None when nobody stated one.
        rules: when to raise an alarm.
        by: the periods of the win table; by default what suits the span of time.

    Returns:
        The report.

    Raises:
        InvalidInput: when there is nothing to look at, or a time is missing for the periods.

    Example:
        >>> claims = (("A", 3), ("B", 2), ("C", 1))
        >>> days = [
        ...     Conflict(n, "ads", claims, winners=("A",), at=86_400 * n) for n in range(1, 20)
        ... ]
        >>> report = watch_report(days)
        >>> report.needs_person, report.alarms[0].when
        (True, 'conflict 12 of 19, 1970-01-13 00:00:00Z')
    """
    log = log_of(conflicts)
    rules = AlarmRules() if rules is None else rules
    listed = log.conflicts
    by = suitable_period(listed) if by is None else by
    timeline = Timeline(listed, by)
    raised, records = alarms(listed, policy, rules), fairness(listed, policy)
    scopes = contests(listed, policy)  # read last: of a long log they take much room
    fired = _fired(raised, scopes, timeline)
    streaks = longest_streaks(listed, policy, scopes)
    times = [one.at for one in listed if one.at is not None]
    notes = [*log.notes, *([] if log.says_who_won else [NO_WINNERS])]
    return WatchReport(
        says=_says(log, fired),
        conflicts=len(listed),
        claims=sum(len(one.claims) for one in listed),
        first_at=min(times, default=None),
        last_at=max(times, default=None),
        policy=policy,
        promise=promise_of(policy),
        warnings=() if policy is None else tuple(map(str, policy.warnings)),
        rules=rules,
        alarms=fired,
        scopes=records,
        streaks=streaks,
        streak_places=tuple(
            (timeline.place(one.first_at), timeline.place(one.last_at)) for one in streaks
        ),
        ties=tie_tests(listed),
        wins=win_table(listed, by),
        gains=gain_records(log.gains, by),
        notes=tuple(notes),
        says_who_won=log.says_who_won,
    )


def _fired(
    raised: Sequence[Alarm], scopes: Mapping[str, Sequence[Contest]], timeline: Timeline
) -> tuple[FiredAlarm, ...]:
    found = []
    for one in raised:
        of_scope = () if one.kind == "tie_break" else scopes[one.scope]
        at = of_scope[one.at_conflict - 1].at if of_scope else None
        place = timeline.place(at)
        if at is None and of_scope:
            place = Place(place.period, (one.at_conflict - 1) / len(of_scope))
        found.append(
            FiredAlarm(alarm=one, of=len(of_scope) or one.at_conflict, at=at, place=place)
        )
    return tuple(found)


def promise_of(policy: Policy | None) -> str:
    """Return what a policy promises, in words.

    Args:
        policy: the policy, or None.

    Example:
        >>> promise_of(None), promise_of(Policy(rule="static_priority"))[:37]
        ('nothing: no policy is stated', 'nothing under static_priority: a lowe')
    """
    if policy is None:
        return "nothing: no policy is stated"
    named = policy.rule
    if named in {"losses", "hours"}:
        named = f"{named} with c = {show_number(policy.c)}"
    if policy.holds == "never":
        return f"nothing under {named}: {policy.facts.fails}"
    return f"{policy.facts.bound} ({named})"


def counted_as(many: int, what: str) -> str:
    """Return how many there are, in words.

    Example:
        >>> counted_as(1, "claim"), counted_as(2, "claim")
        ('1 claim', '2 claims')
    """
    return f"{many} {what}{'' if many == 1 else 's'}"


def _says(log: ClaimsLog, fired: Sequence[FiredAlarm]) -> str:
    resources = sorted({one.resource for one in log.conflicts})
    where = resources[0] if len(resources) == 1 else f"{len(resources)} resources"
    counted = f"{counted_as(len(log.conflicts), 'conflict')} over {where}"
    if not log.says_who_won:
        return f"{counted}: {NO_WINNERS}."
    urgent = [one for one in fired if one.is_urgent]
    if not urgent:
        return f"{counted}: no alarm."
    dated = all(one.at is not None for one in urgent)
    first = min(urgent, key=lambda one: (one.at if dated else 0, one.alarm.at_conflict))
    stand = f"{counted_as(len(urgent), 'alarm')} stand{'s' if len(urgent) == 1 else ''}"
    since = f"since {first.when}" if len(urgent) == 1 else f"the first since {first.when}"
    return f"{counted}: a person should look. {stand}, {since}: {first.alarm.says}"
