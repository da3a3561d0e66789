"""R7, K3: many processes claim through one ledger; some are killed, one is frozen.

Every process is a fresh interpreter, as on a machine, and tells what it was acknowledged on its
standard output. Nothing may be granted twice, lost, or written under an old token.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

import comity
from comity.ledger.open import open_ledger
from comity.ledger.verify import verify
from comity.mechanisms.arbitration import Fence, Policy, fairness
from comity.protocols.claims import DeskRules
from comity.runner.arbiter import Arbiter
from comity.runner.claims_record import decided_again, history

FULL = os.environ.get("COMITY_FULL") == "1"
PROCESSES = 16
CLAIMS = 40 if FULL else 4
KILLS = 20 if FULL else 3
PATIENCE_S = 300
SOURCE = str(Path(comity.__file__).parents[1])

# Is told a ledger, a folder, a name and a count; it ends by itself when nobody ends it.
START = f"""
import json, os, signal, sys
if hasattr(signal, "alarm"):
    signal.alarm({PATIENCE_S})
from pathlib import Path
from comity.runner.arbiter import Arbiter

place, folder, name, count = sys.argv[1], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
arbiter = Arbiter(place, create=False)

def tell(*words):
    print(json.dumps(words), flush=True)

tell("ready")
sys.stdin.readline()
"""
# The log is opened for appending: a line under 4096 bytes is written as one piece.
WORK = """
log = os.open(folder / "log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
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
from comity.core.errors import ClaimNotGranted
try:
    claim.renew()
    tell("renewed")
except ClaimNotGranted:
    tell("over", claim.look().status)
"""


# Its clock shows a time of its own; it claims, holds, renews, or leaves, until it is ended.
SKEWED = """
from itertools import count as endless
from comity.core.errors import ClaimNotGranted
from comity.runner.clock import RealClock

class Off(RealClock):
    def now_ms(self):
        return super().now_ms() + count

skewed = Arbiter(place, create=False, clock=Off())
for n in endless():
    try:
        asked = {"agent": name, "priority": n % 3, "request_id": f"{name}.{n}"}
        claim = skewed.claim("gpu", lease_ms=40, timeout_ms=300, **asked)
        claim.wait()
        tell("won", claim.token)
        if n % 3:
            claim.renew(30)
        if n % 4:
            claim.end()
    except ClaimNotGranted:
        tell("not", n)
"""


class Worker:
    """A process that is ready, starts when told, and ends or is ended."""

    def __init__(self, folder: Path, work: str, name: str, count: int) -> None:
        place = str(folder / "comity.db")
        self.process = subprocess.Popen(
            [sys.executable, "-c", START + work, place, str(folder), name, str(count)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": SOURCE},
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

    def kill(self) -> None:
        """End it like a power cut."""
        self.process.kill()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rules = DeskRules(policy=Policy(c=1), lease_ms=60_000)
    Arbiter(tmp_path / "comity.db", rules).close()
    return tmp_path


def whole(folder: Path) -> None:
    """Hold that the ledger is whole and every conflict comes out the same again."""
    with open_ledger(folder / "comity.db") as ledger:
        assert verify(ledger).ok
        assert decided_again(ledger) == ()


def test_r7_sixteen_processes_lose_nothing_and_nobody_is_granted_what_another_holds(
    folder: Path,
) -> None:
    workers = [Worker(folder, WORK, f"p{at:02d}", CLAIMS) for at in range(PROCESSES)]
    for one in workers:
        one.go()
    told = [one.rest() for one in workers]
    assert all(one.process.returncode == 0 for one in workers)
    tokens = [words[1] for each in told for words in each]
    assert sorted(tokens) == list(range(1, PROCESSES * CLAIMS + 1))
    lines = [line.split() for line in (folder / "log").read_text().splitlines()]
    assert len(lines) == 2 * PROCESSES * CLAIMS
    for begin, end in zip(lines[::2], lines[1::2], strict=True):
        assert (begin[0], end[0]) == ("begin", "end")
        assert begin[1:] == end[1:]
    order = [int(line[1]) for line in lines[::2]]
    assert order == sorted(order)
    assert Counter(line[2] for line in lines[::2]) == Counter(
        {f"p{at:02d}": CLAIMS for at in range(PROCESSES)}
    )
    with open_ledger(folder / "comity.db") as ledger:
        found = history(ledger)
    (scope,) = fairness(found.conflicts, found.policy)
    assert all(one.longest_streak <= PROCESSES - 1 for one in scope.agents)
    whole(folder)


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="signals: this system cannot freeze")
def test_r7_a_frozen_holder_loses_its_lease_and_its_late_write_is_refused(folder: Path) -> None:
    holder = Worker(folder, HOLD, "old", 300)
    holder.go()
    assert holder.heard() == ["won", 1]
    os.kill(holder.process.pid, signal.SIGSTOP)
    fence = Fence()
    with (
        Arbiter(folder / "comity.db") as arbiter,
        arbiter.claim("gpu", agent="new", timeout_ms=200_000) as claim,
    ):
        fence, passes = fence.admit(claim.token)
        assert passes
        os.kill(holder.process.pid, signal.SIGCONT)
        holder.go()
        assert holder.rest() == [["over", "ended"]]
        fence, passes = fence.admit(1)
        assert not passes
        assert claim.token == 2
    whole(folder)


def test_r7_the_lease_of_a_killed_holder_ends_and_the_next_token_is_larger(folder: Path) -> None:
    token = 0
    for at in range(KILLS):
        holder = Worker(folder, HOLD, f"k{at}", 150)
        holder.go()
        assert holder.heard() == ["won", token + 1]
        holder.kill()
        holder.rest()
        with (
            Arbiter(folder / "comity.db") as arbiter,
            arbiter.claim("gpu", agent="next", timeout_ms=200_000) as claim,
        ):
            assert claim.token == token + 2
            token = claim.token
    whole(folder)


def test_k3_kill_9_during_claims_loses_no_acknowledged_win(folder: Path) -> None:
    acknowledged: dict[int, str] = {}
    for at in range(KILLS):
        workers = [Worker(folder, DECIDE, f"w{at}{side}", 0) for side in "ab"]
        for one in workers:
            one.go()
        heard = [one.heard() for one in workers for _ in range(3 + at % 3)]
        for one in workers:
            one.kill()
        for words in [*heard, *(words for one in workers for words in one.rest())]:
            assert words[1] not in acknowledged, "one number for one win"
            acknowledged[words[1]] = words[2]
    with open_ledger(folder / "comity.db") as ledger:
        recorded = {one.number: one.winners[0] for one in history(ledger).conflicts}
    assert acknowledged.items() <= recorded.items()
    assert sorted(recorded) == list(range(1, len(recorded) + 1))
    whole(folder)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="signals: this system has no SIGTERM")
def test_r7_a_command_that_is_ended_while_it_waits_withdraws_its_claim(folder: Path) -> None:
    """Else it would win what nobody uses."""
    with Arbiter(folder / "comity.db") as arbiter:
        held = arbiter.claim("gpu", agent="a")
        words = ["claim", "gpu", "--agent", "b", "--wait", f"{PATIENCE_S}", "--json"]
        waits = subprocess.Popen(
            [sys.executable, "-m", "comity", *words, "--db", str(folder / "comity.db")],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": SOURCE},
        )
        while arbiter.look("gpu", "b").status != "waiting":
            assert waits.poll() is None
        waits.terminate()
        told, _ = waits.communicate(timeout=PATIENCE_S)
        assert (waits.returncode, json.loads(told)["kind"]) == (143, "interrupted")
        assert arbiter.look("gpu", "b").status == "withdrawn"
        assert held.end().successors == ()
    whole(folder)


@pytest.mark.parametrize("apart_ms", [4_000, 86_400_000])
def test_r7_processes_that_are_killed_and_whose_clocks_differ_never_share_a_lease(
    folder: Path, apart_ms: int
) -> None:
    """R7: clocks within the bound, and far beyond it."""
    chance = Random(apart_ms)  # noqa: S311  # a test, and no secret
    told: list[list[Any]] = []
    running: dict[str, Worker] = {}
    for turn in range(2 * KILLS):
        for name in "ab":
            if name not in running:
                off_ms = chance.randint(-apart_ms, apart_ms)
                running[name] = Worker(folder, SKEWED, f"{name}{turn}", off_ms)
                running[name].go()
        for _ in range(chance.randint(1, 6)):
            told.append(running["a"].heard())
        ended = running.pop(chance.choice("ab"))
        ended.kill()
        told += ended.rest()
    for one in running.values():
        one.kill()
        told += one.rest()
    tokens = [words[1] for words in told if words[0] == "won"]
    assert len(tokens) == len(set(tokens)), "nothing is granted twice"
    assert len(tokens) > KILLS
    whole(folder)
    with open_ledger(folder / "comity.db") as ledger:
        held: dict[int, int] = {}
        for one in ledger.read("desk/claims", everything=True):
            body: Any = one.body
            if one.kind == "conflict":
                assert not held, "one holder at a time"
                held = {token: until_ms for _, token, until_ms in body["leases"]}
            elif one.kind == "ended":
                until_ms = held.pop(body["token"])
                assert body["why"] != "expired" or body["at_ms"] >= until_ms
            elif one.kind == "renewed":
                held[body["token"]] = body["at_ms"] + body["lease_ms"]
