"""Share chart: what does one budget look like on the curves of what each gains?

Here: own SVG of the gain curves with the split and the shadow price on them, and bars of the same
budget under other rules.
Not here: the same in words (share.py), the page itself (svg.py).
Sources: SEMANTICS D1; ux research 2.5 (direct labels, no legend, shape and colour, title and
desc); WCAG 2.2 1.4.1 and 1.4.3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import exp, log
from typing import NamedTuple

from comity.core.canonical import Json, JsonObject
from comity.core.errors import one_line
from comity.core.exact import read_exact
from comity.render.listing import short
from comity.render.price import number_text, objects
from comity.render.svg import WIDTH, axis_number, document, label, ticks

__all__ = ["MOST_CURVES", "share_chart"]

MOST_CURVES = 8
"""Agents that are drawn; those with the largest shares."""

_TOP, _LEFT, _RIGHT, _DEEP = 84, 64, 182, 300  # the plane of the curves
_BAR, _GAP = 22, 12
_SAMPLES = 60
_LARGEST = 1e300
_NAME, _DIGITS = 14, 8
_COLOURS = ("--buyer", "--seller", "--good", "--bad", "--soft", "--ink", "--buyer", "--seller")
_DASHES = ("", "7 4", "2 3", "10 3 2 3", "", "7 4", "2 3", "10 3 2 3")

_STYLE = (
    "<style>"
    + "".join(
        f".comity-chart path.c{at}{{fill:none;stroke:var({colour});stroke-width:2;"
        f"stroke-dasharray:{dash or 'none'}}}"
        f".comity-chart circle.c{at},.comity-chart rect.c{at}{{fill:var({colour})}}"
        f".comity-chart text.c{at}{{fill:var({colour})}}"
        for at, (colour, dash) in enumerate(zip(_COLOURS, _DASHES, strict=True))
    )
    + ".comity-chart .drop{stroke:var(--soft);stroke-dasharray:2 3}"
    ".comity-chart .price{stroke:var(--ink);stroke-width:3;stroke-opacity:.55}"
    ".comity-chart rect.part{stroke:var(--paper);stroke-width:2}"
    ".comity-chart rect.left{fill:none;stroke:var(--line)}"
    ".comity-chart text.on{fill:var(--paper)}"
    "</style>"
)


class _Curve(NamedTuple):
    """What one agent gains, as it is drawn."""

    name: str
    points: list[tuple[float, float]]
    share: float
    gain: float
    slope: float | None
    told: str


def share_chart(data: JsonObject) -> str:
    """Return the gain curves with the split, and the same budget under other rules.

    Args:
        data: what ``to_json`` of an allocation of a budget, or of a no-decision, returned.

    Returns:
        A whole SVG document that says the same in its ``<title>`` and ``<desc>``.

    Example:
        >>> share_chart({"kind": "no_decision", "says": "No allocation."})[:4]
        '<svg'
    """
    title = str(data.get("says") or data.get("kind"))
    budget = _number(data.get("budget")) or 0.0
    rows = objects(data.get("rows"))
    if not rows or budget <= 0:
        nothing = label(WIDTH / 2, _TOP + 40, "nothing to share", "mid soft")
        return document(title, "Nothing is shared.", nothing, _TOP + 80)
    curves = _curves(data, rows, budget)
    high = max((y for one in curves for _, y in one.points), default=0.0) or 1.0
    parts = [_STYLE, *_grid(data, budget, high)]
    for at, one in enumerate(curves):
        parts.extend(_drawn(at, one, budget, high))
    parts.extend(_labels(curves, budget, high))
    hidden = len(rows) - len(curves)
    below = _TOP + _DEEP + 56
    if hidden > 0:
        parts.append(label(_LEFT, below - 18, f"and {hidden} agents with smaller shares", "soft"))
    bars, bottom = _bars(data, [one.name for one in curves], budget, below)
    return document(title, _described(data, curves, hidden), "".join([*parts, *bars]), bottom)


# --- what is drawn ---------------------------------------------------------------------------


def _number(value: Json) -> float | None:
    if value is None:
        return None
    try:
        found = float(read_exact(value, "chart", "amount"))
    except OverflowError:
        return None
    return found if abs(found) < _LARGEST else None


def _brief(value: Json) -> str:
    """Return a number as it is, or in five digits where that is too long to stand in a drawing."""
    shown, found = number_text(value), _number(value)
    return shown if len(shown) <= _DIGITS or found is None else axis_number(found)


def _parameters(data: JsonObject) -> dict[str, Json]:
    grounds = data.get("grounds")
    found = grounds.get("parameters") if isinstance(grounds, Mapping) else ()
    pairs = found if isinstance(found, (list, tuple)) else ()
    return {str(one[0]): one[1] for one in pairs if isinstance(one, (list, tuple))}


def _per_agent(given: Json, name: str, otherwise: float) -> float:
    value = given.get(name) if isinstance(given, Mapping) else None
    return otherwise if value is None else _number(value) or otherwise


def _factor(told: Mapping[str, Json], name: str) -> float:
    """Return what a gain counts in the one unit of all, as rates and ratios say."""
    factor = (
        1.0
        if told.get("objective", "nash") == "nash"
        else _per_agent(told.get("ratios"), name, 1.0)
    )
    rates, units = told.get("rates"), told.get("units")
    if isinstance(rates, Mapping) and isinstance(units, Mapping):
        factor *= _per_agent(rates.get("worth"), str(units.get(name)), 1.0)
    return factor


def _curves(data: JsonObject, rows: Sequence[Mapping[str, Json]], budget: float) -> list[_Curve]:
    """Return the curves of the agents with the largest shares, the largest first."""
    told = _parameters(data)
    grounds = data.get("grounds")
    said = objects(grounds.get("submissions")) if isinstance(grounds, Mapping) else []
    claims = {str(one.get("party")): one.get("what") for one in said}
    in_parts = data.get("total_gain") is None  # no common unit: each against its own best
    found: list[_Curve] = []
    for row in sorted(
        rows, key=lambda one: (-(_number(one.get("share")) or 0), str(one["agent"]))
    ):
        name = str(row.get("agent"))
        share, gain = _number(row.get("share")), _number(row.get("gain"))
        points = _points(claims.get(name), budget, _factor(told, name))
        if share is None or gain is None or not points or len(found) == MOST_CURVES:
            continue
        slope = _slope(data, told, name, gain)
        best = points[-1][1] or 1.0
        scale = 100 / best if in_parts else 1.0
        found.append(
            _Curve(
                name=name,
                points=[(x, y * scale) for x, y in points],
                share=share,
                gain=gain * scale,
                slope=None if slope is None else slope * scale,
                told=f"{_brief(row.get('share'))} gains {_brief(row.get('gain'))}",
            )
        )
    return found


def _slope(data: JsonObject, told: Mapping[str, Json], name: str, gain: float) -> float | None:
    """Return how steep the shadow price is on one agent's curve; None where it is no slope."""
    price = _number(data.get("shadow_price"))
    if price is None or data.get("objective") == "leximin":
        return None
    weight = _per_agent(told.get("weights"), name, 1.0)
    if data.get("objective") == "nash":
        price, weight = price * gain, weight * _per_agent(told.get("ratios"), name, 1.0)
    return price / weight


