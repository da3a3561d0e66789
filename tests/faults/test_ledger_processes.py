"""K3: many processes at once lose nothing; a killed one loses nothing that was acknowledged.

The same on SQLite and on PostgreSQL, which run counts of their own: on PostgreSQL fewer processes
at once in the quick profile.
Every process is a fresh interpreter, as on a machine; each tells what was acknowledged on its
standard output, and the ledger must hold exactly that.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import comity
from comity.ledger.entry import NewEntry
from comity.ledger.open import open_ledger
from comity.ledger.verify import verify

LEDGERS = ("sqlite", "postgres")
FULL = os.environ.get("COMITY_FULL") == "1"
PROCESSES = {"sqlite": 16, "postgres": 16 if FULL else 5}
APPENDS = {"sqlite": 200 if FULL else 20, "postgres": 60 if FULL else 20}
KILLS = {"sqlite": 20 if FULL else 3, "postgres": 8 if FULL else 3}
PATIENCE_S = 300
SOURCE = str(Path(comity.__file__).parents[1])

# Is told a path, a name and a count; tells each acknowledged append as a line of JSON. It ends by
# itself when nobody ends it.
START = f"""
import json, signal, sys
if hasattr(signal, "alarm"):
    signal.alarm({PATIENCE_S})
from comity.ledger.entry import NewEntry
from comity.ledger.open import open_ledger

path, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
ledger = open_ledger(path)

def add(scope, n, request_id=None):
    new = [NewEntry("note", {{"by": name, "n": n}}), NewEntry("mark", {{}}, name)]
    done = ledger.append(scope, new, expected_head=None, request_id=request_id, now_ms=n)
    tell(done)

def tell(done):
    line = [[entry.scope, entry.seq, entry.hash] for entry in done.entries]
    print(json.dumps([done.repeated, line]), flush=True)

print("ready", flush=True)
sys.stdin.readline()
"""
WORK = """
for n in range(count):
    add("shared", n)
    add("own " + name, n)
"""
SAME_REQUESTS = """
for n in range(count):
    new = [NewEntry("note", {"n": n})]
    tell(ledger.append("s", new, expected_head=None, request_id=f"r{n}", now_ms=0))
"""
CLAIM = """
def rule(rows):
    granted = sum(row.kind == "grant" for row in rows)
    return [NewEntry("grant" if granted < 5 else "refusal", {"to": name})]

for n in range(count):
    tell(ledger.transact("unit", rule, request_id=f"{name}.{n}", now_ms=n))
    tell(ledger.transact("unit", rule, request_id=f"{name}.{n}", now_ms=n))
"""
FOREVER = """
from itertools import count as endless
for n in endless():
    add("shared", n, f"{name}.{n}")
