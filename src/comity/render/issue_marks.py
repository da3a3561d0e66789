"""Issue marks: what do the drawings of deals over several issues share?

Here: reading what is drawn, the column of labels at the right in which nothing lies on anything
else, the same in words, the colours.
Not here: the plane of two parties (issue_plane.py), the axes of more (issue_parallel.py).
Sources: ux research 2.5 (direct labels, no legend, shape and colour, title and desc); WCAG 2.2
1.4.1 and 1.4.3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from textwrap import wrap
from typing import Any, NamedTuple

from comity.core.canonical import Json, JsonObject
from comity.core.errors import one_line
from comity.render.issues import TITLES
from comity.render.svg import axis_number, label

__all__ = [
    "BOTTOM",
    "HEIGHT",
    "LEFT",
    "MOST_TIES",
    "RIGHT",
    "STYLE",
    "TOP",
    "Note",
    "Row",
    "brief_worth",
    "column",
    "deal_name",
    "described",
    "hint_of",
    "label_lines",
    "limits_of",
    "named_of",
    "rounded",
    "rows_of",
    "solutions_of",
    "spread",
    "worth_text",
]

HEIGHT = 540
LEFT, RIGHT, TOP, BOTTOM = 60, 460, 84, 476
MOST_TIES = 60

_COLUMN = 484
_LETTERS = 27
_LINE = 16
_LARGEST = 1e300
_NEAR = 10  # a line this near to a sign seems to belong to it
_TIED = "\u00a0"  # a space at which no line ends

Row = tuple[float, ...]
"""A place: one number per party."""

STYLE = (
    "<style>"
    ".comity-chart .dots{fill:none;stroke:var(--soft);stroke-opacity:.35;stroke-linecap:round}"
    ".comity-chart .dots.suits{stroke-opacity:.85}"
    ".comity-chart .edge{fill:none;stroke:var(--ink);stroke-width:1.5;stroke-linejoin:round}"
    ".comity-chart .limit{fill:none;stroke:var(--good);stroke-dasharray:5 4}"
    ".comity-chart .lead{fill:none;stroke:var(--soft);stroke-opacity:.55}"
    ".comity-chart .best{fill:var(--good);stroke:var(--paper);stroke-width:1.5}"
    ".comity-chart .corner{fill:var(--ink)}"
    ".comity-chart path.walk{stroke-width:1.5;stroke-opacity:.6}"
    ".comity-chart .line{fill:none;stroke:var(--line);stroke-width:1.2}"
    ".comity-chart .line.suits{stroke:var(--soft);stroke-opacity:.7}"
    ".comity-chart .line.won{stroke:var(--good);stroke-width:2.5}"
    ".comity-chart .line.made{stroke:var(--ink);stroke-width:2.5;stroke-dasharray:7 4}"
    ".comity-chart text.strong{font-weight:600}"
    ".comity-chart text.good{fill:var(--good)}"
    ".comity-chart text.halo{paint-order:stroke;stroke:var(--paper);stroke-width:4px}"
    "</style>"
)


class Note(NamedTuple):
    """A label of the column at the right, and the place it belongs to."""

    x: float
    y: float
    lines: tuple[str, ...]
    kind: str = "strong"
    worth: str = ""


def rows_of(value: Json) -> list[Row]:
    """Return the rows of numbers of a list that can be drawn."""
    items: Any = value if isinstance(value, (list, tuple)) else ()
    rows = [tuple(float(number) for number in row) for row in items]
    return [row for row in rows if all(abs(number) < _LARGEST for number in row)]


def limits_of(space: JsonObject) -> list[float | None]:
    """Return the least that each party accepts; None where it accepts anything."""
    value: Any = space.get("reservations") or []
    return [None if one is None else float(one) for one in value]


def solutions_of(space: JsonObject) -> dict[str, list[Row]]:
    """Return the tied places of every solution that exists."""
    value = space.get("solutions")
    found: Mapping[str, Json] = value if isinstance(value, Mapping) else {}
    return {name: rows for name, given in found.items() if (rows := rows_of(given))}


def named_of(space: JsonObject) -> dict[Row, list[str]]:
    """Return place -> the solutions that are named there; of many tied points one is named."""
    named: dict[Row, list[str]] = {}
    every = solutions_of(space)
    for name, rows in every.items():
        if len(rows) == 1:
            named.setdefault(rows[0], []).append(TITLES.get(name, name))
    for name, rows in every.items():
        title = TITLES.get(name, name)
        if len(rows) == 2:
            for row in rows:
                named.setdefault(row, []).append(f"{title} (tie)")
        elif len(rows) > 1:
            place = next((row for row in rows if row in named), rows[len(rows) // 2])
            named.setdefault(place, []).append(f"{title} (1 of {len(rows)})")
    return named


def label_lines(names: Sequence[str]) -> tuple[str, ...]:
    """Return names with commas between them, as many on a line as fit."""
    kept = [one.replace(" ", _TIED) if len(one) < _LETTERS else one for one in names]
    lines = wrap(", ".join(kept), _LETTERS, break_on_hyphens=False)
    return tuple(line.replace(_TIED, " ") for line in lines)


def worth_text(names: Sequence[str], row: Row) -> str:
    """Return what a deal is worth to each, in one phrase."""
    return ", ".join(f"{name} {rounded(one)}" for name, one in zip(names, row, strict=True))


def brief_worth(names: Sequence[str], row: Row) -> str:
    """Return what a deal is worth as it fits below a label; "" where nothing fits."""
    told = (worth_text(names, row), f"worth {', '.join(map(rounded, row))}")
    return next((one for one in told if len(one) <= _LETTERS + 3), "")


def rounded(value: float) -> str:
    """Return a number to four digits."""
    return axis_number(float(f"{value:.4g}"))


def deal_name(space: JsonObject) -> str:
    """Return what the deal is called, and that it is refused where it is."""
    name = str(space.get("deal_name") or "the deal")
    return name if space.get("deal_suits") else f"{name}, refused"


def spread(rows: Sequence[Row], most: int) -> list[Row]:
    """Return at most so many rows, evenly spread, both ends among them."""
    if len(rows) <= most:
        return list(rows)
    return [rows[at] for at in sorted({(len(rows) - 1) * at // (most - 1) for at in range(most)})]


def column(notes: Sequence[Note]) -> str:
    """Return the labels at the right, moved apart, each joined to its place."""
    order = sorted(notes, key=lambda one: (one.y, one.x))
    if sum(map(_high, order)) > HEIGHT - TOP:  # then places are told by their hints only
        order = [one._replace(worth="") for one in order]
    order = _untangled(order)
    parts = []
    for one, top in zip(order, _tops(order), strict=True):
        end = top + _LINE * len(one.lines) / 2 + 3
        parts.append(f"<path class='lead' d='M{one.x:g} {one.y:g}L{_COLUMN - 6} {end:g}'/>")
        for at, line in enumerate(one.lines):
            parts.append(label(_COLUMN, top + 13 + _LINE * at, line, one.kind))
        if one.worth:
            place = top + 13 + _LINE * len(one.lines)
            parts.append(label(_COLUMN, place, one.worth, "soft"))
    return "".join(parts)


def _high(one: Note) -> int:
    return _LINE * (len(one.lines) + bool(one.worth)) + 8


def _tops(order: Sequence[Note]) -> list[float]:
    """Return where each label begins: near its place, and below the one before it."""
    highs = list(map(_high, order))
    tops: list[float] = []
    floor = float(TOP - 10)
    for one, high in zip(order, highs, strict=True):
        tops.append(max(floor, one.y - high / 2))
        floor = tops[-1] + high
    ceiling = float(HEIGHT - 14)
    for at in range(len(order) - 1, -1, -1):
        tops[at] = min(tops[at], ceiling - highs[at])
        ceiling = tops[at]
    return tops


def _untangled(order: list[Note]) -> list[Note]:
    """Return labels in an order in which no line crosses another or runs through a sign."""
    least = _tangles(order)
    for _ in range(len(order) if least else 0):
        tries = []
        for at in range(len(order)):
            rest = order[:at] + order[at + 1 :]
            tries += [[*rest[:to], order[at], *rest[to:]] for to in range(len(order))]
        best = min(tries, key=_tangles)
        if _tangles(best) >= least:
            break
        order, least = best, _tangles(best)
    return order


def _tangles(order: Sequence[Note]) -> int:
    """Return how many lines cross another, or run through the sign of another."""
    ends = [
        top + _LINE * len(one.lines) / 2 + 3 for one, top in zip(order, _tops(order), strict=True)
    ]
    count = 0
    for one, end in zip(order, ends, strict=True):
        for other, to in zip(order, ends, strict=True):
            if other is one or other.x <= one.x:
                continue
            at = one.y + (end - one.y) * (other.x - one.x) / (_COLUMN - 6 - one.x)
            count += abs(at - other.y) < _NEAR
            count += (at - other.y) * (end - to) < 0
    return count


def hint_of(text: str) -> str:
    """Return what is shown where somebody points."""
    return f"<title>{escape(one_line(text))}</title>"


def described(space: JsonObject, names: Sequence[str]) -> str:
    """Return in words what a drawing shows, for those who do not see it."""
    points, suits = rows_of(space.get("frontier")), rows_of(space.get("acceptable"))
    told = [f"The frontier has {len(points)} points; {len(suits)} points suit all."]
    if points:
        ends = f"It goes from {worth_text(names, points[0])} to {worth_text(names, points[-1])}."
        told.append(ends)
    for name, limit in zip(names, limits_of(space), strict=False):
        if limit is not None:
            told.append(f"{name} accepts from {rounded(limit)}.")
    told += [
        f"{', '.join(titles)}: {worth_text(names, row)}."
        for row, titles in named_of(space).items()
    ]
    if space.get("deal"):
        told += [
            f"{deal_name(space)}: {worth_text(names, row)}." for row in rows_of([space["deal"]])
        ]
    if len(names) == 2 and "outcomes" not in space:
        told.append("There are too many deals to draw them all.")
    return " ".join(told)
