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

__all__ = ["answer_text", "desk_text"]


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
    words = ", ".join(f"{name} {value}" for name, value in policy.items() if name != "rule")
    lines = [
        (
            f"desk {view['desk']}: rule {policy['rule']}{f' ({words})' if words else ''}, "
            f"{view['conflicts']} conflicts"
        ),
        *(f"warning: {one}" for one in view["warnings"]),
    ]
    holds = [
        (one["resource"], one["agent"], one["token"], when(one["until_ms"]))
        for one in view["holds"]
    ]
    waits = [
        (one["resource"], one["agent"], one["priority"], when(one["until_ms"]))
        for one in view["waits"]
    ]
    agents = [
        (
            one["scope"],
            one["agent"],
            "-" if one["priority"] is None else one["priority"],
            one["losses"],
            "none" if one["bound"] is None else one["bound"],
        )
        for one in view["agents"]
    ]
    lines += _part("held", holds, ("resource", "holder", "token", "until"))
    lines += _part("waiting", waits, ("resource", "agent", "priority", "until"))
    counted = "losses" if policy["rule"] == "losses" else "counted"
    lines += _part("agents", agents, ("scope", "agent", "priority", counted, "at most"))
    return "\n".join(lines)


def _part(title: str, rows: Sequence[Sequence[object]], head: Sequence[str]) -> list[str]:
    cells = [tuple(str(one) for one in row) for row in rows]
    return ["", title, table(cells, head)] if cells else ["", f"{title}: nobody"]
