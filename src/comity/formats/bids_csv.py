"""Bids in CSV: who bids how much, on what?

Here: the table as the data of an auction file.
Not here: auction files (auction_file.py), the auctions.
Sources: SEMANTICS A1, A2, G6; RFC 4180.

============ ==================================================================================
``bidder``   who bids
``bid``      how much, exact
``units``    for equal units: how many at this price; 1 when left out
``items``    for bundles: the items, all or none of them, as ``A+B`` (also ``;``, ``|``, ``,``)
``side``     for a double auction: ``buyer`` or ``seller``
``unit``     in what the bid is, where several units meet
============ ==================================================================================
"""

from __future__ import annotations

import re
from typing import Any

from comity.core.errors import did_you_mean, shown
from comity.formats.named_rows import NamedRow, NamedRows

__all__ = ["SIDES", "bids_from_csv"]

SIDES = ("buyer", "seller")
_PARTED = re.compile(r"[;|+,]")
_WHOLE = re.compile("[0-9](?:_?[0-9]){0,8}")


def bids_from_csv(text: str, *, whose: str = "bids") -> dict[str, Any]:
    r"""Read a table of bids.

    Args:
        text: what the file holds.
        whose: the file's name, for messages.

    Returns:
        The data of an auction file: its kind and its bids, row by row. What is no bid stays as it
        is written: the auction refuses it by name.

    Raises:
        InvalidInput: with every fault and its line.

    Example:
        >>> bids_from_csv("bidder,bid,items\ng,10,A+B\n")["bids"]
        [{'bidder': 'g', 'bid': '10', 'items': ['A', 'B']}]
    """
    table = NamedRows(whose, ("bidder", "bid"), ("units", "items", "side", "unit"))
    rows = [_bid(row, table) for row in table.each(text)]
    table.tell()
    return {"kind": "auction", "bids": rows}


def _bid(row: NamedRow, table: NamedRows) -> dict[str, Any]:
    cells = row.cells
    found: dict[str, Any] = {"bidder": cells["bidder"], "bid": cells["bid"]}
    if cells.get("units"):
        count = cells["units"]
        if not _WHOLE.fullmatch(count) or int(count) < 1:
            what = f"units is {shown(count)}"
            table.fault(row.line, what, "a whole number from 1", "correct units")
        else:
            found["units"] = int(count)
    if "items" in cells:
        found["items"] = [one.strip() for one in _PARTED.split(cells["items"]) if one.strip()]
    if "side" in cells:
        side = cells["side"].casefold()
        if side not in SIDES:
            near = did_you_mean(side, SIDES)
            table.fault(row.line, f"side is {shown(cells['side'])}", " or ".join(SIDES), near)
        found["side"] = side
    if cells.get("unit"):
        found["unit"] = cells["unit"]
    return found
