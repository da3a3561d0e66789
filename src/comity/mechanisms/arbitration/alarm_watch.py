"""Alarm watch: what stands in one scope, conflict by conflict?

Here: when an alarm begins, when it ends.
Not here: levels and limits (alarm_rules.py), what it says (alarm_words.py), all scopes and the
lots (alarms.py).
Sources: SEMANTICS R3, R5.

An alarm over losses ends when the agent has won again and got at least half of its fair share of
its last claims, that over a broken bound when its last claims all kept the bound, and each when
the agent has stopped claiming. One over wins ends when the last conflicts are no longer lopsided.

Two rows of losses are kept of each agent: one that goes on whoever decides, for how long it has
not won, and one that begins anew where the rules change, for what these rules promise.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from math import log

from comity.core.exact import to_fraction
from comity.mechanisms.arbitration.alarm_recent import Recent
from comity.mechanisms.arbitration.alarm_rules import (
    LEVELS,
    AlarmKind,
    AlarmLevel,
    AlarmRules,
    early_level,
)
from comity.mechanisms.arbitration.alarm_runs import Run, one_run
from comity.mechanisms.arbitration.alarm_words import (
    Promise,
    Row,
    losing,
    once_in,
    row_of,
    trickling,
)
from comity.mechanisms.arbitration.contests import Contest, Window
from comity.mechanisms.arbitration.policy import Policy

__all__ = ["Alarm", "ScopeWatch"]

_ROUNDING = 1e-9  # nine thirds added up as floats are a little less than three
_AT_THE_WIN = frozenset({"own_limit", "near_bound", "missed_turns"})
_BY_LOT = frozenset({"lottery", "weighted_lottery"})  # short rows of losses are what they do
_OF_BOUNDS = frozenset({"bound_broken", "near_bound"})
_OVER_WINS: tuple[AlarmKind, ...] = ("monopoly", "dominance")
_LONG = 5  # an agent that stays away so many times longer than it used to has stopped claiming


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarm:
    """One alarm.

    Attributes:
        level: ``info``, ``warning`` or ``critical``.
        kind: what is wrong.
        scope: where.
        agent: with whom; None for the lots of all scopes.
        at_conflict: the conflict of the scope at which it first fires.
        says: the alarm in one sentence, as things are at the end of the record.
        since_conflict: the conflict at which it last began.
        ended_conflict: the conflict at which it ended; None while it stands.
        times: how often it has begun.
        row: how long the row of losses is that it is about and that goes on; 0 where the agent has
            won since, or where it is about wins.
    """

    level: AlarmLevel
    kind: AlarmKind
    scope: str
    agent: str | None
    at_conflict: int
    says: str
    since_conflict: int = 0
    ended_conflict: int | None = None
    times: int = 1
    row: int = 0

    @property
    def stands(self) -> bool:
        """Whether it has not ended."""
        return self.ended_conflict is None

    def __str__(self) -> str:
        """Return the level and the sentence."""
        return f"{self.level}: {self.says}"


class _Episode:
    """An alarm that has begun, perhaps more than once."""

    __slots__ = ("ended", "first", "has_left", "kept", "longest", "promise", "row", "since",
                 "surprise", "times")  # fmt: skip

    def __init__(self, number: int) -> None:
        self.first = self.since = number
        self.ended: int | None = None
        self.times = 1
        self.row: Row | None = None  # of losses
        self.promise: Promise | None = None  # of the rules that decided the last of them
        self.kept = 0  # claims since a bound was last broken
        self.longest, self.surprise = 0, 0.0  # of a row of wins
        self.has_left = False


class ScopeWatch:
    """Looks at one scope, conflict by conflict.

    Args:
        scope: its name.
        listed: its contests.
        policy: the policy they were decided under, or None.
        rules: when to raise an alarm.
        runs: the run of each contest, where not one policy decided all.

    Example:
        >>> from comity.mechanisms.arbitration.contests import contests
        >>> from comity.mechanisms.arbitration.engine import Conflict
        >>> rows = [Conflict(n, "r", (("A", 1), ("B", 1)), winners=("A",)) for n in range(1, 9)]
        >>> watch = ScopeWatch("r", contests(rows)["r"], None, AlarmRules())
        >>> [(one.kind, one.agent, one.at_conflict) for one in watch.alarms()]
        [('missed_turns', 'B', 6), ('no_win', 'B', 7)]
    """

    def __init__(
        self,
        scope: str,
        listed: Sequence[Contest],
        policy: Policy | None,
        rules: AlarmRules,
        runs: Sequence[Run] | None = None,
    ) -> None:
        """Look at every contest that was decided."""
        self.scope, self.rules = scope, rules
        self.run = one_run(listed, policy) if runs is None else runs[0]
        self.windows: dict[str, Window] = {}
        self.rows = self.windows if runs is None else {}  # of the run alone
        self.lasts: dict[str, deque[float]] = {}
        self.first = early_level(
            rules, agents=len({one for each in listed for one in each.claims})
        )
        self.levels: dict[str, float] = {}
        self.standing: dict[str, dict[AlarmKind, _Episode]] = {}
        self.found: dict[tuple[AlarmKind, str], _Episode] = {}
        self.lopsided: set[tuple[AlarmKind, str]] = set()  # those over wins that stand
        self.recent = Recent(rules.window)
        self.decided = 0
        for contest, run in zip(listed, runs or repeat(self.run), strict=False):
            if run is not self.run:
                self.run, self.rows = run, {}
            if contest.is_decided:
                self._saw(contest)
        self.last = listed[-1].number

    def _saw(self, contest: Contest) -> None:
        """Look after one conflict."""
        self.decided += 1
        policy, has_rows = self.run.policy, self.rows is not self.windows
        for agent in contest.claims:
            window = self.windows.get(agent)
            if window is None:
                window = self.windows[agent] = Window()
                self.lasts[agent] = deque(maxlen=self.rules.window)
                self.levels[agent] = self.first
            window.saw(contest, agent, policy)
            if has_rows:
                self.rows.setdefault(agent, Window()).saw(contest, agent, policy)
            chance = contest.chances[agent]
            self.lasts[agent].append(chance if window.streak else -1 - chance)  # wins below 0
            if window.streak:
                self._lost(agent, window, contest)
            elif agent in self.standing:
                self._won(agent, contest)
        level = early_level(self.rules, agents=len(contest.winners), after=self.decided)
        self.levels.update(dict.fromkeys(contest.winners, level))
        self.recent.saw(contest)
        self._look_at_winners(contest)

    # --- losses ------------------------------------------------------------------------------

    def _lost(self, agent: str, window: Window, contest: Contest) -> None:
        promise, rules, of_run = self.run.promise(agent), self.rules, self.rows[agent]
        is_promised = _is_promised(promise, of_run)
        if promise.bound is not None and promise.holds != "never":
            self._look_at_the_bound(promise, agent, of_run, contest)
        if window.missed >= rules.turns - _ROUNDING:
            self._begin("missed_turns", agent, contest)
            if promise.rule and promise.bound is None and promise.rule not in _BY_LOT:
                self._begin("no_promise", agent, contest)
        least = rules.alpha / rules.horizon
        if window.chance <= (least if is_promised else self.levels[agent]):
            self._begin("no_win", agent, contest)
        if _is_beyond_limits(rules, window):
            self._begin("own_limit", agent, contest)
        standing = self.standing.get(agent)
        for kind, one in standing.items() if standing else ():
            one.kept += 1
            own = of_run if kind in _OF_BOUNDS else window
            if kind not in _OVER_WINS and (one.row is None or own.streak >= one.row.streak):
                one.row = row_of(own)
                is_without = bool(promise.rule) and promise.bound is None
                if kind != "no_promise" or is_without:
                    one.promise = promise

    def _look_at_the_bound(
        self, promise: Promise, agent: str, window: Window, contest: Contest
    ) -> None:
        bound = promise.bound or 0
        lost = window.attended if promise.holds == "standing" else window.streak
        if lost > bound:
            self._begin("bound_broken", agent, contest).kept = 0
        elif bound > 1 and 5 * lost >= 4 * bound:
            self._begin("near_bound", agent, contest)

    def _begin(self, kind: AlarmKind, agent: str, contest: Contest) -> _Episode:
        """Let an alarm stand from now on; one that stands already goes on."""
        standing = self.standing.setdefault(agent, {})
        if kind in standing:
            return standing[kind]
        found = self.found.get((kind, agent))
        if found is None:
            found = self.found[kind, agent] = _Episode(contest.number)
        else:
            found.since, found.ended = contest.number, None
            found.times += 1
            found.longest, found.row, found.promise = 0, None, None
        standing[kind] = found
        if kind in _OVER_WINS:
            self.lopsided.add((kind, agent))
        return found

    def _end(self, kind: AlarmKind, agent: str, number: int) -> None:
        self.lopsided.discard((kind, agent))
        self.standing[agent].pop(kind).ended = number
        if not self.standing[agent]:
            del self.standing[agent]

    def _won(self, agent: str, contest: Contest) -> None:
        """End what ends with a win."""
        promise = self.run.promise(agent)
        is_fair = promise.bound is not None and promise.holds == "always"
        if not is_fair:
            wins, due = _share_of(self.lasts[agent])
            is_fair = 2 * wins >= due - _ROUNDING
        for kind, one in list(self.standing[agent].items()):
            one.kept += 1
            if kind == "bound_broken":
                is_over = one.kept >= self.rules.window
            else:
                is_over = kind in _AT_THE_WIN or (is_fair and kind not in _OVER_WINS)
            if is_over:
                self._end(kind, agent, contest.number)

    # --- wins --------------------------------------------------------------------------------

    def _look_at_winners(self, contest: Contest) -> None:
        """Watch for one agent that wins every time, or most of the time.

        Who wins every time was not known before it did: its first win counts for nothing.
        """
        recent, rules = self.recent, self.rules
        if recent.winner is not None and recent.surprise >= log(rules.horizon / rules.alpha):
            found = self._begin("monopoly", recent.winner, contest)
            if recent.row > found.longest:
                found.longest, found.surprise = recent.row, recent.surprise
        for agent in contest.winners if recent.is_full else ():
            if 2 * recent.above(agent) > recent.total:
                self._begin("dominance", agent, contest)
        for kind, agent in list(self.lopsided):
            goes_on = recent.winner == agent and recent.row > 1
            if not goes_on and 4 * recent.above(agent) <= recent.total:
                self._end(kind, agent, contest.number)

    # --- what came of it ---------------------------------------------------------------------

    def alarms(self) -> list[Alarm]:
        """Return every alarm that was raised, with where it ended."""
        for agent, kinds in list(self.standing.items()):
            window = self.windows.get(agent)  # None: it won, and never claimed
            if window is not None and _has_left(window, self.last, self.rules.window):
                for kind in list(kinds):
                    kinds[kind].has_left = True
                    self._end(kind, agent, window.last)
        return [
            Alarm(
                level=LEVELS[kind],
                kind=kind,
                scope=self.scope,
                agent=agent,
                at_conflict=one.first,
                says=f"{self._sentence(kind, agent, one)}.",
                since_conflict=one.since,
                ended_conflict=one.ended,
                times=one.times,
                row=one.row.streak
                if one.row is not None and self._goes_on(kind, agent, one)
                else 0,
            )
            for (kind, agent), one in self.found.items()
        ]

    def _goes_on(self, kind: AlarmKind, agent: str, one: _Episode) -> bool:
        """Tell whether the agent still loses in the row that an alarm is about."""
        longest = 0 if one.row is None else one.row.streak
        is_now = one.ended is None or one.has_left
        rows = self.rows if kind in _OF_BOUNDS else self.windows
        return is_now and agent in rows and rows[agent].streak >= longest

    def _sentence(self, kind: AlarmKind, agent: str, one: _Episode) -> str:
        stands = one.ended is None
        if one.row is None or one.promise is None:
            return self._winning(kind, agent, one)
        goes_on = self._goes_on(kind, agent, one)
        if kind in {"no_win", "no_promise"} and stands and not goes_on:
            wins, due = _share_of(self.lasts[agent])
            return trickling(agent, self.scope, wins, len(self.lasts[agent]), due)
        left = ", and has not claimed since" if one.has_left else ""
        told = one.row.told(agent, self.scope, stands=goes_on)
        return f"{told}{left}; {losing(kind, one.row, one.promise, self.rules)}"

    def _winning(self, kind: AlarmKind, agent: str, one: _Episode) -> str:
        recent, stands = self.recent, one.ended is None
        lately = f"takes {recent.told(agent)} on {self.scope}"
        if kind == "dominance":
            if stands:
                return f"{agent} {lately}; {recent.due(agent)}"
            return f"{agent} took most of the wins on {self.scope}, far above its fair share"
        once = f"fair lots do that {once_in(one.surprise)}"
        if stands and recent.winner == agent and recent.row >= one.longest:
            return f"{agent} wins {self.scope} {one.longest} times in a row; {once}"
        told = f"{agent} won {self.scope} {one.longest} times in a row; {once}"
        return f"{told}, and it {lately}" if stands else told


def _is_promised(promise: Promise, window: Window) -> bool:
    """Tell whether a bound holds for a row: for whoever claims when, or for this one."""
    if promise.bound is None or promise.holds == "never":
        return False
    return promise.holds == "always" or window.attended == window.streak


def _is_beyond_limits(rules: AlarmRules, window: Window) -> bool:
    if rules.longest_streak is not None and window.streak > rules.longest_streak:
        return True
    if rules.longest_wait_s is None or window.since is None or window.last_at is None:
        return False
    waited = to_fraction(window.last_at) - to_fraction(window.since)
    return waited > to_fraction(rules.longest_wait_s)


def _share_of(last: Sequence[float]) -> tuple[int, float]:
    """Return the wins of an agent's last claims, and how many fair lots would have given it."""
    return sum(one < 0 for one in last), sum(one if one >= 0 else -1 - one for one in last)


def _has_left(window: Window, last: int, least: int) -> bool:
    """Tell whether an agent has stopped claiming, as far as its own rhythm says."""
    rhythm = (window.last - window.first) / max(1, window.claims - 1)
    return last - window.last > max(least, _LONG * rhythm)
