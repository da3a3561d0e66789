"""Tournament: how do standings read on a terminal, and what does each pair come to?

Here: the sentence, the table of strategies, the matrix of pairs as text; own SVG of the matrix.
Not here: the figures (simulate/standings.py), files (cli/places.py).
Sources: SEMANTICS M3; ux research 2.5 (direct labels, shape and colour, title and desc).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from comity.core.canonical import Json, JsonObject
from comity.core.errors import one_line
from comity.core.show import table
from comity.render.ink import Ink
from comity.render.listing import short
from comity.render.price import joined, listed, objects
from comity.render.svg import WIDTH, document, label

__all__ = ["tournament_chart", "tournament_text"]

NAME = 20
MOST_CELLS = 30
MOST_COLUMNS = 12
_LEFT, _TOP, _BOTTOM = 170, 68, 30
_STRONGEST = 0.42  # a stronger colour would hide the figure on it

_HEADER = (
    "rank", "strategy", "share", "utility", "agree %", "of feasible %", "efficient %",
    "off Nash", "off frontier", "rounds", "failed",
)  # fmt: skip


# --- text ------------------------------------------------------------------------------------


def tournament_text(data: JsonObject, ink: Ink) -> str:
    """Return a tournament as a person reads it.

    Args:
        data: what ``standings`` returned.
        ink: how it may be dressed.

    Returns:
        The sentence; per case the standings and what each pair came to; the failures.

    Example:
        >>> print(tournament_text({"negotiations": 0, "cases": []}, Ink()))
        0 negotiations, 0 agreements.
    """
    parts = [ink.bold(says(data))]
    cases = objects(data.get("cases"))
    for case in cases:
        name = str(case.get("label") or "")
        parts.append("\n".join(filter(None, [ink.bold(one_line(name)), _standings(case)])))
        parts.append(_matrix(case))
    if any(objects(case.get("standings")) for case in cases):
        parts.append(
            ink.dim(
                "share: mean gain, as a share of the most the seat could gain alone; no deal and "
                "an own failure are 0.\noff: mean distance between shares, over agreements."
            )
        )
    parts.append(listed("Failures", map(_failure, objects(data.get("failures"))), ink, mark="!"))
    return joined(parts)


def says(data: JsonObject) -> str:
    """Return a tournament in one sentence.

    Args:
        data: what ``standings`` returned.

    Example:
        >>> says({"negotiations": 4, "agreements": 3, "infeasible": 1, "cases": []})
        '4 negotiations, 3 agreements; in 1 no deal suits all.'
    """
    count, agreed = _whole(data.get("negotiations")), _whole(data.get("agreements"))
    told = f"{_many(count, 'negotiation')}, {_many(agreed, 'agreement')}"
    failed, infeasible = _whole(data.get("failed")), _whole(data.get("infeasible"))
    if failed:
        told += f", {failed} failed"
    if infeasible:
        told += f"; in {infeasible} no deal suits all"
    cases = objects(data.get("cases"))
    if len(cases) != 1:
        return f"{told}."
    best = [one for one in objects(cases[0].get("standings")) if one.get("rank") == 1]
    if not best:
        return f"{told}."
    names = " and ".join(one_line(str(one["strategy"])) for one in best)
    gains = "gain" if len(best) > 1 else "gains"
    each = " each" if len(best) > 1 else ""
    share = _number(best[0].get("mean_share"))
    return f"{told}; {names} {gains} most: {_told(share)} of the best it could{each}."


def _many(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def _whole(value: Json) -> int:
    return value if isinstance(value, int) else 0


def _number(value: Json) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None


def _told(value: Json, places: int = 3) -> str:
    number = _number(value)
    return "-" if number is None else f"{number:.{places}f}"


def _percent(value: Json) -> str:
    number = _number(value)
    return "-" if number is None else f"{100 * number:.1f}"


def _standings(case: Mapping[str, Json]) -> str:
    rows = []
    for one in objects(case.get("standings")):
        utility = _number(one.get("mean_utility"))
        rows.append(
            (
                one["rank"] if one.get("rank") is not None else "-",
                short(str(one["strategy"]), NAME),
                _told(one.get("mean_share")),
                "-" if utility is None else f"{utility:.6g}",
                _percent(one.get("agreement_rate")),
                _percent(one.get("feasible_agreement_rate")),
                _percent(one.get("efficient_rate")),
                _told(one.get("nash_distance")),
                _told(one.get("frontier_distance")),
                _told(one.get("mean_rounds"), 1),
                one.get("failed") or 0,
            )
        )
    if not rows:
        return ""
    keep = [at for at, name in enumerate(_HEADER) if name != "failed" or any(r[at] for r in rows)]
    return table([[row[at] for at in keep] for row in rows], [_HEADER[at] for at in keep])


def _order(case: Mapping[str, Json]) -> list[str]:
    return [str(one["strategy"]) for one in objects(case.get("standings"))]


def _shares(case: Mapping[str, Json]) -> dict[tuple[str, str], Mapping[str, Json]]:
    return {(str(one["strategy"]), str(one["against"])): one for one in objects(case.get("pairs"))}


def _matrix(case: Mapping[str, Json]) -> str:
    """Return what each strategy got against each other, one row per strategy."""
    names, cells = _order(case), _shares(case)
    if not cells or len(names) > MOST_COLUMNS:
        return ""
    rows = [
        [
            f"{at} {short(first, NAME)}",
            *(_told(cells.get((first, second), {}).get("mean_share")) for second in names),
        ]
        for at, first in enumerate(names, 1)
    ]
    return table(rows, ["share against", *map(str, range(1, len(names) + 1))])


def _failure(one: Mapping[str, Json]) -> str:
    who = one_line(str(one.get("strategy") or "nobody's strategy"))
    count = _whole(one.get("count"))
    first = one_line(str(one.get("first")))
    return f"{who}, {_many(count, 'time')}: {one_line(str(one.get('reason')))} (first in {first})"


# --- chart -----------------------------------------------------------------------------------


def tournament_chart(data: JsonObject) -> str:
    """Return what each strategy got against each other, a matrix per case of the sweep.

    Args:
        data: what ``standings`` returned.

    Returns:
        A whole SVG document: rows are who got it, columns against whom; figure and colour say the
        mean share.

    Example:
        >>> tournament_chart({"negotiations": 0, "cases": []})[:4]
        '<svg'
    """
    title = says(data)
    parts: list[str] = []
    described = [title]
    y = float(_TOP)
    for case in objects(data.get("cases")):
        drawn, height = _heat(case, y)
        parts.append(drawn)
        y += height
        described.append(_in_words(case))
    if not parts:
        parts.append(label(WIDTH / 2, y + 20, "nothing was played", "mid soft"))
        y += 40
    return document(title.replace("; ", ": ", 1), " ".join(described), "".join(parts), int(y))


def _in_words(case: Mapping[str, Json]) -> str:
    told = [
        f"{one['strategy']} {_told(one.get('mean_share'))}"
        for one in objects(case.get("standings"))
    ]
    named = f"{case['label']}: " if case.get("label") else ""
    return f"{named}{', '.join(told)}."


def _heat(case: Mapping[str, Json], y: float) -> tuple[str, float]:
    """Return the matrix of one case, and its height."""
    names, cells = _order(case), _shares(case)
    name = str(case.get("label") or "")
    head = f"{name}: mean share" if name else "Mean share"
    parts = [label(16, y + 16, f"{head}, of the row against the column", "title")]
    if len(names) > MOST_CELLS:
        told = f"{len(names)} strategies are too many to draw every pair."
        return parts[0] + label(16, y + 40, told, "soft"), 56
    across = WIDTH - _LEFT - 24
    wide = min(64.0, across / (len(names) + 1))
    tall = min(wide, 34.0)
    top = y + 52
    whole = {str(one["strategy"]): one for one in objects(case.get("standings"))}
    overall = _LEFT + wide * len(names) + 8
    parts.append(label(overall + wide / 2, top - 8, "all", "mid soft"))
    for row, first in enumerate(names):
        line = top + tall * row
        middle = line + tall / 2 + 4
        parts.append(label(_LEFT - 10, middle, f"{short(first, NAME)} {row + 1}", "end"))
        column = _LEFT + wide * row + wide / 2
        parts.append(label(column, top - 8, str(row + 1), "mid soft"))
        for at, second in enumerate(names):
            value = _number(cells.get((first, second), {}).get("mean_share"))
            parts.append(_cell(value, (_LEFT + wide * at, line), (wide, tall)))
        mean = _number(whole[first].get("mean_share"))
        parts.append(_cell(mean, (overall, line), (wide, tall)))
    return "".join(parts), 52 + tall * len(names) + _BOTTOM


def _cell(value: float | None, at: Sequence[float], size: Sequence[float]) -> str:
    strength = 0.0 if value is None else min(max(value, 0.0), 1.0) * _STRONGEST
    shape = (
        f"<rect class='put' fill-opacity='{strength:.3f}' x='{at[0] + 1:.1f}' "
        f"y='{at[1] + 1:.1f}' width='{size[0] - 2:.1f}' height='{size[1] - 2:.1f}'/>"
    )
    if size[0] < 28:
        return shape
    text = "-" if value is None else f"{value:.2f}"
    place = at[0] + size[0] / 2, at[1] + size[1] / 2 + 4
    return shape + label(*place, text.removeprefix("0"), "mid")
