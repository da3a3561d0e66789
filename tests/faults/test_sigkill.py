"""K3, contract 2: a process that is really killed leaves a session that resumes to the same end.

A forked process runs the authentication example on a ledger in a file and kills itself with
SIGKILL before or after an append, an ask or a reply; another resumes. The oracle of the calls
that were made is an append-only file that each call is written to before the agent is asked.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from comity.app import App
from comity.ledger.open import open_ledger
from comity.ledger.verify import verify
from comity.session.fold import replay
from comity.session.record import INPUT

FULL = os.environ.get("COMITY_FULL") == "1"
HERE = Path(__file__).resolve().parent
EXAMPLE = HERE.parents[1] / "examples" / "auth-protocol.toml"

EVERY = 1 if FULL else 7  # 7 and 4 points a message: each kind of point is met


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[int, dict[str, Any]]:
    """Return what the child told, by the point of the kill; 0 is the run without one."""
    folder = tmp_path_factory.mktemp("killed")
    done = subprocess.run(
        [sys.executable, HERE / "sigkill_child.py", EXAMPLE, folder, "1", str(EVERY)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {line["point"]: {**line, "folder": folder / str(line["point"])} for line in lines}


def test_the_processes_were_really_killed_at_points_of_every_kind(
    runs: dict[int, dict[str, Any]],
) -> None:
    whole = runs[0]
    assert whole["killed"] == 0
    kills = {point: run for point, run in runs.items() if point}
    assert {run["killed"] for run in kills.values()} == {-signal.SIGKILL}
    assert {run["resumed"] for run in runs.values()} == {0}
    assert {point % 4 for point in kills} == {0, 1, 2, 3}
    assert len(kills) >= len(range(1, 30, EVERY))


def test_every_killed_session_resumes_to_the_same_outcome(runs: dict[int, dict[str, Any]]) -> None:
    assert runs[0]["outcome"]["kind"] == "agreement"
    for point, run in runs.items():
        assert run["outcome"] == runs[0]["outcome"], f"killed at point {point}"


def test_at_most_the_call_in_flight_is_repeated_under_the_same_request_id(
    runs: dict[int, dict[str, Any]],
) -> None:
    calls = runs[0]["before"]
    assert runs[0]["after"] == []
    assert len(calls) == len(set(calls)) > 5
    repeats = 0
    for point, run in runs.items():
        again = [call for call in run["after"] if call in run["before"]]
        assert again in ([], run["before"][-1:]), f"killed at point {point}"
        assert run["before"] + run["after"][len(again) :] == calls, f"killed at point {point}"
        repeats += len(again)
    assert repeats >= 2, "kills between a call and its record were among them"


def test_no_call_whose_reply_was_recorded_was_made_again(runs: dict[int, dict[str, Any]]) -> None:
    for point, run in runs.items():
        with open_ledger(run["folder"] / "ledger.db", create=False) as ledger:
            entries = ledger.read("s")
            assert verify(ledger).ok
        assert replay((one.kind, one.body) for one in entries).same
        kinds = [one.body["kind"] for one in entries if one.kind == INPUT]
        answered = len(run["before"]) + len(run["after"])
        repeated = len([call for call in run["after"] if call in run["before"]])
        assert kinds.count("reply") == answered - repeated, f"killed at point {point}"


def test_the_application_resumes_what_was_killed(tmp_path: Path) -> None:
    """The same through the door that `comity resume` uses, one kill in the middle."""
    folder = tmp_path / "killed"
    folder.mkdir()
    code = (
        "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[1]); "
        "import sigkill_child as child; from comity.formats.scenario import read_scenario; "
        "scene = child.scene_of(read_scenario(Path(sys.argv[2]), seed='1')); "
        "child.live(scene, Path(sys.argv[3]), int(sys.argv[4]))"
    )
    command = [sys.executable, "-c", code, HERE, EXAMPLE]
    for place, point in ((tmp_path, 0), (folder, 22)):
        done = subprocess.run([*command, place, str(point)], check=False, capture_output=True)
        assert done.returncode == (0 if point == 0 else -signal.SIGKILL), done.stderr
    expected = json.loads((tmp_path / "told.json").read_text("utf-8"))["outcome"]
    app = App(str(folder / "ledger.db"), create=False)
    try:
        decided = app.resume("s", folder=tmp_path)
        assert decided.outcome.to_json() == expected
        assert app.outcome("s") == decided.outcome
        assert decided.document
    finally:
        app.close()
