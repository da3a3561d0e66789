"""Auction text: how does a sale read on a terminal?

Here: the sentence, the table of bids, why each price is what it is, what was refused, when
honesty is best; the audit and other bids where they were asked for.
Not here: the sale (mechanisms/auctions), other forms of results (text.py).
Sources: SEMANTICS A3, A4, G1, G8.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from comity.core.canonical import Json, JsonObject
from comity.core.errors import one_line
from comity.core.exact import read_exact, to_fraction
from comity.core.show import table
from comity.render.ink import Ink
from comity.render.price import joined, listed, number_text, objects, words

__all__ = ["MOST_ROWS", "auction_text"]

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


class _Bid(NamedTuple):
    """One bid as the table shows it."""

    bidder: str
    items: tuple[str, ...]
    bid: str
    rank: Fraction
    is_sale: bool = False


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
            _bids_table(data, grounds),
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


def _bids_table(data: JsonObject, grounds: Mapping[str, Json]) -> str:
    bids = _bids(data, grounds)
    won = dict(_pairs(data.get("winners")))
    pays, gets = _amounts(data.get("payments")), _amounts(data.get("receipts"))
    surplus, needs = _amounts(data.get("surpluses")), _needs(data)
    has_bundles = any(one.items for one in bids)
    rows = []
    for one in sorted(bids, key=lambda bid: _order(bid, won)):
        is_won = one.bidder in won and (not one.items or ", ".join(one.items) == won[one.bidder])
        paid = number_text(pays[one.bidder]) if is_won and one.bidder in pays else ""
        if is_won and one.bidder in gets:
            paid = f"gets {number_text(gets[one.bidder])}"
        row = [
            one_line(one.bidder),
            *([one_line(", ".join(one.items))] if has_bundles else []),
            one.bid,
            one_line(won[one.bidder]) if is_won else "",
            paid,
            number_text(surplus[one.bidder]) if is_won and one.bidder in surplus else "",
            "" if is_won else _need_text(needs.get((one.bidder, one.items)), one),
        ]
        rows.append(row)
    if not rows:
        return ""
    head = ["bidder", *(["on"] if has_bundles else []), "bid", "wins", "pays", "gains", "to win"]
    if len(rows) > MOST_ROWS:
        more = f"({len(rows) - MOST_ROWS} more bids)"
        rows = [*rows[:MOST_ROWS], [more, *[""] * (len(head) - 1)]]
    kept = [at for at in range(len(head)) if at < 2 or any(row[at] for row in rows)]
    return table([[row[at] for at in kept] for row in rows], [head[at] for at in kept])


def _bids(data: JsonObject, grounds: Mapping[str, Json]) -> list[_Bid]:
    """Return every bid that took part."""
    aside = [(str(one.get("bidder")), one.get("bid")) for one in objects(data.get("refused"))]
    found: list[_Bid] = []
    for one in objects(grounds.get("submissions")):
        name, what = str(one.get("party")), one.get("what")
        if what is None or name in words(grounds.get("abstained")):
            continue  # silent, or declined to bid
        if (name, what) in aside and name in words(grounds.get("invalid")):
            aside.remove((name, what))
            continue
        found.extend(_bids_of(name, what))
    return found


def _bids_of(name: str, what: Json) -> list[_Bid]:
    if isinstance(what, Mapping):  # of a double auction
        side, amount = next(iter(what.items()))
        told = f"{side} at {number_text(amount)}"
        return [_Bid(name, (), told, _rank(amount), is_sale=side == "sells")]
    if not isinstance(what, (list, tuple)):
        return [_Bid(name, (), number_text(what), _rank(what))]
    bundles = [one for one in what if isinstance(one, (list, tuple))]
    if bundles:
        return [
            _Bid(name, tuple(words(items)), number_text(amount), _rank(amount))
            for items, amount in bundles
        ]
    told = ", ".join(number_text(one) for one in what)
    return [_Bid(name, (), told, _rank(what[0] if what else 0))]


def _rank(value: Json) -> Fraction:
    return to_fraction(read_exact(value, "bid", "amount"))


def _order(one: _Bid, won: Mapping[str, str]) -> tuple[bool, bool, Fraction, str, tuple[str, ...]]:
    """Return what bids are sorted by: winners first, buyers before sellers, then the best."""
    is_won = one.bidder in won and (not one.items or ", ".join(one.items) == won[one.bidder])
    return not is_won, one.is_sale, one.rank if one.is_sale else -one.rank, one.bidder, one.items


def _needs(data: JsonObject) -> dict[tuple[str, tuple[str, ...]], Mapping[str, Json]]:
    return {
        (str(one.get("bidder")), tuple(words(one.get("bundle")))): one
        for one in objects(data.get("minimum_bids"))
    }


def _need_text(need: Mapping[str, Json] | None, bid: _Bid) -> str:
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
        lines.append(f"and {len(setters) - _MOST_REASONS} more winners")
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
    whose = " and ".join(words(setter.get("whose")))
    reason = {
        "reserve": "the reserve",
        "own_bid": "its own bid",
        "bid": f"set by the bid of {whose}" if whose else "set by a bid",
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
    cases = f"{audit.get('cases')} cases" + ("" if audit.get("exhaustive") else ", a sample")
    tried = f"{sizes.get('bidders')} bidders, {sizes.get('units')} for sale"
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
