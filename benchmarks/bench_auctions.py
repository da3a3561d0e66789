"""Auctions: how long does it take to clear bundles, and a million bidders for equal units?

Here: VCG with 16 items and 200 bids of several kinds, with and without numpy; larger ones by
branch and bound; the same winner determinations by CP-SAT in the same run, where OR-Tools is
installed; 1,000,000 bidders for equal units; one sealed sale with its full result.
Not here: votes, bargaining (their own benchmarks).
Sources: SEMANTICS A1, A2.

CPU time of this process; the median of several auctions, each with its full result. Exit 1 when
a goal is missed. BENCH_AUCTIONS=quick leaves the largest out.
"""

from __future__ import annotations

import gc
import os
import random
import sys
import time
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from comity.core.arrays import numpy_or_none
from comity.mechanisms.auctions import (
    Search,
    clear_units,
    combinatorial_vcg,
    cpsat,
    subset_table,
    vickrey,
)

if TYPE_CHECKING:
    from collections.abc import Callable

VCG_GOAL = 0.100
MILLION_GOAL = 1.0
AUCTIONS = 5

Bids = list[tuple[str, list[str], int]]

missed: list[str] = []


def cpu(run: Callable[[], object]) -> float:
    """Return the CPU seconds of one run."""
    gc.collect()
    start = time.process_time()
    run()
    return time.process_time() - start


def told(name: str, seconds: float, goal: float | None = None, beside: str = "") -> None:
    """Print one line and remember a missed goal."""
    aim = "" if goal is None else f"  goal {goal * 1e3:.0f} ms"
    is_missed = goal is not None and seconds > goal
    print(f"{name:44} {seconds * 1e3:9.2f} ms{aim}{'  MISSED' if is_missed else ''}  {beside}")
    if is_missed:
        missed.append(name)


def bundle(chance: random.Random, items: list[str], kind: str) -> list[str]:
    """Return the items of one bid: three at random, or as many as a decaying chance gives."""
    size = 3
    if kind == "decay":
        size = 1
        while size < len(items) and chance.random() < 0.75:
            size += 1
    return chance.sample(items, size)


def an_auction(items: int, bids: int, kind: str, seed: int) -> Bids:
    """Return random bids; of kind "xor" five of each bidder."""
    chance = random.Random(seed)  # noqa: S311  # prices, no secrets
    names = [f"i{at:02}" for at in range(items)]
    made: dict[tuple[str, tuple[str, ...]], int] = {}
    while len(made) < bids:
        wanted = tuple(sorted(bundle(chance, names, kind)))
        bidder = f"b{len(made) // 5 if kind == 'xor' else len(made):03}"
        made[bidder, wanted] = sum(chance.randint(1, 1000) for _ in wanted)
    return [(name, list(wanted), amount) for (name, wanted), amount in made.items()]


def clear(bids: Bids, method: Any) -> None:  # noqa: ANN401  # a method's name
    """Sell by VCG."""
    sale = combinatorial_vcg(bids, seed="1", search=Search(method=method))
    assert sale.winner != ""


def bundles_by(name: str, sizes: tuple[int, int, str], method: str, goal: float | None) -> None:
    """Time one kind of auction, and CP-SAT beside it."""
    auctions = [an_auction(*sizes, seed) for seed in range(AUCTIONS)]
    ours = median(cpu(partial(clear, bids, method)) for bids in auctions)
    beside = "CP-SAT: not installed"
    if cpsat.cp_model_or_none() is not None:
        theirs = median(cpu(partial(clear, bids, "cp_sat")) for bids in auctions)
        beside = f"CP-SAT {theirs * 1e3:.0f} ms"
    told(name, ours, goal, beside)


def a_million(is_quick: bool) -> None:  # noqa: FBT001  # one switch
    """Time equal units for a million bidders, or as many as a quick run takes."""
    count = 100_000 if is_quick else 1_000_000
    chance = random.Random(1)  # noqa: S311  # prices, no secrets
    values = [chance.randrange(10**6) for _ in range(count)]
    numpy = numpy_or_none()
    for units in (1, count // 1000, count // 2):
        run = partial(clear_units, units=units, reserve=0, seed="1")
        if numpy is not None:
            table = numpy.array(values)
            told(f"{count:,} bidders, {units:,} units, array",
                 cpu(partial(run, table)), MILLION_GOAL)  # fmt: skip
        told(f"{count:,} bidders, {units:,} units, list", cpu(partial(run, values)))
    if numpy is not None:
        table = numpy.sort(numpy.random.default_rng(1).integers(0, 10**6, (count, 5)))[:, ::-1]
        for units in (count // 1000, count):
            run = partial(clear_units, table, units=units, reserve=0, seed="1")
            told(f"{count:,} x 5 bids, {units:,} units, array", cpu(run), MILLION_GOAL)


def main() -> int:
    """Run all."""
    is_quick = os.environ.get("BENCH_AUCTIONS") == "quick"
    sealed = {"a": 42, "b": 37, "c": 51, "d": 29}
    runs = 500
    one = cpu(lambda: [vickrey(sealed, reserve=0) for _ in range(runs)]) / runs
    told("second price, 4 bidders, full result", one)
    for kind in ("uniform", "decay", "xor"):
        bundles_by(f"VCG 16 items x 200 bids, {kind}", (16, 200, kind), "auto", VCG_GOAL)
    bundles_by("VCG 16 x 200, uniform, branch and bound", (16, 200, "uniform"),
               "branch_and_bound", None)  # fmt: skip
    if not is_quick:
        with mock.patch.object(subset_table, "numpy_or_none", return_value=None):
            bundles_by("VCG 16 x 200, uniform, without numpy", (16, 200, "uniform"), "auto", None)
        for kind in ("uniform", "decay", "xor"):
            bundles_by(f"VCG 30 items x 200 bids, {kind}", (30, 200, kind), "auto", None)
    a_million(is_quick)
    if missed:
        print(f"missed: {', '.join(missed)}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
