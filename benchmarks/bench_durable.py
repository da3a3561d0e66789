"""Durable: what do a thousand sessions cost one worker, and how soon does it take them up?

Here: sessions whose seats take their time, driven by one worker on SQLite, beside the ideal time
and beside the floor (recording and folding alone); the same sessions taken up again after the
worker was killed with every call in flight; sessions that wait for a person, answered while no
worker lived.
Not here: what happens to calls when workers die (tests/faults/test_durable_crash.py).
Sources: ENGINE 2-5; issue "Real agents at the table".

    python bench_durable.py [SESSIONS TURNS SECONDS]

The seats sleep, so the figures depend on what else runs on the machine: the load is told. Exit 1
when a goal is missed.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, Thread

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from comity.agents.base import Agent, Question, Reply
from comity.ledger.entry import Entry
from comity.ledger.open import open_ledger
from comity.ledger.port import Ledger
from comity.protocols.collect.opening import vote_rules
from comity.protocols.collect.rules import Gate
from comity.protocols.consent.rules import ConsentLimits, consent_rules
from comity.runner.driving import Driver
from comity.runner.durable import DbosQueue, leases_of
from comity.runner.group_commit import grouped
from comity.runner.handed import DurableRunner
from comity.runner.local import LocalRunner, Session, standing_seals
from comity.runner.pooled import PooledClock
from comity.runner.worker import Worker, worker_name
from comity.session.record import Opening

SEATS = ("CC", "CX", "GM")
MOST_OF_IDEAL, MOST_RESUME_S = 1.15, 5.0
LONGEST_S = 120


@dataclass
class Slow:
    """A seat that takes its time and says something new each turn."""

    seconds: float
    called: list[float] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)
    waits: bool = True

    def reply(self, question: Question) -> Reply:
        """Take the time, then answer."""
        self.called.append(time.monotonic())
        time.sleep(self.seconds)
        if question.ask.kind == "position":
            return Reply(text=f"PRIORITY: {question.ask.party}\nRATIONALE: so")
        return Reply(text=f"[DISCUSS]\n{question.ask.party} makes point {question.nth}.")


def talk(turns: int) -> Opening:
    """Return a negotiation that talks for so many turns, the positions taken as one."""
    rules = consent_rules(
        "Tea or coffee?",
        {seat: f"the case of {seat}" for seat in SEATS},
        seed="1",
        order=list(SEATS),
        limits=ConsentLimits(max_turns=turns + len(SEATS) - 1, stall=10 * turns),
    )
    agents = dict.fromkeys(SEATS, "rational")
    return Opening(kind="consent", title="Talk", rules=rules.to_json(), agents=agents)


def poll() -> Opening:
    """Return a vote that one person decides."""
    gate = Gate(on="none")
    rules = vote_rules("Which?", ["ann"], seed="1", options=["A", "B"], gate=gate)
    return Opening(kind="vote", title="Poll", rules=rules.to_json(), agents={"ann": "person"})


def worker_on(
    place: str, ledger: Ledger, seat: Agent, on_end: Callable[[Session], None] | None = None
) -> Worker:
    """Return a worker whose every seat is one."""

    def seats(opening: Opening, _: Sequence[Entry]) -> Mapping[str, Agent]:
        return {name: seat for name, how in opening.agents.items() if how != "person"}

    name = worker_name()
    queue = DbosQueue(place, name, slots=2_000)
    clock = PooledClock()
    driver = Driver(grouped(ledger), name, seats, clock=clock, on_end=on_end)
    return Worker(ledger, driver, queue, leases_of(place), clock=clock)


def begin(ledger: Ledger, opening: Opening, count: int, prefix: str) -> None:
    """Begin so many sessions, sixteen at once."""
    shared = DurableRunner(grouped(ledger))

    def some(part: int) -> None:
        for at in range(part, count, 16):
            shared.start(f"{prefix}{at:05}", opening)

    threads = [Thread(target=some, args=(part,)) for part in range(16)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()


def floor_ms(folder: Path, turns: int) -> float:
    """Return the CPU milliseconds of one turn that is recorded and folded, and nothing else."""
    seat = Slow(0)
    seat.waits = False
    with open_ledger(folder / "floor.db") as ledger:
        runner, begin_s, count = LocalRunner(ledger), time.process_time(), 0
        for at in range(20):
            session = runner.start(f"f{at}", talk(turns))
            runner.run(session, dict.fromkeys(SEATS, seat))
            count += session.inputs
    return (time.process_time() - begin_s) / count * 1e3


def drive(folder: Path, sessions: int, turns: int, seconds: float) -> bool:
    """Drive sessions to their end and tell what it cost."""
    place = str(folder / "drive.db")
    ideal = seconds * turns
    with open_ledger(place) as ledger:
        begin(ledger, talk(turns), sessions, "s")
        worker = worker_on(place, ledger, Slow(seconds))
        cpu, wall = time.process_time(), time.monotonic()
        worker.run(once=True)
        cpu, wall = time.process_time() - cpu, time.monotonic() - wall
        ended = len(standing_seals(ledger))
        count = len(ledger.find("input"))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{sessions} sessions of {turns} turns, {seconds} s a call: {ended} ended")
    print(
        f"  wall {wall:.1f} s, ideal {ideal:.1f} s, ratio {wall / ideal:.2f}; peak {peak:.0f} MB"
    )
    floor = floor_ms(folder, turns)
    print(f"  CPU {cpu / count * 1e3:.2f} ms a turn with the engine, floor {floor:.2f} ms")
    return ended == sessions and wall <= MOST_OF_IDEAL * ideal


def take_up(folder: Path, sessions: int) -> bool:
    """Kill a worker with every call in flight and tell when all are made again."""
    place = str(folder / "killed.db")
    with open_ledger(place) as ledger:
        begin(ledger, talk(30), sessions, "s")
    child = subprocess.Popen(  # noqa: S603  # this very script
        [sys.executable, __file__, "--hang", place, str(sessions)], stdout=subprocess.PIPE
    )
    assert child.stdout is not None
    child.stdout.readline()
    child.kill()
    child.wait()
    return _asked_again(place, sessions)


def _asked_again(place: str, sessions: int) -> bool:
    """Start a worker and tell when it has made the calls in flight again."""
    calls = len(SEATS) * sessions
    seat = Slow(3_600)
    with open_ledger(place) as ledger:
        worker = worker_on(place, ledger, seat)
        Thread(target=worker.run, daemon=True).start()
        begin_s, ready_s = time.monotonic(), 0.0
        while len(seat.called) < calls and time.monotonic() - begin_s < LONGEST_S:
            time.sleep(0.02)
        ready_s = seat.called[0] - begin_s
        took_s = seat.called[-1] - begin_s
        print(f"{sessions} sessions of a killed worker: asked again {took_s:.1f} s after a start,")
        print(f"  the first after {ready_s:.1f} s (loading the engine), {len(seat.called)} calls")
        sys.stdout.flush()
    return took_s - ready_s <= MOST_RESUME_S


def hang(place: str, sessions: int) -> None:
    """Be a worker that asks everything and hears nothing, until it is killed."""
    seat = Slow(3_600)
    with open_ledger(place) as ledger:
        Thread(target=worker_on(place, ledger, seat).run, daemon=True).start()
        while len(seat.called) < len(SEATS) * sessions:
            time.sleep(0.05)
        print("asked", flush=True)
        time.sleep(3_600)


def waiting(folder: Path, sessions: int) -> bool:
    """Answer sessions that wait while no worker lives, and tell when a worker has sealed all."""
    place = str(folder / "waiting.db")
    with open_ledger(place) as ledger:
        begin(ledger, poll(), sessions, "p")
        worker_on(place, ledger, Slow(0)).run(once=True)
        runner = DurableRunner(grouped(ledger))
        for at in range(sessions):
            runner.answer(runner.resume(f"p{at:05}"), "ann", "VOTE: A")
        ends: list[float] = []
        worker = worker_on(place, ledger, Slow(0), lambda _: ends.append(time.monotonic()))
        begin_s = time.monotonic()
        thread = Thread(target=worker.run)
        thread.start()
        while len(ends) < sessions and time.monotonic() - begin_s < LONGEST_S:
            time.sleep(0.05)
        first_s, took_s = ends[0] - begin_s, ends[-1] - begin_s
        worker.stop()
        thread.join()
        ended = len(standing_seals(ledger))
    print(f"{sessions} sessions that waited, answered while no worker lived: {ended} sealed")
    print(f"  {took_s:.1f} s after a start, the first after {first_s:.1f} s (loading the engine)")
    return ended == sessions and took_s - first_s <= MOST_RESUME_S


def main(words: Sequence[str]) -> int:
    """Measure, print and return the exit code."""
    if words[:1] == ["--hang"]:
        hang(words[1], int(words[2]))
        return 0
    if words[:1] == ["--take-up"]:
        os._exit(0 if take_up(Path(words[1]), int(words[2])) else 1)  # its calls never end
    sessions, turns, seconds = (*words, *("1000", "30", "5")[len(words) :])
    print(f"load {' '.join(f'{one:.1f}' for one in os.getloadavg())}, {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        good = [waiting(folder, int(sessions))]
        sys.stdout.flush()
        words = [sys.executable, __file__, "--take-up", name, sessions]
        done = subprocess.run(words, check=False)  # noqa: S603  # this very script
        good += [done.returncode == 0, drive(folder, int(sessions), int(turns), float(seconds))]
    print(f"load {' '.join(f'{one:.1f}' for one in os.getloadavg())}")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
