"""Comity: be frank early, efficient in the middle, and on time at the end.

Here: the project's own strategy for bargaining over several issues without disclosure.
Not here: the estimate of the others (timing.py), why it is built like this and how it fares
(decision 0007).
Sources: SEMANTICS M3; de Jonge 2022 for the argument of efficiency; decision 0007.

Worth is counted from the reservation (0) to the best deal (1). It sees its own values, the public
offers and the round. Every offer binds it and is worth at least its target of that round.

1. Learning, the first 55 % of the rounds. The target falls evenly from 1 to 1/2. It offers the
   deals that the target has just reached, those first that show one option not shown before. It
   accepts only its best deal: waiting costs nothing yet. The target stops 1/20 below its own worth
   at the estimated Nash point; and at 4/5 while the others' offers do not look like this schedule.
2. Closing, while all others look like this schedule. It lists the deals worth at least as much to
   itself as the estimated Nash point and to the others hardly less, and offers them from its best
   down, as MiCRO does: it accepts what is worth at least as much as what it would offer next. When
   both sides do so, a deal that is better for both has been offered before the one agreed on.
3. Holding. With the list at its end, or when the others do not look like this schedule, it goes
   on offering what it has not offered yet, the best for the others among what reaches its target.
   The target falls late: with the 30th power of time after a list, with the 10th otherwise.
4. In the last round it accepts whatever reaches its reservation, and offers the best deal for
   itself that the others have offered, if there is one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction

from comity.core.parties import PartyId
from comity.mechanisms.bargaining.outcomes import drawn
from comity.mechanisms.bargaining.strategies.belief import Belief
from comity.mechanisms.bargaining.strategies.registry import Player, Seat, strategy
from comity.mechanisms.bargaining.strategies.timing import UNIT, TimedLosses

__all__ = ["start_comity"]

_LEARNING = Fraction(11, 20)  # of the rounds
_SHOWN = UNIT // 2  # the most it concedes while it learns
_MARGIN = Fraction(1, 20)  # below its worth at the estimated Nash point, while it learns
_FLOOR = Fraction(4, 5)  # of its worth, while the others look like something else
_UNSEEN = UNIT // 2  # what an option costs the others that they have not offered
_HARDLY = UNIT * 2 // 25  # how much less for the others than at the estimated Nash point
_LISTED = 40  # deals at most
_SURE = 3  # offers before others can look like this schedule
_LOOKED_AT = 16  # deals that the target has just reached
_LATE, _EARLY = 30, 10  # powers of time with which the target falls in the end


def _given_up(at: int, learning: int) -> int:
    """Return how much of its gain the schedule gives up by a round of learning."""
    return _SHOWN * min(at, learning - 1) // max(learning - 1, 1)


class _Comity:
    """Remembers what was offered, what it has shown and what it believes of the others."""

    __slots__ = (
        "_belief",
        "_cap",
        "_heard",
        "_last",
        "_learning",
        "_list",
        "_listed",
        "_losses",
        "_offered",
        "_rounds",
        "_seat",
        "_shown",
        "_sure",
    )

    def __init__(self, seat: Seat) -> None:
        self._seat, self._rounds = seat, seat.rounds
        self._learning = max(1, seat.rounds * _LEARNING.numerator // _LEARNING.denominator)
        self._belief = Belief(seat.view, UNIT, seat.seed)
        self._losses = {name: TimedLosses(seat.view.layout) for name in seat.others}
        self._offered = bytearray(len(seat.view.order))
        self._shown: set[tuple[int, int]] = set()
        self._cap, self._last = seat.view.lowest, -1
        self._heard: int | None = None
        self._list: list[int] | None = None
        self._listed = 0
        self._sure = False

    @property
    def is_waiting(self) -> bool:
        return False

    # --- what it believes ----------------------------------------------------------------

    def _step(self, loss: int) -> int:
        """Return a loss as the worth it leaves, in steps of the view."""
        belief = self._belief
        return max(self._seat.view.best - belief.width * loss // UNIT, self._seat.view.lowest)

    def _estimate(self) -> int:
        """Estimate the others' losses anew; return the place of the Nash point."""
        belief = self._belief
        most = 9 * _SHOWN // (20 * max(self._learning - 1, 1))
        self._sure = all(
            len(one) >= _SURE and one.misfit() <= most for one in self._losses.values()
        )
        belief.expects(one.rows(_UNSEEN) for one in self._losses.values())
        return belief.nash()

    def hears(self, at: int, by: PartyId, outcome: int) -> None:
        view = self._seat.view
        if at < self._learning:
            low = _given_up(at - 1, self._learning) if at else 0
            self._losses[by].saw(outcome, low, _given_up(at, self._learning))
        if view.is_rational(outcome) and (
            self._heard is None or view.utilities[outcome] > view.utilities[self._heard]
        ):
            self._heard = outcome

    # --- what it offers ------------------------------------------------------------------

    def offer(self, at: int) -> int | None:
        view = self._seat.view
        if at == self._rounds - 1 and self._heard is not None:
            return self._heard
        place = self._learn(at) if at < self._learning else self._close(at)
        self._offered[place] = 1
        self._last = place
        outcome = int(view.order[place])
        self._shown.update(enumerate(view.layout.places(outcome)))
        return outcome

    def _learn(self, at: int) -> int:
        """Return a deal that the target has just reached; the last one when there is none."""
        view = self._seat.view
        if at == 0:
            return self._belief.place(view.nearest(view.best, self._seat.seed))
        if at % max(self._rounds // 20, 1) == 0:
            self._look()
        target, before = (
            self._step(_given_up(at, self._learning)),
            self._step(_given_up(at - 1, self._learning)),
        )
        start = bisect_left(view.ascending, target)
        stop = bisect_left(view.ascending, before)
        if target < self._cap or start == stop:
            return self._last
        return self._telling(range(start, min(stop, start + _LOOKED_AT)))

    def _look(self) -> None:
        """Set the worth below which it does not go while it learns."""
        view, belief = self._seat.view, self._belief
        worth = int(view.ascending[self._estimate()])
        margin = belief.width * _MARGIN.numerator // _MARGIN.denominator
        floor = belief.zero + belief.width * _FLOOR.numerator // _FLOOR.denominator
        self._cap = worth - margin if self._sure else max(worth - margin, floor)

    def _telling(self, places: Sequence[int]) -> int:
        """Return the deal that shows one option not shown before, else the one worth least."""
        view = self._seat.view
        ranked: dict[tuple[int, int], list[int]] = {}
        for place in places:
            options = enumerate(view.layout.places(int(view.order[place])))
            new = sum(option not in self._shown for option in options)
            ranked.setdefault((abs(new - 1), int(view.ascending[place])), []).append(place)
        best = min(ranked)
        label = f"{view.party}: shows {best[1]}"
        return ranked[best][drawn(self._seat.seed, label, len(ranked[best]))]

    def _begin(self) -> list[int]:
        """Make the list of closing deals at the end of learning; empty when not sure."""
        if self._list is None:
            place = self._estimate()
            count = min(self._rounds * 37 // 100, _LISTED)
            self._list = self._belief.hardly_worse(place, _HARDLY, count) if self._sure else []
        return self._list

    def _close(self, at: int) -> int:
        """Return the next deal of the list; at its end the best for the others."""
        closing = self._begin()
        if self._listed < len(closing):
            self._listed += 1
            return closing[self._listed - 1]
        target = self._target(at)
        if self._heard is not None and (not self._sure or at >= self._rounds - 4):
            target = max(target, int(self._seat.view.utilities[self._heard]))
        found = self._belief.new_for_others(target, self._offered)
        return self._belief.best_for_others(target) if found is None else found

    # --- what it accepts -----------------------------------------------------------------

    def _target(self, at: int) -> int:
        """Return the least worth it holds on to after the list, round by round."""
        view, belief, over = self._seat.view, self._belief, self._rounds - 1
        if at >= over:
            return view.lowest
        if self._list:
            held, power, top = int(view.ascending[self._list[-1]]), _LATE, None
        else:
            held = belief.zero + belief.width * _FLOOR.numerator // _FLOOR.denominator
            power, top = _EARLY, view.best
        start = held if top is None else top
        fallen: int = start - (start - view.lowest) * at**power // over**power
        return min(held, fallen)

    def accepts(self, at: int, by: PartyId, outcome: int) -> bool:  # noqa: ARG002  # as all players
        view = self._seat.view
        if not view.is_rational(outcome):
            return False
        if at >= self._rounds - 1:
            return True
        worth = int(view.utilities[outcome])
        if at < self._learning:
            return worth >= view.best
        closing = self._begin()
        if self._listed < len(closing):
            return bool(self._listed) and worth >= view.ascending[closing[self._listed]]
        return worth >= self._target(at)


@strategy("comity")
def start_comity(seat: Seat) -> Player:
    """Return a player that is frank early, efficient in the middle and on time at the end.

    Args:
        seat: whose.

    Returns:
        The player.

    Example:
        >>> from comity.mechanisms.bargaining.strategies import read_strategy
        >>> str(read_strategy("comity"))
        'comity'
    """
    return _Comity(seat)
