"""Rational bids: a bidder that needs no model bids by what the item is worth to it.

Here: its bid, its hash and reveal, its answer to the prices of a clock, by its private value.
Not here: the auction (protocols/bidding), which bid is best under which rule in general
(mechanisms/auctions/audit.py).
A reply depends on the seat's own private entry and on the payload alone.
Sources: SEMANTICS A1-A3, C7; Vickrey 1961: where the price does not depend on one's own bid the
true value is best; with the first price and n bidders whose values are equally likely from 0 up
each bids (n-1)/n of its value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from hashlib import sha256

from comity.agents.base import Failure, Question, Reply
from comity.core.canonical import Json, JsonObject, canonical, plain
from comity.core.exact import Exact, like, read_exact, to_fraction
from comity.core.parties import PartyId
from comity.mechanisms.auctions.commitment import commitment

__all__ = ["RationalBidder", "bidder_of"]

_NO_BID = "PASS"
_SHADED = ("first_price", "dutch_clock")


@dataclass(frozen=True, slots=True)
class RationalBidder:
    """A seat that knows what the item is worth to it.

    Attributes:
        seat: its name.
        values: what it is worth, or what the first, second, ... unit is.
        secret: text that nobody else knows; its nonces are made of it, the same after a restart.

    Example:
        >>> from comity.protocols.bidding.machine import start
        >>> from comity.protocols.bidding.opening import bidding_rules
        >>> first = start(bidding_rules("a slot", ["ann", "bob"], seed="1", reserve=0))
        >>> question = Question(ask=first.asks[0], request_id="r")
        >>> RationalBidder("ann", (42,)).reply(question).text
        '{"bid":42}'
    """

    seat: PartyId
    values: tuple[Exact, ...]
    secret: str = ""
    waits: bool = False

    def reply(self, question: Question) -> Reply | Failure:
        """Answer an ask of an auction, or of a vote that follows one that sold nothing."""
        ask = question.ask
        if ask.payload.get("protocol") != "bidding":
            if ask.kind != "ballot":
                return Failure(kind="unavailable", detail="a bidder answers bids and votes alone")
            return Reply(text=self._ballot(ask.payload))
        if ask.kind == "price":
            return Reply(text=self._at_price(ask.payload))
        bids = self._bids(ask.payload)
        if not bids:
            return Reply(text=_NO_BID)
        if ask.kind == "bid":
            several = ask.payload["takes_several"]
            return Reply(text=canonical({"bid": plain(bids if several else bids[0])}))
        if not self.secret:
            return Failure(kind="unavailable", detail="no secret to make a nonce of")
        auction = str(ask.payload["auction"])
        nonce = sha256(f"{self.secret}\n{auction}\n{self.seat}".encode()).hexdigest()[:32]
        if ask.kind == "reveal":
            return Reply(text=canonical({"reveal": plain(bids[0]), "nonce": nonce}))
        made = commitment(bids[0], nonce, bidder=self.seat, auction=auction)
        return Reply(text=f"COMMIT: {made}")

    def _bids(self, payload: JsonObject) -> tuple[Exact, ...]:
        """Return what it bids; nothing where it is worth less than the reserve."""
        floor = _number(payload["reserve"])
        worth = [one for one in self.values if to_fraction(one) >= floor]
        if not payload["takes_several"]:
            worth = worth[:1]
        return tuple(_shaded(one, payload) for one in worth)

    def _at_price(self, payload: JsonObject) -> str:
        bids = self._bids(payload)
        says_yes = bool(bids) and _number(payload["price"]) <= to_fraction(bids[0])
        if payload["mode"] == "dutch":
            return "TAKE" if says_yes else _NO_BID
        return "STAY" if says_yes else "OUT"

    def _ballot(self, payload: JsonObject) -> str:
        """Return its vote on what becomes of an unsold item: its own bid, where that is there."""
        options = payload.get("options")
        own = f"{self.seat}'s bid"
        has_own = isinstance(options, (list, tuple)) and own in options
        return f"VOTE: {own}" if has_own and payload.get("ballot") == "choice" else "VOTE: abstain"


def bidder_of(seat: PartyId, private: Mapping[str, object]) -> RationalBidder:
    """Build a rational bidder from its seat's private entry.

    Args:
        seat: the seat.
        private: its private entry: ``value``, one or a list, and ``secret``.

    Returns:
        The bidder.

    Raises:
        InvalidInput: for a value that is no number.

    Example:
        >>> bidder_of("ann", {"value": ["10", 6]}).values
        (10, 6)
    """
    value = private.get("value")
    listed: Sequence[object] = value if isinstance(value, (list, tuple)) else [value]
    values = tuple(read_exact(one, f"seat {seat!r}", "value") for one in listed)
    return RationalBidder(seat, values, str(private.get("secret") or ""))


def _number(given: Json) -> Fraction:
    return to_fraction(read_exact(given, "payload", "amount"))


def _shaded(value: Exact, payload: JsonObject) -> Exact:
    """Return what it bids at most: less than its value where it pays its own bid.

    Rounded down to the places that the value has, and never below the reserve.
    """
    if payload["rule"] not in _SHADED:
        return value
    count = payload["bidders"]
    assert isinstance(count, int)
    wanted = to_fraction(value) * Fraction(count - 1, count)
    places = -int(value.as_tuple().exponent) if isinstance(value, Decimal) else 0
    if not isinstance(value, Fraction):
        wanted = Fraction(wanted * 10**places // 1, 10**places)
    floor = payload["reserve"]
    return like(max(wanted, _number(floor)), value)
