"""Vote charts: what does a count look like?

Here: own SVG of a tally as bars, of rounds as bars that shed their weakest part, of duels as a
table with tones, and of rules side by side.
Not here: the page itself (svg.py), the same in words (vote.py), files (cli/places.py).
Sources: ux research 2.5 (direct labels, no legend, shape and colour, title and desc); WCAG 2.2
1.4.1 and 1.4.3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from comity.core.canonical import Json, JsonObject
from comity.core.errors import one_line
from comity.core.exact import read_exact
from comity.render.listing import short
from comity.render.price import number_text, objects, words
from comity.render.svg import WIDTH, document, label
from comity.render.vote import vote_sentence
from comity.render.vote_facts import DUELS, Facts, cell, facts_of, in_words
from comity.render.vote_tables import in_rounds

__all__ = ["comparison_chart", "vote_chart"]

TOP = 72
MOST_BARS, MOST_CELLS, MOST_ROUNDS = 40, 14, 30
_NAME = 22
_LETTER = 7.2
_WIDE_LETTER = 8.6  # bold letters of a wide font
_LEAST_NAME = 4

_STYLE = (
    "<style>"
    ".comity-chart .won{fill:var(--buyer)}"
    ".comity-chart .rest{fill:var(--line)}"
    ".comity-chart .edge{stroke:var(--paper);stroke-width:2}"
    ".comity-chart .flow{fill:var(--line);fill-opacity:.45}"
    ".comity-chart .flow.won{fill:var(--buyer);fill-opacity:.25}"
    ".comity-chart text.on{fill:var(--paper)}"
    ".comity-chart text.strong{font-weight:600}"
    ".comity-chart .beats{fill:var(--buyer)}"
    ".comity-chart .even{fill:none;stroke:var(--soft);stroke-dasharray:3 3}"
    ".comity-chart .cell{fill:none;stroke:var(--line)}"
    "</style>"
)


def vote_chart(data: JsonObject) -> str:
    """Return the chart that fits a vote.

    Args:
        data: what ``to_json`` of a vote returned, or `comity tally --json` wrote.

    Returns:
        A whole SVG document: rounds where there are several, duels where the rule reads them and
        they are given, else the tally as bars.

    Example:
        >>> vote_chart({"kind": "choice", "option": "A", "grounds": {"rule": "borda"}})[:4]
        '<svg'
    """
    facts = facts_of(data)
    title = _title(data)
    rounds = in_rounds(facts)
    if len(rounds) > 1:
        return _rounds_chart(facts, rounds[:MOST_ROUNDS], title)
    if facts.rule in DUELS and len(facts.duels) > 1:
        return _duels_chart(facts, title)
    return _bars_chart(facts, title)


def _title(data: JsonObject) -> str:
    """Return the sentence, parted where the chart breaks the line."""
    facts = facts_of(data)
    if len(facts.winners) > 1:
        return f"{len(facts.winners)} elected under {facts.under}: {', '.join(facts.winners)}"
    said = vote_sentence(data).rstrip(".")
    head, semicolon, rest = said.partition("; ")
    return f"{head}: {rest}" if semicolon and ": " not in head else said


def _number(value: Json) -> float:
    return float(read_exact(value, "chart", "number"))


def _rect(kind: str, x: float, y: float, width: float, height: float, hint: str = "") -> str:
    told = f"<title>{escape(one_line(hint))}</title>" if hint else ""
    return (
        f"<rect class='{kind}' x='{x:g}' y='{y:g}' width='{max(width, 0):g}' "
        f"height='{height:g}'>{told}</rect>"
    )


# --- a tally ---------------------------------------------------------------------------------


def _bars_chart(facts: Facts, title: str) -> str:
    """Draw one bar per option; the winner's is in the strong colour and its name is bold."""
    tally = facts.tally[:MOST_BARS]
    if not tally:
        nothing = label(WIDTH / 2, TOP + 30, "no votes", "mid soft")
        return document(title, "Nothing was counted.", nothing, TOP + 60)
    left = 24 + _LETTER * max(len(short(name, _NAME)) for name, _ in tally)
    values = [_number(value) for _, value in tally]
    low, high = min(0.0, *values), max(0.0, *values)
    scale = (WIDTH - left - 110) / ((high - low) or 1)
    zero = left - low * scale
    won = set(facts.winners)
    parts = [_STYLE, label(16, TOP, facts.unit, "soft")]
    for at, ((name, value), number) in enumerate(zip(tally, values, strict=True)):
        y = TOP + 14 + 30 * at
        kind, weight = ("won", "strong") if name in won else ("rest", "")
        start = min(zero, zero + number * scale)
        parts.append(_rect(kind, start, y, abs(number) * scale, 20, f"{name}: {value}"))
        parts.append(label(left - 10, y + 15, short(name, _NAME), f"end {weight}".strip()))
        end = max(zero, zero + number * scale)
        parts.append(label(end + 8, y + 15, cell(value), weight))
    told = ", ".join(f"{name} {cell(value)}" for name, value in tally)
    if len(facts.tally) > MOST_BARS:
        told += f" and {len(facts.tally) - MOST_BARS} more"
    return document(title, f"{facts.unit}: {told}.", "".join(parts), TOP + 34 + 30 * len(tally))


