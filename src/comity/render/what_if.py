"""What if: how do the same claims under other rules read on a terminal?

Here: the sentence, a row for each rule with wins, rows of losses and bounds, what each promises.
Not here: the replay (watch/side_by_side.py), the report on claims (watch.py).
Sources: SEMANTICS R6; ux research 2.3 (the answer first, then tables).
"""

from __future__ import annotations

from collections.abc import Mapping

from comity.core.canonical import Json, JsonObject
from comity.core.errors import one_line
from comity.core.exact import show_number
from comity.core.show import table
from comity.render.ink import Ink
from comity.render.listing import short
from comity.render.price import joined, listed, objects, words
from comity.render.win_tables import chosen_columns, number_float

__all__ = ["what_if_text"]

_NAME = 24


def what_if_text(data: JsonObject, ink: Ink) -> str:
    """Return the same claims under several rules, side by side.

    Args:
        data: what ``to_json`` of the answer returned.
        ink: how it may be dressed.

    Returns:
        The sentence, a row for each rule with wins, longest row of losses and bound of each
        agent, and what each rule promises.

    Example:
        >>> row = {
        ...     "rule": "losses, c = 1",
        ...     "wins": {"a": 3},
        ...     "longest": {"a": 1},
        ...     "same": 2,
        ...     "bounds": {"a": 2},
        ...     "bound": "at most so many",
        ...     "jain": "1",
        ... }
        >>> print(what_if_text({"says": "Told.", "agents": ["a"], "rows": [row]}, Ink()))
        Told.
        <BLANKLINE>
        wins / longest / bound  a           Jain  as recorded
        losses, c = 1           3 / 1 / 2  1.000            2
        <BLANKLINE>
        What each promises
          - losses, c = 1: at most so many
    """
    agents = words(data.get("agents"))
    every = objects(data.get("rows"))
    rows = [one for one in every if not one.get("skipped")]
    totals = [sum(int(_cell(one, "wins", name)) for one in rows[:1]) for name in agents]
    kept = [agents[at] for at in chosen_columns(agents, totals)]
    cells = [
        (
            str(one["rule"]),
            *(" / ".join(_cell(one, what, name) for what in ("wins", "longest", "bounds"))
              for name in kept),
            "-" if one["jain"] is None else f"{number_float(one['jain']):.3f}",
            str(one["same"]),
        )
        for one in rows
    ]  # fmt: skip
    header = (
        "wins / longest / bound", *(short(name, _NAME) for name in kept), "Jain", "as recorded",
    )  # fmt: skip
    some = f"\n({len(kept)} of {len(agents)} agents)" if len(kept) < len(agents) else ""
    left_out = data.get("left_out")
    out = [f"{one['rule']}: {one['skipped']}" for one in every if one.get("skipped")]
    if isinstance(left_out, Mapping):
        out += [f"{name}: {why}" for name, why in left_out.items()]
    return joined(
        [
            ink.bold(one_line(str(data.get("says")))),
            table(cells, header) + some if cells else "",
            listed("What each promises", [_promise(one) for one in rows if one["bound"]], ink),
            listed("Cannot be told", map(one_line, out), ink),
        ]
    )


def _cell(one: Mapping[str, Json], what: str, name: str) -> str:
    found = one.get(what)
    value = found.get(name) if isinstance(found, Mapping) else None
    return "-" if value is None else show_number(int(str(value)))


def _promise(one: Mapping[str, Json]) -> str:
    return one_line(f"{one['rule']}: {one['bound']}")
