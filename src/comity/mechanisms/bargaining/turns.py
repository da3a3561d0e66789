"""Turns: who acts when at a table, and from which seed does a seat draw its own lots?

Here: the speaking order from the recorded seed, a seat's own seed.
Not here: what a turn may be (playing.py, protocols/offers), lots themselves (core/ties.py).
Sources: SEMANTICS M2, G4. Computed play and the live table use both, so that the same strategies
come to the same deal at either.
"""

from __future__ import annotations

from hashlib import sha256

from comity.core.parties import PartyId
from comity.core.ties import Tie, lot, shuffled

__all__ = ["MOST_ROUNDS", "seat_seed", "speaking_order"]

MOST_ROUNDS = 1_000_000
"""The most rounds that a table may have."""


def speaking_order(
    names: tuple[PartyId, ...], first: PartyId | None, seed: str
) -> tuple[tuple[PartyId, ...], tuple[Tie, ...]]:
    """Return who speaks in which order, and the lot for the opener when it was drawn.

    Args:
        names: the parties.
        first: who opens, or None for a lot.
        seed: the recorded seed.

    Returns:
        All names, each once, the same in every round; every order of those after the opener is
        equally likely.

    Example:
        >>> speaking_order(("ann", "bob"), "bob", "1")
        (('bob', 'ann'), ())
    """
    ties: tuple[Tie, ...] = ()
    opener = first
    if opener is None:
        drawn = lot(seed, "opener", names)
        opener, ties = str(drawn.chosen), (drawn,)
    rest = [name for name in names if name != opener]
    return (opener, *(shuffled(seed, "speaking order", rest) if rest[1:] else rest)), ties


def seat_seed(seed: str, seat: PartyId) -> str:
    """Return the seed of a seat's own lots, from which nobody learns the table's.

    Args:
        seed: the recorded seed.
        seat: whose.

    Example:
        >>> seat_seed("1", "ann") != seat_seed("1", "bob")
        True
    """
    told = f"{len(seed)}:{seed}{seat}".encode("utf-8", "surrogatepass")
    return sha256(told).hexdigest()[:16]
