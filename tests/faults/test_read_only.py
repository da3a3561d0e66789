"""K4: every reading command works where nothing can be written.

A folder of another user, with and without a writer in it, and a read-only file system. When the
tests run as root, who reads is the user `nobody`, which a process becomes when it has imported all
it needs.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

import comity
from comity.ledger.entry import NewEntry
from comity.ledger.open import open_ledger
from comity.runner.arbiter import Arbiter

SOURCE = str(Path(comity.__file__).parents[1])
IS_ROOT = os.name == "posix" and os.geteuid() == 0
COMMANDS = (
    "verify",
    "ledger",
    "ledger --head",
    "ledger --export json",
    "why claims",
    "watch",
    "inbox",
    "arbiter",
    "arbiter --check",
    "claim gpu --agent late",
)
# Is told a ledger, and a copy to try everything on while it may still import what it needs; tells
# for each command its exit code, and what went to the two streams.
CHILD = f"""
import contextlib, io, json, os, sys
from comity.cli.main import main

def run(place):
    told = {{}}
    for words in {COMMANDS!r}:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main([*words.split(), "--db", place])
        told[words] = [code, out.getvalue(), err.getvalue()]
    return told

if len(sys.argv) > 2:
    import pwd
    run(sys.argv[2])
    who = pwd.getpwnam("nobody")
    os.setgroups([])
    os.setgid(who.pw_gid)
    os.setuid(who.pw_uid)
print(json.dumps(run(sys.argv[1])))
"""


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder every user can get to, with a ledger that nobody has open."""
    folder = Path(mkdtemp(prefix="comity-read-"))
    with Arbiter(folder / "comity.db") as arbiter:
        arbiter.claim("gpu", agent="ann").end()
        arbiter.claim("gpu", agent="bob")
    yield folder / "comity.db"
    folder.chmod(0o755)
    shutil.rmtree(folder)


def read_by_another(
    place: Path, copies: Path, before: tuple[str, ...] = ()
) -> dict[str, list[Any]]:
    """Run every command in a process that cannot write the file."""
    for part in ("", "-wal"):
        if Path(f"{place}{part}").exists():
            shutil.copy(f"{place}{part}", f"{copies / place.name}{part}")
    place.chmod(0o444)
    place.parent.chmod(0o555)
    copy = [str(copies / place.name)] if IS_ROOT and not before else []
    done = subprocess.run(
        [*before, sys.executable, "-c", CHILD, str(place), *copy],
        cwd=place.parent,
        env={"PYTHONPATH": SOURCE, "PATH": os.environ.get("PATH", "")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, list[Any]] = json.loads(done.stdout)
    return found


def holds(told: dict[str, list[Any]]) -> None:
    """Hold that all was read and nothing written."""
    late = told.pop("claim gpu --agent late")
    assert {words: code for words, (code, *_) in told.items()} == dict.fromkeys(told, 0)
    assert told["verify"][1].startswith("The ledger is whole")
    assert len(told["ledger --head"][1]) == 65
    assert "this is the newest head there is: it does not cover" in told["ledger --head"][2]
    assert "every conflict comes out the same" in told["arbiter --check"][1]
    assert (late[0], "cannot be written" in late[2]) == (1, True)


@pytest.mark.skipif(os.name != "posix", reason="users: this system has no rights of files")
def test_k4_a_ledger_in_somebody_else_s_folder_is_read(place: Path, tmp_path: Path) -> None:
    holds(read_by_another(place, tmp_path))
    assert [one.name for one in place.parent.iterdir()] == ["comity.db"]


@pytest.mark.skipif(os.name != "posix", reason="users: this system has no rights of files")
def test_k4_it_is_read_while_its_owner_writes(place: Path, tmp_path: Path) -> None:
    with open_ledger(place) as ledger:
        new = [NewEntry("note", {})]
        ledger.append("s", new, expected_head=None, request_id=None, now_ms=1)
        told = read_by_another(place, tmp_path)
        assert '"scope":"s"' in told["ledger --export json"][1]
        holds(told)


def test_k4_a_ledger_on_a_read_only_file_system_is_read(place: Path, tmp_path: Path) -> None:
    folder = str(place.parent)
    mounted = (
        *("unshare", "-m", "sh", "-c"),
        'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" "$0" && exec "$@"',
        folder,
    )
    can = IS_ROOT and shutil.which("unshare") and shutil.which("mount")
    if not can or subprocess.run([*mounted, "true"], check=False, capture_output=True).returncode:
        pytest.skip("mount: nothing can be mounted here")
    holds(read_by_another(place, tmp_path, mounted))
