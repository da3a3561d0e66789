"""R7, K3: processes claim through one ledger in PostgreSQL; some are killed, one is frozen.

The same promises as test_arbiter_processes.py holds on SQLite, with fewer processes: nothing is
granted twice, lost, or written under an old token.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import comity
from comity.ledger.open import open_ledger
from comity.ledger.verify import verify
from comity.mechanisms.arbitration import Fence, Policy
from comity.protocols.claims import DeskRules
from comity.runner.arbiter import Arbiter
from comity.runner.claims_record import decided_again, history

FULL = os.environ.get("COMITY_FULL") == "1"
PROCESSES = 16 if FULL else 4
CLAIMS = 10 if FULL else 4
KILLS = 8 if FULL else 2
PATIENCE_S = 300
SOURCE = str(Path(comity.__file__).parents[1])

# Is told a ledger, a name and a count; it ends by itself when nobody ends it.
START = f"""
import json, os, signal, sys
if hasattr(signal, "alarm"):
    signal.alarm({PATIENCE_S})
from comity.core.errors import ClaimNotGranted
from comity.runner.arbiter import Arbiter

place, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
arbiter = Arbiter(place, create=False)

def tell(*words):
    print(json.dumps(words), flush=True)

tell("ready")
sys.stdin.readline()
"""
# The log is opened for appending: a line under 4096 bytes is written as one piece.
WORK = """
log = os.open(os.environ["COMITY_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
for n in range(count):
    with arbiter.claim("gpu", agent=name, timeout_ms=200_000, request_id=f"{name}.{n}") as claim:
        os.write(log, f"begin {claim.token} {name}\\n".encode())
        tell("won", claim.token)
        os.write(log, f"end {claim.token} {name}\\n".encode())
"""
DECIDE = """
from itertools import count as endless
for n in endless():
    found = arbiter.decide({name: 1, "all": 2}, "budget", request_id=f"{name}.{n}")
    tell("won", found.number, found.winners[0])
"""
HOLD = """
claim = arbiter.claim("gpu", agent=name, lease_ms=count)
tell("won", claim.token)
sys.stdin.readline()
try:
    claim.renew()
    tell("renewed")
except ClaimNotGranted:
    tell("over", claim.look().status)
"""


class Worker:
    """A process that is ready, starts when told, and ends or is ended."""

    def __init__(self, place: str, work: str, name: str, count: int, log: str = "") -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", START + work, place, name, str(count)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": SOURCE, "COMITY_LOG": log},
        )
        assert self.heard() == ["ready"]

    def heard(self) -> list[Any]:
        """Return the next line it tells."""
        assert self.process.stdout is not None
        found: list[Any] = json.loads(self.process.stdout.readline())
        return found

    def go(self) -> None:
        """Let it go on."""
        assert self.process.stdin is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def rest(self) -> list[list[Any]]:
        """Wait until it has ended; return what it told in whole lines."""
        told, _ = self.process.communicate(timeout=PATIENCE_S)
        return [json.loads(line) for line in told[: told.rfind("\n") + 1].splitlines()]


@pytest.fixture
def place(postgres_place: Callable[[], str]) -> str:
    where = postgres_place()
    Arbiter(where, DeskRules(policy=Policy(c=1), lease_ms=60_000)).close()
    return where


def whole(place: str) -> None:
    """Hold that the ledger is whole and every conflict comes out the same again."""
    with open_ledger(place) as ledger:
        assert verify(ledger, head=ledger.anchor()).ok
        assert decided_again(ledger) == ()


def test_r7_processes_lose_nothing_and_nobody_is_granted_what_another_holds(
    place: str, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    workers = [Worker(place, WORK, f"p{at:02d}", CLAIMS, str(log)) for at in range(PROCESSES)]
    for one in workers:
        one.go()
    told = [one.rest() for one in workers]
    assert all(one.process.returncode == 0 for one in workers)
    tokens = [words[1] for each in told for words in each]
    assert sorted(tokens) == list(range(1, PROCESSES * CLAIMS + 1))
    lines = [line.split() for line in log.read_text().splitlines()]
    assert len(lines) == 2 * PROCESSES * CLAIMS
    for begin, end in zip(lines[::2], lines[1::2], strict=True):
        assert (begin[0], end[0], begin[1:]) == ("begin", "end", end[1:])
    order = [int(line[1]) for line in lines[::2]]
    assert order == sorted(order)
    whole(place)


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="signals: this system cannot freeze")
def test_r7_a_frozen_holder_loses_its_lease_and_its_late_write_is_refused(place: str) -> None:
    holder = Worker(place, HOLD, "old", 300)
    holder.go()
    assert holder.heard() == ["won", 1]
    os.kill(holder.process.pid, signal.SIGSTOP)
    fence = Fence()
    with (
        Arbiter(place) as arbiter,
        arbiter.claim("gpu", agent="new", timeout_ms=200_000) as claim,
    ):
        fence, passes = fence.admit(claim.token)
        assert passes
        os.kill(holder.process.pid, signal.SIGCONT)
        holder.go()
        assert holder.rest() == [["over", "ended"]]
        _, passes = fence.admit(1)
        assert not passes
        assert claim.token == 2
    whole(place)


def test_k3_kill_9_during_claims_loses_no_acknowledged_win(place: str) -> None:
    acknowledged: dict[int, str] = {}
    for at in range(KILLS):
        workers = [Worker(place, DECIDE, f"w{at}{side}", 0) for side in "ab"]
        for one in workers:
            one.go()
        heard = [one.heard() for one in workers for _ in range(3 + at % 3)]
        for one in workers:
            one.process.kill()
        for words in [*heard, *(words for one in workers for words in one.rest())]:
            assert words[1] not in acknowledged, "one number for one win"
            acknowledged[words[1]] = words[2]
    with open_ledger(place) as ledger:
        recorded = {one.number: one.winners[0] for one in history(ledger).conflicts}
    assert acknowledged.items() <= recorded.items()
    assert sorted(recorded) == list(range(1, len(recorded) + 1))
    whole(place)
