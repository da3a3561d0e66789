"""Desk: how does a desk look to a person?

Here: a claim's answer and a desk's state as text.
Not here: who wins and starves over time (watch.py).
Sources: SEMANTICS G1, R2, R3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from comity.core.show import table
from comity.render.listing import when

__all__ = ["answer_text", "checked_text", "desk_text", "opened_text"]

_UNITS = ((86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1_000, "s"))


def answer_text(answer: Mapping[str, Any]) -> str:
    """Return what a claimant is told.

    Args:
        answer: an answer's fields as JSON.

    Example:
        >>> told = {"says": "a holds gpu under token 1.", "until_ms": 0, "status": "granted"}
        >>> print(answer_text({**told, "rivals": ["b"], "token": 1}))
        a holds gpu under token 1.
        until  1970-01-01 00:00:00Z
        token  1
        also waiting  b
    """
    lines = [str(answer["says"])]
    if answer["until_ms"] is not None:
        lines.append(f"until  {when(answer['until_ms'])}")
    if answer["token"] is not None:
        lines.append(f"token  {answer['token']}")
    if answer["rivals"]:
        lines.append(f"also waiting  {', '.join(answer['rivals'])}")
    return "\n".join(lines)


def desk_text(view: Mapping[str, Any]) -> str:
    """Return how a desk stands.

    Args:
        view: its fields as JSON.
    """
    rules = view["rules"]
    policy = rules["policy"]
    words = ", ".join(
        f"{name} {_value(value)}" for name, value in policy.items() if name != "rule"
    )
    lines = [
        (
            f"desk {view['desk']}: rule {policy['rule']}{f' ({words})' if words else ''}, "
            f"{view['conflicts']} conflicts"
        ),
        *(f"warning: {one}" for one in view["warnings"]),
    ]
    holds = [
        (
            one["resource"],
            one["agent"],
            one["token"],
            when(one["until_ms"]),
            "yes" if one["picked_up"] else "not yet",
        )
        for one in view["holds"]
    ]
    waits = [
        (one["resource"], one["agent"], one["priority"], when(one["until_ms"]))
        for one in view["waits"]
    ]
    agents = [_agent(one, view["now_ms"]) for one in view["agents"]]
    lines += _part("held", holds, ("resource", "holder", "token", "until", "picked up"))
    lines += _part("waiting", waits, ("resource", "agent", "priority", "until"))
    counted = "losses" if policy["rule"] == "losses" else "counted"
    head = ("scope", "agent", "priority", "wins", counted, "at most", "turned away", "since")
    lines += _part("agents", agents, head)
    lines += [""] * any(view["agents"]) + [
        sentence for one in view["agents"] for sentence in _sentences(one, view["now_ms"])
    ]
    return "\n".join(lines).rstrip()


def opened_text(desk: str, place: str) -> str:
    """Return that a desk was opened by the way, and where.

    Args:
        desk: its name.
        place: the ledger.

    Example:
        >>> opened_text("claims", "comity.db")
        'opened the new desk claims in comity.db'
    """
    return f"opened the new desk {desk} in {place}"


def checked_text(desk: str, conflicts: int, elsewhere: int) -> str:
    """Return that every conflict of a desk was decided again alike.

    Args:
        desk: its name.
        conflicts: how many it has.
        elsewhere: how many of them were decided elsewhere, so that no rule can decide them again.

    Example:
        >>> checked_text("d", 3, 2)
        'Desk d: every conflict comes out the same; 2 of 3, decided elsewhere, stand as recorded.'
    """
    same = f"Desk {desk}: every conflict comes out the same"
    if not elsewhere:
        return f"{same}."
    return f"{same}; {elsewhere} of {conflicts}, decided elsewhere, stand as recorded."


def _agent(one: Mapping[str, Any], now_ms: int) -> tuple[object, ...]:
    """Return the row of an agent."""
    bound = "none" if one["bound"] is None else one["bound"]
    return (
        one["scope"],
        one["agent"],
        "-" if one["priority"] is None else one["priority"],
        one["wins"],
        one["losses"],
        "-" if one["is_alone"] else bound,
        one["turned_away"],
        "-" if one["since_ms"] is None else _long(now_ms - one["since_ms"]),
    )


def _sentences(one: Mapping[str, Any], now_ms: int) -> list[str]:
    """Return what must not be overlooked of an agent: away without a win, wins that are none."""
    name, where = one["agent"], one["scope"]
    found = []
    if one["turned_away"]:
        won = "has never won" if not one["wins"] else "since its last win"
        times = f"{name} was turned away {_times(one['turned_away'])} from {where}"
        joined = f"{times} and {won}" if not one["wins"] else f"{times} {won}"
        found.append(f"{joined}; it first asked {_long(now_ms - one['since_ms'])} ago.")
    if one["unused"]:
        many = _times(one["unused"])
        found.append(f"{name} won {where} {many} without picking it up; those are no wins.")
    return found


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _long(ms: int) -> str:
    """Return a length of time in its largest whole unit."""
    for size, unit in _UNITS:
        if ms >= size:
            return f"{ms // size} {unit}"
    return f"{max(0, ms)} ms"


def _value(value: object) -> object:
    """Return a parameter of a policy; a table as NAME=N."""
    if isinstance(value, list):
        return " ".join("=".join(map(str, row)) for row in value)
    return value


def _part(title: str, rows: Sequence[Sequence[object]], head: Sequence[str]) -> list[str]:
    cells = [tuple(str(one) for one in row) for row in rows]
    return ["", title, table(cells, head)] if cells else ["", f"{title}: nobody"]
