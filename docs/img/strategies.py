"""Strategies: what does each of them offer, round by round, to an opponent that concedes evenly?

Here: the drawings of docs/reference/strategies/, from real runs on examples/rollout.toml: ops
plays the strategy, product plays `linear`, 100 rounds, seed 1, ops opens.
Not here: drawings of one negotiation (`comity bargain SCENARIO --svg`) or of many (`comity
tournament --svg`).
Sources: SEMANTICS M3. `python docs/img/strategies.py` writes them anew, into another folder when
one is named; tests/test_strategy_plots.py holds that they are what the code draws.
"""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "src"))

import comity
from comity.formats.issues import read_problem
from comity.render.svg import WIDTH, axis_number, document, label, ticks

SCENARIO = Path(__file__).resolve().parent.parent.parent / "examples" / "rollout.toml"
ROUNDS = 100
SEED = "1"
OWN, OTHER, OPPONENT = "ops", "product", "linear"
VARIANTS: dict[str, tuple[tuple[str, int, int, str], ...]] = {
    "boulware": (("0.05", -34, -8, "end"), ("0.5", 6, 5, "")),
    "comity": (),
    "conceder": (("2", -30, -16, "end"), ("20", -6, -6, "end")),
    "hardliner": (),
    "linear": (),
    "micro": (),
    "nice_tit_for_tat": (),
    "tit_for_tat": (),
}
"""Page -> the parameters drawn beside the default, and where the name stands at the line's end."""

HEIGHT = 340
LEFT, RIGHT, TOP, BOTTOM = 56, 190, 68, 44
_STYLE = (
    "<style>.comity-chart .other{fill:none;stroke:var(--soft);stroke-width:1.2}"
    ".comity-chart .limit{fill:none;stroke:var(--good);stroke-dasharray:5 4}</style>"
)

Steps = list[tuple[int, Fraction]]


def played(problem: Any, strategy: str) -> Any:  # noqa: ANN401  # an agreement or a no-deal
    """Return what comes of a strategy against the opponent."""
    strategies = {OWN: strategy, OTHER: OPPONENT}
    return comity.negotiate_issues(problem, strategies, rounds=ROUNDS, seed=SEED, first=OWN)


def worths(problem: Any, result: Any, by: str) -> Steps:  # noqa: ANN401  # the same
    """Return round by round what an offer of a party is worth to the strategy's own party."""
    own = problem.party(OWN).preferences
    return [(one.round, own.of(dict(one.deal))) for one in result.offers if one.party == by]


def x(at: float) -> float:
    """Return the place of a round."""
    return round(LEFT + (WIDTH - LEFT - RIGHT) * at / (ROUNDS - 1), 1)


def y(worth: Fraction | float) -> float:
    """Return the place of a worth from 0 to 1."""
    return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * float(worth), 1)


def line(steps: Steps, kind: str) -> str:
    """Return a line of steps: an offer stands until the next one."""
    d = f"M{x(steps[0][0])} {y(steps[0][1])}"
    for at, worth in steps[1:]:
        d += f"H{x(at)}V{y(worth)}"
    return f"<path class='{kind}' d='{d}'/>"


def chart(name: str) -> str:
    """Return the drawing of a strategy as a whole SVG document."""
    problem: Any = read_problem(SCENARIO).problem
    result = played(problem, name)
    limit = problem.party(OWN).preferences.reservation
    parts = [_STYLE, *_grid(), f"<path class='limit' d='M{LEFT} {y(limit)}H{WIDTH - RIGHT}'/>"]
    notes = [(y(limit), f"reservation of {OWN}", "soft")]
    marks = []
    for parameter, right, down, kind in VARIANTS[name]:
        steps = worths(problem, played(problem, f"{name}:{parameter}"), OWN)
        parts.append(line(steps, "other"))
        place = x(steps[-1][0]) + right, y(steps[-1][1]) + down
        marks.append(label(*place, f"e = {parameter}", f"soft {kind}"))
    own, other = (worths(problem, result, by) for by in (OWN, OTHER))
    parts += [line(other, "seller"), line(own, "buyer")]
    notes.append((y(own[-1][1]) - 2, f"{OWN} offers ({name})", "buyer"))
    notes.append((y(other[-1][1]) + 2, f"{OTHER} offers ({OPPONENT})", "seller"))
    told = "no deal"
    if result.kind == "agreement":
        worth = Fraction({one.name: one.value for one in result.utilities}[OWN])
        parts.append(f"<circle class='deal' cx='{x(result.round)}' cy='{y(worth)}' r='8'/>")
        told = f"deal in round {result.round}, worth {float(worth):.4g} to {OWN}"
        marks.append(label(x(result.round) + 14, y(worth) + 5, "deal"))
    parts += [*marks, *_apart(notes)]
    title = f"{name} against {OPPONENT}: what each offer is worth to {OWN}; {told}"
    described = (
        f"{OWN} goes from {float(own[0][1]):.4g} to {float(own[-1][1]):.4g}. "
        f"The offers of {OTHER} go from {float(other[0][1]):.4g} to "
        f"{float(other[-1][1]):.4g} for {OWN}. The reservation is "
        f"{float(limit):.4g}. {told[0].upper()}{told[1:]}."
    )
    return document(title, described, "".join(parts), HEIGHT)


def _grid() -> list[str]:
    parts = []
    for worth in ticks(0, 1, 5):
        parts.append(f"<path class='grid' d='M{LEFT} {y(worth)}H{WIDTH - RIGHT}'/>")
        parts.append(label(LEFT - 8, y(worth) + 4, axis_number(worth), "end soft"))
    for at in ticks(0, ROUNDS - 1, 10):
        parts.append(label(x(at), HEIGHT - BOTTOM + 20, str(int(at)), "mid soft"))
    parts.append(label(WIDTH - RIGHT + 16, HEIGHT - BOTTOM + 20, "round", "soft"))
    return parts


def _apart(notes: list[tuple[float, str, str]]) -> list[str]:
    """Return labels at the right edge, moved apart where they would lie on each other."""
    parts, last = [], float("-inf")
    for place, text, kind in sorted(notes):
        last = max(place + 4, last + 16)
        parts.append(label(WIDTH - RIGHT + 8, last, text, kind))
    return parts


def main(arguments: list[str]) -> int:
    """Write every drawing and say where."""
    folder = Path(arguments[0]) if arguments else Path(__file__).with_suffix("")
    folder.mkdir(parents=True, exist_ok=True)
    for name in VARIANTS:
        path = folder / f"{name}.svg"
        path.write_text(chart(name), "utf-8", newline="\n")
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
