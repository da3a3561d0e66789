"""Timed: concede by the clock alone, whatever the other does.

Here: Boulware, linear and conceder over several issues, and the least worth they accept by round.
Not here: the shares conceded (shares.py), the fast play of two of them (timed_play.py).
Sources: SEMANTICS M3, B3; Faratin, Sierra and Jennings 1998.

In round t of T + 1 the target is the best deal's worth less the conceded share of what lies above
the worst acceptable deal. The offer is the deal worth least at or above the target; whatever is at
or above the target is accepted. Round 0 is the own best deal, round T the worst acceptable one; a
single round is the last.
"""

from __future__ import annotations

from functools import lru_cache

from comity.core.parties import PartyId
from comity.mechanisms.bargaining.outcomes import OwnView
from comity.mechanisms.bargaining.schedules import Schedule
from comity.mechanisms.bargaining.shares import share_scale, share_steps
from comity.mechanisms.bargaining.strategies.registry import Player, Seat, strategy

__all__ = ["start_timed", "targets"]


@lru_cache(maxsize=1024)
def _targets(best: int, lowest: int, schedule: Schedule, rounds: int) -> tuple[int, ...]:
    deadline = rounds - 1
    if deadline == 0:
        return (lowest,)
    scale, width = share_scale(schedule, deadline), best - lowest
    steps = share_steps(schedule, deadline, 0, deadline)
    return (*(best - width * step // scale for step in steps), lowest)


def targets(view: OwnView, schedule: Schedule, rounds: int) -> tuple[int, ...]:
    """Return the least worth that a timed party accepts, round by round.

    Args:
        view: its own table, with at least one deal that it would accept.
        schedule: how it concedes.
        rounds: how many rounds there are, 1 or more.

    Returns:
        Whole steps of the view that never rise.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> from comity.mechanisms.bargaining.outcomes import own_view
        >>> from comity.mechanisms.bargaining.preferences import additive
        >>> from comity.mechanisms.bargaining.problem import Bargainer
        >>> d = domain_of({"days": [0, 8]})
        >>> view = own_view(d, Bargainer("ann", additive(d, {"days": {"8": 8}})))
        >>> targets(view, Schedule("linear"), 5)
        (8, 6, 4, 2, 0)
    """
    return _targets(view.best, view.lowest, schedule, rounds)


class _Timed:
    """Concedes as its targets say."""

    __slots__ = ("_seed", "_targets", "_view")

    def __init__(self, view: OwnView, wanted: tuple[int, ...], seed: str) -> None:
        self._view, self._targets, self._seed = view, wanted, seed

    @property
    def is_waiting(self) -> bool:
        return False

    def offer(self, at: int) -> int | None:
        return self._view.nearest(self._targets[at], self._seed)

    def hears(self, at: int, by: PartyId, outcome: int) -> None:
        """Take in nothing: it looks at the round alone."""

    def accepts(self, at: int, by: PartyId, outcome: int) -> bool:  # noqa: ARG002  # as all players
        view = self._view
        return view.is_rational(outcome) and bool(view.utilities[outcome] >= self._targets[at])


@strategy("linear")
@strategy("boulware", default="0.2", below=1)
@strategy("conceder", default="5", above=1)
def start_timed(seat: Seat) -> Player:
    """Return a player that concedes by the clock.

    Args:
        seat: whose strategy has a schedule.

    Returns:
        The player.

    Example:
        >>> from comity.mechanisms.bargaining.strategies import STRATEGIES
        >>> STRATEGIES["linear"].start is start_timed
        True
    """
    schedule = seat.strategy.schedule
    assert schedule is not None, "the names registered here have one"
    return _Timed(seat.view, targets(seat.view, schedule, seat.rounds), seat.seed)
