"""Councils at the command line: seats that hang, budgets, agents of every kind (C5, C6, C7).

Here: real processes and the fake model server, end to end.
Not here: the adapters one by one (tests/contracts), what the machine does (tests/unit/protocols).
Sources: SEMANTICS C5, C7; the failures of real programs, as measured.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from comity.testing.model_server import Asked, ModelServer, Turn

ROOT = Path(__file__).resolve().parents[2]
ASKED = ("negotiate", "Meet? CC=Focus, CX=Contact, GM=Calm.", "--order", "CC,CX,GM")
POSITION = "PRIORITY: x\nRATIONALE: y\nRED LINE: none\nWILLING TO TRADE: z"
AGREEABLE = f"""\
case "$COMITY_ASK" in
  position) printf '%s\\n' '{POSITION}';;
  turn) printf '[CONSENT CHECK]\\n- Tuesdays\\n';;
  answer) echo '[CONSENT]';;
esac
"""
HANGING = 'exec sleep 10000 "$@"\n'
LONGEST_S = 120


def comity(folder: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COMITY_")}
    return subprocess.run(
        [sys.executable, "-m", "comity", *words],
        cwd=folder,
        env={**kept, "PYTHONPATH": str(ROOT / "src"), **more},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=LONGEST_S,
        check=False,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "agreeable.sh").write_text(AGREEABLE, "utf-8")
    (tmp_path / "hanging.sh").write_text(HANGING, "utf-8")
    return tmp_path


def seats(**how: str) -> list[str]:
    return [word for seat, spec in how.items() for word in ("--agent", f"{seat}={spec}")]


def recorded(folder: Path) -> list[dict[str, object]]:
    told = comity(folder, "ledger", "--export", "json")
    assert told.returncode == 0, told.stderr
    return [json.loads(line) for line in told.stdout.splitlines()]


def test_c5_a_program_that_hangs_for_ever_ends_on_its_own_clock_and_is_named(
    folder: Path,
) -> None:
    said = comity(
        folder,
        *ASKED,
        *("--timeout", "0.3", "--output", "meeting.md"),
        *seats(CC="command:sh agreeable.sh", CX="command:sh hanging.sh 91734"),
        *seats(GM="command:sh agreeable.sh"),
    )
    assert said.returncode == 10
    assert said.stdout.endswith("CONSENSUS: Not achieved\n")
    assert "CX answers the check of version" in said.stdout
    assert "CX gave no readable position (timeout)" in said.stdout
    assert said.stderr.splitlines()[-1].startswith("CX did not answer ")
    assert "the last time: no answer in 0.3 s, 2 times in a row" in said.stderr
    left = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
    assert "91734" not in left.stdout, "nothing of it is left"

    entries = recorded(folder)
    assert [one["kind"] for one in entries][:1] == ["opened"]
    assert entries[-1]["kind"] == "sealed"
    assert entries[0]["body"]["limits"] == {"timeout_ms": 300}  # type: ignore[index]  # an opening
    for words in (("verify",), ("replay", "last")):
        assert comity(folder, *words).returncode == 0, words
    assert "[INCOMPLETE]" in (folder / "meeting.md").read_text("utf-8")


def test_c5_a_model_that_hangs_for_ever_ends_on_its_own_clock_and_is_named(folder: Path) -> None:
    pytest.importorskip("httpx")
    lines = {"CC": [POSITION, "[CONSENT CHECK]\n- Tuesdays"], "GM": [POSITION, "[CONSENT]"]}

    def says(asked: Asked) -> Turn | str:
        if asked.model == "CX":
            return Turn(mode="hang")
        said = lines[asked.model]
        return said[asked.turn] if (asked.turn or 0) < len(said) else "[DONE]"  # type: ignore[index]

    with ModelServer(says) as server:
        said = comity(
            folder,
            *(*ASKED, "--timeout", "1.5", "--json"),
            *seats(CC="model:CC", CX="model:CX", GM="model:GM"),
            COMITY_MODEL_URL=f"{server.url}/v1",
        )
    told = json.loads(said.stdout)
    assert (said.returncode, told["status"]) == (10, "INCOMPLETE"), said.stderr
    assert "CX answers the check of version 1" in told["unblock"]
    assert told["record"]["draft"] == ["Tuesdays"]
    assert said.stderr.splitlines()[-1].startswith("CX did not answer")
    heard = [one["body"] for one in recorded(folder) if one["kind"] == "input"]
    assert {one["party"] for one in heard if one["kind"] == "failure"} == {"CX"}  # type: ignore[index]


def test_c5_a_budget_ends_it_before_the_call_that_would_exceed_it(folder: Path) -> None:
    pytest.importorskip("httpx")
    dear = {"reply": POSITION, "tokens": [9_000, 1_000]}
    with ModelServer({"CC": [dear], "CX": [dear], "GM": [dear]}) as server:
        said = comity(
            folder,
            *(*ASKED, "--budget", "35,000", "--budget", "9USD", "--json"),
            *seats(CC="model:CC", CX="model:CX", GM="model:GM"),
            COMITY_MODEL_URL=f"{server.url}/v1",
        )
        calls = len(server.calls())
    told = json.loads(said.stdout)
    assert (said.returncode, told["reason"], calls) == (10, "budget", 3)
    assert "CC was not asked: the budget is used up" in told["record"]["flags"]
    assert "30000 of 35000 tokens are used" in said.stderr
    assert recorded(folder)[0]["body"]["limits"] == {"tokens": 35_000, "money": "9"}  # type: ignore[index]


def test_c7_programs_models_people_and_scripts_sit_side_by_side_with_files_and_a_prompt(
    folder: Path,
) -> None:
    pytest.importorskip("httpx")
    (folder / "gm.txt").write_text(f"{POSITION}\n---\n[CONSENT]\n", "utf-8")
    (folder / "plan.md").write_text("The plan.\n", "utf-8")
    (folder / "prompt.txt").write_text(
        "Meet? CC=Focus, CX=Contact, GM=Calm.\nwork: plan.md\nOutput: out/meeting.md\n", "utf-8"
    )
    with ModelServer({"CX": [POSITION, "[CONSENT]"]}) as server:
        said = comity(
            folder,
            *("negotiate", "prompt.txt", "--order", "CC,CX,GM"),
            *seats(CC="command:sh agreeable.sh", CX=f"model:CX@{server.url}/v1"),
            *seats(GM="script:gm.txt"),
        )
        assert "The plan." in server.calls()[0].words
    assert said.returncode == 0, said.stderr
    assert said.stdout.endswith("CONSENSUS: Achieved\n")
    assert "[DONE] - Consensus reached." in (folder / "out" / "meeting.md").read_text("utf-8")


def test_w1_an_answer_by_tool_counts_before_the_words_from_the_model_to_the_document(
    folder: Path,
) -> None:
    pytest.importorskip("httpx")
    consent = {"tool": "answer", "arguments": {"answer": "CONSENT"}}
    with ModelServer({"CX": [POSITION, consent], "GM": [POSITION, consent]}) as server:
        said = comity(
            folder,
            *(*ASKED, "--json"),
            *seats(CC="command:sh agreeable.sh", CX="model:CX", GM="model:GM"),
            COMITY_MODEL_URL=f"{server.url}/v1",
        )
    assert said.returncode == 0, said.stderr
    heard = [one["body"]["body"] for one in recorded(folder) if one["kind"] == "input"]  # type: ignore[index]
    assert (
        heard.count({"text": "", "usage": heard[-1]["usage"], "vote": consent["arguments"]}) == 2
    )


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (seats(CC="claude", CX="codex", GM="gemini"), "'claude', which is not on PATH"),
        (seats(CC="model:m", CX="rational", GM="person"), "has the model 'm' and no server"),
        (seats(XX="person"), "names 'XX', which has no seat here"),
        (["--budget", "much", "--timeout", "soon"], "--timeout"),
        (["--budget", "5", "--budget", "6"], "names tokens twice"),
    ],
)
def test_g7_words_that_seat_nobody_are_told_before_anything_runs(
    words: list[str], what: str, folder: Path
) -> None:
    said = comity(folder, *ASKED, *words, PATH="/nowhere")
    assert said.returncode == 2
    assert what in said.stderr
    assert not (folder / "comity.db").exists()
