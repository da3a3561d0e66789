"""Auction audit: could anybody have gained by another bid, here or anywhere?

Here: the truthfulness audit of one auction's rule on a small grid; what one bidder would have got
by other bids.
Not here: the audit and the shading themselves (mechanisms/auctions), words (render/auction.py).
Sources: SEMANTICS A3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from comity.core.canonical import JsonObject, plain
from comity.core.errors import Fault, InvalidInput
from comity.core.results import Outcome
from comity.formats.plain_faults import CALLED, in_plain_words
from comity.mechanisms.auctions.audit import audit
from comity.mechanisms.auctions.sealed import shading

__all__ = ["GRID", "ONE_ITEM", "RESERVE", "audit_report", "other_bids"]

GRID = range(5)
"""Values and bids that are tried, all of them."""

RESERVE = 1
"""The reserve while they are tried."""

ONE_ITEM = ("second_price", "first_price")
"""Auctions whose bids are one number for one item."""


def audit_report(auction: str) -> JsonObject:
    """Return whether a lie pays anywhere on a small grid.

    Args:
        auction: the auction's name.

    Returns:
        The verdict as JSON: the largest regret, the worst lie, how many cases were tried.

    Example:
        >>> audit_report("first_price")["regret"]
        3
    """
    return audit(auction, GRID, reserve=RESERVE).to_json()


def other_bids(result: Outcome, bidder: str, amounts: Sequence[str]) -> list[JsonObject]:
    """Return what a bidder would have got by other bids, its own being its true value.

    Args:
        result: of an auction of one item.
        bidder: whose bid is changed.
        amounts: the bids to try, as text.

    Returns:
        For each its bid, its chance to win, its price, its gain, and how much that changes.

    Raises:
        InvalidInput: for other auctions, other bidders, and what is no bid.

    Example:
        >>> from comity.mechanisms.auctions import vickrey
        >>> sale = vickrey({"a": 42, "c": 51}, reserve=0)
        >>> [(one["gain"], one["change"]) for one in other_bids(sale, "c", ["45", "40"])]
        [(9, 0), (0, -9)]
    """
    rule = result.grounds.rule
    if rule not in ONE_ITEM:
        what = f"asks what another bid would have got under {CALLED.get(rule, rule)}"
        allowed = " or ".join(CALLED[one] for one in ONE_ITEM)
        then = "leave --try out, or use --kind second-price"
        raise InvalidInput(Fault("--try", what, allowed, then))
    sale: Any = result
    try:
        found = shading(sale.bids, bidder, list(amounts), reserve=sale.reserve, rule=rule)  # type: ignore[arg-type]  # as ONE_ITEM says
    except InvalidInput as error:
        told = in_plain_words(error.faults)
        raise InvalidInput(replace(one, whose="--try") for one in told) from None
    return [
        {
            "bidder": bidder,
            "bid": plain(one.bid),
            "wins": plain(one.wins),
            "price": plain(one.price),
            "gain": plain(one.gain),
            "change": plain(one.change),
        }
        for one in found
    ]
