"""Conventions: which offers meet, who accepts, and at what price?

Here: the four acceptance conventions as a table of comparisons, and the search for the first
round in which one of them holds.
Not here: how the offers come about (concession.py), what the deal means (price.py).
Sources: SEMANTICS B4. The rule "accept what is at least as good as your own next offer" leaves
open which round "next" is, who looks first and whose offer becomes the price; each convention is
one answer, and every result names its own.

============  ==================================================================================
same_round    both offer at once; each compares with its own offer of the same round; ``first``
              looks first and takes the other's offer
next_round    both offer at once; each compares with its own offer of the next round
alternating   ``first`` opens each round; whoever is to answer compares with the offer it is
              about to make
midpoint      both offer at once; when the offers meet or cross, the price is their midpoint.
              The only one that treats both roles alike
============  ==================================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from operator import le
from typing import Literal, NamedTuple

from comity.mechanisms.bargaining.guards import Role

__all__ = ["CONVENTIONS", "Convention", "Hit", "Meeting", "first_hit", "meetings"]

Convention = Literal["same_round", "next_round", "alternating", "midpoint"]

CONVENTIONS: tuple[Convention, ...] = ("same_round", "next_round", "alternating", "midpoint")


class Meeting(NamedTuple):
    """One comparison: seller's offer of round t + seller <= buyer's offer of round t + buyer.

    Attributes:
        seller: 0 for the seller's offer of this round, 1 for its next one.
        buyer: the same for the buyer.
        accepts: who accepts the other's offer of this round; None when both meet in the middle.
        unmade: the party whose offer of this round is not made, because it accepts instead.
    """

    seller: int
    buyer: int
    accepts: Role | None
    unmade: Role | None = None


class Hit(NamedTuple):
    """The first round in which a comparison holds.

    Attributes:
        round: the round.
        meeting: the comparison.
    """

    round: int
    meeting: Meeting


_BUYER_NOW = Meeting(0, 0, "buyer")
_SELLER_NOW = Meeting(0, 0, "seller")
_BUYER_NEXT = Meeting(0, 1, "buyer")
_SELLER_NEXT = Meeting(1, 0, "seller")
_BUYER_ANSWERS = Meeting(0, 0, "buyer", "buyer")
_SELLER_ANSWERS = Meeting(0, 0, "seller", "seller")
_MEETINGS: dict[tuple[Convention, Role | None], tuple[Meeting, ...]] = {
    # In the same round both comparisons are one, so that whoever looks first always accepts.
    ("same_round", "buyer"): (_BUYER_NOW,),
    ("same_round", "seller"): (_SELLER_NOW,),
    ("next_round", "buyer"): (_BUYER_NEXT, _SELLER_NEXT),
    ("next_round", "seller"): (_SELLER_NEXT, _BUYER_NEXT),
    ("alternating", "buyer"): (_SELLER_ANSWERS, _BUYER_NEXT),
    ("alternating", "seller"): (_BUYER_ANSWERS, _SELLER_NEXT),
    ("midpoint", None): (Meeting(0, 0, None),),
}


def meetings(convention: Convention, first: Role | None) -> tuple[Meeting, ...]:
    """Return the comparisons of a convention in the order in which they are made.

    Args:
        convention: the convention.
        first: who looks first, or opens when they alternate; None for the midpoint.

    Returns:
        One or two comparisons for each round.

    Example:
        >>> [meeting.accepts for meeting in meetings("alternating", "seller")]
        ['buyer', 'seller']
    """
    return _MEETINGS[convention, first]


def first_hit(
    order: tuple[Meeting, ...],
    seller: Sequence[int | Fraction],
    buyer: Sequence[int | Fraction],
    start: int,
    stop: int,
) -> Hit | None:
    """Return the first round from ``start`` to ``stop - 1`` in which offers meet.

    Args:
        order: the comparisons, from :func:`meetings`.
        seller: the seller's offers, known up to round ``stop``.
        buyer: the buyer's offers, known up to round ``stop``.
        start: the first round to look at.
        stop: the round after the last.

    Returns:
        The round and the comparison that holds, or None.

    Example:
        >>> seller, buyer = [120, 110, 100, 90, 80, 70], [60, 68, 76, 84, 92, 100]
        >>> first_hit(meetings("same_round", "buyer"), seller, buyer, 0, 5).round
        4
        >>> first_hit(meetings("next_round", "buyer"), seller, buyer, 0, 5).round
        3
    """
    found = None
    for meeting in order:
        asked = seller[start + meeting.seller : stop + meeting.seller]
        met = list(map(le, asked, buyer[start + meeting.buyer : stop + meeting.buyer]))
        if True in met:
            found = Hit(start + met.index(True), meeting)
            stop = found.round  # a later comparison of the same round comes too late
    return found
