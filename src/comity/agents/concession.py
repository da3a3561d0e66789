"""Concession: how far a rational advocate goes at its next move, and which deal it names.

Here: the deals it still holds out for, and the choice among them.
Not here: which deals are left at all (outlook.py), the words (rational.py).
Sources: SEMANTICS B3 (concession over time); Nash 1950 for the product; Raiffa 1982 on trades.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil, lcm

from comity.agents.outlook import Outlook, Pick
from comity.core.parties import PartyId
from comity.core.ties import lot

__all__ = ["choose", "window"]

_FLOORS = 4  # a prospect of nothing counts as a quarter, so that no factor is ever zero

Liked = Mapping[PartyId, Mapping[tuple[str, str], Fraction]]


def window(outlook: Outlook, left: Sequence[Pick], moves: int, patience: int) -> list[Pick]:
    """Return the deals it still holds out for: few at first, all of them in the end.

    The demand falls in equal steps from the best deal left to the least; at least a growing share
    of the deals is kept, so that a steep top does not leave it with one.

    Args:
        outlook: its own values.
        left: the deals left, best first.
        moves: how many moves of its own it has made.
        patience: after so many moves it settles for any deal left.

    Returns:
        A beginning of ``left``, never empty when ``left`` is not.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> from comity.mechanisms.bargaining.preferences import additive
        >>> o = Outlook(additive(domain_of({"a": ["x", "y", "z"]}), {"a": {"x": 9, "y": 8}}), ())
        >>> [len(window(o, o.own(), moves, 2)) for moves in (0, 1, 2)]
        [2, 2, 3]
    """
    if moves >= patience or len(left) <= 1:
        return list(left)
    share = Fraction(moves + 1, patience + 1)
    worth = [outlook.worth(pick) for pick in left]
    floor = worth[0] - (worth[0] - worth[-1]) * share
    count = max(1, ceil(len(left) * share / 4))
    lowest = min(floor, Fraction(worth[count - 1]))
    return [pick for pick, one in zip(left, worth, strict=True) if one >= lowest]


def choose(
    outlook: Outlook, picks: Sequence[Pick], liked: Liked, seed_and_label: tuple[str, str]
) -> Pick:
    """Choose the deal with the best joint prospect: own gain times what others seem to like.

    Args:
        outlook: its own values.
        picks: the deals to choose from, not empty.
        liked: per other seat, how much it seems to want each option.
        seed_and_label: for the lot among equals.

    Returns:
        One of ``picks``; equal prospects are decided by the own value, then by lot.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> from comity.mechanisms.bargaining.preferences import additive
        >>> o = Outlook(additive(domain_of({"a": ["x", "y"]}), {"a": {"x": 1}}), ())
        >>> choose(o, o.own(), {}, ("seed", "label"))
        (0,)
    """
    tables = [_whole_rows(outlook, table) for table in liked.values()]
    least = outlook.worth(outlook.own()[-1])
    scored: dict[Pick, tuple[int, int]] = {}
    for pick in picks:
        worth = outlook.worth(pick)
        joint = _FLOORS * (worth - least) + 1
        for rows, floor in tables:
            joint *= sum([row[at] for row, at in zip(rows, pick, strict=True)]) + floor
        scored[pick] = (joint, worth)
    best = max(scored.values())
    tied = {",".join(map(str, pick)): pick for pick, score in scored.items() if score == best}
    return tied[str(lot(*seed_and_label, list(tied)).chosen)]


def _whole_rows(
    outlook: Outlook, table: Mapping[tuple[str, str], Fraction]
) -> tuple[list[list[int]], int]:
    """Return one seat's weights per term and option, and the floor, as whole numbers."""
    scale = lcm(_FLOORS, *(weight.denominator for weight in table.values()))
    rows = [
        [int(table.get((term.name, option), 0) * scale) for option in term.names]
        for term in outlook.domain.terms
    ]
    return rows, scale // _FLOORS
