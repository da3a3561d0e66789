"""Alarm words: what does an alarm say, as things are at the end of the record?

Here: the sentence of each kind of alarm, from the row of losses or wins that it is about.
Not here: when an alarm begins and ends (alarm_watch.py), sentences of whole reports (watch/).
Sources: SEMANTICS R5: "C has not won for 19 days", not "A wins 12 times in a row" and no seconds.
"""

from __future__ import annotations

from math import exp, log
from typing import NamedTuple

from comity.core.exact import Exact, show_number
from comity.core.spans import counted, length_text, row_span
from comity.mechanisms.arbitration.alarm_rules import AlarmKind, AlarmRules
from comity.mechanisms.arbitration.contests import Window
from comity.mechanisms.arbitration.policy import Policy

__all__ = ["Promise", "Row", "losing", "once_in", "row_of", "rule_told", "trickling"]

_RARE = 9 * log(10)  # from a billion runs on, only the power of ten is told
_LEAST = 1e-300


class Promise(NamedTuple):
    """What was promised to an agent.

    Attributes:
        rule: the rule, or "" where none is stated.
        holds: for whom its bounds hold.
        bound: the most the agent may lose in a row, or None.
        named: the rule with what it depends on.

    Example:
        >>> Promise("losses", "always", 4).bound
        4
    """

    rule: str
    holds: str
    bound: int | None
    named: str = ""


def rule_told(policy: Policy) -> str:
    """Return a rule with c, where it has one.

    Args:
        policy: the policy.

    Example:
        >>> rule_told(Policy(c=2)), rule_told(Policy(rule="stride"))
        ('losses with c = 2', 'stride')
    """
    has_c = policy.rule in {"losses", "hours"}
    return f"{policy.rule} with c = {show_number(policy.c)}" if has_c else policy.rule


class Row(NamedTuple):
    """A row of losses, as long as it has become.

    Attributes:
        streak: how many were lost in a row.
        claims: in how many conflicts the agent has claimed.
        missed: how many wins fair lots would have given it.
        chance: how probable fair lots make it.
        has_won: whether the agent had won before.
        since: when it last won, or first claimed.
        last_at: when it lost last.

    Example:
        >>> Row(19, 19, 6.3, 0.0005, False, 0, 86_400 * 18).streak
        19
    """

    streak: int
    claims: int
    missed: float
    chance: float
    has_won: bool
    since: Exact | None
    last_at: Exact | None

    def told(self, agent: str, scope: str, *, stands: bool) -> str:
        """Return who has not won for how long.

        Args:
            agent: who.
            scope: where.
            stands: whether it goes on.
        """
        verb = "has" if stands else "had"
        told = f"{agent} {verb} {'not' if self.has_won else 'never'} won {scope}"
        if self.since is not None and self.last_at is not None and self.last_at > self.since:
            span = row_span(self.since, self.last_at, has_won=self.has_won)
            told = f"{agent} {verb} not won {scope} for {span}"
        lost = f"{self.streak} {'losses' if self.streak > 1 else 'loss'} in a row"
        return f"{told} ({counted(self.claims, 'claim')}, {lost})"


def row_of(window: Window) -> Row:
    """Return the row of losses that an agent is in.

    Args:
        window: its running counts.

    Example:
        >>> row_of(Window()).streak
        0
    """
    return Row(
        window.streak,
        window.claims,
        window.missed,
        window.chance,
        window.win_number is not None,
        window.since,
        window.last_at,
    )


def losing(kind: AlarmKind, row: Row, promise: Promise, rules: AlarmRules) -> str:
    """Return why a row of losses alarms.

    Args:
        kind: which alarm.
        row: the row.
        promise: what was promised.
        rules: the limits.

    Example:
        >>> row = Row(19, 19, 6.33, 1 / 2217, False, None, None)
        >>> losing("no_win", row, Promise("", "never", None), AlarmRules())
        'fair lots do that once in 2217 runs'
    """
    if kind == "bound_broken":
        where = "" if promise.holds == "always" else " while it claims every time"
        most = f"at most {promise.bound} in a row{where}"
        told = f"{promise.named or promise.rule} is proved to let it lose {most}"
        return f"{told}: lost state, an edited record, another rule or a bug"
    if kind == "near_bound":
        return f"at most {promise.bound} are possible"
    if kind == "missed_turns":
        return f"fair lots would have given it {row.missed:.3g} wins"
    if kind == "no_promise":
        return f"{promise.named or promise.rule} promises it nothing"
    if kind == "no_win":
        if row.chance < _LEAST:
            return f"fair lots do that less than {once_in(-log(_LEAST))}"
        return f"fair lots do that {once_in(-log(row.chance))}"
    if rules.longest_streak is not None and row.streak > rules.longest_streak:
        return f"the limit is {rules.longest_streak} in a row"
    return f"the limit is {length_text(rules.longest_wait_s or 0)}"


def trickling(agent: str, scope: str, wins: int, claims: int, due: float) -> str:
    """Return how little an agent wins that does win now and then.

    Args:
        agent: who.
        scope: where.
        wins: how many of its last claims it won.
        claims: how many these are.
        due: how many fair lots would have given it.

    Example:
        >>> trickling("B", "ads", 2, 20, 7.0)
        'B wins 2 of its last 20 claims on ads; fair lots would give it 7'
    """
    told = f"{agent} wins {wins} of its last {counted(claims, 'claim')} on {scope}"
    return f"{told}; fair lots would give it {due:.3g}"


def once_in(surprise: float) -> str:
    """Return how rare something is.

    Args:
        surprise: minus the logarithm of its chance.

    Example:
        >>> once_in(log(2217)), once_in(100 * log(10))
        ('once in 2217 runs', 'once in 10^100 runs')
    """
    if surprise < _RARE:
        return f"once in {exp(surprise):.0f} runs"
    return f"once in 10^{round(surprise / log(10))} runs"
