"""SVG: what are the charts drawn with?

Here: the page with its title, description and colours, texts on it, round numbers for axes.
Not here: what is drawn (charts.py).
Sources: ux research 2.5 (title and desc, no legend); WCAG 2.2 1.4.3 (contrast). Colours are CSS
variables: light and dark follow the reader's system, and nothing is fetched from elsewhere.
"""

from __future__ import annotations

from html import escape
from math import ceil, floor, log10
from zlib import crc32

from comity.core.errors import one_line
from comity.render.listing import short

__all__ = ["WIDTH", "axis_number", "document", "label", "ticks"]

WIDTH = 720
_TITLE, _SUBTITLE = 80, 100

_LIGHT = (
    "--paper:#ffffff;--ink:#1d2433;--soft:#5b6475;--line:#d9dee8;--buyer:#1f5fd0;"
    "--seller:#9a4a12;--zone:#e4f3e6;--good:#1b7a3d;--bad:#b3261e"
)
_DARK = (
    "--paper:#12161f;--ink:#e8ecf4;--soft:#a3adbf;--line:#303848;--buyer:#7fb0ff;"
    "--seller:#f0a566;--zone:#1c3324;--good:#6fd08c;--bad:#ff8a80"
)
_RULES = {
    ".paper": "fill:var(--paper)",
    "text": "font:13px system-ui,sans-serif;fill:var(--ink)",
    "text.soft": "fill:var(--soft)",
    "text.title": "font-size:15px;font-weight:600",
    "text.end": "text-anchor:end",
    "text.mid": "text-anchor:middle",
    "text.buyer": "fill:var(--buyer)",
    "text.seller": "fill:var(--seller)",
    ".grid": "stroke:var(--line)",
    ".zone": "fill:var(--zone)",
    "path.buyer": "fill:none;stroke:var(--buyer);stroke-width:2",
    "path.seller": "fill:none;stroke:var(--seller);stroke-width:2",
    "circle.buyer": "fill:var(--buyer)",
    "rect.seller": "fill:var(--seller)",
    ".deal": "fill:none;stroke:var(--ink);stroke-width:2",
    ".said": "fill:var(--soft)",
    ".put": "fill:var(--buyer)",
    ".yes": "fill:var(--good)",
    ".no": "fill:none;stroke:var(--bad);stroke-width:2.5",
    ".ask": "fill:none;stroke:var(--ink);stroke-width:2",
}
_STYLE = (
    f".comity-chart{{color-scheme:light dark;{_LIGHT}}}"
    f"@media(prefers-color-scheme:dark){{.comity-chart{{{_DARK}}}}}"
    + "".join(f".comity-chart {name}{{{rule}}}" for name, rule in _RULES.items())
)


def document(title: str, described: str, body: str, height: int) -> str:
    """Return a whole SVG document.

    Args:
        title: what is shown, in one sentence; what follows a colon becomes the second line.
        described: the same in words, for those who do not see it.
        body: the drawing.
        height: the height of the page.

    Returns:
        The document; its ids are its own, so that several can stand in one page.
    """
    shown = one_line(title)
    head, colon, rest = shown.partition(": ")
    if len(head) > _TITLE:
        head, rest = shown, ""
    own = f"{crc32(f'{shown}{body}'.encode('utf-8', 'replace')):08x}"
    return (
        f"<svg class='comity-chart' xmlns='http://www.w3.org/2000/svg' "
        f"viewBox='0 0 {WIDTH} {height}' width='{WIDTH}' height='{height}' role='img' "
        f"aria-labelledby='t{own} d{own}'><title id='t{own}'>{escape(shown)}</title>"
        f"<desc id='d{own}'>{escape(one_line(described))}</desc>"
        f"<style>{_STYLE}</style>"
        f"<rect class='paper' width='{WIDTH}' height='{height}'/>"
        f"{label(16, 28, short(head, _TITLE), 'title')}"
        f"{label(16, 48, short(rest, _SUBTITLE), 'soft') if colon and rest else ''}"
        f"{body}</svg>\n"
    )


def label(x: float, y: float, text: str, kind: str = "") -> str:
    """Return a text at a place, its classes in ``kind``."""
    return f"<text class='{kind}' x='{x:g}' y='{y:g}'>{escape(one_line(text))}</text>"


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return round numbers between two values, at most so many steps apart."""
    rough = (high - low) / most
    power = 10.0 ** floor(log10(rough))
    step = next(size * power for size in (1, 2, 5, 10) if size * power >= rough)
    first = ceil(low / step)
    return [at * step for at in range(first, floor(high / step) + 1)]


def axis_number(value: float) -> str:
    """Return a number as an axis shows it.

    Example:
        >>> axis_number(80.0), axis_number(12_500.0), axis_number(3e6)
        ('80', '12.5k', '3M')
    """
    for power, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= power:
            scale = 1e3 if letter == "k" else power
            return f"{value / scale:.5g}{letter}"
    return f"{value:.5g}"
