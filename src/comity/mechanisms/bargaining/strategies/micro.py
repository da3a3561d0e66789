"""MiCRO: offer one more deal only while the others have offered as many.

Here: the strategy of de Jonge, for two and more parties.
Not here: the guard that ends a session in which all wait (playing.py).
Sources: SEMANTICS M3; de Jonge 2022 (IJCAI), 2024 (JAAMAS, doi:10.1007/s10458-024-09678-1).

It offers its acceptable deals from the best down, equal ones in a drawn order. When it has made
more distinct offers than some other party, it repeats its own, the last one first. It accepts
what is worth at least as much as the worst deal it has offered or would offer now. It never looks
at the clock.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from comity.core.parties import PartyId
from comity.mechanisms.bargaining.outcomes import OwnView, drawn
from comity.mechanisms.bargaining.strategies.registry import Player, Seat, strategy

__all__ = ["descending", "start_micro"]


def descending(view: OwnView, seed: str) -> Iterator[int]:
    """Yield the deals a party accepts from its best down, equal ones in a drawn order.

    Args:
        view: the party's own table.
        seed: of the lots.

    Yields:
        Every acceptable deal once.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> from comity.mechanisms.bargaining.outcomes import own_view
        >>> from comity.mechanisms.bargaining.preferences import additive
        >>> from comity.mechanisms.bargaining.problem import Bargainer
        >>> d = domain_of({"days": [1, 2, 3]})
        >>> wants = additive(d, {"days": {"1": 1, "2": 2, "3": 3}}, reservation=2)
        >>> list(descending(own_view(d, Bargainer("ann", wants)), "0"))
        [2, 1]
    """
    stop = len(view.order)
    while stop:
        worth = int(view.ascending[stop - 1])
        start = bisect_left(view.ascending, worth, hi=stop)
        left = [int(one) for one in view.order[start:stop]]
        label = view.label(worth)
        for turn in range(len(left)):
            yield left.pop(drawn(seed, f"{label}/{turn}", len(left)))
        stop = start


class _Micro:
    """Keeps its own offers, and how many distinct ones each other party has made."""

    __slots__ = ("_coming", "_heard", "_made", "_next", "_repeated", "_view")

    def __init__(self, seat: Seat) -> None:
        self._view = seat.view
        self._coming = descending(seat.view, seat.seed)
        self._next = next(self._coming, None)
        self._made: list[int] = []
        self._heard: dict[PartyId, set[int]] = {one: set() for one in seat.others}
        self._repeated = 0

    def _new(self) -> int | None:
        """Return the deal it would offer now for the first time; None while it waits."""
        may_concede = len(self._made) <= min(map(len, self._heard.values()))
        return self._next if may_concede else None

    @property
    def is_waiting(self) -> bool:
        return self._new() is None

    def offer(self, at: int) -> int | None:  # noqa: ARG002  # as all players
        new = self._new()
        if new is not None:
            self._made.append(new)
            self._next = next(self._coming, None)
            self._repeated = 0
            return new
        self._repeated = self._repeated % len(self._made) + 1
        return self._made[-self._repeated]

    def hears(self, at: int, by: PartyId, outcome: int) -> None:  # noqa: ARG002  # as all players
        self._heard[by].add(outcome)

    def accepts(self, at: int, by: PartyId, outcome: int) -> bool:  # noqa: ARG002  # as all players
        view = self._view
        if not view.is_rational(outcome):
            return False
        new = self._new()
        last = self._made[-1] if new is None else new
        return bool(view.utilities[outcome] >= view.utilities[last])


@strategy("micro")
def start_micro(seat: Seat) -> Player:
    """Return a player that offers one more deal only while all others have offered as many.

    Args:
        seat: whose.

    Returns:
        The player.

    Example:
        >>> from comity.mechanisms.bargaining.strategies import read_strategy
        >>> str(read_strategy("micro"))
        'micro'
    """
    return _Micro(seat)
