"""Commitment: can sealed bids be shown to have been fixed before any was opened?

Here: the hash that a bidder hands in first, the check when it reveals, and the bids of an auction
made of both.
Not here: who is asked and when (a machine does that), the auction itself (sealed.py).
Sources: SEMANTICS A2; Brassard, Chaum and Crépeau 1988 (commitments).

The hash covers the auction, the bidder, the exact value of the bid and a nonce. Without the
bidder's name one could hand in another's hash, and repeat its reveal.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from comity.core.canonical import digest
from comity.core.errors import Fault, InvalidInput, raise_if, shown
from comity.core.exact import read_exact
from comity.core.parties import PartyId
from comity.mechanisms.auctions.bids import Amount, Bids, Reason, RefusedBid
from comity.mechanisms.auctions.inputs import by_bidder

__all__ = ["NONCE_AT_LEAST", "Revealed", "commitment", "opened", "reveal"]

NONCE_AT_LEAST = 16
"""Characters of a nonce; a shorter one can be tried out, and the bid read from its hash."""

Revealed = tuple[Amount, str]
"""A bid and the nonce it was committed with."""


def commitment(bid: Amount, nonce: str, *, bidder: PartyId = "", auction: str = "") -> str:
    """Return the hash that commits to a bid without showing it.

    Args:
        bid: the bid; ``42``, ``"42"`` and ``42.0`` are the same bid.
        nonce: text of at least 16 characters that nobody can guess; used once.
        bidder: who bids.
        auction: which auction, so that a hash of one cannot be used in another.

    Returns:
        64 hexadecimal digits, a SHA-256.

    Raises:
        InvalidInput: for a bid that is no number and a nonce that is too short.

    Example:
        >>> commitment(42, "correct horse battery", bidder="a")[:12]
        '1c1cc21a9447'
    """
    faults: list[Fault] = []
    value = Fraction(0)
    try:
        value = Fraction(read_exact(bid, "commitment", "bid"))
    except InvalidInput as error:
        faults.extend(error.faults)
    given: object = nonce
    if not isinstance(given, str) or len(given) < NONCE_AT_LEAST:
        what = f"nonce has fewer than {NONCE_AT_LEAST} characters"
        allowed = "text that nobody can guess"
        faults.append(Fault("commitment", what, allowed, "draw 128 random bits, written as hex"))
    raise_if(faults)
    return digest({"auction": auction, "bidder": bidder, "bid": value, "nonce": nonce})


def reveal(
    committed: str, bid: Amount, nonce: str, *, bidder: PartyId = "", auction: str = ""
) -> bool:
    """Tell whether a bid and nonce are those of a commitment.

    Args:
        committed: the hash handed in before.
        bid: the bid as revealed.
        nonce: the nonce as revealed.
        bidder: who reveals, by its channel.
        auction: which auction.

    Returns:
        False also for bids and nonces that could not have been committed.

    Example:
        >>> sealed = commitment(42, "correct horse battery", bidder="a")
        >>> reveal(sealed, 42, "correct horse battery", bidder="a")
        True
        >>> reveal(sealed, 42, "correct horse battery", bidder="b")
        False
    """
    try:
        return commitment(bid, nonce, bidder=bidder, auction=auction) == committed
    except InvalidInput:
        return False


def opened(
    commitments: Mapping[PartyId, str],
    revealed: Mapping[PartyId, Revealed],
    *,
    auction: str = "",
    unit: str = "",
) -> Bids:
    """Return the bids of an auction: those revealed as committed; the others are refused by name.

    Args:
        commitments: bidder -> the hash it handed in.
        revealed: bidder -> its bid and nonce.
        auction: which auction.
        unit: the unit of every bid.

    Returns:
        Bids for `vickrey` and `first_price`, the refused ones with their reasons.

    Example:
        >>> sealed = {"a": commitment(42, "correct horse battery", bidder="a"), "b": "00"}
        >>> bids = opened(sealed, {"a": (42, "correct horse battery")})
        >>> bids.offers, bids.refused[0].reason
        ((('a', 42),), 'not_revealed')
    """
    offers, refused = [], []
    for name in sorted({*commitments, *revealed}):
        bid, nonce = revealed.get(name, ("", ""))
        reason: Reason
        if name not in commitments:
            reason, says = "not_committed", "handed in no commitment before the bids were opened"
        elif name not in revealed:
            reason, says = "not_revealed", "did not reveal the bid it committed to"
        elif not reveal(commitments[name], bid, nonce, bidder=name, auction=auction):
            reason, says = "not_matching", "revealed another bid than it committed to"
        else:
            offers.append((name, read_exact(bid, name, "bid")))
            continue
        refused.append(RefusedBid(name, shown(bid) if bid != "" else "", reason, says))
    return Bids(tuple(offers), by_bidder(refused), unit)
