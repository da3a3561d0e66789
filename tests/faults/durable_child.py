"""Child of test_durable_crash: a worker whose seats take a while and note every call.

Here: one worker over a ledger whose sessions are of one scenario; every call is on disk, with the
time and the process, before the seat is asked.
Not here: what must hold (test_durable_crash.py).
Sources: ENGINE 10.

    python durable_child.py LEDGER CALLS TAKES_MS STALE_S [once]
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from comity.agents.base import Agent, Failure, Question, Reply
from comity.agents.lineup import agents_of
from comity.ledger.entry import Entry
from comity.ledger.open import open_ledger
from comity.runner.clock import RealClock
from comity.runner.driven import is_away
from comity.runner.driving import Driver
from comity.runner.durable import DbosQueue, leases_of
from comity.runner.group_commit import grouped
from comity.runner.pooled import PooledClock
from comity.runner.worker import Worker, worker_name
from comity.session.record import PRIVATE, Opening


@dataclass(frozen=True, slots=True)
class Noted:
    """A seat that notes every call, takes its time and then answers as another does."""

    agent: Agent
    calls: Path
    takes_ms: int
    waits: bool = True

    def reply(self, question: Question) -> Reply | Failure:
        clock = RealClock()
        line = {"request_id": question.request_id, "pid": os.getpid(), "at_ms": clock.now_ms()}
        number = os.open(self.calls, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        os.write(number, json.dumps(line).encode() + b"\n")
        os.close(number)
        clock.sleep_until(clock.now_ms() + self.takes_ms)
        return self.agent.reply(question)


def main(place: str, calls: str, takes_ms: str, stale_s: str, once: str = "") -> None:
    def seats(opening: Opening, entries: Sequence[Entry]) -> Mapping[str, Agent]:
        private = {str(one.party): one.body for one in entries if one.kind == PRIVATE}
        away = tuple(str(seat) for seat in opening.agents if is_away(opening, str(seat)))
        found = agents_of(opening, private, None, without=away)
        return {seat: Noted(one, Path(calls), int(takes_ms)) for seat, one in found.items()}

    name, clock = worker_name(), PooledClock()
    with open_ledger(place) as ledger:
        worker = Worker(
            ledger,
            Driver(grouped(ledger), name, seats, clock=clock),
            DbosQueue(place, name, slots=100),
            leases_of(place, stale_s=float(stale_s)),
            clock=clock,
        )
        signal.signal(signal.SIGTERM, lambda *_: worker.stop())
        sys.stdout.write(f"{name}\n")
        sys.stdout.flush()
        worker.run(once=bool(once))


if __name__ == "__main__":
    main(*sys.argv[1:])
