"""Issue charts: where do the deals lie, and which of them are worth making?

Here: the drawing that fits the number of parties, its title.
Not here: the drawings (issue_plane.py, issue_parallel.py), the same in words (issues.py).
Sources: ux research 2.5 (title and desc).
"""

from __future__ import annotations

from comity.core.canonical import Json, JsonObject
from comity.core.errors import Fault, InvalidInput
from comity.render.issue_marks import HEIGHT, STYLE, described, rows_of
from comity.render.issue_parallel import Parallel
from comity.render.issue_plane import Plane
from comity.render.listing import short
from comity.render.price import words
from comity.render.svg import document

__all__ = ["MOST_PARTIES", "space_chart"]

MOST_PARTIES = 8


def space_chart(data: JsonObject, space: JsonObject) -> str:
    """Return the outcome space as a drawing.

    Args:
        data: what `comity frontier --json` or `comity bargain --json` wrote.
        space: what `formats.overview.outcome_space` returned.

    Returns:
        A whole SVG document: the plane for two parties, parallel coordinates for more.

    Raises:
        InvalidInput: for more than `MOST_PARTIES` parties.

    Example:
        >>> space = {"parties": ["a", "b"], "frontier": [[1.0, 0.0], [0.0, 1.0]], "deals": 2}
        >>> space_chart({"says": "A deal."}, space)[:4]
        '<svg'
    """
    names = words(space.get("parties"))
    if len(names) > MOST_PARTIES:
        raise InvalidInput(
            Fault(
                "--svg",
                f"would have to draw {len(names)} parties side by side",
                f"at most {MOST_PARTIES} parties",
                "leave out --svg, and read the points from --json",
            )
        )
    chart = Plane(space, names) if len(names) == 2 else Parallel(space, names)
    return document(
        _title(data, space), described(space, names), f"{STYLE}{chart.drawn()}", HEIGHT
    )


def _title(data: JsonObject, space: JsonObject) -> str:
    """Return the title; what follows the colon becomes the second line."""
    if data.get("kind") != "frontier":
        return str(data.get("says"))
    points, suits = len(rows_of(space.get("frontier"))), len(rows_of(space.get("acceptable")))
    asked = short(str(data.get("title") or "Frontier").replace(": ", " - "), 78)
    among = "of them" if data.get("acceptable_on_frontier", True) else "undominated ones"
    of = f"{_grouped(space.get('deals'))} deals, {points} points on the frontier"
    return f"{asked}: {of}, {suits} {among} acceptable to all"


def _grouped(number: Json) -> str:
    """Return a count as people read it, a very large one by its first digits."""
    digits = str(number)
    return f"{number:,}" if len(digits) <= 12 else f"{digits[0]}.{digits[1]}e{len(digits) - 1}"
