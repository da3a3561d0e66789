"""Arbitration: how many repeated claims does one core decide in a second?

Here: three claimants with a log tuple each; the same as JSON lines in a hash chain; ten thousand
standing claims; beside them the naive scan that people write first, in the same run.
Not here: durable decisions (bench of the ledger), whether the winners are right (tests).
Sources: SEMANTICS R1-R3.

CPU time of this process, batches interleaved, the best batch of each. Every decision draws its
lots and keeps what replay needs. Exit 1 when a goal is missed.
"""

from __future__ import annotations

import gc
import sys
import time
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from comity.mechanisms.arbitration import Arbitration, LineWriter, Policy, Standing

if TYPE_CHECKING:
    from collections.abc import Callable

GOALS = {"log tuple": 200_000, "JSON and hash chain": 100_000, "standing": 300_000}
CLAIMS = [("a", 9), ("b", 5), ("c", 1)]
MANY = 10_000
BATCH = 20_000
BATCHES = 9


def tuples() -> Callable[[int], int]:
    """Return a run of so many decisions that keeps a log of tuples."""
    engine = Arbitration(Policy(c=2), seed="7")

    def run(times: int) -> int:
        log = []
        for _ in range(times):
            log.append(engine.conflict(CLAIMS))
        return len(log)

    return run


def chained() -> Callable[[int], int]:
    """Return a run of so many decisions that keeps JSON lines, each hashed with the last hash."""
    policy = Policy(c=2)
    engine = Arbitration(policy, seed="7")
    write = LineWriter(policy, "7").line
    last = ["0" * 64]

    def run(times: int) -> int:
        log = []
        head = last[0]
        for _ in range(times):
            line = write(engine.conflict(CLAIMS))
            head = sha256((head + line).encode()).hexdigest()
            log.append((line, head))
        last[0] = head
        return len(log)

    return run


def standing() -> Callable[[int], int]:
    """Return a run of so many decisions among ten thousand standing claims, log included."""
    people = {f"agent-{at:05d}": at * 7_919 % 1_000 for at in range(MANY)}
    engine = Standing(people, policy=Policy(c=2), seed="7")

    def run(times: int) -> int:
        log = []
        for _ in range(times):
            log.append(engine.conflict())
        return len(log)

    return run


def scan() -> Callable[[int], int]:
    """Return the naive scan over ten thousand agents, without a log."""
    priorities = [at * 7_919 % 1_000 for at in range(MANY)]
    losses = [0] * MANY

    def run(times: int) -> int:
        for _ in range(times):
            best = max(range(MANY), key=lambda at: priorities[at] + 2 * losses[at])
            for at in range(MANY):
                losses[at] += 1
            losses[best] = 0
        return times

    return run


def rate(run: Callable[[int], int], times: int) -> float:
    """Return decisions per CPU second of one batch."""
    gc.collect()
    start = time.process_time()
    done = run(times)
    return done / (time.process_time() - start)


def main() -> int:
    """Measure, print, and return 1 when a goal is missed."""
    runs = {"log tuple": tuples(), "JSON and hash chain": chained(), "standing": standing()}
    best: Counter[str] = Counter()
    for _ in range(BATCHES):
        for name, run in runs.items():
            best[name] = max(best[name], round(rate(run, BATCH)))
    naive = rate(scan(), 40)
    said = {
        "log tuple": "3 claimants, a log tuple each",
        "JSON and hash chain": "3 claimants, JSON line and hash chain",
        "standing": f"{MANY:,} standing claims",
    }
    missed = False
    for name, goal in GOALS.items():
        print(f"{said[name]}: {best[name]:,} decisions/s (goal {goal:,})")
        if best[name] < goal:
            missed = True
            print(f"{name}: MISSED the goal")
    print(f"{MANY:,} standing claims, naive scan without log: {naive:,.0f} decisions/s")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
