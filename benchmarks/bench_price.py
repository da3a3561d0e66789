"""Price: how many fully traced price negotiations does one core do in a second?

Here: two linear and two Boulware parties, deadline 100, both offer paths and all grounds in the
result; the same negotiation with negmas in the same run, where it is installed.
Not here: how long a start takes (bench_start.py).
Sources: SEMANTICS B1-B8. negmas is under the AGPL: measured beside, never a dependency.

CPU time of this process, batches interleaved, the best batch of each. No two negotiations have
the same prices. Exit 1 when ours is below the goal.
"""

from __future__ import annotations

import sys
import time
from importlib import import_module
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from comity.mechanisms.bargaining import PriceAgreement, bargain

if TYPE_CHECKING:
    from collections.abc import Callable

GOAL = 5_000  # negotiations a second
DEADLINE = 100
BATCHES = 9
OURS_IN_A_BATCH = 1_000
PEERS_IN_A_BATCH = 20
STYLES = ("linear", "boulware")

numbers = count(1)


def ours(style: str) -> int:
    """Negotiate once with prices never used before; return the rounds."""
    base = next(numbers)
    found = bargain(
        buyer=(base, base + 80), seller=(base + 100, base + 20), rounds=DEADLINE, schedule=style
    )
    assert isinstance(found, PriceAgreement)
    assert all(len(path.prices) == found.round + 1 for path in found.offers)
    return found.round + 1


def peer() -> Callable[[str], int] | None:
    """Return the same negotiation with negmas: prices 0 to 100, reservations 20 and 80."""
    if find_spec("negmas") is None:
        return None
    sao: Any = import_module("negmas.sao")
    outcomes: Any = import_module("negmas.outcomes")
    utility: Any = import_module("negmas.preferences").AffineUtilityFunction
    parties = {"linear": sao.LinearTBNegotiator, "boulware": sao.BoulwareTBNegotiator}

    def negotiate(style: str) -> int:
        space = outcomes.make_os([outcomes.make_issue(101, "price")])
        session = sao.SAOMechanism(outcome_space=space, n_steps=DEADLINE)
        for name, weight, bias in (("seller", 0.01, 0.0), ("buyer", -0.01, 1.0)):
            wants = utility(weights=[weight], bias=bias, outcome_space=space, reserved_value=0.2)
            session.add(parties[style](name=name), ufun=wants)
        session.run()
        assert session.agreement is not None
        return int(session.current_step)

    return negotiate


def rate(negotiate: Callable[[str], int], style: str, times: int) -> tuple[float, int]:
    """Return negotiations per CPU second and the rounds of one."""
    start = time.process_time()
    for _ in range(times):
        rounds = negotiate(style)
    return times / (time.process_time() - start), rounds


def main() -> int:
    """Measure, print, and return 1 when the goal is missed."""
    other = peer()
    best: dict[tuple[str, str], tuple[float, int]] = {}
    for _ in range(BATCHES):
        for style in STYLES:
            measured = [("comity", ours, OURS_IN_A_BATCH)]
            if other is not None:
                measured.append(("negmas", other, PEERS_IN_A_BATCH))
            for name, negotiate, times in measured:
                found = rate(negotiate, style, times)
                best[name, style] = max(found, best.get((name, style), found))
    missed = False
    for style in STYLES:
        speed, rounds = best["comity", style]
        print(
            f"{style}: comity {speed:,.0f}/s of {rounds} rounds ({speed * rounds:,.0f} rounds/s)"
        )
        if ("negmas", style) in best:
            theirs, steps = best["negmas", style]
            print(
                f"{style}: negmas {theirs:,.0f}/s of {steps} rounds; ratio {speed / theirs:,.0f}"
            )
        if speed < GOAL:
            missed = True
            print(f"{style}: MISSED the goal of {GOAL:,}/s")
    if other is None:
        print("SKIPPED negmas: not installed")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
