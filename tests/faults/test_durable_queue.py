"""ENGINE 4 and 5: every behaviour of DBOS and of PostgreSQL's locks that the workers rest on.

Each test is one sentence of docs/decisions/0011; a new version of DBOS must keep them all. One
process has one DBOS at a time, so each opens a queue of its own and closes it.
"""

from __future__ import annotations

import logging
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

import comity
from comity.core.errors import LedgerError
from comity.runner import durable
from comity.runner.durable import PROTOCOL, DbosQueue, leases_of
from comity.testing.postgres_server import NoServer, own_postgres

dbos: Any = pytest.importorskip("dbos", reason="durable: the extra `durable` is not installed")

SOURCE = str(Path(comity.__file__).parents[1])
PATIENCE_S = 30.0


def wait_for(is_so: Callable[[], bool]) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < give_up
        time.sleep(0.02)


class Drives:
    """What was driven; sessions whose name begins with ``held`` are held until they are let go."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, bool]] = []
        self.go = Event()

    def __call__(self, session: str, is_over: bool) -> str:
        self.calls.append((session, is_over))
        if session.startswith("held"):
            self.go.wait(PATIENCE_S)
        return "rests"


@pytest.fixture
def place(tmp_path: Path) -> str:
    return str(tmp_path / "ledger.db")


@pytest.fixture
def drives() -> Iterator[Drives]:
    made = Drives()
    yield made
    made.go.set()


@pytest.fixture
def queue(place: str, drives: Drives) -> Iterator[DbosQueue]:
    made = DbosQueue(place, "w1", slots=2)
    made.open(drives)
    yield made
    drives.go.set()
    made.close()


def test_a_session_is_on_the_queue_or_driven_at_most_once(
    queue: DbosQueue, drives: Drives
) -> None:
    queue.put(["held-1"])
    wait_for(lambda: drives.calls == [("held-1", False)])
    queue.put(["held-1", "a", "held-1"])
    wait_for(lambda: ("a", False) in drives.calls)
    (taken,) = [one for one in queue.taken() if one.session == "held-1"]
    assert taken.by == "w1"
    drives.go.set()
    wait_for(lambda: queue.taken() == ())
    assert drives.calls.count(("held-1", False)) == 1
    queue.put(["held-1"])  # its turn is over: it may be put again
    wait_for(lambda: drives.calls.count(("held-1", False)) == 2)


def test_a_worker_drives_no_more_at_once_than_it_has_slots(
    queue: DbosQueue, drives: Drives
) -> None:
    queue.put([f"held-{at}" for at in range(4)])
    wait_for(lambda: len(drives.calls) == 2)
    time.sleep(0.8)
    assert len(drives.calls) == 2
    assert sorted(one.by for one in queue.taken()) == ["", "", "w1", "w1"]
    drives.go.set()
    wait_for(lambda: len(drives.calls) == 4)


def test_what_is_taken_back_is_driven_again_and_told_so(queue: DbosQueue, drives: Drives) -> None:
    queue.put(["held-1"])
    wait_for(lambda: len(drives.calls) == 1)
    queue.take_back(queue.taken())
    wait_for(lambda: drives.calls == [("held-1", False), ("held-1", True)])
    (taken,) = queue.taken()
    drives.go.set()
    wait_for(lambda: queue.taken() == ())
    assert taken.session == "held-1"


def test_what_is_done_is_forgotten_after_ten_minutes_and_not_before(
    queue: DbosQueue, drives: Drives
) -> None:
    queue.put(["a", "b"])
    wait_for(lambda: len(drives.calls) == 2 and not queue.taken())
    now_ms = int(time.time() * 1000)
    queue.tidy(now_ms=now_ms)
    assert len(dbos.DBOS.list_workflows()) == 2
    queue.tidy(now_ms=now_ms + 11 * 60_000)
    assert dbos.DBOS.list_workflows() == []


def test_engine_4_the_settings_that_are_not_optional(
    queue: DbosQueue, drives: Drives, place: str
) -> None:
    queue.put(["a"])
    wait_for(lambda: len(drives.calls) == 1)
    with queue._place.engine.connect() as link:
        told = {
            name: link.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "busy_timeout", "foreign_keys")
        }
        rows = link.exec_driver_sql("SELECT serialization FROM workflow_status").fetchall()
    assert told == {"journal_mode": "wal", "busy_timeout": 30_000, "foreign_keys": 1}
    assert {one[0] for one in rows} == {"comity_json"}
    (done,) = dbos.DBOS.list_workflows()
    assert (done.app_version, done.executor_id) == (PROTOCOL, "w1")
    assert Path(f"{place}.queue").exists()


def test_nothing_is_logged_and_no_port_is_opened(
    queue: DbosQueue, drives: Drives, capfd: pytest.CaptureFixture[str]
) -> None:
    queue.put(["a"])
    wait_for(lambda: len(drives.calls) == 1)
    logger = logging.getLogger("dbos")
    assert not logger.propagate
    consoles = (sys.stdout, sys.stderr)
    assert not [one for one in logger.handlers if getattr(one, "stream", None) in consoles]
    assert capfd.readouterr() == ("", "")
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", 3001)) != 0  # where DBOS once had a server


def test_rows_of_a_dead_process_stay_until_they_are_taken_back(place: str, drives: Drives) -> None:
    code = (
        "import sys, time; from comity.runner.durable import DbosQueue\n"
        "queue = DbosQueue(sys.argv[1], 'dead', slots=2)\n"
        "queue.open(lambda *_: print('driven', flush=True) or time.sleep(600) or '')\n"
        "queue.put(['held-1'])\n"
        "time.sleep(600)\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, place],
        stdout=subprocess.PIPE,
        env={"PYTHONPATH": SOURCE},
    )
    assert child.stdout is not None
    assert child.stdout.readline() == b"driven\n"
    child.kill()
    child.communicate()
    queue = DbosQueue(place, "w1", slots=2)
    queue.open(drives)
    try:
        time.sleep(0.8)
        assert drives.calls == []  # DBOS itself notices nothing
        assert [one.by for one in queue.taken()] == ["dead"]
        queue.take_back(queue.taken())
        wait_for(lambda: drives.calls == [("held-1", True)])
    finally:
        drives.go.set()
        queue.close()


def test_a_process_can_open_a_queue_again_after_closing_it(place: str, drives: Drives) -> None:
    for name in ("w1", "w2"):
        queue = DbosQueue(place, name, slots=1)
        queue.open(drives)
        queue.put([name])
        wait_for(lambda name=name: (name, False) in drives.calls)
        queue.close()
    assert len(drives.calls) == 2


def test_without_the_package_its_extra_is_named(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(durable, "import_module", missing)
    with pytest.raises(LedgerError, match=r"comity\[durable\]"):
        DbosQueue(place, "w1", slots=1).open(lambda *_: "")


def test_a_ledger_in_memory_has_no_workers() -> None:
    with pytest.raises(LedgerError, match="in memory"):
        DbosQueue(":memory:", "w1", slots=1)
    with pytest.raises(LedgerError, match="in memory"):
        leases_of(":memory:")


def test_engine_5_the_locks_and_the_queue_on_postgresql(drives: Drives) -> None:
    try:
        context = own_postgres()
        with context as cluster:
            place = f"{cluster.url}&schema=law"
            one, other = leases_of(place), leases_of(place)
            one.hold("w1")
            other.hold("w2")
            assert one.living() == other.living() == frozenset({"w1", "w2"})
            other.let_go()
            assert one.living() == frozenset({"w1"})
            cluster.stop()
            assert one.living() is None
            cluster.start()
            one.beat()
            assert one.living() == frozenset({"w1"})
            looking = leases_of(place)
            assert looking.living() == frozenset({"w1"})
            looking.let_go()
            queue = DbosQueue(place, "w1", slots=2)
            queue.open(drives)
            try:
                queue.put(["a", "held-1"])
                queue.put(["a", "held-1"])
                wait_for(lambda: len(drives.calls) >= 2)
                queue.take_back([one for one in queue.taken() if one.session == "held-1"])
                wait_for(lambda: ("held-1", True) in drives.calls)
            finally:
                drives.go.set()
                queue.close()
                one.let_go()
    except NoServer as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"postgres: {error}")
