"""Auction arguments: what does the file of an auction lack, and what does its auction not take?

Here: those faults in the words of the file and the command line.
Not here: what auctions take (mechanisms/auctions/registry.py), the file (auction_file.py).
Sources: SEMANTICS A1, A2, G7.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from comity.core.errors import Fault, InvalidInput, shown
from comity.core.exact import read_exact
from comity.formats.plain_faults import CALLED
from comity.mechanisms.auctions.registry import arguments_of

__all__ = ["auction_faults", "is_list", "without_empty_reserve"]

_DOUBLE = "mcafee or double-vcg"
_SIDES = (
    'side = "buyer" or "seller" in each bid (in a table the column side), or [buyers], [sellers]'
)
_FOREIGN: Mapping[str, tuple[str, str, str]] = {
    "reserve": (
        "takes no single reserve (reserve, --reserve)",
        "[reserves] under vcg: item = its least price; a double auction has the sellers' costs",
        "leave the reserve out",
    ),
    "reserves": ("takes no reserves by item", "[reserves] under vcg", "write reserve = 0"),
    "items": (
        "does not sell items by name",
        "items under vcg",
        "leave items out, or use --kind vcg",
    ),
    "units": (
        "does not sell several units (units, --units)",
        "units under uniform-price or multi-unit-vcg",
        "leave units out, or use --kind uniform-price",
    ),
    "min_bidders": (
        "takes no min_bidders",
        "min_bidders under second-price or first-price",
        "leave min_bidders out",
    ),
    "search": ("searches nothing", "[search] under vcg", "leave search out"),
}
_LACKING: Mapping[str, tuple[str, str, str]] = {
    "reserve": (
        "lacks a reserve",
        "the least price; 0 says that there is none",
        "write reserve = 0, or add --reserve 0",
    ),
    "units": (
        "lacks how many units are sold",
        "a whole number from 1",
        "write units = 3, or add --units 3",
    ),
    "bids": ("lacks bids", "bidder = bid under [bids], or one row a bid", "write the bids"),
    "buyers": ("lacks buyers", _SIDES, "write what each buyer would pay"),
    "sellers": ("lacks sellers", _SIDES, "write what each seller would ask"),
}
_ONE_EACH = ("second_price", "first_price", "mcafee", "double_vcg")
_MOST_NAMES = 12


def without_empty_reserve(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what an auction was given, without a reserve of 0 where it takes none anyway.

    Args:
        name: the auction.
        given: its arguments by name.

    Example:
        >>> without_empty_reserve("mcafee", {"reserve": 0, "buyers": {}, "sellers": {}})
        {'buyers': {}, 'sellers': {}}
    """
    if "reserve" in arguments_of(name)[1] or not _is_zero(given.get("reserve")):
        return dict(given)
    return {key: value for key, value in given.items() if key != "reserve"}


def auction_faults(name: str, given: Mapping[str, Any]) -> list[Fault]:
    """Return what an auction's file does not fit in: what it does not take, and what it lacks.

    Args:
        name: the auction.
        given: its arguments by name.

    Example:
        >>> [fault.what for fault in auction_faults("second_price", {"bids": {}})]
        ['lacks a reserve']
        >>> [fault.next for fault in auction_faults("mcafee", {"bids": {"a": 3}})]
        ['name the side of each bid, or use --kind second-price']
    """
    needed, known = arguments_of(name)
    called = CALLED[name]
    foreign = sorted(given.keys() - set(known))
    lacking = [key for key in needed if key not in given]
    faults = []
    if "bids" in foreign:
        told = "takes bids of buyers and of sellers, and these name no side"
        then = "name the side of each bid, or use --kind second-price"
        faults.append(Fault(called, told, _SIDES, then))
        lacking = [key for key in lacking if key in given]
    elif {"buyers", "sellers"} & set(foreign):
        told = "takes bids of buyers only, and these name buyers and sellers"
        then = "leave the sides out, or use --kind mcafee"
        faults.append(Fault(called, told, f"sides under {_DOUBLE}", then))
        lacking = [key for key in lacking if key != "bids"]
    faults += [Fault(called, *_FOREIGN[key]) for key in foreign if key in _FOREIGN]
    faults += [Fault(called, *_LACKING[key]) for key in lacking]
    if name == "combinatorial_vcg":
        faults += _without_items(given.get("bids"))
    if name in _ONE_EACH:
        faults += _with_several(called, given)
    return faults


def _with_several(called: str, given: Mapping[str, Any]) -> list[Fault]:
    """Return the fault of bidders that name several bids where each makes one."""
    named = [given[key] for key in ("bids", "buyers", "sellers") if key in given]
    bids = [each for each in named if isinstance(each, Mapping)]
    names = sorted(name for each in bids for name, bid in each.items() if is_list(bid))
    if not names:
        return []
    told = f"takes one bid of each bidder, and {_listed(names)} name several"
    then = "keep one each, or use --kind uniform-price"
    return [Fault(called, told, "bidder = bid", then)]


def is_list(bid: object) -> bool:
    """Tell whether a bidder states several bids, one for each further unit.

    Args:
        bid: what a file says of one bidder.

    Example:
        >>> is_list([3, 2]), is_list("3")
        (True, False)
    """
    return isinstance(bid, (list, tuple))


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(shown(one) for one in names[:_MOST_NAMES]) + more


def _without_items(bids: object) -> list[Fault]:
    """Return the fault of bids on bundles that name none."""
    if isinstance(bids, Mapping):
        names = sorted(bids)
    else:
        rows = bids if isinstance(bids, (list, tuple)) else ()
        names = sorted({str(row["bidder"]) for row in rows if not row.get("items")})
    if not names:
        return []
    told = f"takes bids on items, and bids of {_listed(names)} name none"
    allowed = 'items = ["morning"] in each [[bids]]; in a table the column items'
    then = "name the items of each bid, or use --kind second-price"
    return [Fault(CALLED["combinatorial_vcg"], told, allowed, then)]


def _is_zero(value: object) -> bool:
    try:
        return value is not None and read_exact(value, "auction", "reserve") == 0
    except InvalidInput:
        return False
