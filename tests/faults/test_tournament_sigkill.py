"""Tournament killed: what was written survives SIGKILL at any point, and so do the figures.

Here: a real child process, killed again and again while it plays, in one process and in several.
Not here: files cut at every byte (unit and property tests).
Sources: complaints 5 and 26 of the research; the final rows are those of an undisturbed run.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCENARIO = ROOT / "examples" / "rollout.toml"
LIMIT_S = 60

pytestmark = pytest.mark.skipif(
    not hasattr(signal, "SIGKILL"), reason="posix: there is no SIGKILL"
)


def words(out: Path, jobs: int, *more: str) -> list[str]:
    return [
        sys.executable, "-m", "comity", "tournament", str(SCENARIO), "--strategies",
        "boulware,linear,micro,hardliner", "--repeat", "15", "--jobs", str(jobs), "--out",
        str(out), *more,
    ]  # fmt: skip


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT / "src")}


def to_the_end(out: Path, jobs: int, *more: str) -> str:
    """Run to the end; that it returns at all is complaint 5."""
    done = subprocess.run(
        words(out, jobs, *more), capture_output=True, text=True, env=environment(),
        timeout=LIMIT_S, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def lines_in(out: Path) -> int:
    return out.read_bytes().count(b"\n") if out.exists() else 0


def start(out: Path, jobs: int, *more: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        words(out, jobs, *more), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env=environment(), start_new_session=True,
    )  # fmt: skip


def wait_for_lines(child: subprocess.Popen[bytes], out: Path, count: int) -> None:
    end = time.monotonic() + LIMIT_S
    while lines_in(out) < count and child.poll() is None and time.monotonic() < end:
        time.sleep(0.002)


def group_is_gone(leader: int) -> bool:
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end:
        try:
            os.killpg(leader, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize("jobs", [1, 2])
def test_c26_killed_at_several_points_it_ends_with_the_same_file(
    tmp_path: Path, jobs: int
) -> None:
    whole, out = tmp_path / "whole.jsonl", tmp_path / "rows.jsonl"
    said = to_the_end(whole, 1)
    assert lines_in(whole) == 1 + 16 * 15
    kills = 0
    for count in (1, 40, 120):
        child = start(out, jobs, "--resume")
        wait_for_lines(child, out, count)
        child.kill()
        kills += child.wait(LIMIT_S) == -signal.SIGKILL
        assert group_is_gone(child.pid), "a process outlived the one that started it"
    assert kills >= 2
    assert to_the_end(out, jobs, "--resume") == said
    assert out.read_bytes() == whole.read_bytes()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["rows.jsonl", "whole.jsonl"]


def test_c5_interrupted_it_ends_at_once_with_its_processes_and_says_how_to_go_on(
    tmp_path: Path,
) -> None:
    out = tmp_path / "rows.jsonl"
    child = subprocess.Popen(
        words(out, 2), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(),
        start_new_session=True, text=True,
    )  # fmt: skip
    end = time.monotonic() + LIMIT_S
    while lines_in(out) < 20 and child.poll() is None and time.monotonic() < end:
        time.sleep(0.002)
    os.killpg(child.pid, signal.SIGINT)  # as a terminal does: the whole group gets it
    said, told = child.communicate(timeout=LIMIT_S)
    assert group_is_gone(child.pid)
    if child.returncode == 0:
        pytest.skip("timing: it had ended before it was interrupted")
    assert child.returncode == 130
    assert said == ""
    assert "go on with: comity tournament" in told
    assert told.rstrip().endswith("--resume")
    assert "Traceback" not in told
