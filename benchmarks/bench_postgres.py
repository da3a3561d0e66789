"""PostgreSQL: what does an append or a decision cost there beside a bare insert of the same bytes?

Here: one caller, one commit each, alternating with a bare insert through psycopg; sixteen callers
of a desk whose requests share commits; sixteen writers, each in a scope of its own and all in one.
Not here: SQLite (bench_arbiter.py), decisions in memory (bench_arbitration.py).
Sources: SEMANTICS R1, K3. PostgreSQL 18 from the wheel of the tests, over its socket, fsync on, on
the disk of the temporary folder.

Wall time, alternating in small batches, medians; everything has been written through once before.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from threading import Barrier, Thread

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

import psycopg

from comity.core.canonical import canonical
from comity.ledger import Ledger, NewEntry, open_ledger
from comity.mechanisms.arbitration import Policy
from comity.runner.arbiter import Arbiter
from comity.testing.postgres_server import own_postgres

CLAIMS = [("a", 9), ("b", 5), ("c", 1)]
BODY = {"by": "CC", "text": "x" * 200}
CALLERS = 16
BATCH, BATCHES = 25, 12
INSERT = "INSERT INTO bare (body) VALUES (%s)"


def together(call: Callable[[int, int], object], times: int) -> float:
    """Return how many calls a second sixteen callers get."""
    start = Barrier(CALLERS + 1)

    def work(at: int) -> None:
        start.wait()
        for n in range(times):
            call(at, n)

    threads = [Thread(target=work, args=(at,)) for at in range(CALLERS)]
    for one in threads:
        one.start()
    start.wait()
    begin = time.perf_counter()
    for one in threads:
        one.join()
    return CALLERS * times / (time.perf_counter() - begin)


def seconds(call: Callable[[], object]) -> float:
    """Return how long one call takes in a batch."""
    begin = time.perf_counter()
    for _ in range(BATCH):
        call()
    return (time.perf_counter() - begin) / BATCH


def append(ledger: Ledger, scope: str) -> None:
    """Append one entry without a request id."""
    ledger.append(scope, [NewEntry("note", BODY)], expected_head=None, request_id=None, now_ms=1)


def inserts(url: str, times: int) -> float:
    """Return how many bare inserts a second sixteen callers get, each with a connection."""
    links = [psycopg.connect(url, autocommit=True) for _ in range(CALLERS)]
    body = canonical(BODY)
    try:
        return together(lambda at, _: links[at].execute(INSERT, (body,)), times)
    finally:
        for one in links:
            one.close()


def main() -> None:
    """Measure and print."""
    with (
        own_postgres(is_durable=True) as server,
        psycopg.connect(server.url, autocommit=True) as db,
        open_ledger(server.url) as ledger,
        Arbiter(f"{server.url}&schema=desk", Policy()) as arbiter,
    ):
        db.execute("CREATE TABLE bare (n BIGSERIAL PRIMARY KEY, body TEXT NOT NULL)")
        body = canonical(BODY)
        calls: dict[str, Callable[[], object]] = {
            "bare insert": lambda: db.execute(INSERT, (body,)),
            "append": lambda: append(ledger, "one"),
            "decide": lambda: arbiter.decide(CLAIMS, "budget"),
        }
        took: dict[str, list[float]] = {name: [] for name in calls}
        for _ in range(BATCHES + 2):
            for name, call in calls.items():
                took[name].append(seconds(call))
        each = {name: median(found[2:]) for name, found in took.items()}
        print("one caller, one commit each")
        for name, one in each.items():
            share = each["bare insert"] / one
            print(
                f"  {name:<12} {one * 1e3:6.2f} ms  {1 / one:6.0f}/s  {share:.2f} of a bare insert"
            )
        print(f"{CALLERS} callers")
        found = {
            "bare inserts": inserts(server.url, 60),
            "appends, a scope each": together(lambda at, _: append(ledger, f"s{at}"), 40),
            "appends, one scope": together(lambda *_: append(ledger, "shared"), 15),
            "decisions, one desk": together(lambda *_: arbiter.decide(CLAIMS, "budget"), 60),
        }
        for name, rate in found.items():
            print(f"  {name:<22} {rate:6.0f}/s")


if __name__ == "__main__":
    main()
