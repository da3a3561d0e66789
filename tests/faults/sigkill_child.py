"""Child of test_sigkill: a process that runs a session and is killed at chosen points.

Here: for each chosen point a forked process that kills itself there with SIGKILL, then another
that resumes the session from the file; one JSON line per point says what happened.
Not here: what must hold (test_sigkill.py).
Sources: SEMANTICS K3; ENGINE 10.

    python sigkill_child.py SCENARIO FOLDER FIRST EVERY
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from comity.formats.scenario import read_scenario
from comity.ledger.open import open_ledger
from comity.runner.local import LocalRunner
from comity.testing.agents import RecordingAgent, calls_in
from comity.testing.crash import Scene, scene_of


def live(scene: Scene, folder: Path, dies_at: int) -> None:
    """Be one process: start or resume, run to the end, or die at a point."""
    reached = 0

    def probe(point: str) -> None:
        nonlocal reached
        reached += 1
        if reached == dies_at:
            os.kill(os.getpid(), signal.SIGKILL)

    with open_ledger(folder / "ledger.db") as ledger:
        runner = LocalRunner(ledger, probe=probe)
        agents = {
            seat: RecordingAgent(agent, folder / "calls.jsonl")
            for seat, agent in scene.agents().items()
        }
        known = [head.scope for head in ledger.heads()]
        if scene.session in known:
            session = runner.resume(scene.session)
        else:
            session = runner.start(scene.session, scene.opening, scene.private)
        outcome = runner.run(session, agents)
    told = {"outcome": outcome.to_json(), "points": reached}
    (folder / "told.json").write_text(json.dumps(told), "utf-8")


def forked(work: Callable[[], None]) -> int:
    """Do work in a forked process and return how it ended: 0, or minus the signal."""
    number = os.fork()
    if number == 0:
        code = 1
        try:
            work()
            code = 0
        except Exception:  # noqa: BLE001  # told below, and by the exit code
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])


def told(folder: Path) -> dict[str, object]:
    path = folder / "told.json"
    found: dict[str, object] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return found


def main(scenario: str, place: str, first: str, every: str) -> None:
    scene = scene_of(read_scenario(Path(scenario), seed="1"))
    folder = Path(place)
    point, count = 0, 0
    while point <= count:
        here = folder / str(point)
        here.mkdir()
        killed = forked(partial(live, scene, here, point))
        before = calls_in(here / "calls.jsonl")
        if point == 0:  # nobody was killed: this is the run to compare with
            count = int(str(told(here)["points"]))
        resumed = forked(partial(live, scene, here, 0))
        after = calls_in(here / "calls.jsonl")[len(before) :]
        line = {"point": point, "killed": killed, "resumed": resumed, **told(here)}
        sys.stdout.write(json.dumps({**line, "before": before, "after": after}) + "\n")
        sys.stdout.flush()
        point += int(every) if point else int(first)


if __name__ == "__main__":
    main(*sys.argv[1:])
