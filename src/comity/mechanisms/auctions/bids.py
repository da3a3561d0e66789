"""Bids: are these numbers that can be ranked, and whose are they?

Here: reading sealed bids of one number each, with every fault at once, or with the faulty ones
set aside by name.
Not here: bids on bundles (bundles.py), which bids win (sealed.py, multiunit.py).
Sources: SEMANTICS A1, G5, G6, G7.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from comity.core.errors import Fault, InvalidInput, did_you_mean, one_line, shown
from comity.core.exact import Exact, read_exact
from comity.core.parties import PartyId, name_fault
from comity.core.units import unit_faults

__all__ = [
    "Amount",
    "Bid",
    "Bids",
    "BidsLike",
    "Faulty",
    "Reason",
    "RefusedBid",
    "amount_of",
    "check_faulty",
    "name_text",
    "read_bids",
    "read_reserve",
    "set_aside",
    "whole_number",
]

Amount = Exact | float | str
"""A number as a caller writes it: exact, a finite float (read by its shortest text), or text."""

Faulty = Literal["raise", "refuse"]
"""What becomes of a bid that is no number: the call fails, or the bid is refused by name."""

Reason = Literal[
    "not_a_number",
    "negative",
    "duplicate",
    "unit",
    "name",
    "rising_marginals",
    "below_reserve",
    "adds_nothing",
    "not_committed",
    "not_revealed",
    "not_matching",
]


@dataclass(frozen=True, slots=True)
class Bid:
    """One sealed bid.

    Attributes:
        bidder: who bids.
        amount: how much.
        unit: in what; None for the unit of the auction.

    Example:
        >>> Bid("a", 42).unit is None
        True
    """

    bidder: PartyId
    amount: Amount
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class RefusedBid:
    """A bid that did not take part, and why.

    Attributes:
        bidder: whose it is.
        bid: what was handed in, as text.
        reason: a code from a closed list.
        says: the reason in words.

    Example:
        >>> RefusedBid("a", "nan", "not_a_number", "amount is nan").reason
        'not_a_number'
    """

    bidder: PartyId
    bid: str
    reason: Reason
    says: str


@dataclass(frozen=True, slots=True)
class Bids:
    """Bids that were read.

    Attributes:
        offers: bidder and amount, sorted by bidder.
        refused: bids that were set aside, sorted by bidder.
        unit: the one unit of all amounts, ``""`` when none is named.

    Example:
        >>> Bids((("a", 42),)).refused
        ()
    """

    offers: tuple[tuple[PartyId, Exact], ...]
    refused: tuple[RefusedBid, ...] = ()
    unit: str = ""


BidsLike = Mapping[str, Amount] | Sequence[Bid] | Sequence[tuple[str, Amount]] | Bids
"""Bids as callers hand them in: bidder -> amount, a list of bids or pairs, or bids read before."""


@dataclass(slots=True)
class _Found:
    """Faults found while bids are read, each with the bid it belongs to."""

    at: list[tuple[RefusedBid, Fault]] = field(default_factory=list)

    def note(self, whose: str, bid: str, reason: Reason, fault: Fault) -> None:
        self.at.append((RefusedBid(whose, bid, reason, fault.what), fault))


def read_bids(bids: BidsLike, unit: str, faulty: Faulty, faults: list[Fault]) -> Bids:
    """Read sealed bids of one number each.

    Args:
        bids: as callers hand them in.
        unit: the auction's unit, ``""`` when it names none.
        faulty: whether a bid that is no number is a fault of the call or is set aside.
        faults: where faults of the call are noted.

    Returns:
        The bids that can be ranked, and with ``faulty="refuse"`` those set aside.

    Example:
        >>> read_bids({"b": 37, "a": 42}, "", "raise", []).offers
        (('a', 42), ('b', 37))
    """
    before: tuple[RefusedBid, ...] = ()
    given: object = bids
    if isinstance(bids, Bids):
        given, before, unit = bids.offers, bids.refused, unit or bids.unit
    if isinstance(given, str) or not isinstance(given, (Mapping, Sequence)):
        allowed = "a mapping from bidder to amount, or a list of bids"
        faults.append(Fault("bids", f"are {shown(given)}", allowed, "name each bidder"))
        return Bids(())
    found = _Found()
    handed: list[tuple[str, Exact]] = []
    units: dict[str, str] = {}
    raw: list[object] = list(given.items()) if isinstance(given, Mapping) else list(given)
    for one in raw:
        bid = _as_bid(one, faults)
        if bid is None:
            continue
        whose, text = name_text(bid.bidder), _text(bid.amount)
        wrong = name_fault(bid.bidder, "bidder")
        if wrong is not None:
            found.note(whose, text, "name", wrong)
        amount = amount_of(bid.amount, bid.bidder, found.at)
        named: object = bid.unit
        if isinstance(named, str) and named == (unit or named):
            units[whose] = named
        elif named is not None:
            found.note(whose, text, "unit", _unit_fault(bid, unit))
        handed.append((bid.bidder, 0 if amount is None else amount))
    faults.extend(unit_faults(units, for_what="comparing bids"))
    _note_repeats([name for name, _ in handed], found)
    aside = set_aside(found.at, faulty, faults)
    gone = {one.bidder for one in aside}
    refused = tuple(sorted((*before, *aside), key=_by_bidder))
    unit = unit or next(iter(units.values()), "")
    if faults:
        return Bids((), refused, unit)
    kept = sorted((name, amount) for name, amount in handed if name_text(name) not in gone)
    return Bids(tuple(kept), refused, unit)


def name_text(name: object) -> str:
    """Return a bidder's name as records hold it, also where it is no text.

    Args:
        name: what was handed in as a name.

    Example:
        >>> name_text("a"), name_text(3)
        ('a', '3')
    """
    return name if isinstance(name, str) else shown(name)


def _text(amount: object) -> str:
    return one_line(amount) if isinstance(amount, str) else shown(amount)


def _as_bid(one: object, faults: list[Fault]) -> Bid | None:
    if isinstance(one, Bid):
        return one
    if isinstance(one, (list, tuple)) and len(one) == 2:
        return Bid(one[0], one[1])
    faults.append(Fault("bids", f"hold {shown(one)}", "pairs of bidder and amount", "name both"))
    return None


def amount_of(
    value: object, whose: str, found: list[tuple[RefusedBid, Fault]], bid: str = ""
) -> Exact | None:
    """Read one amount of a bid: a finite number of at least 0.

    Args:
        value: what was handed in.
        whose: the bidder.
        found: where a fault is noted, beside the bid it belongs to.
        bid: how the bid is shown; the amount itself when empty.

    Returns:
        The exact amount, or None.

    Example:
        >>> amount_of("42", "a", []), amount_of(-1, "a", [])
        (42, None)
    """
    text = bid or _text(value)
    name = name_text(whose)
    try:
        amount = read_exact(value, f"bid of {shown(whose)}", "amount")
    except InvalidInput as error:
        fault = error.faults[0]
        found.append((RefusedBid(name, text, "not_a_number", fault.what), fault))
        return None
    if amount < 0:
        fault = Fault(f"bid of {shown(whose)}", f"is {amount}", "0 or more", "correct the bid")
        found.append((RefusedBid(name, text, "negative", fault.what), fault))
        return None
    return amount


def _unit_fault(bid: Bid, unit: str) -> Fault:
    return Fault(
        f"bid of {shown(bid.bidder)}",
        f"is in {shown(bid.unit)}, the auction is in {unit!r}",
        f"amounts in {unit or 'a unit that has a name'}",
        "convert it at a stated rate before it is handed in",
    )


def _note_repeats(names: Iterable[str], found: _Found) -> None:
    for name, times in sorted(Counter(map(name_text, names)).items()):
        if times > 1:
            fault = Fault(
                f"bid of {shown(name)}",
                f"was handed in {times} times",
                "one bid per bidder",
                "keep one; who bids on several bundles uses combinatorial_vcg",
            )
            found.note(name, f"{times} bids", "duplicate", fault)


def set_aside(
    found: Iterable[tuple[RefusedBid, Fault]], faulty: Faulty, faults: list[Fault]
) -> tuple[RefusedBid, ...]:
    """Make faults of bids faults of the call, or set those bids aside.

    Args:
        found: every fault with the bid it belongs to.
        faulty: which of the two.
        faults: where faults of the call are noted.

    Returns:
        The bids set aside, sorted.

    Example:
        >>> set_aside([], "refuse", [])
        ()
    """
    listed = list(found)
    if faulty == "refuse":
        return tuple(sorted((bid for bid, _ in listed), key=_by_bidder))
    faults.extend(fault for _, fault in sorted(listed, key=lambda pair: _by_bidder(pair[0])))
    return ()


def _by_bidder(bid: RefusedBid) -> tuple[str, str, str]:
    return bid.bidder, bid.bid, bid.reason


def read_reserve(reserve: Amount, faults: list[Fault]) -> Exact:
    """Read a reserve price.

    Args:
        reserve: a finite number of at least 0.
        faults: where faults are noted.

    Returns:
        The exact number, 0 in place of a faulty one.

    Example:
        >>> read_reserve("8.50", [])
        Decimal('8.50')
    """
    try:
        found = read_exact(reserve, "auction", "reserve")
    except InvalidInput as error:
        faults.extend(error.faults)
        return 0
    if found < 0:
        faults.append(Fault("auction", f"reserve is {found}", "0 or more", "correct the reserve"))
    return found


def whole_number(value: object, name: str, faults: list[Fault]) -> int:
    """Read a count of at least 1.

    Args:
        value: what was given.
        name: what it counts.
        faults: where a fault is noted.

    Returns:
        The number, 1 in place of a faulty one.

    Example:
        >>> whole_number(3, "units", [])
        3
    """
    if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
        return value
    what = f"{name} is {shown(value)}"
    faults.append(Fault("auction", what, "a whole number from 1", f"correct {name}"))
    return 1


def check_faulty(faulty: object, unit: object, faults: list[Fault]) -> None:
    """Note what is wrong with how faulty bids are treated, and with the unit's name.

    Args:
        faulty: ``"raise"`` or ``"refuse"``.
        unit: a name or ``""``.
        faults: where faults are noted.

    Example:
        >>> check_faulty("raise", "GBP", [])
    """
    known = get_args(Faulty)
    if faulty not in known:
        near = did_you_mean(str(faulty), known)
        faults.append(Fault("auction", f"faulty is {shown(faulty)}", " or ".join(known), near))
    if not isinstance(unit, str):
        faults.append(Fault("auction", f"unit is {shown(unit)}", "text", "name the unit"))
