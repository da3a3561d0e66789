"""Charts: what does a negotiation look like?

Here: own SVG of the offers of a price negotiation with its zone, and of who spoke, proposed and
objected in a consent negotiation.
Not here: votes (vote_charts.py), budgets (share_chart.py), sales (auction_chart.py), waits
(deadlock_chart.py), files (cli/places.py), tables (text.py).
Sources: ux research 2.5 (direct labels, no legend, shape and colour, title and desc); WCAG 2.2
1.4.1 and 1.4.3. Colours are CSS variables: light and dark follow the reader's system.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape

from comity.core.canonical import Json, JsonObject
from comity.core.errors import one_line
from comity.core.exact import read_exact
from comity.render.auction_chart import auction_chart
from comity.render.deadlock_chart import deadlock_chart
from comity.render.price import number_text, objects
from comity.render.share_chart import share_chart
from comity.render.svg import WIDTH, axis_number, document, label, ticks
from comity.render.vote_charts import vote_chart

__all__ = ["chart", "consent_chart", "offers_chart"]

HEIGHT = 360
LEFT, RIGHT, TOP, BOTTOM = 56, 150, 68, 44
MOST_POINTS = 600
_LARGEST = 1e300  # beyond it no distance between two prices can be drawn


def chart(data: JsonObject, messages: Sequence[Mapping[str, Json]] = ()) -> str:
    """Return the chart that fits a result.

    Args:
        data: what ``to_json`` of a result returned.
        messages: what was said in a consent negotiation, in order.

    Returns:
        A whole SVG document; "" for a result that has none.
    """
    form = str(data.get("form"))
    if form == "consent":
        return consent_chart(data, messages)
    return _BY_FORM[form](data) if form in _BY_FORM else ""


# --- one price -------------------------------------------------------------------------------


class _Scale:
    """From rounds and prices to places on the page."""

    __slots__ = ("high", "low", "rounds")

    def __init__(self, prices: Sequence[float], rounds: int) -> None:
        low, high = min(prices), max(prices)
        pad = (high - low) * 0.06 or max(abs(high) * 0.06, 1.0)
        self.low, self.high, self.rounds = low - pad, high + pad, max(rounds, 1)

    def x(self, t: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * t / self.rounds, 1)

    def y(self, price: float) -> float:
        share = (price - self.low) / (self.high - self.low)
        return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share, 1)


def _number(value: Json) -> float | None:
    if value is None:
        return None
    try:
        found = float(read_exact(value, "chart", "price"))
    except OverflowError:
        return None
    return found if abs(found) < _LARGEST else None


def offers_chart(data: JsonObject) -> str:
    """Return both offer paths over the rounds, with the zone and the deal.

    Args:
        data: the JSON of a price result.

    Returns:
        A whole SVG document that says the same in its ``<title>`` and ``<desc>``.

    Example:
        >>> offers_chart({"says": "No deal is possible.", "offers": []})[:4]
        '<svg'
    """
    title = str(data.get("says") or data.get("kind"))
    paths = [
        (str(one["role"]), str(one["party"]), _points(one.get("prices")))
        for one in objects(data.get("offers"))
    ]
    paths = [path for path in paths if path[2]]
    low, high = _ends(data.get("zopa"))
    seen = [price for _, _, points in paths for _, price in points]
    seen += [one for one in (low, high) if one is not None]
    if not seen:
        nothing = label(WIDTH / 2, HEIGHT / 2, "no offers", "mid soft")
        return document(title, "Nobody made an offer.", nothing, HEIGHT)
    scale = _Scale(seen, int(max((points[-1][0] for _, _, points in paths), default=0)))
    parts = [_zone(scale, low, high), *_grid(scale)]
    labels: list[tuple[float, str, str]] = []
    for role, party, points in paths:
        kind = role if role in {"buyer", "seller"} else "buyer"
        line = "L".join(f"{scale.x(t)} {scale.y(price)}" for t, price in points)
        parts.append(f"<path class='{kind}' d='M{line}'/>")
        parts.extend(_mark(kind, scale.x(t), scale.y(price)) for t, price in _marked(points))
        last = points[-1][1]
        labels.append((scale.y(last), f"{party} {axis_number(last)}", kind))
    settled = _number(data.get("price"))
    if settled is not None:
        x, y = scale.x(_number(data.get("round")) or 0), scale.y(settled)
        parts.append(f"<circle class='deal' cx='{x}' cy='{y}' r='9'/>")
        labels.append((y - 17, f"deal {number_text(data.get('price'))}", ""))
    parts.extend(_apart(labels))
    return document(title, _description(data, paths), "".join(parts), HEIGHT)


def _ends(zone: Json) -> tuple[float | None, float | None]:
    if not isinstance(zone, Mapping):
        return None, None
    return _number(zone.get("low")), _number(zone.get("high"))


def _points(prices: object) -> list[tuple[int, float]]:
    values = prices if isinstance(prices, (list, tuple)) else ()
    step = max(1, len(values) // MOST_POINTS)
    kept = sorted({*range(0, len(values), step), len(values) - 1} - {-1})
    found = [(t, _number(values[t])) for t in kept]
    return [(t, price) for t, price in found if price is not None]


def _marked(points: list[tuple[int, float]]) -> list[tuple[int, float]]:
    return points if len(points) <= 40 else [points[0], points[-1]]


def _mark(kind: str, x: float, y: float) -> str:
    """Return a party's sign: round for the buyer, square for the seller."""
    if kind == "buyer":
        return f"<circle class='buyer' cx='{x}' cy='{y}' r='3.5'/>"
    return f"<rect class='seller' x='{x - 3.5:g}' y='{y - 3.5:g}' width='7' height='7'/>"


