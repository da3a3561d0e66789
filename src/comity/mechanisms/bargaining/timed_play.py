"""Timed play: what do two parties that concede by the clock alone agree on?

Here: the alternating negotiation of two timed parties, round by round without any player.
Not here: any other pair (playing.py), which gives the same answer for this one, only slower.
Sources: SEMANTICS M2, M3.
"""

from __future__ import annotations

from functools import lru_cache

from comity.core.parties import PartyId
from comity.mechanisms.bargaining.outcomes import OwnView
from comity.mechanisms.bargaining.playing import Played
from comity.mechanisms.bargaining.schedules import Schedule
from comity.mechanisms.bargaining.strategies.timed import targets

__all__ = ["play_timed"]


class _Side:
    """One timed party: its targets, and its offers worked out when they are needed."""

    __slots__ = ("_last", "_outcome", "_picks", "_seed", "_tied", "targets", "view")

    def __init__(self, view: OwnView, schedule: Schedule, rounds: int, seed: str) -> None:
        self.view, self._seed = view, seed
        self.targets = targets(view, schedule, rounds)
        self._picks, self._tied = view.nearest_of(self.targets)
        self._last, self._outcome = -1, -1

    def offer(self, at: int) -> int:
        """Return its deal of a round; among equals the same lot as ever."""
        if not self._tied[at]:
            return self._picks[at]
        if self._picks[at] != self._last:
            self._last = self._picks[at]
            self._outcome = self.view.nearest(self.targets[at], self._seed)
        return self._outcome

    def accepts(self, at: int, outcome: int) -> bool:
        """Tell whether a deal reaches its target of a round."""
        view = self.view
        if view.utilities[outcome] < self.targets[at]:
            return False
        return view.shut is None or not view.shut[outcome]


def play_timed(
    first: tuple[OwnView, Schedule], second: tuple[OwnView, Schedule], rounds: int, seed: str
) -> Played:
    """Play alternating offers of two parties that concede by the clock.

    Args:
        first: the opener's table and schedule; both accept at least one deal.
        second: the other's.
        rounds: how many rounds there are, 1 or more.
        seed: of their lots between equally good deals.

    Returns:
        What happened, as :func:`play_alternating` would say it.

    Example:
        >>> play_timed.__name__
        'play_timed'
    """
    one = _Side(*first, rounds, seed)
    two = _Side(*second, rounds, seed)
    made: list[int] = []
    theirs = -1
    for at in range(rounds):
        if theirs >= 0 and one.accepts(at, theirs):
            return _played(one, two, made, at, len(made) - 1)
        mine = one.offer(at)
        made.append(mine)
        if two.accepts(at, mine):
            return _played(one, two, made, at, len(made) - 1)
        theirs = two.offer(at)
        made.append(theirs)
    deal = len(made) - 1 if one.accepts(rounds - 1, theirs) else None
    return _played(one, two, made, rounds - 1, deal)


@lru_cache(maxsize=256)
def _frame(first: PartyId, second: PartyId, count: int) -> tuple[tuple[int, ...], tuple[str, ...]]:
    turns = range(count)
    return tuple(at // 2 for at in turns), tuple((first, second)[at % 2] for at in turns)


def _played(one: _Side, two: _Side, made: list[int], at: int, deal: int | None) -> Played:
    names = one.view.party, two.view.party
    rounds, parties = _frame(*names, len(made))
    moved = max(_moved(made[0::2]), _moved(made[1::2]))
    accepted = {} if deal is None else {deal: (names[1 - deal % 2],)}
    return Played(
        rounds=rounds,
        parties=parties,
        outcomes=made,
        accepted=accepted,
        deal=deal,
        played=at + 1,
        quiet=at - moved,
    )


def _moved(own: list[int]) -> int:
    """Return the round of the last new offer; a timed party never returns to an earlier one."""
    at = len(own) - 1
    while at > 0 and own[at - 1] == own[at]:
        at -= 1
    return max(at, 0)
