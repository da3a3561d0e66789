"""Watch: how do the report on claims and the same claims under other rules read on a terminal?

Here: the sentence, hints, alarms that stand and that ended, shares, streaks and wins as text.
Not here: the figures (watch/), several rules side by side (whatif.py), the drawing
(watch_chart.py), files (cli/places.py).
Sources: SEMANTICS R5, K4, D3; ux research 2.3 (the answer first, then tables).
"""

from __future__ import annotations

from collections.abc import Mapping

from comity.core.canonical import Json, JsonObject
from comity.core.errors import one_line
from comity.core.exact import read_exact, to_fraction
from comity.core.show import table
from comity.core.spans import counted, length_text
from comity.render.ink import Ink
from comity.render.listing import short
from comity.render.price import joined, listed, number_text, objects, words
from comity.render.what_if import what_if_text
from comity.render.win_tables import (
    MOST_COLUMNS,
    chosen_columns,
    number_float,
    percent,
    win_rows,
)

__all__ = ["watch_text"]

MOST_ROWS = 40
MOST_SCOPES = 10
MOST_STARVED = 10
_NAME = 24


def watch_text(data: JsonObject, ink: Ink) -> str:
    """Return the report on claims as a person reads it.

    Args:
        data: what ``to_json`` of a report returned; perhaps with ``what_if``.
        ink: how it may be dressed.

    Returns:
        The sentence, the alarms, who won how often, the longest rows of losses, gains, promises.

    Example:
        >>> print(watch_text({"says": "1 conflict over gpu: no alarm.", "promise": "no"}, Ink()))
        1 conflict over gpu: no alarm.
        <BLANKLINE>
        Promised: no.
    """
    other = data.get("what_if")
    return joined(
        [
            _sentence(data, ink),
            listed("Hints", words(data.get("hints")), ink),
            listed("Who does not win", _starved(data), ink),
            *_alarms(data, ink),
            *_scopes(data, ink),
            _wins(data, ink),
            listed("Longest rows of lost claims", map(_streak, _streaks(data)), ink),
            listed("Lots", map(_tie, _told(data, "ties")), ink),
            _gains(data, ink),
            what_if_text(other, ink) if isinstance(other, Mapping) else "",
            f"Promised: {one_line(str(data.get('promise')))}.",
            listed("Who can starve", words(data.get("warnings")), ink),
            listed("Notes", words(data.get("notes")), ink),
        ]
    )


def _sentence(data: JsonObject, ink: Ink) -> str:
    said = one_line(str(data.get("says")))
    head, colon, rest = said.partition(":")
    return f"{(ink.warn if data.get('needs_person') else ink.good)(head)}{colon}{rest}"


def _told(data: JsonObject, name: str) -> list[Mapping[str, Json]]:
    """Return a list of the report; of a log without winners it has nothing to say."""
    return [] if data.get("says_who_won") is False else objects(data.get(name))


def _starved(data: JsonObject) -> list[str]:
    """Return who does not win; the sentence has told of the first already."""
    found = [one_line(str(one.get("says"))) for one in objects(data.get("starved"))]
    away = [one_line(str(one.get("says"))) for one in objects(data.get("beside"))
            if one.get("is_starved")]  # fmt: skip
    told = [f"{one}." for one in (*found, *away)]
    if len(told) < 2:
        return []
    more = len(told) - MOST_STARVED
    return told[:MOST_STARVED] + ([f"and {more} more, see --json."] if more > 0 else [])


def _alarms(data: JsonObject, ink: Ink) -> list[str]:
    """Return what a person should look at, then what is only worth a note, then what is over."""
    dress = {"critical": ink.bad, "warning": ink.warn}
    every = objects(data.get("alarms"))
    stand = [one for one in every if one.get("stands") is not False]
    severe = {(one.get("scope"), one.get("agent")) for one in stand if one.get("level") in dress}
    noted = [
        one
        for one in stand
        if one.get("level") not in dress and (one.get("scope"), one.get("agent")) not in severe
    ]
    over = [
        f"{one.get('level')}: {_alarm(one)}"
        for one in every
        if one.get("stands") is False and one.get("level") in dress
    ]
    lines = [
        f"{dress[str(one.get('level'))](str(one.get('level')))}: {_alarm(one)}"
        for one in stand
        if one.get("level") in dress
    ]
    return [
        listed("Alarms", _cut(lines), ink),
        listed("Noted", _cut(list(map(_alarm, noted))), ink),
        listed("Alarms that have ended", _cut(over), ink),
    ]