def _zone(scale: _Scale, low: float | None, high: float | None) -> str:
    if low is None or high is None or low > high:
        return ""
    top, bottom = scale.y(high), scale.y(low)
    right = WIDTH - RIGHT
    told = f"both gain from {axis_number(low)} to {axis_number(high)}"
    return (
        f"<rect class='zone' x='{LEFT}' y='{top}' width='{right - LEFT}' "
        f"height='{max(bottom - top, 1):g}'/>" + label(right - 6, top + 15, told, "end soft")
    )


def _grid(scale: _Scale) -> list[str]:
    parts = []
    for price in ticks(scale.low, scale.high):
        y = scale.y(price)
        parts.append(f"<path class='grid' d='M{LEFT} {y}H{WIDTH - RIGHT}'/>")
        parts.append(label(LEFT - 8, y + 4, axis_number(price), "end soft"))
    for t in ticks(0, scale.rounds, 10):
        if t == int(t):
            parts.append(label(scale.x(t), HEIGHT - BOTTOM + 20, str(int(t)), "mid soft"))
    parts.append(label(WIDTH - RIGHT + 16, HEIGHT - BOTTOM + 20, "round", "soft"))
    return parts


def _apart(labels: list[tuple[float, str, str]]) -> list[str]:
    """Return labels at the right edge, moved apart where they would lie on each other."""
    parts, last = [], float("-inf")
    for y, text, kind in sorted(labels):
        last = max(y + 4, last + 16)
        parts.append(label(WIDTH - RIGHT + 16, last, text, kind))
    return parts


def _description(data: JsonObject, paths: list[tuple[str, str, list[tuple[int, float]]]]) -> str:
    lines = [
        f"{party} goes from {axis_number(points[0][1])} to {axis_number(points[-1][1])} "
        f"in round {points[-1][0]}."
        for _, party, points in paths
    ]
    price = data.get("price")
    lines.append("No deal." if price is None else f"They meet at {number_text(price)}.")
    return " ".join(lines)


# --- consent ---------------------------------------------------------------------------------

_ROW = 46
_KINDS = {
    "position": "position",
    "discuss": "words",
    "propose": "proposal",
    "counter": "counter",
    "check": "check",
    "answer": "answer",
}


