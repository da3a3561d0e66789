"""Alarms: who starves, and since when could that be known?

Here: alarms over recorded conflicts, each with the conflict at which it first fires.
Not here: sending them (watch/), the figures behind them (fairness.py, tie_tests.py).
Sources: SEMANTICS R5. Whoever looks after every conflict looks often: one look at p < 0.001 fires
in 47 % of fair runs of 1,000 conflicts. So the level is shared among the looks of a horizon N:
with n claimants k* = ⌈ln(N/α)/ln(n/(n−1))⌉ claims without a win.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, exp, log, log1p
from typing import Literal

from comity.core.errors import Fault, raise_if, shown
from comity.core.exact import Exact, show_number, to_fraction
from comity.mechanisms.arbitration.contests import (
    Contest,
    Window,
    contests,
    population_bounds,
)
from comity.mechanisms.arbitration.engine import Conflict
from comity.mechanisms.arbitration.policy import Policy
from comity.mechanisms.arbitration.tie_tests import tie_tests

__all__ = [
    "Alarm",
    "AlarmKind",
    "AlarmLevel",
    "AlarmRules",
    "alarms",
    "chance_of_no_win",
    "claims_without_win",
    "single_look",
]

AlarmLevel = Literal["info", "warning", "critical"]
AlarmKind = Literal[
    "bound_broken",
    "near_bound",
    "no_promise",
    "missed_turns",
    "no_win",
    "monopoly",
    "dominance",
    "own_limit",
    "tie_break",
]

_LEVELS: dict[AlarmKind, AlarmLevel] = {
    "bound_broken": "critical",
    "near_bound": "info",
    "no_promise": "warning",
    "missed_turns": "info",
    "no_win": "warning",
    "monopoly": "warning",
    "dominance": "warning",
    "own_limit": "warning",
    "tie_break": "warning",
}
_ROUNDING = 1e-9  # nine thirds added up as floats are a little less than three
_ORDER: tuple[AlarmLevel, ...] = ("critical", "warning", "info")


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmRules:
    """When to raise an alarm.

    Attributes:
        alpha: how probable one false alarm over the whole horizon may be.
        horizon: how many conflicts are looked at before somebody takes stock.
        turns: fair turns missed in a row that are worth a note, and a warning without a promise.
        longest_streak: the user's own limit on losses in a row, or None.
        longest_wait_s: the user's own limit on seconds since the last win, or None.
        window: how many conflicts the look at dominance covers.

    Raises:
        InvalidInput: for values that mean nothing.

    Example:
        >>> AlarmRules().horizon
        1000
    """

    alpha: float = 0.01
    horizon: int = 1000
    turns: int = 3
    longest_streak: int | None = None
    longest_wait_s: Exact | None = None
    window: int = 20

    def __post_init__(self) -> None:
        faults = []
        alpha: object = self.alpha
        if not (isinstance(alpha, float) and 0 < alpha < 1):
            what = f"alpha is {shown(self.alpha)}"
            faults.append(Fault("alarm rules", what, "between 0 and 1", "correct alpha"))
        for name in ("horizon", "turns", "window"):
            value: object = getattr(self, name)
            if type(value) is not int or value < 1:
                what = f"{name} is {shown(value)}"
                allowed = "a whole number from 1"
                faults.append(Fault("alarm rules", what, allowed, f"correct {name}"))
        raise_if(faults)


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarm:
    """One alarm.

    Attributes:
        level: ``info``, ``warning`` or ``critical``.
        kind: what is wrong.
        scope: where.
        agent: with whom; None for the lots of all scopes.
        at_conflict: the conflict of the scope at which it first fires.
        says: the alarm in one sentence.
    """

    level: AlarmLevel
    kind: AlarmKind
    scope: str
    agent: str | None
    at_conflict: int
    says: str

    def __str__(self) -> str:
        """Return the level and the sentence."""
        return f"{self.level}: {self.says}"


def chance_of_no_win(claimants: Iterable[int], units: int = 1) -> float:
    """Return how probable it is to win nothing in conflicts of so many, under fair lots.

    Args:
        claimants: how many claimed, conflict by conflict.
        units: how many won at once.

    Example:
        >>> round(chance_of_no_win([3] * 19), 6)
        0.000451
    """
    shares = [min(1.0, units / one) for one in claimants]
    return 0.0 if 1.0 in shares else exp(sum(log1p(-one) for one in shares))


def single_look(chance: float) -> AlarmLevel | None:
    """Return the level of one look at a chance, decided on before looking.

    Args:
        chance: what :func:`chance_of_no_win` returned.

    Returns:
        ``warning`` below 1/1,000, ``critical`` below 1/1,000,000, else None. Looking after every
        conflict needs :func:`claims_without_win` instead.

    Example:
        >>> single_look(0.00045), single_look(0.5)
        ('warning', None)
    """
    if chance < 1e-6:
        return "critical"
    return "warning" if chance < 1e-3 else None


def claims_without_win(claimants: int, rules: AlarmRules | None = None) -> int:
    """Return k*: after so many claims without a win somebody who looks every time is warned.

    Args:
        claimants: how many claim each time, 2 or more.
        rules: the level and the horizon.

    Example:
        >>> claims_without_win(3)
        29
    """
    rules = AlarmRules() if rules is None else rules
    return ceil(log(rules.horizon / rules.alpha) / log(claimants / (claimants - 1)))


def alarms(
    conflicts: Sequence[Conflict],
    policy: Policy | None = None,
    rules: AlarmRules | None = None,
) -> tuple[Alarm, ...]:
    """Return every alarm that recorded conflicts raise, each once, where it first fires.

    Args:
        conflicts: recorded conflicts, in order.
        policy: the policy they were decided under; without it no bound is known.
        rules: when to raise an alarm.

    Returns:
        The critical ones first, then by scope, conflict and agent.

    Example:
        >>> rows = [
        ...     Conflict(n, "r", tuple((one, 1) for one in "ABC"), winners=("A",))
        ...     for n in range(1, 20)
        ... ]
        >>> found = alarms(rows)
        >>> print(next(one for one in found if one.kind == "monopoly"))
        warning: A wins r 12 times in a row; fair lots do that once in 177147 runs.
    """
    rules = AlarmRules() if rules is None else rules
    found: dict[tuple[AlarmKind, str, str | None], Alarm] = {}
    for scope, listed in contests(conflicts, policy).items():
        watch = _Watch(scope, listed, policy, rules, found)
        for contest in listed:
            if contest.is_decided:
                watch.saw(contest)
    is_weighted = policy is not None and policy.rule == "weighted_lottery"
    for test in () if is_weighted else tie_tests(conflicts):
        if test.p < 1e-3:
            told = f"tied sets of {test.size} go {test.wins} by place: p = {test.p:.2g}"
            key: tuple[AlarmKind, str, None] = ("tie_break", f"ties of {test.size}", None)
            found[key] = Alarm(
                level="warning",
                kind="tie_break",
                scope=key[1],
                agent=None,
                at_conflict=sum(test.wins),
                says=f"lots look unfair: {told}.",
            )
    return tuple(
        sorted(
            found.values(),
            key=lambda one: (
                _ORDER.index(one.level), one.scope, one.at_conflict, one.agent or "", one.kind,
            ),
        )
    )  # fmt: skip


class _Watch:
    """Looks at one scope, conflict by conflict."""

    def __init__(
        self,
        scope: str,
        listed: Sequence[Contest],
        policy: Policy | None,
        rules: AlarmRules,
        found: dict[tuple[AlarmKind, str, str | None], Alarm],
    ) -> None:
        self.scope, self.policy, self.rules, self.found = scope, policy, rules, found
        self.bounds = population_bounds(listed, policy)
        self.is_proved = policy is not None and policy.holds == "always"
        self.windows: dict[str, Window] = {}
        self.first_seen: dict[str, Exact | None] = {}
        self.recent: list[Contest] = []
        self.winner: str | None = None
        self.row, self.surprise = 0, 0.0

    def saw(self, contest: Contest) -> None:
        """Look after one conflict."""
        for agent in contest.claims:
            self.first_seen.setdefault(agent, contest.at)
            window = self.windows.setdefault(agent, Window())
            window.saw(contest, agent, self.policy)
            if window.streak:
                self._look_at(agent, window, contest)
        self._look_at_the_winner(contest)
        self._look_at_dominance(contest)

    def _fire(self, kind: AlarmKind, agent: str, contest: Contest, says: str) -> None:
        key = (kind, self.scope, agent)
        if key not in self.found:
            self.found[key] = Alarm(
                level=_LEVELS[kind],
                kind=kind,
                scope=self.scope,
                agent=agent,
                at_conflict=contest.number,
                says=says,
            )

    def _look_at(self, agent: str, window: Window, contest: Contest) -> None:
        streak, bound, rules = window.streak, self.bounds[agent], self.rules
        lost = f"{agent} has lost {streak} claims on {self.scope} in a row"
        if self.is_proved and bound is not None:
            if streak > bound:
                why = "lost state, an edited record or a bug"
                told = f"{lost}, proved to lose at most {bound}: {why}."
                self._fire("bound_broken", agent, contest, told)
            elif bound > 1 and 5 * streak >= 4 * bound:
                self._fire("near_bound", agent, contest, f"{lost}, at most {bound} are possible.")
        if window.missed >= rules.turns - _ROUNDING:
            due = f"fair lots would have given it {window.missed:.3g} wins"
            self._fire("missed_turns", agent, contest, f"{lost}; {due}.")
            if self.policy is not None and bound is None:
                told = f"{lost}, and {self.policy.rule} promises it nothing"
                self._fire("no_promise", agent, contest, f"{told}.")
        if window.chance <= rules.alpha / rules.horizon:
            once = f"fair lots do that once in {1 / max(window.chance, 1e-300):.0f} runs"
            self._fire("no_win", agent, contest, f"{lost}; {once}.")
        if rules.longest_streak is not None and streak > rules.longest_streak:
            self._fire(
                "own_limit", agent, contest, f"{lost}, the limit is {rules.longest_streak}."
            )
        self._look_at_the_clock(agent, window, contest)

    def _look_at_the_clock(self, agent: str, window: Window, contest: Contest) -> None:
        limit = self.rules.longest_wait_s
        since = self.first_seen[agent] if window.win_at is None else window.win_at
        if limit is None or since is None or contest.at is None:
            return
        waited = to_fraction(contest.at) - to_fraction(since)
        if waited > limit:
            told = f"{agent} has not won {self.scope} for {show_number(waited)} s"
            self._fire(
                "own_limit", agent, contest, f"{told}, the limit is {show_number(limit)} s."
            )

    def _look_at_the_winner(self, contest: Contest) -> None:
        """Watch for one agent that wins every time; who it would be was not known before."""
        if len(contest.winners) != 1 or len(contest.claims) == 1:
            return
        (winner,) = contest.winners
        if winner != self.winner:
            self.winner, self.row, self.surprise = winner, 1, 0.0
            return
        self.row += 1
        self.surprise -= log(contest.chances[winner])
        if self.surprise >= log(self.rules.horizon / self.rules.alpha):
            told = f"{winner} wins {self.scope} {self.row} times in a row"
            once = f"fair lots do that once in {exp(min(self.surprise, 690.0)):.0f} runs"
            self._fire("monopoly", winner, contest, f"{told}; {once}.")

    def _look_at_dominance(self, contest: Contest) -> None:
        self.recent.append(contest)
        del self.recent[: -self.rules.window]
        if len(self.recent) < self.rules.window:
            return
        total = sum(len(one.winners) for one in self.recent)
        for agent in contest.winners:
            wins = sum(agent in one.winners for one in self.recent)
            fair = sum(one.chances.get(agent, 0.0) for one in self.recent)
            if 2 * (wins - fair) > total:
                told = f"{agent} takes {wins} of {total} wins on {self.scope}"
                due = f"fair lots would give it {fair:.3g}"
                self._fire("dominance", agent, contest, f"{told}; {due}.")
