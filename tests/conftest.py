"""What every test runs under: a closed outside, one of two profiles, and skips that are counted.

Here: Hypothesis profiles, the marker `full`, the closed network and the refused sleep, the
data folder, a PostgreSQL server, and the report that `dev.py test` prints at its end.
Not here: fakes and strategies that users get too (comity.testing).
Sources: docs/decisions/0002-tooling.md.
"""

from __future__ import annotations

import ipaddress
import json
import os
import re
import socket
from collections import Counter
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn
from unittest import mock

import pytest
from hypothesis import settings

from comity.testing.postgres_server import NoServer, postgres_server

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

ROOT = Path(__file__).resolve().parent.parent
UNIT = ROOT / "tests" / "unit"
IS_FULL = os.environ.get("COMITY_FULL") == "1"

# quick: the same examples each time, so that a red run is a real one. full: fresh examples.
settings.register_profile(
    "quick", max_examples=30, derandomize=True, deadline=None, print_blob=True
)
settings.register_profile("full", max_examples=300, deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("full" if IS_FULL else "quick"))


# --- the outside is closed -------------------------------------------------------------------


class OutsideIsClosed(Exception):
    """A test reached for the network or waited for real time.

    Not an OSError, which the code under test might take for a bad connection.
    """


def is_loopback(host: object) -> bool:
    """Tell whether a host name or address stays on this machine."""
    name = host.decode() if isinstance(host, bytes) else host
    if name is None or name in ("", "localhost"):
        return True
    try:
        return ipaddress.ip_address(str(name).split("%")[0]).is_loopback
    except ValueError:
        return False


def refuse_outside(address: object) -> None:
    """Raise unless an address is a local socket or on the loopback range."""
    if isinstance(address, tuple) and not is_loopback(address[0]):
        raise OutsideIsClosed(f"a test may talk to this machine only, not to {address[0]}")


def close_network(patch: pytest.MonkeyPatch) -> None:
    """Let sockets and name look-ups reach nothing but this machine."""
    for name in ("connect", "connect_ex"):
        real = getattr(socket.socket, name)

        def guarded(self: socket.socket, address: object, real: Any = real) -> Any:
            refuse_outside(address)
            return real(self, address)

        patch.setattr(socket.socket, name, guarded)
    look_up = socket.getaddrinfo

    def guarded_look_up(host: Any, *rest: Any, **named: Any) -> Any:
        refuse_outside((host,))
        return look_up(host, *rest, **named)

    patch.setattr(socket, "getaddrinfo", guarded_look_up)


def refuse_sleep(seconds: float) -> NoReturn:
    """Stand in for time.sleep in unit tests."""
    raise OutsideIsClosed(f"a unit test may not wait {seconds} s: hand in the time instead")


def pytest_configure(config: pytest.Config) -> None:
    patch = pytest.MonkeyPatch()
    config.add_cleanup(patch.undo)
    close_network(patch)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    if UNIT not in item.path.parents:
        return (yield)
    with mock.patch("time.sleep", refuse_sleep):
        return (yield)


# --- slow tests ------------------------------------------------------------------------------

LEFT_OUT = pytest.StashKey[int]()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    slow = [] if IS_FULL else [item for item in items if item.get_closest_marker("full")]
    if slow:
        items[:] = [item for item in items if item not in slow]
        config.hook.pytest_deselected(items=slow)
    config.stash[LEFT_OUT] = len(slow)


def pytest_sessionfinish(session: pytest.Session) -> None:
    workeroutput = getattr(session.config, "workeroutput", None)
    if workeroutput is not None:  # in a worker of pytest-xdist: tell the controller
        workeroutput["left_out"] = session.config.stash.get(LEFT_OUT, 0)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    # Every worker collects everything, so that each one's number is the whole number.
    left_out = getattr(node, "workeroutput", {}).get("left_out", 0)
    node.config.stash[LEFT_OUT] = max(left_out, node.config.stash.get(LEFT_OUT, 0))


# --- the report that dev.py prints -----------------------------------------------------------


def skipped_groups(skipped: list[pytest.TestReport]) -> Counter[str]:
    """Count each "name: reason"; a reason without a name gets its file's."""
    counted: Counter[str] = Counter()
    for report in skipped:
        told = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        reason = told.removeprefix("Skipped: ").strip()
        named = re.match(r"[\w./-]+: ", reason)
        counted[reason if named else f"{report.nodeid.split('::')[0]}: {reason}"] += 1
    return counted


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    written = os.environ.get("COMITY_TEST_REPORT")
    if not written:
        return
    stats = terminalreporter.stats
    groups = skipped_groups(stats.get("skipped", []))
    left_out = terminalreporter.config.stash.get(LEFT_OUT, 0)
    if left_out:
        groups["full: slow, run by `python3 dev.py test --full`"] = left_out
    told = {
        "passed": len(stats.get("passed", [])),
        "failed": len(stats.get("failed", [])) + len(stats.get("error", [])),
        "skipped": len(stats.get("skipped", [])),
        "groups": groups,
    }
    Path(written).write_text(json.dumps(told), encoding="utf-8")


# --- data ------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Return the folder of reference data, or skip when this checkout has none beside it."""
    folder = Path(os.environ.get("COMITY_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip("data: no reference data here; set COMITY_DATA to its folder")
    return folder


@pytest.fixture(scope="session")
def need_data(data_folder: Path) -> Callable[[str], Path]:
    """Return a function that finds one file of the reference data, or skips by its name."""

    def find(relative: str) -> Path:
        path = data_folder / relative
        if not path.exists():
            pytest.skip(f"data: {relative} is not in the data folder")
        return path

    return find


# --- PostgreSQL ------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def postgres_database(worker_id: str) -> Iterator[str]:
    """Return the URL of an empty database of this worker alone, on the server of the test run.

    Its commits do not wait for the disk. Without a server: a skip with the reason, in CI a
    failure.
    """
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID") or f"pid{os.getpid()}"
    with ExitStack() as stack:
        try:
            url = stack.enter_context(postgres_server(run))
            psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
        except (NoServer, pytest.skip.Exception) as error:
            if os.environ.get("CI") == "true":
                pytest.fail(f"postgres: {error}")
            pytest.skip(f"postgres: {error}")
        with psycopg.connect(url, autocommit=True) as db:
            db.execute(f"CREATE DATABASE test_{worker_id} TEMPLATE template0")
        yield url.replace("/postgres?", f"/test_{worker_id}?")


SCHEMAS = count()


@pytest.fixture
def postgres_place(postgres_database: str) -> Callable[[], str]:
    """Return a function that gives the URL of a new place for a ledger at every call."""
    return lambda: f"{postgres_database}&schema=s{next(SCHEMAS)}"
