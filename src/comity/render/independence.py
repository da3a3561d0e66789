"""Independence: how does the report on a panel read on a terminal, and what does it look like?

Here: sentences and tables as text; own SVG of how many the panel counts as, the accuracies with
their intervals, and the correlation of errors of each pair.
Not here: the figures (mechanisms/voting/independence), files (cli/places.py).
Sources: SEMANTICS V9; ux research 2.5 (direct labels, shape and colour, title and desc).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from comity.core.canonical import Json, JsonObject
from comity.core.errors import one_line
from comity.core.show import table
from comity.render.ink import Ink
from comity.render.listing import short
from comity.render.price import joined, listed, objects, words
from comity.render.svg import document, label, ticks

__all__ = ["independence_chart", "independence_text"]

PAIRS_SHOWN = 10
MOST_CELLS = 24
NAME = 26
_LEFT, _RIGHT = 210, 690
_ROW = 26
_STRONGEST = 0.42  # a stronger colour would hide the figure on it


# --- text ------------------------------------------------------------------------------------


def independence_text(data: JsonObject, ink: Ink) -> str:
    """Return an independence report as a person reads it.

    Args:
        data: what ``to_json`` of a report returned.
        ink: how it may be dressed.

    Returns:
        The headline, what follows from the log, its voters, its pairs, the warnings.

    Example:
        >>> print(independence_text({"headline": "3 voters, counting as 1.3"}, Ink()))
        3 voters, counting as 1.3.
    """
    known = _object(data.get("with_truth"))
    alone = _object(data.get("without_truth"))
    return joined(
        [
            ink.bold(f"{one_line(str(data.get('headline')))}."),
            "\n".join(words(data.get("says"))),
            _voters(known),
            _pairs(known, alone),
            listed("Warnings", words(data.get("warnings")), ink, mark="!"),
        ]
    )


def _object(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, Mapping) else {}


def _number(value: Json) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None


def _told(value: Json, places: int = 3) -> str:
    number = _number(value)
    return "-" if number is None else f"{number:.{places}f}"


def _voters(known: Mapping[str, Json]) -> str:
    left = {str(one["voter"]): one for one in objects(known.get("left_out"))}
    rows = []
    for one in objects(known.get("voters")):
        name = str(one["voter"])
        rest = left.get(name, {})
        rows.append(
            (
                short(name, NAME),
                _told(one["accuracy"]),
                f"{_told(one['low'])} to {_told(one['high'])}",
                _told(one["youden"], 2),
                _told(rest.get("rho")),
                _told(rest.get("counting_as"), 1),
                "constant" if one["is_constant"] else "",
            )
        )
    header = ("voter", "right", "95 %", "J", "rho without", "count without", "")
    return table(rows, header) if rows else ""


def _pairs(known: Mapping[str, Json], alone: Mapping[str, Json]) -> str:
    kappa = {(one["first"], one["second"]): one["kappa"] for one in objects(alone.get("kappas"))}
    of_errors = {(one["first"], one["second"]): one for one in objects(known.get("pairs"))}
    rows = [
        (
            -(_number(of_errors.get(pair, {}).get("phi")) or 0.0),
            -(_number(agreed) or 0.0),
            short(f"{pair[0]} and {pair[1]}", 2 * NAME),
            str(of_errors.get(pair, {}).get("both_wrong", "-")),
            _told(of_errors.get(pair, {}).get("phi")),
            _told(agreed),
        )
        for pair, agreed in kappa.items()
    ]
    if not rows:
        return ""
    shown = [row[2:] for row in sorted(rows)[:PAIRS_SHOWN]]
    text = table(shown, ("pair", "both wrong", "phi", "kappa"))
    more = len(rows) - PAIRS_SHOWN
    return f"{text}\n({more} more pairs)" if more > 0 else text


# --- charts ----------------------------------------------------------------------------------


def independence_chart(data: JsonObject) -> str:
    """Return what an independence report looks like.

    Args:
        data: what ``to_json`` of a report returned.

    Returns:
        A whole SVG document: as how many the panel counts, each accuracy with its interval, and
        the correlation of errors of each pair; without truth the kappa of each pair.

    Example:
        >>> independence_chart({"headline": "3 voters, counting as 1.3"})[:4]
        '<svg'
    """
    known = _object(data.get("with_truth"))
    alone = _object(data.get("without_truth"))
    parts: list[str] = []
    y = 76.0
    for draw in (_counting, _accuracies):
        drawn, height = draw(known, y)
        parts.append(drawn)
        y += height
    names = [str(one) for one in words(data.get("voters"))]
    cells = {
        (str(one["first"]), str(one["second"])): _number(one["phi" if known else "kappa"])
        for one in objects((known or alone).get("pairs" if known else "kappas"))
    }
    title = "Correlation of errors" if known else "Agreement beyond chance (kappa)"
    drawn, height = _heat(names, cells, title, y)
    parts.append(drawn)
    headline = str(data.get("headline")).replace("; ", ": ", 1)
    described = " ".join([f"{data.get('headline')}.", *words(data.get("says"))])
    return document(headline, described, "".join(parts), int(y + height + 16))


def _counting(known: Mapping[str, Json], y: float) -> tuple[str, float]:
    """Return the bar of how many the panel counts as, and its height."""
    panel = _object(known.get("panel"))
    count, counting = _number(panel.get("voters")), _number(panel.get("counting_as"))
    if not count or counting is None:
        return "", 0
    wide = (_RIGHT - _LEFT) / count
    parts = [label(16, y + 21, "counts as", "soft")]
    parts += [
        f"<rect class='grid' fill='none' x='{_LEFT + at * wide:g}' y='{y:g}' "
        f"width='{wide:.1f}' height='30'/>"
        for at in range(int(count) if count <= 60 else 1)
    ]
    parts.append(
        f"<rect class='put' fill-opacity='{_STRONGEST}' x='{_LEFT}' y='{y:g}' "
        f"width='{counting * wide:.1f}' height='30'/>"
    )
    ends = _object(known.get("intervals")).get("n_eff")
    if isinstance(ends, (list, tuple)):
        low, high = (min(max(_number(one) or 0.0, 0.0), count) * wide + _LEFT for one in ends)
        parts.append(_whisker(low, high, y + 15, "deal"))
    parts.append(label(_LEFT + 8, y + 48, f"{counting:.1f} of {count:g} voters", ""))
    return "".join(parts), 68


def _whisker(low: float, high: float, y: float, kind: str) -> str:
    ends = f"M{low:.1f} {y - 5:g}v10M{high:.1f} {y - 5:g}v10"
    return f"<path class='{kind}' d='M{low:.1f} {y:g}H{high:.1f}{ends}'/>"


def _accuracies(known: Mapping[str, Json], y: float) -> tuple[str, float]:
    """Return the accuracies with their intervals, and the height of all."""
    voters = [one for one in objects(known.get("voters")) if one.get("accuracy") is not None]
    if not voters:
        return "", 0
    won = _object(known.get("majority"))
    marks = [
        ("majority", _number(won.get("observed")), ""),
        ("if independent", _number(won.get("independent")), " stroke-dasharray='4 4'"),
    ]
    seen = [value for _, value, _ in marks if value is not None]
    low = min([*(_number(one["low"]) or 0.0 for one in voters), *seen])
    low = max(0.0, low - 0.05)

    def x(share: float) -> float:
        return round(_LEFT + (_RIGHT - _LEFT) * (share - low) / (1.0 - low), 1)

    top, bottom = y + 56, y + 56 + _ROW * len(voters)
    parts = [label(16, y + 16, "Right answers, with 95 % intervals", "title")]
    for share in ticks(low, 1.0):
        parts.append(f"<path class='grid' d='M{x(share)} {top:g}V{bottom:g}'/>")
        parts.append(label(x(share), bottom + 18, f"{share:.0%}", "mid soft"))
    for row, one in enumerate(voters):
        at = top + _ROW * row + _ROW / 2
        kind = "seller" if one["is_constant"] else "buyer"
        parts.append(label(_LEFT - 10, at + 4, short(str(one["voter"]), NAME), f"end {kind}"))
        ends = x(_number(one["low"]) or 0.0), x(_number(one["high"]) or 0.0)
        parts.append(_whisker(*ends, at, kind))
        middle = x(_number(one["accuracy"]) or 0.0)
        if kind == "buyer":
            parts.append(f"<circle class='buyer' cx='{middle}' cy='{at:g}' r='4'/>")
        else:
            parts.append(
                f"<rect class='seller' x='{middle - 4:g}' y='{at - 4:g}' width='8' height='8'/>"
            )
            parts.append(label(ends[1] + 8, at + 4, "constant", "seller"))
    parts.extend(_uprights(marks, x, top, bottom))
    return "".join(parts), bottom + 36 - y


def _uprights(
    marks: Sequence[tuple[str, float | None, str]],
    x: Callable[[float], float],
    top: float,
    bottom: float,
) -> list[str]:
    """Return the upright lines of the majority, each label in a line of its own."""
    found = [(share, word, dash) for word, share, dash in marks if share is not None]
    to_left = all(x(share) > (_LEFT + _RIGHT) / 2 for share, _, _ in found)
    parts = []
    for at, (share, word, dash) in enumerate(sorted(found, reverse=to_left)):
        place, high = x(share), top - 20 + 14 * at
        parts.append(f"<path class='deal'{dash} d='M{place} {high - 8:g}V{bottom:g}'/>")
        text = f"{word} {share:.1%}"
        parts.append(label(place + (-5 if to_left else 5), high, text, "end" if to_left else ""))
    return parts


def _heat(
    names: Sequence[str], cells: Mapping[tuple[str, str], float | None], title: str, y: float
) -> tuple[str, float]:
    """Return the matrix of pairs, and its height."""
    if len(names) < 2:
        return "", 0
    head = label(16, y + 16, title, "title")
    if len(names) > MOST_CELLS:
        told = f"{len(names)} voters are too many to draw every pair."
        return head + label(16, y + 40, told, "soft"), 48
    size = min(44.0, (_RIGHT - _LEFT) / len(names))
    top = y + 48
    parts = [head]
    for at, name in enumerate(names):
        middle = top + size * at + size / 2 + 4
        parts.append(label(_LEFT - 10, middle, f"{short(name, NAME - 3)} {at + 1}", "end"))
        parts.append(label(_LEFT + size * at + size / 2, top - 8, str(at + 1), "mid soft"))
    for i, first in enumerate(names):
        for j, second in enumerate(names):
            if i != j:
                value = cells.get((first, second), cells.get((second, first)))
                parts.append(_cell(value, _LEFT + size * j, top + size * i, size))
    return "".join(parts), 48 + size * len(names) + 8


def _cell(value: float | None, x: float, y: float, size: float) -> str:
    kind = "seller" if value is not None and value < 0 else "put"
    strength = 0.0 if value is None else min(abs(value), 1.0) * _STRONGEST
    shape = (
        f"<rect class='{kind}' fill-opacity='{strength:.3f}' x='{x + 1:.1f}' y='{y + 1:.1f}' "
        f"width='{size - 2:.1f}' height='{size - 2:.1f}'/>"
    )
    if size < 30:
        return shape
    text = "none" if value is None else f"{value:.2f}".replace("0.", ".")
    return shape + label(x + size / 2, y + size / 2 + 4, text, "mid")
