"""Auction text: how does a sale read on a terminal?

Here: the sentence, the table of bids, why each price is what it is, what was refused, when
honesty is best; the audit and other bids where they were asked for.
Not here: the sale (mechanisms/auctions), other forms of results (text.py).
Sources: SEMANTICS A3, A4, G1, G8.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from heapq import nsmallest
from typing import NamedTuple

from comity.core.canonical import Json, JsonObject
from comity.core.errors import one_line
from comity.core.exact import Exact, read_exact, to_fraction
from comity.core.show import table
from comity.render.counted import counted
from comity.render.ink import Ink
from comity.render.price import joined, listed, number_text, objects, words

__all__ = ["MOST_ROWS", "ShownBid", "auction_text", "bids_shown"]

MOST_ROWS = 40
"""Bids that the table shows; winners first, then the highest."""

_MOST_REASONS = 12
_FLAGS = {
    "no_competition": "no competition",
    "bids_are_shaded": "bids are shaded: do not read them as values",
    "demand_is_reduced": "who wants several units gains by hiding some of its demand",
    "deficit": "the house pays a deficit",
    "trade_reduced": "the least gainful trade does not happen",
    "low_core": "the seller gets less than losers would have paid",
}
_METHODS = {
    "dynamic_programme": "a dynamic programme",
    "branch_and_bound": "branch and bound",
    "cp_sat": "CP-SAT",
}


class ShownBid(NamedTuple):
    """One bid as tables and drawings show it.

    Attributes:
        bidder: who bids.
        items: the bundle, where the bid is on one.
        amounts: how much; of equal units for the first, the second and so on.
        rank: the first of them, comparable with that of every other bid.
        side: ``buys`` or ``sells`` in a double auction, else ``""``.
        is_won: whether it wins.
    """

    bidder: str
    items: tuple[str, ...]
    amounts: tuple[Json, ...]
    rank: Exact
    side: str = ""
    is_won: bool = False

    @property
    def is_sale(self) -> bool:
        """Whether it is what a seller asks."""
        return self.side == "sells"

    @property
    def told(self) -> str:
        """The bid in words."""
        amounts = ", ".join(map(number_text, self.amounts))
        return f"{self.side} at {amounts}" if self.side else amounts


def auction_text(data: JsonObject, ink: Ink) -> str:
    """Return an award or a no-sale as a person reads it.

    Args:
        data: what ``to_json`` of an auction's result returned; with ``audit`` and ``tries`` where
            they were asked for.
        ink: how it may be dressed.

    Returns:
        Several paragraphs.

    Example:
        >>> print(auction_text({"kind": "no_sale", "says": "No sale: nobody bid."}, Ink()))
        No sale: nobody bid.
    """
    grounds = _object(data.get("grounds"))
    said = one_line(str(data.get("says") or data.get("kind")))
    head = (ink.good if data.get("kind") == "award" else ink.warn)(said)
    flags = [_FLAGS.get(one, one) for one in words(data.get("flags"))]
    return joined(
        [
            head,
            _bids_table(data),
            _why(data, ink),
            listed("Refused", _refused(data), ink),
            listed("What would unblock it", words(data.get("unblock")), ink),
            _honesty(data, ink),
            _audit(data, ink),
            _tries(data),
            listed("Notes", [*flags, *words(data.get("notes"))], ink),
            listed("Worth a second look", words(grounds.get("thin")), ink),
        ]
    )


def _object(value: object) -> Mapping[str, Json]:
    return value if isinstance(value, Mapping) else {}


def _pairs(value: object) -> list[tuple[str, str]]:
    rows = value if isinstance(value, (list, tuple)) else ()
    return [(str(one[0]), str(one[1])) for one in rows if isinstance(one, (list, tuple))]


def _amounts(value: object) -> dict[str, Json]:
    """Return name -> value of a list of items."""
    return {str(one.get("name")): one.get("value") for one in objects(value)}


# --- the bids --------------------------------------------------------------------------------


def bids_shown(data: JsonObject, most: int) -> tuple[list[ShownBid], int]:
    """Return the bids that took part, winners first, buyers before sellers, then the best.

    Args:
        data: what ``to_json`` of an auction's result returned.
        most: how many at most.

    Returns:
        Those bids, and how many there are beyond.

    Example:
        >>> bids_shown({"grounds": {"submissions": [{"party": "a", "what": 3}]}}, 5)[1]
        0
    """
    won = dict(_pairs(data.get("winners")))
    found = _bids(data, _object(data.get("grounds")), won)
    if any(isinstance(one.rank, Fraction) for one in found):
        found = [one._replace(rank=to_fraction(one.rank)) for one in found]
    return nsmallest(most, found, key=_order), max(0, len(found) - most)


def _bids_table(data: JsonObject) -> str:
    bids, more = bids_shown(data, MOST_ROWS)
    if not bids:
        return ""
    won = dict(_pairs(data.get("winners")))
    pays, gets = _amounts(data.get("payments")), _amounts(data.get("receipts"))
    surplus, needs = _amounts(data.get("surpluses")), _needs(data, {one.bidder for one in bids})
    has_bundles = any(one.items for one in bids)
    rows = []
    for one in bids:
        paid = number_text(pays[one.bidder]) if one.is_won and one.bidder in pays else ""
        if one.is_won and one.bidder in gets:
            paid = f"gets {number_text(gets[one.bidder])}"
        gains = number_text(surplus[one.bidder]) if one.is_won and one.bidder in surplus else ""
        row = [
            one_line(one.bidder),
            *([one_line(", ".join(one.items))] if has_bundles else []),
            one.told,
            one_line(won[one.bidder]) if one.is_won else "",
            paid,
            gains,
            "" if one.is_won else _need_text(needs.get((one.bidder, one.items)), one),
        ]
        rows.append(row)
    head = ["bidder", *(["on"] if has_bundles else []), "bid", "wins", "pays", "gains", "to win"]
    if more:
        rows.append([f"({counted(more, 'more bid')})", *[""] * (len(head) - 1)])
    kept = [at for at in range(len(head)) if at < 2 or any(row[at] for row in rows)]
    return table([[row[at] for at in kept] for row in rows], [head[at] for at in kept])


def _bids(data: JsonObject, grounds: Mapping[str, Json], won: Mapping[str, str]) -> list[ShownBid]:
    """Return every bid that took part."""
    aside = Counter(
        (str(o.get("bidder")), str(o.get("bid"))) for o in objects(data.get("refused"))
    )
    abstained, invalid = set(words(grounds.get("abstained"))), set(words(grounds.get("invalid")))
    found: list[ShownBid] = []
    for one in objects(grounds.get("submissions")):
        name, what = str(one.get("party")), one.get("what")
        if what is None or name in abstained:
            continue  # silent, or declined to bid
        if name in invalid and isinstance(what, str) and aside[name, what]:
            aside[name, what] -= 1
            continue
        found.extend(_bids_of(name, what, won))
    return found


def _bids_of(name: str, what: Json, won: Mapping[str, str]) -> list[ShownBid]:
    is_won = name in won
    if isinstance(what, Mapping):  # of a double auction
        side, amount = next(iter(what.items()))
        return [ShownBid(name, (), (amount,), _rank(amount), side, is_won)]
    if not isinstance(what, (list, tuple)):
        return [ShownBid(name, (), (what,), _rank(what), is_won=is_won)]
    bundles = [one for one in what if isinstance(one, (list, tuple))]
    if bundles:
        return [
            ShownBid(
                name,
                tuple(words(items)),
                (amount,),
                _rank(amount),
                is_won=is_won and ", ".join(words(items)) == won[name],
            )
            for items, amount in bundles
        ]
    return [ShownBid(name, (), tuple(what), _rank(what[0] if what else 0), is_won=is_won)]


def _rank(value: Json) -> Exact:
    return value if type(value) is int else read_exact(value, "bid", "amount")


def _order(one: ShownBid) -> tuple[bool, bool, Exact, str, tuple[str, ...]]:
    rank = one.rank
    if not one.is_sale:  # a sign, not arithmetic: contexts of decimals round
        rank = rank.copy_negate() if isinstance(rank, Decimal) else -rank
    return not one.is_won, one.is_sale, rank, one.bidder, one.items


def _needs(
    data: JsonObject, bidders: Collection[str]
) -> dict[tuple[str, tuple[str, ...]], Mapping[str, Json]]:
    return {
        (str(one.get("bidder")), tuple(words(one.get("bundle")))): one
        for one in objects(data.get("minimum_bids"))
        if one.get("bidder") in bidders
    }


def _need_text(need: Mapping[str, Json] | None, bid: ShownBid) -> str:
    """Return what a bidder would have had to bid."""
    if need is None:
        return ""
    amount = number_text(need.get("amount"))
    if need.get("at_amount") == "wins":
        return amount
    beyond = f"{'below' if bid.is_sale else 'above'} {amount}"
    return f"{beyond}, at {amount} a lot" if need.get("at_amount") == "lot" else beyond


# --- why -------------------------------------------------------------------------------------


def _why(data: JsonObject, ink: Ink) -> str:
    setters = objects(data.get("price_set_by"))
    costs = {str(one.get("winner")): one for one in objects(data.get("externalities"))}
    lines = [_reason(one, costs.get(str(one.get("winner")))) for one in setters[:_MOST_REASONS]]
    if len(setters) > _MOST_REASONS:
        lines.append(f"and {counted(len(setters) - _MOST_REASONS, 'more winner')}")
    if setters:
        lines.append(_together(data))
    proof = _object(data.get("proof"))
    if proof:
        by = _METHODS.get(str(proof.get("method")), str(proof.get("method")))
        optima = int(str(proof.get("optima")))
        equal = "no other is as good" if optima == 1 else f"{optima} are equally good"
        worth = number_text(proof.get("bound"))
        lines.append(f"proved by {by}: no allocation is worth more than {worth}; {equal}")
    for one in objects(_object(data.get("grounds")).get("ties")):
        lines.append(_drawn(one))
    return listed("Why", lines, ink)


def _reason(setter: Mapping[str, Json], cost: Mapping[str, Json] | None) -> str:
    winner, price = one_line(str(setter.get("winner"))), number_text(setter.get("price"))
    setting = words(setter.get("whose"))
    more = len(setting) - _MOST_REASONS
    setting = [*setting[:_MOST_REASONS], f"{more} more"] if more > 0 else setting
    whose = f"{'bid' if len(setting) == 1 else 'bids'} of {' and '.join(setting)}"
    reason = {
        "reserve": "the reserve",
        "own_bid": "its own bid",
        "bid": f"set by the {whose}" if setting else "set by a bid",
        "clock": "where the clock stopped",
        "midpoint": "halfway between the first bid and the first cost that do not trade",
        "externality": "what its presence costs the others",
    }.get(str(setter.get("set_by")), str(setter.get("set_by")))
    told = f"{winner} pays {price}: {reason}"
    if cost is None or setter.get("set_by") in {"own_bid", "midpoint"}:
        return told
    without, beside = number_text(cost.get("others_without")), number_text(cost.get("others_with"))
    return f"{told}; without it the others would have {without}, beside it they have {beside}"


def _together(data: JsonObject) -> str:
    worth, paid = number_text(data.get("welfare")), number_text(data.get("revenue"))
    unit = f" {data['unit']}" if data.get("unit") else ""
    if data.get("balance") is None:
        return one_line(f"together: worth {worth}{unit} to the winners, {paid}{unit} is paid")
    kept = number_text(data.get("balance"))
    return one_line(f"together: a gain of {worth}{unit}; {kept}{unit} stays with the house")


def _drawn(tie: Mapping[str, Json]) -> str:
    chosen = str(tie.get("chosen"))
    others = [_bracketed(one) for one in words(tie.get("tied")) if one != one_line(chosen)]
    by = "the digest of the bids" if tie.get("rule") == "ballot_hash" else "a lot"
    seed = f" (seed {tie['seed']})" if tie.get("seed") else ""
    taken = f": {_bracketed(chosen)}" if tie.get("chosen") else ""
    as_good = f"; as good: {', '.join(others)}" if others else ""
    return one_line(f"{tie.get('label')} by {by}{seed}{taken}{as_good}")


def _bracketed(name: str) -> str:
    return f"[{name}]" if set(name) & set(",:;") else name


def _refused(data: JsonObject) -> list[str]:
    found = objects(data.get("refused"))
    lines = [one_line(f"{one.get('bidder')}: {one.get('says')}") for one in found[:MOST_ROWS]]
    more = len(found) - MOST_ROWS
    return [*lines, f"and {more} more"] if more > 0 else lines


# --- honesty ---------------------------------------------------------------------------------


def _honesty(data: JsonObject, ink: Ink) -> str:
    told: Sequence[str] = words(data.get("assumptions"))
    return listed(f"{told[0][:1].upper()}{told[0][1:]}", told[1:], ink) if told else ""


def _audit(data: JsonObject, ink: Ink) -> str:
    """Return whether a lie pays anywhere on the grid."""
    audit = _object(data.get("audit"))
    if not audit:
        return ""
    sizes = dict(_pairs(_object(audit.get("grounds")).get("parameters")))
    cases = counted(audit.get("cases"), "case")
    cases += "" if audit.get("exhaustive") else ", a sample"
    tried = f"{counted(sizes.get('bidders'), 'bidder')}, {sizes.get('units')} for sale"
    lines = [
        one_line(str(audit.get("says"))),
        f"the largest gain from a lie is {number_text(audit.get('regret'))}, in {cases}",
        f"tried with {tried}, reserve {sizes.get('reserve')}",
    ]
    return listed("Does a lie pay anywhere?", lines, ink)


def _tries(data: JsonObject) -> str:
    """Return what other bids of one bidder would have got."""
    rows = [
        (
            one_line(str(one.get("bidder"))),
            number_text(one.get("bid")),
            {"0": "no", "1": "yes"}.get(number_text(one.get("wins")), "by a lot"),
            "" if one.get("price") is None else number_text(one.get("price")),
            number_text(one.get("gain")),
            number_text(one.get("change")),
        )
        for one in objects(data.get("tries"))
    ]
    return table(rows, ("instead", "bids", "wins", "pays", "gains", "change")) if rows else ""
