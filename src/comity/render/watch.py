"""Watch: how do the report on claims and the same claims under other rules read on a terminal?

Here: the sentence, alarms, shares, streaks and wins as text; tables of several rules side by side.
Not here: the figures (watch/), the drawing (watch_chart.py), files (cli/places.py).
Sources: SEMANTICS R5, R6, K4, D3; ux research 2.3 (the answer first, then tables).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from comity.core.canonical import Json, JsonObject
from comity.core.errors import one_line
from comity.core.exact import read_exact, show_number, to_fraction
from comity.core.show import table
from comity.render.ink import Ink
from comity.render.listing import short
from comity.render.price import joined, listed, number_text, objects, words

__all__ = ["MOST_COLUMNS", "chosen_columns", "percent", "watch_text", "what_if_text", "win_rows"]

MOST_COLUMNS = 8
MOST_ROWS = 40
_NAME = 24
_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))


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
            *_alarms(data, ink),
            *(_scope(one, ink) for one in _told(data, "scopes")),
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


def _alarms(data: JsonObject, ink: Ink) -> list[str]:
    """Return what a person should look at, then what is only worth a note."""
    dress = {"critical": ink.bad, "warning": ink.warn}
    lines: dict[bool, list[str]] = {True: [], False: []}
    for one in objects(data.get("alarms")):
        level = str(one.get("level"))
        told = f"{one_line(str(one.get('says'))).rstrip('.')} ({_moment(one)})."
        lines[level in dress].append(f"{dress[level](level)}: {told}" if level in dress else told)
    return [listed("Alarms", lines[True], ink), listed("Noted", lines[False], ink)]


def _moment(one: Mapping[str, Json]) -> str:
    told = f"conflict {one.get('at_conflict')}"
    time = one.get("time")
    return told if time is None else f"{told}, {str(time).replace('T', ' ')}"


# --- who won ---------------------------------------------------------------------------------


def _scope(record: Mapping[str, Json], ink: Ink) -> str:
    agents = objects(record.get("agents"))
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
        )
        for one in shown
    ]
    header = (
        "agent", "claims", "wins", "share", "fair", "95 %", "longest", "now", "bound", "last win",
    )  # fmt: skip
    more = len(agents) - len(shown)
    hidden = f"\n({more} more agents, with shorter rows of losses now)" if more else ""
    return f"{_scope_head(record, ink)}\n{table(rows, header)}{hidden}"


def _scope_head(record: Mapping[str, Json], ink: Ink) -> str:
    undecided = record.get("undecided")
    told = f"{record.get('conflicts')} conflicts"
    told += f", {undecided} undecided" if undecided else ""
    jain = record.get("jain")
    if jain is not None:
        told += f", Jain index {float(to_fraction(read_exact(jain, 'report', 'jain'))):.3f}"
    return f"{ink.bold(short(str(record.get('scope'))))}: {told}"


def percent(share: Json) -> str:
    """Return a share as percent.

    Example:
        >>> percent("1/3"), percent(1)
        ('33.3%', '100.0%')
    """
    return f"{float(to_fraction(read_exact(share, 'report', 'share'))):.1%}"


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
    return told if seconds is None else f"{told}, {_length(seconds)}"


def _length(seconds: Json) -> str:
    """Return a length of time in its two largest units."""
    left = int(to_fraction(read_exact(seconds, "report", "seconds")))
    parts: list[str] = []
    for size, name in _UNITS:
        many, left = divmod(left, size)
        if many or (parts and len(parts) < 2):
            parts.append(f"{many} {name}")
        if len(parts) == 2:
            break
    return " ".join(parts) or "0 s"


def chosen_columns(agents: Sequence[str], wins: Sequence[int]) -> list[int]:
    """Return which agents get a column: all, or those with the most and the fewest wins.

    Args:
        agents: their names.
        wins: how often each won.

    Returns:
        Places in the list, in order.

    Example:
        >>> chosen_columns("abc", [1, 2, 3]), chosen_columns("abcdefghij", [0, *range(9)])
        ([0, 1, 2], [0, 1, 2, 3, 6, 7, 8, 9])
    """
    places = range(len(agents))
    if len(places) <= MOST_COLUMNS:
        return list(places)
    half = MOST_COLUMNS // 2
    ranked = sorted(places, key=lambda at: (wins[at], agents[at]))
    return sorted({*ranked[:half], *ranked[-half:]})


def win_rows(wins: JsonObject) -> list[tuple[str, list[int]]]:
    """Return the rows of a win table.

    Args:
        wins: the table, as JSON.

    Returns:
        Each period with the wins of every agent.

    Example:
        >>> win_rows({"by": "day", "agents": ["a"], "rows": [["1970-01-01", [3]]]})
        [('1970-01-01', [3])]
    """
    rows = wins.get("rows")
    found = []
    for row in rows if isinstance(rows, (list, tuple)) else ():
        assert isinstance(row, (list, tuple))  # a period and its counts
        counts = row[1]
        assert isinstance(counts, (list, tuple))
        found.append((str(row[0]), [int(str(one)) for one in counts]))
    return found


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
    when = f", from {first} to {last}" if first else ""
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
            "-" if one["raw"] is None else f"{_float(one['raw']):.2f}",
            f"{_float(one['ratio']):.2f}",
            "gains less than half of what it claims" if one["flagged"] else "",
        )
        for one in objects(data.get("gains"))
    ]
    header = ("agent", "periods", "claimed", "gained", "ratio", "its next claim counts", "")
    return f"{ink.bold('Claimed against realised gain')}\n{table(rows, header)}" if rows else ""


def _float(value: Json) -> float:
    return float(to_fraction(read_exact(value, "report", "number")))


# --- other rules -----------------------------------------------------------------------------


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
            "-" if one["jain"] is None else f"{_float(one['jain']):.3f}",
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
