"""Contract 2, C5: a seat that hangs for ever ends a negotiation on the session's own clock.

Real programs and real time, at the command line: in the terminal's own process and by a worker.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import comity

SOURCE = str(Path(comity.__file__).parents[1])
MAIN = "import sys; from comity.cli.main import main; sys.exit(main())"
SAID = """\
PRIORITY: Focus
RATIONALE: depth
---
[DONE]
"""
SCENARIO = """
kind = "consent"
question = "Meetings?"
stall = 2
[seats.CC]
priority = "Focus"
agent = "script:said.txt"
[seats.CX]
priority = "Contact"
agent = "command:sleep 1000"
"""


def call(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", MAIN, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": SOURCE},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        stdin=subprocess.DEVNULL,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "said.txt").write_text(SAID, "utf-8")
    (tmp_path / "talk.toml").write_text(SCENARIO, "utf-8")
    return tmp_path


def check(folder: Path) -> None:
    why = json.loads(call(folder, "why", "last", "--json").stdout)
    assert "CX" in json.dumps(why)
    assert call(folder, "verify").returncode == 0
    assert call(folder, "replay", "last").returncode == 0


def test_a_negotiation_with_a_hanging_seat_ends_by_itself_and_names_the_seat(
    folder: Path,
) -> None:
    done = call(folder, "negotiate", "talk.toml", "--timeout", "1")
    assert done.returncode == 10, done.stderr
    assert "CX answers; it has been silent" in done.stdout
    assert "CX did not answer" in done.stderr
    assert "PRIORITY: Focus" in done.stderr
    check(folder)


def test_a_worker_ends_it_the_same_and_stops_when_it_is_told_to(folder: Path) -> None:
    pytest.importorskip("dbos", reason="durable: the extra `durable` is not installed")
    name = call(folder, "sessions", "start", "talk.toml", "--timeout", "1").stdout.strip()
    with subprocess.Popen(
        [sys.executable, "-c", MAIN, "worker"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": SOURCE},
        stderr=subprocess.PIPE,
        text=True,
    ) as worker:
        try:
            assert worker.stderr is not None
            said = [worker.stderr.readline() for _ in range(2)]
            assert said[1] == f"{name}: no_deal\n"
            worker.send_signal(signal.SIGTERM)
            begin_s = time.monotonic()
            assert worker.wait(60) == 143
            assert time.monotonic() - begin_s < 15
        finally:
            worker.kill()
    listed: Any = json.loads(call(folder, "sessions", "--json").stdout)["sessions"]
    assert [(one["session"], one["state"]) for one in listed] == [(name, "ended")]
    assert call(folder, "verify").returncode == 0
