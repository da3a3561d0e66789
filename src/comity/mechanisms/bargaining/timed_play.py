"""Timed play: what do two parties that concede by the clock alone agree on?

Here: the alternating negotiation of two timed parties, round by round without any player.
Not here: any other pair (playing.py), which gives the same answer for this one, only slower.
Sources: SEMANTICS M2, M3.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from comity.core.arrays import numpy_or_none
from comity.core.parties import PartyId
from comity.mechanisms.bargaining.outcomes import OwnView
from comity.mechanisms.bargaining.playing import Played
from comity.mechanisms.bargaining.schedules import Schedule
from comity.mechanisms.bargaining.strategies.timed import targets

__all__ = ["play_timed"]


def play_timed(
    first: tuple[OwnView, Schedule],
    second: tuple[OwnView, Schedule],
    rounds: int,
    seeds: tuple[str, str],
) -> Played:
    """Play alternating offers of two parties that concede by the clock.

    Args:
        first: the opener's table and schedule; both accept at least one deal.
        second: the other's.
        rounds: how many rounds there are, 1 or more.
        seeds: of each one's lots between equally good deals.

    Returns:
        What happened, as :func:`play_alternating` would say it.

    Example:
        >>> play_timed.__name__
        'play_timed'
    """
    wanted = targets(*first, rounds), targets(*second, rounds)
    mine = first[0].nearest_of(wanted[0], seeds[0])
    theirs = second[0].nearest_of(wanted[1], seeds[1])
    # The second answers in the same round, the first in the next, or after the last once more.
    taken = _first_accepted(second[0], mine, wanted[1])
    taken_later = _first_accepted(first[0], theirs, (*wanted[0][1:], wanted[0][-1]))
    last, deal = rounds - 1, None
    if taken is not None and (taken_later is None or taken <= taken_later):
        last, deal = taken, 2 * taken
    elif taken_later is not None:
        last, deal = min(taken_later + 1, rounds - 1), 2 * taken_later + 1
    count = 2 * rounds if deal is None else deal + 1
    made = [0] * count
    made[0::2] = mine[: (count + 1) // 2]
    made[1::2] = theirs[: count // 2]
    names = first[0].party, second[0].party
    in_rounds, parties = _frame(*names, count)
    moved = max(_moved(made[0::2]), _moved(made[1::2]))
    return Played(
        rounds=in_rounds,
        parties=parties,
        outcomes=made,
        accepted={} if deal is None else {deal: (names[1 - deal % 2],)},
        deal=deal,
        played=last + 1,
        quiet=last - moved,
    )


@lru_cache(maxsize=256)
def _as_array(wanted: tuple[int, ...]) -> Any:  # noqa: ANN401  # an array
    return numpy_or_none().array(wanted)


def _first_accepted(view: OwnView, offered: list[int], wanted: tuple[int, ...]) -> int | None:
    """Return the first round whose offer reaches what is wanted when it is answered."""
    if isinstance(view.utilities, list):
        worths: Any = [view.utilities[one] for one in offered]
        rounds = [at for at, worth in enumerate(worths) if worth >= wanted[at]]
    else:
        every: Any = view.utilities
        rounds = (every[offered] >= _as_array(wanted)).nonzero()[0].tolist()
    shut = view.shut
    if shut is None:
        return rounds[0] if rounds else None
    return next((at for at in rounds if not shut[offered[at]]), None)


@lru_cache(maxsize=256)
def _frame(first: PartyId, second: PartyId, count: int) -> tuple[tuple[int, ...], tuple[str, ...]]:
    turns = range(count)
    return tuple(at // 2 for at in turns), tuple((first, second)[at % 2] for at in turns)


def _moved(own: list[int]) -> int:
    """Return the round of the last new offer; a timed party never returns to an earlier one."""
    at = len(own) - 1
    while at > 0 and own[at - 1] == own[at]:
        at -= 1
    return max(at, 0)