def consent_chart(data: JsonObject, messages: Sequence[Mapping[str, Json]]) -> str:
    """Return who did what when: a row per seat, a sign per message, versions of the draft above.

    Args:
        data: the JSON of a consent result.
        messages: turn, party, kind, version and answer of every accepted message, in order.

    Returns:
        A whole SVG document.

    Example:
        >>> consent_chart({"says": "No agreement.", "record": {}}, [])[:4]
        '<svg'
    """
    record = data.get("record")
    facts: Mapping[str, Json] = record if isinstance(record, Mapping) else {}
    seats = [str(one["party"]) for one in objects(facts.get("seats"))]
    title = str(data.get("says") or data.get("kind"))
    turns = max((int(str(one["turn"])) for one in messages), default=1)
    height = TOP + 30 + _ROW * max(len(seats), 1) + 58
    left, right = 96, 24
    width = WIDTH - left - right

    def x(turn: int) -> float:
        return round(left + width * (turn - 0.5) / max(turns, 1), 1)

    parts = []
    for at, seat in enumerate(seats):
        y = TOP + 40 + _ROW * at
        parts.append(f"<path class='grid' d='M{left} {y}H{WIDTH - right}'/>")
        parts.append(label(left - 12, y + 4, seat, "end"))
    version, last_label = 0, float("-inf")
    for one in messages:
        turn, seat = int(str(one["turn"])), str(one["party"])
        if seat not in seats:
            continue
        y = TOP + 40 + _ROW * seats.index(seat)
        parts.append(_sign(one, x(turn), y))
        now = int(str(one.get("version") or 0))
        if now > version and x(turn) - last_label >= 26:
            parts.append(label(x(turn), TOP + 10, f"v{now}", "mid soft"))
            last_label = x(turn)
        version = max(version, now)
    parts.append(_key(height))
    counts = {kind: sum(one["kind"] == kind for one in messages) for kind in _KINDS}
    told = ", ".join(f"{count} {_KINDS[kind]}" for kind, count in counts.items() if count)
    described = f"Messages of {', '.join(seats)}: {told or 'none'}. Version {version} at the end."
    return document(title, described, "".join(parts), height)


def _sign(one: Mapping[str, Json], x: float, y: float) -> str:
    hint = f"turn {one['turn']}: {one['party']}, {_KINDS.get(str(one['kind']), one['kind'])}"
    kind = str(one["kind"])
    if kind in {"propose", "counter"}:
        shape = f"<rect class='put' x='{x - 5:g}' y='{y - 5:g}' width='10' height='10'/>"
    elif kind == "check":
        shape = f"<circle class='ask' cx='{x}' cy='{y}' r='6'/>"
    elif kind == "answer" and one.get("answer") == "CONSENT":
        shape = f"<circle class='yes' cx='{x}' cy='{y}' r='6'/>"
    elif kind == "answer":
        shape = f"<path class='no' d='M{x - 5:g} {y - 5:g}l10 10m0 -10l-10 10'/>"
    else:
        shape = f"<circle class='said' cx='{x}' cy='{y}' r='3'/>"
    return f"<g><title>{escape(one_line(hint))}</title>{shape}</g>"


def _key(height: int) -> str:
    """Return what the signs mean, each beside its sign."""
    shown: list[tuple[Mapping[str, Json], str]] = [
        ({"turn": 0, "party": "", "kind": "discuss"}, "says"),
        ({"turn": 0, "party": "", "kind": "propose"}, "proposes"),
        ({"turn": 0, "party": "", "kind": "check"}, "calls a check"),
        ({"turn": 0, "party": "", "kind": "answer", "answer": "CONSENT"}, "consents"),
        ({"turn": 0, "party": "", "kind": "answer", "answer": "OBJECT"}, "objects"),
    ]
    parts, x = [], 96.0
    for one, word in shown:
        parts.append(_sign(one, x, height - 28) + label(x + 12, height - 24, word, "soft"))
        x += 36 + 7 * len(word)
    return "".join(parts)


_BY_FORM: dict[str, Callable[[JsonObject], str]] = {
    "auction": auction_chart,
    "budget": share_chart,
    "deadlock": deadlock_chart,
    "price": offers_chart,
    "vote": vote_chart,
}
"""Forms that need nothing beside the result -> how they are drawn."""
