"""Issue plane: what does the outcome space of two parties look like?

Here: every deal as a dot, the frontier as stairs, what each party accepts, the solution points,
both parties' offers and a deal.
Not here: more parties (issue_parallel.py), labels (issue_marks.py), the page (svg.py).
Sources: ux research 2.5 (direct labels, no legend, shape and colour, title and desc).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from comity.core.canonical import Json, JsonObject
from comity.render.issue_marks import (
    BOTTOM,
    LEFT,
    MOST_TIES,
    RIGHT,
    TOP,
    Note,
    brief_worth,
    column,
    deal_name,
    hint_of,
    label_lines,
    limits_of,
    named_of,
    rounded,
    rows_of,
    solutions_of,
    spread,
    worth_text,
)
from comity.render.listing import short
from comity.render.svg import axis_number, label, ticks

__all__ = ["Plane"]


class Plane:
    """The outcome space of two parties."""

    __slots__ = ("high", "low", "names", "space")

    def __init__(self, space: JsonObject, names: list[str]) -> None:
        self.space, self.names = space, names
        outcomes = rows_of(space.get("outcomes"))
        deal = rows_of([space["deal"]]) if space.get("deal") else []
        seen = [*rows_of(space.get("frontier")), *outcomes, *deal]
        limits = limits_of(space)
        self.low, self.high = [], []
        for at in range(2):
            values = [row[at] for row in seen] or [0.0]
            values += [limit for limit in limits[at : at + 1] if limit is not None]
            low, high = min(values), max(values)
            pad = (high - low) * 0.05 or max(abs(high) * 0.05, 1.0)
            self.low.append(low - pad)
            self.high.append(high + pad)

    def place(self, row: Sequence[float]) -> tuple[float, float]:
        """Return where a deal lies on the page."""
        across = (row[0] - self.low[0]) / (self.high[0] - self.low[0])
        up = (row[1] - self.low[1]) / (self.high[1] - self.low[1])
        return round(LEFT + (RIGHT - LEFT) * across, 1), round(BOTTOM - (BOTTOM - TOP) * up, 1)

    def drawn(self) -> str:
        """Return the drawing without its page."""
        notes: list[Note] = []
        parts = [self._zone(), *self._axes(), *self._dots(), self._edge()]
        parts += self._limits(notes)
        parts += self._walks(notes)
        parts += self._best(notes)
        parts += self._made(notes)
        return "".join([*parts, column(notes)])

    def _zone(self) -> str:
        limits = [*limits_of(self.space), None, None][:2]
        if limits == [None, None]:
            return ""
        corner = [low if one is None else one for one, low in zip(limits, self.low, strict=True)]
        x, y = self.place(corner)
        return (
            f"<rect class='zone' x='{x:g}' y='{TOP}' width='{max(RIGHT - x, 0):g}' "
            f"height='{max(y - TOP, 0):g}'/>"
        )

    def _axes(self) -> list[str]:
        parts = []
        for value in ticks(self.low[0], self.high[0]):
            x, _ = self.place((value, self.low[1]))
            parts.append(f"<path class='grid' d='M{x:g} {TOP}V{BOTTOM}'/>")
            parts.append(label(x, BOTTOM + 18, axis_number(value), "mid soft"))
        for value in ticks(self.low[1], self.high[1]):
            _, y = self.place((self.low[0], value))
            parts.append(f"<path class='grid' d='M{LEFT} {y:g}H{RIGHT}'/>")
            parts.append(label(LEFT - 8, y + 4, axis_number(value), "end soft"))
        first, second = (short(name, 28) for name in self.names)
        parts.append(label(RIGHT, BOTTOM + 54, f"worth to {first} →", "end"))
        parts.append(label(16, TOP - 12, f"↑ worth to {second}"))
        return parts

    def _dots(self) -> list[str]:
        """Return every deal; those that all accept stand out. One path: there are thousands."""
        places: dict[tuple[float, float], bool] = {}
        for row in rows_of(self.space.get("outcomes")):
            place = self.place(row)
            places[place] = places.get(place, False) or bool(row[2])
        parts = []
        wide = 4 if len(places) <= 600 else 2.5 if len(places) <= 5000 else 1.6
        for suits, kind in ((False, "dots"), (True, "dots suits")):
            line = "".join(f"M{x:g} {y:g}h0" for (x, y), one in places.items() if one is suits)
            if line:
                parts.append(f"<path class='{kind}' stroke-width='{wide}' d='{line}'/>")
        return parts

    def _edge(self) -> str:
        """Return the frontier as stairs: below and left of them every deal can be improved."""
        places = sorted({self.place(row) for row in rows_of(self.space.get("frontier"))})
        if not places:
            return ""
        (x, y), *rest = places
        stairs = "".join(f"V{b:g}H{a:g}" for a, b in rest)
        corners = ""
        if len(places) <= 200:
            corners = "".join(
                f"<circle class='corner' cx='{a:g}' cy='{b:g}' r='2.5'/>" for a, b in places
            )
        return f"<path class='edge' d='M{x:g} {y:g}{stairs}'/>{corners}"

    def _limits(self, notes: list[Note]) -> list[str]:
        parts = []
        for at, limit in enumerate(limits_of(self.space)):
            if limit is None:
                continue
            told = f"{short(self.names[at], 14)} accepts from {rounded(limit)}"
            x, y = self.place((limit, limit))
            if at == 0:
                parts.append(f"<path class='limit' d='M{x:g} {TOP}V{BOTTOM}'/>")
                half = 3.9 * len(told)
                middle = min(max(x, 16 + half), RIGHT + 16 - half)  # the labels' column is free
                parts.append(label(middle, BOTTOM + 36, told, "mid good"))
            else:
                parts.append(f"<path class='limit' d='M{LEFT} {y:g}H{RIGHT}'/>")
                notes.append(Note(RIGHT, y, (told,), "good"))
        return parts

    def _walks(self, notes: list[Note]) -> list[str]:
        """Return each party's offers, from its first to its last."""
        value = self.space.get("path")
        path: Mapping[str, Json] = value if isinstance(value, Mapping) else {}
        parts = []
        for name, kind in zip(self.names, ("buyer", "seller"), strict=True):
            rows = rows_of(path.get(name))
            if not rows:
                continue
            places = list(dict.fromkeys(map(self.place, rows)))
            line = "L".join(f"{x:g} {y:g}" for x, y in places)
            parts.append(f"<path class='{kind} walk' d='M{line}'/>")
            shown = places if len(places) <= 60 else [places[0], places[-1]]
            parts += [_sign(kind, x, y) for x, y in shown]
            (x, y), told = places[0], f"{short(name, 20)} begins"
            if x < (LEFT + RIGHT) / 2 and y < TOP + 40:  # above the frontier there is room
                parts.append(label(x + 10, y - 7, told, kind))
            else:
                notes.append(Note(x, y, (told,), kind))
        return parts

    def _best(self, notes: list[Note]) -> list[str]:
        """Return the solution points; those at one place share a sign and a label."""
        named = named_of(self.space)
        tied = [
            row for rows in solutions_of(self.space).values() for row in spread(rows, MOST_TIES)
        ]
        parts = []
        for row in dict.fromkeys([*tied, *named]):
            x, y = self.place(row)
            hint = hint_of(f"{', '.join(named.get(row, ['tied']))}: {worth_text(self.names, row)}")
            parts.append(f"<path class='best' d='M{x:g} {y - 7:g}l7 7l-7 7l-7 -7Z'>{hint}</path>")
        notes += [
            Note(*self.place(row), label_lines(titles), "strong", brief_worth(self.names, row))
            for row, titles in named.items()
        ]
        return parts

    def _made(self, notes: list[Note]) -> list[str]:
        """Return the deal that was made or asked about: a ring, crossed where it is refused."""
        rows = rows_of([self.space["deal"]]) if self.space.get("deal") else []
        parts = []
        for row in rows:
            x, y = self.place(row)
            suits = self.space.get("deal_suits")
            parts.append(f"<circle class='deal' cx='{x:g}' cy='{y:g}' r='10'/>")
            if not suits:
                parts.append(f"<path class='no' d='M{x - 5:g} {y - 5:g}l10 10m0 -10l-10 10'/>")
            told = deal_name(self.space)
            notes.append(Note(x + 10, y, (told,), "strong", brief_worth(self.names, row)))
        return parts


def _sign(kind: str, x: float, y: float) -> str:
    """Return the sign of an offer: round for the first party, square for the second."""
    if kind == "buyer":
        return f"<circle class='buyer' cx='{x:g}' cy='{y:g}' r='3.5'/>"
    return f"<rect class='seller' x='{x - 3.5:g}' y='{y - 3.5:g}' width='7' height='7'/>"