def _alarm(one: Mapping[str, Json]) -> str:
    return f"{one_line(str(one.get('says'))).rstrip('.')} ({one.get('when')})."


def _cut(lines: list[str]) -> list[str]:
    more = len(lines) - MOST_ROWS
    return lines[:MOST_ROWS] + ([f"and {more} more, see --json."] if more > 0 else [])


# --- who won ---------------------------------------------------------------------------------


_Beside = Mapping[tuple[str, str], Mapping[str, Json]]


def _beside(data: JsonObject) -> _Beside:
    """Return scope, agent -> what came of its claims beside conflicts."""
    found = objects(data.get("beside"))
    return {(str(one.get("scope")), str(one.get("agent"))): one for one in found}


def _scopes(data: JsonObject, ink: Ink) -> list[str]:
    """Return how each scope fared; of many those that a person should look at first."""
    records = _told(data, "scopes")
    beside = _beside(data)
    away: dict[object, int] = {}
    for (scope, _), one in beside.items():
        away[scope] = max(away.get(scope, 0), int(str(one.get("in_a_row") or 0)))
    standing = {
        one.get("scope")
        for one in objects(data.get("alarms"))
        if one.get("stands") is not False and one.get("level") != "info"
    }

    def worst_first(record: Mapping[str, Json]) -> tuple[bool, int, str]:
        scope = record.get("scope")
        losing = [int(str(one["current_streak"])) for one in objects(record.get("agents"))]
        return scope not in standing, -max([away.get(scope, 0), *losing]), str(scope)

    many = len(records) > MOST_SCOPES
    shown = sorted(records, key=worst_first)[:MOST_SCOPES] if many else records
    by_scope: dict[str, dict[str, Mapping[str, Json]]] = {}
    for (scope, agent), one in beside.items():
        by_scope.setdefault(scope, {})[agent] = one
    told = [_scope(one, by_scope.get(str(one.get("scope")), {}), ink) for one in shown]
    more = len(records) - len(shown)
    return [*told, f"and {more} more resources or scopes, see --json." if more else ""]


def _scope(record: Mapping[str, Json], known: Mapping[str, Mapping[str, Json]], ink: Ink) -> str:
    agents = objects(record.get("agents"))
    every = ("turned_away", "unused")
    extra = [name for name in every if any(one[name] for one in known.values())]
    shown = agents
    if len(agents) > MOST_ROWS:
        shown = sorted(agents, key=lambda one: -int(str(one["current_streak"])))[:MOST_ROWS]
    rows = [
        (
            short(str(one["agent"]), _NAME),
            one["claims"],
            one["wins"],
            percent(one["share"]),
            percent(one["fair"]),
            _interval(one.get("interval")),
            one["longest_streak"],
            one["current_streak"],
            "-" if one["bound"] is None else one["bound"],
            _since(one),
            *(known.get(str(one["agent"]), {}).get(name) or 0 for name in extra),
        )
        for one in shown
    ]
    there = {str(one["agent"]) for one in agents}
    blanks = ("-",) * 9
    rows += [
        (short(agent, _NAME), *blanks, *(one[name] or 0 for name in extra))
        for agent, one in sorted(known.items())[:MOST_ROWS] if agent not in there
    ]  # fmt: skip
    header = (
        "agent", "claims", "wins", "share", "fair", "95 %", "longest", "now", "bound", "last win",
        *(name.replace("_", " ") for name in extra),
    )  # fmt: skip
    more = len(agents) - len(shown)
    hidden = f"\n({more} more agents, with shorter rows of losses now)" if more else ""
    return f"{_scope_head(record, ink)}\n{table(rows, header)}{hidden}"


