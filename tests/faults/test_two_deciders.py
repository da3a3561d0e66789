"""G8, K3: of several processes that decide one case at once, or take it back, exactly one wins.

Every process is a fresh interpreter that waits for one line before it begins; what each was told
must fit what the ledger holds.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import comity
from comity.app import App
from comity.formats.scenario import scenario_from
from comity.testing.agents import ScriptedAgent

SOURCE = str(Path(comity.__file__).parents[1])

# Is told a ledger, a case, a name and what to do; tells how it ended as one line of JSON.
WORK = """
import json, sys
from pathlib import Path
from comity.app import App
from comity.core.errors import InvalidInput

path, case, name, wish = sys.argv[1:]
with App(path, create=False) as app:
    app.cases()
    print("ready", flush=True)
    sys.stdin.readline()
    try:
        if wish == "undo":
            app.undo(case, by=name, reason="r", within_ms=3_600_000)
        else:
            app.decide_case(case, wish, reason="r", by=name, folder=Path())
        print(json.dumps([name, "won"]))
    except InvalidInput as error:
        print(json.dumps([name, str(error)]))
"""


def at_once(place: Path, case: str, *wishes: str) -> list[Any]:
    """Start one process for each wish, let all begin together, and return what each was told."""
    started = [
        subprocess.Popen(
            [sys.executable, "-c", WORK, str(place), case, f"p{at}", wish],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={"PYTHONPATH": SOURCE},
        )
        for at, wish in enumerate(wishes)
    ]
    for one in started:
        assert one.stdout is not None
        assert one.stdout.readline() == "ready\n"
    for one in started:
        assert one.stdin is not None
        one.stdin.write("\n")
        one.stdin.flush()
    told = [one.communicate(timeout=120)[0] for one in started]
    assert [one.returncode for one in started] == [0] * len(wishes)
    return [json.loads(line) for line in told]


def test_g8_of_several_who_act_at_once_exactly_one_wins_and_all_others_are_told(
    tmp_path: Path,
) -> None:
    place = tmp_path / "ledger.db"
    data = {"kind": "vote", "question": "q", "options": ["A", "B"], "voters": ["ann", "bob"]}
    scenario = scenario_from(data, whose="x", folder=tmp_path, seed="1")
    agents: Any = {"ann": ScriptedAgent(("A",)), "bob": ScriptedAgent(("B",))}
    with App(str(place)) as app:
        case = app.decide(scenario, {}, folder=tmp_path, agents=agents).session
        expected = []
        for wishes in (["A", "B", "A"], ["undo"] * 3):
            told = at_once(place, case, *wishes)
            (winner,) = [name for name, said in told if said == "won"]
            choice = wishes[int(winner[1:])]
            if choice == "undo":
                said = f"{winner} took {expected[0][1]!r} back already"
            else:
                said = f"is decided already: {winner} decided {choice!r}"
            assert all(said in one for name, one in told if name != winner), told
            expected.append(
                ("undone", expected[0][1], winner)
                if choice == "undo"
                else ("decided", choice, winner)
            )
        assert [(one.what, one.choice, one.by) for one in app.story(case)] == expected
        kinds = Counter(one.kind for one in app.entries(case))
        assert (kinds["sealed"], kinds["undone"]) == (1, 1)
        assert app.replay(case).same
        assert app.verify().ok
