"""Holding: ask for the best deal, and concede only as the other does, if at all.

Here: the hard-liner, and plain tit-for-tat over several issues.
Not here: the tit-for-tat that looks for joint gains (nice.py), MiCRO (micro.py).
Sources: SEMANTICS M3; Faratin, Sierra and Jennings 1998 (imitative tactics); Axelrod 1984.

Neither looks at the clock: both may miss a deadline, and say so by waiting.
"""

from __future__ import annotations

from comity.core.parties import PartyId
from comity.mechanisms.bargaining.strategies.registry import Player, Seat, strategy

__all__ = ["start_hardliner", "start_tit_for_tat"]


class _Mirror:
    """Gives up as much of its own worth as the others have given it, if it mirrors at all."""

    __slots__ = ("_best", "_first", "_mirrors", "_offered", "_seed", "_view")

    def __init__(self, seat: Seat, *, mirrors: bool) -> None:
        self._view, self._seed, self._mirrors = seat.view, seat.seed, mirrors
        self._first: dict[PartyId, int] = {}
        self._best: dict[PartyId, int] = dict.fromkeys(seat.others, 0)
        self._offered = False

    @property
    def is_waiting(self) -> bool:
        return self._offered

    def _target(self) -> int:
        """Return the best worth less the smallest concession of any other party."""
        view = self._view
        gained = min(self._best.values()) if self._mirrors else 0
        return max(view.best - gained, view.lowest)

    def offer(self, at: int) -> int | None:  # noqa: ARG002  # as all players
        self._offered = True
        return self._view.nearest(self._target(), self._seed)

    def hears(self, at: int, by: PartyId, outcome: int) -> None:  # noqa: ARG002  # as all players
        worth = int(self._view.utilities[outcome])
        gained = worth - self._first.setdefault(by, worth)
        self._best[by] = max(self._best[by], gained)

    def accepts(self, at: int, by: PartyId, outcome: int) -> bool:  # noqa: ARG002  # as all players
        view = self._view
        return view.is_rational(outcome) and bool(view.utilities[outcome] >= self._target())


@strategy("hardliner")
def start_hardliner(seat: Seat) -> Player:
    """Return a player that offers its best deal and accepts nothing worth less.

    Args:
        seat: whose.

    Returns:
        The player.

    Example:
        >>> from comity.mechanisms.bargaining.strategies import read_strategy
        >>> str(read_strategy("hardliner"))
        'hardliner'
    """
    return _Mirror(seat, mirrors=False)


@strategy("tit_for_tat")
def start_tit_for_tat(seat: Seat) -> Player:
    """Return a player that gives up as much as the others have given it, in its own worth.

    With several others the one that has given least counts.

    Args:
        seat: whose.

    Returns:
        The player.

    Example:
        >>> from comity.mechanisms.bargaining.strategies import read_strategy
        >>> str(read_strategy("tit-for-tat"))
        'tit_for_tat'
    """
    return _Mirror(seat, mirrors=True)
