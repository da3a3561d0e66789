"""Auction files: sealed bids, all in, as a scenario file.

Here: the schema of ``kind = "auction"`` and its reader.
Not here: the auctions (mechanisms/auctions), tables of bids (bids_csv.py), live auctions.
Sources: SEMANTICS A1, A2, G5-G7, G10.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from comity.core.canonical import Json
from comity.core.errors import Fault, InvalidInput
from comity.core.results import Outcome
from comity.formats.auction_arguments import auction_faults, is_list, without_empty_reserve
from comity.formats.bids_csv import SIDES
from comity.formats.otherwise import PROPERTIES, next_of
from comity.formats.plain_faults import in_plain_words
from comity.formats.rates import RATES, rates_of
from comity.formats.scenario import Scenario
from comity.formats.schema import Schema
from comity.formats.written_numbers import as_written
from comity.mechanisms.auctions.registry import (
    AuctionRules,
    arguments_of,
    auction_named,
    auction_rules_from_json,
    run_auction,
)

__all__ = ["SCHEMA", "decided", "read"]

_NUMBER = {"anyOf": [{"type": "number"}, {"type": "string"}]}
_ROW: Schema = {
    "type": "object",
    "additionalProperties": False,
    "required": ["bidder", "bid"],
    "properties": {
        "bidder": {"type": "string", "description": "who bids"},
        "bid": {**_NUMBER, "description": "how much, exact"},
        "units": {"type": "integer", "minimum": 1, "description": "how many at this price"},
        "items": {
            "type": "array",
            "items": {"type": "string"},
            "description": "a bundle: all of these or none",
        },
        "side": {"enum": list(SIDES), "description": "of a double auction"},
        "unit": {"type": "string", "description": "in what the bid is"},
    },
}
_BIDS: Schema = {
    "anyOf": [
        {
            "type": "object",
            "additionalProperties": {
                "anyOf": [*_NUMBER["anyOf"], {"type": "array", "items": _NUMBER}]
            },
        },
        {"type": "array", "items": _ROW},
    ],
    "description": "bidder = bid, bidder = [its bids for the first, second, ... unit], or rows",
}
SCHEMA: Schema = {
    "$schema": "http://json-schema.org/draft-04/schema#",
    "title": "comity scenario: auction",
    "type": "object",
    "additionalProperties": False,
    "required": ["kind"],
    "properties": {
        "kind": {"enum": ["auction"]},
        "question": {"type": "string", "description": "what is sold"},
        "rule": {
            "type": "string",
            "description": "second price (the default), first price, uniform price, "
            "multi-unit vcg, vcg, mcafee or double vcg",
        },
        "bids": _BIDS,
        "buyers": {**_BIDS, "description": "of a double auction: buyer = what it is worth"},
        "sellers": {**_BIDS, "description": "of a double auction: seller = what it costs"},
        "reserve": {**_NUMBER, "description": "the least price; 0 says that there is none"},
        "reserves": {"type": "object", "additionalProperties": _NUMBER},
        "items": {"type": "array", "items": {"type": "string"}},
        "units": {"type": "integer", "minimum": 1, "description": "how many equal units"},
        "min_bidders": {"type": "integer", "minimum": 1},
        "unit": {"type": "string", "description": "the unit of every bid"},
        "rates": RATES,
        "faulty": {"enum": ["raise", "refuse"], "description": "refuse sets faulty bids aside"},
        "search": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "method": {"type": "string"},
                "nodes": {"type": "integer", "minimum": 1},
            },
        },
        "seed": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        **PROPERTIES,
    },
}
_AS_SAID = ("reserve", "reserves", "items", "units", "min_bidders", "unit", "faulty", "search")
_MENDED: Mapping[str, Json] = {"reserve": 0, "units": 1, "bids": {}, "buyers": {}, "sellers": {}}


def read(data: Mapping[str, Any], *, whose: str, folder: Path, seed: str) -> Scenario:
    """Build the scenario; every fault at once.

    Args:
        data: the file's data, already of the right shape.
        whose: the file's name.
        folder: where relative paths start; an auction names none.
        seed: the seed of every lot unless the file states one.

    Returns:
        The scenario.

    Raises:
        InvalidInput: with every fault.

    Example:
        >>> data = {"kind": "auction", "reserve": 0, "bids": {"a": 42, "c": 51}}
        >>> read(data, whose="x", folder=Path(), seed="1").rules["auction"]
        'second_price'
    """
    del folder
    faults: list[Fault] = []
    name = "second_price"
    try:
        name = auction_named(data.get("rule", name))
    except InvalidInput as error:
        faults.extend(error.faults)
    given: dict[str, Any] = {key: data[key] for key in _AS_SAID if key in data}
    before = len(faults)
    given.update(_bids(data, whose, faults))
    if len(faults) > before:  # that bids are lacking is not told besides
        needed = {"bids", "buyers", "sellers"} & set(arguments_of(name)[0])
        given = {**{key: {} for key in needed}, **given}
    try:
        rates = rates_of(data.get("rates", {}), whose=whose)
        if rates is not None:
            given["rates"] = {"unit": rates.unit, "worth": dict(rates.worth)}
    except InvalidInput as error:
        faults.extend(error.faults)
    seed = str(data.get("seed", seed))
    given = {**without_empty_reserve(name, as_written(given)), "seed": seed}
    title = str(data.get("question") or f"An auction by {name.replace('_', ' ')}")
    following, unfit = next_of(data, seats=_bidders(given), question=title, seed=seed, whose=whose)
    faults.extend(unfit)
    wrong = auction_faults(name, given)
    if faults or wrong:
        raise InvalidInput([*in_plain_words(faults), *wrong, *_further(name, given)])
    return Scenario(
        kind="auction",
        title=title,
        rules={"auction": name, **given, **following.rules},
        agents=following.agents,
        private={},
    )


def decided(scenario: Scenario) -> Outcome:
    """Return what an auction comes to, without recording it.

    Args:
        scenario: as `read` returns it.

    Raises:
        InvalidInput: with every fault of the bids; for a file that says what follows.

    Example:
        >>> data = {"kind": "auction", "reserve": 0, "bids": {"a": 42, "c": 51}}
        >>> decided(read(data, whose="x", folder=Path(), seed="1")).kind
        'award'
    """
    if "otherwise" in scenario.rules:
        what, allowed = "says what follows a no-sale", "an auction that asks nobody"
        raise InvalidInput(Fault("auction", what, allowed, "use `comity run FILE`"))
    try:
        return run_auction(auction_rules_from_json(scenario.rules))
    except InvalidInput as error:
        raise InvalidInput(in_plain_words(error.faults)) from None


def _further(name: str, given: Mapping[str, Any]) -> list[Fault]:
    """Return what is wrong with the bids when other things are too: every fault at once."""
    needed, known = arguments_of(name)
    mended: dict[str, Any] = {key: _MENDED[key] for key in needed}
    mended.update({key: value for key, value in given.items() if key in known})
    if name == "combinatorial_vcg":  # that others name no items is told already
        bids = mended["bids"]
        mended["bids"] = [] if isinstance(bids, Mapping) else [b for b in bids if b.get("items")]
    elif "units" not in known:  # nor that others name several bids
        for key in {"bids", "buyers", "sellers"} & mended.keys():
            mended[key] = _single(mended[key])
    try:
        run_auction(AuctionRules(auction=name, given=mended))
    except InvalidInput as error:
        return in_plain_words(error.faults)
    return []


def _single(bids: Any) -> Any:  # noqa: ANN401  # a table of bids, or rows
    """Return bids without those of who names several."""
    if not isinstance(bids, Mapping):
        return bids
    return {name: bid for name, bid in bids.items() if not is_list(bid)}


def _bids(data: Mapping[str, Any], whose: str, faults: list[Fault]) -> dict[str, Any]:
    """Return bids, buyers and sellers as the auction takes them."""
    found: dict[str, Any] = {}
    for key in ("buyers", "sellers", "bids"):
        given = data.get(key, {})
        sides = {row.get("side") for row in given} if isinstance(given, list) else {None}
        if sides <= {None}:
            found.update({key: _rows(given)} if key in data else {})
        elif key != "bids" or None in sides or found:
            what = f"names sides in some of its {key}" if None in sides else "names sides twice"
            allowed = "bids that all name their side, or buyers and sellers without"
            faults.append(Fault(whose, what, allowed, "name each side once"))
        else:
            for side in SIDES:
                found[f"{side}s"] = _rows([row for row in given if row["side"] == side])
    return found


def _bidders(given: Mapping[str, Any]) -> list[str]:
    """Return who bids, sorted."""
    names: set[str] = set()
    for key in ("bids", "buyers", "sellers"):
        bids = given.get(key, {})
        names.update(bids if isinstance(bids, Mapping) else (row["bidder"] for row in bids))
    return sorted(names)


def _rows(given: Any) -> Any:  # noqa: ANN401  # a table of bids, or rows
    if isinstance(given, Mapping):
        return given
    kept = ("units", "items", "unit")
    return [
        {
            "bidder": row["bidder"],
            "amount": row["bid"],
            **{name: row[name] for name in kept if name in row},
        }
        for row in given
    ]
