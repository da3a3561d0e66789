"""Sessions: what does every session wait for, and who drives it?

Here: the list as a table, the reason of what is stuck.
Not here: how that is found (runner/crew.py), what was decided (listing.py).
Sources: SEMANTICS K4; ENGINE 5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from comity.core.canonical import Json
from comity.core.show import table
from comity.render.listing import short, when

__all__ = ["waiting_text"]

_HEADER = ("session", "kind", "state", "phase", "waits for", "since", "driven by", "next", "what")


def waiting_text(sessions: Sequence[Mapping[str, Json]]) -> str:
    """Return sessions as a table, in the order given, and why some are stuck.

    Args:
        sessions: each with session, kind, title, state, phase, waits_for, since_ms, driven_by,
            wake_ms, why, result.

    Example:
        >>> one = {"session": "d_1", "kind": "vote", "title": "A or B?", "state": "waiting"}
        >>> one |= {"phase": "votes", "waits_for": ["ann"], "since_ms": 0, "driven_by": ""}
        >>> print(waiting_text([{**one, "wake_ms": None, "why": "", "result": ""}]))
        session  kind  state    phase  waits for  since                 driven by  next  what
        d_1      vote  waiting  votes  ann        1970-01-01 00:00:00Z          -     -  A or B?
    """
    if not sessions:
        return "No session."
    lines = [table([_row(one) for one in sessions], _HEADER)]
    lines += [f"{one['session']} is stuck: {one['why']}" for one in sessions if one["why"]]
    return "\n".join(lines)


def _row(one: Mapping[str, Json]) -> tuple[str, ...]:
    whom = one["waits_for"]
    wake = one["wake_ms"]
    return (
        str(one["session"]),
        str(one["kind"]),
        str(one["state"]),
        str(one["result"] or one["phase"] or "-"),
        ", ".join(map(str, whom)) if isinstance(whom, (list, tuple)) and whom else "-",
        when(int(str(one["since_ms"]))),
        str(one["driven_by"] or "-"),
        "-" if wake is None else when(int(str(wake))),
        short(str(one["title"]), 40),
    )
