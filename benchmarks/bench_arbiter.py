"""Arbiter: what does a durable decision cost beside a bare insert of the same bytes?

Here: one caller, one commit for each decision, alternating with a bare insert into a table of its
own in the same kind of file; sixteen callers whose requests share commits; how long this disk
takes to sync.
Not here: decisions in memory (bench_arbitration.py).
Sources: SEMANTICS R1, K3. SQLite, write-ahead log, synchronous=FULL, on the disk of the temporary
folder.

Wall time, alternating in small batches, medians; every log has been written through once before,
since a file that grows syncs more slowly. Exit 1 when a goal is missed.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from threading import Barrier, Thread

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from comity.mechanisms.arbitration import Policy
from comity.runner.arbiter import Arbiter

CLAIMS = [("a", 9), ("b", 5), ("c", 1)]
CALLERS = 16
BATCH, BATCHES = 40, 15
WARM = 1_200  # commits, so that each write-ahead log has come round
LEAST_SHARE, LEAST_GAIN = 0.6, 3.0


def fsync_ms(folder: Path) -> float:
    """Return how long a sync of 4 kB takes here, the median of 100."""
    handle = os.open(folder / "sync", os.O_WRONLY | os.O_CREAT)
    took = []
    for _ in range(100):
        os.write(handle, b"x" * 4096)
        begin = time.perf_counter()
        os.fsync(handle)
        took.append(time.perf_counter() - begin)
    os.close(handle)
    return median(took) * 1e3


def bare(folder: Path) -> sqlite3.Connection:
    """Return a table that takes rows and nothing else."""
    db = sqlite3.connect(folder / "bare.db", isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.execute("CREATE TABLE rows (n INTEGER PRIMARY KEY, body TEXT NOT NULL)")
    return db


def together(arbiter: Arbiter, name: str, times: int) -> float:
    """Return how many decisions a second sixteen callers get."""
    start = Barrier(CALLERS + 1)

    def call(at: int) -> None:
        start.wait()
        for n in range(times):
            arbiter.decide(CLAIMS, "budget", request_id=f"{name}.{at}.{n}")

    threads = [Thread(target=call, args=(at,)) for at in range(CALLERS)]
    for one in threads:
        one.start()
    start.wait()
    begin = time.perf_counter()
    for one in threads:
        one.join()
    return CALLERS * times / (time.perf_counter() - begin)


def insert(db: sqlite3.Connection, body: str, times: int) -> None:
    """Insert as often, each in a commit of its own."""
    for _ in range(times):
        db.execute("BEGIN IMMEDIATE")
        db.execute("INSERT INTO rows (body) VALUES (?)", (body,))
        db.execute("COMMIT")


def main() -> int:
    """Measure, print, and tell whether the goals are met."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(f"fsync of 4 kB, p50: {fsync_ms(folder):.2f} ms")
        db = bare(folder)
        ours: list[float] = []
        theirs: list[float] = []
        many: list[float] = []
        with Arbiter(folder / "ours.db", Policy(c=2)) as arbiter:
            body = _bytes(arbiter)
            insert(db, body, WARM)
            together(arbiter, "warm", WARM // 4)
            for batch in range(BATCHES):
                begin = time.perf_counter()
                for n in range(BATCH):
                    arbiter.decide(CLAIMS, "budget", request_id=f"{batch}.{n}")
                ours.append(BATCH / (time.perf_counter() - begin))
                begin = time.perf_counter()
                insert(db, body, BATCH)
                theirs.append(BATCH / (time.perf_counter() - begin))
                many.append(together(arbiter, f"many.{batch}", BATCH // 4))
        db.close()
    share = median(one / other for one, other in zip(ours, theirs, strict=True))
    gain = median(many) / median(ours)
    is_met = share >= LEAST_SHARE and gain >= LEAST_GAIN
    print(f"one caller, one commit each:  {median(ours):8.0f} decisions/s, {len(body)} bytes each")
    print(f"bare insert of the same:      {median(theirs):8.0f} rows/s")
    print(f"ratio {share:.2f}, goal {LEAST_SHARE}: {'met' if share >= LEAST_SHARE else 'MISSED'}")
    print(f"{CALLERS} callers, shared commits:  {median(many):8.0f} decisions/s")
    print(f"ratio {gain:.1f}, goal {LEAST_GAIN}: {'met' if gain >= LEAST_GAIN else 'MISSED'}")
    return 0 if is_met else 1


def _bytes(arbiter: Arbiter) -> str:
    """Return as many bytes as a decision leaves in the ledger: its fields, hashes included."""
    arbiter.decide(CLAIMS, "budget", request_id="first")
    return str(arbiter.ledger.read("desk/claims", everything=True)[-1].to_json())


if __name__ == "__main__":
    sys.exit(main())
