"""Deadlock chart: what does a circle of waits look like?

Here: own SVG of who waits for whom, the circle marked, who gives way.
Not here: the same in words (deadlock.py), the page itself (svg.py).
Sources: SEMANTICS L1, L2; ux research 2.5 (direct labels, no legend, shape and colour, title and
desc); WCAG 2.2 1.4.1 and 1.4.3. One row for one agent and arcs for its waits, so that names may
be long and no two lie on each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from comity.core.canonical import Json, JsonObject
from comity.render.counted import counted
from comity.render.price import objects, words
from comity.render.svg import WIDTH, document, label
from comity.render.wrapped import wrapped

__all__ = ["MOST_IN_CIRCLE", "MOST_NAMES", "deadlock_chart"]

MOST_NAMES = 40
"""Agents up to which all waits are drawn; of more the circles alone."""

MOST_IN_CIRCLE = 100
"""Members of circles that are drawn; of more the first."""

_TOP, _STEP, _LINE = 84, 34, 16
_DOT, _LETTERS = 320, 34  # where the dots stand, how much of a name fits on one line before them
_NEAR, _FAR = 36, WIDTH - _DOT - 40  # how far an arc reaches out at least and at most
_OUT, _IN = 4, -4

_STYLE = (
    "<style>"
    ".comity-chart path.wait{fill:none;stroke:var(--soft);stroke-width:1.5}"
    ".comity-chart path.soft{stroke-dasharray:5 4}"
    ".comity-chart path.round{stroke:var(--bad);stroke-width:2.5}"
    ".comity-chart path.tip{fill:var(--soft)}"
    ".comity-chart path.tip.round{fill:var(--bad);stroke:none}"
    ".comity-chart circle.one{fill:var(--soft)}"
    ".comity-chart circle.round{fill:var(--bad)}"
    ".comity-chart circle.way{fill:none;stroke:var(--bad);stroke-width:2.5}"
    ".comity-chart text.way{fill:var(--bad);font-weight:600}"
    "</style>"
)


class _Arc(NamedTuple):
    """One wait that is drawn."""

    waiter: str
    holder: str
    is_soft: bool
    is_round: bool


def deadlock_chart(data: JsonObject) -> str:
    """Return who waits for whom, the circles marked.

    Args:
        data: what ``to_json`` of a deadlock, or of there being none, returned.

    Returns:
        A whole SVG document that says the same in its ``<title>`` and ``<desc>``.

    Example:
        >>> deadlock_chart({"kind": "verdict", "says": "No deadlock: 0 wait."})[:4]
        '<svg'
    """
    title = _title(data)
    circles = objects(data.get("cycles"))
    names, arcs, hidden = _chosen(circles, _waits(data))
    if not names:
        nothing = label(WIDTH / 2, _TOP + 40, "too many agents to draw, or none", "mid soft")
        return document(title, str(data.get("says")), nothing, _TOP + 80)
    victims = {str(one["victim"]) for one in circles if one.get("victim") is not None}
    lines = {name: wrapped(name, _LETTERS) for name in names}
    rows, bottom = _rows(names, lines, victims)
    parts = [_STYLE]
    parts += [_drawn(one, rows) for one in sorted(arcs, key=lambda one: one.is_round)]
    round_ = {name for one in arcs if one.is_round for name in (one.waiter, one.holder)}
    for name in names:
        shape = "way" if name in victims else "round" if name in round_ else "one"
        parts += _agent(lines[name], rows[name], shape)
    if hidden:
        told = f"and {counted(hidden, 'more agent')}"
        parts.append(label(_DOT - 16, bottom + 8, told, "end soft"))
        bottom += _STEP
    return document(title, _described(data, arcs, victims), "".join(parts), int(bottom) + 16)


# --- what is drawn ---------------------------------------------------------------------------


def _title(data: JsonObject) -> str:
    circles = objects(data.get("cycles"))
    if not circles:
        return str(data.get("says") or data.get("kind"))
    sizes = ", ".join(str(len(words(one.get("members")))) for one in circles)
    blocked = len(words(data.get("blocked")))
    return f"Deadlock of {sizes}: {counted(blocked, 'agent')} can never go on."


def _waits(data: JsonObject) -> list[tuple[str, str, bool]]:
    """Return every wait that the result tells, as (waiter, holder, whether it is soft)."""
    grounds = data.get("grounds")
    told = objects(grounds.get("submissions")) if isinstance(grounds, Mapping) else []
    found: list[tuple[str, str, bool]] = []
    for one in told:
        what, name = one.get("what"), str(one.get("party"))
        if isinstance(what, Mapping):
            hard = _names(what.get("waits"))
            found += [(name, holder, False) for holder in hard]
            found += [(name, one, True) for one in _names(what.get("soft")) if one not in hard]
    return found


def _names(value: Json) -> list[str]:
    return [str(one) for one in value] if isinstance(value, (list, tuple)) else []


def _round(circles: Iterable[Mapping[str, Json]]) -> list[tuple[str, str, bool]]:
    return [
        (str(one.get("waiter")), str(one.get("holder")), one.get("kind") == "soft")
        for circle in circles
        for one in objects(circle.get("waits"))
    ]


def _chosen(
    circles: Sequence[Mapping[str, Json]], waits: Sequence[tuple[str, str, bool]]
) -> tuple[list[str], list[_Arc], int]:
    """Return the agents in the order of their rows, the waits, how many agents are left out."""
    round_ = _round(circles)
    members = list(dict.fromkeys(one for each in circles for one in _names(each.get("members"))))
    others = sorted(set(chain.from_iterable(one[:2] for one in waits)) - set(members))
    others.sort(key=lambda name: all(name != waiter for waiter, _, _ in waits))
    names, shown = [*members, *others], [*waits]
    hidden = 0
    if len(names) > MOST_NAMES:
        hidden = len(names) - len(members)
        names, shown = members, round_
    if len(names) > MOST_IN_CIRCLE:
        hidden += len(names) - MOST_IN_CIRCLE
        names = names[:MOST_IN_CIRCLE]
    kept, marked = set(names), set(round_)
    arcs = [
        _Arc(*one, one in marked)
        for one in dict.fromkeys([*shown, *round_])
        if one[0] in kept and one[1] in kept
    ]
    return names, arcs, hidden


def _rows(
    names: Sequence[str], lines: Mapping[str, Sequence[str]], victims: Iterable[str]
) -> tuple[dict[str, float], float]:
    """Return agent -> the height of its dot, and where the last row ends."""
    y, rows, gone = float(_TOP), {}, set(victims)
    for name in names:
        more = (len(lines[name]) - 1 + (name in gone)) * _LINE
        rows[name] = y + more / 2
        y += more + _STEP
    return rows, y


def _agent(lines: Sequence[str], y: float, shape: str) -> list[str]:
    told = [(line, "") for line in lines] + ([("gives way", " way")] if shape == "way" else [])
    first = y + 4 - (len(told) - 1) * _LINE / 2
    return [
        *(
            label(_DOT - 16, first + at * _LINE, line, f"end{kind}")
            for at, (line, kind) in enumerate(told)
        ),
        f"<circle class='{shape}' cx='{_DOT}' cy='{y:g}' r='{6 if shape == 'way' else 5}'/>",
    ]


def _drawn(one: _Arc, rows: Mapping[str, float]) -> str:
    """Return an arc to the right of the dots, from the waiter to the holder, with its tip."""
    y1, y2 = rows[one.waiter] + _OUT, rows[one.holder] + _IN
    height = max(rows.values()) - min(rows.values()) or 1
    reach = _DOT + _NEAR + (_FAR - _NEAR) * min(1, abs(y2 - y1) / height)
    kinds = (" soft" if one.is_soft else "") + (" round" if one.is_round else "")
    start, end = _DOT + 8, _DOT + 15
    # the control points of a curve lie a third further out than it reaches
    out = start + (reach - start) * 4 / 3
    return (
        f"<path class='wait{kinds}' d='M{start} {y1:g}C{out:g} {y1:g} {out:g} {y2:g} "
        f"{end} {y2:g}'/>"
        f"<path class='tip{' round' if one.is_round else ''}' "
        f"d='M{_DOT + 8} {y2:g}l9 -5v10z'/>"
    )


def _described(data: JsonObject, arcs: Sequence[_Arc], victims: Iterable[str]) -> str:
    told = [
        f"{one.waiter} waits for {one.holder}"
        f"{' in a queue' if one.is_soft else ''}{' (in a circle)' if one.is_round else ''}"
        for one in arcs
    ]
    told += [f"{name} gives way" for name in sorted(victims)]
    told += words(data.get("unblock"))
    return f"{'; '.join(told)}."
