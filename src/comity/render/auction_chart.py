"""Auction chart: what do the bids of a sale look like, and the price?

Here: own SVG of the bids as bars, the winners filled, what they pay and the reserve as lines.
Not here: the same in words (auction.py), the page itself (svg.py).
Sources: SEMANTICS A4; ux research 2.5 (direct labels, no legend, shape and colour, title and
desc); WCAG 2.2 1.4.1 and 1.4.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from comity.core.canonical import Json, JsonObject
from comity.core.errors import one_line
from comity.core.exact import read_exact, to_fraction
from comity.render.auction import ShownBid, bids_shown
from comity.render.counted import counted
from comity.render.listing import short
from comity.render.price import number_text, objects
from comity.render.svg import WIDTH, document, label
from comity.render.wrapped import wrapped

__all__ = ["MOST_BARS", "auction_chart"]

MOST_BARS = 40
"""Bids that are drawn; winners first, then the highest."""

_TOP, _STEP, _LINE, _BAR = 104, 32, 16, 18
_LEFT, _RIGHT = 232, 500  # where bars begin and end
_LETTERS, _SIDE = 27, 28  # how much of a name fits before the bars, of the words behind them
_DIGITS = 14

_STYLE = (
    "<style>"
    ".comity-chart rect.won{fill:var(--good)}"
    ".comity-chart rect.lost{fill:none;stroke:var(--soft);stroke-width:1.5}"
    ".comity-chart path.unit{stroke:var(--ink);stroke-width:1.5}"
    ".comity-chart path.paid{stroke:var(--ink);stroke-width:2}"
    ".comity-chart path.least{stroke:var(--soft);stroke-width:1.5;stroke-dasharray:5 4}"
    ".comity-chart text.won{fill:var(--good);font-weight:600}"
    "</style>"
)


def auction_chart(data: JsonObject) -> str:
    """Return the bids of a sale as bars, with the price.

    Args:
        data: what ``to_json`` of an award or a no-sale of an auction returned.

    Returns:
        A whole SVG document that says the same in its ``<title>`` and ``<desc>``.

    Example:
        >>> auction_chart({"kind": "no_sale", "says": "No sale: nobody bid."})[:4]
        '<svg'
    """
    title = str(data.get("says") or data.get("kind"))
    bids, more = bids_shown(data, MOST_BARS)
    if not bids:
        nothing = label(WIDTH / 2, _TOP, "nobody bid", "mid soft")
        return document(title, "Nobody bid.", nothing, _TOP + 40)
    prices = _prices(data)
    levels = [*(_exact(one) for _, one, _ in prices), *(_exact(bid.amounts[0]) for bid in bids)]
    top = max(levels) or Fraction(1)
    parts, y = [], float(_TOP)
    for bid in bids:
        lines = wrapped(_name(bid), _LETTERS)
        deep = (len(lines) - 1) * _LINE
        parts += _bar(bid, lines, (y + deep / 2, top), _behind(data, bid))
        y += deep + _STEP
    for at, (told, price, kind) in enumerate(prices):
        text = f"{told} {short(number_text(price), _DIGITS)}"
        parts += _level(text, _place(price, top), kind, (at, y))
    if more:
        parts.append(label(_LEFT - 12, y, f"and {counted(more, 'more bid')}", "end soft"))
        y += _STEP
    described = [f"{_name(bid)} {_said(bid)}{_behind(data, bid)}" for bid in bids]
    described += [f"{told} {number_text(price)}" for told, price, _ in prices]
    return document(title, f"{'; '.join(described)}.", _STYLE + "".join(parts), int(y))


# --- what is drawn ---------------------------------------------------------------------------


def _exact(value: Json) -> Fraction:
    return to_fraction(read_exact(value, "chart", "amount"))


def _place(value: Json, top: Fraction) -> float:
    """Return how far to the right an amount stands."""
    return _LEFT + (_RIGHT - _LEFT) * float(_exact(value) / top)


def _prices(data: JsonObject) -> list[tuple[str, Json, str]]:
    """Return what all winners pay, where it is the same, and the reserve."""
    paid, got = _different(data.get("payments")), _different(data.get("receipts"))
    found: list[tuple[str, Json, str]] = []
    if got and len(paid) == len(got) == 1 and paid != got:
        found += [("buyers pay", paid[0], "paid"), ("sellers get", got[0], "paid")]
    elif len(paid) == 1 and not (_is_bundled(data) or data.get("quantities")):
        found.append(("price", paid[0], "paid"))
    if data.get("reserve") is not None and _exact(data["reserve"]):
        found.append(("reserve", data["reserve"], "least"))
    return found


def _different(value: object) -> list[Json]:
    """Return the amounts of a list of items, equal ones once."""
    found = {number_text(one.get("value")): one.get("value") for one in objects(value)}
    return list(found.values())


def _is_bundled(data: JsonObject) -> bool:
    return data.get("proof") is not None


def _name(bid: ShownBid) -> str:
    return f"{bid.bidder}: {', '.join(bid.items)}" if bid.items else bid.bidder


def _said(bid: ShownBid) -> str:
    return f"{'asks' if bid.is_sale else 'bids'} {', '.join(map(number_text, bid.amounts))}"


def _behind(data: JsonObject, bid: ShownBid) -> str:
    """Return what a bid came to, in words."""
    if not bid.is_won:
        return ""
    paid, got = (
        [one.get("value") for one in objects(data.get(side)) if one.get("name") == bid.bidder]
        for side in ("payments", "receipts")
    )
    units = {str(one[0]): one[1] for one in _pairs(data.get("quantities"))}
    if got:
        return f", gets {number_text(got[0])}"
    if bid.bidder in units:
        return f", {counted(units[bid.bidder], 'unit')} for {number_text(paid[0])}"
    return f", pays {number_text(paid[0])}" if paid else ""


def _pairs(value: object) -> list[Sequence[Json]]:
    rows = value if isinstance(value, (list, tuple)) else ()
    return [one for one in rows if isinstance(one, (list, tuple)) and len(one) == 2]


def _bar(
    bid: ShownBid, lines: Sequence[str], place: tuple[float, Fraction], behind: str
) -> list[str]:
    y, top = place
    first = y + 4 - (len(lines) - 1) * _LINE / 2
    end = max(_place(bid.amounts[0], top), _LEFT + 2)
    told = ", ".join(short(number_text(one), _DIGITS) for one in bid.amounts[:4])
    told = f"{'asks ' if bid.is_sale else ''}{told}{', ...' if len(bid.amounts) > 4 else ''}"
    kind = "won" if bid.is_won else "lost"
    bar = (
        f"<rect class='{kind}' x='{_LEFT}' y='{y - _BAR / 2:g}' width='{end - _LEFT:.5g}' "
        f"height='{_BAR}'/>"
    )
    return [
        *(label(_LEFT - 12, first + at * _LINE, line, "end") for at, line in enumerate(lines)),
        bar,
        *(
            f"<path class='unit' d='M{_place(one, top):.5g} {y - _BAR / 2:g}v{_BAR}'/>"
            for one in bid.amounts[1:]
        ),
        label(_RIGHT + 12, y + 4, short(f"{told}{behind}", _SIDE), kind),
    ]


def _level(told: str, x: float, kind: str, place: tuple[int, float]) -> list[str]:
    """Return a line through all bars, its words above it, one row for each line."""
    at, bottom = place
    y = _TOP - 22 - 16 * at
    return [
        f"<path class='{kind}' d='M{x:.5g} {y + 4:g}V{bottom - _STEP / 2:g}'/>",
        label(x, y, one_line(told), "mid" if x < _RIGHT - 20 else "end"),
    ]
