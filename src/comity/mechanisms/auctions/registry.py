"""Registry: which auction is called what, and how does a recorded one run again?

Here: the table from an auction's name to its function; recorded rules and the rule they run.
Not here: any auction.
Sources: SEMANTICS A2 (an auction without a kind is second price), K2; ARCHITECTURE contract 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any

from comity.core.canonical import JsonObject, frozen
from comity.core.errors import Fault, InvalidInput, UnknownName, did_you_mean, raise_if, shown
from comity.mechanisms.auctions.combinatorial import CombinatorialOptions, combinatorial_vcg
from comity.mechanisms.auctions.determination import Search
from comity.mechanisms.auctions.double import double_vcg, mcafee
from comity.mechanisms.auctions.multiunit import multi_unit_vcg, uniform_price
from comity.mechanisms.auctions.results import AuctionAward, AuctionNoSale
from comity.mechanisms.auctions.rows import Rows, rates_from_json
from comity.mechanisms.auctions.sealed import first_price, vickrey

__all__ = [
    "AUCTIONS",
    "AuctionRules",
    "argument_faults",
    "arguments_of",
    "auction_named",
    "auction_rules_from_json",
    "run_auction",
]

Auction = Callable[..., AuctionAward | AuctionNoSale]

AUCTIONS: dict[str, Auction] = {
    "second_price": vickrey,
    "first_price": first_price,
    "uniform_price": uniform_price,
    "multi_unit_vcg": multi_unit_vcg,
    "combinatorial_vcg": combinatorial_vcg,
    "mcafee": mcafee,
    "double_vcg": double_vcg,
}
"""Name -> auction; the first is meant when none is named."""

_ALSO = {
    "vickrey": "second_price",
    "uniform": "uniform_price",
    "vcg": "combinatorial_vcg",
    "double": "mcafee",
    "double_auction": "mcafee",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AuctionRules:
    """One auction with everything that decides it.

    Attributes:
        auction: its name.
        given: its arguments by name, as JSON.

    Example:
        >>> AuctionRules(given={"bids": {"a": 42}, "reserve": 0}).auction
        'second_price'
    """

    auction: str = "second_price"
    given: JsonObject

    def __post_init__(self) -> None:
        object.__setattr__(self, "given", frozen(self.given))


def auction_named(name: str) -> str:
    """Return the name of an auction in the table.

    Args:
        name: as in the table, or ``vickrey``, ``uniform``, ``vcg``, ``double``,
            ``double_auction``; dashes and spaces count as underscores.

    Raises:
        UnknownName: with the nearest names.

    Example:
        >>> auction_named("Vickrey"), auction_named("first price")
        ('second_price', 'first_price')
    """
    plain = str(name).strip().casefold().replace("-", "_").replace(" ", "_")
    found = _ALSO.get(plain, plain)
    if found not in AUCTIONS:
        known = [*AUCTIONS, *_ALSO]
        near = did_you_mean(plain, known)
        raise UnknownName(
            Fault(f"auction {shown(name)}", "does not exist", ", ".join(known), near)
        )
    return found


def run_auction(rules: AuctionRules) -> AuctionAward | AuctionNoSale:
    """Run an auction.

    Args:
        rules: which, with what.

    Returns:
        The award or the no-sale.

    Raises:
        InvalidInput: for arguments that the auction does not take or needs, and what it refuses.

    Example:
        >>> run_auction(AuctionRules(given={"bids": {"a": 42, "c": 51}, "reserve": 0})).winner
        'c'
    """
    name = auction_named(rules.auction)
    raise_if(argument_faults(name, rules.given))
    arguments: dict[str, Any] = dict(rules.given)
    rows = _rows(name, arguments)
    for key in ("bids", "buyers", "sellers"):
        if key in arguments:
            arguments[key] = rows.taken(arguments[key])
    if rows.unit:
        arguments["unit"] = rows.unit
    if isinstance(arguments.get("search"), Mapping):
        arguments["search"] = _search(arguments["search"])
    try:
        result = AUCTIONS[name](**arguments)
    except InvalidInput as error:
        raise InvalidInput([*rows.faults, *error.faults]) from None
    raise_if(rows.faults)
    return rows.told(result)


def argument_faults(name: str, given: Mapping[str, object]) -> list[Fault]:
    """Return what an auction does not take and what it lacks.

    Args:
        name: an auction of the table.
        given: its arguments by name.

    Example:
        >>> [fault.what for fault in argument_faults("second_price", {"bids": {}})]
        ["lacks 'reserve'"]
    """
    needed, known = arguments_of(name)
    faults = [
        Fault(name, f"takes no {key!r}", ", ".join(known), did_you_mean(key, known))
        for key in sorted(given.keys() - set(known))
    ]
    faults += [
        Fault(name, f"lacks {key!r}", ", ".join(known), f"give {key}")
        for key in needed
        if key not in given
    ]
    return faults


def auction_rules_from_json(data: JsonObject) -> AuctionRules:
    """Read recorded rules.

    Args:
        data: the auction's arguments by name, and ``auction`` for its name.

    Returns:
        The rules.

    Raises:
        UnknownName: for an auction that does not exist.

    Example:
        >>> auction_rules_from_json({"bids": {"a": 42}, "reserve": 0}).auction
        'second_price'
    """
    given = {key: value for key, value in data.items() if key != "auction"}
    return AuctionRules(
        auction=auction_named(str(data.get("auction", "second_price"))), given=given
    )


def arguments_of(name: str) -> tuple[list[str], list[str]]:
    """Return the arguments that an auction needs, and all that it takes.

    Args:
        name: an auction of the table.

    Example:
        >>> arguments_of("double_vcg")
        (['buyers', 'sellers'], ['buyers', 'sellers', 'unit', 'seed', 'faulty', 'rates'])
    """
    found = signature(AUCTIONS[name]).parameters.values()
    named = [one for one in found if one.kind is not one.VAR_KEYWORD]
    known = [one.name for one in named]
    if len(named) < len(found):
        known += CombinatorialOptions.__annotations__
    known.append("rates")
    return [one.name for one in named if one.default is one.empty], known


def _rows(name: str, arguments: dict[str, Any]) -> Rows:
    """Return what reads rows of bids; the rates are taken out of the arguments."""
    faults: list[Fault] = []
    rates = rates_from_json(arguments.pop("rates", None), faults)
    unit = arguments.get("unit", "")
    if rates is not None and unit not in ("", rates.unit):
        what = f"convert to {rates.unit!r}, the auction is in {shown(unit)}"
        faults.append(Fault("rates", what, "one unit", "state rates to the unit of the auction"))
    if rates is not None:
        unit = rates.unit
    return Rows(name, rates, unit if isinstance(unit, str) else "", faults)


def _search(handed: Mapping[str, Any]) -> Any:  # noqa: ANN401  # a Search, or what is none
    known = ("method", "nodes")
    return Search(**handed) if handed.keys() <= set(known) else handed
