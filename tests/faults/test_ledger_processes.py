"""K3: many processes at once lose nothing; a killed one loses nothing that was acknowledged.

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
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import comity
from comity.ledger.entry import NewEntry
from comity.ledger.open import open_ledger
from comity.ledger.verify import verify

FULL = os.environ.get("COMITY_FULL") == "1"
PROCESSES = 16
APPENDS = 200 if FULL else 20
KILLS = 20 if FULL else 3
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

    def __init__(self, path: Path, work: str, name: str, count: int) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", START + work, str(path), name, str(count)],
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
def started(path: Path, work: str, names: list[str], count: int) -> Iterator[list[Worker]]:
    """Start one process for each name; all are ready before this goes on."""
    workers = [Worker(path, work, name, count) for name in names]
    try:
        for worker in workers:
            assert worker.lines(1) == "ready\n"
        yield workers
    finally:
        for worker in workers:
            if worker.process.returncode is None:
                worker.end(kill=True)


def told_by_all(path: Path, work: str, count: int) -> list[Told]:
    """Run 16 processes at once to their ends; return what each told."""
    names = [f"p{n}" for n in range(PROCESSES)]
    with started(path, work, names, count) as workers:
        for worker in workers:
            worker.go()
        told = [read(worker.end()) for worker in workers]
        assert [worker.process.returncode for worker in workers] == [0] * PROCESSES
    return told


def stored(path: Path) -> set[tuple[str, int, str]]:
    with open_ledger(path, create=False) as ledger:
        assert verify(ledger).ok
        return {
            (entry.scope, entry.seq, entry.hash)
            for head in ledger.heads()
            for entry in ledger.read(head.scope, everything=True)
        }


def test_k3_sixteen_processes_lose_nothing(tmp_path: Path) -> None:
    """The file itself is made by whichever of the sixteen comes first."""
    path = tmp_path / "ledger.db"
    told = told_by_all(path, WORK, APPENDS)
    acknowledged = [entry for one in told for _, entries in one for entry in entries]
    assert len(acknowledged) == len(set(acknowledged)) == PROCESSES * APPENDS * 4
    assert stored(path) == set(acknowledged)
    with open_ledger(path) as ledger:
        shared = ledger.read("shared")
        assert len(shared) == PROCESSES * APPENDS
        for n in range(PROCESSES):
            mine = [entry.body["n"] for entry in shared if entry.body["by"] == f"p{n}"]
            assert mine == list(range(APPENDS)), "each process finds its own in its own order"
            assert len(ledger.read(f"own p{n}", everything=True)) == 2 * APPENDS


def test_k3_one_request_made_by_sixteen_processes_is_written_once(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    told = told_by_all(path, SAME_REQUESTS, APPENDS)
    first = Counter(repeated for one in told for repeated, _ in one)
    assert first == {False: APPENDS, True: (PROCESSES - 1) * APPENDS}
    answers = [[entries for _, entries in one] for one in told]
    assert all(answer == answers[0] for answer in answers)
    assert len(stored(path)) == APPENDS


def test_k3_five_units_are_granted_five_times_to_sixteen_processes(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    told = told_by_all(path, CLAIM, 5)
    repeats = Counter(repeated for one in told for repeated, _ in one)
    assert repeats == {False: PROCESSES * 5, True: PROCESSES * 5}
    assert len(stored(path)) == PROCESSES * 5
    with open_ledger(path) as ledger:
        kinds = [entry.kind for entry in ledger.read("unit")]
    assert kinds == ["grant"] * 5 + ["refusal"] * (PROCESSES * 5 - 5)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kill: this system has no SIGKILL")
def test_k3_a_killed_process_loses_nothing_acknowledged(tmp_path: Path) -> None:
    """Killed between any two instructions: at most the one call in flight may be there besides."""
    path = tmp_path / "ledger.db"
    acknowledged: set[tuple[str, int, str]] = set()
    for kill in range(KILLS):
        names = [f"k{kill}a", f"k{kill}b"]
        before = len(stored(path)) if path.exists() else 0
        with started(path, FOREVER, names, 0) as workers:
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
        found = stored(path)
        assert acknowledged <= found
        assert len(found) - before - len(told_now) in {0, 2, 4}, "the calls in flight, whole"


def test_k3_a_request_of_a_killed_process_is_answered_to_the_next(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with started(path, FOREVER, ["k"], 0) as workers:
        (worker,) = workers
        worker.go()
        told = worker.lines(3) + worker.end(kill=True)
    with open_ledger(path) as ledger:
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