def _scope_head(record: Mapping[str, Json], ink: Ink) -> str:
    undecided = record.get("undecided")
    told = counted(int(str(record.get("conflicts"))), "conflict")
    told += f", {undecided} undecided" if undecided else ""
    jain = record.get("jain")
    if jain is not None:
        told += f", Jain index {float(to_fraction(read_exact(jain, 'report', 'jain'))):.3f}"
    return f"{ink.bold(short(str(record.get('scope'))))}: {told}"


def _interval(ends: Json) -> str:
    if not isinstance(ends, (list, tuple)) or len(ends) != 2:
        return "-"
    low, high = (float(str(one)) for one in ends)
    return f"{low:.1%} to {high:.1%}"


def _since(one: Mapping[str, Json]) -> str:
    conflicts, seconds = one.get("conflicts_since_win"), one.get("seconds_since_win")
    if conflicts is None:
        return "never"
    if conflicts == 0:
        return "the last one"
    told = f"{conflicts} ago"
    if seconds is None or (past := read_exact(seconds, "report", "seconds")) < 0:
        return told  # where clocks lie apart
    return f"{told}, {length_text(past)}"


def _wins(data: JsonObject, ink: Ink) -> str:
    wins = data.get("wins")
    if data.get("says_who_won") is False or not isinstance(wins, Mapping):
        return ""
    agents, rows = words(wins.get("agents")), win_rows(wins)
    totals = [sum(counts[at] for _, counts in rows) for at in range(len(agents))]
    kept = chosen_columns(agents, totals)
    hidden = len(rows) - MOST_ROWS
    cells = [(name, *(counts[at] for at in kept)) for name, counts in rows[-MOST_ROWS:]]
    by = str(wins.get("by") or "period")
    text = table(cells, (by, *(short(agents[at], _NAME) for at in kept)))
    notes = [f"({hidden} earlier rows)"] if hidden > 0 else []
    if len(kept) < len(agents):
        notes.append(f"(the {MOST_COLUMNS} of {len(agents)} agents with the most and fewest wins)")
    return "\n".join([ink.bold(f"Wins by {by}"), text, *notes])


def _streaks(data: JsonObject) -> list[Mapping[str, Json]]:
    return _told(data, "streaks")[:5]


def _streak(one: Mapping[str, Json]) -> str:
    first, last = (
        str(one.get(name) or "").replace("T", " ") for name in ("first_time", "last_time")
    )
    told = one_line(f"{one.get('agent')} lost {one.get('length')} on {one.get('scope')}")
    when = f", from {first} to {last}" if first != last else f", {first}" if first else ""
    if one.get("is_backwards"):  # clocks lie apart
        when = f", from conflict {one.get('first')} to {one.get('last')}"
    return told + when + ("" if one.get("is_over") else ", and has not won since")


def _tie(one: Mapping[str, Json]) -> str:
    by_place = ", ".join(words(one.get("wins")))
    p = float(str(one.get("p")))
    return f"tied sets of {one.get('size')}: {by_place} by place, p = {p:.2g}"


def _gains(data: JsonObject, ink: Ink) -> str:
    rows = [
        (
            short(str(one["agent"]), _NAME),
            len(objects(one["periods"])),
            number_text(one["claimed"]),
            number_text(one["realised"]),
            "-" if one["raw"] is None else f"{number_float(one['raw']):.2f}",
            f"{number_float(one['ratio']):.2f}",
            "gains less than half of what it claims" if one["flagged"] else "",
        )
        for one in objects(data.get("gains"))
    ]
    more = len(rows) - MOST_ROWS
    hidden = f"\n(and {more} more agents, see --json)" if more > 0 else ""
    header = ("agent", "periods", "claimed", "gained", "ratio", "its next claim counts", "")
    return (
        f"{ink.bold('Claimed against realised gain')}\n{table(rows[:MOST_ROWS], header)}{hidden}"
        if rows
        else ""
    )
