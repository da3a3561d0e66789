"""Alarm rules: when is a row of losses too long to be chance?

Here: the levels and limits of alarms, the horizon, the chance of a row without a win.
Not here: looking at conflicts (alarms.py, alarm_watch.py), the figures behind them (fairness.py).
Sources: SEMANTICS R5. Whoever looks after every conflict looks often: one look at p < 0.001 fires
in 47 % of fair runs of 1,000 conflicts. So the level is shared among the looks of a horizon N:
with n claimants k* = ⌈ln(N/α)/ln(n/(n−1))⌉ claims without a win.

A log of nineteen days never comes to that horizon. So the rows of losses that begin first have a
level of their own, ``alpha_early``. Half of it is shared among the first rows of all agents: that
an agent loses its first k claims is one event and not one for each look. The other half goes to
the rows that begin after the win of conflict s, 1/(s·(s + 1)) to each, which adds up to 1. Fair
lots so raise one such alarm in at most ``alpha_early`` of all logs, however long they get.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, exp, log, log1p
from typing import Literal

from comity.core.errors import Fault, InvalidInput, raise_if, shown
from comity.core.exact import Exact, read_exact

__all__ = [
    "LEVELS",
    "AlarmKind",
    "AlarmLevel",
    "AlarmRules",
    "chance_of_no_win",
    "claims_without_win",
    "early_level",
    "single_look",
]

AlarmLevel = Literal["info", "warning", "critical"]
AlarmKind = Literal[
    "bound_broken",
    "no_win",
    "no_promise",
    "own_limit",
    "monopoly",
    "dominance",
    "tie_break",
    "near_bound",
    "missed_turns",
]

LEVELS: dict[AlarmKind, AlarmLevel] = {
    "bound_broken": "critical",
    "no_win": "warning",
    "no_promise": "warning",
    "own_limit": "warning",
    "monopoly": "warning",
    "dominance": "warning",
    "tie_break": "warning",
    "near_bound": "info",
    "missed_turns": "info",
}
"""Kind -> level; whoever starves comes before whoever wins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmRules:
    """When to raise an alarm.

    Attributes:
        alpha: how probable one false alarm over the whole horizon may be.
        horizon: how many conflicts are looked at before somebody takes stock.
        turns: fair turns missed in a row that are worth a note, and a warning without a promise.
        longest_streak: the user's own limit on losses in a row, or None.
        longest_wait_s: the user's own limit on seconds since the last win, or None.
        window: how many conflicts the look at dominance covers, and how many claims of an agent
            tell whether it is treated fairly again.
        alpha_early: how probable one false alarm over the rows that begin early may be; 0 for no
            early alarm.

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
    alpha_early: float = 0.05

    def __post_init__(self) -> None:
        faults = []
        for name, least in (("alpha", "above 0"), ("alpha_early", "from 0")):
            level: object = getattr(self, name)
            is_level = isinstance(level, float) and 0 <= level < 1
            if not is_level or (name == "alpha" and not level):
                what, allowed = f"{name} is {shown(level)}", f"{least} and below 1"
                faults.append(Fault("alarm rules", what, allowed, f"correct {name}"))
        for name, first in (("horizon", 1), ("turns", 1), ("window", 1), ("longest_streak", 0)):
            value: object = getattr(self, name)
            if value is None and name == "longest_streak":
                continue
            if type(value) is not int or value < first:
                what = f"{name} is {shown(value)}"
                allowed = f"a whole number from {first}"
                faults.append(Fault("alarm rules", what, allowed, f"correct {name}"))
        if self.longest_wait_s is not None:
            faults.extend(_wait_faults(self.longest_wait_s))
        raise_if(faults)


def _wait_faults(wait: object) -> list[Fault]:
    try:
        is_fit = read_exact(wait, "alarm rules", "longest_wait_s") >= 0
    except InvalidInput:
        is_fit = False
    if is_fit and not isinstance(wait, (float, str)):
        return []
    what = f"longest_wait_s is {shown(wait)}"
    allowed = "an exact number of seconds from 0"
    return [Fault("alarm rules", what, allowed, "correct longest_wait_s")]


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


def early_level(rules: AlarmRules, *, agents: int = 1, after: int = 0) -> float:
    """Return how improbable a row of losses must be that began early.

    Args:
        rules: the levels.
        agents: how many agents there are; after a win, how many won.
        after: the conflict whose win ended the row before, from 1; 0 for the first row.

    Returns:
        The level; never below that of the horizon.

    Example:
        >>> [round(early_level(AlarmRules(), agents=3), 5), early_level(AlarmRules(), after=3)]
        [0.00833, 0.0020833333333333333]
        >>> early_level(AlarmRules(), after=1_000)
        1e-05
    """
    part = after * (after + 1) if after else 1
    return max(rules.alpha / rules.horizon, rules.alpha_early / 2 / part / agents)
