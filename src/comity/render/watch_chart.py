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
from comity.core.spans import counted
from comity.render.price import objects, words
from comity.render.svg import WIDTH, axis_number, document, label, ticks
from comity.render.win_tables import win_rows

__all__ = ["watch_chart"]

HEIGHT = 400
LEFT, RIGHT, TOP, BOTTOM = 56, 150, 136, 44
MOST_BARS, MOST_AGENTS = 60, 5
_ALARM_Y, _STREAK_Y = 76, 118
_NAME = 15
_LETTER, _WIDE_LETTER = 7.2, 7.6
_EDGE = 8
_SUBTITLE = 100
_MOST_NAMED = 2
_TAIL = 5
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
    ".comity-chart .over{fill:var(--paper);stroke:var(--bad)}"
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
    """Return what the report says; of what a person should look at the worst, on one line."""
    said = str(data.get("says"))
    stand = [one for one in urgent if one.get("stands") is not False]
    if not stand:
        return said
    counted = said.partition(":")[0]
    cases = objects(data.get("starved"))
    if not cases:
        first = min(stand, key=_fired_first)
        return f"{counted}: {first.get('says')}"
    worst, winners = cases[0], _names_of(cases[0].get("instead"))
    names = [str(one.get("agent")) for one in cases if _alike(one, worst)]
    told = f"{_listed(names)} {'has' if len(names) == 1 else 'have'} not won {worst.get('scope')}"
    told += f" for {worst.get('span')}" if worst.get("span") else f", {worst.get('streak')} losses"
    told += " in a row" if not worst.get("span") else ""
    instead = f"; {_listed(winners)} {'wins' if len(winners) == 1 else 'win'} instead"
    is_short = winners and len(told) + len(instead) <= _SUBTITLE
    return f"{counted}: {told}{instead if is_short else ''}"


def _fired_first(one: Mapping[str, Json]) -> tuple[str, int]:
    return str(one.get("time")), int(str(one.get("at_conflict")))


def _names_of(pairs: Json) -> list[str]:
    """Return the names of pairs of a name and a number."""
    listed = pairs if isinstance(pairs, (list, tuple)) else ()
    return [str(one[0]) for one in listed if isinstance(one, (list, tuple))]


def _alike(one: Mapping[str, Json], other: Mapping[str, Json]) -> bool:
    return all(one.get(name) == other.get(name) for name in ("scope", "streak", "span"))


def _short_name(name: str, room: int) -> str:
    """Return a name cut in its middle: those of a team often differ at the end."""
    told = one_line(name)
    return told if len(told) <= room else f"{told[: room - _TAIL - 1]}…{told[-_TAIL:]}"


def _listed(names: Sequence[str]) -> str:
    """Return names in words; of many the first."""
    shown = [_short_name(one, _NAME) for one in names[:_MOST_NAMED]]
    more = len(names) - len(shown)
    shown += [counted(more, "other")] if more else []
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


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
    """Draw the longest row of lost claims over the bars it spans, with everybody who lost it."""
    if not streaks:
        return []
    one = streaks[0]
    start, end = bars.x(one.get("begins")), bars.x(one.get("ends"))
    end = max(end, start + 4)
    told = _row_told(streaks)
    line = f"<path class='row' d='M{start} {_STREAK_Y - 5}v10M{start} {_STREAK_Y}H{end}m0 -5v10'/>"
    width = _LETTER * len(told)
    if end - start <= width + 20 and start <= WIDTH / 2 and end + 8 + width <= WIDTH - _EDGE:
        return [
            line,
            label(end + 8, _STREAK_Y + 4, told),
        ]  # its beginning is where an alarm may be
    x = max(end - 4, width + _EDGE)
    return [line, label(round(x, 1), _STREAK_Y - 8, told, "end")]


def _row_told(streaks: Sequence[Mapping[str, Json]]) -> str:
    """Return who lost the longest row of claims."""
    one = streaks[0]
    same = ("length", "scope", "begins", "ends")
    names = [
        str(other.get("agent"))
        for other in streaks
        if all(other.get(name) == one.get(name) for name in same)
    ]
    verb, each = ("loses", "") if len(names) == 1 else ("lose", " each")
    many = int(str(one.get("length")))
    return f"{_listed(names)} {verb} {counted(many, 'claim')} in a row{each}"


def _alarms(bars: _Bars, urgent: Sequence[Mapping[str, Json]]) -> list[str]:
    """Draw a mark for each alarm, and the first one in words; unfair lots have no moment."""
    placed = sorted((bars.x(one.get("place")), at) for at, one in enumerate(urgent)
                    if one.get("kind") != "tie_break")  # fmt: skip
    drawn = []
    for x, at in reversed(placed):
        is_over = urgent[at].get("stands") is False
        hint = f"{'ended, ' if is_over else ''}{urgent[at].get('level')}: {urgent[at].get('says')}"
        kind = "alarm over" if is_over else "alarm"
        drawn.append(
            f"<g><title>{escape(one_line(hint))}</title>"
            f"<path class='{kind}' d='M{x - 5:.1f} {TOP - 12}h10l-5 8z'/></g>"
        )
    if placed:
        x, at = placed[0]
        drawn.append(f"<path class='when' d='M{x} {_ALARM_Y + 6}V{HEIGHT - BOTTOM}'/>")
        over = ", all have ended" if all(one.get("stands") is False for one in urgent) else ""
        told = f"first alarm: {_moment(urgent[at])}{over}"
        drawn.append(_beside(x, _ALARM_Y, told, "bad strong"))
    return drawn


def _beside(x: float, y: float, told: str, kind: str) -> str:
    """Return a text beside a place, on the side where it fits on the page."""
    width = _WIDE_LETTER * len(told)
    if x + width <= WIDTH - _EDGE:
        return label(x - 2, y, told, kind)
    if x - width >= _EDGE:
        return label(x + 2, y, told, f"{kind} end")
    return label(WIDTH / 2, y, told, f"{kind} mid")


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
        room = int((RIGHT - 30) / _LETTER) - len(f" {total}")
        drawn.append(
            label(x + 16, round(last, 1), f"{_short_name(part.name, room)} {total}", kind)
        )
    return drawn


def _described(
    data: JsonObject, parts: Sequence[_Part], urgent: Sequence[Mapping[str, Json]]
) -> str:
    won = ", ".join(f"{part.name} {sum(part.wins)}" for part in parts)
    told = [f"Wins: {won}."]
    streaks = objects(data.get("streaks"))
    told += [f"{_row_told(streaks)}."] if streaks else []
    told += [f"{one.get('says')} ({_moment(one)})" for one in urgent[:5]]
    return " ".join(told if urgent else [*told, "No alarm."])
