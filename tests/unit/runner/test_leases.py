"""runner/leases.py: who lives, by locks and by words (ENGINE 5).

The locks of PostgreSQL are tested with a real server in tests/faults/test_durable_queue.py.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import comity
from comity.core.errors import LedgerError
from comity.runner import leases
from comity.runner.leases import FileLeases, SqlLeases

pytest.importorskip("fcntl", reason="flock: not on this system")

SOURCE = str(Path(comity.__file__).parents[1])
HOLDER = """
import sys
from pathlib import Path
from comity.runner.leases import FileLeases
FileLeases(Path(sys.argv[1])).hold(sys.argv[2])
print("held", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "ledger.db.workers"


def test_nobody_lives_where_nobody_was(folder: Path) -> None:
    assert FileLeases(folder).living() == frozenset()


def test_who_holds_a_name_lives_until_it_is_let_go(folder: Path) -> None:
    one, other = FileLeases(folder), FileLeases(folder)
    one.hold("w1")
    other.hold("w2")
    assert one.living() == other.living() == frozenset({"w1", "w2"})
    one.let_go()
    one.let_go()
    one.beat()
    assert other.living() == frozenset({"w2"})
    other.let_go()
    assert list(folder.iterdir()) == []


def test_engine_5_who_is_killed_is_dead_at_once_and_leaves_nothing(folder: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, folder, "w1"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"PYTHONPATH": SOURCE},
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    looking = FileLeases(folder)
    assert looking.living() == frozenset({"w1"})
    holder.kill()
    holder.communicate()
    assert looking.living() == frozenset()
    assert list(folder.iterdir()) == []


def test_engine_5_who_holds_the_lock_and_says_nothing_counts_as_dead(folder: Path) -> None:
    frozen, looking = FileLeases(folder), FileLeases(folder, stale_s=5)
    frozen.hold("w1")
    (path,) = folder.iterdir()
    os.utime(path, (path.stat().st_atime, path.stat().st_mtime - 60))
    assert looking.living() == frozenset()
    assert path.exists()
    frozen.beat()
    assert looking.living() == frozenset({"w1"})
    frozen.let_go()


def test_one_always_counts_oneself_as_living(folder: Path) -> None:
    one = FileLeases(folder, stale_s=0)
    one.hold("w1")
    assert one.living() == frozenset({"w1"})
    one.let_go()


def test_a_file_that_somebody_removed_meanwhile_is_made_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = leases._fcntl()

    class Meddled:
        LOCK_EX, LOCK_NB = real.LOCK_EX, real.LOCK_NB
        times = 0

        @classmethod
        def flock(cls, file: int, how: int) -> None:
            cls.times += 1
            if cls.times == 1:
                (folder / "w1.worker").unlink()
            real.flock(file, how)

    monkeypatch.setattr(leases, "_fcntl", lambda: Meddled)
    one = FileLeases(folder)
    one.hold("w1")
    assert (folder / "w1.worker").exists()
    one.let_go()


def test_a_system_without_such_locks_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(leases, "import_module", missing)
    with pytest.raises(LedgerError, match="PostgreSQL"):
        FileLeases(folder).hold("w1")


class Server:
    """Stands for PostgreSQL: answers as it is told, and can be away."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, bool]] = []
        self.locked: list[int] = []
        self.said: list[str] = []
        self.is_away = False
        self.closed = 0

    def connect(self) -> Server:
        if self.is_away:
            raise OSError
        return self

    def exec_driver_sql(self, statement: str, values: dict[str, Any]) -> Server:
        if self.is_away:
            raise OSError
        self.said.append(statement)
        return self

    def fetchall(self) -> list[Any]:
        return (
            self.rows
            if "FROM" in self.said[-1] and "beat >" in self.said[-1]
            else [(one,) for one in self.locked]
        )

    def invalidate(self) -> None:
        self.closed += 1

    def close(self) -> None:
        pass


def keys(*names: str) -> list[int]:
    return [leases._key(name) % 2**32 for name in names]


def test_on_postgresql_who_is_locked_and_fresh_lives() -> None:
    server = Server()
    one = SqlLeases(server.connect, schema="q")
    one.hold("w1")
    server.rows = [("w1", True), ("w2", True), ("w3", False), ("w4", True)]
    server.locked = keys("w1", "w2", "w3")
    assert one.living() == frozenset({"w1", "w2"})
    one.beat()
    one.let_go()
    assert server.said[-1].startswith('DELETE FROM "q".comity_workers')
    assert server.closed == 1


def test_nothing_is_known_while_the_server_is_away_and_all_live_just_after() -> None:
    server = Server()
    one = SqlLeases(server.connect, schema="q")
    one.hold("w1")
    server.is_away = True
    assert one.living() is None
    one.beat()
    assert one.living() is None
    server.is_away = False
    server.rows, server.locked = [("w1", True), ("w2", False)], keys("w1")
    one.beat()
    assert one.living() == frozenset({"w1", "w2"})


def test_who_only_looks_holds_no_name_and_leaves_none() -> None:
    server = Server()
    server.rows, server.locked = [("w1", True)], keys("w1")
    looking = SqlLeases(server.connect, schema="q")
    assert looking.living() == frozenset({"w1"})
    assert not [one for one in server.said if one.startswith("INSERT")]
    looking.let_go()
    server.is_away = True
    assert SqlLeases(server.connect, schema="q").living() is None
