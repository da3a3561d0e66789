"""Dawid-Skene: how long does it take to weigh a million votes?

Here: 200,000 items with five votes each by 500 voters, three classes; from arrays and from rows of
text; the same votes with crowd-kit in the same run, where it is installed.
Not here: whether the answers are right (tests/oracles/test_independence_data.py).
Sources: SEMANTICS V9. crowd-kit is under the Apache licence: measured beside, never a dependency.

CPU time of this process, the best of three. Exit 1 when ours takes longer than the goal.
"""

from __future__ import annotations

import resource
import sys
import time
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from comity.core.arrays import numpy_or_none
from comity.mechanisms.voting.independence.dawid_skene import dawid_skene
from comity.mechanisms.voting.independence.em import dawid_skene_codes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

GOAL_S = 4.0
ITEMS, VOTES_PER_ITEM, VOTERS, CLASSES = 200_000, 5, 500, 3
RUNS = 3
PEER_ITERATIONS = 20


def made(numpy: Any) -> tuple[Any, Any, Any, Any]:  # noqa: ANN401  # arrays of numpy
    """Return the truth and the votes: voters are right 50 to 95 times of a hundred."""
    chance = numpy.random.default_rng(1)
    count = ITEMS * VOTES_PER_ITEM
    truth = chance.integers(0, CLASSES, ITEMS)
    worth = chance.uniform(0.5, 0.95, VOTERS)
    items = numpy.repeat(numpy.arange(ITEMS), VOTES_PER_ITEM)
    voters = chance.integers(0, VOTERS, count)
    other = (truth[items] + chance.integers(1, CLASSES, count)) % CLASSES
    answers = numpy.where(chance.random(count) < worth[voters], truth[items], other)
    return truth, items, voters, answers


def best_of(run: Callable[[], Sequence[int | str | None]]) -> tuple[float, Sequence[Any]]:
    """Return the least CPU seconds of a few runs, and what the last one found."""
    seconds = []
    found: Sequence[Any] = ()
    for _ in range(RUNS):
        start = time.process_time()
        found = run()
        seconds.append(time.process_time() - start)
    return min(seconds), found


def peer(columns: Sequence[Any]) -> Callable[[], Sequence[Any]] | None:
    """Return the same fit with crowd-kit, its table ready made, or None where it is missing."""
    if find_spec("crowdkit") is None:
        return None
    pandas: Any = import_module("pandas")
    aggregation: Any = import_module("crowdkit.aggregation")
    frame = pandas.DataFrame(dict(zip(("task", "worker", "label"), columns, strict=True)))

    def run() -> Sequence[Any]:
        found = aggregation.DawidSkene(n_iter=PEER_ITERATIONS).fit_predict(frame)
        return list(found.sort_index())

    return run


def share_right(found: Sequence[Any], known: Sequence[int]) -> float:
    """Return how many labels are right, as numbers or as text."""
    pairs = zip(found, known, strict=True)
    return sum(one in (label, f"c{label}") for one, label in pairs) / len(known)


def main() -> int:
    """Measure, print, and return 1 when the goal is missed."""
    numpy = numpy_or_none()
    if numpy is None:
        print("SKIPPED dawid-skene: numpy is not installed (extra `fast`)")
        return 0
    truth, items, voters, answers = made(numpy)
    known = truth.tolist()
    rows = [
        (f"i{item:06d}", f"v{voter:03d}", f"c{answer}")
        for item, voter, answer in zip(
            items.tolist(), voters.tolist(), answers.tolist(), strict=True
        )
    ]

    def from_arrays() -> Sequence[int]:
        fit = dawid_skene_codes(items, voters, answers)
        return [one.index(max(one)) for one in fit.posteriors]

    def from_rows() -> Sequence[str | None]:
        return dawid_skene(rows).labels

    missed = False
    for name, run in (("from arrays", from_arrays), ("from rows of text", from_rows)):
        seconds, found = best_of(run)
        right = share_right(found, known)
        print(f"comity {name}: {seconds:.2f} s for {len(rows):,} votes; right on {right:.2%}")
        if seconds > GOAL_S:
            missed = True
            print(f"comity {name}: MISSED the goal of {GOAL_S:g} s")
    for name, columns in (
        ("from a table of numbers", (items, voters, answers)),
        ("from a table of text", tuple(zip(*rows, strict=True))),
    ):
        other = peer(columns)
        if other is None:
            print(f"SKIPPED crowd-kit {name}: not installed")
            continue
        seconds, found = best_of(other)
        right = share_right(found, known)
        print(f"crowd-kit {name}, at most {PEER_ITERATIONS} steps: {seconds:.2f} s; {right:.2%}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of this process: {peak:.0f} MB")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
