"""Watch chart: what do wins, the longest row of losses and the first alarm look like over time?

Here: own SVG: a bar for each period, parted by who won; the longest row of lost claims above it;
each alarm at the conflict where it first fires.
Not here: the page itself (svg.py), the same in words (watch.py), files (cli/places.py).
Sources: SEMANTICS R5; ux research 2.5 (direct labels, no legend, shape and colour, title and
desc); WCAG 2.2 1.4.1 and 1.4.3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from comity.core.canonical import Json, JsonObject
from comity.core.errors import one_line
from comity.render.listing import short
from comity.render.price import objects, words
from comity.render.svg import WIDTH, axis_number, document, label, ticks
from comity.render.watch import win_rows

__all__ = ["watch_chart"]

HEIGHT = 400
LEFT, RIGHT, TOP, BOTTOM = 56, 150, 136, 44
MOST_BARS, MOST_AGENTS = 60, 5
_ALARM_Y, _STREAK_Y = 76, 118
_NAME = 15
_LETTER = 7.2
_OPACITY = (1.0, 0.78, 0.9, 0.55, 0.4)
_FILLS = ("buyer", "seller", "good", "soft", "ink")

_STYLE = (
    "<style>"
    + "".join(
        f".comity-chart .agent{at}{{fill:var(--{name});fill-opacity:{opacity}}}"
        for at, (name, opacity) in enumerate(zip(_FILLS, _OPACITY, strict=True))
    )
    + ".comity-chart .others{fill:var(--line)}"
    ".comity-chart .edge{stroke:var(--paper);stroke-width:1}"
    ".comity-chart .alarm{fill:var(--bad)}"
    ".comity-chart .when{stroke:var(--bad);stroke-width:1.5}"
    ".comity-chart .row{fill:none;stroke:var(--ink);stroke-width:1.5}"
    ".comity-chart text.bad{fill:var(--bad)}"
    ".comity-chart text.strong{font-weight:600}"
    "</style>"
)


class _Part(NamedTuple):
    """What one agent, or the rest of them, won in each bar."""

    name: str
    kind: str
    wins: list[int]


class _Bars:
    """Periods on the page: a bar for each, or for several when there are many."""

    __slots__ = ("high", "names", "size", "slot")

    def __init__(self, names: Sequence[str], totals: Sequence[int]) -> None:
        self.size = -(-len(names) // MOST_BARS)
        self.names = list(names)
        self.slot = (WIDTH - LEFT - RIGHT) / len(names[:: self.size])
        self.high = max([1, *self.merged(totals)])

    def merged(self, counts: Sequence[int]) -> list[int]:
        """Return counts of periods as counts of bars."""
        return [sum(counts[at : at + self.size]) for at in range(0, len(counts), self.size)]

    @property
    def width(self) -> float:
        return self.slot * 0.82

    def left(self, bar: int) -> float:
        return LEFT + self.slot * (bar + 0.09)

    def x(self, place: Json) -> float:
        """Return the place of a moment, inside of the bar of its period."""
        found: Mapping[str, Json] = place if isinstance(place, Mapping) else {}
        name = str(found.get("period"))
        period = self.names.index(name) if name in self.names else 0
        part = (period % self.size + float(str(found.get("part") or 0))) / self.size
        return round(self.left(period // self.size) + self.width * part, 1)

    def y(self, wins: float) -> float:
        return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * wins / self.high, 1)


def watch_chart(data: JsonObject) -> str:
    """Return who won over time, with the longest row of losses and the alarms.

    Args:
        data: what ``to_json`` of a report returned.

    Returns:
        A whole SVG document that says the same in its ``<title>`` and ``<desc>``.

    Example:
        >>> wins = {"by": "day", "agents": ["a"], "rows": [["1970-01-01", [3]]]}
        >>> watch_chart({"says": "3 conflicts over gpu: no alarm.", "wins": wins})[:4]
        '<svg'
    """
    urgent = [one for one in objects(data.get("alarms")) if one.get("level") != "info"]
    title = _title(data, urgent)
    wins = data.get("wins")
    is_known = data.get("says_who_won") is not False and isinstance(wins, Mapping)
    rows = win_rows(wins) if is_known and isinstance(wins, Mapping) else []
    if not rows or not isinstance(wins, Mapping):
        nothing = label(WIDTH / 2, HEIGHT / 2, "it is not known who won", "mid soft")
        return document(title, "It is not known who won.", nothing, HEIGHT)
    agents = words(wins.get("agents"))
    bars = _Bars([name for name, _ in rows], [sum(counts) for _, counts in rows])
    parts = _parts(agents, rows, bars)
    drawn = [_STYLE, *_grid(bars, str(wins.get("by") or "")), *_stacks(bars, parts)]
    drawn.extend(_row(bars, objects(data.get("streaks"))))
    drawn.extend(_alarms(bars, urgent))
    drawn.extend(_names(bars, parts))
    return document(title, _described(data, parts, urgent), "".join(drawn), HEIGHT)


def _title(data: JsonObject, urgent: Sequence[Mapping[str, Json]]) -> str:
    """Return what the report says; of the alarms the first that fired."""
    said = str(data.get("says"))
    if not urgent:
        return said
    first = min(urgent, key=lambda one: (str(one.get("time")), int(str(one.get("at_conflict")))))
    return f"{said.partition(':')[0]}: {first.get('says')}"


def _parts(
    agents: Sequence[str], rows: Sequence[tuple[str, list[int]]], bars: _Bars
) -> list[_Part]:
    """Return the agents with the most wins, each with its part of every bar, then the rest."""
    columns = {name: [counts[at] for _, counts in rows] for at, name in enumerate(agents)}
    ranked = sorted(agents, key=lambda name: (-sum(columns[name]), name))
    own = ranked if len(ranked) <= MOST_AGENTS else ranked[: MOST_AGENTS - 1]
    found = [_Part(name, f"agent{at}", bars.merged(columns[name])) for at, name in enumerate(own)]
    rest = ranked[len(own) :]
    if rest:
        together = [sum(columns[name][at] for name in rest) for at in range(len(rows))]
        found.append(_Part(f"{len(rest)} others", "others", bars.merged(together)))
    return found


def _grid(bars: _Bars, by: str) -> list[str]:
    parts = [label(LEFT - 8, TOP - 8, "wins", "end soft")]
    for wins in ticks(0, bars.high, 5):
        if wins == int(wins):
            y = bars.y(wins)
            parts.append(f"<path class='grid' d='M{LEFT} {y}H{WIDTH - RIGHT}'/>")
            parts.append(label(LEFT - 8, y + 4, axis_number(wins), "end soft"))
    names = bars.names[:: bars.size]
    step = -(-len(names) // 7)
    for bar in range(0, len(names), step):
        shown = names[bar][:7] if by == "month" else names[bar][-5:]
        middle = bars.left(bar) + bars.width / 2
        parts.append(label(round(middle, 1), HEIGHT - BOTTOM + 20, shown, "mid soft"))
    parts.append(label(WIDTH - RIGHT + 10, HEIGHT - BOTTOM + 20, by, "soft"))
    return parts


def _stacks(bars: _Bars, parts: Sequence[_Part]) -> list[str]:
    drawn = []
    for bar, name in enumerate(bars.names[:: bars.size]):
        below = 0
        for part in parts:
            wins = part.wins[bar]
            if wins:
                top, bottom = bars.y(below + wins), bars.y(below)
                hint = f"{name}: {part.name} {wins}"
                drawn.append(
                    f"<rect class='{part.kind} edge' x='{bars.left(bar):.1f}' y='{top}' "
                    f"width='{bars.width:.1f}' height='{max(bottom - top, 0.5):.1f}'>"
                    f"<title>{escape(one_line(hint))}</title></rect>"
                )
            below += wins
    return drawn


def _row(bars: _Bars, streaks: Sequence[Mapping[str, Json]]) -> list[str]:
    """Draw the longest row of lost claims over the bars it spans."""
    if not streaks:
        return []
    one = streaks[0]
    start, end = bars.x(one.get("begins")), bars.x(one.get("ends"))
    end = max(end, start + 4)
    told = f"{short(str(one.get('agent')), _NAME)} loses {one.get('length')} claims in a row"
    line = f"<path class='row' d='M{start} {_STREAK_Y - 5}v10M{start} {_STREAK_Y}H{end}m0 -5v10'/>"
    is_wide = end - start > _LETTER * len(told) + 20
    if is_wide or start > WIDTH / 2:  # its beginning is where an alarm may come down
        return [line, label(end - 4 if is_wide else end, _STREAK_Y - 8, told, "end")]
    return [line, label(end + 8, _STREAK_Y + 4, told)]


def _alarms(bars: _Bars, urgent: Sequence[Mapping[str, Json]]) -> list[str]:
    """Draw a mark for each alarm, and the first one in words; unfair lots have no moment."""
    placed = sorted((bars.x(one.get("place")), at) for at, one in enumerate(urgent)
                    if one.get("kind") != "tie_break")  # fmt: skip
    drawn = []
    for x, at in reversed(placed):
        hint = f"{urgent[at].get('level')}: {urgent[at].get('says')}"
        drawn.append(
            f"<g><title>{escape(one_line(hint))}</title>"
            f"<path class='alarm' d='M{x - 5:.1f} {TOP - 12}h10l-5 8z'/></g>"
        )
    if placed:
        x, at = placed[0]
        drawn.append(f"<path class='when' d='M{x} {_ALARM_Y + 6}V{HEIGHT - BOTTOM}'/>")
        told = f"first alarm: {_moment(urgent[at])}"
        is_left = x < WIDTH / 2
        kind = "bad strong" if is_left else "bad strong end"
        drawn.append(label(x - 2 if is_left else x + 2, _ALARM_Y, told, kind))
    return drawn


def _moment(one: Mapping[str, Json]) -> str:
    time = one.get("time")
    told = f"conflict {one.get('at_conflict')} of {one.get('of')}"
    return told if time is None else f"{told}, {str(time).replace('T', ' ')}"


def _names(bars: _Bars, parts: Sequence[_Part]) -> list[str]:
    """Return who each part is, beside the last bar, moved apart where they would touch."""
    below, last = 0, float("inf")
    drawn = []
    for part in parts:
        wins = part.wins[-1]
        middle = bars.y(below + wins / 2) + 4
        below += wins
        last = min(middle, last - 17)
        total = sum(part.wins)
        x = WIDTH - RIGHT + 10
        drawn.append(
            f"<rect class='{part.kind}' x='{x}' y='{last - 10:.1f}' width='10' height='10'/>"
        )
        kind = "" if total else "bad strong"
        drawn.append(label(x + 16, round(last, 1), f"{short(part.name, _NAME)} {total}", kind))
    return drawn


def _described(
    data: JsonObject, parts: Sequence[_Part], urgent: Sequence[Mapping[str, Json]]
) -> str:
    won = ", ".join(f"{part.name} {sum(part.wins)}" for part in parts)
    told = [f"Wins: {won}."]
    for one in objects(data.get("streaks"))[:1]:
        told.append(f"{one.get('agent')} loses {one.get('length')} claims in a row.")
    told += [f"{one.get('says')} ({_moment(one)})" for one in urgent[:5]]
    return " ".join(told if urgent else [*told, "No alarm."])