# --- rounds ----------------------------------------------------------------------------------


def _rounds_chart(facts: Facts, rounds: Sequence[Mapping[str, Json]], title: str) -> str:
    """Draw a bar per round, parted by option; bands join an option's parts from round to round."""
    counts = [
        {one_line(str(one.get("name"))): one.get("value") for one in objects(each.get("tally"))}
        for each in rounds
    ]
    ranked = [name for place in facts.ranking for name in place]
    order = [*ranked, *(name for name in counts[0] if name not in ranked)]
    most = max(sum(map(_number, one.values())) + _number(each.get("exhausted") or 0)
               for one, each in zip(counts, rounds, strict=True))  # fmt: skip
    left, right = 86, 24
    scale = (WIDTH - left - right) / (most or 1)
    won = set(facts.winners)
    bands: list[str] = []
    parts: list[str] = []
    told: list[str] = []
    before: dict[str, tuple[float, float]] = {}
    for at, (count, each) in enumerate(zip(counts, rounds, strict=True)):
        y = TOP + 8 + 66 * at
        parts.append(label(16, y + 20, str(each.get("name")), "soft"))
        here: dict[str, tuple[float, float]] = {}
        x = float(left)
        for name in (one for one in order if one in count):
            width = _number(count[name]) * scale
            here[name] = (x, x + width)
            kind = "won" if name in won else "rest"
            if name in before:
                bands.append(_band(kind, before[name], here[name], y))
            parts.append(_part(kind, name, count[name], (x, width), y, is_first=not at))
            x += width
        before = here
        note = _note(facts, each)
        parts.append(label(WIDTH - right, y + 46, note, "end soft"))
        listed = ", ".join(f"{name} {cell(value)}" for name, value in count.items())
        told.append(f"{each.get('name')}: {listed}; {note}." if note else f"{listed}.")
    body = "".join([_STYLE, *bands, *parts])
    return document(title, " ".join(told), body, TOP + 66 * len(rounds))


def _part(
    kind: str, name: str, value: Json, at: tuple[float, float], y: float, *, is_first: bool
) -> str:
    """Draw an option's part of a round, with as much of its label as fits."""
    x, width = at
    number = _brief(value)
    drawn = _rect(f"{kind} edge", x, y, width, 30, f"{name} {number_text(value)}")
    room = int((width - 14) / _WIDE_LETTER)
    shown = number
    if room - len(number) - 1 >= min(_LEAST_NAME, len(name)):
        shown = f"{short(name, room - len(number) - 1)} {number}"
    if is_first and len(f"{name} {number}") > room >= _LEAST_NAME:
        shown = short(name, room)  # the first bar names the parts, the others count them
    if len(shown) > room:
        return drawn
    return drawn + label(x + 8, y + 20, shown, "on strong" if kind == "won" else "")


def _brief(value: Json) -> str:
    """Return a number as it fits on a part of a bar; its hint has it in full."""
    number = _number(value)
    if len(cell(value).partition(".")[2]) < 2:
        return cell(value)
    return f"{number:.1f}" if abs(number) >= 100 else f"{number:.3g}"


def _band(kind: str, above: tuple[float, float], below: tuple[float, float], y: float) -> str:
    """Join an option's part to the one of the round before."""
    (a, b), (c, d) = above, below
    top = y - 36
    return f"<path class='flow {kind} edge' d='M{a:g} {top}H{b:g}L{d:g} {y}H{c:g}Z'/>"


def _note(facts: Facts, each: Mapping[str, Json]) -> str:
    """Return who leaves in a round, or is elected."""
    out, won = words(each.get("out")), set(facts.winners)
    stays = [name for name in out if name in won]
    leaves = [name for name in out if name not in won and each is not facts.rounds[-1]]
    verb = "elected" if facts.data.get("elected") else "wins"
    parts = [f"{in_words(stays)} {verb}"] if stays else []
    if leaves:
        parts.append(f"{in_words(leaves)} {'leaves' if len(leaves) == 1 else 'leave'}")
    exhausted = each.get("exhausted") or 0
    if exhausted != 0:
        parts.append(f"{cell(exhausted)} exhausted")
    return short("; ".join(parts), 86)


# --- duels -----------------------------------------------------------------------------------


