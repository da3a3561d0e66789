"""Issue axes: what does the frontier of three or more parties look like?

Here: parallel coordinates: an axis per party, a line per point.
Not here: two parties (issue_plane.py), labels (issue_marks.py), the page (svg.py).
Sources: Inselberg 1985 (parallel coordinates); ux research 2.5 (direct labels, no legend).
"""

from __future__ import annotations

from typing import Any

from comity.core.canonical import JsonObject
from comity.render.issue_marks import (
    BOTTOM,
    LEFT,
    MOST_TIES,
    RIGHT,
    TOP,
    Note,
    Row,
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
from comity.render.svg import axis_number, label

__all__ = ["Parallel"]

_MOST_LINES = 300


class Parallel:
    """The frontier of three or more parties: an axis per party, a line per point."""

    __slots__ = ("high", "low", "names", "space")

    def __init__(self, space: JsonObject, names: list[str]) -> None:
        self.space, self.names = space, names
        deal = rows_of([space["deal"]]) if space.get("deal") else []
        worst: Any = space.get("worst") or []
        rows = [*rows_of(space.get("frontier")), *deal, *rows_of([worst] if worst else [])]
        limits = [*limits_of(space), *[None] * len(names)]
        self.low, self.high = [], []
        for at in range(len(names)):
            values = [row[at] for row in rows] or [0.0]
            values += [limit for limit in limits[at : at + 1] if limit is not None]
            low, high = min(values), max(values)
            self.low.append(low)
            self.high.append(high if high > low else low + 1.0)

    def x(self, at: int) -> float:
        """Return where the axis of a party stands."""
        return round(LEFT + 20 + (RIGHT - LEFT - 40) * at / (len(self.names) - 1), 1)

    def y(self, at: int, value: float) -> float:
        """Return how high a value lies on the axis of a party."""
        share = (value - self.low[at]) / (self.high[at] - self.low[at])
        return round(BOTTOM - 6 - (BOTTOM - TOP - 46) * share, 1)

    def drawn(self) -> str:
        """Return the drawing without its page."""
        suits = set(rows_of(self.space.get("acceptable")))
        every = [*rows_of(self.space.get("frontier")), *suits]
        every = spread(list(dict.fromkeys(every)), _MOST_LINES)
        ordered = sorted(every, key=lambda row: row in suits)
        parts = [self._line(row, "line suits" if row in suits else "line") for row in ordered]
        notes: list[Note] = []
        last = len(self.names) - 1
        for rows in solutions_of(self.space).values():
            parts += [self._line(row, "line won") for row in spread(rows, MOST_TIES)]
        for row, titles in named_of(self.space).items():
            place = (self.x(last), self.y(last, row[last]))
            notes.append(Note(*place, label_lines(titles), "strong", brief_worth(self.names, row)))
        for row in rows_of([self.space["deal"]]) if self.space.get("deal") else []:
            parts.append(self._line(row, "line made"))
            told = deal_name(self.space)
            place = (self.x(last), self.y(last, row[last]))
            notes.append(Note(*place, (told,), "strong", brief_worth(self.names, row)))
        return "".join([*self._axes(), *parts, *self._limits(), column(notes)])

    def _line(self, row: Row, kind: str) -> str:
        places = "L".join(f"{self.x(at):g} {self.y(at, one):g}" for at, one in enumerate(row))
        return f"<path class='{kind}' d='M{places}'>{hint_of(worth_text(self.names, row))}</path>"

    def _axes(self) -> list[str]:
        room = int((RIGHT - LEFT - 40) / (len(self.names) - 1) / 8.8)
        rows = 2 if any(len(name) > room for name in self.names) else 1
        parts = []
        for at, name in enumerate(self.names):
            x = self.x(at)
            top, bottom = self.y(at, self.high[at]), self.y(at, self.low[at])
            parts.append(f"<path class='grid' d='M{x:g} {top:g}V{bottom:g}'/>")
            parts.append(
                label(
                    x,
                    TOP + 8 - 18 * (rows - 1 - at % rows),
                    short(name, room * rows),
                    "mid strong",
                )
            )
            parts.append(label(x, TOP + 26, axis_number(self.high[at]), "mid soft"))
            parts.append(label(x, BOTTOM + 14, axis_number(self.low[at]), "mid soft"))
        parts.append(label(LEFT, BOTTOM + 40, "what a deal is worth to each; a line is one point "
                           "of the frontier", "soft"))  # fmt: skip
        return parts

    def _limits(self) -> list[str]:
        parts = []
        for at, limit in enumerate(limits_of(self.space)):
            if limit is not None:
                x, y = self.x(at), self.y(at, limit)
                parts.append(f"<path class='deal' d='M{x - 7:g} {y:g}h14'/>")
                parts.append(label(x + 10, y + 4, f"from {rounded(limit)}", "good halo"))
        return parts
