"""Amounts: which number does a bidder mean, and is it one that can be ranked?

Here: one bid, or the bids for the first, second, ... unit, from words or from data; the unit
behind a number; what is said to a bidder whose amount does not count.
Not here: finding the answer in a reply (grammar.py), which bids win (mechanisms/auctions).
Sources: SEMANTICS A1, G5, G6.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from comity.core.errors import InvalidInput, one_line, shown
from comity.core.exact import Exact, read_exact, show_number, to_fraction
from comity.protocols.bidding.rules import BiddingRules

__all__ = ["MOST_AMOUNTS", "Reading", "read_amounts"]

MOST_AMOUNTS = 1_000
"""Bids of one bidder that are read."""

_PARTS = re.compile(" ?; ?|, ")
_LONGEST_TOLD = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What an answer says.

    Attributes:
        amounts: the bid, or the bids for the first, second, ... unit.
        committed: the hash that is handed in.
        nonce: the nonce a bid was committed with.
        yes: whether a price is taken; None where no price is asked.
        declines: whether the bidder bids nothing, by its own word.
        said: what stood there, as text, for the record.
        error: why nothing was read, a stable code; else "".
        hint: one sentence for the bidder.

    Example:
        >>> Reading(declines=True).error
        ''
    """

    amounts: tuple[Exact, ...] = ()
    committed: str = ""
    nonce: str = ""
    yes: bool | None = None
    declines: bool = False
    said: str = field(default="", compare=False)
    error: str = ""
    hint: str = ""


def read_amounts(given: object, rules: BiddingRules) -> Reading:
    """Read a bid.

    Args:
        given: words such as ``42`` or ``42 GBP``, a number, or a list of them where units are
            sold.
        rules: what is sold and in which unit.

    Returns:
        The amounts as they were written, or why there are none.

    Example:
        >>> from comity.protocols.bidding.opening import bidding_rules
        >>> rules = bidding_rules("a slot", ["ann"], seed="1", reserve=0, unit="GBP")
        >>> read_amounts("42.50 GBP", rules).amounts, read_amounts(True, rules).error
        ((Decimal('42.50'),), 'not_a_number')
    """
    said = one_line(given if isinstance(given, str) else shown(given))[:_LONGEST_TOLD]
    parts: Sequence[object] = [given]
    if rules.takes_several and isinstance(given, str):
        parts = [part for part in _PARTS.split(_spaced(given).strip(" .!")) if part]
    elif rules.takes_several and isinstance(given, (list, tuple)):
        parts = given
    if not 0 < len(parts) <= MOST_AMOUNTS:
        hint = f"write 1 to {MOST_AMOUNTS} numbers"
        return Reading(error="not_a_number", hint=hint, said=said)
    amounts: list[Exact] = []
    for part in parts:
        found = _amount(part, rules, said)
        if isinstance(found, Reading):
            return found
        amounts.append(found)
    for before, after in pairwise(amounts):
        if to_fraction(after) > to_fraction(before):
            hint = (
                f"a further unit is bid {show_number(after)}, more than {show_number(before)} "
                "for the one before: none may be higher than the one before"
            )
            return Reading(error="rising_marginals", hint=hint, said=said)
    return Reading(amounts=tuple(amounts), said=said)


def _amount(given: object, rules: BiddingRules, said: str) -> Exact | Reading:
    """Return one amount, or why it is none."""
    number, unit = given, ""
    if isinstance(given, str):
        number, _, unit = _spaced(given).rstrip(" .!").partition(" ")
    try:
        found = read_exact(number, "the bid", "amount")
    except InvalidInput:
        hint = f"{said or 'nothing'} is no amount: write digits, such as 1200, 12.50 or 25/2"
        if "," in said:
            hint += ", without a comma inside a number"
        return Reading(error="not_a_number", hint=hint, said=said)
    if unit and unit.casefold() != _spaced(rules.unit).casefold():
        known = f"bids are in {rules.unit}" if rules.unit else "bids have no unit here"
        hint = f"{known}: write the number alone, converted before where it was another unit"
        return Reading(error="unit", hint=hint, said=said)
    if found < 0:
        return Reading(error="negative", hint="a bid is 0 or more", said=said)
    return found


def _spaced(text: str) -> str:
    return " ".join(text.split())