"""

Told = list[tuple[bool, list[tuple[str, int, str]]]]


def read(lines: str) -> Told:
    whole = lines[: lines.rfind("\n") + 1].splitlines()
    return [
        (repeated, [(scope, seq, found) for scope, seq, found in entries])
        for repeated, entries in map(json.loads, whole)
    ]


class Worker:
    """A process that is ready, starts when told, and ends or is ended."""

    def __init__(self, where: str, work: str, name: str, count: int) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", START + work, where, name, str(count)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": SOURCE},
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.ears = self.process.stdin
        self.mouth = self.process.stdout

    def go(self) -> None:
        self.ears.write("go\n")
        self.ears.flush()

    def lines(self, count: int) -> str:
        return "".join(self.mouth.readline() for _ in range(count))

    def end(self, *, kill: bool = False) -> str:
        """Return what else it told before it ended."""
        if kill:
            self.process.kill()
        rest = self.mouth.read()
        self.ears.close()
        self.mouth.close()
        self.process.wait(PATIENCE_S)
        return rest


@contextmanager
def started(where: str, work: str, names: list[str], count: int) -> Iterator[list[Worker]]:
    """Start one process for each name; all are ready before this goes on."""
    workers = [Worker(where, work, name, count) for name in names]
    try:
        for worker in workers:
            assert worker.lines(1) == "ready\n"
        yield workers
    finally:
        for worker in workers:
            if worker.process.returncode is None:
                worker.end(kill=True)


class Place:
    """Where a ledger will be, how many processes use it at once, and how often."""

    def __init__(self, where: str, kind: str) -> None:
        self.where = where
        self.processes = PROCESSES[kind]
        self.appends = APPENDS[kind]
        self.kills = KILLS[kind]

    def told_by_all(self, work: str, count: int) -> list[Told]:
        """Run all processes at once to their ends; return what each told."""
        names = [f"p{n}" for n in range(self.processes)]
        with started(self.where, work, names, count) as workers:
            for worker in workers:
                worker.go()
            told = [read(worker.end()) for worker in workers]
            codes = [worker.process.returncode for worker in workers]
            assert codes == [0] * self.processes
        return told


@pytest.fixture(params=LEDGERS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    if request.param == "sqlite":
        return Place(str(tmp_path / "ledger.db"), "sqlite")
    fresh: Callable[[], str] = request.getfixturevalue("postgres_place")
    return Place(fresh(), "postgres")


def stored(place: Place) -> set[tuple[str, int, str]]:
    with open_ledger(place.where, create=False) as ledger:
        assert verify(ledger).ok
        return {
            (entry.scope, entry.seq, entry.hash)
            for head in ledger.heads()
            for entry in ledger.read(head.scope, everything=True)
        }


def test_k3_many_processes_at_once_lose_nothing(place: Place) -> None:
    """The file or the tables themselves are made by whichever comes first."""
    told = place.told_by_all(WORK, place.appends)
    acknowledged = [entry for one in told for _, entries in one for entry in entries]
    assert len(acknowledged) == len(set(acknowledged)) == place.processes * place.appends * 4
    assert stored(place) == set(acknowledged)
    with open_ledger(place.where) as ledger:
        shared = ledger.read("shared")
        assert len(shared) == place.processes * place.appends
        for n in range(place.processes):
            mine = [entry.body["n"] for entry in shared if entry.body["by"] == f"p{n}"]
            assert mine == list(range(place.appends)), (
                "each process finds its own in its own order"
            )
            assert len(ledger.read(f"own p{n}", everything=True)) == 2 * place.appends


def test_k3_one_request_made_by_many_processes_is_written_once(place: Place) -> None:
    told = place.told_by_all(SAME_REQUESTS, place.appends)
    first = Counter(repeated for one in told for repeated, _ in one)
    assert first == {False: place.appends, True: (place.processes - 1) * place.appends}
    answers = [[entries for _, entries in one] for one in told]
    assert all(answer == answers[0] for answer in answers)
    assert len(stored(place)) == place.appends


def test_k3_five_units_are_granted_five_times_to_many_processes(place: Place) -> None:
    told = place.told_by_all(CLAIM, 5)
    repeats = Counter(repeated for one in told for repeated, _ in one)
    assert repeats == {False: place.processes * 5, True: place.processes * 5}
    assert len(stored(place)) == place.processes * 5
    with open_ledger(place.where) as ledger:
        kinds = [entry.kind for entry in ledger.read("unit")]
    assert kinds == ["grant"] * 5 + ["refusal"] * (place.processes * 5 - 5)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kill: this system has no SIGKILL")
def test_k3_a_killed_process_loses_nothing_acknowledged(place: Place) -> None:
    """Killed between any two instructions: at most the one call in flight may be there besides."""
    acknowledged: set[tuple[str, int, str]] = set()
    for kill in range(place.kills):
        names = [f"k{kill}a", f"k{kill}b"]
        before = len(stored(place)) if kill else 0
        with started(place.where, FOREVER, names, 0) as workers:
            for worker in workers:
                worker.go()
            told = [worker.lines(7 + kill) for worker in workers]
            told = [
                said + worker.end(kill=True) for said, worker in zip(told, workers, strict=True)
            ]
            codes = {worker.process.returncode for worker in workers}
        assert codes == {-signal.SIGKILL}
        told_now = [entry for one in map(read, told) for _, entries in one for entry in entries]
        assert len(told_now) >= 2 * len(names) * (7 + kill)
        acknowledged |= set(told_now)
        found = stored(place)
        assert acknowledged <= found
        assert len(found) - before - len(told_now) in {0, 2, 4}, "the calls in flight, whole"


def test_k3_a_request_of_a_killed_process_is_answered_to_the_next(place: Place) -> None:
    with started(place.where, FOREVER, ["k"], 0) as workers:
        (worker,) = workers
        worker.go()
        told = worker.lines(3) + worker.end(kill=True)
    with open_ledger(place.where) as ledger:
        count = len(ledger.read("shared", everything=True))
        for n, (_, entries) in enumerate(read(told)):
            again = ledger.append(
                "shared",
                [NewEntry("note", {"by": "k", "n": n}), NewEntry("mark", {}, "k")],
                expected_head="",
                request_id=f"k.{n}",
                now_ms=99,
            )
            assert again.repeated
            assert [(entry.scope, entry.seq, entry.hash) for entry in again.entries] == entries
        assert len(ledger.read("shared", everything=True)) == count
