"""Nice tit-for-tat: concede as far towards the estimated Nash point as the others have.

Here: the tit-for-tat that looks for joint gains and keeps the deadline.
Not here: the plain one (holding.py), the model it believes (frequency.py).
Sources: SEMANTICS M3; Baarslag, Hindriks and Jonker 2013 (a tit for tat strategy for real-time
bilateral negotiations).

It opens with its best deal. Its target has moved from there towards its worth at the estimated
Nash point by the share that the others have moved towards it, as it values their offers; of
several others the one that has moved least counts. Of what reaches the target it offers what seems
best for the others. In the last tenth of the rounds the target falls evenly to its worst
acceptable deal.
"""

from __future__ import annotations

from comity.core.parties import PartyId
from comity.mechanisms.bargaining.strategies.belief import Belief
from comity.mechanisms.bargaining.strategies.frequency import FrequencyModel
from comity.mechanisms.bargaining.strategies.registry import Player, Seat, strategy

__all__ = ["start_nice_tit_for_tat"]

_UNIT = 10**9


class _Nice:
    """Remembers each other party's first and best offer, and what it asks for most."""

    __slots__ = ("_belief", "_best", "_first", "_models", "_nash", "_rounds", "_seat")

    def __init__(self, seat: Seat) -> None:
        self._seat, self._rounds = seat, seat.rounds
        self._belief = Belief(seat.view, _UNIT, seat.seed)
        self._models = {name: FrequencyModel(seat.view.layout) for name in seat.others}
        self._first: dict[PartyId, int] = {}
        self._best: dict[PartyId, int] = {}
        self._nash: tuple[int, int] | None = None

    @property
    def is_waiting(self) -> bool:
        return False

    def hears(self, at: int, by: PartyId, outcome: int) -> None:  # noqa: ARG002  # as all players
        worth = int(self._seat.view.utilities[outcome])
        self._models[by].saw(outcome)
        self._first.setdefault(by, worth)
        self._best[by] = max(self._best.get(by, worth), worth)

    def _at_nash(self, at: int) -> int:
        """Return its worth at the Nash point, estimated anew twenty times in all."""
        block = at // max(self._rounds // 20, 1)
        if self._nash is None or self._nash[0] != block:
            self._belief.expects(model.rows(_UNIT) for model in self._models.values())
            place = self._belief.nash()
            self._nash = block, int(self._seat.view.ascending[place])
        return self._nash[1]

    def _target(self, at: int) -> int:
        view, over = self._seat.view, self._rounds - 1
        if at >= over:
            return view.lowest
        if len(self._first) < len(self._seat.others):
            return view.best
        goal = self._at_nash(at)
        given = view.best - goal
        for name, first in self._first.items():
            if first < goal:
                moved = min(self._best[name], goal) - first
                given = min(given, (view.best - goal) * moved // (goal - first))
        target = view.best - given
        tenth = max(self._rounds // 10, 1)
        late = at - (over - tenth)
        return target - (target - view.lowest) * late // tenth if late > 0 else target

    def offer(self, at: int) -> int | None:
        view = self._seat.view
        target = self._target(at)
        if target == view.best:
            return view.nearest(target, self._seat.seed)
        self._at_nash(at)
        return int(view.order[self._belief.best_for_others(target)])

    def accepts(self, at: int, by: PartyId, outcome: int) -> bool:  # noqa: ARG002  # as all players
        view = self._seat.view
        return view.is_rational(outcome) and bool(view.utilities[outcome] >= self._target(at))


@strategy("nice_tit_for_tat")
def start_nice_tit_for_tat(seat: Seat) -> Player:
    """Return a player that concedes towards the estimated Nash point as the others do.

    Args:
        seat: whose.

    Returns:
        The player.

    Example:
        >>> from comity.mechanisms.bargaining.strategies import read_strategy
        >>> str(read_strategy("nice_tit_for_tat"))
        'nice_tit_for_tat'
    """
    return _Nice(seat)
