"""Report: who wins, who starves, and since when could that be known?

Here: everything a person looks at after a while of claims, in one value: who starves and who wins
instead, alarms with where they began and ended, shares, streaks, ties, the win table, gains.
Not here: the figures themselves (mechanisms/arbitration), the digest of a week (digest.py), how it
looks (render/watch.py).
Sources: SEMANTICS R5, K4, D3.

A log may say nothing of its policy. Then nothing is promised, and the alarms that need no promise
still fire: claims without a win by the horizon, monopoly, dominance, unfair lots, own limits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from comity.core.canonical import Json
from comity.core.codec import encode
from comity.core.errors import Fault, InvalidInput, raise_if
from comity.core.exact import Exact
from comity.core.spans import counted
from comity.formats.claims_log import ClaimsLog
from comity.formats.instants import instant_text, is_told
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
from comity.mechanisms.arbitration.alarm_lots import lots_of
from comity.mechanisms.arbitration.alarm_words import rule_told
from comity.mechanisms.arbitration.contests import Contest, contests
from comity.mechanisms.arbitration.whatif import winner_faults
from comity.mechanisms.arbitration.win_table import Period
from comity.watch.beside import BesideRecord, beside_records
from comity.watch.deciders import bounded, changes_told, drawn_alike
from comity.watch.gains import GainRecord, gain_records
from comity.watch.starved import Starved, starved, starving_says
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
        since_at: when it last began, or None.
        ended_at: when it ended, or None.
    """

    alarm: Alarm
    of: int
    at: Exact | None
    place: Place
    since_at: Exact | None = None
    ended_at: Exact | None = None

    @property
    def is_severe(self) -> bool:
        """Whether it is a warning or critical, over or not."""
        return self.alarm.level in _URGENT

    @property
    def is_urgent(self) -> bool:
        """Whether a person should look: it is severe, and it stands."""
        return self.is_severe and self.alarm.stands

    @property
    def when(self) -> str:
        """The conflicts at which it began and ended, and the times where they are known."""
        one, what = self.alarm, "lot" if self.alarm.kind == "tie_break" else "conflict"
        if one.ended_conflict is None:
            begun = f"since {what} {one.since_conflict} of {self.of}{_moment(self.since_at)}"
            return f"{begun}, {_ordinal(one.times)} time" if one.times > 1 else begun
        if one.times == 1:
            begun = f"{what} {one.at_conflict}{_moment(self.at)}"
        else:
            begun = f"{one.times} times from {what} {one.at_conflict}{_moment(self.at)}"
        is_back = self.at is not None and self.ended_at is not None and self.ended_at < self.at
        ended = "" if is_back else _moment(self.ended_at)  # where clocks lie apart
        return f"{begun}, to {what} {one.ended_conflict} of {self.of}{ended}"

    def __str__(self) -> str:
        """Return the alarm in one sentence, with its moment."""
        return f"{str(self.alarm).rstrip('.')} ({self.when})."

    def to_json(self) -> dict[str, Json]:
        """Return the alarm with its moment."""
        alarm = encode(self.alarm)
        assert isinstance(alarm, Mapping)  # it is a dataclass
        return {
            **alarm,
            "stands": self.alarm.stands,
            "of": self.of,
            "at": encode(self.at),
            "time": _time(self.at),
            "since_time": _time(self.since_at),
            "ended_time": _time(self.ended_at),
            "when": self.when,
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
        alarms: those that stand first, of them the critical ones.
        starved: who does not win at the end of the record, the longest row of losses first.
        scopes: how every scope and agent fared.
        streaks: the longest row of lost claims of each agent, the longest first.
        streak_places: where in the win table each begins and ends.
        ties: whether the lots look fair.
        wins: who won how often, period by period.
        gains: claimed against realised gain, where the log says them.
        notes: what was assumed.
        says_who_won: whether winners are known.
        hints: why the log may have been read otherwise than meant, and what to do.
        beside: claims of a desk that were turned away, and wins that nobody used.
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
    starved: tuple[Starved, ...]
    scopes: tuple[ScopeRecord, ...]
    streaks: tuple[Streak, ...]
    streak_places: tuple[tuple[Place, Place], ...]
    ties: tuple[TieTest, ...]
    wins: WinTable
    gains: tuple[GainRecord, ...] = ()
    notes: tuple[str, ...] = ()
    says_who_won: bool = field(default=True)
    hints: tuple[str, ...] = ()
    beside: tuple[BesideRecord, ...] = ()

    @property
    def needs_person(self) -> bool:
        """Whether a warning or a critical alarm stands, or a desk always turns an agent away."""
        is_starved = any(one.is_starved for one in self.beside)
        return is_starved or any(one.is_urgent for one in self.alarms)

    def to_json(self) -> dict[str, Json]:
        """Return the whole report; exact numbers are integers or text."""
        streaks = [
            {
                **_fields(one),
                "first_time": _time(one.first_at),
                "last_time": _time(one.last_at),
                "begins": _place(begins),
                "ends": _place(ends),
                "is_backwards": one.is_backwards,
            }
            for one, (begins, ends) in zip(self.streaks, self.streak_places, strict=True)
        ]
        return {
            "v": 1,
            "kind": "watch",
            "says": self.says,
            "needs_person": self.needs_person,
            "starved": [
                {
                    **_fields(one),
                    "span": one.span,
                    "since_time": _time(one.since),
                    "last_time": _time(one.last_at),
                    "says": one.says,
                }
                for one in self.starved
            ],
            "alarms": [one.to_json() for one in self.alarms],
            "hints": list(self.hints),
            "beside": [
                {**_fields(one), "says": one.says, "is_starved": one.is_starved}
                for one in self.beside
            ],
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
        parts = [self.says, *(f"  {one}" for one in self.alarms if one.alarm.stands)]
        if self.says_who_won:
            parts += [str(one) for one in self.scopes]
            parts.append(str(self.wins))
        parts += [f"Promised: {self.promise}.", *self.notes]
        return "\n".join(parts)


def _fields(value: object) -> Mapping[str, Json]:
    found = encode(value)
    assert isinstance(found, Mapping)  # it is a dataclass
    return found


def _moment(at: Exact | None) -> str:
    return "" if at is None else f", {instant_text(at).replace('T', ' ')}"


def _ordinal(number: int) -> str:
    """Return 2 as "the 2nd" and so on."""
    tail = "th" if number % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(number % 10)
    return f"the {number}{tail or 'th'}"


def _time(at: Exact | None) -> str | None:
    return None if at is None else instant_text(at)


def _place(place: Place) -> dict[str, Json]:
    return {"period": place.period, "part": place.part}


def log_of(conflicts: ClaimsLog | Sequence[Conflict]) -> ClaimsLog:
    """Return recorded conflicts as a log; a time that no calendar has is left out, and noted.

    Args:
        conflicts: a log, or conflicts in order.

    Raises:
        InvalidInput: when there are none, or somebody won who did not claim.

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
    raise_if(winner_faults(log.conflicts))
    far = sum(one.at is not None and not is_told(one.at) for one in log.conflicts)
    if not far:
        return log
    dated = tuple(
        one if one.at is None or is_told(one.at) else one._replace(at=None)
        for one in log.conflicts
    )
    verb = "has a time" if far == 1 else "have times"
    told = f"{counted(far, 'conflict')} {verb} beyond the years 1 to 9999, taken as not known"
    return replace(log, conflicts=dated, notes=(*log.notes, told))


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
        >>> report.needs_person, report.starved[0].says
        (True, 'B has not won ads for 19 days (19 claims, 19 losses in a row); A (19 of 19) wins \
instead')
    """
    log = log_of(conflicts)
    rules = AlarmRules() if rules is None else rules
    listed = log.conflicts
    by = suitable_period(listed) if by is None else by
    timeline = Timeline(listed, by)
    scopes = contests(listed, policy)
    raised = alarms(listed, policy, rules, scopes, log.policies)
    records = bounded(fairness(listed, policy, scopes), log, policy)
    fired = _fired(raised, scopes, timeline, log, policy)
    streaks = longest_streaks(listed, policy, scopes)
    times = [one.at for one in listed if one.at is not None]
    notes = [*log.notes, *([] if log.says_who_won else [NO_WINNERS])]
    notes += changes_told(log, policy)
    cases = starved(raised, scopes) if log.says_who_won else ()
    beside = beside_records(log.beside, scopes, rules)
    return WatchReport(
        says=_says(log, fired, cases, beside),
        conflicts=len(listed),
        claims=sum(len(one.claims) for one in listed),
        first_at=min(times, default=None),
        last_at=max(times, default=None),
        policy=policy,
        promise=promise_of(policy, by_others=(log.by_others, len(log.conflicts))),
        warnings=() if policy is None else tuple(map(str, policy.warnings)),
        rules=rules,
        alarms=fired,
        starved=cases,
        scopes=records,
        streaks=streaks,
        streak_places=tuple(
            (timeline.place(one.first_at), timeline.place(one.last_at)) for one in streaks
        ),
        ties=tie_tests(drawn_alike(log, policy)),
        wins=win_table(listed, by),
        gains=gain_records(log.gains, by),
        notes=tuple(notes),
        says_who_won=log.says_who_won,
        hints=log.hints,
        beside=beside,
    )


def _fired(
    raised: Sequence[Alarm],
    scopes: Mapping[str, Sequence[Contest]],
    timeline: Timeline,
    log: ClaimsLog,
    policy: Policy | None,
) -> tuple[FiredAlarm, ...]:
    times = {scope: [one.at for one in listed] for scope, listed in scopes.items()}
    lots: dict[str, list[Exact | None]] = {}
    if any(one.kind == "tie_break" for one in raised):
        found = lots_of(log.conflicts, policy, log.policies)
        lots = {scope: series.times for scope, series in found.items()}
    fired = []
    for one in raised:
        listed = (lots if one.kind == "tie_break" else times)[one.scope]
        at = listed[one.at_conflict - 1]
        place = timeline.place(at)
        if at is None and one.kind != "tie_break":
            place = Place(place.period, (one.at_conflict - 1) / len(listed))
        ended = one.ended_conflict
        fired.append(
            FiredAlarm(
                alarm=one,
                of=len(listed),
                at=at,
                place=place,
                since_at=listed[one.since_conflict - 1],
                ended_at=None if ended is None else listed[ended - 1],
            )
        )
    return tuple(fired)


def promise_of(policy: Policy | None, *, by_others: tuple[int, int] = (0, 0)) -> str:
    """Return what a policy promises, in words.

    Args:
        policy: the policy, or None.
        by_others: how many conflicts others decided, of how many; then nothing is promised.

    Example:
        >>> promise_of(None), promise_of(Policy(rule="static_priority"))[:37]
        ('nothing: no policy is stated', 'nothing under static_priority: a lowe')
        >>> promise_of(None, by_others=(3, 3))
        'nothing: decided by others, and recorded here'
    """
    others, many = by_others
    if others and policy is None:
        some = "" if others == many else f"{others} of {many} conflicts were "
        return f"nothing: {some}decided by others, and recorded here"
    if policy is None:
        return "nothing: no policy is stated"
    named = rule_told(policy)
    if policy.holds == "never":
        why = policy.facts.fails
        if policy.rule == "losses":
            why = "a lost conflict adds nothing, and a lower priority can starve"
        return f"nothing under {named}: {why}"
    besides = f"; nothing of the {others} of {many} conflicts that others decided"
    return f"{policy.facts.bound} ({named}){besides if others else ''}"


def counted_as(many: int, what: str) -> str:
    """Return how many there are, in words.

    Example:
        >>> counted_as(1, "claim"), counted_as(2, "claim")
        ('1 claim', '2 claims')
    """
    return counted(many, what)


def _says(
    log: ClaimsLog,
    fired: Sequence[FiredAlarm],
    cases: Sequence[Starved],
    beside: Sequence[BesideRecord],
) -> str:
    resources = sorted({one.resource for one in log.conflicts})
    where = resources[0] if len(resources) == 1 else f"{len(resources)} resources"
    told = f"{counted_as(len(log.conflicts), 'conflict')} over {where}"
    if not log.says_who_won:
        return f"{told}: {NO_WINNERS}."
    urgent = [one for one in fired if one.is_urgent]
    refused = [one for one in beside if one.is_starved]
    if not urgent and not refused:
        over = [one for one in fired if one.is_severe]
        if over:
            return f"{told}: no alarm stands, {counted_as(len(over), 'alarm')} ended."
        return f"{told}: {'no alarm, but look at the hint' if log.hints else 'no alarm'}."
    parts = [f"{told}: a person should look"]
    if cases:
        parts.append(starving_says(cases))
    parts += [one.says for one in refused[:1]]
    if urgent:
        parts.append(_standing(urgent, with_sentence=not cases))
    return ". ".join(parts) + "."


def _standing(urgent: Sequence[FiredAlarm], *, with_sentence: bool) -> str:
    """Return how many alarms stand, and since when."""
    dated = all(one.since_at is not None for one in urgent)
    first = min(urgent, key=lambda one: (one.since_at if dated else 0, one.alarm.since_conflict))
    stand = f"{counted_as(len(urgent), 'alarm')} stand{'s' if len(urgent) == 1 else ''}"
    told = f"{stand}, {first.when}" if len(urgent) == 1 else f"{stand}, the first {first.when}"
    return f"{told}: {first.alarm.says.rstrip('.')}" if with_sentence else told