def _points(claim: Json, budget: float, factor: float) -> list[tuple[float, float]]:
    """Return a gain curve from nothing to the whole budget; nothing when it cannot be drawn."""
    if not isinstance(claim, Mapping):
        return []
    pieces = claim.get("segments")
    if isinstance(pieces, (list, tuple)):
        found = [(0.0, 0.0)]
        for piece in pieces:
            width, slope = (_number(one) for one in piece) if _is_pair(piece) else (None, None)
            if width is None or slope is None:
                return []
            x, y = found[-1]
            part = min(width, budget - x)
            if part > 0:
                found.append((x + part, y + part * slope * factor))
        if found[-1][0] < budget:
            found.append((budget, found[-1][1]))
        return found
    kind = next((one for one in ("power", "log", "saturating") if one in claim), "")
    at, scale = _number(claim.get(kind)), _number(claim.get("scale", 1))
    if not kind or not at or scale is None:
        return []
    xs = [budget * (step / _SAMPLES) ** 2 for step in range(_SAMPLES + 1)]
    return [(x, scale * factor * _smooth(kind, x, at)) for x in xs]


def _is_pair(value: object) -> bool:
    return isinstance(value, (list, tuple)) and len(value) == 2


def _smooth(kind: str, x: float, at: float) -> float:
    if kind == "power":
        return float(x**at)
    return log(1 + x / at) if kind == "log" else 1 - exp(-x / at)


# --- where it is drawn -----------------------------------------------------------------------


def _x(amount: float, budget: float) -> float:
    return round(_LEFT + (WIDTH - _LEFT - _RIGHT) * amount / budget, 1)


def _y(gain: float, high: float) -> float:
    return round(_TOP + _DEEP - _DEEP * gain / (high * 1.04), 1)


def _grid(data: JsonObject, budget: float, high: float) -> list[str]:
    right, bottom = WIDTH - _RIGHT, _TOP + _DEEP
    in_parts = data.get("total_gain") is None
    parts = []
    for gain in ticks(0, high):
        y = _y(gain, high)
        parts.append(f"<path class='grid' d='M{_LEFT} {y}H{right}'/>")
        shown = f"{axis_number(gain)} %" if in_parts else axis_number(gain)
        parts.append(label(_LEFT - 8, y + 4, shown, "end soft"))
    parts += [
        label(_x(amount, budget), bottom + 20, axis_number(amount), "mid soft")
        for amount in ticks(0, budget)
    ]
    parts.append(label(right + 28, bottom + 20, "money", "soft"))
    parts.append(label(16, _TOP - 12, "gain, of its own best" if in_parts else "gain", "soft"))
    if data.get("shadow_price") is not None:
        price = _brief(data.get("shadow_price"))
        parts.append(label(right, _TOP - 12, f"shadow price {price}", "end"))
    return parts


