"""Show: any result as plain text or HTML, without knowing its mechanism.

Here: a generic reading of a result's JSON: headline, fields, tables.
Not here: colours, charts and pages (render/), what a mechanism adds for people (its own words
arrive as the field ``says``).
Sources: ARCHITECTURE contract 4; SEMANTICS G1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from comity.core.canonical import Json, JsonObject
from comity.core.errors import one_line

__all__ = ["as_html", "as_text", "table"]

_HEAD = ("v", "kind", "form", "grounds", "says")


def table(rows: Sequence[Sequence[object]], header: Sequence[str]) -> str:
    """Return rows as an aligned plain-text table.

    Args:
        rows: each as long as the header.
        header: the column titles.

    Returns:
        One line per row, columns two spaces apart, numbers aligned right; what is not printable
        in a cell is written as an escape.

    Example:
        >>> print(table([(4, "80"), (10, "7")], ("round", "offer")))
        round  offer
            4     80
           10      7
    """
    texts = [[one_line(str(cell)) for cell in row] for row in rows]
    widths = [max(len(line[at]) for line in [list(header), *texts]) for at in range(len(header))]
    right = [
        bool(texts) and all(_is_number(line[at]) for line in texts) for at in range(len(header))
    ]
    lines = []
    for line in [list(header), *texts]:
        cells = [
            cell.rjust(width) if numeric else cell.ljust(width)
            for cell, width, numeric in zip(line, widths, right, strict=True)
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def _is_number(text: str) -> bool:
    return text.replace("/", "").replace(".", "").replace("-", "").isdigit() or text in {"", "-"}


def as_text(data: JsonObject) -> str:
    """Return a result's JSON as a person reads it.

    Args:
        data: what ``to_json`` of a result returned.

    Returns:
        The headline, one line per field that says something, and the grounds. Text of the parties
        stays on its line: what is not printable is written as an escape.

    Example:
        >>> terms = [["price", 80], ["delivery", "fast"]]
        >>> print(as_text({"kind": "agreement", "terms": terms, "grounds": {"rule": "mediated"}}))
        agreement
          terms: price 80; delivery fast
          rule: mediated
    """
    headline, rows = _reading(data)
    return "\n".join([headline, *(f"  {name}: {value}" for name, value in rows)])


def as_html(data: JsonObject) -> str:
    """Return a result's JSON as a small HTML table for notebooks.

    Args:
        data: what ``to_json`` of a result returned.

    Returns:
        A ``<table>`` without scripts or styles from elsewhere; every text is escaped.

    Example:
        >>> as_html({"kind": "choice", "option": "<b>"}).count("&lt;b&gt;")
        1
    """
    headline, rows = _reading(data)
    cells = "".join(
        f"<tr><th align='left'>{escape(name)}</th><td>{escape(value)}</td></tr>"
        for name, value in rows
    )
    return f"<table><caption>{escape(headline)}</caption>{cells}</table>"


def _reading(data: JsonObject) -> tuple[str, list[tuple[str, str]]]:
    says = data.get("says")
    if says:
        headline = "\n".join(one_line(line) for line in str(says).split("\n"))
    else:
        headline = one_line(str(data.get("kind", "")).replace("_", " "))
    grounds = data.get("grounds")
    fields = [(name, item) for name, item in data.items() if name not in _HEAD]
    if isinstance(grounds, Mapping):
        fields.extend(grounds.items())
    rows = [
        (one_line(name.replace("_", " ")), one_line(_short(item, "; ")))
        for name, item in fields
        if item not in (None, "", [], {}, ())
    ]
    return headline, rows


def _short(value: Json, joint: str) -> str:
    if isinstance(value, Mapping):
        if list(value) == ["text"]:
            return _short(value["text"], ", ")
        return ", ".join(f"{key} {_short(item, ' and ')}" for key, item in value.items())
    if isinstance(value, (list, tuple)):
        inner = " " if joint == "; " else ", "
        return joint.join(_short(item, inner) for item in value)
    return "-" if value is None else str(value)
