"""Deadlock text: how does a circle of waits read on a terminal?

Here: each circle with its waits, who gives way by which rule, who stands still, what unblocks it.
Not here: finding circles (mechanisms/deadlock), other forms of results (text.py).
Sources: SEMANTICS L1, L2, G1, G2.
"""

from __future__ import annotations

from collections.abc import Mapping

from comity.core.canonical import Json, JsonObject
from comity.core.errors import one_line
from comity.render.counted import counted
from comity.render.ink import Ink
from comity.render.price import joined, listed, objects, words

__all__ = ["deadlock_text"]

_MOST_CYCLES, _MOST_NAMES = 20, 40


def deadlock_text(data: JsonObject, ink: Ink) -> str:
    """Return a deadlock, or that there is none, as a person reads it.

    Args:
        data: what ``to_json`` of the result returned.
        ink: how it may be dressed.

    Returns:
        Several paragraphs.

    Example:
        >>> print(deadlock_text({"kind": "verdict", "says": "No deadlock: 2 wait."}, Ink()))
        No deadlock: 2 wait.
    """
    grounds = data.get("grounds")
    thin = words(grounds.get("thin")) if isinstance(grounds, Mapping) else []
    said = one_line(str(data.get("says") or data.get("kind")))
    cycles = objects(data.get("cycles"))
    parts = [(ink.good if data.get("kind") == "verdict" else ink.bad)(_brief(said))]
    parts += [_cycle(at, one, len(cycles), ink) for at, one in enumerate(cycles[:_MOST_CYCLES], 1)]
    if len(cycles) > _MOST_CYCLES:
        parts.append(f"... and {counted(len(cycles) - _MOST_CYCLES, 'more circle')}")
    blocked = words(data.get("blocked"))
    if blocked:
        parts.append(f"{ink.bold('Waits for ever')}\n  {_names(blocked)}")
    unblock = words(data.get("unblock"))
    told = unblock[:_MOST_NAMES]
    told += [f"and {len(unblock) - len(told)} more"] if len(unblock) > len(told) else []
    parts.append(listed("What would unblock it", told, ink))
    parts.append(listed("Worth a second look", thin[:_MOST_NAMES], ink))
    return joined(parts)


def _brief(said: str) -> str:
    return said if len(said) <= 400 else f"{said[:399]}…"


def _names(names: list[str]) -> str:
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def _cycle(at: int, one: Mapping[str, Json], count: int, ink: Ink) -> str:
    members = words(one.get("members"))
    title = f"Circle {at} of {count}" if count > 1 else "The circle"
    lines = [_wait(wait) for wait in objects(one.get("waits"))]
    if len(lines) > _MOST_NAMES:
        lines = [*lines[:_MOST_NAMES], f"and {counted(len(lines) - _MOST_NAMES, 'more wait')}"]
    lines.append(_gives_way(one))
    exempt = words(one.get("exempt"))
    if exempt:
        lines.append(f"exempt, as they gave way too often: {_names(exempt)}")
    equal = one.get("equally_short")
    if isinstance(equal, int) and equal > 1:
        lines.append(f"one of {equal} equally short circles")
    component = words(one.get("component"))
    if len(component) > len(members):
        lines.append(f"{len(component)} wait in circles together: {_names(component)}")
    return listed(title, lines, ink)


def _wait(one: Mapping[str, Json]) -> str:
    behind = " in a queue" if one.get("kind") == "soft" else ""
    return one_line(f"{one.get('waiter')} waits for {one.get('holder')}{behind}")


def _gives_way(one: Mapping[str, Json]) -> str:
    if one.get("victim") is None:
        return "nobody has to give way: a queue can be reordered"
    return one_line(f"{one.get('victim')} gives way: {one.get('rule')}")