def _duels_chart(facts: Facts, title: str) -> str:
    """Draw the votes of each row over each column; wins are filled, ties dashed, losses empty."""
    duels = facts.duels
    order = [name for name, _ in facts.tally if name in duels]
    names = (order if len(order) == len(duels) else list(duels))[:MOST_CELLS]
    left = 40 + _LETTER * max(len(short(name, _NAME)) for name in names)
    wide = min(88.0, (WIDTH - left - 20) / len(names))
    high = 34
    parts = [_STYLE, label(left, TOP + 2, "votes of the row over the column", "soft")]
    for at, name in enumerate(names):
        x, y = left + wide * at, TOP + 30 + high * at
        weight = " strong" if name in facts.winners else ""
        parts.append(label(x + wide / 2, TOP + 22, str(at + 1), "mid soft"))
        parts.append(label(left - 10, y + 22, f"{at + 1} {short(name, _NAME)}", f"end{weight}"))
        for to, other in enumerate(names):
            if other in duels[name] and name in duels.get(other, {}):
                pair = (duels[name][other], duels[other][name])
                hint = f"{name} {number_text(pair[0])}, {other} {number_text(pair[1])}"
                parts.append(_cell(pair, (left + wide * to, y), (wide, high), hint))
    told = [
        f"{name} beats {in_words(beaten)}."
        for name in names
        if (beaten := [other for other in names if _lead(duels, name, other) > 0])
    ]
    height = TOP + 44 + high * len(names)
    if len(duels) > MOST_CELLS:
        more = f"the first {MOST_CELLS} of {len(duels)} options"
        parts.append(label(left, height - 2, more, "soft"))
        height += 14
    return document(title, " ".join(told) or "All duels are even.", "".join(parts), height)


def _lead(duels: Mapping[str, Mapping[str, Json]], name: str, other: str) -> float:
    mine, theirs = duels[name].get(other), duels.get(other, {}).get(name)
    return 0.0 if mine is None or theirs is None else _number(mine) - _number(theirs)


def _cell(
    pair: tuple[Json, Json], at: tuple[float, float], size: tuple[float, float], hint: str
) -> str:
    """Draw one duel: the darker, the larger the share of the row."""
    mine, theirs = map(_number, pair)
    x, y = at
    wide, high = size
    inner = (x + 2, y + 2, wide - 4, high - 4)
    drawn = _rect("cell", *inner, hint)
    if mine > theirs:
        share = mine / (mine + theirs)
        drawn += (
            f"<rect class='beats' x='{inner[0]:g}' y='{inner[1]:g}' width='{inner[2]:g}' "
            f"height='{inner[3]:g}' fill-opacity='{0.12 + 0.5 * (share - 0.5):.2f}'/>"
        )
    elif mine == theirs:
        drawn += _rect("even", *inner)
    weight = "mid strong" if mine > theirs else "mid soft"
    return drawn + label(x + wide / 2, y + 22, cell(pair[0]), weight)


# --- rules side by side ----------------------------------------------------------------------


def comparison_chart(data: JsonObject) -> str:
    """Return which rule elects whom: a full dot for a winner, rings for those who tie.

    Args:
        data: what `comity compare --json` wrote.

    Returns:
        A whole SVG document.

    Example:
        >>> said = [{"rule": "irv", "winner": "A", "tied": []}]
        >>> comparison_chart({"says": "All agree: A.", "said": said}).count("class='won'")
        1
    """
    title = _compared(data)
    said = [one for one in objects(data.get("said")) if not one.get("why_not")]
    named = [name for one in said for name in (*_winner(one), *words(one.get("tied")))]
    names = sorted(set(named), key=lambda name: (-named.count(name), name))[:MOST_CELLS]
    if not names:
        nothing = label(WIDTH / 2, TOP + 30, "no rule decides", "mid soft")
        return document(title, "No rule decides.", nothing, TOP + 60)
    left = 130
    wide = min(120.0, (WIDTH - left - 20) / len(names))
    parts = [_STYLE]
    for at, name in enumerate(names):
        shown = short(name, max(3, int(wide / _LETTER) - 1))
        parts.append(label(left + wide * (at + 0.5), TOP + 12, shown, "mid"))
    told = []
    for row, one in enumerate(said):
        y = TOP + 36 + 26 * row
        parts.append(f"<path class='grid' d='M{left} {y}H{left + wide * len(names):g}'/>")
        parts.append(label(left - 12, y + 4, str(one.get("rule")).replace("_", " "), "end"))
        won, tied = _winner(one), words(one.get("tied"))
        for at, name in enumerate(names):
            x = left + wide * (at + 0.5)
            if name in won:
                parts.append(f"<circle class='won' cx='{x:g}' cy='{y}' r='7'/>")
            elif name in tied:
                parts.append(f"<circle class='ask' cx='{x:g}' cy='{y}' r='6'/>")
        says = won[0] if won else f"nobody ({in_words(tied)} tie)"
        told.append(f"{one.get('rule')}: {says}.")
    return document(title, " ".join(told), "".join(parts), TOP + 36 + 26 * len(said))


def _compared(data: JsonObject) -> str:
    """Return the sentence, short enough for a title."""
    winners = data.get("winners")
    if data.get("agree") or not isinstance(winners, Mapping) or not winners:
        return str(data.get("says"))
    counts = {one_line(name): len(words(rules)) for name, rules in winners.items()}
    parts = [f"{name} under {counts[name]} {'rule' if counts[name] == 1 else 'rules'}"
             for name in sorted(counts, key=lambda name: (-counts[name], name))]  # fmt: skip
    return f"The rules disagree: {', '.join(parts)}"


def _winner(one: Mapping[str, Json]) -> list[str]:
    return [] if one.get("winner") is None else words([one["winner"]])