def _drawn(at: int, one: _Curve, budget: float, high: float) -> list[str]:
    """Return a curve, its share, and the shadow price where it touches it."""
    line = "L".join(f"{_x(x, budget)} {_y(y, high)}" for x, y in one.points)
    x, y = _x(one.share, budget), _y(one.gain, high)
    hint = escape(one_line(f"{one.name}: {one.told}"))
    parts = [f"<path class='c{at}' d='M{line}'/>"]
    if one.slope is not None and one.share > 0:
        parts.append(_tangent(one, budget, high))
    parts.append(f"<path class='drop' d='M{x} {y}V{_TOP + _DEEP}'/>")
    parts.append(f"<circle class='c{at}' cx='{x}' cy='{y}' r='5'><title>{hint}</title></circle>")
    return parts


def _tangent(one: _Curve, budget: float, high: float) -> str:
    assert one.slope is not None
    reach = budget * 0.07
    if one.slope > 0:
        reach = min(reach, high * 0.12 / one.slope)
    ends = []
    for x in (max(0.0, one.share - reach), min(budget, one.share + reach)):
        ends.append(f"{_x(x, budget)} {_y(one.gain + (x - one.share) * one.slope, high)}")
    return f"<path class='price' d='M{ends[0]}L{ends[1]}'/>"


def _labels(curves: Sequence[_Curve], budget: float, high: float) -> list[str]:
    """Return the names at the right ends of the curves, moved apart where they would overlap."""
    ends = sorted((_y(one.points[-1][1], high), at) for at, one in enumerate(curves))
    parts, last = [], float("-inf")
    for y, at in ends:
        last = max(y + 4, last + 16)
        text = f"{short(curves[at].name, _NAME)} {curves[at].told}"
        parts.append(label(_x(budget, budget) + 10, last, short(text, 26), f"c{at}"))
    return parts


# --- other rules -----------------------------------------------------------------------------


def _bars(
    data: JsonObject, names: Sequence[str], budget: float, top: float
) -> tuple[list[str], int]:
    """Return a bar per rule, parted by agent, and where the page ends."""
    own: dict[str, Json] = {
        "rule": str(data.get("objective")),
        "shares": data.get("shares"),
        "total_gain": data.get("total_gain"),
    }
    rules: list[Mapping[str, Json]] = [own, *objects(data.get("beside"))]
    if len(rules) == 1:
        return [], int(top)
    parts = []
    left, width = 120, WIDTH - 120 - _RIGHT
    for line, rule in enumerate(rules):
        y = top + (_BAR + _GAP) * line
        name = str(rule.get("rule")).replace("_", " ")
        parts.append(label(left - 10, y + 16, short(name, _NAME + 2), "end"))
        frame = f"x='{left}' y='{y:g}' width='{width}' height='{_BAR}'"
        parts.append(f"<rect class='left' {frame}/>")
        shares = {str(one["name"]): one.get("value") for one in objects(rule.get("shares"))}
        x = float(left)
        for at, agent in enumerate(names):
            wide = width * (_number(shares.get(agent)) or 0.0) / budget
            if wide > 0:
                parts.append(_part(at, agent, shares.get(agent), (x, y, wide)))
            x += wide
        if rule.get("total_gain") is not None:
            gain = f"gains {_brief(rule.get('total_gain'))}"
            parts.append(label(left + width + 10, y + 16, gain))
    return parts, int(top + (_BAR + _GAP) * len(rules) + 12)


def _part(at: int, agent: str, share: Json, where: tuple[float, float, float]) -> str:
    x, y, wide = where
    told = f"{agent} {number_text(share)}"
    hint = f"<title>{escape(one_line(told))}</title>"
    brief = f"{agent} {_brief(share)}"
    shown = brief if len(brief) * 7.5 + 12 <= wide else agent
    text = label(x + 6, y + 16, shown, "on") if len(shown) * 7.5 + 12 <= wide else ""
    return (
        f"<rect class='part c{at}' x='{x:g}' y='{y:g}' width='{wide:g}' height='{_BAR}'>{hint}"
        f"</rect>{text}"
    )


def _described(data: JsonObject, curves: Sequence[_Curve], hidden: int) -> str:
    told = [f"{one.name} gets {one.told}" for one in curves]
    told += [f"{hidden} more get less"] if hidden > 0 else []
    price = data.get("shadow_price")
    shadow = "" if price is None else f" The shadow price is {number_text(price)}."
    beside = [
        f"{str(one.get('rule')).replace('_', ' ')} gains {number_text(one.get('total_gain'))}"
        for one in objects(data.get("beside"))
        if one.get("total_gain") is not None
    ]
    others = f" Beside it {', '.join(beside)}." if beside else ""
    return f"{'; '.join(told)}.{shadow}{others}"
